"""Chapter 01: what it asks about chapter 00, its exercises in order, and its predictions."""

from tutorial_lib.exercises.chapter01_tokenization.byte_level import COMPRESSION, DECODE
from tutorial_lib.exercises.chapter01_tokenization.claims import (
    CROSSING,
    OUT_OF_USE,
    RARE_FIRST,
)
from tutorial_lib.exercises.chapter01_tokenization.encoding import ENCODE_BY_RANK
from tutorial_lib.exercises.chapter01_tokenization.likeliest import BEST_SUMS
from tutorial_lib.exercises.chapter01_tokenization.merges import COUNT_PAIRS, MERGE_PAIR
from tutorial_lib.exercises.chapter01_tokenization.pieces import LONGEST_MATCH
from tutorial_lib.exercises.chapter01_tokenization.training import TRAIN_MERGES
from tutorial_lib.exercises.chapter01_tokenization.vectors import EMBED, NEAREST_WORDS
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Tokenization"

EXERCISES = (
    COUNT_PAIRS,
    MERGE_PAIR,
    OUT_OF_USE,
    TRAIN_MERGES,
    CROSSING,
    DECODE,
    COMPRESSION,
    ENCODE_BY_RANK,
    RARE_FIRST,
    LONGEST_MATCH,
    BEST_SUMS,
    EMBED,
    NEAREST_WORDS,
)

RECALL = (
    Recall(
        id="R1.1",
        key="softmax_of_a_row",
        question="What does a softmax make of a row of scores?",
        choices={
            "a": "numbers between -1 and 1",
            "b": "positive weights that sum to 1",
            "c": "a 1 for the largest score and a 0 for each other one",
        },
        answer="b",
        because="each weight is an exponential over the sum of them all.",
        see="00, Refresher: softmax",
        wrong={
            "a": "that would be a tanh; weights of a softmax are never negative.",
            "c": "that is the argmax; the softmax is its soft version.",
        },
    ),
    Recall(
        id="R1.2",
        key="size_of_a_product",
        question="`x` has shape (7, 384), `weight` (1536, 384). "
        "How many numbers does `x @ weight.T` hold?",
        answer=7 * 1536,
        because="its shape is (7, 1536): the shared width 384 is summed away.",
        wrong={
            384: "384 is the shared width: it is summed away.",
            1536: "that is one row of the result; how many rows are there?",
            7 * 384: "that is how many numbers x holds.",
        },
        see="00, Refresher: matrix shapes",
    ),
    Recall(
        id="R1.3",
        key="cross_entropy_of_a_guess",
        question="A model gives each of 4,096 tokens the same probability. "
        "What is its cross-entropy, in nats?",
        answer=8.318,
        tolerance=0.02,
        because="it is -log(1/4,096) = log 4,096, whichever token is the right one.",
        wrong={
            12: "that is in bits, by the logarithm to base 2; nats take the natural logarithm.",
            1 / 4096: "that is the probability; the cross-entropy is minus its logarithm.",
        },
        see="00, Refresher: cross-entropy",
    ),
)

PREDICTIONS = (
    Prediction(
        id="P1.1",
        key="words_only_in_hamlet",
        question="What percentage of Hamlet's words occurs in none of the other 37 plays?",
    ),
    Prediction(
        id="P1.2",
        key="symbols_after_three_merges",
        question="How many symbols are left of the 121 letters after three merges?",
    ),
    Prediction(
        id="P1.3",
        key="merges_until_thou",
        question="After how many merges is ` thou`, with its space, one token?",
    ),
    Prediction(
        id="P1.4",
        key="characters_a_token",
        question="How many characters of Hamlet does a token stand for, with 4,096 ids?",
    ),
    Prediction(
        id="P1.5",
        key="more_tokens_in_text_order",
        question="How many percent more tokens does text order take than order by rank?",
    ),
    Prediction(
        id="P1.6",
        key="first_pair_of_wordpiece",
        question="Which pair of the five words does WordPiece merge first?",
    ),
    Prediction(
        id="P1.7",
        key="tokens_of_gettysburg",
        question="How many GPT-2 tokens do the first 556 characters of the Gettysburg "
        "address take?",
    ),
    Prediction(
        id="P1.8",
        key="table_of_minilm",
        question="What percentage of MiniLM's 22.7 million parameters is its table of tokens?",
    ),
    Prediction(
        id="P1.9",
        key="closest_to_drink",
        question="Which word is closest to `drink`?",
    ),
)
