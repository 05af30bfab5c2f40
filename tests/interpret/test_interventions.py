import pytest
import torch

from tutorial_lib.interpret import (
    Patch,
    Zero,
    head_output,
    head_outputs,
    intervene,
    mean_outputs,
    repeated_sequences,
)
from tutorial_lib.models import GPT, GPTConfig, Llama, LlamaConfig
from tutorial_lib.training import set_seed

IDS = repeated_sequences(range(11), n=3, length=5)
OTHERS = torch.randint(0, 11, (4, 10), generator=torch.Generator().manual_seed(0))


def gpt():
    set_seed(0)
    return GPT(GPTConfig(vocab_size=11, context=16, d_model=8, n_layers=3, n_heads=2))


def llama():
    set_seed(0)
    sizes = {"vocab_size": 11, "context": 16, "d_model": 16, "n_layers": 3, "d_ff": 12}
    return Llama(LlamaConfig(**sizes, n_heads=4, n_kv_heads=2))


@pytest.fixture(params=[gpt, llama])
def model(request):
    model = request.param().eval()
    for weight in model.parameters():  # large enough that a head makes a difference
        weight.data.mul_(4)
    return model


def test_all_outputs_at_once_are_those_of_each_head(model):
    outputs = head_outputs(model, IDS)
    for layer in range(3):
        for head in range(model.config.n_heads):
            assert torch.equal(outputs[layer][:, head], head_output(model, layer, head, IDS))
    means = mean_outputs(model, IDS)
    torch.testing.assert_close(means[1][0], outputs[1][:, 0].flatten(0, 1).mean(dim=0))


def test_a_head_at_its_mean_says_the_same_everywhere_and_is_not_silent(model):
    mean = mean_outputs(model, OTHERS)[1][0]  # (K,)
    always = Patch(1, 0, mean.expand(*IDS.shape, -1))
    with intervene(model, always):
        assert torch.equal(head_output(model, 1, 0, IDS), always.output)
    with torch.no_grad(), intervene(model, Zero(1, 0)):
        silent = model(IDS)
    with torch.no_grad(), intervene(model, always):
        assert not torch.allclose(model(IDS), silent)
