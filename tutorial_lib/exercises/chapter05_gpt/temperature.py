"""Chapter 05: probabilities that are sharper or flatter."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def temperature_probabilities_multiplied(logits, temperature):
    """This multiplies by the temperature (or raises p to it): below 1 it must sharpen, so divide
    the logits.
    """
    return (logits * temperature).softmax(dim=-1)


def temperature_probabilities_late(logits, temperature):
    """This divides the probabilities: they no longer sum to 1, and their ratios stay. Divide the
    logits.
    """
    return logits.softmax(dim=-1) / temperature


def temperature_probabilities_late_product(logits, temperature):
    """This multiplies the probabilities: they no longer sum to 1, and their ratios stay. Divide
    the logits.
    """
    return logits.softmax(dim=-1) * temperature


def temperature_probabilities_twice(logits, temperature):
    """This divides the probabilities and takes a second softmax of them: divide the logits."""
    return (logits.softmax(dim=-1) / temperature).softmax(dim=-1)


def temperature_probabilities_second_softmax(logits, temperature):
    """This takes a second softmax of the probabilities: one is enough."""
    return temperature_probabilities(logits, temperature).softmax(dim=-1)


def temperature_probabilities_power(logits, temperature):
    """This raises the probabilities to 1/T, which is right, and does not divide by their sum."""
    return logits.softmax(dim=-1) ** (1 / temperature)


def temperature_probabilities_no_sum(logits, temperature):
    """This stops at the exponentials: divide them by their sum."""
    return (logits / temperature).exp()


def temperature_probabilities_outside(logits, temperature):
    """This gives the same at any temperature: T acts on the exponentials, or is added, or is not
    used, and the sum takes it out again. Divide the logits by it.
    """
    return logits.softmax(dim=-1)


def temperature_probabilities_squared(logits, temperature):
    """This divides by the square of the temperature."""
    return (logits / temperature**2).softmax(dim=-1)


def temperature_probabilities_root(logits, temperature):
    """This divides by the square root of the temperature."""
    return (logits / temperature**0.5).softmax(dim=-1)


def temperature_probabilities_scores(logits, temperature):
    """This returns the scaled logits: the softmax is missing."""
    return logits / temperature


def temperature_probabilities_logs(logits, temperature):
    """This returns log probabilities: the probabilities are asked for."""
    return (logits / temperature).log_softmax(dim=-1)


def temperature_probabilities_over_batch(logits, temperature):
    """This takes the softmax over the batch: the V tokens of one row compete."""
    return (logits / temperature).softmax(dim=0)


def temperature_probabilities_together(logits, temperature):
    """This takes one softmax of all rows together: each row sums to 1."""
    return (logits / temperature).flatten().softmax(dim=0).view_as(logits)


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


TEMPERATURE_PROBABILITIES = Write(
    id="5.6",
    title="Temperature",
    level="easy",
    text="""
Write `temperature_probabilities(logits, temperature)` for logits (B, V): the probabilities (B, V)
from which the next token is drawn. The logits are divided by the temperature first. Below 1 the
likely becomes likelier, above 1 all tokens become more alike; 1 changes nothing.
""",
    hints=(
        "Which is sharper, the softmax of (1, 2) or that of (10, 20)?",
        "The temperature acts on the logits. Does anything change if it acts after the softmax?",
    ),
    solution=temperature_probabilities,
    second_style=temperature_probabilities_powers,
    mistakes=(
        temperature_probabilities_multiplied,
        temperature_probabilities_late,
        temperature_probabilities_late_product,
        temperature_probabilities_twice,
        temperature_probabilities_second_softmax,
        temperature_probabilities_power,
        temperature_probabilities_no_sum,
        temperature_probabilities_outside,
        temperature_probabilities_squared,
        temperature_probabilities_root,
        temperature_probabilities_scores,
        temperature_probabilities_logs,
        temperature_probabilities_over_batch,
        temperature_probabilities_together,
        temperature_probabilities_greedy,
    ),
    cases=temperature_probabilities_cases,
    see="5.5 Choosing the next token",
)
