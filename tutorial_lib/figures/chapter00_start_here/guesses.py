"""What a model expects at each position of a text, beside what really comes."""

from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.generation import token_name

CELL, LINE = 0.36, 30  # width of a token's column in inches, columns in a line


@style.styled
def guessed_tokens(tokens, probabilities, vocabulary, n_best=3, title="", figure=None):
    """Below each token the n most probable next ones, and below those the one that comes.

    tokens: T short labels; probabilities (T, V), row t for what follows token t; vocabulary: V
    labels, spelled as the tokens are. The darker, the more probable; green frames: guessed right.
    A long text is broken into lines. Returns the figure.
    Raises ShapeError when tokens, probabilities and vocabulary disagree.

    >>> figure = guessed_tokens(["a", "b"], [[0.2, 0.8], [0.9, 0.1]], ["a", "b"], n_best=1)
    >>> [text.get_text() for text in figure.axes[0].texts][:4]
    ['read', '1.', 'comes', 'a']
    """
    shares = filled_array(probabilities, 2, "probabilities")
    if shares.shape != (len(tokens), len(vocabulary)):
        raise ShapeError(
            f"{len(tokens)} tokens and a vocabulary of {len(vocabulary)} need probabilities of "
            f"that shape, got {shares.shape}"
        )
    n_lines = -(-len(tokens) // LINE)
    rows = n_best + 3  # read, guesses, comes, and one free
    figure = style.blank(figure, CELL * (min(len(tokens), LINE) + 3), 0.3 * rows * n_lines + 0.5)
    axes = figure.subplots()
    place = {token: i for i, token in enumerate(vocabulary)}
    look = {"ha": "center", "va": "center", "fontsize": 10.5}
    aside = look | {"ha": "right", "fontsize": 9, "color": style.MUTED}
    for line in range(n_lines):
        names = ["read", *(f"{rank + 1}." for rank in range(n_best)), "comes"]
        for row, name in enumerate(names):
            axes.text(-0.3, line * rows + row + 0.5, name, **aside)
    for t, token in enumerate(tokens):
        x, y = t % LINE, t // LINE * rows
        axes.text(x + 0.5, y + 0.5, token_name(token), fontweight="bold", **look)
        comes = tokens[t + 1] if t + 1 < len(tokens) else None
        for rank, i in enumerate(shares[t].argsort(kind="stable")[::-1][:n_best]):
            right = vocabulary[i] == comes
            _cell(axes, x, y + 1 + rank, vocabulary[i], shares[t, i], right, look)
        if comes is not None:
            share = shares[t, place[comes]] if comes in place else 0.0
            _cell(axes, x, y + n_best + 1, comes, share, False, look)
    width = min(len(tokens), LINE)
    axes.set(xlim=(-2.2, width + 0.1), ylim=(rows * n_lines - 0.9, -0.1), title=title)
    axes.axis("off")
    return figure


def _cell(axes, x, y, token, share, right, look):
    box = {"facecolor": style.BLUE, "alpha": float(share) ** 0.5, "linewidth": 0}
    axes.add_patch(Rectangle((x + 0.05, y + 0.06), 0.9, 0.88, **box))
    if right:
        frame = {"facecolor": "none", "edgecolor": style.GREEN, "linewidth": 2.4}
        axes.add_patch(Rectangle((x + 0.05, y + 0.06), 0.9, 0.88, **frame))
    colour = style.CARD if share > 0.35 else style.INK
    axes.text(x + 0.5, y + 0.5, token_name(token), color=colour, **look)
