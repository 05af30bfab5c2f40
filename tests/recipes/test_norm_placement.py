from functools import partial

import pytest
import torch

from tutorial_lib.models import Transformer, TransformerConfig
from tutorial_lib.objectives import translation_loss
from tutorial_lib.recipes import load_result
from tutorial_lib.recipes.norm_placement import gradient_norms, gradients_before_training

LOSS = partial(translation_loss, pad_id=0, smoothing=0.0)


def small(**changes):
    torch.manual_seed(0)
    sizes = {"source_vocab_size": 9, "context": 8, "d_model": 8, "n_heads": 2}
    return Transformer(TransformerConfig(**(sizes | changes)))


def test_gradients_are_those_of_every_parameter_of_a_layer():
    model = small(n_layers=3, n_decoder_layers=2)
    batch = torch.tensor([[3, 4, 2]]), torch.tensor([[1, 5, 6, 2]])
    found = gradient_norms(model, LOSS, batch)
    assert [len(norms) for norms in found.values()] == [3, 2]
    assert all(parameter.grad is None for parameter in model.parameters())
    LOSS(model, batch).backward()
    squares = sum(p.grad.square().sum() for p in model.decoder_blocks[1].parameters())
    assert found["decoder"][1] == pytest.approx(squares.sqrt().item(), rel=1e-5)


def mean(norm, warmup, value):
    rows = load_result("norm-placement")["rows"]
    found = [value(row) for row in rows if (row["norm"], row["warmup"]) == (norm, warmup)]
    assert len(found) >= 3
    return sum(found) / len(found)


def test_the_weights_and_gradients_at_the_start_do_not_depend_on_the_warmup():
    rows = load_result("norm-placement")["rows"]
    starts = {}
    for row in rows:
        starts.setdefault((row["norm"], row["seed"]), set()).add(tuple(row["decoder_gradients"]))
    assert all(len(start) == 1 for start in starts.values())


def test_what_the_norm_table_shows():
    last = {
        (norm, warmup): mean(norm, warmup, lambda row: row["loss"][-1])
        for norm in ("post", "pre")
        for warmup in (0, 100)
    }
    assert last["post", 0] > 2 * last["post", 100]
    assert last["pre", 0] < last["post", 0] / 2
    assert last["pre", 100] < last["pre", 0]

    def slope(row):
        return row["decoder_gradients"][-1] / row["decoder_gradients"][0]

    assert mean("post", 0, slope) > 1.5 * mean("pre", 0, slope)


def test_before_training_the_gradient_of_post_norm_grows_towards_the_output():
    ids = torch.randint(3, 20, (4, 9), generator=torch.Generator().manual_seed(0))
    growth = {}
    for norm in ("post", "pre"):
        row = gradients_before_training(norm, 0, 20, (ids, ids), pad_id=0, n_layers=6)
        assert len(row["encoder_gradients"]) == len(row["decoder_gradients"]) == 6
        growth[norm] = row["decoder_gradients"][-1] / row["decoder_gradients"][0]
    assert growth["post"] > 2 > growth["pre"]
