"""Chapter 04: the decoder's mask, causal and without padding."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def decoder_mask(target, pad_id):
    """Return (B, 1, T, T), True where word t of target (B, T) may look at word s.

    It may when s is not later than t, and s is not padding.
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


def decoder_mask_or(target, pad_id):
    """This joins the two by “or”: a key must be both, not later and not padding, so “and”."""
    return causal_for(target) | (target != pad_id)[:, None, None, :]


def decoder_mask_cases():
    """Padding behind and between words, another padding id with a real 0, and no padding."""
    return [
        case("lengths 4, 3 and 2", torch.tensor([[1, 5, 7, 2], [1, 4, 2, 0], [1, 2, 0, 0]]), 0),
        case("the padding has id 3", torch.tensor([[1, 0, 2, 3, 3], [1, 6, 0, 5, 2]]), 3),
        case("a gap after the start", torch.tensor([[1, 0, 5, 2]]), 0),
        case("two texts of two", torch.tensor([[1, 9], [1, 9]]), 0),
    ]


PAD = 3
WHOLE = torch.tensor([[1, 6, 4, 7, 2], [1, 5, 0, 6, 4]])  # no padding; 0 is a word
GAPS = torch.tensor([[1, 6, PAD, 7, 2, PAD], [1, PAD, 0, 6, 2, 4]])


def flat(answer, target):
    """The mask as (B, T, T), without the axis for the heads; as if True meant visible.

    Raises ValueError for anything but True and False in such a shape.
    """
    mask = answer(target, PAD)
    sizes = [size for size in mask.shape if size != 1]
    n_words = target.size(1)
    if mask.dtype is not torch.bool or sizes != [len(target), n_words, n_words]:
        raise ValueError("no mask (B, 1, T, T)")
    mask = mask.view(sizes)
    return ~mask if target is not WHOLE and shows_what_is_hidden(answer) else mask


def shows_what_is_hidden(answer):
    """Tell a mask with True and False exchanged, seen where there is no padding."""
    mask = flat(answer, WHOLE)
    lower = torch.ones(5, 5).tril(-1).bool()
    return bool(mask[:, lower.T].all()) and not mask[:, lower | torch.eye(5).bool()].any()


def has_an_axis_for_the_heads(answer):
    """The shape is (B, 1, T, T)."""
    mask = answer(WHOLE, PAD)
    return mask.shape == (2, 1, 5, 5) or (
        f"The shape is {tuple(mask.shape)} for 2 texts of 5 words: (B, 1, T, T) = (2, 1, 5, 5) "
        "leaves an axis for the heads."
    )


def true_means_visible(answer):
    """The two values are not exchanged."""
    return not shows_what_is_hidden(answer)


def without_padding(answer):
    """The mask where there is no padding; None when it hides all, for all words count as padding.

    Raises ValueError when the values are exchanged.
    """
    mask = flat(answer, WHOLE)
    if shows_what_is_hidden(answer):
        mask = ~mask
    if not mask.any():
        raise ValueError("all words are hidden")
    return mask


def sees_itself(answer):
    """The diagonal is True, but for a real token 0, which another sentence speaks of."""
    return bool(without_padding(answer)[0].diagonal().all())


def sees_what_is_before(answer):
    """Below the diagonal all is True."""
    mask = without_padding(answer)[0]
    return None if sees_only_later(mask) else bool(mask[torch.ones(5, 5).tril(-1).bool()].all())


def sees_nothing_after(answer):
    """Above the diagonal all is False."""
    mask = without_padding(answer)[0]
    if sees_only_later(mask):
        return (
            "It hides the past and shows the future: rows are queries, so use the lower triangle."
        )
    return not mask[torch.ones(5, 5).triu(1).bool()].any()


def sees_only_later(mask):
    """Tell the upper triangle."""
    below = torch.ones(5, 5).tril(-1).bool()
    return bool(mask[below.T].all()) and not mask[below].any()


def hides_padding(answer):
    """No word looks at padding."""
    if not flat(answer, WHOLE).any():
        return "It shows the padding and hides the words: compare with `!=`."
    if not token_0_is_a_word(answer):
        return None
    mask = flat(answer, GAPS)
    if hides_rows(answer):
        return (
            "It hides the rows of padding, the queries: hide keys, that is columns, (B, 1, 1, T)."
        )
    return not mask[(GAPS == PAD)[:, None].expand_as(mask)].any()


def hides_rows(answer):
    """Tell a mask that hides padding as queries and shows it as keys."""
    causal = torch.ones(6, 6).tril().bool()
    return torch.equal(flat(answer, GAPS), causal & (GAPS != PAD)[:, :, None])


def rows_of_padding_are_not_empty(answer):
    """Padding may look at the words before it."""
    if hides_rows(answer):
        return None
    return sees_only_later(without_padding(answer)[0]) or bool(flat(answer, GAPS)[0, 5].any())


def token_0_is_a_word(answer):
    """Token 0 is visible, as another token is the padding."""
    mask = without_padding(answer)
    return not (mask[0].tril()[4].any() and not mask[1, :, 2].any())


def texts_stand_alone(answer):
    """The mask of a text is what it is without the other text."""
    without_padding(answer)
    together = flat(answer, GAPS)[0]
    return torch.equal(together, flat(answer, torch.cat([GAPS[:1], GAPS[:1]]))[0])


DECODER_MASK = Write(
    id="4.5",
    title="The decoder's mask",
    level="medium",
    text="""
Write `decoder_mask(target, pad_id)` for a batch of targets (B, T): a word may look at itself and at
earlier words, but not at padding. Shape (B, 1, T, T), True = may look; the second axis is for the
heads. No row is empty, since each target begins with its start token: rows of padding look at the
words before them, and the loss ignores their outputs. On the right, as in our batches, real
words would never see padding anyway; the check puts some between words as well.
""",
    hints=(
        "`torch.ones(T, T, dtype=torch.bool).tril()` is the causal half.",
        "`(target != pad_id)[:, None, None, :]` is (B, 1, 1, T): it hides keys, that is columns.",
        "Both must allow it: `&` joins two masks, and broadcasts.",
    ),
    solution=decoder_mask,
    second_style=decoder_mask_loops,
    mistakes=(decoder_mask_or,),
    cases=decoder_mask_cases,
    properties=(
        Property("The shape must be (B, 1, T, T).", has_an_axis_for_the_heads),
        Property(
            "It is True for what is hidden: here True means that a word may be looked at.",
            true_means_visible,
        ),
        Property(
            "It hides a word from itself: the diagonal stays visible, word 0 has nothing else.",
            sees_itself,
        ),
        Property("It hides a word from those that come later.", sees_what_is_before),
        Property(
            "It lets a word look at later ones, at the very word that it is to say next.",
            sees_nothing_after,
        ),
        Property(
            "Words look at padding: its columns must be False, in (B, 1, 1, T).", hides_padding
        ),
        Property(
            "The rows of padding are empty, and the softmax of an empty row is NaN: hide keys "
            "only, that is columns.",
            rows_of_padding_are_not_empty,
        ),
        Property("It takes 0 for the padding: its id is given, `pad_id`.", token_0_is_a_word),
        Property(
            "The padding of one text hides words of another: each text has a mask of its own.",
            texts_stand_alone,
        ),
    ),
    see="4E The decoder layer",
)
