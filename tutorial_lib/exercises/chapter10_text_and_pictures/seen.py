"""Chapter 10: what it takes to do without training examples."""

from tutorial_lib.exercises.engine.tasks import Claim

PAIRS, EPOCHS = 400_000_000, 32
STEPS, BATCH, IMAGENET = 600_000, 256, 1_280_000


def times_as_many_pictures():
    """Pictures that CLIP looked at, divided by those that ResNet-50 looked at."""
    return PAIRS * EPOCHS / (STEPS * BATCH)


def times_as_many_pictures_counted():
    """Second style."""
    seen = {"CLIP": 0, "ResNet": 0}
    for _ in range(EPOCHS):
        seen["CLIP"] += PAIRS
    for _ in range(STEPS):
        seen["ResNet"] += BATCH
    return seen["CLIP"] / seen["ResNet"]


def times_sets():
    """This compares the two *sets*: how often did each model go through its own?"""
    return PAIRS / IMAGENET


def times_one_epoch():
    """CLIP went through its pairs 32 times: count each time."""
    return PAIRS / (STEPS * BATCH)


def times_one_epoch_of_resnet():
    """This lets ResNet-50 look at each picture once: it took 600,000 steps of 256 pictures."""
    return PAIRS * EPOCHS / IMAGENET


def times_steps():
    """These are 600,000 *steps*: each of them looked at 256 pictures."""
    return PAIRS * EPOCHS / STEPS


def times_steps_one_epoch():
    """Both need one more factor: 32 passes for CLIP, 256 pictures a step for ResNet-50."""
    return PAIRS / STEPS


def times_turned():
    """This is turned round: how many times as many did *CLIP* look at?"""
    return STEPS * BATCH / (PAIRS * EPOCHS)


def times_ninety():
    """This gives ResNet-50 90 passes, as is usual today: He et al. took 600,000 steps of 256."""
    return PAIRS * EPOCHS / (90 * IMAGENET)


def times_passes_of_clip():
    """These are CLIP’s passes through its pairs: how many pictures is that?"""
    return EPOCHS


def times_with_texts():
    """This counts the texts, too: the question is about pictures."""
    return 2 * times_as_many_pictures()


def times_clip_alone():
    """This is what CLIP looked at: how many times as many as ResNet-50 is that?"""
    return PAIRS * EPOCHS


def times_resnet_alone():
    """This is what ResNet-50 looked at: divide CLIP’s number by it."""
    return STEPS * BATCH


def times_passes_of_resnet():
    """These are ResNet-50’s passes through its pictures: the question is how many *times as many*
    pictures CLIP looked at.
    """
    return STEPS * BATCH / IMAGENET


def times_rounded():
    """Nearly: give one decimal."""
    return 83


TIMES_AS_MANY_PICTURES = Claim(
    id="10.7",
    title="Without any training examples?",
    level="easy",
    text="""
“We match the accuracy of the original ResNet-50 on ImageNet zero-shot without needing to use any of
the 1.28 million training examples it was trained on”, say Radford et al. (2021) of CLIP. True, and
often retold like this: *it learned to see from less*. Count the pictures that each has looked at in
training, a picture as often as it comes by. CLIP went 32 times through its 400 million pairs of a
picture and a text. The original ResNet-50 (He et al. 2016) took 600,000 steps, with 256 pictures in
each. **How many times as many** pictures did CLIP look at, to one decimal?
""",
    hints=(
        "How many pictures go by in 32 passes through 400 million?",
        "And in 600,000 steps with 256 each? (That is 120 passes through ImageNet.)",
        "Divide the first by the second.",
    ),
    solution=times_as_many_pictures,
    second_style=times_as_many_pictures_counted,
    mistakes=(
        times_sets,
        times_one_epoch,
        times_one_epoch_of_resnet,
        times_steps,
        times_steps_one_epoch,
        times_turned,
        times_ninety,
        times_passes_of_clip,
        times_with_texts,
        times_clip_alone,
        times_resnet_alone,
        times_passes_of_resnet,
        times_rounded,
    ),
    tolerance=0.06,
    unit="times as many",
    verdict="12.8 billion against 154 million. None of ImageNet’s 1.28 million was needed, and no "
    "label that somebody had to give by hand: what CLIP saves is *labels*, and training anew for "
    "each set of classes. It does not save pictures.",
)
