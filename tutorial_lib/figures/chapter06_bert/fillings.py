"""What a masked model puts into a gap: the text with the gap, and its most probable tokens."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.mask_results import WIDTH, draw_tokens, text_height
from tutorial_lib.figures.generation import token_name


def _checked(tokens, gap, rows, beside):
    if not 0 <= gap < len(tokens):
        raise ShapeError(f"the gap must be one of the {len(tokens)} tokens, got index {gap}")
    panels = {"": rows} | ({beside[0]: beside[1]} if beside else {})
    for listed in panels.values():
        if not listed or not all(0 <= probability <= 1 for _, probability in listed):
            raise ShapeError("rows are (token, probability), at least one, probabilities 0 to 1")
    return panels


@style.styled
def mask_fillings(
    tokens, gap, rows, *, beside=None, name="all of the text", right=None, title="", figure=None
):
    """A text with its gap, and the most probable tokens for it as bars.

    tokens: T strings; gap: the index of the gap among them; rows: (token, probability), the most
    probable first; beside: (name, rows) of a second panel for comparison, and then name stands
    above the first; right: the token that was there, drawn orange. Returns the figure. Raises
    ShapeError when these do not fit.

    >>> rows = [("house", 0.6), ("cross", 0.3)]
    >>> figure = mask_fillings(["a", "red", "[MASK]"], 2, rows, title="A house")
    >>> [label.get_text() for label in figure.axes[1].get_yticklabels()]
    ['house', 'cross']
    """
    panels = _checked(tokens, gap, rows, beside)
    most = max(map(len, panels.values()))
    tall, bars = text_height(tokens), 0.28 * most + 0.6
    figure = style.blank(figure, WIDTH, tall + bars + 0.75)
    above, below = figure.subfigures(2, 1, height_ratios=(tall, bars))
    marked = (style.BLUE, "white")
    draw_tokens(
        above.subplots(),
        tokens,
        lambda at: marked if at == gap else (style.CARD, style.INK),
    )
    reach = max(probability for listed in panels.values() for _, probability in listed)
    beside_each_other = below.subplots(1, len(panels), squeeze=False)[0]
    for axes, (other, listed) in zip(beside_each_other, panels.items(), strict=True):
        for row, (token, probability) in enumerate(listed):
            colour = style.ORANGE if token == right else style.BLUE
            axes.barh(row, probability, color=colour, height=0.68)
            end = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(f"{probability:.3f}", (probability, row), fontsize=9, **end)
        axes.set_yticks(range(len(listed)), [token_name(token) for token, _ in listed])
        axes.set_ylim(most - 0.4, -0.6)
        axes.set_xlim(0, 1.16 * reach)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("probability")
        heading = other or (name if beside else "")
        axes.set_title(heading, fontsize=10, fontweight="normal", color=style.MUTED)
    style.headline(figure, title)
    return figure


def describe_mask_fillings(tokens, gap, rows, beside=None, name=""):
    """Say in words what `mask_fillings` shows; name is that of the first panel.

    >>> describe_mask_fillings(["red", "[MASK]"], 1, [("house", 0.6)])
    'In “red [MASK]” the most probable tokens for token 2: house 0.600.'
    """
    parts = []
    for other, listed in _checked(tokens, gap, rows, beside).items():
        words = ", ".join(f"{token_name(token)} {p:.3f}" for token, p in listed)
        heading = other or name
        parts.append(f"{heading}: {words}" if heading else words)
    text = " ".join(token_name(token) for token in tokens)
    said = "; ".join(parts)
    return f"In “{text}” the most probable tokens for token {gap + 1}: {said}."
