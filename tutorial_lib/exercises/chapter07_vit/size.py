"""Chapter 07: whose 307 million parameters these are."""

from tutorial_lib.exercises.engine.tasks import Claim

D_MODEL, LAYERS, SIDE, CHANNELS, CLASSES = 1024, 24, 224, 3, 1000


def counted(patch=16, layers=LAYERS, **changes):
    """Millions of parameters of a ViT-L, with parts that a mistake can change."""
    d = D_MODEL
    parts = {
        "patches": CHANNELS * patch * patch * d + d,
        "positions": ((SIDE // patch) ** 2 + 1) * d,
        "layer": 12 * d * d + 13 * d,  # attention 4 D² + 4 D, feed-forward 8 D² + 5 D, norms 4 D
        "head": d * CLASSES + CLASSES,
    } | changes
    cls, norm = d, 2 * d
    once = parts["patches"] + parts["positions"] + parts["head"] + cls + norm
    return (once + layers * parts["layer"]) / 1e6


def millions():
    """ViT-L/16, part by part."""
    d, d_ff = D_MODEL, 4 * D_MODEL
    n_patches = (SIDE // 16) ** 2
    reading = CHANNELS * 16 * 16 * d + d + d + (n_patches + 1) * d  # patches, [CLS], positions
    attention = 4 * (d * d + d)
    feed_forward = d * d_ff + d_ff + d_ff * d + d
    layer = attention + feed_forward + 2 * 2 * d
    return (reading + LAYERS * layer + 2 * d + d * CLASSES + CLASSES) / 1e6


def millions_counted():
    """Second style."""
    return counted()


def millions_published():
    """This is the number of the slide: count the parameters of patches of 16."""
    return 307.0


def millions_patch_32():
    """This is with patches of 32, whose map is four times as large: take 16."""
    return counted(patch=32)


def millions_patch_14():
    """This is with patches of 14, or a part is left out: take 16, and count all parts."""
    return counted(patch=14)


def millions_no_head():
    """This leaves out the head, 1024 x 1000 weights and 1000 biases."""
    return counted(head=0)


def millions_no_head_no_positions():
    """Two things are missing. One is the head, 1024 x 1000 weights and 1000 biases. The other makes
    0.2 million: the biases in the layers, or the positions.
    """
    return counted(head=0, positions=0)


def millions_thumb():
    """This is the rule of thumb, 12 D² a layer: patches, positions, biases, norms and the head are
    missing.
    """
    return 12 * LAYERS * D_MODEL**2 / 1e6


def millions_layers():
    """This is the layers alone: patches, positions and the head are missing."""
    return LAYERS * (12 * D_MODEL**2 + 13 * D_MODEL) / 1e6


def millions_no_positions():
    """This is 0.2 million short: the positions, one vector for each patch and for [CLS], or the
    biases in the layers.
    """
    return counted(positions=0)


def millions_no_patches():
    """This leaves out the map of the patches: 3 x 16 x 16 numbers to 1024."""
    return counted(patches=0)


def millions_grey():
    """This counts one colour: a patch has 3 x 16 x 16 numbers."""
    return counted(patches=16 * 16 * D_MODEL + D_MODEL)


def millions_weights():
    """This is 304.0, without biases and LayerNorms in the layers, or rounded: give one decimal."""
    return counted(layer=12 * D_MODEL**2)


def millions_base():
    """This is ViT-B/16: L has 24 layers of width 1024."""
    return 86.567656


def millions_half_feed_forward():
    """This counts one map of the feed-forward network: a second one leads back, 4 D to D."""
    return counted(layer=8 * D_MODEL**2 + 12 * D_MODEL)


def millions_narrow():
    """This makes the feed-forward network D wide inside: it is 4 D wide."""
    return counted(layer=6 * D_MODEL**2 + 10 * D_MODEL)


def millions_three_maps():
    """This leaves out the output map of the attention, D² + D a layer."""
    return counted(layer=11 * D_MODEL**2 + 12 * D_MODEL)


def millions_attention():
    """This counts the attention and not the feed-forward network, two thirds of a layer."""
    return counted(layer=4 * D_MODEL**2 + 8 * D_MODEL)


def millions_one_layer():
    """This counts one layer: there are 24."""
    return counted(layers=1)


def millions_twelve_layers():
    """This counts 12 layers, as ViT-B has them: there are 24."""
    return counted(layers=12)


def millions_bytes():
    """This is the memory in MB, at 4 bytes a number: count the numbers."""
    return 4 * counted()


MILLIONS = Claim(
    id="7.13",
    title="Whose 307 million?",
    level="medium",
    text="""
ViT-Large is published with 307 million parameters. Count those of ViT-L/16, with **patches of 16**:

- pictures of 224 x 224 in 3 colours,
- a linear map of the patches with bias,
- a [CLS] vector, and a learned position for each patch and for [CLS],
- 24 layers of width D = 1024, d_ff = 4 D, biases everywhere,
- two LayerNorms a layer, and one at the end,
- a linear head for 1000 classes with bias.

How many **million parameters** are these, to one decimal?
""",
    hints=(
        "A layer has 12 D² weights, 9 D biases and 4 D numbers in its two LayerNorms.",
        "The patches' map has 3 x 16 x 16 inputs. How many positions are there?",
        "The head alone has 1.025 million.",
    ),
    solution=millions,
    second_style=millions_counted,
    mistakes=(
        millions_published,
        millions_patch_32,
        millions_patch_14,
        millions_no_head,
        millions_no_head_no_positions,
        millions_thumb,
        millions_layers,
        millions_no_positions,
        millions_no_patches,
        millions_grey,
        millions_weights,
        millions_base,
        millions_half_feed_forward,
        millions_narrow,
        millions_three_maps,
        millions_attention,
        millions_one_layer,
        millions_twelve_layers,
        millions_bytes,
    ),
    tolerance=0.051,
    unit="million parameters",
    verdict="The 307 belong to patches of 32, with 306.5 million: their map has four times as many "
    "weights, which is more than the fewer positions save.",
    see="7I The whole, and how large it gets",
)
