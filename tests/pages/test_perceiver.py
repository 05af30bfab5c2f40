"""The page of the Perceiver is the library's, and each of its lines matters."""

import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import Perceiver, PerceiverConfig
from tutorial_lib.positions import fourier_features, grid_positions

SIZES = {"d_input": 5, "n_latents": 3, "d_latent": 8, "n_layers": 2, "n_rounds": 2, "n_heads": 2}
SIZES |= {"d_query": 6, "d_output": 4}


@torch.no_grad()
def assert_equal(page):
    model = page.Perceiver(**SIZES)
    ours = Perceiver(PerceiverConfig(**SIZES, d_read_value=SIZES["d_latent"]))
    same_weights(model, ours)
    draw = torch.Generator().manual_seed(2)
    inputs, queries = (torch.randn(2, n, d, generator=draw) for n, d in ((11, 5), (7, 6)))
    assert_close(model(inputs, queries), ours(inputs, queries), atol=1e-5, rtol=1e-5)
    sizes = SIZES | {"d_latent": 32, "n_latents": 32}
    library = Perceiver(PerceiverConfig(**sizes, d_read_value=32))
    assert_same_start(page.Perceiver(**sizes), library)
    assert_close(page.grid(6), grid_positions(6, 6))
    places = grid_positions(6, 6)
    assert_close(page.fourier_features(places, 3, 7), fourier_features(places, 3, 7))


def test_equal_to_the_library():
    assert_equal(load_page("perceiver"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        ("B T (H K) -> B H T K", "B T (K H) -> B H T K"),
        ("read if context is None else", "x if context is None else"),
        ("x = x + found if self.keeps_query else found", "x = x + found"),
        ("return x + self.feed_forward", "return self.feed_forward"),
        ("for _ in range(self.n_rounds)", "for _ in range(1)"),
        ("latents = self.read(latents, inputs)", "self.read(latents, inputs)"),
        ("linspace(1.0, finest / 2, n_bands)", "linspace(1.0, finest, n_bands)"),
        ("torch.arange(side) + 0.5", "torch.arange(side)"),
        ("std=0.02", "std=0.2"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("perceiver", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
