"""Chapter 07: how long a picture is, how large a model, and what two directions bring."""

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


def gain():
    """What positions by row and column bring, against a number for each patch, in points."""
    return ACCURACY["learned 2-D"] - ACCURACY["learned 1-D"]


def gain_by_misses():
    """Second style."""
    missed = {scheme: 100 - share for scheme, share in ACCURACY.items()}
    return missed["learned 1-D"] - missed["learned 2-D"]


def gain_sign():
    """This has the wrong sign: subtract 1-D from 2-D, which has less."""
    return -gain()


def gain_over_none():
    """This compares with no positions at all: compare with the numbers in a row."""
    return ACCURACY["learned 2-D"] - ACCURACY["none"]


def gain_of_row():
    """This is what the numbers in a row bring against none: the question is about 2-D."""
    return ACCURACY["learned 1-D"] - ACCURACY["none"]


def gain_relative():
    """This is the relative scheme against 1-D: take 2-D."""
    return ACCURACY["relative"] - ACCURACY["learned 1-D"]


def gain_against_relative():
    """This is 2-D against the relative scheme: compare with 1-D."""
    return ACCURACY["learned 2-D"] - ACCURACY["relative"]


def gain_percent():
    """This is in percent of the accuracy of 1-D: points are a plain difference."""
    return 100 * gain() / ACCURACY["learned 1-D"]


def gain_percent_sign():
    """This is in percent of the accuracy of 1-D, and has the wrong sign: points are a plain
    difference, of 2-D less 1-D.
    """
    return -gain_percent()


def gain_itself():
    """This is the accuracy of 2-D: how much more is it than that of 1-D?"""
    return ACCURACY["learned 2-D"]


def gain_rounded():
    """This has one decimal: the table has two, and two are asked for."""
    return -0.2


def gain_share():
    """This is a share, or nothing at all: give points, of which the table has two decimals."""
    return gain() / 100


GAIN = Claim(
    id="7.4",
    title="A picture has two directions",
    level="easy",
    text="""
Patches form a grid: should you tell a model the row and the column of each? The authors tried four
ways. They pre-trained a ViT-B/16 for each, then fitted a linear classifier on its vectors of five
ImageNet pictures a class (Dosovitskiy et al. 2020, table 8):

| positions | accuracy |
|---|---|
| none | 61.38 % |
| learned, one vector for each patch in a row (1-D) | 64.21 % |
| learned, half for the row and half for the column (2-D) | 64.00 % |
| relative | 64.03 % |

How many **percentage points** does 2-D gain over 1-D, to two decimals? A loss is below 0.
""",
    hints=(
        "One subtraction of two rows of the table.",
        "Points are a plain difference: from 50 % to 52 % it is 2 points.",
    ),
    solution=gain,
    second_style=gain_by_misses,
    mistakes=(
        gain_sign,
        gain_over_none,
        gain_of_row,
        gain_relative,
        gain_against_relative,
        gain_percent,
        gain_percent_sign,
        gain_itself,
        gain_rounded,
        gain_share,
    ),
    tolerance=0.006,
    unit="percentage points",
    verdict="Row and column bring nothing here; to have positions at all brings 2.8 points. The "
    "paper's models have learned 1-D positions: pictures teach them what is below what.",
    see="7D Where am I in the picture",
)
