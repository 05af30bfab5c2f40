"""Chapter 08a: ELECTRA's batches, and the loss of its discriminator."""

import functools
import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed, no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def replaced_batch(ids, chosen, mask, drawn):
    """Return the changed ids and the labels, (B, T) each.

    ids (B, T), the text; chosen (B, T) bool, the gaps; mask (B, T) bool, False for padding; drawn
    (N,), the generator's token for each gap, row by row. Labels: 1 replaced, 0 original, -100 for
    padding.
    """
    changed = ids.clone()
    changed[chosen] = drawn
    labels = (changed != ids).long()
    labels[~mask] = -100
    return changed, labels


def replaced_batch_places(ids, chosen, mask, drawn):
    """Second style."""
    fillings = iter(drawn.tolist())
    changed, labels = [], []
    for row, gaps, real in zip(ids.tolist(), chosen.tolist(), mask.tolist(), strict=True):
        new = [next(fillings) if gap else token for token, gap in zip(row, gaps, strict=True)]
        kinds = zip(new, row, real, strict=True)
        changed.append(new)
        labels.append([int(a != b) if is_real else -100 for a, b, is_real in kinds])
    return changed, labels


def replaced_batch_in_place(ids, chosen, mask, drawn):
    """This compares the changed ids with themselves, so that no label is 1: `changed = ids` is no
    copy, and with it `ids` has changed, too."""
    changed = ids
    changed[chosen] = drawn
    labels = (changed != ids).long()
    labels[~mask] = -100
    return changed, labels


def replaced_batch_one_row(ids, chosen, mask, drawn):
    """This returns one row a text without its padding: (B, T) is asked for, with -100 there."""
    changed, labels = replaced_batch(ids, chosen, mask, drawn)
    return [list(row[real]) for row, real in zip(changed, mask, strict=True)], [
        list(row[real]) for row, real in zip(labels, mask, strict=True)
    ]


def replaced_batch_cases():
    """Draws that restore a token in each row; padding on the right and on the left; no gap."""
    ids = torch.tensor([[7, 3, 8, 5, 0], [6, 9, 4, 3, 8]])
    chosen = torch.tensor([[0, 1, 0, 1, 0], [1, 0, 1, 0, 1]]).bool()
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]).bool()
    return [
        case("2 texts, 5 gaps", ids, chosen, mask, torch.tensor([5, 5, 6, 2, 9])),
        case("padding on the left", *batch()),
        case("no gap", ids, torch.zeros(2, 5).bool(), mask, torch.tensor([], dtype=torch.long)),
    ]


def batch():
    """Ids, gaps, mask and draws: two draws are what stood there, one is what stood elsewhere."""
    ids = torch.tensor([[0, 0, 12, 13, 14, 15], [21, 22, 23, 24, 0, 0], [31, 32, 33, 34, 35, 36]])
    chosen = torch.tensor([[0, 0, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0], [0, 1, 1, 0, 0, 1]]).bool()
    return ids, chosen, ids > 0, torch.tensor([51, 14, 53, 54, 24, 56, 31, 36])


@functools.cache
def made_batch(filled, label, padding):
    """What an answer with these choices gives for `batch`."""
    ids, chosen, mask, drawn = batch()
    changed = ids.clone()
    if filled == "rows":
        changed[chosen] = drawn
    if filled == "columns":
        changed.T[chosen.T] = drawn
    if filled == "backwards":
        changed[chosen] = drawn.flip(0)
    labels = {
        "changed": changed != ids,
        "chosen": chosen,
        "same": changed == ids,
        "not chosen": ~chosen,
        "restored": chosen & (changed == ids),
    }[label]
    labels = labels.long()
    if padding is not None:
        labels[~mask] = padding
    return changed, labels


def whole_batch(answer):
    """(B, T), twice."""
    return [tuple(part.shape) for part in answer(*batch())] == [(3, 6), (3, 6)]


def labels_come_second(answer):
    """The ids come first, then the labels."""
    first, second = answer(*batch())
    return bool(first.max() > 1 or second.max() <= 1)


def whole_numbers(answer):
    """Labels are 1, 0 and -100, not True and False or decimal numbers."""
    labels = answer(*batch())[1]
    return labels.dtype is not torch.bool and not labels.is_floating_point()


def others_stay(answer):
    """A token that is no gap has changed: the ids stay there."""
    ids, chosen, _, _ = batch()
    if not labels_come_second(answer):
        return None
    return bool((answer(*batch())[0][~chosen] == ids[~chosen]).all())


REPLACED_BATCH = Write(
    id="8a.12",
    title="What counts as replaced",
    level="medium",
    text="""
The generator has filled the gaps of a batch; now make the discriminator’s batch of it. `ids` (B,
T) is the text, `chosen` (B, T) is True at the gaps, and `mask` (B, T) is False for padding, where
there are no gaps. `drawn` (N,) holds the token that the generator drew for each of the N gaps, row
by row, in each row from the left. Write `replaced_batch(ids, chosen, mask, drawn)` and return two
tensors (B, T): the ids that the discriminator reads, and whole numbers as labels. A label is 1
where it reads **another** token than the text has, 0 where it reads the one that the text has, and
-100 for padding. Leave `ids` itself as it is.
""",
    hints=(
        "A generator is often right. What is the label of a gap in which it has drawn the very "
        "token that stood there?",
        "`changed = ids.clone()`, then `changed[chosen] = drawn`: a bool index goes row by row.",
        "With the changed ids and the old ones you do not need `chosen` for the labels at all.",
    ),
    solution=replaced_batch,
    second_style=replaced_batch_places,
    mistakes=(replaced_batch_in_place, replaced_batch_one_row),
    cases=replaced_batch_cases,
    results=("ids", "labels"),
    properties=(
        Property("Both results are (B, T).", whole_batch),
        Property("The order is turned round: first the ids, then the labels.", labels_come_second),
        Property("The labels are whole numbers, 1, 0 and -100: use `.long()`.", whole_numbers),
        *composed(
            lambda answer: answer(*batch()),
            made_batch,
            {
                "The draws go into the gaps row by row.": "rows",
                "The draws are put into the gaps column by column: their order is row by row.": (
                    "columns"
                ),
                "The draws are put into the gaps from the last to the first.": "backwards",
                "The gaps are not filled: the discriminator reads the text itself.": "none",
            },
            {
                "The label is 1 where another token stands.": "changed",
                "Each gap has the label 1: where the generator drew what stood there, the "
                "discriminator reads the text’s own token.": "chosen",
                "The labels are the wrong way round: 1 stands for another token, 0 for the text’s "
                "own.": "same",
                "The label is 1 outside of the gaps and 0 in them: there is nothing wrong with a "
                "token that was never hidden.": "not chosen",
                "The label is 1 where the generator drew what stood there: 1 is for another "
                "token.": "restored",
            },
            {
                "Padding has -100.": -100,
                "Padding has the label 0, as if it were of the text: -100 must be there.": 0,
                "Padding has the label 1, as if it were replaced: -100 must be there.": 1,
                "Padding has the label -1: it must be -100.": -1,
            },
            otherwise=(others_stay,),
        ),
    ),
    keeps_input=True,
    see="8aF ELECTRA: was it replaced?",
)


def replaced_loss(logits, labels):
    """Return the mean binary cross-entropy over all tokens but padding, in nats.

    logits (B, T): sigmoid(logit) is how likely the discriminator finds it that the token was
    replaced. labels (B, T): 1 replaced, 0 original, -100 padding.
    """
    real = labels != -100
    return F.binary_cross_entropy_with_logits(logits[real], labels[real].float())


def replaced_loss_places(logits, labels):
    """Second style."""
    losses = torch.where(labels == 1, F.softplus(-logits), F.softplus(logits))
    counted = (labels >= 0).float()
    return (losses * counted).sum() / counted.sum()


def replaced_loss_overflowing(logits, labels):
    """The sigmoid gives exactly 0 or 1 where the discriminator is very sure, and the log of 0 is
    infinite: use `F.logsigmoid` or `F.binary_cross_entropy_with_logits`."""
    real = labels != -100
    p, y = logits[real].sigmoid(), labels[real].float()
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


def replaced_loss_cut(logits, labels):
    """It cuts off each loss at 100, as `F.binary_cross_entropy` does where the sigmoid is exactly 0
    or 1: `F.binary_cross_entropy_with_logits` takes raw logits, and knows better."""
    real = labels != -100
    return F.binary_cross_entropy(logits[real].sigmoid(), labels[real].float())


def replaced_loss_hits(logits, labels):
    """This is the share of wrong guesses: the loss asks how likely the right label was, so that it
    has a gradient."""
    real = labels != -100
    return ((logits[real] > 0) != (labels[real] == 1)).float().mean()


def replaced_loss_row(logits, labels):
    """This takes the softmax over a row, as if one of its tokens had to be the replaced one: each
    token is a question of its own, with a sigmoid."""
    real = labels != -100
    log_p = logits.masked_fill(~real, -1e4).log_softmax(dim=-1)
    return -log_p[labels == 1].mean()


def replaced_loss_cases():
    """Rows with unequal padding, a discriminator that is very sure, and one that is wrong."""
    labels = torch.tensor([[0, 1, 0, 0, 1, 0], [0, 1, 0, -100, -100, -100]])
    left = torch.tensor([[-100, -100, 0, 0, 1], [0, 0, 0, 1, 0], [-100, 0, 1, 0, 0]])
    sure = torch.tensor([[-200.0, 150.0, 120.0, -300.0]])
    return [
        case("2 texts, one padded", 2 * torch.randn(2, 6), labels),
        case("3 texts, padding on the left", 3 * torch.randn(3, 5), left),
        case("very sure, once wrong", sure, torch.tensor([[0, 1, 0, -100]])),
        case("nothing replaced", torch.randn(1, 4), torch.zeros(1, 4, dtype=torch.long)),
    ]


def judged():
    """Logits (3, 8) and labels: 8, 5 and 3 tokens are real, and 5 of these 16 are replaced."""
    logits = 2 * torch.randn(3, 8, generator=torch.Generator().manual_seed(5))
    labels = torch.tensor(
        [[0, 1, 0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 1, *[-100] * 3], [1, 0, 0, *[-100] * 5]]
    )
    return logits, labels


SURE = torch.tensor([[-200.0, 150.0, 120.0, -300.0]])


@functools.cache
def made_loss(counted, mean, loss, unit):
    """What an answer with these choices gives for `judged`."""
    logits, labels = judged()
    real = labels != -100
    count = {
        "real": real,
        "all": torch.ones_like(real),
        "raw": torch.ones_like(real),
        "replaced": labels == 1,
        "original": labels == 0,
        "padding": ~real,
    }[counted]
    y = labels.float() if counted == "raw" else (labels == 1).float()
    yes, no = F.logsigmoid(logits), F.logsigmoid(-logits)
    twice = F.logsigmoid(logits.sigmoid()), F.logsigmoid(-logits.sigmoid())
    losses = {
        "both": -(y * yes + (1 - y) * no),
        "yes": -y * yes,
        "no": -(1 - y) * no,
        "turned": -(y * no + (1 - y) * yes),
        "twice": -(y * twice[0] + (1 - y) * twice[1]),
        "negative": y * yes + (1 - y) * no,
        "square": (logits.sigmoid() - y) ** 2,
        "raw square": (logits - y) ** 2,
    }[loss]
    losses = losses * count
    found = {
        "mean": losses.sum() / count.sum(),
        "sum": losses.sum(),
        "rows": (losses.sum(1) / count.sum(1).clamp(min=1)).mean(),
        "B": losses.sum() / 3,
        "BT": losses.sum() / 24,
        "replaced": losses.sum() / 5,
    }[mean]
    return found / unit


def loss_of(answer):
    """The loss of `judged`. Raises ValueError for more than one number."""
    return torch.as_tensor(answer(*judged())).float().reshape(())


def one_loss(answer):
    """One number for the batch."""
    return torch.as_tensor(answer(*judged())).numel() == 1


def padding_does_not_count(answer):
    """The padding matters: its logits must change nothing."""
    logits, labels = judged()
    other = torch.where(labels == -100, logits + 1, logits)
    return abs(torch.as_tensor(answer(other, labels)).item() - loss_of(answer).item()) < 1e-5


def stays_finite(answer):
    """The loss of logits that are very sure, some of them wrong, is a number."""
    labels = torch.tensor([[0, 1, 0, 1]])
    return math.isfinite(torch.as_tensor(answer(SURE, labels)).float().sum())


def every_token_counts(answer):
    """Not every real token counts."""
    logits, labels = judged()
    for b, t in (labels != -100).nonzero().tolist():
        other = logits.clone()
        other[b, t] += 0.5
        if abs(torch.as_tensor(answer(other, labels)).sum() - loss_of(answer)) < 1e-6:
            what = "replaced" if labels[b, t] == 1 else "original"
            return f"Some {what} tokens do not count: every real token does."
    return True


REPLACED_LOSS = Write(
    id="8a.13",
    title="Every position teaches",
    level="easy",
    text="""
The discriminator has read such a batch and gives one logit a token: its sigmoid is the probability
p that the token was replaced. Write `replaced_loss(logits, labels)` with logits (B, T) and the
labels (B, T) of 8a.12: 1 for a replaced token, 0 for an original one, -100 for padding. A replaced
token costs -log p, an original one -log(1 - p). Return the mean in nats over **all** tokens of the
batch that are not padding, one number. It must stay finite for logits of 100 and more.
""",
    hints=(
        "What did a BERT pay for at a place that was not chosen, and what does ELECTRA pay?",
        "`real = labels != -100`, then `logits[real]` and `labels[real]`, both (N,).",
        "`F.binary_cross_entropy_with_logits` takes raw logits, and labels as decimal numbers.",
    ),
    solution=replaced_loss,
    second_style=replaced_loss_places,
    mistakes=(replaced_loss_overflowing, replaced_loss_cut, replaced_loss_hits, replaced_loss_row),
    cases=replaced_loss_cases,
    properties=(
        Property("The loss of the batch is one number.", one_loss),
        *composed(
            loss_of,
            made_loss,
            {
                "All tokens count but padding.": "real",
                "Padding counts, as if it were original: leave out the places with -100.": "all",
                "Padding counts, with -100 as its label: leave out these places.": "raw",
                "Only the replaced tokens count: the original ones teach as well.": "replaced",
                "Only the original tokens count: the replaced ones teach as well.": "original",
                "Only padding counts: the mask is turned round.": "padding",
            },
            {
                "It is the mean over them.": "mean",
                "It is the sum: the mean is asked for.": "sum",
                "It takes the mean of each row first, so that a token of a short text counts for "
                "more: take one mean over the whole batch.": "rows",
                "It divides by the number of texts: divide by the number of tokens that count.": (
                    "B"
                ),
                "It divides by all B · T places: divide by the number of those that are no "
                "padding.": "BT",
                "It divides by the number of replaced tokens: divide by that of all that count.": (
                    "replaced"
                ),
            },
            {
                "The loss is -log p, or -log(1 - p).": "both",
                "An original token costs nothing: it costs -log(1 - p).": "yes",
                "A replaced token costs nothing: it costs -log p.": "no",
                "The labels are taken the wrong way round: -log p is the cost of a replaced "
                "token.": "turned",
                "It takes the sigmoid twice: `with_logits` takes it itself.": "twice",
                "It has the wrong sign: a loss is never below 0.": "negative",
                "It is the square of p minus the label: a loss in nats is a logarithm.": "square",
                "It is the square of logit minus label: p is the sigmoid of the logit, and the "
                "loss a logarithm.": "raw square",
            },
            {
                "It is in nats.": 1.0,
                "It is in bits: nats take the natural logarithm.": math.log(2),
            },
            otherwise=(padding_does_not_count, every_token_counts),
        ),
        Property(
            "The sigmoid gives exactly 0 or 1 here and its log is infinite: use `F.logsigmoid` or "
            "`F.binary_cross_entropy_with_logits`.",
            stays_finite,
        ),
    ),
    remarks=(lambda answer: no_way_back(answer, *judged()),),
    see="8aF ELECTRA: was it replaced?",
)
