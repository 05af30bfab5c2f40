import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.decoding import generate
from tutorial_lib.models import GPT, GPTConfig
from tutorial_lib.objectives import next_token_loss, shifted

SIZES = {"vocab_size": 23, "context": 11, "d_model": 12, "n_layers": 3, "n_heads": 2}


def both(page):
    model, ours = page.GPT(**SIZES, dropout=0.5), GPT(GPTConfig(**SIZES, dropout=0.5))
    same_weights(model, ours)
    return model, ours


@torch.no_grad()
def assert_equal(page):
    model, ours = both(page)
    ids = torch.randint(23, (3, 11), generator=torch.Generator().manual_seed(2))
    assert_close(model(ids), ours(ids), atol=1e-5, rtol=1e-5)
    expected = next_token_loss(ours, shifted(ids))
    assert_close(page.next_token_loss(model, ids), expected, atol=1e-5, rtol=1e-5)
    # 15 more tokens go past the context of 11.
    greedy = page.generate(model.train(), ids[:, :4], 15, top_k=1)
    assert greedy.tolist() == generate(ours, ids[:, :4], 15)
    assert model.training  # as before
    torch.manual_seed(3)
    drawn = page.generate(model, ids[:, :4], 15, temperature=1.5, top_k=5)
    torch.manual_seed(3)
    assert drawn.tolist() == generate(ours, ids[:, :4], 15, temperature=1.5, top_k=5)
    assert page.generate(model, ids, 1, top_k=99).shape == (3, 12)  # more than there are tokens
    with pytest.raises(AssertionError, match="longer than the context"):
        model(torch.zeros(1, 12, dtype=torch.long))
    sizes = SIZES | {"d_model": 24}
    assert_same_start(page.GPT(**sizes), GPT(GPTConfig(**sizes)))


def test_equal_to_the_library():
    assert_equal(load_page("gpt"))


def test_the_fused_kernel_takes_the_place_of_the_function():
    ours = "heads = attention("
    assert_equal(load_page("gpt", ours, "heads = F.scaled_dot_product_attention("))


def test_dropout_falls_on_the_weights_in_training_only():
    attention, (q, k, v) = load_page("gpt").attention, torch.ones(3, 1, 1, 400, 1)
    mask = torch.ones(400, 400, dtype=torch.bool)
    assert_close(attention(q, k, v, mask, 0.0), v)
    dropped = attention(q, k, v, mask, 0.5)
    assert_close(dropped.mean().item(), 1.0, atol=0.05, rtol=0)
    assert dropped.std() > 0.02


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        (".tril(S - T)", ".tril(S - T + 1)"),
        (".tril(S - T)", ".tril()"),
        ("self.dropout if self.training else 0.0", "self.dropout"),
        ("(qkv H K)", "(H qkv K)"),
        ("self.attention(self.attention_norm(x), cache)", "self.attention(x, cache)"),
        ('approximate="tanh"', 'approximate="none"'),
        ("torch.arange(start, start + ids.size(1)", "torch.arange(0, ids.size(1)"),
        (".transpose(1, 2), ids[:, 1:]", ".transpose(1, 2), ids[:, :-1]"),
        ("2 * n_layers if name", "1 if name"),
        ("    model.train(was_training)\n", ""),
        ("start + ids.size(1) <= self.context", "True"),
        ("min(top_k, logits.size(-1))", "top_k"),
        ("n == 0 or ids.size(1) > model.context", "n == 0"),
        ("    model.eval()  # no dropout\n", ""),
        ("cache.append((k, v))", "cache[:] = [(k, v)]"),
        ("] / temperature", "]"),
        ("min(top_k, ", "min(top_k + 1, "),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("gpt", old, new)
    with pytest.raises((AssertionError, RuntimeError, IndexError)):
        assert_equal(page)
