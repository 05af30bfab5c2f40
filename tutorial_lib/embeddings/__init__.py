"""Vectors of words from counts, and vectors of whole texts from an encoder."""

from tutorial_lib.embeddings.texts import in_batches, padded_batches, text_vectors
from tutorial_lib.embeddings.words import (
    StaticVectors,
    cooccurrence,
    ppmi,
    static_vectors,
    words_of,
)

__all__ = [
    "StaticVectors",
    "cooccurrence",
    "in_batches",
    "padded_batches",
    "ppmi",
    "static_vectors",
    "text_vectors",
    "words_of",
]
