"""The table of the family: what can be counted is counted, and agrees with what was published."""

import pytest

from tutorial_lib.models.zoo import PARTS, ZOO

# Millions, as the papers print them; counted from our configs within two per cent.
PRINTED = {
    "Transformer": 213,
    "GPT": 117,
    "BERT": 340,
    "GPT-2": 1_542,
    "RoBERTa": 355,
    "DistilBERT": 66,
    "BART": 406,
    "T5": 11_000,
    "ELECTRA": 335,
    "GPT-3": 175_000,
    "ViT": 307,
    "CLIP": 428,
    "Llama": 65_200,
    "SmolLM2": 1_700,
}


def test_the_table_is_in_order_and_has_each_model_once():
    assert len({member.name for member in ZOO}) == len(ZOO)
    assert [member.year for member in ZOO] == sorted(member.year for member in ZOO)
    assert {member.part for member in ZOO} == set(PARTS)
    assert all(member.source and member.objective for member in ZOO)


@pytest.mark.parametrize("name", PRINTED)
def test_counted_sizes_are_the_published_ones(name):
    (member,) = (member for member in ZOO if member.name == name)
    assert callable(member.size)
    assert member.parameters == pytest.approx(1e6 * PRINTED[name], rel=0.03)
