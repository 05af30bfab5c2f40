import pytest
import torch

from tutorial_lib.decoding import generate
from tutorial_lib.models import Llama, LlamaConfig
from tutorial_lib.recipes import prompt_scores
from tutorial_lib.recipes.prompt_scores import (
    chooses,
    continues_a_word,
    logits_from,
    says,
    shared_start,
)
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import set_seed

NOTHING_GOES_ON = torch.zeros(13, dtype=torch.bool)
# They begin alike, and go on in three lengths.
ROWS = [[1, 2, 3, 4, 5], [1, 2, 3, 6], [1, 2, 3, 4, 7, 8, 9]]


@pytest.fixture
def model():
    set_seed(0)
    sizes = {"vocab_size": 13, "context": 32, "d_model": 16, "n_layers": 2, "d_ff": 12}
    model = Llama(LlamaConfig(**sizes, n_heads=4, n_kv_heads=2)).eval()
    for weight in model.parameters():
        weight.data.mul_(4)
    return model


@pytest.mark.parametrize("batch", [2, 12])
@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], [[1, 2], [3, 4]], [[5], [6], [5]]])
def test_reading_the_shared_start_once_changes_no_logit(model, rows, batch, monkeypatch):
    monkeypatch.setattr(prompt_scores, "BATCH", batch)
    starts = [len(row) - 1 - n % len(row) for n, row in enumerate(rows)]
    for row, start, found in zip(rows, starts, logits_from(model, rows, starts), strict=True):
        with torch.no_grad():
            wanted = model(torch.tensor([row]))[0, start:]
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_the_shared_start_leaves_every_row_an_id_to_read():
    assert shared_start([[1, 2, 3], [1, 2, 3]]) == 2
    assert shared_start([[1, 2], [1, 2, 3]]) == 1
    assert shared_start([[1], [2]]) == 0


def test_it_says_what_it_would_generate_and_nothing_else(model):
    written = generate(model, ROWS, 3)
    answers = [ids[len(row) :] for row, ids in zip(ROWS, written, strict=True)]
    assert says(model, ROWS, answers, NOTHING_GOES_ON) == [True, True, True]
    shorter = [answer[:2] for answer in answers]
    assert says(model, ROWS, shorter, NOTHING_GOES_ON) == [True, True, True]
    for n in range(3):
        wrong = [[*answer[:n], (answer[n] + 1) % 13, *answer[n + 1 :]] for answer in answers]
        assert says(model, ROWS, wrong, NOTHING_GOES_ON) == [False, False, False]


def test_an_answer_that_goes_on_is_another_answer(model):
    written = generate(model, ROWS, 3)
    answers = [ids[len(row) :][:2] for row, ids in zip(ROWS, written, strict=True)]
    goes_on = NOTHING_GOES_ON.clone()
    goes_on[written[1][-1]] = True
    right = says(model, ROWS, answers, goes_on)
    assert not right[1]
    assert right[0] == (written[0][-1] != written[1][-1])


def test_the_likelier_first_token_is_chosen(model):
    choices = [[4, 1], [9], [11, 2]]
    chosen = chooses(model, ROWS, choices)
    for row, choice in zip(ROWS, chosen, strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([row]))[0, -1]
        assert choice == logits[[4, 9, 11]].argmax().item()
    with pytest.raises(ValueError, match="first token"):
        chooses(model, ROWS, [[4, 1], [4, 2]])


def test_what_continues_a_word():
    tokenizer = BPETokenizer.train("dogs and dogs and 12", 262)
    flags = continues_a_word(tokenizer)
    assert flags.shape == (tokenizer.vocab_size,)
    for text, goes_on in (("s", True), ("7", True), (" ", False), ("\n", False), (",", False)):
        (token_id,) = tokenizer.encode(text)
        assert flags[token_id] == goes_on
