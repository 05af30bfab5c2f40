"""Chapter 04: cross-entropy with label smoothing, padding left out."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def smoothed_target(logits, labels, smoothing):
    """The target distribution (B, T, V)."""
    n_tokens = logits.size(-1)
    return (1 - smoothing) * one_hot(logits, labels) + smoothing / n_tokens


def one_hot(logits, labels):
    """1 for the label, 0 for the rest, (B, T, V)."""
    return torch.nn.functional.one_hot(labels, logits.size(-1)).to(logits.dtype)


def cross_entropy(target, log_p):
    """Cross-entropy at each place, (B, T)."""
    return -(target * log_p).sum(dim=-1)


def real_mean(loss, labels, pad_id):
    """The mean where the label is no padding."""
    return loss[labels != pad_id].mean()


def smoothed_loss_padding_counted(logits, labels, smoothing, pad_id):
    """This counts the padding as if it were to be predicted: leave those labels out."""
    return cross_entropy(smoothed_target(logits, labels, smoothing), logits.log_softmax(-1)).mean()


def smoothed_loss_all_positions(logits, labels, smoothing, pad_id):
    """This sets padding to 0 but divides by all B T places: divide by the number of real labels."""
    loss = cross_entropy(smoothed_target(logits, labels, smoothing), logits.log_softmax(-1))
    return (loss * (labels != pad_id)).mean()


def smoothed_loss_by_text(logits, labels, smoothing, pad_id):
    """This averages each text, then the texts: a word of a short text would count for more."""
    loss = cross_entropy(smoothed_target(logits, labels, smoothing), logits.log_softmax(-1))
    real = labels != pad_id
    return ((loss * real).sum(dim=1) / real.sum(dim=1)).mean()


def smoothed_loss_pad_zero(logits, labels, smoothing, pad_id):
    """This takes 0 for the padding: its id is given, `pad_id`."""
    return smoothed_loss(logits, labels, smoothing, 0)


def smoothed_loss_only_others(logits, labels, smoothing, pad_id):
    """This shares the smoothing among the V - 1 other tokens: here all V share, the label too."""
    label = one_hot(logits, labels)
    target = (1 - smoothing) * label + smoothing * (1 - label) / (logits.size(-1) - 1)
    return real_mean(cross_entropy(target, logits.log_softmax(-1)), labels, pad_id)


def smoothed_loss_not_to_padding(logits, labels, smoothing, pad_id):
    """This shares the smoothing among V - 2 tokens, all but label and padding: here all V share."""
    label = one_hot(logits, labels)
    target = (1 - smoothing) * label + smoothing * (1 - label) / (logits.size(-1) - 2)
    target[..., pad_id] = 0
    return real_mean(cross_entropy(target, logits.log_softmax(-1)), labels, pad_id)


def smoothed_loss_share_lost(logits, labels, smoothing, pad_id):
    """This gives the label 1 - smoothing and not its own share: the target must sum to 1."""
    label = one_hot(logits, labels)
    target = (1 - smoothing) * label + smoothing * (1 - label) / logits.size(-1)
    return real_mean(cross_entropy(target, logits.log_softmax(-1)), labels, pad_id)


def smoothed_loss_label_whole(logits, labels, smoothing, pad_id):
    """This adds the smoothing on top of the label's full 1: the target must sum to 1."""
    target = one_hot(logits, labels) + smoothing / logits.size(-1)
    return real_mean(cross_entropy(target, logits.log_softmax(-1)), labels, pad_id)


def smoothed_loss_sum_of_all(logits, labels, smoothing, pad_id):
    """This gives each token the whole smoothing: it is shared, so divide by V."""
    target = (1 - smoothing) * one_hot(logits, labels) + smoothing
    return real_mean(cross_entropy(target, logits.log_softmax(-1)), labels, pad_id)


def smoothed_loss_swapped(logits, labels, smoothing, pad_id):
    """This swaps the two parts: the label keeps 1 - smoothing, all share the smoothing."""
    target = smoothed_target(logits, labels, 1 - smoothing)
    return real_mean(cross_entropy(target, logits.log_softmax(-1)), labels, pad_id)


def smoothed_loss_plain(logits, labels, smoothing, pad_id):
    """This is cross-entropy without label smoothing."""
    return smoothed_loss(logits, labels, 0.0, pad_id)


def smoothed_loss_softmax_twice(logits, labels, smoothing, pad_id):
    """This takes the softmax twice: `log_softmax` and `cross_entropy` want the raw logits."""
    return smoothed_loss(logits.softmax(dim=-1), labels, smoothing, pad_id)


def smoothed_loss_raw_logits(logits, labels, smoothing, pad_id):
    """This takes the logits for log probabilities: they need a log_softmax first."""
    target = smoothed_target(logits, labels, smoothing)
    return real_mean(cross_entropy(target, logits), labels, pad_id)


def smoothed_loss_no_log(logits, labels, smoothing, pad_id):
    """This uses the probabilities themselves: the cross-entropy takes their logs."""
    target = smoothed_target(logits, labels, smoothing)
    return real_mean(cross_entropy(target, logits.softmax(dim=-1)), labels, pad_id)


def smoothed_loss_divergence(logits, labels, smoothing, pad_id):
    """This is the divergence (KL): it lacks the entropy of the target, a constant, and is lower."""
    target = smoothed_target(logits, labels, smoothing)
    loss = cross_entropy(target, logits.log_softmax(-1)) + torch.special.xlogy(target, target).sum(
        -1
    )
    return real_mean(loss, labels, pad_id)


def smoothed_loss_sum(logits, labels, smoothing, pad_id):
    """This is the sum: the mean over the real labels is asked for."""
    return smoothed_loss(logits, labels, smoothing, pad_id) * (labels != pad_id).sum()


def smoothed_loss_negative(logits, labels, smoothing, pad_id):
    """This has the wrong sign: a loss is -log p, 0 at best."""
    return -smoothed_loss(logits, labels, smoothing, pad_id)


def smoothed_loss_over_positions(logits, labels, smoothing, pad_id):
    """This takes the softmax over the positions: the V tokens of one place compete."""
    target = smoothed_target(logits, labels, smoothing)
    return real_mean(cross_entropy(target, logits.log_softmax(dim=1)), labels, pad_id)


def smoothed_loss_cases():
    """Texts of unequal length, a padding id that is not 0, and no smoothing once."""
    labels = torch.tensor([[5, 4, 2, 3], [4, 2, 0, 0]])
    other = torch.tensor([[0, 3, 1], [4, 3, 3], [0, 1, 2]])
    return [
        case("smoothing 0.1", 2 * torch.randn(2, 4, 6), labels, 0.1, 0),
        case("the padding has id 3", 2 * torch.randn(3, 3, 5), other, 0.4, 3),
        case("no smoothing, no padding", torch.randn(1, 2, 4), torch.tensor([[1, 2]]), 0.0, 0),
    ]


SMOOTHED_LOSS = Write(
    id="4.8",
    title="Label smoothing",
    level="medium",
    text="""
Write `smoothed_loss(logits, labels, smoothing, pad_id)` for logits (B, T, V) and labels (B, T). The
target is not 1 for the label: the label gets 1 - smoothing, and all V tokens, the label among them,
share the rest equally. Return the mean cross-entropy in nats over the labels that are not `pad_id`,
one number for the whole batch.
""",
    hints=(
        "`logits.log_softmax(dim=-1)` gives log p of each token at each place.",
        "`log_p.gather(-1, labels[..., None]).squeeze(-1)` picks the label's. The shared part "
        "costs the mean over the V tokens.",
        "`loss[labels != pad_id]` keeps the real places of the whole batch in one row.",
    ),
    solution=smoothed_loss,
    second_style=smoothed_loss_library,
    mistakes=(
        smoothed_loss_padding_counted,
        smoothed_loss_all_positions,
        smoothed_loss_by_text,
        smoothed_loss_pad_zero,
        smoothed_loss_only_others,
        smoothed_loss_not_to_padding,
        smoothed_loss_share_lost,
        smoothed_loss_label_whole,
        smoothed_loss_sum_of_all,
        smoothed_loss_swapped,
        smoothed_loss_plain,
        smoothed_loss_softmax_twice,
        smoothed_loss_raw_logits,
        smoothed_loss_no_log,
        smoothed_loss_divergence,
        smoothed_loss_sum,
        smoothed_loss_negative,
        smoothed_loss_over_positions,
    ),
    cases=smoothed_loss_cases,
    see="4.5 From probabilities to a loss",
)
