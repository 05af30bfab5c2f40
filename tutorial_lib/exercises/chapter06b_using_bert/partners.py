"""Chapter 06b: each text of a batch finds its partner."""

import functools
import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter10_text_and_pictures.all_pairs import (
    by_all,
    by_columns,
    by_square,
    by_sum,
    pairs,
    raw,
    unit,
)
from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import (
    among_all_pairs,
    in_bits,
    log_softmax,
    logits_alone,
    loss,
    next_one,
    others_alone,
    probability,
    softmax_twice,
)
from tutorial_lib.exercises.engine.properties import composed, no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def partner_loss(a, b, scale):
    """Return the mean loss, in nats, of each a_i that looks for b_i among all b: one number.

    The vectors of a and b (N, D) need not have length 1; the logits are cosines times scale.
    """
    a = a / a.norm(dim=1, keepdim=True)
    b = b / b.norm(dim=1, keepdim=True)
    logits = scale * a @ b.T  # (N, N)
    return F.cross_entropy(logits, torch.arange(len(a)))  # row i has its partner in column i


def partner_loss_written_out(a, b, scale):
    """Second style."""
    logits = scale * F.cosine_similarity(a[:, None], b[None], dim=-1)
    return (torch.logsumexp(logits, dim=1) - logits.diagonal()).mean()


def first_one(x, dim):
    """Each is said to belong to the first."""
    return x.log_softmax(dim).select(dim, 0)


def of_rows(rows, columns):
    """The loss of those that look for the others along the rows."""
    return rows


def partners(
    a,
    b,
    scale,
    lengths=(unit, unit),
    factor=raw,
    ways=of_rows,
    worth=log_softmax,
    reduce=torch.mean,
):
    """The loss with slips."""
    return loss(pairs(a, b, scale, *lengths, factor), ways, worth, reduce)


def partner_loss_raw(a, b, scale):
    """This multiplies the vectors as they came, and a long one counts more: divide each by its
    length.
    """
    return partners(a, b, scale, lengths=(raw, raw))


def partner_loss_turned(a, b, scale):
    """The softmax runs down the columns, so that each b_i looks for its a_i: each a_i is to look
    for its b_i, along its row.
    """
    return partners(a, b, scale, ways=lambda rows, columns: columns)


def partner_loss_unscaled(a, b, scale):
    """This does not use `scale`: the logits are the cosines times scale."""
    return partners(a, b, scale, factor=lambda s: 1)


def partner_loss_first(a, b, scale):
    """This says that b_0 is the partner of all: the partner of a_i is b_i, so the labels count up
    from 0.
    """
    return partners(a, b, scale, worth=first_one)


def partner_loss_sum(a, b, scale):
    """This sums over the pairs: take the mean, so that a larger batch has no larger loss."""
    return partners(a, b, scale, reduce=torch.sum)


def partner_loss_both_ways(a, b, scale):
    """This takes the mean of both directions, as chapter 10 does: here only the a_i look for their
    partners.
    """
    return partners(a, b, scale, ways=lambda rows, columns: (rows + columns) / 2)


def partner_loss_each(a, b, scale):
    """This returns a loss for each a_i: take the mean of all."""
    return partners(a, b, scale, reduce=raw)


def partner_loss_cases():
    """Batches of two and more, vectors of very different lengths, wrong partners, a large scale."""
    a, b = torch.randn(2, 4, 6)
    long = a * torch.tensor([[0.1], [1.0], [30.0], [4.0]])
    return [
        case("4 pairs", a, a + b, 3.0),
        case("long and short vectors", long, 5 * (a + b), 3.0),
        case("wrong partners", a, (a + b).roll(1, dims=0), 10.0),
        case("2 pairs, scale 20", a[:2], b[:2], 20.0),
        case("all alike", torch.ones(3, 4), torch.ones(3, 4), 20.0),
    ]


def examples():
    """Batches of two sizes, (a, b, scale), with lengths that differ."""
    generator = torch.Generator().manual_seed(8)
    made = []
    for n, scale in ((3, 2.0), (5, 3.0), (4, 0.5)):
        a, b = torch.randn(2, n, 5, generator=generator)
        sizes = torch.linspace(0.5, 2.0, n)[:, None]
        made.append((a * sizes, (a + b) * sizes.flip(0), scale))
    return made


@functools.lru_cache(maxsize=1)
def read(answer):
    """What an answer makes of the examples, (3,). Raises an error when one is not a number."""
    return torch.stack([torch.as_tensor(answer(*x)).float().reshape(()) for x in examples()])


def value(answer, *args):
    """The loss as a plain number."""
    return float(torch.as_tensor(answer(*args)))


def one_number(answer):
    """One number."""
    found = answer(*examples()[1])
    size = torch.as_tensor(found).numel()
    sentences = {
        5: "It returns a loss for each a_i: take the mean.",
        25: "It returns the whole table, (N, N): the loss is one number.",
    }
    return size == 1 or sentences.get(size, False)


def by_length_alone(answer):
    """The loss changes when a vector gets longer: only its direction counts."""
    a, b, scale = examples()[0]
    one, other = value(answer, a, b, scale), value(answer, 3 * a, b / 2, scale)
    return math.isclose(one, other, rel_tol=2e-3, abs_tol=2e-3)


def guessing_costs(answer):
    """Where all vectors are alike, each a_i must guess: the loss must be ln N."""
    found = [value(answer, torch.ones(n, 3), torch.ones(n, 3), 7.0) for n in (4, 8)]
    wanted = [math.log(n) for n in (4, 8)]
    return all(math.isclose(f, w, rel_tol=3e-3) for f, w in zip(found, wanted, strict=True))


def sure_and_right(answer):
    """Where each a_i is sure of its b_i, the loss must be 0."""
    return abs(value(answer, 2 * torch.eye(4), torch.eye(4), 40.0)) < 1e-3


def wrong_partners_cost(answer):
    """Where each a_i is sure of another, the loss must be as large as the scale."""
    eye = torch.eye(4)
    return math.isclose(value(answer, eye, eye.roll(1, dims=0), 40.0), 40, rel_tol=3e-3)


def way_back(answer):
    """Remark on a loss that could not train a model."""
    a, b, scale = examples()[0]
    return no_way_back(lambda x, y: answer(x, y, scale), a, b)


@functools.cache
def with_slips(*choices):
    """The losses with a choice for each of the rules below."""
    return torch.stack([partners(*x, *choices) for x in examples()])


PARTNERS = Write(
    id="6b.9",
    title="Partners of a batch",
    level="medium",
    text="""
`a` and `b`, both (N, D), hold the vectors of N pairs of texts: row i of `a` belongs with row i of
`b`. They need not have length 1, and none is zero. Write `partner_loss(a, b, scale)`, the loss L
above: each a_i looks for its b_i among **all** the b. Its N logits are its cosines with
them, times the number `scale`, and its loss is the cross-entropy in nats. Return the mean over the
a_i, one number. (This is one direction only: no b_i looks for its a_i.)
""",
    hints=(
        "Take two steps: a table of logits (N, N), then a classification in each of its rows.",
        "A cosine is the product of two vectors of length 1. `a.norm(dim=1, keepdim=True)` has the "
        "length of each row, in a shape that divides the rows.",
        "`F.cross_entropy(logits, labels)` lets each row choose, and takes the mean. In which "
        "column does row 0 have its partner, and row 1?",
    ),
    solution=partner_loss,
    second_style=partner_loss_written_out,
    mistakes=(
        partner_loss_raw,
        partner_loss_turned,
        partner_loss_unscaled,
        partner_loss_first,
        partner_loss_sum,
        partner_loss_both_ways,
        partner_loss_each,
    ),
    cases=partner_loss_cases,
    properties=(
        Property("The loss is one number.", one_number),
        *composed(
            read,
            with_slips,
            {
                "All vectors get length 1.": (unit, unit),
                "The vectors are not divided by their lengths.": (raw, raw),
                "The b are not divided by their lengths.": (unit, raw),
                "The a are not divided by their lengths.": (raw, unit),
                "The columns get length 1: each vector, a row, must.": (by_columns, by_columns),
                "The vectors are divided by the squares of their lengths: take the root.": (
                    by_square,
                    by_square,
                ),
                "The vectors are divided by the sum of their numbers without signs: the length is "
                "the root of the sum of squares.": (by_sum, by_sum),
                "The vectors are divided by the length of all of them together: each by its own.": (
                    by_all,
                    by_all,
                ),
            },
            {
                "The cosines are multiplied by scale.": raw,
                "scale is not used: the logits are cosines times scale.": lambda s: 1,
                "It divides by scale: multiply by it.": lambda s: 1 / s,
                "It multiplies by exp(scale): by scale itself.": math.exp,
            },
            {
                "Each a_i looks for its b_i, along its row.": of_rows,
                "Each b_i looks for its a_i, down the columns: the a_i are to look, along the "
                "rows.": lambda rows, columns: columns,
                "Both directions count: only the a_i are to look, along the "
                "rows.": lambda rows, columns: (rows + columns) / 2,
                "Both directions are added: only the a_i are to look, along the rows.": torch.add,
            },
            {
                "Each counts with the logarithm of its partner's probability.": log_softmax,
                "b_0 is the partner of all: the partner of a_i is b_i.": first_one,
                "Each is told that the next one is its partner: it is the one with its own "
                "number.": next_one,
                "It takes probabilities, and not their logarithms.": probability,
                "A softmax is taken before `cross_entropy`, which takes one itself.": softmax_twice,
                "There is no softmax: only the logits of the pairs count.": logits_alone,
                "The partner itself is missing in the sum of the softmax.": others_alone,
                "One softmax runs over the whole table: each row has its own.": among_all_pairs,
                "It takes logarithms to the base 2: nats are asked for.": in_bits,
            },
            {
                "The pairs are averaged.": torch.mean,
                "The pairs are summed: take the mean.": torch.sum,
                "It divides by N²: there are N losses.": lambda x: x.mean() / len(x),
            },
            otherwise=(by_length_alone, guessing_costs, sure_and_right, wrong_partners_cost),
        ),
    ),
    remarks=(way_back,),
    see="6bF Search by meaning",
)
