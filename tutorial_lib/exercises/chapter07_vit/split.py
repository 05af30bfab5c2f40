"""Chapter 07: a validation curve that is too good to be true."""

import itertools
import random

import torch

from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def split(order, n_validation, n_test):
    """Return the numbers of the training, validation and test images, three parts of a list.

    order holds the numbers of all images, shuffled. The first ones train, the next n_validation
    are for choices, the last n_test for one measurement at the end; each image is in one part.
    """
    n_train = len(order) - n_validation - n_test
    train = order[:n_train]
    validation = order[n_train : n_train + n_validation]
    test = order[n_train + n_validation :]
    return train, validation, test


def split_from_the_end(order, n_validation, n_test):
    """Second style."""
    rest = list(order)
    test = [rest.pop() for _ in range(n_test)][::-1]
    validation = [rest.pop() for _ in range(n_validation)][::-1]
    return rest, validation, test


def split_validation_last_trained(order, n_validation, n_test):
    """This takes the validation images from the end of the training images."""
    n_train = len(order) - n_validation - n_test
    train = order[:n_train]
    validation = order[n_train - n_validation : n_train]
    test = order[n_train + n_validation :]
    return train, validation, test


def split_validation_spread(order, n_validation, n_test):
    """This takes the validation images from the whole of the training images, evenly spread."""
    n_train = len(order) - n_validation - n_test
    train = order[:n_train]
    validation = [train[i * n_train // n_validation] for i in range(n_validation)]
    test = order[n_train + n_validation :]
    return train, validation, test


def split_validation_trained(order, n_validation, n_test):
    """This takes the validation images from the beginning of the training images."""
    n_train = len(order) - n_validation - n_test
    train = order[:n_train]
    validation = order[:n_validation]
    test = order[n_train + n_validation :]
    return train, validation, test


def split_validation_added(order, n_validation, n_test):
    """This puts the validation images at the end of the training images, too."""
    n_train = len(order) - n_validation - n_test
    train = order[: n_train + n_validation]
    validation = order[n_train : n_train + n_validation]
    test = order[n_train + n_validation :]
    return train, validation, test


def split_cases():
    """Parts of different sizes, and equal ones."""
    return [
        case("10 images", [7, 2, 9, 0, 5, 1, 8, 3, 6, 4], 2, 3),
        case("9 images", [3, 8, 1, 0, 6, 2, 7, 5, 4], 3, 3),
        case("6 images", [5, 0, 3, 1, 4, 2], 1, 2),
    ]


SIZES = (60, 120, 180, 240, 300, 360, 420, 480)


def curves(split):
    """Return the accuracies on training, validation and test images: three lists, one per SIZES.

    There are 600 images of ten kinds, sorted by kind: points around ten centres. The learner is the
    simplest there is, a memory: it keeps the first n training images and says the label of the one
    that is nearest. Validation and test have 60 images each. In so many directions that a memory
    gets better with more images, as real learners do.
    """
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(10).repeat_interleave(60)
    centres = torch.randn(10, 30, generator=generator)
    images = 0.7 * centres[labels] + torch.randn(600, 30, generator=generator)
    order = random.Random(0).sample(range(600), 600)
    parts = split(order, 60, 60)
    distances = torch.cdist(images, images)
    drawn = [[] for _ in parts]
    for size in SIZES:
        memory = torch.tensor(parts[0][:size])
        for accuracies, part in zip(drawn, (memory, *parts[1:]), strict=True):
            part = torch.as_tensor(part)
            said = labels[memory[distances[part][:, memory].argmin(dim=1)]]
            accuracies.append((said == labels[part]).float().mean().item())
    return drawn


ORDER = [7, 2, 9, 0, 5, 10, 1, 8, 3, 6, 4]


def parts(answer):
    """Eleven images, of which two are for choices and three for the test."""
    return [torch.as_tensor(part).tolist() for part in answer(ORDER, 2, 3)]


def keeps_the_order(answer):
    """The images are taken as they are shuffled."""
    train, validation, test = parts(answer)
    return all(part == [n for n in ORDER if n in part] for part in (train, validation, test))


def no_image_twice(answer):
    """No image is in two parts."""
    train, validation, test = map(set, parts(answer))
    named = (("training", train), ("validation", validation), ("test", test))
    for (one, left), (two, right) in itertools.combinations(named, 2):
        if left & right:
            return f"Images are in two parts, {one} and {two}: each is in one."
    return True


def each_image_once(answer):
    """No image is lost."""
    lost = set(ORDER) - {n for part in parts(answer) for n in part}
    return not lost or f"Of 11 images it leaves out {len(lost)}: each is in one part."


def sizes(answer):
    """6, 2 and 3."""
    found = [len(part) for part in parts(answer)]
    return found == [6, 2, 3] or (
        "With 11 images, n_validation = 2 and n_test = 3 the parts have {}, {} and {}: 6, 2 and 3 "
        "are asked for.".format(*found)
    )


def in_turn(answer):
    """First the training images, last the test images, in the order given or sorted."""
    if no_image_twice(answer) is not True:
        return None
    found = parts(answer)
    for order in (ORDER, sorted(ORDER)):
        train, validation, test = ([order.index(n) for n in part] for part in found)
        if max(train) < min(validation) and max(validation) < min(test):
            return True
    return False


SPLIT = Symptom(
    id="7.5",
    title="Nothing left to improve",
    level="easy",
    text="""
The picture above shows what share of training, validation and test images a *memory* reads right.
The memory keeps the first 60 to 480 training images, and says the label of the nearest one. How
well does it read new ones? The 60 validation and the 60 test images should tell. `split` made the
three parts, with one of these mistakes. Each of them lets validation and training share images, but
only one draws this curve. Choose the letter, then repair `split`.
""",
    hints=(
        "On which images must a memory be perfect, and why?",
        "Look at the left end: the memory keeps the first 60 training images, and no more.",
        "Print the three parts for ten images: is any number in two of them?",
    ),
    solution=split,
    second_style=split_from_the_end,
    mistakes=(
        split_validation_last_trained,
        split_validation_spread,
        split_validation_trained,
        split_validation_added,
    ),
    shown=split_validation_trained,
    looks=(
        "The validation curve would start near the test curve and reach 1 only at the last size, "
        "when the memory keeps all 480.",
        "The validation curve would start near the test curve and rise to 1 step by step, as the "
        "memory keeps more and more of its images.",
        "The validation curve would lie on the training curve, at 1, from the first size on: "
        "the memory keeps all of its images from the start.",
        "No curve would look wrong: the memory keeps the first 480 images, and the added ones come "
        "after them.",
    ),
    cases=split_cases,
    properties=(
        Property(
            "The images of a part come in another order than in `order`: take them as they are "
            "shuffled.",
            keeps_the_order,
        ),
        Property("Images are in two parts.", no_image_twice),
        Property("Each image must be in one part.", each_image_once),
        Property("The parts have other sizes.", sizes),
        Property("The first images train, the last ones are the test.", in_turn),
    ),
    results=("training part", "validation part", "test part"),
    see="7D Train it",
)
