"""Chapter 06b: a vector of its meaning for each of Shakespeare's speeches of middle length.

A published MiniLM reads every speech of 10 to 60 words, all that make less than 6 MB, and leaves
the mean of its last hidden states. Nothing is trained. Stored are the vectors, in one byte a
number, and the places of the speeches in the corpus, so no text.
"""

import torch

from tutorial_lib.datasets import load_shakespeare, minilm_folder
from tutorial_lib.embeddings import text_vectors
from tutorial_lib.models import BERT, RoundedVectors
from tutorial_lib.recipes import share_of_true
from tutorial_lib.tokenizers import WordPieceTokenizer

SETTINGS = {
    "seed": 0,  # of the sample that is measured
    "words": [10, 60],
    "n_speeches": 15_241,  # as many as there are
    "width": 384,
}
SMOKE = SETTINGS | {"n_speeches": 20}
N_MEASURED = 40
N_CANDIDATES = 3


def train(settings, progress=True):
    """Let MiniLM read the speeches, and return their vectors, rounded."""
    speeches = load_shakespeare().speeches
    places = chosen_places(speeches, settings)
    return RoundedVectors.of(_read([speeches[place].text for place in places]), places)


def chosen_places(speeches, settings):
    """Return where in speeches those with the right number of words stand.

    >>> from types import SimpleNamespace
    >>> speeches = [SimpleNamespace(text=text) for text in ("Ay.", "Who is there?", "Nay, I.")]
    >>> chosen_places(speeches, {"words": [2, 60], "n_speeches": 2})
    [1, 2]
    """
    least, most = settings["words"]
    places = [i for i, one in enumerate(speeches) if least <= len(one.text.split()) <= most]
    return places[: settings["n_speeches"]]


def evaluate(table):
    """Return what rounding costs, on a sample of speeches that MiniLM reads again.

    nearest_kept: the share of them for which the nearest other speech is the same before
    rounding. Only the nearest three after rounding are read again; read once in full, they held
    the nearest before rounding for all but one of the 15,241. least_cosine: the lowest cosine of
    a vector with itself before rounding.
    """
    speeches = load_shakespeare().speeches
    generator = torch.Generator().manual_seed(SETTINGS["seed"])
    rows = torch.randperm(len(table), generator=generator)[:N_MEASURED]
    near = [table.nearest(table.vectors(row), N_CANDIDATES + 1)[1] for row in rows]
    near = torch.stack(
        [found[found != row][:N_CANDIDATES] for found, row in zip(near, rows, strict=True)]
    )  # (N, 3): the first one found is mostly the speech itself
    wanted, position = torch.cat([rows[:, None], near], dim=1).unique(return_inverse=True)
    exact = _read([speeches[place].text for place in table.places[wanted].tolist()])
    queries, candidates = exact[position[:, 0]], exact[position[:, 1:]]  # (N, D), (N, 3, D)
    cosines = (candidates @ queries[..., None])[..., 0]  # (N, 3)
    with_itself = torch.cosine_similarity(table.vectors(wanted), exact)
    return {
        "nearest_kept": share_of_true(cosines.argmax(1) == 0),
        "least_cosine": with_itself.min().item(),
    }


def _read(texts):
    folder = minilm_folder()
    tokenizer = WordPieceTokenizer.from_pretrained(folder)
    return text_vectors(BERT.from_pretrained(folder), tokenizer, texts)


def data_bytes():
    """Return the plays as bytes, for their hash in the card."""
    return load_shakespeare().text.encode()
