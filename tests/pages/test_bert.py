import pytest
import torch
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import MaskedTokens, pretraining_loss

SIZES = {"vocab_size": 23, "context": 11, "d_model": 12, "n_layers": 2, "n_heads": 3}
HEADS = {"pooler": True, "mlm": True, "nsp": True}


@torch.no_grad()
def assert_equal(page):
    model = page.BERT(**SIZES, dropout=0.5)
    ours = BERT(BERTConfig(**SIZES, **HEADS, dropout=0.5))
    same_weights(model, ours)
    ids, segments, follows = page.pairs([[5, 6, 7], [8, 9]], [[20, 21], [22, 19, 18, 17]], 6)
    real = ids != page.PAD
    assert segments[0].tolist()[: len(ids[0])] == expected_segments(ids[0], page.SEP)
    for options in ({}, {"segments": segments}, {"segments": segments, "mask": real}):
        assert_close(model(ids, **options), ours(ids, **options), atol=1e-5, rtol=1e-5)
    hidden = ours(ids)
    assert_close(model.mlm_logits(hidden), ours.mlm_logits(hidden), atol=1e-5, rtol=1e-5)
    assert_close(model.nsp_logits(hidden), ours.nsp_logits(hidden), atol=1e-5, rtol=1e-5)

    torch.manual_seed(3)
    changed, chosen = page.hide(ids, 23)
    tokens = MaskedTokens(changed, segments, real, chosen, ids[chosen])
    expected = pretraining_loss(ours, (tokens, follows))
    torch.manual_seed(3)
    found = page.pretraining_loss(model, ids, segments, follows)
    assert_close(found, expected, atol=1e-5, rtol=1e-5)
    assert_shares(page)
    sizes = SIZES | {"d_model": 24}
    assert_same_start(page.BERT(**sizes), BERT(BERTConfig(**sizes, **HEADS)))


def expected_segments(ids, sep):
    first = ids.tolist().index(sep)
    return [0] * (first + 1) + [1] * (len(ids) - first - 1)


def assert_shares(page):
    """15 % chosen, of them 80 % masked, 10 % random, 10 % kept; special tokens never."""
    ids = torch.cat([torch.arange(5).expand(100, 5), torch.randint(5, 1000, (100, 500))], dim=1)
    special = ids < page.FIRST_WORD
    changed, chosen = page.hide(ids, 1000)
    assert changed[~chosen].equal(ids[~chosen])
    assert not chosen[special].any()
    assert_close(chosen[~special].float().mean().item(), 0.15, atol=0.01, rtol=0)
    masked, kept = changed[chosen] == page.MASK, changed[chosen] == ids[chosen]
    assert_close(masked.float().mean().item(), 0.8, atol=0.03, rtol=0)
    assert_close(kept.float().mean().item(), 0.1, atol=0.03, rtol=0)
    assert (changed[chosen][~masked] >= page.FIRST_WORD).all()


def test_equal_to_the_library():
    assert_equal(load_page("bert"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        ("~mask[:, None, None, :]", "~mask[:, None, :, None]"),
        (
            "self.attention_norm(x + self.dropout(self.attention(x, mask)))",
            "x + self.dropout(self.attention(self.attention_norm(x), mask))",
        ),
        ("self.dropout(self.embedding_norm(x))", "self.dropout(x)"),
        (" + self.segment_embedding(segments)", ""),
        ("output=output))", "last=output))"),
        (".T + self.mlm_head.bias", ".T"),
        (".tanh()", ""),
        ("(~follows).long()", "follows.long()"),
        ("ids != PAD)  # (B, T, D)\n    words", "None)  # (B, T, D)\n    words"),
        ("return changed, draw < 0.15", "return changed, draw < 0.12"),
        ("draw < 0.135", "draw < 0.15"),
        ("masked_fill(ids < FIRST_WORD, 1.0)", "masked_fill(ids < MASK, 1.0)"),
        ("cumsum(dim=1) >", "cumsum(dim=1) >="),
        ("std=0.02", "std=0.2"),
    ],
)
def test_a_broken_copy_differs(old, new):
    torch.manual_seed(0)
    page = load_page("bert", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
