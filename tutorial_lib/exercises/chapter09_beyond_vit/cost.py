"""Chapter 09: how much cheaper windows are."""

import math

from tutorial_lib.exercises.engine.tasks import Claim

WINDOW, PATCH, FACTOR = 7, 4, 49


def side_of_49():
    """Global attention takes n² scores, windows n · 49: their quotient is 49 for n = 49²."""
    n_patches = FACTOR * WINDOW**2
    return PATCH * math.sqrt(n_patches)


def side_of_49_counted():
    """Second style."""
    n_windows = 1  # along a side
    while True:
        n_patches = (n_windows * WINDOW) ** 2
        in_windows = sum(WINDOW**2 for _ in range(n_patches))  # each patch sees its window
        if n_patches * n_patches == FACTOR * in_windows:
            return n_windows * WINDOW * PATCH
        n_windows += 1


def side_in_patches():
    """This is the side in patches, and the factor fits: how many pixels are 49 patches?"""
    return 49


def side_all_patches():
    """This is how many patches the picture has, and it fits: how many pixels long is its side?"""
    return 2_401


def side_area():
    """This is the picture’s area in pixels, and it fits: take the root."""
    return 38_416


def side_all_patches_in_pixels():
    """This multiplies the number of all patches by 4: along a side there are only 49."""
    return 4 * 2_401


def side_in_windows():
    """This is the side in windows, and the factor fits: how many pixels are 7 windows?"""
    return 7


def side_one_window():
    """In 28 pixels there is one window: each patch sees all the others, and the factor is 1."""
    return 28


def side_49_windows():
    """This puts 49 windows along a side: then there are 49² in all, and the factor is 2,401."""
    return 49 * 28


def side_of_swin():
    """This is the size that Swin reads. It has 56 · 56 patches: 3,136² scores against
    3,136 · 49, and that is a factor of 64.
    """
    return 224


def side_of_swin_in_patches():
    """Pictures of 224 pixels have 56 patches a side: the factor there is 64, not 49."""
    return 56


def side_window_of_seven():
    """This takes a window for 7 patches, 7 · 49 = 343: it is 7 patches wide *and* high."""
    return 343


def side_window_of_seven_in_pixels():
    """This takes a window for 7 patches: it is 7 patches wide *and* high, 49 in all."""
    return 4 * math.sqrt(343)


def side_scores_of_a_window():
    """With 784 pixels there are 196 patches along a side, and the factor is 784: how many patches
    does it take for 49?
    """
    return 784


def side_twice():
    """With sides twice as long as Swin’s the factor is not 49 but 256: it grows with the area."""
    return 448


def side_half():
    """Here the factor is 16: 784 patches, and each window has 49."""
    return 112


def side_root():
    """This is the root of the right number: a side is given in pixels already, so stop before."""
    return 14


def side_three_windows():
    """In 84 pixels there are 3 windows along a side, 9 in all: the factor is 9."""
    return 84


def side_twice_as_long():
    """This is twice as long as it must be: with 98 patches a side the factor is 4 · 49."""
    return 392


def side_three_times_as_long():
    """This is three times as long as it must be: with 147 patches a side the factor is 9 · 49."""
    return 588


FOR_WHICH_PICTURE = Claim(
    id="9.7",
    title="49 times cheaper?",
    level="easy",
    text="""
You may read that windows of 7 × 7 make attention 49 times cheaper. Cheaper than what? Take square
pictures, cut into patches of 4 × 4 pixels, each of which is one vector. Count the **scores** of one
head in one layer: one for each query and each key that it is compared with. Either every patch is
compared with all patches of the picture, or only with those of its own window of 7 × 7 patches;
the windows fill the picture. How long, in **pixels**, must a side be for windows to need exactly
one forty-ninth of the scores?
""",
    hints=(
        "Call the number of patches n. How many scores is it globally? And how many if each of the "
        "n looks at 49?",
        "Divide one by the other. What remains of n, and when is that 49?",
        "n patches in a square: how many along a side, and how many pixels is that?",
    ),
    solution=side_of_49,
    second_style=side_of_49_counted,
    mistakes=(
        side_in_patches,
        side_all_patches,
        side_area,
        side_all_patches_in_pixels,
        side_in_windows,
        side_one_window,
        side_49_windows,
        side_of_swin,
        side_of_swin_in_patches,
        side_window_of_seven,
        side_window_of_seven_in_pixels,
        side_scores_of_a_window,
        side_twice,
        side_half,
        side_root,
        side_three_windows,
        side_twice_as_long,
        side_three_times_as_long,
    ),
    tolerance=0.05,
    unit="pixels",
    verdict="The sentence is true of this one size. At 224 pixels the factor is 64, at 448 it is "
    "256: windows cost n · 49, global attention n², so the gain n / 49 grows with the picture.",
)
