"""Chapter 06: hide, read, and ask at the hidden places only."""

import functools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter05b_prompting.measures import (
    COUNTED,
    IDS,
    N_IDS,
    loss_properties,
    moved_along,
    reading,
    tokens_that_count,
)
from tutorial_lib.exercises.engine.properties import no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def masked_loss(model, ids, chosen, mask_id):
    """Return the mean of -log p(token) over the chosen positions of the batch, in nats.

    model(inputs) gives logits (B, T, V) for inputs (B, T). ids (B, T) are the tokens of the text,
    chosen (B, T) is True for those that the model reads as mask_id and has to name.
    """
    logits = model(ids.masked_fill(chosen, mask_id))  # (B, T, V)
    return F.cross_entropy(logits[chosen], ids[chosen])  # (N, V), (N,)


def masked_loss_places(model, ids, chosen, mask_id):
    """Second style."""
    logits = model(torch.where(chosen, mask_id, ids))
    total = 0.0
    places = chosen.nonzero().tolist()
    for b, t in places:
        total += logits[b, t].logsumexp(dim=0) - logits[b, t, ids[b, t]]
    return total / len(places)


def losses(model, ids, chosen, mask_id):
    """-log p(token) at each place of the hidden text, (B, T)."""
    logits = model(ids.masked_fill(chosen, mask_id))
    return F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")


def masked_loss_visible(model, ids, chosen, mask_id):
    """This lets the model read the chosen tokens: hide them behind `mask_id` first."""
    return F.cross_entropy(model(ids)[chosen], ids[chosen])


def masked_loss_of_masks(model, ids, chosen, mask_id):
    """This asks for the token that the model was shown, [MASK]: ask for the one that was there."""
    inputs = ids.masked_fill(chosen, mask_id)
    return F.cross_entropy(model(inputs)[chosen], inputs[chosen])


def masked_loss_everywhere(model, ids, chosen, mask_id):
    """This counts all places, and most of them can be seen: only the chosen ones count."""
    return losses(model, ids, chosen, mask_id).mean()


def masked_loss_by_all(model, ids, chosen, mask_id):
    """This divides by all B · T places, those that were left out too: divide by the number of
    chosen ones.
    """
    return (losses(model, ids, chosen, mask_id) * chosen).mean()


def masked_loss_by_text(model, ids, chosen, mask_id):
    """This takes the mean of each text first, so a chosen place counts for more in a text that has
    few: take one mean over the whole batch.
    """
    found = losses(model, ids, chosen, mask_id) * chosen
    return (found.sum(dim=1) / chosen.sum(dim=1)).mean()


def masked_loss_labels_zero(model, ids, chosen, mask_id):
    """This gives the other places the label 0 and counts them: leave them out."""
    logits = model(ids.masked_fill(chosen, mask_id))
    return F.cross_entropy(logits.transpose(1, 2), ids * chosen)


def reader(n_ids):
    """A small reader, with logits for each place from the token there and the one before it."""
    here, before = torch.randn(2, n_ids, n_ids)
    return lambda inputs: here[inputs] + before[inputs.roll(1, dims=1)]  # (B, T, V)


def masked_loss_cases():
    """Unequal numbers of chosen places, a chosen token with id 0, one chosen place."""

    def text(rows, places, mask_id):
        ids = torch.tensor(rows)
        chosen = torch.isin(torch.arange(ids.numel()), torch.tensor(places)).view_as(ids)
        return reader(7), ids, chosen, mask_id

    return [
        case("2 of 10 places", *text([[5, 3, 4, 1, 2], [4, 2, 3, 5, 1]], [1, 7], 6)),
        case("1 in a row, 3 in the other", *text([[6, 1, 2, 3], [4, 5, 6, 1]], [2, 4, 5, 7], 0)),
        case("a chosen token has id 0", *text([[0, 3, 2], [1, 0, 4]], [0, 1, 4], 5)),
    ]


HIDE = 4  # stands for [MASK] where an answer is asked what it does


def shown_to_the_model(answer):
    """What the model is given to read, (2, 6). Raises IndexError when it is not asked."""
    shown = []

    def model(inputs):
        shown.append(inputs.clone())
        return torch.zeros(2, 6, N_IDS)

    answer(model, IDS.clone(), COUNTED, HIDE)
    return shown[0]


def hides_the_chosen(answer):
    """mask_id is at the chosen places."""
    shown = shown_to_the_model(answer)
    if (shown[COUNTED] == IDS[COUNTED]).all():
        if (shown[~COUNTED] == HIDE).all():
            return "It hides all tokens but the chosen ones: turn it round."
        return "It lets the model read the chosen tokens: hide them behind `mask_id` first."
    return bool((shown[COUNTED] == HIDE).all())


def leaves_the_others(answer):
    """The text stays where nothing was chosen."""
    shown = shown_to_the_model(answer)
    if (shown[COUNTED] == IDS[COUNTED]).all() and (shown[~COUNTED] == HIDE).all():
        return None
    return torch.equal(shown[~COUNTED], IDS[~COUNTED])


@functools.lru_cache(maxsize=4)
def of_logits(answer):
    """The loss as a function of logits, ids and which tokens count, as in chapter 05b."""
    return lambda logits, ids, counted: answer(lambda _: logits, ids.clone(), counted, HIDE)


def does_not_ask_for_masks(answer):
    """A higher logit of [MASK] at the chosen places does not lower the loss."""
    plain, sure = torch.zeros(2, 2, 6, N_IDS)
    sure[COUNTED, HIDE] = 5.0
    found = [
        float(torch.as_tensor(of_logits(answer)(x, IDS, COUNTED)).float().mean())
        for x in (plain, sure)
    ]
    return found[1] >= found[0]


def on_logits(prop):
    """A property of chapter 05b's losses, for an answer that asks the model itself."""

    def holds(answer):
        if does_not_ask_for_masks(answer) is not True:
            return None
        return prop.holds(of_logits(answer))

    return Property(prop.sentence, holds)


def says_the_token_itself(answer):
    """A chosen place is asked for the token that stood there."""
    counted = tokens_that_count(answer)
    if reading(answer)[0] == 1 and (counted == COUNTED.roll(1, dims=1)).all():
        return (
            "It asks each chosen place for the token after it: a BERT says the token that stood at "
            "the place itself."
        )
    sentences = {
        1: "It reads the logits one place before each chosen one, as a language model does: a BERT "
        "answers at the place itself.",
        -1: "It reads the logits one place after each chosen one: a BERT answers at the place "
        "itself.",
    }
    return None if moved_along(answer) else sentences.get(reading(answer)[0], True)


def chosen_goes_with_ids(answer):
    """Logits and ids are those of the chosen places."""
    return None if reading(answer)[0] else not moved_along(answer)


def no_way_back_to_logits(answer):
    """Remark that a model cannot learn by this loss; "" when it can."""

    def loss(logits):
        return answer(lambda _: logits, IDS.clone(), COUNTED, HIDE)

    return no_way_back(loss, torch.zeros(2, 6, N_IDS))


MASKED_LOSS = Write(
    id="6.1",
    title="The loss at the hidden words",
    level="easy",
    text="""
Write `masked_loss(model, ids, chosen, mask_id)`, the right-hand formula above for a whole batch.
`ids` (B, T) is the text, and stays as it is. `chosen` (B, T) is True at the tokens that the model
must not see: it reads `mask_id` there. `model(inputs)` gives logits (B, T, V). Return the mean of
-log p(token) in nats over the chosen positions of the whole batch, a scalar tensor on which
`backward()` can be called.
""",
    hints=(
        "Three steps: hide, read, ask. `ids.masked_fill(chosen, mask_id)` makes a copy in which "
        "the chosen tokens are hidden.",
        "What is the shape of `logits[chosen]`, and of `ids[chosen]`?",
        "`F.cross_entropy` takes logits (N, V) and ids (N,), and gives the mean over the N.",
    ),
    solution=masked_loss,
    second_style=masked_loss_places,
    mistakes=(
        masked_loss_visible,
        masked_loss_of_masks,
        masked_loss_everywhere,
        masked_loss_by_all,
        masked_loss_by_text,
        masked_loss_labels_zero,
    ),
    cases=masked_loss_cases,
    properties=(
        Property("The chosen tokens do not become `mask_id`.", hides_the_chosen),
        Property("It hides or changes tokens that were not chosen: they stay.", leaves_the_others),
        Property(
            "It asks for [MASK], the token that the model was shown: ask for the one that was "
            "there before.",
            does_not_ask_for_masks,
        ),
        *map(
            on_logits,
            loss_properties(
                Property(
                    "It does not read the logits of the chosen place itself.",
                    says_the_token_itself,
                ),
                Property("It counts places beside the chosen ones.", chosen_goes_with_ids),
                token="chosen place",
                others="only chosen places do",
            ),
        ),
    ),
    remarks=(no_way_back_to_logits,),
    keeps_input=True,
    see="6B One half of the transformer",
)
