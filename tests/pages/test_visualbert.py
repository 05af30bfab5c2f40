"""The page of VisualBERT is the library's VisualBERT, and each of its lines matters."""

import pytest
import torch
import torch.nn.functional as F
from page_loader import assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import VisualBERT, VisualBERTConfig

SIZES = {"vocab_size": 17, "context": 8, "d_region": 65, "d_model": 12, "n_layers": 2, "n_heads": 3}
HEADS = {"pooler": True, "mlm": True, "match": True}


@torch.no_grad()
def assert_equal(page):
    model, ours = page.VisualBERT(**SIZES), VisualBERT(VisualBERTConfig(**SIZES, **HEADS))
    same_weights(model, ours)
    pixels, labels = torch.randn(200, 64), torch.arange(200) % 10
    ids, regions, mask, true = page.draw(pixels, labels, 40)
    assert_drawn(page, ids, regions, mask, true, pixels, labels)
    hidden = ours(ids, regions, mask=mask)
    assert_close(model(ids, regions, mask), hidden, atol=1e-5, rtol=1e-5)
    assert_close(model.mlm_logits(hidden), ours.mlm_logits(hidden), atol=1e-5, rtol=1e-5)
    assert_close(model.match_logits(hidden), ours.match_logits(hidden), atol=1e-5, rtol=1e-5)

    torch.manual_seed(3)
    changed, chosen = page.hide(ids)
    assert (chosen.sum(dim=1) == 1).all()
    assert set(chosen.nonzero()[:, 1].tolist()) == {1, 2, 4}
    assert (changed[chosen] == page.MASK).all()
    asked = chosen & true[:, None]
    found = ours.mlm_logits(ours(changed, regions, mask=mask)[:, :6][asked])
    expected = F.cross_entropy(found, ids[asked])
    expected = expected + F.cross_entropy(ours.match_logits(hidden), (~true).long())
    torch.manual_seed(3)
    loss = page.pretraining_loss(model, ids, regions, mask, true)
    assert_close(loss, expected, atol=1e-5, rtol=1e-5)
    sizes = SIZES | {"d_model": 24}
    assert_same_start(page.VisualBERT(**sizes), VisualBERT(VisualBERTConfig(**sizes, **HEADS)))


def assert_drawn(page, ids, regions, mask, true, pixels, labels):
    """A sentence is true exactly where its words say what the regions show."""
    assert 0 < true.sum() < len(true)
    assert 0 < mask[:, 8].sum() < len(mask)
    assert mask[:, :8].all()
    shown = labels[torch.cdist(regions[..., :64], pixels).argmin(dim=-1)]  # (n, 3)
    for row, digits, places, said in zip(ids.tolist(), shown, regions[..., 64], true, strict=True):
        where = dict(zip((digits + page.ZERO).tolist(), places.tolist(), strict=True))
        first, side, second = row[1], row[2], row[4]
        assert (row[0], row[3], row[5]) == (page.CLS, page.OF, page.SEP)
        assert len(where) == 3
        assert first in where
        assert said == (second in where)
        if said:
            assert (where[first] < where[second]) == (side == page.LEFT)


def test_equal_to_the_library():
    assert_equal(load_page("visualbert"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" / math.sqrt(q.size(-1))", ""),
        ("~mask[:, None, None, :]", "~mask[:, None, :, None]"),
        ("self.attention_norm(x + self.attention(x, mask))", "x + self.attention(x, mask)"),
        (" + self.segment_embedding.weight[0]", " + self.segment_embedding.weight[1]"),
        ("self.visual_segment_embedding.weight[1]", "self.visual_segment_embedding.weight[0]"),
        ("self.visual_position_embedding.weight[0]", "self.position_embedding.weight[1]"),
        ("torch.cat([x, seen], dim=1)", "torch.cat([seen, x], dim=1)"),
        (".T + self.mlm_head.bias", ".T"),
        (".tanh()", ""),
        ("(~true).long()", "true.long()"),
        ("kinds[:, [0, 3]]", "kinds[:, [0, 1]]"),
        ("places[:, 0] < places[:, 1]", "places[:, 1] < places[:, 2]"),
        ("torch.tensor([1, 2, 4])", "torch.tensor([1, 3, 4])"),
        ("model(changed[true], ", "model(ids[true], "),
        ("std=0.02", "std=0.2"),
    ],
)  # fmt: skip
def test_a_broken_copy_differs(old, new):
    page = load_page("visualbert", old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        assert_equal(page)
