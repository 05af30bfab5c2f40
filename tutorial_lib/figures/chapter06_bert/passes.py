"""How many gaps a model fills, against how many times it reads the text for it."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.placing import (
    DOT,
    axes_frame,
    draw_grid,
    line_points,
    place_beside,
    size_of,
    write,
)

Points = Sequence[tuple[float, float]]


@style.styled
def by_passes(
    panels: Mapping[str, Mapping[str, Points]],
    title: str,
    colours: Mapping[str, str] | None = None,
    references: Mapping[str, Mapping[str, float]] | None = None,
    *,
    figure: Figure | None = None,
) -> Figure:
    """A dot for each model at its share of filled gaps, further right the more often it reads.

    panels {panel: {name: [(passes, share)]}}, one or two side by side; passes, 1 or more, are on a
    log scale, shares from 0 to 1. All points of a name have its colour. colours maps
    some of the names to a colour; references {panel: {text: share}} are dashed lines. Name and
    share are written beside each point. Returns the figure. Raises ShapeError for another number
    of panels, an empty one, a name without points, passes and shares out of range, and for colours
    and references of what is not there.

    >>> figure = by_passes({"plays": {"GPT": [(1, 0.2), (99, 0.4)]}}, "More passes, more words")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['GPT 0.20', 'GPT 0.40']
    """
    references = references or {}
    names = _check(panels, colours, references)
    inks = {
        name: (colours or {}).get(name, style.CYCLE[n % len(style.CYCLE)])
        for n, name in enumerate(names)
    }
    most = max(passes for by in panels.values() for row in by.values() for passes, _ in row)
    width = max(5.2 if len(panels) == 1 else 9.2, style.text_width(title, 12, "bold") + 0.4)
    figure = style.blank(figure, width, 3.9)
    row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (panel, by) in zip(row, panels.items(), strict=True):
        look = {"marker": "o", "markersize": 2 * DOT, "clip_on": False, "zorder": 3}
        for name, points in by.items():
            for passes, share in sorted(points):
                axes.plot(passes, share, color=inks[name], **look)
        for share in references.get(panel, {}).values():
            dashes = {"color": style.MUTED, "linestyle": (0, (4, 3)), "linewidth": 1.3}
            axes.axhline(share, zorder=1, **dashes)
        axes.set_xscale("log")
        ticks = [10**n for n in range(12) if 10**n <= max(100, most)]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set(xlim=(0.75, 1.7 * max(100, most)), ylim=(-0.04, 1.1))
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.set_xlabel("times it reads the text")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        style.panel_title(axes, panel)
    row[0].set_ylabel("gaps filled")
    style.headline(figure, title)
    figure.draw_without_rendering()  # the layout, to know how large the panels are
    for axes, (panel, by) in zip(row, panels.items(), strict=True):
        _write(axes, by, inks, references.get(panel, {}))
    return figure


def _write(axes, by, inks, references):
    """Write names and shares beside the points, and what the dashed lines are at their right."""
    frame = axes_frame(axes)
    left, _, right, _ = frame
    rows = {name: sorted(points) for name, points in by.items()}
    dots = np.concatenate([line_points(axes, points) for points in rows.values()])
    heights = [line_points(axes, (1, share))[0, 1] for share in references.values()]
    inked = [[(left, y), (right, y)] for y in heights]
    named = [f"{text} {share:.2f}" for text, share in references.items()]
    sizes = [size_of(text, "normal") for text in named]
    ends = [(right, y) for y in heights]
    where = place_beside(ends, sizes, frame, inked, dots, around=_at_the_end)
    taken = [
        write(axes, text, middle, style.MUTED, "normal")
        for text, middle in zip(named, where, strict=True)
    ]
    labels = [
        (f"{name} {share:.2f}", inks[name]) for name, points in rows.items() for _, share in points
    ]
    sizes = [size_of(text) for text, _ in labels]
    where = place_beside(dots, sizes, frame, inked, dots, taken)
    for (text, colour), middle, dot in zip(labels, where, dots, strict=True):
        side = "left" if middle[0] > dot[0] else "right" if middle[0] < dot[0] else "center"
        taken.append(write(axes, text, middle, colour, side=side))
    draw_grid(axes, [0, 0.5, 1], taken)


def _at_the_end(width, height):
    """Return the shifts of a text above and below a dashed line, from its right end leftward."""
    up = height / 2 + 2
    return [(-width * back - 2, y) for back in (0.5, 1, 1.5) for y in (up, -up)]


def _check(panels, colours, references):
    """Return all names in order; raise ShapeError for what cannot be drawn."""
    if not 1 <= len(panels) <= 2:
        raise ShapeError(f"by_passes has one or two panels, got {len(panels)}")
    for panel, by in panels.items():
        if not by:
            raise ShapeError(f"the panel {panel!r} of by_passes needs at least one name")
        for name, points in by.items():
            if not len(points):
                raise ShapeError(f"{name!r} in {panel!r} needs at least one (passes, share)")
            for passes, share in points:
                _check_share(f"the share of {name!r} in {panel!r}", share)
                if not 1 <= passes < math.inf:
                    raise ShapeError(f"{name!r} reads the text once or more, got {passes} passes")
    names = list(dict.fromkeys(name for by in panels.values() for name in by))
    for kind, asked, known in (
        ("name", colours or {}, names),
        ("panel", references, list(panels)),
    ):
        unknown = [one for one in asked if one not in known]
        if unknown:
            raise ShapeError(f"by_passes has no {kind} {unknown[0]!r}, only {', '.join(known)}")
    for rows in references.values():
        for text, share in rows.items():
            _check_share(f"the reference {text!r}", share)
    return names


def _check_share(what, share):
    if not 0 <= share <= 1:
        raise ShapeError(f"{what} is from 0 to 1, got {share}")


def describe_by_passes(panels, title="", references=None):
    """Say in words what `by_passes` shows: every share, and after how many passes.

    >>> describe_by_passes({"plays": {"GPT": [(1, 0.2), (99, 0.4)]}}, "More passes, more words")
    'More passes, more words. Share of gaps filled. Plays: GPT 0.20 in 1 pass, 0.40 in 99 passes.'
    >>> describe_by_passes({"plays": {"GPT": [(1, 0.2)]}}, references={"plays": {"a table": 0.1}})
    'Share of gaps filled. Plays: GPT 0.20 in 1 pass; for comparison: a table 0.10.'
    """
    references = references or {}
    _check(panels, None, references)
    said = ["Share of gaps filled."]
    if title:
        said.insert(0, title if title.endswith(("?", "!", ".")) else f"{title}.")
    for panel, by in panels.items():
        each = [
            f"{name} "
            + ", ".join(
                f"{share:.2f} in {passes:,g} pass{'es' * (passes != 1)}"
                for passes, share in sorted(points)
            )
            for name, points in by.items()
        ]
        if references.get(panel):
            rows = (f"{text} {share:.2f}" for text, share in references[panel].items())
            each.append(f"for comparison: {', '.join(rows)}")
        said.append(f"{panel[:1].upper()}{panel[1:]}: {'; '.join(each)}.")
    return " ".join(said)
