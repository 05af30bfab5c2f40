"""Attention weights as pictures: a matrix, lines between tokens, and a grid of all heads.

The static twins of `explorers.AttentionExplorer`. Everything takes plain arrays or tensors.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import ArrayLike

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

# Most weights are small: the square root of a weight chooses its colour, 0 and 1 stay fixed.
SCALE = PowerNorm(0.5, vmin=0, vmax=1)


def _array(weights, axes):
    """A float array with as many axes as `axes` has letters; leading axes of size 1 are dropped."""
    if hasattr(weights, "detach"):
        weights = weights.detach().float().cpu().numpy()
    array = np.asarray(weights, dtype=float)
    while array.ndim > len(axes) and array.shape[0] == 1:
        array = array[0]
    if array.ndim != len(axes) or 0 in array.shape:
        wanted = ", ".join(axes)
        raise ShapeError(f"weights must be ({wanted}) and not empty, got shape {array.shape}")
    return array


def _labels(rows, columns, shape):
    columns = rows if columns is None else columns
    if (len(rows), len(columns)) != shape:
        raise ShapeError(
            f"weights are {shape[0]} x {shape[1]}, but there are {len(rows)} row labels "
            f"and {len(columns)} column labels"
        )
    return [_shown(label) for label in rows], [_shown(label) for label in columns]


def _shown(label, longest=14):
    """A label as a figure can draw it: no line breaks, not long."""
    text = " ".join(str(label).split()) or ("(empty)" if not str(label) else "␣")
    return text if len(text) <= longest else text[: longest - 1] + "…"


@style.styled
def attention_matrix(
    weights: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    title: str = "",
    numbers: bool | None = None,
    sums: bool = False,
    figure: Figure | None = None,
) -> Figure:
    """One head as a matrix: a row looks, a column is looked at.

    weights (T, S), rows T labels, columns S labels (the rows when left out). numbers writes each
    weight from 0.01 on into its cell, by default up to 10 x 10; where there are none, a bar says
    what the colours mean. sums writes what each row adds up to beside it, and draws the bar, too.
    Returns the figure. Raises ShapeError when labels and weights disagree.

    >>> attention_matrix([[0.8, 0.2], [0.0, 1.0]], ["the", "cat"]).axes[0].get_xlabel()
    'is looked at (key)'
    """
    weights = _array(weights, "TS")
    rows, columns = _labels(rows, columns, weights.shape)
    if numbers is None:
        numbers = max(weights.shape) <= 10
    size = 0.6 if numbers else 0.34
    wide, high = (max(size * n, 1.6) for n in weights.shape[::-1])
    long = max(map(len, columns))
    tilted = long > (7 if numbers else 1)
    width = wide + (1.4 if numbers else 2.6) + (1.8 if sums else 0)
    figure = style.blank(figure, max(width, 4.4), high + 1.3 + (0.08 * long if tilted else 0))
    axes = figure.subplots()
    image = axes.imshow(weights, cmap=style.WEIGHTS, norm=SCALE)
    tilt = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if tilted else {}
    axes.set_xticks(range(len(columns)), columns, **tilt)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color=style.GRID if numbers else style.CARD, linewidth=0.8)
    axes.tick_params(which="both", length=0)
    axes.set(xlabel="is looked at (key)", ylabel="looks (query)", title=title)
    axes.spines[:].set_visible(numbers)
    axes.spines[:].set_color(style.GRID)
    if numbers:
        for (t, s), weight in np.ndenumerate(weights):
            if weight >= 0.005:
                colour = style.CARD if weight > 0.3 else style.INK
                axes.text(s, t, f"{weight:.2f}", ha="center", va="center", color=colour)
    if sums:
        totals = axes.secondary_yaxis("right")
        totals.set_yticks(range(len(rows)), [f"{total:.2f}" for total in weights.sum(axis=1)])
        totals.tick_params(length=0)
        totals.spines[:].set_visible(False)
        totals.set_ylabel("sum of the row")
    if sums or not numbers:
        _colour_bar(figure, image, axes)
    return figure


def _colour_bar(figure, image, axes):
    """Say beside one or more maps which colour is which weight."""
    bar = figure.colorbar(image, ax=axes, shrink=0.75, pad=0.02, ticks=[0, 0.1, 0.3, 0.6, 1])
    bar.set_label("weight")
    bar.outline.set_visible(False)


@style.styled
def attention_matrices_beside(
    maps: dict[str, ArrayLike],
    labels: Sequence[str],
    title: str = "",
    framed: int | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Draw maps of one text side by side, small and without numbers, to compare their shapes.

    maps: {caption: weights (T, T)}; labels: T tokens; framed, the index of a row to look at.
    A bar says what the colours mean.
    Returns the figure. Raises ShapeError when labels and weights disagree.

    >>> two = {"as it is": [[0.5, 0.5], [0.2, 0.8]], "causal": [[1.0, 0.0], [0.2, 0.8]]}
    >>> [axes.get_title() for axes in attention_matrices_beside(two, ["too", "wide"]).axes[:2]]
    ['as it is', 'causal']
    """
    arrays = {caption: _array(weights, "TS") for caption, weights in maps.items()}
    side = 0.25 * len(labels)
    figure = style.blank(figure, (side + 0.5) * len(arrays) + 2.2, side + 2.0)
    places = figure.subplots(1, len(arrays), sharey=True, squeeze=False)[0]
    for axes, (caption, weights) in zip(places, arrays.items(), strict=True):
        rows, columns = _labels(labels, None, weights.shape)
        image = axes.imshow(weights, cmap=style.WEIGHTS, norm=SCALE)
        tilt = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(range(len(columns)), columns, **tilt)
        axes.set_yticks(range(len(rows)), rows)
        axes.tick_params(length=0, labelsize=9)
        axes.set_xlabel("is looked at (key)")
        axes.spines[:].set(visible=True, color=style.GRID)
        if framed is not None:
            frame = {"fill": False, "edgecolor": style.ORANGE, "linewidth": 2}
            axes.axhspan(framed - 0.5, framed + 0.5, **frame)
        style.panel_title(axes, caption)
    places[0].set_ylabel("looks (query)")
    _colour_bar(figure, image, places)
    style.headline(figure, title)
    return figure


@style.styled
def attention_lines(
    weights: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    title: str = "",
    focus: int | None = None,
    threshold: float = 0.05,
    segments: Sequence[int] | None = None,
    figure: Figure | None = None,
) -> Figure:
    """One head as lines from the tokens that look (left) to those they look at (right).

    weights (T, S), rows T labels, columns S labels (the rows when left out); focus, the index of a
    row, leaves only its lines and writes their weights; lines below `threshold` are not drawn;
    segments, 0 or 1 for each row, colours its lines.
    Returns the figure. Raises ShapeError when labels and weights disagree.

    >>> len(attention_lines([[0.8, 0.2], [0.0, 1.0]], ["the", "cat"]).axes[0].patches)
    3
    """
    weights = _array(weights, "TS")
    figure = style.blank(figure, width=6.0, height=0.29 * max(weights.shape) + 0.9)
    axes = figure.subplots()
    _draw_lines(axes, weights, rows, columns, focus, threshold, segments)
    axes.set_title(title)
    return figure


@style.styled
def attention_lines_beside(
    panels: Sequence[tuple[ArrayLike, Sequence[str], int]],
    title: str = "",
    captions: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Rows of two or more maps as lines, side by side: what one word looks at in each text.

    panels: (weights (T, T), T labels, focus) for each text, drawn as by `attention_lines`.
    captions and colours: a title and a colour for each panel.
    Returns the figure. Raises ShapeError when labels and weights disagree, or without a panel.

    >>> one = [[1.0, 0.0], [0.4, 0.6]], ["too", "wide"], 1
    >>> len(attention_lines_beside([one, one]).axes)
    2
    """
    if not panels:
        raise ShapeError("attention_lines_beside needs at least one panel")
    maps = [_array(weights, "TS") for weights, _, _ in panels]
    longest = max(len(weights) for weights in maps)
    figure = style.blank(figure, width=5.7 * len(maps), height=0.29 * longest + 1.0)
    places = figure.subplots(1, len(maps), squeeze=False)[0]
    captions, colours = (list(of or [None] * len(maps)) for of in (captions, colours))
    drawn = zip(places, maps, panels, captions, colours, strict=True)
    for axes, weights, (_, labels, focus), caption, colour in drawn:
        _draw_lines(axes, weights, labels, focus=focus, colour=colour)
        if caption:
            style.panel_title(axes, caption)
    style.headline(figure, title)
    return figure


def _draw_lines(
    axes, weights, rows, columns=None, focus=None, threshold=0.05, segments=None, colour=None
):
    """Draw what `attention_lines` shows; colour, of all lines where there are no segments."""
    rows, columns = _labels(rows, columns, weights.shape)
    n_rows, n_columns = weights.shape
    if focus is not None and not 0 <= focus < n_rows:
        raise ShapeError(f"focus must be a row from 0 to {n_rows - 1}, got {focus}")
    plain = colour or style.BLUE
    colours = [style.ORANGE if s else plain for s in (segments or [0] * n_rows)]
    for t in range(n_rows) if focus is None else [focus]:
        strongest = max(weights[t].max(), 1e-6) if focus is not None else 1
        for s in range(n_columns):
            weight = weights[t, s]
            if weight < max(threshold, 1e-3):
                continue
            path = Path([(0, t), (0.45, t), (0.55, s), (1, s)], [1, 4, 4, 4])
            axes.add_patch(
                PathPatch(
                    path,
                    facecolor="none",
                    edgecolor=colours[t],
                    linewidth=0.5 + 4.5 * weight,
                    alpha=min(1, 0.1 + 0.9 * (weight / strongest) ** 0.8),
                    capstyle="butt",
                )
            )
            if focus is not None:
                axes.text(1.36, s, f"{weight:.2f}", va="center", ha="right", color=style.MUTED)
    for t, label in enumerate(rows):
        weight = "bold" if t == focus else "normal"
        axes.text(-0.03, t, label, ha="right", va="center", fontweight=weight, fontsize=10.5)
    for s, label in enumerate(columns):
        axes.text(1.03, s, label, ha="left", va="center", fontsize=10.5)
    axes.text(-0.03, -1.1, "looks", ha="right", va="center", color=style.MUTED, fontsize=9)
    axes.text(1.03, -1.1, "is looked at", ha="left", va="center", color=style.MUTED, fontsize=9)
    axes.set(xlim=(-0.4, 1.4), ylim=(max(weights.shape) - 0.4, -1.6))
    axes.axis("off")


@style.styled
def head_grid(
    maps: ArrayLike,
    title: str = "",
    chosen: tuple[int, int] | Sequence[tuple[int, int]] | None = None,
    figure: Figure | None = None,
) -> Figure:
    """All heads of a model as small matrices, a row for each layer, counted from 0.

    maps (L, H, T, S); chosen, a (layer, head) or a list of them, is framed. A bar says what the
    colours mean.
    Returns the figure. Raises ShapeError when maps have other axes.

    >>> import numpy as np
    >>> len(head_grid(np.full((2, 3, 4, 4), 0.25)).axes)  # six heads and the bar
    7
    """
    if isinstance(maps, Sequence):
        maps = np.stack([_array(layer, "HTS") for layer in maps])
    maps = _array(maps, "LHTS")
    layers, heads = maps.shape[:2]
    marked = [] if chosen is None else [chosen] if np.ndim(chosen[0]) == 0 else list(chosen)
    side = max(0.42, min(1.1, 9.0 / heads))
    figure = style.blank(figure, width=side * heads + 1.8, height=side * layers + 1.0)
    grid = figure.subplots(layers, heads, squeeze=False)
    for (layer, head), axes in np.ndenumerate(grid):
        image = axes.imshow(
            maps[layer, head], cmap=style.WEIGHTS, norm=SCALE, aspect="auto", interpolation="none"
        )
        style.draw_frame(axes)
        if (layer, head) in [tuple(head) for head in marked]:
            axes.add_patch(
                Rectangle(
                    (0, 0),
                    1,
                    1,
                    transform=axes.transAxes,
                    fill=False,
                    edgecolor=style.ORANGE,
                    linewidth=3,
                    clip_on=False,
                    zorder=5,
                )
            )
        if layer == layers - 1:
            axes.set_xlabel(str(head))
        if head == 0:
            axes.set_ylabel(str(layer), rotation=0, ha="right", va="center")
    _colour_bar(figure, image, grid)
    style.headline(figure, title)
    strip = 0.2 / figure.get_figheight()  # the axis is named close below its numbers
    figure.get_layout_engine().set(rect=(0, strip, 1, 1 - strip))
    figure.supxlabel("head", fontsize=10, y=0.06 / figure.get_figheight(), va="bottom")
    figure.supylabel("layer", fontsize=10)
    return figure


def describe_attention(
    weights: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    focus: int | None = None,
    top: int = 3,
) -> str:
    """Say in words where the tokens look: the alt text of a map.

    weights (T, S); focus, the index of a row, describes that row only; otherwise each row's first
    choice is named. Returns one sentence for each row described.

    >>> describe_attention([[0.8, 0.2], [0.0, 1.0]], ["the", "cat"], focus=0)
    'the looks at the 0.80, cat 0.20.'
    """
    weights = _array(weights, "TS")
    columns = rows if columns is None else columns
    sentences = []
    for t in range(len(rows)) if focus is None else [focus]:
        best = np.argsort(-weights[t], kind="stable")[: 1 if focus is None else top]
        seen = ", ".join(f"{columns[s]} {weights[t, s]:.2f}" for s in best)
        sentences.append(f"{rows[t]} looks at {seen}.")
    return " ".join(sentences)
