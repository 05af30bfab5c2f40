"""What a fine-tuned BERT says of a text: names in speeches, and how right it is.

Names are marked in the text itself: found, missed and wrongly said ones differ in their frames,
not in colour alone.
"""

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert.answers import LINE, SIZE, WIDTH, spots_of, width_of
from tutorial_lib.figures.tokens import drawable

# What became of a name, and how it is drawn: fill, frame, line.
FATES = {
    "found": ("#cdeadf", style.GREEN, "-"),
    "missed": ("none", style.ORANGE, "--"),
    "marked, but labelled O": ("#f2dceb", style.PINK, ":"),
}


def name_fates(tags, said):
    """Return what became of each word: "" or a key of FATES.

    tags and said hold B, I or O a word. Raises ShapeError when they are not equally long.

    >>> name_fates(["B", "O", "B"], ["B", "B", "O"])
    ['found', 'marked, but labelled O', 'missed']
    """
    if len(tags) != len(said):
        raise ShapeError(f"{len(tags)} true tags, but {len(said)} said")
    fates = {
        (True, True): "found",
        (True, False): "missed",
        (False, True): "marked, but labelled O",
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
    laid = []
    for speech in speeches:
        if len(speech["tags"]) != len(speech["words"]):
            raise ShapeError(f"{len(speech['words'])} words, but {len(speech['tags'])} tags")
        fates = name_fates(speech["tags"], speech["said"])
        marked = [(i, i) for i, fate in enumerate(fates) if fate]
        laid.append((speech, spots_of(speech["words"], marked), fates))
    height = sum(LINE * (spots[-1][1] + 1) + 0.5 for _, spots, _ in laid) + 0.5
    figure = style.blank(figure, WIDTH, height + (0.5 if title else 0.15))
    axes = figure.subplots()
    axes.set(xlim=(-0.05, WIDTH - 0.1), ylim=(height, 0), title=title)
    axes.axis("off")
    top = 0.2
    for speech, spots, fates in laid:
        axes.text(0, top, speech["play"], color=style.MUTED, fontsize=9, va="center")
        for word, (x, row), fate in zip(speech["words"], spots, fates, strict=True):
            _word(axes, x, top + LINE * (row + 1), word, fate)
        top += LINE * (spots[-1][1] + 1) + 0.5
    x = 0.05
    for fate in FATES:
        _word(axes, x, height - 0.2, fate, fate)
        x += width_of(fate) + 0.4
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


def _word(axes, x, y, word, fate=""):
    text = drawable(word)
    if fate:
        fill, frame, line = FATES[fate]
        box = (x - 0.05, y - 0.14), width_of(text) + 0.08, 0.27
        look = {"facecolor": fill, "edgecolor": frame, "linestyle": line, "linewidth": 1.6}
        axes.add_patch(Rectangle(*box, **look))
    axes.text(x, y, text, fontsize=SIZE, va="center_baseline")
