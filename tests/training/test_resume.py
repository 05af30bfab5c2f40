"""A run that was stopped and resumed ends with the weights of one that was not, to the bit."""

import os
import signal
import threading
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data import DataLoader

from tutorial_lib.training import Muon, NonFiniteLossError, fit, load_run, save_run

STEPS, STOP = 12, 7
ROWS = torch.randn(20, 4, generator=torch.Generator().manual_seed(9))

OPTIMIZERS = {
    "AdamW": None,
    "SGD": lambda model: torch.optim.SGD(model.parameters()),
    "SGD with momentum": lambda model: torch.optim.SGD(model.parameters(), momentum=0.9),
    "RMSprop": lambda model: torch.optim.RMSprop(model.parameters()),
    "NAdam": lambda model: torch.optim.NAdam(model.parameters()),
    "AMSGrad": lambda model: torch.optim.AdamW(model.parameters(), amsgrad=True),
    "Muon": Muon,
}


@pytest.fixture(autouse=True)
def handler():
    """Python's own handler of Ctrl-C, which a program in the background does not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def make_model(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1))


def in_order():
    return ROWS.split(5)


def shuffled():
    return DataLoader(ROWS, batch_size=5, shuffle=True)


def error(model, x):
    return (model(x) - x.sum(dim=-1, keepdim=True)).square().mean()


def train(model, batches, loss=error, optimizer="AdamW", **options):
    options = {"lr": 1e-2, "device": "cpu", "progress": False} | options
    return fit(model, batches, loss, steps=STEPS, optimizer=OPTIMIZERS[optimizer], **options)


def press():
    os.kill(os.getpid(), signal.SIGINT)


class Pressing:
    """A loss, or batches, that press Ctrl-C once at step STOP."""

    def __init__(self, batches=None):
        self.batches, self.calls = batches, 0

    def count(self):
        self.calls += 1
        if self.calls == STOP:
            press()

    def __call__(self, model, x):
        value = error(model, x)
        self.count()
        return value

    def __iter__(self):
        for batch in self.batches:
            self.count()
            yield batch


def assert_resumed_equals_uninterrupted(path, batches, stopped, **options):
    assert stopped.stopped == "interrupted"
    assert 0 < len(stopped.loss) < STEPS
    whole, resumed = make_model(), make_model(seed=99)
    history = train(whole, batches(), **options)
    assert train(resumed, batches(), checkpoint=path, **options).loss == history.loss
    for left, right in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(left, right)


@pytest.mark.parametrize("batches", [in_order, shuffled])
def test_ctrl_c_in_the_loss(tmp_path, batches, handler):
    path = tmp_path / "run.safetensors"
    stopped = train(make_model(), batches(), Pressing(), checkpoint=path)
    assert signal.getsignal(signal.SIGINT) is handler
    assert_resumed_equals_uninterrupted(path, batches, stopped)


def test_ctrl_c_right_after_the_optimizer_has_stepped(tmp_path):
    path = tmp_path / "run.safetensors"
    pressing = Pressing()
    handle = register_optimizer_step_post_hook(lambda *_: pressing.count())
    try:
        stopped = train(make_model(), in_order(), checkpoint=path)
    finally:
        handle.remove()
    assert_resumed_equals_uninterrupted(path, in_order, stopped)


@pytest.mark.parametrize("batches", [in_order, shuffled])
def test_ctrl_c_while_a_batch_is_made(tmp_path, batches):
    path = tmp_path / "run.safetensors"
    stopped = train(make_model(), Pressing(batches()), checkpoint=path)
    assert_resumed_equals_uninterrupted(path, batches, stopped)


def test_ctrl_c_waits_until_the_optimizer_is_made(handler):
    made = []

    def slow(model):
        press()
        made.append(torch.optim.SGD(model.parameters()))
        return made[0]

    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), in_order(), error, steps=1, optimizer=slow, progress=False)
    assert len(made) == 1
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_any_optimizer_resumes(tmp_path, optimizer):
    path = tmp_path / "run.safetensors"
    options = {"optimizer": optimizer, "checkpoint": path}
    stopped = train(make_model(), in_order(), Pressing(), **options)
    assert_resumed_equals_uninterrupted(path, in_order, stopped, optimizer=optimizer)


def test_a_part_that_never_got_a_gradient_has_no_state(tmp_path):
    path = tmp_path / "run.safetensors"
    both = nn.ModuleList([make_model(), nn.Linear(2, 2)])

    def first(both, x):
        return error(both[0], x)

    train(both, in_order(), first, checkpoint=path)
    optimizer = torch.optim.AdamW(both.parameters())
    load_run(path, both, optimizer, STEPS)
    assert set(optimizer.state) == set(both[0].parameters())


def test_the_handler_is_back_after_an_error(handler):
    with pytest.raises(NonFiniteLossError):
        train(make_model(), in_order(), lambda model, x: error(model, x) * float("nan"))
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_thread_trains_too():
    found = []
    thread = threading.Thread(target=lambda: found.append(train(make_model(), in_order())))
    thread.start()
    thread.join()
    assert found[0].stopped == "finished"


class OnAGpu(nn.Module):
    """A model without weights that says it is on a GPU."""

    def parameters(self, recurse=True):
        yield SimpleNamespace(device=torch.device("cuda", 1))


def test_the_random_state_of_the_models_device_comes_back(tmp_path, monkeypatch):
    generator = torch.Generator()
    gpu = SimpleNamespace(
        get_rng_state=lambda device: generator.get_state(),
        set_rng_state=lambda state, device: generator.set_state(state),
    )
    monkeypatch.setattr(torch, "get_device_module", lambda device: gpu)
    optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters())
    save_run(tmp_path / "run.safetensors", OnAGpu(), optimizer, {}, steps=1)
    expected = torch.rand(3), torch.rand(3, generator=generator)
    load_run(tmp_path / "run.safetensors", OnAGpu(), optimizer, steps=1)
    assert torch.equal(torch.rand(3), expected[0])
    assert torch.equal(torch.rand(3, generator=generator), expected[1])
