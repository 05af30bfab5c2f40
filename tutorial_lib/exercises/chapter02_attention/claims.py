"""Chapter 02: two sentences of the sources, each decided by a number."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Claim

# Far fewer parameters -------------------------------------------------------------------------

N_WORDS, D_MODEL = 37, 1_024


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
One textbook chapter says: a fully connected network, which relates all D N inputs to all D N
values, needs far more parameters than self-attention. Take the restaurant passage, N = 37 words of
width D = 1,024. One head shares three D x D maps (queries, keys, values) among all words. Biases
left out, **how many times** as many weights has the one (D N) x (D N) map, to the nearest whole
number?
""",
    hints=(
        "The large map has D N rows and D N columns.",
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
    verdict="The sentence holds: 1.44 billion weights against 3.1 million, and the gap grows with "
    "the square of the number of words.",
    see="2E The matrix form",
)


# The nearest neighbour ------------------------------------------------------------------------


def place_of_best_match():
    """Place, by distance to the query, of the document with the largest dot product."""
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
    """This is the place of document d, which has the smallest dot product: take the one with the
    largest, and sort by distance, not by dot product.
    """
    return 2


def place_by_angle():
    """This is its place by angle (cosine): distance also depends on the lengths."""
    return 3


def place_from_zero():
    """This counts the places from 0: the nearest document has place 1."""
    return 4


def place_distance():
    """This is the distance itself: its place among the five distances is asked for."""
    return math.dist((2, 1), (6, 0))


def place_dot_product():
    """This is the largest dot product itself: find the place of its document by distance."""
    return 12


NEAREST = Claim(
    id="2.1",
    title="Is a dot product a distance?",
    level="easy",
    text="""
A widely read chapter finds the nearest neighbours of a query among the documents, and says that the
distance is just the scalar product of the two vectors. Let the query be (2, 1) and the documents
a (2, 1), b (3, 3), c (6, 0), d (0, 1), e (1, 4). Find the document with the largest dot product,
then sort all five by their distance to the query. Which **place** has that document, 1 for the
nearest?
""",
    hints=(
        "Five dot products first: 2 times the first number plus the second.",
        "The distance is the length of the difference; document a is the query itself.",
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
    "similarity; it is sure to find the nearest neighbour only if all documents are equally long.",
    see="2C Retrieval",
)
