"""Fine-tuned readers of premise and hypothesis, beside what counting alone gets right."""

from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import BLUE, INK, ORANGE

COUNTED = "words and lengths, counted"
COLOURS = {"task head": BLUE, "text": ORANGE}


def fine_tuning(readers, labelled, counted, shared, title="", *, figure=None):
    """Right answers by labelled pairs: pale from scratch, strong with pre-training, black counted.

    readers {(form, start): [stats, one a number of labelled pairs]}, form "task head" or "text",
    start "from scratch" or what was read before, stats as `recipes.summarise` gives them; counted:
    what counting words and lengths gets right, a share a number; shared: what the words that both
    sentences share get. Raises ShapeError when lengths differ.

    >>> stats = [{"mean": 0.5, "lowest": 0.4, "highest": 0.6}]
    >>> figure = fine_tuning({("text", "from scratch"): stats}, [180], [0.7], 0.6)
    >>> [line.get_color() for line in figure.axes[0].lines[:2]] == [ORANGE, INK]
    True
    """
    curves, bands, colours = {}, {}, {COUNTED: INK}
    for (form, start), stats in readers.items():
        name = f"{form}, {start}"
        curves[name] = (labelled, [s["mean"] for s in stats])
        colours[name] = COLOURS[form]
        if start != "from scratch":
            bands[name] = ([s["lowest"] for s in stats], [s["highest"] for s in stats])
    shared_words = "shared words alone, counted"
    figure = line_chart(
        curves | {COUNTED: (labelled, counted)},
        "labelled pairs",
        "share of new pairs right",
        title,
        bands=bands,
        colours=colours,
        references={"chance": 1 / 3, shared_words: shared},
        named_right=(shared_words,),
        log_x=True,
        y_range=(0.25, 1.0),
        figure=figure,
    )
    for line, name in zip(figure.axes[0].lines, (*curves, COUNTED), strict=False):
        if name == COUNTED:
            line.set(marker="None", linestyle=(0, (6, 2)), linewidth=2.4)
        elif name.endswith("from scratch"):
            line.set(alpha=0.4, linewidth=1.5)
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
