"""Chapter 04: the decoder's mask, causal and without padding."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def decoder_mask(target, pad_id):
    """Return (B, 1, T, T), True where word t of target (B, T) may look at word s.

    It may when s is not later than t, and s is no padding.
    """
    n_words = target.size(1)
    causal = torch.ones(n_words, n_words, dtype=torch.bool).tril()  # (T, T)
    real = target != pad_id  # (B, T)
    return causal & real[:, None, None, :]


def decoder_mask_loops(target, pad_id):
    """Second style."""
    rows = range(target.size(1))
    return [
        [[[s <= t and ids[s] != pad_id for s in rows] for t in rows]] for ids in target.tolist()
    ]


def causal_for(target):
    """The causal mask (1, 1, T, T) for a batch of targets."""
    return torch.ones(1, 1, target.size(1), target.size(1), dtype=torch.bool).tril()


def decoder_mask_causal_only(target, pad_id):
    """This is the causal mask alone: the padding of each text must be hidden as well."""
    return causal_for(target).repeat(len(target), 1, 1, 1)


def decoder_mask_padding_only(target, pad_id):
    """This hides the padding and shows the future: a word may not look at later ones."""
    return (target != pad_id)[:, None, None, :].repeat(1, 1, target.size(1), 1)


def decoder_mask_or(target, pad_id):
    """This joins the two by “or”: a key must be both, not later and no padding, so “and”."""
    return causal_for(target) | (target != pad_id)[:, None, None, :]


def decoder_mask_queries(target, pad_id):
    """This hides the rows of padding, (B, 1, T, 1): what must not be looked at is a column."""
    return causal_for(target) & (target != pad_id)[:, None, :, None]


def decoder_mask_both_sides(target, pad_id):
    """This hides rows of padding too: an empty row makes the softmax NaN; hide keys only."""
    real = target != pad_id
    return causal_for(target) & real[:, None, None, :] & real[:, None, :, None]


def decoder_mask_strict(target, pad_id):
    """This hides each word from itself: the diagonal stays visible, word 0 has nothing else."""
    return causal_for(target).tril(-1) & (target != pad_id)[:, None, None, :]


def decoder_mask_one_ahead(target, pad_id):
    """This shows one word of the future, the very word that is to be said next."""
    size = target.size(1)
    causal = torch.ones(size, size, dtype=torch.bool).tril(1)
    return causal & (target != pad_id)[:, None, None, :]


def decoder_mask_upper(target, pad_id):
    """This hides the past and shows the future: rows are queries, so use the lower triangle."""
    return causal_for(target).mT & (target != pad_id)[:, None, None, :]


def decoder_mask_inverted(target, pad_id):
    """This is True for what is hidden: here True means that a word may be looked at."""
    return ~decoder_mask(target, pad_id)


def decoder_mask_only_padding(target, pad_id):
    """This shows the padding and hides the words: compare with `!=`."""
    return causal_for(target) & (target == pad_id)[:, None, None, :]


def decoder_mask_no_heads(target, pad_id):
    """This is (B, T, T): next to scores (B, H, T, T) it would line texts up with heads."""
    return decoder_mask(target, pad_id)[:, 0]


def decoder_mask_pad_zero(target, pad_id):
    """This takes 0 for the padding: its id is given, `pad_id`."""
    return decoder_mask(target, 0)


def decoder_mask_any_padding(target, pad_id):
    """This hides a position in all texts as soon as one text has padding there."""
    real = (target != pad_id).all(dim=0)
    return (causal_for(target) & real).repeat(len(target), 1, 1, 1)


def decoder_mask_cases():
    """Padding behind and between words, another padding id with a real 0, and no padding."""
    return [
        case("lengths 4, 3 and 2", torch.tensor([[1, 5, 7, 2], [1, 4, 2, 0], [1, 2, 0, 0]]), 0),
        case("the padding has id 3", torch.tensor([[1, 0, 2, 3, 3], [1, 6, 0, 5, 2]]), 3),
        case("a gap behind the start", torch.tensor([[1, 0, 5, 2]]), 0),
        case("two texts of two", torch.tensor([[1, 9], [1, 9]]), 0),
    ]


DECODER_MASK = Write(
    id="4.5",
    title="The decoder's mask",
    level="medium",
    text="""
Write `decoder_mask(target, pad_id)` for a batch of targets (B, T): a word may look at itself and at
earlier words, but at no padding. Shape (B, 1, T, T), True = may look; the second axis is for the
heads. No row is empty, since each target begins with its start token: rows of padding look at the
words before them, and the loss throws away what comes of it. (With all padding on the right, real
words never see it anyway. Your mask does not rely on that.)
""",
    hints=(
        "`torch.ones(T, T, dtype=torch.bool).tril()` is the causal half.",
        "`(target != pad_id)[:, None, None, :]` is (B, 1, 1, T): it hides keys, that is columns.",
        "Both must allow it: `&` joins two masks, and broadcasts.",
    ),
    solution=decoder_mask,
    second_style=decoder_mask_loops,
    mistakes=(
        decoder_mask_causal_only,
        decoder_mask_padding_only,
        decoder_mask_or,
        decoder_mask_queries,
        decoder_mask_both_sides,
        decoder_mask_strict,
        decoder_mask_one_ahead,
        decoder_mask_upper,
        decoder_mask_inverted,
        decoder_mask_only_padding,
        decoder_mask_no_heads,
        decoder_mask_pad_zero,
        decoder_mask_any_padding,
    ),
    cases=decoder_mask_cases,
    see="4.4 The decoder layer",
)
