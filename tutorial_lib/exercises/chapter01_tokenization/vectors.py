"""Chapter 01: ids to vectors, and the words that are nearest to one."""

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.engine.properties import alike, properties, which
from tutorial_lib.exercises.engine.tasks import Write, case

# Ids to vectors -------------------------------------------------------------------------------


def embed(ids, omega):
    """Return the embeddings (T, D) of ids (T,); omega (D, V) has a column for each token."""
    return omega[:, ids].T


def embed_one_hot(ids, omega):
    """Second style."""
    one_hot = F.one_hot(ids, omega.size(1)).to(omega.dtype)  # (T, V)
    return one_hot @ omega.T


def embed_cases():
    """A square matrix hides rows for columns from the shapes; a repeated id; falling ids."""
    square = torch.arange(9.0).view(3, 3)
    wide = torch.arange(10.0).view(2, 5)
    return [
        case("three tokens of width 3", torch.tensor([0, 2, 2]), square),
        case("width 2, five tokens", torch.tensor([1, 0]), wide),
        case("four ids", torch.tensor([1, 0, 1, 1]), wide),
        case("no id 0", torch.tensor([2, 1]), wide),
    ]


def a_row_for_each_id(answer):
    """The result must have shape (T, D): a row for each id, whether it repeats or not."""
    shapes = {
        (5, 7): "It takes rows of omega: a row holds one coordinate of all tokens.",
        (7, 5): "It takes rows of omega and turns them: a token is a column, so turn omega first.",
        (3, 5): "It is (D, T): the right numbers, but each token should be a row.",
        (3,): "It adds the vectors up, or averages them: the order is gone.",
        (2, 3): "It keeps a repeated token once; it gets its vector at both of its places.",
    }
    got = answer(torch.tensor([2, 1, 2, 1, 1]), torch.arange(21.0).view(3, 7))
    return got.shape == (5, 3) or shapes.get(tuple(got.shape), False)


def ids_count_from_0(answer):
    """It takes 1 off the ids: they count from 0, so id 0 is the first column."""
    ids, omega = torch.tensor([2, 4]), torch.arange(21.0).view(3, 7)
    shifted = omega[:, ids - 1].T, omega.reshape(7, 3)[ids - 1]
    return not any(alike(answer(ids, omega), rows) for rows in shifted)


def column_of_the_id(answer):
    """Row t must be column ids[t] of omega, number by number."""
    ids, omega = torch.tensor([2, 4, 2, 1, 1]), torch.arange(21.0).view(3, 7)
    reshaped = "It reshapes omega to (V, D), which mixes the tokens up: `.T` swaps the axes."
    others = {
        "It reshapes (D, T) to (T, D), which mixes the tokens up: `.T` swaps the axes.": omega[
            :, ids
        ].reshape(5, 3),
        "The vectors are not in the order of the ids.": omega[:, ids.sort().values].T,
        "It takes the next column: ids count from 0.": omega[:, ids + 1].T,
        reshaped: omega.reshape(7, 3)[ids],
    }
    got = answer(ids, omega)
    if ids_count_from_0(answer) is False:
        return None if alike(got, omega[:, ids - 1].T) else reshaped
    return which(got, omega[:, ids].T, others) if got.shape == (5, 3) else None


def looked_up(answer):
    """The vectors must come from omega: with a table of zeros all are 0."""
    return not answer(torch.tensor([2, 0]), torch.zeros(3, 7)).any()


EMBED = Write(
    id="1.12",
    title="From ids to vectors",
    level="easy",
    text="""
Write `embed(ids, omega)`. `omega` is the matrix Ω_e of the formula above, of shape (D, V): one
column for each token of the vocabulary. Return the vectors of `ids` (T,) as rows, shape (T, D).
""",
    hints=(
        "One column for each token: which axis of `omega` do the ids select from?",
        "`omega[:, ids]` has shape (D, T).",
    ),
    solution=embed,
    second_style=embed_one_hot,
    mistakes=(),
    cases=embed_cases,
    properties=properties(a_row_for_each_id, looked_up, column_of_the_id, ids_count_from_0),
    see="1J From ids to vectors",
)


# Nearest words --------------------------------------------------------------------------------


def nearest_words(word, words, vectors, n):
    """Return the n words with the highest cosine to word, which is left out; vectors (V, D)."""
    unit = vectors / vectors.norm(dim=-1, keepdim=True)  # (V, D)
    cosines = unit @ unit[words.index(word)]  # (V,)
    order = cosines.argsort(descending=True).tolist()
    return [words[i] for i in order if words[i] != word][:n]


def nearest_words_sorted(word, words, vectors, n):
    """Second style."""
    row = vectors[words.index(word)]
    cosine = {w: F.cosine_similarity(row, x, dim=0) for w, x in zip(words, vectors, strict=True)}
    del cosine[word]
    return sorted(cosine, key=cosine.get, reverse=True)[:n]


def nearest_words_columns(word, words, vectors, n):
    """This divides by the lengths of the columns: a word is a row, its length is over `dim=-1`."""
    unit = vectors / vectors.norm(dim=0)
    order = (unit @ vectors[words.index(word)]).argsort(descending=True)
    return [words[i] for i in order.tolist() if words[i] != word][:n]


def nearest_words_cases():
    """Vectors of unequal length: cosine, dot product and distance each find another order."""
    words = ["the", "sea", "wave", "king", "crown"]
    vectors = torch.tensor([[9.0, 8.0], [1.0, 0.2], [5.0, 0.8], [0.3, 1.0], [1.2, 3.0]])  # (V, D)
    wide = torch.tensor([[-1.0, 1.0], [0.0, 1.5], [1.0, 1.0], [10.0, 0.5]])  # (V, D)
    far = torch.tensor([[1.0, 1.0], [0.5, 2.0], [6.0, 1.0], [-20.0, 0.1]])  # one long column
    return [
        case("two words near `sea`", "sea", words, vectors, 2),
        case("three words near `king`", "king", words, vectors, 3),
        case("one word near `the`", "the", words, vectors, 1),
        case("one word near `ship`", "ship", ["ship", "boat", "tax", "sum"], far, 1),
        case("one word near `cup`", "cup", ["we", "wine", "cup", "drink"], wide, 1),
    ]


NAMES = ["the", "sea", "wave", "king", "crown", "gull"]
# Seen from `sea`, wave is first by cosine, the by dot product, gull by distance.
VECTORS = torch.tensor([[9.0, 8.0], [1.0, 0.2], [5.0, 0.8], [-5.0, -1.0], [-0.5, 3.0], [1.1, 0.6]])


UPWARD = (
    "It starts from the lowest cosine; `argsort` puts the smallest first unless told: begin with "
    "the highest."
)


def neighbours(answer, n=5):
    """The words near `sea`, best first, whatever form they have."""
    got = answer("sea", NAMES, VECTORS, n)
    got = got.tolist() if isinstance(got, torch.Tensor) else got
    got = [item[0] if isinstance(item, list) else item for item in got]
    return [item if isinstance(item, str) else NAMES[item] for item in got]


def a_list_of_words(answer):
    """A list of words is asked for, and nothing else."""
    got = answer("sea", NAMES, VECTORS, 2)
    if isinstance(got, torch.Tensor):
        return "It returns places in the list: look the words up."
    return all(isinstance(item, str) for item in got)


def without_the_word(answer):
    """It finds the word itself first: its cosine is 1, so leave it out."""
    got = neighbours(answer)
    if "sea" in got and "the" not in got:  # in row 0, and first by dot product
        turned = answer("sea", NAMES[::-1], VECTORS.flip(0), 5)
        if "the" in turned:
            return "It skips row 0: skip the word itself, wherever it stands."
        return (
            "It drops the first word found, but by dot products that is not the word itself. "
            "Divide by the lengths, and leave the word out by its name."
        )
    return "sea" not in got


def as_many_as_asked(answer):
    """Return n words."""
    got = len(neighbours(answer, 2))
    return (
        True if got == 2 else f"It returns {got} of 2 words: leave the word out first, then take n."
    )


def by_cosine(answer):
    """The words must be in the order of their cosines, the highest first."""
    first, *_, last = (word for word in neighbours(answer) if word != "sea")
    if first == "king" and "sea" in neighbours(answer, len(NAMES))[-1:]:
        return f"{UPWARD} Then the word itself comes first, with cosine 1: leave it out."
    if (first, last) == ("king", "crown"):
        return "It drops the sign of the cosines: the opposite direction is the farthest."
    firsts = {
        "the": "It compares dot products: a long vector wins whatever its direction. Divide by its "
        "length as well.",
        "gull": "It takes the smallest distance: vectors of one direction may differ in length.",
        "king": UPWARD,
    }
    return first == "wave" or firsts.get(first, False)


NEAREST_WORDS = Write(
    id="1.13",
    title="Nearest words",
    level="medium",
    text="""
Write `nearest_words(word, words, vectors, n)`. `words` is a list, row i of `vectors` (V, D) belongs
to `words[i]`, and the rows are not of length 1. Return the list of the `n` words whose vectors have
the highest cosine to that of `word`, best first, without `word` itself. The code below looks right
and is wrong in two ways. Searching by meaning works like this, with words or with whole texts.
""",
    hints=(
        "The cosine is the dot product of two vectors, each divided by its length.",
        "Divide all rows by `vectors.norm(dim=-1, keepdim=True)`. One product gives all cosines.",
        "`cosines.argsort(descending=True).tolist()` is the order of the rows. Leave the word out.",
    ),
    solution=nearest_words,
    second_style=nearest_words_sorted,
    mistakes=(nearest_words_columns,),
    cases=nearest_words_cases,
    properties=properties(a_list_of_words, without_the_word, as_many_as_asked, by_cosine),
    see="Static vectors: meaning from counting",
)
