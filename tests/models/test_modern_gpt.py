import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.decoding import generate
from tutorial_lib.errors import ContextError, ShapeError, VocabularyError
from tutorial_lib.models import GPT, GPTConfig, count_parameters
from tutorial_lib.models.modern_gpt import ModernGPT, ModernGPTConfig
from tutorial_lib.positions import rotate

SIZES = {"vocab_size": 23, "context": 12, "d_model": 12, "n_layers": 3, "n_heads": 3}


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = ModernGPT(ModernGPTConfig(**SIZES)).eval()
    with torch.no_grad():  # far from the start, where every layer does nothing
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


@pytest.fixture
def ids():
    torch.manual_seed(1)
    return torch.randint(23, (3, 12))


def norm(x, layer, eps=1e-5):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * layer.weight


@torch.no_grad()
def test_equals_the_formulas_written_out(model, ids):
    x = model.token_embedding.weight[ids]
    ahead = torch.ones(12, 12, dtype=torch.bool).triu(1)
    for block in model.blocks:
        qkv = block.attention.qkv(norm(x, block.attention_norm))
        q, k, v = (part.unflatten(-1, (3, 4)).transpose(1, 2) for part in qkv.chunk(3, dim=-1))
        scores = rotate(q) @ rotate(k).transpose(-2, -1) / 4**0.5
        heads = scores.masked_fill(ahead, -torch.inf).softmax(-1) @ v
        x = x + block.attention.output(heads.transpose(1, 2).flatten(2))
        hidden = block.feed_forward.hidden(norm(x, block.feed_forward_norm))
        x = x + block.feed_forward.output(hidden.clamp(min=0) ** 2)
    expected = norm(x, model.final_norm) @ model.token_embedding.weight.T
    assert_close(model(ids), expected, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_a_later_token_changes_nothing_before(model, ids):
    changed = ids.clone()
    changed[:, 7] = (changed[:, 7] + 1) % 23
    before, after = model(ids), model(changed)
    assert torch.equal(before[:, :7], after[:, :7])
    assert not torch.allclose(before[:, 7:], after[:, 7:])


@torch.no_grad()
def test_positions_come_from_distances_only(model, ids):
    model.double()
    cache = model.new_cache(batch=3)
    whole = model(ids)
    parts = [model(ids[:, :5], cache=cache), model(ids[:, 5:6], cache=cache)]
    parts.append(model(ids[:, 6:], cache=cache))
    assert_close(torch.cat(parts, dim=1), whole)
    swapped = ids[:, [1, 0, *range(2, 12)]]  # order matters, though there is no position vector
    assert not torch.allclose(model(swapped)[:, -1], whole[:, -1])


def test_cached_is_uncached(model):
    model.double()
    options = {"max_new_tokens": 20, "temperature": 0.8, "seed": 0, "slide": 4}
    prompts = [[1, 2, 3], [4]]
    assert generate(model, prompts, **options) == generate(model, prompts, cached=False, **options)


def test_it_starts_as_its_embedding(ids):
    model = ModernGPT(ModernGPTConfig(**SIZES))
    states = model.hidden_states(ids)
    assert len(states) == 4
    assert torch.equal(states[0], states[2])
    model(ids).sum().backward()
    grown = [block.attention.output.weight.grad for block in model.blocks]
    assert all(gradient.abs().sum() > 0 for gradient in grown)


@torch.no_grad()
def test_attention_can_be_watched_and_padding_counts_for_nothing(model, ids):
    with capture_attention(model) as maps:
        model(ids)
    assert [tuple(weights.shape) for weights in maps] == [(3, 3, 12, 12)] * 3
    mask = torch.arange(12) < torch.tensor([[12], [5], [1]])
    assert_close(model(ids, mask)[1, :5], model(ids[1:2, :5])[0], atol=1e-5, rtol=1e-5)


def test_it_differs_from_its_parent_by_the_positions_and_the_shifts_of_the_norms():
    parent, modern = (
        count_parameters(GPTConfig(**SIZES)),
        count_parameters(ModernGPTConfig(**SIZES)),
    )
    assert parent - modern == 12 * 12 + 7 * 12
    assert isinstance(ModernGPTConfig(**SIZES).build(), GPT)


def test_save_and_load(model, ids, tmp_path):
    model.save(tmp_path / "model.safetensors")
    assert torch.equal(ModernGPT.load(tmp_path / "model.safetensors")(ids), model(ids))


def test_there_are_no_published_weights(tmp_path):
    for source in ("gpt2", tmp_path):
        with pytest.raises(NotImplementedError, match="no published weights of a ModernGPT"):
            ModernGPT.from_pretrained(source)


def test_what_does_not_fit_is_refused(model):
    with pytest.raises(ContextError, match="13"):
        model(torch.zeros(1, 13, dtype=torch.long))
    with pytest.raises(VocabularyError, match="23"):
        model(torch.tensor([[23]]))
    with pytest.raises(ShapeError, match=r"ids must be torch.long"):
        model(torch.zeros(1, 3))
    with pytest.raises(ValueError, match="norm must be one of 'pre', got 'post'"):
        ModernGPTConfig(norm="post")
    with pytest.raises(ValueError, match="activation must be one of 'squared_relu', got 'relu'"):
        ModernGPTConfig(activation="relu")
    with pytest.raises(ShapeError, match="K must be even, got 3"):
        ModernGPT(ModernGPTConfig(**SIZES | {"n_heads": 4}))(torch.zeros(1, 2, dtype=torch.long))
