"""BART and T5, a page each: equal to the library, unless broken."""

from types import SimpleNamespace

import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import BARTConfig, T5Config
from tutorial_lib.objectives import corruption, translation_loss

SIZES = {"d_model": 12, "n_layers": 2, "n_heads": 3}
HEADS = {"d_head": 5, "d_ff": 17}


@torch.no_grad()
def agree(page, model, ours, loss, start):
    """The page's model computes what ours does."""
    same_weights(model, ours)
    assert model.target_embedding.weight is model.source_embedding.weight
    generator = torch.Generator().manual_seed(2)
    source, target = (torch.randint(4, 19, (4, n), generator=generator) for n in (30, 25))
    source[1, 3:], target[1, 5:], target[2, 1:] = page.PAD, page.PAD, page.PAD
    real, written = source != page.PAD, target != page.PAD
    close = {"atol": 1e-5, "rtol": 1e-5}
    assert_close(model(source, target), ours(source, target), **close)
    expected = ours(source, target, real, written)[written]
    assert_close(model(source, target, real)[written], expected, **close)
    assert_close(model.encode(source, real)[real], ours.encode(source, real)[real], **close)
    target[:, 0] = start
    expected = translation_loss(ours, (source, target), pad_id=page.PAD, smoothing=0.0)
    assert_close(loss(model, source, target), expected, **close)


def bart(page):
    model = page.BART(19, 30, **SIZES, dropout=0.5)
    ours = BARTConfig(vocab_size=19, context=30, **SIZES, dropout=0.5).build()
    with torch.no_grad():
        for one in (model, ours):
            one.output_bias.copy_(torch.arange(19) / 4)
    agree(page, model, ours, page.mending_loss, page.START)
    sizes = SIZES | {"d_model": 24}
    ours = BARTConfig(vocab_size=30, context=30, **sizes).build()
    assert_same_start(page.BART(30, 30, **sizes), ours)
    for n_words in (1, 2, 9, 30):
        for seed in range(30):
            torch.manual_seed(seed)
            words = list(range(4, 4 + n_words))
            found = page.infill(words, 0.4)
            assert found == library_infill(words, page.MASK, 0.4, seed)


def library_infill(words, mask, share, seed):
    """Return what the library makes of words, with torch's random numbers in its draws."""
    torch.manual_seed(seed)
    draws = SimpleNamespace(sample=lambda of, n: torch.randperm(len(of))[:n].tolist())
    poisson = corruption.poisson
    corruption.poisson = lambda mean, _: int(torch.poisson(torch.tensor(mean)))
    try:
        return corruption.infill_spans(words, mask, share, draws)
    finally:
        corruption.poisson = poisson


def t5(page):
    ours = T5Config(vocab_size=19, **SIZES, **HEADS, dropout=0.5).build()
    agree(page, page.T5(19, **SIZES, **HEADS), ours, page.text_loss, page.PAD)
    for causal in (False, True):
        theirs = page.Distances(3, causal)
        table = ours.target_distances if causal else ours.source_distances
        with torch.no_grad():
            theirs.weight.copy_(table.weight)
        found = theirs(300)
        assert torch.equal(found, table(300))
    torch.manual_seed(0)
    sizes = SIZES | {"d_model": 24, "d_head": 9, "d_ff": 60}
    model, ours = page.T5(40, **sizes), T5Config(vocab_size=40, **sizes).build()
    assert_same_start(model, ours)
    wide = page.T5(9, d_model=200, n_layers=0, n_heads=40, d_head=1, d_ff=1)
    assert_close(wide.source_distances.weight.std().item(), 200**-0.5, rtol=0.1, atol=0)
    queries, keys, _ = model.encoder_blocks[0].attention.qkv.weight.chunk(3)
    assert_close((keys.std() / queries.std()).item(), 3.0, rtol=0.15, atol=0)


AGREE = {"bart": bart, "t5": t5}


@pytest.mark.parametrize("name", AGREE)
def test_equal_to_the_library(name):
    AGREE[name](load_page(name))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("bart", "nn.GELU()", "nn.ReLU()"),
        ("bart", "positions.weight[2:]", "positions.weight[0:]"),
        ("bart", "dropout(norm(self.source_embedding", "dropout((self.source_embedding"),
        ("bart", ".T + self.output_bias", ".T"),
        ("bart", "(target, self.target_positions,", "(target, self.source_positions,"),
        ("bart", "std=0.02 if weight.dim() == 2 else 0.0", "std=0.02"),
        ("bart", " / math.sqrt(q.size(-1))", ""),
        ("bart", ", n_hidden - sum(lengths)", ", n_hidden"),
        ("bart", "zip(sorted(gaps.tolist()), lengths", "zip(gaps.tolist(), lengths"),
        ("bart", ", MASK]", ", *[MASK] * length]"),
        ("bart", "target[:, 1:], ignore_index=PAD", "target[:, 1:]"),
        ("t5", "+ distances  #", "/ math.sqrt(q.size(-1)) + distances  #"),
        ("t5", "+ distances  #", "#"),
        ("t5", "self.attention(y, y, mask, distances)", "self.attention(x, x, mask, distances)"),
        ("t5", "2 if self.causal else 4", "2 if self.causal else 8"),
        ("t5", "(offset > 0) * 2 * near", "(offset < 0) * 2 * near"),
        ("t5", "math.log(self.max_distance / near)", "math.log(self.max_distance)"),
        ("t5", ".clamp(max=2 * near - 1)", ".clamp(max=2 * near - 2)"),
        ("t5", "self.decoder_norm(y) * y.size(-1) ** -0.5", "self.decoder_norm(y)"),
        ("t5", "return self.encoder_norm(x)", "return x"),
        ("t5", ".mul_(d_head**-0.5)", ".mul_(1.0)"),
        ("t5", "d_model if \"distances\" in name else w.size(1)", "w.size(1)"),
        ("t5", " and name != \"source_embedding.weight\"", ""),
    ],
)  # fmt: skip
def test_a_broken_copy_differs(name, old, new):
    torch.manual_seed(0)
    page = load_page(name, old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        AGREE[name](page)
