"""What changed tokens say about the way in which they were made."""

import functools

import torch

from tutorial_lib.exercises.engine.tasks import Property

# On both sides of the borders, and 0.8 itself, which in 32 bits is not below. No 0.9: in 32 bits
# it is a little less, so that whether it is below depends on how one compares.
DRAWS = (0.03, 0.15, 0.31, 0.52, 0.79, 0.8, 0.81, 0.85, 0.89, 0.91, 0.95, 0.98)
BORDERS = {
    "hidden": (0, 0.8, "below 0.8"),
    "random": (0.8, 0.9, "from 0.8 to below 0.9"),
    "kept": (0.9, 1, "from 0.9 on"),
}


def chosen_and_draws():
    """Two rows in which each draw comes once chosen and once not: (2, 12) bool, (2, 12)."""
    chosen = torch.arange(24).view(2, 12) % 2 == torch.tensor([[0], [1]])
    return chosen, torch.tensor([DRAWS, DRAWS])


def turned_round(fates):
    """Tell whether the others have changed and not the chosen ones."""
    changed = {chosen for chosen, _, fate in fates if fate != "kept"}
    return changed == {False}


def fate_properties(fates, thing, names):
    """The properties of 80, 10 and 10.

    fates(answer) is a list of (chosen, draw, fate), where a fate is "hidden", "random", "kept" or
    a text that says what else it has become; names says in words what the three fates are.
    """

    def others_stay(answer):
        for chosen, draw, fate in fates(answer):
            if not chosen and fate != "kept":
                if turned_round(fates(answer)):
                    return (
                        f"It changes each {thing} that is not chosen, and no other: turn it round."
                    )
                became = f"becomes {names.get(fate, fate)}"
                return f"A {thing} that is not chosen, with the draw {draw}, {became}: it stays."
        return True

    def fate_is(wanted, answer):
        low, high, when = BORDERS[wanted]
        others = turned_round(fates(answer))
        for chosen, draw, fate in fates(answer):
            if chosen != others and low <= draw < high and fate != wanted:
                became = names.get(fate, fate)
                return (
                    f"A chosen {thing} with the draw {draw} becomes {became}: {when} it becomes "
                    f"{names[wanted]}."
                )
        return True

    return (
        Property(f"Only a chosen {thing} may change.", others_stay),
        *(
            Property(
                f"With a draw {BORDERS[fate][2]} a chosen {thing} becomes {names[fate]}.",
                functools.partial(fate_is, fate),
            )
            for fate in BORDERS
        ),
    )
