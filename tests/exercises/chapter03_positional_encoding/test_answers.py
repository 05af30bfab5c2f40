"""Chapter 03's exercises agree with the library, and its pictures look as the choices say."""

import math

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import RotaryAttention
from tutorial_lib.exercises.chapter03_positional_encoding.alibi import keys_needed
from tutorial_lib.exercises.chapter03_positional_encoding.binary import binary_positions
from tutorial_lib.exercises.chapter03_positional_encoding.doors import attend_with_positions
from tutorial_lib.exercises.chapter03_positional_encoding.relative import relative_index
from tutorial_lib.exercises.chapter03_positional_encoding.rotary import rotate_pairs
from tutorial_lib.exercises.chapter03_positional_encoding.shift import offset_of, shift
from tutorial_lib.exercises.chapter03_positional_encoding.sinusoids import sinusoidal_positions
from tutorial_lib.exercises.chapter03_positional_encoding.stretch import stretch_pairs
from tutorial_lib.exercises.engine import registry
from tutorial_lib.figures import moving_columns, wavelengths
from tutorial_lib.positions import (
    RelativePositions,
    alibi,
    alibi_slopes,
    rotate,
    sinusoidal,
)
from tutorial_lib.recipes.gathering_reader import curves_of

TASKS = registry.contents("03")


# The solutions and the library ----------------------------------------------------------------


def test_binary_positions_count():
    digits = binary_positions(32, 5)
    assert (digits @ 2.0 ** torch.arange(5)).tolist() == list(range(32))


def test_sinusoidal_positions_are_the_library_s():
    assert_close(sinusoidal_positions(20, 10), sinusoidal(20, 10), rtol=0, atol=1e-5)


def test_the_matrices_of_3_5_shift():
    table = sinusoidal(50, 6)
    for offset in (-7, 0, 1, 12):
        moved = table[10:30] @ shift(offset, 6).T
        assert_close(moved, table[10 + offset : 30 + offset], rtol=0, atol=0.02)


def test_an_exact_matrix_is_read_as_well():
    step = torch.zeros(8, 8)
    for i in range(0, 8, 2):
        step[i, i + 1], step[i + 1, i] = 10_000 ** (-i / 8), -(10_000 ** (-i / 8))
    for offset in (-713, 0, 3, 710):
        assert offset_of(torch.matrix_exp(offset * step)) == offset


@pytest.mark.parametrize(("n_queries", "n_keys", "reach"), [(5, 5, 2), (2, 6, 3), (3, 3, 8)])
def test_relative_rows_are_the_library_s(n_queries, n_keys, reach):
    positions = RelativePositions(n_heads=2, max_distance=reach)
    with torch.no_grad():
        positions.weight.normal_()
    rows = relative_index(n_queries, n_keys, reach)
    assert_close(positions(n_queries, n_keys), positions.weight[:, rows])


def test_rotated_pairs_are_the_library_s():
    x = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(0))
    assert_close(rotate_pairs(x, torch.arange(7, 12)), rotate(x, start=7), rtol=0, atol=1e-5)


def test_the_layer_with_three_doors_is_the_library_s():
    generator = torch.Generator().manual_seed(0)
    x, table = torch.randn(2, 5, 8, generator=generator), sinusoidal(9, 8)
    maps, bias = torch.randn(3, 8, 8, generator=generator), alibi(2, 5)
    found = attend_with_positions(x, *maps, 2, table, rotate, bias)
    layer = RotaryAttention(8, 2, linear_bias=False)
    with torch.no_grad():
        layer.qkv.weight.copy_(torch.cat([w.T for w in maps]))
        layer.output.weight.copy_(torch.eye(8))
        assert_close(found, layer(x + table[:5], bias=bias), rtol=0, atol=1e-5)


def test_only_slow_pairs_are_stretched():
    x = torch.randn(1, 1, 6, 32, generator=torch.Generator().manual_seed(0))
    found, places = stretch_pairs(x, torch.arange(6), 64, 4), torch.arange(6)
    plain, slowed = rotate_pairs(x, places), rotate_pairs(x, places / 4)
    assert_close(found[..., :10], plain[..., :10])  # the fifth goes round 1.02 times in 64
    assert_close(found[..., 10:], slowed[..., 10:])


def test_alibi_s_widest_head_stops_at_590_keys():
    slopes, needed = alibi_slopes(8), []
    for n in (1_024, 4_096, 16_384):
        weights = (-slopes[:, None] * torch.arange(n - 1, -1, -1)).softmax(dim=-1)  # (H, S)
        needed.append(keys_needed(weights, 0.9).tolist())
    assert [row[-1] for row in needed] == [551, 590, 590]
    assert [row[0] for row in needed] == [5, 5, 5]
    short = alibi(8, 64)[:, -1].softmax(dim=-1)
    assert_close(short, (-slopes[:, None] * torch.arange(63, -1, -1)).softmax(dim=-1))


def test_the_sources_numbers():
    assert moving_columns(512, 20) == 104
    assert TASKS["3.3"].solution() == 304
    assert round(wavelengths(512)[-1] / (2 * math.pi)) == 9_647


# The map of 3.9 -------------------------------------------------------------------------------


def along(scores, down, right):
    """Whether a score stands again `down` rows and `right` columns on."""
    rows, columns = scores.shape
    first = scores[: rows - down, max(0, -right) : columns - max(0, right)]
    second = scores[down:, max(0, right) : columns + min(0, right)]
    return torch.allclose(first, second, atol=1e-4)


def halves_agree(scores):
    middle = scores.size(1) // 2
    return torch.allclose(scores[:, :middle], scores[:, middle:], atol=1e-4)


LOOKS = {
    "diagonals": lambda scores: along(scores, 1, 1),
    "rows": lambda scores: along(scores, 0, 1),
    "two down, one on": lambda scores: along(scores, 2, 1),
    "other diagonals": lambda scores: along(scores, 1, -1),
    "halves": halves_agree,
}


@pytest.mark.parametrize(
    ("letter", "looks"),
    [
        (None, {"diagonals"}),
        ("a", {"rows", "halves"}),
        ("b", {"two down, one on"}),
        ("c", {"other diagonals"}),
        ("d", {"halves"}),
    ],
)
def test_each_rotary_map_looks_as_it_is_described(letter, looks):
    task = TASKS["3.9"]
    code = task.choices[letter] if letter else task.solution
    word = torch.ones(12, 8)
    scores = code(word, word)
    assert {name for name, holds in LOOKS.items() if holds(scores)} == looks


# The curve of 3.4 -----------------------------------------------------------------------------


def accuracies(gather):
    """Train a reader; its accuracy on all numbers, in order and shuffled into other batches."""
    curves = curves_of(gather, steps=400, progress=False)
    return [shares[-1] for _, shares in curves.values()]


def test_only_the_softmax_over_the_batch_reads_the_numbers_beside_one():
    words = torch.randn(6, 5, 4)
    others = torch.cat([words[:1], torch.randn(5, 5, 4)])
    table, question = torch.randn(8, 4), torch.randn(4)
    changed = {
        letter: not torch.allclose(
            gather(words, table, question)[0], gather(others, table, question)[0]
        )
        for letter, gather in TASKS["3.4"].choices.items()
    }
    assert changed == {"a": False, "b": False, "c": False, "d": True}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "low", "high", "alike"),
    [
        (None, 0.99, 1.0, True),
        ("a", 0.63, 0.641, True),
        ("b", 0.58, 0.70, False),
        ("c", 0.75, 1.0, True),
        ("d", 0.3, 0.62, False),
    ],
)
def test_each_reader_ends_as_it_is_described(letter, low, high, alike):
    task = TASKS["3.4"]
    shares = accuracies(task.choices[letter] if letter else task.solution)
    assert len(shares) == 4
    assert (len(set(shares)) == 1) is alike
    assert low <= min(shares)
    assert max(shares) <= high
