"""How large a part of a model its table of tokens is."""

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import LOOKS

HEIGHT = 0.62  # of a bar, where rows are 1 apart
NARROW = 0.08  # a smaller share is written beside its part


def _shares(sizes):
    """Return {model: the table's share}; raises ShapeError for a table that is not a part."""
    if not sizes:
        raise ShapeError("parameter_shares needs at least one model")
    for name, (table, total) in sizes.items():
        if not 0 <= table <= total or not total:
            raise ShapeError(
                f"the table of {name!r} is a part of its parameters, got {table} of {total}"
            )
    return {name: table / total for name, (table, total) in sizes.items()}


def _millions(total):
    return f"{total / 1e6:,.1f} million"


@style.styled
def parameter_shares(sizes, title="", figure=None):
    """One bar for each model, all of one length: the table of tokens, and all other parameters.

    sizes {model: (parameters in the table of tokens, parameters in all)}. The table has the colour
    of the tables in the drawing of a model, and its share in it, or beside it below 0.08; the
    number at a bar's right end is that of all parameters. Returns the figure. Raises ShapeError for
    no model, and for a table that is not a part of its model.

    >>> figure = parameter_shares({"BERT": (20, 100), "MiniLM": (60, 120)}, "A fifth or half")
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['0.20', '0.0 million']
    """
    shares = _shares(sizes)
    figure = style.blank(figure, 7.8, 1.1 + 0.46 * len(sizes))
    axes = figure.subplots()
    fill, edge = LOOKS["embedding"]
    middle = {"va": "center", "fontsize": 10}
    for row, (name, share) in enumerate(shares.items()):
        bottom = row - HEIGHT / 2
        rest = {"facecolor": style.PALE_GREY, "edgecolor": style.GRID, "linewidth": 1.2}
        axes.add_patch(Rectangle((0, bottom), 1, HEIGHT, **rest))
        table = {"facecolor": fill, "edgecolor": edge, "linewidth": 1.5, "clip_on": False}
        axes.add_patch(Rectangle((0, bottom), share, HEIGHT, **table))
        inside = share >= NARROW
        x, side = (share / 2, "center") if inside else (share + 0.012, "left")
        axes.text(x, row, f"{share:.2f}", ha=side, fontweight="bold", **middle)
        axes.text(1.015, row, _millions(sizes[name][1]), **middle)
    above = {"va": "bottom", "fontsize": 9.5, "color": style.MUTED}
    axes.text(0, -HEIGHT / 2 - 0.1, "token table", **above)
    axes.text(1, -HEIGHT / 2 - 0.1, "all the rest", ha="right", **above)
    axes.text(1.015, -HEIGHT / 2 - 0.1, "parameters", **above)
    axes.set(xlim=(0, 1.22), ylim=(len(sizes) - 0.5, -0.8), xticks=[])
    axes.set_yticks(range(len(sizes)), list(sizes), fontsize=10)
    axes.tick_params(axis="y", length=0, pad=5.25)  # points: 8 pixels
    axes.spines[:].set_visible(False)
    style.headline(figure, title)
    return figure


def describe_parameter_shares(sizes, title=""):
    """Say in words what `parameter_shares` shows.

    >>> describe_parameter_shares({"BERT-base": (23_440_896, 109_482_240)}, "How large?")
    'How large? Share of the parameters in the token table: BERT-base 0.21 of 109.5 million.'
    """
    each = (
        f"{name} {share:.2f} of {_millions(sizes[name][1])}"
        for name, share in _shares(sizes).items()
    )
    dot = "" if not title or title.endswith(("?", "!", ".")) else "."
    start = f"{title}{dot} " if title else ""
    return f"{start}Share of the parameters in the token table: {', '.join(each)}."
