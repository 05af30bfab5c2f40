"""What BERT reads and what it is asked: the two objectives compared, and the input's three sums."""

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import token_name

# Tints of the pink that the machine's three tables have; the two segments are a shade apart.
TABLES = {"token": style.PALE_PINK, "A": "#e9c3da", "B": "#d99abf", "position": "#faf0f6"}
WIDTH = 8.8  # inches, as wide as the chapter's other pictures
WIDEST = 1.1  # of a column; few tokens make a narrower picture


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
            _box(axes, upper, 1.54, targets[t], width, fill=style.PALE_ORANGE, edge=style.ORANGE)
    for x, name in zip(at, reads, strict=True):
        masked = name == "[MASK]"
        look = {"fill": style.PALE_BLUE, "edge": style.BLUE} if masked else {}
        _box(axes, x, 0, name, width, **look)
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
    r"""The three vectors that are added for each token of BERT's input, as stacked rows.

    tokens: T strings with [CLS] and [SEP]; segments: T numbers, 0 or 1. The tables have the pink
    and the LayerNorm the yellow of the machine's picture. Returns the figure.
    Raises ShapeError when tokens and segments disagree.

    >>> figure = input_representation(["[CLS]", "so", "[SEP]"], [0, 0, 0], "Three are added")
    >>> print(*(text.get_text() for text in figure.axes[0].texts[:4]))
    [CLS] $E_{\text{[CLS]}}$ + $E_{\text{A}}$
    """
    names = _checked_rows(tokens, segments)
    label = style.text_width("first layer reads", 10) + 0.15
    widest = max(0.12 + style.text_width(name, 8) for name in names)  # an E and its index
    widest = max(widest, *(style.text_width(name, 10, "bold") for name in names))
    column = max(min((WIDTH - label) / len(names), WIDEST), widest + 0.16)
    width, box = label + column * len(names) + 0.2, column - 0.07
    figure = style.blank(figure, width, 3.15)
    axes = figure.subplots()
    heights = {"token": 1.95, "segment": 1.45, "position": 0.95}
    large = {"fontsize": 10}
    middle = {"ha": "center", "va": "center", **large}
    math = {"parse_math": True, "math_fontfamily": "dejavusans", "fontsize": 11.5}
    last = column * (len(names) - 1)
    for position, (name, segment) in enumerate(zip(names, segments, strict=True)):
        x = column * position
        axes.text(x, 2.34, name, fontweight="bold", **middle)
        texts = {"token": name, "segment": "AB"[segment], "position": str(position)}
        for row, y in heights.items():
            fill = TABLES[texts[row] if row == "segment" else row]
            _box(axes, x, y, _with_index("E", texts[row]), box, fill=fill, edge=style.PINK, **math)
            if row != "position":
                axes.text(x, y - 0.25, "+", color=style.MUTED, **middle)
        _box(axes, x, -0.01, _with_index("x", position), box, edge=style.INK, **math)
    bar = "the sum of each column goes through a LayerNorm"
    if style.text_width(bar, 10) > last + box:
        bar = "LayerNorm"
    norm = {"fill": style.PALE_AMBER, "edge": style.AMBER}
    _box(axes, last / 2, 0.47, bar, last + box, **norm, **large)
    for text, y in (*heights.items(), ("first layer reads", -0.01)):
        where = {"ha": "right", "va": "center", "color": style.MUTED} | large
        axes.text(-box / 2 - 0.1, y, text, **where)
    axes.set(xlim=(-box / 2 - label, last + box / 2 + 0.05), ylim=(-0.2, 2.5))
    axes.axis("off")
    style.headline(figure, title)
    return figure


def _with_index(letter, index):
    """Return a letter with an index below it, as mathtext; the index is any text."""
    index = "".join("\\" + c if c in "\\{}$" else c for c in str(index))
    return rf"${letter}_{{\text{{{index}}}}}$"


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
