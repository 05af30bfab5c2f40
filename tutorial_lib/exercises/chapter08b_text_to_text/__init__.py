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
from tutorial_lib.exercises.chapter08b_text_to_text.norm import RMS_NORM
from tutorial_lib.exercises.chapter08b_text_to_text.sentinels import PUT_TOGETHER
from tutorial_lib.exercises.chapter08b_text_to_text.translated import TRANSLATIONS
from tutorial_lib.exercises.engine.tasks import Prediction

TITLE = "Text to text"

EXERCISES = (
    INFILL,
    PUT_TOGETHER,
    HOW_MUCH_SHORTER,
    BUCKET,
    RMS_NORM,
    LIKELIEST,
    FEWEST_PIECES,
    EXACT,
    LOUDER,
    TRANSLATIONS,
)

RECALL = ()

PREDICTIONS = (
    Prediction(
        id="P8b.1",
        key="sums_under_a_wrong_prefix",
        question="A T5 adds almost without a mistake. Now its sums come with the prefix of "
        "sorting. What share of them does it still add up, between 0 and 1?",
        share=True,
    ),
)
