import itertools
import math
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from tutorial_lib.errors import ContextError, ShapeError, VocabularyError
from tutorial_lib.objectives import (
    MaskedTokens,
    NextTokenBatches,
    SentencePair,
    label_smoothing_loss,
    mask_patches,
    mask_tokens,
    masked_patch_loss,
    masked_token_loss,
    mean_colours,
    mean_next_token_loss,
    next_token_loss,
    pack_pairs,
    pretraining_loss,
    sentence_pairs,
    shifted,
    translation_loss,
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


class Bigram(nn.Module):
    """Logits that depend on the last token only."""

    def __init__(self, vocab_size=10):
        super().__init__()
        self.table = nn.Embedding(vocab_size, vocab_size)
        self.dropout = nn.Dropout(0.5)

    def forward(self, ids):
        return self.dropout(self.table(ids))


# Next token


def test_windows_are_shifted_by_one_and_seedable():
    batches = NextTokenBatches(torch.arange(50), batch_size=4, context=7, seed=3)
    first = list(itertools.islice(batches, 5))
    for inputs, targets in first:
        assert inputs.shape == targets.shape == (4, 7)
        assert torch.equal(targets, inputs + 1)
    again = list(itertools.islice(batches, 5))  # a new iterator starts from the seed again
    assert all(
        torch.equal(torch.stack(a), torch.stack(b)) for a, b in zip(first, again, strict=True)
    )
    other = next(iter(NextTokenBatches(torch.arange(50), batch_size=4, context=7, seed=4)))
    assert not torch.equal(first[0][0], other[0])


def test_windows_reach_both_ends_of_the_stream():
    batches = NextTokenBatches(range(9), batch_size=200, context=4)
    starts = set(next(iter(batches))[0][:, 0].tolist())
    assert starts == {0, 1, 2, 3, 4}  # the last target is token 8
    (inputs, targets) = next(iter(NextTokenBatches(range(5), batch_size=1, context=4)))
    assert (inputs.tolist(), targets.tolist()) == ([[0, 1, 2, 3]], [[1, 2, 3, 4]])


@pytest.mark.parametrize("ids", [range(4), torch.zeros(2, 9, dtype=torch.long), torch.rand(9)])
def test_a_stream_that_holds_no_window_is_refused(ids):
    with pytest.raises(ShapeError, match=r"windows of 4 tokens .* got torch\.\w+ \("):
        NextTokenBatches(ids, batch_size=1, context=4)


def test_nothing_to_predict_is_refused():
    with pytest.raises(ShapeError, match="2 tokens or more, got 1"):
        shifted(torch.tensor([[1]]))
    with pytest.raises(ShapeError, match="batch_size must be at least 1, got 0"):
        NextTokenBatches(range(9), batch_size=0, context=4)


def test_next_token_loss_is_the_mean_over_all_positions():
    model = Bigram().eval()
    inputs, targets = shifted(torch.randint(10, (3, 6)))
    by_hand = -model(inputs).log_softmax(-1).gather(-1, targets[..., None]).mean()
    assert_close(next_token_loss(model, (inputs, targets)), by_hand)


@pytest.mark.parametrize("length", [9, 16, 17, 18, 40])
def test_validation_predicts_every_token_of_the_stream_once(length):
    model = Bigram().train()
    ids = torch.randint(10, (length,), generator=seeded())
    log_p = model.table(ids[:-1]).log_softmax(-1)  # a bigram sees no window borders
    expected = -log_p[torch.arange(length - 1), ids[1:]].mean().item()
    found = mean_next_token_loss(model, ids, context=8, batch_size=3)
    assert found == pytest.approx(expected, rel=1e-5)
    assert model.training


def test_validation_leaves_each_part_in_its_own_mode():
    model = Bigram()
    model.frozen = torch.nn.Dropout().eval()
    mean_next_token_loss(model, torch.arange(10), context=4)
    assert (model.training, model.frozen.training) == (True, False)


# Label smoothing


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("ignored", [-100, 0])
def test_label_smoothing_equals_torch(smoothing, ignored):
    logits = torch.randn(4, 6, 9, generator=seeded(), requires_grad=True)
    targets = torch.randint(9, (4, 6), generator=seeded())
    targets[:2, 3:] = ignored
    theirs = nn.CrossEntropyLoss(label_smoothing=smoothing, ignore_index=ignored)
    ours = label_smoothing_loss(logits, targets, smoothing, ignore_index=ignored)
    expected = theirs(logits.flatten(0, 1), targets.flatten())
    assert_close(ours, expected)
    gradients = [torch.autograd.grad(loss, logits)[0] for loss in (ours, expected)]
    assert_close(*gradients)


def test_padding_brings_neither_infinity_nor_nan():
    logits = torch.full((2, 3, 4), -1e30).requires_grad_()
    logits.data[0, 0] = torch.tensor([0.0, 1.0, 2.0, 3.0])
    logits.data[1] = -math.inf  # whatever a model says about padding
    targets = torch.tensor([[2, 0, 0], [0, 0, 0]])
    loss = label_smoothing_loss(logits, targets, ignore_index=0)
    loss.backward()
    assert loss.isfinite()
    assert logits.grad.isfinite().all()
    assert (logits.grad[targets == 0] == 0).all()
    nothing = label_smoothing_loss(logits, torch.zeros_like(targets), ignore_index=0)
    assert nothing == 0


def test_label_smoothing_refuses_bad_input():
    with pytest.raises(ValueError, match="smoothing must be at least 0 and below 1, got 1"):
        label_smoothing_loss(torch.zeros(2, 3), torch.zeros(2, dtype=torch.long), smoothing=1)
    with pytest.raises(ShapeError, match=r"need targets \(...\), got \(2, 3\) and \(3,\)"):
        label_smoothing_loss(torch.zeros(2, 3), torch.zeros(3, dtype=torch.long))


def test_translation_is_taught_with_the_target_shifted_and_padding_left_out():
    seen = {}

    def model(source, target, source_mask):
        seen.update(source=source, target=target, source_mask=source_mask)
        return F.one_hot(target, 9).float()

    source = torch.tensor([[4, 5, 0]])
    target = torch.tensor([[1, 7, 8, 2, 0]])
    loss = translation_loss(model, (source, target), pad_id=0)
    assert seen["target"].tolist() == [[1, 7, 8, 2]]
    assert seen["source_mask"].tolist() == [[True, True, False]]
    logits = F.one_hot(torch.tensor([1, 7, 8]), 9).float()
    assert_close(loss, nn.CrossEntropyLoss(label_smoothing=0.1)(logits, torch.tensor([7, 8, 2])))


# Masked tokens

PAD, CLS, SEP, MASK = 0, 1, 2, 3
SPECIAL = (PAD, CLS, SEP, MASK)


def sentences(rows, length, vocab_size=50, seed=0):
    ids = torch.randint(4, vocab_size, (rows, length), generator=seeded(seed))
    ids[:, 0] = CLS
    ids[:, -1] = SEP
    return ids


def test_fifteen_percent_are_chosen_and_changed_80_10_10():
    ids = sentences(400, 102, vocab_size=1004)
    batch = mask_tokens(ids, MASK, 1004, SPECIAL, generator=seeded())
    assert batch.chosen.sum(1).tolist() == [15] * 400  # of 100 ordinary tokens in each row
    assert torch.equal(batch.ids[~batch.chosen], ids[~batch.chosen])
    assert torch.equal(batch.targets, ids[batch.chosen])
    now = batch.ids[batch.chosen]
    masked, same = now == MASK, now == batch.targets
    # 6,000 draws: four standard deviations are 0.021 and 0.016; a random token is equal in 0.1 %.
    assert masked.float().mean().item() == pytest.approx(0.8, abs=0.021)
    assert same.float().mean().item() == pytest.approx(0.1, abs=0.016)
    assert (~masked & ~same).float().mean().item() == pytest.approx(0.1, abs=0.016)
    # Random tokens come from the whole vocabulary, and each position is as likely as any other.
    assert len(now[~masked & ~same].unique()) > 350
    assert batch.chosen[:, 1:-1].float().mean(0).std() < 0.03


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(1, 12), st.integers(0, 10_000), st.floats(0.01, 1))
def test_special_tokens_are_never_chosen_nor_put_in(rows, length, seed, share):
    ids = torch.randint(8, (rows, length), generator=seeded(seed))
    ids[0, 0] = 7
    batch = mask_tokens(ids, MASK, 8, SPECIAL, share=share, generator=seeded(seed))
    special = ids < 4
    assert not (batch.chosen & special).any()
    assert torch.equal(batch.ids[special], ids[special])
    put_in = batch.ids[batch.chosen]
    assert ((put_in == MASK) | (put_in > 3)).all()
    ordinary = (~special).sum(1)
    wanted = torch.where(ordinary > 0, (ordinary * share).round().clamp(min=1), 0)
    assert torch.equal(batch.chosen.sum(1), wanted.long())


def test_the_same_generator_state_gives_the_same_choice_and_padding_is_left_alone():
    ids = sentences(20, 30)
    real = torch.arange(30) < torch.arange(10, 30)[:, None]
    one, two, other = (
        mask_tokens(ids, MASK, 50, SPECIAL, mask=real, generator=seeded(s)) for s in (1, 1, 2)
    )
    assert torch.equal(one.ids, two.ids)
    assert not torch.equal(one.ids, other.ids)
    assert not (one.chosen & ~real).any()
    assert one.mask is real


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"ids": torch.zeros(3, dtype=torch.long)}, ShapeError, r"shape \(B, T\), .* got .*\(3,\)"),
        ({"ids": torch.rand(2, 3)}, ShapeError, r"torch\.long .* got torch.float32 \(2, 3\)"),
        ({"ids": [[5, 6]]}, ShapeError, "ids must be a tensor, got list"),
        ({"ids": torch.tensor([[5, 50]])}, VocabularyError, "ids must lie between 0 and 49, got 5"),
        ({"special_ids": [99]}, VocabularyError, "special ids must lie between 0 and 49, got 99"),
        ({"special_ids": range(50)}, VocabularyError, "all 50 tokens are special"),
        ({"ids": torch.tensor([[CLS, SEP]])}, ValueError, "every one is special or padding"),
        ({"share": 0}, ValueError, "share must be above 0 and at most 1, got 0"),
        ({"mask": torch.ones(1, 1)}, ShapeError, r"torch.bool of shape \(1, 4\)"),
    ],
)
def test_mask_tokens_refuses_bad_input(changes, error, message):
    arguments = {"ids": torch.tensor([[CLS, 8, 9, SEP]]), "special_ids": SPECIAL, **changes}
    with pytest.raises(error, match=message):
        mask_tokens(mask_id=MASK, vocab_size=50, **arguments)


class Reader(nn.Module):
    """As much of a BERT as the losses ask for."""

    def __init__(self, vocab_size=50, d_model=8):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.head = nn.Linear(d_model, vocab_size)
        self.pair = nn.Linear(d_model, 2)

    def forward(self, ids, segments=None, mask=None):
        return self.embedding(ids)

    def mlm_logits(self, hidden):
        return self.head(hidden)

    def nsp_logits(self, hidden):
        return self.pair(hidden[:, 0])


def test_logits_at_the_chosen_positions_give_the_loss_of_all_logits():
    model, ids = Reader(), sentences(6, 20)
    batch = mask_tokens(ids, MASK, 50, SPECIAL, generator=seeded())
    everywhere = model.mlm_logits(model(batch.ids))  # (B, T, V)
    targets = ids.masked_fill(~batch.chosen, -100)
    expected = F.cross_entropy(everywhere.flatten(0, 1), targets.flatten())
    assert_close(masked_token_loss(model, batch), expected)


def test_pretraining_adds_the_two_losses_with_class_0_for_is_next():
    model = Reader()
    batch = mask_tokens(sentences(4, 20), MASK, 50, SPECIAL, generator=seeded())
    is_next = torch.tensor([True, False, False, False])
    nsp = F.cross_entropy(model.nsp_logits(model(batch.ids)), torch.tensor([0, 1, 1, 1]))
    both = pretraining_loss(model, (batch, is_next))
    assert_close(both, masked_token_loss(model, batch) + nsp)


# Sentence pairs

PLAY = [[[d * 100 + s, d] for s in range(8)] for d in range(5)]  # five documents, eight sentences


def test_half_the_pairs_are_neighbours_and_the_rest_from_another_document():
    pairs = sentence_pairs(PLAY, 400, seed=1)
    assert sum(pair.is_next for pair in pairs) == 200
    for first, second, is_next in pairs:
        assert is_next == (first[1] == second[1])
        if is_next:
            assert second[0] == first[0] + 1
    assert {second[1] for _, second, is_next in pairs if not is_next} == set(range(5))
    assert pairs == sentence_pairs(PLAY, 400, seed=1)
    assert pairs != sentence_pairs(PLAY, 400, seed=2)
    halves = [sum(pair.is_next for pair in pairs[i::2]) for i in (0, 1)]
    assert min(halves) > 70  # in random order, not by turns


def test_documents_without_pairs_are_refused():
    for documents in ([], [[[1], [2]]], [[[1]], [[2]]], [[[1], [2]], []]):
        with pytest.raises(ValueError, match="need two documents or more"):
            sentence_pairs(documents, 4)


@settings(max_examples=60)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(5, 40))
def test_pairs_are_packed_and_shortened_from_the_longer_end(n_first, n_second, context):
    first, second = list(range(100, 100 + n_first)), list(range(200, 200 + n_second))
    ids, segments, mask = pack_pairs([SentencePair(first, second, True)], CLS, SEP, PAD, context)
    row = ids[0].tolist()
    assert len(row) == min(context, n_first + n_second + 3)
    cut = row.index(SEP)
    kept_first, kept_second = row[1:cut], row[cut + 1 : -1]
    assert [row[0], row[-1]] == [CLS, SEP]
    assert kept_first == first[: len(kept_first)]
    assert kept_second == second[: len(kept_second)]
    assert segments[0].tolist() == [0] * (cut + 1) + [1] * (len(row) - cut - 1)
    assert mask.all()
    if len(kept_first) < n_first:  # one that lost something is not the shorter one by far
        assert len(kept_first) >= len(kept_second)
    if len(kept_second) < n_second:
        assert len(kept_second) >= len(kept_first) - 1


def test_packed_rows_are_padded_on_the_right():
    pairs = [SentencePair([9], [8, 7], True), SentencePair([9, 9, 9], [8, 8], False)]
    ids, segments, mask = pack_pairs(pairs, CLS, SEP, PAD, context=20)
    assert ids.tolist() == [[CLS, 9, SEP, 8, 7, SEP, PAD, PAD], [CLS, 9, 9, 9, SEP, 8, 8, SEP]]
    assert mask.tolist()[0] == [True] * 6 + [False] * 2
    assert segments.tolist()[0] == [0, 0, 0, 1, 1, 1, 0, 0]
    with pytest.raises(ContextError, match="5 tokens, the context holds 4"):
        pack_pairs(pairs, CLS, SEP, PAD, context=4)


# Masked patches


def test_half_the_patches_are_chosen_and_planned_80_10_10():
    images = torch.rand(300, 3, 40, 40, generator=seeded())
    batch = mask_patches(images, patch_size=4, generator=seeded())
    assert batch.chosen.shape == (300, 100)
    assert (batch.chosen.sum(1) == 50).all()
    own = torch.arange(100)
    replaced = batch.source != own
    assert not (batch.hidden & replaced).any()
    assert not ((batch.hidden | replaced) & ~batch.chosen).any()
    n_chosen = batch.chosen.sum()  # 15,000: four standard deviations are 0.013 and 0.010
    assert (batch.hidden.sum() / n_chosen).item() == pytest.approx(0.8, abs=0.013)
    assert (replaced.sum() / n_chosen).item() == pytest.approx(0.1, abs=0.010)
    assert batch.source.min() >= 0
    assert batch.source.max() <= 99
    assert torch.equal(batch.targets, mean_colours(images, 4)[batch.chosen])
    again = mask_patches(images, patch_size=4, generator=seeded())
    assert torch.equal(batch.source, again.source)


def test_a_random_patch_is_always_another_one():
    batch = mask_patches(torch.rand(3000, 1, 1, 2), patch_size=1, share=1, generator=seeded())
    replaced = (batch.source != torch.arange(2)).float().mean().item()
    assert replaced == pytest.approx(0.1, abs=0.016)  # half of it, were the own patch among them


def test_mean_colours_are_three_bits_a_channel_in_reading_order():
    images = torch.zeros(1, 3, 4, 6)
    images[0, :, 0:2, 0:2] = torch.tensor([1.0, 0.0, 0.0])[:, None, None]  # top left: red
    images[0, :, 0:2, 4:6] = torch.tensor([0.0, 0.0, 1.0])[:, None, None]  # top right: blue
    images[0, 1, 2, 0] = 1.0  # bottom left: a quarter green
    assert mean_colours(images, 2).tolist() == [[7 * 64, 0, 7, 2 * 8, 0, 0]]
    grey = torch.linspace(0, 1, 9).view(1, 1, 1, 9)
    assert mean_colours(grey, 1).tolist() == [[0, 1, 2, 3, 4, 5, 6, 7, 7]]
    assert mean_colours(torch.ones(1, 3, 2, 2), 2).item() == 511


def test_patches_refuse_bad_input():
    with pytest.raises(ShapeError, match=r"patches of 3 must fill images .* got \(1, 1, 4, 4\)"):
        mask_patches(torch.zeros(1, 1, 4, 4), 3)
    with pytest.raises(ShapeError, match="2 patches or more, patches of 4 give 1"):
        mask_patches(torch.zeros(1, 1, 4, 4), 4)
    with pytest.raises(ValueError, match="pixels from 0 to 1, got 0 to 255"):
        mask_patches(torch.tensor([0.0, 255.0]).view(1, 1, 1, 2), 1)
    with pytest.raises(ValueError, match="share must be above 0 and at most 1, got 2"):
        mask_patches(torch.zeros(1, 1, 4, 4), 2, share=2)


def test_the_patch_loss_asks_at_the_chosen_patches_only():
    batch = mask_patches(torch.rand(2, 1, 8, 8, generator=seeded()), 2, generator=seeded())
    logits = torch.randn(2, 16, 8, generator=seeded())
    model = SimpleNamespace(masked_patch_logits=lambda images, hidden, source: logits)
    colours = mean_colours(batch.images, 2).masked_fill(~batch.chosen, -100)
    expected = F.cross_entropy(logits.flatten(0, 1), colours.flatten())
    assert_close(masked_patch_loss(model, batch), expected)


def test_masked_batches_travel_through_training():
    from tutorial_lib.training import fit

    ids = sentences(8, 12)
    batches = [mask_tokens(ids, MASK, 50, SPECIAL, generator=seeded())]
    model = Reader()
    history = fit(model, batches, masked_token_loss, steps=60, lr=0.05, progress=False)
    assert isinstance(batches[0], MaskedTokens)
    assert history.loss[-1] < history.loss[0] / 2


# With the models


def test_bert_learns_from_its_own_two_objectives():
    from tutorial_lib.models import BERT, BERTConfig
    from tutorial_lib.training import fit

    pairs = sentence_pairs(
        [[[4 + d * 8 + s] * 4 for s in range(8)] for d in range(5)], n_pairs=24, seed=0
    )
    ids, segments, real = pack_pairs(pairs, CLS, SEP, PAD, context=16)
    batch = mask_tokens(ids, MASK, 50, SPECIAL, segments, real, generator=seeded())
    is_next = torch.tensor([pair.is_next for pair in pairs])
    sizes = {"vocab_size": 50, "context": 16, "d_model": 32, "n_layers": 2, "n_heads": 2}
    torch.manual_seed(0)
    model = BERT(BERTConfig(**sizes, mlm=True, nsp=True, pooler=True))
    history = fit(model, [(batch, is_next)], pretraining_loss, steps=80, progress=False)
    assert history.loss[0] > 4
    assert history.loss[-1] < 1


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_vit_learns_the_colours_of_hidden_patches(pooling):
    from tutorial_lib.models import ViT, ViTConfig
    from tutorial_lib.training import fit

    # One brightness a picture: what is hidden can be read off the rest.
    images = torch.linspace(0, 1, 16).view(16, 1, 1, 1).expand(16, 1, 8, 8)
    batch = mask_patches(images, patch_size=2, generator=seeded())
    sizes = {"image_size": 8, "patch_size": 2, "channels": 1, "d_model": 32, "n_layers": 2}
    config = ViTConfig(**sizes, n_heads=2, n_classes=None, n_patch_classes=8, pooling=pooling)
    torch.manual_seed(0)
    history = fit(ViT(config), [batch], masked_patch_loss, steps=100, progress=False)
    assert history.loss[0] > 1.5
    assert history.loss[-1] < 0.8
