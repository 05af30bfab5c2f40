"""Chapter 08a: what it asks about chapters 04 to 06b, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter08a_bert_family.claims import (
    FEWER_SO_FASTER,
    HOW_MANY_WORDS,
    NARROW_TABLE,
    NEVER_ASKED,
)
from tutorial_lib.exercises.chapter08a_bert_family.forger import FORGER_CURVE
from tutorial_lib.exercises.chapter08a_bert_family.layers import CHOOSE_LAYERS
from tutorial_lib.exercises.chapter08a_bert_family.lesson import LESSON_CURVE
from tutorial_lib.exercises.chapter08a_bert_family.order import ORDER_PAIRS
from tutorial_lib.exercises.chapter08a_bert_family.passes import PASSES
from tutorial_lib.exercises.chapter08a_bert_family.positions import POSITIONS
from tutorial_lib.exercises.chapter08a_bert_family.replaced import REPLACED_BATCH, REPLACED_LOSS
from tutorial_lib.exercises.chapter08a_bert_family.shared import SHARED_BODY
from tutorial_lib.exercises.chapter08a_bert_family.soft_targets import SOFT_TARGETS
from tutorial_lib.exercises.chapter08a_bert_family.winner import WINNER
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "BERT's descendants"

EXERCISES = (
    NEVER_ASKED,
    PASSES,
    HOW_MANY_WORDS,
    POSITIONS,
    ORDER_PAIRS,
    NARROW_TABLE,
    SHARED_BODY,
    FEWER_SO_FASTER,
    CHOOSE_LAYERS,
    SOFT_TARGETS,
    LESSON_CURVE,
    REPLACED_BATCH,
    REPLACED_LOSS,
    FORGER_CURVE,
    WINNER,
)

RECALL = (
    Recall(
        id="R8a.1",
        key="chosen_and_seen_unchanged",
        question="BERT’s training chooses 100 tokens of a text to ask about. In about how many of "
        "these places does BERT read the very token that it is asked for?",
        choices={"a": "none", "b": "10", "c": "20", "d": "85"},
        answer="b",
        because="80 become [MASK], 10 another token, and 10 stay. So at a word that it can see, "
        "BERT does not know whether it is the right one.",
        see="06, 6D Fifteen per cent",
        wrong={
            "a": "not all of the chosen ones are hidden.",
            "c": "these are all that do not become [MASK]; half of them show another token.",
            "d": "that is the share that is not chosen at all.",
        },
    ),
    Recall(
        id="R8a.2",
        key="what_fine_tuning_changes",
        question="A trained encoder is fine-tuned to judge reviews. Which of its numbers does the "
        "optimizer change?",
        choices={
            "a": "those of the new head",
            "b": "those of the new head and of the last layer",
            "c": "those of the new head and of the whole body",
        },
        answer="c",
        because="the gradient goes back through all layers down to the tables, and all of them "
        "learn. With only the head it would be a frozen body.",
        see="06b, 6bB Fine-tuning",
        wrong={
            "a": "that is a frozen body; fine-tuning changes more.",
            "b": "the gradient does not stop below the last layer.",
        },
    ),
    Recall(
        id="R8a.3",
        key="loss_of_a_perfect_guess_at_a_soft_target",
        question="A target gives two words 0.5 each, and a model gives them exactly 0.5 each. What "
        "is the cross-entropy, in nats?",
        choices={"a": "0", "b": "0.69", "c": "1"},
        answer="b",
        because="-0.5 ln 0.5 - 0.5 ln 0.5 = ln 2. A soft target has a floor, its own entropy, and "
        "no model gets below it.",
        see="04, 4G From probabilities to a loss",
        wrong={
            "a": "the loss is 0 only where one word gets the whole target and all of the "
            "probability.",
            "c": "that is in bits, one coin toss: in nats it is ln 2.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P8a.1",
        key="never_asked_by_dynamic_masks",
        question="15 % of the tokens are hidden anew in each of ten passes. What share of the "
        "tokens is never asked about, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P8a.2",
        key="parameters_left_in_albert",
        question="BERT-base has 109.5 million parameters. How many million has ALBERT-base?",
    ),
    Prediction(
        id="P8a.3",
        key="work_of_albert",
        question="A BERT and an ALBERT of equal width and depth read the same text. What share of "
        "BERT’s operations does ALBERT need?",
    ),
    Prediction(
        id="P8a.4",
        key="copied_layers_untrained",
        question="The teacher finds a third of the hidden tokens. What share does a student find "
        "that has two of its three layers and was never trained, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P8a.5",
        key="careless_detective_against_bert",
        question="A detective that learned from a careless forger judges one word replaced by "
        "BERT and one that was not. How often does it suspect the replaced one more, between 0 "
        "and 1? (A coin: 0.5.)",
        share=True,
    ),
    Prediction(
        id="P8a.6",
        key="swapped_neighbours_by_roberta",
        question="An untrained body, fine-tuned, says no better than a coin whether two neighbours "
        "are swapped. How often is a RoBERTa right that was pre-trained for 90 seconds, between 0 "
        "and 1?",
        share=True,
    ),
)
