"""Chapter 02: two sentences that one meets, each decided by a number."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Claim

# Far fewer parameters -------------------------------------------------------------------------

N_WORDS, D_MODEL = 16, 384


def times_as_many():
    """Weights of the fully connected map, over those of the three shared maps."""
    return (N_WORDS * D_MODEL) ** 2 / (3 * D_MODEL**2)


def times_as_many_blocks():
    """Second style."""
    return N_WORDS**2 / 3  # N x N blocks of D x D against three such blocks


def times_as_many_values():
    """This counts the value map only: queries and keys have a shared map too."""
    return N_WORDS**2


def times_as_many_diagonal():
    """This gives each word one block: fully connected, each word feeds each word, N x N blocks."""
    return N_WORDS / 3


def times_as_many_squared_three():
    """This squares the 3 as well: three maps of D x D are 3 D D weights, not (3 D)(3 D)."""
    return N_WORDS**2 / 9


def times_as_many_words():
    """This is N: the large map has N x N blocks of D x D, and the head has three of them."""
    return N_WORDS


def times_as_many_four():
    """This counts four shared maps: the output map comes with many heads, this is one head."""
    return N_WORDS**2 / 4


def times_as_many_two():
    """This counts two shared maps: queries, keys and values are three."""
    return N_WORDS**2 / 2


def times_as_many_one_width():
    """This divides by 3 D: a shared map has D x D weights, so divide by 3 D D."""
    return (N_WORDS * D_MODEL) ** 2 / (3 * D_MODEL)


def times_as_many_count():
    """This is the number of weights of the fully connected map: the ratio is asked for."""
    return (N_WORDS * D_MODEL) ** 2


def times_as_many_inputs():
    """This is the number of inputs, N times D: the map has its square in weights."""
    return N_WORDS * D_MODEL


def times_as_many_turned():
    """This is the ratio the other way round: the fully connected map is the larger one."""
    return 3 / N_WORDS**2


FAR_FEWER = Claim(
    id="2.3",
    title="Far fewer parameters",
    level="easy",
    text="""
A fully connected layer, from all N D input numbers to N D output numbers, needs far more
parameters than a head of attention. How many more? Take our sentence, N = 16 tokens of D = 384
numbers each, and one wide head: all tokens share its three D x D matrices (for queries, keys
and values). Leave out biases. **How many times** as many weights does the one (N D) x (N D)
matrix have, to the nearest whole number?
""",
    hints=(
        "The large matrix has N D rows and N D columns.",
        "Cut it into blocks of D x D: how many are there? How many blocks has the head?",
    ),
    solution=times_as_many,
    second_style=times_as_many_blocks,
    mistakes=(
        times_as_many_values,
        times_as_many_diagonal,
        times_as_many_words,
        times_as_many_squared_three,
        times_as_many_four,
        times_as_many_two,
        times_as_many_one_width,
        times_as_many_count,
        times_as_many_inputs,
        times_as_many_turned,
    ),
    tolerance=0.5,
    unit="times as many",
    verdict="37.7 million weights against 0.44 million, for one short sentence. The gap grows with "
    "the square of the number of tokens.",
    see="2D All words at once",
)


# The nearest neighbour ------------------------------------------------------------------------


def place_of_best_match():
    """Place, by distance to the query, of the key with the largest dot product."""
    query = torch.tensor([2.0, 1.0])
    documents = torch.tensor([[2.0, 1.0], [3.0, 3.0], [6.0, 0.0], [0.0, 1.0], [1.0, 4.0]])
    best = (documents @ query).argmax()
    distances = (documents - query).norm(dim=-1)
    return int((distances <= distances[best]).sum())


def place_of_best_match_sorted():
    """Second style."""
    documents = [(2, 1), (3, 3), (6, 0), (0, 1), (1, 4)]
    best = max(documents, key=lambda d: 2 * d[0] + d[1])
    return 1 + sorted(documents, key=lambda d: math.dist(d, (2, 1))).index(best)


def place_by_dot_product():
    """This is its place by dot product, or what the sentence says: now measure the distances."""
    return 1


def place_of_worst_match():
    """This is the place of key d, which has the smallest dot product: take the one with the
    largest, and sort by distance, not by dot product.
    """
    return 2


def place_by_angle():
    """This is its place by angle (cosine): distance also depends on the lengths."""
    return 3


def place_from_zero():
    """This counts the places from 0: the nearest key has place 1."""
    return 4


def place_distance():
    """This is the distance itself: its place among the five distances is asked for."""
    return math.dist((2, 1), (6, 0))


def place_dot_product():
    """This is the largest dot product itself: find the place of its key by distance."""
    return 12


NEAREST = Claim(
    id="2.1",
    title="Is a dot product a distance?",
    level="easy",
    text="""
You may read that attention finds the key nearest to the query, because the dot product measures
distance. Test it. The query is (2, 1), the keys are a (2, 1), b (3, 3), c (6, 0), d (0, 1),
e (1, 4). Find the key with the largest dot product. Then sort all five keys by their distance to
the query. Which **place** does that key get, with 1 for the nearest?
""",
    hints=(
        "Five dot products first: 2 times the first number plus the second.",
        "The distance is the length of the difference; key a is the query itself.",
    ),
    solution=place_of_best_match,
    second_style=place_of_best_match_sorted,
    mistakes=(
        place_by_dot_product,
        place_of_worst_match,
        place_by_angle,
        place_from_zero,
        place_distance,
        place_dot_product,
    ),
    tolerance=0.01,
    unit="for the place",
    verdict="The sentence does not hold: the best match is the farthest of all. A dot product is a "
    "similarity; it is sure to find the nearest neighbour only if all keys are equally long.",
    see="2C Ask, match, hand over",
)
