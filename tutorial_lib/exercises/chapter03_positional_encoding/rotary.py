"""Chapter 03: queries and keys that turn with their place."""

import torch
from einops import rearrange

from tutorial_lib.exercises.engine.properties import alike, composed
from tutorial_lib.exercises.engine.tasks import Write, case


def rotate_pairs(x, positions):
    """Return x (B, H, T, K) with pair i of word t turned by positions[t] / 10000^(2i/K).

    Pair i stands in the neighbours 2i and 2i + 1; positions (T,) holds whole numbers; K is even.
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
    stand twice in a row.
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
    ]


POSITIONS = torch.tensor([7, 2, 0, 9, 4])


def words_of_heads():
    """Two sentences, three heads, five words, width 8."""
    return torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(3))


def turned_by(pairs, places, exponent, turn):
    """The words turned by choices of one's own."""
    x = words_of_heads()
    first, second = (x[..., part] for part in pairs[0])
    angles = places[..., None] / 10_000 ** exponent(torch.arange(4))
    turned, out = turn(first, second, angles.cos(), angles.sin()), torch.empty_like(x)
    for part, numbers in zip(pairs[1], turned, strict=True):
        out[..., part] = numbers
    return out


NEIGHBOURS = slice(0, 8, 2), slice(1, 8, 2)
HALVES = slice(0, 4), slice(4, 8)


def length_is_kept(answer):
    """A turn keeps the length of each word's vector, and yours does not."""
    return alike(answer(words_of_heads(), POSITIONS).norm(dim=-1), words_of_heads().norm(dim=-1))


ROTARY_RULES = composed(
    lambda answer: answer(words_of_heads(), POSITIONS),
    turned_by,
    {
        "Numbers 2i and 2i + 1 form a pair.": (NEIGHBOURS, NEIGHBOURS),
        (
            "It pairs number i with number i + K/2, as many programs do: here neighbours are "
            "paired. Weights trained with one are useless with the other."
        ): ((HALVES, HALVES)),
        "It puts all first numbers before all second ones: put each pair back where it was.": (
            (
                NEIGHBOURS,
                HALVES,
            )
        ),
    },
    {
        "Word t turns by positions[t].": POSITIONS,
        "It counts 0, 1, 2 ... in place of `positions`.": torch.arange(5),
        "It starts at 0: turn by the positions as they are given.": POSITIONS - 7,
        "It turns one position too far: at position 0 a word stays as it is.": POSITIONS + 1,
        "It takes the position from the head axis.": POSITIONS[:3, None],
        "It takes the position from the batch axis.": POSITIONS[:2, None, None],
        "It turns by twice the angle.": 2 * POSITIONS,
    },
    {
        "Pair i turns by position / 10000^(2i/K).": lambda i: i / 4,
        "The exponent is i/K: it is 2i/K.": lambda i: i / 8,
        "It counts pairs from 1: the first has i = 0 and turns by the position.": (
            lambda i: (i + 1) / 4
        ),
        "It divides by the width of all heads together: K is one head's.": lambda i: i / 12,
        "All pairs turn by one angle: pair i by position / 10000^(2i/K).": lambda i: 0 * i,
        "It multiplies by 10000^(2i/K): the later a pair, the less it turns.": lambda i: -i / 4,
    },
    {
        "A pair (u, v) becomes (u cos a - v sin a, u sin a + v cos a).": lambda u, v, cos, sin: (
            u * cos - v * sin,
            u * sin + v * cos,
        ),
        "It turns the wrong way: (1, 0) becomes (cos a, sin a).": (
            lambda u, v, cos, sin: (u * cos + v * sin, v * cos - u * sin)
        ),
        "It has two pluses: a turn has a minus at one sine.": (
            lambda u, v, cos, sin: (u * cos + v * sin, u * sin + v * cos)
        ),
        (
            "It reads the new first number as if it were the old one: keep u and v until both "
            "are made."
        ): (
            lambda u, v, cos, sin: (
                u * cos - v * sin,
                (u * cos - v * sin) * sin + v * cos,
            )
        ),
        "It has the sines only.": lambda u, v, cos, sin: (-v * sin, u * sin),
        "It has the cosines only: a turn mixes the two numbers of a pair.": (
            lambda u, v, cos, sin: (u * cos, v * cos)
        ),
        "It adds sines and cosines: nothing is added, each pair is turned.": (
            lambda u, v, cos, sin: (u + sin, v + cos)
        ),
    },
    otherwise=(length_is_kept,),
)


ROTATE_PAIRS = Write(
    id="3.9",
    title="Rotary positions",
    level="medium",
    text="""
Write `rotate_pairs(x, positions)`: turn the queries or keys x (B, H, T, K) of all heads. Neighbours
form a pair: numbers 2i and 2i + 1 of word t turn by the angle a = positions[t] / 10000^(2i/K), from
(u, v) to **(u cos a - v sin a, u sin a + v cos a)**. The positions (T,) may start anywhere. Turned
queries and keys have scores that depend on the offset alone; nothing is added to the words.
""",
    hints=(
        "The angles first, (T, K/2): they broadcast against (B, H, T, K/2).",
        "`x[..., 0::2]` holds the first numbers of all pairs, `x[..., 1::2]` the second ones.",
        "`torch.stack([new_first, new_second], dim=-1).flatten(-2)` puts neighbours side by side.",
    ),
    solution=rotate_pairs,
    second_style=rotate_pairs_complex,
    mistakes=(rotate_pairs_tiled, rotate_pairs_mixed),
    cases=rotate_pairs_cases,
    properties=ROTARY_RULES,
    see="3.7 Rotary and ALiBi",
)
