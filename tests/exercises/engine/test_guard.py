"""Whatever an answer does, `check` ends in a sentence and the next check works."""

import collections
import gc
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from tutorial_lib.exercises.engine import compare, guard
from tutorial_lib.exercises.engine.guard import SETTINGS, Printed, TookTooLong, guarded
from tutorial_lib.exercises.engine.tasks import Write, case
from tutorial_lib.exercises.engine.verdicts import judge


def double(x):
    """Return twice x, by way of a gradient: it fails where gradients are switched off."""
    x = x.clone().requires_grad_()
    (x * x).sum().backward()
    return x.grad


def doubled_by_arithmetic(x):
    return 2 * x


@pytest.fixture
def task(parts):
    parts |= {"solution": double, "second_style": doubled_by_arithmetic, "mistakes": ()}
    return Write(
        **parts | {"cases": lambda: [case("ones", torch.ones(2)), case("one", torch.ones(1))]}
    )


def state():
    """All that an answer may switch and must find its way back."""
    return {
        "settings": [get() for get, _, _ in SETTINGS],
        "gradients": (torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
        "random": (random.getstate(), torch.get_rng_state().tolist()),
        "numpy": np.random.get_state()[1].tolist(),
        "warnings": list(warnings.filters),
        "streams": (sys.stdout, sys.stderr),
        "folder": Path.cwd(),
        "environment": dict(os.environ),
        "handlers": (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)),
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
    }


class Mute:
    def __repr__(self):
        raise ValueError("no repr")

    def __eq__(self, other):
        raise ValueError("no ==")

    __hash__ = None


class Itself:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        return None


class EndlessEquality:
    def __eq__(self, other):
        while True:
            pass

    def __hash__(self):
        return 0


class Unsayable(Exception):
    def __str__(self):
        raise TypeError("no str")


class OddTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("odd")


def holding_itself():
    items = []
    items.append(items)
    return items


def holding_itself_by_key():
    items = {}
    items["me"] = items
    return items


def deep():
    items = []
    for _ in range(10_000):
        items = [items]
    return items


def printing(text):
    print(text * 100_000)
    return torch.zeros(2)


VALUES = {
    "None in a list": lambda: [None],
    "a dict in a list": lambda: [{}],
    "a list in a dict": lambda: {"a": [None]},
    "a set": lambda: {1, 2},
    "a set of odd things": lambda: {EndlessEquality(), (1, Mute)},
    "a dict with odd keys": lambda: {EndlessEquality(): 1, torch.ones(1): 2},
    "an object array": lambda: np.array([None, {}, Mute()], dtype=object),
    "an array of dates": lambda: np.array(["2020-01-01"], dtype="datetime64"),
    "a structured array": lambda: np.zeros(2, dtype=[("a", int)]),
    "an array read backwards": lambda: np.arange(2.0)[::-1],
    "an array of the other byte order": lambda: np.ones(2, dtype=">f4"),
    "nested tensors": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "a meta tensor": lambda: torch.ones(2, device="meta"),
    "a quantized tensor": lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
    "a sparse tensor": lambda: torch.ones(2).to_sparse(),
    "a complex tensor": lambda: torch.ones(2, dtype=torch.complex64).conj(),
    "an odd tensor": lambda: torch.ones(2).as_subclass(OddTensor),
    "a tensor with a graph": lambda: torch.ones(2, requires_grad=True) * 3,
    "a huge number": lambda: 10**5000,
    "huge numbers": lambda: [10**5000, -(10**5000)],
    "a huge and a small number": lambda: [1.0, 10**400],
    "a generator": lambda: (x for x in range(2)),
    "an endless generator": itertools.count,
    "an endless map": lambda: map(abs, itertools.count()),
    "a generator that fails": lambda: (1 / 0 for _ in range(2)),
    "no repr and no ==": Mute,
    "a list of those": lambda: [Mute()],
    "neither attributes nor repr": Itself,
    "a list that contains itself": holding_itself,
    "a dict that contains itself": holding_itself_by_key,
    "10,000 lists in each other": deep,
    "a class": lambda: Mute,
    "a function": lambda: doubled_by_arithmetic,
    "bytes": lambda: b"\xff",
    "a lone surrogate": lambda: "\ud800",
    "a long string": lambda: "x" * 10**6,
    "NotImplemented": lambda: NotImplemented,
    "a deque": lambda: collections.deque([1]),
    "a module": lambda: torch.nn.Linear(1, 1),
    "more items than anyone reads": lambda: [0] * 20_001,
}


@pytest.mark.parametrize("name", VALUES)
def test_no_value_makes_check_fail(task, name, monkeypatch):
    monkeypatch.setattr(compare, "MOST_ITEMS", 20_000)
    before = state()
    verdict = judge(task, lambda x: VALUES[name]())
    assert verdict.status in ("differs", "error")
    assert len(verdict.text) < 500
    assert verdict.text.isprintable()
    assert state() == before
    assert judge(task, doubled_by_arithmetic).status == "right"


@pytest.mark.parametrize("name", VALUES)
def test_no_value_fails_where_another_kind_is_expected(parts, name, monkeypatch):
    monkeypatch.setattr(compare, "MOST_ITEMS", 1_000)
    for wanted in (1, 1.5, True, "a", [1, 2], ["a"], {"a": 1}, {1}, [torch.ones(1)], None):
        task = Write(**parts | {"solution": lambda w, h, wanted=wanted: wanted, "mistakes": ()})
        assert judge(task, lambda w, h: VALUES[name]()).status in ("differs", "error", "right")


def raising(error):
    def answer(x):
        raise error

    return answer


def switching(*switches):
    def answer(x):
        for switch in switches:
            switch()
        return torch.zeros(2)

    return answer


def closing_the_streams(x):
    sys.stdout.close()
    sys.stderr = None
    return x


def lowering_the_recursion_limit(x):
    depth, frame = 0, sys._getframe()
    while frame := frame.f_back:
        depth += 1
    sys.setrecursionlimit(depth + 6)
    return x


def recursing(x):
    return recursing(x)


def entering_inference_mode(x):
    entering_inference_mode.kept = torch.inference_mode()
    entering_inference_mode.kept.__enter__()
    return x


def wrapping_itself():
    def answer(x):
        return x + 2

    answer.__wrapped__ = answer
    return answer


class HostileCallable:
    __signature__ = "none"
    __name__ = 3

    def __call__(self, x):
        return None


BEHAVIOURS = {
    "exit": lambda x: sys.exit(3),
    "SystemExit": raising(SystemExit("out")),
    "KeyboardInterrupt": raising(KeyboardInterrupt),
    "GeneratorExit": raising(GeneratorExit),
    "BaseException": raising(BaseException("base")),
    "MemoryError": raising(MemoryError()),
    "StopIteration": raising(StopIteration),
    "an error that cannot be said": raising(Unsayable()),
    "an error of many lines": raising(ValueError("a\nb\n" * 1000)),
    "an error of one long line": raising(ValueError("a" * 10**6)),
    "recursion": recursing,
    "no gradients": switching(lambda: torch.set_grad_enabled(False)),
    "inference mode": entering_inference_mode,
    "another dtype": switching(lambda: torch.set_default_dtype(torch.float64)),
    "another device": switching(lambda: torch.set_default_device("meta")),
    "deterministic": switching(lambda: torch.use_deterministic_algorithms(True)),
    "anomalies": switching(lambda: torch.autograd.set_detect_anomaly(True)),
    "another seed": switching(
        lambda: torch.manual_seed(1), lambda: np.random.seed(1), lambda: random.seed(1)
    ),
    "random numbers": switching(lambda: torch.rand(5), np.random.rand, random.random),
    "warnings as errors": switching(lambda: warnings.simplefilter("error")),
    "errors of numpy": switching(lambda: np.seterr(all="raise")),
    "options of numpy": switching(lambda: np.set_printoptions(precision=1)),
    "options of torch": switching(lambda: torch.set_printoptions(precision=1)),
    "threads": switching(lambda: torch.set_num_threads(3)),
    "another folder": switching(lambda: os.chdir("/")),
    "another environment": switching(os.environ.clear),
    "no garbage collection": switching(gc.disable),
    "no alarm": switching(lambda: signal.setitimer(signal.ITIMER_REAL, 0)),
    "other handlers": switching(
        lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        lambda: signal.signal(signal.SIGALRM, signal.SIG_DFL),
    ),
    "tracing": switching(lambda: sys.settrace(lambda *_: None)),
    "a flood of text": lambda x: printing("flood "),
    "closed streams": closing_the_streams,
    "little recursion": lowering_the_recursion_limit,
    "a cleared input": lambda x: x.resize_(0),
    "wraps itself": wrapping_itself(),
    "hostile callable": HostileCallable(),
}


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_the_next_check_works(task, name):
    before = state()
    verdict = judge(task, BEHAVIOURS[name], output=Printed(sys.stdout))
    assert verdict.status in ("differs", "error")
    assert len(verdict.text) < 500
    assert state() == before
    assert judge(task, double).status == "right"
    assert judge(task, doubled_by_arithmetic).status == "right"


def test_what_the_learner_has_switched_stays_and_does_not_count(task):
    """With gradients off our own solution failed as well, and two errors of a type 'agreed'."""
    with torch.no_grad():
        torch.set_default_dtype(torch.float64)
        try:
            assert judge(task, double).status == "right"
            assert judge(task, raising(RuntimeError("no grad"))).status == "error"
            assert not torch.is_grad_enabled()
            assert torch.get_default_dtype() is torch.float64
        finally:
            torch.set_default_dtype(torch.float32)


def endless(x):
    while True:
        pass


def endless_and_catching(x):
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            x = x + 1


def sleeping(x):
    time.sleep(60)


@pytest.mark.parametrize("answer", [endless, endless_and_catching, sleeping])
def test_an_endless_call_is_stopped(task, answer, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    before = state()
    verdict = judge(task, answer)
    assert verdict.status == "error"
    assert "it took longer than 0.3 seconds, and was in line" in verdict.text
    assert state() == before
    monkeypatch.setattr(guard, "SECONDS", 20.0)
    assert judge(task, doubled_by_arithmetic).status == "right"


def test_an_endless_call_is_run_once(task, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.1)
    calls = []

    def answer(x):
        calls.append(x)
        endless(x)

    judge(task, answer)
    assert len(calls) == 1


@pytest.mark.parametrize("answer", [endless, endless_and_catching])
def test_without_a_timer_a_second_thread_stops_it(task, answer, monkeypatch):
    """As on Windows."""
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    monkeypatch.delattr(signal, "setitimer")
    assert "took longer than 0.3 seconds" in judge(task, answer).text
    monkeypatch.setattr(guard, "SECONDS", 20.0)
    assert judge(task, doubled_by_arithmetic).status == "right"
    assert not [thread for thread in threading.enumerate() if "_watch" in thread.name]


def test_in_another_thread_too(task, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    found = []
    worker = threading.Thread(
        target=lambda: found.extend(judge(task, code) for code in (endless, doubled_by_arithmetic))
    )
    worker.start()
    worker.join()
    assert "took longer than 0.3 seconds" in found[0].text
    assert found[1].status == "right"


@pytest.fixture
def heard():
    """Python hears Ctrl-C, as in a terminal: what runs in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_a_press_of_ctrl_c_goes_through_and_a_raised_one_does_not(task):
    def pressed(x):
        signal.raise_signal(signal.SIGINT)

    def pressed_and_caught(x):
        try:
            pressed(x)
        except KeyboardInterrupt:
            return x

    for answer in (pressed, pressed_and_caught):
        with pytest.raises(KeyboardInterrupt):
            judge(task, answer)
    text = judge(task, BEHAVIOURS["KeyboardInterrupt"]).text
    assert "KeyboardInterrupt in line" in text
    assert judge(task, double).status == "right"


def test_a_timer_of_someone_elses_goes_on():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        guarded(time.sleep, 0.05)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 0.3
        time.sleep(0.4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == [1]


def test_what_an_answer_prints_is_seen_and_cut(task, capsys):
    def talking(x):
        print("x is", x.tolist())
        return 2 * x

    assert judge(task, talking, output=Printed(sys.stdout)).status == "right"
    assert capsys.readouterr().out == "x is [1.0, 1.0]\nx is [1.0]\n"
    judge(task, lambda x: printing("y"), output=Printed(sys.stdout))
    out = capsys.readouterr().out
    assert len(out) < guard.CHARACTERS + 100
    assert out.endswith("left out)\n")


def test_the_time_limit_is_no_ordinary_error():
    assert not issubclass(TookTooLong, Exception)


def test_an_output_that_is_used_again_is_no_older_output(task):
    buffer = torch.zeros(2)

    def reusing(x):
        return torch.mul(x, 2, out=buffer[: len(x)])

    assert judge(task, reusing).status == "right"


def test_no_gpu_is_started(tmp_path):
    """torch.manual_seed reseeds the GPUs; ours only the generator that is in use."""
    code = (
        "import torch\n"
        "started = []\n"
        "torch.cuda.manual_seed_all = started.append\n"
        "torch.cuda.get_rng_state_all = lambda: started.append('state')\n"
        "torch.cuda.device_count = lambda: 1\n"
        "torch.mps.manual_seed = started.append\n"
        "from tutorial_lib.exercises import check\n"
        "check('0.0', lambda x: 2 * x)\n"
        "assert not started, started\n"
        "assert not torch.cuda.is_initialized()\n"
    )
    environment = os.environ | {"TUTORIAL_PROGRESS": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
