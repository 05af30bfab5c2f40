"""Fine-tuned readers of premise and hypothesis, beside what counting alone gets right."""

from tutorial_lib.figures.style import (
    BLUE,
    INK,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)

COUNTED = "words and lengths, counted"
COLOURS = {"task head": BLUE, "text": ORANGE}


@styled
def fine_tuning(readers, labelled, counted, title="", *, chance=1 / 3, figure=None):
    """A panel for each number of labelled pairs, a row for each reader: its mean and its range.

    readers {(form, start): [stats, one a number of labelled pairs]}, form "task head" or "text",
    start "from scratch" (an open dot) or what was read before, stats as `recipes.summarise` gives
    them; counted: what counting words and lengths gets right, a share a number: the black line.

    >>> stats = [{"mean": 0.5, "lowest": 0.4, "highest": 0.6}]
    >>> figure = fine_tuning({("text", "from scratch"): stats}, [180], [0.7])
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['text, from scratch']
    """
    figure = blank(figure, 10.0, 1.5 + 0.4 * len(readers))
    panels = figure.subplots(1, len(labelled), sharex=True, sharey=True, squeeze=False)[0]
    for column, (axes, n, share) in enumerate(zip(panels, labelled, counted, strict=True)):
        axes.axvline(chance, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3)
        axes.axvline(share, color=INK, linewidth=2.4)
        for height, ((form, start), stats) in enumerate(reversed(readers.items())):
            colour, found = COLOURS[form], stats[column]
            ends = (found["lowest"], found["highest"])
            axes.plot(ends, (height, height), color=colour, alpha=0.3, linewidth=7)
            inside = "white" if start == "from scratch" else colour
            axes.plot(
                found["mean"], height, "o", color=colour, markerfacecolor=inside, markersize=8
            )
            axes.annotate(
                f"{found['mean']:.2f}",
                (found["lowest"], height),
                (-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                color=colour,
            )
        panel_title(axes, f"{n:,} labelled pairs\n(counting: {share:.2f})")
        axes.set_xlim(0.28, 1.0)
        axes.set_ylim(-0.6, len(readers) - 0.4)
        axes.set_yticks(range(len(readers)), [", ".join(key) for key in reversed(readers)])
    headline(figure, title)
    figure.supxlabel(
        "share of new pairs right; black: words and lengths, counted; dashed: chance", fontsize=10
    )
    return figure


def describe_fine_tuning(readers, labelled, counted):
    """Say in words what `fine_tuning` shows.

    >>> describe_fine_tuning({("text", "after stories"): [{"mean": 0.5}]}, [1_800], [0.7])
    'Share right with 1,800 labels. Text, after stories: 0.50. Words and lengths, counted: 0.70.'
    """
    lines = {", ".join(key): [s["mean"] for s in stats] for key, stats in readers.items()}
    said = [f"Share right with {', '.join(f'{n:,}' for n in labelled)} labels."]
    for name, shares in (lines | {COUNTED: counted}).items():
        said.append(f"{name.capitalize()}: {', '.join(f'{share:.2f}' for share in shares)}.")
    return " ".join(said)
