"""Chapter 06's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.exercises.chapter06_bert.claims import COMMONEST
from tutorial_lib.exercises.chapter06_bert.logits import parts_of, word_logits
from tutorial_lib.exercises.chapter06_bert.masked_loss import masked_loss
from tutorial_lib.exercises.chapter06_bert.masking import mask_80_10_10
from tutorial_lib.exercises.chapter06_bert.segments import segment_ids
from tutorial_lib.exercises.chapter06_bert.step import pretraining_step
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import BERTConfig
from tutorial_lib.objectives import mask_tokens, masked_token_loss, pack_pairs
from tutorial_lib.recipes import load_checkpoint, number_bert
from tutorial_lib.training import Muon, set_seed
from tutorial_lib.training.schedules import set_learning_rate, warmup_cosine

TASKS = registry.contents("06")


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


# The solutions and the library ----------------------------------------------------------------


def test_segments_are_those_of_packed_pairs():
    pairs = [([5, 6, 7], [8], True), ([5], [6, 9], False), ([7, 7, 7], [5, 6, 8, 9], True)]
    ids, segments, _ = pack_pairs(pairs, cls_id=1, sep_id=2, pad_id=0, context=16)
    assert segment_ids(ids, 2).tolist() == segments.tolist()


def test_masking_changes_what_the_library_changes(generator):
    ids = torch.randint(10, 500, (20, 50), generator=generator)
    kwargs = {"vocab_size": 500, "special_ids": [0, 1, 2], "share": 0.5}
    batch = mask_tokens(ids, mask_id=3, generator=generator, **kwargs)
    # What it did tells its draws: hidden below 0.8, another token below 0.9, else nothing.
    hidden, replaced = batch.ids == 3, (batch.ids != 3) & (batch.ids != ids)
    draw = torch.where(replaced, 0.85, torch.where(batch.chosen & ~hidden, 0.95, 0.4))
    random_ids = torch.where(replaced, batch.ids, 999)
    assert replaced.any()
    assert_close(mask_80_10_10(ids, batch.chosen, draw, random_ids, 3), batch.ids)


def test_the_masked_loss_is_the_library_s(generator):
    config = BERTConfig(vocab_size=30, context=12, d_model=8, n_layers=1, n_heads=2, mlm=True)
    model = config.build().eval()
    ids = torch.randint(5, 30, (4, 12), generator=generator)
    batch = mask_tokens(ids, mask_id=3, vocab_size=30, special_ids=[0, 1, 2], generator=generator)
    hidden = batch._replace(ids=ids.masked_fill(batch.chosen, 3))  # [MASK] at all chosen places
    with torch.no_grad():
        loss = masked_loss(lambda inputs: model.mlm_logits(model(inputs)), ids, batch.chosen, 3)
        assert_close(loss, masked_token_loss(model, hidden))


def test_the_logits_are_the_library_s(generator):
    config = BERTConfig(vocab_size=30, context=12, d_model=8, n_layers=2, n_heads=2, mlm=True)
    model = config.build().eval()
    for parameter in model.parameters():  # no bias is 0, no factor 1
        parameter.data = torch.randn(parameter.shape, generator=generator)
    ids = torch.randint(5, 30, (4, 9), generator=generator)
    segments = torch.randint(2, (4, 9), generator=generator)
    with torch.no_grad():
        expected = model.mlm_logits(model(ids, segments))
        assert_close(word_logits(parts_of(model), ids, segments), expected)


def test_the_copier_finds_as_much_as_is_said(generator):
    ids = torch.randint(10, 500, (400, 100), generator=generator)
    ids[torch.rand(ids.shape, generator=generator) < COMMONEST] = 9  # the most frequent token
    batch = mask_tokens(ids, mask_id=3, vocab_size=500, special_ids=[3], generator=generator)
    said = batch.ids.masked_fill(batch.ids == 3, 9)[batch.chosen]
    found = (said == batch.targets).float().mean().item()
    assert found == pytest.approx(TASKS["6.5"].solution(), abs=0.02)


def test_a_rounded_claim_passes():
    for answer in (0.14, 0.1404):
        assert judge(TASKS["6.5"], answer).status == "right"


def test_padding_is_named_and_tensors_are_losses_too():
    """6.10 with padded texts was not understood; 6.6 may return tensors, without a warning."""

    def padded(model, texts):
        ids = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=5)
        log_p = model(ids)[:, :-1].log_softmax(dim=-1)
        return log_p.gather(2, ids[:, 1:, None]).squeeze(2).sum(dim=1)

    assert "counts the padding" in judge(TASKS["6.10"], padded).text

    def tensors(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
        hidden = model(inputs, segments, mask)
        words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
        pairs = F.cross_entropy(model.nsp_logits(hidden), 1 - is_next.long())
        optimizer.zero_grad()
        (words + pairs).backward()
        optimizer.step()
        return words, pairs

    assert judge(TASKS["6.6"], tensors).status == "right"


# Other ways to be right -----------------------------------------------------------------------


def masked_by_numpy(ids, chosen, draw, random_ids, mask_id):
    ids, chosen, draw = ids.numpy().copy(), chosen.numpy(), draw.numpy()
    middle = chosen & (draw >= 0.8) & (draw < 0.9)
    ids[middle] = random_ids.numpy()[middle]
    ids[chosen & (draw < 0.8)] = mask_id
    return ids


def loss_by_labels(model, ids, chosen, mask_id):
    inputs = ids.clone()
    inputs[chosen] = mask_id
    labels = torch.where(chosen, ids, -100)
    return F.cross_entropy(model(inputs).double().flatten(0, 1), labels.flatten())


def segments_by_search(ids, sep_id):
    parts = torch.zeros(ids.shape, dtype=torch.int32)
    for part, row in zip(parts, ids, strict=True):
        first, second = (row == sep_id).nonzero().flatten().tolist()
        part[first + 1 : second + 1] = 1
    return parts


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("6.1", loss_by_labels),
        ("6.2", segments_by_search),
        ("6.4", masked_by_numpy),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."


# The trainings of 6.7 --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "loss", "hidden", "visible"),
    [
        ("a", (0, 0.05), (0, 0.2), (0.9, 1)),
        ("b", (0, 0.05), (0, 0), (0, 0)),
        ("d", (1, 2), (0.2, 0.6), (0.1, 0.6)),
    ],
)
def test_each_training_that_is_not_shown_ends_as_it_is_described(letter, loss, hidden, visible):
    """The notebook trains the sound batches and (c), and asserts what they find."""
    tokenizer = load_checkpoint("number-bert").tokenizer
    make_batch = TASKS["6.7"].choices[letter]
    model, losses = number_bert.train_on(make_batch, tokenizer, steps=300)
    assert loss[0] <= sum(losses[-20:]) / 20 <= loss[1]
    shares = number_bert.three_tests(model, tokenizer)
    assert hidden[0] <= shares["hidden, found"] <= hidden[1]
    assert visible[0] <= shares["visible, named"] <= visible[1]


def test_the_trainings_beside_yours_take_the_same_steps_on_both_losses():
    tokenizer, settings = load_checkpoint("number-bert").tokenizer, number_bert.SETTINGS
    sound = TASKS["6.7"].solution
    trained, losses = number_bert.train_on(sound, tokenizer, steps=3)
    set_seed(settings["seed"])
    model = number_bert.build(settings)
    optimizer = Muon(model)
    batches = number_bert.NumberBatches(number_bert.split(settings)[0], tokenizer, settings)
    for step, (ids, plan, same) in zip((1, 2, 3), batches.planned(), strict=False):
        inputs, _ = sound(ids, plan.chosen, tokenizer.mask_id)
        read = inputs, segment_ids(ids, tokenizer.sep_id), ids != tokenizer.pad_id
        set_learning_rate(optimizer, warmup_cosine(step, 3, settings["lr"], 0))
        words, _ = pretraining_step(model, optimizer, *read, ids, plan.chosen, same)
        assert words == pytest.approx(losses[step - 1], rel=1e-4)
    with torch.no_grad():  # not the weights: a bias of the keys has no gradient but rounding
        of_pairs = [one.nsp_logits(one(*read)) for one in (trained, model)]
    assert_close(*of_pairs, rtol=1e-2, atol=1e-2)
