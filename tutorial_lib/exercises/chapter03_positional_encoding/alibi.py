"""Chapter 03: a penalty that grows with the distance."""

import torch

from tutorial_lib.exercises.engine.properties import alike, composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def alibi_bias(n_heads, n):
    """Return the bias (H, n, n): minus the head's slope times the distance from query to key.

    Head h, counted from 1, has the slope 2^(-8h/H); n_heads is a power of two.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)  # (H,)
    positions = torch.arange(n)
    distance = (positions[:, None] - positions).abs()  # (T, S)
    return -slopes[:, None, None] * distance  # (H, T, S)


def alibi_bias_loops(n_heads, n):
    """Second style."""
    return [
        [[-abs(t - s) / 256 ** (head / n_heads) for s in range(n)] for t in range(n)]
        for head in range(1, n_heads + 1)
    ]


def alibi_bias_cases():
    """Eight heads, where the slopes are halves, and other numbers, where they are not."""
    return [
        case("2 heads, 5 words", 2, 5),
        case("8 heads, 3 words", 8, 3),
        case("4 heads, 6 words", 4, 6),
        case("1 head, 2 words", 1, 2),
    ]


HEADS = torch.arange(1, 5)
OFFSETS = torch.arange(6)[:, None] - torch.arange(6.0)  # query minus key


def heads_come_first(answer):
    """The bias must have shape (H, n, n)."""
    got = answer(4, 6)
    if got.shape == (6, 6, 4):
        return "It has the heads on the last axis: (H, T, S), as the scores."
    return got.shape == (4, 6, 6)


def biases(answer):
    """Four heads, six words, heads first."""
    got = answer(4, 6)
    return got.permute(2, 0, 1) if got.shape == (6, 6, 4) else got


def nothing_on_the_diagonal(answer):
    """A word is 0 away from itself: the diagonal must be 0."""
    return not biases(answer).diagonal(dim1=1, dim2=2).any()


def slopes_of_heads(answer):
    """The slope of head h must be 2^(-8h/H)."""
    have, want = -biases(answer)[:, 0, 1], 2.0 ** (-2 * HEADS)
    return alike(have, want) or f"The first of 4 heads has the slope 0.25; yours {have[0]:.3g}."


def a_straight_line(answer):
    """Twice the distance must be twice the penalty."""
    return alike(biases(answer)[:, 0, 4], 2 * biases(answer)[:, 0, 2])


def the_far_are_pushed_down(answer):
    """The bias must be negative, and the more so the farther the key, on both sides."""
    row = biases(answer)[:, 3]
    return bool((row[:, :3].diff() > 0).all() and (row[:, 3:].diff() < 0).all())


RULES = composed(
    biases,
    lambda sign, slopes, distance: sign * slopes[:, None, None] * distance,
    {"The bias is minus the product.": -1, "It rewards distance: put a minus in front.": 1},
    {
        "Head h = 1 ... H has the slope 2^(-8h/H).": 2.0 ** (-2 * HEADS),
        "The slopes fall in a straight line: head h has 2^(-8h/H).": 1 - (HEADS - 1) / 4,
        "The slopes are 1, 1/2, 1/3 ...: head h has 2^(-8h/H).": 1 / HEADS,
        "The first slope is 1: heads count from 1, so it is 2^(-8/H).": 2.0 ** (-2 * (HEADS - 1)),
        "The slope halves from head to head, as for 8 heads only.": 0.5**HEADS,
        "The 8 is missing: head h has 2^(-8h/H).": 2.0 ** (-HEADS / 4),
        "It takes powers of e: the slopes are powers of 2.": torch.exp(-2 * HEADS),
        "The heads are in reverse: the first is the steepest.": 2.0 ** (-2 * HEADS.flip(0)),
        "All heads have one slope: head h has 2^(-8h/H).": torch.full((4,), 0.25),
    },
    {
        "The distance of query t and key s is |t - s|.": OFFSETS.abs(),
        "Distance has no sign, |t - s|: yours rewards the keys ahead.": OFFSETS,
        "Distance has no sign, |t - s|: yours rewards the keys before.": -OFFSETS,
        "It leaves the keys ahead at 0: their distance counts too.": OFFSETS.clamp(min=0),
        "It hides the keys ahead: that is the mask's job.": OFFSETS.where(OFFSETS >= 0, torch.inf),
        "It counts from the first word, not from the query.": -OFFSETS[0].expand(6, 6),
        "It counts from the last word, not from the query.": OFFSETS[-1].expand(6, 6),
        "It adds one to each distance: a word is 0 away from itself.": OFFSETS.abs() + 1,
        "It squares the distance: the penalty grows in a straight line.": OFFSETS**2,
    },
    otherwise=(nothing_on_the_diagonal, the_far_are_pushed_down, slopes_of_heads, a_straight_line),
)


ALIBI_BIAS = Write(
    id="3.10",
    title="ALiBi",
    level="easy",
    text="""
ALiBi needs no vectors and learns nothing: it lowers the score of a pair by the distance. Write
`alibi_bias(n_heads, n)`, shape (H, n, n): **minus slope times |t - s|** for query t and key s. The
slopes fall from head to head: head h = 1, 2 ... H has 2^(-8h/H), and H is a power of two. Count
distances to keys ahead as well; a causal mask may hide those later.
""",
    hints=(
        "The distances need no head: a table (n, n) of |t - s|.",
        "For H = 8 the slopes are 1/2, 1/4 ... 1/256; for H = 4 they are 1/4, 1/16, 1/64, 1/256.",
        "`slopes[:, None, None] * distance` has shape (H, n, n); mind the sign.",
    ),
    solution=alibi_bias,
    second_style=alibi_bias_loops,
    mistakes=(),
    cases=alibi_bias_cases,
    properties=(*properties(heads_come_first), *RULES),
    see="3G Rotary and ALiBi",
)
