"""What each descendant of BERT keeps, and what it changes."""

from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import canvas, rounded

COLUMNS = ("what it is asked", "second task", "token vectors", "layers", "who teaches")
CHANGES = {  # model -> a text for each of COLUMNS; None: as in BERT
    "BERT": ("which words are hidden?", "does B follow A?", "V × D", "L, each its own", "the text"),
    "RoBERTa": ("… hidden anew each time", "none", None, None, "10 × the text"),
    "ALBERT": (None, "are A and B in order?", "V × E, then E × D", "one, used L times", None),
    "DistilBERT": (None, "none", None, "half of them", "a BERT, and the text"),
    "ELECTRA": (
        "was this word replaced?",
        "none",
        "V × E, then E × D",
        None,
        "a forger, and the text",
    ),
}
LEFT, ROW, GAP = 1.15, 0.5, 0.1  # inches
SIZES = (1.95, 1.6, 1.4, 1.45, 1.6)


@style.styled
def bert_changes(figure=None):
    """A row a model, a column a part: what is orange is not as in BERT. Returns the figure.

    >>> len(bert_changes().axes[0].patches)
    25
    """
    width = LEFT + sum(SIZES) + GAP * (len(SIZES) - 1) + 0.1
    top = (ROW + GAP) * len(CHANGES)
    title = "Most of BERT stays. What is orange is new"
    figure, axes = canvas(figure, width, top + 0.3, title, below=0.05)
    lefts = [LEFT + sum(SIZES[:at]) + GAP * at for at in range(len(SIZES))]
    for heading, left, side in zip(COLUMNS, lefts, SIZES, strict=True):
        centre = {"ha": "center", "va": "center", "color": style.MUTED, "fontsize": 9.5}
        axes.text(left + side / 2, top + 0.12, heading, **centre)
    for row, (model, texts) in enumerate(CHANGES.items()):
        bottom = top - (row + 1) * (ROW + GAP) + GAP
        look = {"va": "center", "fontweight": "bold", "fontsize": 10.5}
        axes.text(0.02, bottom + ROW / 2, model, **look)
        for text, own, left, side in zip(texts, CHANGES["BERT"], lefts, SIZES, strict=True):
            fill, edge = (style.PALE_ORANGE, style.ORANGE) if text else (style.CARD, style.GRID)
            if model == "BERT":
                fill, edge = style.PALE_BLUE, style.BLUE
            rounded(axes, left, bottom, side, ROW, fill, edge)
            colour = style.INK if text else style.MUTED
            centre = {"ha": "center", "va": "center", "zorder": 4, "color": colour}
            shown = text or ("the same" if model != "BERT" else own)
            axes.text(left + side / 2, bottom + ROW / 2, shown, fontsize=9.2, **centre)
    return figure


def describe_bert_changes():
    """Say in words what `bert_changes` shows.

    >>> describe_bert_changes()[:43]
    'What each model changes in BERT. RoBERTa: w'
    """
    parts = []
    for model, texts in CHANGES.items():
        if model != "BERT":
            changed = [f"{name}: {text}" for name, text in zip(COLUMNS, texts, strict=True) if text]
            parts.append(f"{model}: {'; '.join(changed)}")
    return "What each model changes in BERT. " + ". ".join(parts) + "."
