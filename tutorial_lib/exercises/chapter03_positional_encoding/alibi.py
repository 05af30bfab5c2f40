"""Chapter 03: a penalty that grows with the distance."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def alibi_bias(n_heads, n):
    """Return the bias (H, n, n): minus the head's slope times the distance from query to key.

    Head h, counted from 1, has the slope 2^(-8h/H); n_heads is a power of two.
    """
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)  # (H,)
    places = torch.arange(n)
    distance = (places[:, None] - places).abs()  # (T, S)
    return -slopes[:, None, None] * distance  # (H, T, S)


def alibi_bias_loops(n_heads, n):
    """Second style."""
    return [
        [[-abs(t - s) / 256 ** (head / n_heads) for s in range(n)] for t in range(n)]
        for head in range(1, n_heads + 1)
    ]


def alibi_by(slopes, n):
    """The bias with slopes (H,) of one's own, for the mistakes below."""
    return -slopes[:, None, None] * (torch.arange(n)[:, None] - torch.arange(n)).abs()


def alibi_slopes_of(n_heads):
    """The slopes (H,): 2^(-8/H), 2^(-16/H) ... 2^-8."""
    return 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)


def alibi_bias_plus(n_heads, n):
    """This rewards distance: the bias is minus slope times distance, the far are pushed down."""
    return -alibi_bias(n_heads, n)


def alibi_bias_signed(n_heads, n):
    """This rewards keys ahead of the query: distance has no sign, |t - s|."""
    offsets = torch.arange(n)[:, None] - torch.arange(n)
    return -alibi_slopes_of(n_heads)[:, None, None] * offsets


def alibi_bias_signed_turned(n_heads, n):
    """This rewards keys before the query: distance has no sign, |t - s|."""
    return -alibi_bias_signed(n_heads, n)


def alibi_bias_past(n_heads, n):
    """This leaves the keys ahead at 0: their distance counts too, hiding them is the mask's job."""
    return alibi_bias(n_heads, n).tril()


def alibi_bias_masked(n_heads, n):
    """This hides the keys ahead: that is the mask's job, give distances both ways."""
    return alibi_bias(n_heads, n).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)


def alibi_bias_linear(n_heads, n):
    """This has slopes that fall linearly, 1, 1 - 1/H ...: each is the one before times 2^(-8/H)."""
    return alibi_by(1 - torch.arange(n_heads) / n_heads, n)


def alibi_bias_inverse(n_heads, n):
    """This has slopes 1, 1/2, 1/3 ...: they fall as powers, each 2^(-8/H) of the one before."""
    return alibi_by(1 / torch.arange(1, n_heads + 1), n)


def alibi_bias_from_one(n_heads, n):
    """This starts with a slope of 1: heads count from 1, so the first slope is 2^(-8/H)."""
    return alibi_by(2.0 ** (-8 * torch.arange(n_heads) / n_heads), n)


def alibi_bias_halves(n_heads, n):
    """This halves the slope from head to head whatever H is: that is right for 8 heads only."""
    return alibi_by(0.5 ** torch.arange(1, n_heads + 1), n)


def alibi_bias_no_eight(n_heads, n):
    """This has the slopes 2^(-h/H), the 8 is missing: the last head's slope is 2^-8."""
    return alibi_by(2.0 ** (-torch.arange(1, n_heads + 1) / n_heads), n)


def alibi_bias_natural(n_heads, n):
    """This takes powers of e: the slopes are powers of 2."""
    return alibi_by((-8 * torch.arange(1, n_heads + 1) / n_heads).exp(), n)


def alibi_bias_steep_last(n_heads, n):
    """This has the heads in reverse: the first has the steepest slope, 2^(-8/H)."""
    return alibi_bias(n_heads, n).flip(0)


def alibi_bias_one_slope(n_heads, n):
    """This gives all heads one slope: with 2^(-8h/H) some look near and some far."""
    return alibi_bias(n_heads, n)[:1].expand(n_heads, n, n)


def alibi_bias_from_start(n_heads, n):
    """This counts from the first word, not from the query: it is the same in every row."""
    return -alibi_slopes_of(n_heads)[:, None, None] * torch.arange(n).expand(n, n)


def alibi_bias_from_end(n_heads, n):
    """This counts from the last word, not from the query: it is the same in every row."""
    return alibi_bias_from_start(n_heads, n).flip(-1)


def alibi_bias_late(n_heads, n):
    """This adds one to each distance: a word is 0 away from itself."""
    return alibi_bias(n_heads, n) - alibi_slopes_of(n_heads)[:, None, None]


def alibi_bias_squared(n_heads, n):
    """This squares the distance: the penalty grows in a straight line."""
    return alibi_bias(n_heads, n) * (torch.arange(n)[:, None] - torch.arange(n)).abs()


def alibi_bias_heads_last(n_heads, n):
    """This has the heads on the last axis: the bias is (H, T, S), as the scores are."""
    return alibi_bias(n_heads, n).permute(1, 2, 0)


def alibi_bias_cases():
    """Eight heads, where the slopes are halves, and other numbers, where they are not."""
    return [
        case("2 heads, 5 words", 2, 5),
        case("8 heads, 3 words", 8, 3),
        case("4 heads, 6 words", 4, 6),
        case("1 head, 2 words", 1, 2),
    ]


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
    mistakes=(
        alibi_bias_plus,
        alibi_bias_signed,
        alibi_bias_signed_turned,
        alibi_bias_past,
        alibi_bias_masked,
        alibi_bias_linear,
        alibi_bias_inverse,
        alibi_bias_from_one,
        alibi_bias_halves,
        alibi_bias_no_eight,
        alibi_bias_natural,
        alibi_bias_steep_last,
        alibi_bias_one_slope,
        alibi_bias_from_start,
        alibi_bias_from_end,
        alibi_bias_late,
        alibi_bias_squared,
        alibi_bias_heads_last,
    ),
    cases=alibi_bias_cases,
    see="3.7 Rotary and ALiBi",
)
