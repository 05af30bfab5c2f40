import pytest
import torch

from tutorial_lib.recipes import load_result, position_schemes, summarise
from tutorial_lib.recipes.position_schemes import (
    LETTERS,
    QUESTIONS,
    SCHEMES,
    START,
    UNASKED,
    LetterReader,
    answers,
    letters_loss,
    score,
    windows,
)


def ids(text):
    return torch.tensor([[START] + [LETTERS.index(letter) for letter in text]])


def test_the_answers_to_a_short_window():
    back, vowel, seen = answers(ids("to be or no"))[:, 0].tolist()
    written = [
        "".join("." if i == UNASKED else LETTERS[i] for i in question) for question in (back, vowel)
    ]
    assert written == ["....to be or", "...oooeeoooo"]
    assert seen == [UNASKED, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1]


def test_windows_stand_behind_the_start_token():
    text = torch.arange(20)
    tokens = windows(text, 5, 7, torch.Generator().manual_seed(0))
    assert tokens.shape == (5, 8)
    assert (tokens[:, 0] == START).all()
    assert (tokens[:, 1:].diff(dim=1) == 1).all()


def test_a_perfect_reader_scores_one_and_a_stubborn_one_half():
    class Oracle(torch.nn.Module):
        def forward(self, tokens):
            sizes = (START + 1, START + 1, 2)
            right = answers(tokens).clamp(min=0)
            one_hot = torch.nn.functional.one_hot
            return [one_hot(r, n).float() for r, n in zip(right, sizes, strict=True)]

    class AlwaysYes(Oracle):
        def forward(self, tokens):
            *others, seen = super().forward(tokens)
            return [*others, torch.tensor([0.0, 1.0]).expand_as(seen)]

    tokens = windows(ids("the quick brown fox jumps over it")[0, 1:], 4, 24, torch.Generator())
    assert score(Oracle(), tokens) == dict.fromkeys(QUESTIONS, 1.0)
    assert score(Oracle(), tokens, first=10) == dict.fromkeys(QUESTIONS, 1.0)
    assert score(AlwaysYes(), tokens)["seen before"] == 0.5


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_notices_that_words_change_places(scheme, causal):
    torch.manual_seed(0)
    model = LetterReader(scheme, causal, context=20)
    if scheme == "relative":
        torch.nn.init.normal_(model.bias.weight)
    if scheme == "learned":
        torch.nn.init.normal_(model.added.weight)
    tokens = ids("to be or not")
    turned = tokens.flip(1)
    blind = torch.allclose(model(tokens)[0], model(turned)[0].flip(1), atol=1e-4)
    # Turned round, distances stay as they are: ALiBi without a mask cannot tell left from right.
    assert blind == (not causal and scheme in ("none", "ALiBi"))


def test_a_causal_reader_sees_nothing_ahead():
    model = LetterReader("rotary", causal=True)
    tokens = ids("to be or not")
    changed = tokens.clone()
    changed[0, -1] = LETTERS.index("w")
    assert torch.equal(model(tokens)[1][:, :-1], model(changed)[1][:, :-1])


def test_only_learned_positions_end():
    tokens = ids("to be or not")
    for scheme in set(SCHEMES) - {"learned", "sinusoidal"}:
        LetterReader(scheme, context=4)(tokens)
    with pytest.raises(ValueError, match="13 tokens long, the context of this model holds 4"):
        LetterReader("learned", context=4)(tokens)
    with pytest.raises(ValueError, match="no scheme 'alibi'; there are: none, sinusoidal"):
        LetterReader("alibi")


def test_the_loss_counts_all_three_questions():
    model = LetterReader("none")
    tokens = ids("to be or not")
    with torch.no_grad():
        for readout in model.readouts:
            readout.weight.zero_()
            readout.bias.zero_()
        expected = 2 * torch.tensor(START + 1.0).log() + torch.tensor(2.0).log()
        assert torch.allclose(letters_loss(model, tokens), expected)


def test_what_the_table_shows():
    rows = load_result("position-schemes")["rows"]
    found = {
        where: {
            key: group["mean"]
            for key, group in summarise(rows, ["scheme", "causal", "question"], where).items()
        }
        for where in ("inside", "beyond")
    }
    inside, beyond = found["inside"], found["beyond"]
    for causal in (False, True):
        for question in QUESTIONS:
            assert beyond["relative", causal, question] > 0.98
            for scheme in ("sinusoidal", "learned", "rotary"):
                assert inside[scheme, causal, question] > 0.9
                assert beyond[scheme, causal, question] < inside[scheme, causal, question]
        assert beyond["sinusoidal", causal, "three back"] < 0.45
        assert inside["ALiBi", causal, "three back"] < 0.4
    assert beyond["ALiBi", True, "last vowel"] > 0.95
    assert inside["none", False, "seen before"] < 0.75
    assert beyond["none", True, "seen before"] > 0.97


@pytest.mark.slow
def test_a_short_training_learns_an_offset():
    settings = position_schemes.SETTINGS | {"steps": 300, "n_test": 100}
    model = position_schemes.train("relative", False, 0, settings, progress=False)
    assert position_schemes.measure(model, settings)["beyond"]["three back"] > 0.8
