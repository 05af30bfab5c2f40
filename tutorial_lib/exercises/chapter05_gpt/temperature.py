"""Chapter 05: probabilities that are sharper or flatter."""

import torch

from tutorial_lib.exercises.chapter02_attention.measures import divisor, sums_to_one
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def temperature_probabilities(logits, temperature):
    """Return the probabilities (B, V) of the next token at a temperature, from logits (B, V)."""
    return (logits / temperature).softmax(dim=-1)


def temperature_probabilities_powers(logits, temperature):
    """Second style."""
    rows = []
    for row in logits.log_softmax(dim=-1):
        raised = torch.exp(row) ** (1 / temperature)
        rows.append(raised / raised.sum())
    return torch.stack(rows)


def temperature_probabilities_twice(logits, temperature):
    """This divides the probabilities and takes a second softmax of them: divide the logits."""
    return (logits.softmax(dim=-1) / temperature).softmax(dim=-1)


def temperature_probabilities_second_softmax(logits, temperature):
    """This takes a second softmax of the probabilities: one is enough."""
    return temperature_probabilities(logits, temperature).softmax(dim=-1)


def temperature_probabilities_greedy(logits, temperature):
    """This gives all to the likeliest token: that is the limit at temperature 0."""
    return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).float()


def temperature_probabilities_cases():
    """Below 1, above 1 and at 1; several rows and a single one."""
    return [
        case("2 rows, temperature 0.5", 2 * torch.randn(2, 5), 0.5),
        case("3 rows, temperature 2", 2 * torch.randn(3, 4), 2.0),
        case("one row, temperature 0.7", torch.tensor([[1.0, -1.0, 3.0]]), 0.7),
        case("temperature 1", torch.randn(2, 3), 1.0),
    ]


def warm(answer):
    """Three rows of seven logits at temperature 2.5: (logits, what the answer makes of them)."""
    logits = torch.randn(3, 7, generator=torch.Generator().manual_seed(5))
    return logits, answer(logits, 2.5)


def are_probabilities(answer):
    """Nothing is negative."""
    _, got = warm(answer)
    if (got <= 0).all():
        return "It returns log probabilities: the probabilities are asked for."
    return bool((got >= 0).all())


def rows_add_up(answer):
    """Each row sums to 1."""
    _, got = warm(answer)
    if (got < 0).any() or sums_to_one(got):
        return None if (got < 0).any() else True
    if sums_to_one(got, 0):
        return "The softmax runs over the batch: the V tokens of one row compete."
    if abs(got.sum().item() - 1) < 1e-4:
        return "One softmax of all rows together: each row sums to 1."
    return f"Each row must sum to 1, but your first one sums to {got[0].sum():.3g}: divide by it."


def divides_the_logits(answer):
    """Twice the logits at twice the temperature are the same, and 2.5 divides by 2.5."""
    logits, got = warm(answer)
    found = divisor(got, logits)
    others = {
        1.0: "The temperature has no effect on what is likelier, and by how much: divide the "
        "logits by it, before the softmax.",
        1
        / 2.5: "It multiplies by the temperature (or raises p to it): below 1 it must sharpen, so "
        "divide the logits.",
        2.5**2: "It divides by the square of the temperature.",
        2.5**0.5: "It divides by the square root of the temperature.",
    }
    if found is None:
        return None
    close = [text for number, text in others.items() if abs(found / number - 1) < 1e-2]
    return close[0] if close else abs(found / 2.5 - 1) < 1e-2


TEMPERATURE_PROBABILITIES = Write(
    id="5.6",
    title="Temperature",
    level="easy",
    text="""
Write `temperature_probabilities(logits, temperature)` for logits (B, V): the probabilities (B, V)
from which the next token is drawn. Temperature 1 changes nothing. At 0.5 a token that was 3 times
as likely as another becomes 9 times as likely; at 2, √3 times. For any temperature: the ratio of
two probabilities is raised to the power of 1 / temperature.
""",
    hints=(
        "Which is sharper, the softmax of (1, 2) or that of (10, 20)?",
        "The ratio of two probabilities is the exponential of the difference of their logits. What "
        "must happen to the difference?",
    ),
    solution=temperature_probabilities,
    second_style=temperature_probabilities_powers,
    mistakes=(
        temperature_probabilities_twice,
        temperature_probabilities_second_softmax,
        temperature_probabilities_greedy,
    ),
    cases=temperature_probabilities_cases,
    properties=(
        Property(
            "There are negative numbers: the softmax that makes them probabilities is missing.",
            are_probabilities,
        ),
        Property("Each row must sum to 1.", rows_add_up),
        Property("The logits are not divided by the temperature.", divides_the_logits),
    ),
    see="5G Choosing the next token",
)
