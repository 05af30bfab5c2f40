"""One step of a computation as a picture of its numbers: what goes in, a sign, what comes out."""

from itertools import pairwise

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.diagrams import arrow, canvas, cells
from tutorial_lib.figures.style import BLUE, CARD, DPI, INK, MUTED, ORANGE, styled

FEW, SOME = 11, 100  # up to FEW numbers on a side are squares, up to SOME thin lines, more a strip
SMALL, LARGE, PAGE = 0.16, 0.22, 8.4  # inches: squares fill the page, a strip's rows are small
THIN, PIXELS = 0.029, 576  # inches for a thin line; how many dots a strip is wide
STRIP = PIXELS / DPI  # inches
SIGN, LEFT, RIGHT = 0.46, 1.0, 1.3  # inches for a sign, the tokens at the left, the bar of colours
APART, LINE = 0.36, 0.24  # inches between tables one below the other; a line of bars
MOST = 0.98  # of the numbers in a strip stay below the full colour: a few are far larger


@styled
def worked_step(title, words, *parts, row=None, top=None, figure=None):
    """Whole matrices with signs between them; blue is above 0, orange below.

    words are the tokens, which name the rows. A part is a sign ("@", "+", "→") or (name, matrix
    (R, C)), or (name, matrix, names), with a name for each column. Few numbers are squares; more
    than a hundred columns are a strip, where a dot shows the largest of the numbers that fall on
    it, and two strips or more stand one below the other. Whole numbers in one column are written
    out. `row` frames a token's row in the first and the last part, or in all strips, whose colours
    are scaled for it; where the columns of the last part have names, it writes out the row's
    largest number. Each part has the number of its full colour, top if given. Raises ShapeError for
    what is no matrix.

    >>> drawn = worked_step("Twice", ["a", "b"], ("x", [[1.0], [2.0]]), "→", ("y", [[2.0], [4.0]]))
    >>> [text.get_text() for text in drawn.axes[0].texts][:5]
    ['a', 'b', 'x', '2 × 1', 'full colour: 2']
    """
    matrices = [_matrix(*part) for part in parts if not isinstance(part, str)]
    # What is added shares one scale, so that colours add up, too.
    if top is None and "+" in parts:
        top = max(_top(values, row) for _, values, _ in matrices)
    if sum(values.shape[1] > SOME for _, values, _ in matrices) > 1:
        return _stacked(title, words, parts, top, row, figure)

    signs = SIGN * (len(parts) - len(matrices))
    squares = sum(max(3, v.shape[1]) for _, v, _ in matrices if v.shape[1] <= FEW)
    others = sum(_side(v.shape[1]) for _, v, _ in matrices if v.shape[1] > FEW)
    unit = min(LARGE, max(SMALL, (PAGE - LEFT - signs - RIGHT - others) / max(1, squares)))
    tall = max(_side(len(values), unit) for _, values, _ in matrices)
    wide = max(LEFT + signs + others + unit * squares + RIGHT, 0.1 * len(title))
    above = max(_room(names) for *_, names in matrices)
    figure, axes = canvas(figure, wide, tall + above, title, below=0.6)

    x, rest = LEFT, iter(matrices)
    for at, part in enumerate(parts):
        if isinstance(part, str):
            _sign(axes, part, x + SIGN / 2, tall / 2)
            x += SIGN
            continue
        name, values, names = next(rest)
        last = at == len(parts) - 1
        width = unit * max(3, values.shape[1]) if values.shape[1] <= FEW else _side(values.shape[1])
        height = _side(len(values), unit)
        bottom = (tall - height) / 2
        if at == 0:
            _name_rows(axes, words, x, bottom, height)
        full = top or _top(values, row)
        _draw(axes, values, x, bottom, width, height, full, names)
        _caption(axes, name, values, x + width / 2, bottom - 0.06, full)
        if row is not None and (at == 0 or last):
            _frame(axes, row, len(values), x, bottom, width, height)
            if last and at > 0 and len(names) == values.shape[1]:
                _largest(axes, values[row], row, len(values), x, bottom, width, height)
        x += width
    _bar(axes, x + RIGHT - 0.7, tall / 2)
    return figure


@styled
def worked_scores(title, words, table, vector, row=None, figure=None):
    """How each row of a table fits a vector: its products, apart by their sign.

    words name the rows; table (name, matrix (R, D)) and vector (name, numbers (D,)) are strips.
    Below them a bar to the right is the sum of a row's products above 0, one to the left that of
    those below 0; together they are the score, in bold. Raises ShapeError where the widths differ.

    >>> drawn = worked_scores("a", ["b", "c"], ("x", [[1.0, 2.0], [4.0, 2.0]]), ("y", [2.0, -0.5]))
    >>> [text.get_text() for text in drawn.axes[0].texts][-6:]
    ['−1', '+2', '1.0', '−1', '+8', '7.0']
    """
    (_, rows, _), (name, numbers) = _matrix(*table), vector
    numbers = np.asarray(numbers)
    if numbers.shape != rows.shape[1:]:
        raise ShapeError(f"{rows.shape} rows do not fit a vector {numbers.shape}")
    lines = LINE * len(rows)
    tall = lines + 0.28 + SMALL * (len(rows) + 1) + 2 * APART
    figure, axes = canvas(figure, LEFT + STRIP + RIGHT, tall + 0.22, title, below=0.05)
    _strips(axes, tall, [(name, numbers[None]), "×", table, "="], ([""], words), None, row)

    _score_bars(axes, words, *_by_sign(rows, numbers))
    if row is not None:
        _frame(axes, row, len(rows), LEFT, 0, STRIP, lines)
    return figure


def describe_worked_scores(title, words, table, vector):
    """Say in words what `worked_scores` shows, for its alt text.

    >>> describe_worked_scores("a", ["b"], ("x", [[1.0, 2.0]]), ("y", [2.0, -0.5]))
    'a: the products of x and y, above 0, below 0 and together: b +2 −1 = 1.0.'
    """
    above, below = _by_sign(np.asarray(table[1]), np.asarray(vector[1]))
    said = ", ".join(
        f"{word} {_signed(up)} {_signed(down)} = {up + down:.1f}"
        for word, up, down in zip(words, above, below, strict=True)
    )
    return (
        f"{title}: the products of {table[0]} and {vector[0]}, above 0, below 0 and together: "
        f"{said}."
    )


def describe_worked_step(title, words, *parts):
    """Say in words what `worked_step` shows, for its alt text.

    >>> describe_worked_step("Twice", ["a"], ("x", [[1.0, 2.0]]), "→", ("y", [[2.0, 4.0]]))
    'Twice: x (1 × 2) → y (1 × 2), for the tokens a.'
    """
    said = " ".join(
        part if isinstance(part, str) else f"{part[0]} ({_size(_matrix(*part)[1])})"
        for part in parts
    )
    return f"{title}: {said}, for the tokens {' '.join(words)}."


def _by_sign(rows, vector):
    """Return the sums of each row's products above 0, and of those below 0: (R,), (R,)."""
    products = rows * vector  # (R, D)
    return products.clip(min=0).sum(axis=1), products.clip(max=0).sum(axis=1)


def _signed(number):
    return f"{number:+.0f}".replace("-", "−")


def _score_bars(axes, words, above, below):
    """Draw a line for each row: what speaks against it, what for it, and the score."""
    inch = (STRIP - 0.9) / (above.max() - below.min())
    zero = LEFT + 0.45 - inch * below.min()
    lines = LINE * len(words)
    head = {"fontsize": 9, "color": MUTED, "va": "center"}
    y = lines + 0.14
    axes.text(zero - 0.08, y, "products below 0, summed", ha="right", **head)
    axes.text(zero + 0.08, y, "products above 0, summed", **head)
    axes.text(LEFT + STRIP + 0.1, y, "score", **head)
    _name_rows(axes, words, LEFT, 0, lines)
    for i, (up, down) in enumerate(zip(above, below, strict=True)):
        middle = lines - LINE * (i + 0.5)
        for size, colour, ha, apart in ((down, ORANGE, "right", -0.06), (up, BLUE, "left", 0.06)):
            corner = (min(zero, zero + inch * size), middle - 0.08)
            axes.add_patch(Rectangle(corner, inch * abs(size), 0.16, facecolor=colour, zorder=4))
            x = zero + inch * size + apart
            axes.text(x, middle, _signed(size), fontsize=9.5, ha=ha, va="center")
        look = {"fontsize": 10.5, "weight": "bold", "va": "center"}
        axes.text(LEFT + STRIP + 0.1, middle, f"{up + down:.1f}", **look)
    axes.plot([zero, zero], [0, lines], color=INK, linewidth=1, zorder=5)


def _stacked(title, words, parts, top, row, figure):
    """Draw the parts of a step one below the other, each as wide as the page."""
    matrices = [_matrix(*part) for part in parts if not isinstance(part, str)]
    tall = sum(SMALL * len(values) for _, values, _ in matrices) + APART * (len(parts) // 2)
    above = _room(matrices[0][2])
    figure, axes = canvas(figure, LEFT + STRIP + RIGHT, tall + above, title, below=0.35)
    _strips(axes, tall, parts, [words] * len(matrices), top, row)
    _bar(axes, LEFT + STRIP / 2, -0.22, lying=True)
    return figure


def _strips(axes, y, parts, words, top, row):
    """Draw strips and signs from y downwards; words are the tokens of each strip."""
    named = iter(words)
    for part in parts:
        if isinstance(part, str):
            _sign(axes, part, LEFT + STRIP / 2, y - APART / 2)
            y -= APART
            continue
        (name, values, names), rows = _matrix(*part), next(named)
        height = SMALL * len(values)
        y -= height
        _name_rows(axes, rows, LEFT, y, height)
        framed = row if len(values) > 1 else None
        full = top or _top(values, framed)
        _draw(axes, values, LEFT, y, STRIP, height, full, names)
        _caption(axes, name, values, LEFT + STRIP + 0.1, y + height / 2 + 0.28, full, ha="left")
        if framed is not None:
            _frame(axes, row, len(values), LEFT, y, STRIP, height)


def _matrix(name, values, columns=()):
    """Return a part's name, its numbers and the names of its columns."""
    array = np.asarray(values)
    if array.ndim != 2 or not array.size:
        raise ShapeError(f"{name!r} must be a matrix, got the shape {array.shape}")
    return name, array, columns


def _size(values):
    return " × ".join(f"{n:,}" for n in values.shape)


def _side(n, unit=0.0):
    """How many inches n numbers take, side by side."""
    return n * unit if n <= FEW else n * THIN if n <= SOME else STRIP


def _top(values, row):
    """Return the number of the full colour, of a strip for its framed row."""
    strip = values.shape[1] > SOME
    shown = values[row] if strip and row is not None else values
    sizes = np.abs(shown[np.isfinite(shown)])
    most = np.quantile(sizes, MOST) if strip else 0
    return float(most or sizes.max())


def _room(names):
    """How many inches the names of columns take, which are written upwards."""
    return 0.12 + 0.082 * max(map(len, names), default=0)


def _sign(axes, sign, x, y):
    if sign == "→":
        arrow(axes, [(x - 0.16, y), (x + 0.16, y)], INK, 1.6)
    else:
        axes.text(x, y, sign, fontsize=14, ha="center", va="center")


def _name_rows(axes, words, left, bottom, height):
    """Write the tokens at the left of their rows."""
    each = height / len(words)
    for i, word in enumerate(words):
        look = {"ha": "right", "va": "center", "fontsize": 9.5}
        axes.text(left - 0.08, bottom + height - each * (i + 0.5), word, **look)


def _draw(axes, values, left, bottom, width, height, top, names):
    """Draw a part, with the names of its columns above it."""
    if values.dtype.kind == "i":
        for i, number in enumerate(values[:, 0]):
            y = bottom + height * (1 - (i + 0.5) / len(values))
            axes.text(left + width / 2, y, str(number), fontsize=9.5, ha="center", va="center")
    elif max(values.shape) <= FEW:
        cells(axes, values, left, bottom, width, height, top=top)
    else:
        _paint(axes, values, left, bottom, width, height, top)
    each = width / values.shape[1]
    for i, word in enumerate(names):
        at = {"x": left + each * (i + 0.5), "y": bottom + height + 0.06}
        axes.text(s=word, rotation=90, fontsize=9, ha="center", va="bottom", **at)


def _paint(axes, values, left, bottom, width, height, top):
    """Paint many numbers as one image; in a strip, a dot shows the largest of its numbers."""
    if values.shape[1] > PIXELS:
        ends = np.linspace(0, values.shape[1], PIXELS + 1).astype(int)
        dots = [values[:, a:b] for a, b in pairwise(ends)]
        at = [np.abs(dot).argmax(axis=1)[:, None] for dot in dots]
        pairs = zip(dots, at, strict=True)
        values = np.hstack([np.take_along_axis(dot, i, axis=1) for dot, i in pairs])
    strength = np.minimum(1, np.abs(values) / top)[..., None]
    full = np.where(values[..., None] > 0, to_rgb(BLUE), to_rgb(ORANGE))
    image = strength * full + (1 - strength) * np.array(to_rgb(CARD))
    ends = (left, left + width, bottom, bottom + height)
    axes.imshow(image, extent=ends, interpolation="nearest", aspect="equal", zorder=4)
    for i in range(1, len(values)):
        y = bottom + height * i / len(values)
        axes.plot([left, left + width], [y, y], color=CARD, linewidth=1, zorder=4.5)
    edge = {"facecolor": "none", "edgecolor": MUTED, "linewidth": 0.8, "zorder": 5}
    axes.add_patch(Rectangle((left, bottom), width, height, **edge))


def _caption(axes, name, values, x, y, top, ha="center"):
    """Write a part's name, its size and the number of its full colour below one another."""
    look = {"ha": ha, "va": "top"}
    axes.text(x, y, name, fontsize=10, color=BLUE, **look)
    axes.text(x, y - 0.19, _size(values), fontsize=9, color=MUTED, **look)
    if values.dtype.kind != "i":
        said = f"full colour: {top:.2g}"
        axes.text(x, y - 0.37, said, fontsize=9, color=MUTED, **look)


def _frame(axes, row, n_rows, left, bottom, width, height):
    """Frame the followed token's row."""
    each = height / n_rows
    look = {"facecolor": "none", "edgecolor": INK, "linewidth": 2, "zorder": 6}
    axes.add_patch(Rectangle((left, bottom + height - each * (row + 1)), width, each, **look))


def _largest(axes, numbers, row, n_rows, left, bottom, width, height):
    """Outline the largest of a row's numbers, and write it to the right of the row."""
    each, high = width / len(numbers), height / n_rows
    at, y = int(numbers.argmax()), bottom + height - high * (row + 1)
    outline = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.6, "zorder": 7}
    axes.add_patch(Rectangle((left + each * at, y), each, high, **outline))
    said = f"{numbers[at]:.1f}" if numbers[at] >= 1 else f"{numbers[at]:.2f}"
    axes.text(left + width + 0.08, y + high / 2, said, fontsize=10, weight="bold", va="center")


def _bar(axes, x, y, lying=False):
    """The one scale of colours for all parts, its 0 at (x, y): from full blue to full orange."""
    steps, high, wide = 8, 0.09, 0.16
    for i in range(steps):
        look = {"alpha": (i + 0.5) / steps, "linewidth": 0, "zorder": 4}
        for colour, at in ((BLUE, i * high), (ORANGE, -(i + 1) * high)):
            corner, size = (x, y + at), (wide, high)
            if lying:
                corner, size = (x + at, y - wide / 2), (high, wide)
            axes.add_patch(Rectangle(corner, *size, facecolor=colour, **look))
    look = {"fontsize": 9, "color": MUTED, "va": "center"}
    if lying:
        end = steps * high + 0.08
        axes.text(x + end, y, "above 0", ha="left", **look)
        axes.text(x - end, y, "below 0", ha="right", **look)
        return
    for word, at in (("above 0", 1), ("0", 0), ("below 0", -1)):
        axes.text(x + wide + 0.06, y + at * 0.8 * steps * high, word, **look)
