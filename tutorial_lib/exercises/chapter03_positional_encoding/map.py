"""Chapter 03: a rotary map that is not constant along its diagonals."""

import torch

from tutorial_lib.exercises.chapter03_positional_encoding.measures import (
    EXPONENTS,
    turns_as_it_should,
)
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Symptom, case


def rotary_scores(q, k):
    """Return the scores (T, S) of queries (T, K) and keys (S, K), each turned by its position.

    Positions count from 0; pair i, the neighbours 2i and 2i + 1, turns by 10000^(-2i/K) a position.
    The scores are plain products, not yet divided by sqrt(K).
    """

    def turn(x, positions):
        angle = positions[:, None] * 10_000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q, torch.arange(len(q))) @ turn(k, torch.arange(len(k))).T


def rotary_scores_complex(q, k):
    """Second style."""
    queries = torch.view_as_complex(q.unflatten(-1, (-1, 2)).contiguous())  # (T, K/2)
    keys = torch.view_as_complex(k.unflatten(-1, (-1, 2)).contiguous())  # (S, K/2)
    offsets = torch.arange(len(q))[:, None] - torch.arange(len(k))  # (T, S)
    angles = offsets[..., None] / 10_000 ** (torch.arange(0, q.size(1), 2) / q.size(1))
    turns = torch.polar(torch.ones_like(angles), angles)  # (T, S, K/2)
    return (turns * queries[:, None] * keys.conj()).sum(-1).real


def turn(x, positions):
    """Turn neighbours by their positions: (T, K)."""
    angle = positions[:, None] / 10_000 ** (torch.arange(0, x.size(1), 2) / x.size(1))
    cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
    return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)


def rotary_scores_queries_only(q, k):
    """This turns the queries only."""
    return turn(q, torch.arange(len(q))) @ k.T


def rotary_scores_opposite(q, k):
    """This turns the keys the other way, against the queries."""

    def turn(x, positions):
        angle = positions[:, None] * 10_000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q, torch.arange(len(q))) @ turn(k, -torch.arange(len(k))).T


def rotary_scores_twice(q, k):
    """This turns the keys twice: a cache keeps them turned, and they are turned once more."""
    return turn(q, torch.arange(len(q))) @ turn(k, 2 * torch.arange(len(k))).T


def rotary_scores_restarted(q, k):
    """This lets the keys' positions start again at 0 in the middle, those of the queries not."""
    positions = torch.arange(len(k)) % ((len(k) + 1) // 2)
    return turn(q, torch.arange(len(q))) @ turn(k, positions).T


def rotary_scores_cases():
    """Other words at each position, and not as many keys as queries."""
    return [
        case("4 queries, 6 keys, width 4", torch.randn(4, 4), torch.randn(6, 4)),
        case("5 queries, 3 keys, width 6", torch.randn(5, 6), torch.randn(3, 6)),
    ]


Q, K = torch.randn(12, 8, generator=torch.Generator().manual_seed(4)).split([5, 7])
QUERIES, KEYS = torch.arange(5), torch.arange(7)


def scores_by(queries, keys, exponents, scale):
    """Make the scores by other positions of the queries and keys, exponents, and scale."""
    turned = []
    for x, positions in ((Q, queries), (K, keys)):
        angle = positions[:, None] / 10_000**exponents
        pairs = torch.view_as_complex(x.unflatten(-1, (4, 2)))
        turned.append(pairs * torch.polar(torch.ones_like(angle), angle))
    return scale * (turned[0] @ turned[1].mH).real


def plain_products(answer):
    """The scores are plain products, not divided: at position 0 nothing has turned."""
    found = (answer(Q, K)[0, 0] / (Q[0] @ K[0])).item()
    return abs(found - 1) < 1e-3 or f"The first score is {found:.3g} times q · k."


def angles_of_the_pairs(answer):
    """Pair i must turn by the angle 1 / 10000^(2i/d) from position to position."""
    if plain_products(answer) is not True:
        return None
    words = torch.eye(8)[0::2, None].expand(4, 2, 8)  # one pair at a time, at two positions
    cos = torch.stack([answer(x, x)[1, 0] for x in words]).clamp(-1, 1)
    return turns_as_it_should(cos, (1 - cos**2).sqrt())


RULES = composed(
    lambda answer: answer(Q, K),
    scores_by,
    {
        "The query at position t turns by t.": QUERIES,
        "The queries are not turned.": 0 * QUERIES,
        "The queries' positions count from 1, those of the keys from 0.": QUERIES + 1,
        "The queries turn the other way.": -QUERIES,
        "The queries turn twice.": 2 * QUERIES,
    },
    {
        "The key at position s turns by s.": KEYS,
        "The keys are not turned.": 0 * KEYS,
        "The keys' positions count from 1, those of the queries from 0.": KEYS + 1,
        "The keys turn the other way.": -KEYS,
        "The keys turn twice.": 2 * KEYS,
        "The positions of the keys start again in the middle.": KEYS % 4,
    },
    EXPONENTS,
    {"The scores are plain.": 1, "The scores are divided by sqrt(K): leave them plain.": 8**-0.5},
    otherwise=(plain_products, angles_of_the_pairs),
)


ROTARY_MAP = Symptom(
    id="3.9",
    title="Stripes gone wrong",
    level="medium",
    text="""
Correct rotary scores depend on the offset s - t alone. Those of the map above were made by code
with one of these mistakes, from the **same word** at each position, as query and as key. On which
combination of t and s do they depend? Choose the letter in the next cell. Then open the folded cell
after it: that is the code, `rotary_scores`, for you to repair.
""",
    hints=(
        "Go one row down. How many columns over, and which way, do you find the same score?",
        "A query turned by a and a key turned by b meet at the angle a - b.",
        "Put in what each mistake makes of a and b for query t and key s: t - s, t, t + s ...",
    ),
    solution=rotary_scores,
    second_style=rotary_scores_complex,
    mistakes=(
        rotary_scores_queries_only,
        rotary_scores_twice,
        rotary_scores_opposite,
        rotary_scores_restarted,
    ),
    shown=rotary_scores_opposite,
    looks=(
        "The scores would depend on t alone: each row would have one colour, from left to right.",
        "The scores would depend on t - 2s: one column on, the same score would be two rows down.",
        "The scores would depend on t + s: equal ones would run from the bottom left to the top "
        "right.",
        "The right half would be the left half again; in each half the diagonals would be right.",
    ),
    cases=rotary_scores_cases,
    properties=RULES,
    see="3I Five schemes in one layer",
)
