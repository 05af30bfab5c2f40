"""What a real ViT sees in two pictures: patches that are alike, components, where [CLS] looks."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.interpret import patch_similarity, principal_colours

MODES = ("similar patches", "principal components", "attention of [CLS]")
_FADED = 0.55  # what is left of the picture beneath the heat
_HEAT = 0.9  # how much the strongest heat covers
_CHOSEN = "#111111"  # the chosen patch's frame, with a white rim on any page


def similarity_maps(pictures, picture, row, column):
    """Return how like one patch each patch of each SeenPicture is: cosines (rows, columns) each.

    Raises ShapeError when there is no such patch.
    """
    n_rows, n_columns = pictures[picture].grid
    if not (0 <= row < n_rows and 0 <= column < n_columns):
        raise ShapeError(
            f"{pictures[picture].name} has {n_rows} x {n_columns} patches, got row {row}, column "
            f"{column}"
        )
    chosen = pictures[picture].patches[row, column][None]
    return [
        patch_similarity(chosen, seen.patches.flatten(0, 1))[0].view(seen.grid).numpy()
        for seen in pictures
    ]


@style.styled
def seen_pictures(
    pictures, mode=MODES[0], picture=0, row=0, column=0, head=0, title=None, figure=None
):
    """Draw two SeenPictures as the explorer does: mode says which of three things.

    "similar patches": how like the patch in this row and column of pictures[picture] each other
    is; "principal components": the first three of all patches, as red, green and blue; "attention
    of [CLS]": how much it looks at each patch, in one head of the last layer.
    Raises ShapeError for another patch or head than there are, ValueError for another mode.
    """
    said, layers = _layers(pictures, mode, picture, row, column, head)
    figure = style.blank(figure, 9.0, 4.9)
    for index, (axes, seen, layer) in enumerate(
        zip(figure.subplots(1, 2), pictures, layers, strict=True)
    ):
        axes.imshow(layer, interpolation="nearest")
        style.draw_frame(axes)
        style.panel_title(axes, seen.name)
        if mode == MODES[0]:
            place = (row, column) if index == picture else _best(pictures, picture, row, column)[1]
            one = (slice(at, at + 1) for at in place)
            _outline(axes, seen, *one, _CHOSEN if index == picture else style.GREEN)
    style.headline(figure, title or said)
    return figure


def describe_seen_pictures(pictures, mode=MODES[0], picture=0, row=0, column=0, head=0):
    """Say in words what `seen_pictures` shows."""
    said, _ = _layers(pictures, mode, picture, row, column, head)
    names = " and ".join(seen.name for seen in pictures)
    if mode == MODES[1]:
        return f"{said}: the patches of {names}; patches of one colour have similar vectors."
    if mode == MODES[2]:
        strongest = "; ".join(_strongest(seen.attention[head], seen.name) for seen in pictures)
        return f"{said}. {names}, grey, with the weights in orange. Strongest: {strongest}."
    maps = similarity_maps(pictures, picture, row, column)
    shares = "; ".join(
        f"{(alike > 0.5).mean():.0%} of the patches of {seen.name} have a cosine above 0.5"
        for seen, alike in zip(pictures, maps, strict=True)
    )
    return f"{said}. {names}, grey, with the cosines in orange: {shares}."


def _layers(pictures, mode, picture, row, column, head):
    """Return what the picture says, and the pixels (height, width, 3) of each panel."""
    if len(pictures) != 2:
        raise ShapeError(f"expected two pictures, got {len(pictures)}")
    if mode == MODES[1]:
        colours = principal_colours(*(seen.patches for seen in pictures))
        said = "The first three principal components of the patches, as red, green and blue"
        return said, [colour.numpy() for colour in colours]
    if mode == MODES[2]:
        n_heads = min(len(seen.attention) for seen in pictures)
        if not 0 <= head < n_heads:
            raise ShapeError(f"head must lie between 0 and {n_heads - 1}, got {head}")
        maps = [seen.attention[head] / seen.attention[head].max() for seen in pictures]
        said = f"Where [CLS] looks in the last layer, head {head}"
    elif mode == MODES[0]:
        maps = [alike.clip(0, 1) for alike in similarity_maps(pictures, picture, row, column)]
        cosine, (there, across) = _best(pictures, picture, row, column)
        other = pictures[1 - picture].name
        said = (
            f"Most like row {row}, column {column} of {pictures[picture].name}: row {there}, "
            f"column {across} of {other}, cosine {cosine:.2f}"
        )
    else:
        raise ValueError(f"mode must be one of {', '.join(map(repr, MODES))}, got {mode!r}")
    return said, [_heated(seen, heat) for seen, heat in zip(pictures, maps, strict=True)]


def _best(pictures, picture, row, column):
    """Return the highest cosine in the other picture, and its row and column."""
    alike = similarity_maps(pictures, picture, row, column)[1 - picture]
    place = np.unravel_index(alike.argmax(), alike.shape)
    return float(alike[place]), tuple(int(index) for index in place)


def _pixels(seen):
    return seen.image.permute(1, 2, 0).numpy().clip(0, 1)


def _heated(seen, heat):
    """The picture in faded grey, and over it orange where heat (rows, columns) is near 1."""
    grey = _pixels(seen) @ np.array([0.3, 0.59, 0.11])
    faded = grey[..., None] * _FADED + np.array(to_rgb(style.CARD)) * (1 - _FADED)
    height, width = grey.shape
    n_rows, n_columns = seen.grid
    down, across = np.arange(height) * n_rows // height, np.arange(width) * n_columns // width
    share = _HEAT * np.asarray(heat)[down][:, across, None]  # (height, width, 1)
    return faded * (1 - share) + np.array(to_rgb(style.ORANGE)) * share


def _outline(axes, seen, rows, columns, colour):
    """Frame a stretch of patches, slices of rows and columns; returns its middle."""
    _, height, width = seen.image.shape
    tall, wide = height / seen.grid[0], width / seen.grid[1]
    x, y = columns.start * wide - 0.5, rows.start * tall - 0.5
    across, down = (columns.stop - columns.start) * wide, (rows.stop - rows.start) * tall
    for edge, thick in (("#ffffff", 4.5), (colour, 2.5)):
        axes.add_patch(Rectangle((x, y), across, down, fill=False, edgecolor=edge, linewidth=thick))
    return x + across / 2, y + down / 2


def _strongest(weights, name):
    row, column = divmod(int(weights.argmax()), weights.shape[1])
    return f"{float(weights.max()):.3f} at row {row}, column {column} of {name}"
