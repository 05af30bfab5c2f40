"""Chapter 08a's exercises agree with the library, and take right answers of other styles."""

import pytest
import torch
from torch import nn

from tutorial_lib.exercises.chapter08a_bert_family.claims import multiplications, widest
from tutorial_lib.exercises.chapter08a_bert_family.order import order_pairs
from tutorial_lib.exercises.chapter08a_bert_family.positions import positions
from tutorial_lib.exercises.chapter08a_bert_family.shared import shared_body
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import ALBERTConfig, BERTConfig, RoBERTaConfig, count_parameters
from tutorial_lib.objectives import order_pairs as library_order_pairs

TASKS = registry.contents("08a")


# The solutions and the library ----------------------------------------------------------------


@pytest.mark.parametrize("pad_id", [0, 1, 5])
def test_the_positions_are_those_that_roberta_looks_up(pad_id):
    sizes = {"context": 9, "d_model": 4, "n_layers": 1, "n_heads": 2, "pad_id": pad_id}
    model = RoBERTaConfig(vocab_size=12, **sizes).build().eval()
    ids = torch.full((3, 9), pad_id)
    ids[0, :4] = ids[1, 5:] = torch.tensor([7, 9, 8, 6])
    ids[2] = torch.tensor([7, 9, 8, 6, 11, 10, 7, 9, 8])
    with torch.no_grad():
        looked_up = model.position_embedding(positions(ids, pad_id))
        assert torch.equal(looked_up, model.position_vectors(ids))


def test_the_rows_of_the_text_follow_the_rule():
    rows = [line.split("|")[1:4] for line in TASKS["8a.4"].text.splitlines() if "| " in line][1:]
    assert len(rows) == 6
    for pad_id, ids, looked_up in rows:
        found = positions(torch.tensor([[int(i) for i in ids.split()]]), int(pad_id))
        assert found[0].tolist() == [int(place) for place in looked_up.split()]


def test_order_pairs_makes_the_pairs_of_the_library():
    documents = [[[d, s] for s in range(n)] for d, n in enumerate((4, 2, 6))]
    found = library_order_pairs(documents, n_pairs=60, seed=1)
    draws = [(*min(pair.first, pair.second), 0.1 if pair.in_order else 0.8) for pair in found]
    assert order_pairs(documents, draws) == [tuple(pair) for pair in found]


def test_a_shared_body_does_what_albert_does():
    sizes = {"vocab_size": 9, "context": 8, "d_model": 8, "n_heads": 2, "embedding_size": 4}
    albert = ALBERTConfig(**sizes, n_layers=3).build().eval()
    body = shared_body(lambda: albert.blocks[0], 3)
    x, mask = torch.randn(2, 5, 8), torch.arange(5) < torch.tensor([[5], [3]])
    expected = x
    for layer in albert.layers():
        expected = layer(expected, mask[:, None, None])
    assert torch.equal(body(x, mask[:, None, None]), expected)
    assert count_parameters(body) == count_parameters(albert.blocks[0])


def test_the_numbers_that_decide():
    for number, expected in (("8a.1", 29), ("8a.3", 6), ("8a.6", 748)):
        assert TASKS[number].solution() == TASKS[number].second_style() == expected
    assert 0.85**29 < 0.01 < 0.85**28
    assert 30_000 * 748 + 748 * 768 < 30_000 * 768 < 30_000 * 749 + 749 * 768
    assert widest(vocabulary=30_522) == 749  # what the mistake says of BERT's vocabulary
    assert TASKS["8a.8"].solution() == pytest.approx(TASKS["8a.8"].second_style())


def test_the_numbers_said_beside_them():
    task = TASKS["8a.8"]
    assert f"BERT-base makes {multiplications(widen=0):.1f}" in task.verdict
    assert round(count_parameters(ALBERTConfig.base()) / 1e6) == 12
    assert round(count_parameters(BERTConfig.base()) / 1e6) == 109
    assert "12 million" in task.text
    assert "109 million" in task.text
    narrow, wide = 128 * (30_000 + 768) / 1e6, 30_000 * 768 / 1e6
    assert f"have {narrow:.1f} million numbers instead of {wide:.1f}" in TASKS["8a.6"].verdict


@pytest.mark.parametrize(
    ("number", "answers"),
    [("8a.1", (29,)), ("8a.3", (6, 6.0)), ("8a.6", (748,)), ("8a.8", (85, 85.0, 85.03))],
)
def test_a_rounded_claim_passes(number, answers):
    for answer in answers:
        assert judge(TASKS[number], answer).status == "right"


# Other ways to be right -----------------------------------------------------------------------


def passes_by_numpy(ids, choose, mask_id, n):
    pairs = []
    for _ in range(n):
        chosen, inputs, labels = choose().numpy(), ids.numpy().copy(), ids.numpy().copy()
        inputs[chosen] = mask_id
        labels[~chosen] = -100
        pairs.append([inputs, labels])
    return pairs


def passes_cloned(ids, choose, mask_id, n):
    def one():
        chosen, inputs = choose(), ids.clone()
        labels = torch.full_like(ids, -100)
        labels[chosen] = ids[chosen]
        inputs[chosen] = mask_id
        return inputs, labels

    return tuple(one() for _ in range(n))


def positions_in_float(ids, pad_id):
    counted = torch.cumsum((ids != pad_id).float(), dim=-1)
    return torch.where(ids == pad_id, 0, counted).int() + pad_id


def order_in_lists(documents, draws):
    found = []
    for d, s, coin in draws:
        pair = [documents[d][s], documents[d][s + 1]]
        if not coin < 0.5:
            pair.reverse()
        found.append([*pair, coin < 0.5])
    return found


def shared_by_reference(make_layer, n_layers):
    layer = make_layer()

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList()
            for _ in range(n_layers):
                self.layers.append(layer)

        def forward(self, x, mask):
            for each in self.layers:
                x = each(x, mask)
            return x

    return Body()


def shared_recursively(make_layer, n_layers):
    class Body(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.add_module("one", layer)

        def forward(self, x, mask=None, left=n_layers):
            return self.one(x, mask) if left == 1 else self(self.one(x, mask), mask, left - 1)

    return Body(make_layer())


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("8a.2", passes_by_numpy),
        ("8a.2", passes_cloned),
        ("8a.4", positions_in_float),
        ("8a.5", order_in_lists),
        ("8a.7", shared_by_reference),
        ("8a.7", shared_recursively),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."
