"""One guard around every call of a learner's code: whatever the code does, the next check works.

What the code switches (gradients, the default dtype, deterministic mode, random states, warning
filters, threads, ...) is set to the course's standard before the call and put back afterwards.
What it raises, SystemExit included, becomes part of the result. What it prints is cut after some
lines. A call that takes too long is stopped.
"""

import _thread
import contextlib
import ctypes
import gc
import io
import os
import random
import signal
import sys
import threading
import time
import warnings
from dataclasses import dataclass

import numpy as np
import torch

SECONDS = 20.0  # for one call
TICK = 0.2  # seconds until code that catches the first interruption gets another one
CHARACTERS = 4_000  # of what an answer may print while it is checked


class TookTooLong(BaseException):
    """The call was stopped; no `except Exception` of the learner's catches this."""


@dataclass(frozen=True)
class Result:
    """What a call gave: a value, or the error that it raised."""

    value: object = None
    error: BaseException | None = None


def guarded(call, *args, seconds=None, output=None, seed=0, **kwargs):
    """Call learner's code; return its Result, whatever it raises.

    seconds: the time limit, SECONDS when None. Code that waits inside one operation of a library
    is stopped when that operation returns. output: a Printed, or None for silence. seed: for
    torch, random and numpy; None leaves the generators to go on. Raises KeyboardInterrupt only
    when the learner presses Ctrl-C or a notebook's stop button.

    >>> guarded(divmod, 7, 2).value
    (3, 1)
    >>> guarded(exit, 3).error
    SystemExit(3)
    """
    limit = SECONDS if seconds is None else seconds
    with standard_settings(seed), _redirected(output), _presses() as presses:
        alarm = _Alarm(limit)
        try:
            try:
                alarm.start()
                result = Result(value=call(*args, **kwargs))
            except BaseException as error:  # SystemExit and the like are the learner's, too
                result = Result(error=error)
            alarm.stop()
        except TookTooLong as error:  # it rang between two lines of ours
            alarm.stop()
            result = Result(error=error)
    if isinstance(result.error, TookTooLong):
        result.error.args = (f"it took longer than {limit:g} seconds",)
    if presses:
        raise KeyboardInterrupt
    return result


@contextlib.contextmanager
def standard_settings(seed=0):
    """Work under the settings that exercises are written for; put the learner's own back.

    >>> with torch.no_grad(), standard_settings():
    ...     torch.is_grad_enabled()
    True
    """
    before = [get() for get, _, _ in SETTINGS]
    folder, environment = _folder(), dict(os.environ)
    with (
        seeded(seed),
        warnings.catch_warnings(),
        torch.inference_mode(False),  # switches gradients on; puts both back
    ):
        try:
            for (get, set_to, standard), _ in zip(SETTINGS, before, strict=True):
                _switch(get, set_to, get() if standard is None else standard)
            yield
        finally:
            for (get, set_to, _), value in zip(SETTINGS, before, strict=True):
                _switch(get, set_to, value)
            if folder is not None and _folder() != folder:
                with contextlib.suppress(OSError):  # it may have been removed
                    os.chdir(folder)
            if os.environ != environment:
                os.environ.clear()
                os.environ.update(environment)


@contextlib.contextmanager
def seeded(seed=0):
    """Fix the generators of torch, random and numpy, and put them back; None fixes nothing.

    A GPU's generator counts only when the GPU is in use already: none is started here.

    >>> with seeded():
    ...     first = torch.rand(2)
    >>> with seeded():
    ...     second = torch.rand(2)
    >>> bool((first == second).all())
    True
    """
    python, numpy, cpu = random.getstate(), np.random.get_state(), torch.get_rng_state()
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    try:
        if seed is not None:
            random.seed(seed)
            np.random.seed(seed)
            torch.default_generator.manual_seed(seed)  # torch.manual_seed reseeds GPUs, too
            if gpus:
                torch.cuda.manual_seed_all(seed)
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(cpu)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)


class Printed(io.TextIOBase):
    """Passes on what an answer prints, up to a number of characters in all.

    >>> printed = Printed(sys.stdout, 10)
    >>> printed.write("12345678" * 2), printed.write("unseen")
    1234567812 ... (what it prints further is left out)
    (16, 6)
    """

    def __init__(self, stream, characters=CHARACTERS):
        self.stream = stream
        self.left = characters

    def write(self, text):
        """Pass on what there is room for."""
        if self.left > 0:
            self.stream.write(text[: self.left])
            if len(text) > self.left:
                self.stream.write(" ... (what it prints further is left out)\n")
        self.left -= len(text)
        return len(text)

    def writable(self):
        """Tell that this can be written to."""
        return True

    def close(self):
        """Stay open: the notebook's stream is not the answer's to close."""


# What can be switched: (read it, switch it, the value that exercises are written for; None: as is).
SETTINGS = (
    (sys.getrecursionlimit, sys.setrecursionlimit, None),  # first: the others need room
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    (
        lambda: torch.get_default_device().type,
        lambda kind: torch.set_default_device(None if kind == "cpu" else kind),
        "cpu",
    ),
    (
        lambda: (
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
        ),
        lambda both: torch.use_deterministic_algorithms(both[0], warn_only=both[1]),
        (False, False),
    ),
    (
        lambda: torch.is_autocast_enabled("cpu"),
        lambda on: torch.set_autocast_enabled("cpu", on),
        False,
    ),
    (
        torch.get_float32_matmul_precision,
        torch.set_float32_matmul_precision,
        "highest",
    ),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False),
    (torch.get_num_threads, torch.set_num_threads, None),
    (
        lambda: dict(vars(torch._tensor_str.PRINT_OPTS)),
        lambda options: vars(torch._tensor_str.PRINT_OPTS).update(options),
        None,
    ),
    (np.geterr, lambda how: np.seterr(**how), None),
    (np.get_printoptions, lambda options: np.set_printoptions(**options), None),
    (sys.gettrace, sys.settrace, None),
    (sys.getswitchinterval, sys.setswitchinterval, None),
    (gc.isenabled, lambda on: gc.enable() if on else gc.disable(), None),
)


def _switch(get, set_to, value):
    if get() != value:
        set_to(value)


def _folder():
    try:
        return os.getcwd()
    except OSError:
        return None


@contextlib.contextmanager
def _redirected(output):
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = Printed(None, 0) if output is None else output
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def _presses():
    """Yield a list that fills with the learner's presses of Ctrl-C.

    So a KeyboardInterrupt that code raises by itself is told from a real one.
    """
    presses = []
    before = signal.getsignal(signal.SIGINT)
    if not _in_main_thread() or not callable(before):
        yield presses
        return

    def note(number, frame):
        presses.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield presses
    finally:
        signal.signal(signal.SIGINT, before)


class _Alarm:
    """Raises TookTooLong in the calling thread after some seconds, again and again until stopped.

    In the main thread, where notebooks run, a signal does it: from a timer that also interrupts
    waiting (Linux, macOS), or simulated by a second thread (Windows). In other threads a second
    thread raises the error, and code that catches it at every turn goes on.
    """

    def __init__(self, seconds):
        self.seconds = seconds
        self.ringing = False
        self.rung = 0
        self.main = _in_main_thread()
        self.timed = self.main and hasattr(signal, "setitimer")
        self.signal = signal.SIGALRM if self.timed else signal.SIGTERM

    def start(self):
        self.ringing = True
        if self.main:
            self.handler = signal.signal(self.signal, self._ring)
        if self.timed:
            self.started = time.monotonic()
            self.timer = signal.setitimer(signal.ITIMER_REAL, self.seconds, TICK)
            return
        self.over = threading.Event()
        self.lock = threading.Lock()
        caller = threading.get_ident()
        self.watcher = threading.Thread(target=self._watch, args=(caller,), daemon=True)
        self.watcher.start()

    def stop(self):
        self.ringing = False
        if self.timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
        else:
            with self.lock:
                self.over.set()
            self.watcher.join()
        if self.main:
            signal.signal(self.signal, self.handler)
        else:
            _raise_in(threading.get_ident(), None)
        if self.timed and self.timer[0]:  # a timer of someone else's goes on
            left = max(self.timer[0] - (time.monotonic() - self.started), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left, self.timer[1])

    def _ring(self, number, frame):
        if not self.ringing:
            return
        self.rung += 1
        if self.rung > 1:  # the first one was caught: raise in the very block that catches it
            while frame.f_code is not guarded.__code__:
                frame.f_trace = _raise
                frame = frame.f_back
            sys.settrace(_raise)
        raise TookTooLong

    def _watch(self, caller):
        wait = self.seconds
        while not self.over.wait(wait):
            with self.lock:
                if not self.over.is_set() and self.main:
                    _thread.interrupt_main(self.signal)
                elif not self.over.is_set():
                    _raise_in(caller, TookTooLong)
            wait = TICK


def _raise(frame, event, argument):
    if event == "line":
        raise TookTooLong
    return _raise


def _raise_in(thread, error):
    """Raise an error in another thread; None takes back one that has not come up yet."""
    error = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
