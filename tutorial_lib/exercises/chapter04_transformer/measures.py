"""Chapter 04: what several exercises ask of words, of weights on a source, and of decoding."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import NOT_RAW, rows_sum_to_one
from tutorial_lib.exercises.engine.next_token_models import drawn, recorded, written
from tutorial_lib.exercises.engine.tasks import Property


def touched(result, x):
    """Return which words (B, T) of a result change when the vector of word 1 of text 0 does.

    result is a function of x (B, T, D).
    """
    other = x.clone()
    other[0, 1] = 2 * other[0, 1].flip(-1)
    return ((result(other) - result(x)).abs() > 1e-4).flatten(2).any(dim=-1)


def others_that_matter(result, x):
    """Say on which other words a word's result depends; empty when on none."""
    found = touched(result, x)
    names = ("the other words of its text", "the other texts")
    where = (found[0, [0, 2]].any(), found[1:].any())
    return " and on ".join(name for name, there in zip(names, where, strict=True) if there)


def close(one, other):
    """Tell whether two tensors agree, to the errors of their precision."""
    step = max(torch.finfo(x.dtype).eps for x in (one, other) if x.is_floating_point())
    slack = {"rtol": max(1e-3, 5 * step), "atol": max(1e-4, 20 * step)}  # single: 1e-3 and 1e-4
    return torch.allclose(one.double(), other.double(), **slack)


def told(found, right, others):
    """True for the right number, the sentence of another one, and False for all the rest."""
    for number, sentence in others.items():
        if math.isclose(found, number, rel_tol=1e-3):
            return sentence
    return math.isclose(found, right, rel_tol=1e-3, abs_tol=1e-3)


def visible_weights(weights_with, real):
    """Return the weights when nothing is padding; for an inverted mask, when all is.

    weights_with is a function of a mask like real. An inverted one gives NaN, or equal weights
    where a large negative number stands for minus infinity.
    """
    weights = weights_with(torch.ones_like(real))
    other = weights_with(torch.zeros_like(real))
    equal = close(weights, weights.mean(dim=-1, keepdim=True).expand_as(weights))
    inverted = weights.isnan().all() or (equal and not other.isnan().any())
    return other if inverted else weights


def is_causal(weights):
    """Tell weights (..., T, S) that leave out all that stands further on."""
    later = torch.ones(weights.shape[-2:]).triu(1).bool()
    return not weights[..., later].nan_to_num().any() and bool(weights.nan_to_num().any())


def padding_gets_nothing(weights_with, real):
    """Tell whether padding gets weight 0; real (S,) or (B, S), True = a real word."""
    seen, weights = visible_weights(weights_with, real), weights_with(real)
    if torch.equal(seen, weights):
        return "The mask of the source has no effect: its padding gets weight."
    along_keys = real[..., None, :].expand_as(weights)
    if (weights[along_keys].nan_to_num() == 0).all():
        return "It hides the words and shows the padding: True marks a real word."
    if real.size(-1) == weights.size(-2):
        lost = ~weights.nan_to_num().any(dim=-1)  # (..., T)
        if torch.equal(lost, ~real.expand_as(lost)):
            return "The mask lies along the queries, the rows: it belongs to the keys, the columns."
    return None if weights.isnan().any() else bool((weights[~along_keys].abs() < 1e-6).all())


def padding_takes_no_share(weights_with, real):
    """Tell whether rows sum to 1 with padding as well as without."""
    seen = visible_weights(weights_with, real)
    plain = rows_sum_to_one(seen) if not seen.isnan().any() else None
    if plain is not True:
        return plain
    if (weights_with(real).sum(dim=-1) < 0.99).any():
        return (
            "With padding the rows sum to less than 1, as it has taken its share: mask the "
            "scores, before the softmax."
        )
    return True


def properties_of_a_source(weights_of, real):
    """Return what holds for weights of a source with padding, real (S,) or (B, S).

    weights_of(answer) gives the weights as a function of a mask like real.
    """
    return (
        Property(NOT_RAW, lambda answer: not (visible_weights(weights_of(answer), real) < 0).any()),
        Property(
            "The padding of the source gets weight: minus infinity in the scores hides it.",
            lambda answer: padding_gets_nothing(weights_of(answer), real),
        ),
        Property(
            "A word does not see all of the source: that is complete, so no causal mask "
            "belongs here.",
            lambda answer: not is_causal(visible_weights(weights_of(answer), real)),
        ),
        Property(
            "Each row of the weights must sum to 1, over the source's words.",
            lambda answer: padding_takes_no_share(weights_of(answer), real),
        ),
    )


BOS, EOS = 1, 2
NO_END = written({}, [0.0005, 0.05, 0.001, 0.2, 0.6485, 0.1])  # 4 is the likeliest, 2 hardly ever
AN_END = written({}, [0.05, 0.03, 0.8, 0.04, 0.06, 0.02])


def tokens_of(answer, model, max_length, *options):
    """What an answer returns as a list of ids. Raises ValueError for anything else."""
    ids = torch.as_tensor(answer(model, BOS, EOS, max_length, *options))
    if ids.is_floating_point() and ids.numel():
        raise ValueError("no ids")
    return ids.tolist()


def tokens_written(answer, model, max_length, *options):
    """The same, without the start token if it was returned."""
    ids = tokens_of(answer, model, max_length, *options)
    return ids[1:] if ids[:1] == [BOS] else ids


def asks_with_all_that_was_written(answer, *options):
    """Each prefix is the start token and all tokens of a hypothesis."""
    start, never = 7, 8  # no token that the model writes
    model, asked = recorded(drawn(6, seed=4))
    answer(model, start, never, 4, *options)
    longest, later = max(map(len, asked)), set(asked) - {(start,)}
    if not later:
        alone = "It asks with the start token alone each time: add what was written to the prefix."
        return alone if len(asked) > 2 else None
    if not any(start in prefix for prefix in later):
        if longest > 1 or () in later:
            return "It leaves the start token out of the prefix."
        return "It asks with the last token alone: the model must see all that was written."
    if longest == 3 and asked.count((start,)) > 1:
        return "It asks without the token written last: the prefix is one token short."
    return all(prefix[0] == start and (prefix[:-1] or prefix) in asked for prefix in asked)


def writes_enough(answer, *options):
    """Without an end, max_length tokens are written."""
    ids = tokens_written(answer, NO_END, 5, *options)
    ids = ids[:-1] if ids and ids[-1] == EOS else ids
    sentences = {
        0: "When no end comes in time it returns nothing: return what was written.",
        1: "It returns one token: ask again with the longer prefix.",
        4: "It writes one token less when no end comes: `max_length` counts what was written, not "
        "the start token.",
        6: "It writes one token too many when no end comes: max_length tokens at most.",
    }
    if len(set(ids)) > 1 and len(ids) < 5:
        return None  # not the likeliest tokens
    return len(ids) == 5 or sentences.get(len(ids), False)


def stops_at_the_end(answer, *options):
    """After the end nothing is written."""
    ids = tokens_written(answer, AN_END, 5, *options)
    return ids.count(EOS) < 2 and not (EOS in ids and ids[-1] != EOS)


def keeps_the_end(answer, *options):
    """The end is part of what is returned."""
    return tokens_written(answer, AN_END, 5, *options) != []


def adds_no_end(answer, *options):
    """No end is returned that the model has not written."""
    return EOS not in tokens_written(answer, NO_END, 5, *options)


def leaves_out_the_start(answer, *options):
    """The start token is not returned."""
    return tokens_of(answer, NO_END, 5, *options)[:1] != [BOS]


def properties_of_decoding(*options):
    """Return what holds for every way to decode, called with options after max_length."""

    def asked(question):
        return lambda answer: question(answer, *options)

    return (
        Property(
            "It does not ask with the start token and all that was written after it.",
            asked(asks_with_all_that_was_written),
        ),
        Property(
            "It does not stop at the end token: nothing is written after it.",
            asked(stops_at_the_end),
        ),
        Property(
            "When no end comes it must write max_length tokens, no more and no less.",
            asked(writes_enough),
        ),
        Property(
            "It returns the start token too: it was given, not written.",
            asked(leaves_out_the_start),
        ),
        Property(
            "It drops the end token: here it is part of the result, like any token written.",
            asked(keeps_the_end),
        ),
        Property(
            "It ends with the end token even if the model never wrote it.", asked(adds_no_end)
        ),
    )
