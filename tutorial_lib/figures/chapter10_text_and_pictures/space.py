"""Pictures and their names as points of one plane, before and after training."""

import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import (
    as_images,
    numbers,
    same_counts,
)

PICTURE = 0.5  # inches


@style.styled
def one_space(images, names, texts, moments, title=None, figure=None):
    """Draw names and pictures in the plane in which the names lie furthest apart, panel by panel.

    images (N, 3, height, width); names, N strings, and their vectors `texts` (N, D), which stay;
    moments: {heading: the pictures' vectors (N, D)}. All vectors get length 1, and a line joins a
    picture with its name. Returns the figure. Raises ShapeError when the counts differ.
    """
    flat, places = _in_a_plane(names, texts, moments)
    shown = as_images(images)
    same_counts(images=len(shown), names=len(names))
    figure = style.blank(figure, 5.2 * len(moments), 4.9)
    panels = np.atleast_1d(figure.subplots(1, len(moments), sharex=True, sharey=True))
    everything = np.concatenate([flat, *places.values()])
    low, high = everything.min(0), everything.max(0)
    margin = np.array([0.3, 0.16]) * (high - low).max()  # names are wide
    for axes, (heading, points) in zip(panels, places.items(), strict=True):
        axes.set_title(heading)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)  # the plane has no axes of its own
        axes.set_xlim(low[0] - margin[0], high[0] + margin[0])
        axes.set_ylim(low[1] - margin[1], high[1] + margin[1])
        for name, image, text, point in zip(names, shown, flat, points, strict=True):
            axes.plot(*zip(point, text, strict=True), color=style.MUTED, linewidth=1.2, zorder=2)
            axes.plot(*text, "o", color=style.ORANGE, markersize=7, zorder=5)
            away = text - point  # the name keeps off the line and the picture
            x, y = away / max(np.abs(away).max(), 1e-9)
            axes.annotate(
                name, text, (8 * x, 13 * y), textcoords="offset points", va="center", zorder=6,
                ha="center" if abs(y) > 0.6 else ("left" if x > 0 else "right"),
                color=style.ORANGE, fontsize=12, fontweight="bold",
            )  # fmt: skip
            _picture(axes, image, point)
    style.headline(figure, title or "Training brings each picture to its name")
    return figure


def describe_one_space(names, texts, moments):
    """Say in words what `one_space` shows: which name is nearest to each picture in the plane."""
    flat, places = _in_a_plane(names, texts, moments)
    said = []
    for heading, points in places.items():
        nearest = np.square(points[:, None] - flat[None]).sum(-1).argmin(1)
        right = int((nearest == np.arange(len(names))).sum())
        said.append(f"{heading}: {right} of {len(names)} pictures lie nearest to their own name")
    return f"Pictures and the names {', '.join(names)} in one plane. " + "; ".join(said) + "."


def _in_a_plane(names, texts, moments):
    """The names' points, and the pictures' at each moment, on the names' principal axes."""
    texts = _unit(texts)
    moments = {heading: _unit(vectors) for heading, vectors in moments.items()}
    same_counts(names=len(names), texts=len(texts), **{k: len(v) for k, v in moments.items()})
    if any(vectors.shape != texts.shape for vectors in moments.values()):
        raise ShapeError("texts and pictures need vectors of one width")
    middle = texts.mean(0)
    axes = np.linalg.svd(texts - middle, full_matrices=False)[2][:2]
    return (texts - middle) @ axes.T, {
        heading: (vectors - vectors.mean(0)) @ axes.T for heading, vectors in moments.items()
    }


def _unit(vectors):
    values = numbers(vectors)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def _picture(axes, image, point):
    """Show an image (height, width, 3) around a point, its white paper left away."""
    drawn = (image.min(axis=-1, keepdims=True) < 0.97).astype(float)
    shown = OffsetImage(np.concatenate([image, drawn], axis=-1), zoom=72 * PICTURE / len(image))
    axes.add_artist(AnnotationBbox(shown, tuple(point), frameon=False, pad=0, zorder=4))
