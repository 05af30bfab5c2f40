"""Chapter 07: what it asks about chapters 02 to 06, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter07_vit.claims import GAP_IN_ERRORS, TOKENS
from tutorial_lib.exercises.chapter07_vit.covering import OCCLUSION
from tutorial_lib.exercises.chapter07_vit.embedding import EMBED
from tutorial_lib.exercises.chapter07_vit.grid import GRID_POSITIONS
from tutorial_lib.exercises.chapter07_vit.hiding import CORRUPT_PATCHES
from tutorial_lib.exercises.chapter07_vit.interpolation import INTERPOLATE_POSITIONS
from tutorial_lib.exercises.chapter07_vit.map import CLS_MAP
from tutorial_lib.exercises.chapter07_vit.matching import MATCH_PATCHES
from tutorial_lib.exercises.chapter07_vit.patches import PATCHIFY
from tutorial_lib.exercises.chapter07_vit.rollout import ATTENTION_ROLLOUT
from tutorial_lib.exercises.chapter07_vit.size import MILLIONS
from tutorial_lib.exercises.chapter07_vit.split import SPLIT
from tutorial_lib.exercises.chapter07_vit.whole import VIT_LOGITS
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Vision Transformer"

EXERCISES = (
    TOKENS,
    PATCHIFY,
    EMBED,
    VIT_LOGITS,
    SPLIT,
    GAP_IN_ERRORS,
    GRID_POSITIONS,
    INTERPOLATE_POSITIONS,
    CLS_MAP,
    ATTENTION_ROLLOUT,
    OCCLUSION,
    CORRUPT_PATCHES,
    MILLIONS,
    MATCH_PATCHES,
)

RECALL = (
    Recall(
        id="R7.1",
        key="encoder_without_positions",
        question="An encoder without positions and without a mask reads the same words in another "
        "order. What happens to its outputs?",
        choices={
            "a": "nothing: each position gives what it gave before",
            "b": "they come in the new order, each word's output the same as before",
            "c": "all outputs change, as each word has other neighbours",
        },
        answer="b",
        because="attention weighs words by what they hold, not by where they are. A picture "
        "whose patches are shuffled would be the same picture to it.",
        see="03, 3A Which word comes first?",
        wrong={
            "a": "the output belongs to the word, and moves with it.",
            "c": "without positions there are no neighbours, only a set of words.",
        },
    ),
    Recall(
        id="R7.2",
        key="weights_of_200_tokens",
        question="A layer reads 50 tokens, then 150. How many times as many attention weights does "
        "it compute?",
        answer=9,
        because="each token attends to all: 150 · 150 weights are 9 times 50 · 50.",
        see="02, 2J What it costs",
    ),
    Recall(
        id="R7.3",
        key="share_that_becomes_mask",
        question="BERT chooses 15 % of the tokens, and 80 % of these become [MASK]. What share of "
        "all tokens is that, in percent?",
        answer=12,
        because="0.15 · 0.8 = 0.12. The rest of the chosen ones is replaced or kept, and has to be "
        "guessed too.",
        see="06, 6D Fifteen per cent",
    ),
)

PREDICTIONS = (
    Prediction(
        id="P7.1",
        key="weights_of_smaller_patches",
        question="A picture of 224 x 224 pixels is cut into patches of 16, then of 8. By which "
        "factor does the number of attention weights grow?",
    ),
    Prediction(
        id="P7.2",
        key="wrong_and_sure",
        question="The checkpoint reads 25 of 1,000 test digits wrongly. How many of these does it "
        "say with a probability of 0.9 or more?",
    ),
    Prediction(
        id="P7.3",
        key="shuffled_patches_with_positions",
        question="A trained ViT with positions reads 97.5 % of the test digits. What share does it "
        "still read when the patches of each are shuffled, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P7.4",
        key="accuracy_without_positions",
        question="A ViT with learned positions reads 0.946 of the validation digits. What share "
        "does one read that was trained without any positions, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P7.5",
        key="lead_of_the_cnn",
        question="A ViT and a small CNN learn from 100 digits, ten of each. By how many percentage "
        "points is the CNN ahead on the test digits?",
    ),
    Prediction(
        id="P7.6",
        key="two_tiles_painted_over",
        question="The two patches of 16 that [CLS] looks at most in the last layer are painted "
        "over. What share of the validation digits does your ViT still read, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P7.7",
        key="emoji_patches_guessed",
        question="Half of the patches of emoji that it has not seen are chosen to be guessed. "
        "What share gets the right one of 512 colours, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P7.8",
        key="emoji_groups_from_fifty_labels",
        question="From the pixels of 50 labelled emoji a group, a linear classifier names the "
        "group of 0.42 of the test emoji. What share from our DINOv2’s vectors, between 0 and 1?",
        share=True,
    ),
)
