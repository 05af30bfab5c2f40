"""One look for every figure of the course.

Colours are Okabe and Ito's colour-blind-safe set. Figures stand on their own light card, so that
they read the same in a light and in a dark notebook; explorers, which are drawn for the page that
shows them, `darken` theirs on a dark one. Nothing here touches pyplot: a figure is made, drawn,
shown and forgotten, or handed back in to be drawn again (explorers reuse one).
"""

import io
from collections.abc import Callable
from functools import cache, wraps
from typing import TypeVar

import matplotlib
import numpy as np
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from PIL import Image

INK = "#1f2430"
MUTED = "#5c6370"
GRID = "#dfe2e8"
CARD = "#fdfcf9"
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
PINK = "#cc79a7"
SKY = "#56b4e9"
AMBER = "#e69f00"
GREY = "#9aa1ad"  # bars of baselines and tables: there to compare with
# Fills of boxes and chips, under text in INK.
PALE_BLUE, PALE_SKY, PALE_GREEN = "#cfe5f3", "#9cc9e4", "#cdeadf"
PALE_ORANGE, PALE_PINK, PALE_AMBER, PALE_GREY = "#f6dcc8", "#f2dceb", "#f6e7c3", "#eceae4"
CYCLE = (BLUE, ORANGE, GREEN, PINK, SKY, AMBER)

# What each becomes on a dark page: the same colours as in the explorers' stylesheet.
DARK = {
    INK: "#e3e5ea",
    MUTED: "#a9afba",
    GRID: "#3c414c",
    CARD: "#111111",
    BLUE: "#56b4e9",
    ORANGE: "#f0883e",
    GREEN: "#2fc79c",
    PINK: "#e3a3c8",
}
_DARK_FILLS = {
    PALE_BLUE: "#14344a",
    PALE_SKY: "#1f4f6e",
    PALE_GREEN: "#123d31",
    PALE_ORANGE: "#47290f",
    PALE_PINK: "#43283a",
    PALE_AMBER: "#43350f",
    PALE_GREY: "#2a2d33",
}

# 0 is the card's own colour, so an empty cell looks empty.
WEIGHTS = LinearSegmentedColormap.from_list("weights", [CARD, "#a9cfe6", BLUE, "#08306b"])
# 0 is the card, the two signs are blue and orange.
SIGNED = LinearSegmentedColormap.from_list("signed", [ORANGE, "#f3c6a5", CARD, "#a9cfe6", BLUE])

DPI = 110

RC = {
    "figure.facecolor": CARD,
    "figure.dpi": DPI,
    "figure.constrained_layout.h_pad": 0.12,
    "figure.constrained_layout.w_pad": 0.12,
    "savefig.facecolor": CARD,
    "axes.facecolor": CARD,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=CYCLE),
    "axes.grid": False,
    "grid.color": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a token is a dollar sign
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "lines.linewidth": 2,
}


Drawing = TypeVar("Drawing", bound=Callable)


def styled(draw: Drawing) -> Drawing:
    """Decorate a function that makes a figure, so that it draws in the course's style."""

    @wraps(draw)
    def wrapper(*args, **kwargs):
        with matplotlib.rc_context(RC):
            return draw(*args, **kwargs)

    return wrapper


def blank(figure=None, width=8.0, height=4.0):
    """An empty figure of `width` x `height` inches; a given one is wiped and used again."""
    if figure is None:
        figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained", facecolor=CARD)
        FigureCanvasAgg(figure)
        return figure
    figure.clear()
    figure.set_facecolor(CARD)  # it may have been darkened
    figure.set_size_inches(width, height)
    return figure


def darken(figure):
    """Give a drawn figure the colours of a dark page; what is not of this style's stays.

    >>> figure = blank()
    >>> label = figure.text(0, 0, "tokens", color=BLUE)
    >>> darken(figure)
    >>> label.get_color(), to_hex(figure.get_facecolor())
    ('#56b4e9', '#111111')
    """
    for axes in figure.axes:
        # Ticks are made as they are needed, some when the picture is drawn.
        axes.tick_params(which="both", color=DARK[INK], labelcolor=DARK[INK])
    for artist in figure.findobj():
        for part in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            colours = getattr(artist, f"get_{part}", lambda: None)()
            if colours is not None and len(colours):
                getattr(artist, f"set_{part}")(_on_a_dark_page(colours))


def _on_a_dark_page(colours):
    """Return one colour, or each of several, as it is on a dark page."""
    if isinstance(colours, str) or not np.ndim(colours[0]):
        named = "none" if isinstance(colours, str) and colours == "none" else to_hex(colours)
        return (DARK | _DARK_FILLS).get(named, colours)
    return [_on_a_dark_page(colour) for colour in colours]


def headline(figure, text):
    """Set the finding of a figure with several panels above them all, at the left."""
    figure.suptitle(text, x=0.02, ha="left", fontsize=12, fontweight="bold")


def panel_title(axes, text):
    """Name one panel among several, over its middle, in the weight of the text."""
    axes.set_title(text, loc="center", fontsize=10, fontweight="normal", pad=6)


@cache
def text_width(text, size=10, weight="normal"):
    """Return the inches that a text takes at `size` points, to lay it out before it is drawn.

    >>> text_width("wide") > 3 * text_width("i")
    True
    """
    font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    # A canvas sets its letters a little wider, and a title's margins make an inch a little shorter.
    return 1.04 * text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72


def draw_frame(axes):
    """Frame a picture, without numbers along its edges."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(GRID)


def png(figure):
    """The figure as PNG bytes."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(RC):
        # savefig would draw twice, once for the layout alone; explorers redraw at each move.
        FigureCanvasAgg(figure).print_png(buffer)
    return buffer.getvalue()


def small_png(figure):
    """The figure as PNG bytes with 256 colours, a third of the size, for what a notebook keeps."""
    picture = Image.open(io.BytesIO(png(figure))).convert("RGB")
    few = picture.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def show(figure: Figure, alt: str) -> None:
    """Show a figure in the notebook, with `alt` as the text for whoever cannot see it.

    Raises ValueError when `alt` is empty: every picture of the course can be read aloud.
    """
    if not alt.strip():
        raise ValueError("show needs an alt text that says what the picture shows")
    display(
        {"image/png": small_png(figure), "text/plain": f"Figure: {alt}"},
        metadata={"image/png": {"alt": alt}},
        raw=True,
    )
