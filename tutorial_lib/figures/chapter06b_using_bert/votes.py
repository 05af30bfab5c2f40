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
    ranges = [(min(0, *votes), max(0, *votes)) for _, votes, _ in reviews]
    unit = 0.9 / max(high - low for low, high in ranges)  # inches a vote: one scale for all rows
    spare = 0.1 / unit  # above and below, 0.2 inches in all
    heights = [unit * (high - low) + 0.2 for low, high in ranges]
    figure = style.blank(figure, 9.0, sum(heights) + 0.42 * len(reviews) + 0.5)
    rows = figure.subplots(len(reviews), 1, height_ratios=heights, squeeze=False)[:, 0]
    for row, (low, high), (tokens, votes, probability) in zip(rows, ranges, reviews, strict=True):
        colours = [style.GREEN if vote > 0 else style.ORANGE for vote in votes]
        row.bar(range(len(tokens)), votes, color=colours, width=0.7)
        row.plot([-0.6, len(tokens) - 0.4], [0, 0], color=style.MUTED, linewidth=0.8)
        row.set(xlim=(-0.6, longest + 1.4), ylim=(low - spare, high + spare))
        farthest = max(low, high, key=abs)
        row.set_yticks([0, farthest], ["0", f"{farthest:+.1f}"])
        row.tick_params(axis="y", labelsize=8.5, labelcolor=style.MUTED, length=2)
        row.set_xticks(range(len(tokens)), tokens, fontsize=9.5)
        row.tick_params(axis="x", length=0)
        for side in row.spines.values():
            side.set_visible(False)
        row.text(longest - 0.2, 0, f"fresh: {probability:.0%}", va="center", fontsize=10)
    rows[0].set_title(title)
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
