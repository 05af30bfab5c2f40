"""Two pairs of sentences and an untrained reader, small enough to check by hand."""

import torch

from tutorial_lib.datasets.premises import PremisePair
from tutorial_lib.recipes.premise_readers import build
from tutorial_lib.recipes.premises import SMOKE

PAIR = PremisePair("two dogs are in the field", "some animals are outdoors", "entailment")
LONG = PremisePair("two small dogs are in the field", "two cats are indoors", "contradiction")


def untrained_gpt():
    torch.manual_seed(0)
    return build(SMOKE).eval()
