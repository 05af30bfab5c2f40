"""What models put into the gaps of texts: each text with its gap as a chip, the guesses below."""

import re
from collections.abc import Mapping, Sequence

from matplotlib.patches import FancyBboxPatch, Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import token_name
from tutorial_lib.figures.tokens import drawable

WIDTH = 8.6  # inches
LINE, ROW, APART = 0.32, 0.25, 0.16  # inches: of a text, of a model's guesses, between blocks
SIZE = 11  # points of the text
SPACE, ROOM = 0.055, 0.07  # inches: between two words, beside the name of a gap
LONGEST, NAME = 56, 16  # letters of one piece of a text, of a model's name
MOST = 4  # guesses of a model
BAR, BEFORE, NUMBER = 0.1, 0.2, 0.32  # inches: thickness, left of a word, of a probability
FRAME = 0.035  # inches around the gap that is asked for
BESIDE_GAP = 0.075, 0.105  # inches, for the frame: before a full stop, where a space is
# A gap is [MASK] or a line to write on, two underscores or more.
PIECE = re.compile(r"(\s*)(\[MASK\]|_{2,}|(?:(?!\[MASK\]|__)\S)+)")


@style.styled
def gap_guesses(
    blocks: Sequence[tuple[str, int, Mapping[str, Sequence[tuple[str, float]]]]],
    title: str = "",
    colours: Mapping[str, str] | None = None,
    figure=None,
):
    """Draw what models put into a gap of each text, best guess first, with bars from 0 to 1.

    blocks: (text with its gaps as [MASK] or ___, which gap is asked for, counted from 0, {model:
    its guesses}), a guess being a word and its probability. The gap that is asked for has an
    orange frame, as in the fill-mask explorer. colours: {model: colour} of bars that are not blue.
    Returns the figure. Raises ShapeError without blocks, for a gap that is not in the text, for no
    guesses or more than 4 of one model, or for probabilities outside of 0 to 1.

    >>> figure = gap_guesses([("so [MASK] is", 0, {"PlayBERT": [("it", 0.5), ("he", 0.25)]})])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['so', '[MASK]', 'is', 'PlayBERT', 'it', '0.50', 'he', '0.25']
    """
    checked = [_checked(*block) for block in blocks]
    if not checked:
        raise ShapeError("gap_guesses needs at least one text, got none")
    laid = [_lay_out(text) for text, *_ in checked]
    models = [model for *_, guesses in checked for model in guesses]
    start = 0.25 + max(style.text_width(_shortened(model, NAME), 10) for model in models)
    found = [best for *_, guesses in checked for best in guesses.values()]
    columns = [
        max(style.text_width(best[rank][0], 10) for best in found if len(best) > rank)
        for rank in range(max(map(len, found)))
    ]  # inches of the words of each rank
    heights = [
        LINE * (1 + spots[-1][-1]) + ROW * len(guesses)
        for spots, (*_, guesses) in zip(laid, checked, strict=True)
    ]
    height = sum(heights) + APART * (len(heights) - 1)
    figure = style.blank(figure, WIDTH, height + (0.66 if title else 0.31))
    axes = figure.subplots()
    axes.set(xlim=(0, WIDTH - 0.25), ylim=(height, -0.06), title=title)
    axes.axis("off")
    top = 0.0
    for spots, tall, (_, which, guesses) in zip(laid, heights, checked, strict=True):
        _draw_text(axes, top, spots, which)
        middle = top + tall - ROW * (len(guesses) - 0.5)  # of the first row
        for model, best in guesses.items():
            name = {"color": style.MUTED, "va": "center_baseline", "fontsize": 10}
            axes.text(0.05, middle, _shortened(model, NAME), **name)
            colour = (colours or {}).get(model, style.BLUE)
            _draw_guesses(axes, middle, start, columns, best, colour)
            middle += ROW
        top += tall + APART
    return figure


def _checked(text, which, guesses):
    gaps = [piece for _, piece in PIECE.findall(text) if _is_gap(piece)]
    if not 0 <= which < len(gaps):
        raise ShapeError(
            f"gap_guesses needs the index of one of the text's gaps, [MASK] or ___, got {which} "
            f"for {len(gaps)} in {text!r}"
        )
    if not guesses or not all(1 <= len(best) <= MOST for best in guesses.values()):
        counts = {model: len(best) for model, best in guesses.items()}
        raise ShapeError(f"gap_guesses needs 1 to {MOST} guesses of each model, got {counts}")
    for _, probability in (one for best in guesses.values() for one in best):
        if not 0 <= probability <= 1 + 1e-6:  # a softmax may end a last digit above
            raise ShapeError(f"a probability is between 0 and 1, got {probability}")
    named = {
        model: [(token_name(word, 10), p) for word, p in best] for model, best in guesses.items()
    }
    return text, which, named


def _is_gap(piece):
    return piece == "[MASK]" or piece.startswith("__")


def _shortened(text, longest):
    return drawable(text if len(text) <= longest else text[: longest - 1] + "…")


def _lay_out(text):
    """Return (piece, x in inches, width, line) of each piece of a text."""
    spots, x, line = [], 0.05, 0
    for space, piece in PIECE.findall(text):
        shown = _shortened(piece, LONGEST)
        width = (
            style.text_width("[MASK]", SIZE) if _is_gap(piece) else style.text_width(shown, SIZE)
        )
        width += 2 * ROOM * _is_gap(piece)
        gap = SPACE if space else 0.0
        if _is_gap(piece) or (spots and _is_gap(spots[-1][0])):
            gap = BESIDE_GAP[bool(space)]
        gap *= bool(spots)
        if x + gap + width > WIDTH - 0.35 and space and spots:
            x, gap, line = 0.05, 0.0, line + 1
        spots.append((shown, x + gap, width, line))
        x += gap + width
    return spots


def _draw_text(axes, top, spots, which):
    gaps = 0
    for piece, x, width, line in spots:
        middle = top + LINE * (line + 0.5) - 0.03
        if _is_gap(piece):
            _chip(axes, x, middle, width, 0.0, facecolor=style.PALE_BLUE, edgecolor=style.BLUE)
            if gaps == which:
                look = {"facecolor": "none", "edgecolor": style.ORANGE, "linewidth": 1.8}
                _chip(axes, x, middle, width, FRAME, **look)
            gaps += 1
            x += ROOM
        shown = "" if piece.startswith("__") else piece
        axes.text(x, middle, shown, va="center_baseline", fontsize=SIZE)


def _chip(axes, x, middle, width, around, **look):
    corner = x - around, middle - 0.11 - around
    size = width + 2 * around, 0.22 + 2 * around
    box = f"round,pad=0,rounding_size={0.05 + around}"
    axes.add_patch(FancyBboxPatch(corner, *size, boxstyle=box, **({"linewidth": 1.1} | look)))


def _draw_guesses(axes, middle, start, columns, best, colour):
    """Draw words, bars and probabilities of a model in a row; columns: inches of the words."""
    beside = BEFORE + NUMBER + 0.14  # inches of a guess that are neither word nor bar
    full = (WIDTH - 0.3 - start - sum(columns)) / len(columns) - beside
    look = {"va": "center_baseline", "fontsize": 10}
    left = start
    for (word, probability), wide in zip(best, columns, strict=False):
        left += BEFORE + wide + 0.07
        for width, fill in ((full, style.PALE_GREY), (full * probability, colour)):
            axes.add_patch(Rectangle((left, middle - BAR / 2), width, BAR, facecolor=fill))
        axes.text(left - 0.07, middle, word, ha="right", **look)
        axes.text(left + full + 0.07, middle, f"{probability:.2f}", **look)
        left += full + 0.07 + NUMBER


def describe_gap_guesses(blocks):
    """Say in words what `gap_guesses` shows.

    >>> describe_gap_guesses([("so [MASK] [MASK]", 1, {"PlayBERT": [("it", 0.5), ("he", 0.25)]})])
    'Guesses for gaps. “so [MASK] [MASK]”, gap 2: PlayBERT “it” 0.50, “he” 0.25.'
    """
    said = []
    for text, which, guesses in [_checked(*block) for block in blocks]:
        several = sum(_is_gap(piece) for _, piece in PIECE.findall(text)) > 1
        rows = [
            f"{model} " + ", ".join(f"“{word}” {p:.2f}" for word, p in best)
            for model, best in guesses.items()
        ]
        gap = f", gap {which + 1}" if several else ""
        said.append(f"“{text}”{gap}: {'; '.join(rows)}.")
    return f"Guesses for gaps. {' '.join(said)}"
