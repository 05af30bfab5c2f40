"""What changed tokens and mean vectors say about the way in which they were made."""

import functools

import torch

from tutorial_lib.exercises.engine.tasks import Property

# What became of what was chosen ---------------------------------------------------------------

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


# One vector for several -----------------------------------------------------------------------

LENGTHS = (3, 5)
MASK = torch.arange(7) < torch.tensor(LENGTHS)[:, None]
HIDDEN = torch.eye(7, 9).expand(2, 7, 9)  # number t of a mean is the share of token t


def shares(answer):
    """How much each token counts in its text's vector, (2, 7)."""
    return answer(HIDDEN, MASK).reshape(2, 9)[:, :7]


def one_vector_a_text(answer):
    """(B, D)."""
    shape = tuple(answer(HIDDEN, MASK).shape)
    sentences = {
        (9,): "There is one vector for the whole batch: each text has its own.",
        (7, 9): "The mean goes over the texts: it goes over the tokens, dim=1.",
        (2, 7): "The mean goes over the width D: it goes over the tokens, dim=1.",
        (2, 7, 9): "There is a vector a token: one a text is asked for.",
        (2, 1, 9): "It keeps the axis of the tokens, (B, 1, D): one vector a text is (B, D).",
    }
    return shape == (2, 9) or sentences.get(shape, False)


def padding_does_not_count(answer):
    """Padding has no share."""
    if not shares(answer)[MASK].any():
        return "Only the padding counts: True marks a real token."
    return not shares(answer)[~MASK].any()


def real_tokens_count(answer):
    """Each real token has a share."""
    rows = zip(shares(answer), LENGTHS, strict=True)
    counted = [row[:n].nonzero().flatten().tolist() for row, n in rows]
    sentences = {
        "[CLS], the first token, does not count: it is a real token too.": (1, 0),
        "[SEP], the last real token, does not count: it is a real token too.": (0, -1),
        "[CLS] and [SEP] do not count: they are real tokens too.": (1, -1),
    }
    for sentence, (start, end) in sentences.items():
        if counted == [[*range(start, n + end)] for n in LENGTHS]:
            return sentence
    if counted == [[0]] * 2 or counted == [[n - 1] for n in LENGTHS]:
        which = "first" if counted[0] == [0] else "last"
        return f"Only the {which} token counts: all real ones do."
    if not any(counted):
        return None
    return counted == [[*range(n)] for n in LENGTHS]


def tokens_count_the_same(answer):
    """The shares within a text are the same."""
    return all(len(row[row != 0].unique()) < 2 for row in shares(answer).mul(1e4).round())


POOLING = (
    Property("One vector a text is asked for, (B, D).", one_vector_a_text),
    Property("The padding counts: only real tokens do.", padding_does_not_count),
    Property(
        "Some real tokens do not count: each text has a length of its own.", real_tokens_count
    ),
    Property("Some tokens of a text count for more than others.", tokens_count_the_same),
)
