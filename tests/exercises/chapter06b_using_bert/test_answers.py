"""Chapter 06b's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from tutorial_lib.datasets import load_reviews
from tutorial_lib.datasets.play_names import load_play_names
from tutorial_lib.exercises.chapter06b_using_bert.entities import entities
from tutorial_lib.exercises.chapter06b_using_bert.entity_f1 import entity_f1
from tutorial_lib.exercises.chapter06b_using_bert.fine_tuning import (
    by_heart,
    train_step,
    train_step_softmax,
)
from tutorial_lib.exercises.chapter06b_using_bert.partners import partner_loss
from tutorial_lib.exercises.chapter06b_using_bert.piece_labels import counted, piece_labels
from tutorial_lib.exercises.chapter06b_using_bert.span import best_span
from tutorial_lib.exercises.chapter06b_using_bert.span_loss import span_loss
from tutorial_lib.exercises.chapter10_text_and_pictures.all_pairs import all_pairs
from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import contrastive_loss
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import BERTConfig
from tutorial_lib.objectives import spans
from tutorial_lib.recipes import load_checkpoint

TASKS = registry.contents("06b")


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


# The solutions and the library ----------------------------------------------------------------


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


def test_the_labels_of_pieces_are_the_library_s(generator):
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    words = ["Good", "Sir", "Toby", "Belch", ",", "welcome", "to", "Illyria", "!"]
    tags = random_tags(len(words), generator)
    pieces = [tokenizer.encode(word).tokens[1:-1] for word in words]
    assert max(map(len, pieces)) > 1
    assert piece_labels(tags, pieces) == spans.piece_labels(tags, pieces)


@pytest.mark.parametrize("longest", [1, 3, 12])
def test_the_best_span_is_the_library_s(generator, longest):
    for _ in range(20):
        start, end = torch.randn(2, 12, generator=generator)
        first, last = sorted(torch.randint(13, (2,), generator=generator).tolist())
        allowed = (torch.arange(12) >= first) & (torch.arange(12) <= last)
        if allowed.any():
            found = best_span(start, end, allowed, longest)
            assert found == spans.best_span(start, end, allowed, longest)


def test_the_loss_of_a_span_head_is_the_cross_entropies_of_the_library_s_logits(generator):
    sizes = {"context": 8, "d_model": 4, "n_layers": 1, "n_heads": 2}
    reader = BERTConfig(vocab_size=9, span=True, **sizes).build()
    hidden = reader(torch.randint(9, (3, 8), generator=generator))
    allowed = (torch.arange(8) > 2).expand(3, 8)
    ends = torch.tensor([3, 4, 5]), torch.tensor([3, 7, 6])
    found = span_loss(hidden, reader.span_head, allowed, *ends)
    logits = reader.span_logits(hidden, allowed)
    assert_close(found, sum(map(cross_entropy, logits, ends)))


def test_the_loss_of_partners_is_one_half_of_the_one_of_chapter_10(generator):
    a, b = torch.randn(2, 5, 4, generator=generator)
    logits = all_pairs(a, b, torch.tensor(3.0).log())
    assert_close((partner_loss(a, b, 3.0) + partner_loss(b, a, 3.0)) / 2, contrastive_loss(logits))


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
        ("6b.6", span_of_probabilities),
        ("6b.6", spans.best_span),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."


# The loop of 6b.1 -------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_batch_tells_a_sound_step_from_one_with_a_second_softmax():
    bert = load_checkpoint("shakespeare-bert")
    short = [review for review in load_reviews().train if len(review.text) < 80][:16]
    sound, twice = (
        by_heart(step, bert, bert.tokenizer, short) for step in (train_step, train_step_softmax)
    )
    assert sound.loss[-1] < 0.01
    assert sound.right[-1] == 1
    assert twice.right[-10:] == [1] * 10
    assert all(loss == pytest.approx(0.3133, abs=2e-3) for loss in twice.loss[-10:])


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
