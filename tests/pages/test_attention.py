import pytest
import torch
from page_loader import load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask, padding_mask


@torch.no_grad()
def assert_equal(page):
    torch.manual_seed(2)
    q, k, v = torch.randn(3, 2, 4, 5), torch.randn(3, 2, 6, 5), torch.randn(3, 2, 6, 5)
    padding = padding_mask([6, 1, 4], 6)
    assert page.padding_mask([6, 1, 4], 6).equal(padding)
    assert page.causal_mask(5).equal(causal_mask(5))
    anywhere = torch.device("meta")  # the masks go where their input is
    assert page.causal_mask(5, anywhere).device == anywhere
    assert page.padding_mask(torch.ones(3, device=anywhere), 6).device == anywhere
    for mask in (
        None,
        padding,
        padding & (torch.rand(4, 6) < 0.8).index_fill(1, torch.tensor(0), 1),
    ):
        for found, expected in zip(
            page.attention(q, k, v, mask), attention(q, k, v, mask), strict=True
        ):
            assert_close(found, expected)

    layer, ours = page.MultiHeadAttention(12, 2), MultiHeadAttention(12, 2)
    same_weights(layer, ours)
    x, context = torch.randn(3, 4, 12), torch.randn(3, 6, 12)
    assert_close(layer(x), ours(x))
    assert_close(layer(x, context, padding), ours(x, context, padding))
    fast = torch.nn.functional.scaled_dot_product_attention(q, k, v, padding)
    assert_close(page.attention(q, k, v, padding)[0], fast)
    causal = MultiHeadAttention(12, 2, causal=True)
    causal.load_state_dict(layer.state_dict())
    assert_close(layer(x, mask=page.causal_mask(4)), causal(x))

    head, single = page.Head(12, 12), page.MultiHeadAttention(12, 1)
    maps = (head.query, head.key, head.value)
    single.qkv.weight.copy_(torch.cat([linear.weight for linear in maps]))
    single.qkv.bias.copy_(torch.cat([linear.bias for linear in maps]))
    assert_close(single.output(head(x)), single(x))


def test_the_weights_kept_to_look_at_hold_no_graph():
    layer = load_page("attention").MultiHeadAttention(12, 2)
    layer(torch.randn(3, 4, 12)).sum().backward()
    assert layer.weights.shape == (3, 2, 4, 4)
    assert not layer.weights.requires_grad


def test_a_question_that_does_not_tell_the_name_says_nothing():
    page = load_page("attention")
    torch.manual_seed(1)
    for told, share in ((True, 1.0), (False, 0.5)):
        (asked, names, numbers, lengths), answers = page.make_questions(2000, 12, told)
        line = (names == asked[:, None]) & page.padding_mask(lengths, 8)[:, 0, 0]  # (B, S)
        in_book = line.any(dim=1).float().mean().item()
        assert_close(in_book, share, atol=0.04, rtol=0)  # 4 to 8 of 12 names are in a book
        if told:
            assert numbers[line].equal(answers)


def test_equal_to_the_library():
    assert_equal(load_page("attention"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        ("masked_fill(~mask,", "masked_fill(mask,"),
        (".tril()", ".triu()"),
        ("dtype=torch.bool, device=device", "dtype=torch.bool"),
        ("torch.arange(n_keys, device=lengths.device)", "torch.arange(n_keys)"),
        ("device=lengths.device) <", "device=lengths.device) <="),
        ("softmax(dim=-1)", "softmax(dim=-2)"),
        ("self.key(x), self.value(x)", "self.value(x), self.key(x)"),
        ("F.linear(context, w_v, b_v)", "F.linear(context, w_v)"),
        ('mixed, "B H T K -> B T (H K)"', 'mixed, "B H T K -> B T (K H)"'),
        ("context = x if context is None else context", "context = x"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("attention", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
