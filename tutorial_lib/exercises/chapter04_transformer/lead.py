"""Chapter 04: make one head look at one word, or at none, while one word is written."""

from functools import partial

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def lead_head(weights, head, row, column):
    """Return weights (B, H, T, S) in which this head, in this row, looks only at this column.

    If column is None it looks nowhere there: its row is 0. All else, and the argument, stays.
    """
    led = weights.clone()
    led[:, head, row] = 0.0
    if column is not None:
        led[:, head, row, column] = 1.0
    return led


def lead_head_one_by_one(weights, head, row, column):
    """Second style."""
    columns = torch.arange(weights.size(-1))
    wanted = torch.zeros(len(columns)) if column is None else (columns == column).float()
    heads, rows = torch.arange(weights.size(1)), torch.arange(weights.size(2))
    here = (heads == head)[:, None, None] & (rows == row)[:, None]
    return torch.where(here, wanted.to(weights.dtype), weights)


def lead_head_keeps_the_rest(weights, head, row, column):
    """This leaves the other weights of the row as they were: set the whole row to 0 first."""
    led = weights.clone()
    if column is None:
        led[:, head, row] = 0.0
    else:
        led[:, head, row, column] = 1.0
    return led


def lead_head_all_rows(weights, head, row, column):
    """This leads the head in every row: change the one row only."""
    led = weights.clone()
    led[:, head] = 0.0
    if column is not None:
        led[:, head, :, column] = 1.0
    return led


def lead_head_all_heads(weights, head, row, column):
    """This leads all the heads: change the one head only."""
    led = weights.clone()
    led[:, :, row] = 0.0
    if column is not None:
        led[:, :, row, column] = 1.0
    return led


def lead_head_none_as_an_index(weights, head, row, column):
    """This uses None as an index: it adds an axis there, and the whole row becomes 1."""
    led = weights.clone()
    led[:, head, row] = 0.0
    led[:, head, row, column] = 1.0
    return led


def lead_head_silent_is_equal(weights, head, row, column):
    """This spreads the weight evenly if `column` is None: to look nowhere, the row must be 0."""
    led = weights.clone()
    led[:, head, row] = 1.0 / weights.size(-1) if column is None else 0.0
    if column is not None:
        led[:, head, row, column] = 1.0
    return led


def maps(*shape, seed=0):
    """Random maps: each row sums to 1."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).softmax(dim=-1)


def lead_head_cases():
    """Led and silent, in maps that are wider, taller and square."""
    return [
        case("head 1 looks at column 3", maps(1, 4, 3, 5), 1, 2, 3),
        case("head 0 looks nowhere", maps(1, 2, 3, 5), 0, 1, None),
        case("two texts, column 0", maps(2, 3, 4, 2), 2, 3, 0),
        case("a square map", maps(2, 3, 3, 3), 2, 0, 1),
    ]


HEAD, ROW, COLUMN = 2, 1, 3
# Half precision rounds a weight by less than this, and a changed row changes by more.
same = partial(torch.allclose, rtol=0, atol=1e-3)


def led(answer, column=COLUMN):
    """The map before, and what the answer makes of it; for two texts, three heads, 4 x 5."""
    weights = maps(2, 3, 4, 5, seed=1)
    found = answer(weights.clone(), HEAD, ROW, column).float()
    if found.shape != weights.shape:
        raise ValueError("no map (B, H, T, S)")
    return weights, found


def keeps_the_shape(answer):
    """The result has the shape of the map."""
    found = answer(maps(2, 3, 4, 5), HEAD, ROW, COLUMN)
    return found.shape == (2, 3, 4, 5) or (
        f"The shape is {tuple(found.shape)}: return all of the map, (B, H, T, S) = (2, 3, 4, 5)."
    )


def row_and_column_are_not_exchanged(answer):
    """Rows are queries."""
    weights, found = led(answer)
    column = weights[:, HEAD, :, ROW]
    return not (
        same(found[:, HEAD, ROW, 2], weights[:, HEAD, ROW, 2])
        and not same(found[:, HEAD, :, ROW], column)
        and bool((found[:, HEAD, COLUMN, ROW] == 1).all())
    )


def looks_at_the_column(answer):
    """The chosen weight is 1."""
    if not row_and_column_are_not_exchanged(answer):
        return None
    _, found = led(answer)
    return bool((found[:, HEAD, ROW, COLUMN] == 1).all())


def looks_at_nothing_else(answer):
    """The rest of the row is 0."""
    if not row_and_column_are_not_exchanged(answer):
        return None
    _, found = led(answer)
    rest = torch.arange(5) != COLUMN
    return not found[:, HEAD, ROW, rest].any()


def looks_nowhere(answer):
    """Without a column the row is 0."""
    weights, found = led(answer, None)
    row = found[:, HEAD, ROW]
    if same(row, weights[:, HEAD, ROW]):
        return "If `column` is None it changes nothing: the head must look nowhere, its row is 0."
    return not row.any()


def leaves_other_rows(answer):
    """The head's other rows stay."""
    if not row_and_column_are_not_exchanged(answer):
        return None
    rest = torch.arange(4) != ROW
    return all(
        same(found[:, HEAD, rest], weights[:, HEAD, rest])
        for weights, found in (led(answer), led(answer, None))
    )


def leaves_other_heads(answer):
    """The other heads stay."""
    rest = torch.arange(3) != HEAD
    return all(
        same(found[:, rest], weights[:, rest])
        for weights, found in (led(answer), led(answer, None))
    )


LEAD_HEAD = Write(
    id="4.12",
    title="Lead a head astray",
    level="easy",
    text="""
Write `lead_head(weights, head, row, column)`. `weights` (B, H, T, S) are the maps of all heads of a
layer, after the softmax. Return new maps in which this one head, in this one row, has weight 1 on
`column` and 0 on all else: while it writes that word it looks there and nowhere else. If `column`
is None, it looks nowhere, so it brings nothing: the head is *silent* at this step. Other rows and
other heads stay as they are, and `weights` itself must not change.
""",
    hints=(
        "`weights.clone()` is a copy that you may write into.",
        "First make the whole row 0, `[:, head, row]`. That is all when `column` is None.",
        "Ask `if column is not None`: as an index, None would mean a new axis.",
    ),
    solution=lead_head,
    second_style=lead_head_one_by_one,
    mistakes=(
        lead_head_keeps_the_rest,
        lead_head_all_rows,
        lead_head_all_heads,
        lead_head_none_as_an_index,
        lead_head_silent_is_equal,
    ),
    cases=lead_head_cases,
    properties=(
        Property("Return all of the map, (B, H, T, S).", keeps_the_shape),
        Property(
            "Row and column are exchanged: the row is the word that is written, the column the "
            "word that is looked at.",
            row_and_column_are_not_exchanged,
        ),
        Property("The weight on `column` must be 1.", looks_at_the_column),
        Property(
            "The row keeps weight on other columns: all of them must be 0.", looks_at_nothing_else
        ),
        Property("If `column` is None all of the row must be 0.", looks_nowhere),
        Property(
            "Other rows of this head change, too: change the one row only.", leaves_other_rows
        ),
        Property("Other heads change, too: change the one head only.", leaves_other_heads),
    ),
    keeps_input=True,
    see="4K The crossing",
)
