"""Chapter 10: a class that nobody has trained, from a few sentences about it."""

import functools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed, no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def class_vectors(prompts):
    """Return a unit vector for each class, (C, D), from P prompts a class, (C, P, D).

    In it each prompt of the class counts alike, however long its vector is.
    """
    prompts = prompts / prompts.norm(dim=-1, keepdim=True)
    classes = prompts.mean(dim=1)  # (C, D)
    return classes / classes.norm(dim=-1, keepdim=True)


def class_vectors_one_by_one(prompts):
    """Second style."""
    return torch.stack([F.normalize(F.normalize(one, dim=1).sum(0), dim=0) for one in prompts])


def unit(x):
    """Each vector divided by its length."""
    return x / x.norm(dim=-1, keepdim=True)


def raw(x):
    """As they came."""
    return x


def by_prompts(x):
    """Divided by the length along the axis of the prompts."""
    return x / x.norm(dim=1, keepdim=True)


def by_square(x):
    """Divided by the square of the length."""
    return x / x.square().sum(dim=-1, keepdim=True)


def by_sum(x):
    """Divided by the sum without signs."""
    return x / x.abs().sum(dim=-1, keepdim=True)


def centred(x):
    """The mean taken away from each, then divided by the length."""
    return unit(x - x.mean(dim=-1, keepdim=True))


def by_columns(x):
    """Each column of (C, D) divided by its length."""
    return x / x.norm(dim=0, keepdim=True)


def together(x):
    """Divided by the length of all numbers."""
    return x / x.norm()


def mean(x):
    """The mean over the prompts."""
    return x.mean(dim=1)


def vectors(prompts, first=unit, join=mean, last=unit):
    """The classes with slips."""
    return last(join(first(prompts)))


def class_vectors_raw(prompts):
    """This takes the mean of the prompts as they came: a longer one would count for more. Give each
    length 1 first.
    """
    return vectors(prompts, first=raw)


def class_vectors_not_again(prompts):
    """The mean of unit vectors is shorter than 1, the shorter, the less they agree: divide by its
    length again.
    """
    return vectors(prompts, last=raw)


def class_vectors_mean_alone(prompts):
    """This is the plain mean: give each prompt length 1 before, and the mean after."""
    return vectors(prompts, raw, mean, raw)


def class_vectors_of_prompts(prompts):
    """This takes the mean over the classes: it goes over the prompts of each, dim=1."""
    return unit(unit(prompts).mean(dim=0))


def class_vectors_of_all(prompts):
    """This makes one vector of all classes: each has its own, (C, D)."""
    return unit(unit(prompts).mean(dim=(0, 1)))


def class_vectors_by_prompts(prompts):
    """This divides along the axis of the prompts: the length of a vector goes over its D numbers,
    the last axis.
    """
    return vectors(prompts, first=by_prompts)


def class_vectors_first(prompts):
    """This takes the first prompt alone: all of them count."""
    return unit(prompts[:, 0])


def class_vectors_largest(prompts):
    """This takes the largest number of each column: the mean is asked for."""
    return vectors(prompts, join=lambda x: x.amax(dim=1))


def class_vectors_by_columns(prompts):
    """The mean is divided along the axis of the classes: divide each class by its own length."""
    return vectors(prompts, last=by_columns)


def class_vectors_each(prompts):
    """This makes a unit vector of each prompt and stops there: a class is their mean."""
    return unit(prompts)


def class_vectors_kept_axis(prompts):
    """This keeps the axis of the prompts, (C, 1, D): one vector a class is (C, D)."""
    return unit(unit(prompts).mean(dim=1, keepdim=True))


def class_vectors_cases():
    """Prompts of very different lengths; one prompt a class; one class."""
    long = torch.randn(3, 4, 5) * torch.tensor([0.1, 1.0, 5.0, 30.0])[:, None]
    return [
        case("2 classes, 3 prompts", torch.randn(2, 3, 4)),
        case("long and short prompts", long),
        case("5 classes, 5 prompts", torch.randn(5, 5, 5)),
        case("one prompt a class", torch.randn(4, 1, 3)),
        case("one class", torch.randn(1, 6, 2)),
    ]


def example():
    """Three classes with four prompts each, of different lengths, (3, 4, 5)."""
    generator = torch.Generator().manual_seed(5)
    lengths = torch.tensor([0.3, 1.0, 2.0, 4.0])[:, None]
    return (torch.randn(3, 4, 5, generator=generator) + 0.5) * lengths


def has_the_shape(answer):
    """(C, D)."""
    shape = tuple(answer(example()).shape)
    sentences = {
        (4, 5): "There is a vector for each prompt: the mean goes over the prompts, dim=1.",
        (5,): "There is one vector for all classes: each has its own, (C, D).",
        (3, 4): "The numbers of a vector are averaged: average the prompts, dim=1.",
        (3, 4, 5): "The prompts of a class are still apart: a class is their mean, (C, D).",
        (3, 1, 5): "The axis of the prompts is still there: one vector a class is (C, D).",
        (12, 5): "The prompts of a class are still apart: a class is their mean, (C, D).",
        (5, 3): "A class must be a row, (C, D).",
    }
    return shape == (3, 5) or sentences.get(
        shape, f"From 3 classes, 4 prompts and D = 5 it makes {shape}: (3, 5) is right."
    )


def each_by_itself(answer):
    """A class depends on the prompts of other classes."""
    prompts = example()
    whole = answer(prompts)
    if whole.shape != (3, 5):
        return None
    return torch.allclose(answer(prompts[1:2])[0], whole[1], rtol=1e-3, atol=1e-3)


def length_one(answer):
    """The vectors of the classes must have length 1."""
    if has_the_shape(answer) is not True:
        return None
    return torch.allclose(answer(example()).norm(dim=-1), torch.ones(3), atol=3e-3)


def lengths_do_not_count(answer):
    """A longer prompt counts for more: each must get length 1 first."""
    if has_the_shape(answer) is not True:
        return None
    prompts = example()
    longer = prompts * torch.tensor([1.0, 9.0, 1.0, 0.2])[:, None]
    return torch.allclose(unit(answer(prompts)), unit(answer(longer)), rtol=1e-3, atol=1e-3)


def all_prompts_count(answer):
    """Some prompts make no difference: each sentence of a class counts."""
    if has_the_shape(answer) is not True:
        return None
    prompts = example()
    whole = answer(prompts)
    for p in range(4):
        other = prompts.clone()
        other[:, p] = -other[:, p].roll(1, dims=-1)
        if (answer(other) - whole).abs().amax(dim=1).min() < 1e-3:
            return False
    return True


def order_does_not_count(answer):
    """The order of the prompts makes a difference."""
    if has_the_shape(answer) is not True:
        return None
    prompts = example()
    return torch.allclose(answer(prompts), answer(prompts.flip(1)), rtol=1e-3, atol=1e-3)


@functools.cache
def with_slips(*choices):
    """The classes with a choice for each of the rules below."""
    return vectors(example(), *choices)


CLASS_VECTORS = Write(
    id="10.6",
    title="A class from many prompts",
    level="medium",
    text="""
“A photo of a dog”, “a drawing of a dog”, ...: a class can be described in more than one sentence,
its *prompts*. The text encoder makes vectors of them: `prompts` (C, P, D), with P sentences for
each of C classes. Write `class_vectors(prompts)`: one vector a class, (C, D), of length 1, the
mean of its sentences, in which **each counts alike**, however long its vector is. No sum is 0 here.
""",
    hints=(
        "Three steps. Which of the three axes does each of them go over?",
        "A length goes over the D numbers of one vector: `prompts.norm(dim=-1, keepdim=True)`.",
        "Is the mean of unit vectors as long as they are? Try two that are at right angles.",
    ),
    solution=class_vectors,
    second_style=class_vectors_one_by_one,
    mistakes=(
        class_vectors_raw,
        class_vectors_not_again,
        class_vectors_mean_alone,
        class_vectors_of_prompts,
        class_vectors_of_all,
        class_vectors_by_prompts,
        class_vectors_first,
        class_vectors_largest,
        class_vectors_by_columns,
        class_vectors_each,
        class_vectors_kept_axis,
    ),
    cases=class_vectors_cases,
    properties=(
        Property("There is a vector for each class, (C, D).", has_the_shape),
        *composed(
            lambda answer: answer(example()),
            with_slips,
            {
                "Each prompt gets length 1 first.": unit,
                "The prompts keep their lengths: each must get length 1 first.": raw,
                "The prompts are divided along their own axis: a length goes over the D numbers of "
                "one vector, the last axis.": by_prompts,
                "The prompts are divided by the squares of their lengths: take the "
                "root.": by_square,
                "The prompts are divided by the sum of their numbers without signs: the length is "
                "the root of the sum of squares.": by_sum,
                "The prompts lose their mean first: only divide each by its length.": centred,
                "The prompts go through a softmax: divide them by their lengths.": lambda x: (
                    x.softmax(dim=-1)
                ),
            },
            {
                "A class is the mean of its prompts.": mean,
                "The sum is not divided by P.": lambda x: x.sum(dim=1),
                "It takes the largest number of each column: the mean is asked for.": lambda x: (
                    x.amax(dim=1)
                ),
                "It takes the median: the mean is asked for.": lambda x: x.median(dim=1).values,
                "Only the first prompt counts: all of them do.": lambda x: x[:, 0],
                "Only the last prompt counts: all of them do.": lambda x: x[:, -1],
                "The prompts are multiplied: take their mean.": lambda x: x.prod(dim=1),
                "It divides by the number of classes: by that of the prompts.": lambda x: (
                    x.sum(dim=1) / 3
                ),
            },
            {
                "The mean gets length 1 again.": unit,
                "The mean is shorter than 1: divide by its length again.": raw,
                "The mean is divided along the axis of the classes: each class by its own "
                "length.": by_columns,
                "The mean is divided by the length of all classes together: each by its "
                "own.": together,
                "The mean is divided by the square of its length: take the root.": by_square,
                "The mean is divided by the sum of its numbers without signs: the length is the "
                "root of the sum of squares.": by_sum,
            },
            otherwise=(
                each_by_itself,
                length_one,
                lengths_do_not_count,
                order_does_not_count,
                all_prompts_count,
            ),
        ),
    ),
    remarks=(lambda answer: no_way_back(answer, example()),),
)
