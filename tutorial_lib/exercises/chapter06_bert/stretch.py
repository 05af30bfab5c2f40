"""Chapter 06: how probable a GPT finds each of some texts, so that it can fill a gap."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def text_log_probs(model, texts):
    """Return the log-probability of each text given its first token, in nats, (N,).

    texts are N tensors of ids (T,), of any lengths. model(ids) gives logits (B, T, V) for ids
    (B, T); those at position t predict the next token, at t + 1.
    """
    found = []
    for ids in texts:
        log_p = model(ids[None])[0, :-1].log_softmax(dim=-1)  # (T - 1, V)
        found.append(log_p.gather(1, ids[1:, None]).sum())
    return torch.stack(found)


def text_log_probs_loss(model, texts):
    """Second style."""
    return torch.tensor(
        [-F.cross_entropy(model(ids[None])[0, :-1], ids[1:], reduction="sum") for ids in texts]
    )


def token_log_probs(model, ids):
    """log p of each token after the first, (T - 1,)."""
    return model(ids[None])[0, :-1].log_softmax(dim=-1).gather(1, ids[1:, None])[:, 0]


def text_log_probs_mean(model, texts):
    """This takes the mean over the tokens, the log-probability of a text is their sum."""
    return torch.stack([token_log_probs(model, ids).mean() for ids in texts])


def text_log_probs_minus(model, texts):
    """This has the sign of a loss: a log-probability is 0 or below."""
    return torch.stack([-token_log_probs(model, ids).sum() for ids in texts])


def text_log_probs_last(model, texts):
    """This counts the last token alone: every token but the first counts."""
    return torch.stack([token_log_probs(model, ids)[-1] for ids in texts])


def text_log_probs_unshifted(model, texts):
    """This asks each position for the token that it has just read: its logits speak about the
    token after it.
    """
    found = []
    for ids in texts:
        log_p = model(ids[None])[0].log_softmax(dim=-1)
        found.append(log_p.gather(1, ids[:, None]).sum())
    return torch.stack(found)


def text_log_probs_logits(model, texts):
    """This adds raw logits: take `log_softmax` over the V tokens of each position first."""
    return torch.stack([model(ids[None])[0, :-1].gather(1, ids[1:, None]).sum() for ids in texts])


def text_log_probs_across(model, texts):
    """This takes the softmax over the positions: at each position the probabilities of the V tokens
    add up to 1.
    """
    found = []
    for ids in texts:
        log_p = model(ids[None])[0, :-1].log_softmax(dim=0)
        found.append(log_p.gather(1, ids[1:, None]).sum())
    return torch.stack(found)


def text_log_probs_exp(model, texts):
    """This returns the probability: its logarithm is asked for."""
    return torch.stack([token_log_probs(model, ids).sum().exp() for ids in texts])


def text_log_probs_of_sum(model, texts):
    """This adds the probabilities of the tokens: add their logarithms."""
    return torch.stack([token_log_probs(model, ids).exp().sum().log() for ids in texts])


def text_log_probs_padded(model, texts):
    """It counts the padding, too: a shorter text ends before it."""
    ids = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True)  # (N, T)
    log_p = model(ids)[:, :-1].log_softmax(dim=-1)
    return log_p.gather(2, ids[:, 1:, None]).sum(dim=(1, 2))


N_IDS = 6
TABLE = 1.5 * torch.randn(N_IDS, N_IDS, generator=torch.Generator().manual_seed(3))


def reader(ids):
    """A small GPT that looks at the last two tokens: logits (B, T, V) for ids (B, T)."""
    before = F.pad(ids, (1, 0))[:, :-1]
    return TABLE[ids] + 0.5 * TABLE.T[before]


def undecided(ids):
    """A model that finds all tokens alike."""
    return torch.zeros(*ids.shape, N_IDS)


def texts_of(*rows):
    """Tensors of ids."""
    return [torch.tensor(row) for row in rows]


def text_log_probs_cases():
    """Texts of one length, of several, and one of two tokens."""
    return [
        case("3 texts of 4 tokens", reader, texts_of([1, 3, 2, 5], [1, 4, 2, 5], [1, 0, 2, 5])),
        case("4 and 6 tokens", reader, texts_of([2, 0, 4, 1], [2, 0, 3, 3, 5, 1])),
        case("a text of 2 tokens", reader, texts_of([4, 1])),
    ]


def values(answer, model, *rows):
    """What an answer returns, as a list of numbers."""
    return torch.as_tensor(answer(model, texts_of(*rows))).detach().float().flatten().tolist()


def one_number_a_text(answer):
    """(N,)."""
    return tuple(torch.as_tensor(answer(reader, texts_of([1, 2], [3, 4, 5]))).shape) == (2,)


def is_not_positive(answer):
    """A log-probability."""
    if one_number_a_text(answer) is not True:
        return None
    return values(answer, undecided, [1, 2])[0] <= 0


def is_a_sum(answer):
    """Each further token costs log 6, to a model that finds all alike."""
    if is_not_positive(answer) is not True:
        return None
    costs = values(answer, undecided, [1, 2, 3], [1, 2, 3, 4, 5])
    counted = [round(-cost / math.log(N_IDS), 2) for cost in costs]
    sentences = {
        (1, 1): "It is a mean, or one token alone: the log-probabilities of all tokens but the "
        "first are added.",
        (1, 3): "One token too few counts: all but the first do.",
        (4, 4): "It counts the padding, too: a shorter text ends before it.",
        (3, 5): "One token too many counts: nothing comes before the first.",
    }
    return True if counted == [2, 4] else sentences.get(tuple(counted))


def counting(ahead):
    """A model that is sure that each token is higher by `ahead` than the one it has just read."""
    return lambda ids: 12.0 * F.one_hot((ids + ahead) % N_IDS, N_IDS)


def asks_for_the_next_token(answer):
    """The logits at a position are asked for the token after it."""
    if is_not_positive(answer) is not True:
        return None
    sentences = {
        1: True,
        0: "It asks each position for the token that it has just read: its logits speak about the "
        "token after it.",
        2: "It asks each position for the token after the next one.",
    }
    sure = (k for k in sentences if values(answer, counting(k), [0, 1, 2, 3])[0] > -0.1)
    return sentences.get(next(sure, None))


def tokens_share_one(answer):
    """At a position the probabilities of all tokens add up to 1."""
    if asks_for_the_next_token(answer) is not True or is_a_sum(answer) not in (True, None):
        return None
    log_p = values(answer, reader, *([1, token] for token in range(N_IDS)))
    return abs(sum(map(math.exp, log_p)) - 1) < 1e-3


def later_tokens_count(answer):
    """What comes after the gap matters."""
    if one_number_a_text(answer) is not True:
        return None
    first, second = values(answer, reader, [1, 2, 3, 4], [1, 2, 0, 4])
    return abs(first - second) > 1e-4


TEXT_LOG_PROBS = Write(
    id="6.10",
    title="A GPT looks to the right",
    level="medium",
    text="""
To fill a gap, a GPT may read each candidate's **whole** text and say how probable it is. Write
`text_log_probs(model, texts)`. `texts` is a list of N tensors of ids (T,), whose lengths may
differ, so read one at a time. `model(ids)` gives logits (B, T, V) for ids (B, T), and those at
position t predict the **next** token, at t + 1. Return a tensor (N,): the log-probability of each
text given its first token, in nats. That is the sum in the left-hand formula of 6B, without the
minus and the mean.
""",
    hints=(
        "One text at a time: `model(ids[None])[0]` gives its logits (T, V).",
        "The logits `[:-1]` and the tokens `ids[1:]` belong together.",
        "`log_softmax(dim=-1)`, then `.gather(1, ids[1:, None])` picks one number a row.",
    ),
    solution=text_log_probs,
    second_style=text_log_probs_loss,
    mistakes=(
        text_log_probs_mean,
        text_log_probs_minus,
        text_log_probs_last,
        text_log_probs_unshifted,
        text_log_probs_logits,
        text_log_probs_across,
        text_log_probs_exp,
        text_log_probs_of_sum,
        text_log_probs_padded,
    ),
    cases=text_log_probs_cases,
    properties=(
        Property("One number for each text is asked for, (N,).", one_number_a_text),
        Property(
            "It has the sign of a loss, or is no logarithm: a log-probability is 0 or below.",
            is_not_positive,
        ),
        Property(
            "It asks each position for another token than the next one.", asks_for_the_next_token
        ),
        Property("The log-probabilities of all tokens but the first are added.", is_a_sum),
        Property(
            "The probabilities of the V tokens at a position do not add up to 1: take the softmax "
            "over the last axis.",
            tokens_share_one,
        ),
        Property("What comes later in the text does not count: it should.", later_tokens_count),
    ),
    see="6I One side or both",
)
