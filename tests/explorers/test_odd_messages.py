"""Messages that no page of ours sends: each is refused or answered, none sticks."""

import contextlib
import json
import math

import pytest
import traitlets
from ipywidgets import DOMWidget
from moves import MOVES, attention_text

ODD = (math.nan, math.inf, -math.inf, -1, 10**30, True, "Klingon", "", None, {}, [], [1], [[1]])
ODD += ([[[1, 2]]], [math.nan], {"how": "zero", "layer": 0.5}, {"text": 5}, {"number": "x"})
MAKE = {name: make for name, (make, _) in MOVES.items()} | {"attention, MiniLM": attention_text}


def state(widget):
    own = set(widget.keys) - set(DOMWidget().keys)
    kept = {name: widget.get_state()[name] for name in own if not name.startswith("_")}
    return json.loads(json.dumps(kept, allow_nan=False, default=bytes.hex))


@pytest.mark.parametrize("name", MAKE)
def test_no_message_raises_or_sticks(name):
    widget = MAKE[name]()
    first = state(widget)
    for trait in first:
        for odd in ODD:
            with contextlib.suppress(traitlets.TraitError):  # of another type: refused
                widget.set_state({trait: odd})
            state(widget)  # can be sent
    for trait in first:
        if not widget.trait_metadata(trait, "told"):
            widget.set_state({trait: first[trait]})
    last = state(widget)
    assert last.keys() == first.keys()
    assert not last.get("error")
    assert "error" not in last.get("reply", {})


@pytest.mark.parametrize("message", [{"language": "Klingon"}, {"language": "Klingon", "text": "5"}])
def test_a_language_that_is_not_there_is_not_taken(message):
    widget = MAKE["translation, 742"]()
    widget.set_state(message)
    assert widget.language == "German"
    widget.text = "17"
    assert widget.translation["text"] == "siebzehn"


def test_a_threshold_that_is_no_number_hides_nothing():
    widget = MAKE["attention, 15 tokens"]()
    widget.threshold = math.nan
    assert widget.threshold == 0


@pytest.mark.parametrize("strokes", [[1], [[1]], [None], [[[0.1, 0.2], 3]], [{"x": 1}]])
def test_strokes_that_are_none_are_left_out(strokes):
    widget = MAKE["digits"]()
    widget.set_state({"strokes": strokes, "example": True})
    assert widget.example == -1
    assert all(len(point) == 2 for stroke in widget.strokes for point in stroke)
