"""Chapter 03's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.exercises.chapter03_positional_encoding.adding import add_positions
from tutorial_lib.exercises.chapter03_positional_encoding.alibi import keys_needed
from tutorial_lib.exercises.chapter03_positional_encoding.binary import binary_positions
from tutorial_lib.exercises.chapter03_positional_encoding.relative import relative_index
from tutorial_lib.exercises.chapter03_positional_encoding.rotary import rotate_pairs
from tutorial_lib.exercises.chapter03_positional_encoding.shift import offset_of, shift
from tutorial_lib.exercises.chapter03_positional_encoding.sinusoids import sinusoidal_positions
from tutorial_lib.exercises.engine import registry
from tutorial_lib.figures import moving_columns
from tutorial_lib.positions import (
    RelativePositions,
    alibi,
    alibi_slopes,
    rotate,
    sinusoidal,
    turning_angles,
)
from tutorial_lib.recipes import longer_context
from tutorial_lib.recipes.gathering_reader import two_curves

TASKS = registry.contents("03")


# The solutions and the library ----------------------------------------------------------------


def test_binary_positions_count():
    digits = binary_positions(32, 5)
    assert (digits @ 2.0 ** torch.arange(5)).tolist() == list(range(32))


def test_sinusoidal_positions_are_the_library_s():
    assert_close(sinusoidal_positions(20, 10), sinusoidal(20, 10), rtol=0, atol=1e-5)


def test_words_plus_positions_share_the_squared_length():
    words = torch.randn(1, 200, 512, generator=torch.Generator().manual_seed(0)) / 512**0.5
    table = sinusoidal(200, 512)
    total = add_positions(words, table)
    assert_close(total - table, words * 512**0.5)
    share = table.square().sum() / (table.square().sum() + (total - table).square().sum())
    assert abs(share.item() - 1 / 3) < 0.01  # prediction P3.3


def test_the_matrices_of_3_7_shift():
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
    assert round(TASKS["3.4"].solution()) == 9_647


def test_the_base_of_3_13_is_the_recipe_s():
    base = TASKS["3.13"].solution()
    angles = turning_angles(1, 32, start=1, base=base)[0].float()  # (K/2,)
    assert_close(angles, longer_context.stretched(32, "larger base", 4, trained=64))
    trained = turning_angles(1, 32, start=1)[0].float()
    assert_close((angles / trained)[[0, -1]], torch.tensor([1, 0.25]))


# The map of 3.11 ------------------------------------------------------------------------------


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
    task = TASKS["3.11"]
    code = task.choices[letter] if letter else task.solution
    word = torch.ones(12, 8)
    scores = code(word, word)
    assert {name for name, holds in LOOKS.items() if holds(scores)} == looks


# The curve of 3.6 -----------------------------------------------------------------------------


def two_accuracies(gather):
    """Train a reader; its accuracy on all numbers, in order and shuffled into other batches."""
    _, curves = two_curves(gather, steps=400, progress=False)
    return [shares[-1] for _, shares in curves.values()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "low", "high", "alike"),
    [
        (None, 0.99, 1.0, True),
        ("a", 0.63, 0.641, True),
        ("b", 0.58, 0.70, False),
        ("c", 0.75, 1.0, True),
        ("d", 0.99, 1.0, True),
    ],
)
def test_each_reader_ends_as_it_is_described(letter, low, high, alike):
    task = TASKS["3.6"]
    one, other = two_accuracies(task.choices[letter] if letter else task.solution)
    assert (one == other) is alike
    assert low <= one <= high
    assert low <= other <= high
