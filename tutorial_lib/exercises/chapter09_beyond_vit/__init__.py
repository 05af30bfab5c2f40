"""Chapter 09: what it asks about the chapters before, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter09_beyond_vit.cost import FOR_WHICH_PICTURE
from tutorial_lib.exercises.chapter09_beyond_vit.forgotten import WINDOW_MEANS
from tutorial_lib.exercises.chapter09_beyond_vit.fourier import WAVES
from tutorial_lib.exercises.chapter09_beyond_vit.latents import READ
from tutorial_lib.exercises.chapter09_beyond_vit.merging import MERGE
from tutorial_lib.exercises.chapter09_beyond_vit.output_queries import ZOOM
from tutorial_lib.exercises.chapter09_beyond_vit.partition import WINDOWS
from tutorial_lib.exercises.chapter09_beyond_vit.queries import AS_MANY_QUERIES
from tutorial_lib.exercises.chapter09_beyond_vit.relative_index import TABLE_INDEX
from tutorial_lib.exercises.chapter09_beyond_vit.reverse import PUT_BACK
from tutorial_lib.exercises.chapter09_beyond_vit.shift_mask import MAY_LOOK
from tutorial_lib.exercises.chapter09_beyond_vit.smaller_output import QUERIES_PER_LATENT
from tutorial_lib.exercises.engine.tasks import Prediction, Recall

TITLE = "Beyond plain ViT"

EXERCISES = (
    WINDOWS,
    PUT_BACK,
    MAY_LOOK,
    WINDOW_MEANS,
    TABLE_INDEX,
    MERGE,
    FOR_WHICH_PICTURE,
    READ,
    AS_MANY_QUERIES,
    WAVES,
    ZOOM,
    QUERIES_PER_LATENT,
)

RECALL = (
    Recall(
        id="R9.1",
        key="scores_of_twice_the_sides",
        question="A ViT reads a picture in patches of one size. The picture becomes twice as high "
        "and twice as wide. How many times as many scores does each head compute?",
        answer=16,
        because="there are four times as many patches, and each is compared with four times as "
        "many.",
        see="07, 7B A picture is a sequence",
        wrong={
            4: "that is how many times as many patches there are: each is compared with as many "
            "times more.",
            2: "that is how many times as long a side is.",
            8: "each of four times as many patches is compared with four times as many, too.",
        },
    ),
    Recall(
        id="R9.2",
        key="who_asks_in_cross_attention",
        question="In cross-attention, T vectors ask and S vectors answer. What is the shape of a "
        "head’s weights, and how many vectors come out?",
        choices={
            "a": "(T, S), and T vectors",
            "b": "(T, S), and S vectors",
            "c": "(S, S), and T vectors",
        },
        answer="a",
        because="each of those that ask gets one row of weights, and one mixture.",
        see="02, 2I Two sequences",
        wrong={
            "b": "those that answer are mixed: nothing comes out for each of them.",
            "c": "those that answer are not compared with each other.",
        },
    ),
    Recall(
        id="R9.3",
        key="attention_without_positions",
        question="Attention without a mask and without positions reads its inputs in another "
        "order. What changes?",
        choices={
            "a": "the outputs, each of them",
            "b": "only the order of the outputs",
            "c": "only the first and the last output",
        },
        answer="b",
        because="a sum over all keys is the same in any order.",
        see="03, 3A Which word comes first?",
        wrong={
            "a": "each output is still the same mixture of the same values.",
            "c": "no place is special, if nothing tells the places apart.",
        },
    ),
)

PREDICTIONS = (
    Prediction(
        id="P9.1",
        key="times_as_slow_at_twice_the_sides",
        question="One layer of global attention on a map of 56 x 56 positions. How many times as "
        "long does it take on one of 112 x 112?",
    ),
    Prediction(
        id="P9.2",
        key="swin_on_canvases",
        question="On canvases of digits a ViT with patches of 4 pixels gets a mean IoU of 0.3. "
        "What does Swin get in the same time, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P9.3",
        key="cnn_on_canvases",
        question="And a CNN, with maps of the same sizes and in the same time, between 0 and 1?",
        share=True,
    ),
    Prediction(
        id="P9.4",
        key="cnn_on_shuffled_pixels",
        question="With pixels shuffled, a Perceiver misreads 4.9 digits in a hundred. How many "
        "does a CNN misread?",
    ),
    Prediction(
        id="P9.5",
        key="half_a_picture_and_a_letter",
        question="A letter alone names 0.7 of the digits. What share does a Perceiver name from "
        "a letter and the upper half of a picture, between 0 and 1?",
        share=True,
    ),
)
