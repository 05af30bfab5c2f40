import pytest
import torch
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.models import BERTConfig

WORDS = ["[CLS]", "who", "[SEP]", "ann", "[SEP]"]
IDS = torch.tensor([[1, 3, 2, 4, 2]])


@pytest.fixture(scope="module")
def model():
    sizes = {"context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2, "pooling": "mean"}
    heads = {"mlm": True, "n_classes": 2, "n_labels": 3, "span": True}
    return BERTConfig(vocab_size=9, **sizes, **heads).build()


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_shapes_and_counts_are_those_of_the_model(model):
    shown = texts(figures.body_and_heads(model, IDS, WORDS))
    assert [text for text in shown if text.startswith("(B")] == [
        *("(B, 2) = (1, 2)", "(B, T, 3) = (1, 5, 3)", "(B, T, 2) = (1, 5, 2)")
    ]
    counts = ["10 parameters", "15 parameters", "10 parameters"]
    assert [text for text in shown if text.endswith("parameters") and ":" not in text] == counts
    of_heads = sum(int(count.split()[0]) for count in counts)
    masked = sum(part.numel() for part in model.mlm_head.parameters())
    body = sum(part.numel() for part in model.parameters()) - of_heads - masked
    assert f"body: 2 layers, {body:,} parameters" in shown


def test_the_vectors_are_drawn_once_and_each_head_says_how_it_reads_them(model):
    figure = figures.body_and_heads(model, IDS, WORDS)
    patches = [patch for patch in figure.axes[0].patches if type(patch) is Rectangle]
    blue = [p for p in patches if style.to_hex(p.get_edgecolor()) == style.BLUE]
    assert len(blue) == len(WORDS)
    shown = texts(figure)
    assert shown.count("reads the mean of all vectors") == 1
    assert shown.count("reads each vector") == 2


def test_one_head_alone_has_its_size_and_its_labels():
    def filled(name, right):
        figure = figures.one_head(name, 4, WORDS, right)
        patches = [patch for patch in figure.axes[0].patches if type(patch) is Rectangle]
        cells = [p for p in patches if style.to_hex(p.get_edgecolor()) == style.ORANGE]
        dark = [p for p in cells if style.to_hex(p.get_facecolor()) == style.ORANGE]
        grey = sum(style.to_hex(p.get_facecolor()) == style.PALE_GREY for p in cells)
        assert grey == {"token": 3 * 3, "span": 2 * 3}[name]  # [CLS], twice [SEP]
        return texts(figure), len(cells), sorted((p.get_y(), p.get_x()) for p in dark)

    shown, cells, dark = filled("token", [("O", 1), ("B", 3)])
    assert "token head, 4 → 3: 15 parameters" in shown
    assert cells == 3 * 5
    heights = [y for y, _ in dark]
    assert len(heights) == 2
    assert len(set(heights)) == 2
    _, cells, dark = filled("span", [("start", 3), ("end", 3)])
    assert cells == 2 * 5
    assert len({x for _, x in dark}) == 1


def test_words_and_ids_must_agree(model):
    with pytest.raises(ShapeError, match="4 words, but ids are"):
        figures.body_and_heads(model, IDS, WORDS[:4])


@pytest.mark.parametrize("name", ["sentence", "word"])
def test_one_head_is_that_of_the_tokens_or_of_the_spans(name):
    with pytest.raises(ShapeError, match=f"draws the heads token and span, got '{name}'"):
        figures.one_head(name, 4, WORDS, [])
    with pytest.raises(ShapeError, match=f"draws the heads token and span, got '{name}'"):
        figures.describe_one_head(name)
