"""Chapter 03: rotary positions for texts longer than those of the training."""

import math

import torch

from tutorial_lib.exercises.chapter03_positional_encoding.rotary import rotate_pairs
from tutorial_lib.exercises.engine.properties import composed, no_way_back, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def stretch_pairs(x, positions, trained, factor):
    """Return x (B, H, T, K) turned for texts `factor` times longer than the trained length.

    Pairs that go round at least once within `trained` positions turn by their position, as in
    `rotate_pairs`; slower ones by their position / factor. positions (T,) are numbers.
    """
    width = x.size(-1)
    speeds = 10_000 ** (-torch.arange(0, width, 2) / width)  # (K/2,), radians a position
    fast = trained * speeds >= 2 * math.pi  # (K/2,)
    kept, slowed = rotate_pairs(x, positions), rotate_pairs(x, positions / factor)
    return torch.where(fast.repeat_interleave(2), kept, slowed)  # (B, H, T, K)


def stretch_pairs_by_angles(x, positions, trained, factor):
    """Second style."""
    out = []
    for i in range(x.shape[-1] // 2):
        speed = 10_000 ** (-2 * i / x.shape[-1])
        if trained * speed < 2 * math.pi:
            speed = speed / factor
        angle = positions * speed  # (T,)
        u, v = x[..., 2 * i], x[..., 2 * i + 1]  # (B, H, T)
        out += [u * angle.cos() - v * angle.sin(), u * angle.sin() + v * angle.cos()]
    return torch.stack(out, dim=-1)


def stretch_cases():
    """Some pairs are fast and some are slow, all are slow, all are fast."""
    return [
        case("3 of 8 pairs are fast", torch.randn(1, 2, 6, 16), torch.arange(6) + 90, 110, 4),
        case("no pair is fast", torch.randn(2, 1, 5, 4), torch.arange(5), 5, 2),
        case("all pairs are fast", torch.randn(1, 1, 4, 2), torch.arange(3, 7), 64, 8),
    ]


WORDS = torch.randn(2, 3, 13, 32, generator=torch.Generator().manual_seed(6))
POSITIONS = torch.tensor([1200, 3, 77, 150, 90, 211, 64, 5, 118, 31, 109, 12, 87])
# Each wrong border below is passed by another number of pairs; five of 16 pass the right one.
TRAINED, FACTOR = 110, 24
SPEEDS = 10_000 ** (-torch.arange(16) / 16)  # in 110 they go round 17.5, 9.8, 5.5, 3.1, 1.8 ...


def stretched_by(fast, slowed, kept):
    """Turn with choices of one's own: which pairs are fast, and how far each sort turns."""
    angles = torch.where(fast, kept[:, None] * SPEEDS, slowed[:, None] * SPEEDS)  # (T, K/2)
    pairs = torch.view_as_complex(WORDS.unflatten(-1, (16, 2)).contiguous())
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2)


ROUND = TRAINED * SPEEDS / (2 * math.pi)
RULES = composed(
    lambda answer: answer(WORDS, POSITIONS, TRAINED, FACTOR),
    stretched_by,
    {
        "Pairs that go round at least once within the trained length are fast.": ROUND >= 1,
        "It slows the fast pairs and keeps the slow ones: the other way round.": ROUND < 1,
        "It asks for two rounds: once round a pair has met every angle.": ROUND >= 2,
        "It compares radians with 1: a round is 2 pi.": TRAINED * SPEEDS >= 1,
        "It counts the rounds in the longer text: those of the trained length count.": (
            FACTOR * ROUND >= 1
        ),
        "It counts the rounds up to the last position: those of the trained length count.": (
            POSITIONS.max() * SPEEDS >= 2 * math.pi
        ),
        "It counts the rounds in as many positions as came: those of the trained length count.": (
            len(POSITIONS) * SPEEDS >= 2 * math.pi
        ),
        "Half a round is enough for it: a round is 2 pi, not pi.": ROUND >= 1 / 2,
        "It takes the first half of the pairs for fast: count each one's rounds.": (
            torch.arange(16) < 8
        ),
        "It has one fast pair too many, which does not go round within the trained length.": (
            torch.arange(16) < 6
        ),
        "It slows every pair: that is plain interpolation.": ROUND < 0,
        "It slows no pair.": ROUND >= 0,
        "It slows only the last pair.": torch.arange(16) < 15,
        "It keeps only the first pair.": torch.arange(16) < 1,
    },
    {
        "Slow pairs turn by the position / factor.": POSITIONS / FACTOR,
        "Slow pairs turn faster: divide their positions by the factor.": POSITIONS * FACTOR,
        "Slow pairs turn by whole positions only: `//` rounds down, `/` does not.": POSITIONS
        // FACTOR,
        "Slow pairs start again after the trained length: divide by the factor.": POSITIONS
        % TRAINED,
        "Slow pairs turn by the position / trained length: divide by the factor.": POSITIONS
        / TRAINED,
        "Slow pairs do not turn at all: divide their positions by the factor.": 0 * POSITIONS,
        "Slow pairs stop at the trained length: divide by the factor.": POSITIONS.clamp(
            max=TRAINED
        ),
        "Slow pairs are slowed beyond the trained length only: divide all their positions.": (
            torch.where(POSITIONS < TRAINED, POSITIONS, POSITIONS / FACTOR)
        ),
        "Slow pairs turn the other way.": -POSITIONS / FACTOR,
        "Slow pairs count 0, 1, 2 ... in place of `positions`.": torch.arange(13) / FACTOR,
    },
    {
        "Fast pairs turn by their position.": POSITIONS,
        "Fast pairs turn the other way.": -POSITIONS,
        "It counts 0, 1, 2 ... in place of `positions`.": torch.arange(13),
    },
)


def length_is_kept(answer):
    """Yours changes the length of a word's vector, which a turn keeps."""
    got = answer(WORDS, POSITIONS, TRAINED, FACTOR)
    return torch.allclose(got.norm(dim=-1), WORDS.norm(dim=-1), rtol=1e-3)


STRETCH_PAIRS = Write(
    id="3.12",
    title="Slow hands only",
    level="medium",
    text="""
Write `stretch_pairs(x, positions, trained, factor)`: `rotate_pairs` of exercise 3.7, for texts
`factor` times longer than the `trained` length. Pairs that go round **at least once** within
`trained` positions have met every angle: they turn by their position as before. All others turn by
their position **divided by factor**. Pair i turns by 1 / 10000^(2i/K) radians a position, and x is
(B, H, T, K). You may call `rotate_pairs`, even twice. Your function then goes into a trained model.
""",
    hints=(
        "Within `trained` positions pair i turns by trained / 10000^(2i/K). Once round is 2 pi.",
        "Make both, `rotate_pairs(x, positions)` and `rotate_pairs(x, positions / factor)`.",
        "`fast.repeat_interleave(2)` has a place for each number: `torch.where` picks by it.",
    ),
    solution=stretch_pairs,
    second_style=stretch_pairs_by_angles,
    mistakes=(),
    cases=stretch_cases,
    properties=(*properties(length_is_kept), *RULES),
    remarks=(lambda answer: no_way_back(answer, WORDS, POSITIONS, TRAINED, FACTOR),),
    see="3K Longer texts",
)
