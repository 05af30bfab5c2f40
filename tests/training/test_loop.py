from typing import NamedTuple

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from tutorial_lib.errors import DamagedFileError, ShapeError
from tutorial_lib.training import NonFiniteLossError, fit, loop, update, warmup_inverse_root


def make_model(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(4, 8), nn.Dropout(0.3), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)
    )


def make_batches(n=7):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(n, 16, 4, generator=generator)
    return [(row, (row.sum(-1) > 0).long()) for row in x]


def cross_entropy(model, batch):
    x, y = batch
    return nn.functional.cross_entropy(model(x), y)


def accuracy(model):
    return float(
        torch.stack([(model(x).argmax(-1) == y).float().mean() for x, y in make_batches()]).mean()
    )


def run(model=None, steps=30, **arguments):
    model = make_model() if model is None else model
    history = fit(model, make_batches(), cross_entropy, steps=steps, progress=False, **arguments)
    return model, history


def run_watched(spy, **arguments):
    """As `run`, but spy(optimizer, ...) is called before each step of the optimizer."""
    handle = register_optimizer_step_pre_hook(spy)
    try:
        return run(**arguments)
    finally:
        handle.remove()


def assert_same_weights(a, b):
    for (name, left), right in zip(a.state_dict().items(), b.state_dict().values(), strict=True):
        assert torch.equal(left, right), name


class StopAt:
    """Batches that press Ctrl-C instead of giving batch number `step`."""

    def __init__(self, step):
        self.step = step

    def __iter__(self):
        for number in range(1, 1000):
            if number == self.step:
                raise KeyboardInterrupt
            yield make_batches()[(number - 1) % 7]


def test_one_update_is_a_step_of_the_optimizer_along_the_clipped_gradient():
    model, twin = make_model().double().eval(), make_model().double().eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = make_batches()[0]
    seen = []
    value, norm = update(
        model, (x.double(), y), cross_entropy, optimizer, 0.01, lambda *n: seen.append(n)
    )
    loss = cross_entropy(twin, (x.double(), y))
    loss.backward()
    assert seen == [(value, norm)]
    assert value == pytest.approx(loss.item())
    assert norm == pytest.approx(torch.cat([p.grad.flatten() for p in twin.parameters()]).norm())
    for ours, before in zip(model.parameters(), twin.parameters(), strict=True):
        expected = before - 0.1 * 0.01 / norm * before.grad
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-7)
        assert ours.grad is None


def test_without_a_limit_nothing_is_clipped():
    seen = []

    def spy(optimizer, *_):
        norms = [p.grad.norm() for group in optimizer.param_groups for p in group["params"]]
        seen.append(torch.stack(norms).norm().item())

    _, history = run_watched(spy, steps=3, clip=None)
    assert seen == pytest.approx(history.gradient_norm)


def test_it_learns_and_keeps_the_history():
    model, history = run(steps=200, lr=3e-2, evaluate=accuracy, evaluate_every=80)
    assert accuracy(model.eval()) > 0.9
    assert history.stopped == "finished"
    assert history.steps == list(range(1, 201))
    assert len(history.loss) == len(history.lr) == len(history.gradient_norm) == 200
    steps, values = history.column("value")
    assert steps == [80, 160, 200]
    assert values[-1] > 0.9
    assert max(history.lr) == pytest.approx(3e-2)
    assert history.lr[0] == pytest.approx(3e-3)  # one tenth of the way up: 10 steps of warm-up
    assert history.lr[-1] == pytest.approx(0, abs=1e-9)
    assert repr(history).startswith("History(200 steps, last loss 0.")


def test_same_seed_same_weights_other_seed_others():
    one, first = run(seed=5)
    two, second = run(seed=5)
    other, _ = run(seed=6)
    assert_same_weights(one, two)
    assert first.loss == second.loss
    assert not torch.equal(one[0].weight, other[0].weight)


def test_evaluation_does_not_change_the_training():
    def draws_random_numbers(model):
        assert not model.training
        assert not torch.is_grad_enabled()
        return {"number": torch.rand(()).item()}

    plain, _ = run()
    evaluated, history = run(evaluate=draws_random_numbers, evaluate_every=3)
    assert_same_weights(plain, evaluated)
    assert len(history.evaluations) == 10


def test_mode_and_gradients_are_left_as_found():
    model, _ = run(make_model().eval())
    assert not model.training
    assert all(parameter.grad is None for parameter in model.parameters())


def test_every_part_is_trained_and_then_has_its_own_mode_again():
    seen = []

    def loss(model, batch):
        seen.append(all(module.training for module in model.modules()))
        return cross_entropy(model, batch)

    for mode in (True, False):
        model = make_model().train(mode)
        model[1].train(not mode)
        fit(model, make_batches(), loss, steps=3, evaluate=accuracy, progress=False)
        assert [part.training for part in model] == [mode, not mode, mode, mode, mode]
        assert model.training == mode
    assert seen == [True] * 6


def test_the_gradient_is_clipped_and_its_norm_recorded_unclipped():
    # AdamW's steps hardly depend on the norm, so look at the gradients themselves.
    seen = []

    def spy(optimizer, *_):
        norms = [p.grad.norm() for group in optimizer.param_groups for p in group["params"]]
        seen.append(torch.stack(norms).norm().item())

    _, history = run_watched(spy, steps=5, clip=0.01)
    assert max(seen) <= 0.01 * 1.001
    assert min(history.gradient_norm) > 0.01


def test_biases_and_norms_do_not_decay():
    model = make_model()
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    fit(
        model,
        make_batches(),
        lambda model, batch: 0 * sum(p.sum() for p in model.parameters()),
        steps=10,
        lr=lambda step: 0.1,
        weight_decay=0.5,
        progress=False,
    )
    for name, parameter in model.named_parameters():
        unchanged = torch.equal(parameter, before[name])
        assert unchanged == (parameter.dim() == 1), name


def test_the_length_of_the_warm_up():
    _, history = run(steps=30, lr=1e-2, warmup=12)
    assert history.lr[:12] == pytest.approx([1e-2 * step / 12 for step in range(1, 13)])
    assert history.lr[12] < 1e-2


def test_adamw_is_fused_and_has_the_betas_and_the_decay_that_were_asked_for():
    seen = []

    def spy(optimizer, *_):
        assert type(optimizer) is torch.optim.AdamW
        seen.extend(
            (group["fused"], group["betas"], group["weight_decay"])
            for group in optimizer.param_groups
        )

    run_watched(spy, steps=1, betas=(0.8, 0.95), weight_decay=0.3)
    assert seen == [(True, (0.8, 0.95), 0.3), (True, (0.8, 0.95), 0.0)]


@pytest.fixture
def cpu_as_gpu(monkeypatch):
    """Let fit treat the CPU, which knows bfloat16, as a GPU that computes in it."""
    monkeypatch.setattr(loop, "GPUS", ("cpu",))
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: True)


def dtypes(**arguments):
    """The dtypes of the logits in a run of two steps, and of its weights."""
    seen = set()

    def loss(model, batch):
        logits = model(batch[0])
        seen.add(logits.dtype)
        return nn.functional.cross_entropy(logits, batch[1])

    model = make_model()
    history = fit(model, make_batches(), loss, steps=2, device="cpu", progress=False, **arguments)
    assert len(history.loss) == 2
    return seen, {parameter.dtype for parameter in model.parameters()}


def test_bfloat16_on_a_gpu_unless_it_is_declined(cpu_as_gpu):
    assert dtypes() == ({torch.bfloat16}, {torch.float32})
    assert dtypes(mixed_precision=False) == ({torch.float32}, {torch.float32})


def test_emulated_bfloat16_is_not_used(cpu_as_gpu, monkeypatch):
    def emulated(including_emulation=True):
        return including_emulation

    monkeypatch.setattr(torch.cuda, "is_bf16_supported", emulated)
    assert dtypes() == ({torch.float32}, {torch.float32})


def test_a_cpu_works_in_float32(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: True)
    assert dtypes() == ({torch.float32}, {torch.float32})


def handed_to_the_loss(model, monkeypatch, **arguments):
    """The model that the loss gets where torch.compile only wraps it in an nn.Sequential."""
    monkeypatch.setattr(torch, "compile", nn.Sequential)
    seen = []

    def loss(forward, batch):
        seen.append(forward)
        return cross_entropy(forward, batch)

    fit(model, make_batches(), loss, steps=1, device="cpu", progress=False, **arguments)
    return seen[0]


def test_compiled_on_a_gpu_when_asked_for(cpu_as_gpu, monkeypatch):
    model = make_model()
    assert handed_to_the_loss(model, monkeypatch) is model
    compiled = handed_to_the_loss(model, monkeypatch, compile=True)
    assert compiled is not model
    assert compiled[0] is model


def test_not_compiled_on_a_cpu(monkeypatch):
    model = make_model()
    assert handed_to_the_loss(model, monkeypatch, compile=True) is model


def test_a_schedule_may_be_a_function():
    _, history = run(lr=lambda step: warmup_inverse_root(step, d_model=16, warmup=10))
    assert history.lr.index(max(history.lr)) == 9
    assert history.lr[19] / history.lr[9] == pytest.approx(0.5**0.5)


def test_interrupt_leaves_model_and_history_usable():
    model = make_model()
    history = fit(model, StopAt(12), cross_entropy, steps=30, progress=False)
    assert history.stopped == "interrupted"
    assert len(history.loss) == 11
    assert model(make_batches()[0][0]).isfinite().all()


def test_a_loss_that_is_not_finite_stops_before_it_reaches_the_weights():
    batches = make_batches()
    batches[3] = (batches[3][0] * float("inf"), batches[3][1])
    model = make_model()
    with pytest.raises(
        NonFiniteLossError, match=r"nan at step 4: learning rate .*gradient norm nan"
    ) as caught:
        fit(model, batches, cross_entropy, steps=20, progress=False)
    assert all(parameter.isfinite().all() for parameter in model.parameters())
    assert len(caught.value.history.loss) == 3


def test_a_gradient_that_is_not_finite_stops_too():
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.zero_()
    with pytest.raises(NonFiniteLossError, match=r"loss is 0.0 at step 1.*gradient norm nan"):
        fit(
            model,
            [torch.ones(1, 1)],
            lambda model, x: model(x).abs().sqrt().sum(),
            steps=3,
            progress=False,
        )


@pytest.mark.parametrize("stop", [1, 8, 20])
def test_resumed_equals_uninterrupted_to_the_bit(tmp_path, stop):
    whole, history = run(evaluate=accuracy, evaluate_every=4)
    path = tmp_path / "run.safetensors"
    arguments = {"evaluate": accuracy, "evaluate_every": 4, "checkpoint": path, "progress": False}
    stopped = fit(make_model(), StopAt(stop + 1), cross_entropy, steps=30, **arguments)
    assert stopped.stopped == "interrupted"
    torch.rand(100)  # the state of the random numbers comes from the file, not from here
    resumed = make_model(seed=99)
    resumed_history = fit(resumed, make_batches(), cross_entropy, steps=30, **arguments)
    assert_same_weights(whole, resumed)
    assert resumed_history.loss == history.loss
    assert resumed_history.evaluations == history.evaluations
    assert resumed_history.stopped == "finished"


def test_checkpoints_are_written_on_the_way_and_a_finished_run_stays_finished(tmp_path):
    path = tmp_path / "below" / "run.safetensors"
    seen = []

    def loss(model, batch):
        seen.append(path.exists())
        return cross_entropy(model, batch)

    arguments = {"checkpoint": path, "checkpoint_every": 10, "progress": False}
    model = make_model()
    fit(model, make_batches(), loss, steps=25, **arguments)
    assert seen == [False] * 10 + [True] * 15
    assert [file.name for file in path.parent.iterdir()] == ["run.safetensors"]
    again = make_model(seed=3)
    history = fit(again, make_batches(), loss, steps=25, **arguments)
    assert len(seen) == 25
    assert (history.stopped, len(history.loss)) == ("finished", 25)
    assert_same_weights(model, again)


def test_tied_weights_survive_a_resume(tmp_path):
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(4, 4)
            self.b = nn.Linear(4, 4)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x))[:, :2]

    path = tmp_path / "run.safetensors"
    fit(Tied(), make_batches(), cross_entropy, steps=4, checkpoint=path, progress=False)
    again = Tied()
    fit(again, make_batches(), cross_entropy, steps=4, checkpoint=path, progress=False)
    assert again.a.weight is again.b.weight


def test_checkpoints_of_others_are_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    run(checkpoint=path, steps=2)
    with pytest.raises(ValueError, match="belongs to a run of 2 steps, this one has 3"):
        run(checkpoint=path, steps=3)
    with pytest.raises(DamagedFileError, match=r"do not fit Linear(.|\n)*surplus .*0\.bias"):
        run(nn.Linear(4, 2), checkpoint=path, steps=2)
    with pytest.raises(DamagedFileError, match=r"4\.bias is \(2,\), the model needs \(3,\)"):
        run(nn.Sequential(*list(make_model())[:4], nn.Linear(8, 3)), checkpoint=path, steps=2)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DamagedFileError, match=r"run\.safetensors is truncated"):
        run(checkpoint=path, steps=2)


def test_a_foreign_safetensors_file_is_no_run(tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "other.safetensors"
    for metadata, message in (
        (None, "but no saved run"),
        ({"run": "{"}, "is not usable JSON"),
        ({"run": "{}"}, "is no saved run, it lacks: steps, history, optimizer"),
        ({"run": "[]"}, "must hold an object"),
    ):
        save_file({"a": torch.ones(1)}, path, metadata)
        with pytest.raises(DamagedFileError, match=message):
            run(checkpoint=path, steps=2)


def test_bad_arguments():
    with pytest.raises(ValueError, match="at least 1, got 0 and 100"):
        run(steps=0)
    with pytest.raises(ValueError, match="batches ended"):
        fit(make_model(), iter(make_batches()), cross_entropy, steps=8, progress=False)
    for loss in (lambda model, batch: model(batch[0]), lambda model, batch: 1.0):
        with pytest.raises(ShapeError, match="the loss must be a scalar tensor, got"):
            fit(make_model(), make_batches(), loss, steps=1, progress=False)
    with pytest.raises(ValueError, match="no parameter that requires a gradient"):
        run(nn.ReLU())


class Pair(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


def test_batches_may_be_dicts_or_named_tuples_and_hold_other_things():
    x, y = make_batches()[0]
    for batch, loss in (
        (Pair(x, y), lambda model, b: nn.functional.cross_entropy(model(b.x), b.y)),
        (
            {"x": x, "y": [y], "name": "first"},
            lambda model, b: nn.functional.cross_entropy(model(b["x"]), b["y"][0]),
        ),
    ):
        assert len(fit(make_model(), [batch], loss, steps=2, progress=False).loss) == 2


def test_progress_bar_shows_the_loss(capsys):
    fit(make_model(), make_batches(), cross_entropy, steps=10)
    assert "loss=" in capsys.readouterr().err
