"""Masked tokens as chips, and what became of the chosen ones beside what was asked for."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import token_name
from tutorial_lib.figures.tokens import LETTER

# What becomes of a chosen token: its share of the chosen ones, the colours of bar and token.
FATES = {
    "mask": (0.8, style.BLUE, "#a9cfe6"),
    "random": (0.1, style.ORANGE, "#f3c6a5"),
    "same": (0.1, style.GREEN, "#a5dcc9"),
}
WIDTH = 9.5  # inches
LINE = 0.5
LINES_SHOWN = 6
COUNTS = ("draws", "candidates", "chosen", *FATES)


def token_rows(tokens, width=WIDTH):
    """Return where each token of a text is drawn: (left, top, width) in inches, None after line 6.

    >>> token_rows(["so", "it"])
    [(0.05, 0.0, 0.276), (0.366, 0.0, 0.276)]
    """
    boxes, left, line = [], 0.05, 0
    for token in tokens:
        needed = round(len(token) * LETTER + 0.1, 3)
        if left + needed > width and left > 0.05:
            left, line = 0.05, line + 1
        boxes.append((round(left, 3), line * LINE, needed) if line < LINES_SHOWN else None)
        left += needed + 0.04
    return boxes


def draw_tokens(axes, tokens, look, below=None, framed=()):
    """Write tokens as chips, `look(index)` = (fill, ink) each; below: a small word under each.

    framed: the indices of tokens with a thick frame.
    """
    names = [token_name(token, 24) for token in tokens]
    for index, box in enumerate(token_rows(names)):
        if box is None:
            break
        left, top, width = box
        fill, ink = look(index)
        mono = {"family": "DejaVu Sans Mono", "ha": "center", "va": "center"}
        chip = {"boxstyle": "round,pad=0.25", "facecolor": fill, "edgecolor": style.GRID}
        if index in framed:
            chip |= {"edgecolor": style.INK, "linewidth": 1.6}
        centre = left + width / 2
        axes.text(centre, top + 0.15, names[index], fontsize=9.5, color=ink, bbox=chip, **mono)
        if below and below[index]:
            axes.text(centre, top + 0.36, below[index], fontsize=7.5, color=style.MUTED, **mono)
    axes.set(xlim=(0, WIDTH), ylim=(text_height(tokens), 0))
    axes.axis("off")


def text_height(tokens):
    """How many inches `draw_tokens` needs for these tokens."""
    boxes = [box for box in token_rows([token_name(token, 24) for token in tokens]) if box]
    return boxes[-1][1] + LINE if boxes else LINE


def _checked_counts(counts):
    if set(counts) != set(COUNTS) or counts["chosen"] != sum(counts[fate] for fate in FATES):
        raise ShapeError(
            f"counts need the keys {', '.join(COUNTS)}, and as many fates as chosen, got {counts}"
        )
    if not 0 < counts["chosen"] <= counts["candidates"]:
        raise ShapeError(f"of the candidates at least one is chosen, got {counts}")
    return counts


def measured_shares(counts, share=0.15):
    """Return the four bars: (name, measured share, target, colour).

    >>> counts = {"draws": 1, "candidates": 8, "chosen": 2, "mask": 1, "random": 1, "same": 0}
    >>> [(name, measured) for name, measured, *_ in measured_shares(counts)][:2]
    [('chosen, of all', 0.25), ('[MASK], of the chosen', 0.5)]
    """
    _checked_counts(counts)
    names = {"mask": "[MASK]", "random": "a random token", "same": "the same"}
    rows = [("chosen, of all", counts["chosen"] / counts["candidates"], share, style.MUTED)]
    for fate, (target, colour, _) in FATES.items():
        rows.append(
            (f"{names[fate]}, of the chosen", counts[fate] / counts["chosen"], target, colour)
        )
    return rows
