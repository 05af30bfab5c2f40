"""What a fine-tuned BERT says of a text: names in speeches, and how right it is.

Names are marked in the text itself: found, missed and wrongly said ones differ in their frames,
not in colour alone.
"""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert import answers

# What became of a name, or of a word that is none; drawn as one of the marks of an answer.
FATES = ("found", "marked, but wrong", "missed")


def name_fates(tags, said):
    """Return what became of each word: "" or a key of FATES.

    tags and said hold B, I or O a word. Raises ShapeError when they are not equally long.

    >>> name_fates(["B", "O", "B"], ["B", "B", "O"])
    ['found', 'marked, but wrong', 'missed']
    """
    if len(tags) != len(said):
        raise ShapeError(f"{len(tags)} true tags, but {len(said)} said")
    fates = {
        (True, True): "found",
        (True, False): "missed",
        (False, True): "marked, but wrong",
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
        laid.append((speech, answers.spots_of(speech["words"], marked), fates))
    height = sum(answers.LINE * (spots[-1][1] + 1) + 0.56 for _, spots, _ in laid) + 0.4
    width = answers.page_width([(speech["words"], spots) for speech, spots, _ in laid], [], title)
    figure, axes = answers.page(figure, width, height, title)
    top = 0.05
    for speech, spots, fates in laid:
        top = answers.draw_source(axes, top, speech["play"])
        for i, fate in enumerate(fates):
            if fate:
                answers.draw_mark(axes, top, speech["words"], spots, (i, i), fate)
        answers.draw_words(axes, top, speech["words"], spots)
        top += answers.LINE * (spots[-1][1] + 1) + 0.28
    answers.draw_key(axes, height, FATES)
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
