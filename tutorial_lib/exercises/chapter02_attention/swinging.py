"""Chapter 02: the head that tells L3H1 how the sentence ends, found by breaking 36 in turn."""

from functools import lru_cache

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import minilm_folder
from tutorial_lib.exercises.engine.tasks import Claim
from tutorial_lib.interpret import Zero, intervene
from tutorial_lib.models.bert import BERT
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXT = "The animal didn't cross the street because it was too {}."


@lru_cache(maxsize=1)
def all_weights():
    """Return what L3H1 gives from “it” to “animal” with each ending: {head: (tired, wide)}.

    A head is (layer, number) and silent, or None where all heads work.
    """
    folder = minilm_folder()
    model = BERT.from_pretrained(folder)
    tokenizer = WordPieceTokenizer.from_vocab(folder / "vocab.txt")
    encoded = [tokenizer.encode(TEXT.format(ending)) for ending in ("tired", "wide")]
    it, animal = map(encoded[0].tokens.index, ("it", "animal"))
    texts = torch.tensor([text.ids for text in encoded])  # (2, T)
    n_heads = model.blocks[0].attention.n_heads
    heads = [None, *((layer, n) for layer in range(3) for n in range(n_heads))]
    found = {}
    for head in heads:
        silent = [Zero(*head)] if head else []
        with torch.no_grad(), intervene(model, *silent), capture_attention(model) as captured:
            model(texts)
        found[head] = tuple(captured[3][:, 1, it, animal].tolist())
    return found


def swings():
    """Return the weight with “tired” less that with “wide”, for each head that is zeroed."""
    return {head: tired - wide for head, (tired, wide) in all_weights().items() if head}


def smallest_swing():
    """The swing of L3H1 without the head that it needs most."""
    return min(swings().values())


def smallest_swing_sorted():
    """Second style."""
    return sorted(tired - wide for tired, wide in all_weights().values())[0]


def swing_as_it_is():
    """This is the swing of the whole model: now zero one head at a time."""
    tired, wide = all_weights()[None]
    return tired - wide


def swing_without_l2h8():
    """This is the second smallest: one more head is missing from your loop, or from its range."""
    return swings()[2, 8]


def largest_swing():
    """This is the largest swing: without that head, L3H1 swings more. The smallest is asked for."""
    return max(swings().values())


def smallest_weight_tired():
    """This is the smallest weight with “tired”: subtract the weight with “wide”, head by head."""
    return min(tired for tired, _ in all_weights().values())


def swing_lost():
    """This is what the swing loses without the head: what is left of it is asked for."""
    return swing_as_it_is() - smallest_swing()


SWINGING = Claim(
    id="2.13",
    title="Who tells L3H1?",
    level="medium",
    text="""
L3H1 gives *animal* 0.40 more with *tired* than with *wide*: that is its swing. Zero each of the 36
heads of layers 0 to 2 alone, and measure the swing each time, with `swing(Zero(layer, head))`. One
head leaves the smallest swing. **How large is that swing**, to two decimals? And look for yourself:
`maps["tired"][layer, head, it]` is what that head gives to each word from *it*. Where does it look?
""",
    hints=(
        "Two loops, over 3 layers and 12 heads; collect the 36 swings.",
        "`swings = {(l, h): swing(Zero(l, h)) for l in range(3) for h in range(12)}`",
        "`min(swings, key=swings.get)` names the head. It is in layer 2, just before L3H1.",
    ),
    solution=smallest_swing,
    second_style=smallest_swing_sorted,
    mistakes=(
        swing_as_it_is,
        swing_without_l2h8,
        largest_swing,
        smallest_weight_tired,
        swing_lost,
    ),
    tolerance=0.005,
    unit="for the swing that is left",
    verdict="Without L2H3 more than half of the swing is gone. Look at its row of “it”.",
    see="2K Break it",
)
