import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.figures import style
from tutorial_lib.figures.machine_parts import parts_of
from tutorial_lib.interpret import trace
from tutorial_lib.models import Transformer, TransformerConfig
from tutorial_lib.models.blocks import Block

SOURCE, TARGET = torch.tensor([[1, 5, 2, 7, 3]]), torch.tensor([[0, 4, 6]])


def model(**changes):
    sizes = {"source_vocab_size": 9, "d_model": 16, "n_layers": 3, "n_heads": 2}
    return Transformer(TransformerConfig(**(sizes | changes)))


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def kinds(transformer, stack):
    parts = parts_of(transformer, trace(transformer, SOURCE, TARGET), stack)
    return [part.kind for part in parts if part.stage], [p.kind for p in parts if not p.stage]


def cut_texts(figure):
    """The texts of a figure that reach beyond its edge."""
    style.png(figure)
    width, height = figure.canvas.get_width_height()
    boxes = {text.get_text(): text.get_window_extent() for text in figure.axes[0].texts}
    return [
        text
        for text, box in boxes.items()
        if min(box.x0, box.y0) < 0 or box.x1 > width or box.y1 > height
    ]


def test_the_norms_stand_where_the_model_has_them():
    inside, around = kinds(model(norm="post"), "encoder")
    assert inside == ["attention", "plus", "norm", "feed forward", "plus", "norm"]
    assert around == ["ids", "embedding", "embedding"]
    inside, around = kinds(model(norm="pre"), "decoder")
    assert inside == [
        *("norm", "attention", "plus", "norm", "cross", "plus"),
        *("norm", "feed forward", "plus"),
    ]
    assert around == ["ids", "embedding", "embedding", "norm"]


@pytest.mark.parametrize(
    ("norm", "starts"),
    [
        ("post", ["source embedding sum", "encoder layer 0 attention norm"]),
        ("pre", ["source embedding sum", "encoder layer 0 attention sum"]),
    ],
)
def test_shortcuts_start_where_the_forward_pass_took_them_from(norm, starts):
    transformer = model(norm=norm)
    parts = parts_of(transformer, trace(transformer, SOURCE, TARGET), "encoder")
    assert [part.start for part in parts if part.kind == "plus"] == starts
    assert set(starts) < {part.name for part in parts}


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_live_shapes_stand_in_the_drawing(norm):
    transformer = model(norm=norm, n_decoder_layers=2)
    figure = figures.architecture(transformer, SOURCE, TARGET, "A title", "source words", "target")
    shown = words(figure)
    assert {"(B, S) = (1, 5)", "(B, T) = (1, 3)"} <= set(shown)
    assert {"(B, S, D) = (1, 5, 16)", "(B, T, D) = (1, 3, 16)"} <= set(shown)
    assert {"(B, T, V) = (1, 3, 9)", "2 heads of 8", "16 → 64 → 16", "table · √16"} <= set(shown)
    assert {"× 3", "× 2", "source words", "causal self-attention", "cross-attention"} <= set(shown)
    arrow = "into all 2 layers;\neach makes its own\nkeys and values"
    assert f"encoder's output\n(B, S, D)\n(1, 5, 16)\n{arrow}" in shown
    assert cut_texts(figure) == []


def test_a_figure_is_used_again():
    figure = figures.architecture(model(), SOURCE, TARGET)
    assert figures.architecture(model(norm="pre"), SOURCE, TARGET, figure=figure) is figure
    assert len(figure.axes) == 1


def test_encoder_layers_stand_side_by_side():
    layers = {
        "behind": Block(8, 2, norm="post"),
        "before": Block(8, 2, norm="pre"),
        "with causal mask": Block(8, 2, norm="pre", causal=True),
    }
    figure = figures.encoder_layer(layers, torch.zeros(1, 3, 8), title="Where the norm stands")
    assert {"behind", "before", "self-attention", "causal self-attention"} <= set(words(figure))
    assert words(figure).count("LayerNorm") == 6
    assert cut_texts(figure) == []


def test_what_cannot_be_drawn_is_an_error():
    with pytest.raises(ShapeError, match="at least one layer"):
        figures.encoder_layer({}, torch.zeros(1, 3, 8))
    with pytest.raises(VocabularyError):
        figures.architecture(model(), SOURCE + 90, TARGET)


def test_for_a_first_look_each_shape_stands_once():
    figure = figures.architecture(model(), SOURCE, TARGET, counts=False)
    shown = words(figure)
    shapes = [text for text in shown if " = (" in text]
    assert sorted(shapes) == [
        "(B, S) = (1, 5)",
        "(B, S, D) = (1, 5, 16)",
        "(B, T) = (1, 3)",
        "(B, T, D) = (1, 3, 16)",
        "(B, T, V) = (1, 3, 9)",
    ]
    assert "softmax" in shown
    assert shown.count("mask?") == 1 + 3  # in the key, and in each attention
    assert cut_texts(figure) == []
