"""Chapter 03: queries and keys that turn with their place."""

import torch
from einops import rearrange

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


def turn(x, angles, signs=(-1, 1)):
    """Turn neighbours by angles that fit (..., K/2); the signs stand before the two sines."""
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    turned = [first * cos + signs[0] * second * sin, signs[1] * first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)


def rotate_pairs_halves(x, positions):
    """This pairs number i with number i + K/2, as many programs do; the paper's pairs are
    neighbours. Both learn the same, but weights trained with one are useless with the other.
    """
    neighbours = rearrange(x, "... (part pair) -> ... (pair part)", part=2)
    turned = rotate_pairs(neighbours, positions)
    return rearrange(turned, "... (pair part) -> ... (part pair)", part=2)


def rotate_pairs_joined(x, positions):
    """This turns the neighbours and then puts all first numbers before all second ones: put each
    pair back where it was.
    """
    return rearrange(rotate_pairs(x, positions), "... (pair part) -> ... (part pair)", part=2)


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


def rotate_pairs_back(x, positions):
    """This turns the wrong way: (1, 0) must become (cos a, sin a), with a plus."""
    return rotate_pairs(x, -positions)


def rotate_pairs_no_minus(x, positions):
    """This has two pluses: a turn has a minus at one sine, or the length of the pair changes."""
    return turn(x, rotary_angles(positions, x.size(-1)), signs=(1, 1))


def rotate_pairs_overwritten(x, positions):
    """This writes the new first numbers into x and then reads them back as if they were the old
    ones: keep u and v until both new numbers are made.
    """
    angles = rotary_angles(positions, x.size(-1))
    cos, sin = angles.cos(), angles.sin()
    x = x.clone()
    x[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    x[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return x


def rotate_pairs_by_head(x, positions):
    """This takes the position from the head axis: all words of a head turn alike."""
    return turn(x, rotary_angles(positions[: x.size(1)], x.size(-1))[:, None])


def rotate_pairs_by_batch(x, positions):
    """This takes the position from the batch axis: all words of a sentence turn alike."""
    return turn(x, rotary_angles(positions[: x.size(0)], x.size(-1))[:, None, None])


def rotate_pairs_counted(x, positions):
    """This counts 0, 1, 2 ... in place of `positions`: with a cache they start later."""
    return rotate_pairs(x, torch.arange(x.size(2)))


def rotate_pairs_from_first(x, positions):
    """This starts each sequence at 0: turn by the positions as they are given."""
    return rotate_pairs(x, positions - positions[0])


def rotate_pairs_late(x, positions):
    """This turns one position too far: a word at position 0 stays as it is."""
    return rotate_pairs(x, positions + 1)


def rotate_pairs_sines(x, positions):
    """This has the sines only: each number also keeps its own part, times the cosine."""
    sin = rotary_angles(positions, x.size(-1)).sin()
    return torch.stack([-x[..., 1::2] * sin, x[..., 0::2] * sin], dim=-1).flatten(-2)


def rotate_pairs_cosines(x, positions):
    """This has the cosines only: a turn also mixes in the other number of the pair, by the sine."""
    return x * rotary_angles(positions, x.size(-1)).cos().repeat_interleave(2, dim=-1)


def rotate_pairs_exponent(x, positions):
    """This has i/K as the exponent: it is 2i/K."""
    width = x.size(-1)
    return turn(x, positions[:, None] / 10_000 ** (torch.arange(width // 2) / width))


def rotate_pairs_frequency_late(x, positions):
    """This counts the frequencies from 1: the first pair has i = 0 and turns by the position."""
    width = x.size(-1)
    return turn(x, positions[:, None] / 10_000 ** (torch.arange(2, width + 2, 2) / width))


def rotate_pairs_model_width(x, positions):
    """This divides by the width of all heads together: each head has all frequencies, 2i/K."""
    width = x.size(-1)
    exponents = torch.arange(0, width, 2) / (width * x.size(1))
    return turn(x, positions[:, None] / 10_000**exponents)


def rotate_pairs_one_angle(x, positions):
    """This turns all pairs by one angle: pair i turns by pos / 10000^(2i/K)."""
    return turn(x, positions[:, None].float())


def rotate_pairs_added(x, positions):
    """This adds sines and cosines: rotary positions turn each pair, nothing is added."""
    angles = rotary_angles(positions, x.size(-1))
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def rotate_pairs_cases():
    """B, H, T and K differ, T is the largest of the first three; positions may start anywhere."""
    return [
        case("5 words from position 0", torch.randn(2, 3, 5, 4), torch.arange(5)),
        case("6 words from position 7", torch.randn(3, 2, 6, 8), torch.arange(7, 13)),
        case("4 words here and there", torch.randn(1, 2, 4, 6), torch.tensor([11, 0, 3, 2])),
    ]


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
    mistakes=(
        rotate_pairs_halves,
        rotate_pairs_joined,
        rotate_pairs_tiled,
        rotate_pairs_mixed,
        rotate_pairs_back,
        rotate_pairs_no_minus,
        rotate_pairs_overwritten,
        rotate_pairs_by_head,
        rotate_pairs_by_batch,
        rotate_pairs_counted,
        rotate_pairs_from_first,
        rotate_pairs_late,
        rotate_pairs_sines,
        rotate_pairs_cosines,
        rotate_pairs_exponent,
        rotate_pairs_frequency_late,
        rotate_pairs_model_width,
        rotate_pairs_one_angle,
        rotate_pairs_added,
    ),
    cases=rotate_pairs_cases,
    see="3.7 Rotary and ALiBi",
)
