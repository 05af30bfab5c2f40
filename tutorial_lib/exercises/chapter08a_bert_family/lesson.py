"""Chapter 08a: a student that agrees with its teacher only too well."""

import copy
import functools
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.exercises.chapter08a_bert_family.letters import (
    MASK,
    Reader,
    batches,
    held_out,
    windows,
)
from tutorial_lib.exercises.engine.attempts import fill
from tutorial_lib.exercises.engine.guard import seeded
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case
from tutorial_lib.training import fit


def lesson(student, teacher, inputs, gaps, temperature):
    """Return the loss of one lesson: τ² · KL(teacher ‖ student), the mean over the gaps.

    student and teacher give logits (B, T, V) for inputs (B, T), a text with gaps; gaps (B, T) bool.
    """
    with torch.no_grad():
        wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)  # (N, V)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


def lesson_detached(student, teacher, inputs, gaps, temperature):
    """Second style."""
    wanted = F.softmax(teacher(inputs).detach() / temperature, dim=-1)[gaps]
    said = F.log_softmax(student(inputs) / temperature, dim=-1)[gaps]
    return F.kl_div(said, wanted, reduction="batchmean") * temperature**2


def lesson_over_places(student, teacher, inputs, gaps, temperature):
    """This takes the softmax over the gaps: the V tokens of one gap must compete."""
    with torch.no_grad():
        wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=0)  # (N, V)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=0)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=0).mean()


def lesson_both_move(student, teacher, inputs, gaps, temperature):
    """This sends the gradient into the teacher, too: both are trained to agree."""
    wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)  # (N, V)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


def lesson_other_gaps(student, teacher, inputs, gaps, temperature):
    """This compares the student with what the teacher says at other gaps: the order is turned
    round for one of them."""
    with torch.no_grad():
        wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1).flip(0)  # (N, V)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


def lesson_wrong_sign(student, teacher, inputs, gaps, temperature):
    """This has the wrong sign: the student is trained to differ from the teacher."""
    with torch.no_grad():
        wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)  # (N, V)
    said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (said - wanted)
    return temperature**2 * kl.sum(dim=-1).mean()


def lesson_wrong_one(student, teacher, inputs, gaps, temperature):
    """This keeps the gradient from the student, and lets the teacher learn from it."""
    with torch.no_grad():
        said = (student(inputs)[gaps] / temperature).log_softmax(dim=-1)  # (N, V)
    wanted = (teacher(inputs)[gaps] / temperature).log_softmax(dim=-1)
    kl = wanted.exp() * (wanted - said)
    return temperature**2 * kl.sum(dim=-1).mean()


def pair_of_networks():
    """A student and a teacher for 6 tokens, which look at one token at a time."""
    wide = nn.Sequential(nn.Embedding(6, 5), nn.Linear(5, 6))
    return fill(nn.Sequential(nn.Embedding(6, 2), nn.Linear(2, 6))), fill(wide, seed=1)


def one_lesson(answer, inputs, gaps, temperature):
    """The loss, and what reaches the student's and the teacher's table: two gradients."""
    networks = pair_of_networks()
    loss = answer(*networks, inputs, gaps, temperature)
    if torch.as_tensor(loss).requires_grad:
        loss.sum().backward()
    tables = (network[0].weight for network in networks)
    return loss, *(torch.zeros_like(x) if x.grad is None else x.grad for x in tables)


INPUTS = torch.tensor([[1, 0, 3, 4, 0], [0, 5, 2, 2, 3]])
GAPS = torch.tensor([[0, 1, 0, 1, 1], [1, 0, 1, 0, 0]]).bool()


def lesson_cases():
    """Two texts, with a gap that shows another letter, as one of ten does; another temperature."""
    one = torch.tensor([[False, True, True, False, False, True]])
    return [
        case("2 texts, 5 gaps, T = 2", INPUTS, GAPS, 2.0),
        case("3 gaps, T = 4", torch.tensor([[5, 0, 2, 4, 1, 3]]), one, 4.0),
    ]


class Taught(NamedTuple):
    """What the lessons gave: the loss of each step in nats, then shares between 0 and 1.

    The shares are those of the hidden letters that each of the two names in a text that neither
    has been trained on.
    """

    loss: list[float]
    student_right: float
    teacher_right: float


@functools.cache
def trained_teacher():
    """A network that has learned to fill gaps in a play of Shakespeare, letter by letter."""

    def loss(model, batch):
        ids, gaps = batch
        return F.cross_entropy(model(ids.masked_fill(gaps, MASK))[gaps], ids[gaps])

    with seeded():
        teacher = Reader(windows()[1])
        fit(teacher, batches(), loss, steps=200, lr=1e-2, device="cpu", progress=False)
    return teacher


def gaps_filled(model):
    """The share of the hidden letters that a network names in text that was not trained on."""
    ids, gaps = held_out()
    with torch.no_grad():
        said = model(ids.masked_fill(gaps, MASK)).argmax(dim=-1)  # (B, T)
    return (said == ids)[gaps].float().mean().item()


def lessons(lesson, steps=200, temperature=2.0):
    """Let a small network learn from `trained_teacher` with this lesson. Returns Taught.

    One optimizer holds the numbers of both, and moves those that a gradient reaches. The same code
    gives the same numbers; about two seconds on one CPU core.
    """
    with seeded(1):
        student, teacher = Reader(windows()[1], width=32), copy.deepcopy(trained_teacher())
        both = nn.ModuleDict({"student": student, "teacher": teacher})

        def loss(both, batch):
            ids, gaps = batch
            inputs = ids.masked_fill(gaps, MASK)
            return lesson(both["student"], both["teacher"], inputs, gaps, temperature)

        run = fit(both, batches(), loss, steps=steps, lr=1e-2, device="cpu", progress=False)
    return Taught(run.loss, gaps_filled(student), gaps_filled(teacher))


def gradients(answer):
    """Whether a gradient reaches the student, and whether one reaches the teacher."""
    return [bool(gradient.any()) for gradient in answer(INPUTS, GAPS, 2.0)[1:]]


def student_learns(answer):
    """A gradient reaches the student, and not only the teacher."""
    student, teacher = gradients(answer)
    if teacher and not student:
        return "The gradient reaches the teacher and not the student: the wrong one learns."
    return student


def teacher_stays(answer):
    """No gradient reaches the teacher."""
    student, teacher = gradients(answer)
    return None if teacher and not student else not teacher


def loss_is(answer, inputs=INPUTS, gaps=GAPS, temperature=2.0):
    """Tell whether the loss is right, and what it is else."""
    loss = torch.as_tensor(answer(inputs, gaps, temperature)[0]).float().sum().item()
    right = one_lesson(lesson, inputs, gaps, temperature)[0].item()
    return loss, right


def not_turned(answer):
    """The loss is not below 0."""
    return loss_is(answer)[0] >= 0


def times_t_squared(answer):
    """The factor is there."""
    loss, right = loss_is(answer)
    return abs(loss - right / 4) > 1e-5


def is_the_loss(answer):
    """The number is right, at the gaps and at no others."""
    loss, right = loss_is(answer)
    if loss < 0 or abs(loss - right / 4) < 1e-5:
        return None
    return abs(loss - right) < 1e-4


LESSON_CURVE = Symptom(
    id="8a.11",
    title="Too good a student",
    level="medium",
    text="""
The pictures above show a small student that learns from its teacher to fill gaps in a play, letter
by letter: by a sound lesson, and by one whose code has one of these mistakes. In the first picture
the loss falls, as each run reports it. The second shows a test on a text that is new to all of
them: what share of the hidden letters did the teacher name before the lessons, and what share does
each student name after them? Choose the letter, then repair `lesson`.
""",
    hints=(
        "The loss says how far apart the two are. How can two come together without one of them "
        "learning anything? (One optimizer holds the parameters of both networks.)",
        "A student that agrees with its teacher names as many letters as the teacher does. How "
        "many must the teacher name by the end of the other lesson?",
        "Which operations keep a gradient from going back into the teacher? You used one in 8a.10.",
    ),
    solution=lesson,
    second_style=lesson_detached,
    mistakes=(
        lesson_over_places,
        lesson_both_move,
        lesson_other_gaps,
        lesson_wrong_sign,
        lesson_wrong_one,
    ),
    shown=lesson_both_move,
    looks=(
        "The loss would fall much as it does in sound lessons, and the student would name few "
        "letters, since nothing compares the letters of one gap. The teacher would be as good as "
        "before.",
        "The loss would be almost 0 soon, as both move: they agree, and neither can fill "
        "gaps any more.",
        "The loss would stay high: from answers to other gaps the student learns how frequent "
        "each letter is, and no more. The teacher would be as good as before.",
        "The loss would be below 0 soon and fall without an end, and the student would name no "
        "letter at all. The teacher would be as good as before.",
    ),
    cases=lesson_cases,
    run=one_lesson,
    results=("loss", "student’s gradient", "teacher’s gradient"),
    properties=(
        Property("No gradient reaches the student: it learns nothing.", student_learns),
        Property(
            "A gradient still reaches the teacher: what it says must be taken as given.",
            teacher_stays,
        ),
        Property("The loss is below 0: KL is p · (log p - log q), p the teacher’s.", not_turned),
        Property("The factor τ² is missing.", times_t_squared),
        Property(
            "The loss is not τ² · KL(teacher ‖ student), the mean over the gaps.", is_the_loss
        ),
    ),
    see="8aE DistilBERT: learn from a teacher",
)
