"""Chapter 00: one exercise to see how they work, the entry test, and its predictions."""

from tutorial_lib.exercises.chapter00_start_here.demo import DOUBLE
from tutorial_lib.exercises.chapter00_start_here.softmax import CROSS_ENTROPY, SOFTMAX
from tutorial_lib.exercises.chapter00_start_here.tensors import GRADIENT, PROJECT
from tutorial_lib.exercises.engine.tasks import Prediction

TITLE = "Start here"

EXERCISES = (DOUBLE, PROJECT, SOFTMAX, CROSS_ENTROPY, GRADIENT)
RECALL = ()
PREDICTIONS = (
    Prediction(
        id="P0.1",
        key="how_likely_is_paris",
        question="How likely does SmolLM2 find “ Paris” after “The capital of France is”?",
    ),
    Prediction(
        id="P0.2",
        key="numbers_for_one_token",
        question="How many numbers stand for one token inside MiniLM?",
    ),
    Prediction(
        id="P0.3",
        key="first_choice_is_right",
        question="How often, of 58 times, is the GPT's first choice the right character?",
    ),
    Prediction(
        id="P0.4",
        key="alike_the_and_the",
        question="How alike are the two `the` after the last layer, as a cosine?",
    ),
)
