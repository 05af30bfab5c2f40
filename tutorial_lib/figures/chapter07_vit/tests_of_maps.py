"""Pictures around maps of patches: a shuffled digit, a map beside its ink, painted-over digits."""

import math

import torch
from matplotlib.patches import Rectangle
from torch.nn import functional as F

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.interpret import paint_over
from tutorial_lib.models.patches import cut_patches, join_patches

PAINT = "#f3c6a5"
A_ROW = 4  # painted digits


@style.styled
def shuffled_picture(image, patch_size, order, title=None, figure=None):
    """A digit, its patches pulled apart, and the same patches in another order.

    image (1, side, side) of ink from 0 to 1; order (N,): which patch comes at each position, row by
    row. Returns the figure. Raises ShapeError when the order has another length.

    >>> figure = shuffled_picture(torch.rand(1, 4, 4), 2, [3, 2, 1, 0])
    >>> [axes.get_title() for axes in figure.axes]
    ['the digit', 'its 4 patches', 'in another order']
    """
    n_rows = image.size(-1) // patch_size
    if len(order) != n_rows**2:
        raise ShapeError(f"{n_rows**2} patches need an order as long, got {len(order)}")
    patches = cut_patches(image[None], patch_size)
    panels = {"the digit": image[0], f"its {n_rows**2} patches": _apart(patches, n_rows)}
    panels["in another order"] = _apart(patches[:, torch.as_tensor(order)], n_rows)
    figure = style.blank(figure, 8.0, 3.1)
    for axes, (name, pixels) in zip(figure.subplots(1, 3), panels.items(), strict=True):
        axes.imshow((1 - pixels).numpy(), cmap="gray", vmin=0, vmax=1)
        axes.axis("off")
        style.panel_title(axes, name)
    style.headline(figure, title or "For an encoder without positions these are one picture")
    return figure


def _apart(patches, n_rows):
    """The patches (1, N, P · P) as one picture with grey between them."""
    size = math.isqrt(patches.size(-1))
    squares = patches.view(-1, size, size)
    squares = F.pad(squares, (1, 1, 1, 1), value=0.35)
    return join_patches(squares.flatten(1)[None], 1, n_rows, n_rows)[0, 0]


@style.styled
def beside_the_ink(ink, seen, title="Does [CLS] look at the ink?", figure=None):
    """The ink of a picture's patches, and a map of where [CLS] looks, on grids of their own.

    ink and seen (rows, columns), darker is more, each to its own highest. Returns the figure.

    >>> figure = beside_the_ink(torch.eye(3), torch.eye(3) / 3)
    >>> [axes.get_title() for axes in figure.axes]
    ['the ink', 'where [CLS] looks, says the map']
    """
    figure = style.blank(figure, 7.5, 3.9)
    names = ("the ink", "where [CLS] looks, says the map")
    for axes, name, values in zip(figure.subplots(1, 2), names, (ink, seen), strict=True):
        axes.imshow(values.numpy(), cmap=style.WEIGHTS, vmin=0, vmax=values.max().item())
        n_rows, n_columns = values.shape
        axes.set_xticks(range(n_columns))
        axes.set_yticks(range(n_rows))
        axes.set_xticks([x - 0.5 for x in range(1, n_columns)], minor=True)
        axes.set_yticks([y - 0.5 for y in range(1, n_rows)], minor=True)
        axes.grid(which="minor", color=style.GRID, linewidth=0.8)
        axes.tick_params(which="both", length=0)
        axes.set(xlabel="column of the patch", ylabel="row of the patch")
        style.panel_title(axes, name)
    style.headline(figure, title)
    return figure


@style.styled
def painted_digits(image, panels, title, figure=None):
    """A digit, and the same digit with patches painted over, one panel a way to choose them.

    image (1, side, side) of ink from 0 to 1; panels maps a name to chosen (N,) bool, the tiles of a
    square grid that are painted over. Returns the figure.

    >>> chosen = torch.tensor([True, False, False, False])
    >>> figure = painted_digits(torch.rand(1, 4, 4), {"ink": chosen}, "One of four")
    >>> [len(axes.patches) for axes in figure.axes]
    [0, 1, 0, 0]
    """
    ways = {"the digit": torch.zeros(1).bool()} | panels
    n_lines = -(-len(ways) // A_ROW)
    figure = style.blank(figure, 9.0, 0.5 + 2.3 * n_lines)
    grid = list(figure.subplots(n_lines, A_ROW, squeeze=False).flat)
    for axes in grid:
        axes.axis("off")
    for axes, (name, chosen) in zip(grid, ways.items(), strict=False):
        axes.axis("on")
        left = paint_over(image[None], chosen[None])[0, 0]
        axes.imshow((1 - left).numpy(), cmap="gray", vmin=0, vmax=1)
        style.draw_frame(axes)
        style.panel_title(axes, name)
        n_rows = math.isqrt(len(chosen))
        step = image.size(-1) / n_rows
        for number in chosen.nonzero().flatten().tolist():
            row, column = divmod(number, n_rows)
            corner = (column * step - 0.5, row * step - 0.5)
            axes.add_patch(Rectangle(corner, step, step, facecolor=PAINT, edgecolor="none"))
    style.headline(figure, title)
    return figure


@style.styled
def beyond_ink(rows, n_digits, title=None, figure=None):
    """Digits still read after painting over what a map names, and after chance with as much ink.

    n_digits: how many were read. A line to the right of each map is as long as two standard errors
    of a gap between two shares of so many digits: what lies beyond it is clearly worse.
    rows: dicts with "map", "ink" (share of the ink taken out), "left" (share still read), and two
    lists: "matched", the same for random patches with as much ink, and "others", for the patches
    that the map names in other digits. Three lines a map, one below the other: orange the map,
    grey chance, blue other digits. Returns the figure.

    >>> round(reach(0.5, 500), 3)  # two standard errors of the gap between two shares near a half
    0.063
    >>> row = {"map": "last layer", "ink": 0.2, "left": 0.6, "matched": [0.7, 0.8]}
    >>> describe_beyond_ink([row | {"others": [0.6, 0.7]}]).split(". ")[1]
    'last layer: takes out 0.20 of the ink, leaves 0.60, chance 0.75, others 0.65.'
    """
    kinds = (
        ("what the map names", "left", "D", style.ORANGE),
        ("random patches", "matched", "o", style.MUTED),
        ("what it names in another digit", "others", "s", style.BLUE),
    )
    figure = style.blank(figure, 8.5, 1.7 + 0.66 * len(rows))
    axes = figure.subplots()
    for line, row in enumerate(rows):
        if line % 2 == 0:
            axes.axhspan(line - 0.5, line + 0.5, color=style.GRID, alpha=0.35, linewidth=0)
        for number, (label, key, marker, colour) in enumerate(kinds):
            shares = row[key] if key != "left" else [row["left"]]
            look = {"color": colour, "markersize": 7, "alpha": 0.75, "clip_on": False}
            look |= {} if line else {"label": label}
            axes.plot(shares, [line + 0.27 * (number - 1)] * len(shares), marker, **look)
        end, height = row["left"] + reach(row["left"], n_digits), line - 0.27
        axes.plot([row["left"], end], [height, height], color=style.ORANGE, linewidth=2)
        axes.plot([end, end], [height, line + 0.4], color=style.ORANGE, linewidth=1, linestyle=":")
    names = [f"{row['map']}\n{row['ink']:.0%} of the ink gone" for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=10)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(
        "share of digits still read, an eighth of the picture painted over\n"
        "(orange line: two standard errors of a gap)"
    )
    place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "borderaxespad": 0.3}
    axes.legend(ncols=3, **place, frameon=False, fontsize=9, handletextpad=0.2, columnspacing=1.2)
    style.headline(figure, title or "Do the tiles that a map names count for more than their ink?")
    return figure


def reach(share, n):
    """Two standard errors of the gap between two shares near `share`, of n digits each."""
    return 2 * math.sqrt(2 * share * (1 - share) / n)


def describe_beyond_ink(rows):
    """Say in words what `beyond_ink` shows."""
    each = "; ".join(
        f"{row['map']}: takes out {row['ink']:.2f} of the ink, leaves {row['left']:.2f}, chance "
        f"{sum(row['matched']) / len(row['matched']):.2f}, others "
        f"{sum(row['others']) / len(row['others']):.2f}"
        for row in rows
    )
    return f"Share of digits still read with an eighth of the picture painted over. {each}."
