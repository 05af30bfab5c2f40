"""Chapter 09's exercises on the Perceiver agree with the library, and take other right answers."""

import itertools
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from einops import rearrange

from tutorial_lib.attention import CrossAttention
from tutorial_lib.exercises.chapter09_beyond_vit.cost import FOR_WHICH_PICTURE
from tutorial_lib.exercises.chapter09_beyond_vit.fourier import WAVES, waves
from tutorial_lib.exercises.chapter09_beyond_vit.latents import READ, read
from tutorial_lib.exercises.chapter09_beyond_vit.output_queries import ZOOM, zoom
from tutorial_lib.exercises.chapter09_beyond_vit.queries import AS_MANY_QUERIES
from tutorial_lib.exercises.chapter09_beyond_vit.smaller_output import QUERIES_PER_LATENT
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import Perceiver, PerceiverConfig
from tutorial_lib.positions.fourier import fourier_features, grid_positions

# The solutions and the library ----------------------------------------------------------------


@pytest.mark.parametrize(("n_axes", "n_bands", "finest"), [(1, 1, 6), (2, 4, 7), (3, 3, 28)])
def test_waves_are_those_of_the_library(n_axes, n_bands, finest):
    positions = 2 * torch.rand(3, 4, n_axes) - 1
    wanted = fourier_features(positions, n_bands, finest)
    assert torch.allclose(waves(positions, n_bands, finest), wanted, atol=1e-6)


def test_zoom_asks_a_perceiver_for_the_whole_picture_and_for_a_part():
    torch.manual_seed(0)
    sizes = {"d_input": 10, "n_latents": 4, "d_latent": 8, "n_layers": 1, "n_heads": 2}
    model = Perceiver(PerceiverConfig(**sizes, d_query=10, d_output=1)).eval()
    latents = model.encode(torch.randn(1, 9, 10))

    def ask(positions):
        return model.decode(latents, fourier_features(positions, n_bands=2, finest=6))[0]

    whole = ask(grid_positions(6, 6)).view(6, 6)
    assert torch.allclose(zoom(ask, -1, -1, 2, 6, 7), whole, atol=1e-6)
    # A square of four pixels, asked for as finely as the whole was.
    assert torch.allclose(zoom(ask, 0, -2 / 3, 2 / 3, 2, 3), whole[3:5, 1:3], atol=1e-6)


def test_a_read_is_the_librarys_cross_attention_and_the_residual_path():
    torch.manual_seed(0)
    layer = CrossAttention(6, n_heads=1, d_context=4, d_qk=5, d_value=6).eval()
    names = ("query", "key", "value", "output")
    for name in names:
        torch.nn.init.zeros_(getattr(layer, name).bias)
    w_q, w_k, w_v, w_o = (getattr(layer, name).weight.T for name in names)
    latents, inputs, mask = torch.randn(3, 6), torch.randn(2, 5, 4), torch.rand(2, 5) < 0.7
    added = layer(latents.expand(2, -1, -1), inputs, mask[:, None, None])
    assert not mask.all()
    found = read(latents, inputs, w_q, w_k, w_v @ w_o, mask)
    assert torch.allclose(found, latents + added, atol=1e-5)


def test_numbers_of_the_claims():
    for task, right, wrong in (
        (FOR_WHICH_PICTURE, (196, 196.0), (49, 224, 448, 2_401, 195)),
        (AS_MANY_QUERIES, (74_752,), (6_186, 6_187, 50_176, 53_248, 100_352)),
        (QUERIES_PER_LATENT, (89.125, 89.1, 182_528 / 2_048), (1, 89, 90, 178.25, 0.0112, 8)),
    ):
        assert task.solution() == task.second_style()
        for number in right:
            assert judge(task, number).status == "right"
        for number in wrong:
            assert judge(task, number).status in ("mistake", "differs")


def test_windows_and_the_whole_picture_cost_what_the_claim_says():
    for side, times in ((196, 49), (224, 64), (448, 256)):
        n_patches = (side // 4) ** 2
        assert n_patches**2 == times * n_patches * 49


def test_linear_and_not_quadratic_in_the_queries():
    reading, layers = 512 * 224 * 224, 48 * 512 * 512
    assert AS_MANY_QUERIES.solution() * 512 == reading + layers
    assert 273**2 <= AS_MANY_QUERIES.solution() < 274**2


# Other ways to be right -----------------------------------------------------------------------


def read_by_pytorch(latents, inputs, w_q, w_k, w_v, mask=None):
    q = (latents @ w_q).expand(len(inputs), -1, -1)
    mask = None if mask is None else mask.unsqueeze(1)
    return latents + F.scaled_dot_product_attention(q, inputs @ w_k, inputs @ w_v, mask)


def read_by_einsum(latents, inputs, w_q, w_k, w_v, mask=None):
    scores = torch.einsum("nd,dk,ck,bmc->bnm", latents, w_q, w_k, inputs) / w_q.shape[1] ** 0.5
    if mask is not None:
        scores = scores + (1 - mask.float())[:, None, :] * -1e9
    return torch.einsum("bnm,bmc,cd->bnd", scores.softmax(2), inputs, w_v) + latents


def read_inputs_first(latents, inputs, w_q, w_k, w_v, mask=None):
    scores = inputs @ w_k @ (latents @ w_q).T / math.sqrt(w_k.shape[-1])  # (B, M, N)
    if mask is not None:
        scores[~mask] = -torch.inf
    return latents[None] + scores.softmax(dim=1).transpose(1, 2) @ (inputs @ w_v)


def read_in_numpy(latents, inputs, w_q, w_k, w_v, mask=None):
    latents, inputs, w_q, w_k, w_v = (x.double().numpy() for x in (latents, inputs, w_q, w_k, w_v))
    scores = latents @ w_q @ np.swapaxes(inputs @ w_k, 1, 2) / np.sqrt(w_q.shape[1])
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    if mask is not None:
        powers = powers * mask.numpy()[:, None]
    return latents + powers / powers.sum(-1, keepdims=True) @ (inputs @ w_v)


def read_weights_renewed(latents, inputs, w_q, w_k, w_v, mask=None):
    weights = (latents @ w_q @ (inputs @ w_k).mT * w_q.size(1) ** -0.5).softmax(-1)
    if mask is not None:
        weights = weights * mask.unsqueeze(1)
        weights = weights / weights.sum(-1, keepdim=True)
    return torch.stack([latents + weights[b] @ inputs[b] @ w_v for b in range(len(inputs))])


def waves_by_shifted_sines(positions, n_bands, finest):
    frequencies = torch.linspace(1, finest / 2, n_bands)
    quarter = torch.tensor([0, math.pi / 2])[:, None]
    angles = positions[..., None, None] * frequencies * math.pi + quarter  # (..., d, 2, bands)
    return torch.cat([positions, torch.sin(angles).flatten(-3)], -1)


def waves_by_powers_of_e(positions, n_bands, finest):
    frequencies = torch.tensor(np.linspace(1, finest / 2, n_bands), dtype=torch.float32)
    turned = torch.exp(1j * math.pi * positions.unsqueeze(-1) * frequencies)
    parts = rearrange(torch.stack([turned.imag, turned.real]), "k ... d n -> ... (d k n)")
    return torch.cat((positions, parts), dim=-1)


def waves_in_lists(positions, n_bands, finest):
    if positions.dim() > 1:
        return torch.stack([waves_in_lists(part, n_bands, finest) for part in positions])
    row = positions.tolist()
    for x in positions.tolist():
        turns = [
            math.pi * x * (1 + (finest / 2 - 1) * i / (n_bands - 1 or 1)) for i in range(n_bands)
        ]
        row += list(map(math.sin, turns)) + list(map(math.cos, turns))
    return torch.tensor(row)


def waves_in_numpy(positions, n_bands, finest):
    x = positions.numpy()
    frequencies = np.linspace(1, finest / 2, num=n_bands)
    found = [x]
    for axis in range(x.shape[-1]):
        angle = np.pi * x[..., axis, None] * frequencies
        found += [np.sin(angle), np.cos(angle)]
    return np.concatenate(found, axis=-1)


def zoom_by_linspace(ask, top, left, width, side, most):
    half = width / side / 2
    rows = torch.linspace(top + half, top + width - half, side)
    columns = torch.linspace(left + half, left + width - half, side)
    grid = torch.stack(torch.meshgrid(rows, columns, indexing="ij"), dim=-1).reshape(-1, 2)
    picture = torch.empty(len(grid))
    for first in range(0, len(grid), most):
        picture[first : first + most] = ask(grid[first : first + most]).squeeze(1)
    return picture.reshape(side, side)


def zoom_by_halves(ask, top, left, width, side, most):
    def answers(positions):
        if len(positions) <= most:
            return ask(positions)[:, 0].tolist()
        half = len(positions) // 2
        return answers(positions[:half]) + answers(positions[half:])

    number = torch.arange(side * side)
    down = top + width * (number // side + 0.5) / side
    right = left + width * (number % side + 0.5) / side
    values = answers(torch.stack([down, right], 1))
    return [values[row * side : (row + 1) * side] for row in range(side)]


def zoom_by_single_pixels(ask, top, left, width, side, most):
    middles = [(2 * i + 1) * width / (2 * side) for i in range(side)]
    return torch.tensor(
        [[ask(torch.tensor([[top + y, left + x]])).item() for x in middles] for y in middles]
    )


def zoom_in_batches(ask, top, left, width, side, most):
    step = width / side
    places = itertools.product(range(side), repeat=2)
    rest = ((top + (i + 0.5) * step, left + (j + 0.5) * step) for i, j in places)
    portions = iter(lambda: list(itertools.islice(rest, most)), [])
    values = [ask(torch.tensor(some)) for some in portions]
    return torch.vstack(values).unflatten(0, (side, side)).squeeze(-1)


def zoom_from_the_end(ask, top, left, width, side, most):
    middles = width / side * (torch.arange(side) + 0.5)
    down, right = torch.meshgrid(top + middles, left + middles, indexing="xy")  # on its side
    places = torch.stack([down.T, right.T], dim=-1).view(-1, 2)
    values = []
    while len(places):
        values.insert(0, ask(places[-most:]))
        places = places[:-most]
    return torch.cat(values).reshape(side, -1)


RIGHT = {
    READ: (
        read_by_pytorch,
        read_by_einsum,
        read_inputs_first,
        read_in_numpy,
        read_weights_renewed,
    ),
    WAVES: (waves_by_shifted_sines, waves_by_powers_of_e, waves_in_lists, waves_in_numpy),
    ZOOM: (
        zoom_by_linspace,
        zoom_by_halves,
        zoom_by_single_pixels,
        zoom_in_batches,
        zoom_from_the_end,
    ),
}


@pytest.mark.parametrize(
    ("task", "answer"), [(task, answer) for task, answers in RIGHT.items() for answer in answers]
)
def test_another_style_is_right(task, answer):
    verdict = judge(task, answer)
    assert verdict.status == "right", verdict.text


def test_zooming_pixel_by_pixel_is_right_and_slow():
    assert "it asks 25 times: 4 would do" in judge(ZOOM, zoom_by_single_pixels).text
    assert judge(ZOOM, zoom_by_linspace).text == "right."
