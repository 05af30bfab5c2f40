import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.models.modern_gpt import ModernGPT, ModernGPTConfig
from tutorial_lib.training import History, Muon, load_run, orthogonalise, save_run


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 5), nn.LayerNorm(5))


def train(model, optimizer, steps, start=0):
    for step in range(start, start + steps):
        generator = torch.Generator().manual_seed(step)
        x = torch.randn(8, 5, generator=generator)
        (model(x) - x.flip(1)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [parameter.detach().clone() for parameter in model.parameters()]


@pytest.mark.parametrize("shape", [(6, 6), (4, 16), (16, 4), (3, 2, 8, 5)])
def test_all_directions_become_about_equally_strong(shape):
    torch.manual_seed(0)
    matrix = torch.randn(shape)
    found = orthogonalise(matrix)
    assert found.shape == shape
    values = torch.linalg.svdvals(found)
    assert values.min() > 0.3
    assert values.max() < 1.3
    # The directions themselves stay: U V^T is the nearest orthogonal matrix.
    u, _, v = torch.linalg.svd(matrix, full_matrices=False)
    assert nn.functional.cosine_similarity(found.flatten(), (u @ v).flatten(), dim=0) > 0.97


def test_size_does_not_matter_and_zero_stays_zero():
    torch.manual_seed(0)
    matrix = torch.randn(4, 7)
    assert_close(orthogonalise(1000 * matrix), orthogonalise(matrix))
    assert_close(orthogonalise(torch.zeros(4, 7)), torch.zeros(4, 7))


def test_matrices_of_a_stack_do_not_mix():
    torch.manual_seed(0)
    stack = torch.randn(3, 4, 7)
    alone = torch.stack([orthogonalise(matrix) for matrix in stack])
    assert_close(orthogonalise(stack), alone)


def test_matrices_step_as_torchs_muon():
    ours, theirs = nn.Linear(6, 9, bias=False), nn.Linear(6, 9, bias=False)
    theirs.load_state_dict(ours.state_dict())
    options = {"lr": 0.02, "momentum": 0.95, "weight_decay": 0.1}
    first = Muon(ours, **options)
    second = torch.optim.Muon(
        theirs.parameters(), **options, nesterov=True, adjust_lr_fn="match_rms_adamw"
    )
    for step in range(5):
        x = torch.randn(4, 6, generator=torch.Generator().manual_seed(step))
        for model, optimizer in ((ours, first), (theirs, second)):
            model(x).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    # PyTorch orthogonalises in bfloat16, which has three digits.
    assert_close(ours.weight, theirs.weight, atol=2e-3, rtol=0)


def test_what_remains_steps_as_adamw():
    ours, theirs = nn.LayerNorm(7), nn.LayerNorm(7)
    options = {"lr": 0.02, "betas": (0.8, 0.9)}
    first = Muon(ours, **options)
    second = torch.optim.AdamW(theirs.parameters(), **options, weight_decay=0)
    for step in range(5):
        x = torch.randn(4, 7, generator=torch.Generator().manual_seed(step))
        for model, optimizer in ((ours, first), (theirs, second)):
            model(x).pow(3).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    assert_close(ours.weight, theirs.weight)
    assert_close(ours.bias, theirs.bias)


def test_each_parameter_is_in_one_group():
    sizes = {"vocab_size": 9, "context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2}
    model = ModernGPT(ModernGPTConfig(**sizes))
    matrices, others = (group["params"] for group in Muon(model).param_groups)
    assert len(matrices) == 2 * 4
    assert any(parameter is model.token_embedding.weight for parameter in others)
    assert {id(p) for p in model.parameters()} == {id(p) for p in [*matrices, *others]}
    assert len(matrices) + len(others) == len(list(model.parameters()))


def test_frozen_and_unused_parameters_stay():
    model = network()
    model[0].weight.requires_grad_(False)
    unused = nn.Linear(2, 2)
    both = nn.ModuleList([model, unused])
    optimizer = Muon(both, lr=0.1)
    before = [model[0].weight.clone(), unused.weight.clone(), model[2].weight.clone()]
    train(model, optimizer, steps=1)
    assert torch.equal(model[0].weight, before[0])
    assert torch.equal(unused.weight, before[1])
    assert not torch.equal(model[2].weight, before[2])


def test_it_learns():
    model = network()
    train(model, Muon(model, lr=0.02), steps=150)
    x = torch.randn(64, 5, generator=torch.Generator().manual_seed(999))
    error = (model(x) - x.flip(1)).square().mean()
    assert error < 0.6 * (x.square().mean())


def test_a_resumed_run_ends_with_the_same_weights(tmp_path):
    model = network()
    expected = train(model, Muon(model), steps=6)
    model = network()
    optimizer = Muon(model)
    train(model, optimizer, steps=4)
    save_run(tmp_path / "run.safetensors", model, optimizer, History(), steps=6)
    model = network()
    optimizer = Muon(model)
    load_run(tmp_path / "run.safetensors", model, optimizer, steps=6)
    for found, wanted in zip(train(model, optimizer, 2, start=4), expected, strict=True):
        assert torch.equal(found, wanted)
