"""Answers marked in a text, as a search engine shows them: what was asked, the text, the answer."""

from typing import NamedTuple

from matplotlib.patches import FancyBboxPatch, Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.tokens import drawable

WIDTH = 9.0  # inches
SIZE = 11  # points of the text
SPACE, LINE = 0.065, 0.32  # inches: between words, of a line
LEFT = 0.1  # of the text
ROOM, BESIDE_STOP = 0.07, 0.07  # more of it beside a mark, for its frame; before a full stop
BOX = 0.5  # of what was asked

# What a marked word is, and how it is drawn: fill, frame, line.
MARKS = {
    "marked": (style.PALE_AMBER, style.AMBER, "-"),
    "found": (style.PALE_GREEN, style.GREEN, "-"),
    "marked, but wrong": (style.PALE_PINK, style.PINK, ":"),
    "missed": ("none", style.ORANGE, "--"),
}

# What is written after an apostrophe without a space: the rest of a word, or a word cut short.
ENDINGS = ("s", "t", "d", "st", "ll", "re", "ve", "m", "er", "en")
SHORTENED = ("tis", "twas", "twere", "twill")


class MarkedAnswer(NamedTuple):
    """A question and the answer that a model marks in a text.

    asked: a string, "" for one more answer to the question before; lines: lists of words; said and
    answer: (line, first, last), the words that are marked and, where it is known, the true ones;
    source: where the text is from.
    """

    asked: str
    lines: list
    said: tuple
    answer: tuple | None = None
    source: str = ""


def where(hit):
    """Return who speaks and where, in one line; hit has speaker, play, act and scene.

    >>> from types import SimpleNamespace
    >>> where(SimpleNamespace(speaker="ARIEL", play="The Tempest", act="ACT I", scene=""))
    'ARIEL, The Tempest, ACT I'
    """
    scene = hit.scene.partition(".")[0]
    return f"{hit.speaker}, {hit.play}, {' '.join(part for part in (hit.act, scene) if part)}"


def in_one_line(text):
    """Return a text with a slash between its lines.

    >>> in_one_line("For this is he \\nThat moves both wind and tide.")
    'For this is he / That moves both wind and tide.'
    """
    return " / ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def joined(words):
    """Return words and marks as a text.

    >>> joined(["is", "'", "t", "so", "?", "and", "'", "tis", "the", "kings", "'", "gold"])
    "is't so? and 'tis the kings' gold"
    """
    text = ""
    for i, word in enumerate(words):
        text += word if not i or _sticks(words, i) else f" {word}"
    return text


def _opens(words, i):
    """Whether word i is an apostrophe that belongs to what comes after it."""
    before, behind = words[i - 1] if i else ":", words[i + 1] if i + 1 < len(words) else ""
    return words[i] == "'" and (before in (":", ",", ";", "'") or behind in SHORTENED)


def _sticks(words, i):
    """Whether there is no space before word i."""
    if words[i] in (",", ".", ";", ":", "!", "?", ")", "-"):
        return True
    if words[i] == "'":
        return not _opens(words, i)
    if words[i - 1] == "'":
        return _opens(words, i - 1) or words[i] in ENDINGS
    return words[i - 1] in ("(", "-")


def width_of(text, weight="normal"):
    """Return the inches that a text takes at SIZE points."""
    return style.text_width(text, SIZE, weight)


def spots_of(words, spans=()):
    """Return (x in inches, row) of each word, broken into rows, with room beside marked spans."""
    edges = [edge for first, last in spans for edge in (first, last + 1)]
    spots, x, row = [], 0.0, 0
    for i, word in enumerate(words):
        sticks = bool(i) and _sticks(words, i)
        gap = SPACE if i and not sticks else 0.0
        gap += (BESIDE_STOP if sticks else ROOM) * edges.count(i)  # twice between two marks
        width = width_of(drawable(word))
        if x and x + gap + width > WIDTH - 0.3 and not sticks:
            x, gap, row = 0.0, 0.0, row + 1
        spots.append((x + gap, row))
        x += gap + width
    return spots


@style.styled
def marked_answers(cards, title="", figure=None):
    """What was asked, in a box, and below it the text with the answer marked; one after another.

    cards: MarkedAnswers. Where the true answer is known, a key says which mark is right.
    Returns the figure. Raises ShapeError when there is no card.

    >>> card = MarkedAnswer("Who?", [["Ann", "comes"]], (0, 0, 0))
    >>> [text.get_text() for text in marked_answers([card]).axes[0].texts]
    ['Who?', 'Ann', 'comes']
    """
    if not cards:
        raise ShapeError("marked_answers needs at least one answer")
    laid = [
        [
            spots_of(words, [span[1:] for _, span in _marks(card) if span[0] == number])
            for number, words in enumerate(card.lines)
        ]
        for card in cards
    ]
    rows = [[spots[-1][1] + 1 for spots in card] for card in laid]
    key = any(card.answer is not None for card in cards)
    sources, boxes = (sum(bool(getattr(c, part)) for c in cards) for part in ("source", "asked"))
    height = sum(0.28 + LINE * sum(of_card) for of_card in rows) + 0.28 * sources
    height += 0.4 if key else -0.12
    height += (BOX + 0.06) * boxes
    text = [
        (words, of_line)
        for card, spots in zip(cards, laid, strict=True)
        for words, of_line in zip(card.lines, spots, strict=True)
    ]
    width = page_width(text, [card.asked for card in cards], title)
    figure, axes = page(figure, width, height, title)
    top = 0.05
    for card, spots, of_card in zip(cards, laid, rows, strict=True):
        if card.asked:
            _asked(axes, card, top, width)
            top += BOX + 0.06
        if card.source:
            top = draw_source(axes, top, card.source)
        for number, (words, of_line) in enumerate(zip(card.lines, spots, strict=True)):
            for kind, span in _marks(card):
                if span[0] == number:
                    draw_mark(axes, top, words, of_line, span[1:], kind)
            draw_words(axes, top, words, of_line)
            top += LINE * of_card[number]
        top += 0.28
    if key:
        kinds = {kind for card in cards for kind, _ in _marks(card)}
        draw_key(axes, height, [kind for kind in MARKS if kind in kinds])
    return figure


def page_width(text, asked, title):
    """Return the inches of a page that its text fills; text: the (words, spots) of each line."""
    ends = [
        LEFT + x + width_of(drawable(word)) + 0.35
        for words, spots in text
        for word, (x, _) in zip(words, spots, strict=True)
    ]
    bold = [(width_of(drawable(line), "bold") * 1.05 + 0.5) * bool(line) for line in asked]
    return min(WIDTH, max(*ends, *bold, width_of(title, "bold") * 12 / SIZE + 0.3, 6.0))


def page(figure, width, height, title):
    """Return a figure and its axes, in inches from the top."""
    figure = style.blank(figure, width, height + (0.5 if title else 0.15))
    axes = figure.subplots()
    axes.set(xlim=(-0.05, width - 0.1), ylim=(height, 0), title=title)
    axes.axis("off")
    return figure, axes


def draw_source(axes, top, source):
    """Write where a text is from; return where the text begins."""
    look = {"color": style.MUTED, "fontsize": 9, "va": "center"}
    axes.text(LEFT, top + 0.1, drawable(source), **look)
    return top + 0.28


def draw_words(axes, top, words, spots):
    """Write words at their spots, the first row at `top`."""
    for word, (x, row) in zip(words, spots, strict=True):
        at = LEFT + x, top + LINE * (row + 0.5)
        axes.text(*at, drawable(word), fontsize=SIZE, va="center_baseline")


def draw_key(axes, height, kinds):
    """Say at the bottom of a page what its marks mean."""
    x = LEFT
    for kind in kinds:
        _box(axes, x - 0.05, height - 0.3, width_of(kind) + 0.1, kind)
        axes.text(x, height - 0.17, kind, fontsize=SIZE, va="center_baseline")
        x += width_of(kind) + 0.35


def _asked(axes, card, top, width):
    """The question in a box."""
    box = {"boxstyle": "round,pad=0,rounding_size=0.17", "linewidth": 1.2}
    look = {"facecolor": style.CARD, "edgecolor": style.MUTED}
    axes.add_patch(FancyBboxPatch((0.02, top), width - 0.2, 0.36, **box, **look))
    text = {"fontsize": SIZE, "fontweight": "bold", "va": "center"}
    axes.text(0.16, top + 0.18, drawable(card.asked), **text)


def _marks(card):
    """The (kind, span) of what is marked in a card."""
    if card.answer is None:
        return [("marked", card.said)]
    if card.said == card.answer:
        return [("found", card.said)]
    return [("marked, but wrong", card.said), ("missed", card.answer)]


def draw_mark(axes, top, words, spots, span, kind):
    """Frame the words of a span, (first, last), a frame in each row."""
    first, last = span
    rows = {spots[i][1] for i in range(first, last + 1)}
    for row in sorted(rows):
        inside = [i for i in range(first, last + 1) if spots[i][1] == row]
        left = spots[inside[0]][0]
        right = spots[inside[-1]][0] + width_of(drawable(words[inside[-1]]))
        _box(axes, LEFT + left - 0.05, top + LINE * row + 0.03, right - left + 0.1, kind)


def _box(axes, x, y, width, kind):
    fill, frame, line = MARKS[kind]
    look = {"facecolor": fill, "edgecolor": frame, "linestyle": line, "linewidth": 1.5}
    axes.add_patch(Rectangle((x, y), width, 0.26, **look))


def describe_marked_answers(cards):
    """Say what was asked and what is marked: the alt text.

    >>> describe_marked_answers([MarkedAnswer("Who?", [["Ann", "comes"]], (0, 0, 0))])
    'Who? Marked: Ann.'
    """
    parts = []
    for card in cards:
        marks = [
            f"{kind}: {joined(card.lines[line][first : last + 1])}"
            for kind, (line, first, last) in _marks(card)
        ]
        text = f"In {card.source}, " * bool(card.source) + "; ".join(marks)
        parts.append(f"{card.asked} {text[0].upper()}{text[1:]}.".strip())
    return " ".join(parts)
