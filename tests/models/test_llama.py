import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.models import Llama

transformers = pytest.importorskip("transformers")

# Odd on purpose: nothing that could hide a swapped axis.
SIZES = {
    "a third of the heads": {},
    "one head for all": {"num_key_value_heads": 1},
    "a head for each": {"num_key_value_heads": 6, "num_hidden_layers": 1},
    "two for ten": {"hidden_size": 20, "num_attention_heads": 10, "num_key_value_heads": 2},
    "one head": {"hidden_size": 10, "num_attention_heads": 1, "num_key_value_heads": 1},
    "untied": {"tie_word_embeddings": False},
    "another base": {"rope_parameters": {"rope_theta": 7.0, "rope_type": "default"}},
    "large eps": {"rms_norm_eps": 0.3, "intermediate_size": 5},
}


def theirs(**sizes):
    torch.manual_seed(0)
    options = {
        "vocab_size": 23,
        "max_position_embeddings": 11,
        "num_hidden_layers": 3,
        "hidden_size": 36,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "intermediate_size": 17,
        "tie_word_embeddings": True,
    }
    config = transformers.LlamaConfig(**(options | sizes))
    config._attn_implementation = "eager"
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model


def batch(length=11):
    torch.manual_seed(1)
    ids = torch.randint(23, (3, length))
    return ids, torch.arange(length) < torch.tensor([[length], [1], [length // 2]])


@torch.no_grad()
def assert_equal(ours, other, ids, mask):
    with capture_attention(ours) as maps:
        logits = ours(ids, mask)
    states = ours.hidden_states(ids, mask)
    expected = other(
        ids, attention_mask=mask.long(), output_hidden_states=True, output_attentions=True
    )
    assert_close(logits, expected.logits, atol=1e-5, rtol=1e-5)
    assert len(maps) == len(expected.attentions)
    for state, wanted in zip(states, expected.hidden_states, strict=True):
        assert_close(state, wanted, atol=1e-5, rtol=1e-5)
    for weights, wanted in zip(maps, expected.attentions, strict=True):
        assert_close(weights, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equals_transformers(tmp_path, sizes):
    other = theirs(**sizes)
    other.save_pretrained(tmp_path)
    ours = Llama.from_pretrained(tmp_path)
    assert_equal(ours, other, *batch())
    assert not ours.training


def test_gradients_equal_transformers(tmp_path):
    other = theirs()
    other.save_pretrained(tmp_path)
    ours = Llama.from_pretrained(tmp_path)
    ids, _ = batch()
    for model in (ours, other):
        logits = model(ids) if model is ours else model(ids).logits
        logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None]).sum().backward()
    wanted = other.model.embed_tokens.weight.grad
    assert_close(ours.token_embedding.weight.grad, wanted, atol=1e-4, rtol=1e-4)
    wanted = other.model.layers[0].self_attn.v_proj.weight.grad
    assert_close(ours.blocks[0].attention.qkv.weight.grad[-12:], wanted, atol=1e-4, rtol=1e-4)
