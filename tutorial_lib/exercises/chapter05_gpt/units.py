"""Chapter 05: from the perplexity of a model to bits per character."""

import math

from tutorial_lib.exercises.chapter04_transformer.measures import told
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def bits_per_character(perplexity, n_tokens, n_characters):
    """Return the bits per character of a text that a model reads as n_tokens tokens.

    perplexity is the exponential of the mean loss per token, in nats.
    """
    bits_per_token = math.log2(perplexity)
    return bits_per_token * n_tokens / n_characters


def bits_per_character_from_nats(perplexity, n_tokens, n_characters):
    """Second style."""
    nats = n_tokens * math.log(perplexity)  # of the whole text
    return nats / math.log(2) / n_characters


def bits_per_character_whole(perplexity, n_tokens, n_characters):
    """This divides without decimals: `//` makes 0 of 1200 tokens for 5000 characters."""
    return math.log2(perplexity) * (n_tokens // n_characters)


def bits_per_character_rounded(perplexity, n_tokens, n_characters):
    """This rounds the characters a token to a whole number: keep the decimals."""
    return math.log2(perplexity) / round(n_characters / n_tokens)


def bits_per_character_cases():
    """Tokens of a character and longer ones; a perplexity of 1 costs nothing."""
    return [
        case("tokens of several characters", 120.0, 1200, 5000),
        case("a token is a character", 4.8, 1000, 1000),
        case("a short text", 64.0, 7, 30),
        case("a model that is always sure", 1.0, 40, 100),
    ]


def logarithm_of_all(answer):
    """Twice the perplexity is the same as twice the tokens, and not twice the bits."""
    once, tokens, perplexity = answer(16.0, 10, 7), answer(16.0, 20, 7), answer(32.0, 10, 7)
    return math.isclose(tokens, perplexity, rel_tol=1e-3) and not math.isclose(
        tokens, 2 * once, rel_tol=1e-3
    )


def is_upside_down(answer):
    """Half the bits for twice the tokens, twice for twice the characters."""
    once = answer(16.0, 10, 7)
    tokens, characters = answer(16.0, 20, 7) / once, answer(16.0, 10, 14) / once
    return math.isclose(tokens, 1 / 2, rel_tol=1e-3) and math.isclose(characters, 2, rel_tol=1e-3)


def all_tokens_are_paid(answer):
    """Twice the tokens, twice the bits."""
    if logarithm_of_all(answer):
        return None
    if is_upside_down(answer):
        return "The fraction is upside down: multiply by n_tokens and divide by n_characters."
    others = {
        1: "It does not matter how many tokens the text has: each of the n_tokens has to be paid.",
        1 / 2: "It divides by the tokens: a token's bits are shared by its characters, so multiply "
        "by n_tokens and divide by n_characters.",
        19 / 9: "It counts one token less: n_tokens are the tokens that were predicted.",
    }
    return told(answer(16.0, 20, 7) / answer(16.0, 10, 7), 2, others)


def characters_share(answer):
    """Twice the characters, half the bits."""
    if logarithm_of_all(answer) or is_upside_down(answer):
        return None
    others = {
        1: "It does not matter how many characters the text has: its bits are shared by them, so "
        "divide.",
        2: "It multiplies by the characters: they share the bits, so divide.",
    }
    return told(answer(16.0, 10, 14) / answer(16.0, 10, 7), 1 / 2, others)


def perplexity_has_a_logarithm(answer):
    """A perplexity squared costs twice the bits."""
    if logarithm_of_all(answer):
        return (
            "It takes the logarithm of the whole product: take that of the perplexity alone, and "
            "share it out after that."
        )
    others = {
        16: "It shares out the perplexity itself: its logarithm is the loss of a token.",
    }
    return told(answer(256.0, 10, 7) / answer(16.0, 10, 7), 2, others)


def is_not_negative(answer):
    """A perplexity of 16 costs something."""
    return answer(16.0, 10, 7) > 0


def is_in_bits(answer):
    """A token of one character that is one of two costs one bit."""
    if perplexity_has_a_logarithm(answer) is not True:
        return None
    nat = math.log(2)
    others = {
        nat: "It is in nats: divide by ln 2, or take the logarithm to base 2.",
        nat**2: "It multiplies the nats by ln 2: a nat is more than a bit, so divide.",
        math.log10(2): "It takes the logarithm to base 10: bits need base 2.",
        1 / 8: "It divides by 8: bits are asked for, not bytes.",
    }
    return told(abs(answer(2.0, 1, 1)), 1, others) or (None if not answer(2.0, 1, 1) else False)


BITS_PER_CHARACTER = Write(
    id="5.3",
    title="Bits per character",
    level="easy",
    text="""
A model of characters has perplexity 5, a model of word pieces 120. Which one is better? Nobody can
tell before knowing how many pieces the text has: compare what the **same text** costs them. Write
`bits_per_character(perplexity, n_tokens, n_characters)`: the text has n_characters characters, the
model predicted it in n_tokens tokens, and its perplexity is exp(mean loss per token in nats).
""",
    hints=(
        "How many bits does one token cost? A perplexity of 8 is a choice among 8: 3 bits.",
        "How many bits does the whole text cost, and among how many characters are they shared?",
    ),
    solution=bits_per_character,
    second_style=bits_per_character_from_nats,
    mistakes=(
        bits_per_character_whole,
        bits_per_character_rounded,
    ),
    cases=bits_per_character_cases,
    properties=(
        Property("Twice as many tokens must cost twice the bits.", all_tokens_are_paid),
        Property("With twice as many characters each has half the bits.", characters_share),
        Property(
            "A perplexity squared must cost twice the bits: take the logarithm of the perplexity, "
            "and share it out after that.",
            perplexity_has_a_logarithm,
        ),
        Property("It has the wrong sign: a loss is not below 0.", is_not_negative),
        Property("With a choice between 2 a token must cost one bit.", is_in_bits),
    ),
    see="5D One loss, three units",
)
