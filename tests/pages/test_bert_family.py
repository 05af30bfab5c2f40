"""RoBERTa, ALBERT, DistilBERT, ELECTRA, XLM: a page each, equal to the library unless broken."""

import ast

import pytest
import torch
from page_loader import PAGES, assert_same_start, load_page, same_weights
from torch.testing import assert_close

from tutorial_lib.models import (
    ALBERTConfig,
    BERTConfig,
    DistilBERT,
    DistilBERTConfig,
    ELECTRAConfig,
    RoBERTaConfig,
    XLMConfig,
)
from tutorial_lib.objectives import (
    MaskedTokens,
    ReplacedTokens,
    distillation_loss,
    masked_token_loss,
    pack_translated,
    replaced_token_loss,
    tlm_pair,
)

SIZES = {"vocab_size": 23, "context": 14, "d_model": 12, "n_heads": 3}
LAYERS = SIZES | {"n_layers": 2}
IDS = [[5, 6], [8, 9]] * 40, [[20], [22, 19, 18, 17, 16, 15]] * 40
TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}


def alike(found, expected):
    assert_close(found, expected, **TOLERANCE)


@torch.no_grad()
def roberta(page):
    model = page.RoBERTa(**LAYERS, dropout=0.5)
    ours = RoBERTaConfig(**LAYERS, dropout=0.5, pad_id=page.PAD, mlm=True).build()
    same_weights(model, ours)
    ids = page.texts(*IDS)
    assert ids[0].tolist() == [0, 5, 6, 2, 2, 20, 2, *[1] * 5]
    real = ids != page.PAD
    for options in ({}, {"mask": real}):
        alike(model(ids, **options), ours(ids, **options))
    shifted = torch.cat([torch.full((80, 1), page.PAD), ids], dim=1)  # padding in front counts not
    alike(model(shifted, shifted != page.PAD), ours(shifted, mask=shifted != page.PAD))
    changed, chosen = page.hide(ids, 23)
    tokens = MaskedTokens(changed, None, real, chosen, ids[chosen])
    alike(page.masked_loss(model, ids, changed, chosen), masked_token_loss(ours, tokens))
    sizes = LAYERS | {"d_model": 24}
    assert_same_start(page.RoBERTa(**sizes), RoBERTaConfig(**sizes, mlm=True).build())


@torch.no_grad()
def albert(page):
    model = page.ALBERT(**SIZES, width=5, n_layers=3, dropout=0.5)
    parts = {"pooler": True, "mlm": True, "order": True, "embedding_size": 5}
    ours = ALBERTConfig(**SIZES, n_layers=3, dropout=0.5, **parts).build()
    same_weights(model, ours)
    torch.manual_seed(0)
    ids, segments, in_order = page.pairs([[5, 6, 7, 8], [9, 10, 11]], 40)
    assert in_order.any()
    assert not in_order.all()
    for row, where, kept in zip(ids.tolist(), segments.tolist(), in_order.tolist(), strict=True):
        middle = row.index(page.SEP)
        assert (row[1] < row[middle + 1]) == kept
        assert where[: middle + 1] == [0] * (middle + 1)
        assert where[middle + 1] == 1
    real = ids != page.PAD
    for options in ({}, {"segments": segments}, {"segments": segments, "mask": real}):
        alike(model(ids, **options), ours(ids, **options))
    hidden = ours(ids, segments, real)
    alike(model.mlm_logits(hidden), ours.mlm_logits(hidden))
    alike(model.order_logits(hidden), ours.order_logits(hidden))
    torch.manual_seed(3)
    changed, chosen = page.hide(ids, 23)
    tokens = MaskedTokens(changed, segments, real, chosen, ids[chosen])
    hidden = ours(changed, segments, real)
    expected = masked_token_loss(ours, tokens) + torch.nn.functional.cross_entropy(
        ours.order_logits(hidden), (~in_order).long()
    )
    torch.manual_seed(3)
    alike(page.pretraining_loss(model, ids, segments, in_order), expected)
    sizes = SIZES | {"d_model": 24, "n_layers": 3}
    parts["embedding_size"] = 16
    assert_same_start(page.ALBERT(**sizes, width=16), ALBERTConfig(**sizes, **parts).build())


def distilbert(page):
    model = page.DistilBERT(**SIZES, n_layers=4, dropout=0.5)
    ours = DistilBERTConfig(**SIZES, n_layers=4, dropout=0.5, mlm=True).build()
    same_weights(model, ours)
    torch.manual_seed(0)
    ids = torch.randint(5, 23, (3, 9))
    ids[1, 6:] = page.PAD
    real = ids != page.PAD
    with torch.no_grad():
        for options in ({}, {"mask": real}):
            alike(model(ids, **options), ours(ids, **options))
    # A BERT whose segments are nothing is the page's teacher.
    bert = BERTConfig(**SIZES, n_layers=4, mlm=True).build().eval()
    weights = ours.state_dict() | {"segment_embedding.weight": torch.zeros(2, 12)}
    bert.load_state_dict(weights)
    student, theirs = page.student_of(model), DistilBERT.from_teacher(bert)
    assert student.training
    student.eval()
    theirs.eval()
    for name, tensor in theirs.state_dict().items():
        alike(student.state_dict()[name], tensor)
    with torch.no_grad():
        for parameter in (*student.parameters(), *theirs.parameters()):
            parameter.add_(0.1)
    changed, chosen = page.hide(ids, 23)
    tokens = MaskedTokens(changed, None, real, chosen, ids[chosen])
    alike(page.loss_of(student, ids, changed, chosen), masked_token_loss(theirs, tokens))
    found = page.loss_of(student, ids, changed, chosen, model, 3.0)
    alike(found, distillation_loss(theirs, bert, tokens, 3.0))
    found.backward()
    assert all(parameter.grad is None for parameter in model.parameters())
    sizes = SIZES | {"d_model": 24, "n_layers": 2}
    assert_same_start(page.DistilBERT(**sizes), DistilBERTConfig(**sizes, mlm=True).build())


def electra(page):
    sizes = {"vocab_size": 23, "context": 14, "n_layers": 2}
    large, small = {"d_model": 12, "n_heads": 3}, {"d_model": 4, "n_heads": 1}
    discriminator = page.Discriminator(**sizes, **large, width=6, dropout=0.5)
    generator = page.Generator(**sizes, **small, width=6, dropout=0.5)
    judge = ELECTRAConfig(**sizes, **large, embedding_size=6, dropout=0.5, replaced=True).build()
    filler = judge.config.generator(1 / 3).build()
    same_weights(discriminator, judge)
    same_weights(generator, filler)
    torch.manual_seed(0)
    ids = torch.randint(5, 23, (8, 9))
    ids[:, 0], ids[1, 6:] = page.CLS, page.PAD
    segments, real = torch.randint(2, ids.shape), ids != page.PAD
    with torch.no_grad():
        for options in ({}, {"segments": segments}, {"segments": segments, "mask": real}):
            alike(discriminator(ids, **options), judge(ids, **options))
            alike(generator(ids, **options), filler(ids, **options))
    torch.manual_seed(3)
    loss, changed, replaced = page.electra_loss(generator, discriminator, ids, 0.5, 3.0)
    loss.backward()
    torch.manual_seed(3)
    chosen = torch.rand(ids.shape).masked_fill(ids < page.FIRST_WORD, 1.0) < 0.5
    assert not chosen[ids < page.FIRST_WORD].any()
    gaps = ids.masked_fill(chosen, page.MASK)
    with torch.no_grad():
        logits = filler.mlm_logits(filler(gaps, mask=real)[chosen])  # (N, V)
    drawn = torch.multinomial(logits.softmax(dim=-1), 1)  # the same random numbers, one by one
    assert changed.equal(ids.masked_scatter(chosen, drawn))
    assert replaced.equal(changed != ids)
    assert replaced.any()
    tokens = MaskedTokens(gaps, None, real, chosen, ids[chosen])
    of_filler = masked_token_loss(filler, tokens)
    alike(
        loss,
        of_filler + 3 * replaced_token_loss(judge, ReplacedTokens(changed, None, real, replaced)),
    )
    of_filler.backward()  # the discriminator has taught the generator nothing
    ours = dict(filler.named_parameters())
    for name, parameter in generator.named_parameters():
        if ours[name].grad is not None:
            alike(parameter.grad, ours[name].grad)


@torch.no_grad()
def xlm(page):
    model = page.XLM(**LAYERS, n_languages=3, dropout=0.5)
    ours = XLMConfig(**LAYERS, dropout=0.5, n_languages=3, mlm=True).build()
    same_weights(model, ours)
    rows = [[(2, [5, 6, 7]), (1, [8, 9])], [(0, [10]), (2, [20, 21, 22, 19, 18])]] * 20
    ids, languages, positions = page.texts(rows)
    pairs = [
        tlm_pair(a, b, page.SEP, languages=(first, second)) for (first, a), (second, b) in rows
    ]
    batch = pack_translated(pairs, page.PAD)
    for found, expected in zip((ids, languages, positions), batch[:3], strict=True):
        assert found.equal(expected)
    for options in (
        {},
        {"languages": languages},
        {"mask": batch.mask, "positions": positions},
        {"languages": languages, "mask": batch.mask, "positions": positions},
    ):
        alike(model(ids, **options), ours(ids, **options))
    single = page.texts([[(1, [5, 6, 7])], [(0, [8])]])
    assert single[0].tolist() == [[1, 5, 6, 7, 1], [1, 8, 1, 0, 0]]
    torch.manual_seed(3)
    changed, chosen = page.hide(ids, 23)
    assert not chosen[ids < page.FIRST_WORD].any()
    tokens = MaskedTokens(changed, languages, batch.mask, chosen, ids[chosen])
    torch.manual_seed(3)
    found = page.masked_loss(model, ids, languages, positions)
    alike(found, masked_token_loss(ours, tokens, positions))
    sizes = LAYERS | {"d_model": 24, "n_languages": 40}
    assert_same_start(page.XLM(**sizes), XLMConfig(**sizes, mlm=True).build())


AGREE = {
    "roberta": roberta,
    "albert": albert,
    "distilbert": distilbert,
    "electra": electra,
    "xlm": xlm,
}


@pytest.mark.parametrize("name", AGREE)
def test_equal_to_the_library(name):
    AGREE[name](load_page(name))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("roberta", "real.cumsum(dim=1) * real + PAD", "real.cumsum(dim=1) * real"),
        ("roberta", "real.cumsum(dim=1) * real + PAD", "torch.arange(1, ids.size(1) + 1) + PAD"),
        ("roberta", " + self.segment_embedding.weight[0]", ""),
        ("roberta", "SEP, SEP, *second", "SEP, *second"),
        ("roberta", "model(changed, ids != PAD)", "model(changed)"),
        ("albert", "range(self.n_layers)", "range(2)"),
        ("albert", "GELU = nn.GELU(approximate=\"tanh\")", "GELU = nn.GELU()"),
        ("albert", ".tanh()", ""),
        ("albert", "(~in_order).long()", "in_order.long()"),
        ("albert", ":: 1 if kept else -1", "::1"),
        ("albert", " + self.segment_embedding(segments)", ""),
        ("distilbert", "student.blocks[::2]", "student.blocks[:2]"),
        ("distilbert", "temperature**2 * ", ""),
        ("distilbert", "5 * soft", "soft"),
        ("distilbert", "with torch.no_grad():  # the teacher", "if True:  # the teacher"),
        ("distilbert", "hidden[real], wanted[real]", "hidden, wanted"),
        ("distilbert", "return student.train()", "return student"),
        ("electra", "torch.multinomial(logits.softmax(dim=-1), 1)", "logits.argmax(dim=-1)"),
        ("electra", "replaced = changed != ids", "replaced = chosen"),
        ("electra", "said[real], replaced[real]", "said[chosen], replaced[chosen]"),
        ("electra", "masked_fill(ids < FIRST_WORD, 1.0)", "masked_fill(ids < CLS, 1.0)"),
        ("electra", "weight * judged", "judged"),
        ("electra", "discriminator(changed, mask=real)", "discriminator(changed)"),
        ("electra", ".T + self.mlm_head.bias", ".T"),
        ("xlm", " + self.position_embedding(positions)", ""),
        ("xlm", "x + self.language_embedding(languages)", "x"),
        ("xlm", "return x if mask is None else x * mask[..., None]", "return x"),
        ("xlm", ".T + self.mlm_head.bias", ".T"),
        ("xlm", "for _, words in row for i in range(len(words) + 2)]", "for i in range(20)]"),
        ("xlm", "for i in (SEP, *words, SEP)]", "for i in (*words, SEP)]"),
        ("xlm", "for n, words in row for _ in", "for n, words in row[:1] for _ in"),
        ("xlm", "ids != PAD, positions)  # (B", "ids != PAD)  # (B"),
    ],
)  # fmt: skip
def test_a_broken_copy_differs(name, old, new):
    torch.manual_seed(0)
    page = load_page(name, old, new)
    with pytest.raises((AssertionError, RuntimeError)):
        AGREE[name](page)


@pytest.mark.parametrize("name", ["roberta", "albert", "distilbert"])
def test_words_are_hidden_as_on_the_page_of_bert(name):
    """Its 80, 10 and 10 % are counted in test_bert.py."""
    assert hiding(name) == hiding("bert")


def hiding(name):
    """Return the code of a page's `hide`, without comments."""
    tree = ast.parse((PAGES / f"{name}.py").read_text(encoding="utf-8"))
    return next(ast.unparse(node) for node in tree.body if getattr(node, "name", "") == "hide")
