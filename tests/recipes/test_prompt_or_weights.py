import pytest
import torch

from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.recipes import load_result, prompt_or_weights, summarise
from tutorial_lib.recipes.prompting import TASKS
from tutorial_lib.training import set_seed


@pytest.fixture
def model():
    set_seed(0)
    return GPTConfig(vocab_size=20, context=12, d_model=8, n_layers=3, n_heads=2).build().eval()


def test_only_the_last_layers_learn_and_their_weights_are_put_back(model):
    before = {name: weight.clone() for name, weight in model.state_dict().items()}

    def changed():
        return {n.split(".")[1] for n, w in model.state_dict().items() if (w != before[n]).any()}

    ids = torch.randint(0, 20, (4, 9), generator=torch.Generator().manual_seed(0))
    is_answer = torch.zeros(4, 9).bool()
    is_answer[:, 6:] = True
    steps = []
    for step in prompt_or_weights.train(model, (ids, is_answer), 2, 3, lr=1e-2):
        assert changed() == {"1", "2"}
        steps.append(step)
    assert steps == [1, 2, 3]
    assert not changed()
    assert all(p.requires_grad and p.grad is None for p in model.parameters())


def test_the_last_layers_read_a_stream_that_was_made_before(model):
    ids = torch.randint(0, 20, (4, 9), generator=torch.Generator().manual_seed(0))
    is_answer = torch.zeros(4, 9).bool()
    is_answer[:, 6:8] = True
    stream = prompt_or_weights.stream_below(model, ids, 2)
    logits, targets = prompt_or_weights.answer_logits(model, stream, 2, ids, is_answer)
    assert torch.allclose(logits, model(ids)[:, 5:7].flatten(0, 1), atol=1e-6)
    assert torch.equal(targets, ids[:, 6:8].flatten())


def test_sentences_to_choose_by_are_never_shown_nor_asked():
    settings = prompt_or_weights.SETTINGS
    _, validation, _ = prompt_or_weights.split(0, settings)
    for seed in settings["seeds"]:
        shown, again, asked = prompt_or_weights.split(seed, settings)
        assert again == validation
        assert len({*shown, *again, *asked}) == len(shown) + len(again) + len(asked)


def test_weights_are_put_back_after_an_error(model):
    before = model.blocks[2].feed_forward.output.weight.detach().clone()

    def stopped():
        with prompt_or_weights.last_layers(model, 1) as last:
            last[0].data.zero_()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert torch.equal(model.blocks[2].feed_forward.output.weight, before)


def test_the_answers_alone_are_marked(smollm2_tokenizer):
    task = TASKS["past tense"]
    items = task.items()[:3]
    ids, is_answer = prompt_or_weights.as_batch(smollm2_tokenizer, task.wordings[0], items)
    for item, row, marked in zip(items, ids, is_answer, strict=True):
        assert smollm2_tokenizer.decode(row[marked].tolist()) == f" {item.answer}\n"
        asked = row[: marked.nonzero()[0].item()].tolist()
        assert smollm2_tokenizer.decode(asked).endswith("Good English output:")


def test_what_the_table_shows():
    rows = load_result("prompt-or-weights")["rows"]
    mean = {
        key: stats["mean"]
        for key, stats in summarise(rows, ["where", "examples"], "accuracy").items()
    }
    for k in (1, 4, 16):
        assert mean["prompt", k] > mean["weights", k] + 0.1
    assert mean["weights", 16] > mean["prompt", 0] + 0.1


def test_training_was_chosen_and_too_much_of_it_harms():
    found = load_result("prompt-or-weights")
    settings = found["settings"]
    tried = summarise(found["tried"], ["examples", "lr", "steps"], "accuracy")
    most = (max(settings["lr"]), max(settings["steps"]))
    for row in found["chosen"]:
        k, *how = row.values()
        assert tuple(how) == prompt_or_weights.best_training(found["tried"], k)
        assert tried[k, *how]["mean"] > tried[k, *most]["mean"] + 0.3
