"""Chapter 00: one exercise to see how they work, the entry test, a model that writes; guesses."""

from tutorial_lib.exercises.chapter00_start_here.demo import DOUBLE
from tutorial_lib.exercises.chapter00_start_here.softmax import CROSS_ENTROPY, SOFTMAX
from tutorial_lib.exercises.chapter00_start_here.tensors import GRADIENT, PROJECT
from tutorial_lib.exercises.chapter00_start_here.write_on import WRITE_ON
from tutorial_lib.exercises.engine.tasks import Prediction

TITLE = "Start here"

EXERCISES = (DOUBLE, PROJECT, SOFTMAX, CROSS_ENTROPY, GRADIENT, WRITE_ON)
RECALL = ()
PREDICTIONS = (
    Prediction(
        id="P0.1",
        key="how_likely_is_paris",
        question="How likely does SmolLM2 find “ Paris” after “The capital of France is”?",
    ),
    Prediction(
        id="P0.2",
        key="word_after_too",
        question="“The animal didn't cross the street because it was too”: which word does "
        "SmolLM2 find likeliest next?",
    ),
    Prediction(
        id="P0.3",
        key="share_of_attention",
        question="What share of SmolLM2's numbers is in attention: 20, 40, 60 or 80 %?",
    ),
    Prediction(
        id="P0.4",
        key="cost_of_backwards",
        question="How many nats a piece does the sentence about the animal cost SmolLM2 backwards?",
    ),
    Prediction(
        id="P0.5",
        key="steps_until_tired",
        question="After how many small steps against the gradient does SmolLM2 say *tired*?",
    ),
)
