"""Chapter 08a: which of the teacher's layers does the student begin with?"""

import itertools
import math
from collections import Counter

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def choose_layers(n_teacher, n_student, loss):
    """Return the n_student layers, in order, with the lowest loss.

    The teacher's layers are 0 to n_teacher - 1; loss(layers) measures one choice, a list of layers.
    Of several with the lowest loss, the first.
    """
    choices = itertools.combinations(range(n_teacher), n_student)
    return list(min(choices, key=lambda layers: loss(list(layers))))


def choose_layers_grown(n_teacher, n_student, loss):
    """Second style."""

    def longer(layers):
        if len(layers) == n_student:
            return [layers]
        start = layers[-1] + 1 if layers else 0
        return [found for layer in range(start, n_teacher) for found in longer([*layers, layer])]

    best, lowest = None, math.inf
    for layers in longer([]):
        measured = float(loss(layers))
        if best is None or measured < lowest:
            best, lowest = layers, measured
    return best


def choose_layers_every_second(n_teacher, n_student, loss):
    """This takes layers at equal distances, as the DistilBERT paper describes it, and measures
    nothing: whether that is the best choice is what `loss` can tell."""
    return [place * n_teacher // n_student for place in range(n_student)]


def choose_layers_first(n_teacher, n_student, loss):
    """This takes the first layers and measures nothing: ask `loss` which choice is the best."""
    return list(range(n_student))


def choose_layers_alone(n_teacher, n_student, loss):
    """This measures each layer alone and takes the best ones: how good a layer is depends on those
    it works with. Measure whole choices, of n_student layers."""
    ranked = sorted(range(n_teacher), key=lambda layer: loss([layer]))
    return sorted(ranked[:n_student])


def choose_layers_step_by_step(n_teacher, n_student, loss):
    """This adds one layer at a time, each time the best one beside those it has: two that are good
    together are missed when neither is the best one alone. Measure whole choices."""
    chosen = []
    while len(chosen) < n_student:
        others = [layer for layer in range(n_teacher) if layer not in chosen]
        chosen = min((sorted([*chosen, layer]) for layer in others), key=loss)
    return chosen


def choose_layers_neighbours(n_teacher, n_student, loss):
    """This measures only choices of layers next to each other: layers may be left out anywhere."""
    starts = range(n_teacher - n_student + 1)
    return min((list(range(start, start + n_student)) for start in starts), key=loss)


def choose_layers_spaced(n_teacher, n_student, loss):
    """This measures only choices of layers at equal distances: any layers may be left out."""
    choices = itertools.combinations(range(n_teacher), n_student)
    even = [c for c in choices if len({b - a for a, b in itertools.pairwise(c)}) < 2]
    return list(min(even, key=lambda layers: loss(list(layers))))


def choose_layers_lowest(n_teacher, n_student, loss):
    """This returns the lowest loss: the layers that have it are asked for."""
    choices = itertools.combinations(range(n_teacher), n_student)
    return min(loss(list(layers)) for layers in choices)


def made_up_losses(n_teacher, n_student, seed, alike=False):
    """What each layer costs at each place, (n_student, n_teacher), and each pair of neighbours.

    The same layer twice, or an earlier one after a later one, would be cheapest: not allowed, but
    tempting. alike: all choices that are allowed cost the same.
    """
    generator = torch.Generator().manual_seed(seed)
    alone = torch.rand(n_student, n_teacher, generator=generator)
    pairs = 2 * torch.rand(n_teacher, n_teacher, generator=generator)
    if alike:
        alone, pairs = torch.full_like(alone, 0.5), torch.full_like(pairs, 0.25)
    return alone, torch.where(torch.ones_like(pairs).triu(1).bool(), pairs, -1.0)


def measured(answer, n_teacher, n_student, seed, alike=False):
    """Call an answer with a loss made up from the seed: its layers, and what it has measured."""
    alone, pairs = made_up_losses(n_teacher, n_student, seed, alike)
    asked = []

    def loss(layers):
        layers = [int(layer) for layer in layers]
        if not all(0 <= layer < n_teacher for layer in layers):
            raise IndexError(f"the teacher has layers 0 to {n_teacher - 1}, loss got {layers}")
        asked.append(layers)
        total = 3.0 + sum(alone[place % n_student, a].item() for place, a in enumerate(layers))
        return total + sum(pairs[a, b].item() for a, b in itertools.pairwise(layers))

    layers = answer(n_teacher, n_student, loss)
    return layers, sorted(asked)


def choose_layers_cases():
    """Three of six, two of four, all the same, and one of three."""
    return [
        case("3 of 6 layers", 6, 3, 4),
        case("2 of 4 layers", 4, 2, 1),
        case("2 of 5 layers, all choices as good", 5, 2, 0, True),
        case("1 of 3 layers", 3, 1, 2),
    ]


SIZES = (6, 3, 4)  # 3 of 6 layers, the first case
EVERY = [list(layers) for layers in itertools.combinations(range(6), 3)]


def took(answer, *sizes):
    """The layers, and what was measured, as lists."""
    layers, asked = answer(*(sizes or SIZES))
    return torch.as_tensor(layers).tolist(), [torch.as_tensor(choice).tolist() for choice in asked]


def is_a_choice(answer):
    """n_student numbers."""
    layers, _ = answer(*SIZES)
    if layers is None:
        return "It returns None: does it find a lowest loss whatever the losses are?"
    layers = torch.as_tensor(layers)
    return layers.dim() == 1 and len(layers) == 3


def none_twice(answer):
    """No layer twice, neither measured nor taken."""
    layers, asked = took(answer)
    return all(len({*choice}) == len(choice) for choice in [layers, *asked])


def in_rising_order(answer):
    """The student keeps the teacher's order."""
    layers, asked = took(answer)
    return all(choice == sorted(choice) for choice in [layers, *asked])


def whole_choices(answer):
    """Only lists of n_student layers are measured."""
    return all(len(choice) == 3 for choice in took(answer)[1])


def every_choice(answer):
    """All choices are measured."""
    asked = took(answer)[1]
    n_asked = sum(choice in asked for choice in EVERY)
    if not asked:
        return "It measures nothing: which choice is the best, only `loss` can tell."
    return (
        n_asked == len(EVERY)
        or f"It does not measure every choice: there are {len(EVERY)} ways to "
        f"take 3 of 6 layers in order, and it measures {n_asked} of them."
    )


def each_once(answer):
    """No choice is measured again."""
    asked = Counter(map(tuple, took(answer)[1]))
    again = [choice for choice, times in asked.items() if times > 1]
    return not again or (
        f"It measures {list(again[0])} {asked[again[0]]} times: measure each choice once, as that "
        "may take a minute, and keep what came out."
    )


def lowest_wins(answer):
    """No other choice that it measured has a lower loss."""
    layers, asked = took(answer)
    if layers not in asked:
        return None
    alone, pairs = made_up_losses(*SIZES)
    costs = [
        sum(alone[place, a].item() for place, a in enumerate(choice))
        + sum(pairs[a, b].item() for a, b in itertools.pairwise(choice))
        for choice in asked
    ]
    cost = costs[asked.index(layers)]
    if cost == max(costs) != min(costs):
        return "It takes the choice with the highest loss: lower is better."
    return cost == min(costs)


def first_of_equals(answer):
    """Of equal ones, the first."""
    layers, asked = took(answer, 5, 2, 0, True)
    every = {*itertools.combinations(range(5), 2)}
    return layers == [0, 1] if {*map(tuple, asked)} == every else None


CHOOSE_LAYERS = Write(
    id="8a.9",
    title="Which layers?",
    level="medium",
    text="""
A student begins with some of its teacher’s layers, every second one, you may read. Is that the
best choice? Write `choose_layers(n_teacher, n_student, loss)`, which does not believe it but
measures. The teacher’s layers are 0 to n_teacher - 1. A choice is a list of n_student different
ones in rising order, such as `[0, 2, 5]`. `loss(layers)` builds a student from a choice and
measures it: the lower, the better. Measure **every** possible choice, each of them **once** (that
may take a minute), and return the choice with the lowest loss. If several share it, return the one
whose first layer is the smallest, then the second, and so on: `[0, 3]` comes before `[1, 2]`.
""",
    hints=(
        "How many choices are there to take 2 of 4 layers? Write them all down, in order.",
        "`itertools.combinations(range(n_teacher), n_student)` gives all of them, in that order.",
        "Keep the best choice so far together with its loss; replace it only by one that is lower.",
    ),
    solution=choose_layers,
    second_style=choose_layers_grown,
    mistakes=(
        choose_layers_every_second,
        choose_layers_first,
        choose_layers_alone,
        choose_layers_step_by_step,
        choose_layers_neighbours,
        choose_layers_spaced,
        choose_layers_lowest,
    ),
    cases=choose_layers_cases,
    run=measured,
    results=("layers", "choices measured"),
    properties=(
        Property("It must return a list of n_student layers.", is_a_choice),
        Property(
            "It allows a layer twice: a choice has n_student different ones.",
            none_twice,
        ),
        Property(
            "It allows layers out of order, such as [2, 0]: the student keeps the teacher’s order.",
            in_rising_order,
        ),
        Property(
            "It measures lists of more or fewer layers than n_student: how good a layer is depends "
            "on the others.",
            whole_choices,
        ),
        Property("It does not measure every choice.", every_choice),
        Property("It measures a choice again.", each_once),
        Property("The choice that it returns is not the one with the lowest loss.", lowest_wins),
        Property(
            "Of several choices with the lowest loss it does not take the first: replace the best "
            "one only by one that is lower.",
            first_of_equals,
        ),
    ),
    see="8aE DistilBERT: learn from a teacher",
)
