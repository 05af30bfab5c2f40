"""What two recipes of chapter 02 measured: recall over a distance, and one head against eight."""

import numpy as np

from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import BLUE, GRID, INK, ORANGE, blank, styled


def _groups(rows, *names):
    """The rows by their values of `names`, in the order in which these come first."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def _recalled(rows):
    """{model: {distance: the accuracies of its seeds}}."""
    found = {}
    for (model, distance), runs in _groups(rows, "model", "distance").items():
        found.setdefault(model, {})[distance] = [run["accuracy"] for run in runs]
    return {model: dict(sorted(by.items())) for model, by in found.items()}


def recall_over_distance(rows, figure=None):
    """The share of digits recalled over the distance, mean and range of the seeds.

    rows: those of the recipe `recall-distance`. Returns the figure.
    """
    found = _recalled(rows)
    return line_chart(
        {m: (list(by), [np.mean(values) for values in by.values()]) for m, by in found.items()},
        "tokens between the digit and the question",
        "digits recalled",
        "The LSTM loses the digit between 8 and 32 steps, attention finds it",
        bands={
            m: [[edge(v) for v in by.values()] for edge in (min, max)] for m, by in found.items()
        },
        references={"chance": 0.1},
        log_x=True,
        y_range=(0, 1.05),
        figure=figure,
    )


def describe_recall_over_distance(rows):
    """Say the means in words: the alt text of `recall_over_distance`."""
    said = []
    for model, by in _recalled(rows).items():
        numbers = ", ".join(f"{np.mean(values):.2f} at {k}" for k, values in by.items())
        said.append(f"{model} {numbers}")
    return "Share of digits recalled over the distance: " + "; ".join(said) + ". Chance is 0.1."


def _heads(rows):
    """{name: the shares of numbers read wrong}, for the tasks that read numbers."""
    found = {}
    for (task, n_heads), runs in _groups(rows, "task", "heads").items():
        if task != "next character":
            name = f"{task}, {n_heads} head{'s' if n_heads > 1 else ''}"
            found[name] = [1 - run["value"] for run in runs]
    return found


@styled
def one_head_against_eight(rows, figure=None):
    """How many held-out numbers 1 and 8 heads read wrong: a dot an initialisation, a line the mean.

    rows: those of the recipe `heads-and-initialisations`. Returns the figure.
    """
    found = _heads(rows)
    figure = blank(figure, 7.5, 1.4 + 0.42 * len(found))
    axes = figure.subplots()
    widest = max(map(max, found.values()))
    for row, (name, wrong) in enumerate(found.items()):
        colour = ORANGE if "8 heads" in name else BLUE
        heights = row + np.linspace(-0.2, 0.2, len(wrong))  # or equal dots would hide one another
        axes.plot([0, 1.02 * widest], [row, row], color=GRID, linewidth=0.8, zorder=0)
        axes.scatter(sorted(wrong), heights, s=46, color=colour, alpha=0.8, linewidth=0)
        axes.plot([np.mean(wrong)] * 2, [row - 0.32, row + 0.32], color=INK, linewidth=2)
        axes.text(
            1.3 * widest, row, f"mean {np.mean(wrong):.3f}", va="center", ha="right", color=colour
        )
    axes.set_yticks(range(len(found)), list(found))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set(
        xlim=(-0.03 * widest, 1.32 * widest),
        xlabel="share of held-out numbers read wrong (a dot for each initialisation)",
        title="Eight heads err less where there are three things to find",
    )
    return figure


def describe_one_head_against_eight(rows):
    """Say the bars in words: the alt text of `one_head_against_eight`."""
    said = [
        f"{name} {np.mean(wrong):.3f} ({min(wrong):.3f} to {max(wrong):.3f})"
        for name, wrong in _heads(rows).items()
    ]
    return "Share of held-out numbers read wrong: " + "; ".join(said) + "."
