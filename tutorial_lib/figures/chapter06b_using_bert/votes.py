"""How each token of a text votes, for a head that reads the mean of the tokens' vectors."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


@style.styled
def word_votes(reviews, title="", figure=None):
    """Texts one below the other: a bar a token, up for fresh and down for rotten.

    reviews: (tokens, votes, probability) each: T strings, T numbers, and the probability of
    "fresh" that the mean of the votes makes. Raises ShapeError when there is none, or tokens and
    votes of one disagree.

    >>> figure = word_votes([(["a", "joy"], [0.1, 2.0], 0.74)])
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['a', 'joy']
    """
    if not reviews:
        raise ShapeError("word_votes needs at least one text")
    for tokens, votes, _ in reviews:
        if len(tokens) != len(votes):
            raise ShapeError(f"{len(tokens)} tokens, but {len(votes)} votes")
    longest = max(len(tokens) for tokens, _, _ in reviews)
    top = 1.15 * max(np.abs(votes).max() for _, votes, _ in reviews)
    figure = style.blank(figure, 9.0, 1.15 * len(reviews) + 0.5)
    for row, (tokens, votes, probability) in zip(
        np.atleast_1d(figure.subplots(len(reviews), 1)), reviews, strict=True
    ):
        colours = [style.GREEN if vote > 0 else style.ORANGE for vote in votes]
        row.bar(range(len(tokens)), votes, color=colours, width=0.7)
        row.plot([-0.6, len(tokens) - 0.4], [0, 0], color=style.MUTED, linewidth=0.8)
        row.set(xlim=(-0.6, longest + 1.4), ylim=(-top, top), yticks=[])
        row.set_xticks(range(len(tokens)), tokens, fontsize=9)
        row.tick_params(axis="x", length=0)
        for side in row.spines.values():
            side.set_visible(False)
        row.text(longest - 0.2, 0, f"fresh: {probability:.0%}", va="center", fontsize=10)
    figure.axes[0].set_title(title)
    return figure


def describe_word_votes(reviews):
    """Say in words what `word_votes` shows: the strongest vote of each text, and what comes out.

    >>> describe_word_votes([(["a", "joy"], [0.1, 2.0], 0.74)])
    'a joy: strongest vote “joy”, fresh with 74%.'
    """
    parts = []
    for tokens, votes, probability in reviews:
        strongest = tokens[int(np.abs(votes).argmax())]
        parts.append(
            f"{' '.join(tokens)}: strongest vote “{strongest}”, fresh with {probability:.0%}."
        )
    return " ".join(parts)
