"""One step of a computation as a line of matrices: what goes in, a sign, what comes out."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.diagrams import arrow, canvas, cells
from tutorial_lib.figures.style import AMBER, BLUE, INK, MUTED, ORANGE, styled

SMALL, LARGE, PAGE = 0.16, 0.27, 8.4  # inches: squares grow from small to large to fill the page
MOST = 11  # how many rows and columns of a larger matrix are drawn
SIGN, LEFT, RIGHT = 0.46, 1.0, 1.3  # inches for a sign, the tokens at the left, the bar of colours


@styled
def worked_step(title, words, *parts, row=None, figure=None):
    """Matrices in a row with signs between them; each square is a number, blue above 0.

    words are the tokens, which name the rows of the first part. A part is a sign ("@", "+", "→") or
    (name, matrix (R, C)), or (name, matrix, names of its columns); of a large matrix the corner is
    drawn. Whole numbers in one column are written out. `row` frames a token's row in the first and
    the last part, and writes out its largest number where the columns have names. Below each part
    is the number of its full colour. Raises ShapeError for what is no matrix.

    >>> drawn = worked_step("Twice", ["a", "b"], ("x", [[1.0], [2.0]]), "→", ("y", [[2.0], [4.0]]))
    >>> [text.get_text() for text in drawn.axes[0].texts][:5]
    ['x', '2 × 1', 'full colour: 2', 'a', 'b']
    """
    matrices = [_matrix(*part) for part in parts if not isinstance(part, str)]
    signs = SIGN * (len(parts) - len(matrices))
    columns = sum(max(3, shown.shape[1]) for _, shown, _, _ in matrices)
    unit = min(LARGE, max(SMALL, (PAGE - LEFT - signs - RIGHT) / columns))
    tall = unit * max(len(shown) for _, shown, _, _ in matrices)
    wide = max(LEFT + signs + unit * columns + RIGHT, 0.1 * len(title))
    above = max(_room(names) for *_, names in matrices)
    figure, axes = canvas(figure, wide, tall + above, title, below=0.66)
    # What is added shares one scale, so that colours add up, too.
    top = max(_top(shown) for _, shown, _, _ in matrices) if "+" in parts else None

    x, rest = LEFT, iter(matrices)
    for at, part in enumerate(parts):
        if isinstance(part, str):
            _sign(axes, part, x + SIGN / 2, tall / 2)
            x += SIGN
            continue
        matrix = next(rest)
        _, shown, _, names = matrix
        width, bottom = _width(matrix, unit), (tall - unit * len(shown)) / 2
        _draw(axes, matrix, x, bottom, unit, top)
        lines = [bottom + unit * (len(shown) - i - 1) for i in range(len(shown))]
        if at == 0:
            for word, y in zip(words, lines, strict=False):
                look = {"ha": "right", "va": "center", "fontsize": 9.5}
                axes.text(x - 0.08, y + unit / 2, word, **look)
        if row is not None and at in (0, len(parts) - 1):
            frame = {"facecolor": "none", "edgecolor": AMBER, "linewidth": 2.2, "zorder": 6}
            axes.add_patch(Rectangle((x, lines[row]), width, unit, **frame))
            if len(names) and at > 0:
                _largest(axes, shown[row], x, lines[row], unit)
        x += width
    _bar(axes, x + RIGHT - 0.7, tall / 2)
    return figure


def describe_worked_step(title, words, *parts):
    """Say in words what `worked_step` shows, for its alt text.

    >>> describe_worked_step("Twice", ["a"], ("x", [[1.0, 2.0]]), "→", ("y", [[2.0, 4.0]]))
    'Twice: x (1 × 2) → y (1 × 2), for the tokens a.'
    """
    said = " ".join(
        part if isinstance(part, str) else f"{part[0]} ({_matrix(*part)[2]})" for part in parts
    )
    return f"{title}: {said}, for the tokens {' '.join(words)}."


def _matrix(name, values, columns=()):
    """Return a part's name, the corner to draw, its size in words and the names of its columns."""
    array = np.asarray(values)
    if array.ndim != 2 or not array.size:
        raise ShapeError(f"{name!r} must be a matrix, got the shape {array.shape}")
    return name, array[:MOST, :MOST], " × ".join(map(str, array.shape)), columns


def _width(matrix, unit):
    """How many inches a part takes: narrow ones as much as their names need."""
    return unit * max(3, matrix[1].shape[1])


def _top(shown):
    """Return the number of the full colour."""
    return float(np.abs(shown[np.isfinite(shown)]).max())


def _room(names):
    """How many inches the names of columns take, which are written upwards."""
    return 0.12 + 0.082 * max(map(len, names), default=0)


def _sign(axes, sign, x, y):
    if sign == "→":
        arrow(axes, [(x - 0.16, y), (x + 0.16, y)], INK, 1.6)
    else:
        axes.text(x, y, sign, fontsize=14, ha="center", va="center")


def _draw(axes, matrix, left, bottom, unit, top):
    """Draw a part with the names of its columns above it, its name and its size below it."""
    name, shown, size, columns = matrix
    width, height = _width(matrix, unit), unit * len(shown)
    middle = left + width / 2
    if shown.dtype.kind == "i":
        for i, number in enumerate(shown[:, 0]):
            y = bottom + height - unit * (i + 0.5)
            axes.text(middle, y, str(number), fontsize=9.5, ha="center", va="center")
    else:
        top = top or _top(shown)
        cells(axes, shown, left, bottom, width, height, top=top)
    each = width / shown.shape[1]
    for i, word in enumerate(columns):
        x, y = left + each * (i + 0.5), bottom + height + 0.06
        axes.text(x, y, word, rotation=90, fontsize=9, ha="center", va="bottom")
    below = {"ha": "center", "va": "top"}
    axes.text(middle, bottom - 0.06, name, fontsize=10, color=BLUE, **below)
    axes.text(middle, bottom - 0.25, size, fontsize=9, color=MUTED, **below)
    if shown.dtype.kind != "i":
        axes.text(
            middle, bottom - 0.43, f"full colour: {top:.2g}", fontsize=9, color=MUTED, **below
        )


def _largest(axes, numbers, left, bottom, unit):
    """Outline the largest of a row's numbers, and write it to the right of the row."""
    at = int(numbers.argmax())
    outline = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.6, "zorder": 7}
    axes.add_patch(Rectangle((left + unit * at, bottom), unit, unit, **outline))
    said = f"{numbers[at]:.1f}" if numbers[at] >= 1 else f"{numbers[at]:.2f}"
    x, y = left + unit * len(numbers) + 0.08, bottom + unit / 2
    axes.text(x, y, said, fontsize=10, weight="bold", va="center")


def _bar(axes, left, middle):
    """The one scale of colours for all parts: from full blue over 0 to full orange."""
    steps, high, wide = 8, 0.09, 0.16
    for i in range(steps):
        look = {"alpha": (i + 0.5) / steps, "linewidth": 0, "zorder": 4}
        for colour, y in ((BLUE, middle + i * high), (ORANGE, middle - (i + 1) * high)):
            axes.add_patch(Rectangle((left, y), wide, high, facecolor=colour, **look))
    for word, y in (("above 0", 1), ("0", 0), ("below 0", -1)):
        y = middle + y * 0.8 * steps * high
        axes.text(left + wide + 0.06, y, word, fontsize=8.5, color=MUTED, va="center")
