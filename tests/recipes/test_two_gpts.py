import math

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.models import GPT, GPTConfig
from tutorial_lib.recipes import load_result
from tutorial_lib.recipes.shakespeare_gpt import ALPHABET
from tutorial_lib.recipes.two_gpts import NEW_PROSE, SETTINGS, bits, texts


def test_bits_are_those_of_windows_that_do_not_see_each_other():
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=7, context=4, d_model=8, n_layers=1, n_heads=2)).eval()
    ids = torch.randint(7, (10,))
    expected = 0.0
    for start, stop in ((0, 4), (4, 8), (8, 9)):
        logits = model(ids[None, start:stop])[0]
        expected += F.cross_entropy(logits, ids[start + 1 : stop + 1], reduction="sum").item()
    assert bits(model, ids.tolist(), 4) == pytest.approx(expected / math.log(2), rel=1e-4)


def test_both_models_can_spell_the_new_prose():
    assert set(NEW_PROSE) <= set(ALPHABET)


def test_the_stored_table_is_of_these_texts():
    rows = load_result("two-gpts")["rows"]
    read = texts(SETTINGS["characters"])
    assert [row["text"] for row in rows] == [name for name in read for _ in range(2)]
    assert all(row["characters"] == len(read[row["text"]]) for row in rows)
