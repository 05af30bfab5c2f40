"""Chapter 06b's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from tutorial_lib.datasets import load_reviews, minilm_folder
from tutorial_lib.datasets.play_names import LabelledSpeech, load_play_names
from tutorial_lib.exercises.chapter06b_using_bert.entities import entities
from tutorial_lib.exercises.chapter06b_using_bert.entity_f1 import entity_f1
from tutorial_lib.exercises.chapter06b_using_bert.fine_tuning import by_heart
from tutorial_lib.exercises.chapter06b_using_bert.piece_labels import counted, piece_labels
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


def test_the_vectors_are_the_library_s_means_of_length_one(generator):
    hidden = torch.randn(3, 6, 4, generator=generator)
    mask = torch.arange(6) < torch.tensor([[6], [1], [4]])
    mean = bert_heads.mean_pool(hidden, mask)
    assert_close(text_vectors(hidden, mask), F.normalize(mean, dim=-1))


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


def span_of_probabilities(start_logits, end_logits, allowed, longest):
    p, q = start_logits.softmax(0) * allowed, end_logits.softmax(0) * allowed
    pairs = torch.outer(p, q).triu().tril(longest - 1)
    return torch.unravel_index(pairs.argmax(), pairs.shape)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("6b.2", spans.entities),
        ("6b.3", spans.entity_f1),
        ("6b.5", span_of_probabilities),
        ("6b.5", spans.best_span),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."


# The loop of 6b.1 -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned_by_heart():
    """For each letter and for the solution: what one batch of short reviews gave."""
    bert = load_checkpoint("shakespeare-bert")
    short = [review for review in load_reviews().train if len(review.text) < 80][:16]
    codes = TASKS["6b.1"].choices | {None: TASKS["6b.1"].solution}
    return {letter: by_heart(code, bert, bert.tokenizer, short) for letter, code in codes.items()}


@pytest.mark.slow
def test_a_sound_step_learns_a_batch_by_heart(learned_by_heart):
    run = learned_by_heart[None]
    assert run.loss[-1] < 0.01
    assert run.right[-1] == 1


@pytest.mark.slow
def test_the_picture_of_6b_1_shows_the_second_softmax_and_no_other_mistake(learned_by_heart):
    kept, softmax, head_alone, padding = (learned_by_heart[letter] for letter in "abcd")
    assert softmax.right[-10:] == [1] * 10
    assert all(loss == pytest.approx(0.3133, abs=2e-3) for loss in softmax.loss[-10:])
    best = min(range(len(kept.loss)), key=kept.loss.__getitem__)
    assert max(kept.loss[best:]) > kept.loss[best] + 0.05
    assert head_alone.right[-1] < 1
    assert head_alone.loss[-1] > 0.45
    assert padding.loss[-1] < 0.01


# The count of 6b.4 ------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_letter_of_6b_4_has_a_count_of_its_own():
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    speeches = load_play_names()["Twelfth Night"]
    codes = TASKS["6b.4"].choices | {None: TASKS["6b.4"].solution}
    more = {}
    for letter, code in codes.items():
        tags, labels = counted(code, speeches, tokenizer)
        more[letter] = [labels[number] > tags[tag] for number, tag in enumerate("OBI")]
        assert sum(labels.values()) > sum(tags.values()) + 2 * len(speeches)
    assert more == {
        None: [False] * 3,
        "a": [False] * 3,
        "b": [True] * 3,
        "c": [True, False, False],
        "d": [True, False, True],
    }


# The search of 6b.6 ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minilm():
    folder = minilm_folder()
    return BERT.from_pretrained(folder), WordPieceTokenizer.from_pretrained(folder)


def rows_of(letter, minilm):
    task = TASKS["6b.6"]
    return ranking(task.choices[letter] if letter else task.solution, *minilm)


@pytest.mark.parametrize(
    ("letter", "lowest", "highest"),
    [(None, 0, 0.7), ("a", 0.5, 1)],
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
    rows = rows_of("c", minilm)
    longest = max(TEXTS, key=len)
    assert rows[0][0] == longest
    assert rows[0][1] == pytest.approx(rows[0][2], abs=1e-4)
    lost = {text: alone - together for text, together, alone in rows}
    assert all(share > 0.001 for text, share in lost.items() if text != longest)
    assert max(alone for _, _, alone in rows) > rows[0][2] + 0.1  # alone, another one is best


@pytest.mark.parametrize("letter", "bd")
def test_other_readers_of_padding_leave_other_traces(minilm, letter):
    """A single token of filling changes little under (c), and a text never gains by filling."""
    padded = {text: together - alone for text, together, alone in rows_of("c", minilm)}
    rows = rows_of(letter, minilm)
    other = {text: together - alone for text, together, alone in rows}
    longest = max(TEXTS, key=len)
    second = max((text for text in TEXTS if text != longest), key=len)
    assert other[longest] == pytest.approx(0, abs=1e-4)  # so they cannot be told by that alone
    assert max(padded.values()) < 1e-4
    assert abs(padded[second]) < 0.01
    assert abs(other[second]) > 0.05 or max(other.values()) > 0.05
