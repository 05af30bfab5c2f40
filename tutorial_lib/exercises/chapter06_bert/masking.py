"""Chapter 06: what becomes of the chosen tokens."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def changed(ids, hidden, replaced, random_ids, mask_id):
    """The ids with mask_id where hidden, a random id where replaced."""
    return torch.where(replaced, random_ids, ids.masked_fill(hidden, mask_id))


def mask_80_10_10_swapped(ids, chosen, draw, random_ids, mask_id):
    """This mixes up the two tenths: from 0.8 to 0.9 a random token, from 0.9 on nothing."""
    return changed(ids, chosen & (draw < 0.8), chosen & (draw >= 0.9), random_ids, mask_id)


def mask_80_10_10_all_hidden(ids, chosen, draw, random_ids, mask_id):
    """This hides all chosen tokens: [MASK] is for 80 % of them."""
    return ids.masked_fill(chosen, mask_id)


def mask_80_10_10_no_random(ids, chosen, draw, random_ids, mask_id):
    """This leaves 20 % as they were: half of these become a random token."""
    return ids.masked_fill(chosen & (draw < 0.8), mask_id)


def mask_80_10_10_none_kept(ids, chosen, draw, random_ids, mask_id):
    """This makes 20 % random: half of these stay as they were."""
    return changed(ids, chosen & (draw < 0.8), chosen & (draw >= 0.8), random_ids, mask_id)


def mask_80_10_10_ninety(ids, chosen, draw, random_ids, mask_id):
    """This hides 90 % and leaves the rest: from 0.8 to 0.9 it is a random token."""
    return ids.masked_fill(chosen & (draw < 0.9), mask_id)


def mask_80_10_10_all_random(ids, chosen, draw, random_ids, mask_id):
    """This makes all chosen tokens random: that is for 10 % of them."""
    return torch.where(chosen, random_ids, ids)


def mask_80_10_10_zero(ids, chosen, draw, random_ids, mask_id):
    """This puts in 0 in place of `mask_id`."""
    return mask_80_10_10(ids, chosen, draw, random_ids, 0)


def mask_80_10_10_nine_tenths(ids, chosen, draw, random_ids, mask_id):
    """This hides 90 % and makes the rest random: it is 80, 10 and 10."""
    return changed(ids, chosen & (draw < 0.9), chosen & (draw >= 0.9), random_ids, mask_id)


def mask_80_10_10_everywhere(ids, chosen, draw, random_ids, mask_id):
    """This changes all tokens: only the chosen ones may change."""
    return changed(ids, draw < 0.8, (draw >= 0.8) & (draw < 0.9), random_ids, mask_id)


def mask_80_10_10_random_everywhere(ids, chosen, draw, random_ids, mask_id):
    """This puts random tokens where nothing was chosen: `chosen` holds for them too."""
    replaced = (draw >= 0.8) & (draw < 0.9)
    return changed(ids, chosen & (draw < 0.8), replaced, random_ids, mask_id)


def mask_80_10_10_hidden_everywhere(ids, chosen, draw, random_ids, mask_id):
    """This hides tokens that were not chosen: `chosen` holds for [MASK] too."""
    replaced = chosen & (draw >= 0.8) & (draw < 0.9)
    return changed(ids, draw < 0.8, replaced, random_ids, mask_id)


def mask_80_10_10_others(ids, chosen, draw, random_ids, mask_id):
    """This changes the tokens that were not chosen, and leaves the chosen ones: turn it round."""
    return mask_80_10_10(ids, ~chosen, draw, random_ids, mask_id)


def mask_80_10_10_overwritten(ids, chosen, draw, random_ids, mask_id):
    """This puts a random token over each [MASK]: `draw < 0.9` holds where `draw < 0.8` does."""
    return changed(ids, chosen & (draw < 0.8), chosen & (draw < 0.9), random_ids, mask_id)


def mask_80_10_10_other_end(ids, chosen, draw, random_ids, mask_id):
    """This has the shares right, but from the other end: [MASK] is for draws below 0.8."""
    replaced = chosen & (draw >= 0.1) & (draw < 0.2)
    return changed(ids, chosen & (draw >= 0.2), replaced, random_ids, mask_id)


def mask_80_10_10_random_first(ids, chosen, draw, random_ids, mask_id):
    """This begins with the random tokens, below 0.1: [MASK] comes first, for draws below 0.8."""
    return changed(ids, chosen & (draw >= 0.2), chosen & (draw < 0.1), random_ids, mask_id)


def mask_80_10_10_above(ids, chosen, draw, random_ids, mask_id):
    """This hides the draws above 0.8, a fifth of them: hide those below."""
    return changed(ids, chosen & (draw >= 0.8), draw < 0, random_ids, mask_id)


def mask_80_10_10_tenth_of_the_mask(ids, chosen, draw, random_ids, mask_id):
    """This makes draws below 0.1 random, and so takes them from the [MASK]: 70 % are left."""
    return changed(ids, chosen & (draw < 0.8), chosen & (draw < 0.1), random_ids, mask_id)


def mask_80_10_10_tenth_of_the_rest(ids, chosen, draw, random_ids, mask_id):
    """This takes 10 % of the rest, 2 % of all chosen: it is half of the rest, up to 0.9."""
    replaced = chosen & (draw >= 0.8) & (draw < 0.82)
    return changed(ids, chosen & (draw < 0.8), replaced, random_ids, mask_id)


def mask_80_10_10_fifteen(ids, chosen, draw, random_ids, mask_id):
    """This chooses once more, 15 % by the draw: the choice is made, `draw` says what to do."""
    return ids.masked_fill(chosen & (draw < 0.15), mask_id)


def mask_80_10_10_own_draw(ids, chosen, draw, random_ids, mask_id):
    """This draws numbers of its own: `draw` holds them."""
    return mask_80_10_10(ids, chosen, torch.rand(ids.shape), random_ids, mask_id)


def mask_80_10_10_untouched(ids, chosen, draw, random_ids, mask_id):
    """Nothing has changed: `ids[chosen][draw[chosen] < 0.8] = mask_id` writes into a copy."""
    return ids.clone()


def mask_80_10_10_positions(ids, chosen, draw, random_ids, mask_id):
    """This takes each random id for a place, and puts in the token that stands there: put in
    the random id itself.
    """
    elsewhere = ids.flatten()[random_ids % ids.numel()]
    return mask_80_10_10(ids, chosen, draw, elsewhere, mask_id)


def mask_80_10_10_in_order(ids, chosen, draw, random_ids, mask_id):
    """This fills the places with the random ids in order, from the first on: each place has a
    random id of its own, in the same row and column.
    """
    replaced = chosen & (draw >= 0.8) & (draw < 0.9)
    return mask_80_10_10(ids, chosen, draw, ids.masked_scatter(replaced, random_ids), mask_id)


def mask_80_10_10_only_chosen(ids, chosen, draw, random_ids, mask_id):
    """This returns the chosen tokens alone: the whole batch (B, T) is asked for."""
    return mask_80_10_10(ids, chosen, draw, random_ids, mask_id)[chosen]


def mask_80_10_10_labels(ids, chosen, draw, random_ids, mask_id):
    """This loses the tokens that were not chosen: they stay as they were."""
    return mask_80_10_10(ids, chosen, draw, random_ids, mask_id) * chosen


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


MASK_80_10_10 = Write(
    id="6.3",
    title="80, 10 and 10",
    level="medium",
    text="""
The tokens to ask about are chosen: `chosen` (B, T) is True there. What becomes of each is decided
by `draw` (B, T), random numbers from 0 to 1. Write `mask_80_10_10(ids, chosen, draw, random_ids,
mask_id)`: below 0.8 a chosen token becomes `mask_id`; from 0.8 to 0.9 it becomes the random token
at its place in `random_ids` (B, T); from 0.9 on it stays. Return the changed ids (B, T), and leave
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
    mistakes=(
        mask_80_10_10_swapped,
        mask_80_10_10_all_hidden,
        mask_80_10_10_no_random,
        mask_80_10_10_none_kept,
        mask_80_10_10_ninety,
        mask_80_10_10_all_random,
        mask_80_10_10_zero,
        mask_80_10_10_nine_tenths,
        mask_80_10_10_everywhere,
        mask_80_10_10_random_everywhere,
        mask_80_10_10_hidden_everywhere,
        mask_80_10_10_others,
        mask_80_10_10_overwritten,
        mask_80_10_10_other_end,
        mask_80_10_10_random_first,
        mask_80_10_10_above,
        mask_80_10_10_tenth_of_the_mask,
        mask_80_10_10_tenth_of_the_rest,
        mask_80_10_10_fifteen,
        mask_80_10_10_own_draw,
        mask_80_10_10_untouched,
        mask_80_10_10_positions,
        mask_80_10_10_in_order,
        mask_80_10_10_only_chosen,
        mask_80_10_10_labels,
    ),
    cases=mask_80_10_10_cases,
    see="6.3 Fifteen per cent",
)
