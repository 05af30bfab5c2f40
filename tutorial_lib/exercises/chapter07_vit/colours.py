"""Chapter 07: what a hidden patch is to be guessed as."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


def mean_colour_targets_xor(images, patch_size, bits):
    """In Python `2 ^ bits` is no power (it compares bit by bit): write `2**bits`."""
    levels = 2 ^ bits
    digits = (F.avg_pool2d(images, patch_size) * levels).long().clamp(max=levels - 1)
    classes = torch.zeros_like(digits[:, 0])
    for channel in range(images.size(1)):
        classes = classes * levels + digits[:, channel]
    return classes.flatten(1)


def fit_to_learn(answer):
    """Remark that a loss would refuse the dtype of the classes; "" when it would not."""
    given = torch.as_tensor(answer(torch.ones(1, 3, 4, 4), 2, 2))
    if given.dtype is torch.int64 or given.is_floating_point():
        return ""
    return "`F.cross_entropy` takes classes as int64 (long) only: `.long()` makes them so."


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


def classes(answer, images, bits, patch_size=2):
    """The classes of one picture, (N,). Raises ValueError when there are more or fewer."""
    found = answer(images[None], patch_size, bits)
    n_patches = images[0].numel() // patch_size**2
    if found.numel() != n_patches:
        raise ValueError("not one class a patch")
    return found.reshape(n_patches)


def even(*means):
    """A picture with one patch of 2 x 2 pixels, each channel of one brightness."""
    return torch.tensor(means).view(-1, 1, 1).expand(-1, 2, 2)


def digit(answer, mean, bits):
    """The class of a grey patch."""
    return classes(answer, even(mean), bits)[0].item()


def fits_the_loss(answer):
    """int64."""
    found = answer(torch.rand(2, 3, 4, 6), 2, 2)
    if isinstance(found, str):
        return f"The classes are {found}, which `F.cross_entropy` needs: `.long()` makes them so."
    if not found.is_floating_point():
        return True
    if (found != found.round()).any():
        return "It returns mean colours: a class is asked for, a whole number."
    return False


def one_class_a_patch(answer):
    """(B, N)."""
    shape = tuple(answer(torch.rand(2, 3, 4, 10), 2, 2).shape)
    sentences = {
        (2, 2, 5): "Rows and columns of patches are two axes: one class a patch, (B, N).",
        **dict.fromkeys(
            ((2, 3, 10), (2, 10, 3), (2, 3, 2, 5)),
            "There is a digit a channel: make one class of them, (B, N).",
        ),
    }
    return shape == (2, 10) or sentences.get(shape, False)


def patches_row_by_row(answer):
    """Six greys."""
    greys = torch.arange(6.0).view(1, 2, 3) / 8 + 1 / 32
    found = classes(answer, greys.repeat_interleave(2, 1).repeat_interleave(2, 2), 3)
    if (found.diff() > 0).all():
        return True
    return None if (found.diff() >= 0).all() else False


def takes_the_mean(answer):
    """A patch counts as much as an even one with its mean."""
    patch = torch.tensor([[[0.05, 0.1], [0.1, 0.95]]])  # the mean is 0.3
    found = classes(answer, patch, 2)[0].item()
    if found == digit(answer, 0.3, 2):
        return True
    sentences = {
        digit(answer, 0.95, 2): "It takes the highest value of a patch: the mean is asked for.",
        digit(answer, 0.05, 2): "It does not take the mean of a patch as it is: take the mean of "
        "all its pixels first, then the whole number of it.",
    }
    return sentences.get(found, False)


def digits_are_floors(answer):
    """Whole numbers below."""
    for bits in (2, 3):
        for mean in (0.05, 0.3, 0.45, 0.6, 0.8, 0.95):
            wanted, found = int(mean * 2**bits), digit(answer, mean, bits)
            if found != wanted:
                return (
                    f"With {bits} bits a grey patch of {mean} gets the digit {found:g}: take the "
                    f"whole number below, ⌊{mean} · {2**bits}⌋ = {wanted}."
                )
    return True


def white_has_the_highest_digit(answer):
    """2^bits - 1."""
    found = digit(answer, 1.0, 2)
    return found == 3 or f"With 2 bits white gets the digit {found:g}: at most 2^bits - 1 = 3."


def borders_go_up(answer):
    """0.5 with 2 bits has the digit 2."""
    return digit(answer, 0.5, 2) >= 2


def place_values(answer):
    """What one step of each of three channels adds to the class: for 2 and for 3 bits."""
    for bits in (2, 3):
        low, step = 1.25 / 2**bits, 1 / 2**bits
        at = [low] * 3
        before = classes(answer, even(*at), bits)[0].item()
        found = []
        for channel in range(3):
            more = [low + step * (channel == other) for other in range(3)]
            found.append(round(classes(answer, even(*more), bits)[0].item() - before, 3))
        yield bits, found


def first_channel_is_highest(answer):
    """The place values fall."""
    return not any(
        found == sorted(found) and found[0] < found[2] for _, found in place_values(answer)
    )


def base_is_the_number_of_digits(answer):
    """4 for 2 bits, 8 for 3."""
    for bits, found in place_values(answer):
        base = 2**bits
        found = sorted(found, reverse=True)
        if found == [1, 1, 1]:
            return "It adds up the digits, so that red, green and blue are one class."
        if found != [base**2, base, 1]:
            if found[2] == 1 and found[0] == found[1] ** 2:
                return f"It has base {found[1]:g} with {bits} bits: the base is 2^bits = {base}."
            return (
                f"With {bits} bits a step of the three channels counts {found[0]:g}, {found[1]:g} "
                f"and {found[2]:g}: it must be {base**2}, {base} and 1."
            )
    return True


MEAN_COLOUR_TARGETS = Write(
    id="7.11",
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
    mistakes=(mean_colour_targets_xor,),
    cases=mean_colour_targets_cases,
    properties=(
        Property(
            "The classes are decimal numbers: `cross_entropy` wants whole ones.", fits_the_loss
        ),
        Property("One class a patch is asked for, (B, N).", one_class_a_patch),
        Property("The patches must come row by row.", patches_row_by_row),
        Property("The mean of all pixels of a patch is asked for.", takes_the_mean),
        Property("A digit is the whole number below m · 2^bits.", digits_are_floors),
        Property(
            "A mean on the border of two digits gets the lower one: with 2 bits a mean of 0.5 has "
            "the digit 2.",
            borders_go_up,
        ),
        Property("The highest digit is 2^bits - 1.", white_has_the_highest_digit),
        Property(
            "The last channel's digit is the highest: it is the first channel's.",
            first_channel_is_highest,
        ),
        Property("The base is 2^bits.", base_is_the_number_of_digits),
    ),
    remarks=(fit_to_learn,),
    see="7G Hidden patches",
)
