"""The translator and the reader of drawn digits answer on a page as in a notebook."""

import base64
import math
import random

import numpy as np
import pytest

from tutorial_lib import explorers
from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.translator import Translator, english_words

READ = [
    "742",
    "0",
    "342,021",
    "999999",
    "1984-03-21",
    "2000-01-31",
    "2005-02-20",
    "1900-11-12",
    "2099-12-05",
    "  Seven\u2003hundred-and\x1cforty, two ",
    "Wednesday, March twenty-first, nineteen eighty-four",
    "seven seven",
    "thursday of hundred",
]
NOT_READ = [
    "",
    " ,- ",
    "1000000",
    "1" * 220,
    "1984-13-40",
    "2023-02-30",
    "0000-01-01",
    "1799-12-31",
    "2100-01-01",
    "12,34",
    "forty-two, please",
    "🙂 שלום <script> a\ud800b İΑΣ and more, and more",
    "oh " * 80,
    "<start> one <end>",
]


@pytest.fixture(scope="module")
def translators():
    return {"German": Translator.load("de"), "French": Translator.load("fr")}


@pytest.fixture(scope="module")
def site(exported, tmp_path_factory):
    """The folder of a build with what these explorers read."""
    import export_digits
    import export_small

    folder = tmp_path_factory.mktemp("site")
    exported.main(folder / "models", ("translation-de", "translation-fr"))
    export_small.main(folder / "models", ("mnist-vit", "translation-de", "translation-fr"))
    export_digits.main(folder / "models")
    return folder


def halves(value):
    """The numbers of half precision in bytes as JSON has them."""
    return np.frombuffer(base64.b64decode(value["__bytes__"]), np.float16).astype(float).tolist()


def difference(one, other, name=""):
    """Where two answers differ first, numbers by more than 1e-4 (in half precision, 1e-3)."""
    if isinstance(one, dict) and "__bytes__" in one:
        if name in ("data", "attention"):
            return difference(halves(one), halves(other), "half")
        one, other = (list(base64.b64decode(side["__bytes__"])) for side in (one, other))
        return difference(one, other, "pixel")
    if isinstance(one, dict):
        parts = [(key, value, other.get(key)) for key, value in one.items()]
    elif isinstance(one, list) and len(one) == len(other):
        parts = [(name, *pair) for pair in zip(one, other, strict=True)]
    elif isinstance(one, int | float) and isinstance(other, int | float):
        allowed = {"half": 1e-3, "pixel": 1}.get(name, 1e-4 * max(1, abs(one)))
        return "" if abs(one - other) <= allowed else f"{name}: {one} is not {other}"
    else:
        return "" if one == other else f"{name}: {one!r} is not {other!r}"
    return next(filter(None, (difference(*pair, key) for key, *pair in parts)), "")


def differences(messages, pairs):
    """What a brain says otherwise than the widget: that which Python tells counts."""
    return [
        (message, found)
        for message, (python, javascript) in zip(messages, pairs, strict=True)
        if (found := difference(python, {**message, **javascript}))
    ]


def test_what_somebody_types_is_translated_alike(both_tell, site, translators):
    widget = explorers.TranslationExplorer(translators, text="7", beams=1)
    messages = [{"text": text} for pair in zip(READ, NOT_READ, strict=False) for text in pair]
    messages += [{"language": "French"}, *({"text": text} for text in [*READ[:6], NOT_READ[-1]])]
    pairs = both_tell("translation", widget, messages, site)
    assert differences(messages, pairs) == []


def test_beams_are_alike_and_controls_stop_at_their_ends(both_tell, site, translators):
    widget = explorers.TranslationExplorer(translators["French"], text="1984-03-21")
    numbers = random.Random(0)
    messages = [
        *({"beams": beams} for beams in (1, 2, 6, 99, -5)),
        *({"alpha": alpha} for alpha in (0, 0.3, 2, 99, -1)),
        {"beams": 3, "alpha": 1.1},
        {"step": 3},
        {"step": 999},
        {"layer": 0, "head": 2},
        {"layer": 9, "head": 9},
        {"step": -4, "layer": -4, "head": -4},
        {"text": "nothing of the sort", "beams": 2},
        {"beams": 4},
    ]
    words = sorted(english_words())
    messages += [
        {"text": " ".join(numbers.choices(words, k=k)), "step": 5} for k in range(1, 16, 2)
    ]
    pairs = both_tell("translation", widget, messages, site)
    assert differences(messages, pairs) == []


def drawings(n):
    """Messages with strokes as a hand draws them, dots and lines among them."""
    numbers = random.Random(1)
    point = [0.5, 0.25]
    lines = [[[point]], [[point, [0.5, 0.75]]], [[[0.2, 0.6], [0.7, 0.6]]]]
    for _ in range(n):
        x, y, turn = (numbers.uniform(0.2, 0.8) for _ in range(3))
        stroke = [
            [x + 0.3 * math.sin(turn * i), y + i * numbers.uniform(-0.02, 0.03)] for i in range(25)
        ]
        lines.append([stroke, [[0.9, 0.1]], stroke[:5]][: numbers.randrange(1, 4)])
    return [{"strokes": strokes, "example": -1} for strokes in lines]


def test_what_is_drawn_is_read_alike(both_tell, site):
    model = load_checkpoint("mnist-vit")
    widget = explorers.DigitExplorer(
        {"a": model, "b": load_checkpoint("mnist-vit")}, load_mnist().test
    )
    messages = [
        *drawings(8),
        *({"pen": pen} for pen in (0.2, 0.02, 9, -3)),
        {"example": 18, "strokes": []},
        *({"example": example} for example in (0, 999, 5000, -7)),
        {"layer": 1, "head": 3},
        {"layer": 99, "head": 99},
        {"layer": -9, "head": -9},
        {"strokes": [[[0.5, i / 5000] for i in range(5000)], [[0.1, 0.1]]]},
        {"strokes": [[], [[2, -1], [0.5], "x", None, [None, 0.3]], 7]},
        {"strokes": []},
        {"reader": 1, "example": 3},
        {"reader": 9},
    ]
    pairs = both_tell("digits", widget, messages, site)
    assert differences(messages, pairs) == []
