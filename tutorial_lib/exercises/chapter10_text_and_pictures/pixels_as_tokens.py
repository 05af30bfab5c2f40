"""Chapter 10: what it would cost to write a picture pixel by pixel."""

from tutorial_lib.exercises.engine.tasks import Claim

TEXT, CODES, NUMBERS = 256, 32 * 32, 256 * 256 * 3


def times_the_scores():
    """All positions look at all, so the ratio of the lengths counts twice."""
    return ((TEXT + NUMBERS) / (TEXT + CODES)) ** 2


def times_the_scores_counted():
    """Second style."""

    def scores(length):
        return sum(length for _ in range(length))

    return scores(TEXT + NUMBERS) / scores(TEXT + CODES)


def times_the_scores_backwards():
    """You let each position look at itself and at those before it."""
    long, short = TEXT + NUMBERS, TEXT + CODES
    return long * (long + 1) / (short * (short + 1))


def times_the_scores_before():
    """You let each position look at those before it, without itself."""
    long, short = TEXT + NUMBERS, TEXT + CODES
    return long * (long - 1) / (short * (short - 1))


def times_the_picture():
    """This compares the lengths of the *pictures* (192 is DALL-E’s own number): how many scores are
    that, with the text before both?
    """
    return NUMBERS / CODES


def times_the_length():
    """These are positions, text included. A score belongs to a *pair* of them."""
    return (TEXT + NUMBERS) / (TEXT + CODES)


def times_without_text():
    """This leaves out the text: its 256 tokens stand before both sorts of picture."""
    return (NUMBERS / CODES) ** 2


def times_without_colours():
    """This takes a pixel for one number: it has three, red, green and blue."""
    return ((TEXT + 256 * 256) / (TEXT + CODES)) ** 2


def times_without_colours_and_text():
    """This takes a pixel for one number and leaves out the text: three numbers a pixel, and 256
    tokens before them.
    """
    return (256 * 256 / CODES) ** 2


def times_pixels_length():
    """This counts pixels and not pairs of positions, and a pixel has three numbers."""
    return 256 * 256 / CODES


def times_text_once():
    """This has the text before one of the two only: it stands before codes and before pixels."""
    return (NUMBERS / (TEXT + CODES)) ** 2


def times_text_once_pixels():
    """This has the text before the pixels only: it stands before the codes, too."""
    return ((TEXT + NUMBERS) / CODES) ** 2


def times_bits():
    """This counts what is stored, 8 bits for a number and 13 for a code: count scores."""
    return 8 * NUMBERS / (13 * CODES)


def times_turned():
    """This is turned round: how many times as many does it take with *pixels*?"""
    return ((TEXT + CODES) / (TEXT + NUMBERS)) ** 2


def times_scores_of_pixels():
    """These are the scores with pixels: how many times those with codes is that?"""
    return (TEXT + NUMBERS) ** 2


def times_length_of_pixels():
    """These are the positions with pixels: square both lengths, and divide."""
    return TEXT + NUMBERS


def times_numbers():
    """These are the numbers of the picture: how many scores are that, and how many with codes?"""
    return NUMBERS


def times_side_of_32():
    """This takes 32 codes: there are 32 × 32."""
    return ((TEXT + NUMBERS) / (TEXT + 32)) ** 2


def times_vocabulary():
    """This counts the 8,192 codes of the book: a picture takes 32 × 32 of them."""
    return ((TEXT + NUMBERS) / (TEXT + 8192)) ** 2


def times_the_same():
    """Both are next-token prediction, but not equally long: count positions first."""
    return 1


TIMES_THE_SCORES = Claim(
    id="10.13",
    title="Only next-token prediction?",
    level="medium",
    text="""
You may read that text to picture is next-token prediction and nothing else: write the picture down
as tokens behind its caption, and train a GPT. So why a code book? A picture *is* a row of numbers.
DALL-E (Ramesh et al. 2021) reads 256 tokens of text, then 32 × 32 codes of a book with 8,192. The
picture has 256 × 256 pixels with 3 numbers each; say that each of these were a token. The tokens of
text stay. Count the **scores** in one head of one layer, the square of the number of positions,
whatever a mask then hides. **How many times as many** scores would it take with numbers for tokens
as with codes, rounded to a whole number?
""",
    hints=(
        "How many positions does the row have with codes, the text included? And with numbers?",
        "How many scores does a row of n positions have?",
        "Divide the two numbers of scores, not the two lengths.",
    ),
    solution=times_the_scores,
    second_style=times_the_scores_counted,
    mistakes=(
        times_the_picture,
        times_the_length,
        times_without_text,
        times_without_colours,
        times_without_colours_and_text,
        times_pixels_length,
        times_text_once,
        times_text_once_pixels,
        times_bits,
        times_turned,
        times_scores_of_pixels,
        times_length_of_pixels,
        times_numbers,
        times_side_of_32,
        times_vocabulary,
        times_the_same,
    ),
    right_too=(times_the_scores_backwards, times_the_scores_before),
    tolerance=0.6,
    unit="times as many",
    verdict="1,280 positions against 196,864. It is next-token prediction, but the tokens are what "
    "makes it possible: a network of its own, trained before, packs 192 numbers into each code. "
    "(Without a book it has been done at 64 × 64 pixels: Image GPT, Chen et al. 2020.)",
)
