"""Chapter 07: how long a picture is, how large a model, and what a gap in a table is worth."""

from tutorial_lib.exercises.engine.tasks import Claim

# The length -----------------------------------------------------------------------------------


def tokens():
    """Patches of 14 on 224 x 224, and [CLS]."""
    return (224 // 14) ** 2 + 1


def tokens_by_area():
    """Second style."""
    return 224 * 224 / (14 * 14) + 1


def tokens_no_cls():
    """This counts the patches: [CLS] is a token too."""
    return 256


def tokens_a_side():
    """This is the number of patches along a side: there are as many rows."""
    return 16


def tokens_a_side_cls():
    """This is one side and [CLS]: there are 16 rows of 16 patches."""
    return 17


def tokens_sixteen():
    """This is for patches of 16: they have 14 pixels a side."""
    return 197


def tokens_sixteen_no_cls():
    """This is for patches of 16, without [CLS]: they have 14 pixels a side."""
    return 196


def tokens_pixels():
    """This counts the pixels: a patch is one token."""
    return 224 * 224


def tokens_pixels_cls():
    """This counts the pixels and [CLS]: a patch is one token."""
    return 224 * 224 + 1


def tokens_channels():
    """This counts each channel by itself: the three of a patch go into one vector."""
    return 3 * 256 + 1


def tokens_channels_no_cls():
    """This counts each channel by itself, and no [CLS]: the three of a patch go into one vector."""
    return 3 * 256


def tokens_numbers():
    """This is how many numbers a patch has: count the patches."""
    return 3 * 14 * 14


def tokens_area_by_side():
    """This divides all pixels by the 14 of a side: a patch has 14 x 14."""
    return 224 * 224 / 14


def tokens_two():
    """This adds two special tokens: ViT has [CLS] and no [SEP]."""
    return 258


def tokens_two_sides():
    """This adds the two sides: rows times columns."""
    return 16 + 16


TOKENS = Claim(
    id="7.1",
    title="How long is a picture?",
    level="easy",
    text="""
The paper of the Vision Transformer is called “An image is worth 16x16 words”. Its largest model,
ViT-H/14, reads pictures of 224 x 224 pixels in three colours, in patches of 14 x 14 pixels, with
[CLS] in front. How many **tokens** does it read, [CLS] included?
""",
    hints=(
        "How many patches are in one row? How many rows are there?",
        "The colours make a patch's row of numbers longer, not the sequence.",
    ),
    solution=tokens,
    second_style=tokens_by_area,
    mistakes=(
        tokens_no_cls,
        tokens_a_side,
        tokens_a_side_cls,
        tokens_sixteen,
        tokens_sixteen_no_cls,
        tokens_pixels,
        tokens_pixels_cls,
        tokens_channels,
        tokens_channels_no_cls,
        tokens_numbers,
        tokens_area_by_side,
        tokens_two,
        tokens_two_sides,
    ),
    unit="tokens",
    verdict="For this model the title is exact: 16 x 16 patches. With patches of 16 it is 14 x 14.",
    see="7B A picture is a sequence",
)


# Two directions -------------------------------------------------------------------------------

ACCURACY = {"none": 61.38, "learned 1-D": 64.21, "learned 2-D": 64.00, "relative": 64.03}


PICTURES = 50_000  # of ImageNet's validation part


def gap_in_errors():
    """The gap between 1-D and 2-D, divided by the standard error of a difference."""
    one, other = (ACCURACY[scheme] / 100 for scheme in ("learned 1-D", "learned 2-D"))
    return (one - other) / ((one * (1 - one) + other * (1 - other)) / PICTURES) ** 0.5


def gap_in_errors_counted():
    """Second style."""
    right = [round(ACCURACY[scheme] / 100 * PICTURES) for scheme in ("learned 1-D", "learned 2-D")]
    variance = sum(n * (PICTURES - n) / PICTURES for n in right)  # of a number of right answers
    return (right[0] - right[1]) / variance**0.5


def gap_in_errors_sign():
    """2-D less 1-D, with its sign."""
    return -gap_in_errors()


def _error(accuracy, pictures=PICTURES):
    return (accuracy * (1 - accuracy) / pictures) ** 0.5


def gap_one_error():
    """This divides by the standard error of one accuracy: both are uncertain, and the squares of
    their errors add up.
    """
    return 0.0021 / _error(0.6421)


def gap_errors_added():
    """This adds the two standard errors: their squares add up."""
    return 0.0021 / (_error(0.6421) + _error(0.64))


def gap_no_root():
    """This divides by the square of the standard error: take the root."""
    return 0.0021 / (_error(0.6421) ** 2 + _error(0.64) ** 2)


def gap_percent():
    """This divides percentage points by an error in shares: 0.21 points are 0.0021."""
    return 100 * gap_in_errors()


def gap_to_none():
    """This is 1-D against none: the question is about 1-D and 2-D."""
    return (0.6421 - 0.6138) / (_error(0.6421) ** 2 + _error(0.6138) ** 2) ** 0.5


def gap_to_relative():
    """This is 1-D against the relative scheme: the question is about 1-D and 2-D."""
    return 0.0018 / (_error(0.6421) ** 2 + _error(0.6403) ** 2) ** 0.5


def gap_itself():
    """This is the gap in percentage points: divide it by its standard error."""
    return 0.21


def gap_itself_sign():
    """This is 2-D less 1-D in percentage points: divide the gap by its standard error."""
    return -0.21


def gap_error():
    """This is the standard error of the gap, in points: how many of them is the gap?"""
    return 100 * (_error(0.6421) ** 2 + _error(0.64) ** 2) ** 0.5


def gap_learned_from():
    """This counts the 5,000 pictures that the classifier learned from: 50,000 measured it."""
    return 0.0021 / (_error(0.6421, 5_000) ** 2 + _error(0.64, 5_000) ** 2) ** 0.5


GAP_IN_ERRORS = Claim(
    id="7.6",
    title="News or noise?",
    level="medium",
    text="""
Patches form a grid: should you tell a model the row and the column of each? The authors tried four
ways. They pre-trained a ViT-B/16 for each, then fitted a linear classifier on its vectors of five
ImageNet pictures a class (Dosovitskiy et al. 2020, table 8):

| positions | accuracy |
|---|---|
| none | 61.38 % |
| learned, one vector for each patch, all counted in one row (1-D) | 64.21 % |
| learned, half for the row and half for the column (2-D) | 64.00 % |
| relative | 64.03 % |

So 1-D is ahead of 2-D. But had they drawn other test pictures, would it still be? A share p of n
pictures has a standard error of √(p (1 - p) / n). For the gap between two shares the *squares* of
their errors add up. ImageNet has 50,000 validation pictures. Take the two shares as measured on
separate pictures. **How many standard errors** is the gap between 1-D and 2-D, to two decimals?
Below two, it may well be noise.
""",
    hints=(
        "Work with shares: 0.6421 and 0.6400. How large is each one's standard error?",
        "The error of the gap is the root of the sum of the two squares, about 0.003.",
        "Divide the gap, 0.0021, by that.",
    ),
    solution=gap_in_errors,
    second_style=gap_in_errors_counted,
    mistakes=(
        gap_one_error,
        gap_errors_added,
        gap_no_root,
        gap_percent,
        gap_to_none,
        gap_to_relative,
        gap_itself,
        gap_itself_sign,
        gap_error,
        gap_learned_from,
    ),
    right_too=(gap_in_errors_sign,),
    tolerance=0.008,
    unit="standard errors",
    verdict="Less than one: the table cannot tell 1-D from 2-D. With 1-D against none it comes to "
    "more than nine: that is news. And this counts only the luck of the pictures; each model was "
    "trained once, and another seed would move it, too.",
    see="7E Where am I in the picture",
)
