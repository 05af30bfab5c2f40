"""Write the large files of the course's explorers for the pages of the site.

    python docs/site/models/large_files.py OUT

writes OUT/<name>-<mark>.safetensors, which a page fetches when its reader says so (large.js), and
card.json, which says where each is, how large, and what it is called: for each name a list, since
hosts of static files refuse large ones, and those are cut into parts. A name whose data is not
installed is left out: the explorers that need it stay pictures.
"""

import hashlib
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

import gguf  # noqa: E402
import torch  # noqa: E402
from safetensors.torch import save  # noqa: E402

from tutorial_lib.datasets import load_shakespeare, minilm_folder, smollm2_folder  # noqa: E402
from tutorial_lib.errors import MissingDataError  # noqa: E402
from tutorial_lib.figures.chapter06b_using_bert.answers import in_one_line, where  # noqa: E402
from tutorial_lib.files import gguf_in, read_gguf  # noqa: E402
from tutorial_lib.models import BERT  # noqa: E402
from tutorial_lib.models.foreign.llama import read_llama_facts  # noqa: E402
from tutorial_lib.recipes import load_checkpoint  # noqa: E402

MOST = 49_000_000  # bytes of a file
WHERE = "models/large/"  # below the folder of the site's scripts


def minilm():
    """MiniLM in half precision, without the layer that no sentence vector needs."""
    model = BERT.from_pretrained(minilm_folder())
    tensors = model.half().state_dict()
    tensors = {name: t for name, t in tensors.items() if not name.startswith("pooler.")}
    return save(tensors, {"config": json.dumps(vars(model.config))})


def speeches():
    """The speeches that chapter 06b searches, and their vectors in one byte a number."""
    table, every = load_checkpoint("speech-vectors"), load_shakespeare().speeches
    found = [every[place] for place in table.places.tolist()]
    rows = [[where(one), one.genre, in_one_line(one.text)] for one in found]
    tensors = {"numbers": table.numbers, "scale": table.scale}
    return save(tensors, {"speeches": json.dumps(rows, ensure_ascii=False)})


@torch.no_grad()
def emoji():
    """The vectors of the pictures that chapter 10 searches, in MiniLM's space."""
    finder = load_checkpoint("emoji-finder").eval()
    return save({"vectors": finder.two_heads.image_vectors(finder.stored("test")[1])})


def packed(folder):
    """The Llama of a folder's GGUF as it is packed there: (rows, bytes of a row), and its kinds."""
    file = read_gguf(gguf_in(folder))
    whole = torch.from_file(str(file.path), size=file.path.stat().st_size, dtype=torch.uint8)
    tensors, kinds = {}, {}
    for name, one in file.tensors.items():
        rows = math.prod(one.shape[:-1])
        tensors[name] = whole[one.offset : one.offset + one.n_bytes].view(rows, -1)
        kinds[name] = gguf.GGMLQuantizationType(one.kind).name
    facts = {"config": read_llama_facts(file), "kinds": kinds}
    return save(tensors, {"facts": json.dumps(facts)})  # one entry: several come in any order


# Name -> what the reader is told it is, and the function that gives its bytes.
FILES = {
    "minilm": ("MiniLM", minilm),
    "speeches": ("the speeches", speeches),
    "emoji": ("the pictures' vectors", emoji),
    "smollm2": ("SmolLM2", lambda: packed(smollm2_folder())),
}


def parts(data):
    """Return the bytes in parts of about the same length, none of them longer than MOST."""
    step = math.ceil(len(data) / math.ceil(len(data) / MOST))
    return [data[start : start + step] for start in range(0, len(data), step)]


def main(out, names=tuple(FILES)):
    """Write the files whose data is installed into the folder `out`; return the card."""
    folder, card = Path(out), {}
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        title, make = FILES[name]
        try:
            data = make()
        except MissingDataError as error:
            print(f"no {name}: {error}")
            continue
        card[name] = []
        for part, content in enumerate(parts(data)):
            mark = hashlib.sha256(content).hexdigest()[:8]
            file = f"{name}{f'.{part}' if part else ''}-{mark}.safetensors"
            (folder / file).write_bytes(content)
            card[name].append({"file": WHERE + file, "bytes": len(content), "title": title})
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


if __name__ == "__main__":
    main(sys.argv[1])
