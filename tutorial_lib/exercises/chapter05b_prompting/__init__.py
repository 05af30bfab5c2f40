"""Chapter 05b: what it asks about chapters 01 to 05, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter05b_prompting.answer_loss import ANSWER_LOSS
from tutorial_lib.exercises.chapter05b_prompting.ceiling import CEILING
from tutorial_lib.exercises.chapter05b_prompting.generator import REPAIR_GENERATOR
from tutorial_lib.exercises.chapter05b_prompting.induction import INDUCTION_SCORE
from tutorial_lib.exercises.chapter05b_prompting.note import WITHOUT_NOTE
from tutorial_lib.exercises.chapter05b_prompting.pair import TWO_HEADS
from tutorial_lib.exercises.chapter05b_prompting.scorer import FEW_SHOT_SCORE
from tutorial_lib.exercises.chapter05b_prompting.silencing import SILENCE
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Prompting"

EXERCISES = (
    FEW_SHOT_SCORE,
    CEILING,
    TWO_HEADS,
    INDUCTION_SCORE,
    SILENCE,
    WITHOUT_NOTE,
    ANSWER_LOSS,
    REPAIR_GENERATOR,
)

RECALL = (
    Recall(
        id="R5b.1",
        key="where_the_next_word_is_said",
        question="GPT has read “two dogs run” and gives logits at each of the three positions. "
        "Which position says what comes after “run”?",
        choices={"a": "the first", "b": "the last", "c": "all three together"},
        answer="b",
        because="each position speaks of the next token, and only the last one has seen all three.",
        see="05, 5A What comes next?",
        wrong={
            "a": "the first position has seen “two” only, and speaks of what follows it.",
            "c": "each position has logits of its own, about the token after it.",
        },
    ),
    Recall(
        id="R5b.2",
        key="padding_on_the_right",
        question="A batch has sentences of unequal length, padded on the right, and the mask is "
        "causal. What changes in the outputs of the real tokens when the padding is longer?",
        choices={
            "a": "nothing: no real token sees what comes after it",
            "b": "all of them, as the softmax shares its weights with the padding",
            "c": "only the last real token, which is next to the padding",
        },
        answer="a",
        because="a causal mask hides all that comes later, and padding on the right comes later.",
        see="02, 2G Masks",
        wrong={
            "b": "the softmax goes over the positions that the mask leaves, none of them padding.",
            "c": "the last real token looks to its left, and the padding is to its right.",
        },
    ),
    Recall(
        id="R5b.3",
        key="map_of_a_previous_token_head",
        question="A head has learned to look at the token just before. A text of 6 tokens: how "
        "many weights of its causal map should be near 1, the first row not counted?",
        answer=5,
        because="each row but the first has one such weight, on the diagonal just below the main "
        "one.",
        see="02, 2L A model that writes",
    ),
)

PREDICTIONS = (
    Prediction(
        id="P5b.1",
        key="smollm2_translates_words",
        question="SmolLM2 is shown 16 everyday English words with their French translation, then "
        "another word. What share does it translate as in the list, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P5b.2",
        key="best_and_worst_examples",
        question="SmolLM2 is asked about the same film reviews after eight different sets of four "
        "examples. By how much do the shares right of the best and the worst set differ, between 0 "
        "and 1?",
        share=True,
    ),
    Prediction(
        id="P5b.3",
        key="examples_until_it_follows",
        question="A small model reads words with their plurals, whose two endings were not in its "
        "training, then a question. With how many examples is it right in nine of ten cases?",
    ),
    Prediction(
        id="P5b.4",
        key="loss_without_the_induction_head",
        question="SmolLM2 reads 50 random tokens twice. Its loss is 14.3 the first time and 2.5 "
        "the second, in nats. One of its 270 heads is silenced, the one that looks most at what "
        "followed the last time. What is the loss the second time?",
    ),
    Prediction(
        id="P5b.5",
        key="score_with_the_path_cut",
        question="An induction head of SmolLM2 has a score of 0.92. Its keys are computed as if "
        "the previous-token head two layers before wrote only its average. What is its score then, "
        "between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P5b.6",
        key="without_the_copying_head",
        question="A small model of 3 layers of 4 heads chooses between two endings. The head that "
        "looks most at the endings that tell is silenced, eleven are left. What share of the "
        "questions after 8 examples is still right, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P5b.7",
        key="four_examples_in_the_weights",
        question="SmolLM2 is trained on four sentences of a child with their corrections, and then "
        "corrects others, with no example in the prompt. With the four in the prompt nine of ten "
        "are right. What share is right now, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P5b.8",
        key="reader_of_the_hypothesis",
        question="Three labels, equally frequent. How accurate is naive Bayes that sees only the "
        "hypothesis and not the premise, between 0 and 1?",
        share=True,
    ),
)
