"""Chapter 06: what it asks about chapters 01 to 05, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter06_bert.claims import COPIED_SHARE
from tutorial_lib.exercises.chapter06_bert.curve import MLM_CURVE
from tutorial_lib.exercises.chapter06_bert.logits import WORD_LOGITS
from tutorial_lib.exercises.chapter06_bert.masked_loss import MASKED_LOSS
from tutorial_lib.exercises.chapter06_bert.masking import MASK_80_10_10
from tutorial_lib.exercises.chapter06_bert.rival import RIVAL
from tutorial_lib.exercises.chapter06_bert.segments import SEGMENT_IDS
from tutorial_lib.exercises.chapter06_bert.sense import CLOSEST_SENSE
from tutorial_lib.exercises.chapter06_bert.step import PRETRAINING_STEP
from tutorial_lib.exercises.chapter06_bert.stretch import TEXT_LOG_PROBS
from tutorial_lib.exercises.chapter06_bert.surest import FILL_SUREST
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "BERT"

EXERCISES = (
    MASKED_LOSS,
    SEGMENT_IDS,
    WORD_LOGITS,
    MASK_80_10_10,
    COPIED_SHARE,
    PRETRAINING_STEP,
    MLM_CURVE,
    RIVAL,
    FILL_SUREST,
    TEXT_LOG_PROBS,
    CLOSEST_SENSE,
)

RECALL = (
    Recall(
        id="R6.1",
        key="weights_without_padding",
        question="A text of 4 words is padded with 3 more tokens. What does the padding mask "
        "leave of its 7 × 7 attention weights?",
        choices={
            "a": "the lower triangle",
            "b": "the first four rows",
            "c": "the first four columns",
        },
        answer="c",
        because="each column is one word that is looked at, and no one looks at padding. What the "
        "rows of the padding say is thrown away.",
        see="02, 2G Masks",
        wrong={
            "a": "that is a causal mask: padding is hidden from all words, wherever they are.",
            "b": "a row is one word that looks: the four words would still look at the padding.",
        },
    ),
    Recall(
        id="R6.2",
        key="pieces_of_singer",
        question="A WordPiece vocabulary holds sing, ##ing, ##er and s. How is “singer” cut?",
        choices={"a": "s ##ing ##er", "b": "sing ##er", "c": "sin ##ger"},
        answer="b",
        because="WordPiece takes the longest piece that fits, from the left, and then goes on "
        "after it.",
        see="01, 1G WordPiece",
        wrong={
            "a": "these pieces fit, but s is not the longest one to begin with.",
            "c": "sin and ##ger are not in the vocabulary.",
        },
    ),
    Recall(
        id="R6.3",
        key="losses_of_100_tokens",
        question="A GPT reads a text of 100 tokens in one pass. For how many of them does it get "
        "a loss?",
        choices={"a": "1", "b": "99", "c": "100"},
        answer="b",
        because="each token but the first is predicted from those before it, all in one pass.",
        see="05, 5B How probable is a text?",
        wrong={
            "a": "the causal mask lets each place predict, as if the text ended there.",
            "c": "nothing comes before the first token to predict it from.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P6.1",
        key="layers_until_the_word_is_back",
        question="Each position may look at all others, but not at itself. After how many layers "
        "is its own word back? (0: never)",
    ),
    Prediction(
        id="P6.2",
        key="sentences_of_one_scene_judged_as",
        question="Two sentences come from the same scene, but do not follow each other. Does "
        "PlayBERT say “follows” about as often as for real pairs, or as for pairs from another "
        "scene?",
    ),
    Prediction(
        id="P6.3",
        key="gaps_of_numbers",
        question="Numbers in English and German words, with words hidden. A table of both "
        "neighbours fills 0.44 of the gaps. What share does your BERT fill, between 0 "
        "and 1?",
        share=True,
    ),
    Prediction(
        id="P6.4",
        key="layer_of_the_head_it_needs_most",
        question="NumberBERT has two layers of four heads, and one head at a time is switched off. "
        "In which layer is the head that it needs most, 0 or 1?",
    ),
    Prediction(
        id="P6.5",
        key="numbers_translated_surest_first",
        question="NumberBERT translates 300 new numbers, one gap a pass, the surest word first. "
        "All at once it gets 0.76 of them right. What share this way, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P6.6",
        key="frequent_words_in_both_directions",
        question="One of 245 frequent words is hidden in a speech that PlayBERT has not read, and "
        "only these are allowed as answers. What share of the words does it find, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P6.7",
        key="more_gaps_of_the_plays",
        question="Who fills more gaps in the plays: PlayBERT in one pass, or PlayGPT with a pass "
        "for every candidate?",
    ),
    Prediction(
        id="P6.8",
        key="banks_told_apart",
        question="The vector of “bank” in twenty new sentences, after four layers of MiniLM: in "
        "how many of them is the sense that it is closest to the right one?",
    ),
)
