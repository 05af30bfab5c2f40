import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter00_start_here.walk import walk_steps
from tutorial_lib.interpret import trace
from tutorial_lib.models import BERT, BERTConfig, ModernGPTConfig


@pytest.fixture(scope="module")
def story():
    config = BERTConfig(vocab_size=20, context=8, d_model=16, n_layers=3, n_heads=4)
    return trace(BERT(config), torch.tensor([[2, 5, 7, 3]]))


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_steps_know_their_stage_and_meaning(story):
    steps = walk_steps(story)
    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["text to vectors", "layer 0", "layer 1", "layer 2", "result"]
    weights = next(step for step in steps if step.name == "layer 1 weights")
    assert (weights.label, weights.axes, weights.shape) == ("weights", "B H T S", (1, 4, 4, 4))
    assert weights.meaning.startswith("Scores turned into shares")


def test_the_map_shows_every_tensor_of_the_first_layer_and_counts_the_rest(story):
    shown = words(figures.walk_pipeline(story, title="A walk"))
    assert {"token ids", "weights", "attention norm", "hidden", "output"} <= set(shown)
    assert "B H T S  1·4·4·4" in shown
    assert "… and 2 more like this one" in shown


def test_a_walk_without_layers_is_drawn_too():
    ids = {"name": "token ids", "axes": "B T", "formula": "input", "values": np.ones((1, 3))}
    assert "token ids" in words(figures.walk_pipeline([ids]))


def test_a_figure_is_used_again(story):
    figure = figures.walk_pipeline(story)
    assert figures.walk_pipeline(story, figure=figure) is figure
    assert style.png(figure).startswith(b"\x89PNG")


def test_nothing_to_walk_is_an_error():
    with pytest.raises(ShapeError, match="at least one recorded tensor"):
        figures.walk_pipeline([])


def test_a_model_that_turns_and_normalises_first_is_told_so():
    sizes = {"vocab_size": 20, "context": 8, "d_model": 16, "n_layers": 2, "n_heads": 4}
    story = trace(ModernGPTConfig(**sizes).build(), torch.tensor([[2, 5, 7]]))
    steps = walk_steps(story)
    assert all(step.meaning for step in steps)
    meaning = {step.name: step.meaning for step in steps}
    assert "what the heads read" in meaning["layer 1 attention norm"]
    assert "the layer's result" in meaning["layer 1 feed forward sum"]
    assert "result" not in meaning["layer 1 feed forward norm"]
    assert all("angle" in meaning[f"layer 0 {name}"] for name in ("queries", "keys"))
    assert "angle" not in meaning["layer 0 values"]
    shown = words(figures.walk_pipeline(story))
    assert "attention norm · W_q + b_q, H heads, turned by place" in shown
