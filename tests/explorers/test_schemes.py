import numpy as np
import pytest
import traitlets

from tutorial_lib import figures
from tutorial_lib.explorers import SchemeComparer
from tutorial_lib.explorers.schemes import FARTHEST, LONGEST
from tutorial_lib.figures.chapter03_positional_encoding.scores import SCHEMES


def sent(widget, scheme):
    """The scores that the browser gets, (variants · H, T, S)."""
    packed = next(packed for packed in widget.schemes if packed["name"] == scheme)
    whole = LONGEST + FARTHEST
    return np.frombuffer(packed["data"], np.float16).reshape(-1, whole, whole).astype(float)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("length", "shift"), [(2, 0), (24, 8), (LONGEST, FARTHEST)])
def test_a_window_of_what_is_sent_is_what_the_library_computes(scheme, length, shift):
    scores = sent(SchemeComparer(), scheme)
    settings = {
        "sinusoidal": [{"content": False}, {"content": True}],
        "learned": [{"content": False}, {"content": True}],
        "relative": [{"head": head} for head in range(8)],
        "t5": [{"causal": c, "head": head} for c in (False, True) for head in range(8)],
        "alibi": [{"head": head} for head in range(8)],
    }.get(scheme, [{}])
    assert len(scores) == len(settings)
    for found, setting in zip(scores, settings, strict=True):
        window = found[shift : shift + length, shift : shift + length]
        expected = figures.scheme_scores(scheme, length, shift, **setting)
        np.testing.assert_allclose(window, expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("high", [False, True])
def test_every_control_at_both_ends_has_a_static_twin(scheme, high):
    state = {
        "length": LONGEST if high else 2,
        "shift": FARTHEST if high else 0,
        "causal": high,
        "head": 7 * high,
        "content": high,
        "show": "weights" if high else "scores",
    }
    widget = SchemeComparer(scheme, scheme, **state)
    assert widget.state == {"schemes": (scheme, scheme), "tables": None, **state}
    assert figures.describe_schemes(**widget.state)
    figures.scheme_grid(**widget.state)


def made_up(widget):
    return {scheme["name"] for scheme in widget.schemes if scheme["made_up"]}


def test_trained_tables_replace_the_made_up_numbers():
    assert made_up(SchemeComparer()) == {"learned", "relative", "t5"}
    assert made_up(SchemeComparer(tables={"relative": np.zeros((8, 3))})) == {"learned", "t5"}
    tables = {
        "learned": np.eye(10, 6),
        "relative": np.arange(10.0).reshape(2, 5),
        "t5": np.zeros((4, 8)),
    }
    widget = SchemeComparer("relative", "learned", tables=tables)
    assert (widget.context, widget.heads, made_up(widget)) == (10, 2, set())
    assert sent(widget, "relative").shape[0] == sent(widget, "alibi").shape[0] == 2
    assert np.isnan(sent(widget, "learned")[0, 10]).all()
    assert "10 rows" in widget.schemes[2]["about"]
    assert "±2" in widget.schemes[3]["about"]
    figures.scheme_grid(**widget.state)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"left": "xpos"}, "left must be one of none, .*, got 'xpos'"),
        ({"right": None}, "right must be one of none, .*, got None"),
        ({"show": "both"}, "show must be one of scores, weights, got 'both'"),
        ({"length": 65}, "length must be 2 to 64, got 65"),
        ({"shift": -1}, "shift must be 0 to 32, got -1"),
        ({"head": 8}, "head must be 0 to 7, got 8"),
        ({"tables": {"rope": [[1.0]]}}, "tables can hold learned, relative, t5, got 'rope'"),
    ],
)
def test_what_the_controls_do_not_have_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        SchemeComparer(**wrong)


@pytest.mark.parametrize(("name", "value"), [("left", "<b>"), ("length", 1), ("shift", "far")])
def test_odd_input_to_a_control_is_refused(name, value):
    with pytest.raises(traitlets.TraitError):
        setattr(SchemeComparer(), name, value)


def test_it_reads_as_text():
    assert repr(SchemeComparer()) == "Scheme comparer: run this cell"
