"""Write the large files of the course's explorers for the pages of the site.

    python docs/site/models/large_files.py OUT

writes OUT/<name>-<mark>.safetensors, which a page fetches when its reader says so (large.js), and
card.json, which says where each is, how large, and what it is called. A name whose data is not
installed is left out: the explorers that need it stay pictures.
"""

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from safetensors.torch import save  # noqa: E402

from tutorial_lib.datasets import minilm_folder  # noqa: E402
from tutorial_lib.errors import MissingDataError  # noqa: E402
from tutorial_lib.models import BERT  # noqa: E402

WHERE = "models/large/"  # below the folder of the site's scripts


def minilm():
    """MiniLM in half precision, without the layer that no sentence vector needs."""
    model = BERT.from_pretrained(minilm_folder())
    tensors = model.half().state_dict()
    tensors = {name: t for name, t in tensors.items() if not name.startswith("pooler.")}
    return save(tensors, {"config": json.dumps(vars(model.config))})


# Name -> what the reader is told it is, and the function that gives its bytes.
FILES = {
    "minilm": ("MiniLM", minilm),
}


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
        file = f"{name}-{hashlib.sha256(data).hexdigest()[:8]}.safetensors"
        (folder / file).write_bytes(data)
        card[name] = {"file": WHERE + file, "bytes": len(data), "title": title}
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


if __name__ == "__main__":
    main(sys.argv[1])
