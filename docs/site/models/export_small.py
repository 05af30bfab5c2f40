"""Write the small networks of the course for the pages of the site.

    python docs/site/models/export_small.py OUT

writes OUT/small/<name>.js, which small/load.js reads: the weights as they are stored, in half
precision, as base64 in a script, so that a page opened from the file system can read them, too.
Networks of two megabytes and less are run by a few hundred lines of plain JavaScript; a runtime for
ONNX is several times as large as they are.
"""

import base64
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

from tutorial_lib import models  # noqa: E402
from tutorial_lib.explorers import english_words  # noqa: E402
from tutorial_lib.explorers.forgery import words_of_the_plays  # noqa: E402
from tutorial_lib.files import load_metadata  # noqa: E402
from tutorial_lib.recipes import load_checkpoint, translator  # noqa: E402

TRAINED = Path(__file__).parent / "trained"  # what chapters train, and the site shows
SCRIPT = "((globalThis.tl??={{}}).networks??={{}})[{}]={};\n"
# No explorer asks for the next sentence, or for the codes of another picture.
UNUSED = ("pooler.", "nsp_head.", "encoder.", "book.use")
# Of these checkpoints, a page needs one part only.
PARTS = {"emoji-writer": lambda writer: writer.autoencoder}


def forger_facts(model):
    """Return which pieces of its vocabulary a forger may hide and draw."""
    words = words_of_the_plays()
    return {"allowed": [i for i, p in enumerate(model.tokenizer.vocab) if p.lower() in words]}


def translator_facts(model):
    """Return the words that a translator knows, and the pattern of what they may make."""
    words = sorted(translator.english_words())
    return {"words": words, "number_or_date": english_words.PATTERN.pattern}


# Name of the checkpoint -> the function that says what its brain has to know besides.
NETWORKS = {
    "play-bert": lambda model: {},
    "shakespeare-bert": forger_facts,
    "number-bert": lambda model: {},
    "family-electra": lambda model: {},
    "emoji-writer": lambda model: {},
    "shakespeare-gpt": lambda model: {},
    "mnist-vit": lambda model: {},
    "translation-de": translator_facts,
    "translation-fr": translator_facts,
}


def content(model, facts):
    """Return sizes, names and shapes of the tensors, and their numbers one after another."""
    tensors, seen = {}, set()
    for name, tensor in model.state_dict().items():
        if not name.startswith(UNUSED) and tensor.data_ptr() not in seen:
            tensors[name] = tensor
            seen.add(tensor.data_ptr())
    exact = all(torch.equal(t, t.half().float()) for t in tensors.values())
    parts = [t.half() if exact else t.float() for t in tensors.values()]
    data = b"".join(part.contiguous().numpy().tobytes() for part in parts)
    return {
        "kind": type(model).__name__,
        "config": vars(model.config),
        "tensors": [[name, list(tensor.shape)] for name, tensor in tensors.items()],
        "dtype": "float16" if exact else "float32",
        "data": base64.b64encode(data).decode(),
        "facts": facts,
    }


def part(name):
    """Return what a page needs of a checkpoint, most often all of it."""
    return PARTS.get(name, lambda model: model)(load_checkpoint(name))


def main(out, names=tuple(NETWORKS)):
    """Write the networks below the folder `out`; return the card with the size of each."""
    folder = Path(out) / "small"
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}
    found = {name: (part(name), NETWORKS[name]) for name in names}
    for path in sorted(TRAINED.glob("*.safetensors")):
        kind = getattr(models, load_metadata(path)["model"])
        found[path.stem] = kind.load(path), lambda model: {}
    for name, (model, facts) in found.items():
        what = json.dumps(content(model, facts(model)), separators=(",", ":"))
        text = SCRIPT.format(json.dumps(name), what)
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
        sizes[name] = len(text)
    card = {"name": "small", "bytes": sum(sizes.values()), "files": sizes}
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])["files"]))
