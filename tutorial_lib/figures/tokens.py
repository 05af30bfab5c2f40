"""A text cut into tokens, one strip of coloured chips for each tokenizer."""

from collections.abc import Mapping, Sequence
from functools import cache

from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tutorial_lib.figures.style import (
    GRID,
    INK,
    MUTED,
    PALE_AMBER,
    PALE_BLUE,
    PALE_GREEN,
    PALE_ORANGE,
    PALE_PINK,
    blank,
    styled,
)

FILLS = (PALE_BLUE, PALE_ORANGE, PALE_GREEN, PALE_PINK, PALE_AMBER)
WIDTH = 9.5  # inches
LETTER = 0.088  # inches a monospaced character takes at 10 points
LINES_SHOWN = 12
LONGEST = 80  # characters of one token


def visible(token):
    """A token with its white space made visible: · space, ↵ new line, → tab.

    >>> visible(" the\\n")
    '·the↵'
    """
    return token.replace(" ", "·").replace("\r", "␍").replace("\n", "↵").replace("\t", "→")


@cache
def _letters():
    path = font_manager.findfont("DejaVu Sans Mono")
    return frozenset(font_manager.get_font(path).get_charmap())


def drawable(text):
    """Text with a box for each character that the figures' font lacks, such as emoji.

    >>> drawable("a🙂")
    'a□'
    """
    return "".join(c if ord(c) in _letters() else "□" for c in text)


def _printable(token):
    text = drawable(visible(token[:LONGEST]))
    return text + "…" if len(token) > LONGEST else text


@styled
def token_strips(
    tokenized: Mapping[str, Sequence[tuple[str, int]]],
    text: str,
    ids: bool = True,
    title: str | None = None,
    figure: Figure | None = None,
) -> Figure:
    """The same text under several tokenizers.

    tokenized maps a tokenizer's name to its (token, id) pairs; text is what was cut, for the
    characters-per-token numbers; `ids` writes each id below its token; `title` replaces the one
    that says who needs the fewest tokens.
    """
    line_height = 0.42 if ids else 0.3
    layouts = {name: _wrap(pairs, ids) for name, pairs in tokenized.items()}
    height = sum(0.34 + line_height * max(1, len(lines)) + 0.14 for lines in layouts.values())
    figure = blank(figure, WIDTH, height + 0.45)
    axes = figure.subplots()
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    top = 0.0
    for name, lines in layouts.items():
        count = len(tokenized[name])
        ratio = f", {len(text) / count:.2f} characters a token" if count else ""
        axes.text(0.05, top + 0.2, name, va="center", fontweight="bold")
        facts = f"{count:,} tokens{ratio}"
        axes.text(WIDTH - 0.05, top + 0.2, facts, va="center", ha="right", color=MUTED)
        top += 0.34
        for line in lines:
            for left, width, token, number, index in line:
                axes.add_patch(
                    Rectangle((left, top), width, 0.24, facecolor=FILLS[index % 5], edgecolor=GRID)
                )
                centre = left + width / 2
                mono = {"family": "DejaVu Sans Mono", "ha": "center", "va": "center"}
                axes.text(centre, top + 0.13, token, fontsize=10, color=INK, **mono)
                if ids:
                    axes.text(centre, top + 0.31, str(number), fontsize=8.5, color=MUTED, **mono)
            top += line_height
        top += 0.14
    axes.set_title(_finding(tokenized, text) if title is None else title)
    return figure


def _wrap(pairs, ids):
    lines, left = [[]], 0.05
    for index, (token, number) in enumerate(pairs):
        token = _printable(token)
        needed = max(len(token) * LETTER, len(str(number)) * LETTER * 0.85 if ids else 0)
        width = min(needed + 0.07, WIDTH - 0.1)
        if left + width > WIDTH - 0.2:
            if len(lines) == LINES_SHOWN:
                lines[-1].append((left, 0.12, "…", "", index))
                return lines
            lines.append([])
            left = 0.05
        lines[-1].append((left, width, token, number, index))
        left += width + 0.02
    return lines


def _finding(tokenized, text):
    counts = {name: len(pairs) for name, pairs in tokenized.items() if pairs}
    if not counts:
        return "No text, no tokens"
    fewest = min(counts, key=counts.get)
    if len(counts) == 1:
        return f"{len(text):,} characters, {counts[fewest]:,} tokens"
    return f"{len(text):,} characters: {fewest} needs the fewest tokens, {counts[fewest]:,}"
