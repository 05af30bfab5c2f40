"""A run that was stopped and resumed ends with the weights of one that was not, to the bit."""

import json
import os
import signal
import threading
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data import DataLoader

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import load_metadata, load_tensors, save_tensors
from tutorial_lib.training import (
    History,
    Muon,
    NonFiniteLossError,
    fit,
    load_run,
    loop,
    randomness,
    save_run,
)

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

    train(both, in_order(), first, optimizer="AMSGrad", checkpoint=path)
    optimizer = OPTIMIZERS["AMSGrad"](both)
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
    save_run(tmp_path / "run.safetensors", OnAGpu(), optimizer, History(), steps=1)
    expected = torch.rand(3), torch.rand(3, generator=generator)
    load_run(tmp_path / "run.safetensors", OnAGpu(), optimizer, steps=1)
    assert torch.equal(torch.rand(3), expected[0])
    assert torch.equal(torch.rand(3, generator=generator), expected[1])


@pytest.mark.parametrize("place", ["swap", "last save"])
def test_ctrl_c_where_it_used_to_do_harm(tmp_path, monkeypatch, place):
    path = tmp_path / "run.safetensors"
    pressing = Pressing()
    if place == "swap":  # of the random numbers of the batches and of the training
        put_back = randomness.set_random_state

        def press_then_put_back(states, device):
            pressing.count()
            put_back(states, device)

        monkeypatch.setattr(randomness, "set_random_state", press_then_put_back)
        stopped = train(make_model(), shuffled(), checkpoint=path)
        monkeypatch.undo()
        assert_resumed_equals_uninterrupted(path, shuffled, stopped)
    else:
        write = loop.save_run

        def press_then_write(*arguments):
            press()
            write(*arguments)

        monkeypatch.setattr(loop, "save_run", press_then_write)
        history = train(make_model(), in_order(), checkpoint=path)
        assert (history.stopped, len(history.loss)) == ("interrupted", STEPS)
        monkeypatch.undo()
        again = train(make_model(seed=5), in_order(), checkpoint=path)
        assert (again.stopped, again.loss) == ("finished", history.loss)


def test_two_presses_in_the_last_save_still_return_the_history(tmp_path, monkeypatch):
    def press_twice(*arguments):
        press()
        press()
        raise AssertionError("the second press should have ended this")

    monkeypatch.setattr(loop, "save_run", press_twice)
    history = train(make_model(), in_order(), checkpoint=tmp_path / "run.safetensors")
    assert (history.stopped, len(history.loss)) == ("interrupted", STEPS)


def test_a_place_that_cannot_be_written_shows_before_the_first_step(tmp_path):
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "run.safetensors", tmp_path / "folder"):
        with pytest.raises(OSError, match=r"file|folder"):
            train(make_model(), in_order(), lambda *_: pytest.fail("trained"), checkpoint=path)


@pytest.mark.parametrize(
    ("saved", "resumed", "message"),
    [
        ("AdamW", "SGD", "AdamW, here it is SGD"),
        ("AdamW", "AMSGrad", "amsgrad was False, here it is True|betas was|other groups"),
        ("SGD", "SGD with momentum", "momentum was 0, here it is 0.9"),
        ("Muon", "AdamW", "Muon, here it is AdamW"),
    ],
)
def test_another_optimizer_is_refused(tmp_path, saved, resumed, message):
    path = tmp_path / "run.safetensors"
    train(make_model(), in_order(), Pressing(), optimizer=saved, checkpoint=path)
    model = make_model(seed=1)
    with pytest.raises(ValueError, match=f"another optimizer: .*({message})"):
        train(model, in_order(), optimizer=resumed, checkpoint=path)
    for ours, before in zip(model.parameters(), make_model(seed=1).parameters(), strict=True):
        assert torch.equal(ours, before)


def test_another_weight_decay_is_refused_and_another_way_to_compute_is_not(tmp_path):
    path = tmp_path / "run.safetensors"
    train(make_model(), in_order(), Pressing(), weight_decay=0.1, checkpoint=path)
    with pytest.raises(ValueError, match=r"weight_decay was 0\.1, here it is 0\.01"):
        train(make_model(), in_order(), checkpoint=path)
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    save_run(path, model, optimizer, History(), 1)
    load_run(path, model, torch.optim.AdamW(model.parameters(), foreach=True), 1)


def crafted(path, tensors=(), **run):
    """Change what a run's file holds, as somebody might who wants it to do harm."""
    found, metadata = load_tensors(path), load_metadata(path)
    kept = json.loads(metadata["run"])
    history = kept["history"] | run.pop("history", {}) if run.get("history", {}) is not None else 0
    kept = kept | run | {"history": history or None}
    for name, tensor in dict(tensors).items():
        found[name] = tensor
        if tensor is None:
            del found[name]
    save_tensors(path, found, {"run": json.dumps(kept)})


WIDE = "optimizer.exp_avg.0.weight"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tensors": {WIDE: torch.zeros(1)}}, r"exp_avg of 0\.weight is \(1,\) of torch\.float32"),
        ({"tensors": {WIDE: torch.zeros(())}}, r"exp_avg of 0\.weight is \(\) of"),
        ({"tensors": {WIDE: torch.zeros(8, 4).double()}}, r"is \(8, 4\) of torch\.float64"),
        ({"tensors": {WIDE: None}}, r"exp_avg of 0\.weight is missing"),
        ({"tensors": {"optimizer.step.0.weight": torch.zeros(9)}}, r"step of 0\.weight is \(9,\)"),
        ({"tensors": {"optimizer.more.0.weight": torch.zeros(8, 4)}}, "should be missing"),
        ({"tensors": {"optimizer.exp_avg.9.weight": torch.zeros(1)}}, r"9\.weight is no parameter"),
        ({"tensors": {"random.cpu": torch.zeros(3).byte()}}, "no state of the random numbers"),
        ({"tensors": {"random.cpu": torch.zeros(5056).byte()}}, "no state of the random numbers"),
        ({"tensors": {"random.cpu": torch.zeros(5056)}}, "no state of the random numbers"),
        ({"tensors": {"random.cpu": None}}, "no state of the random numbers"),
        ({"tensors": {"model.0.weight": torch.zeros(1)}}, "these weights do not fit Sequential"),
        ({"history": None}, "no history of a run of 12 steps"),
        ({"history": {"loss": [0.5] * 13}}, "no history of a run of 12 steps"),
        ({"history": {"loss": 3}}, "no history of a run of 12 steps"),
        ({"history": {"lr": [None] * 6}}, "no history of a run of 12 steps"),
        ({"history": {"seconds": float("inf")}}, "no history of a run of 12 steps"),
        ({"history": {"evaluations": [3]}}, "no history of a run of 12 steps"),
        ({"history": {"surplus": 1}}, "no history of a run of 12 steps"),
        ({"steps": "12"}, "should count its steps, it has '12'"),
        ({"steps": True}, "should count its steps, it has True"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused_before_it_is_used(tmp_path, change, message):
    path = tmp_path / "run.safetensors"
    train(make_model(), in_order(), Pressing(), checkpoint=path)
    crafted(path, **change)
    model = make_model(seed=1)
    before = [parameter.clone() for parameter in model.parameters()]
    with pytest.raises(DamagedFileError, match=message):
        train(model, in_order(), checkpoint=path)
    assert all(map(torch.equal, model.parameters(), before))


def test_an_evaluation_may_find_tensors_and_nan(tmp_path):
    path = tmp_path / "run.safetensors"
    options = {"evaluate": lambda model: {"a": torch.tensor(2), "b": float("nan")}}
    train(make_model(), in_order(), Pressing(), evaluate_every=2, checkpoint=path, **options)
    history = train(make_model(), in_order(), evaluate_every=2, checkpoint=path, **options)
    assert history.column("a") == ([2, 4, 6, 8, 10, 12], [2] * 6)
    assert all(value != value for value in history.column("b")[1])


@pytest.mark.parametrize("stop", [lambda history: len(history.loss) == 5, 0])
def test_a_run_ends_when_it_is_told_to_and_goes_on_later(tmp_path, stop):
    path = tmp_path / "run.safetensors"
    history = train(make_model(), in_order(), stop=stop, evaluate=lambda model: 1, checkpoint=path)
    n_steps = 5 if callable(stop) else 1
    assert (history.stopped, len(history.loss)) == ("stopped", n_steps)
    assert history.column("value") == ([n_steps], [1])
    whole, resumed = make_model(), make_model(seed=9)
    expected = train(whole, in_order())
    history = train(resumed, in_order(), checkpoint=path)
    assert (history.stopped, history.loss) == ("finished", expected.loss)
    assert all(map(torch.equal, whole.parameters(), resumed.parameters()))
