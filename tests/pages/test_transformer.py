import pytest
import torch
from page_loader import load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.decoding import generate
from tutorial_lib.models import Transformer, TransformerConfig
from tutorial_lib.objectives import translation_loss

SIZES = {"d_model": 12, "n_layers": 2, "n_heads": 3}
PAD, START = 0, 1


@torch.no_grad()
def assert_equal(page):
    model = page.Transformer(19, **SIZES, dropout=0.5)
    ours = Transformer(TransformerConfig(19, **SIZES, dropout=0.5))
    same_weights(model, ours)
    assert model.target_embedding.weight is model.source_embedding.weight

    generator = torch.Generator().manual_seed(2)
    source, target = (torch.randint(1, 19, (4, n), generator=generator) for n in (7, 9))
    source[1, 3:], target[1, 5:], target[2, 1:] = PAD, PAD, PAD
    real, written = source != PAD, target != PAD
    assert_close(model(source, target), ours(source, target), atol=1e-5, rtol=1e-5)
    expected = ours(source, target, real, written)[written]
    assert_close(model(source, target, real)[written], expected, atol=1e-5, rtol=1e-5)
    assert_close(model.encode(source, real), ours.encode(source, real), atol=1e-5, rtol=1e-5)
    expected = translation_loss(ours, (source, target), pad_id=PAD)
    found = page.translation_loss(model, source, target)
    assert_close(found, expected, atol=1e-5, rtol=1e-5)

    assert_same_translations(page, model, ours)
    spread = page.Transformer(19, **(SIZES | {"d_model": 60})).source_embedding.weight.std()
    assert_close(spread.item(), 60**-0.5, rtol=0.1, atol=0)


def assert_same_translations(page, model, ours):
    """Each text until its END, then PAD; no column after the last END."""
    source = torch.randint(1, 19, (40, 7), generator=torch.Generator().manual_seed(3))
    starts, options = [[START]] * 40, {"source": source, "source_mask": source != PAD}
    # Random weights never write the END of the page: take a token that some texts have.
    texts = generate(ours, starts, 8, **options)
    end = next(n for n in range(2, 19) if 5 < sum(n in text for text in texts) < 35)
    page.Transformer.forward.__globals__["END"] = end
    expected = generate(ours, starts, 8, stop=end, **options)
    found = page.translate(model, source, 8)
    assert found.tolist() == [row + [PAD] * (9 - len(row)) for row in expected]
    short = [n for n, row in enumerate(expected) if len(row) < 9]
    columns = max(len(expected[n]) for n in short)
    assert page.translate(model, source[short], 8).shape == (len(short), columns)


def test_a_decoder_needs_what_the_encoder_read():
    block = load_page("transformer").Block(12, 3, 0.0, decoder=True)
    with pytest.raises(TypeError):
        block(torch.zeros(1, 2, 12), None)


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
        ("= self.source_embedding  #", "= nn.Embedding(vocab_size, d_model)  #"),
        ("target[:, 1:], ignore_index", "target[:, :-1], ignore_index"),
        ("ignore_index=PAD, ", ""),
        ("label_smoothing=0.1", "label_smoothing=0.0"),
        ("masked_fill(ended, PAD)", "masked_fill(ended, END)"),
        ("if ended.all()", "if ended.any()"),
        ("if ended.all()", "if False"),
        ("torch.full_like(source[:, :1], START)", "torch.full_like(source[:, :1], END)"),
    ],
)
def test_a_broken_copy_differs(old, new):
    page = load_page("transformer", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
