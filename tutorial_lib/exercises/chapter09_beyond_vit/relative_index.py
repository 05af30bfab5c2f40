"""Chapter 09: which number of Swin's table belongs to a query and a key of a window?"""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def table_index(side):
    """Return the place in the table for each query i and key j of a window, (side², side²).

    The table has (2 · side - 1)² numbers, sorted by the step of the rows and then by that of the
    columns, query minus key; positions of the window are numbered row by row.
    """
    row, column = torch.arange(side**2) // side, torch.arange(side**2) % side
    down = row[:, None] - row + side - 1  # from 0 to 2 · side - 2
    right = column[:, None] - column + side - 1
    return down * (2 * side - 1) + right


def table_index_looked_up(side):
    """Second style."""
    reach = range(1 - side, side)
    steps = [(down, right) for down in reach for right in reach]
    cells = [(row, column) for row in range(side) for column in range(side)]
    return torch.tensor([[steps.index((r - y, c - x)) for y, x in cells] for r, c in cells])


def steps(side):
    """The steps of rows and columns, query minus key, (side², side²) each."""
    row, column = torch.arange(side**2) // side, torch.arange(side**2) % side
    return row[:, None] - row, column[:, None] - column


def table_index_key_minus_query(side):
    """This takes key minus query: Swin counts the step from the key to the query, so that all
    signs are the other way round."""
    down, right = steps(side)
    return (side - 1 - down) * (2 * side - 1) + side - 1 - right


def table_index_columns_first(side):
    """This exchanges rows and columns: the table is sorted by the rows' step first, and position i
    is in row i // side, as the positions are numbered row by row."""
    down, right = steps(side)
    return (right + side - 1) * (2 * side - 1) + down + side - 1


def table_index_width_of_the_window(side):
    """This counts `side` numbers for each step of the rows, as if it took the difference of two
    positions’ own numbers: the columns have 2 · side - 1 steps, so some steps share a number."""
    down, right = steps(side)
    return (down + side - 1) * side + right + side - 1


def table_index_even(side):
    """This counts 2 · side numbers for each step of the rows: there are 2 · side - 1 steps, as 0 is
    one of them."""
    down, right = steps(side)
    return (down + side - 1) * 2 * side + right + side - 1


def table_index_negative(side):
    """This does not begin at 0: the smallest step, -(side - 1), has the first number, in the rows
    and in the columns."""
    down, right = steps(side)
    return down * (2 * side - 1) + right


def table_index_one_offset(side):
    """This moves one of the two steps to where it begins at 0, not the other: both go from
    -(side - 1) to side - 1."""
    down, right = steps(side)
    return down * (2 * side - 1) + right + side - 1


def table_index_from_one(side):
    """This adds side to the steps, so that they begin at 1: the smallest is -(side - 1)."""
    down, right = steps(side)
    return (down + side) * (2 * side - 1) + right + side


def table_index_sizes(side):
    """This takes how far, not where: up and down share a number, and so do left and right. Steps
    have a sign."""
    down, right = steps(side)
    return down.abs() * (2 * side - 1) + right.abs()


def table_index_added(side):
    """This adds the two steps: one down and one to the right get the same number. Count the rows'
    steps in (2 · side - 1)s."""
    down, right = steps(side)
    return down + right + 2 * (side - 1)


def table_index_cases():
    """Sides even and odd, and one position."""
    return [case("side 3", 3), case("side 2", 2), case("side 4", 4), case("side 1", 1)]


S = 4


def read(answer):
    """The numbers for side 4, (16, 16). Raises an error for another size."""
    return answer(S).reshape(S * S, S * S).long()


def has_the_shape(answer):
    """(side², side²)."""
    shape = tuple(answer(S).shape)
    sentences = {
        (4, 4, 4, 4): "Rows and columns of the window are two axes, for the query and for the key: "
        "put its positions into one axis each.",
        (7, 7): "That is as large as the table: for each query and key of a window it is to say "
        "which number of the table is theirs.",
        (49,): "That is as long as the table: for each query and key of a window it is to say "
        "which number of the table is theirs.",
        (49, 49): "It has a row for each number of the table: a window has side² queries and side² "
        "keys.",
        (256,): "All pairs are in one row: queries are rows, keys are columns.",
        (2, 16, 16): "It returns both steps: make one number of them, the place in the table.",
        (16, 16, 2): "It returns both steps: make one number of them, the place in the table.",
    }
    return shape == (16, 16) or sentences.get(
        shape, f"For side = 4 it has the shape {shape}: (16, 16) is right."
    )


def whole(answer):
    """Whole numbers."""
    found = answer(S)
    return not found.is_floating_point() and found.dtype is not torch.bool


def signs_count(answer):
    """Steps there and back share a number, as if only their length counted: a step has a sign."""
    if not by_step_alone(answer):
        return None
    down, right = steps(S)
    found, length = read(answer), down.abs() * 100 + right.abs()
    return not all(len(found[length == one].unique()) == 1 for one in length.unique())


def inside_the_table(answer):
    """The numbers must go from 0 to (2 · side - 1)² - 1."""
    if signs_count(answer) is False:
        return None
    found = read(answer)
    low, high = found.min().item(), found.max().item()
    return (low, high) == (0, 48) or (
        f"For side = 4 the numbers go from {low} to {high}: the table has 7 · 7, from 0 to 48."
    )


def by_step_alone(answer):
    """Two pairs with the same step do not always get the same number."""
    down, right = steps(S)
    found, step = read(answer), down * 100 + right
    return all(len(found[step == one].unique()) == 1 for one in step.unique())


def each_its_own(answer):
    """Different steps share a number."""
    if not by_step_alone(answer) or signs_count(answer) is False:
        return None
    return len(read(answer).unique()) == (2 * S - 1) ** 2


def sorted_by_steps(answer):
    """The table must be sorted by the rows' step, then by the columns' step, from small to
    large."""
    if not by_step_alone(answer) or not each_its_own(answer):
        return None
    found, wanted = read(answer), read(table_index)
    if torch.equal(found - found.min(), wanted):
        return None
    return torch.equal(found, wanted)


def whatever_the_side(answer):
    """It is right for side = 4, but not for others."""
    if not torch.equal(read(answer), read(table_index)):
        return None
    return all(
        torch.equal(answer(side).reshape(side**2, side**2).long(), table_index(side))
        for side in (2, 3, 5)
    )


def of_steps(signs, rows_first, base, down_from, right_from):
    """The numbers with a choice for each of the rules below."""
    down, right = (sign * step for sign, step in zip(signs, steps(S), strict=True))
    down, right = down + down_from, right + right_from
    first, second = (down, right) if rows_first else (right, down)
    return first * base + second


def starts(one):
    """The rule for where a step begins."""
    return {
        f"The step of the {one} begins at 0.": S - 1,
        f"The step of the {one} begins below 0: add side - 1, as the smallest is -(side - 1).": 0,
        f"The step of the {one} begins at 1: add side - 1, as the smallest is -(side - 1).": S,
    }


TABLE_INDEX = Write(
    id="9.5",
    title="A number for each step",
    level="medium",
    text="""
In a window, Swin adds a learned number to each score. It depends on one thing only: the step from
the key to the query, so many rows down and so many columns to the right. Both may be negative: in a
window of side 2 each is -1, 0 or 1. For each step there is one number, and all (2 · side - 1)² of
them stand in a table of **one row**: sorted by the step of the rows and, where that is the same, by
the step of the columns, each from the smallest, -(side - 1), to the largest.

Write `table_index(side)`: whole numbers (side², side²), in which [i, j] is the place in the table,
from 0, for query i and key j. The positions of a window are numbered row by row. A step is **query
minus key**: the row of i minus the row of j, the column of i minus the column of j.
""",
    hints=(
        "For side 2, write down the steps of the table's nine places. At which place is (0, 0), "
        "which is everybody's step to itself?",
        "How many places further is the same step with one row more? And with one column more?",
        "Which row and column has position i? Differences of all pairs come from `a[:, None] - a`; "
        "then let both kinds of step begin at 0.",
    ),
    solution=table_index,
    second_style=table_index_looked_up,
    mistakes=(
        table_index_key_minus_query,
        table_index_columns_first,
        table_index_width_of_the_window,
        table_index_even,
        table_index_negative,
        table_index_one_offset,
        table_index_from_one,
        table_index_sizes,
        table_index_added,
    ),
    cases=table_index_cases,
    properties=(
        Property("The numbers are (side², side²).", has_the_shape),
        Property("It must return whole numbers: they are places in a table.", whole),
        *composed(
            read,
            of_steps,
            {
                "A step is query minus key.": (1, 1),
                "It takes key minus query: all signs are the other way round.": (-1, -1),
                "It takes key minus query for the rows: it is query minus key.": (-1, 1),
                "It takes key minus query for the columns: it is query minus key.": (1, -1),
            },
            {
                "The table is sorted by the step of the rows first.": True,
                "It exchanges rows and columns: the table is sorted by the rows’ step first, and "
                "position i is in row i // side.": False,
            },
            {
                "From one step of the rows to the next there are 2 · side - 1 numbers.": 2 * S - 1,
                "From one step of the rows to the next it counts `side` numbers: there are "
                "2 · side - 1 steps of the columns.": S,
                "From one step of the rows to the next it counts 2 · side numbers: 0 is one of "
                "2 · side - 1 steps.": 2 * S,
                "From one step of the rows to the next it counts 2 · side + 1 numbers: there are "
                "2 · side - 1, as each step is less than side.": 2 * S + 1,
                "From one step of the rows to the next it counts side² numbers: there are "
                "2 · side - 1 steps of the columns.": S**2,
                "From one step of the rows to the next it counts one number: count 2 · side - 1, "
                "so that each step has a number of its own.": 1,
            },
            starts("rows"),
            starts("columns"),
            otherwise=(signs_count, inside_the_table, by_step_alone, each_its_own, sorted_by_steps),
        ),
        Property("It is right for side = 4, but not for other sides.", whatever_the_side),
    ),
    see="9D Where in the window",
)
