"""What two position vectors have in common: their product, and the turn that leads to the other."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter03_positional_encoding.sinusoids import position_table, wavelengths
from tutorial_lib.figures.style import (
    BLUE,
    CARD,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PINK,
    WEIGHTS,
    blank,
    headline,
    styled,
)

ROWS = (ORANGE, GREEN, PINK)  # to be seen on a blue map


@styled
def position_products(d_model=128, n_positions=64, rows=(8, 32, 56), title=None, figure=None):
    """PE(t) · PE(s) for all pairs of positions, and some of its rows laid over each other.

    Right, each row of the matrix is drawn over the offset s - t: the curves coincide. Both begin
    at the smallest product.
    Raises ShapeError when a row is not among the positions.
    """
    table = position_table(n_positions, d_model)
    if not all(0 <= row < n_positions for row in rows):
        raise ShapeError(f"rows must be positions below {n_positions}, got {tuple(rows)}")
    products = table @ table.T  # (T, T)
    figure = blank(figure, 10.0, 4.1)
    matrix, curves = figure.subplots(1, 2, width_ratios=[1, 1.35])
    picture = matrix.imshow(products, cmap=WEIGHTS, vmin=products.min(), vmax=d_model / 2)
    matrix.spines[:].set_visible(False)
    matrix.set(xlabel="position s", ylabel="position t")
    bar = figure.colorbar(picture, ax=matrix, fraction=0.046, pad=0.03, label="PE(t) · PE(s)")
    bar.outline.set_visible(False)
    for index, row in enumerate(rows):
        colour = ROWS[index % len(ROWS)]
        matrix.axhline(row, color=colour, linewidth=1.5)
        offset = np.arange(n_positions) - row
        # Wide lines below, narrow ones above: a curve that is covered still shows at its edges.
        width = 1.6 + 1.7 * (len(rows) - 1 - index)
        curves.plot(offset, products[row], color=colour, linewidth=width, label=f"t = {row}")
    curves.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    curves.set_ylim(bottom=products.min() - d_model / 64)
    curves.set(xlabel="offset s − t (positions)", ylabel="PE(t) · PE(s)")
    curves.legend(loc="upper right")
    headline(figure, title or "The product of two position vectors depends on their offset only")
    return figure


@styled
def shift_rotation(
    d_model=16, positions=(2, 9), shift=3, base=10_000, n_pairs=5, title=None, figure=None
):
    """One circle a pair of columns: the arrow of a position and the one shift positions further.

    The point is (sine, cosine), so the angle counts from the top, clockwise as on a clock. A line
    of circles for each of `positions`: down a column the turn is the same.
    """
    turn = shift * 2 * np.pi / wavelengths(d_model, base)[:n_pairs]
    count = len(turn)
    side = 1.85 if count > 3 else 2.3  # inches a circle
    figure = blank(figure, side * count + 0.7, (side - 0.1) * len(positions) + 1.2)
    circle = np.linspace(0, 2 * np.pi, 200)
    lines = figure.subplots(len(positions), count, squeeze=False)
    for down, (line, position) in enumerate(zip(lines, positions, strict=True)):
        start = position * 2 * np.pi / wavelengths(d_model, base)[:n_pairs]
        line[0].set_ylabel(
            f"{position} → {position + shift}", fontsize=10.5, rotation=0, ha="right", va="center"
        )
        for pair, axes in enumerate(line):
            axes.plot(np.sin(circle), np.cos(circle), color=GRID, linewidth=1.2, zorder=0)
            path = start[pair] + np.linspace(0, turn[pair], 100)
            axes.plot(0.5 * np.sin(path), 0.5 * np.cos(path), color=ORANGE, linewidth=2)
            for angle, colour in ((start[pair], BLUE), (start[pair] + turn[pair], GREEN)):
                arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8}
                arrow |= {"shrinkA": 0, "shrinkB": 0}
                axes.annotate("", (np.sin(angle), np.cos(angle)), (0, 0), arrowprops=arrow)
            axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect="equal")
            axes.spines[:].set_visible(False)
            if down == 0:
                axes.set_title(
                    f"pair {pair}: {np.degrees(turn[pair]):,.1f}°",
                    fontsize=10,
                    fontweight="normal",
                    loc="center",
                )
            if down == len(lines) - 1:
                axes.set_xlabel("right: sine, up: cosine", fontsize=9.5)
    inch = 1 / figure.get_figwidth()
    keys = (("position", BLUE), (f"{shift} positions on", GREEN), ("the turn between", ORANGE))
    for at, (text, colour) in zip((0.2, 1.3, 3.0), keys, strict=True):
        figure.text(at * inch, 0.02, f"● {text}", color=colour, fontsize=9.5, fontweight="bold")
    bottom = 0.3 / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, bottom, 1, 1 - bottom))
    headline(figure, title or "A shift turns each pair by an angle of its own, from any position")
    return figure


def describe_rotation(d_model=16, positions=(2, 9), shift=3, base=10_000, n_pairs=5):
    """Say in words what `shift_rotation` shows, for its alt text.

    >>> describe_rotation(4, (1,), 2)
    'Arrows on circles. From position 1 to 3: pair 0 turns by 114.6°, pair 1 turns by 1.1°.'
    """
    turns = np.degrees(2 * np.pi * shift / wavelengths(d_model, base))[:n_pairs]
    pairs = ", ".join(f"pair {pair} turns by {turn:,.1f}°" for pair, turn in enumerate(turns))
    ways = " and from ".join(f"{at} to {at + shift}" for at in positions)
    return f"Arrows on circles. From position {ways}: {pairs}."


@styled
def grid_similarity(tables, n_rows, n_columns, cells=None, title=None, figure=None):
    """How alike the position vector of some cells of a grid is to those of all cells.

    tables maps a name to the vectors (n_rows · n_columns, D), row by row; each gets a line of
    small maps, one for each (row, column) of `cells` (four by default). Shown is the cosine, on a
    scale of the line's own.
    Raises ShapeError when a table has another number of rows or a cell is not in the grid.
    """
    if cells is None:
        low, high = n_rows // 4, (3 * n_rows) // 4
        cells = [
            (low, n_columns // 4),
            (low, n_columns // 2),
            (high, n_columns // 2),
            (high, n_columns - 1),
        ]
    if not all(0 <= row < n_rows and 0 <= column < n_columns for row, column in cells):
        raise ShapeError(f"cells must lie in a grid of {n_rows} x {n_columns}, got {cells}")
    figure = blank(figure, 1.3 + 2.0 * len(cells), 1.0 + 2.05 * len(tables) * n_rows / n_columns)
    lines = figure.subplots(len(tables), len(cells), squeeze=False)
    maps = {name: _cosines(name, vectors, n_rows, n_columns) for name, vectors in tables.items()}
    for down, (line, (name, alike)) in enumerate(zip(lines, maps.items(), strict=True)):
        line[0].set_ylabel(f"{name}\n\nrow")
        lowest = alike[[row * n_columns + column for row, column in cells]].min()
        for axes, (row, column) in zip(line, cells, strict=True):
            here = alike[row * n_columns + column].reshape(n_rows, n_columns)
            picture = axes.imshow(here, cmap=WEIGHTS, vmin=lowest, vmax=1)
            ring = {"mfc": "none", "mec": ORANGE, "mew": 1.8, "clip_on": False}
            axes.plot(column, row, "o", **ring, markersize=8)
            axes.set(xticks=[0, n_columns - 1], yticks=[0, n_rows - 1])
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0, labelsize=8)
            if down == 0:
                axes.set_title(f"row {row}, column {column}", fontsize=9.5, fontweight="normal")
            if down == len(lines) - 1:
                axes.set_xlabel("column")
        bar = figure.colorbar(picture, ax=list(line), fraction=0.03)
        bar.outline.set_visible(False)
        bar.set_label("cosine with the\nmarked cell")
    headline(figure, title or "1-D: a streak along the row. 2-D: a cross along row and column")
    return figure


@styled
def step_similarity(tables, n_rows, n_columns, title=None, figure=None):
    """How alike the position vectors of two cells are, on the mean, by the step between them.

    tables maps a name to the vectors (n_rows · n_columns, D), row by row; each gets a map with
    step 0 in its middle (framed, left out of the colours), steps to half the grid, so that every
    step has many pairs, and a scale of colours of its own, with numbers to the right of the middle
    and below it.
    Returns the figure. Raises ShapeError when a table has another number of rows.

    >>> figure = step_similarity({"all alike": np.ones((9, 2))}, 3, 3)
    >>> np.asarray(figure.axes[0].get_images()[0].get_array()).round(6).min()
    np.float64(1.0)
    """
    figure = blank(figure, 1.7 + 3.2 * len(tables), 4.0)
    panels = figure.subplots(1, len(tables), squeeze=False)[0]
    for axes, (name, vectors) in zip(panels, tables.items(), strict=True):
        means = mean_by_step(_cosines(name, vectors, n_rows, n_columns), n_rows, n_columns)
        down, across = (size // 2 for size in means.shape)
        ends = (-across - 0.5, across + 0.5, down + 0.5, -down - 0.5)
        others = np.delete(means.ravel(), means.size // 2)  # the middle is 1 in any table
        scale = {"vmin": others.min(), "vmax": others.max()}
        picture = axes.imshow(means, cmap=WEIGHTS, **scale, extent=ends)
        axes.add_patch(Rectangle((-0.5, -0.5), 1, 1, facecolor=CARD, edgecolor=ORANGE, lw=1.8))
        axes.text(0, 0, "1", ha="center", va="center", fontsize=9.5)
        told = [(0, step) for step in range(1, across + 1)]  # two scales: numbers compare them
        for row, column in told + [(step, 0) for step in range(1, down + 1)]:
            value = means[down + row, across + column]
            dark = value > (others.min() + others.max()) / 2
            ink = {"color": CARD if dark else INK, "fontsize": 9}
            axes.text(
                column, row, f"{value:.2f}".replace("-", "−"), ha="center", va="center", **ink
            )
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set(xticks=[-across, 0, across], yticks=[-down, 0, down])
        axes.set(xlabel="columns to the right", ylabel="rows down")
        axes.set_title(name, fontsize=10.5, fontweight="normal")
        bar = figure.colorbar(picture, ax=axes, fraction=0.045, label="mean cosine (own scale)")
        bar.outline.set_visible(False)
    headline(figure, title or "Cosines by the step between two cells")
    return figure


def mean_by_step(cosines, n_rows, n_columns):
    """Return the mean of cosines (N, N) for each step of rows and columns, up to half the grid.

    The result has step 0 in its middle: (2 · (n_rows // 2) + 1, 2 · (n_columns // 2) + 1).

    >>> mean_by_step(np.eye(4), 2, 2)
    array([[0., 0., 0.],
           [0., 1., 0.],
           [0., 0., 0.]])
    """
    table = np.asarray(cosines).reshape(n_rows, n_columns, n_rows, n_columns)
    down, across = n_rows // 2, n_columns // 2
    means = np.zeros((2 * down + 1, 2 * across + 1))
    for row in range(-down, down + 1):
        for column in range(-across, across + 1):
            here = table[max(0, -row) : n_rows - max(0, row), max(0, -column) :]
            here = here[:, : n_columns - abs(column)]
            i, j = np.indices(here.shape[:2])
            means[row + down, column + across] = here[
                i, j, i + max(0, row), j + max(0, column)
            ].mean()
    return means


def _cosines(name, vectors, n_rows, n_columns):
    vectors = np.asarray(vectors.detach() if hasattr(vectors, "detach") else vectors, float)
    if vectors.ndim != 2 or len(vectors) != n_rows * n_columns:
        raise ShapeError(
            f"{name!r} must hold {n_rows * n_columns} vectors, got shape {vectors.shape}"
        )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(norms == 0, 1, norms)
    return unit @ unit.T  # (N, N)
