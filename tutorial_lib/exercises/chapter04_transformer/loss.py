"""Chapter 04: cross-entropy with label smoothing, padding left out."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def smoothed_loss(logits, labels, smoothing, pad_id):
    """Return the mean over real labels of the cross-entropy against a smoothed target, in nats.

    logits (B, T, V), labels (B, T). The target is 1 - smoothing for the label, plus smoothing
    shared equally by all V tokens.
    """
    log_p = logits.log_softmax(dim=-1)  # (B, T, V)
    of_label = log_p.gather(-1, labels[..., None]).squeeze(-1)  # (B, T)
    of_all = log_p.mean(dim=-1)  # (B, T)
    loss = -(1 - smoothing) * of_label - smoothing * of_all
    return loss[labels != pad_id].mean()


def smoothed_loss_library(logits, labels, smoothing, pad_id):
    """Second style."""
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


def smoothed_loss_exchanged(logits, labels, smoothing, pad_id):
    """Target and model are exchanged: the target weighs the log p of the model."""
    share = smoothing / logits.size(-1)
    target = torch.full_like(logits, share)
    target.scatter_(-1, labels[..., None], 1 - smoothing + share)
    loss = -(logits.softmax(dim=-1) * target.log()).sum(dim=-1)
    return loss[labels != pad_id].mean()


def smoothed_loss_model_shares(logits, labels, smoothing, pad_id):
    """It shares the smoothing as the model's probabilities do: all V get equal shares."""
    log_p = logits.log_softmax(dim=-1)
    label = torch.nn.functional.one_hot(labels, logits.size(-1))
    target = (1 - smoothing) * label + smoothing * log_p.exp()
    return -(target * log_p).sum(dim=-1)[labels != pad_id].mean()


def smoothed_loss_tenth(logits, labels, smoothing, pad_id):
    """It always smooths by 0.1, as the paper did: the number is given, `smoothing`."""
    return smoothed_loss(logits, labels, 0.1, pad_id)


def smoothed_loss_cases():
    """Unequal texts, one of padding only, a padding id that is not 0, and no smoothing once."""
    labels = torch.tensor([[5, 4, 2, 3], [4, 2, 0, 0], [0, 0, 0, 0]])
    other = torch.tensor([[0, 3, 1], [4, 3, 3], [0, 1, 2]])
    return [
        case("smoothing 0.1", 2 * torch.randn(3, 4, 6), labels, 0.1, 0),
        case("smoothing 0.4, pad_id = 3", 2 * torch.randn(3, 3, 5), other, 0.4, 3),
        case("no smoothing, no padding", torch.randn(1, 2, 4), torch.tensor([[1, 2]]), 0.0, 0),
    ]


PAD, N_TOKENS, SMOOTHING, LABEL = 3, 5, 0.3, 1
LABELS = torch.tensor([[1, 0, 2, 4], [2, 1, PAD, PAD]])
UNDECIDED = torch.full((2, 4, N_TOKENS), -math.log(N_TOKENS))


def value(answer, logits, labels, smoothing=0.0):
    """What an answer returns, as a number. Raises ValueError for anything else."""
    loss = torch.as_tensor(answer(logits, labels, smoothing, PAD))
    if loss.numel() != 1 or loss.isnan():
        raise ValueError("not a number")
    return loss.item()


def is_one_number(answer):
    """The whole batch has one loss."""
    loss = torch.as_tensor(answer(UNDECIDED, LABELS, 0.1, PAD))
    return loss.numel() == 1 or (
        f"It returns {tuple(loss.shape)} numbers: the mean over the whole batch is asked for."
    )


def weight_of_places(answer):
    """How much the loss moves with each place, (B, T). Raises ValueError where places compete."""
    if not softmax_runs_over_the_tokens(answer):
        raise ValueError("places compete")
    before, moved = value(answer, UNDECIDED, LABELS), torch.zeros(2, 4)
    for text, place in LABELS.ge(0).nonzero().tolist():
        logits = UNDECIDED.clone()
        logits[text, place, LABELS[text, place]] += 1
        moved[text, place] = abs(value(answer, logits.log_softmax(dim=-1), LABELS) - before)
    return moved


def padding_is_left_out(answer):
    """The logits at padding do not matter, those at token 0 do."""
    moved = weight_of_places(answer)
    if moved[0, 1] < 1e-4 and moved[1, 2] > 1e-4:
        return "It takes 0 for the padding: its id is given, `pad_id`."
    return bool((moved[LABELS == PAD] < 1e-4).all())


def real_places_count_alike(answer):
    """A word of a short text counts as much as one of a long text."""
    moved = weight_of_places(answer)[(LABELS != PAD) & (LABELS != 0)]
    return torch.allclose(moved, moved[:1], rtol=1e-2)


def is_a_mean(answer):
    """Logits that say nothing cost the same in one place and in six."""
    ratio = value(answer, UNDECIDED, LABELS) / value(answer, UNDECIDED[:1, :1], LABELS[:1, :1])
    if math.isclose(ratio, 6 / 8, rel_tol=1e-3):
        return "It divides by all B·T positions: divide by the number of real labels."
    if any(math.isclose(ratio, n, rel_tol=1e-3) for n in (5, 6, 7, 8)):
        return "It is the sum: the mean over the real labels is asked for."
    return math.isclose(ratio, 1, rel_tol=1e-3)


def target_of(answer):
    """The target (V,), the number added, and what was made of log p, read off eleven losses.

    A cross-entropy is linear in log p. Raises ValueError where nothing of the kind fits.
    """
    generator = torch.Generator().manual_seed(8)
    log_p = torch.randn(11, N_TOKENS, generator=generator, dtype=torch.float64).log_softmax(dim=-1)
    label = torch.tensor([[LABEL]])
    losses = torch.tensor(
        [value(answer, row.float()[None, None], label, SMOOTHING) for row in log_p],
        dtype=torch.float64,
    )
    if losses.std() < 1e-4:
        raise ValueError("always the same")
    readings = {
        "log p": log_p,
        "p": log_p.exp(),
        "softmax twice": log_p.exp().log_softmax(dim=-1),
    }
    for name, reading in readings.items():
        table = torch.cat([-reading, torch.ones(11, 1, dtype=torch.float64)], dim=1)
        if name == "p":
            table = table[:, :-1]  # whose rows sum to 1
        found = torch.linalg.lstsq(table, losses[:, None]).solution[:, 0]
        if torch.allclose(table @ found, losses, atol=1e-4):
            return found[:N_TOKENS].float(), found[N_TOKENS:].sum().item(), name
    raise ValueError("no cross-entropy")


def tokens_of_a_place_compete(answer):
    """The same number added to all logits of a place changes nothing."""
    logits = UNDECIDED + torch.arange(8.0).view(2, 4, 1) / 4
    if abs(value(answer, logits, LABELS) - value(answer, UNDECIDED, LABELS)) < 1e-4:
        return True
    target_of(answer)
    return "It takes the logits for log probabilities: they need a log_softmax first."


def softmax_runs_over_the_tokens(answer):
    """With one place the loss depends on the logits."""
    label = torch.tensor([[LABEL]])
    logits = torch.randn(2, 1, 1, N_TOKENS, generator=torch.Generator().manual_seed(8))
    return abs(value(answer, logits[0], label) - value(answer, logits[1], label)) > 1e-4


def takes_one_log_softmax(answer):
    """The loss is made of log p."""
    sentences = {
        "p": "It uses the probabilities themselves: the cross-entropy takes their logs.",
        "softmax twice": "It takes the softmax twice: `log_softmax` and `cross_entropy` want the "
        "raw logits.",
    }
    return sentences.get(target_of(answer)[2], True)


def is_not_negative(answer):
    """The target is not below 0."""
    return target_of(answer)[0].sum().item() > 0


def is_in_nats(answer):
    """The target does not sum to 1 / ln 2."""
    return not math.isclose(abs(target_of(answer)[0].sum().item()), 1 / math.log(2), rel_tol=1e-3)


def has_no_constant(answer):
    """Nothing is added that does not depend on the logits."""
    return abs(target_of(answer)[1]) < 1e-3


def shares(answer):
    """The target in nats and with the right sign: the label's share, the others', the padding's."""
    target = target_of(answer)[0].abs()
    target = target if is_in_nats(answer) else target * math.log(2)
    return target[LABEL].item(), target[[0, 2, 4]].mean().item(), target[PAD].item()


def others_share(answer):
    """Each other token gets a share of the smoothing, 1 / V of it."""
    sentences = {
        0: "The smoothing has no effect: all V tokens share it.",
        SMOOTHING: "Each token gets the whole smoothing: it is shared, so divide by V.",
        SMOOTHING / 4: "It shares the smoothing among the V - 1 other tokens: here all V share, "
        "the label too.",
        SMOOTHING / 3: "It shares the smoothing among V - 2 tokens, all but label and padding: "
        "here all V share.",
        (1 - SMOOTHING) / 5: "It swaps the two parts: the label keeps 1 - smoothing, all share the "
        "smoothing.",
    }
    found = shares(answer)[1]
    return (
        next((text for share, text in sentences.items() if abs(found - share) < 1e-3), None)
        or abs(found - SMOOTHING / N_TOKENS) < 1e-3
    )


def padding_shares(answer):
    """The token of padding gets as much as the others."""
    _, others, padding = shares(answer)
    return abs(padding - others) < 1e-3 or (None if others_share(answer) is not True else False)


def label_keeps_the_rest(answer):
    """The label gets 1 - smoothing more than the others."""
    label, others, _ = shares(answer)
    if abs(label - others - (1 - SMOOTHING)) < 1e-3:
        return True
    if abs(label - 1) < 1e-3 < others or abs(label - 1 - SMOOTHING / N_TOKENS) < 1e-3:
        return "The label keeps its full 1, with the smoothing on top: the target must sum to 1."
    if abs(label - (1 - SMOOTHING)) < 1e-3 and others_share(answer) is True:
        return "The label gets 1 - smoothing and not its own share: the target must sum to 1."
    return None if isinstance(others_share(answer), str) else False


SMOOTHED_LOSS = Write(
    id="4.8",
    title="Label smoothing",
    level="medium",
    text="""
Write `smoothed_loss(logits, labels, smoothing, pad_id)` for logits (B, T, V) and labels (B, T). The
target is not 1 for the label: the label gets 1 - smoothing, and all V tokens, the label among them,
share the rest equally. Return the mean cross-entropy in nats over the labels that are not `pad_id`,
one number for the whole batch; a text may be padding only. Write it with `log_softmax`. (PyTorch's
`cross_entropy` can do it in one call: compare with that.)
""",
    hints=(
        "`logits.log_softmax(dim=-1)` gives log p of each token at each position.",
        "`log_p.gather(-1, labels[..., None]).squeeze(-1)` picks the label's. The shared part "
        "costs the mean over the V tokens.",
        "`loss[labels != pad_id]` keeps the real positions of the whole batch in one row.",
    ),
    solution=smoothed_loss,
    second_style=smoothed_loss_library,
    mistakes=(smoothed_loss_exchanged, smoothed_loss_model_shares, smoothed_loss_tenth),
    cases=smoothed_loss_cases,
    properties=(
        Property("One number is asked for, the mean over the whole batch.", is_one_number),
        Property(
            "The padding counts as if it were to be predicted: leave those labels out.",
            padding_is_left_out,
        ),
        Property(
            "The words of a short text count for more: take one mean over all real labels of the "
            "batch.",
            real_places_count_alike,
        ),
        Property("More labels cost more: the mean over the real ones is asked for.", is_a_mean),
        Property(
            "It matters how high all logits of a position are: its V tokens compete.",
            tokens_of_a_place_compete,
        ),
        Property(
            "The softmax runs over the positions: the V tokens of one position compete.",
            softmax_runs_over_the_tokens,
        ),
        Property("The cross-entropy is made of log p.", takes_one_log_softmax),
        Property("It has the wrong sign: a loss is -log p, 0 at best.", is_not_negative),
        Property("It is in bits: nats take the natural logarithm.", is_in_nats),
        Property(
            "This is the divergence (KL), lower by the entropy of the target: the cross-entropy "
            "is asked for.",
            has_no_constant,
        ),
        Property("All V tokens must share the smoothing equally, 1/V of it each.", others_share),
        Property("The token of padding has no share: all V tokens share.", padding_shares),
        Property(
            "The label must get 1 - smoothing, and its share of the smoothing.",
            label_keeps_the_rest,
        ),
    ),
    see="4G From probabilities to a loss",
)
