import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.walk_steps import walk_steps
from tutorial_lib.interpret import trace
from tutorial_lib.models import BERT, BERTConfig, ModernGPTConfig


@pytest.fixture(scope="module")
def story():
    config = BERTConfig(vocab_size=20, context=8, d_model=16, n_layers=3, n_heads=4)
    return trace(BERT(config), torch.tensor([[2, 5, 7, 3]]))


def test_steps_know_their_stage_and_meaning(story):
    steps = walk_steps(story)
    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["text to vectors", "layer 0", "layer 1", "layer 2", "result"]
    weights = next(step for step in steps if step.name == "layer 1 weights")
    assert (weights.label, weights.axes, weights.shape) == ("weights", "B H T S", (1, 4, 4, 4))
    assert weights.meaning.startswith("Scores turned into shares")


def test_nothing_to_walk_is_an_error():
    with pytest.raises(ShapeError, match="at least one recorded tensor"):
        walk_steps([])


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
