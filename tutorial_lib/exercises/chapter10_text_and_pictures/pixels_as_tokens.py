"""Chapter 10: how large a picture could one write pixel by pixel?"""

import math

from tutorial_lib.exercises.engine.tasks import Claim

TEXT, CODES, COLOURS, TIMES = 256, 32 * 32, 3, 100


def side(times=TIMES, text=TEXT, codes=CODES, colours=COLOURS):
    """The side of the largest square picture in `times` as many scores, not rounded."""
    positions = math.sqrt(times) * (text + codes)
    return math.sqrt((positions - text) / colours)


def widest_picture():
    """Scores grow with the square of the positions, the positions with the square of the side."""
    return math.floor(side())


def widest_picture_counted():
    """Second style."""
    affordable, width = TIMES * (TEXT + CODES) ** 2, 0
    while (TEXT + COLOURS * (width + 1) ** 2) ** 2 <= affordable:
        width += 1
    return width


def width_rounded_up():
    """A side of 65 pixels would just be too much: 12,931 positions, and 12,800 can be paid."""
    return 65


def width_not_rounded():
    """Nearly: whole pixels, and no more of them than can be paid."""
    return side()


def width_linear():
    """This takes a hundred times as many *positions*: scores are pairs of them, so a hundred times
    as many scores pay for ten times as many positions.
    """
    return math.floor(side(TIMES**2))


def width_for_the_same():
    """This is the side for as many scores as DALL-E takes (18 pixels): you have a hundred times as
    many.
    """
    return math.floor(side(1))


def width_without_colours():
    """This takes a pixel for one number: it has three, red, green and blue."""
    return math.floor(side(colours=1))


def width_without_colours_and_less():
    """This takes a pixel for one number: it has three. And what can be paid may be used up."""
    return math.floor(side(colours=1)) - 1


def width_without_colours_and_text():
    """This takes a pixel for one number, and leaves no room for the text: three numbers a pixel,
    and 256 tokens before them.
    """
    return math.floor(math.sqrt(math.sqrt(TIMES) * (TEXT + CODES)))


def width_text_before_the_pixels_only():
    """This leaves out the text before the codes: there are 256 + 1,024 positions."""
    return math.floor(math.sqrt((math.sqrt(TIMES) * CODES - TEXT) / COLOURS))


def width_without_text():
    """This leaves out the text: its 256 tokens come before the codes and before the pixels."""
    return math.floor(math.sqrt(math.sqrt(TIMES) * CODES / COLOURS))


def width_text_added():
    """This adds the text to what can be paid, or rounds up: it is taken away, and a side rounded
    down.
    """
    return 66


def width_ten_times_again():
    """Ten times as many *positions* are paid by a hundred times the scores: this takes the numbers
    of the picture ten times once more.
    """
    return math.floor(math.sqrt(10) * side())


def width_linear_without_colours():
    """A hundred times as many scores pay for ten times as many positions, and a pixel takes three
    of them.
    """
    return math.floor(side(TIMES**2, colours=1))


def width_of_pixels():
    """This is the number of pixels: how long is a side of the square?"""
    return math.floor((math.sqrt(TIMES) * (TEXT + CODES) - TEXT) / COLOURS)


def width_of_numbers():
    """These are the numbers of the picture: three make a pixel, and a square has a side."""
    return math.floor(math.sqrt(TIMES) * (TEXT + CODES) - TEXT)


def width_of_positions():
    """These are the positions that can be paid: how large a picture fits in after the text?"""
    return math.sqrt(TIMES) * (TEXT + CODES)


def width_of_scores():
    """These are the scores that can be paid: how many positions is that, and how many pixels?"""
    return TIMES * (TEXT + CODES) ** 2


def width_of_the_whole():
    """That is DALL-E’s picture: 196,864 positions with the text, far more than can be paid."""
    return 256


def width_of_a_hundredfold():
    """This makes the side for DALL-E’s scores a hundred times as long: neither scores nor pixels
    grow in proportion to the side.
    """
    return 100 * math.floor(side(1))


def width_of_a_tenfold():
    """This makes the side for DALL-E’s scores ten times as long: ten times as many *positions* can
    be paid, and pixels grow with the square of the side.
    """
    return 10 * math.floor(side(1))


WIDEST_PICTURE = Claim(
    id="10.12",
    title="Only next-token prediction?",
    level="medium",
    text="""
You may read that text to picture is next-token prediction and nothing else: a GPT goes on from the
caption. So why a code book? A picture *is* a row of numbers. DALL-E reads 256 tokens of text, then
32 × 32 codes, and paints 256 × 256 pixels from them. Do it without a book: each pixel is three
numbers, and each number is a token. The 256 tokens of text stay. Count the **scores** in one head
of one layer, the square of the number of positions, whatever a mask then hides. Be generous and pay
for **a hundred times as many scores** as DALL-E’s row takes. How large a square picture can you
write? Give the longest **side, in whole pixels**.
""",
    hints=(
        "How many positions does DALL-E’s row have, the text included? If the number of scores "
        "grows a hundredfold, how many times as many positions is that?",
        "Take away the text. What is left are the numbers of the picture, three for each pixel.",
        "A square of that many pixels: how long is its side? Round down, since there is no more "
        "to pay with.",
    ),
    solution=widest_picture,
    second_style=widest_picture_counted,
    mistakes=(
        width_rounded_up,
        width_not_rounded,
        width_linear,
        width_for_the_same,
        width_without_colours,
        width_without_colours_and_less,
        width_text_added,
        width_ten_times_again,
        width_without_colours_and_text,
        width_text_before_the_pixels_only,
        width_without_text,
        width_linear_without_colours,
        width_of_pixels,
        width_of_numbers,
        width_of_positions,
        width_of_scores,
        width_of_the_whole,
        width_of_a_hundredfold,
        width_of_a_tenfold,
    ),
    tolerance=0.1,
    unit="pixels a side",
    verdict="12,800 positions, less 256 for the text, are 4,181 pixels: 64 × 64, a sixteenth of "
    "DALL-E’s picture for a hundred times the scores. (At DALL-E’s own price it is 18 × 18.) So it "
    "is next-token prediction, and the tokens make it possible: a network trained before packs 192 "
    "numbers into each code.",
)
