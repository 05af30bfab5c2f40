"""What top-p keeps at a few places of a text, side by side."""

import numpy as np
import torch

from tutorial_lib.decoding import sampling
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import CUT, token_name


@style.styled
def kept_by_top_p(places, labels, p, most=4, title="", figure=None):
    """One panel for each place: the likeliest next tokens, those that top-p cuts in grey.

    places maps a heading to logits (V,); labels V strings; most: how many tokens are drawn, more
    where more are kept. Returns the figure. Raises ShapeError without a place, and when logits and
    labels disagree.

    >>> figure = kept_by_top_p({"sure": [9.0, 0.0, 0.0], "open": [1.0, 1.0, 0.0]}, "abc", p=0.9)
    >>> [axes.get_title() for axes in figure.axes]
    ['sure: 1 of 3 kept', 'open: 3 of 3 kept']
    """
    if not places:
        raise ShapeError("kept_by_top_p needs at least one place")
    found = {}
    for heading, logits in places.items():
        logits = torch.as_tensor(logits, dtype=torch.float32)
        if logits.shape != (len(labels),):
            raise ShapeError(f"logits {tuple(logits.shape)} for {len(labels)} labels")
        chances, ids = logits.softmax(dim=-1).sort(descending=True)
        n_kept = int((sampling.top_p(logits, p) > -np.inf).sum())
        found[heading] = chances.tolist(), ids.tolist(), n_kept
    n_rows = min(len(labels), max(most, *(n_kept for *_, n_kept in found.values())))
    figure = style.blank(figure, 0.6 + 3.7 * len(found), 1.5 + 0.3 * n_rows)
    panels = figure.subplots(1, len(found), sharex=True, squeeze=False)[0]
    for axes, (heading, (chances, ids, n_kept)) in zip(panels, found.items(), strict=True):
        colours = [style.BLUE] * n_kept + [CUT] * (n_rows - n_kept)
        axes.barh(range(n_rows), chances[:n_rows], height=0.7, color=colours[:n_rows])
        for row, chance in enumerate(chances[:n_rows]):
            ink = style.INK if row < n_kept else style.MUTED
            words = f"{chance:.3f}" if chance >= 0.0005 else "< 0.001"
            words += "  cut" if row >= n_kept else ""
            axes.text(chance + 0.02, row, words, va="center", fontsize=9.5, color=ink)
        axes.set_yticks(range(n_rows), [token_name(labels[i]) for i in ids[:n_rows]])
        axes.set(xlim=(0, 1.2), ylim=(n_rows - 0.4, -0.6), xlabel="probability")
        axes.set_xticks([0, 0.5, 1])
        axes.tick_params(axis="y", length=0)
        style.panel_title(axes, f"{heading}: {n_kept} of {len(labels)} kept")
    style.headline(figure, title)
    return figure
