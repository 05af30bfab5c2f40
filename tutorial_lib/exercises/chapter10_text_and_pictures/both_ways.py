"""Chapter 10: pictures choose among texts, and texts among pictures."""

import functools
import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed, no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def contrastive_loss(logits):
    """Return the loss of logits (B, B), in which image i belongs to text i: one number.

    Each image chooses among the texts, each text among the images: the mean of both losses.
    """
    pairs = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, pairs) + F.cross_entropy(logits.T, pairs)) / 2


def contrastive_loss_written_out(logits):
    """Second style."""
    right = logits.diagonal()
    of_images = torch.logsumexp(logits, dim=1) - right
    of_texts = torch.logsumexp(logits, dim=0) - right
    return torch.cat([of_images, of_texts]).mean()


# What each pair is worth, (B,), to those that choose along `dim`: 1, images among texts.


def log_softmax(x, dim):
    """The logarithm of the probability of the right one."""
    return x.log_softmax(dim).diagonal()


def probability(x, dim):
    """The probability itself."""
    return x.softmax(dim).diagonal()


def softmax_twice(x, dim):
    """A cross-entropy that gets probabilities for logits."""
    return x.softmax(dim).log_softmax(dim).diagonal()


def logits_alone(x, dim):
    """The logits of the pairs."""
    return x.diagonal()


def others_alone(x, dim):
    """The right one does not stand in the sum below the line."""
    own = torch.eye(len(x)).bool()
    return x.diagonal() - x.masked_fill(own, -math.inf).logsumexp(dim)


def among_all_pairs(x, dim):
    """One softmax over the whole table."""
    return x.diagonal() - x.flatten().logsumexp(0)


def in_bits(x, dim):
    """Logarithms to the base 2."""
    return log_softmax(x, dim) / math.log(2)


def missing(x, dim):
    """What is missing to a probability of 1."""
    return x.softmax(dim).diagonal() - 1


def next_one(x, dim):
    """Each is said to belong to the next."""
    return x.log_softmax(dim).roll(-1, dims=1).diagonal()


def loss(x, ways=lambda a, b: (a + b) / 2, worth=log_softmax, reduce=torch.mean, sign=-1):
    """The loss with slips."""
    return sign * ways(reduce(worth(x, 1)), reduce(worth(x, 0)))


def contrastive_loss_images_only(logits):
    """Only the images choose among the texts: the texts must choose among the images, too, along
    the columns.
    """
    return loss(logits, lambda a, b: a)


def contrastive_loss_texts_only(logits):
    """Only the texts choose among the images: the images must choose among the texts, too, along
    the rows.
    """
    return loss(logits, lambda a, b: b)


def contrastive_loss_added(logits):
    """This adds the two directions: take their mean."""
    return loss(logits, lambda a, b: a + b)


def contrastive_loss_summed(logits):
    """This sums over the pairs: take the mean, so that a larger batch has no larger loss."""
    return loss(logits, reduce=torch.sum)


def contrastive_loss_softmax_twice(logits):
    """This takes a softmax before `cross_entropy`, which takes one itself: give it the logits."""
    return loss(logits, worth=softmax_twice)


def contrastive_loss_probabilities(logits):
    """This takes the mean of the probabilities: the loss takes their logarithms, and turns the
    sign.
    """
    return loss(logits, worth=probability)


def contrastive_loss_sign(logits):
    """The sign is wrong: the better the model, the smaller its loss, and 0 is the smallest."""
    return loss(logits, sign=1)


def contrastive_loss_all_pairs(logits):
    """One softmax runs over the whole table: each image has its own choice, along its row, and
    each text along its column.
    """
    return loss(logits, worth=among_all_pairs)


def contrastive_loss_others_alone(logits):
    """The right one is missing in the sum of the softmax: it stands in it like all others."""
    return loss(logits, worth=others_alone)


def contrastive_loss_next_one(logits):
    """This takes text i + 1 for the right one of image i: it is text i."""
    return loss(logits, worth=next_one)


def contrastive_loss_each_pair(logits):
    """This asks of each pair by itself whether it belongs together, with a sigmoid (as SigLIP does,
    Zhai et al. 2023): here each chooses *among* all, with a softmax.
    """
    signs = 2 * torch.eye(len(logits)) - 1
    return -F.logsigmoid(signs * logits).mean()


def contrastive_loss_per_pair(logits):
    """This returns a loss for each pair: take the mean of all."""
    return -(log_softmax(logits, 1) + log_softmax(logits, 0)) / 2


def contrastive_loss_cases():
    """Batches of two and more, one that is sure and right, one that is sure and wrong."""
    sure = 8 * torch.eye(4) + torch.randn(4, 4)
    return [
        case("a batch of 5", 2 * torch.randn(5, 5)),
        case("a batch of 2", torch.tensor([[2.0, 1.0], [-1.0, 0.5]])),
        case("sure and right", sure),
        case("sure and wrong", sure.roll(1, dims=0)),
        case("all alike", torch.zeros(3, 3)),
    ]


def examples():
    """Batches of two sizes, whose rows and columns differ."""
    generator = torch.Generator().manual_seed(2)
    return [2 * torch.randn(n, n, generator=generator) for n in (3, 4, 6)]


@functools.lru_cache(maxsize=1)
def read(answer):
    """What an answer makes of the examples, (3,). Raises an error when one is not a number."""
    return torch.stack([torch.as_tensor(answer(x)).float().reshape(()) for x in examples()])


def one_number(answer):
    """One number."""
    found = answer(examples()[0])
    if isinstance(found, list):
        return "It returns several things: return one number."
    size = torch.as_tensor(found).numel()
    if size == 3:
        return "It returns a loss for each of them: take the mean."
    return size == 1


def order_of_pairs(answer):
    """The loss changes with the order of the pairs in the batch."""
    order = torch.tensor([2, 0, 3, 1])
    x = examples()[1]
    one, other = (torch.as_tensor(answer(y)).float() for y in (x, x[order][:, order]))
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def sure_and_right(answer):
    """Where each of both sides is sure of the right one, the loss must be 0."""
    return abs(float(answer(40 * torch.eye(4)))) < 1e-3


def two_losses(answer):
    """Rows and columns are averaged *before* the softmax: take two losses first."""
    x = examples()[1]
    found, same = (float(answer(y)) for y in (x, (x + x.T) / 2))
    return abs(found - same) > 1e-3 or abs(found) < 1e-6


def two_pairs(answer):
    """For the logits [[2, 0], [0, 0]] the two pictures have the losses 0.127 and 0.693, and so have
    the two texts: the result must be the mean, 0.410.
    """
    if not (guessing_costs(answer) and both_directions(answer)):
        return None
    return abs(float(answer(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))) - 0.41004) < 2e-3


def guessing_costs(answer):
    """A model that guesses, with all logits alike, must have the loss ln B."""
    found = [torch.as_tensor(answer(torch.zeros(n, n))).float().item() for n in (4, 8)]
    wanted = [math.log(n) for n in (4, 8)]
    return all(math.isclose(a, b, rel_tol=3e-3) for a, b in zip(found, wanted, strict=True))


def both_directions(answer):
    """Turned on its side, the table must have the same loss."""
    x = examples()[1]
    one, other = (torch.as_tensor(answer(y)).float() for y in (x, x.T))
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def way_back(answer):
    """Remark on a loss that could not train a model."""
    return no_way_back(answer, examples()[0])


@functools.cache
def with_slips(*choices):
    """The losses with a choice for each of the rules below."""
    return torch.stack([loss(x, *choices) for x in examples()])


CONTRASTIVE_LOSS = Write(
    id="10.2",
    title="Who belongs to whom",
    level="easy",
    text="""
Write `contrastive_loss(logits)`: the loss L above, one number. `logits` (B, B) is the table of the
last exercise, with a row for each picture and a column for each text. Picture i belongs to text i,
and B is at least 2.

An example: `[[2, 0], [1, 0]]`. The first picture chooses well, the second badly, and on average
they pay 0.720. The two texts pay 0.503 on average. The loss is 0.612.
""",
    hints=(
        "For the pictures this is a classification with B classes: *which of the texts is mine?* "
        "Which class is right for picture 0, 1, 2, ...?",
        "`F.cross_entropy(logits, labels)` lets each *row* choose. How do columns become rows?",
        "`torch.arange(B)` are the labels, in both directions.",
    ),
    solution=contrastive_loss,
    second_style=contrastive_loss_written_out,
    mistakes=(
        contrastive_loss_images_only,
        contrastive_loss_texts_only,
        contrastive_loss_added,
        contrastive_loss_summed,
        contrastive_loss_softmax_twice,
        contrastive_loss_probabilities,
        contrastive_loss_sign,
        contrastive_loss_all_pairs,
        contrastive_loss_others_alone,
        contrastive_loss_next_one,
        contrastive_loss_each_pair,
        contrastive_loss_per_pair,
    ),
    cases=contrastive_loss_cases,
    properties=(
        Property("The loss is one number.", one_number),
        *composed(
            read,
            with_slips,
            {
                "It is the mean of both directions.": lambda a, b: (a + b) / 2,
                "Only the images choose: the texts must, too.": lambda a, b: a,
                "Only the texts choose: the images must, too.": lambda a, b: b,
                "The two directions are added: take their mean.": lambda a, b: a + b,
                "The larger of the two counts alone: take the mean.": torch.minimum,
                "The two directions are multiplied: take their mean.": lambda a, b: a * b,
            },
            {
                "Each pair counts with the logarithm of its probability.": log_softmax,
                "It takes probabilities, and not their logarithms.": probability,
                "It takes 1 minus the probability: minus its logarithm.": missing,
                "A softmax is taken before `cross_entropy`, which takes one itself.": softmax_twice,
                "There is no softmax: only the logits of the pairs count.": logits_alone,
                "The right one is missing in the sum of the softmax.": others_alone,
                "One softmax runs over the whole table: a row, or a column, chooses by "
                "itself.": among_all_pairs,
                "It takes logarithms to the base 2: natural ones, please.": in_bits,
                "Each is told that the next one is right: it is the one with its own "
                "number.": next_one,
            },
            {
                "The pairs are averaged.": torch.mean,
                "The pairs are summed: take the mean.": torch.sum,
                "It divides by B²: there are B pairs.": lambda x: x.mean() / len(x),
                "Only the worst pair counts: take the mean of all.": torch.min,
                "Only the first pair counts: take the mean of all.": lambda x: x[0],
            },
            {
                "A better model has a smaller loss.": -1,
                "The sign is wrong: the better the model, the smaller its loss.": 1,
                "It is half of what it should be.": -0.5,
            },
            otherwise=(
                two_losses,
                both_directions,
                order_of_pairs,
                sure_and_right,
                guessing_costs,
                two_pairs,
            ),
        ),
    ),
    remarks=(way_back,),
)
