"""A large map that stays, and the small one that is added to it, drawn to scale."""

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

LARGEST = 2.0  # inches of the longest side
LEAST = 1.9  # inches for the names of one
GAP = 0.5  # inches between two of them
TOP = 0.62  # inches for the names above


@style.styled
def low_rank_change(d_out, d_in, rank, title="", figure=None):
    """Draw W + B A to scale: W (d_out, d_in) is frozen, B (d_out, rank) and A (rank, d_in) learn.

    Each has its shape and how many numbers it holds above it. Returns the figure. Raises ShapeError
    unless the rank is from 1 to the smaller side.

    >>> figure = low_rank_change(6, 4, 1)
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['W  6 × 4', '24 numbers, frozen']
    """
    parts = _parts(d_out, d_in, rank)
    scale = LARGEST / max(d_out, d_in)
    widths = [max(columns * scale, LEAST) for _, _, columns, _ in parts]
    figure = style.blank(figure, sum(widths) + 3 * GAP, d_out * scale + TOP + 0.6)
    axes = figure.subplots()
    left = 0.0
    for (name, rows, columns, learns), width in zip(parts, widths, strict=True):
        fill, edge = style.PALE_GREY, style.MUTED
        if learns:
            fill, edge = style.PALE_ORANGE, style.ORANGE
        look = {"facecolor": fill, "edgecolor": edge, "linewidth": 1.3}
        axes.add_patch(Rectangle((left, 0), columns * scale, rows * scale, **look))
        axes.text(left, -0.34, f"{name}  {rows} × {columns}", fontsize=10, fontweight="bold")
        numbers = f"{rows * columns:,} numbers, {'learns' if learns else 'frozen'}"
        axes.text(left, -0.1, numbers, fontsize=9.5, color=style.MUTED)
        left += width + GAP
    plus = {"ha": "center", "va": "center", "fontsize": 16}
    axes.text(widths[0] + GAP / 2, d_out * scale / 2, "+", **plus)
    axes.set(xlim=(-0.05, left), ylim=(d_out * scale + 0.05, -TOP), aspect="equal")
    axes.axis("off")
    style.headline(figure, title)
    return figure


def _parts(d_out, d_in, rank):
    if not 1 <= rank <= min(d_out, d_in):
        raise ShapeError(f"the rank is from 1 to {min(d_out, d_in)}, got {rank}")
    return (
        ("W", d_out, d_in, False),
        ("B", d_out, rank, True),
        ("A", rank, d_in, True),
    )


def describe_low_rank_change(d_out, d_in, rank):
    """Say in words what `low_rank_change` shows.

    >>> describe_low_rank_change(6, 4, 1)
    'W, 6 × 4, 24 numbers, is frozen. Added to it is B A: B, 6 × 1, and A, 1 × 4, learn.'
    """
    _parts(d_out, d_in, rank)
    return (
        f"W, {d_out} × {d_in}, {d_out * d_in:,} numbers, is frozen. Added to it is B A: B, "
        f"{d_out} × {rank}, and A, {rank} × {d_in}, learn."
    )
