import pytest
import torch

from tutorial_lib.errors import VocabularyError
from tutorial_lib.interpret import logit_lens
from tutorial_lib.models import GPTConfig, LlamaConfig, ModernGPTConfig

SIZES = {"vocab_size": 11, "context": 8, "d_model": 8, "n_layers": 3, "n_heads": 2}
CONFIGS = {
    "GPT": GPTConfig(**SIZES),
    "ModernGPT": ModernGPTConfig(**SIZES),
    "Llama": LlamaConfig(**SIZES, n_kv_heads=1, d_ff=12, tied=False),
}
IDS = torch.tensor([[3, 1, 7, 0]])


@pytest.fixture(params=CONFIGS)
def model(request):
    torch.manual_seed(0)
    model = CONFIGS[request.param].build().eval()
    with torch.no_grad():
        for parameter in model.parameters():  # untrained layers would hardly differ
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return model


def test_the_last_row_is_what_the_model_says(model):
    lens = logit_lens(model, IDS, n=11)
    with torch.no_grad():
        expected = model(IDS)[0].softmax(-1)  # (T, V)
    torch.testing.assert_close(
        lens.top_probabilities[-1], expected.sort(-1, descending=True).values
    )
    for token_id in (0, 10):
        torch.testing.assert_close(lens.probability(token_id)[-1], expected[:, token_id])


def test_a_row_is_what_a_model_without_the_later_layers_says(model):
    lens = logit_lens(model, IDS)
    while len(model.blocks):
        del model.blocks[-1]
        with torch.no_grad():
            likeliest = model(IDS)[0].argmax(-1)
        assert torch.equal(lens.top_ids[len(model.blocks), :, 0], likeliest)


def test_all_probabilities_of_a_position_sum_to_one(model):
    lens = logit_lens(model, IDS, n=2)
    total = sum(lens.probability(token_id) for token_id in range(11))
    torch.testing.assert_close(total, torch.ones(4, 4))
    best = lens.top_ids[2, 1, 0]
    torch.testing.assert_close(lens.probability(int(best))[2, 1], lens.top_probabilities[2, 1, 0])


@pytest.mark.parametrize("token_id", [-1, 11])
def test_an_id_outside_is_refused(model, token_id):
    with pytest.raises(VocabularyError, match=f"from 0 to 10, got {token_id}"):
        logit_lens(model, IDS).probability(token_id)
