"""Chapter 03: repair a table of offsets without training it again."""

import torch

from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def share_far(table, reach):
    """Return the table (H, 2N + 1) of the offsets -N to N, far ones with the number at their end.

    Offsets before -reach take the number of -reach, offsets after reach that of reach. The table
    itself stays as it is.
    """
    most = table.size(1) // 2
    offsets = torch.arange(-most, most + 1)
    return table[:, offsets.clamp(-reach, reach) + most]


def share_far_by_parts(table, reach):
    """Second style."""
    most = table.shape[1] // 2
    trained = table[:, most - reach : most + reach + 1]
    far = (len(table), most - reach)
    return torch.cat([trained[:, :1].expand(far), trained, trained[:, -1:].expand(far)], dim=1)


def share_far_cases():
    """Reaches well inside the table, of 0, and as long as the table."""
    return [
        case("offsets -4 to 4, reach 2", torch.randn(2, 9), 2),
        case("offsets -3 to 3, reach 0", torch.randn(3, 7), 0),
        case("offsets -5 to 5, reach 4", torch.randn(1, 11), 4),
        case("nothing is far", torch.randn(2, 5), 2),
    ]


TABLE = torch.randn(3, 13, generator=torch.Generator().manual_seed(7))  # offsets -6 to 6


def all_offsets_stay(answer):
    """The shape must stay, (H, 2N + 1): far offsets keep a column, only their number changes."""
    return answer(TABLE.clone(), 3).shape == TABLE.shape


def far_by(first, last, swapped):
    """The table with the numbers of the offsets `first` and `last` beyond these, or swapped."""
    offsets = torch.arange(-6, 7)
    taken = offsets.clamp(first, last)
    if swapped:
        taken[offsets < first], taken[offsets > last] = last, first
    return TABLE[:, taken + 6]


def trained_ones_stay(answer):
    """The numbers from -reach to reach are trained: leave them as they are."""
    got = answer(TABLE.clone(), 3)
    return torch.equal(got[:, 3:10], TABLE[:, 3:10]) if got.shape == TABLE.shape else None


def one_number_at_each_end(answer):
    """Beyond the reach, all offsets of one side must share the number at that end, head by head."""
    got = answer(TABLE.clone(), 3)
    if got.shape != TABLE.shape:
        return None  # said above
    return bool((got[:, :3] == TABLE[:, 3:4]).all() and (got[:, 10:] == TABLE[:, 9:10]).all())


RULES = composed(
    lambda answer: answer(TABLE.clone(), 3),
    far_by,
    {
        "Offsets before -reach take the number of -reach.": -3,
        "Far offsets *before* stay as they were.": -6,
        "Before, it stops one offset early: -reach itself is trained, and keeps its number.": -2,
        "Before, it starts one offset late: -reach - 1 is far already.": -4,
        "It gives offsets before the query the number of offset 0: columns start at -N.": 0,
    },
    {
        "Offsets after reach take the number of reach.": 3,
        "Far offsets *after* stay as they were.": 6,
        "After, it stops one offset early: reach itself is trained, and keeps its number.": 2,
        "After, it starts one offset late: reach + 1 is far already.": 4,
        "It gives offsets after the query the number of offset 0: the last column is N.": 0,
    },
    {
        "Each side has its own end.": False,
        "The ends are swapped: far words before take the number of -reach.": True,
    },
    otherwise=(trained_ones_stay, one_number_at_each_end),
)

SHARE_FAR = Write(
    id="3.11",
    title="Repaired without training",
    level="easy",
    text="""
Repair that reader **without training** it again. Its table (H, 2N + 1) holds a number for each head
and offset, -N to N. Write `share_far(table, reach)`: a new table of the same shape, in which all
offsets before -reach have the number of -reach, and all after reach that of reach. It is the clip
of 3.6 once more, now on the columns of a trained table.
""",
    hints=(
        "Which column has offset 0? And offset -reach?",
        "`table[:, columns]` picks columns, and may pick one several times.",
        "The offsets are -N to N. Clip them to the reach, and add what makes column 0 of -N.",
    ),
    solution=share_far,
    second_style=share_far_by_parts,
    mistakes=(),
    cases=share_far_cases,
    properties=(*properties(all_offsets_stay), *RULES),
    see="3F Learned and relative",
)
