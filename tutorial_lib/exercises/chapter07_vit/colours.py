"""Chapter 07: what a hidden patch is to be guessed as."""

import torch
import torch.nn.functional as F

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


def coloured(images, patch_size, bits, digit=None, base=None, pool=F.avg_pool2d, order=1):
    """The classes, with the slips that can be made on the way."""
    levels = 2**bits
    means = pool(images, patch_size)
    digits = (digit or (lambda m: (m * levels).long().clamp(max=levels - 1)))(means)
    classes = torch.zeros_like(digits[:, 0])
    for channel in range(digits.size(1))[::order]:
        classes = classes * (base or levels) + digits[:, channel]
    return classes.flatten(1)


def targets_white(images, patch_size, bits):
    """This lets a mean of 1 become 2^bits, one too many: the highest digit is 2^bits - 1."""
    return coloured(images, patch_size, bits, digit=lambda m: (m * 2**bits).long())


def targets_rounded(images, patch_size, bits):
    """This rounds to the nearest: take the whole number below."""
    high = 2**bits - 1
    return coloured(
        images, patch_size, bits, digit=lambda m: (m * 2**bits).round().long().clamp(max=high)
    )


def targets_rounded_steps(images, patch_size, bits):
    """This rounds m · (2^bits - 1), so that the darkest and the brightest class are half as wide:
    take the whole number below m · 2^bits.
    """
    return coloured(images, patch_size, bits, digit=lambda m: (m * (2**bits - 1)).round().long())


def targets_rounded_up(images, patch_size, bits):
    """This rounds up: take the whole number below."""
    high = 2**bits - 1
    return coloured(
        images, patch_size, bits, digit=lambda m: (m * 2**bits).ceil().long().clamp(max=high)
    )


def targets_upper_borders(images, patch_size, bits):
    """This puts a mean on the border of two digits into the lower one: with 2 bits a mean of 0.5
    has the digit 2.
    """
    return coloured(
        images, patch_size, bits, digit=lambda m: ((m * 2**bits).ceil() - 1).clamp(min=0).long()
    )


def targets_wrapped(images, patch_size, bits):
    """This takes the remainder, so that white becomes black: the highest digit is 2^bits - 1."""
    return coloured(images, patch_size, bits, digit=lambda m: (m * 2**bits).long() % 2**bits)


def targets_base_bits(images, patch_size, bits):
    """This has base `bits`: the digits run to 2^bits - 1, so the base is 2^bits."""
    return coloured(images, patch_size, bits, base=bits)


def targets_one_level_less(images, patch_size, bits):
    """This multiplies by 2^bits - 1, so that only white gets the highest digit: multiply by
    2^bits.
    """
    return coloured(images, patch_size, bits, digit=lambda m: (m * (2**bits - 1)).long())


def targets_bits_as_levels(images, patch_size, bits):
    """This has as many levels as bits: b bits tell 2^b levels apart."""
    high = bits - 1
    return coloured(
        images, patch_size, bits, digit=lambda m: (m * bits).long().clamp(max=high), base=bits
    )


def targets_bytes(images, patch_size, bits):
    """This keeps 8 bits a channel: `bits` of them are asked for."""
    return coloured(images, patch_size, 8)


def targets_last_first(images, patch_size, bits):
    """This makes the last channel's digit the highest: it is the first channel's."""
    return coloured(images, patch_size, bits, order=-1)


def targets_summed(images, patch_size, bits):
    """This adds up the digits, so that red, green and blue are one class: make a number of them,
    in base 2^bits.
    """
    return coloured(images, patch_size, bits, base=1)


def targets_decimal(images, patch_size, bits):
    """This has base 10: the digits run to 2^bits - 1, so the base is 2^bits."""
    return coloured(images, patch_size, bits, base=10)


def targets_byte_base(images, patch_size, bits):
    """This has base 256: the digits run to 2^bits - 1, so the base is 2^bits."""
    return coloured(images, patch_size, bits, base=256)


def targets_base_two(images, patch_size, bits):
    """This has base 2: the digits run to 2^bits - 1, so the base is 2^bits."""
    return coloured(images, patch_size, bits, base=2)


def targets_grey(images, patch_size, bits):
    """This averages the channels too: each has a digit of its own."""
    return coloured(images.mean(dim=1, keepdim=True), patch_size, bits)


def targets_red(images, patch_size, bits):
    """This takes the first channel only."""
    return coloured(images[:, :1], patch_size, bits)


def targets_brightest(images, patch_size, bits):
    """This takes the highest value of a patch: the mean is asked for."""
    return coloured(images, patch_size, bits, pool=F.max_pool2d)


def targets_first_pixel(images, patch_size, bits):
    """This takes the first pixel of a patch: the mean of all is asked for."""
    return coloured(images, patch_size, bits, pool=lambda x, p: x[:, :, ::p, ::p])


def targets_digits_first(images, patch_size, bits):
    """This rounds each pixel first and then takes the mean: take the mean first."""
    levels = 2**bits
    digits = (images * levels).floor().clamp(max=levels - 1)
    return coloured(digits, patch_size, bits, digit=lambda m: m.long())


def targets_by_columns(images, patch_size, bits):
    """This goes down the columns of patches: they come row by row."""
    return coloured(images.transpose(2, 3), patch_size, bits)


def targets_digits(images, patch_size, bits):
    """This keeps one digit a channel: make one class of them."""
    levels = 2**bits
    digits = (F.avg_pool2d(images, patch_size) * levels).long().clamp(max=levels - 1)
    return digits.flatten(2).transpose(1, 2)


def targets_grid(images, patch_size, bits):
    """This keeps rows and columns of patches as two axes: one class a patch, (B, N)."""
    rows = images.size(2) // patch_size
    return coloured(images, patch_size, bits).unflatten(1, (rows, -1))


def targets_decimals(images, patch_size, bits):
    """This leaves the classes as decimal numbers: `cross_entropy` wants whole ones."""
    return coloured(images, patch_size, bits).float()


def targets_means(images, patch_size, bits):
    """This returns the mean colours: a class is asked for, a whole number."""
    return F.avg_pool2d(images, patch_size).flatten(2).transpose(1, 2)


def targets_base_eight(images, patch_size, bits):
    """This has base 8, which is right for 3 bits only: the base is 2^bits."""
    return coloured(images, patch_size, bits, base=8)


def targets_three_bits(images, patch_size, bits):
    """This has 3 bits whatever `bits` says: there are 2^bits digits, and the base is 2^bits."""
    return coloured(images, patch_size, 3)


def targets_eight_levels(images, patch_size, bits):
    """This has 8 levels, which is right for 3 bits only: multiply by 2^bits, and the highest digit
    is 2^bits - 1.
    """
    return coloured(
        images, patch_size, bits, digit=lambda m: (m * 8).long().clamp(max=7), base=2**bits
    )


def targets_int32(images, patch_size, bits):
    """The classes are whole numbers of another kind than int64 (long), which `F.cross_entropy`
    needs: `.long()` makes them so.
    """
    return coloured(images, patch_size, bits).int()


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
    mistakes=(
        targets_white,
        targets_rounded,
        targets_rounded_up,
        targets_upper_borders,
        targets_wrapped,
        targets_base_bits,
        targets_rounded_steps,
        targets_one_level_less,
        targets_bits_as_levels,
        targets_bytes,
        targets_last_first,
        targets_summed,
        targets_decimal,
        targets_byte_base,
        targets_base_two,
        targets_grey,
        targets_red,
        targets_brightest,
        targets_first_pixel,
        targets_digits_first,
        targets_by_columns,
        targets_digits,
        targets_grid,
        targets_decimals,
        targets_means,
        targets_base_eight,
        targets_three_bits,
        targets_eight_levels,
        targets_int32,
    ),
    cases=mean_colour_targets_cases,
    run=fit_to_learn,
    see="7.6 Hidden patches",
)
