"""Chapter 09: shifted windows that let one edge of a picture shine through at the other."""

import torch

from tutorial_lib.exercises.chapter09_beyond_vit import shift_mask
from tutorial_lib.exercises.chapter09_beyond_vit.partition import windows
from tutorial_lib.exercises.chapter09_beyond_vit.reverse import put_back
from tutorial_lib.exercises.chapter09_beyond_vit.shift_mask import may_look
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def window_means(x, side, shift):
    """Return the mean of all vectors that a position may see, (height, width, D) as x itself.

    It may see those of its window that were its neighbours before the roll, as in 9.3, and itself.
    """
    height, width, _ = x.shape
    rolled = x.roll((-shift, -shift), dims=(0, 1))
    rows = windows(rolled[None], side)  # (N, side², D)
    seen = may_look(height, width, side, shift).to(x.dtype)  # (N, side², side²)
    means = seen @ rows / seen.sum(dim=-1, keepdim=True)
    found = put_back(means, side, height, width)[0]
    return found.roll((shift, shift), dims=(0, 1))


def window_means_by_tiles(x, side, shift):
    """Second style."""
    height, width, _ = x.shape
    down = (torch.arange(height) - shift) // side  # without a roll: -1 above the first window
    right = (torch.arange(width) - shift) // side
    found = torch.empty_like(x)
    for row in down.unique():
        for column in right.unique():
            tile = (down == row)[:, None] & (right == column)
            found[tile] = x[tile].mean(dim=0)
    return found


def means(x, side, shift, into=(-1, -1), back=(1, 1), mask=may_look, divide="by all seen"):
    """The means with slips: how the map is rolled (rows, columns), what is seen, what divides."""
    height, width, _ = x.shape
    rows = windows(x.roll([shift * way for way in into], dims=(0, 1))[None], side)
    seen = mask(height, width, side, shift).to(x.dtype)
    number = {"by all seen": seen.sum(dim=-1, keepdim=True), "by side²": side**2, "not": 1}[divide]
    found = put_back(seen @ rows / number, side, height, width)[0]
    return found.roll([shift * way for way in back], dims=(0, 1))


def window_means_not_rolled(x, side, shift):
    """This does not roll the map, so that the windows lie as in 9.1: they are not shifted."""
    return means(x, side, shift, (0, 0), (0, 0), shift_mask.may_look_all)


def window_means_by_all(x, side, shift):
    """This divides every sum by side², even where a position may see fewer vectors."""
    return means(x, side, shift, divide="by side²")


def window_means_no_mask(x, side, shift):
    """This leaves out who may look at whom: it takes the mean of the whole window."""
    height, width, _ = x.shape
    rolled = x.roll((-shift, -shift), dims=(0, 1))
    rows = windows(rolled[None], side)  # (N, side², D)
    means = rows.mean(dim=1, keepdim=True).expand_as(rows)
    found = put_back(means, side, height, width)[0]
    return found.roll((shift, shift), dims=(0, 1))


def window_means_rolled_on(x, side, shift):
    """This rolls the result the same way again: the way back is in the other direction."""
    return means(x, side, shift, back=(-1, -1))


def window_means_not_back(x, side, shift):
    """This does not roll the result back: each mean belongs where its position was."""
    return means(x, side, shift, back=(0, 0))


def window_means_other_way(x, side, shift):
    """This rolls by shift first and by -shift at the end: the windows would lie further up and to
    the left, and the mask is not for these."""
    return means(x, side, shift, into=(1, 1), back=(-1, -1))


def window_means_inverted(x, side, shift):
    """This takes the mean of those that must *not* be seen: in most windows there are none."""
    return means(x, side, shift, mask=shift_mask.may_look_inverted)


def window_means_rows_only(x, side, shift):
    """This rolls the rows only: the columns must be rolled, too."""
    return means(x, side, shift, into=(-1, 0), back=(1, 0))


def window_means_summed(x, side, shift):
    """This adds up what a position sees: divide by how many that are."""
    return means(x, side, shift, divide="not")


def without_itself(height, width, side, shift):
    """A mask in which no position sees itself."""
    return may_look(height, width, side, shift) & ~torch.eye(side**2).bool()


def window_means_without_itself(x, side, shift):
    """This leaves the position itself out: it sees itself, too."""
    return means(x, side, shift, mask=without_itself)


def softened(height, width, side, shift):
    """Weights of a softmax over scores of 1 and 0: all are seen, some more."""
    return may_look(height, width, side, shift).float().softmax(dim=-1)


def window_means_softened(x, side, shift):
    """This takes a softmax over ones and zeros: a score of 0 still gets a weight. A score must be
    -inf, or the weights 0."""
    return means(x, side, shift, mask=softened)


def window_means_cases():
    """Shifts of a half, of less and of more, maps that are not square, one window alone."""
    return [
        case("4 x 6, side 2, shift 1", torch.randn(4, 6, 3), 2, 1),
        case("9 x 6, side 3, shift 1", torch.randn(9, 6, 2), 3, 1),
        case("6 x 9, side 3, shift 2", torch.randn(6, 9, 1), 3, 2),
        case("one window, shift 2", torch.randn(4, 4, 2), 4, 2),
        case("no shift", torch.randn(4, 6, 2), 2, 0),
    ]


def stripe():
    """Return the picture of the exercise, (12, 16, 3): dark, with a bright stripe at the right.

    It suits windows of side 4 that are shifted by 2: what is seen has one colour everywhere.
    """
    picture = torch.tensor([0.10, 0.16, 0.36]).repeat(12, 16, 1)
    picture[:, -2:] = torch.tensor([1.0, 0.86, 0.30])
    return picture


def shone_through(window_means):
    """Return what code makes of stripe(), with side 4 and shift 2: (12, 16, 3)."""
    return window_means(stripe(), 4, 2)


HEIGHT, WIDTH, SIDE, SHIFT = 6, 12, 3, 1
N = HEIGHT * WIDTH


def read(answer):
    """How much each position (row) gets from each (column), (72, 72). Raises an error for less."""
    found = answer(torch.eye(N).view(HEIGHT, WIDTH, N), SIDE, SHIFT)
    return found.reshape(N, N)


def has_the_shape(answer):
    """(height, width, D)."""
    shape = tuple(answer(torch.zeros(HEIGHT, WIDTH, 5), SIDE, SHIFT).shape)
    sentences = {
        (1, 6, 12, 5): "There is an axis of length 1 in front: x is one map, and so is the result.",
        (8, 9, 5): "It returns windows: put them back together.",
        (72, 5): "All positions are in one axis: height and width are two.",
        (8, 5): "It returns one vector for each window: each of its positions gets one.",
    }
    return shape == (HEIGHT, WIDTH, 5) or sentences.get(
        shape, f"From (6, 12, 5) it makes {shape}: the result is as large as x."
    )


def no_nan(answer):
    """Some positions get nan: is anything divided by 0, or is -inf among the vectors?"""
    return not read(answer).isnan().any()


def named(position):
    """A position of the map in words."""
    return f"({position // WIDTH}, {position % WIDTH})"


def sees_the_right_ones(answer):
    """Some positions get something from others than those that they may see."""
    found, wanted = read(answer), read(window_means)
    if found.isnan().any():
        return None
    wrong = ((found.abs() > 1e-6) != (wanted > 0)).nonzero()
    if not len(wrong):
        return True
    place, other = wrong[0].tolist()
    gets = "gets nothing from" if wanted[place, other] else "gets something from"
    may = "may see" if wanted[place, other] else "must not see"
    return (
        f"With 6 x 12 positions, side 3 and shift 1, the position in (row, column) {named(place)} "
        f"{gets} {named(other)}, which it {may}."
    )


def adds_up(answer):
    """What a position gets is no mean: the shares must sum to 1."""
    found = read(answer)
    if found.isnan().any():
        return None
    return torch.allclose(found.sum(dim=1), torch.ones(N), atol=2e-3)


def all_alike(answer):
    """Those that a position may see do not count alike."""
    if sees_the_right_ones(answer) is not True or not adds_up(answer):
        return None
    return torch.allclose(read(answer), read(window_means), atol=2e-3)


def with_slips(roll, mask, divide):
    """The shares with a choice for each of the rules below."""
    x = torch.eye(N).view(HEIGHT, WIDTH, N)
    return means(x, SIDE, SHIFT, *roll, mask, divide).reshape(N, N)


WINDOW_MEANS = Symptom(
    id="9.4",
    title="Light from the other side",
    level="medium",
    text="""
On the left is a map of 12 x 16 colours, dark with a bright stripe at its right edge. On the right
is what `window_means` made of it, in windows of side 4 that are shifted by 2. Correct code would
have left this map as it is, but that code has one of the mistakes below. Choose the letter, then
repair `window_means(x, side, shift)`.

It stands for attention whose scores are all alike: each position of `x` (height, width, D) gets the
**mean of all vectors that it may see**. The windows lie `shift` positions further down and to the
right: the map is rolled by -shift in both directions and cut into windows of `side` by `side`. A
position sees those in its window, itself included, that `may_look` of 9.3 lets it see. Each mean
ends up where its position was in `x`, so the result is (height, width, D). `side` divides height
and width, `shift` is at least 0 and less than `side`. Use `windows`, `put_back` and `may_look` of
9.1 to 9.3.
""",
    hints=(
        "Where is something bright that should be dark? Where did the roll take these columns?",
        "Which columns lie next to each other in the last window of a row, after the roll?",
        "A mask of True and False becomes weights: ones and zeros, each row divided by its sum. "
        "Weights times vectors are means.",
    ),
    solution=window_means,
    second_style=window_means_by_tiles,
    mistakes=(
        window_means_not_rolled,
        window_means_by_all,
        window_means_no_mask,
        window_means_rolled_on,
        window_means_not_back,
        window_means_other_way,
        window_means_inverted,
        window_means_rows_only,
        window_means_summed,
        window_means_without_itself,
        window_means_softened,
    ),
    shown=window_means_no_mask,
    looks=(
        "The stripe would be twice as wide and half as bright, as it would share its windows with "
        "its dark neighbours; the left edge would stay dark.",
        "Nothing dark would get brighter: all four edges would be darker than before, the corners "
        "most of all.",
        "The left edge is as bright as the right one: after the roll the two lie in the same "
        "windows, and each takes half of the other’s colour.",
        "The stripe would be as bright and as narrow as before, but four columns further to the "
        "left.",
    ),
    cases=window_means_cases,
    properties=(
        Property("The result is (height, width, D).", has_the_shape),
        *composed(
            read,
            with_slips,
            {
                "The map is rolled by -shift, and the result by shift.": ((-1, -1), (1, 1)),
                "The map is not rolled: the windows are not shifted.": ((0, 0), (0, 0)),
                "The result is not rolled back: each mean belongs where its position was.": (
                    (-1, -1),
                    (0, 0),
                ),
                "The result is rolled on, not back: the way back is in the other direction.": (
                    (-1, -1),
                    (-1, -1),
                ),
                "The map is rolled by shift first and by -shift at the end: it is the other way "
                "round.": ((1, 1), (-1, -1)),
                "Only the rows are rolled: the columns must be, too.": ((-1, 0), (1, 0)),
                "Only the columns are rolled: the rows must be, too.": ((0, -1), (0, 1)),
                "The result is rolled back in its rows only: the columns go back, too.": (
                    (-1, -1),
                    (1, 0),
                ),
                "The result is rolled back in its columns only: the rows go back, too.": (
                    (-1, -1),
                    (0, 1),
                ),
            },
            {
                "A position sees whom it may see.": may_look,
                "A position sees its whole window, with what came from the opposite edge: "
                "`may_look` is left out.": shift_mask.may_look_all,
                "Left and right edge see each other: top and bottom alone are kept "
                "apart.": shift_mask.may_look_rows_only,
                "Top and bottom see each other: left and right edge alone are kept "
                "apart.": shift_mask.may_look_columns_only,
                "A position sees those that it must not see: True means that it "
                "may.": shift_mask.may_look_inverted,
                "A position does not see itself: it counts, too.": without_itself,
                "The ones and zeros of the mask go through a softmax: a score of 0 still gets a "
                "weight.": softened,
            },
            {
                "A sum is divided by the number of vectors in it.": "by all seen",
                "Each sum is divided by side², even where a position sees fewer.": "by side²",
                "The vectors are added up: divide by how many a position sees.": "not",
            },
            otherwise=(no_nan, sees_the_right_ones, adds_up, all_alike),
        ),
    ),
    see="9C Windows that shift",
)
