"""What two recipes of chapter 02 measured: recall over a distance, and one head against eight."""

import numpy as np

from tutorial_lib.figures.charts import bar_chart, line_chart


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
        "steps between the digit and the question",
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


def one_head_against_eight(rows, figure=None):
    """How many held-out numbers 1 and 8 heads read wrong, mean and range of the initialisations.

    rows: those of the recipe `heads-and-initialisations`. Returns the figure.
    """
    found = _heads(rows)
    bars = bar_chart(
        {name: np.mean(wrong) for name, wrong in found.items()},
        "share of held-out numbers read wrong (bar: mean, line: range of five)",
        "Eight heads err less where there are three things to find",
        spans={name: (min(wrong), max(wrong)) for name, wrong in found.items()},
        lit=[name for name in found if "8 heads" in name],
        form="mean {:.3f}",  # it is written at the end of the whisker, not of the bar
        figure=figure,
    )
    bars.axes[0].margins(x=0.25)
    return bars


def describe_one_head_against_eight(rows):
    """Say the bars in words: the alt text of `one_head_against_eight`."""
    said = [
        f"{name} {np.mean(wrong):.3f} ({min(wrong):.3f} to {max(wrong):.3f})"
        for name, wrong in _heads(rows).items()
    ]
    return "Share of held-out numbers read wrong: " + "; ".join(said) + "."
