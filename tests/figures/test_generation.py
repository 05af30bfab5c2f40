import math

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba

from tutorial_lib import figures
from tutorial_lib.decoding import sampling
from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import choice, token_name

LOGITS = torch.tensor([0.0, 3.0, 1.0, 3.0, -2.0, 0.5])
LABELS = [*"abcde", "\n"]


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(
    ("temperature", "k", "p"),
    [(1.0, None, None), (0.5, 1, None), (2.0, 3, None), (1.0, None, 0.5), (1.3, 4, 0.9)],
)
def test_a_choice_is_that_of_sampling(temperature, k, p):
    cut = sampling.temperature(LOGITS, temperature)
    alone = cut.softmax(-1)
    cut = cut if k is None else sampling.top_k(cut, k)
    drawn = (cut if p is None else sampling.top_p(cut, p)).softmax(-1)
    made = choice(LOGITS, temperature, k, p)
    np.testing.assert_allclose(made.drawn, drawn[made.ids])
    np.testing.assert_allclose(made.probabilities, alone[made.ids])
    assert made.ids[:2].tolist() == [1, 3]  # of equal ones the lower id comes first


def test_greedy_takes_the_first_of_the_best():
    made = choice(LOGITS, temperature=0, k=99, p=5)  # neither is asked
    assert made.drawn.tolist() == [1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(made.probabilities.sum(), 1, rtol=1e-6)


def test_the_bars_name_what_is_cut_and_what_is_chosen():
    figure = figures.next_token_bars(LOGITS, LABELS, k=3, chosen=3, title="Three are left")
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["b", "d", "c", "⏎", "a", "e"]
    assert axes.get_title(loc="left") == "Three are left"
    words = texts(axes)
    assert sum(text.endswith("cut") for text in words) == 3
    assert [text.endswith("chosen") for text in words[:3]] == [False, True, False]
    assert "temperature 1, top-k 3: 3 of 6 kept" in words
    assert axes.lines[0].get_ydata()[0] == 2.5


def test_the_axis_of_probabilities_ends_at_1():
    (sure,) = figures.next_token_bars([20.0, 0.0, 0.0], list("abc")).axes
    assert sure.get_xticks().max() == 1
    (even,) = figures.next_token_bars(torch.zeros(40), list("abcd" * 10)).axes
    assert 0 < even.get_xticks().max() <= even.get_xlim()[1] < 0.05


def test_a_chosen_token_beyond_the_last_bar_has_its_rank():
    figure = figures.next_token_bars(LOGITS, LABELS, chosen=4, most=3)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "d", "e"]
    assert texts(axes)[2].endswith("chosen, rank 6")
    assert not axes.lines  # nothing is cut


def test_greedy_says_so():
    (axes,) = figures.next_token_bars(LOGITS, LABELS, temperature=0).axes
    assert "greedy: 1 of 6 kept" in texts(axes)
    words = figures.describe_next_tokens(LOGITS, LABELS, temperature=0, chosen=1)
    assert words.startswith("Next-token probabilities, greedy: b 0.4")
    assert words.endswith("1 of 6 kept. Chosen: b.")


def test_odd_labels_are_drawn_as_they_are():
    odd = ["<script>", "$x$", "", "שלום", "🙂", "a very long token indeed"]
    figure = figures.next_token_bars(LOGITS, odd)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert {"<script>", "$x$", "(empty)", "□", "a·very·long·t…"} <= set(labels)
    assert style.png(figure)
    assert token_name("  ") == "␣␣"


def test_wrong_sizes_are_named():
    with pytest.raises(ShapeError, match="6 logits need as many labels, got 2"):
        figures.next_token_bars(LOGITS, ["a", "b"])
    with pytest.raises(ShapeError, match=r"logits must be \(V,\), got shape \(1, 6\)"):
        figures.next_token_bars(LOGITS[None], LABELS)
    with pytest.raises(VocabularyError, match="chosen must be an id from 0 to 5, got 6"):
        figures.next_token_bars(LOGITS, LABELS, chosen=6)
    with pytest.raises(ValueError, match="top_k must be a whole number"):
        figures.next_token_bars(LOGITS, LABELS, k=7)


def test_temperatures_have_a_panel_each_with_the_same_tokens():
    figure = figures.temperature_bars(LOGITS, LABELS, (0.5, 1.0, 2.0), most=4, title="It spreads")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["τ = 0.5", "τ = 1", "τ = 2"]
    firsts = [axes.patches[0].get_width() for axes in figure.axes]
    assert firsts == sorted(firsts, reverse=True)
    expected = (LOGITS / 2).softmax(-1).sort(descending=True).values[:4]
    np.testing.assert_allclose([p.get_width() for p in figure.axes[2].patches], expected, rtol=1e-5)
    bits = [float(axes.get_xlabel().split()[1]) for axes in figure.axes]
    assert bits == sorted(bits)
    assert bits[-1] < math.log2(6)
    more = figures.temperature_bars(LOGITS, LABELS, (1.0, 2.0), most=4, rest_too=True)
    for axes in more.axes:
        assert sum(bar.get_width() for bar in axes.patches) == pytest.approx(1)
        assert axes.get_xlim()[1] > max(bar.get_width() for bar in axes.patches)
    assert more.axes[0].get_yticklabels()[-1].get_text() == "all others"


def test_the_entropy_is_that_of_the_whole_distribution():
    words = figures.describe_temperatures(torch.zeros(8), list("abcdefgh"), (0.7,))
    assert words.endswith("τ = 0.7: most probable a 0.12, entropy 3.00 bits.")
    with pytest.raises(ValueError, match="at least one temperature"):
        figures.temperature_bars(LOGITS, LABELS, ())


def test_the_chain_rule_adds_up():
    log_p = torch.tensor([0.5, 0.25, 0.001, 1.0]).log()
    figure = figures.chain_rule(["a", " ", "\n", "b"], log_p, "Four tokens")
    above, below = figure.axes
    np.testing.assert_allclose([bar.get_height() for bar in above.patches], -log_p, atol=1e-6)
    np.testing.assert_allclose(below.lines[0].get_ydata(), (-log_p).cumsum(0), rtol=1e-6)
    assert [label.get_text() for label in below.get_xticklabels()] == ["a", "␣", "⏎", "b"]
    assert texts(below) == [f"sum {-log_p.sum():.2f}, mean {-log_p.mean():.3f}"]
    assert texts(above)[:4] == ["0.69", "1.39", "6.91", "0.00"]
    words = figures.describe_chain_rule(["a", " ", "\n", "b"], log_p)
    assert words.endswith("the highest: ⏎ 6.91, ␣ 1.39, a 0.69.")


def test_the_bars_that_are_lit_are_dear_ones_or_those_named():
    log_p = [-0.1, -3.0, -2.5]
    for lit, orange in ((None, [1, 2]), ([0], [0])):
        bars = figures.chain_rule(list("abc"), log_p, lit=lit).axes[0].patches
        wanted = to_rgba(style.ORANGE)
        assert [i for i, bar in enumerate(bars) if bar.get_facecolor() == wanted] == orange


def test_a_long_text_has_fewer_numbers_and_names():
    figure = figures.chain_rule(["the"] * 200, [-1.0] * 200)
    assert len(figure.axes[1].get_xticklabels()) <= 55
    assert texts(figure.axes[0]) == []
    assert figure.get_figwidth() <= 13


def test_what_is_no_logarithm_of_a_probability_is_refused():
    with pytest.raises(ShapeError, match="2 tokens need as many log p, got 1"):
        figures.chain_rule(["a", "b"], [-1.0])
    with pytest.raises(ShapeError, match="none is above 0"):
        figures.chain_rule(["a"], [0.5])
    with pytest.raises(ShapeError, match="log_probabilities must be a filled array"):
        figures.chain_rule([], [])
