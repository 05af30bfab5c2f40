"""Chapter 06's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.exercises.chapter06_bert.curve import mlm_training
from tutorial_lib.exercises.chapter06_bert.entities import entities
from tutorial_lib.exercises.chapter06_bert.entity_f1 import entity_f1
from tutorial_lib.exercises.chapter06_bert.masked_loss import masked_loss
from tutorial_lib.exercises.chapter06_bert.masking import mask_80_10_10
from tutorial_lib.exercises.chapter06_bert.pairs import next_sentence_pairs
from tutorial_lib.exercises.chapter06_bert.pooling import mean_pool
from tutorial_lib.exercises.chapter06_bert.ranking import TEXTS, ranking, text_vectors
from tutorial_lib.exercises.chapter06_bert.segments import segment_ids
from tutorial_lib.exercises.chapter06_bert.span import best_span
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import BERT, BERTConfig, bert_heads, count_parameters
from tutorial_lib.objectives import mask_tokens, masked_token_loss, pack_pairs, spans
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import set_seed

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
    set_seed(0)
    model = BERTConfig(
        vocab_size=30, context=12, d_model=8, n_layers=1, n_heads=2, mlm=True
    ).build()
    ids = torch.randint(5, 30, (4, 12), generator=generator)
    batch = mask_tokens(ids, mask_id=3, vocab_size=30, special_ids=[0, 1, 2], generator=generator)
    with torch.no_grad():
        loss = masked_loss(model.mlm_logits(model(batch.ids)), ids, batch.chosen)
        assert_close(loss, masked_token_loss(model, batch))


def test_pairs_are_half_real_and_the_others_come_from_elsewhere(generator):
    documents = [[(d, s) for s in range(length)] for d, length in enumerate([4, 2, 7, 3])]
    places = [(d, s) for d, document in enumerate(documents) for s in range(len(document) - 1)]
    n_draws = 2_000
    where = torch.randint(len(places), (n_draws,), generator=generator).tolist()
    numbers = torch.rand(n_draws, 2, generator=generator).tolist()
    draws = [(*places[place], *pair) for place, pair in zip(where, numbers, strict=True)]
    pairs = next_sentence_pairs(documents, draws)
    assert abs(sum(is_next for *_, is_next in pairs) / n_draws - 0.5) < 0.05
    for (d, s), (other, t), is_next in pairs:
        assert (other == d and t == s + 1) if is_next else other != d
    drawn = {second for _, second, is_next in pairs if not is_next}
    assert drawn == {sentence for document in documents for sentence in document}


def test_the_mean_is_the_library_s(generator):
    hidden = torch.randn(3, 6, 4, generator=generator)
    mask = torch.arange(6) < torch.tensor([[6], [1], [4]])
    assert_close(mean_pool(hidden, mask), bert_heads.mean_pool(hidden, mask))
    assert_close(text_vectors(hidden, mask), F.normalize(mean_pool(hidden, mask), dim=-1))


def random_tags(length, generator):
    return ["BIO"[place] for place in torch.randint(3, (length,), generator=generator)]


def test_entities_are_the_library_s(generator):
    for length in (0, 1, 2, 5, 30, 60):
        tags = random_tags(length, generator)
        assert entities(tags) == spans.entities(tags)


def test_entity_f1_is_the_library_s(generator):
    for n_texts in (1, 3, 10):
        predicted, true = (
            [entities(random_tags(12, generator)) for _ in range(n_texts)] for _ in range(2)
        )
        assert entity_f1(predicted, true) == pytest.approx(spans.entity_f1(predicted, true))
    assert entity_f1([[]], [[]]) == spans.entity_f1([[]], [[]]) == 0


@pytest.mark.parametrize("longest", [1, 3, 12])
def test_the_best_span_is_the_library_s(generator, longest):
    for _ in range(20):
        start, end = torch.randn(2, 12, generator=generator)
        first, last = sorted(torch.randint(13, (2,), generator=generator).tolist())
        allowed = (torch.arange(12) >= first) & (torch.arange(12) <= last)
        if allowed.any():
            found = best_span(start, end, allowed, longest)
            assert found == spans.best_span(start, end, allowed, longest)


def test_the_numbers_that_decide():
    assert TASKS["6.1"].solution() == TASKS["6.1"].second_style() == 76
    assert TASKS["6.8"].solution() * 1e6 == pytest.approx(count_parameters(BERTConfig.large()))
    assert TASKS["6.2"].solution() == TASKS["6.2"].second_style() == 144


def test_the_numbers_said_beside_them():
    with_heads = count_parameters(BERTConfig.large(mlm=True, nsp=True)) / 1e6
    assert f"{with_heads:.1f}" in TASKS["6.8"].verdict
    assert f"{count_parameters(BERTConfig.base()) / 1e6:.1f}" in TASKS["6.8"].verdict
    assert 6.5 < 511 / TASKS["6.1"].solution() < 7  # "nearly seven times"
    decoder = torch.ones(12, 12).tril().sum().item()
    assert f"{decoder:.0f}" in TASKS["6.2"].verdict


@pytest.mark.parametrize(
    ("number", "answers"), [("6.1", (76,)), ("6.8", (335.1, 335.14)), ("6.2", (144,))]
)
def test_a_rounded_claim_passes(number, answers):
    for answer in answers:
        assert judge(TASKS[number], answer).status == "right"


# Other ways to be right -----------------------------------------------------------------------


def masked_by_numpy(ids, chosen, draw, random_ids, mask_id):
    ids, chosen, draw = ids.numpy().copy(), chosen.numpy(), draw.numpy()
    middle = chosen & (draw >= 0.8) & (draw < 0.9)
    ids[middle] = random_ids.numpy()[middle]
    ids[chosen & (draw < 0.8)] = mask_id
    return ids


def loss_in_double(logits, ids, chosen):
    labels = torch.where(chosen, ids, -100)
    return F.cross_entropy(logits.double().flatten(0, 1), labels.flatten())


def pooled_by_einsum(hidden, mask):
    real = mask.double()
    return torch.einsum("btd,bt->bd", hidden.double(), real / real.sum(1, keepdim=True))


def pooled_by_nan(hidden, mask):
    return hidden.masked_fill(~mask[..., None], torch.nan).nanmean(dim=1)


def span_of_probabilities(start_logits, end_logits, allowed, longest):
    p, q = start_logits.softmax(0) * allowed, end_logits.softmax(0) * allowed
    pairs = torch.outer(p, q).triu().tril(longest - 1)
    return torch.unravel_index(pairs.argmax(), pairs.shape)


def segments_by_search(ids, sep_id):
    parts = torch.zeros(ids.shape, dtype=torch.int32)
    for part, row in zip(parts, ids, strict=True):
        first, second = (row == sep_id).nonzero().flatten().tolist()
        part[first + 1 : second + 1] = 1
    return parts


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("6.3", segments_by_search),
        ("6.5", masked_by_numpy),
        ("6.6", loss_in_double),
        ("6.9", pooled_by_einsum),
        ("6.9", pooled_by_nan),
        ("6.10", spans.entities),
        ("6.12", span_of_probabilities),
        ("6.12", spans.best_span),
        ("6.11", spans.entity_f1),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."


# The training of 6.6 --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "loss", "hidden_right", "seen_right"),
    [
        (None, (1.5, 2.3), (0.35, 0.6), (0.2, 0.7)),
        ("a", (0, 0.05), (0, 0.15), (0.95, 1)),
        ("b", (0, 0.01), (0, 0), (0, 0)),
        ("c", (0.15, 0.45), (0.35, 0.6), (0.95, 1)),
        ("d", (2.8, 3.3), (0, 0.25), (0, 0.2)),
    ],
)
def test_each_training_ends_as_it_is_described(letter, loss, hidden_right, seen_right):
    task = TASKS["6.7"]
    trained = mlm_training(task.choices[letter] if letter else task.solution)
    last = sum(trained.loss[-20:]) / 20
    assert loss[0] <= last <= loss[1]
    assert hidden_right[0] <= trained.hidden_right <= hidden_right[1]
    assert seen_right[0] <= trained.seen_right <= seen_right[1]


def test_a_training_leaves_the_random_numbers_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first = mlm_training(TASKS["6.7"].solution, steps=3)
    assert torch.rand(1) == expected
    assert first == mlm_training(TASKS["6.7"].solution, steps=3)


# The search of 6.12 ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minilm():
    folder = minilm_folder()
    return BERT.from_pretrained(folder), WordPieceTokenizer.from_pretrained(folder)


def rows_of(letter, minilm):
    task = TASKS["6.13"]
    return ranking(task.choices[letter] if letter else task.solution, *minilm)


@pytest.mark.parametrize(
    ("letter", "lowest", "highest"),
    [(None, 0, 0.7), ("a", 0.5, 1), ("c", 1, 30), ("d", 100, 3_000)],
)
def test_company_changes_nothing_where_padding_does_not_count(minilm, letter, lowest, highest):
    rows = rows_of(letter, minilm)
    for text, together, alone in rows:
        assert together == pytest.approx(alone, rel=1e-3, abs=1e-4), text
        assert lowest < alone < highest
    assert [together for _, together, _ in rows] == sorted((r[1] for r in rows), reverse=True)


def test_sound_vectors_find_the_battle_first(minilm):
    assert rows_of(None, minilm)[0][0] == "The soldiers won the battle."


def test_with_padding_counted_the_longest_wins(minilm):
    rows = rows_of("b", minilm)
    longest = max(TEXTS, key=len)
    assert rows[0][0] == longest
    assert rows[0][1] == pytest.approx(rows[0][2], abs=1e-4)
    lost = {text: alone - together for text, together, alone in rows}
    assert all(share > 0.001 for text, share in lost.items() if text != longest)
    assert max(alone for _, _, alone in rows) > rows[0][2] + 0.1  # alone, another one is best
