"""Chapter 05: the loss of one word, by hand."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Claim

LOGITS = {"obey": 2, "stop": 3, "learn": 1, "the": -1}


def obey_loss():
    """-log p(obey | a robot must), in nats."""
    total = sum(math.exp(logit) for logit in LOGITS.values())
    return -math.log(math.exp(LOGITS["obey"]) / total)


def obey_loss_logsumexp():
    """Second style."""
    logits = torch.tensor(list(LOGITS.values()), dtype=torch.float64)
    return (logits.logsumexp(0) - logits[0]).item()


def obey_loss_bits():
    """This is in bits, with the logarithm to base 2: nats take the natural one."""
    return obey_loss() / math.log(2)


def obey_loss_base_10():
    """This is the logarithm to base 10: nats take the natural one."""
    return obey_loss() / math.log(10)


def obey_loss_probability():
    """This is the probability of “obey”: the loss is minus its logarithm."""
    return math.exp(-obey_loss())


def obey_loss_other_probability():
    """This is the probability of all other words: take the logarithm of that of “obey”."""
    return 1 - math.exp(-obey_loss())


def obey_loss_sign():
    """This is log p: the loss is minus that, and never below 0."""
    return -obey_loss()


def obey_loss_logit():
    """This is the logit, which is no probability: divide its exponential by the sum of all four."""
    return LOGITS["obey"]


def obey_loss_no_normaliser():
    """This is minus the logit: the exponentials were not divided by their sum."""
    return -LOGITS["obey"]


def obey_loss_normaliser():
    """This is the logarithm of the sum alone: subtract the logit of “obey”."""
    return obey_loss() + LOGITS["obey"]


def obey_loss_stop():
    """This is the loss of “stop”, the word with the highest logit: “obey” is what came."""
    return obey_loss() + LOGITS["obey"] - LOGITS["stop"]


def obey_loss_stop_bits():
    """This is the loss of “stop”, the word with the highest logit, and in bits: “obey” is what
    came, and nats take the natural logarithm.
    """
    return obey_loss_stop() / math.log(2)


def obey_loss_stop_bits_cut():
    """This is the loss of “stop” in bits, cut off: take “obey”, which came, and the natural
    logarithm.
    """
    return math.floor(100 * obey_loss_stop_bits()) / 100


def obey_loss_learn():
    """This is the loss of “learn”: “obey” is what came."""
    return obey_loss() + LOGITS["obey"] - LOGITS["learn"]


def obey_loss_the():
    """This is the loss of “the”: “obey” is what came."""
    return obey_loss() + LOGITS["obey"] - LOGITS["the"]


def obey_loss_logit_shares():
    """This divides the logits themselves by their sum: take their exponentials first."""
    return -math.log(LOGITS["obey"] / sum(LOGITS.values()))


def obey_loss_logit_sizes():
    """This divides the logits themselves, without their signs, by their sum: take their
    exponentials first, which are positive.
    """
    return -math.log(LOGITS["obey"] / sum(map(abs, LOGITS.values())))


def obey_loss_powers_of_two():
    """This takes powers of 2 in the softmax: it takes powers of e."""
    return -math.log(2 ** LOGITS["obey"] / sum(2**logit for logit in LOGITS.values()))


def obey_loss_mean():
    """This is the mean loss of the four words: only the word that came counts."""
    return obey_loss() + LOGITS["obey"] - sum(LOGITS.values()) / len(LOGITS)


def obey_loss_weighted():
    """This is weighted with the probability once more: the loss is -log p, not -p log p."""
    return obey_loss() * math.exp(-obey_loss())


def obey_loss_entropy():
    """This is the entropy, the loss to be expected: “obey” is what came, so only its p counts."""
    losses = [obey_loss() + LOGITS["obey"] - logit for logit in LOGITS.values()]
    return sum(loss * math.exp(-loss) for loss in losses)


OBEY = Claim(
    id="5.1",
    title="The loss of “obey”",
    level="easy",
    text="""
A model reads “a robot must”, and the text goes on with “obey”. Its loss there is
-log p(obey | a robot must). Work it out for a vocabulary of four words. After “a robot must” the
model gives these logits: **obey 2, stop 3, learn 1, the -1**. What is the loss in **nats**, to two
decimals?
""",
    hints=(
        "The softmax first: the exponential of each logit, divided by the sum of all four.",
        "e² = 7.389, e³ = 20.086, e¹ = 2.718, e⁻¹ = 0.368.",
        "Nats: `math.log`, the natural logarithm, with a minus in front.",
    ),
    solution=obey_loss,
    second_style=obey_loss_logsumexp,
    mistakes=(
        obey_loss_bits,
        obey_loss_base_10,
        obey_loss_probability,
        obey_loss_other_probability,
        obey_loss_sign,
        obey_loss_logit,
        obey_loss_no_normaliser,
        obey_loss_normaliser,
        obey_loss_stop,
        obey_loss_stop_bits,
        obey_loss_stop_bits_cut,
        obey_loss_learn,
        obey_loss_the,
        obey_loss_logit_shares,
        obey_loss_logit_sizes,
        obey_loss_powers_of_two,
        obey_loss_mean,
        obey_loss_weighted,
        obey_loss_entropy,
    ),
    tolerance=0.005,
    unit="nats",
    verdict="“obey” had 24 % of the probability. A model that finds “stop” likelier is not wrong, "
    "only surprised; training moves probability to what came.",
    see="5B How probable is a text?",
)
