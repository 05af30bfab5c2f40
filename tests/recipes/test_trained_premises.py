import pytest
import torch

from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.objectives import IGNORED
from tutorial_lib.recipes import load_result, summarise, trained_premises
from tutorial_lib.recipes.prompt_or_weights import last_layers
from tutorial_lib.training import set_seed


@pytest.fixture
def model():
    set_seed(0)
    return GPTConfig(vocab_size=20, context=12, d_model=8, n_layers=3, n_heads=2).build().eval()


@pytest.fixture
def batch():
    ids = torch.randint(0, 20, (5, 9), generator=torch.Generator().manual_seed(0))
    is_answer = torch.zeros(5, 9).bool()
    is_answer[:, 6:8] = True
    return ids, is_answer


def test_the_loss_is_that_of_the_whole_model(model, batch):
    ids, is_answer = batch
    states = trained_premises.states_below(model, ids, n=2, batch_size=2)
    targets = ids.masked_fill(~is_answer, IGNORED)[:, 1:]
    expected = torch.nn.functional.cross_entropy(
        model(ids)[:, :-1].flatten(0, 1), targets.flatten(), ignore_index=IGNORED
    )
    loss = trained_premises.answer_loss(model, states, ids, is_answer, n=2)
    torch.testing.assert_close(loss, expected)


def test_training_lowers_the_loss_and_keeps_what_is_below(model, batch):
    settings = {"lr": 3e-2, "epochs": 5, "batch_size": 2, "layers": 2}
    ids, is_answer = batch
    states = trained_premises.states_below(model, ids, n=2, batch_size=2)
    with last_layers(model, 2) as last, torch.no_grad():
        before = trained_premises.answer_loss(model, states, ids, is_answer, n=2)
        with torch.enable_grad():
            generator = torch.Generator().manual_seed(0)
            trained_premises.train(model, last, batch, states, settings, generator)
        after = trained_premises.answer_loss(model, states, ids, is_answer, n=2)
        assert after < before - 0.03  # its token vectors are short: no logit is far from 0
        assert torch.equal(trained_premises.states_below(model, ids, 2, 2), states)


def test_no_pair_is_both_trained_on_and_asked():
    train, asked = trained_premises.labelled(720)
    assert {item.question for item in train}.isdisjoint(item.question for item in asked)


def test_training_wins_where_the_prompt_stays_at_chance():
    table = load_result("trained-premises")
    by_where = summarise(table["rows"], ["where", "examples"], "accuracy")
    labels = table["settings"]["labels"]
    assert labels in load_result("premises")["settings"]["labels"]  # beside chapter 05b's GPT
    assert by_where["prompt", 16]["mean"] < 0.45
    assert by_where["weights", labels]["lowest"] > by_where["prompt", 16]["highest"] + 0.1
