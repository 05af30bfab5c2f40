"""What BERT reads and what it is asked: the two objectives compared, and the input's three sums."""

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import token_name

ROW_COLOURS = {"token": "#cfe5f3", "segment": "#f6dcc8", "position": "#cdeadf"}
SECOND_SEGMENT = "#eab98f"


def _box(axes, x, y, text, width, *, fill=style.CARD, edge=style.MUTED, **words):
    """One rounded box with a word in its middle."""
    corner = (x - width / 2, y - 0.16)
    look = {"boxstyle": "round,pad=0,rounding_size=0.06", "linewidth": 1.1, "zorder": 3}
    axes.add_patch(FancyBboxPatch(corner, width, 0.32, facecolor=fill, edgecolor=edge, **look))
    axes.text(x, y, text, ha="center", va="center", zorder=4, **({"fontsize": 9.5} | words))


def _column(words):
    return max(0.8, 0.09 * max(map(len, words)) + 0.2)  # inches


def _checked(words, hidden):
    hidden = sorted(set(hidden))
    if len(words) < 2 or not hidden or not set(hidden) <= set(range(len(words))):
        raise ShapeError(
            "masked_objectives needs 2 words or more and the indices of hidden ones, "
            f"got {len(words)} words and {hidden}"
        )
    return [token_name(word) for word in words], hidden


@style.styled
def masked_objectives(words, hidden, title="", figure=None):
    """GPT's and BERT's objective for one sentence: who looks at whom, and where a loss sits.

    words: T strings without special tokens; hidden: the indices of the words that BERT's
    side hides. A line joins what is read (below) with each position that may look at it; the
    lines of positions with a loss are blue. Returns the figure. Raises ShapeError for fewer than
    2 words, or hidden indices that are none of them.

    >>> figure = masked_objectives(["so", "it", "is"], hidden=[1], title="2 terms or 1")
    >>> [axes.get_title(loc="left").split(": ")[1] for axes in figure.axes]
    ['2 loss terms per pass', '1 loss term per pass']
    """
    names, hidden = _checked(words, hidden)
    n_words = len(names)
    last = n_words - 1
    gpt = (names, dict(enumerate(names[1:])), lambda t, s: s <= t)
    reads = ["[CLS]", *("[MASK]" if i in hidden else name for i, name in enumerate(names)), "[SEP]"]
    bert = (reads, {position + 1: names[position] for position in hidden}, lambda t, s: True)
    headings = (
        f"GPT predicts the next token: {_terms(last)} per pass",
        f"BERT predicts the hidden tokens: {_terms(len(hidden))} per pass",
    )
    column = _column([*names, "[MASK]"])
    figure = style.blank(figure, 1.3 + column * (n_words + 2), 4.9)
    for axes, shift, heading, panel in zip(
        figure.subplots(2, 1), (1, 0), headings, (gpt, bert), strict=True
    ):
        _objective(axes, column, shift, *panel)
        axes.set(xlim=(-1.05 - column / 2, column * (n_words + 1.5)), ylim=(-0.25, 1.85))
        axes.set_title(heading, fontsize=10.5)
    style.headline(figure, title)
    return figure


def _objective(axes, column, shift, reads, targets, may_look):
    """Draw one panel: what is read, the lines, and the word that each loss is about.

    shift: columns left free at the left, so that the same words are above each other.
    """
    at = [column * (position + shift) for position in range(len(reads))]
    width = 0.88 * column
    for t, upper in enumerate(at):
        asked = t in targets
        line = {"color": style.BLUE if asked else style.GRID, "zorder": 1 + asked}
        line |= {"linewidth": 1.0 if asked else 0.8, "alpha": 0.55 if asked else 1}
        for s, lower in enumerate(at):
            if may_look(t, s):
                axes.plot([lower, upper], [0.16, 1.0], **line)
        dot = style.BLUE if asked else style.CARD
        axes.plot(upper, 1.0, "o", ms=7, mfc=dot, mec=style.MUTED, zorder=3)
        if asked:
            axes.annotate(
                "",
                (upper, 1.36),
                (upper, 1.06),
                arrowprops={"arrowstyle": "->", "color": style.INK},
            )
            _box(axes, upper, 1.54, targets[t], width, fill="#f6dcc8", edge=style.ORANGE)
    for x, name in zip(at, reads, strict=True):
        masked = name == "[MASK]"
        _box(axes, x, 0, name, width, fill=style.MUTED if masked else style.CARD,
             color="white" if masked else style.INK)  # fmt: skip
    for y, text in ((0, "reads"), (1.0, "position"), (1.54, "must say")):
        axes.text(-1.0 - column / 2, y, text, va="center", color=style.MUTED, fontsize=9.5)
    axes.axis("off")


def _terms(n):
    return f"{n} loss term{'' if n == 1 else 's'}"


def describe_masked_objectives(words, hidden):
    """Say in words what `masked_objectives` shows.

    >>> describe_masked_objectives(["so", "it", "is"], [1])[:64]
    'The sentence “so it is” under two objectives. GPT: each position'
    """
    names, hidden = _checked(words, hidden)
    said = ", ".join(names[position] for position in hidden)
    return (
        f"The sentence “{' '.join(names)}” under two objectives. GPT: each position looks at "
        f"itself and what comes before it and predicts the next token, {_terms(len(names) - 1)}. "
        f"BERT: the hidden words ({said}) are replaced by [MASK], every position looks at every "
        f"position, and only the hidden positions have a loss, {_terms(len(hidden))}."
    )


def _checked_rows(tokens, segments):
    if not tokens or len(tokens) != len(segments) or not {*segments} <= {0, 1}:
        raise ShapeError(
            "input_representation needs one segment, 0 or 1, for each token, got "
            f"{len(tokens)} tokens and segments {list(segments)}"
        )
    return [token_name(token) for token in tokens]


@style.styled
def input_representation(tokens, segments, title="", figure=None):
    """The three vectors that are added for each token of BERT's input, as stacked rows.

    tokens: T strings with [CLS] and [SEP]; segments: T numbers, 0 or 1. Returns the figure.
    Raises ShapeError when the two disagree.

    >>> figure = input_representation(["[CLS]", "so", "[SEP]"], [0, 0, 0], "Three are added")
    >>> [text.get_text() for text in figure.axes[0].texts][1:4]
    ['E [CLS]', '+', 'E A']
    """
    names = _checked_rows(tokens, segments)
    column = max(0.72, 0.095 * (max(map(len, names)) + 2) + 0.2)
    figure = style.blank(figure, 1.7 + column * len(names), 3.8)
    axes = figure.subplots()
    large = {"fontsize": 12}  # the drawing is wide, and shown as narrow as the others
    heights = {"token": 2.1, "segment": 1.4, "position": 0.7}
    last = column * (len(names) - 1)
    for position, (name, segment) in enumerate(zip(names, segments, strict=True)):
        x = column * position
        axes.text(x, 2.62, name, ha="center", va="center", fontweight="bold", **large)
        texts = {"token": name, "segment": "AB"[segment], "position": str(position)}
        for row, y in heights.items():
            fill = SECOND_SEGMENT if row == "segment" and segment else ROW_COLOURS[row]
            _box(axes, x, y, f"E {texts[row]}", 0.88 * column, fill=fill, **large)
            if row != "position":
                axes.text(x, y - 0.36, "+", ha="center", va="center", color=style.MUTED, **large)
        _box(axes, x, -0.35, f"x {position}", 0.88 * column, edge=style.INK, **large)
    bar = "the sum of each column goes through a LayerNorm"
    _box(axes, last / 2, 0.2, bar, last + 0.88 * column, fill=style.PALE_GREY, **large)
    for text, y in (*heights.items(), ("first layer reads", -0.35)):
        where = {"ha": "right", "va": "center", "color": style.MUTED} | large
        axes.text(-0.55 * column, y, text, **where)
    axes.set(xlim=(-1.5 - column / 2, column * (len(names) - 0.45)), ylim=(-0.6, 2.85))
    axes.axis("off")
    axes.set_title(title, fontsize=15)
    return figure


def describe_input_representation(tokens, segments):
    """Say in words what `input_representation` shows.

    >>> describe_input_representation(["[CLS]", "so", "[SEP]"], [0, 0, 0])
    'For each of 3 tokens three vectors are added: of the token, of its segment, A or B, and of \
its position; a LayerNorm makes of it what the first layer reads. [CLS] A 0, so A 1, [SEP] A 2.'
    """
    names = _checked_rows(tokens, segments)
    rows = zip(names, segments, range(len(names)), strict=True)
    parts = ", ".join(f"{name} {'AB'[segment]} {position}" for name, segment, position in rows)
    return (
        f"For each of {len(names)} tokens three vectors are added: of the token, of its segment, "
        f"A or B, and of its position; a LayerNorm makes of it what the first layer reads. {parts}."
    )
