"""Chapter 06: what BERT's attention sees, and what a copier finds."""

import torch

from tutorial_lib.exercises.engine.tasks import Claim

# Masked, but not in the attention -------------------------------------------------------------

N_READ, N_MASKED, N_PADDED = 12, 2, 4
N_ALL = N_READ + N_PADDED


def visible_weights():
    """The weights of one head of an encoder: each row looks at each real token."""
    return N_ALL * N_READ


def visible_weights_counted():
    """Second style."""
    from tutorial_lib.attention import capture_attention
    from tutorial_lib.models import BERTConfig

    model = BERTConfig(vocab_size=20, context=16, d_model=8, n_layers=1, n_heads=1).build().eval()
    ids = torch.arange(4, 4 + N_ALL)[None]
    ids[0, [3, 8]] = 3  # two [MASK]
    with torch.no_grad(), capture_attention(model) as maps:
        model(ids, mask=torch.arange(N_ALL)[None] < N_READ)
    return (maps[0] > 0).sum().item()


def visible_weights_all():
    """This lets the tokens look at the padding: its columns are hidden from all rows."""
    return N_ALL * N_ALL


def visible_weights_real_rows():
    """This leaves out the rows of the padding: they have weights, too (each row of a softmax adds
    up to 1), although nobody reads what comes of them.
    """
    return N_READ * N_READ


def visible_weights_columns():
    """This hides the two [MASK] from all tokens: they are tokens like others."""
    return N_ALL * (N_READ - N_MASKED)


def visible_weights_columns_real_rows():
    """Two things: the two [MASK] are tokens like others, which all look at; and the rows of the
    padding have weights, too.
    """
    return N_READ * (N_READ - N_MASKED)


def visible_weights_without():
    """This leaves the two [MASK] out, rows and columns: they are tokens like others, they look and
    are looked at. And the rows of the padding have weights, too.
    """
    return (N_READ - N_MASKED) ** 2


def visible_weights_without_rows():
    """This leaves out the rows of the two [MASK]: they are tokens like others, and look at all."""
    return (N_ALL - N_MASKED) * N_READ


def visible_weights_without_both():
    """This leaves the two [MASK] out, rows and columns: they are tokens like others, they look and
    are looked at.
    """
    return (N_ALL - N_MASKED) * (N_READ - N_MASKED)


def visible_weights_causal():
    """This is a decoder's mask over all 16: BERT has no causal mask, and the columns of the padding
    are hidden.
    """
    return N_ALL * (N_ALL + 1) // 2


def visible_weights_causal_padded():
    """This is what a decoder sees, each token itself and those before it, and no padding: BERT has
    no causal mask.
    """
    return N_READ * (N_READ + 1) // 2 + N_PADDED * N_READ


def visible_weights_causal_real():
    """This is what a decoder sees, each real token itself and those before it: BERT has no causal
    mask, and the rows of the padding have weights, too.
    """
    return N_READ * (N_READ + 1) // 2


def visible_weights_not_itself():
    """This lets no token look at itself: it does, as in every layer so far."""
    return N_ALL * N_READ - N_READ


def visible_weights_none():
    """This is how many weights are set to 0: those above 0 are asked for."""
    return N_ALL * N_PADDED


def visible_weights_tokens():
    """This is the number of tokens that are looked at: each of the 16 rows looks at all of them."""
    return N_READ


VISIBLE_WEIGHTS = Claim(
    id="6.2",
    title="Masked as in the decoder?",
    level="easy",
    text="""
You may read of BERT: “we can mask out some of the tokens in the input (in the same way as
we mask future tokens in the decoder)”. Is it the same way? Let BERT read a row of 16 tokens: 12
real ones, two of which have become [MASK], and then 4 of padding. Of the 16 x 16 attention weights
of one head, rows of the padding included, **how many are above 0**?
""",
    hints=(
        "What would have to be minus infinity, and before which softmax, for a weight to be 0?",
        "Which columns does the padding mask hide? Does anything hide those of [MASK]?",
        "A softmax over a row adds up to 1, whatever token the row belongs to.",
    ),
    solution=visible_weights,
    second_style=visible_weights_counted,
    mistakes=(
        visible_weights_all,
        visible_weights_real_rows,
        visible_weights_columns,
        visible_weights_columns_real_rows,
        visible_weights_without,
        visible_weights_without_rows,
        visible_weights_without_both,
        visible_weights_causal,
        visible_weights_causal_padded,
        visible_weights_causal_real,
        visible_weights_not_itself,
        visible_weights_none,
        visible_weights_tokens,
    ),
    unit="weights",
    verdict="So it is not the same way. The decoder's mask hides positions from the attention, and "
    "of these it would leave 126; BERT replaces tokens in the input, and all look at [MASK], too. "
    "Only the padding is hidden.",
    see="6B Both sides at once",
)


# The copier -----------------------------------------------------------------------------------

COMMONEST = 0.05


def copied_share():
    """The commonest token at 80 % [MASK], the token itself where it stayed."""
    return 0.8 * COMMONEST + 0.1 * 0 + 0.1 * 1


def copied_share_counted():
    """Second style: of 1,000 chosen tokens."""
    hidden, exchanged, kept = 800, 100, 100
    return (hidden * COMMONEST + 0 * exchanged + kept) / 1_000


def copied_share_masks_only():
    """This is the commonest token at all chosen places: at one in five it sees no [MASK], and
    copies.
    """
    return COMMONEST


def copied_share_no_copy():
    """This counts what it finds at the [MASK]s only: what stayed as it was is asked about, too."""
    return 0.8 * COMMONEST


def copied_share_kept_only():
    """This counts what it copies only: at a [MASK] it says the commonest token."""
    return 0.1


def copied_share_random_right():
    """This takes an exchanged token for right: a copy of it is not what stood there."""
    return 0.8 * COMMONEST + 0.2


def copied_share_random_guessed():
    """This lets it see that a token was exchanged: it copies that one, too, and is wrong."""
    return 0.9 * COMMONEST + 0.1


def copied_share_all_guessed():
    """This adds the copies to the commonest token at all places: at a [MASK] only it is said."""
    return COMMONEST + 0.1


def copied_share_of_all_tokens():
    """This is the share of all tokens of the text: only the chosen 15 % are asked about."""
    return 0.15 * copied_share()


def copied_share_percent():
    """This is in percent: a share from 0 to 1 is asked for."""
    return 100 * copied_share()


COPIED_SHARE = Claim(
    id="6.7",
    title="The copier",
    level="medium",
    text="""
“After a quarter of a minute it finds more than twice as many of the chosen tokens as the most
frequent token does. So it has begun to read.” Has it? Think of a reader that has learned one thing:
it **copies each token that it sees**. Where it sees [MASK], it says the most frequent token of all,
which is right in 5 % of the gaps. The chosen tokens have been through 80/10/10, and a random token
is never the right one. **What share** of the chosen tokens does this reader find, from 0 to 1?
""",
    hints=(
        "Of 1,000 chosen tokens, how many does it see as [MASK], exchanged, and as they were?",
        "It cannot know that a token was exchanged. What does it say there?",
    ),
    solution=copied_share,
    second_style=copied_share_counted,
    mistakes=(
        copied_share_masks_only,
        copied_share_no_copy,
        copied_share_kept_only,
        copied_share_random_right,
        copied_share_random_guessed,
        copied_share_all_guessed,
        copied_share_of_all_tokens,
        copied_share_percent,
    ),
    tolerance=0.0011,
    unit="of the chosen tokens",
    verdict="copying reaches 14 % and reads nothing. So ask a model at the [MASK]s alone before "
    "you say that it fills gaps.",
    see="6D Fifteen per cent",
)
