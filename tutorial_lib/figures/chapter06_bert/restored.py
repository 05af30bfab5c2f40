"""A damaged text, and what a masked model would write in its place."""

from matplotlib.patches import Patch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.mask_results import WIDTH, draw_tokens, text_height
from tutorial_lib.figures.generation import token_name

FILLS = {True: style.PALE_GREEN, False: style.PALE_ORANGE}  # put right or not


@style.styled
def restored(shown, was, says, asked, title="", *, figure=None):
    """A text as it was shown; below each token that was asked about stands what a model says there.

    shown, was, says: T strings each, the damaged text, the true one and the model's; asked: the
    indices of the tokens asked about. A token restored is green; where the model is wrong it is
    orange, and the true one follows in brackets. One that was asked about but left as it was is
    blue, right or wrong; one that was exchanged for another has a thick frame. A legend names what
    is there. Raises ShapeError for unequal lengths.

    >>> words = ["so", "[MASK]", "is"], ["so", "it", "is"], ["so", "he", "is"]
    >>> [text.get_text() for text in restored(*words, asked=[1]).axes[0].texts]
    ['so', '[MASK]', 'he (it)', 'is']
    """
    if not len(shown) == len(was) == len(says):
        raise ShapeError(f"{len(shown)} tokens shown, {len(was)} true ones, {len(says)} said")
    right = {place: was[place] == says[place] for place in asked}
    below = [""] * len(shown)
    for place, found in right.items():
        said, true = token_name(says[place]), token_name(was[place])
        below[place] = said if found else f"{said} ({true})"
    left = {place for place in asked if shown[place] == was[place]}
    exchanged = {place for place in asked if place not in left and shown[place] != "[MASK]"}
    fills = {
        place: style.PALE_BLUE if place in left else FILLS[found] for place, found in right.items()
    }
    figure = style.blank(figure, WIDTH, text_height(shown) + 1.05)
    axes = figure.subplots()
    draw_tokens(
        axes, shown, lambda place: (fills.get(place, style.CARD), style.INK), below, exchanged
    )
    names = {style.PALE_GREEN: "put right", style.PALE_ORANGE: "not put right"}
    names[style.PALE_BLUE] = "left as it was"
    marks = [
        Patch(facecolor=fill, edgecolor=style.GRID, label=name)
        for fill, name in names.items()
        if fill in fills.values()
    ]
    if exchanged:
        frame = {"facecolor": style.CARD, "edgecolor": style.INK, "linewidth": 1.6}
        marks.append(Patch(**frame, label="thick frame: exchanged for another token"))
    axes.legend(handles=marks, loc="upper left", bbox_to_anchor=(0, 0), ncols=4)
    style.headline(figure, title)
    return figure


def describe_restored(shown, was, says, asked):
    """Say in words what `restored` shows.

    >>> describe_restored(["so", "[MASK]"], ["so", "it"], ["so", "he"], [1])
    'The text is shown as “so [MASK]”. Asked for “it”: he.'
    """
    text = " ".join(token_name(token) for token in shown)
    answers = "; ".join(f"“{token_name(was[p])}”: {token_name(says[p])}" for p in asked)
    return f"The text is shown as “{text}”. Asked for {answers}."
