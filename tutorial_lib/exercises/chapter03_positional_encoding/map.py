"""Chapter 03: a rotary map that is not constant along its diagonals."""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Symptom, case


def rotary_scores(q, k):
    """Return the scores (T, S) of queries (T, K) and keys (S, K), each turned by its place.

    Places count from 0; pair i, the neighbours 2i and 2i + 1, turns by 10000^(-2i/K) a place.
    The scores are plain products, not yet divided by sqrt(K).
    """

    def turn(x, places):
        angle = places[:, None] * 10_000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
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


def turn(x, places):
    """Turn neighbours by their places: (T, K)."""
    angle = places[:, None] / 10_000 ** (torch.arange(0, x.size(1), 2) / x.size(1))
    cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
    return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)


def rotary_scores_queries_only(q, k):
    """This turns the queries only."""
    return turn(q, torch.arange(len(q))) @ k.T


def rotary_scores_opposite(q, k):
    """This turns the keys the other way, against the queries."""

    def turn(x, places):
        angle = places[:, None] * 10_000 ** (-torch.arange(0, x.size(1), 2) / x.size(1))
        cos, sin, u, v = angle.cos(), angle.sin(), x[:, 0::2], x[:, 1::2]
        return torch.stack([u * cos - v * sin, u * sin + v * cos], dim=-1).flatten(1)

    return turn(q, torch.arange(len(q))) @ turn(k, -torch.arange(len(k))).T


def rotary_scores_twice(q, k):
    """This turns the keys twice: a cache keeps them turned, and they are turned once more."""
    return turn(q, torch.arange(len(q))) @ turn(k, 2 * torch.arange(len(k))).T


def rotary_scores_restarted(q, k):
    """This lets the places of the keys start again at 0 in the middle, those of the queries not."""
    places = torch.arange(len(k)) % ((len(k) + 1) // 2)
    return turn(q, torch.arange(len(q))) @ turn(k, places).T


def rotary_scores_cases():
    """Other words at each place, and not as many keys as queries."""
    return [
        case("4 queries, 6 keys, width 4", torch.randn(4, 4), torch.randn(6, 4)),
        case("5 queries, 3 keys, width 6", torch.randn(5, 6), torch.randn(3, 6)),
    ]


def rotary_example():
    """Five queries and seven keys, width 8."""
    generator = torch.Generator().manual_seed(4)
    return torch.randn(5, 8, generator=generator), torch.randn(7, 8, generator=generator)


def scores_by(queries, keys, exponent, scale):
    """The scores by choices of one's own."""

    def turned(x, places):
        angle = places[:, None] / 10_000 ** (exponent * torch.arange(4) / 8)
        pairs = torch.view_as_complex(x.view(len(x), 4, 2))
        return pairs * torch.polar(torch.ones_like(angle), angle)

    q, k = rotary_example()
    return scale * (turned(q, queries(torch.arange(5))) @ turned(k, keys(torch.arange(7))).mH).real


def plain_products(answer):
    """The scores are plain products, not divided: at place 0 nothing has turned."""
    (q, k), got = rotary_example(), answer(*rotary_example())
    found = (got[0, 0] / (q[0] @ k[0])).item()
    return True if abs(found - 1) < 1e-3 else f"The first score is {found:.3g} times q · k."


ROTARY_MAP_RULES = composed(
    lambda answer: answer(*rotary_example()),
    scores_by,
    {
        "The query at place t turns by t.": lambda t: t,
        "The queries are not turned.": lambda t: 0 * t,
        "The queries' places count from 1, those of the keys from 0.": lambda t: t + 1,
        "The queries turn the other way.": lambda t: -t,
        "The queries turn twice.": lambda t: 2 * t,
    },
    {
        "The key at place s turns by s.": lambda s: s,
        "The keys are not turned.": lambda s: 0 * s,
        "The keys turn the other way.": lambda s: -s,
        "The keys turn twice.": lambda s: 2 * s,
        "The places of the keys start again in the middle.": lambda s: s % 4,
        "The keys' places count from 1, those of the queries from 0.": lambda s: s + 1,
    },
    {
        "Pair i turns by 10000^(-2i/K) a place.": 2,
        "The exponent is i/K: it is 2i/K.": 1,
        "All pairs turn alike: pair i by its own.": 0,
    },
    {
        "The scores are plain products.": 1,
        "The scores are divided by sqrt(K): leave them plain.": 8**-0.5,
    },
    otherwise=(plain_products,),
)


ROTARY_MAP = Symptom(
    id="3.11",
    title="Stripes gone wrong",
    level="hard",
    text="""
The map above holds rotary scores. The **same word** stands at each place, and queries and keys are
equal, so only the places count. Sound scores depend on the offset alone: along each diagonal, from
the top left to the bottom right, all scores would be the same. This map was made by code with one
of these mistakes. On which combination of t and s do its scores depend? Choose the letter, then
repair `rotary_scores`.
""",
    hints=(
        "Go one row down. How many columns over, and which way, do you find the same score?",
        "A query turned by a and a key turned by b meet at the angle a - b.",
        "Put in what each mistake makes of a and b at places t and s: t - s, t, t + s, t - 2s ...",
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
        "The scores would depend on t - 2s: one column on, the same score would stand two rows "
        "down.",
        "The scores would depend on t + s: equal ones would stand from the bottom left to the top "
        "right.",
        "The right half would be the left half again; in each half the diagonals would be sound.",
    ),
    cases=rotary_scores_cases,
    properties=ROTARY_MAP_RULES,
    see="3.7 Rotary and ALiBi",
)
