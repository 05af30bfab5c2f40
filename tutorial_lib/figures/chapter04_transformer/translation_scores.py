"""Several measures of the same systems side by side, as a table whose numbers have lengths."""

import math

import numpy as np
from matplotlib.transforms import blended_transform_factory

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import draw_unknown, rows_in_groups
from tutorial_lib.figures.style import BLUE, GRID, INK, MUTED, ORANGE, blank, headline, styled


@styled
def score_bars(
    scores,
    title="",
    lit=(),
    form="{:.1f}",
    most=None,
    *,
    colours=None,
    group=None,
    figure=None,
):
    """One panel for each measure, one bar for each system.

    scores maps a measure to a dict of system -> number: None where it is not known yet, which is
    drawn as a dashed outline with a question mark, NaN where the measure makes no sense. form: how
    numbers are written, or {measure: form}. most: the length of a full bar, 100 for percentages;
    left out, each panel goes to its own largest number, so a question needs it to have the axis of
    its answer. A single panel is wide, with its measure in small letters under the title.

    Names in `lit` are orange; colours maps some others to a colour. group: how many rows belong
    together, with a gap after them, or a list of how many. Returns the figure. Raises ShapeError
    when there is nothing to draw, and for names in lit or colours that are not in scores.

    >>> figure = score_bars({"exact (%)": {"German": 100.0}, "BLEU": {"German": None}})
    >>> [axes.texts[0].get_text() for axes in figure.axes]
    ['100.0', '?']
    """
    names = list(dict.fromkeys(name for values in scores.values() for name in values))
    if not names:
        raise ShapeError("score_bars needs at least one score")
    _check_names(names, lit, colours)
    alone = len(scores) == 1
    rows = rows_in_groups(len(names), group)
    long = 0.09 * max(map(len, names))
    width = 7.8 if alone else long + 0.6 + 2.3 * len(scores)
    if colours:
        width = min(width, 9.0)
    figure = blank(figure, width, 1.43 + 0.38 * rows[-1])
    panels = figure.subplots(1, len(scores), sharey=True, squeeze=False)[0]
    fills = [ORANGE if name in lit else (colours or {}).get(name, BLUE) for name in names]
    for axes, (measure, values) in zip(panels, scores.items(), strict=True):
        unknown = [name in values and values[name] is None for name in names]
        lengths = np.array([math.nan if values.get(n) is None else values[n] for n in names])
        top = most or max(np.nanmax(lengths, initial=0), 1e-9)
        line = np.where(unknown, 0, top)  # an outline stands for the whole of it
        axes.barh(rows, line, color=GRID, height=0.06)
        axes.barh(rows, np.nan_to_num(lengths), color=fills, height=0.62)
        reach = 1.42 * top
        if alone:  # the inches of a number, in a panel of any width
            reach = top / (1 - 0.6 / (figure.get_figwidth() - long))
        for row, length, fill, asked in zip(rows, lengths, fills, unknown, strict=True):
            if asked:
                draw_unknown(axes, row, top, 0.62, fill)
                continue
            written = form if isinstance(form, str) else form[measure]
            known = not math.isnan(length)
            # The number of a bar that cannot be seen has the bar's colour.
            colour = ORANGE if length == 0 and fill == ORANGE else INK if known else MUTED
            look = {"va": "center", "fontsize": 9.5, "color": colour}
            text = written.format(length) if known else "none"
            axes.text((1.015 if alone else 1.05) * top, row, text, **look)
        axes.set_xlim(0, reach)
        axes.set_yticks(rows, names)
        axes.set_xticks([])
        axes.tick_params(length=0)
        if alone or colours:  # the pictures that came first keep their narrow gap
            axes.tick_params(axis="y", pad=5.25)  # points: 8 pixels
        axes.spines[:].set_visible(False)
        if alone:
            _subtitle(axes, measure)
        else:
            axes.set_title(measure, fontsize=10.5)
    panels[0].invert_yaxis()
    headline(figure, title)
    return figure


def _check_names(names, lit, colours):
    wrong = [name for name in (*lit, *(colours or ())) if name not in names]
    if wrong:
        raise ShapeError(f"score_bars has no {wrong[0]!r}, only {', '.join(names)}")


def _subtitle(axes, text):
    """Say what the only panel measures, below the headline and as far left."""
    axes.set_title(" ", fontsize=10)  # makes room: the layout does not know the text itself
    where = blended_transform_factory(axes.figure.transFigure, axes.transAxes)
    small = {"fontsize": 9.5, "color": MUTED, "va": "bottom"}
    placed = {"xycoords": where, "textcoords": "offset points"}
    axes.annotate(text, (0.02, 1), (0, 13), **placed, **small).set_in_layout(False)


def describe_score_bars(scores, title="", form="{:.1f}"):
    """Say in words what `score_bars` shows: every number of each measure.

    >>> describe_score_bars({"found": {"a table": 0.41, "BERT": None}}, "Who wins?", "{:.2f}")
    'Who wins? Found: a table 0.41, BERT not yet known.'
    """
    said = [title if not title or title.endswith(("?", "!", ".")) else f"{title}."]
    for measure, values in scores.items():
        written = form if isinstance(form, str) else form[measure]
        each = (f"{name} {_number_in_words(value, written)}" for name, value in values.items())
        said.append(f"{measure[:1].upper()}{measure[1:]}: {', '.join(each)}.")
    return " ".join(filter(None, said))


def _number_in_words(value, form):
    if value is None:
        return "not yet known"
    return "none" if math.isnan(value) else form.format(value)
