import signal
import threading

import pytest

from tutorial_lib.training import uninterrupted


@pytest.fixture(autouse=True)
def handler():
    """Python's own handler of Ctrl-C, which a program in the background does not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def press():
    signal.raise_signal(signal.SIGINT)


def press_and_go_on(times, done):
    with uninterrupted():
        for number in range(times):
            press()
            done.append(number)


@pytest.mark.parametrize(
    "times", [pytest.param(1, id="waits for the end"), pytest.param(3, id="the second does not")]
)
def test_a_press_ends_the_block(times, handler):
    done = []
    with pytest.raises(KeyboardInterrupt):
        press_and_go_on(times, done)
    assert done == [0]
    assert signal.getsignal(signal.SIGINT) is handler


def test_without_a_press_nothing_is_raised(handler):
    with uninterrupted():
        assert signal.getsignal(signal.SIGINT) is not handler
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_error_comes_out_and_the_handler_is_back(handler):
    with pytest.raises(AttributeError):
        press_and_go_on(1, done=None)
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_thread_beside_the_main_one_installs_nothing(handler):
    seen = []

    def work():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [handler]


def test_ignored_it_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    done = []
    press_and_go_on(2, done)
    assert done == [0, 1]
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
