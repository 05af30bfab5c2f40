"""One task in several forms: what the model reads in each, word by word."""

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

# kind of word -> (face, edge, letters)
KINDS = {
    "premise": ("#dcebf5", style.BLUE, style.INK),
    "hypothesis": ("#d8efe7", style.GREEN, style.INK),
    "sign": (style.CARD, style.MUTED, style.MUTED),
    "answer": (style.ORANGE, style.ORANGE, style.CARD),
}
_WIDTH, _LETTER, _GAP, _RISE = 10.6, 0.092, 0.07, 0.4  # inches
_LEFT = 0.1


@style.styled
def task_inputs(rows, title, figure=None):
    """What a model reads, a block for each form of a task: its name, its words, what is read off.

    rows: (name, words, result), words being (word, kind) with a kind of KINDS, result a short
    text after the last word. Long rows are broken. Returns the figure.
    Raises ShapeError without rows or for a row without words, ValueError for another kind.

    >>> rows = [("a head", [("dogs", "premise"), ("animals", "hypothesis")], "3 logits")]
    >>> [text.get_text() for text in task_inputs(rows, "One task").axes[0].texts]
    ['a head', 'dogs', 'animals', '→ 3 logits']
    """
    if not rows or not all(words for _, words, _ in rows):
        raise ShapeError("task_inputs needs rows, each with a word or more")
    placed, y = [], 0.0
    for name, words, result in rows:
        lines = _broken([word for word, _ in words], result)
        placed.append((y, name, words, lines, result))
        y += 0.42 + _RISE * (lines[-1][0] + 1)
    figure = style.blank(figure, _WIDTH, y + 0.5)
    axes = figure.subplots()
    axes.set(xlim=(0, _WIDTH), ylim=(y - 0.1, -0.1), title=title)
    axes.axis("off")
    for top, name, words, lines, result in placed:
        axes.text(_LEFT, top + 0.12, name, fontweight="bold", va="center")
        for (word, kind), (line, x) in zip(words, lines[:-1], strict=True):
            _box(axes, x, top + 0.42 + _RISE * line, word, kind)
        line, x = lines[-1]
        axes.text(x + 0.05, top + 0.42 + _RISE * line, f"→ {result}", va="center")
    return figure


def describe_task_inputs(rows):
    """Return the alt text of `task_inputs`.

    >>> describe_task_inputs([("a head", [("dogs", "premise")], "3 logits")])
    'a head: dogs → 3 logits.'
    """
    return " ".join(
        f"{name}: {' '.join(word for word, _ in words)} → {result}." for name, words, result in rows
    )


def _width(word):
    return 0.16 + _LETTER * len(word)


def _broken(words, result):
    """Return (line, x) of each word and of the result after them, in inches."""
    spots, line, x = [], 0, _LEFT
    for width in [*map(_width, words), _width(f"→ {result}")]:
        if x + width > _WIDTH and x > _LEFT:
            line, x = line + 1, _LEFT
        spots.append((line, x))
        x += width + _GAP
    return spots


def _box(axes, x, y, word, kind):
    if kind not in KINDS:
        raise ValueError(f"a word is of kind {', '.join(KINDS)}, got {kind!r}")
    face, edge, letters = KINDS[kind]
    look = {"boxstyle": "round,pad=0,rounding_size=0.06", "facecolor": face, "edgecolor": edge}
    axes.add_patch(FancyBboxPatch((x, y - 0.15), _width(word), 0.3, linewidth=1.2, **look))
    middle = x + _width(word) / 2
    axes.text(middle, y, word, ha="center", va="center", fontsize=9.5, color=letters)
