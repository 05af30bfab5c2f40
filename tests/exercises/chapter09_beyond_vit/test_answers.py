"""Chapter 09's exercises agree with the library, and take right answers of other styles."""

import itertools
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from einops import einsum, rearrange
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.exercises.chapter09_beyond_vit import forgotten, reverse
from tutorial_lib.exercises.chapter09_beyond_vit.forgotten import window_means
from tutorial_lib.exercises.chapter09_beyond_vit.merging import merge
from tutorial_lib.exercises.chapter09_beyond_vit.partition import windows
from tutorial_lib.exercises.chapter09_beyond_vit.relative_index import table_index
from tutorial_lib.exercises.chapter09_beyond_vit.reverse import put_back
from tutorial_lib.exercises.chapter09_beyond_vit.shift_mask import may_look
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.tasks import Symptom
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import windows as library
from tutorial_lib.positions import RelativeGrid

TASKS = registry.contents("09")
SIZES = [(4, 6, 2, 1), (9, 6, 3, 2), (8, 4, 4, 1), (7, 14, 7, 3), (4, 4, 2, 0)]


# The solutions and the library ----------------------------------------------------------------


@pytest.mark.parametrize(("height", "width", "side", "shift"), SIZES)
def test_windows_and_back_are_those_of_the_library(height, width, side, shift):
    x = torch.randn(2, height, width, 3)
    rows = windows(x, side)
    assert torch.equal(rows, library.window_partition(x, side))
    assert torch.equal(put_back(rows, side, height, width), x)
    assert torch.equal(library.window_reverse(rows, side, height, width), x)


@pytest.mark.parametrize(("height", "width", "side", "shift"), SIZES)
def test_who_may_look_is_the_mask_of_the_library(height, width, side, shift):
    mask = library.shifted_window_mask(height, width, side, shift)
    assert torch.equal(may_look(height, width, side, shift), mask)


class Nothing(nn.Module):
    """Adds nothing to the scores."""

    def forward(self):
        return None


@pytest.mark.parametrize(("height", "width", "side", "shift"), SIZES[:2])
def test_window_means_are_attention_whose_scores_are_all_alike(height, width, side, shift):
    attention = MultiHeadAttention(4, 1, linear_bias=False)
    with torch.no_grad():
        attention.qkv.weight[:] = torch.cat([torch.zeros(8, 4), torch.eye(4)])  # no query, no key
        attention.output.weight[:] = torch.eye(4)
        layer = library.ShiftedWindows(attention, Nothing(), side, shift)
        x = torch.randn(height, width, 4)
        assert torch.allclose(layer(x[None])[0], window_means(x, side, shift), atol=1e-5)


@pytest.mark.parametrize("side", [1, 2, 3, 7])
def test_the_library_counts_steps_from_query_to_key(side):
    """It turns the released tables round when it reads them: the same step, seen from the key."""
    assert torch.equal(table_index(side), RelativeGrid(1, side, side).steps.T)


def test_merge_is_the_library_without_its_norm():
    layer = library.PatchMerging(3)
    layer.norm = nn.Identity()
    for sides in ((4, 6), (5, 4), (4, 7), (3, 5)):
        x = torch.randn(2, *sides, 3)
        found = merge(x, layer.reduction.weight.detach().T)
        assert torch.allclose(found, layer(x).detach(), atol=1e-6)


# The pictures say what the looks say ------------------------------------------------------------


def test_four_flat_copies():
    picture = torch.rand(24, 36, 3)
    assert torch.equal(reverse.scrambled(put_back, picture, 4), picture)
    found = reverse.scrambled(TASKS["9.2"].shown, picture, 4)
    for copy in range(4):
        assert torch.equal(found[6 * copy : 6 * copy + 6], picture[copy::4])


def test_where_the_light_goes():
    bright = {
        letter: forgotten.shone_through(code)[5, :, 0]
        for letter, code in TASKS["9.4"].choices.items()
    }
    picture = forgotten.stripe()
    assert torch.allclose(forgotten.shone_through(window_means), picture)
    dark, light = picture[5, 0, 0], picture[5, -1, 0]
    half = (dark + light) / 2
    row = torch.full((16,), dark.item())
    wanted = {letter: row.clone() for letter in "abcd"}
    wanted["a"][-4:] = half
    wanted["b"][:2], wanted["b"][-2:] = dark / 2, light / 2
    wanted["c"][:2] = wanted["c"][-2:] = half
    wanted["d"][10:12] = light
    assert TASKS["9.4"].answer == "c"
    for letter, columns in wanted.items():
        assert torch.allclose(bright[letter], columns, atol=1e-6), letter


# Other ways to be right -------------------------------------------------------------------------


def windows_by_einops(x, side):
    return rearrange(x, "b (r i) (c j) d -> (b r c) (i j) d", i=side, j=side)


def windows_by_unfold(x, side):
    return (
        x.unfold(1, side, side)
        .unfold(2, side, side)
        .permute(0, 1, 2, 4, 5, 3)
        .flatten(0, 2)
        .flatten(1, 2)
    )


def windows_as_convolutions_see_them(x, side):
    columns = F.unfold(x.permute(0, 3, 1, 2), side, stride=side)  # (B, D · side², N)
    return columns.unflatten(1, (x.size(-1), -1)).permute(0, 3, 2, 1).flatten(0, 1)


def windows_in_numpy(x, side):
    x = np.asarray(x)
    n_images, height, width, _ = x.shape
    return np.array(
        [
            [x[b, i + u, j + v] for u in range(side) for v in range(side)]
            for b in range(n_images)
            for i in range(0, height, side)
            for j in range(0, width, side)
        ]
    )


def windows_sorted(x, side):
    _, height, width, _ = x.shape
    r, c = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    number = ((r // side * (width // side) + c // side) * side + r % side) * side + c % side
    return x.flatten(1, 2)[:, number.flatten().argsort()].reshape(-1, side**2, x.size(-1))


def put_back_by_einops(windows, side, height, width):
    sizes = {"i": side, "r": height // side, "c": width // side}
    return rearrange(windows, "(b r c) (i j) d -> b (r i) (c j) d", **sizes)


def put_back_strip_by_strip(windows, side, height, width):
    maps = []
    for image in windows.split(height * width // side**2):
        strips = [
            torch.cat([w.view(side, side, -1) for w in strip], dim=1)
            for strip in image.split(width // side)
        ]
        maps.append(torch.cat(strips))
    return torch.stack(maps)


def put_back_by_fold(windows, side, height, width):
    columns = windows.unflatten(0, (-1, height * width // side**2)).permute(0, 3, 2, 1)
    return F.fold(columns.flatten(1, 2), (height, width), side, stride=side).permute(0, 2, 3, 1)


def put_back_by_places(windows, side, height, width):
    places = torch.arange(len(windows) * side**2).view(-1, height, width, 1)
    found = torch.empty(places.numel(), windows.size(-1))
    found[windows_by_einops(places, side).flatten()] = windows.flatten(0, 1)
    return found.view(*places.shape[:3], -1)


def may_look_where_steps_agree(height, width, side, shift):
    came = torch.cartesian_prod(torch.arange(height), torch.arange(width))
    came = came.view(1, height, width, 2)
    now = windows_by_einops(came, side)
    came = windows_by_einops(came.roll((-shift, -shift), dims=(1, 2)), side)
    steps, wanted = came[:, :, None] - came[:, None], now[:, :, None] - now[:, None]
    return (steps == wanted).all(dim=-1)


def may_look_in_nine_parts(height, width, side, shift):
    """As in Swin's released code."""
    marks = torch.zeros(1, height, width, 1)
    cuts = (slice(0, -side), slice(-side, -shift), slice(-shift, None)) if shift else (slice(None),)
    for number, (rows, columns) in enumerate(itertools.product(cuts, cuts)):
        marks[:, rows, columns] = number
    rows = windows_by_einops(marks, side)[..., 0]
    return (rows[:, None] - rows[:, :, None]) == 0


def may_look_by_axis(height, width, side, shift):
    def runs(size):
        groups = (torch.arange(size) + shift < size).view(-1, side)
        return groups[:, :, None] == groups[:, None]

    down, right = runs(height), runs(width)
    both = down[:, None, :, None, :, None] & right[None, :, None, :, None, :]
    return both.flatten(0, 1).flatten(3, 4).flatten(1, 2)


def window_means_by_softmax(x, side, shift):
    height, width, _ = x.shape
    seen = may_look(height, width, side, shift)
    rows = windows(x.roll((-shift, -shift), dims=(0, 1))[None], side)
    weights = torch.zeros(seen.shape).masked_fill(~seen, -math.inf).softmax(dim=-1)
    return put_back(weights @ rows, side, height, width)[0].roll((shift, shift), dims=(0, 1))


def window_means_one_by_one(x, side, shift):
    height, width, _ = x.shape
    rows = windows(x.roll((-shift, -shift), dims=(0, 1))[None], side)
    pairs = zip(rows, may_look(height, width, side, shift), strict=True)
    means = torch.stack([torch.stack([row[seen].mean(0) for seen in mask]) for row, mask in pairs])
    return put_back(means, side, height, width).roll((shift, shift), dims=(1, 2))[0]


def window_means_never_rolled(x, side, shift):
    def cuts(size):
        return itertools.pairwise([0] * (shift > 0) + [*range(shift, size, side), size])

    found = x.clone()
    for (top, bottom), (left, right) in itertools.product(cuts(len(x)), list(cuts(x.size(1)))):
        found[top:bottom, left:right] = x[top:bottom, left:right].mean(dim=(0, 1))
    return found


def table_index_of_swin(side):
    grid = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    cells = torch.stack(grid).flatten(1)
    steps = (cells[:, :, None] - cells[:, None]).permute(1, 2, 0).contiguous()
    steps += side - 1
    steps[:, :, 0] *= 2 * side - 1
    return steps.sum(-1)


def table_index_in_lists(side):
    cells, reach = [divmod(i, side) for i in range(side**2)], 2 * side - 1
    return [[(a - c + side - 1) * reach + b - d + side - 1 for c, d in cells] for a, b in cells]


def table_index_cut_out(side):
    table = torch.arange((2 * side - 1) ** 2).view(2 * side - 1, -1)
    cut = [table[r : r + side, c : c + side] for r in range(side) for c in range(side)]
    return torch.stack([part.flip(0, 1).flatten() for part in cut])


def table_index_in_numpy(side):
    number = np.add.outer(np.arange(side) * (2 * side - 1), np.arange(side)).ravel()
    return number[:, None] - number + 2 * side * (side - 1)


def merge_as_a_convolution(x, weight):
    d_model = x.size(-1)
    x = F.pad(x.permute(0, 3, 1, 2), (0, x.size(2) % 2, 0, x.size(1) % 2))
    kernel = weight.view(2, 2, d_model, 2 * d_model).permute(3, 2, 1, 0)
    return F.conv2d(x, kernel, stride=2).permute(0, 2, 3, 1)


def merge_by_einsum(x, weight):
    x = F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))
    x = rearrange(x, "b (r h) (c w) d -> b r c w h d", h=2, w=2)
    weight = weight.view(2, 2, x.size(-1), -1)
    return einsum(x, weight, "b r c w h d, w h d o -> b r c o")


def merge_with_zeros_joined(x, weight):
    if x.size(1) % 2:
        x = torch.cat([x, torch.zeros_like(x[:, :1])], dim=1)
    if x.size(2) % 2:
        x = torch.cat([x, torch.zeros_like(x[:, :, :1])], dim=2)
    columns = torch.cat([x[:, ::2], x[:, 1::2]], dim=-1)
    return torch.cat([columns[:, :, ::2], columns[:, :, 1::2]], dim=-1) @ weight


def merge_cell_by_cell(x, weight):
    n_images, height, width, d_model = x.shape
    found = torch.zeros(n_images, -(-height // 2), -(-width // 2), 2 * d_model)
    for i, j in itertools.product(range(found.size(1)), range(found.size(2))):
        four = []
        for r, c in (
            (2 * i, 2 * j),
            (2 * i + 1, 2 * j),
            (2 * i, 2 * j + 1),
            (2 * i + 1, 2 * j + 1),
        ):
            inside = r < height and c < width
            four.append(x[:, r, c] if inside else torch.zeros(n_images, d_model))
        found[:, i, j] = torch.cat(four, dim=1) @ weight
    return found


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("9.1", windows_by_einops),
        ("9.1", windows_by_unfold),
        ("9.1", windows_as_convolutions_see_them),
        ("9.1", windows_in_numpy),
        ("9.1", windows_sorted),
        ("9.1", library.window_partition),
        ("9.2", put_back_by_einops),
        ("9.2", put_back_strip_by_strip),
        ("9.2", put_back_by_fold),
        ("9.2", put_back_by_places),
        ("9.2", library.window_reverse),
        ("9.3", may_look_where_steps_agree),
        ("9.3", may_look_in_nine_parts),
        ("9.3", may_look_by_axis),
        ("9.3", library.shifted_window_mask),
        ("9.4", window_means_by_softmax),
        ("9.4", window_means_one_by_one),
        ("9.4", window_means_never_rolled),
        ("9.5", table_index_of_swin),
        ("9.5", table_index_in_lists),
        ("9.5", table_index_cut_out),
        ("9.5", table_index_in_numpy),
        ("9.6", merge_as_a_convolution),
        ("9.6", merge_by_einsum),
        ("9.6", merge_with_zeros_joined),
        ("9.6", merge_cell_by_cell),
    ],
)
def test_another_style_is_right(number, answer):
    task = TASKS[number]
    verdict = judge(task, *((task.answer, answer) if isinstance(task, Symptom) else (answer,)))
    assert verdict.status == "right", verdict.text
    assert verdict.text.endswith(("right.", "works."))
