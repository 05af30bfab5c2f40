"""Pictures side by side."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.figures import style
from tutorial_lib.figures.chapter09_beyond_vit.latents import picture


@style.styled
def picture_row(pictures, title, mark=None, figure=None):
    """Pictures in a row, each under its name: {name: (height, width, 3) or (height, width)}.

    Colours and greys go from 0 to 1, 1 is ink in a grey one; where greys have another range, blue
    and orange show what is below and above 0. All are drawn equally wide.
    mark: a (row, column) to frame in each.

    >>> picture_row({"white": np.ones((2, 3, 3))}, "One picture").axes[0].get_title(loc="center")
    'white'
    """
    arrays = {name: np.asarray(values) for name, values in pictures.items()}
    tallest = max(values.shape[0] / values.shape[1] for values in arrays.values())
    width = min(8.8, 3.4 * len(arrays))
    figure = style.blank(figure, width, 0.75 + width / len(arrays) * tallest)
    row = figure.subplots(1, len(arrays), squeeze=False)[0]
    for axes, (name, values) in zip(row, arrays.items(), strict=True):
        if values.ndim == 3:
            axes.imshow(values.clip(0, 1), interpolation="nearest")
            style.draw_frame(axes)
            style.panel_title(axes, name)
        elif values.min() < 0:
            most = abs(values).max()
            axes.imshow(values, cmap=style.SIGNED, vmin=-most, vmax=most)
            style.draw_frame(axes)
            style.panel_title(axes, name)
        else:
            picture(axes, values, name)
        if mark is not None:
            corner = (mark[1] - 0.5, mark[0] - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=style.INK, linewidth=2))
    style.headline(figure, title)
    return figure
