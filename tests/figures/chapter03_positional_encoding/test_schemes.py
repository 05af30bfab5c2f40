import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.attention import attention, causal_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter03_positional_encoding.scores import (
    CONTEXT,
    HEADED,
    SCHEMES,
    by_offset,
)
from tutorial_lib.figures.style import png

SHIFT_SAFE = [name for name in SCHEMES if name != "learned"]


def spread(scheme, **setting):
    _, low, _, high = by_offset(figures.scheme_scores(scheme, 20, **setting))
    return np.nanmax(high - low)


@pytest.mark.parametrize("scheme", SHIFT_SAFE)
def test_all_but_the_learned_table_know_the_offset_only(scheme):
    assert spread(scheme) < 1e-5
    assert figures.shift_change(scheme, 20, 12) < 1e-5


def test_the_learned_table_knows_absolute_places():
    assert spread("learned") > 0.5
    assert figures.shift_change("learned", 20, 4) > 0.5


def test_with_content_the_sinusoids_know_absolute_places_too():
    assert spread("sinusoidal", content=True) > 0.5
    assert figures.shift_change("sinusoidal", 20, 4, content=True) > 0.5


def test_added_vectors_with_content_are_the_whole_product():
    table = torch.from_numpy(figures.position_table(6, 64))
    whole = (1 + table) @ (1 + table).T / 8 - 64 / 8
    found = figures.scheme_scores("sinusoidal", 6, content=True)
    np.testing.assert_allclose(found, whole, atol=1e-5)


def test_turned_ones_lose_what_the_product_of_two_sinusoids_lacks():
    sinusoids = figures.scheme_scores("sinusoidal", 12)
    np.testing.assert_allclose(
        figures.scheme_scores("rotary", 12), 2 * (sinusoids - sinusoids[0, 0]), atol=1e-5
    )


@pytest.mark.parametrize("shift", [0, 20, CONTEXT, CONTEXT + 5])
def test_the_learned_table_ends(shift):
    scores = figures.scheme_scores("learned", 24, shift)
    there = np.arange(24) + shift < CONTEXT
    np.testing.assert_array_equal(np.isnan(scores), ~(there[:, None] & there))


def test_far_offsets_share_a_relative_number_and_a_bucket():
    relative = figures.scheme_scores("relative", 40)
    assert len(set(relative[39, :24])) == 1
    t5 = figures.scheme_scores("t5", 64)
    assert len(set(t5[63])) < 20
    assert not np.array_equal(t5, figures.scheme_scores("t5", 64, causal=True))


def test_heads_differ_where_a_scheme_has_them():
    for scheme in SCHEMES:
        first, last = (figures.scheme_scores(scheme, 8, head=head) for head in (0, 7))
        assert np.array_equal(first, last) == (scheme not in HEADED)


def test_given_tables_replace_the_made_up_ones():
    tables = {"learned": torch.nn.Parameter(torch.eye(4)), "relative": [[0.0, 5.0, 1.0]]}
    learned = figures.scheme_scores("learned", 4, tables=tables)
    np.testing.assert_allclose(learned, np.eye(4) / 2, atol=1e-6)
    relative = figures.scheme_scores("relative", 2, tables=tables)
    np.testing.assert_allclose(relative, [[5, 1], [0, 5]])


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="no scheme is called 'xpos'; there are none, sinus"):
        figures.scheme_scores("xpos", 4)
    with pytest.raises(ShapeError, match="head 8 is not there: ALiBi has heads 0 to 7"):
        figures.scheme_scores("alibi", 4, head=8)
    with pytest.raises(ShapeError, match="length of at least 1 and no shift below 0, got 0, 0"):
        figures.scheme_scores("none", 0)
    with pytest.raises(ValueError, match="tables can hold learned, relative, t5, got 'alibi'"):
        figures.scheme_scores("none", 4, tables={"alibi": [[1.0]]})
    with pytest.raises(ShapeError, match=r"\(H, 2 · reach \+ 1\), got shape \(1, 2\)"):
        figures.scheme_scores("none", 4, tables={"relative": [[1.0, 2.0]]})
    with pytest.raises(ValueError, match='show must be "scores" or "weights", got \'both\''):
        figures.scheme_grid(show="both")


@pytest.mark.parametrize("causal", [False, True])
def test_weights_are_those_of_attention(causal):
    scores = figures.scheme_scores("alibi", 5)
    same = torch.ones(1, 1, 5, 4, dtype=torch.float64)
    mask = causal_mask(5) if causal else None
    _, weights = attention(same, same, same, mask=mask, bias=torch.from_numpy(scores))
    np.testing.assert_allclose(figures.scheme_weights(scores, causal), weights[0, 0])


def test_a_mask_keeps_the_rows_whose_keys_all_have_a_place():
    scores = figures.scheme_scores("learned", 34)
    lost = np.isnan(figures.scheme_weights(scores)).any(axis=1)
    assert lost.all()
    lost = np.isnan(figures.scheme_weights(scores, causal=True)).any(axis=1)
    np.testing.assert_array_equal(lost, np.arange(34) >= CONTEXT)


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"schemes": ("learned",), "length": 1},
        {"schemes": ("learned", "none"), "length": 12, "shift": 32, "show": "weights"},
        {"length": 40, "shift": 3, "causal": True, "show": "weights", "head": 7},
        {"schemes": ("sinusoidal", "rotary"), "content": True, "causal": True},
    ],
)
def test_scheme_grid_draws_and_describes_every_state(state):
    figure = figures.scheme_grid(**state, title="A finding")
    assert png(figure).startswith(b"\x89PNG")
    assert figure.get_suptitle() == "A finding"
    assert figures.describe_schemes(**state).count(":") == len(state.get("schemes", SCHEMES))


def test_the_description_says_what_is_missing():
    words = figures.describe_schemes(("learned", "rotary"), 40)
    assert "8 of 40 positions have no row in the table." in words
    assert "rotary: -" in words
    assert "the same at each offset" in words
    assert "undefined" in figures.describe_schemes(("learned",), 8, shift=40)


def test_context_lines_average_the_seeds():
    table = [
        {"way": way, "seed": seed, "first": first, "bits": 2.0 + seed + first}
        for way in ("unchanged", "YaRN")
        for seed in (0, 1)
        for first in (0, 16)
    ]
    figure = figures.context_lines(table, ["YaRN"], trained=16, title="A finding")
    line = figure.axes[0].lines[0]
    assert list(line.get_xdata()) == [8, 24]
    assert list(line.get_ydata()) == [2.5, 18.5]
    with pytest.raises(ShapeError, match="no rows to draw"):
        figures.context_lines(table, ["xpos"], trained=16, title="A finding")


def test_a_way_keeps_its_colour():
    rows = [
        {"way": way, "seed": 0, "first": first, "bits": 2.0}
        for way in ("unchanged", "YaRN", "yours")
        for first in (0, 16)
    ]
    drawn = [
        figures.context_lines(rows, ways, trained=16, title="A").axes[0].lines[0].get_color()
        for ways in (["unchanged", "YaRN"], ["unchanged"], ["yours"])
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_length_curves_are_smoothed_on_their_own_side_of_the_edge():
    short = np.array([np.nan] * 4 + [1.0] * 16)
    long = np.concatenate([short, np.zeros(20)])
    figure = figures.length_curves({"rotary": (short, long)}, title="A finding")
    axes = figure.axes[0]
    assert axes.get_title("left") == "rotary"
    assert len(axes.lines[0].get_ydata()) == 20
    drawn = axes.lines[1].get_ydata()
    assert np.isnan(drawn[:4]).all()  # nothing is asked there
    assert set(drawn[4:20]) == {1.0}
    assert set(drawn[20:]) == {0.0}
    assert axes.lines[2].get_xdata()[0] == 19  # the last position of the training
    assert png(figure).startswith(b"\x89PNG")
    with pytest.raises(ShapeError, match="no schemes"):
        figures.length_curves({}, title="A finding")


def test_position_maps_share_a_scale_and_have_a_frame_each():
    weights = {"rotary": np.full((6, 6), 0.2), "relative": np.eye(6)}
    weights["rotary"][0, 5] = weights["rotary"][4, 0] = 0.25
    figure = figures.position_maps(weights, trained=4, title="A finding", far=["rotary"])
    maps = figure.axes[:2]
    assert [axes.get_title() for axes in maps] == [
        "rotary, up to 0.25",
        "relative, up to 1.00",
    ]
    assert [axes.get_images()[0].get_clim() for axes in maps] == [(1 / 6, 0.25)] * 2
    assert figure.get_supxlabel().endswith("white is 0.17 or less, darkest is 0.25 or more")
    assert [text.get_text() for text in maps[0].texts][:2] == ["5 ahead", "4 back"]
    assert not maps[1].texts
    for axes in maps:
        (frame,) = axes.patches
        assert frame.get_bbox().bounds == (-0.5, -0.5, 4, 4)
    assert figure.get_suptitle() == "A finding"
    assert png(figure).startswith(b"\x89PNG")


def test_the_doors_are_drawn_from_what_goes_through_them():
    words, bias = ["to", "be", "or"], torch.tensor([[0.0, -1, -2], [-1, 0, -1], [-2, -1, 0]])
    table, angles = torch.ones(3, 4), torch.tensor([[0.0], [1.0], [2.0]])
    figure = figures.position_doors(words, table, angles, bias)
    said = [text.get_text() for text in figure.axes[0].texts]
    assert {"1", "2", "3", "to", "word vectors (3, 4)", "softmax: weights (3, 3)"} <= set(said)
    assert png(figure).startswith(b"\x89PNG")
    with pytest.raises(ShapeError, match="3 words need a table, angles and a bias of 3 positions"):
        figures.position_doors(words, table[:2], angles, bias)


def test_stripes_are_the_mean_cosine_of_each_offset():
    angles = np.linspace(0, 3, 12)
    vectors = np.stack([np.sin(angles), np.cos(angles)], axis=1)  # the cosine falls by the offset
    figure = figures.learned_stripes(vectors)
    curve = figure.axes[1].lines[0]
    np.testing.assert_allclose(curve.get_ydata(), np.cos(curve.get_xdata() * 3 / 11))
    with pytest.raises(ShapeError, match=r"at least four rows \(N, D\), got shape \(2, 3\)"):
        figures.learned_stripes(np.ones((2, 3)))
