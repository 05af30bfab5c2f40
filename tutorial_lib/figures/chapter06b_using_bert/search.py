"""What a search finds: two lists side by side, each hit with its score and where it is from."""

import textwrap

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.tokens import drawable

LETTERS = 58  # in a line of one column
LINES = 3  # of one speech


def _checked(found):
    if not found or not any(found.values()):
        raise ShapeError("search_results needs at least one list with a hit")
    return found


def excerpt(text, letters=LETTERS, lines=LINES):
    """Return the beginning of a text as lines that fit; a cut is marked.

    >>> excerpt("To be, or not to be", letters=8, lines=2)
    ['To be,', 'or not…']
    """
    wrapped = textwrap.wrap(drawable(" ".join(text.split())), letters - 1)
    kept = wrapped[:lines]
    if len(wrapped) > lines:
        kept[-1] += "…"
    return kept


@style.styled
def search_results(query, found, title="", figure=None):
    """The hits of several ways to search, a column each, best first.

    found maps the name of a way to its hits, each with score, play, act, scene, speaker and text.
    Returns the figure. Raises ShapeError without a hit.

    >>> from types import SimpleNamespace
    >>> hit = SimpleNamespace(score=0.7, play="Hamlet", act="ACT I", scene="SCENE I. Elsinore.",
    ...                       speaker="BERNARDO", text="Who's there?")
    >>> [text.get_text() for text in search_results("who?", {"by meaning": [hit]}).axes[0].texts]
    ['by meaning', '0.700', 'BERNARDO, Hamlet, ACT I SCENE I', "Who's there?"]
    """
    _checked(found)
    columns = {
        name: [(hit, excerpt(hit.text)) for hit in hits] or [] for name, hits in found.items()
    }
    rows = max(len(hits) for hits in columns.values())
    heights = [
        max((len(hits[row][1]) for hits in columns.values() if row < len(hits)), default=1)
        for row in range(rows)
    ]
    tall = 0.45 + sum(0.42 + 0.19 * lines for lines in heights)
    wide = 5.3
    figure = style.blank(figure, wide * len(columns), tall + 0.7)
    axes = figure.subplots()
    for column, (name, hits) in enumerate(columns.items()):
        left = column * wide + 0.1
        colour = style.CYCLE[column % len(style.CYCLE)]
        axes.text(left, 0.12, name, fontweight="bold", color=colour, va="center")
        top = 0.45
        for (hit, lines), height in zip(hits, heights, strict=False):
            axes.text(left, top, f"{hit.score:.3f}", color=colour, va="center", fontsize=9.5)
            axes.text(left + 0.55, top, drawable(where(hit)), va="center", fontsize=9,
                      color=style.MUTED)  # fmt: skip
            for line, words in enumerate(lines):
                axes.text(left + 0.55, top + 0.22 + 0.19 * line, words, va="center", fontsize=9.5)
            top += 0.42 + 0.19 * height
        if not hits:
            axes.text(left, top, "nothing", va="center", color=style.MUTED)
    axes.set(xlim=(0, wide * len(columns)), ylim=(tall, 0))
    axes.axis("off")
    style.headline(figure, title or f"“{drawable(query[:80])}”")
    return figure


def where(hit):
    """Return who speaks and where, in one line."""
    scene = hit.scene.partition(".")[0]
    return f"{hit.speaker}, {hit.play}, {' '.join(part for part in (hit.act, scene) if part)}"


def describe_search_results(query, found):
    """Say in words what `search_results` shows.

    >>> from types import SimpleNamespace
    >>> hit = SimpleNamespace(score=0.7, play="Hamlet", act="ACT I", scene="SCENE I. Elsinore.",
    ...                       speaker="BERNARDO", text="Who's there?")
    >>> describe_search_results("who?", {"by meaning": [hit], "by words": []})[:60]
    'Speeches found for “who?”. by meaning: 0.700 BERNARDO, Hamle'
    """
    parts = []
    for name, hits in _checked(found).items():
        listed = [
            f"{hit.score:.3f} {where(hit)}: {' '.join(excerpt(hit.text, lines=1))}" for hit in hits
        ]
        parts.append(f"{name}: {'; '.join(listed) or 'nothing'}.")
    return f"Speeches found for “{query}”. {' '.join(parts)}"
