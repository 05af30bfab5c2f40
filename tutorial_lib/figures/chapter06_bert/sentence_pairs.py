"""Next sentence prediction: where the pairs come from, and what BERT says about kinds of pairs."""

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.inputs import TABLES, _box
from tutorial_lib.figures.charts import draw_unknown, share_bar
from tutorial_lib.figures.diagrams import arrow

GAP = 0.14  # inches between two sentences
TINTS = TABLES["A"], TABLES["B"]  # of the two segments
SCENES, READ = (2.5, 1.5), (0.45, 0.0)  # heights of the scenes, and of what BERT reads
CLASSES = "class 0", "class 1"


def _checked_scenes(scene, elsewhere, first, other):
    if not 0 <= first < len(scene) - 1 or not 0 <= other < len(elsewhere):
        raise ShapeError(
            "next_sentence_sources needs a sentence of the first scene that is not its last, and "
            f"one of the other, got {first} of {len(scene)} and {other} of {len(elsewhere)}"
        )
    return [[_short(sentence) for sentence in each] for each in (scene, elsewhere)]


def _short(sentence, most=48):
    """Return a sentence as one line that has a glyph for each character, and an end."""
    words = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in sentence)
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _row_of(texts, left, gap=GAP):
    """Return (middle, width) of the boxes of a row of texts that starts at `left`."""
    boxes = []
    for text in texts:
        width = 0.078 * len(text) + 0.24
        boxes.append((left + width / 2, width))
        left += width + gap
    return boxes


@style.styled
def next_sentence_sources(scene, elsewhere, first, other, title="", figure=None):
    """Draw where the two kinds of pairs come from, and each pair as BERT reads it.

    scene and elsewhere are the sentences of two scenes; first: the index, in scene, of the first
    sentence of both pairs; other: the index, in elsewhere, of the one that does not follow.
    Returns the figure. Raises ShapeError for indices without such sentences.

    >>> figure = next_sentence_sources(["Who's there?", "Answer me."], ["So foul a day!"], 0, 0)
    >>> [text.get_text() for text in figure.axes[0].texts][-5:]
    ['[CLS]', "Who's there?", '[SEP]', 'So foul a day!', '[SEP]']
    """
    scene, elsewhere = _checked_scenes(scene, elsewhere, first, other)
    pairs = [
        ["[CLS]", scene[first], "[SEP]", second, "[SEP]"]
        for second in (scene[first + 1], elsewhere[other])
    ]
    left = 1.15
    strips = [_row_of(texts, left) for texts in (scene, elsewhere)]
    reads = [_row_of(texts, left, gap=0.06) for texts in pairs]
    ends = [max(x + width / 2 for x, width in boxes) for boxes in (*strips, *reads)]
    answers_at = max(ends[2:]) + 0.15
    right = max(*ends, answers_at + 0.55)
    figure = style.blank(figure, right + 0.35, 4.0)
    axes = figure.subplots()
    tinted = {first: TINTS[0], first + 1: TINTS[1]}, {other: TINTS[1]}
    for y, texts, boxes, tints in zip(SCENES, (scene, elsewhere), strips, tinted, strict=True):
        for number, (text, (x, width)) in enumerate(zip(texts, boxes, strict=True)):
            edge = style.INK if number in tints else style.MUTED
            _box(axes, x, y, text, width, fill=tints.get(number, style.CARD), edge=edge)
    start, follows, unrelated = strips[0][first][0], strips[0][first + 1][0], strips[1][other][0]
    _bent_arrow(axes, start, follows, (SCENES[0] + 0.16, SCENES[0] + 0.16), 0.3, style.BLUE)
    _bent_arrow(axes, start, unrelated, (SCENES[0] - 0.16, SCENES[1] + 0.16), -0.34, style.MUTED)
    named = {"va": "center", "ha": "left", "fontsize": 9.5}
    beyond = max(start, unrelated) + 0.12
    axes.text(follows + 0.12, SCENES[0] + 0.46, f"follows: {CLASSES[0]}", color=style.BLUE, **named)
    axes.text(beyond, SCENES[0] - 0.5, f"does not follow: {CLASSES[1]}", color=style.MUTED, **named)
    rows = zip((*SCENES, READ[0]), ("one scene", "another scene", "BERT reads"), strict=True)
    for y, text in rows:
        axes.text(0, y, text, color=style.MUTED, **named)
    for number, segment in ((0, "segment A"), (3, "segment B")):
        x, width = reads[0][number]
        axes.text(x - width / 2, READ[0] + 0.3, segment, color=style.MUTED, **named)
    for y, texts, boxes, answer, colour in zip(
        READ, pairs, reads, CLASSES, (style.BLUE, style.MUTED), strict=True
    ):
        axes.text(answers_at, y, answer, color=colour, **named)
        for number, (text, (x, width)) in enumerate(zip(texts, boxes, strict=True)):
            _box(axes, x, y, text, width, fill=TINTS[number > 2])
    axes.set(xlim=(-0.05, right + 0.05), ylim=(-0.25, SCENES[0] + 0.62))
    axes.axis("off")
    style.headline(figure, title)
    return figure


def _bent_arrow(axes, start, end, heights, rise, colour):
    """Draw an arrow from x = start to x = end that first goes `rise` up, and then along."""
    bend = heights[0] + rise
    corners = [] if start == end else [(start, bend), (end, bend)]
    points = [(start, heights[0]), *corners, (end, heights[1])]
    arrow(axes, points, colour, width=1.6)


def describe_next_sentence_sources(scene, elsewhere, first, other):
    """Say in words what `next_sentence_sources` shows.

    >>> describe_next_sentence_sources(["Are you here?", "I am."], ["So foul!"], 0, 0)[:70]
    'Two scenes as strips of sentences. From “Are you here?” one arrow goes'
    """
    scene, elsewhere = _checked_scenes(scene, elsewhere, first, other)
    return (
        f"Two scenes as strips of sentences. From “{scene[first]}” one arrow goes to the next "
        f"sentence of its scene, “{scene[first + 1]}”: follows, class 0. Another goes into the "
        f"other scene, to “{elsewhere[other]}”: does not follow, class 1. BERT reads each pair as "
        "[CLS] sentence A [SEP] sentence B [SEP], with sentence A and the tokens around it in "
        "segment A, and sentence B and the last [SEP] in segment B."
    )


# Each kind of `said_to_follow`: its name, where the second sentence is from, what is hidden.
KINDS = {
    "a real pair": ("a real pair", "next", ""),
    "the wrong way round": ("swapped", "swapped", ""),
    "from the same scene": ("B from the same scene", "apart", ""),
    "from another scene": ("B from another scene", "elsewhere", ""),
    "real, outer words hidden": ("a real pair, outer ends hidden", "next", "ends"),
    "real, cut hidden": ("a real pair, cut hidden", "next", "cut"),
    "another scene, cut hidden": ("B from another scene, cut hidden", "elsewhere", "cut"),
}
CELL, LETTER_CELL, STRIP_HEIGHT = 0.12, 0.24, 0.22  # inches
STRIP = 6 * CELL + LETTER_CELL
ROW = 0.38  # inches from bar to bar
NAMES, BARS, FULL = 2.5, 5.1, 2.6  # inches: where names and bars begin, and how long 1 is


@style.styled
def pair_kinds(follows, title="", measure="", figure=None):
    """Draw how often a BERT calls each kind of pair next sentences, beside a picture of the kind.

    follows {kind: share}, kinds as `said_to_follow` names them; a share of None is not known yet,
    a dashed outline with a question mark. A sentence is a strip: its first three tokens, its name,
    its last three; dark tokens are hidden, a hatched strip is from another scene. The bars of real
    pairs are blue, the others sky blue. Returns the figure. Raises ShapeError for no kind, one that
    is not known, or a share outside of 0 to 1.

    >>> figure = pair_kinds({"a real pair": 0.85, "from another scene": None})
    >>> [t.get_text() for t in figure.axes[0].texts if t.get_text() not in "AB"]
    ['whole pairs', 'a real pair', '0.85', 'B from another scene', '?']
    """
    groups = _checked_kinds(follows)
    n_rows = len(follows) + 1.1 * len(groups)
    figure = style.blank(figure, BARS + FULL + 0.75, ROW * (n_rows + bool(measure)) + 0.5)
    axes = figure.subplots()
    y, top = 0.0, -0.25 * ROW - ROW * bool(measure)
    for head, kinds in groups.items():
        axes.text(0, y, head, fontsize=9.5, color=style.MUTED, fontweight="bold", va="center")
        for kind in kinds:
            y += ROW
            name, source, hidden = KINDS[kind]
            _pair_strips(axes, y, source, hidden)
            axes.text(NAMES, y, name, fontsize=9.5, va="center")
            _share_bar(axes, y, follows[kind], style.BLUE if source == "next" else style.SKY)
        y += 1.1 * ROW
    axes.set(xlim=(-0.05, BARS + FULL + 0.5), ylim=(y - 0.6 * ROW, top))
    axes.axis("off")
    if measure:  # drawn last, so that the texts before it are read in the order of the rows
        axes.text(0, -1.05 * ROW, measure, fontsize=9.5, color=style.MUTED, va="center")
    style.headline(figure, title)
    return figure


def _checked_kinds(follows):
    """Return {heading of a group: its kinds}; raises ShapeError for what cannot be drawn."""
    if not follows or not {*follows} <= {*KINDS}:
        raise ShapeError(f"pair_kinds knows the kinds {', '.join(KINDS)}, got {list(follows)}")
    for kind, share in follows.items():
        if share is not None and not 0 <= share <= 1:
            raise ShapeError(f"the share of {kind!r} must be from 0 to 1 or None, got {share}")
    groups = {"whole pairs": [], "six tokens hidden": []}
    for kind in follows:
        groups["six tokens hidden" if KINDS[kind][2] else "whole pairs"].append(kind)
    return {head: kinds for head, kinds in groups.items() if kinds}


def _pair_strips(axes, y, source, hidden):
    """Draw the two sentences of a pair as strips of cells."""
    order = "BA" if source == "swapped" else "AB"
    left = 0.0
    for place, letter in enumerate(order):
        inner = range(3, 6) if place == 0 else range(3)  # the cells at the cut
        dark = {"": (), "cut": inner, "ends": set(range(6)) - set(inner)}[hidden]
        hatched = source == "elsewhere" and letter == "B"
        _strip(axes, left, y, letter, dark, hatched)
        if source == "apart" and place == 0:
            left += 0.34
            dots = {"ha": "center", "va": "center", "color": style.MUTED, "fontsize": 9.5}
            axes.text(left + STRIP - 0.14, y, "…", **dots)
        left += STRIP + 0.06


def _strip(axes, left, y, letter, dark, hatched):
    fill = style.BLUE if letter == "A" else style.PALE_SKY
    look = {"facecolor": fill, "edgecolor": style.CARD, "linewidth": 0.8}
    if hatched:
        look |= {"edgecolor": style.BLUE, "hatch": "//////"}
    hidden = {"facecolor": style.INK, "edgecolor": style.CARD, "linewidth": 0.8}
    bottom = y - STRIP_HEIGHT / 2
    for cell in range(6):
        x = left + CELL * cell + LETTER_CELL * (cell > 2)
        shown = hidden if cell in dark else look
        axes.add_patch(Rectangle((x, bottom), CELL, STRIP_HEIGHT, **shown))
    middle = left + 3 * CELL
    axes.add_patch(Rectangle((middle, bottom), LETTER_CELL, STRIP_HEIGHT, **look))
    words = {"color": "white" if letter == "A" else style.INK, "fontweight": "bold", "fontsize": 9}
    if hatched:  # the letter stands on a plain ground
        words["bbox"] = {"facecolor": fill, "edgecolor": "none", "pad": 1.5}
    axes.text(middle + LETTER_CELL / 2, y, letter, ha="center", va="center", **words)


def _share_bar(axes, y, share, colour):
    if share is None:
        draw_unknown(axes, y, FULL, 0.24, colour, left=BARS)
    else:
        share_bar(axes, y, share, colour, BARS, FULL)


def describe_pair_kinds(follows, title="", measure=""):
    """Say in words what `pair_kinds` shows.

    >>> describe_pair_kinds({"a real pair": 0.85, "from another scene": None}, "Which?", "says so")
    'Which? Says so. Whole pairs: a real pair 0.85, B from another scene not yet known.'
    """
    said = [f"{text[:1].upper()}{text[1:]}" for text in (title, measure) if text]
    said = [text if text.endswith(("?", "!", ".")) else f"{text}." for text in said]
    for head, kinds in _checked_kinds(follows).items():
        shares = (
            f"{KINDS[kind][0]} "
            + ("not yet known" if follows[kind] is None else f"{follows[kind]:.2f}")
            for kind in kinds
        )
        said.append(f"{head.capitalize()}: {', '.join(shares)}.")
    return " ".join(said)
