"""Chapter 02: what it asks about chapters 00 and 01, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter02_attention.backward import SCORES_GRADIENT
from tutorial_lib.exercises.chapter02_attention.claims import FAR_FEWER, NEAREST
from tutorial_lib.exercises.chapter02_attention.dictionary import DICTIONARY
from tutorial_lib.exercises.chapter02_attention.head import ATTEND
from tutorial_lib.exercises.chapter02_attention.leaks import LOOKS_AHEAD
from tutorial_lib.exercises.chapter02_attention.many import MULTI_HEAD
from tutorial_lib.exercises.chapter02_attention.masks import CAUSAL_MASK, MASKED_ATTENTION
from tutorial_lib.exercises.chapter02_attention.padding import PADDING_MASK
from tutorial_lib.exercises.chapter02_attention.scaled import ATTENTION
from tutorial_lib.exercises.chapter02_attention.swinging import SWINGING
from tutorial_lib.exercises.chapter02_attention.symptoms import HEAD_CURVE
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Attention"

EXERCISES = (
    NEAREST,
    ATTEND,
    FAR_FEWER,
    ATTENTION,
    HEAD_CURVE,
    SCORES_GRADIENT,
    CAUSAL_MASK,
    MASKED_ATTENTION,
    LOOKS_AHEAD,
    PADDING_MASK,
    MULTI_HEAD,
    DICTIONARY,
    SWINGING,
)

RECALL = (
    Recall(
        id="R2.1",
        key="first_merge",
        question="A new word holds several pairs that byte-pair encoding can merge. "
        "Which pair goes first?",
        choices={
            "a": "the one that comes first in the word",
            "b": "the one that occurs most often in the new text",
            "c": "the one that was learned first in training",
        },
        answer="c",
        because="encoding replays the merges by rank, whatever the order in the text.",
        see="01, 1F Encoding: merges by rank",
        wrong={
            "a": "that is the order of the text, and some words come out differently.",
            "b": "pairs are counted in training only; encoding a text counts nothing.",
        },
    ),
    Recall(
        id="R2.2",
        key="size_of_gpt2_table",
        question="GPT-2 has 50,257 tokens, and its smallest model is 768 wide. "
        "How many million parameters does its token table have?",
        answer=38.6,
        tolerance=0.1,
        because="it holds one row of 768 numbers a token: 50,257 x 768 = 38,597,376.",
        see="01, 1J From ids to vectors",
    ),
    Recall(
        id="R2.3",
        key="vectors_of_bank",
        question="“bank” is in a text about a river and in one about money, one token each "
        "time. What does the token table give for the two?",
        choices={
            "a": "the same vector",
            "b": "two vectors, depending on the words around it",
            "c": "two vectors, by the position in the text",
        },
        answer="a",
        because="a lookup knows the id and nothing else. To tell the two apart, a word must look "
        "at its neighbours: this chapter.",
        see="01, 1J From ids to vectors",
        wrong={
            "b": "a lookup does not see the words around; attention will.",
            "c": "a lookup does not see the position; positions come in chapter 03.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P2.1",
        key="tired_animal",
        question="“... because it was raining.”: what share does L3H1 still give from “it” to "
        "“animal”, between 0 and 1? (With “too tired” it is 0.68.)",
        share=True,
    ),
    Prediction(
        id="P2.2",
        key="digits_that_the_lstm_recalls",
        question="What share of digits seen 128 steps ago does the LSTM recall, between 0 and 1? "
        "(Chance is 0.1.)",
        share=True,
    ),
    Prediction(
        id="P2.3",
        key="deviation_of_dot_products",
        question="What is the standard deviation of q · k, when q and k hold 64 random numbers "
        "of variance 1 each?",
    ),
    Prediction(
        id="P2.4",
        key="digits_of_one_head",
        question="What share of the hundreds digits of 100..999 can one head without positions "
        "read, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P2.5",
        key="does_the_fading_map_leak",
        question="A causal map that fades is 0 above the diagonal. Can a later word change an "
        "earlier output of its layer, yes or no?",
    ),
    Prediction(
        id="P2.6",
        key="shape_of_weights",
        question="What is the shape of the weights for B = 2, H = 8, T = 5 queries and S = 7 keys?",
    ),
    Prediction(
        id="P2.7",
        key="megabytes_of_weights",
        question="How many GB do all maps of 12 layers of 12 heads take for N = 4,096, at 4 bytes "
        "a number?",
    ),
    Prediction(
        id="P2.8",
        key="animal_after_the_patch",
        question="The sentence says “tired”, but L2H3 and L2H8 write what they write with “wide”. "
        "What does L3H1 give from “it” to “animal”, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P2.9",
        key="a_later_word_changes_an_earlier_map",
        question="How much does SmolLM2's weight from `it` to `animal` depend on the last word?",
    ),
    Prediction(
        id="P2.10",
        key="back_after_the_shuffle",
        question="MiniLM's L0H2 gives the token before all of its weight. What is left of it, "
        "between 0 and 1, when the position vectors are shuffled?",
        share=True,
    ),
)
