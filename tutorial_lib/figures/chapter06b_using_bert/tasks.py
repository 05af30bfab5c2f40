"""What a fine-tuned BERT says of a text: names in speeches, an answer in a scene, and how right.

Names are marked in the text itself: found, missed and wrongly said ones differ in their frames,
not in colour alone.
"""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import bar_chart, filled_array

WIDTH = 9.0  # inches
LETTER, GAP, LINE = 0.083, 0.075, 0.34  # inches: of a letter at 9.5 points, between words, a line

# What became of a name, and how it is drawn: fill, frame, line.
FATES = {
    "found": ("#cdeadf", style.GREEN, "-"),
    "missed": ("none", style.ORANGE, "--"),
    "no name, but said": ("#f2dceb", style.PINK, ":"),
}


def name_fates(tags, said):
    """Return what became of each word: "" or a key of FATES.

    tags and said hold B, I or O a word. Raises ShapeError when they are not equally long.

    >>> name_fates(["B", "O", "B"], ["B", "B", "O"])
    ['found', 'no name, but said', 'missed']
    """
    if len(tags) != len(said):
        raise ShapeError(f"{len(tags)} true tags, but {len(said)} said")
    fates = {
        (True, True): "found",
        (True, False): "missed",
        (False, True): "no name, but said",
        (False, False): "",
    }
    return [fates[true != "O", found != "O"] for true, found in zip(tags, said, strict=True)]


@style.styled
def named_speeches(speeches, title="", figure=None):
    """Speeches with the words that are names, or were taken for names.

    speeches: dicts with play, words, tags (true) and said, as the recipe "play-names" stores them.
    Raises ShapeError when there is none, or tags and words of one disagree.

    >>> speech = {"play": "Hamlet", "words": ["Good", "Hamlet"], "tags": "OB", "said": "OO"}
    >>> len(named_speeches([speech]).axes[0].patches)  # the name, and three in the key
    4
    """
    if not speeches:
        raise ShapeError("named_speeches needs at least one speech")
    laid = [(speech, _lines(speech["words"])) for speech in speeches]
    height = sum(LINE * max(map(_row, spots)) + 0.78 for _, spots in laid) + 0.7
    figure, axes = _page(figure, height, title, [spot for _, spots in laid for spot in spots])
    top = 0.3
    for speech, spots in laid:
        if len(speech["tags"]) != len(speech["words"]):
            raise ShapeError(f"{len(speech['words'])} words, but {len(speech['tags'])} tags")
        axes.text(0, top, speech["play"], color=style.MUTED, fontsize=9, va="center")
        fates = name_fates(speech["tags"], speech["said"])
        for word, (x, row), fate in zip(speech["words"], spots, fates, strict=True):
            _word(axes, x, top + LINE * (row + 1), word, fate)
        top += LINE * max(map(_row, spots)) + 0.78
    x = 0
    for fate in FATES:
        _word(axes, x, height - 0.18, fate, fate)
        x += LETTER * len(fate) + 0.4
    return figure


def describe_named_speeches(speeches):
    """Say which names were found, missed and wrongly said: the alt text."""
    parts = []
    for speech in speeches:
        fates = name_fates(speech["tags"], speech["said"])
        of_fate = []
        for fate in FATES:
            words = [word for word, f in zip(speech["words"], fates, strict=True) if f == fate]
            if words:
                of_fate.append(f"{fate}: {', '.join(words)}")
        parts.append(f"{speech['play']}, {'; '.join(of_fate) or 'no names'}")
    return f"{len(speeches)} speeches with their names. " + ". ".join(parts) + "."


@style.styled
def answer_span(quote, lines, starts, ends, answer, said, title="", figure=None):
    """A scene with the answer to "who says ...?" and where a model thinks that it starts and ends.

    quote: a string; lines: lists of words, one a speech, the speaker's name first; starts and
    ends: probabilities, one a word, in the same lists; answer and said: (line, first, last), the
    indices of words in a line. Blue bars above a word: it starts there; orange bars below: it ends
    there; none below 1 %. The true answer is framed, the one said is underlined.
    Raises ShapeError when words and probabilities disagree.

    >>> figure = answer_span("ay", [["ann", ":", "ay"]], [[1, 0, 0]], [[1, 0, 0]], (0, 0, 0),
    ...                      (0, 0, 0))
    >>> figure.axes[0].texts[0].get_text()
    'Who says "ay"?'
    """
    for name, shares in (("starts", starts), ("ends", ends)):
        if [*map(len, shares)] != [*map(len, lines)]:
            raise ShapeError(f"{name} must have one probability a word of each line")
    spread = 1.75  # room for the bars
    laid = [_lines(words) for words in lines]
    rows = [max(map(_row, spots)) + 1 for spots in laid]
    height = LINE * spread * sum(rows) + 1.0
    figure, axes = _page(figure, height, title, [spot for spots in laid for spot in spots])
    axes.text(0, 0.2, f'Who says "{quote}"?', fontweight="bold", fontsize=10.5, va="center")
    top = 0.75
    for number, (words, spots) in enumerate(zip(lines, laid, strict=True)):
        for index, (word, (x, row)) in enumerate(zip(words, spots, strict=True)):
            y = top + LINE * spread * row
            width = LETTER * len(word)
            _word(axes, x, y, word, "found" if _inside(number, index, answer) else "")
            if _inside(number, index, said):
                axes.plot([x, x + width], [y + 0.17, y + 0.17], color=style.INK, linewidth=1.6)
            for share, up, colour in (
                (starts[number][index], -0.15, style.BLUE),
                (ends[number][index], 0.2, style.ORANGE),
            ):
                if share < 0.01:  # it would look like an underline
                    continue
                size = 0.22 * float(share)
                low = y + up - size if up < 0 else y + up
                axes.add_patch(Rectangle((x, low), width, size, facecolor=colour, linewidth=0))
        top += LINE * spread * rows[number]
    key = "blue: the answer starts here · orange: it ends here · frame: true · line: said"
    axes.text(0, height - 0.16, key, color=style.MUTED, fontsize=9, va="center")
    scale = {"facecolor": "none", "edgecolor": style.MUTED, "linewidth": 0.8}
    axes.add_patch(Rectangle((6.05, height - 0.27), 0.12, 0.22, **scale))
    axes.text(6.25, height - 0.16, "= 1", color=style.MUTED, fontsize=9, va="center")
    return figure


def describe_answer_span(quote, lines, answer, said):
    """Say what is asked, the true answer and the one said: the alt text."""
    true, found = (" ".join(lines[line][first : last + 1]) for line, first, last in (answer, said))
    verdict = "which is right" if answer == said or true == found else f"the answer is {true!r}"
    return (
        f'A scene of {len(lines)} speeches and the question "who says {quote}?" The model marks '
        f"{found!r}, {verdict}."
    )


def _inside(line, index, span):
    return line == span[0] and span[1] <= index <= span[2]


def seen_and_new(right, title, figure=None):
    """Bars of what each way judges right: of the sentences it learned from, and of new ones.

    right maps a name to two shares, (seen, new); each name stands once, beside its two bars, and
    the legend says that new ones are orange. Returns the figure.

    >>> len(seen_and_new({"counts": (1.0, 0.7)}, "Seen and new").axes[0].patches)
    2
    """
    bars = {}
    for name, (seen, new) in right.items():
        bars |= {f"{name}, seen": seen, f"{name}, new": new}
    label = "share of the sentences judged right"
    lit = [f"{name}, new" for name in right]
    figure = bar_chart(bars, label, title, lit=lit, group=2, form="{:.2f}", figure=figure)
    axes = figure.axes[0]
    middles = [bar.get_y() + bar.get_height() / 2 for bar in axes.patches]
    pairs = zip(middles[::2], middles[1::2], strict=True)
    axes.set_yticks([(seen + new) / 2 for seen, new in pairs], list(right))
    names = ["learned from", "new"]
    axes.legend(axes.patches[:2], names, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def describe_seen_and_new(right):
    """Say both shares of each way: the alt text."""
    each = "; ".join(f"{name} {a:.2f} of seen, {b:.2f} of new" for name, (a, b) in right.items())
    return f"Share judged right: {each}."


@style.styled
def task_results(scores, value_label, title="", *, lit=(), runs="seeds", joined=(), figure=None):
    """Bars of the mean over runs, first entry on top, with a dot for each run.

    scores maps a name to one value a run; the names in `lit` are orange; runs says what differs
    between them, "seeds" or "folds"; joined: two names whose dots of one run are joined by a line.
    Raises ShapeError when there is nothing to draw.

    >>> len(task_results({"pre-trained": [0.4, 0.5], "guess": [0.1]}, "F1").axes[0].patches)
    2
    """
    if not scores:
        raise ShapeError("task_results needs at least one bar")
    figure = style.blank(figure, 7.5, 1.3 + 0.42 * len(scores))
    axes = figure.subplots()
    for row, (name, values) in enumerate(scores.items()):
        values = filled_array(values, 1, f"scores of {name!r}")
        colour = style.ORANGE if name in lit else style.BLUE
        axes.barh(row, values.mean(), color=colour, height=0.62, alpha=0.85)
        dots = {"color": style.INK, "markersize": 5, "markeredgecolor": style.CARD}
        axes.plot(values, np.full(len(values), row), "o", **dots)
        beside = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
        axes.annotate(f"{values.mean():.2f}", (1.02, row), **beside)
    rows = [list(scores).index(name) for name in joined]
    for pair in zip(*(scores[name] for name in joined), strict=True):
        axes.plot(pair, rows, color=style.INK, linewidth=1.2)
    axes.annotate("mean", (1.02, -0.75), color=style.MUTED, fontsize=9, **beside)
    axes.set_yticks(range(len(scores)), list(scores))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, None)
    axes.margins(x=0.12)
    axes.set(xlabel=f"{value_label} (bar: mean, dots: {runs})", title=title)
    return figure


def describe_task_results(scores, value_label, runs="seeds"):
    """Say the mean, lowest and highest value of each bar: the alt text."""
    parts = [
        f"{name} {np.mean(values):.2f} ({min(values):.2f} to {max(values):.2f})"
        for name, values in scores.items()
    ]
    return f"Bars of {value_label}, mean and range over {runs}: {'; '.join(parts)}."


def _lines(words):
    """Return (x in inches, row) of each word, broken into lines."""
    spots, x, row = [], 0.0, 0
    for word in words:
        width = LETTER * len(word)
        if x and x + width > WIDTH - 0.2:
            x, row = 0.0, row + 1
        spots.append((x, row))
        x += width + GAP
    return spots


def _row(spot):
    return spot[1]


def _page(figure, height, title, spots):
    """An empty page, wide enough for words that begin at these spots, and for key and title."""
    wide = min(WIDTH, max(6.6, 1.2 + max(x for x, _ in spots)))
    figure = style.blank(figure, wide + 0.3, height + (0.5 if title else 0.15))
    axes = figure.subplots()
    axes.set(xlim=(-0.05, wide), ylim=(height, 0), title=title)
    axes.axis("off")
    return figure, axes


def _word(axes, x, y, word, fate=""):
    if fate:
        fill, frame, line = FATES[fate]
        box = (x - 0.03, y - 0.14), LETTER * len(word) + 0.06, 0.28
        look = {"facecolor": fill, "edgecolor": frame, "linestyle": line, "linewidth": 1.6}
        axes.add_patch(Rectangle(*box, **look))
    axes.text(x, y, word, family="DejaVu Sans Mono", fontsize=9.5, va="center")
