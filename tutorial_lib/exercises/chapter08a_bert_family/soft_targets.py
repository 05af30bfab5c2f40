"""Chapter 08a: a student learns from how likely its teacher finds each token."""

import functools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def soft_targets(student_logits, teacher_logits, temperature):
    """Return τ² · KL(teacher ‖ student), the mean over N positions, both softened by temperature τ.

    student_logits, teacher_logits (N, V). A gradient reaches the student only.
    """
    said = (student_logits / temperature).log_softmax(dim=-1)
    wanted = (teacher_logits.detach() / temperature).log_softmax(dim=-1)
    kl = (wanted.exp() * (wanted - said)).sum(dim=-1)  # (N,)
    return temperature**2 * kl.mean()


def soft_targets_kl_div(student_logits, teacher_logits, temperature):
    """Second style."""
    with torch.no_grad():
        wanted = F.softmax(teacher_logits / temperature, dim=-1)
    said = F.log_softmax(student_logits / temperature, dim=-1)
    return F.kl_div(said, wanted, reduction="batchmean") * temperature * temperature


def soft_targets_log_of_zero(student_logits, teacher_logits, temperature):
    """It gives nan where a probability is 0, as 0 · log 0 has no value: `log_softmax` gives the
    logarithms without a log of 0."""
    said = (student_logits / temperature).softmax(dim=-1)
    wanted = (teacher_logits.detach() / temperature).softmax(dim=-1)
    return temperature**2 * (wanted * (wanted.log() - said.log())).sum(dim=-1).mean()


def soft_targets_no_logarithm(student_logits, teacher_logits, temperature):
    """This gives `F.kl_div` the student’s probabilities: its first argument is their logarithm."""
    said = (student_logits / temperature).softmax(dim=-1)
    wanted = (teacher_logits.detach() / temperature).softmax(dim=-1)
    return temperature**2 * F.kl_div(said, wanted, reduction="batchmean")


def soft_targets_two_logarithms(student_logits, teacher_logits, temperature):
    """This takes a logarithm of a logarithm: `F.kl_div` wants the teacher’s probabilities, unless
    it is told `log_target=True`."""
    said = (student_logits / temperature).log_softmax(dim=-1)
    wanted = (teacher_logits.detach() / temperature).log_softmax(dim=-1)
    return temperature**2 * F.kl_div(said, wanted, reduction="batchmean")


def soft_targets_hard(student_logits, teacher_logits, temperature):
    """This takes the teacher’s best token as the label: its other probabilities are what makes the
    targets soft."""
    said = (student_logits / temperature).log_softmax(dim=-1)
    return temperature**2 * F.nll_loss(said, teacher_logits.argmax(dim=-1))


def with_gradients(answer, student_logits, teacher_logits, temperature):
    """The loss, and its gradients for the student's and for the teacher's logits."""
    logits = [x.clone().requires_grad_() for x in (student_logits, teacher_logits)]
    loss = answer(*logits, temperature)
    total = torch.as_tensor(loss).float().sum()
    if total.requires_grad:
        total.backward()
    return loss, *(torch.zeros_like(x) if x.grad is None else x.grad for x in logits)


def soft_targets_cases():
    """Several temperatures and shapes; a teacher who is certain; a student who knows it all."""
    logits = 2 * torch.randn(7, 9)
    sure = torch.tensor([[300.0, 0.0, -300.0], [0.0, 1.0, 400.0]])
    return [
        case("4 positions, T = 2", *(2 * torch.randn(2, 4, 6)), 2.0),
        case("3 positions, T = 5", *(3 * torch.randn(2, 3, 8)), 5.0),
        case("5 positions, T = 1", *torch.randn(2, 5, 4), 1.0),
        case("a teacher who is quite sure, T = 2", torch.zeros(2, 3), sure, 2.0),
        case("student and teacher alike", logits, logits.clone(), 3.0),
    ]


def example():
    """Logits (5, 7) of a student and of a teacher, and T = 3: all numbers differ."""
    return *(2 * torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(3))), 3.0


@functools.cache
def made(between, power, mean, sides, learners):
    """What an answer with these choices gives for the example."""
    student_by, teacher_by = sides

    def answer(student_logits, teacher_logits, temperature):
        student, teacher = (
            (x if learns else x.detach())
            for x, learns in zip((student_logits, teacher_logits), learners, strict=True)
        )
        said = (student / temperature**student_by).log_softmax(dim=-1)
        wanted = (teacher / temperature**teacher_by).log_softmax(dim=-1)
        kl = {
            "teacher, student": wanted.exp() * (wanted - said),
            "student, teacher": said.exp() * (said - wanted),
            "cross-entropy": -wanted.exp() * said,
            "turned": wanted.exp() * (said - wanted),
        }[between].sum(dim=-1)
        return temperature**power * {"N": kl.mean(), "sum": kl.sum(), "NV": kl.mean() / 7}[mean]

    return with_gradients(answer, *example())


def answered(answer):
    """The loss and its gradients for the example. Raises ValueError for more than one number."""
    loss, *gradients = answer(*example())
    loss = torch.as_tensor(loss)
    if loss.numel() > 1:
        raise ValueError("more than one number")
    return loss.flatten()[0], *gradients


def one_number(answer):
    """The loss is one number."""
    return torch.as_tensor(answer(*example())[0]).numel() == 1


def a_number(answer):
    """No nan."""
    return not torch.as_tensor(answer(*example())[0]).isnan().any()


def tokens_compete(answer):
    """It matters how high all logits of a gap are: take the softmax over the vocabulary, where the
    V tokens of one gap compete."""
    student, teacher, temperature = example()
    higher = student + torch.arange(5.0)[:, None]
    one, other = (
        torch.as_tensor(answer(x, teacher, temperature)[0]).item() for x in (student, higher)
    )
    return abs(one - other) < 1e-3


def for_alike(answer):
    """A student that says what the teacher says must have the loss 0."""
    _, teacher, temperature = example()
    return abs(torch.as_tensor(answer(teacher, teacher, temperature)[0]).item()) < 1e-4


SOFT_TARGETS = Write(
    id="8a.10",
    title="Soft targets",
    level="medium",
    text="""
At N gaps, student and teacher have given logits (N, V). Write `soft_targets(student_logits,
teacher_logits, temperature)`, the loss by which the student learns. Divide the logits of **both**
by the temperature τ and take the softmax: at each gap this gives the student’s probabilities q and
the teacher’s p. Their distance is KL(p ‖ q), the sum of p · (log p - log q) over the vocabulary.
Return the mean over the N gaps, times τ²: softening shrinks the gradient by about 1/τ²; the factor
τ² restores its size. The teacher is to stay as it is, so a gradient must reach the student’s logits
only.
""",
    hints=(
        "Which of the two is being taught, and so should be the only one with a gradient?",
        "`log_softmax` gives log p and log q without taking the log of 0; p is `log_p.exp()`.",
        "`x.detach()` has the numbers of x, but sends no gradient back to it.",
        '`F.kl_div(log_q, p, reduction="batchmean")` is the mean over N: mind the order.',
    ),
    solution=soft_targets,
    second_style=soft_targets_kl_div,
    mistakes=(
        soft_targets_log_of_zero,
        soft_targets_no_logarithm,
        soft_targets_two_logarithms,
        soft_targets_hard,
    ),
    cases=soft_targets_cases,
    run=with_gradients,
    results=("loss", "student’s gradient", "teacher’s gradient"),
    properties=(
        Property("There is a loss for each gap: their mean is asked for, one number.", one_number),
        Property("The loss is nan.", a_number),
        *composed(
            answered,
            made,
            {
                "It is KL(p ‖ q), of the teacher’s p and the student’s q.": "teacher, student",
                "The KL is the wrong way round: weight by the teacher’s p, not the student’s q.": (
                    "student, teacher"
                ),
                "It is the cross-entropy, -p · log q: from KL, p · log p is missing, so it is not "
                "0 when both say the same.": "cross-entropy",
                "It has the wrong sign: with log q - log p the student would learn to differ from "
                "the teacher.": "turned",
            },
            {
                "It is multiplied by τ².": 2,
                "The factor τ² is missing: at a high temperature the gradients would be tiny.": 0,
                "The factor is τ: it must be τ², as logits and gradients each lose one τ.": 1,
                "It divides by τ²: multiply by it, so that the gradients stay as large.": -2,
            },
            {
                "It is the mean over the N gaps.": "N",
                "It is the sum over the gaps: take their mean.": "sum",
                "It divides by N · V: sum over the vocabulary, and take the mean over the N gaps "
                'only (for `F.kl_div` that is "batchmean").': "NV",
            },
            {
                "Both are divided by τ.": (1, 1),
                "Only the student’s logits are divided by τ: soften both.": (1, 0),
                "Only the teacher’s logits are divided by τ: soften both.": (0, 1),
                "No logits are divided by τ: soften both.": (0, 0),
                "Both are multiplied by τ: divide by it, so that they become softer.": (-1, -1),
            },
            {
                "The student alone learns.": (True, False),
                "A gradient reaches the teacher: it would move towards the student. Cut it off, "
                "with `detach` or `no_grad`.": (True, True),
                "No gradient reaches the student: it could learn nothing.": (False, False),
                "The gradient reaches the teacher and not the student: the wrong one learns.": (
                    False,
                    True,
                ),
            },
            otherwise=(tokens_compete, for_alike),
        ),
    ),
    see="8aE DistilBERT: learn from a teacher",
)
