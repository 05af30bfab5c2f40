"""Chapter 03: what it asks about chapters 01 and 02, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter03_positional_encoding.alibi import KEYS_NEEDED
from tutorial_lib.exercises.chapter03_positional_encoding.binary import BINARY_POSITIONS
from tutorial_lib.exercises.chapter03_positional_encoding.claims import HALF_OF_THE_COLUMNS
from tutorial_lib.exercises.chapter03_positional_encoding.doors import ATTEND_WITH_POSITIONS
from tutorial_lib.exercises.chapter03_positional_encoding.far import SHARE_FAR
from tutorial_lib.exercises.chapter03_positional_encoding.map import ROTARY_MAP
from tutorial_lib.exercises.chapter03_positional_encoding.reader import READER_CURVE
from tutorial_lib.exercises.chapter03_positional_encoding.relative import RELATIVE_INDEX
from tutorial_lib.exercises.chapter03_positional_encoding.rotary import ROTATE_PAIRS
from tutorial_lib.exercises.chapter03_positional_encoding.shift import OFFSET_OF
from tutorial_lib.exercises.chapter03_positional_encoding.sinusoids import SINUSOIDAL_POSITIONS
from tutorial_lib.exercises.chapter03_positional_encoding.stretch import STRETCH_PAIRS
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Positional encoding"

EXERCISES = (
    BINARY_POSITIONS,
    SINUSOIDAL_POSITIONS,
    HALF_OF_THE_COLUMNS,
    READER_CURVE,
    OFFSET_OF,
    RELATIVE_INDEX,
    ROTATE_PAIRS,
    KEYS_NEEDED,
    ROTARY_MAP,
    ATTEND_WITH_POSITIONS,
    SHARE_FAR,
    STRETCH_PAIRS,
)

RECALL = (
    Recall(
        id="R3.1",
        key="keys_under_a_causal_mask",
        question="Under a causal mask, how many keys may the query at position 3 (counted from 0) "
        "look at?",
        answer=4,
        because="it may look at positions 0, 1, 2 and 3: at itself and at all before it.",
        see="02, 2G Masks",
        wrong={
            3: "it may look at itself too.",
            2: "positions count from 0, and it may look at itself too.",
        },
    ),
    Recall(
        id="R3.2",
        key="divisor_of_a_head",
        question="A model is 768 wide and has 12 heads. By what number does each head divide its "
        "scores before the softmax?",
        answer=8,
        because="a head is K = 768 / 12 = 64 wide, and the scores are divided by the root of K.",
        wrong={
            64: "that is the width K of a head: the scores are divided by its root.",
            768**0.5: "that is the root of the whole width: each head has its own, K = 768 / 12.",
            12: "that is the number of heads; the scores are divided by the root of K = 768 / 12.",
        },
        see="02, 2E Scaling and 2H Many heads",
    ),
    Recall(
        id="R3.3",
        key="shuffled_words",
        question="You shuffle the words that go into a layer of attention, without mask and "
        "without positions. What happens to its outputs?",
        choices={
            "a": "they are shuffled the same way, but otherwise unchanged",
            "b": "they stay as they were, in the old order",
            "c": "each word gets another output",
        },
        answer="a",
        because="each output is a sum over all words, and a sum has no order: permutation "
        "equivariance.",
        see="02, 2F A head at work",
        wrong={
            "b": "each output belongs to its word and goes where the word goes.",
            "c": "a word meets the same other words as before, so its output is the same.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P3.1",
        key="digits_three_positions_on",
        question="A reader has learned the hundreds digits of 100..999 with positions. All words "
        "are moved by three positions. What share does it still read right, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P3.2",
        key="columns_with_half_a_wave",
        question="The table has 128 columns. How many of them complete at least half a wave over "
        "20 steps?",
    ),
    Prediction(
        id="P3.3",
        key="share_of_sinusoids",
        question="Word vectors are scaled to unit variance and the sinusoids added. What share "
        "of the squared length do the sinusoids have, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P3.4",
        key="directions_of_positions",
        question="MiniLM is 384 wide and has learned 512 position vectors. In how many directions "
        "lie 90 % of the differences between them?",
    ),
    Prediction(
        id="P3.5",
        key="dot_products_moved_by_100",
        question="Is the dot product of the vectors of positions 103 and 107 smaller than that of "
        "positions 3 and 7, larger, or the same?",
    ),
    Prediction(
        id="P3.6",
        key="keys_of_the_widest_alibi_head",
        question="In a text of 4,096 equal words, how many of the nearest keys hold 90 % of the "
        "weight of the last word in ALiBi's widest head, with slope 1/256?",
    ),
    Prediction(
        id="P3.7",
        key="three_back_without_mask",
        question="With sinusoids nearly all letters three positions back are found inside the "
        "training length. What share is found beyond it, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P3.8",
        key="alibi_three_back_inside",
        question="What share of the letters three back does ALiBi find at the length it was "
        "trained on, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P3.9",
        key="each_far_offset_its_own_number",
        question="Each far offset has a number of its own, never trained. Are nine in ten letters "
        "three back still found beyond the training length, yes or no?",
    ),
    Prediction(
        id="P3.10",
        key="three_back_when_all_hands_are_slowed",
        question="With all positions halved, does a rotary reader find more or fewer of the "
        "letters three back in windows twice as long as in training?",
    ),
)
