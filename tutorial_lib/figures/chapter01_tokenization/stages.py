"""From a text to ids, one row a stage, aligned so that one sees what becomes what."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tutorial_lib.figures.style import GRID, INK, MUTED, PALE_GREY, blank, styled
from tutorial_lib.figures.tokens import FILLS, drawable, visible

LEFT, UNIT, RISE, HIGH = 1.75, 0.3, 0.66, 0.36  # inches: names, a byte, a row, a chip


@styled
def text_stages(
    words: Sequence[str],
    tokens: Sequence[bytes],
    ids: Sequence[int],
    title: str,
    figure: Figure | None = None,
) -> Figure:
    """A text, its words, its bytes, its tokens and their ids below one another.

    A byte is as wide in every row. Bytes of one character alone are written as this character,
    the others in base 16. Raises ValueError when words and tokens are not the same text.
    """
    text = "".join(words)
    if b"".join(tokens) != text.encode():
        raise ValueError(f"the tokens {tokens} do not spell the words {words}")
    single = [bytes([byte]) for byte in text.encode()]
    rows = {
        ("text", "what you typed"): [(c, len(c.encode()), None) for c in text],
        ("words", "by a pattern"): [(word, len(word.encode()), PALE_GREY) for word in words],
        ("bytes", "UTF-8"): [(_spelt(byte), 1, PALE_GREY) for byte in single],
        ("tokens", "merges by rank"): _coloured(map(_spelt, tokens), tokens),
        ("ids", "all a model gets"): _coloured(map(str, ids), tokens),
    }
    figure = blank(figure, LEFT + UNIT * len(single) + 0.3, RISE * len(rows) + 0.55)
    axes = figure.subplots()
    axes.set(xlim=(0, LEFT + UNIT * len(single) + 0.05), ylim=(RISE * len(rows) - 0.1, 0))
    axes.axis("off")
    for row, ((name, how), chips) in enumerate(rows.items()):
        y, left = RISE * (row + 0.42), LEFT
        axes.text(0, y - 0.09, name, fontweight="bold", fontsize=11, va="center")
        axes.text(0, y + 0.13, how, fontsize=9.5, color=MUTED, va="center")
        for words_in_it, n_bytes, fill in chips:
            width = UNIT * n_bytes
            if fill:
                look = {"facecolor": fill, "edgecolor": GRID, "linewidth": 1}
                axes.add_patch(Rectangle((left + 0.015, y - HIGH / 2), width - 0.03, HIGH, **look))
            size = 11 if len(words_in_it) < 3 * n_bytes else 8.5
            mono = {"family": "DejaVu Sans Mono", "ha": "center", "va": "center"}
            shown = drawable(visible(words_in_it))
            axes.text(left + width / 2, y, shown, fontsize=size, color=INK, **mono)
            left += width
    axes.set_title(title)
    return figure


def _coloured(labels, tokens):
    """Return (label, bytes, fill) of each token, in the colours of the token strips."""
    numbered = enumerate(zip(labels, tokens, strict=True))
    return [(label, len(token), FILLS[index % 5]) for index, (label, token) in numbered]


def _spelt(token):
    """Return a token as text; as bytes in base 16 when it is none."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return token.hex()
