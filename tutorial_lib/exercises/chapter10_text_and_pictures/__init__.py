"""Chapter 10: what it asks about the chapters before, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter10_text_and_pictures.all_pairs import ALL_PAIRS
from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import CONTRASTIVE_LOSS
from tutorial_lib.exercises.chapter10_text_and_pictures.caption_and_codes import ROW_AND_TARGETS
from tutorial_lib.exercises.chapter10_text_and_pictures.centres import KMEANS_ROUND
from tutorial_lib.exercises.chapter10_text_and_pictures.class_vectors import CLASS_VECTORS
from tutorial_lib.exercises.chapter10_text_and_pictures.code_by_code import WRITE
from tutorial_lib.exercises.chapter10_text_and_pictures.nearest_code import QUANTIZE
from tutorial_lib.exercises.chapter10_text_and_pictures.one_row import ONE_ROW
from tutorial_lib.exercises.chapter10_text_and_pictures.one_way import PULLS
from tutorial_lib.exercises.chapter10_text_and_pictures.pixels_as_tokens import WIDEST_PICTURE
from tutorial_lib.exercises.chapter10_text_and_pictures.recall import RECALL_AT
from tutorial_lib.exercises.chapter10_text_and_pictures.seen import OVERLAP
from tutorial_lib.exercises.chapter10_text_and_pictures.temperature import SCALE_STEP
from tutorial_lib.exercises.chapter10_text_and_pictures.training import TRAIN_HEAD
from tutorial_lib.exercises.chapter10_text_and_pictures.wrong_captions import WRONG_CAPTIONS
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Text and pictures together"

EXERCISES = (
    ALL_PAIRS,
    CONTRASTIVE_LOSS,
    PULLS,
    TRAIN_HEAD,
    RECALL_AT,
    CLASS_VECTORS,
    SCALE_STEP,
    OVERLAP,
    ONE_ROW,
    WRONG_CAPTIONS,
    KMEANS_ROUND,
    WIDEST_PICTURE,
    QUANTIZE,
    ROW_AND_TARGETS,
    WRITE,
)

RECALL = (
    Recall(
        id="R10.1",
        key="logits_doubled",
        question="All logits that go into a softmax are doubled. What happens to the "
        "probabilities?",
        choices={
            "a": "nothing: a softmax divides by the sum",
            "b": "the largest gets larger, and the order stays",
            "c": "each of them is doubled",
        },
        answer="b",
        because="that is a temperature of one half: the same order, more surely.",
        see="05, 5G Choosing the next token",
        wrong={
            "a": "what is *added* to all logits makes no difference; a factor stretches their "
            "distances.",
            "c": "they would sum to 2.",
        },
    ),
    Recall(
        id="R10.2",
        key="what_segments_tell",
        question="BERT reads two sentences in one row. How does it know which word belongs to "
        "which of them?",
        choices={
            "a": "by a mask: words look only at their own sentence",
            "b": "by a segment vector that is added to each token",
            "c": "by positions, which begin at 0 again in the second",
        },
        answer="b",
        because="one vector for all tokens of the first, another for all of the second.",
        see="06, 6C What goes in",
        wrong={
            "a": "all look at all, in both sentences.",
            "c": "positions go on through the whole row.",
        },
    ),
    Recall(
        id="R10.3",
        key="positions_before_a_code",
        question="A GPT reads a caption of 12 tokens, then the 64 codes of a picture. At how many "
        "positions may the last of the 64 look, itself included?",
        answer=76,
        because="it looks back at all before it, and at itself.",
        see="05, 5C Only backwards",
    ),
)

PREDICTIONS = (
    Prediction(
        id="P10.1",
        key="recall_at_5_of_unseen_emoji",
        question="The name of an emoji that the model has never seen: in what share of the cases "
        "is the picture among the first five that it finds, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P10.2",
        key="left_and_right_told_apart",
        question="A scene, its caption, and the same caption with the two things exchanged. In "
        "what share of the cases does the model choose the right one, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P10.3",
        key="hidden_thing_without_three_heads",
        question="A thing in a caption is hidden, and the three heads that point at its region are "
        "silenced. In what share of the cases is it still named, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P10.4",
        key="own_caption_of_a_drawing_chosen",
        question="A model draws an emoji for a caption that it has never seen. A judge chooses "
        "between this caption and one that names another thing. In what share of the cases does "
        "it choose the drawing's own, between 0 and 1?",
        share=True,
    ),
)
