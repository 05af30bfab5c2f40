"""One step of byte-pair encoding as a picture: the words, the symbols, the pairs and the tie."""

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.figures.style import (
    AMBER,
    CYCLE,
    GRID,
    INK,
    MUTED,
    ORANGE,
    blank,
    headline,
    styled,
)

LETTER = 0.115  # inches a monospaced character takes at 10.5 points
ROWS_SHOWN = 14


def sorted_counts(counts):
    """Pairs or symbols with the most frequent first, equal counts in alphabetical order.

    >>> sorted_counts({"t": 12, "a": 12, "c": 30})
    [('c', 30), ('a', 12), ('t', 12)]
    """
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def readable(symbol):
    """A symbol as text; a byte that is no ASCII letter becomes its number.

    >>> readable("at"), readable(b"at"), readable(b"\\xc3")
    ('at', 'at', '<C3>')
    """
    if isinstance(symbol, str):
        return symbol
    return "".join(chr(byte) if 32 < byte < 127 else f"<{byte:02X}>" for byte in symbol)


def pair_scores(step, score=None):
    """What the pairs of a step are ranked by: their counts, or a score such as wordpiece_score."""
    if score is None:
        return dict(step.pair_counts)
    return {pair: score(pair, step.pair_counts, step.symbol_counts) for pair in step.pair_counts}


@styled
def merge_step(step, score=None, figure=None):
    """The state before one merge, with the chosen pair lit and every tie marked.

    step is a `tutorial_lib.tokenizers.MergeStep`: `words` (tuple of symbols -> count),
    `symbol_counts`, `pair_counts`, `pair` (chosen) and `ties` (all pairs with the best score).
    score is what its pairs are ranked by, when it is not the count: `wordpiece_score`.
    """
    n_rows = max(len(step.words), len(step.symbol_counts), len(step.pair_counts))
    n_rows = min(n_rows, ROWS_SHOWN)
    figure = blank(figure, 9.5, 1.1 + 0.34 * n_rows)
    chips, symbols, pairs = figure.subplots(1, 3, width_ratios=[1.35, 0.8, 1.2])
    _words(chips, step, n_rows)
    _counts(symbols, "Symbols", sorted_counts(step.symbol_counts), n_rows)
    ranked = sorted_counts(pair_scores(step, score))
    title = "Pairs" if score is None else "Pairs by score"
    _counts(pairs, title, ranked, n_rows, step.pair, step.ties)
    first, second = map(readable, step.pair)
    tied = f", one of {len(step.ties)} that tie" if len(step.ties) > 1 else ""
    headline(figure, f"Next merge: {first} + {second} → {joined(first, second)}{tied}")
    return figure


def joined(first, second):
    """Two symbols as one; WordPiece's mark of the second goes.

    >>> joined("at", "e"), joined("p", "##e")
    ('ate', 'pe')
    """
    return first + second.removeprefix("##")


def _words(axes, step, n_rows):
    axes.set_title("Words and their counts", fontsize=10.5)
    axes.set(xlim=(0, 3.6), ylim=(n_rows, 0))
    axes.axis("off")
    longest = max(
        (sum(max(1, len(s)) + 1 for s in map(readable, word)) for word in step.words), default=1
    )
    letter = min(LETTER, 3.0 / longest)
    for row, (word, count) in enumerate(list(step.words.items())[:n_rows]):
        left = 0.05
        lit = {
            i + side
            for i in range(len(word) - 1)
            if (word[i], word[i + 1]) == tuple(step.pair)
            for side in (0, 1)
        }
        for index, symbol in enumerate(word):
            text = readable(symbol)
            width = letter * (len(text) + 0.9)
            merged = len(symbol.removeprefix("##") if isinstance(symbol, str) else symbol) > 1
            axes.add_patch(
                FancyBboxPatch(
                    (left, row + 0.16),
                    width,
                    0.68,
                    boxstyle="round,pad=0,rounding_size=0.06",
                    facecolor="#cfe5f3" if merged else "#f0efe9",
                    edgecolor=ORANGE if index in lit else GRID,
                    linewidth=2 if index in lit else 1,
                )
            )
            axes.text(
                left + width / 2,
                row + 0.52,
                text,
                ha="center",
                va="center",
                family="DejaVu Sans Mono",
                fontsize=10.5 * letter / LETTER,
            )
            left += width + 0.05
        axes.text(left + 0.08, row + 0.52, f"× {count:,}", va="center", color=MUTED)
    if len(step.words) > n_rows:
        axes.text(0.05, n_rows + 0.3, f"and {len(step.words) - n_rows:,} more", color=MUTED)


def _counts(axes, title, items, n_rows, pair=None, ties=()):
    shown = items[:n_rows]
    more = f", {len(shown)} of {len(items):,}" if len(items) > len(shown) else ""
    axes.set_title(title + more, fontsize=10.5)
    ties = {tuple(tie) for tie in ties}
    for row, (name, count) in enumerate(shown):
        colour = CYCLE[0]
        if pair is not None and name == tuple(pair):
            colour = ORANGE
        elif len(ties) > 1 and name in ties:
            colour = AMBER
        axes.barh(row + 0.5, count, height=0.66, color=colour)
        note = ""
        if colour == ORANGE:
            note = "  chosen"
        elif colour == AMBER:
            note = "  tie"
        axes.annotate(
            f"{count:,.4g}{note}",
            (count, row + 0.5),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
            color=INK,
        )
    names = [
        " + ".join(map(readable, name)) if isinstance(name, tuple) else readable(name)
        for name, _ in shown
    ]
    mono = {"family": "DejaVu Sans Mono"}
    axes.set_yticks([row + 0.5 for row in range(len(shown))], names, **mono)
    axes.set_ylim(n_rows, 0)
    axes.set_xlim(0, 1.45 * max((count for _, count in shown), default=1) or 1)
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
