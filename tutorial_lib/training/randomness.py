"""Streams of random numbers: who draws from one does not disturb the others.

PyTorch keeps one stream for the CPU and one for each GPU, and everybody draws from them. The state
of a stream is a tensor of bytes: put it back, and the same numbers come again.
"""

from contextlib import contextmanager

import torch


def random_state(device):
    """Return the states of PyTorch's random numbers on the CPU and on `device`, by its type.

    >>> list(random_state(torch.device("cpu")))
    ['cpu']
    """
    states = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        states[device.type] = torch.get_device_module(device).get_rng_state(device)
    return states


def set_random_state(states, device):
    """Put back what `random_state` returned; a state that is not there is left as it is."""
    torch.set_rng_state(states["cpu"])
    if device.type != "cpu" and device.type in states:
        torch.get_device_module(device).set_rng_state(states[device.type], device)


@contextmanager
def untouched(device):
    """Put the random numbers back after the block, whatever it drew.

    >>> before = torch.get_rng_state()
    >>> with untouched(torch.device("cpu")):
    ...     noise = torch.rand(3)
    >>> torch.equal(torch.get_rng_state(), before)
    True
    """
    states = random_state(device)
    try:
        yield
    finally:
        set_random_state(states, device)


def own_stream(source, states, device):
    """Yield what the iterator `source` yields, with random numbers of its own from `states` on.

    What source draws does not disturb the others, nor they it.

    >>> torch.manual_seed(0)  # doctest: +ELLIPSIS
    <torch._C.Generator object at ...>
    >>> device = torch.device("cpu")
    >>> rolls = own_stream(iter(lambda: torch.rand(()), None), random_state(device), device)
    >>> bool(next(rolls) == torch.rand(()))  # both began at the same place
    True
    """
    while True:
        with untouched(device):
            set_random_state(states, device)
            try:
                item = next(source)
            except StopIteration:
                return
            states = random_state(device)
        yield item
