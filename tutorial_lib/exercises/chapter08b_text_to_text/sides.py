"""Chapter 08b: which number does a token look up for one to its left, and for one to its right?"""

import copy

import torch
from torch import nn

from tutorial_lib.exercises.engine.tasks import Property, Symptom, case
from tutorial_lib.positions import t5_bucket


def one_side(distance, n_buckets, max_distance):
    """Return the bucket of each distance (whole numbers of at least 0, any shape), as in 8b.4."""
    return t5_bucket(-distance, n_buckets, max_distance, causal=True)


def bucket_table(n_tokens, n_buckets, max_distance):
    """Return the bucket (T, T) of each key, a column, as each query, a row, of an encoder sees it.

    The first half of the buckets is for keys at the query's own place and to its left, the other
    half for those to its right. one_side(distance, n_buckets, max_distance) finds the bucket within
    one half.
    """
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    half = n_buckets // 2
    return one_side(offset.abs(), half, max_distance) + half * (offset > 0)


def bucket_table_by_rows(n_tokens, n_buckets, max_distance):
    """Second style."""
    half = n_buckets // 2
    rows = []
    for query in range(n_tokens):
        left = one_side(torch.arange(query, -1, -1), half, max_distance)
        right = one_side(torch.arange(1, n_tokens - query), half, max_distance)
        rows.append(torch.cat([left, half + right]))
    return torch.stack(rows)


def bucket_table_turned(n_tokens, n_buckets, max_distance):
    """This has rows and columns the wrong way round: left is taken for right."""
    place = torch.arange(n_tokens)
    offset = place[:, None] - place
    half = n_buckets // 2
    return one_side(offset.abs(), half, max_distance) + half * (offset > 0)


def bucket_table_both_alike(n_tokens, n_buckets, max_distance):
    """This gives both sides the same buckets: the other half, for keys to the right, is never
    used."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    half = n_buckets // 2
    return one_side(offset.abs(), half, max_distance)


def bucket_table_of_a_decoder(n_tokens, n_buckets, max_distance):
    """This is the decoder's table: everything to the right gets the bucket of the own place."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    return one_side((-offset).clamp(min=0), n_buckets, max_distance)


def bucket_table_of_places(n_tokens, n_buckets, max_distance):
    """This looks at the place of the key alone: every query gets the same row."""
    place = torch.arange(n_tokens)
    half = n_buckets // 2
    return one_side(place.expand(n_tokens, -1), half, max_distance)


def bucket_table_own_place_right(n_tokens, n_buckets, max_distance):
    """This counts the own place to the right side: it belongs to the first half, at distance 0."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    half = n_buckets // 2
    return one_side(offset.abs(), half, max_distance) + half * (offset >= 0)


def bucket_table_left_half_alone(n_tokens, n_buckets, max_distance):
    """This looks to the left alone: that was choice (c). Keys to the right take the other half of
    the buckets."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    return one_side((-offset).clamp(min=0), n_buckets // 2, max_distance)


def bucket_table_not_halved(n_tokens, n_buckets, max_distance):
    """This takes all buckets for one side: each side has half of them."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    half = n_buckets // 2
    near = one_side(offset.abs(), n_buckets, max_distance)
    return (near + half * (offset > 0)).clamp(max=n_buckets - 1)


def bucket_table_right_first(n_tokens, n_buckets, max_distance):
    """This gives the first half to the right side: it belongs to the left one and the own place."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    half = n_buckets // 2
    return one_side(offset.abs(), half, max_distance) + half * (offset <= 0)


def bucket_table_reach_halved(n_tokens, n_buckets, max_distance):
    """This halves max_distance together with the buckets: each side reaches as far as before."""
    place = torch.arange(n_tokens)
    offset = place - place[:, None]
    half = n_buckets // 2
    return one_side(offset.abs(), half, max_distance // 2) + half * (offset > 0)


class Tabled(nn.Module):
    """The learned numbers of `positions`, looked up by another table."""

    def __init__(self, positions, table):
        super().__init__()
        self.weight, self.table = positions.weight, table
        self.sizes = positions.options["n_buckets"], positions.options["max_distance"]

    def forward(self, n_queries):
        """Return the bias (H, T, T)."""
        return self.weight[:, self.table(n_queries, *self.sizes)]


def with_table(model, table):
    """A copy of a trained T5 whose encoder finds its learned numbers by another table."""
    model = copy.deepcopy(model)
    model.source_distances = Tabled(model.source_distances, table)
    return model


def bucket_table_cases():
    """Near and far; few buckets; one token."""
    return [
        case("5 tokens, 8 buckets", 5, 8, 16),
        case("12 tokens, 8 buckets", 12, 8, 16),
        case("15 tokens, 32 buckets", 15, 32, 128),
        case("9 tokens, 4 buckets", 9, 4, 8),
        case("one token", 1, 8, 16),
    ]


def a_table(answer):
    """(T, T), whole numbers below n_buckets."""
    found = answer(12, 8, 16)
    if found is None or tuple(found.shape) != (12, 12):
        return False
    return bool(((found >= 0) & (found < 8)).all()) and not found.is_floating_point()


def by_distance_alone(answer):
    """Equal distances have equal buckets."""
    found = answer(12, 8, 16)
    return bool((found[1:, 1:] == found[:-1, :-1]).all())


def own_place_first(answer):
    """The own place has bucket 0."""
    return not answer(12, 8, 16).diagonal().any()


def sides_apart(answer):
    """No bucket is used on both sides."""
    found = answer(12, 8, 16)
    below, above = torch.ones(12, 12).tril(-1).bool(), torch.ones(12, 12).triu(1).bool()
    return not set(found[below].tolist()) & set(found[above].tolist())


def left_is_first(answer):
    """The left side has the first half."""
    found = answer(12, 8, 16)
    return bool((found.tril() < 4).all())


SIDES = Symptom(
    id="8b.5",
    title="Left and right",
    level="medium",
    text="""
The pictures above show what one head of our T5 adds to its scores, for each query (row) and key
(column), and how many texts the model writes exactly. The numbers are the trained ones in both
cases; the second time they were looked up with code that has one of these mistakes. Choose the
letter, then repair `bucket_table`.
""",
    hints=(
        "Read one row of each map. What stands to the left of the query, what to its right?",
        "In the sound map, is there a line along which you could fold it? And in the other one?",
        "Where does offset say that a key is to the right? What must happen to its bucket?",
    ),
    solution=bucket_table,
    second_style=bucket_table_by_rows,
    mistakes=(
        bucket_table_turned,
        bucket_table_both_alike,
        bucket_table_of_a_decoder,
        bucket_table_of_places,
        bucket_table_own_place_right,
        bucket_table_left_half_alone,
        bucket_table_not_halved,
        bucket_table_right_first,
        bucket_table_reach_halved,
    ),
    shown=bucket_table_both_alike,
    looks=(
        "The map would be the sound one, flipped along its diagonal: the head would look to the "
        "other side.",
        "The map is the same on both sides of its diagonal: this head can no longer tell the token "
        "before from the token behind.",
        "Everything above the diagonal would have one colour, that of the diagonal.",
        "The map would have stripes from top to bottom: all rows alike.",
    ),
    cases=bucket_table_cases,
    properties=(
        Property("It must return whole numbers (T, T), from 0 to n_buckets - 1.", a_table),
        Property("Keys at the same distance do not always get the same bucket.", by_distance_alone),
        Property("The own place does not get bucket 0.", own_place_first),
        Property(
            "A bucket is used on both sides: left and right can’t be told apart.", sides_apart
        ),
        Property("The first half of the buckets is not that of the left side.", left_is_first),
    ),
    see="8bD How far, not where",
)
