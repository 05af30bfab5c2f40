"""How far apart two words are inside a layer: recurrent, convolutional, attention."""

from tutorial_lib.figures.style import (
    BLUE,
    CARD,
    GRID,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)


def word_links(kind, n_words):
    """Return, for each step in turn, the links (from, to) between the places of n_words words.

    kind is "recurrent" (a step passes one word on), "convolution" (width 2, each layer reaching
    twice as far back as the one before) or "attention". Raises ValueError for other kinds.

    >>> word_links("attention", 2)
    [[(0, 0), (0, 1), (1, 0), (1, 1)]]
    """
    places = range(n_words)
    if kind == "recurrent":
        return [[(step, step + 1)] for step in range(n_words - 1)]
    if kind == "attention":
        return [[(here, there) for here in places for there in places]]
    if kind != "convolution":
        raise ValueError(f"kind must be recurrent, convolution or attention, got {kind!r}")
    layers, reach = [], 1
    while reach < n_words:
        layers.append([(t - back, t) for t in places for back in (0, reach) if t >= back])
        reach *= 2
    return layers


@styled
def word_paths(n_words=8, figure=None):
    """The way from the first word to the last in each kind of layer, marked in orange."""
    figure = blank(figure, 10.5, 2.9)
    panels = figure.subplots(1, 3)
    for axes, kind in zip(panels, ("recurrent", "convolution", "attention"), strict=True):
        layers = word_links(kind, n_words)
        rows = 1 if kind == "recurrent" else len(layers) + 1
        marked = _marked(layers, n_words)
        for step, links in enumerate(layers):
            low, high = (0, 0) if rows == 1 else (step, step + 1)
            for link in links:
                look = {"color": GRID if rows > 1 else MUTED, "linewidth": 1, "zorder": 1}
                if link == marked[step]:
                    look = {"color": ORANGE, "linewidth": 2.6, "zorder": 2}
                axes.plot(link, [low, high], **look)
        for row in range(rows):
            axes.scatter(
                range(n_words), [row] * n_words, s=70, color=CARD, edgecolor=BLUE, zorder=3
            )
        axes.set(xlim=(-0.6, n_words - 0.4), ylim=(-0.5, 3.5), xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        links = len(layers)
        panel_title(axes, f"{kind}: {links} link{'s' if links > 1 else ''}")
    panels[1].set_xlabel("words in order, from left to right")
    headline(figure, "From the first word to the last: attention needs a single link")
    return figure


def _marked(layers, n_words):
    """One way to the last word, found backwards: of the links that fit, the one from farthest."""
    goal, way = n_words - 1, []
    for links in reversed(layers):
        link = min(link for link in links if link[1] == goal)
        way.append(link)
        goal = link[0]
    return way[::-1]
