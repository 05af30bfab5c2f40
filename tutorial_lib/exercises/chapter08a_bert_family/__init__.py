"""Chapter 08a: what it asks about earlier chapters, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter08a_bert_family.forger import FORGER_CURVE
from tutorial_lib.exercises.chapter08a_bert_family.layers import CHOOSE_LAYERS
from tutorial_lib.exercises.chapter08a_bert_family.lesson import LESSON_CURVE
from tutorial_lib.exercises.chapter08a_bert_family.replaced import REPLACED_BATCH, REPLACED_LOSS
from tutorial_lib.exercises.chapter08a_bert_family.soft_targets import SOFT_TARGETS

TITLE = "BERT's descendants"

EXERCISES = (
    CHOOSE_LAYERS,
    SOFT_TARGETS,
    LESSON_CURVE,
    REPLACED_BATCH,
    REPLACED_LOSS,
    FORGER_CURVE,
)

RECALL = ()

PREDICTIONS = ()
