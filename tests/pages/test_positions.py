import pytest
import torch
from page_loader import load_page
from torch.testing import assert_close

from tutorial_lib.attention import attention, causal_mask
from tutorial_lib.positions import (
    LearnedPositions,
    RelativePositions,
    alibi,
    offsets,
    rotate,
    sinusoidal,
)


@torch.no_grad()
def assert_equal(page):
    torch.manual_seed(1)
    assert_close(page.sinusoidal(50, 12), sinusoidal(50, 12))
    assert page.offsets(5).equal(offsets(5))
    x = torch.randn(3, 2, 40, 6)
    assert_close(page.rotate(x), rotate(x))
    for n_heads in (1, 2, 8):
        assert_close(page.alibi(n_heads, 7), alibi(n_heads, 7))
    for ours, found in (
        (LearnedPositions(9, 4), page.LearnedPositions(9, 4)),
        (RelativePositions(2, 3), page.RelativePositions(2, 3)),
    ):
        ours.weight.normal_()
        found.load_state_dict(ours.state_dict(), strict=True)
        ours.load_state_dict(found.state_dict(), strict=True)
        assert_close(found(8), ours(8))
    for scheme in ("none", "sinusoidal", "learned", "relative", "rotary", "ALiBi"):
        assert_reader(page, scheme)


def assert_reader(page, scheme):
    """The page's reader is the library's parts put together."""
    reader = page.Reader(scheme, vocab_size=5, context=12, d_model=8, n_heads=2)
    reader.relative.weight.normal_()
    ids = torch.randint(5, (3, 12))
    x = reader.embedding(ids)
    if scheme == "sinusoidal":
        x = x + sinusoidal(12, 8)
    if scheme == "learned":
        x = x + reader.learned.weight
    q, k, v = (part.view(3, 12, 2, 4).transpose(1, 2) for part in reader.qkv(x).chunk(3, -1))
    if scheme == "rotary":
        q, k = rotate(q), rotate(k)
    bias = None
    if scheme == "relative":
        ours = RelativePositions(2, 8)
        ours.load_state_dict(reader.relative.state_dict())
        bias = ours(12)
    if scheme == "ALiBi":
        bias = alibi(2, 12)
    mixed, _ = attention(q, k, v, causal_mask(12), bias)
    assert_close(reader(ids), reader.output(mixed.transpose(1, 2).flatten(2)))


def test_equal_to_the_library():
    assert_equal(load_page("positions"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("10_000 **", "1_000 **"),
        ("angle.sin(), angle.cos()]", "angle.cos(), angle.sin()]"),
        ("self.weight[:length]", "self.weight[-length:]"),
        ("position[None, :] - position[:, None]", "position[:, None] - position[None, :]"),
        (".clamp(-self.max_distance, self.max_distance)", ".clamp(0, self.max_distance)"),
        ("a * cos - b * sin", "a * cos + b * sin"),
        ("x[..., 0::2], x[..., 1::2]", "x.chunk(2, dim=-1)"),
        ("-slopes[:, None, None]", "slopes[:, None, None]"),
        ("-8 * torch.arange", "-4 * torch.arange"),
        ("q, k = rotate(q), rotate(k)", "q = rotate(q)"),
        ("offsets(T) > 0", "offsets(T) > 1"),
        (" / math.sqrt(q.size(-1))", ""),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("positions", old, new)
    with pytest.raises((AssertionError, RuntimeError, IndexError)):
        assert_equal(page)
