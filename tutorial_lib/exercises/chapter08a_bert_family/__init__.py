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
from tutorial_lib.exercises.engine.tasks import Recall

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

PREDICTIONS = ()
