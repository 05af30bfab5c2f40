import pytest
import torch
from page_loader import load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.decoding import generate
from tutorial_lib.models import Transformer, TransformerConfig
from tutorial_lib.objectives import translation_loss

SIZES = {"source_vocab_size": 19, "d_model": 12, "n_layers": 2, "n_heads": 3}
PAD, START = 0, 1


@torch.no_grad()
def assert_equal(page):
    model = page.Transformer(**SIZES, dropout=0.5)
    ours = Transformer(TransformerConfig(**SIZES, dropout=0.5))
    same_weights(model, ours)
    assert model.target_embedding.weight is model.source_embedding.weight

    generator = torch.Generator().manual_seed(2)
    source, target = (torch.randint(1, 19, (4, n), generator=generator) for n in (7, 9))
    source[1, 3:], target[1, 5:], target[2, 1:] = PAD, PAD, PAD
    real, written = source != PAD, target != PAD
    assert_close(model(source, target), ours(source, target), atol=1e-5, rtol=1e-5)
    expected = ours(source, target, real, written)
    assert_close(model(source, target, real, written), expected, atol=1e-5, rtol=1e-5)
    assert_close(model.encode(source, real), ours.encode(source, real), atol=1e-5, rtol=1e-5)
    expected = translation_loss(ours, (source, target), pad_id=PAD)
    found = page.translation_loss(model, source, target)
    assert_close(found, expected, atol=1e-5, rtol=1e-5)

    greedy = page.translate(model.train(), source, 8)
    assert greedy.tolist() == generate(ours, [START], 8, source=source, source_mask=real)
    spread = page.Transformer(**(SIZES | {"d_model": 60})).source_embedding.weight.std()
    assert_close(spread.item(), 60**-0.5, rtol=0.1, atol=0)


def test_equal_to_the_library():
    assert_equal(load_page("transformer"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        (".triu(1)", ".triu(2)"),
        ("causal=decoder", "causal=False"),
        ("~mask[:, None, None, :]", "mask[:, None, None, :] & False"),
        (
            "self.attention_norm(x + self.dropout(self.attention(x, x, mask)))",
            "x + self.dropout(self.attention(self.attention_norm(x), x, mask))",
        ),
        ("self.cross_attention(x, memory, memory_mask)", "self.cross_attention(x, x)"),
        ("nn.ReLU()", "nn.GELU()"),
        (" * math.sqrt(D)", ""),
        ("std=d_model**-0.5", "std=1"),
        ("angle.sin(), angle.cos()", "angle.cos(), angle.sin()"),
        ("= self.source_embedding  #", "= nn.Embedding(source_vocab_size, d_model)  #"),
        ("target[:, 1:], ignore_index", "target[:, :-1], ignore_index"),
        ("ignore_index=PAD, ", ""),
        ("label_smoothing=0.1", "label_smoothing=0.0"),
        ("    model.eval()\n", ""),
        ("torch.full_like(source[:, :1], START)", "torch.full_like(source[:, :1], END)"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("transformer", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
