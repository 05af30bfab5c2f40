"""One step of a computation as a line of matrices: what goes in, a sign, what comes out."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.diagrams import arrow, canvas, cells
from tutorial_lib.figures.style import AMBER, BLUE, INK, MUTED, styled

UNIT, MOST = 0.17, 11  # inches a square; how many rows and columns of a larger matrix are drawn
SIGN, LEFT = 0.46, 1.0  # inches for a sign, and for the tokens at the left


@styled
def worked_step(title, words, *parts, row=None, figure=None):
    """Matrices in a row with signs between them; each square is a number, blue above 0.

    words are the tokens, which name the rows of the first part. A part is a sign ("@", "+", "→") or
    (name, matrix (R, C)), or (name, matrix, names of its columns); of a large matrix the corner is
    drawn. Whole numbers in one column are written out. `row` frames a token's row in the first and
    the last part. Raises ShapeError for what is no matrix.

    >>> drawn = worked_step("Twice", ["a", "b"], ("x", [[1.0], [2.0]]), "→", ("y", [[2.0], [4.0]]))
    >>> [text.get_text() for text in drawn.axes[0].texts]
    ['x', '2 × 1', 'a', 'b', 'y', '2 × 1']
    """
    matrices = [_matrix(*part) for part in parts if not isinstance(part, str)]
    tall = UNIT * max(len(shown) for _, shown, _, _ in matrices)
    wide = LEFT + SIGN * (len(parts) - len(matrices)) + sum(map(_width, matrices))
    above = max(_room(names) for *_, names in matrices)
    figure, axes = canvas(figure, max(8.4, wide + 0.1), tall + above, title)
    # What is added shares one scale, so that colours add up, too.
    top = None
    if "+" in parts:
        top = max(float(np.abs(shown).max()) for _, shown, _, _ in matrices)

    x, rest = LEFT, iter(matrices)
    for at, part in enumerate(parts):
        if isinstance(part, str):
            _sign(axes, part, x + SIGN / 2, tall / 2)
            x += SIGN
            continue
        matrix = next(rest)
        _, shown, _, _ = matrix
        bottom = (tall - UNIT * len(shown)) / 2
        _draw(axes, matrix, x, bottom, top)
        lines = [bottom + UNIT * (len(shown) - i - 1) for i in range(len(shown))]
        if at == 0:
            for word, y in zip(words, lines, strict=False):
                look = {"ha": "right", "va": "center", "fontsize": 9.5}
                axes.text(x - 0.08, y + UNIT / 2, word, **look)
        if row is not None and at in (0, len(parts) - 1):
            frame = {"facecolor": "none", "edgecolor": AMBER, "linewidth": 2.2, "zorder": 6}
            axes.add_patch(Rectangle((x, lines[row]), _width(matrix), UNIT, **frame))
        x += _width(matrix)
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


def _width(matrix):
    """How many inches a part takes: narrow ones as much as their names need."""
    return UNIT * max(3, matrix[1].shape[1])


def _room(names):
    """How many inches the names of columns take, which are written upwards."""
    return 0.12 + 0.082 * max(map(len, names), default=0)


def _sign(axes, sign, x, y):
    if sign == "→":
        arrow(axes, [(x - 0.16, y), (x + 0.16, y)], INK, 1.6)
    else:
        axes.text(x, y, sign, fontsize=14, ha="center", va="center")


def _draw(axes, matrix, left, bottom, top):
    """Draw a part with the names of its columns above it, its name and its size below it."""
    name, shown, size, columns = matrix
    width, height = _width(matrix), UNIT * len(shown)
    middle = left + width / 2
    if shown.dtype.kind == "i":
        for i, number in enumerate(shown[:, 0]):
            y = bottom + height - UNIT * (i + 0.5)
            axes.text(middle, y, str(number), fontsize=9.5, ha="center", va="center")
    else:
        cells(axes, shown, left, bottom, width, height, top=top)
    each = width / shown.shape[1]
    for i, word in enumerate(columns):
        x, y = left + each * (i + 0.5), bottom + height + 0.06
        axes.text(x, y, word, rotation=90, fontsize=9, ha="center", va="bottom")
    below = {"ha": "center", "va": "top"}
    axes.text(middle, bottom - 0.06, name, fontsize=10, color=BLUE, **below)
    axes.text(middle, bottom - 0.25, size, fontsize=9, color=MUTED, **below)
