"""Chapter 10: a picture that is everyone's answer."""

import functools

import torch

from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import contrastive_loss
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def pulls(logits):
    """Return the gradient of the contrastive loss with respect to logits, (B, B) as these.

    Image i belongs to text i; the loss is the mean of both directions, as in 10.2.
    """
    batch = len(logits)
    pairs = torch.eye(batch)
    of_images = logits.softmax(dim=1) - pairs  # each row sums to 0
    of_texts = logits.softmax(dim=0) - pairs  # each column sums to 0
    return (of_images + of_texts) / (2 * batch)


def pulls_by_autograd(logits):
    """Second style."""
    logits = logits.detach().clone().requires_grad_()
    contrastive_loss(logits).backward()
    return logits.grad


def pull(
    x, ways=lambda a, b: (a + b) / 2, pairs=torch.eye, divide=len, sign=1, softmax=torch.softmax
):
    """The gradient with slips."""
    rows, columns = (softmax(x, dim=d) - pairs(len(x)) for d in (1, 0))
    return sign * ways(rows, columns) / divide(x)


def pulls_of_images(logits):
    """This lets each picture choose among the texts, and no text among the pictures."""
    batch = len(logits)
    pairs = torch.eye(batch)
    of_images = logits.softmax(dim=1) - pairs  # each row sums to 0
    return of_images / batch


def pulls_of_texts(logits):
    """This lets each text choose among the pictures, and no picture among the texts."""
    return pull(logits, lambda a, b: b)


def pulls_sign(logits):
    """This has the sign turned: what belongs together is pushed apart."""
    return pull(logits, sign=-1)


def pulls_without_pairs(logits):
    """This forgets what is right: it takes nothing away where picture and text belong together."""
    return pull(logits, pairs=lambda n: torch.zeros(n, n))


def pulls_added(logits):
    """This adds the two directions: take their mean, as the loss does."""
    return pull(logits, torch.add)


def pulls_not_averaged(logits):
    """This does not divide by B: the loss is a mean over the B pairs."""
    return pull(logits, divide=lambda x: 1)


def pulls_by_all(logits):
    """This divides by B²: the loss is a mean over B pairs."""
    return pull(logits, divide=torch.numel)


def pulls_of_all_pairs(logits):
    """This takes one softmax over the whole table: each row has its own, and each column."""
    batch = len(logits)
    return logits.flatten().softmax(dim=0).view(batch, batch) - torch.eye(batch) / batch


def pulls_pairs_halved(logits):
    """This takes 1 away once where a pair belongs together: both directions do, so 2 before they
    are halved.
    """
    return pull(logits, pairs=lambda n: torch.eye(n) / 2)


def pulls_right_ones_alone(logits):
    """This moves the right pairs only: the others must move the other way."""
    return pull(logits) * torch.eye(len(logits))


def pulls_cases():
    """Batches of two and more, sure ones and undecided ones."""
    return [
        case("a batch of 4", 2 * torch.randn(4, 4)),
        case("a batch of 2", torch.tensor([[2.0, 1.0], [-1.0, 0.5]])),
        case("all alike", torch.zeros(3, 3)),
        case(
            "one picture close to every text", torch.eye(5) + 3.0 * (torch.arange(5) == 1)[:, None]
        ),
    ]


NAMES = ("cat", "dog", "bus", "apple", "moon", "umbrella", "guitar", "house")
STEPS, RATE = 200, 4.0


def untrained():
    """Return logits (8, 8) as before training: some pictures are a little like every text.

    Some texts are a little like every picture, too.
    """
    generator = torch.Generator().manual_seed(4)
    of_pictures = torch.tensor([0.0, -3.0, 1.0, 9.0, -1.0, 4.0, -4.0, -3.0])[:, None]
    of_texts = torch.tensor([1.0, -3.0, 0.0, -3.0, 9.0, -1.0, 4.0, -4.0])
    return of_pictures + of_texts + 0.5 * torch.randn(8, 8, generator=generator)


def trained(pulls):
    """Return the logits (8, 8) after 200 steps along `pulls`, from untrained()."""
    logits = untrained()
    for _ in range(STEPS):
        logits = logits - RATE * torch.as_tensor(pulls(logits))
    return logits


def found_by(logits):
    """Return the text that each picture finds first, and the picture that each text finds first.

    Two lists of names, in the order of NAMES.
    """
    texts = [NAMES[i] for i in logits.argmax(dim=1)]
    pictures = [NAMES[i] for i in logits.argmax(dim=0)]
    return texts, pictures


def examples():
    """Batches of two sizes."""
    generator = torch.Generator().manual_seed(3)
    return [2 * torch.randn(n, n, generator=generator) for n in (3, 5)]


@functools.lru_cache(maxsize=1)
def read(answer):
    """What an answer makes of the examples, in one row. Raises an error for another shape."""
    return torch.cat([torch.as_tensor(answer(x)).float().reshape(x.numel()) for x in examples()])


def has_the_shape(answer):
    """(B, B)."""
    shape = tuple(torch.as_tensor(answer(examples()[0])).shape)
    sentences = {
        (): "It returns one number: there is a gradient for each logit.",
        (3,): "It returns the gradient of the right pairs alone: each logit has one, (B, B).",
    }
    return shape == (3, 3) or sentences.get(shape, False)


def sums_to_zero(answer):
    """All gradients together must sum to 0: the same added to all logits changes nothing."""
    return bool(answer(examples()[1]).sum().abs() < 2e-3)


def pairs_are_pulled(answer):
    """Logits of right pairs must rise, so their gradient is negative."""
    return bool((answer(examples()[1]).diagonal() < 0).all())


def others_are_pushed(answer):
    """Logits of wrong pairs must fall, so their gradient is positive."""
    found = answer(examples()[1])
    return bool((found[~torch.eye(5).bool()] > 0).all())


def autograd_found_it(answer):
    """Remark on an answer that cannot do without autograd."""
    with torch.no_grad():
        try:
            answer(examples()[0])
        except RuntimeError:
            return "It has autograd find the gradient: the exercise asks you to write it out."
    return ""


@functools.cache
def with_slips(*choices):
    """The gradients with a choice for each of the rules below."""
    return torch.cat([pull(x, *choices).flatten() for x in examples()])


PULLS = Symptom(
    id="10.3",
    title="Everyone’s answer",
    level="medium",
    text="""
Search the table above both ways: which text does each picture find, along its row? And which
picture does each text find, down its column? That tells what went wrong. Choose the letter.

There is no encoder here: the 64 logits themselves have learned. Each was moved 200 times a little
against its gradient, which `pulls` computes with one of the mistakes below. Repair `pulls(logits)`:
the gradient of the loss of 10.2, both directions halved, with respect to each logit of a batch,
(B, B). Write it out, without autograd: for one softmax and its cross-entropy the gradient is the
probabilities, minus 1 where the right answer is.
""",
    hints=(
        "Go along each row: is the right text the brightest? Then down each column: is the right "
        "picture?",
        "The gradient of a cross-entropy with a softmax is short: the probability, minus 1 for the "
        "right one. So it sums to 0 over those that one can choose from.",
        "If each row of the gradient sums to 0, what happens to the mean of a row, in 200 steps?",
    ),
    solution=pulls,
    second_style=pulls_by_autograd,
    mistakes=(
        pulls_of_texts,
        pulls_without_pairs,
        pulls_of_images,
        pulls_sign,
        pulls_added,
        pulls_not_averaged,
        pulls_by_all,
        pulls_of_all_pairs,
        pulls_pairs_halved,
        pulls_right_ones_alone,
    ),
    shown=pulls_of_images,
    looks=(
        "Every text would find its picture. But go along the rows: the pictures would choose the "
        "same few texts, those that were a little like everything at first.",
        "There would be no bright diagonal: all logits fall, the high ones fastest, until hardly "
        "one differs from the others.",
        "Each picture finds its text, but the apple is the answer to many texts: its whole row is "
        "bright, and nothing that this gradient does can change the mean of a row.",
        "The diagonal would be the darkest of all: no picture would find its text, no text its "
        "picture.",
    ),
    cases=pulls_cases,
    properties=(
        Property("The gradient is as large as the logits, (B, B).", has_the_shape),
        *composed(
            read,
            with_slips,
            {
                "It is the mean of both directions.": lambda a, b: (a + b) / 2,
                "Only the pictures choose, along the rows: the texts must, too.": lambda a, b: a,
                "Only the texts choose, down the columns: the pictures must, too.": lambda a, b: b,
                "The two directions are added: take their mean.": torch.add,
                "One direction is taken away from the other: take their mean.": torch.sub,
                "The table was turned for the texts, and their gradient is not turned "
                "back.": lambda a, b: (a + b.T) / 2,
            },
            {
                "For the right one, 1 is taken away.": torch.eye,
                "Nothing is taken away for the right one: 1 is, in each direction.": lambda n: (
                    torch.zeros(n, n)
                ),
                "Half is taken away for the right one: 1 is, in each direction.": lambda n: (
                    torch.eye(n) / 2
                ),
                "For the right one, 2 are taken away in each direction: 1 is.": lambda n: (
                    2 * torch.eye(n)
                ),
                "For the right one, 1 is added: take it away.": lambda n: -torch.eye(n),
                "Everywhere 1 is taken away: for the right one only.": lambda n: torch.ones(n, n),
                "The next one is taken for the right one.": lambda n: torch.eye(n).roll(1, dims=1),
            },
            {
                "It is divided by B.": len,
                "It is not divided by B: the loss is a mean over B pairs.": lambda x: 1,
                "It is divided by B²: the loss is a mean over B pairs.": torch.numel,
            },
            {
                "It goes up where the loss does.": 1,
                "The sign is turned: this way the loss would rise.": -1,
            },
            {
                "The probabilities come from a softmax.": torch.softmax,
                "The logits themselves stand in it: take their softmax.": lambda x, dim: x,
                "It takes the logarithms of the probabilities: take the probabilities.": (
                    torch.log_softmax
                ),
                "The softmax runs over the whole table: over each row, and over each "
                "column.": lambda x, dim: x.flatten().softmax(0).view_as(x) * len(x),
                "It takes sigmoids: each chooses *among* all, with a softmax.": lambda x, dim: (
                    x.sigmoid()
                ),
            },
            otherwise=(sums_to_zero, pairs_are_pulled, others_are_pushed),
        ),
    ),
    remarks=(autograd_found_it,),
)
