"""Chapter 06: what a pass of BERT learns from, and what its attention sees."""

import torch

from tutorial_lib.exercises.engine.tasks import Claim

# Loss terms -----------------------------------------------------------------------------------

N_TOKENS, SHARE = 512, 0.15


def loss_terms():
    """The chosen places of [CLS] first [SEP] second [SEP]."""
    ordinary = N_TOKENS - 3
    return round(SHARE * ordinary)


def loss_terms_counted():
    """Second style."""
    from tutorial_lib.objectives import mask_tokens

    ids = torch.full((1, N_TOKENS), 9)
    ids[0, [0, 200, -1]] = torch.tensor([1, 2, 2])  # [CLS] and two [SEP]
    return mask_tokens(ids, mask_id=3, vocab_size=20, special_ids=[0, 1, 2]).chosen.sum().item()


def loss_terms_special():
    """This is 15 % of all 512: [CLS] and the two [SEP] are never chosen."""
    return round(SHARE * N_TOKENS)


def loss_terms_special_unrounded():
    """This is 15 % of all 512, not rounded: [CLS] and the two [SEP] are never chosen."""
    return SHARE * N_TOKENS


def loss_terms_unrounded():
    """Nearly: a place has a term or has none, so round to a whole number."""
    return SHARE * (N_TOKENS - 3)


def loss_terms_hidden():
    """These are the tokens that become [MASK], 80 % of the chosen: all chosen ones get a term, the
    random and the unchanged too.
    """
    return round(0.8 * loss_terms())


def loss_terms_changed():
    """These are the tokens that change, 90 % of the chosen: those that stay get a term too."""
    return round(0.9 * loss_terms())


def loss_terms_language_model():
    """This is what a language model gets, one term for each token but the first: BERT is asked
    about the chosen places only.
    """
    return N_TOKENS - 1


def loss_terms_all():
    """This is every token: BERT is asked about the chosen places only."""
    return N_TOKENS


def loss_terms_ordinary():
    """This is every ordinary token: 15 % of these are chosen."""
    return N_TOKENS - 3


def loss_terms_others():
    """These are the tokens that were not chosen: they get no term."""
    return N_TOKENS - 3 - loss_terms()


def loss_terms_fewer():
    """This is how many fewer it gets than a language model: the number of BERT's terms is asked
    for.
    """
    return N_TOKENS - 1 - loss_terms()


def loss_terms_times():
    """This is how many times as many a language model gets: the number of BERT's terms is asked
    for.
    """
    return round((N_TOKENS - 1) / loss_terms(), 1)


def loss_terms_share():
    """This is a share: the number of terms is asked for."""
    return SHARE


LOSS_TERMS = Claim(
    id="6.1",
    title="What one pass teaches",
    level="easy",
    text="""
You may read that masked language modelling “does not make efficient use of data”. How bad is it?
Take BERT's full length: [CLS], a sentence, [SEP], a sentence, [SEP], 512 tokens in all. Of the
ordinary tokens 15 % are chosen, rounded to a whole number (so our code does it; BERT's own counts
the three special tokens, too, and comes to one more). A language model gets 511 loss terms from 512
tokens. **How many** does masked language modelling get?
""",
    hints=(
        "How many of the 512 tokens are ordinary ones?",
        "Each chosen token gets a term, whatever becomes of it: [MASK], a random token, nothing.",
    ),
    solution=loss_terms,
    second_style=loss_terms_counted,
    mistakes=(
        loss_terms_special,
        loss_terms_special_unrounded,
        loss_terms_unrounded,
        loss_terms_hidden,
        loss_terms_changed,
        loss_terms_language_model,
        loss_terms_all,
        loss_terms_ordinary,
        loss_terms_others,
        loss_terms_fewer,
        loss_terms_times,
        loss_terms_share,
    ),
    tolerance=0.04,
    unit="terms",
    verdict="511 / 76 = 6.7: BERT reads about seven tokens for each loss term, a language model "
    "about one. What BERT gets in return: each of its guesses may use both sides.",
    see="6B Both sides at once",
)


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
we mask future tokens in the decoder)”. Let BERT read a row of 16 tokens: 12 real ones, two of which
have become [MASK], and then 4 of padding. Of the 16 x 16 attention weights of one head, rows of the
padding included, **how many are above 0**?
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
