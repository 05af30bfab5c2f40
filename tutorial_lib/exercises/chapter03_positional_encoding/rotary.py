"""Chapter 03: queries and keys that turn with their position."""

import torch
from einops import rearrange

from tutorial_lib.exercises.chapter03_positional_encoding.measures import (
    EXPONENTS,
    PAIRS,
    turns_as_it_should,
)
from tutorial_lib.exercises.engine.properties import alike, composed, no_way_back
from tutorial_lib.exercises.engine.tasks import Write, case


def rotate_pairs(x, positions):
    """Return x (B, H, T, K) with pair i of word t turned by positions[t] / 10000^(2i/K).

    Pair i is in the neighbours 2i and 2i + 1; positions (T,) are numbers, whole or not; K is even.
    """
    width = x.size(-1)
    frequencies = 10_000 ** (-torch.arange(0, width, 2, device=x.device) / width)  # (K/2,)
    angles = positions[:, None] * frequencies  # (T, K/2)
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]  # (B, H, T, K/2)
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(-2)  # (B, H, T, K)


def rotate_pairs_complex(x, positions):
    """Second style."""
    pairs = rearrange(x, "... (pair part) -> ... pair part", part=2).contiguous()
    n_pairs = pairs.size(-2)
    angles = torch.outer(positions.to(x.dtype), 10_000 ** (-torch.arange(n_pairs) / n_pairs))
    turned = torch.view_as_complex(pairs) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2)


def rotary_angles(positions, width):
    """The angle of each pair: (T, K/2)."""
    return positions[:, None] / 10_000 ** (torch.arange(0, width, 2) / width)


def rotate_pairs_tiled(x, positions):
    """This turns neighbours by different angles: cos and sin are laid end to end where each must
    come twice in a row.
    """
    angles = rotary_angles(positions, x.size(-1)).repeat(1, 2)  # (T, K)
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + swapped * angles.sin()


def rotate_pairs_mixed(x, positions):
    """This mixes two ways of pairing: neighbours share an angle, but meet the other half."""
    angles = rotary_angles(positions, x.size(-1)).repeat_interleave(2, dim=-1)  # (T, K)
    half = x.size(-1) // 2
    swapped = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * angles.cos() + swapped * angles.sin()


def rotate_pairs_cases():
    """B, H, T and K differ, T is the largest of the first three; positions may start anywhere."""
    return [
        case("5 words from position 0", torch.randn(2, 3, 5, 4), torch.arange(5)),
        case("6 words from position 7", torch.randn(3, 2, 6, 8), torch.arange(7, 13)),
        case("4 words here and there", torch.randn(1, 2, 4, 6), torch.tensor([11, 0, 3, 2])),
        case("5 words, a quarter apart", torch.randn(2, 1, 5, 4), torch.arange(5) / 4),
    ]


POSITIONS = torch.tensor([7, 2, 0, 9, 4])
WORDS = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(3))
NEIGHBOURS, HALVES = (slice(0, 8, 2), slice(1, 8, 2)), (slice(0, 4), slice(4, 8))


def turned_by(pairs, positions, exponents, turn):
    """Turn the words with other pairs (before and after), positions, exponents, or another turn."""
    u, v = (WORDS[..., part] for part in pairs[0])
    angles, out = positions[..., None] / 10_000**exponents, torch.empty_like(WORDS)
    for part, numbers in zip(pairs[1], turn(u, v, angles.cos(), angles.sin()), strict=True):
        out[..., part] = numbers
    return out


def length_is_kept(answer):
    """A turn keeps the length of each word's vector, and yours does not."""
    return alike(answer(WORDS, POSITIONS).norm(dim=-1), WORDS.norm(dim=-1))


def angles_of_the_pairs(answer):
    """Pair i must turn by the angle position / 10000^(2i/d)."""
    got = answer(torch.tensor([1.0, 0.0]).repeat(1, 1, 1, 4), torch.tensor([1]))[0, 0, 0]
    return turns_as_it_should(got[0::2], got[1::2])


RULES = composed(
    lambda answer: answer(WORDS, POSITIONS),
    turned_by,
    {
        "Numbers 2i and 2i + 1 form a pair.": (NEIGHBOURS, NEIGHBOURS),
        "It pairs number i with number i + K/2, as many programs do: here neighbours are paired. "
        "Weights trained with one are useless with the other.": (HALVES, HALVES),
        "It puts all first numbers before all second ones: put each pair back.": (
            NEIGHBOURS,
            HALVES,
        ),
    },
    {
        "Word t turns by positions[t].": POSITIONS,
        "It counts 0, 1, 2 ... in place of `positions`.": torch.arange(5),
        "It takes the first position and counts on: `positions` may have gaps.": 7
        + torch.arange(5),
        "It starts at 0: turn by the positions as they are given.": POSITIONS - 7,
        "It turns one position too far: at position 0 a word stays as it is.": POSITIONS + 1,
        "It takes the position from the head axis.": POSITIONS[:3, None],
        "It takes the position from the batch axis.": POSITIONS[:2, None, None],
        "It turns by twice the angle.": 2 * POSITIONS,
    },
    EXPONENTS | {"It divides by the width of all heads together: d is one head's.": PAIRS / 12},
    {
        "A pair (u, v) becomes (u cos a - v sin a, u sin a + v cos a).": (
            lambda u, v, c, s: (u * c - v * s, u * s + v * c)
        ),
        "It turns the wrong way: (1, 0) becomes (cos a, sin a).": (
            lambda u, v, c, s: (u * c + v * s, v * c - u * s)
        ),
        "It has two pluses: a turn has a minus at one sine.": (
            lambda u, v, c, s: (u * c + v * s, u * s + v * c)
        ),
        "It reads the new u as if it were the old one: keep both until both are made.": (
            lambda u, v, c, s: (u * c - v * s, (u * c - v * s) * s + v * c)
        ),
        "It has the sines only.": lambda u, v, c, s: (-v * s, u * s),
        "It has the cosines only: a turn mixes u and v.": lambda u, v, c, s: (u * c, v * c),
        "It adds sines and cosines: turn each pair.": lambda u, v, c, s: (u + s, v + c),
    },
    otherwise=(length_is_kept, angles_of_the_pairs),
)


ROTATE_PAIRS = Write(
    id="3.7",
    title="Rotary positions",
    level="medium",
    text="""
`rotate_pairs(x, positions)` is to turn x, the queries or keys (B, H, T, K) of all heads. In word t
the numbers 2i and 2i + 1 are a pair (u, v). Turn it by the angle a = positions[t] / 10000^(2i/K),
to **(u cos a - v sin a, u sin a + v cos a)**. Below its `raise` the stub has code that runs, with
two mistakes in it. One shows only when a text is continued, so that its positions do not start at
0. The other turns vectors into longer or shorter ones. Fix both: this chapter's rotary models turn
with your code.
""",
    hints=(
        "Call it with positions 0, 1, 2, then with 7, 8, 9. What changes? What should?",
        "Turn a vector and take its length before and after. After which line is it wrong?",
        "`turned[..., 0::2]` is no copy: what is in `u` once the line that writes there has run?",
    ),
    solution=rotate_pairs,
    second_style=rotate_pairs_complex,
    mistakes=(rotate_pairs_tiled, rotate_pairs_mixed),
    cases=rotate_pairs_cases,
    properties=RULES,
    remarks=(lambda answer: no_way_back(answer, WORDS, POSITIONS),),
    see="3G Rotary positions",
)
