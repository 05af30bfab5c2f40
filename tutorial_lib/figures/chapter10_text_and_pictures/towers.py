"""CLIP as a machine: two encoders side by side, and the matrix in which they meet."""

import numpy as np
import torch
from matplotlib.patches import Rectangle

from tutorial_lib.decoding import evaluating
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import as_images, shortened
from tutorial_lib.figures.diagrams import arrow, box, canvas, chips, rounded
from tutorial_lib.figures.machine_parts import Part, parameters_of, sizes_in_words
from tutorial_lib.models import count_parameters

TOWER, APART, STEP = 3.7, 0.4, 0.74  # width of a tower, inches between both, box to box
PICTURE = 0.78


@style.styled
def clip_towers(model, images, ids, texts=None, mask=None, title=None, figure=None):
    """Draw a CLIP from one pass: its two towers from bottom to top, and the logits above both.

    images (B, C, height, width) and ids (N, T), mask (N, T), as the model takes them; texts: N
    strings to write in place of the ids. Each box says what leaves it and how many numbers it
    learns. Returns the figure. Raises what the model raises.
    """
    with evaluating(model), torch.no_grad():
        logits = model(images, ids, mask)
        left, right = _image_parts(model, images), _text_parts(model, ids, mask)
    n_boxes = max(len(left), len(right))
    bottom = 1.2
    top = bottom + STEP * n_boxes
    width, height = 2 * TOWER + APART + 0.1, top + 1.55
    name = "Two towers that meet in one table: each picture times each text"
    figure, axes = canvas(figure, width, height, title or name, below=0.05)
    limits = axes.get_xlim(), axes.get_ylim()
    middles = (0.05 + TOWER / 2, 0.05 + TOWER + APART + TOWER / 2)
    for parts, middle in zip((left, right), middles, strict=True):
        ups = [top - STEP * (len(parts) - at) for at in range(len(parts))]
        arrow(axes, [(middle, 0.98), (middle, ups[0])])
        for at, (part, up) in enumerate(zip(parts, ups, strict=True)):
            box(axes, part, middle - TOWER / 2, up, TOWER)
            if at:
                arrow(axes, [(middle, ups[at - 1] + 0.46), (middle, up)])
    _row_of_pictures(axes, images, middles[0])
    _row_of_texts(axes, ids, texts, middles[1])
    _meeting(axes, model, logits, middles, top)
    axes.set(xlim=limits[0], ylim=limits[1])  # imshow set its own
    axes.set_aspect("equal")
    return figure


def describe_clip_towers(model):
    """Say in words what `clip_towers` shows."""
    config = model.config
    return (
        f"Two towers. On the left a picture in patches of {config.patch_size} pixels goes through "
        f"{config.n_image_layers} layers, {config.d_image} wide; its [CLS] becomes a vector of "
        f"{config.d_joint}. On the right a text goes through {config.n_layers} causal layers, "
        f"{config.d_model} wide; its end token becomes a vector of {config.d_joint}. Both have "
        "length 1; their products times a learned scale are the logits. "
        f"{count_parameters(model):,} parameters in all."
    )


def _image_parts(model, images):
    encoder, config = model.image_encoder, model.config
    hidden = encoder(images)  # (B, T, D)
    shape = sizes_in_words("B T D", hidden.shape)
    entrance = (encoder.patch_embedding, encoder.position_embedding)
    pixels = config.channels * config.patch_size**2
    note = f"{pixels:,} → {config.d_image} numbers a patch"
    vectors = sizes_in_words("B E", model.image_vectors(images).shape)
    return [
        _part(
            "embedding", "patches, [CLS], positions", note, shape, *entrance, encoder.embedding_norm
        ),
        _layers(config.n_image_layers, config.n_image_heads, "all look at all", shape, encoder),
        _part(
            "head", "[CLS] alone: head", f"{config.d_image} → {config.d_joint}, length 1", vectors,
            encoder.final_norm, model.image_projection,
        ),
    ]  # fmt: skip


def _text_parts(model, ids, mask):
    encoder, config = model.text_encoder, model.config
    hidden = encoder(ids, mask)  # (N, T, D)
    shape = sizes_in_words("N T D", hidden.shape)
    entrance = (encoder.token_embedding, encoder.position_embedding)
    vectors = sizes_in_words("N E", model.text_vectors(ids, mask).shape)
    note = f"{config.vocab_size:,} rows of {config.d_model}"
    return [
        _part("embedding", "token table, positions", note, shape, *entrance),
        _layers(config.n_layers, config.n_heads, "looking back only", shape, encoder),
        _part(
            "head", "[end] alone: head", f"{config.d_model} → {config.d_joint}, length 1", vectors,
            encoder.final_norm, model.text_projection,
        ),
    ]  # fmt: skip


def _part(kind, title, note, shape, *modules):
    return Part(title, kind, title, note, shape, n_parameters=sum(map(parameters_of, modules)))


def _layers(n_layers, n_heads, looks, shape, encoder):
    heads = f"{n_heads} head{'s' * (n_heads != 1)}"
    title = f"{n_layers} layer{'s' * (n_layers != 1)}, {looks}"
    note = f"{heads}, feed-forward"
    return _part("attention", title, note, shape, encoder.blocks)


def _row_of_pictures(axes, images, middle):
    shown = images[:4].detach().float().cpu()
    shown = as_images((shown - shown.min()) / ((shown.max() - shown.min()) or 1))
    left = middle - (len(shown) * (PICTURE + 0.12) - 0.12) / 2
    for at, image in enumerate(shown):
        x = left + at * (PICTURE + 0.12)
        axes.imshow(image, extent=(x, x + PICTURE, 0.1, 0.1 + PICTURE), aspect="auto", zorder=3)
        look = {"facecolor": "none", "edgecolor": style.GRID, "zorder": 4}
        axes.add_patch(Rectangle((x, 0.1), PICTURE, PICTURE, **look))


def _row_of_texts(axes, ids, texts, middle):
    texts = [" ".join(map(str, row)) for row in ids.tolist()] if texts is None else texts
    rows = [shortened(text, 38) for text in texts][:3]
    for at, text in enumerate(rows):
        up = 0.1 + (len(rows) - 1 - at) * 0.29 + (3 - len(rows)) * 0.14
        chips(axes, text.split(" "), middle, up, TOWER, height=0.25, size=9)


def _meeting(axes, model, logits, middles, top):
    """Draw the matrix of logits, with both towers' vectors going into it."""
    middle = sum(middles) / 2
    wide, high = 3.3, 0.95
    left, low = middle - wide / 2, top + 0.4
    rounded(axes, left, low, wide, high, *(style.CARD, style.INK))
    for x, side in zip(middles, (left, left + wide), strict=True):
        arrow(axes, [(x, top - STEP + 0.46), (x, low + high / 2), (side, low + high / 2)])
    values = logits.detach().float().cpu().numpy()[:4, :4]
    values = (values - values.min()) / ((values.max() - values.min()) or 1)
    cell = 0.74 / max(values.shape)
    x0, y0 = left + 0.12, low + (high - cell * len(values)) / 2
    for (row, column), value in np.ndenumerate(values):
        corner = (x0 + column * cell, y0 + (len(values) - 1 - row) * cell)
        look = {"edgecolor": style.GRID, "linewidth": 0.6, "zorder": 4}
        axes.add_patch(Rectangle(corner, cell, cell, facecolor=style.WEIGHTS(value * 0.8), **look))
    lines = ("logits = scale × cosine", sizes_in_words("B N", logits.shape))
    scale = model.scale().item()
    lines += (f"scale {scale:.1f}, 1 parameter",)
    for at, line in enumerate(lines):
        look = {"fontsize": 10 if at == 0 else 9, "color": style.MUTED if at == 2 else style.INK}
        axes.text(left + 1.05, low + high * (0.76 - 0.26 * at), line, va="center", zorder=5, **look)
