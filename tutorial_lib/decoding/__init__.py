"""Ids out: one token after another, greedy or drawn, or by beam search, and scores of the result.

`generation` and `beam` open with the plain loop for one prompt; the filters on logits are in
`sampling`, the cache behind every way of decoding is in `continuation`.
"""

from tutorial_lib.decoding import sampling
from tutorial_lib.decoding.beam import (
    Beam,
    BeamSearch,
    Node,
    beam_search,
    beam_search_naive,
    length_penalty,
)
from tutorial_lib.decoding.continuation import Continuation, window_start
from tutorial_lib.decoding.copying import longest_copies, repeated_share
from tutorial_lib.decoding.generation import Step, generate, generate_naive, stream
from tutorial_lib.decoding.modes import evaluating, in_mode
from tutorial_lib.decoding.translation_scores import bleu, chrf, exact_match

__all__ = [
    "Beam",
    "BeamSearch",
    "Continuation",
    "Node",
    "Step",
    "beam_search",
    "beam_search_naive",
    "bleu",
    "chrf",
    "evaluating",
    "exact_match",
    "generate",
    "generate_naive",
    "in_mode",
    "length_penalty",
    "longest_copies",
    "repeated_share",
    "sampling",
    "stream",
    "window_start",
]
