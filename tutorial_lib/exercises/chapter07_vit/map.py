"""Chapter 07: a map of what [CLS] looks at that is not where the ink is."""

import itertools

import torch

from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def cls_map(weights, n_rows, n_columns):
    """Return how much [CLS] looks at each patch, (n_rows, n_columns), the mean over the heads.

    weights (H, T, T) are the maps of one layer, row t looking at column s; T is [CLS] and then
    n_rows · n_columns patches, row by row.
    """
    seen = weights.mean(dim=0)[0, 1:]
    return seen.reshape(n_rows, n_columns)


def cls_map_loop(weights, n_rows, n_columns):
    """Second style."""
    grid = torch.zeros(n_rows, n_columns)
    for head in weights:
        for patch, weight in enumerate(head[0][1:]):
            grid[divmod(patch, n_columns)] += weight / len(weights)
    return grid


def cls_map_first_patch(weights, n_rows, n_columns):
    """This reads the row of the first patch, not that of [CLS]."""
    seen = weights.mean(dim=0)[1, 1:]
    return seen.reshape(n_rows, n_columns)


def cls_map_second_lost(weights, n_rows, n_columns):
    """This leaves out the second weight of the row, not the first."""
    row = weights.mean(dim=0)[0]
    seen = torch.cat([row[:1], row[2:]])
    return seen.reshape(n_rows, n_columns)


def cls_map_off_by_one(weights, n_rows, n_columns):
    """This leaves out the last weight of the row, not the first."""
    seen = weights.mean(dim=0)[0, :-1]
    return seen.reshape(n_rows, n_columns)


def cls_map_rolled(weights, n_rows, n_columns):
    """This leaves out the first weight of the row, then puts the last one in front."""
    seen = weights.mean(dim=0)[0, 1:].roll(1)
    return seen.reshape(n_rows, n_columns)


def cls_map_cases():
    """Two heads and three, on grids with fewer and more rows than columns; one, on a square."""
    return [
        case("2 heads, 2 x 3 patches", torch.randn(2, 7, 7).softmax(dim=-1), 2, 3),
        case("3 heads, 3 x 2 patches", torch.randn(3, 7, 7).softmax(dim=-1), 3, 2),
        case("1 head, 3 x 3 patches", torch.randn(1, 10, 10).softmax(dim=-1), 3, 3),
    ]


SEVEN = (
    "........",
    ".######.",
    "......#.",
    ".....#..",
    "....#...",
    "...#....",
    "...#....",
    "........",
)


def ink():
    """Return the picture that the maps of `painted` are about: (8, 8), 1 where a seven has ink."""
    return torch.tensor([[float(dot == "#") for dot in row] for row in SEVEN])


def painted(cls_map):
    """Return the map (8, 8) that `cls_map` makes of weights whose [CLS] looks where the ink is.

    [CLS] gives itself a sixth, the ink most of the rest. A patch looks at itself and the patches
    around it, and the nearer it is to the middle of the picture, the more at [CLS].
    """
    picture = ink().flatten()
    n = len(picture)
    weights = torch.zeros(1, n + 1, n + 1)
    weights[0, 0, 1:] = 0.05 + picture
    weights[0, 0, 1:] *= (5 / 6) / weights[0, 0, 1:].sum()
    weights[0, 0, 0] = 1 / 6
    places = torch.cartesian_prod(torch.arange(8.0), torch.arange(8.0))  # (64, 2)
    weights[0, 1:, 1:] = (-torch.cdist(places, places)).exp()
    weights[0, 1:, 0] = 3 * (-(places - 3.5).norm(dim=1) / 2).exp()
    return cls_map(weights / weights.sum(dim=-1, keepdim=True), 8, 8)


SEEN = {
    "": lambda w: w[..., 0, 1:],
    "It takes [CLS] for the first patch: leave out the weight of [CLS] itself.": (
        lambda w: w[..., 0, :-1]
    ),
    "It keeps the weight of [CLS] and leaves out that of the first patch: do the opposite.": (
        lambda w: torch.cat([w[..., 0, :1], w[..., 0, 2:]], dim=-1)
    ),
    "It puts the last patch in front: the patches come in the order of the row.": (
        lambda w: w[..., 0, 1:].roll(1, dims=-1)
    ),
    "It reads the row of the first patch: [CLS] has the first row.": lambda w: w[..., 1, 1:],
    "It reads the column of [CLS], how much each patch looks at it: read its row.": (
        lambda w: w[..., 1:, 0]
    ),
    "It reads the last row, what the last patch looks at: [CLS] is the first one.": (
        lambda w: w[..., -1, 1:]
    ),
    "It reads the last row, and takes [CLS] for a patch: read the first row without [CLS].": (
        lambda w: w[..., -1, :-1]
    ),
}
HEADS = {
    "": lambda w: w.mean(dim=0),
    "It adds up the heads: take their mean.": lambda w: w.sum(dim=0),
    "It takes the highest weight among the heads: take their mean.": lambda w: w.amax(dim=0),
    "It takes the first head only: take the mean of all.": lambda w: w[0],
    "It takes the last head only: take the mean of all.": lambda w: w[-1],
}


def slips(answer):
    """What explains a map of 2 x 3 patches: what is seen, of which heads, in which order.

    Raises ValueError when nothing does.
    """
    weights = torch.randn(3, 7, 7, generator=torch.Generator().manual_seed(7)).softmax(dim=-1)
    found = answer(weights, 2, 3)
    found = found / found.sum() * weights[:, 0, 1:].sum() if adds_up(answer) else found
    for seen, heads in itertools.product(SEEN, HEADS):
        row = HEADS[heads](SEEN[seen](weights))
        row = row / row.sum() * weights[:, 0, 1:].sum() if adds_up(answer) else row
        for turned in (False, True):
            made = row.view(3, 2).T if turned else row.view(2, 3)
            if torch.allclose(made, found, atol=1e-5):
                return seen, heads, turned
    raise ValueError("no such map")


def adds_up(answer):
    """The map is made to sum to 1."""
    weights = torch.rand(3, 7, 7, generator=torch.Generator().manual_seed(8))
    return abs(answer(weights, 2, 3).sum() - 1) < 1e-4


CLS_MAP = Symptom(
    id="7.9",
    title="Beside the ink",
    level="easy",
    text="""
On the left is a seven, cut into 8 x 8 patches. [CLS] looks mostly at patches with ink. The map on
the right should show that, but `cls_map` has one of these mistakes. Each of them gives patches
weights that are not their own, but only one draws this map. Choose the letter, then repair
`cls_map`.
""",
    hints=(
        "Which patch is the darkest? Is there ink in it?",
        "Compare the stroke at the top with the one in the map: where did it go?",
        "A row of the map has T = 65 weights. Which of them belongs to no patch?",
    ),
    solution=cls_map,
    second_style=cls_map_loop,
    mistakes=(
        cls_map_first_patch,
        cls_map_off_by_one,
        cls_map_second_lost,
        cls_map_rolled,
    ),
    shown=cls_map_off_by_one,
    looks=(
        "No seven would be seen: the map would be dark in the upper left corner, around the first "
        "patch.",
        "The first patch would be the darkest, as [CLS] looks at itself, and the seven would "
        "be one patch to the right of its ink.",
        "The first patch would be the darkest, as [CLS] looks at itself, but the seven would be on "
        "its ink.",
        "The seven would be one patch to the right of its ink, but the first patch would be pale.",
    ),
    cases=cls_map_cases,
    properties=(
        Property("It does not read the row of [CLS].", lambda answer: slips(answer)[0] or True),
        Property("The heads are not averaged.", lambda answer: slips(answer)[1] or True),
        Property(
            "It fills the grid column by column: the patches come row by row.",
            lambda answer: not slips(answer)[2],
        ),
        Property(
            "The map is made to sum to 1: give the weights as they are.",
            lambda answer: not adds_up(answer),
        ),
    ),
    see="7G What it looks at",
)
