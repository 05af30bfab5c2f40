"""Chapter 06b: what it asks about chapters 05 and 06, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter06b_using_bert.entities import ENTITIES
from tutorial_lib.exercises.chapter06b_using_bert.entity_f1 import ENTITY_F1
from tutorial_lib.exercises.chapter06b_using_bert.fine_tuning import FINE_TUNING_STEP
from tutorial_lib.exercises.chapter06b_using_bert.nearest import NEAREST
from tutorial_lib.exercises.chapter06b_using_bert.partners import PARTNERS
from tutorial_lib.exercises.chapter06b_using_bert.piece_labels import PIECE_LABELS
from tutorial_lib.exercises.chapter06b_using_bert.probe_layers import PROBE_LAYERS
from tutorial_lib.exercises.chapter06b_using_bert.span import BEST_SPAN
from tutorial_lib.exercises.chapter06b_using_bert.span_loss import SPAN_LOSS
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "What BERT is used for"

EXERCISES = (
    FINE_TUNING_STEP,
    ENTITIES,
    ENTITY_F1,
    PIECE_LABELS,
    SPAN_LOSS,
    BEST_SPAN,
    PROBE_LAYERS,
    NEAREST,
    PARTNERS,
)

RECALL = (
    Recall(
        id="R6b.1",
        key="what_bert_is_asked_for",
        question="In one pass of masked language modelling, at which tokens is BERT's loss "
        "computed?",
        choices={
            "a": "at every token",
            "b": "at the tokens that were chosen, changed or not",
            "c": "only where a [MASK] is",
        },
        answer="b",
        because="of the 15 % that are chosen one in ten stays as it is, and is asked for too.",
        see="06, 6D Fifteen per cent",
        wrong={
            "a": "a token that was not chosen could simply be copied; it is not asked for.",
            "c": "two of ten chosen tokens show another token or their own, and count too.",
        },
    ),
    Recall(
        id="R6b.2",
        key="vectors_from_an_encoder",
        question="BERT reads one text of 9 tokens, [CLS] and [SEP] included. How many vectors come "
        "out after the last layer?",
        answer=9,
        because="an encoder gives each token one vector; a head then decides what to do with them.",
        see="06, 6C What goes in",
    ),
    Recall(
        id="R6b.3",
        key="why_encoder_vectors_know_both_sides",
        question="Why can the vector of the first token tell something about the last one, in a "
        "BERT but not in a GPT?",
        choices={
            "a": "BERT has position vectors",
            "b": "BERT has more layers",
            "c": "BERT has no causal mask",
        },
        answer="c",
        because="without the mask every position looks at every position, in all layers.",
        see="06, 6B One half of the transformer",
        wrong={
            "a": "a GPT has them too; they say where a token is, not what comes after it.",
            "b": "no number of layers gets past a causal mask.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P6b.1",
        key="accuracy_with_250_labels",
        question="Film reviews: counting words reaches 0.73 with 4,000 labels. What accuracy does "
        "a MiniLM reach that is fine-tuned on 250, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P6b.2",
        key="answers_of_a_head_on_a_frozen_body",
        question="Questions about 200 new stories, where a rule marks 0.41 of the answers exactly: "
        "what share does a span head on a frozen MiniLM mark, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P6b.3",
        key="layer_chosen_for_names",
        question="Names, marked from the vectors of a frozen MiniLM: which of its layers, from 0 "
        "to 6, does validation choose?",
    ),
    Prediction(
        id="P6b.4",
        key="hits_shared_with_not",
        question="Twenty searches such as “I am tired.”: how many of the first ten hits does “I "
        "am not tired.” find, too, on average?",
    ),
)
