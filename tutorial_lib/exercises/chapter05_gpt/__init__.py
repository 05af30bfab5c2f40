"""Chapter 05: what it asks about chapters 01 to 04, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter05_gpt.block import GPT_BLOCK
from tutorial_lib.exercises.chapter05_gpt.cached import CACHED_STEP
from tutorial_lib.exercises.chapter05_gpt.claims import EPOCHS
from tutorial_lib.exercises.chapter05_gpt.copies import LONGEST_COPY
from tutorial_lib.exercises.chapter05_gpt.curve import TRAINING_CURVE
from tutorial_lib.exercises.chapter05_gpt.drift import CACHE_DRIFT
from tutorial_lib.exercises.chapter05_gpt.lens import LENS_PROBABILITY
from tutorial_lib.exercises.chapter05_gpt.next_token import NEXT_TOKEN_LOSS
from tutorial_lib.exercises.chapter05_gpt.obey import OBEY
from tutorial_lib.exercises.chapter05_gpt.size import GPT_PARAMETERS
from tutorial_lib.exercises.chapter05_gpt.temperature import TEMPERATURE_PROBABILITIES
from tutorial_lib.exercises.chapter05_gpt.top_k import TOP_K_FILTER
from tutorial_lib.exercises.chapter05_gpt.top_p import TOP_P_FILTER
from tutorial_lib.exercises.chapter05_gpt.units import BITS_PER_CHARACTER
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "GPT"

EXERCISES = (
    OBEY,
    NEXT_TOKEN_LOSS,
    BITS_PER_CHARACTER,
    GPT_BLOCK,
    TRAINING_CURVE,
    TEMPERATURE_PROBABILITIES,
    TOP_K_FILTER,
    TOP_P_FILTER,
    CACHED_STEP,
    CACHE_DRIFT,
    LONGEST_COPY,
    GPT_PARAMETERS,
    EPOCHS,
    LENS_PROBABILITY,
)

RECALL = (
    Recall(
        id="R5.1",
        key="merges_of_the",
        question="BPE has learned these merges, in this order: h e, t h, th e. How does it encode "
        "“the”?",
        choices={"a": "the", "b": "th e", "c": "t he"},
        answer="c",
        because="the merge of lowest rank goes first wherever it is, and then no pair of t and "
        "he is in the list.",
        see="01, 1F Encoding: merges by rank",
        wrong={
            "a": "th e would need a “th”, and h e has taken the h first.",
            "b": "t h comes first in the text, but h e was learned first.",
        },
    ),
    Recall(
        id="R5.2",
        key="place_after_the_last",
        question="A model has learned position vectors for 256 positions. What happens at "
        "position 257?",
        choices={
            "a": "the attention fails, as its weights are for 256 words",
            "b": "there is no vector for it, so the model cannot read it",
            "c": "nothing special, learned positions go on",
        },
        answer="b",
        because="a learned table has as many rows as were trained. Rotary positions and sinusoids "
        "are defined everywhere, if not trained there.",
        see="03, 3F Learned and relative",
        wrong={
            "a": "attention has no weights that depend on the number of words.",
            "c": "a table ends with its last row; sinusoids would go on.",
        },
    ),
    Recall(
        id="R5.3",
        key="targets_of_teacher_forcing",
        question="Teacher forcing: the decoder reads “start A B C”, and the translation is “A B C” "
        "and ends there. What are its four labels?",
        choices={
            "a": "start A B C",
            "b": "A B C end",
            "c": "B C end end",
        },
        answer="b",
        because="the label at each position is the token that comes next. A language model is "
        "trained the same way, without a source.",
        see="04, 4G From probabilities to a loss",
        wrong={
            "a": "these are the tokens that it has just read: copying would be enough.",
            "c": "that is one step too far: after start comes A.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P5.1",
        key="positions_that_a_change_reaches",
        question="A text has 42 characters, and you change the eleventh. At how many of the 42 "
        "positions do the logits change?",
    ),
    Prediction(
        id="P5.2",
        key="bits_a_character_of_shakespeare",
        question="A model of 0.8 million parameters has read pieces of 35 plays of Shakespeare, "
        "character by character. How many bits per character does it need on a play that it has "
        "not read?",
    ),
    Prediction(
        id="P5.3",
        key="bits_of_one_head",
        question="A table of pairs needs about 3.6 bits per character. Put one attention head on "
        "it, train as many steps: how many bits per character does it need then?",
    ),
    Prediction(
        id="P5.4",
        key="vectors_without_a_cache",
        question="A GPT writes 1,000 tokens. How many times as many vectors pass through its "
        "layers without a cache as with one?",
    ),
    Prediction(
        id="P5.5",
        key="longest_run_from_hamlet",
        question="5,000 characters of a play that the model has not read: how long is the longest "
        "run that is also, to the letter, in one of the plays that it learned from?",
    ),
    Prediction(
        id="P5.6",
        key="bits_of_a_real_gpt",
        question="How many bits per character does SmolLM2 need on the three plays, where ours "
        "needs 2.26?",
    ),
)
