"""Write the test digits of MNIST for the pages of the site.

    python docs/site/models/export_digits.py OUT

writes OUT/digits/test.js: pixels of a byte each, picture after picture, compressed (zlib) and in
base64, and the labels. A page loads it when a reader asks for a test digit.
"""

import base64
import json
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tutorial_lib.datasets import load_mnist  # noqa: E402

SCRIPT = "((globalThis.tl??={{}}).digits??={{}}).test={};\n"


def main(out):
    """Write the digits below the folder `out`; return how many bytes they take."""
    digits = load_mnist().test
    pixels = (digits.images * 255).round().byte().numpy().tobytes()
    what = {
        "pixels": base64.b64encode(zlib.compress(pixels, 9)).decode(),
        "labels": "".join(map(str, digits.labels.tolist())),
    }
    folder = Path(out) / "digits"
    folder.mkdir(parents=True, exist_ok=True)
    text = SCRIPT.format(json.dumps(what))
    (folder / "test.js").write_text(text, encoding="utf-8")
    return len(text)


if __name__ == "__main__":
    print("digits:", main(sys.argv[1]), "bytes")
