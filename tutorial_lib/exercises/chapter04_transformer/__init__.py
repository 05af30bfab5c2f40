"""Chapter 04: what it asks about chapters 02 and 03, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter04_transformer.beam import BEAM_DECODE
from tutorial_lib.exercises.chapter04_transformer.compute import LESS_COMPUTE
from tutorial_lib.exercises.chapter04_transformer.cross import CROSS_ATTENTION
from tutorial_lib.exercises.chapter04_transformer.decoder import DECODER_LAYER
from tutorial_lib.exercises.chapter04_transformer.feed_forward import FEED_FORWARD
from tutorial_lib.exercises.chapter04_transformer.greedy import GREEDY_DECODE
from tutorial_lib.exercises.chapter04_transformer.lead import LEAD_HEAD
from tutorial_lib.exercises.chapter04_transformer.loss import SMOOTHED_LOSS
from tutorial_lib.exercises.chapter04_transformer.machine import ENCODER_DECODER
from tutorial_lib.exercises.chapter04_transformer.map import CROSS_MAP
from tutorial_lib.exercises.chapter04_transformer.norm import LAYER_NORM
from tutorial_lib.exercises.chapter04_transformer.size import BASE_SIZE
from tutorial_lib.exercises.chapter04_transformer.stack import GRADIENTS
from tutorial_lib.exercises.chapter04_transformer.warmup import WARMUP_RATE
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "The Transformer"

EXERCISES = (
    BASE_SIZE,
    LAYER_NORM,
    FEED_FORWARD,
    GRADIENTS,
    CROSS_ATTENTION,
    DECODER_LAYER,
    ENCODER_DECODER,
    SMOOTHED_LOSS,
    WARMUP_RATE,
    GREEDY_DECODE,
    BEAM_DECODE,
    LEAD_HEAD,
    CROSS_MAP,
    LESS_COMPUTE,
)

RECALL = (
    Recall(
        id="R4.1",
        key="what_cross_shapes_share",
        question="Three words of one text look at five words of another: T = 3, S = 5. "
        "What must agree?",
        choices={
            "a": "the number of queries and the number of keys",
            "b": "the width of queries and keys, and the number of keys and values",
            "c": "the width of keys and values, and the number of queries and values",
        },
        answer="b",
        because="a score is a dot product of a query and a key, and each key’s weight goes to its "
        "own value. T and S are free.",
        see="02, 2I Two sequences",
        wrong={
            "a": "T and S may differ: the weights are (T, S).",
            "c": "values may have any width, and there is one for each key, not for each query.",
        },
    ),
    Recall(
        id="R4.2",
        key="shuffled_rows",
        question="One attention layer, no mask, no positions. You shuffle the words of its input. "
        "What happens to the output rows?",
        choices={
            "a": "nothing, they stay where they are",
            "b": "they are the same rows, shuffled alike",
            "c": "all of them get other numbers",
        },
        answer="b",
        because="attention treats its input as a set. Order must be put in: positions are added "
        "to the vectors before the first layer.",
        see="02, 2F A head at work",
        wrong={
            "a": "row t belongs to word t: it moves with its word.",
            "c": "each word sees the same words as before, so its row keeps its numbers.",
        },
    ),
    Recall(
        id="R4.3",
        key="causal_weights_above_zero",
        question="A text of 5 words under a causal mask. How many of the 25 weights may be "
        "larger than 0?",
        answer=15,
        because="row t shows t words: 1 + 2 + 3 + 4 + 5.",
        see="02, 2G Masks",
    ),
)

PREDICTIONS = (
    Prediction(
        id="P4.1",
        key="word_for_und",
        question="Which English word gets most weight while “und” of 742 is written?",
    ),
    Prediction(
        id="P4.2",
        key="table_of_the_base_model",
        question="What percentage of the base model’s parameters is in its token table?",
    ),
    Prediction(
        id="P4.3",
        key="outputs_of_a_shuffled_source",
        question="Cross-attention, 5 target tokens: how many of its 5 outputs change when the 7 "
        "vectors of the source are shuffled?",
    ),
    Prediction(
        id="P4.4",
        key="numbers_after_250_batches",
        question="What percentage of held-out numbers is translated right after 250 batches?",
    ),
    Prediction(
        id="P4.5",
        key="bleu_of_german_numbers",
        question="The translator gets every German number right. What is its BLEU?",
    ),
    Prediction(
        id="P4.6",
        key="without_layer_1_head_1",
        question="With layer 1, head 1 silent: what percentage of the numbers is still right?",
    ),
)
