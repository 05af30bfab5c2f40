"""Chapter 09: how many queries a Perceiver IO asks."""

from tutorial_lib.exercises.engine.tasks import Claim

HEIGHT, WIDTH, LATENTS = 368, 496, 2_048
OF_LANGUAGE = 256


def queries_per_latent():
    """One query for each pixel, divided by the latents."""
    return HEIGHT * WIDTH / LATENTS


def queries_per_latent_counted():
    """Second style."""
    queries = [(row, column) for row in range(HEIGHT) for column in range(WIDTH)]
    whole, rest = divmod(len(queries), LATENTS)
    return whole + rest / LATENTS


def per_latent_numbers():
    """This has two queries for each pixel: one query gets a whole vector as its answer, here of two
    numbers, and the pixels of the second picture are not asked for.
    """
    return 2 * queries_per_latent()


def per_latent_numbers_cut():
    """This has two queries for each pixel, the two numbers or the two pictures: one query gets a
    whole vector, and only the pixels of the first picture are asked for.
    """
    return 178.2


def per_latent_numbers_up():
    """This has two queries for each pixel, as if both numbers, or both pictures, were asked for: a
    query gets a whole vector, for a pixel of the first picture.
    """
    return 178.3


def per_latent_pictures_and_numbers():
    """This asks for both pictures, and for each number by itself: one query gets a whole vector,
    and only the pixels of the first picture have one.
    """
    return 4 * queries_per_latent()


def per_latent_as_many():
    """This asks as many queries as there are latents: there is one for each pixel of the answer."""
    return 1


def per_latent_turned():
    """This is turned round: it has latents for each query. There are far more queries."""
    return 1 / queries_per_latent()


def per_latent_queries():
    """This is the number of all queries: how many is that for each of the 2,048 latents?"""
    return HEIGHT * WIDTH


def per_latent_latents():
    """This is the number of latents: how many pixels are to be answered for each of them?"""
    return LATENTS


def per_latent_of_other():
    """This divides by the 256 latents of the model of language: motion has 2,048."""
    return HEIGHT * WIDTH / OF_LANGUAGE


def per_latent_language():
    """This is the model of language, 2,048 bytes for 256 latents: the question is about motion."""
    return 2_048 / OF_LANGUAGE


def per_latent_language_turned():
    """This is the model of language, and turned round: the question is about motion, and how many
    queries a latent has.
    """
    return OF_LANGUAGE / 2_048


def per_latent_half():
    """This is half of it: each pixel of the first picture is asked for."""
    return queries_per_latent() / 2


def per_latent_patches():
    """This asks for patches of 4 × 4 pixels: each pixel has a motion of its own."""
    return queries_per_latent() / 16


def per_latent_large_patches():
    """This asks for patches of 16 × 16 pixels: each pixel has a motion of its own."""
    return queries_per_latent() / 256


def per_latent_colours():
    """This asks for the three colours of each pixel: it is the motion that is asked for, one vector
    a pixel.
    """
    return 3 * queries_per_latent()


def per_latent_sides():
    """This adds the two sides: a picture has 368 times 496 pixels."""
    return (HEIGHT + WIDTH) / LATENTS


def per_latent_rounded():
    """Nearly: give one decimal."""
    return 89


def per_latent_rounded_up():
    """This counts portions of 2,048 queries, the last one not full: divide, and do not round up."""
    return 90


QUERIES_PER_LATENT = Claim(
    id="9.12",
    title="A smaller array?",
    level="easy",
    text="""
Does Perceiver IO produce large outputs from a small array of queries? Two models from its paper
(Jaegle et al. 2022):

| | reads | latents | predicts |
|---|---|---|---|
| language | 2,048 bytes, some of them masked | 256 | for each byte, which of 262 it is |
| motion | two pictures, 368 × 496 | 2,048 | for each pixel of the first, its motion: 2 numbers |

Each vector that comes out has a query of its own. How many output queries does the model of
**motion** ask **for each of its latents**, to one decimal?
""",
    hints=(
        "What does one query of this model ask for? And what does it get: one number, or a vector?",
        "How many pixels does the first picture have?",
        "Divide the number of queries by the number of latents.",
    ),
    solution=queries_per_latent,
    second_style=queries_per_latent_counted,
    mistakes=(
        per_latent_numbers,
        per_latent_numbers_cut,
        per_latent_numbers_up,
        per_latent_pictures_and_numbers,
        per_latent_as_many,
        per_latent_turned,
        per_latent_queries,
        per_latent_latents,
        per_latent_of_other,
        per_latent_language,
        per_latent_language_turned,
        per_latent_half,
        per_latent_patches,
        per_latent_large_patches,
        per_latent_colours,
        per_latent_sides,
        per_latent_rounded,
        per_latent_rounded_up,
    ),
    tolerance=0.04,
    unit="queries for each latent",
    verdict="Not small at all: one query for each output, 182,528 of them. (The model of language "
    "asks 8 for each latent, a classifier a single one.) The small array is that of the latents, "
    "in the middle. It is true that queries need not be learned one by one: they can be made from "
    "positions, and asked in portions.",
)
