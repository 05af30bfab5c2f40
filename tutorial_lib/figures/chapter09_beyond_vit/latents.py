"""What the latents of a Perceiver read, and what it answers for more and more points."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb

from tutorial_lib.figures import style

INK = LinearSegmentedColormap.from_list("ink", ["#f6f4ef", "#181c24"])  # 0 is paper
_HEAT = 0.88  # how much the strongest weight covers


@style.styled
def latent_reading(seen, latents, title=None, figure=None):
    """Pictures, what some latents read of each, and where the answer asks the last; a row each.

    seen: a SeenLatents, or several of one model. latents: their numbers. Orange is the mean weight
    of the heads on a pixel, blue that of the answer's pixels on the latent, each against its own
    largest.
    """
    several = seen if isinstance(seen, list | tuple) else [seen]
    n_columns = len(latents) + 2
    figure = style.blank(figure, 9.0, 0.6 + len(several) * (8.7 / n_columns))
    rows = figure.subplots(len(several), n_columns, squeeze=False)
    for n, (panels, each) in enumerate(zip(rows, several, strict=True)):
        picture(panels[0], each.image.numpy(), "" if n else "what is read")
        reads = each.reads.mean(dim=0).numpy()
        for axes, latent in zip(panels[1:], latents, strict=False):
            axes.imshow(_heated(each.image.numpy(), reads[latent], style.ORANGE))
            style.draw_frame(axes)
            style.panel_title(axes, "" if n else f"latent {latent} reads")
        asked = each.asks[latents[-1]].numpy()
        panels[-1].imshow(_heated(each.answer.numpy(), asked, style.BLUE))
        style.draw_frame(panels[-1])
        style.panel_title(panels[-1], "" if n else f"who asks latent {latents[-1]}")
    style.headline(figure, title or "Each latent reads a region of its own")
    return figure


def describe_latent_reading(seen, latents):
    """Say in words what `latent_reading` shows."""
    if isinstance(seen, list | tuple):
        return " ".join(describe_latent_reading(each, latents) for each in seen)
    reads = seen.reads.mean(dim=0)
    places = []
    for latent in latents:
        row, column = divmod(int(reads[latent].argmax()), seen.image.size(1))
        places.append(f"latent {latent} reads most at row {row}, column {column}")
    row, column = divmod(int(seen.asks[latents[-1]].argmax()), seen.answer.size(1))
    return (
        f"{seen.name} at {seen.image.size(0)} x {seen.image.size(1)} pixels: {'; '.join(places)}. "
        f"Of the {seen.answer.size(0)} x {seen.answer.size(1)} pixels of the answer, the one in "
        f"row {row}, column {column} asks latent {latents[-1]} most."
    )


@style.styled
def asked_points(pictures, sides, title=None, figure=None):
    """What was read, what was answered for side x side points, and the truth, a row a picture.

    pictures: one dict, or several, as ZoomExplorer takes them. Where there is no truth, what was
    read is shown enlarged in its place.
    """
    pictures = [pictures] if isinstance(pictures, dict) else list(pictures)
    n_columns = len(sides) + 2 + (len(sides) == 1)
    figure = style.blank(figure, 8.6, 0.5 + len(pictures) * 8.2 / n_columns)
    rows = figure.subplots(len(pictures), n_columns, squeeze=False)
    for panels, each in zip(rows, pictures, strict=True):
        read, true = np.asarray(each["read"]), each["true"]
        panels = list(panels)
        picture(panels.pop(0), read, f"read: {_size(read)}")
        if len(sides) == 1:
            smooth = panels.pop(0)
            picture(smooth, read, "enlarged smoothly", interpolation="bicubic")
        for axes, side in zip(panels, sides, strict=False):
            picture(axes, np.asarray(each["answers"][side]), f"asked: {side} x {side}")
        if true is None:
            picture(panels[-1], read, "enlarged smoothly", interpolation="bicubic")
        else:
            picture(panels[-1], np.asarray(true), f"the truth: {_size(true)}")
    style.headline(figure, title or "One reading, as many points as one asks for")
    return figure


def describe_asked_points(pictures, sides):
    """Say in words what `asked_points` shows."""
    pictures = [pictures] if isinstance(pictures, dict) else list(pictures)
    names = ", ".join(each["name"] for each in pictures)
    return (
        f"{names}: read at {_size(pictures[0]['read'])} pixels, then asked for "
        f"{' and '.join(f'{side} x {side}' for side in sides)} points; with more points the edges "
        "of the strokes get smooth."
    )


def picture(axes, values, title, interpolation="nearest"):
    """Draw a grey picture from 0, paper, to 1, ink."""
    axes.imshow(values, cmap=INK, vmin=0, vmax=1, interpolation=interpolation)
    style.draw_frame(axes)
    style.panel_title(axes, title)


def _size(values):
    return " x ".join(map(str, np.shape(values)))


def _heated(values, weights, colour):
    """A grey picture under a colour as strong as the weights, each against the largest."""
    ground = INK(0.8 * values)[..., :3]
    share = _HEAT * (weights / max(weights.max(), 1e-9))[..., None]
    return ground * (1 - share) + np.array(to_rgb(colour)) * share
