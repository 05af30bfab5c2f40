"""Chapter 05: the loss of a batch of texts."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def next_token_loss(logits, ids):
    """Return the mean of -log p(next token), in nats, of logits (B, T, V) for texts ids (B, T).

    logits[b, t] are made from ids[b, : t + 1] and speak about the token that comes after it.
    """
    predictions, labels = logits[:, :-1], ids[:, 1:]  # (B, T - 1, V), (B, T - 1)
    return F.cross_entropy(predictions.flatten(0, 1), labels.flatten())


def next_token_loss_picked(logits, ids):
    """Second style."""
    losses = []
    for scores, text in zip(logits.log_softmax(dim=-1), ids.tolist(), strict=True):
        losses += [-scores[t, token] for t, token in enumerate(text[1:])]
    return sum(losses) / len(losses)


def token_losses(predictions, labels):
    """-log p of each label, in nats: (B, T) from (B, T, V)."""
    return -predictions.log_softmax(dim=-1).gather(-1, labels[..., None]).squeeze(-1)


def next_token_loss_unshifted(logits, ids):
    """This does not shift: it asks each place for the token that it has just read."""
    return token_losses(logits, ids).mean()


def next_token_loss_first_cut(logits, ids):
    """This cuts the same column from both, so nothing is shifted: each place is asked for the
    token that it has just read.
    """
    return token_losses(logits[:, 1:], ids[:, 1:]).mean()


def next_token_loss_last_cut(logits, ids):
    """This cuts the last column from both, so nothing is shifted: the label is the token after."""
    return token_losses(logits[:, :-1], ids[:, :-1]).mean()


def next_token_loss_backwards(logits, ids):
    """This shifts the other way: it asks for the token before."""
    return token_losses(logits[:, 1:], ids[:, :-1]).mean()


def next_token_loss_two_ahead(logits, ids):
    """This asks for the token after the next one: logits and labels are one step apart."""
    return token_losses(logits[:, :-2], ids[:, 2:]).mean()


def next_token_loss_rolled(logits, ids):
    """This rolls the texts round: the last place is asked for the first token of its text."""
    return token_losses(logits, ids.roll(-1, dims=1)).mean()


def next_token_loss_padded(logits, ids):
    """This asks the last place for token 0: nothing is known to come after it, so leave it out."""
    return token_losses(logits, F.pad(ids[:, 1:], (0, 1))).mean()


def next_token_loss_across_texts(logits, ids):
    """This lays the texts end to end before the shift: the end of one is asked for the beginning
    of the next.
    """
    return token_losses(logits.flatten(0, 1)[:-1], ids.flatten()[1:]).mean()


def next_token_loss_by_length(logits, ids):
    """This divides by B·T: there are B·(T - 1) predictions, the last place has none."""
    return token_losses(logits[:, :-1], ids[:, 1:]).sum() / ids.numel()


def next_token_loss_sum(logits, ids):
    """This is the sum: the mean over all predictions is asked for."""
    return token_losses(logits[:, :-1], ids[:, 1:]).sum()


def next_token_loss_text_sums(logits, ids):
    """This sums over each text and takes the mean of the texts: each prediction counts alike."""
    return token_losses(logits[:, :-1], ids[:, 1:]).sum(dim=1).mean()


def next_token_loss_rows(logits, ids):
    """This returns one loss a text: the mean over the whole batch is asked for."""
    return token_losses(logits[:, :-1], ids[:, 1:]).mean(dim=1)


def next_token_loss_places(logits, ids):
    """This returns one loss a place: the mean over the whole batch is asked for."""
    return token_losses(logits[:, :-1], ids[:, 1:])


def next_token_loss_last_place(logits, ids):
    """This asks the last place only: every place but the last makes a prediction."""
    return token_losses(logits[:, -2:-1], ids[:, -1:]).mean()


def next_token_loss_softmax_twice(logits, ids):
    """This takes the softmax twice: `cross_entropy` and `log_softmax` want the raw logits."""
    return next_token_loss(logits.softmax(dim=-1), ids)


def next_token_loss_no_softmax(logits, ids):
    """This takes the logits for log-probabilities: `log_softmax` comes first."""
    return -logits[:, :-1].gather(-1, ids[:, 1:, None]).mean()


def next_token_loss_token_0_left_out(logits, ids):
    """This leaves out the predictions of token 0: it is a token like any other, and there is no
    padding.
    """
    flat = logits[:, :-1].flatten(0, 1)
    return F.cross_entropy(flat, ids[:, 1:].flatten(), ignore_index=0)


def next_token_loss_no_log(logits, ids):
    """This is minus the probability: the loss is minus its logarithm."""
    return -token_losses(logits[:, :-1], ids[:, 1:]).neg().exp().mean()


def next_token_loss_log_of_mean(logits, ids):
    """This is minus the logarithm of the mean probability: take the logarithms first."""
    return -token_losses(logits[:, :-1], ids[:, 1:]).neg().exp().mean().log()


def next_token_loss_sign(logits, ids):
    """This has the wrong sign: a loss is -log p, 0 at best."""
    return -next_token_loss(logits, ids)


def next_token_loss_bits(logits, ids):
    """This is in bits: nats take the natural logarithm, as PyTorch does."""
    return next_token_loss(logits, ids) / math.log(2)


def next_token_loss_perplexity(logits, ids):
    """This is the perplexity: the loss itself is asked for, without the exponential."""
    return next_token_loss(logits, ids).exp()


def next_token_loss_over_places(logits, ids):
    """This takes the softmax over the places of a text: the V tokens of one place compete."""
    log_p = logits[:, :-1].log_softmax(dim=1)
    return -log_p.gather(-1, ids[:, 1:, None]).mean()


def next_token_loss_cases():
    """Several texts, then one alone; B, T and V differ, and some token stands in two places."""
    return [
        case(
            "2 texts of 5 tokens",
            2 * torch.randn(2, 5, 7),
            torch.tensor([[3, 1, 6, 1, 2], [5, 0, 4, 2, 6]]),
        ),
        case(
            "3 texts of 4 tokens",
            2 * torch.randn(3, 4, 6),
            torch.tensor([[1, 5, 2, 3], [4, 4, 1, 2], [2, 3, 5, 1]]),
        ),
        case("one text of 3 tokens", torch.randn(1, 3, 4), torch.tensor([[2, 3, 1]])),
    ]


NEXT_TOKEN_LOSS = Write(
    id="5.2",
    title="The loss of a language model",
    level="medium",
    text="""
Write `next_token_loss(logits, ids)`. A model has read the texts `ids` (B, T) and returned `logits`
(B, T, V): those at place t are made from tokens 0 to t and speak about the token **after** them.
Return the mean of -log p, in nats, over all **B·(T - 1)** predictions that can be checked, one
number. All texts have the same length, without padding.
""",
    hints=(
        "Which logits have a token that follows? Which tokens have a place before them?",
        "`logits[:, :-1]` and `ids[:, 1:]` stand side by side: a place and what came after it.",
        "`F.cross_entropy` wants (N, V) and (N,): `.flatten(0, 1)` and `.flatten()` make them.",
    ),
    solution=next_token_loss,
    second_style=next_token_loss_picked,
    mistakes=(
        next_token_loss_unshifted,
        next_token_loss_first_cut,
        next_token_loss_last_cut,
        next_token_loss_backwards,
        next_token_loss_two_ahead,
        next_token_loss_rolled,
        next_token_loss_padded,
        next_token_loss_across_texts,
        next_token_loss_by_length,
        next_token_loss_sum,
        next_token_loss_text_sums,
        next_token_loss_rows,
        next_token_loss_places,
        next_token_loss_last_place,
        next_token_loss_softmax_twice,
        next_token_loss_no_softmax,
        next_token_loss_token_0_left_out,
        next_token_loss_no_log,
        next_token_loss_log_of_mean,
        next_token_loss_sign,
        next_token_loss_bits,
        next_token_loss_perplexity,
        next_token_loss_over_places,
    ),
    cases=next_token_loss_cases,
    see="5.1 Next token, please",
)
