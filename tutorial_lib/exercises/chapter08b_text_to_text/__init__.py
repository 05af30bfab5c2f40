"""Chapter 08b: what it asks about the chapters before, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter08b_text_to_text.buckets import BUCKET
from tutorial_lib.exercises.chapter08b_text_to_text.claims import (
    FEWEST_PIECES,
    HOW_MUCH_SHORTER,
    LOUDER,
)
from tutorial_lib.exercises.chapter08b_text_to_text.exact import EXACT
from tutorial_lib.exercises.chapter08b_text_to_text.infilling import INFILL
from tutorial_lib.exercises.chapter08b_text_to_text.likeliest import LIKELIEST
from tutorial_lib.exercises.chapter08b_text_to_text.loud import LOUD
from tutorial_lib.exercises.chapter08b_text_to_text.norm import RMS_NORM
from tutorial_lib.exercises.chapter08b_text_to_text.seen import WHO_KNOWS_ALL
from tutorial_lib.exercises.chapter08b_text_to_text.sentinels import PUT_TOGETHER
from tutorial_lib.exercises.chapter08b_text_to_text.sides import SIDES
from tutorial_lib.exercises.chapter08b_text_to_text.translated import TRANSLATIONS
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Text to text"

EXERCISES = (
    INFILL,
    PUT_TOGETHER,
    HOW_MUCH_SHORTER,
    BUCKET,
    SIDES,
    RMS_NORM,
    LOUD,
    LIKELIEST,
    FEWEST_PIECES,
    EXACT,
    LOUDER,
    TRANSLATIONS,
    WHO_KNOWS_ALL,
)

RECALL = (
    Recall(
        id="R8b.1",
        key="what_cross_attention_reads",
        question="Each layer of a Transformer’s decoder also looks at the source. What does it see "
        "of it?",
        choices={
            "a": "the source’s token vectors",
            "b": "what the encoder’s layer of the same number gave",
            "c": "what the encoder’s last layer gave",
        },
        answer="c",
        because="the source is read once, to the end; keys and values of every decoder layer are "
        "made from the encoder’s last vectors.",
        see="04, 4E The decoder layer",
        wrong={
            "a": "these have not looked at each other yet.",
            "b": "the decoder waits until the encoder is done.",
        },
    ),
    Recall(
        id="R8b.2",
        key="size_of_undivided_scores",
        question="The entries of queries and keys have mean 0 and standard deviation 1, and a head "
        "is 64 wide. What is the standard deviation of q · k, before anything divides it?",
        answer=8,
        because="a sum of 64 products of variance 1 has variance 64.",
        see="02, 2E Scaling",
    ),
    Recall(
        id="R8b.3",
        key="how_bpe_cuts_a_new_word",
        question="How does BPE cut a word that it has never seen?",
        choices={
            "a": "the longest piece of the vocabulary first",
            "b": "its letters are joined by the merges, in the order in which these were learned",
            "c": "it tries all cuts and takes the likeliest",
        },
        answer="b",
        because="a merge that was learned earlier always comes first.",
        see="01, 1F Encoding: merges by rank",
        wrong={
            "a": "that is WordPiece.",
            "c": "that is Unigram, which this chapter builds.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P8b.1",
        key="sums_under_a_wrong_prefix",
        question="A T5 adds almost without a mistake. Now its sums come with the prefix of "
        "sorting. What share of them does it still add up, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P8b.2",
        key="damage_that_teaches_most",
        question="Which damage teaches a small BART the most in a minute: masking, deletion, "
        "infilling, permutation or rotation?",
    ),
    Prediction(
        id="P8b.3",
        key="german_after_mending_spans",
        question="From 300 labels per task a T5 writes 0.60 of the German numbers exactly. What "
        "share, if it has mended spans for the same time before, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P8b.4",
        key="taught_in_english_asked_in_greek",
        question="A classifier on an XLM learns in English what lists are about. How often is it "
        "right in Greek, between 0 and 1? (Chance: 0.2.)",
        share=True,
    ),
)
