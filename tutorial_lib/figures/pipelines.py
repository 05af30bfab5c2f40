"""A text on its way into a model, and out again: text, pieces, ids, vectors, probabilities."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import arrow, canvas, cells, rounded
from tutorial_lib.figures.tokens import FILLS, drawable, visible

LETTER = 0.092  # inches of a monospaced letter
NUMBERS = 12  # of a vector that are drawn


@style.styled
def pipeline(tokens, ids, table, layers="", probabilities=None, title=None, figure=None):
    """Draw a sentence flowing down: text, its tokens, their ids, their vectors in the table (V, D).

    tokens and ids are a tokenizer's; layers ("4 layers") and probabilities, {token: share} of what
    comes next, add the way through a model. Returns the figure.
    Raises ShapeError unless there are as many ids as tokens and the table has their rows.
    """
    if len(tokens) != len(ids) or table.dim() != 2 or not all(0 <= i < len(table) for i in ids):
        raise ShapeError(
            f"{len(tokens)} tokens need as many ids, rows of a table (V, D); got {len(ids)} ids, "
            f"table {tuple(table.shape)}"
        )
    shown = [drawable(visible(token)) for token in tokens]
    widths = [0.2 + LETTER * max(len(t), len(str(i))) for t, i in zip(shown, ids, strict=True)]
    left, gap, tall = 1.15, 0.16, 1.5
    width = max(left + sum(widths) + gap * len(widths), 7.0)
    more = (0.95 if layers else 0) + (0.5 + 0.27 * len(probabilities) if probabilities else 0)
    y = 2.75 + tall + more
    figure, axes = canvas(figure, width, y + 0.1, title or "From text to numbers", below=0.45)
    middle = {"ha": "center", "va": "center", "zorder": 4, "family": "DejaVu Sans Mono"}
    names = {"text": y - 0.2, "tokens": y - 1.0, "ids": y - 1.8, "vectors": y - 2.3 - tall / 2}
    for name, at in names.items():
        axes.text(left - 0.25, at, name, ha="right", va="center", fontsize=10.5, fontweight="bold")
    text = drawable("".join(tokens).replace("\n", "↵"))
    axes.text(left, names["text"], text, fontsize=11, va="center", family="DejaVu Sans Mono")
    rows = table.detach().float().cpu()[list(ids)][:, :NUMBERS]
    x = left
    for at, (word, number, wide) in enumerate(zip(shown, ids, widths, strict=True)):
        fill, centre = FILLS[at % len(FILLS)], x + wide / 2
        for name, said in (("tokens", word), ("ids", str(number))):
            rounded(axes, x, names[name] - 0.16, wide, 0.32, fill, style.GRID, linewidth=0.8)
            axes.text(centre, names[name] - 0.01, said, fontsize=10, **middle)
        arrow(axes, [(centre, names["text"] - 0.2), (centre, names["tokens"] + 0.18)])
        arrow(axes, [(centre, names["tokens"] - 0.18), (centre, names["ids"] + 0.18)])
        arrow(axes, [(centre, names["ids"] - 0.18), (centre, y - 2.28)])
        column = rows[at].numpy()[:, None]
        top = float(rows.abs().max())
        cells(axes, column, centre - 0.14, y - 2.3 - tall, 0.28, tall, top=top)
        x += wide + gap
    bottom = y - 2.3 - tall
    kept = f"{NUMBERS} of {table.shape[1]}" if table.shape[1] > NUMBERS else f"{table.shape[1]}"
    said = f"a row of the table, {len(table):,} × {table.shape[1]}; {kept} numbers drawn"
    axes.text(left, bottom - 0.1, said, va="top", fontsize=9.2, color=style.MUTED)
    end = x - gap
    if layers:
        low = bottom - 0.95
        rounded(axes, left, low, end - left, 0.42, style.PALE_BLUE, style.BLUE)
        axes.text((left + end) / 2, low + 0.2, layers, ha="center", va="center", zorder=4)
        arrow(axes, [(end - widths[-1] / 2, bottom - 0.02), (end - widths[-1] / 2, low + 0.44)])
        bottom = low
    if probabilities:
        base, longest = bottom - 0.45, 0.12 + LETTER * max(map(len, probabilities))
        arrow(axes, [(end - widths[-1] / 2, bottom), (end - widths[-1] / 2, bottom - 0.25)])
        name = {"ha": "right", "va": "center", "fontsize": 10.5, "fontweight": "bold"}
        axes.text(left - 0.25, base, "next", **name)
        room = width - left - longest - 0.8
        top = max(probabilities.values())
        for at, (word, share) in enumerate(probabilities.items()):
            line = base - 0.27 * at
            look = {"va": "center", "fontsize": 9.5, "family": "DejaVu Sans Mono"}
            axes.text(left + longest, line, drawable(visible(word)), ha="right", **look)
            size = max(0.02, room * share / top)
            rounded(
                axes, left + longest + 0.1, line - 0.09, size, 0.18, style.ORANGE, "none",
                boxstyle="square,pad=0",
            )  # fmt: skip
            axes.text(
                left + longest + 0.18 + size,
                line,
                f"{100 * share:.1f} %",
                va="center",
                fontsize=9.2,
            )
    return figure
