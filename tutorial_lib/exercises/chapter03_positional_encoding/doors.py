"""Chapter 03: an attention layer that positions can enter in three places."""

import math

import torch
from einops import rearrange

from tutorial_lib.exercises.engine.guard import guarded
from tutorial_lib.exercises.engine.properties import (
    alike,
    composed,
    no_way_back,
    properties,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case
from tutorial_lib.positions import rotate


def attend_with_positions(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
    """Return attention of x (B, T, D), the heads side by side: (B, T, D). A door of None is closed.

    Door 1: table (N, D), N >= T, a row for each position, is added to the words. Door 2: turn(q)
    returns q (B, H, T, K) turned by its positions, and so for keys. Door 3: bias (H, T, S) is
    added to the scores.
    """
    if table is not None:
        x = x + table[: x.size(1)]  # (B, T, D)
    q, k, v = (
        rearrange(x @ w, "batch time (heads width) -> batch heads time width", heads=n_heads)
        for w in (w_q, w_k, w_v)
    )
    if turn is not None:
        q, k = turn(q), turn(k)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    if bias is not None:
        scores = scores + bias
    heads = scores.softmax(dim=-1) @ v
    return rearrange(heads, "batch heads time width -> batch time (heads width)")


def attend_head_by_head(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
    """Second style."""
    if table is not None:
        x = torch.add(x, table[: x.shape[1]])
    width = x.shape[2] // n_heads
    found = []
    for head in range(n_heads):
        own = slice(head * width, (head + 1) * width)
        q, k, v = ((x @ w[:, own])[:, None] for w in (w_q, w_k, w_v))  # (B, 1, T, K)
        if turn is not None:
            q, k = turn(q), turn(k)
        scores = torch.einsum("bhtk,bhsk->bhts", q, k) * width**-0.5
        scores = scores if bias is None else scores + bias[head]
        found.append((torch.softmax(scores, -1) @ v)[:, 0])
    return torch.cat(found, dim=-1)


def doors_cases():
    """All doors closed, one open at a time, then all of them; B, T, H and K differ."""

    def inputs(batch, time, d_model):
        return torch.randn(batch, time, d_model), *(torch.randn(d_model, d_model) for _ in "qkv")

    return [
        case("all doors closed", *inputs(2, 5, 6), 2),
        case("door 1", *inputs(3, 5, 6), 2, torch.randn(9, 6)),
        case("door 2", *inputs(2, 4, 8), 2, None, rotate),
        case("door 3", *inputs(1, 5, 6), 3, None, None, torch.randn(3, 5, 5)),
        case(
            "all doors open", *inputs(2, 3, 8), 2, torch.randn(7, 8), rotate, torch.randn(2, 3, 3)
        ),
    ]


def numbers(*shape, seed):
    """Random numbers that are the same each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


HEADS = 2
WORDS, TABLE, BIAS = numbers(3, 5, 8, seed=1), numbers(9, 8, seed=2), numbers(2, 5, 5, seed=3)
MAPS = tuple(numbers(3, 8, 8, seed=4) / 3)
OPEN = (WORDS, *MAPS, HEADS, TABLE, rotate, BIAS)
AHEAD = torch.ones(5, 5, dtype=torch.bool).triu(1)


def cut(y):
    """Return heads (B, H, T, K) of y (B, T, D)."""
    return y.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def join(heads):
    """Return heads (B, H, T, K) side by side, (B, T, D)."""
    return heads.transpose(1, 2).flatten(2)


def cut_by_view(y):
    """Cut whole words out in place of columns."""
    return y.reshape(len(y), HEADS, y.size(1), -1)


def attended_by(added, turned, biased, scale, heads):
    """Attend with choices of one's own: what is added to whom, turned, biased, divided and cut."""
    x = [WORDS + share * rows for share, rows in zip(added[0], 3 * [added[1]], strict=True)]
    cut_into_heads, joined, maps = heads
    q, k, v = (cut_into_heads(y @ w) for y, w in zip(x, maps, strict=True))
    q, k, v = turned(q, k, v)
    weights = biased(q @ k.mT, scale)
    return joined(weights @ v).reshape(WORDS.shape)


def turned_before_the_cut(q, k, v):
    """Turn queries and keys as if all heads were one."""
    return cut(rotate(join(q))), cut(rotate(join(k))), v


EVERYWHERE = (1, 1, 1)


def attended(answer):
    """What comes with all doors open. Raises ValueError for another shape, which has its rule."""
    got = answer(*OPEN)
    if tuple(got.shape) != tuple(WORDS.shape):
        raise ValueError("not the shape of x")
    return got


RULES = composed(
    attended,
    attended_by,
    {
        "Door 1: word t gets row t of the table, before the maps.": (EVERYWHERE, TABLE[:5]),
        "Door 1: the table has no effect.": ((0, 0, 0), TABLE[:5]),
        "Door 1: the values lack the table. It joins the words, and all three maps read them.": (
            (1, 1, 0),
            TABLE[:5],
        ),
        "Door 1: only the values get the table: all three maps read the words with it.": (
            (0, 0, 1),
            TABLE[:5],
        ),
        "Door 1: every word gets row 0: word t gets row t.": (EVERYWHERE, TABLE[:1]),
        "Door 1: the rows go by the batch: word t of each text gets row t.": (
            EVERYWHERE,
            TABLE[:3, None],
        ),
        "Door 1: it takes the last rows: the first word gets row 0.": (EVERYWHERE, TABLE[-5:]),
    },
    {
        "Door 2: queries and keys are turned, head by head.": lambda q, k, v: (
            rotate(q),
            rotate(k),
            v,
        ),
        "Door 2: nothing is turned.": lambda q, k, v: (q, k, v),
        "Door 2: the values are turned, too: leave them as they are.": lambda q, k, v: (
            rotate(q),
            rotate(k),
            rotate(v),
        ),
        "Door 2: the keys are not turned.": lambda q, k, v: (rotate(q), k, v),
        "Door 2: the queries are not turned.": lambda q, k, v: (q, rotate(k), v),
        "Door 2: it turns before the heads are cut: each head has its own hands, so cut "
        "first.": turned_before_the_cut,
    },
    {
        "Door 3: the bias joins the divided scores, before the softmax.": lambda s, scale: (
            s * scale + BIAS
        ).softmax(-1),
        "Door 3: the bias has no effect.": lambda s, scale: (s * scale).softmax(-1),
        "Door 3: the bias is divided along with the products: divide first, then add.": (
            lambda s, scale: ((s + BIAS) * scale).softmax(-1)
        ),
        "Door 3: the bias comes after the softmax, so weights no longer sum to 1: add it "
        "before.": lambda s, scale: (s * scale).softmax(-1) + BIAS,
        "Door 3: the bias is transposed: its rows are queries.": lambda s, scale: (
            s * scale + BIAS.mT
        ).softmax(-1),
        "Door 3: the bias is subtracted: add it.": lambda s, scale: (s * scale - BIAS).softmax(-1),
        "Door 3: all heads get the bias of head 0: each has its own.": lambda s, scale: (
            s * scale + BIAS[0]
        ).softmax(-1),
        "Door 3: the bias is multiplied: add it.": lambda s, scale: (s * scale * BIAS).softmax(-1),
        "There is a causal mask: here each word may look at all.": lambda s, scale: (
            (s * scale + BIAS).masked_fill(AHEAD, -math.inf).softmax(-1)
        ),
        "The softmax runs over the queries: each query's weights sum to 1, over its keys.": (
            lambda s, scale: (s * scale + BIAS).softmax(-2)
        ),
    },
    {
        "The products are divided by sqrt(K), the root of a head's width.": 4**-0.5,
        "The products are not divided by sqrt(K).": 1.0,
        "The products are divided by K: divide them by its root.": 1 / 4,
        "The products are divided by sqrt(D): a head is K = D / H wide.": 8**-0.5,
    },
    {
        "A head owns K columns in a row, of x @ w_q and so on.": (cut, join, MAPS),
        "The heads are cut out by a view to (B, H, T, K) alone, so a head gets whole words: view "
        "as (B, T, H, K), then swap T and H.": (cut_by_view, join, MAPS),
        "The heads are joined without swapping back: turn (B, H, T, K) to (B, T, H, K) first.": (
            cut,
            lambda heads: heads.reshape(WORDS.shape),
            MAPS,
        ),
        "The heads are cut and joined by views alone, so that words get mixed up: swap T and H "
        "both times.": (cut_by_view, lambda heads: heads.reshape(WORDS.shape), MAPS),
        "A head takes every H-th column: it owns K columns in a row.": (
            lambda y: y.unflatten(-1, (-1, HEADS)).permute(0, 3, 1, 2),
            join,
            MAPS,
        ),
        "It multiplies with the transposed maps: x @ w_q, not x @ w_q.T.": (
            cut,
            join,
            tuple(w.T for w in MAPS),
        ),
        "The values are the keys: they have the map w_v.": (
            cut,
            join,
            (MAPS[0], MAPS[1], MAPS[1]),
        ),
    },
)


def each_door_is_right_alone(answer):
    """Tell whether it is right with all doors closed and with each of them open alone."""
    for doors in ((None,) * 3, (TABLE, None, None), (None, rotate, None), (None, None, BIAS)):
        if not alike(answer(*OPEN[:5], *doors), attend_with_positions(*OPEN[:5], *doors)):
            return False
    return True


def doors_open_together(answer):
    """Each door is right alone, but not with the others open: give each an `if` of its own."""
    if not each_door_is_right_alone(answer):
        return None
    return alike(answer(*OPEN), attend_with_positions(*OPEN))


def unless_together(rule):
    """A rule that says nothing of an answer whose doors are right one by one."""

    def holds(answer):
        return None if guarded(each_door_is_right_alone, answer).value else rule.holds(answer)

    return Property(rule.sentence, holds)


def right_shape(answer):
    """Yours does not have the shape of x, (B, T, D)."""
    return tuple(answer(*OPEN).shape) == tuple(WORDS.shape)


def doors_may_be_closed(answer):
    """Yours is right with all doors open: `None` for table, turn or bias closes a door."""
    if not all(rule.holds(answer) is True for rule in RULES):
        return None
    plain = attend_with_positions(WORDS, *MAPS, HEADS)
    return torch.allclose(answer(WORDS, *MAPS, HEADS, None, None, None), plain, atol=1e-4)


ATTEND_WITH_POSITIONS = Write(
    id="3.10",
    title="A layer with three doors",
    level="hard",
    text="""
Build the layer of the picture in 3A: `attend_with_positions(x, w_q, w_k, w_v, n_heads, table, turn,
bias)`, attention of words x (B, T, D). Queries, keys and values are `x @ w_q` and so on, cut into
heads (B, H, T, K) as in exercise 2.11. In the end the heads' outputs are side by side, (B, T, D).
There is no mask and no output map. Each door may be closed (`None`). **Door 1:** word t gets row t
of `table` (N, D), N at least T. **Door 2:** `turn(q)` is q turned by its positions, and so for
keys. **Door 3:** `bias` (H, T, S) joins the scores, after their division by sqrt(K). Section 3J
trains four readers with your layer.
""",
    hints=(
        "Write it without doors first: maps, heads, scores, softmax, values, heads side by side.",
        "Cut: `y.view(B, T, H, K).transpose(1, 2)`. Join: `.transpose(1, 2).flatten(2)`.",
        "Each door is two lines: `if table is not None:`, and what it adds or turns.",
    ),
    solution=attend_with_positions,
    second_style=attend_head_by_head,
    mistakes=(),
    cases=doors_cases,
    properties=(
        *properties(right_shape, doors_open_together),
        *map(unless_together, RULES),
        *properties(doors_may_be_closed),
    ),
    remarks=(lambda answer: no_way_back(answer, *OPEN),),
    see="3I Five schemes in one layer",
)
