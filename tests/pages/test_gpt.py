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
    torch.manual_seed(3)
    drawn = page.generate(model, ids[:, :4], 15, temperature=1.5, top_k=5)
    torch.manual_seed(3)
    assert drawn.tolist() == generate(ours, ids[:, :4], 15, temperature=1.5, top_k=5)
    sizes = SIZES | {"d_model": 24}
    assert_same_start(page.GPT(**sizes), GPT(GPTConfig(**sizes)))


def test_equal_to_the_library():
    assert_equal(load_page("gpt"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(K)", ""),
        (".triu(S - T + 1)", ".triu(S - T + 2)"),
        (".triu(S - T + 1)", ".triu(1)[:, :S]"),
        ("(qkv H K)", "(H qkv K)"),
        ("self.attention(self.attention_norm(x), cache)", "self.attention(x, cache)"),
        ('approximate="tanh"', 'approximate="none"'),
        ("torch.arange(start, start + ids.size(1)", "torch.arange(0, ids.size(1)"),
        ("ids[:, 1:].flatten()", "ids[:, :-1].flatten()"),
        ("2 * n_layers if added else 1", "1"),
        ("n == 0 or ids.size(1) > model.context", "n == 0"),
        ("    model.eval()  # no dropout\n", ""),
        ("cache.append((k, v))", "cache[:] = [(k, v)]"),
        ("] / temperature", "]"),
        (".topk(top_k)", ".topk(top_k + 1)"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("gpt", old, new)
    with pytest.raises((AssertionError, RuntimeError, IndexError)):
        assert_equal(page)
