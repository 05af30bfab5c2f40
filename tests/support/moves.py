"""What can be moved in which explorer: read by the tests of what a move costs and by the benchmark
of how long it takes."""

from functools import cache

import numpy as np
import torch

from tutorial_lib import datasets, explorers
from tutorial_lib.explorers.packing import as_regions
from tutorial_lib.interpret import SeenPicture, trace
from tutorial_lib.models import BERT, BERTConfig, DistilBERT
from tutorial_lib.recipes import load_checkpoint, shakespeare_gpt
from tutorial_lib.recipes.asked_digits import asked_digits, see_digits
from tutorial_lib.recipes.translator import Translator
from tutorial_lib.tokenizers import BPETokenizer, WordPieceTokenizer, merge_steps

load = cache(load_checkpoint)


@cache
def minilm():
    """The small sentence encoder and its tokenizer."""
    folder = datasets.minilm_folder()
    return BERT.from_pretrained(folder), WordPieceTokenizer.from_pretrained(folder)


@cache
def finder():
    """What finds speeches by meaning and by words."""
    speeches = datasets.load_shakespeare().speeches
    return explorers.SpeechFinder(load("speech-vectors"), speeches, *minilm())


def attention(tokens):
    """Made-up maps of 6 layers with 12 heads."""
    weights = np.random.default_rng(0).dirichlet([0.1] * tokens, (6, 12, tokens))
    labels = [f"word{i}" for i in range(tokens)]
    return explorers.AttentionExplorer(weights, labels, threshold=0.0)


def attention_picture():
    """The maps of the ViT on digits, over the picture."""
    images = datasets.load_mnist().test.images[:20]
    return explorers.AttentionExplorer.from_pictures(load("mnist-vit"), images, ink=True)


def attention_regions():
    """Made-up maps of a caption and of two regions of its picture."""
    scene = made_up_scene(4, 2)
    segments = [0] * 4 + [1] * 2
    picture = as_regions(scene["image"], scene["boxes"])
    labels = [*scene["words"], "a dog", "a cat"]
    return explorers.AttentionExplorer(scene["weights"], labels, segments=segments, picture=picture)


def attention_text():
    """MiniLM behind the attention explorer."""
    return explorers.AttentionExplorer.from_model(*minilm(), "the cat sat")


def code_book(n=6, n_codes=40):
    """Made-up pictures of 4 x 4 codes; a code stands for a grey of its own."""
    numbers = np.random.default_rng(0)
    codes = (n_codes * numbers.random((n, 4, 4)) ** 2).astype(int)

    def decode(codes):
        pixels = codes[:, None].float() / (n_codes - 1)
        return pixels.repeat(1, 3, 1, 1).repeat_interleave(4, 2).repeat_interleave(4, 3)

    pictures = decode(torch.from_numpy(codes)).clone()
    pictures[:, 0] = 1 - pictures[:, 0]
    return explorers.CodeBookExplorer(pictures, codes, decode, n_codes)


def digits():
    """The ViT that reads drawn digits."""
    return explorers.DigitExplorer(load("mnist-vit"), datasets.load_mnist().test)


def emoji_finder(n=40):
    """Pictures of one colour each; a letter is as near to a picture as its number says."""
    numbers = np.random.default_rng(0)
    pictures = np.ones((n, 3, 24, 24)) * numbers.random((n, 3, 1, 1))
    names = [f"picture number {i}" for i in range(n)]

    def find(text):
        scores = np.cos(np.arange(n) - sum(map(ord, text)))
        order = np.argsort(-scores)
        return order, scores[order]

    return explorers.EmojiFinder(find, pictures, names, "a red one")


def generation():
    """The GPT of characters."""
    model = load("shakespeare-gpt")
    functions = shakespeare_gpt.encode, shakespeare_gpt.decode
    return explorers.GenerationExplorer(model, *functions, prompt="HAMLET.\nTo be")


def latents():
    """A Perceiver that reads two digits."""
    return explorers.LatentExplorer(see_digits(load("ask-anywhere"), digits_to_ask(2)))


def digits_to_ask(n):
    return datasets.load_mnist().test.images[:n]


def lens():
    """The GPT of characters, layer by layer."""
    functions = shakespeare_gpt.encode, shakespeare_gpt.decode
    return explorers.LogitLensExplorer(load("shakespeare-gpt"), *functions, "HAMLET.\nTo be")


def made_up_scene(n_words, n_regions, n_layers=2, n_heads=4, seed=0):
    """A scene of noise as RegionExplorer takes it."""
    numbers = np.random.default_rng(seed)
    size = n_words + n_regions
    corners = numbers.random((n_regions, 2)) / 2
    return {
        "image": numbers.random((3, 24, 24)),
        "boxes": np.concatenate([corners, corners + 0.4], axis=1),
        "words": ["[CLS]", "a", "cat", "above", "the", "dog"][:n_words],
        "weights": numbers.dirichlet([0.5] * size, (n_layers, n_heads, size)),
    }


def merges():
    """Five words, five merges."""
    words = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}
    return explorers.MergeStepper(list(merge_steps(words, 5)))


def patch_matches(side=448, n_heads=6):
    """Two pictures of noise, as large as real ones, of a model as wide as DINOv2 ViT-S/14."""
    seen = []
    for name, (rows, columns) in {"one": (side // 14, side // 14), "two": (12, 20)}.items():
        generator = torch.Generator().manual_seed(rows)
        image = torch.rand(3, 14 * rows, 14 * columns, generator=generator)
        patches = torch.randn(rows, columns, 384, generator=generator)
        attention = torch.rand(n_heads, rows, columns, generator=generator) / (rows * columns)
        seen.append(SeenPicture(name, image, patches, attention))
    return explorers.PatchMatcher(seen, mode="attention of [CLS]")


def regions():
    """Made-up maps of two scenes of different sizes, and a head to silence."""
    scenes = [made_up_scene(6, 3), made_up_scene(4, 2, seed=1)]

    def silence(scene, layer, head):
        weights = scenes[scene]["weights"].copy()
        weights[layer, head] = 0
        return {"outputs": [("it matches", 0.9, 0.9 / (1 + head))], "weights": weights}

    return explorers.RegionExplorer(scenes, silence, layer=1)


def replaced():
    lines = ["To be, or not to be: that is the question", "What a piece of work is a man!"]
    return explorers.ReplacedExplorer(load("family-electra"), load("shakespeare-bert"), lines)


def student():
    teacher = load("shakespeare-bert")
    students = {"half of its layers": DistilBERT.from_teacher(teacher), "itself": teacher}
    return explorers.StudentExplorer(teacher, students, "And then [MASK] art a villain.")


def tokens():
    """A tokenizer on 1,800 characters."""
    bpe = BPETokenizer.train("the cat sat on the mat, the rat sat too. " * 5, 280)
    return explorers.TokenizerExplorer({"BPE": bpe}, text="the cat sat on the mat " * 80)


def translation(text):
    """Numbers and dates into German."""
    return explorers.TranslationExplorer({"German": Translator.load("de")}, text=text, beams=6)


def walk():
    """One pass through a small BERT."""
    torch.manual_seed(0)
    model = BERT(BERTConfig(vocab_size=3000, context=8, d_model=96, n_layers=2, n_heads=4))
    return explorers.WalkExplorer(trace(model, torch.tensor([[2900, 5, 7, 3]])), list("abcd"))


def named(*labels):
    """The controls with these names."""
    return tuple(f"[aria-label='{label}']" for label in labels)


def label(control):
    """What a control is called in a table.

    >>> label("[aria-label='Top-k']"), label("textarea")
    ('Top-k', 'textarea')
    """
    return control.split("'")[1] if "'" in control else control


# Explorer -> (what makes it, its controls): each move is drawn in the page.
MOVES = {
    "attention, 15 tokens": (lambda: attention(15), named("Layer", "Head")),
    "attention, 200 tokens": (lambda: attention(200), named("Layer", "Head")),
    "attention, picture": (attention_picture, named("Layer", "Head")),
    "attention, regions": (attention_regions, named("Layer", "Head")),
    "buckets": (
        lambda: explorers.BucketExplorer(load("six-tasks")),
        named("Distance", "Buckets", "Up to a distance of"),
    ),
    "code book": (code_book, named("Picture", "Code in the cell")),
    "corruption": (
        explorers.CorruptionExplorer,
        ("textarea", *named("Share", "Mean length of a span")),
    ),
    "digits": (digits, named("Pen", "Layer", "Head")),
    "emoji finder": (emoji_finder, ("textarea", "input[type=checkbox]")),
    "fill-mask": (lambda: explorers.FillMaskExplorer(load("play-bert")), ("textarea",)),
    "generation": (generation, named("Temperature", "Top-k", "Top-p")),
    "latents": (latents, named("Latent", "Head", "Picture")),
    "lattice": (
        lambda: explorers.LatticeExplorer(load("six-tasks").tokenizer.scores, "seventeen"),
        ("textarea", *named("Cut number", "alpha")),
    ),
    "logit lens": (lens, ("textarea",)),
    "masking": (
        lambda: explorers.MaskingExplorer(load("shakespeare-bert").tokenizer),
        ("textarea", *named("Share")),
    ),
    "masks over passes": (
        lambda: explorers.MaskingPassesExplorer(load("shakespeare-bert").tokenizer),
        named("Passes", "Share"),
    ),
    "masks": (
        lambda: explorers.MaskBuilder(n_queries=5, n_keys=7, preset="window"),
        named("Window", "Preset"),
    ),
    "merges": (merges, named("Merge")),
    "patch matches": (patch_matches, named("Show", "Head")),
    "regions": (regions, named("Layer", "Head", "Measure at", "Show", "Scene")),
    "rotary": (
        explorers.RotaryHands,
        named("Query at position", "Key at position", "Move both by"),
    ),
    "saturation": (explorers.SaturationExplorer, named("Head width K", "Number of keys")),
    "schemes": (
        lambda: explorers.SchemeComparer("relative", "alibi", 63, 31),
        (
            *named("Length", "Shift both by", "Head", "Scheme on the left"),
            "input[type=checkbox]",
        ),
    ),
    "replaced": (replaced, named("Share replaced")),
    "search": (lambda: explorers.SpeechSearch(finder()), ("textarea",)),
    "sinusoids": (
        lambda: explorers.SinusoidExplorer(256, 100),
        named("Width d", "Positions shown", "Base", "Position", "Column"),
    ),
    "softmax": (explorers.SoftmaxExplorer, named("Temperature", "Stage")),
    "student": (student, ("textarea", *named("Student", "Temperature"))),
    "tokens": (tokens, ("textarea", *named("Show ids"))),
    "translation, 742": (lambda: translation("742"), named("Token", "Layer", "Head")),
    "translation, a date": (lambda: translation("1984-03-21"), named("Token", "Layer", "Head")),
    "walk": (walk, named("Step")),
    "zoom": (
        lambda: explorers.ZoomExplorer(asked_digits(load("ask-anywhere"), digits_to_ask(2))),
        named("Points asked for", "Magnify", "Picture"),
    ),
    "windows": (
        explorers.WindowsExplorer,
        (*named("Layers", "Window"), "button:has-text('Shift')", "button:has-text('Merge')"),
    ),
}

LINES = ["I cannot sleep.", "O Romeo", "the cat [MASK]", "the cat sat on the mat", "So be it."]
# Explorer -> (what makes it, its box, texts): each text goes through the kernel.
TYPED = {
    "attention, MiniLM": (attention_text, *named("Text"), LINES),
    "corruption": (MOVES["corruption"][0], "textarea", LINES),
    "emoji finder": (emoji_finder, "textarea", LINES),
    "fill-mask": (MOVES["fill-mask"][0], "textarea", LINES),
    "generation": (generation, "textarea", LINES),
    "lattice": (MOVES["lattice"][0], "textarea", ["unhappily", "seventy", "zwölf", "a", "🙂"]),
    "logit lens": (lens, "textarea", LINES),
    "masking": (MOVES["masking"][0], "textarea", LINES),
    "masks over passes": (MOVES["masks over passes"][0], "textarea", LINES),
    "replaced": (replaced, "textarea", LINES),
    "search": (MOVES["search"][0], "textarea", LINES),
    "student": (student, "textarea", LINES),
    "tokens": (tokens, "textarea", LINES),
    "translation": (
        lambda: translation("742"),
        "input[type=text]",
        ["1984-03-21", "377,777", "42", "1899-09-29", "17"],
    ),
}
