from types import SimpleNamespace

import pytest
import torch

from tutorial_lib.training import own_stream, random_state, set_random_state, untouched

CPU = torch.device("cpu")


def draws(n):
    return [torch.rand(()).item() for _ in range(n)]


def rolls():
    while True:
        yield torch.rand(()).item()


@pytest.fixture
def other(monkeypatch):
    """A device of its own, number 1, whose random numbers are a generator that we can see."""
    generators = {torch.device("cuda", place): torch.Generator() for place in range(2)}
    module = SimpleNamespace(
        get_rng_state=lambda device: generators[device].get_state(),
        set_rng_state=lambda state, device: generators[device].set_state(state),
    )
    monkeypatch.setattr(torch, "get_device_module", lambda device: module)
    device = torch.device("cuda", 1)
    return device, generators[device]


def test_a_state_put_back_gives_the_same_numbers():
    states = random_state(CPU)
    first = draws(3)
    set_random_state(states, CPU)
    assert draws(3) == first


def test_the_state_of_the_device_is_that_of_this_one(other):
    device, generator = other
    states = random_state(device)
    first = torch.rand(3, generator=generator)
    set_random_state(states, device)
    assert torch.equal(torch.rand(3, generator=generator), first)


def test_a_state_from_the_cpu_leaves_the_gpu_as_it_is(other):
    device, generator = other
    before = generator.get_state()
    set_random_state(random_state(CPU), device)
    assert torch.equal(generator.get_state(), before)


def test_untouched_also_after_an_error(other):
    device, generator = other
    before, on_device = torch.get_rng_state(), generator.get_state()

    def draw_and_fail():
        with untouched(device):
            raise ValueError(torch.rand(3), torch.rand(3, generator=generator))

    with pytest.raises(ValueError, match="tensor"):
        draw_and_fail()
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(generator.get_state(), on_device)


def test_a_stream_of_its_own_neither_disturbs_nor_is_disturbed():
    torch.manual_seed(3)
    expected = draws(10)
    torch.manual_seed(3)
    stream = own_stream(rolls(), random_state(CPU), CPU)
    for n in range(5):
        assert next(stream) == expected[n]
        assert draws(2) == expected[2 * n : 2 * n + 2]


def test_a_stream_of_its_own_holds_on_the_device_too(other):
    device, generator = other
    expected = torch.rand(5, generator=generator).tolist()
    generator.manual_seed(generator.initial_seed())
    source = iter(lambda: torch.rand((), generator=generator).item(), None)
    stream = own_stream(source, random_state(device), device)
    for number in expected:
        assert next(stream) == pytest.approx(number)
        torch.rand(2, generator=generator)


def test_a_stream_ends_with_its_source():
    assert list(own_stream(iter("ab"), random_state(CPU), CPU)) == ["a", "b"]
