"""How two descendants learn: ELECTRA from a forger, a student with its teacher's layers."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import arrow, canvas, rounded

CHIP, STEP = 0.86, 0.98  # inches: width of a word, and from word to word
SIDE, HIGH = 1.7, 0.5  # inches: a layer's box


@style.styled
def electra_training(written, chosen, drawn, title="", figure=None):
    """One step of ELECTRA's training: text, gaps, generator, drawn words, discriminator, labels.

    written: T words; chosen: the places of the gaps; drawn: a word for each of them. Orange lines
    are losses and how far their gradients go. Returns the figure. Raises ShapeError unless there
    is one drawn word a gap.

    >>> figure = electra_training(["so", "it", "is"], [1], ["he"])
    >>> [text.get_text() for text in figure.axes[0].texts[:4]]
    ['the text', 'so', 'it', 'is']
    """
    rows = _electra_rows(written, chosen, drawn)
    left, wide = 1.45, STEP * len(written)
    figure, axes = canvas(figure, left + wide + 3.1, 5.1, title, below=0.1)
    levels = {"the text": 0.1, "hidden": 0.95, "forged": 2.7, "label": 4.45}
    for (name, words), y in zip(rows.items(), levels.values(), strict=True):
        axes.text(left - 0.25, y + 0.17, name, ha="right", va="center", color=style.MUTED)
        for at, word in enumerate(words):
            fill, edge = _chip(rows, name, at)
            rounded(axes, left + at * STEP, y, CHIP, 0.34, fill, edge, linewidth=1)
            centre = {"ha": "center", "va": "center", "zorder": 4, "fontsize": 10}
            axes.text(left + at * STEP + CHIP / 2, y + 0.17, word, **centre)
    models = (
        (1.65, "generator: a small BERT", style.PALE_BLUE, style.BLUE),
        (3.4, "discriminator: the ELECTRA that is kept", style.PALE_GREEN, style.GREEN),
    )
    for y, name, fill, edge in models:
        rounded(axes, left - 0.1, y, wide + 0.05, 0.55, fill, edge)
        centre = {"ha": "center", "va": "center", "zorder": 4, "fontsize": 10.5}
        axes.text(left + wide / 2 - 0.08, y + 0.275, name, **centre)
    middles = [left + at * STEP + CHIP / 2 for at in range(len(written))]
    for at, x in enumerate(middles):
        gap = at in chosen
        arrow(axes, [(x, 0.44), (x, 0.95)])
        arrow(axes, [(x, 1.29), (x, 1.65)])
        if gap:  # the generator's word is drawn; all others are the text's
            dashed = {"linestyle": (0, (3, 2))}
            arrow(axes, [(x, 2.2), (x, 2.7)], style.BLUE, 1.6, **dashed)
        arrow(axes, [(x, 3.04), (x, 3.4)])
        arrow(axes, [(x, 3.95), (x, 4.45)])
    right = left + wide
    note = {"va": "center", "fontsize": 9.5, "linespacing": 1.4}
    for y, words in (
        (1.925, "loss: the hidden words,\nat the gaps only"),
        (3.675, "loss: replaced or not,\nat every word (× 50)"),
    ):
        arrow(axes, [(right + 0.5, y), (right, y)], style.ORANGE, 2.0)
        axes.text(right + 0.58, y, words, color=style.INK, **note)
    words = "a word is drawn here:\nno gradient comes back through"
    axes.text(right + 0.02, 2.5, words, color=style.MUTED, **note)
    return figure


def describe_electra_training(written, chosen, drawn):
    """Say in words what `electra_training` shows.

    >>> describe_electra_training(["so", "it", "is"], [1], ["he"])[:54]
    'The text “so it is” with gaps at it; the generator dra'
    """
    rows = _electra_rows(written, chosen, drawn)
    return (
        f"The text “{' '.join(written)}” with gaps at {', '.join(written[at] for at in chosen)}; "
        f"the generator draws {', '.join(drawn)}, learns from the gaps only and gets no gradient "
        f"through the draw; the discriminator reads “{' '.join(rows['forged'])}” and learns from "
        f"every word: {', '.join(rows['label'])}."
    )


def _electra_rows(written, chosen, drawn):
    """Return the words of each row by its name."""
    if len(chosen) != len(drawn) or not set(chosen) <= set(range(len(written))):
        raise ShapeError(
            f"one drawn word is needed for each of {len(chosen)} gaps in {len(written)} words, "
            f"got {len(drawn)}"
        )
    hidden, forged = list(written), list(written)
    for at, word in zip(chosen, drawn, strict=True):
        hidden[at], forged[at] = "[MASK]", word
    labels = ["original" if a == b else "replaced" for a, b in zip(written, forged, strict=True)]
    return {"the text": list(written), "hidden": hidden, "forged": forged, "label": labels}


def _chip(rows, name, at):
    """Return fill and edge of a word: grey where hidden, orange where replaced, green where not."""
    gap = rows["hidden"][at] == "[MASK]"
    if name == "hidden" and gap:
        return style.PALE_GREY, style.MUTED
    if name in ("forged", "label") and rows["label"][at] == "replaced":
        return style.PALE_ORANGE, style.ORANGE
    if name == "label" or (name == "forged" and gap):
        return style.PALE_GREEN, style.GREEN
    return style.CARD, style.GRID


@style.styled
def copied_layers(n_teacher, layers, title="", figure=None):
    """A teacher's stack beside the student's, which begins with some of its layers.

    layers: the teacher's layers that are copied, counted from 0, rising. Table of tokens and head
    are copied in any case. Returns the figure. Raises ShapeError for a layer that is not there.

    >>> figure = copied_layers(3, [0, 2])
    >>> [text.get_text() for text in figure.axes[0].texts][:3]
    ['teacher', 'student', 'head for hidden words']
    """
    layers = list(layers)
    if not set(layers) <= set(range(n_teacher)):
        raise ShapeError(f"the teacher has layers 0 to {n_teacher - 1}, asked for {layers}")
    ends = ("tables of tokens and positions", "head for hidden words")
    stacks = {
        "teacher": [ends[0], *(f"layer {at}" for at in range(n_teacher)), ends[1]],
        "student": [ends[0], *(f"layer {at}" for at in range(len(layers))), ends[1]],
    }
    sources = [0, *(at + 1 for at in layers), n_teacher + 1]  # of each box of the student
    across, step = 2.9, HIGH + 0.2
    height = step * len(stacks["teacher"]) + 0.35
    figure, axes = canvas(figure, 2 * across + 1.6, height, title, below=0.05)
    shift = step * (len(stacks["teacher"]) - len(stacks["student"])) / 2
    lefts = {"teacher": 0.05, "student": across + 1.5}
    for name, left in lefts.items():
        look = {"ha": "center", "fontweight": "bold", "fontsize": 11}
        axes.text(left + across / 2, height - 0.2, name, **look)
    for name, names in reversed(stacks.items()):
        for at, words in reversed(list(enumerate(names))):
            y = at * step + (shift if name == "student" else 0)
            left_out = name == "teacher" and at not in sources
            fill, edge = (style.CARD, style.GRID) if left_out else (style.PALE_BLUE, style.BLUE)
            if at in (0, len(names) - 1):
                fill, edge = style.PALE_PINK, style.PINK
            rounded(axes, lefts[name], y, across, HIGH, fill, edge)
            colour = style.MUTED if left_out else style.INK
            centre = {"ha": "center", "va": "center", "zorder": 4, "color": colour}
            axes.text(lefts[name] + across / 2, y + HIGH / 2, words, fontsize=10, **centre)
    for at, source in enumerate(sources):
        ends = (
            (lefts["teacher"] + across, source * step + HIGH / 2),
            (lefts["student"], at * step + shift + HIGH / 2),
        )
        arrow(axes, ends, style.ORANGE, 1.8)
    return figure


def describe_copied_layers(n_teacher, layers):
    """Say in words what `copied_layers` shows.

    >>> describe_copied_layers(3, [0, 2])
    'A teacher of 3 layers; its layers 0, 2 become the student’s 0, 1. Tables and head go along.'
    """
    layers = list(layers)
    return (
        f"A teacher of {n_teacher} layers; its layers {', '.join(map(str, layers))} become the "
        f"student’s {', '.join(str(at) for at in range(len(layers)))}. Tables and head go along."
    )
