"""Chapter 10: find an emoji by a phrase, with a linear map between two frozen encoders.

MiniLM has read sentences and DINOv2 photographs; neither has been shown what the other reads. Each
makes one vector of every name and every picture, once. A linear map then learns from the training
pictures, by CLIP's loss, to bring a picture near its name in MiniLM's own space. All learning
rates, sizes and the number of steps were chosen on the validation part (recipe `emoji-clip`).

Stored are the map and the vectors, those in one byte a number: so notebook and explorer train
and search without DINOv2.
"""

import torch
from tqdm.auto import tqdm

from tutorial_lib.datasets import dinov2_folder, load_named_emoji, minilm_folder
from tutorial_lib.datasets.wheels import DINOV2_SHA256
from tutorial_lib.embeddings import text_vectors
from tutorial_lib.models import BERT, DINOv2, PictureFinder, PictureFinderConfig, TwoHeads
from tutorial_lib.models.dinov2 import normalised
from tutorial_lib.models.picture_finder import PARTS
from tutorial_lib.objectives import contrastive_loss, recall_at
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import set_seed

SETTINGS = {
    "seed": 0,
    "side": 112,  # pixels of what DINOv2 reads: 8 x 8 patches
    "n_pictures": None,  # of each part; None: all there are
    "d_joint": 384,
    "d_hidden": None,
    "texts_stay": True,  # in MiniLM's space
    "dropout": 0.1,
    "steps": 200,
    "batch_size": 512,
    "one_a_concept": True,  # in a batch
    "lr": 1e-3,
    "weight_decay": 1e-2,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {"side": 28, "n_pictures": 12, "steps": 2, "batch_size": 4}
SIZES = ("d_joint", "d_hidden", "texts_stay", "dropout")  # of the heads
KS = (1, 5)


def train(settings, progress=True):
    """Let both encoders read the emoji, train the heads, and return a PictureFinder."""
    emoji = load_named_emoji(settings["side"])
    parts = [getattr(emoji, name) for name in PARTS]
    some = slice(settings["n_pictures"])
    names = [read_names(part.names[some]) for part in parts]
    pictures = [read_pictures(part.images[some], progress) for part in parts]
    config = PictureFinderConfig(
        names[0].size(1),
        pictures[0].size(1),
        **{name: settings[name] for name in SIZES},
        **{f"n_{name}": len(some) for name, some in zip(PARTS, pictures, strict=True)},
    )
    finder = PictureFinder(config).fill(torch.cat(names), torch.cat(pictures))
    heads = learn(*finder.stored("train"), concept_numbers(parts[0].concepts[some]), settings)
    finder.two_heads.load_state_dict(heads.state_dict())
    return finder.eval()


def read_names(names):
    """Return what MiniLM makes of names, (N, 384)."""
    folder = minilm_folder()
    tokenizer = WordPieceTokenizer.from_pretrained(folder)
    return text_vectors(BERT.from_pretrained(folder), tokenizer, names)


@torch.no_grad()
def read_pictures(images, progress=True):
    """Return what DINOv2 makes of pictures (N, 3, height, width), 0 to 1: its [CLS], (N, 384)."""
    model = DINOv2.from_pretrained(dinov2_folder())
    batches = tqdm(images.split(32), desc="DINOv2 reads emoji", disable=not progress)
    return torch.cat([model.features(normalised(some)).cls for some in batches])


def concept_numbers(concepts):
    """Return a number for each concept, the same for the same word: (N,).

    >>> concept_numbers(["cat", "dog", "cat"])
    tensor([0, 1, 0])
    """
    numbers = {concept: number for number, concept in enumerate(dict.fromkeys(concepts))}
    return torch.tensor([numbers[concept] for concept in concepts])


def first_of_each(concepts):
    """Return the row of each concept's first, in order.

    >>> first_of_each(["cat", "dog", "cat"])
    [0, 1]
    """
    first = {}
    for row, concept in enumerate(concepts):
        first.setdefault(concept, row)
    return list(first.values())


def one_a_concept(concepts):
    """Return a random row of each concept, in random order; concepts (N,) are their numbers.

    >>> rows = one_a_concept(torch.tensor([0, 1, 0, 1, 1]))
    >>> sorted(row % 2 for row in rows.tolist()) in ([0, 0], [0, 1], [1, 1])
    True
    """
    drawn = torch.rand(len(concepts), dtype=torch.float64)  # the row with the highest is taken
    highest = torch.zeros(int(concepts.max()) + 1, dtype=torch.float64)
    highest.scatter_reduce_(0, concepts, drawn, "amax")
    rows = (drawn == highest[concepts]).nonzero().flatten()
    return rows[torch.randperm(len(rows))]


def learn(names, pictures, concepts, settings, seed=None):
    """Return TwoHeads that learned which of names (N, d_text) belongs to which of pictures.

    concepts (N,): the number of each pair's concept. settings: those of the recipe.
    """
    set_seed(settings["seed"] if seed is None else seed)
    sizes = {name: settings[name] for name in SIZES}
    heads = TwoHeads(names.size(1), pictures.size(1), **sizes)
    rates = {name: settings[name] for name in ("lr", "weight_decay")}
    optimizer = torch.optim.AdamW(heads.parameters(), **rates)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings["lr"], settings["steps"])
    for _ in range(settings["steps"]):
        drawn = one_a_concept(concepts) if settings["one_a_concept"] else torch.randperm(len(names))
        rows = drawn[: settings["batch_size"]]
        loss = contrastive_loss(heads(names[rows], pictures[rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return heads.eval()


@torch.no_grad()
def recalls(scores, concepts):
    """Return recall at 1 and 5 both ways from scores (N, N), images x texts, and their chance.

    Of all pictures, and of the first one of each concept alone ("concepts"), where neither a skin
    tone nor a gender helps to find it.
    """
    first = first_of_each(concepts.tolist())
    found = {}
    for among, some in (("pictures", scores), ("concepts", scores[first][:, first])):
        for k in (k for k in KS if k <= len(some)):
            found |= {
                f"{among}_of_texts_at_{k}": recall_at(some.T, k),
                f"texts_of_{among}_at_{k}": recall_at(some, k),
                f"{among}_chance_at_{k}": k / len(some),
            }
    return found


@torch.no_grad()
def evaluate(finder):
    """Return recall of the test part's pictures and names, whose concepts no training pair has."""
    emoji = load_named_emoji(16)  # the names are the same at each size
    concepts = concept_numbers(emoji.test.concepts[: finder.config.n_test])
    return recalls(finder.two_heads(*finder.stored("test")), concepts)


def load_emoji_finder():
    """Return the PictureFinder of the checkpoint, ready to read: `finder.find(text, k)`."""
    folder = minilm_folder()
    tokenizer = WordPieceTokenizer.from_pretrained(folder)
    finder = load_checkpoint("emoji-finder")
    return finder.reading_with(BERT.from_pretrained(folder), tokenizer)


def data_bytes():
    """Return the emoji's names and splits and the hash of DINOv2's file, as bytes."""
    return (load_named_emoji(16).fingerprint + DINOV2_SHA256).encode()
