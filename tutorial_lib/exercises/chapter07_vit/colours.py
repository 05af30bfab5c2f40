"""Chapter 07: what a hidden patch is to be guessed as."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter07_vit.colours_slips import SLIPS
from tutorial_lib.exercises.engine.tasks import Write, case


def mean_colour_targets(images, patch_size, bits):
    """Return the mean colour of each patch as one class, (B, N), from images (B, C, height, width).

    Pixels run from 0 to 1. A channel's mean m becomes the whole number floor(m · 2^bits), at most
    2^bits - 1; these are the digits of a number in base 2^bits, the first channel's the highest.
    """
    means = F.avg_pool2d(images, patch_size)  # (B, C, rows, columns)
    levels = 2**bits
    digits = (means * levels).long().clamp(max=levels - 1)
    classes = torch.zeros_like(digits[:, 0])
    for channel in range(images.size(1)):
        classes = classes * levels + digits[:, channel]
    return classes.flatten(1)


def mean_colour_targets_loop(images, patch_size, bits):
    """Second style."""
    targets, levels, p = [], 2**bits, patch_size
    for image in images:
        row = []
        for y in range(0, image.size(1), p):
            for x in range(0, image.size(2), p):
                number = 0
                for channel in image[:, y : y + p, x : x + p]:
                    number = number * levels + min(int(channel.mean() * levels), levels - 1)
                row.append(number)
        targets.append(row)
    return torch.tensor(targets)


def fit_to_learn(answer, *args):
    """Return what the answer gives; a word in its place where a loss would refuse its dtype."""
    given = answer(*args)
    dtype = str(getattr(given, "dtype", "")).removeprefix("torch.")
    short = dtype.startswith(("int", "uint")) and dtype != "int64"
    return "whole numbers that are not int64 (long)" if short else given


def mean_colour_targets_cases():
    """Colours with 3 bits and with 2, greys, pictures that are not square, white and black, and
    means on a border between two digits.
    """
    # Quarters are exact in binary, so that the mean is too, in whatever order it is added up.
    border = torch.tensor([0.5, 0.25, 0.75]).view(1, 3, 1, 1).repeat(1, 1, 2, 2)
    edges = torch.stack([torch.ones(3, 2, 2), torch.zeros(3, 2, 2)])
    smooth = torch.rand(2, 3, 2, 3).repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)
    return [
        case("2 pictures in colour, 3 bits", (smooth + 0.2 * torch.rand(2, 3, 4, 6)) / 1.2, 2, 3),
        case("a grey picture, 2 bits", torch.rand(1, 1, 6, 6), 3, 2),
        case("white and black", edges, 2, 3),
        case("a picture in colour, 2 bits", torch.rand(1, 3, 4, 6) ** 2, 2, 2),
        case("means on a border", border, 2, 2),
    ]


MEAN_COLOUR_TARGETS = Write(
    id="7.8",
    title="The colour of a patch",
    level="medium",
    text="""
A ViT can guess hidden patches, not pixel by pixel but by their mean colour, as one class. Write
`mean_colour_targets(images, patch_size, bits)` for images (B, C, height, width) with pixels from 0
to 1. For each patch and channel take the mean m, and of it the whole number ⌊m · 2^bits⌋, but **at
most** 2^bits - 1. These C numbers are the digits of one number in **base 2^bits**, the first
channel's digit the highest. Return the classes (B, N) as whole numbers, patches row by row.
""",
    hints=(
        "With 3 bits a channel has digits 0 to 7. Which digit has a mean of 1.0?",
        "`F.avg_pool2d(images, patch_size)` is the mean of each patch, (B, C, rows, columns).",
        "With 3 bits and 3 channels the class is 64 · red + 8 · green + blue.",
    ),
    solution=mean_colour_targets,
    second_style=mean_colour_targets_loop,
    mistakes=SLIPS,
    cases=mean_colour_targets_cases,
    run=fit_to_learn,
    see="7.6 Hidden patches",
)
