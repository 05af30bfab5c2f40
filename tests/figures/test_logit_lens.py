import pytest
import torch
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.interpret import LogitLens


def decode(ids):
    return "".join(["no", " yes", "\n"][i] for i in ids)


@pytest.fixture
def lens():
    """Three rows, two positions, a vocabulary of three: after the last layer 2 follows."""
    top_ids = torch.tensor([[[0, 1], [1, 0]], [[1, 0], [1, 0]], [[1, 2], [2, 0]]])
    shares = torch.tensor(
        [[[0.6, 0.3], [0.5, 0.3]], [[0.4, 0.3], [0.5, 0.4]], [[0.9, 0], [0.8, 0]]]
    )
    states = torch.zeros(3, 2, 3)
    states[2, :, 2] = 2.0
    return LogitLens(
        torch.tensor([0, 1]), top_ids, shares, states, states.logsumexp(-1), torch.eye(3)
    )


def cells(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_last_layer_is_on_top_and_what_comes_next_is_framed(lens):
    figure = figures.logit_lens_table(lens, decode, title="It settles")
    assert cells(figure) == ["·yes", "⏎", "·yes", "·yes", "no", "·yes"]
    frames = [p for p in figure.axes[0].patches if isinstance(p, Rectangle) and not p.get_fill()]
    assert [(round(f.get_x() + 0.46), round(f.get_y() + 0.42)) for f in frames] == [(0, 0), (0, 1)]
    assert figure.axes[0].images[0].get_array()[0].tolist() == pytest.approx([0.9, 0.8])


def test_layers_can_be_chosen(lens):
    figure = figures.logit_lens_table(lens, decode, layers=[2, 0])
    assert cells(figure) == ["·yes", "⏎", "no", "·yes"]
    with pytest.raises(ShapeError, match="from 0 to 2"):
        figures.logit_lens_table(lens, decode, layers=[3])
    with pytest.raises(VocabularyError, match="from 0 to 2, got 9"):
        figures.logit_lens_table(lens, decode, follow=9)


def test_a_followed_token_colours_all_squares(lens):
    colours = figures.logit_lens_table(lens, decode, follow=2).axes[0].images[0].get_array()
    torch.testing.assert_close(torch.tensor(colours), lens.probability(2).flip(0))


def test_the_words_say_where_it_settles(lens):
    assert figures.describe_logit_lens(lens, decode) == (
        "After the last token, “·yes”, input to layer 1 would say ·yes; layer 2 would say ⏎ "
        "(0.80 in the end)."
    )
    assert "no has 0." in figures.describe_logit_lens(lens, decode, follow=0)
