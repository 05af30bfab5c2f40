import random

import pytest
import torch

from tutorial_lib.attention import Tap, attention_layers, tapped
from tutorial_lib.datasets.made_up_plurals import ALPHABET, VOWELS, Example, is_held_out
from tutorial_lib.objectives import IGNORED
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.in_context import (
    SMOKE,
    Batches,
    accuracy_by_examples,
    answers,
    build,
    continue_prompt,
    draw_sequences,
    ending_scores,
    held_out_sequences,
    outcomes,
    under_rule,
)
from tutorial_lib.recipes.shakespeare_gpt import decode

WUG, MOLA, TAS = Example("wug", "wugib"), Example("mola", "molako"), Example("tas", "tasib")


def said(inputs, targets):
    """The text that a row asks for, a dot where it asks for nothing."""
    return "".join("." if t == IGNORED else ALPHABET[t] for t in targets.tolist())


class Says(torch.nn.Module):
    """Gives a fixed text as its answer, whatever it reads: the sign behind each of its places."""

    def __init__(self, texts):
        super().__init__()
        self.next = [torch.tensor([ALPHABET.index(c) for c in text[1:] + "|"]) for text in texts]

    def forward(self, ids):
        rows = [row[: ids.size(1)] for row in self.next]
        width = ids.size(1)
        rows = [torch.nn.functional.pad(row, (0, width - len(row))) for row in rows]
        return torch.nn.functional.one_hot(torch.stack(rows), len(ALPHABET)).float()


def test_what_is_asked_for():
    inputs, targets = answers([(WUG, MOLA), (TAS,)])
    assert decode(inputs[0], ALPHABET) == "wug wugib|mola molako"
    assert said(inputs[0], targets[0]) == "...wugib|.....molako|"
    assert decode(inputs[1, :9], ALPHABET) == "tas tasib"
    assert said(inputs[1], targets[1]) == "...tasib|" + "." * 12
    with pytest.raises(ValueError, match="one of plural, all, got 'letters'"):
        answers([(WUG, MOLA)], "letters")


def test_in_training_every_sign_is_asked_for():
    inputs, targets = answers([(WUG, MOLA), (TAS,)], asked="all")
    assert said(inputs[0], targets[0]) == "ug wugib|mola molako|"
    assert said(inputs[1], targets[1]) == "as tasib|" + "." * 12
    inputs, targets = next(iter(Batches(3, 4)))
    assert torch.equal(
        inputs[:, 1:][targets[:, 1:] != IGNORED], targets[:, :-1][targets[:, 1:] != IGNORED]
    )
    assert (targets[:, 0] != IGNORED).all()


def test_nothing_held_out_is_trained_on():
    for sequence in draw_sequences(60, 5, random.Random(0)):
        assert not any(is_held_out(example.word) for example in sequence)
        assert not any(is_held_out(example.ending) for example in sequence)
    for sequence in held_out_sequences(60):
        assert all(is_held_out(example.word) for example in sequence)
        assert all(is_held_out(example.ending) for example in sequence)


def test_batches_start_again_from_their_seed():
    batches = Batches(4, 3, seed=5)
    first, again = next(iter(batches)), next(iter(batches))
    assert torch.equal(first.inputs, again.inputs)
    assert not torch.equal(first.targets, next(iter(Batches(4, 3, seed=6))).targets)
    many = iter(batches)
    next(many)
    assert next(many).inputs.tolist() != first.inputs.tolist()


def test_an_answer_is_right_only_as_a_whole():
    sequences = [(WUG, MOLA), (TAS, MOLA)]
    texts = ["wug wugib|mola molako|", "tas tasib|mola molako|"]
    assert accuracy_by_examples(Says(texts), sequences) == [1.0, 1.0]
    texts[0] = "wug wugib|mola molaka|"
    assert accuracy_by_examples(Says(texts), sequences) == [1.0, 0.5]
    texts[0] = "wug wugib|mola molakoo"  # it does not stop
    assert accuracy_by_examples(Says(texts), sequences) == [1.0, 0.5]
    texts[1] = "xxx tasib|xxxx molako|"  # what the words are is not asked
    assert accuracy_by_examples(Says(texts), sequences) == [1.0, 0.5]


def test_a_wrong_word_is_told_from_a_wrong_ending():
    sequences = [(WUG, MOLA), (TAS, MOLA), (TAS, MOLA)]
    texts = ["wug wugib|mola molako|", "tas tasib|mola molaka|", "tas tasib|mola malaka|"]
    found = outcomes(Says(texts), sequences, 1)
    assert found == {"right": 1, "wrong ending": 1, "word miscopied": 1}
    assert outcomes(Says(texts), sequences, 0)["right"] == 3


def test_an_answer_goes_on_to_its_end():
    model = Says(["wug wugib|tas tasib|"])
    assert continue_prompt(model, "wug ") == "wugib"
    assert continue_prompt(model, "wug wugib|tas ") == "tasib"
    assert continue_prompt(Says(["wug " + "a" * 30]), "wug ", longest=5) == "aaaaa"


def test_a_rule_deals_out_the_two_endings_of_a_sequence():
    texts = ["wug wugko|mola molaib|", "tas tasko|mola molaib|"]
    sequences = [(WUG, MOLA), (TAS, MOLA), (WUG, TAS)]  # the last one has one ending
    right, again = under_rule(Says(texts), sequences, lambda word: len(word) == 4)
    assert right == [1.0, 1.0]
    assert again == [0.0, 0.0]


def test_no_other_rule_is_followed():
    model, sequences = load_checkpoint("in-context"), held_out_sequences(200)
    trained, first_letter, length, one = (
        under_rule(model, sequences, rule)[0]
        for rule in (
            lambda word: word[-1] in VOWELS,
            lambda word: word[0] in VOWELS,
            lambda word: len(word) == 3,
            lambda word: True,
        )
    )
    assert trained[8] > 0.95
    assert max(first_letter[8], length[8]) < 0.5
    assert one[1] < 0.7  # after one example it knows the ending of one kind of word


class Looking(Tap):
    """Head 0 looks from one place at another; everything else looks at itself."""

    changes = True

    def __init__(self, asks, tells):
        self.asks, self.tells = asks, tells

    def __call__(self, name, tensor):
        if name != "weights":
            return tensor
        changed = torch.eye(tensor.size(-1)).expand_as(tensor).clone()
        changed[:, 0, self.asks] = 0
        changed[:, 0, self.asks, self.tells] = 1
        return changed


@pytest.mark.parametrize(
    ("asks", "tells", "score"),
    [
        (28, 7, 0.5),  # tas ta[s]ib looks at wug wug[i]b; the other half is su suko
        (36, 19, 0.5),  # su s[u]ko at mola mola[k]o
        (28, 6, 0.0),  # one before
        (28, 8, 0.0),  # one behind
        (27, 7, 0.0),  # too early
        (29, 7, 0.0),  # too late
        (36, 7, 0.0),  # an ending of the other kind
        (18, 7, 0.0),  # nothing tells the ending of mola
    ],
)
def test_a_head_scores_where_an_ending_tells_the_answer(asks, tells, score):
    model = build(SMOKE)
    layer = attention_layers(model)[1]
    with tapped([(layer, Looking(asks, tells))]):
        scores = ending_scores(model, [(WUG, MOLA, TAS, Example("su", "suko"))])
    assert scores.shape == (3, 2)
    assert scores[1].tolist() == [score, 0.0]
