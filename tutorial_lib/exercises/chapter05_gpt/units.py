"""Chapter 05: from the perplexity of a model to bits per character."""

import math

from tutorial_lib.exercises.engine.tasks import Write, case


def bits_per_character(perplexity, n_tokens, n_characters):
    """Return the bits a character of a text that a model reads as n_tokens tokens.

    perplexity is the exponential of the mean loss a token, in nats.
    """
    bits_per_token = math.log2(perplexity)
    return bits_per_token * n_tokens / n_characters


def bits_per_character_from_nats(perplexity, n_tokens, n_characters):
    """Second style."""
    nats = n_tokens * math.log(perplexity)  # of the whole text
    return nats / math.log(2) / n_characters


def bits_per_character_nats(perplexity, n_tokens, n_characters):
    """This is in nats: divide by ln 2, or take the logarithm to base 2."""
    return math.log(perplexity) * n_tokens / n_characters


def bits_per_character_times_ln_2(perplexity, n_tokens, n_characters):
    """This multiplies the nats by ln 2: a nat is more than a bit, so divide."""
    return math.log(perplexity) * math.log(2) * n_tokens / n_characters


def bits_per_character_base_10(perplexity, n_tokens, n_characters):
    """This takes the logarithm to base 10: bits need base 2."""
    return math.log10(perplexity) * n_tokens / n_characters


def bits_per_character_upside_down(perplexity, n_tokens, n_characters):
    """This multiplies by the characters a token: a token's bits are shared by its characters."""
    return math.log2(perplexity) * n_characters / n_tokens


def bits_per_character_upside_down_nats(perplexity, n_tokens, n_characters):
    """This multiplies by the characters a token, and is in nats: it should divide, in bits."""
    return math.log(perplexity) * n_characters / n_tokens


def bits_per_character_per_token(perplexity, n_tokens, n_characters):
    """This is bits per token: a text has fewer tokens than characters, so convert."""
    return math.log2(perplexity)


def bits_per_character_total(perplexity, n_tokens, n_characters):
    """This is the bits of the whole text: divide by its characters."""
    return math.log2(perplexity) * n_tokens


def bits_per_character_one_token(perplexity, n_tokens, n_characters):
    """This divides the bits of one token by all characters: n_tokens of them have to be paid."""
    return math.log2(perplexity) / n_characters


def bits_per_character_no_log(perplexity, n_tokens, n_characters):
    """This shares out the perplexity itself: its logarithm is the loss of a token."""
    return perplexity * n_tokens / n_characters


def bits_per_character_late_log(perplexity, n_tokens, n_characters):
    """This takes the logarithm last, of the shared perplexity: bits are shared, so it comes
    first.
    """
    return math.log2(perplexity * n_tokens / n_characters)


def bits_per_character_perplexity(perplexity, n_tokens, n_characters):
    """This is the perplexity a character: its logarithm to base 2 is asked for."""
    return perplexity ** (n_tokens / n_characters)


def bits_per_character_loss(perplexity, n_tokens, n_characters):
    """This takes the perplexity for a loss in nats: the loss is its logarithm."""
    return perplexity / math.log(2) * n_tokens / n_characters


def bits_per_character_bytes(perplexity, n_tokens, n_characters):
    """This divides by 8: bits are asked for, not bytes."""
    return math.log2(perplexity) * n_tokens / n_characters / 8


def bits_per_character_sign(perplexity, n_tokens, n_characters):
    """This has the wrong sign: a perplexity is at least 1, so its logarithm is not below 0."""
    return -math.log2(perplexity) * n_tokens / n_characters


def bits_per_character_whole(perplexity, n_tokens, n_characters):
    """This divides without decimals: `//` makes 0 of 1200 tokens for 5000 characters."""
    return math.log2(perplexity) * (n_tokens // n_characters)


def bits_per_character_rounded(perplexity, n_tokens, n_characters):
    """This rounds the characters a token to a whole number: keep the decimals."""
    return math.log2(perplexity) / round(n_characters / n_tokens)


def bits_per_character_one_less(perplexity, n_tokens, n_characters):
    """This counts one token less: n_tokens are the tokens that were predicted."""
    return math.log2(perplexity) * (n_tokens - 1) / n_characters


def bits_per_character_cases():
    """Tokens of a character and longer ones; a perplexity of 1 costs nothing."""
    return [
        case("tokens of several characters", 120.0, 1200, 5000),
        case("a token is a character", 4.8, 1000, 1000),
        case("a short text", 64.0, 7, 30),
        case("a model that is always sure", 1.0, 40, 100),
    ]


BITS_PER_CHARACTER = Write(
    id="5.3",
    title="Bits per character",
    level="easy",
    text="""
A model of characters has perplexity 5, a model of word pieces 120. Which one is better? The second
one has fewer tokens to guess, so compare what the **same text** costs them. Write
`bits_per_character(perplexity, n_tokens, n_characters)`: the text has n_characters characters, the
model predicted it in n_tokens tokens, and its perplexity, exp(mean loss a token in nats), is given.
""",
    hints=(
        "How many bits does one token cost? A perplexity of 8 is a choice among 8: 3 bits.",
        "How many bits does the whole text cost, and among how many characters are they shared?",
    ),
    solution=bits_per_character,
    second_style=bits_per_character_from_nats,
    mistakes=(
        bits_per_character_nats,
        bits_per_character_times_ln_2,
        bits_per_character_base_10,
        bits_per_character_upside_down,
        bits_per_character_upside_down_nats,
        bits_per_character_per_token,
        bits_per_character_total,
        bits_per_character_one_token,
        bits_per_character_no_log,
        bits_per_character_late_log,
        bits_per_character_perplexity,
        bits_per_character_loss,
        bits_per_character_bytes,
        bits_per_character_sign,
        bits_per_character_whole,
        bits_per_character_rounded,
        bits_per_character_one_less,
    ),
    cases=bits_per_character_cases,
    see="5.3 One loss, three units",
)
