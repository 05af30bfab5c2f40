"""Chapter 06: what becomes of the chosen tokens."""

import torch

from tutorial_lib.exercises.chapter06_bert.measures import DRAWS, chosen_and_draws, fate_properties
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def mask_80_10_10(ids, chosen, draw, random_ids, mask_id):
    """Return the changed ids (B, T): of the chosen 80 % hidden, 10 % random, 10 % as they were.

    ids, random_ids (B, T) whole numbers; chosen (B, T) bool; draw (B, T) decides, 0 <= draw < 1.
    """
    hidden = chosen & (draw < 0.8)
    replaced = chosen & (draw >= 0.8) & (draw < 0.9)
    return torch.where(replaced, random_ids, ids.masked_fill(hidden, mask_id))


def mask_80_10_10_places(ids, chosen, draw, random_ids, mask_id):
    """Second style."""
    rows = ids.tolist()
    for b, t in chosen.nonzero().tolist():
        if draw[b, t] < 0.8:
            rows[b][t] = mask_id
        elif draw[b, t] < 0.9:
            rows[b][t] = random_ids[b, t].item()
    return rows


def mask_80_10_10_untouched(ids, chosen, draw, random_ids, mask_id):
    """Nothing has changed: `ids[chosen][draw[chosen] < 0.8] = mask_id` writes into a copy."""
    return ids.clone()


def mask_80_10_10_cases():
    """All chosen, draws in steps; a third chosen; nothing chosen."""
    steps = torch.tensor([[0.05, 0.15, 0.25, 0.5, 0.75, 0.81, 0.85, 0.89, 0.91, 0.99]])
    ids, random_ids = torch.arange(11, 21)[None], torch.arange(51, 61)[None]
    third = torch.randperm(120).view(3, 40) % 3 == 0
    text = torch.randint(10, 50, (3, 40))
    noise = torch.randint(50, 90, (3, 40))
    last = (text[:, :5], torch.zeros(3, 5).bool(), torch.rand(3, 5), noise[:, :5], 4)
    return [
        case("ten chosen tokens", ids, torch.ones(1, 10).bool(), steps, random_ids, 4),
        case("a third is chosen", text, third, torch.rand(3, 40), noise, 3),
        case("nothing is chosen", *last),
    ]


def fates(answer):
    """What became of each of 24 tokens: (chosen, draw, fate)."""
    chosen, draw = chosen_and_draws()
    ids, random_ids = torch.arange(11, 35).view(2, 12), torch.arange(51, 75).view(2, 12)
    found = answer(ids, chosen, draw, random_ids, 4)
    rows = zip(*(x.flatten().tolist() for x in (chosen, found, random_ids, ids)), strict=True)
    return [
        (is_chosen, share, {4: "hidden", random: "random", token: "kept"}.get(got, str(got)))
        for share, (is_chosen, got, random, token) in zip(DRAWS * 2, rows, strict=True)
    ]


def keeps_the_shape(answer):
    """(B, T)."""
    chosen, draw = chosen_and_draws()
    ids = torch.arange(24).view(2, 12)
    return answer(ids, chosen, draw, ids + 24, 99).shape == (2, 12)


MASK_80_10_10 = Write(
    id="6.4",
    title="80, 10 and 10",
    level="easy",
    text="""
`chosen` (B, T) is True at the tokens to predict. What becomes of each of them is decided by `draw`
(B, T), random numbers from 0 to 1. Write `mask_80_10_10(ids, chosen, draw, random_ids,
mask_id)`: below 0.8 a chosen token becomes `mask_id`, from 0.8 to 0.9 the random token at its
position in `random_ids` (B, T), and from 0.9 on it stays. Return the changed ids (B, T), and leave
`ids` itself as it is.
""",
    hints=(
        "Three questions for each token: is it chosen, is its draw below 0.8, is it below 0.9?",
        "`hidden = chosen & (draw < 0.8)`; the brackets are needed.",
        "`torch.where(condition, random_ids, ids)` picks place by place; `ids.masked_fill(hidden, "
        "mask_id)` makes a copy.",
    ),
    solution=mask_80_10_10,
    second_style=mask_80_10_10_places,
    mistakes=(mask_80_10_10_untouched,),
    cases=mask_80_10_10_cases,
    properties=(
        Property("The whole batch (B, T) is asked for.", keeps_the_shape),
        *fate_properties(
            fates,
            "token",
            {
                "hidden": "`mask_id`",
                "random": "the token at its own place in `random_ids`",
                "kept": "what it was",
            },
        ),
    ),
    keeps_input=True,
    see="6D Fifteen per cent",
)
