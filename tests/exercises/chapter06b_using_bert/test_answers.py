"""Chapter 06b's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.datasets.play_names import LabelledSpeech
from tutorial_lib.exercises.chapter06b_using_bert.entities import entities
from tutorial_lib.exercises.chapter06b_using_bert.piece_labels import piece_labels
from tutorial_lib.exercises.chapter06b_using_bert.pooling import mean_pool
from tutorial_lib.exercises.chapter06b_using_bert.ranking import TEXTS, ranking, text_vectors
from tutorial_lib.exercises.chapter06b_using_bert.span import best_span
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import BERT, bert_heads
from tutorial_lib.objectives import spans
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.name_tagger import NameBatches, windows
from tutorial_lib.tokenizers import WordPieceTokenizer

TASKS = registry.contents("06b")


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


# The solutions and the library ----------------------------------------------------------------


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


def test_the_labels_of_pieces_are_those_that_the_recipe_learns_from(generator):
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    words = ["Good", "Sir", "Toby", "Belch", ",", "welcome", "to", "Illyria", "!"]
    tags = random_tags(len(words), generator)
    speech = LabelledSpeech("Hamlet", tuple(words), tuple(tags), (False,) * len(words))
    batches = NameBatches([speech], tokenizer, 100, seed=0)
    ids, _, labels = batches.stacked(windows([speech], tokenizer)[0])
    pieces = [[tokenizer.vocab[i] for i in tokenizer.encode(word).ids[1:-1]] for word in words]
    assert max(map(len, pieces)) > 1
    assert piece_labels(tags, pieces) == labels[0].tolist()
    assert len(labels[0]) == len(ids[0])


@pytest.mark.parametrize("longest", [1, 3, 12])
def test_the_best_span_is_the_library_s(generator, longest):
    for _ in range(20):
        start, end = torch.randn(2, 12, generator=generator)
        first, last = sorted(torch.randint(13, (2,), generator=generator).tolist())
        allowed = (torch.arange(12) >= first) & (torch.arange(12) <= last)
        if allowed.any():
            found = best_span(start, end, allowed, longest)
            assert found == spans.best_span(start, end, allowed, longest)


# Other ways to be right -----------------------------------------------------------------------


def pooled_by_einsum(hidden, mask):
    real = mask.double()
    return torch.einsum("btd,bt->bd", hidden.double(), real / real.sum(1, keepdim=True))


def pooled_by_nan(hidden, mask):
    return hidden.masked_fill(~mask[..., None], torch.nan).nanmean(dim=1)


def span_of_probabilities(start_logits, end_logits, allowed, longest):
    p, q = start_logits.softmax(0) * allowed, end_logits.softmax(0) * allowed
    pairs = torch.outer(p, q).triu().tril(longest - 1)
    return torch.unravel_index(pairs.argmax(), pairs.shape)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("6b.1", pooled_by_einsum),
        ("6b.1", pooled_by_nan),
        ("6b.2", spans.entities),
        ("6b.4", span_of_probabilities),
        ("6b.4", spans.best_span),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."


# The search of 6b.5 ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minilm():
    folder = minilm_folder()
    return BERT.from_pretrained(folder), WordPieceTokenizer.from_pretrained(folder)


def rows_of(letter, minilm):
    task = TASKS["6b.5"]
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
