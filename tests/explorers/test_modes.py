"""An explorer reads with a model as if dropout were off, and leaves its mode as it was."""

import pytest
import torch
from moves import MOVES, finder, load, minilm

from tutorial_lib import explorers
from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes.translator import Translator


def attention():
    model, tokenizer = minilm()
    explorer = explorers.AttentionExplorer.from_model(model, tokenizer, "the cat", other="a dog")
    return model, explorer, lambda: explorer.set_trait("broken", {"how": "patch"})


def pictures():
    explorer = MOVES["attention, picture"][0]()
    return load("mnist-vit"), explorer, lambda: explorer.set_trait("broken", {"how": "zero"})


def digits():
    explorer = explorers.DigitExplorer(load("mnist-vit"), load_mnist().test)
    return explorer.models[0], explorer, lambda: explorer.set_trait("example", 3)


def fill_mask():
    explorer = explorers.FillMaskExplorer(load("shakespeare-bert"))
    return explorer.model, explorer, lambda: explorer.ask(left=True)


def generation():
    explorer = MOVES["generation"][0]()
    return explorer.writer.model, explorer, lambda: explorer.write(3)


def search():
    explorer = explorers.SpeechSearch(finder())
    return explorer.finder.model, explorer, lambda: explorer.ask(n=3)


def translation():
    translator = Translator.load("de")
    explorer = explorers.TranslationExplorer(translator)
    return translator.model, explorer, lambda: explorer.set_trait("text", "17")


def modes(model):
    return [part.training for part in model.modules()]


@pytest.mark.parametrize(
    "make", [attention, pictures, digits, fill_mask, generation, search, translation]
)
def test_each_part_of_the_model_keeps_its_mode(make):
    model, _, _ = make()
    before = modes(model)
    try:
        model.train()
        for part in list(model.children())[:1]:
            part.eval()  # frozen by its owner
        mixed = modes(model)
        assert len(set(mixed)) == 2
        _, _, use = make()
        assert modes(model) == mixed
        use()
        assert modes(model) == mixed
        assert torch.is_grad_enabled()
    finally:
        for part, training in zip(model.modules(), before, strict=True):
            part.training = training
