"""A table of numbers as colours, with the numbers in the squares."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import (
    CARD,
    GRID,
    INK,
    SIGNED,
    WEIGHTS,
    blank,
    headline,
    panel_title,
    styled,
)


@styled
def heat_map(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    *,
    numbers: bool = True,
    form: str = "{:.2f}",
    row_label: str = "",
    column_label: str = "",
    signed: bool = False,
    roomy: bool = False,
    apart: int | None = None,
    top: float | None = None,
    least: float = 0.0,
    diagonal: bool = False,
    figure: Figure | None = None,
) -> Figure:
    """A table of numbers as colours: 0 is blank; with `signed`, orange is below 0 and blue above.

    values (R, C); rows and columns are R and C names; roomy: as wide as long names need it;
    apart: how many rows stand above a gap; top: what has the darkest colour, if not the largest
    number; least: smaller numbers are not written; diagonal: its squares are framed. Raises
    ShapeError when the counts differ.

    >>> heat_map([[0.8, 0.2]], ["street"], ["the", "it"], "It looks back").axes[0].texts[0]
    Text(0, 0, '0.80')
    """
    values = _named(values, rows, columns)
    n_rows, n_columns = values.shape
    cell = 0.5 if numbers else 0.3
    width = min(11.0, max(4.5, 1.8 + cell * 1.15 * n_columns))
    if roomy:
        wide = max(cell * 1.15, 0.15 + 0.095 * _longest(columns))
        names = max(1.8, 0.8 + 0.085 * _longest(rows))
        width = min(11.0, max(width, names + wide * n_columns, names + 0.09 * len(title)))
    figure = blank(figure, width, min(9.0, max(2.2, 1.5 + cell * 0.8 * n_rows)))
    axes = figure.subplots()
    scale = _scale([values], signed)
    if top is not None:
        scale |= {"vmax": top} | ({"vmin": -top} if signed else {})
    picture = _squares(axes, values, rows, columns, scale, form if numbers else None)
    for text in list(axes.texts):
        column, row = text.get_position()
        if abs(values[row, column]) < least:
            text.remove()
    for at in range(min(values.shape) if diagonal else 0):
        frame = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.8}
        axes.add_patch(Rectangle((at - 0.5, at - 0.5), 1, 1, **frame))
    if apart is not None:
        axes.axhline(apart - 0.5, color=CARD, linewidth=9)
    axes.set(xlabel=column_label, ylabel=row_label, title=title)
    if not numbers:
        figure.colorbar(picture, ax=axes, fraction=0.04, pad=0.02).outline.set_visible(False)
    return figure


@styled
def heat_map_row(
    tables: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    *,
    form: str = "{:.2f}",
    signed: bool = False,
    neutral: float | None = None,
    row_label: str = "",
    figure: Figure | None = None,
) -> Figure:
    """Tables with the same names side by side, each as `heat_map` draws it, on one scale.

    tables maps a title to values (R, C); rows and columns are R and C names; neutral: what is blank
    in place of 0, with orange below it and blue above; row_label: what the rows are. Raises
    ShapeError when the counts differ.

    >>> figure = heat_map_row({"Before": [[0.1]], "After": [[0.9]]}, ["it"], ["street"], "Title")
    >>> [axes.get_title() for axes in figure.axes]
    ['Before', 'After']
    """
    tables = {name: _named(values, rows, columns) for name, values in tables.items()}
    wide = 1.2 + 0.62 * len(columns) + 0.085 * _longest(rows)
    figure = blank(figure, len(tables) * wide, 1.7 + 0.45 * len(rows))
    panels = figure.subplots(1, len(tables), sharey=True, squeeze=False)[0]
    scale = _scale(tables.values(), signed)
    if neutral is not None:
        scale = _scale([values - neutral for values in tables.values()], signed=True)
        scale |= {"vmin": neutral + scale["vmin"], "vmax": neutral + scale["vmax"]}
    for axes, (name, values) in zip(panels, tables.items(), strict=True):
        _squares(axes, values, rows, columns, scale, form)
        panel_title(axes, name)
    panels[0].set_ylabel(row_label)
    headline(figure, title)
    return figure


def _named(values, rows, columns):
    values = filled_array(values, 2, "values")
    if values.shape != (len(rows), len(columns)):
        raise ShapeError(
            f"values have shape {values.shape}, the names say ({len(rows)}, {len(columns)})"
        )
    return values


def _scale(tables, signed):
    """Return what imshow needs so that all tables have one scale of colours."""
    finite = np.concatenate([values[np.isfinite(values)] for values in tables])
    top = max(float(np.abs(finite).max()) if finite.size else 1.0, 1e-12)
    low, colours = (-top, SIGNED) if signed else (min(0.0, finite.min(initial=0.0)), WEIGHTS)
    return {"cmap": colours, "vmin": low, "vmax": top}


def _squares(axes, values, rows, columns, scale, form):
    """Draw the squares and their names, with the numbers unless form is None; a NaN has none."""
    n_rows, n_columns = values.shape
    picture = axes.imshow(values, **scale, aspect="auto")
    every, down = -(-n_columns // 24), -(-n_rows // 30)  # many names would run into each other
    axes.set_xticks(range(0, n_columns, every), list(columns)[::every])
    if _crowded(columns):
        for tick in axes.get_xticklabels():
            tick.set(rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(0, n_rows, down), list(rows)[::down])
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(n_columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n_rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=GRID, linewidth=0.6)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    if form is not None:
        colour = picture.to_rgba(values)  # (R, C, 4)
        dark = colour[..., :3] @ (0.2126, 0.7152, 0.0722) + 1 - colour[..., 3] < 0.5
        for (row, column), value in np.ndenumerate(values):
            axes.text(
                column,
                row,
                "" if np.isnan(value) else form.format(value),
                ha="center",
                va="center",
                fontsize=9,
                color="white" if dark[row, column] else INK,
            )
    return picture


def describe_heat_map(values, rows, columns, title, form="{:.2f}"):
    """Say in words what `heat_map` shows: every number.

    >>> describe_heat_map([[0.8, 0.2]], ["street"], ["the", "it"], "It looks back")
    'It looks back. street: the 0.80, it 0.20.'
    """
    lines = [
        f"{name}: " + ", ".join(f"{c} {form.format(x)}" for c, x in zip(columns, row, strict=True))
        for name, row in zip(rows, values, strict=True)
    ]
    return ". ".join((title, *lines)) + "."


def describe_heat_map_row(tables, rows, columns, title, form="{:.2f}"):
    """Say in words what `heat_map_row` shows: every number of each table.

    >>> describe_heat_map_row({"Before": [[0.1]], "After": [[0.9]]}, ["it"], ["street"], "Title")
    'Title. Before. it: street 0.10. After. it: street 0.90.'
    """
    each = (describe_heat_map(values, rows, columns, name, form) for name, values in tables.items())
    return " ".join((f"{title}.", *each))


def _longest(names):
    """Return the number of letters of the longest name."""
    return max((len(str(name)) for name in names), default=0)


def _crowded(names):
    return max(len(str(name)) for name in names) * min(len(names), 24) > 60
