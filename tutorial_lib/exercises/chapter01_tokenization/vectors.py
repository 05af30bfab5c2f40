"""Chapter 01: ids to vectors, and the words that are nearest to one."""

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.engine.tasks import Write, case

# Ids to vectors -------------------------------------------------------------------------------


def embed(ids, omega):
    """Return the embeddings (T, D) of ids (T,); omega (D, V) has a column for each token."""
    return omega[:, ids].T


def embed_one_hot(ids, omega):
    """Second style."""
    one_hot = F.one_hot(ids, omega.size(1)).to(omega.dtype)  # (T, V)
    return one_hot @ omega.T


def embed_rows(ids, omega):
    """This takes rows: a row of omega holds one coordinate of all tokens."""
    return omega[ids]


def embed_columns(ids, omega):
    """This is (D, T): the right numbers, but each token should be a row."""
    return omega[:, ids]


def embed_sum(ids, omega):
    """This adds the vectors up: one bag for the whole text, and the order is gone."""
    return omega[:, ids].sum(dim=1)


def embed_unique(ids, omega):
    """This keeps a repeated token once; it gets the same vector at both of its places."""
    return omega[:, torch.unique(ids)].T


def embed_reshaped(ids, omega):
    """This reshapes (D, T) to (T, D), which mixes the tokens up: `.T` swaps the axes."""
    return omega[:, ids].reshape(len(ids), -1)


def embed_fresh(ids, omega):
    """This makes a new table of random vectors: take them from omega."""
    return torch.nn.Embedding(omega.size(1), omega.size(0))(ids).detach()


def embed_rows_turned(ids, omega):
    """This takes rows of omega and then turns them: a token is a column, so turn omega first."""
    return omega[ids].T


def embed_cases():
    """A square matrix hides rows for columns from the shapes; a repeated id; falling ids."""
    square = torch.arange(9.0).view(3, 3)
    wide = torch.arange(10.0).view(2, 5)
    return [
        case("three tokens of width 3", torch.tensor([0, 2, 2]), square),
        case("width 2, five tokens", torch.tensor([1, 0]), wide),
        case("four ids", torch.tensor([1, 0, 1, 1]), wide),
    ]


EMBED = Write(
    id="1.12",
    title="From ids to vectors",
    level="easy",
    text="""
Write `embed(ids, omega)`. `omega` is the matrix Ω_e of the papers, of shape (D, V): one column for
each token of the vocabulary. Return the vectors of `ids` (T,) as rows, shape (T, D).
""",
    hints=(
        "One column for each token: which axis of `omega` do the ids select from?",
        "`omega[:, ids]` has shape (D, T).",
    ),
    solution=embed,
    second_style=embed_one_hot,
    mistakes=(
        embed_rows,
        embed_columns,
        embed_sum,
        embed_unique,
        embed_reshaped,
        embed_fresh,
        embed_rows_turned,
    ),
    cases=embed_cases,
    see="1.8 From ids to vectors",
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


def nearest_words_itself(word, words, vectors, n):
    """This finds the word itself first: its cosine is 1, so leave it out."""
    cosines = F.cosine_similarity(vectors, vectors[words.index(word)][None])
    return [words[i] for i in cosines.argsort(descending=True).tolist()][:n]


def nearest_words_dot(word, words, vectors, n):
    """This compares dot products: a long vector wins whatever its direction; divide by lengths."""
    order = (vectors @ vectors[words.index(word)]).argsort(descending=True).tolist()
    return [words[i] for i in order if words[i] != word][:n]


def nearest_words_columns(word, words, vectors, n):
    """This divides by the lengths of the columns: a word is a row, its length is over `dim=-1`."""
    return nearest_words_dot(word, words, vectors / vectors.norm(dim=0), n)


def nearest_words_distance(word, words, vectors, n):
    """This takes the smallest distance: vectors of the same direction may differ in length."""
    order = (vectors - vectors[words.index(word)]).norm(dim=-1).argsort().tolist()
    return [words[i] for i in order if words[i] != word][:n]


def nearest_words_farthest(word, words, vectors, n):
    """This starts from the lowest cosine; `argsort` puts the smallest first unless told."""
    cosines = F.cosine_similarity(vectors, vectors[words.index(word)][None])
    return [words[i] for i in cosines.argsort().tolist() if words[i] != word][:n]


def nearest_words_too_few(word, words, vectors, n):
    """This takes n words and then drops the word itself: one is missing."""
    return nearest_words_itself(word, words, vectors, n)[1:]


def nearest_words_skipped(word, words, vectors, n):
    """This skips row 0 in place of the best match: skip the word itself, wherever it stands."""
    order = F.cosine_similarity(vectors, vectors[words.index(word)][None]).argsort(descending=True)
    return [words[i] for i in order.tolist() if i != 0][:n]


def nearest_words_places(word, words, vectors, n):
    """This returns places in the list: look the words up."""
    return [words.index(other) for other in nearest_words(word, words, vectors, n)]


def nearest_words_cases():
    """Vectors of unequal length: cosine, dot product and distance each find another order."""
    words = ["the", "sea", "wave", "king", "crown"]
    vectors = torch.tensor([[9.0, 8.0], [1.0, 0.2], [5.0, 0.8], [0.3, 1.0], [1.2, 3.0]])  # (V, D)
    wide = torch.tensor([[-1.0, 1.0], [0.0, 1.5], [1.0, 1.0], [10.0, 0.5]])  # (V, D)
    return [
        case("two words near `sea`", "sea", words, vectors, 2),
        case("three words near `king`", "king", words, vectors, 3),
        case("one word near `the`", "the", words, vectors, 1),
        case("one word near `cup`", "cup", ["we", "wine", "cup", "drink"], wide, 1),
    ]


NEAREST_WORDS = Write(
    id="1.13",
    title="Nearest words",
    level="medium",
    text="""
Write `nearest_words(word, words, vectors, n)`. `words` is a list, row i of `vectors` (V, D) belongs
to `words[i]`, and the rows are not of length 1. Return the list of the `n` words whose vectors have
the highest cosine to that of `word`, best first, without `word` itself. Searching by meaning works
like this, with words or with whole texts.
""",
    hints=(
        "The cosine is the dot product of two vectors, each divided by its length.",
        "Divide all rows by `vectors.norm(dim=-1, keepdim=True)`. One product gives all cosines.",
        "`cosines.argsort(descending=True).tolist()` is the order of the rows. Leave the word out.",
    ),
    solution=nearest_words,
    second_style=nearest_words_sorted,
    mistakes=(
        nearest_words_itself,
        nearest_words_dot,
        nearest_words_columns,
        nearest_words_distance,
        nearest_words_farthest,
        nearest_words_too_few,
        nearest_words_skipped,
        nearest_words_places,
    ),
    cases=nearest_words_cases,
    see="1.9 Static vectors: meaning from counting",
)
