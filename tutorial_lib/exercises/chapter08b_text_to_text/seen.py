"""Chapter 08b: which places of BART's decoder know the whole text?"""

from tutorial_lib.exercises.engine.tasks import Claim

N_TOKENS = 12


def places():
    """Every place: each looks at the whole source in the cross-attention."""
    return N_TOKENS


def places_measured():
    """Second style: change one token after another, on both sides, in a BART with random weights.

    A place knows the whole text if its last vector changes each time.
    """
    import torch

    from tutorial_lib.models import BARTConfig

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        sizes = {"d_model": 16, "n_layers": 2, "n_heads": 2, "d_ff": 32}
        model = BARTConfig(vocab_size=20, context=N_TOKENS, **sizes).build().eval()
        text = torch.arange(1, N_TOKENS + 1)[None]  # (1, T)
        before = model.hidden_states(text, text)[1][-1]  # (1, T, D)
        knows = torch.ones(N_TOKENS, dtype=torch.bool)
        for place in range(N_TOKENS):
            other = text.clone()
            other[0, place] = 19
            after = model.hidden_states(other, other)[1][-1]
            knows &= (after - before)[0].abs().amax(dim=-1) > 0
    return int(knows.sum())


def places_by_the_mask_alone():
    """This counts the decoder's self-attention alone, where the last place is the only one to see
    all: each layer looks at the encoder's vectors, too, and no mask hides any of these.
    """
    return 1


def places_by_the_mask_in_the_mean():
    """This is how many tokens a place sees in the decoder's self-attention, in the mean: the
    question is how many places know all of the text.
    """
    return (N_TOKENS + 1) / 2


def places_in_the_second_half():
    """This is the half with more to its left than to its right: but is what lies to the left the
    only thing that a place of the decoder sees?"""
    return N_TOKENS // 2


def places_but_the_last():
    """This leaves out one place: which one does not look at the encoder's vectors?"""
    return N_TOKENS - 1


def places_none():
    """This is none: a place knows its own token, and those that it looks at."""
    return 0


def places_on_both_sides():
    """This counts the encoder's places, too: the question is about the decoder's."""
    return 2 * N_TOKENS


def places_and_the_end():
    """This counts a token for the end, too: the text has 12 tokens, and so many places."""
    return N_TOKENS + 1


def places_by_pairs_under_the_mask():
    """This counts the pairs of a query and a key that the decoder's mask allows: the question is
    how many places know all of the text."""
    return N_TOKENS * (N_TOKENS + 1) // 2


def places_by_pairs():
    """This counts pairs of a place and an exchanged token: the question is how many places change
    whichever token it was."""
    return N_TOKENS**2


WHO_KNOWS_ALL = Claim(
    id="8b.13",
    title="Who knows the whole text",
    level="easy",
    text="""
To classify a text, BART reads it twice: the same tokens go into the encoder and into the decoder,
whose mask is the usual one. A classifier then takes the last layer’s vector at the decoder’s
**last** place. You may read that it has to, since all other places know the beginning of the text
only. Take a text of 12 tokens, no padding, and exchange one of them, on both sides. A place knows
the whole text if its last vector may change **whichever** of the 12 it was. How many of the
decoder’s 12 places do?
""",
    hints=(
        "Begin with the first place of the decoder. Which vectors does a decoder’s layer look at?",
        "There are two sorts of attention in such a layer. Which of them has the causal mask?",
        "`BARTConfig(...).build()` with small sizes, `hidden_states(text, text)[1][-1]`, once "
        "with another last token: which places have changed?",
    ),
    solution=places,
    second_style=places_measured,
    mistakes=(
        places_by_the_mask_alone,
        places_by_the_mask_in_the_mean,
        places_in_the_second_half,
        places_but_the_last,
        places_none,
        places_on_both_sides,
        places_and_the_end,
        places_by_pairs_under_the_mask,
        places_by_pairs,
    ),
    unit="places",
    verdict="All of them, through the encoder. What the last place has for itself: the decoder’s "
    "own layers have worked on the whole text there, not on a beginning of it.",
    see="8bB BART: damage it, and ask for it back",
)
