"""Which of the site's vocabularies and small networks an explorer has, asked of the live one."""

import base64
import inspect
import itertools
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "models"))

import torch
from export_small import NETWORKS, TRAINED, part
from export_vocabularies import TOKENIZERS, tokenizer

from tutorial_lib.datasets import load_mnist, minilm_folder, smollm2_folder
from tutorial_lib.errors import MissingDataError
from tutorial_lib.explorers.attention_model import DecoderBackend, EncoderBackend
from tutorial_lib.explorers.attention_picture import PictureBackend
from tutorial_lib.files import gguf_in, read_gguf
from tutorial_lib.interpret import likeness
from tutorial_lib.models import BERT, LlamaConfig
from tutorial_lib.models.foreign.llama import read_llama_facts
from tutorial_lib.recipes import shakespeare_gpt
from tutorial_lib.recipes.shakespeare_gpt import CharacterTokenizer
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.tokenizers.pretokenize import GPT2_PATTERN

MAPS = ("n_layers", "n_heads", "context")  # how many weights an encoder's maps have


def vocabulary(one):
    """Return {"vocabulary": name} of a tokenizer, with "merges" where it has the first ones only.

    {} when none of the site's vocabularies is its own.

    >>> vocabulary(tokenizer("shakespeare-bert"))
    {'vocabulary': 'shakespeare-bert'}
    """
    for name in TOKENIZERS:
        try:
            known = tokenizer(name)
        except MissingDataError:
            continue
        if isinstance(one, CharacterTokenizer) or isinstance(known, CharacterTokenizer):
            if getattr(one, "alphabet", None) == getattr(known, "alphabet", ""):
                return {"vocabulary": name}
        elif isinstance(one, WordPieceTokenizer) or isinstance(known, WordPieceTokenizer):
            facts = (getattr(t, "vocab", None) for t in (one, known))
            if len({str(fact) for fact in facts}) == 1 and one.lowercase == known.lowercase:
                return {"vocabulary": name}
        elif hasattr(known, "merges") and hasattr(one, "merges") and _begins_with(known, one):
            n = len(one.merges)
            return {"vocabulary": name} | ({} if n == len(known.merges) else {"merges": n})
    return {}


def _begins_with(known, one):
    """Whether a BPE has the first merges of a known one, with the same ids.

    Chapter 01's own tokenizer writes bytes as the letters of Latin-1, and cuts words as GPT-2 does.
    """
    merges = [tuple(p.encode("latin-1") if isinstance(p, str) else p for p in pair)
              for pair in one.merges]  # fmt: skip
    if known.merges[: len(merges)] != merges:
        return False
    if known.pattern != getattr(one, "pattern", GPT2_PATTERN):
        return False
    tokens = [a + b for a, b in merges] + [token for token in known._ids if len(token) == 1]
    return all(one.token_bytes(known._ids[token]) == token for token in tokens)


def network(model, name=""):
    """Return the name of the network that a model is, for the page; "" when the site lacks it.

    A model that is no checkpoint was trained in its chapter: given a name, it is stored in
    models/trained in half precision, from where export_small.py takes it. A class of the notebook
    (chapter 07 writes a ViT's way through its parts) is stored as the library's class below it.
    """
    for known in NETWORKS:
        checkpoint = part(known)
        if type(checkpoint) is type(model) and checkpoint.config == model.config:
            ours, theirs = checkpoint.state_dict(), model.state_dict()
            if all(torch.equal(ours[key], theirs[key].cpu()) for key in ours):
                return known
    if name:
        TRAINED.mkdir(exist_ok=True)
        kind = next(k for k in type(model).__mro__ if k.__module__.startswith("tutorial_lib."))
        half = kind(model.config)
        half.load_state_dict(model.state_dict())
        half.half().save(TRAINED / f"{name}.safetensors")
    return name


def reading_of(model, encode, decode):
    """Return the network and the vocabulary of an explorer with a decoder-only model.

    No network where the page lacks it, or where `encode` does more than its tokenizer.
    """
    if decode is shakespeare_gpt.decode:
        one = CharacterTokenizer()
    else:
        one = getattr(decode, "__self__", None)
    known = vocabulary(one)
    probe = "To be, or not to be"
    plain = known and list(map(int, encode(probe))) == list(one.encode(probe))
    if plain and is_smollm2(model):
        return {"network": "smollm2", "large": ["smollm2"], **known}
    return {"network": network(model) if plain else "", **known}


def is_smollm2(model):
    """Whether a model is the SmolLM2 whose file large_files.py takes, told by its last norm."""
    try:
        file = read_gguf(gguf_in(smollm2_folder()))
    except MissingDataError:
        return False
    if getattr(model, "config", None) != LlamaConfig(**read_llama_facts(file)):
        return False
    norm = torch.empty(model.config.d_model)
    file.tensors["output_norm.weight"].copy_to(norm)
    return torch.equal(model.final_norm.weight.cpu(), norm)


def first_forgery(explorer):
    """Return the line that a ReplacedExplorer shows, with what was asked for and found."""
    text, share, number = explorer._forged
    asked = {"text": text, "share": share, "round": number}
    return asked | {name: list(v) if isinstance(v, tuple) else v
                    for name, v in explorer.forgery._asdict().items()}  # fmt: skip


def student_facts(explorer):
    """Return the networks of a StudentExplorer: a page can show a student by its name."""
    return {
        "network": network(explorer.teacher),
        **vocabulary(explorer.tokenizer),
        "n": explorer.n,
        "students": {
            name: network(student, "student-" + re.sub(r"\W+", "-", name))
            for name, student in explorer.students.items()
        },
    }


def attention_facts(explorer):
    """Return the network of an AttentionExplorer, "" where the page has none, and what it reads."""
    backend = explorer._backend
    if isinstance(backend, DecoderBackend):
        return reading_of(backend.model, backend.encode, backend.decode)
    if type(backend) is PictureBackend and network(backend.model):
        pixels = (backend.images * 255).round().byte().numpy().tobytes()
        wrapped = {"__bytes__": base64.b64encode(pixels).decode()}
        shown = {"pixels": wrapped, "ink": backend.ink, "grid": list(backend.grid)}
        return {"network": network(backend.model), "shown": shown, "names": backend.names}
    if isinstance(backend, EncoderBackend) and is_minilm(backend.model):
        read_out = word_of(backend.readout)
        known = vocabulary(backend.tokenizer)
        if read_out is not None and known:
            config = {name: getattr(backend.model.config, name) for name in MAPS}
            return {"large": ["minilm"], **known, "config": config, "word": read_out}
    return {"network": ""}


def is_minilm(model):
    """Whether a model is MiniLM as it is published."""
    minilm = BERT.from_pretrained(minilm_folder())
    if type(model) is not BERT or model.config != minilm.config:
        return False
    theirs = model.state_dict()
    return all(torch.equal(ours, theirs[key].cpu()) for key, ours in minilm.state_dict().items())


def word_of(readout):
    """Return the word of a `likeness(word)`, "" without a readout, None of another one."""
    if readout is None:
        return ""
    if readout.__code__ is not likeness("it").__code__:
        return None
    return inspect.getclosurevars(readout).nonlocals["word"]


def each_silenced(explorer):
    """Return what a RegionExplorer answers for every head of every scene; it is put back after."""
    if explorer.silence is None:
        return {}
    before = {name: getattr(explorer, name) for name in ("scene", "chosen", "silenced")}
    layers, heads, results = explorer.n_layers, explorer.n_heads, {}
    for scene in range(len(explorer.seen)):
        explorer.scene = scene
        for layer, head in itertools.product(range(layers), range(heads)):
            explorer.silenced = {"layer": layer, "head": head}
            found = dict(explorer.silence_result)
            if "weights" in found:
                weights = base64.b64encode(found["weights"]).decode()
                found["weights"] = {"__bytes__": weights}
            results[f"{scene} {layer} {head}"] = found
    for name, value in before.items():
        explorer.set_trait(name, value)
    return {"layers": layers, "heads": heads, "results": results}


def digit_facts(explorer):
    """Return the networks of a DigitExplorer, whose digits must be those of the site."""
    assert torch.equal(explorer.digits.images, load_mnist().test.images)
    return {"networks": [network(model, "trained-vit") for model in explorer.models]}


def translator_facts(explorer):
    """Return the network and the vocabulary of each language of a TranslationExplorer."""
    return {
        language: {"network": network(one.model), **vocabulary(one.tokenizer)}
        for language, one in explorer.translators.items()
    }


def emoji_facts(explorer):
    """Return how an EmojiFinder asks a PictureFinder: find is its method, with a k."""
    finder = explorer.find.func.__self__
    return {
        "large": ["minilm", "emoji"],
        **vocabulary(finder.reader[1]),
        "k": explorer.find.keywords["k"],
        "concepts": explorer.concepts,
    }


EXTRAS = {
    "AttentionExplorer": attention_facts,
    "SpeechSearch": lambda explorer: {
        "large": ["minilm", "speeches"],
        **vocabulary(explorer.finder.tokenizer),
    },
    "EmojiFinder": emoji_facts,
    "RegionExplorer": each_silenced,
    # The decoder is a method of the writer, whose part is on the page.
    "CodeBookExplorer": lambda explorer: {"network": network(explorer.decode.__self__.autoencoder)},
    "StudentExplorer": student_facts,
    "ReplacedExplorer": lambda explorer: {
        "detective": network(explorer.discriminator, "trained-detective"),
        "forger": network(explorer.generator),
        **vocabulary(explorer.tokenizer),
        "passages": explorer.passages,
        "first": first_forgery(explorer),
    },
    "FillMaskExplorer": lambda explorer: {
        "network": network(explorer.model),
        **vocabulary(explorer.tokenizer),
        "n": explorer.n,
    },
    "TokenizerExplorer": lambda explorer: {
        "tokenizers": [
            {"name": name, **vocabulary(one)} for name, one in explorer.tokenizers.items()
        ]
    },
    "MaskingExplorer": lambda explorer: {
        **vocabulary(explorer.tokenizer),
        "first": explorer.request,
    },
    "GenerationExplorer": lambda explorer: {
        **reading_of(explorer.writer.model, explorer.writer.encode, explorer.writer.decode),
        "start": explorer.writer.start,
        "stop": sorted(explorer.writer.stop),
    },
    "LogitLensExplorer": lambda explorer: reading_of(
        explorer.model, explorer.encode, explorer.decode
    ),
    "DigitExplorer": digit_facts,
    "TranslationExplorer": translator_facts,
    "MaskingPassesExplorer": lambda explorer: vocabulary(explorer.tokenizer),
}
