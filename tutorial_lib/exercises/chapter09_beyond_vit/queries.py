"""Chapter 09: what a Perceiver's queries cost."""

import math

from tutorial_lib.exercises.engine.tasks import Claim

PIXELS, LATENTS, LAYERS, ROUNDS = 224 * 224, 512, 6, 8


def as_many_queries():
    """Each query costs a score for each latent: divide all others by these."""
    reading, thinking = PIXELS * LATENTS, ROUNDS * LAYERS * LATENTS**2
    return (reading + thinking) / LATENTS


def as_many_queries_counted():
    """Second style."""
    left = LATENTS * PIXELS
    for _ in range(ROUNDS * LAYERS):
        left += LATENTS * LATENTS
    n_queries = 0
    while left > 0:
        left -= LATENTS
        n_queries += 1
    return n_queries


def queries_quadratic():
    """This is what it would be if the queries looked at each other: each one looks at the 512
    latents, and at nothing else.
    """
    return math.sqrt(LATENTS * as_many_queries())


def queries_reading():
    """This is for the reading alone: the latents also look at each other, 48 times."""
    return PIXELS


def queries_thinking():
    """This is for the 48 layers alone: the reading costs 512 · 50,176 scores more."""
    return 48 * LATENTS


def queries_one_layer():
    """This counts one layer of self-attention: there are 6, gone through 8 times."""
    return PIXELS + LATENTS


def queries_layers_once():
    """This counts the 6 layers once: each round shares their weights, but computes its own
    scores.
    """
    return PIXELS + LAYERS * LATENTS


def queries_rounds_only():
    """This counts one layer a round: a round goes through all 6."""
    return PIXELS + ROUNDS * LATENTS


def queries_read_each_round():
    """This reads the pixels in every round: here they are read once, before the first."""
    return ROUNDS * PIXELS + 48 * LATENTS


def queries_read_each_layer():
    """Here the latents look at the pixels in every layer: after the reading, they look only at each
    other.
    """
    return PIXELS + 48 * PIXELS


def queries_latents_alone():
    """This has 512 scores in a layer: each of the 512 latents looks at all 512."""
    return PIXELS + 48


def queries_scores():
    """These are the scores of reading and layers: by how many does each query add to them?"""
    return LATENTS * as_many_queries()


def queries_divided_twice():
    """This divides by the 512 latents twice: a query costs 512 scores, so divide once."""
    return as_many_queries() / LATENTS


def queries_pixels_ask():
    """This lets the pixels look at each other, 50,176² scores: the 512 latents read them."""
    return PIXELS**2 / LATENTS + 48 * LATENTS


def queries_colours():
    """This reads each colour of a pixel by itself: the three are one input."""
    return 3 * PIXELS + 48 * LATENTS


def queries_less():
    """This takes the layers away from the reading: both come before the answers, add them."""
    return PIXELS - 48 * LATENTS


def queries_pixels_a_latent():
    """This is how many pixels there are for each latent: how many *scores* are there, and how many
    of them are one query's?
    """
    return PIXELS / LATENTS


def queries_layers_and_rounds():
    """This adds 6 and 8: the latents go 8 times through 6 layers, and that makes 48."""
    return PIXELS + (LAYERS + ROUNDS) * LATENTS


def queries_one_layer_scores():
    """These are the scores of a single layer: the reading and 47 other layers come on top, and a
    query has 512 scores.
    """
    return LATENTS**2


def queries_reading_scores():
    """These are the scores of the reading: the layers have some, too, and each query adds 512."""
    return LATENTS * PIXELS


def queries_by_pixels():
    """This divides by the 50,176 pixels: a query looks at the 512 latents, and never at a pixel."""
    return LATENTS * as_many_queries() / PIXELS


AS_MANY_QUERIES = Claim(
    id="9.9",
    title="Quadratic in the queries?",
    level="medium",
    text="""
Is attention quadratic in the number of queries? Then it would be costly to ask a Perceiver IO much.
This one reads a picture of 224 × 224
pixels, each of which is one input: its 512 latents look at all pixels once. Then the latents go 8
times through the same 6 layers, in which all of them look at all of them. In the end each output
query looks at all latents. Count **scores**, one for each query and each key that it is compared
with, heads aside. **How many output queries** does it take until answering them has cost as many
scores as the reading and the layers together?
""",
    hints=(
        "Three numbers: the scores of the reading, those of the layers, and those of *one* output "
        "query.",
        "Shared weights save parameters. Do they save scores?",
        "With O queries, what do the answers take? Set that equal to the sum of the other two.",
    ),
    solution=as_many_queries,
    second_style=as_many_queries_counted,
    mistakes=(
        queries_quadratic,
        queries_reading,
        queries_thinking,
        queries_one_layer,
        queries_layers_once,
        queries_rounds_only,
        queries_read_each_round,
        queries_read_each_layer,
        queries_latents_alone,
        queries_scores,
        queries_divided_twice,
        queries_pixels_ask,
        queries_colours,
        queries_less,
        queries_by_pixels,
        queries_pixels_a_latent,
        queries_layers_and_rounds,
        queries_one_layer_scores,
        queries_reading_scores,
    ),
    tolerance=0.6,
    unit="queries",
    verdict="Each costs 512 scores, however many there are: linear, and enough for a picture of "
    "273 × 273. Scores are queries times keys. That is a square only if the two are the same "
    "vectors, as in the 48 layers; and then it is a square of 512, not of 50,176.",
)
