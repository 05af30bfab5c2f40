"""A large map that stays, and the small one that is added to it, drawn to scale."""

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

LARGEST = 2.2  # inches of the longest side
GAP = 0.75  # inches between the two
APART = 0.25  # inches between the product and its factors


@style.styled
def low_rank_change(d_out, d_in, rank, title="", figure=None):
    """Draw W + B A to scale: W (d_out, d_in) is frozen, B (d_out, rank) and A (rank, d_in) learn.

    The product is a whole map; B stands at its left and A above it. Each has its
    shape and how many numbers it holds. Returns the figure. Raises ShapeError unless the rank is
    from 1 to the smaller side.

    >>> figure = low_rank_change(6, 4, 1)
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['W  6 × 4', '24 numbers, frozen']
    """
    _check(d_out, d_in, rank)
    scale = LARGEST / max(d_out, d_in)
    high, wide, thin = d_out * scale, d_in * scale, rank * scale
    strip = thin + APART  # for B at the left of its product, and for A above it
    figure = style.blank(figure, 2 * wide + GAP + strip + 2.9, high + strip + 1.2)
    axes = figure.subplots()
    grey = {"facecolor": style.PALE_GREY, "edgecolor": style.MUTED, "linewidth": 1.3}
    pale = {"facecolor": style.PALE_ORANGE, "edgecolor": style.CARD, "linewidth": 1.3}
    full = {"facecolor": style.ORANGE, "edgecolor": style.ORANGE, "linewidth": 1.3}
    second = wide + GAP + strip  # where the product begins
    axes.add_patch(Rectangle((0, 0), wide, high, **grey))
    axes.add_patch(Rectangle((second, 0), wide, high, **pale))
    axes.add_patch(Rectangle((second - strip, 0), thin, high, **full))
    axes.add_patch(Rectangle((second, -strip), wide, thin, **full))
    middle = {"ha": "center", "va": "center"}
    axes.text(wide / 2, high / 2 - 0.12, f"W  {d_out} × {d_in}", fontweight="bold", **middle)
    frozen = f"{d_out * d_in:,} numbers, frozen"
    axes.text(wide / 2, high / 2 + 0.14, frozen, fontsize=9.5, color=style.MUTED, **middle)
    axes.text(wide + GAP / 2, high / 2, "+", fontsize=16, **middle)
    axes.text(
        second + wide / 2, high / 2 - 0.12, f"B A  {d_out} × {d_in}", fontweight="bold", **middle
    )
    made = f"of rank {rank}"
    axes.text(second + wide / 2, high / 2 + 0.14, made, fontsize=9.5, color=style.MUTED, **middle)
    corner = second - strip
    beside = {
        "A": (second + wide + 0.15, thin / 2 - strip, rank, d_in),
        "B": (corner, high + 0.22, d_out, rank),  # below it
    }
    for name, (x, y, rows, columns) in beside.items():
        said = f"{name}  {rows} × {columns}: {rows * columns:,} numbers, learns"
        axes.text(x, y, said, fontsize=9.5, va="center")
    axes.set(xlim=(-0.05, second + wide + 2.6), ylim=(high + 0.4, -strip - 0.15), aspect="equal")
    axes.axis("off")
    style.headline(figure, title)
    return figure


def _check(d_out, d_in, rank):
    if not 1 <= rank <= min(d_out, d_in):
        raise ShapeError(f"the rank is from 1 to {min(d_out, d_in)}, got {rank}")


def describe_low_rank_change(d_out, d_in, rank):
    """Say in words what `low_rank_change` shows.

    >>> describe_low_rank_change(6, 4, 1)
    'W, 6 × 4, 24 numbers, is frozen. Added to it is B A: B, 6 × 1, and A, 1 × 4, learn.'
    """
    _check(d_out, d_in, rank)
    return (
        f"W, {d_out} × {d_in}, {d_out * d_in:,} numbers, is frozen. Added to it is B A: B, "
        f"{d_out} × {rank}, and A, {rank} × {d_in}, learn."
    )
