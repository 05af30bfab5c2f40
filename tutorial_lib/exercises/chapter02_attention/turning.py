"""Chapter 02: the head that tells “it” how the sentence ends, found by breaking all 72 in turn."""

from functools import lru_cache

import torch

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.exercises.engine.tasks import Claim
from tutorial_lib.interpret import Zero, intervene
from tutorial_lib.models.bert import BERT
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXT = "The animal didn't cross the street because it was too {}."


@lru_cache(maxsize=1)
def all_leads():
    """Return by how much “it” is closer to “animal” than to “street”: {head: (tired, wide)}.

    A head is (layer, number), or None where all heads work. The cosines are of final vectors.
    """
    folder = minilm_folder()
    model = BERT.from_pretrained(folder)
    tokenizer = WordPieceTokenizer.from_vocab(folder / "vocab.txt")
    encoded = [tokenizer.encode(TEXT.format(ending)) for ending in ("tired", "wide")]
    it, animal, street = map(encoded[0].tokens.index, ("it", "animal", "street"))
    texts = torch.tensor([text.ids for text in encoded])  # (2, T)
    n_layers, n_heads = len(model.blocks), model.blocks[0].attention.n_heads
    heads = [None, *((layer, n) for layer in range(n_layers) for n in range(n_heads))]
    found = {}
    for head in heads:
        with torch.no_grad(), intervene(model, *([Zero(*head)] if head else [])):
            last = model(texts)  # (2, T, D)
        closer = torch.cosine_similarity(last[:, it, None], last[:, [animal, street]], dim=-1)
        found[head] = tuple((closer[:, 0] - closer[:, 1]).tolist())
    return found


def turns():
    """Return the lead with “tired” less that with “wide”, for each head that is zeroed."""
    return {head: tired - wide for head, (tired, wide) in all_leads().items() if head}


def smallest_turn():
    """The turn at “it” without the head that it needs most."""
    return min(turns().values())


def smallest_turn_sorted():
    """Second style."""
    return sorted(tired - wide for tired, wide in all_leads().values())[0]


def turn_as_it_is():
    """This is the turn of the whole model: now zero one head at a time."""
    tired, wide = all_leads()[None]
    return tired - wide


def turn_without_l3h1():
    """This is the turn without L3H1: another head makes it smaller still."""
    return turns()[3, 1]


def turn_without_l2h8():
    """This is the second smallest: one more head is missing from your loop, or from its range."""
    return turns()[2, 8]


def largest_turn():
    """This is the largest turn: without that head, “it” turns more. The smallest is asked for."""
    return max(turns().values())


def smallest_lead_tired():
    """This is the smallest lead with “tired”: subtract the lead with “wide”, head by head."""
    return min(tired for tired, _ in all_leads().values())


def smallest_lead_wide():
    """This is the smallest lead with “wide”: the turn is the lead with “tired” less this one."""
    return min(wide for _, wide in all_leads().values())


def turn_lost():
    """This is what the turn loses without the head: what is left of it is asked for."""
    return turn_as_it_is() - smallest_turn()


TURNING = Claim(
    id="2.13",
    title="Who turns “it”?",
    level="medium",
    text="""
When *tired* becomes *wide*, the lead at *it* falls from 0.41 to 0.25: a turn of 0.16. Without L3H1
the turn is 0.13. Zero each of the 72 heads alone, and measure the turn each time, with
`lead("tired", Zero(layer, head))` and the same for *wide*. One head leaves the smallest turn. **How
large is that turn**, to two decimals? And look for yourself: `maps["tired"][layer, head, it]` is
what that head gives to each word from *it*. Where does it look?
""",
    hints=(
        'The turn: `lead("tired", Zero(l, h)) - lead("wide", Zero(l, h))`.',
        "Two loops, over 6 layers and 12 heads; collect the 72 turns and take the smallest.",
        "The head is in layer 2, one layer before L3H1.",
    ),
    solution=smallest_turn,
    second_style=smallest_turn_sorted,
    mistakes=(
        turn_as_it_is,
        turn_without_l3h1,
        turn_without_l2h8,
        largest_turn,
        smallest_lead_tired,
        smallest_lead_wide,
        turn_lost,
    ),
    tolerance=0.005,
    unit="for the turn that is left",
    verdict="Without L2H3 about half of the turn is gone. Look at its row of “it”.",
    see="2K Break it",
)
