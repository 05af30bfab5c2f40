import random

import pytest
import torch

from tutorial_lib.datasets.play_names import label
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import IGNORED, TAGS
from tutorial_lib.recipes import name_tagger
from tutorial_lib.recipes.name_tagger import (
    MadeUpNames,
    NameBatches,
    by_length,
    fine_tune_names,
    name_loss,
    tag,
    windows,
)
from tutorial_lib.tokenizers import WordPieceTokenizer

LETTERS = [mark + letter for letter in "aio" for mark in ("", "##")]
WORDS = ["my", "lord", "king", "and", "the", "good", ",", *LETTERS]
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])


def speeches(n, seed=0):
    """After "good" always comes a name, and nowhere else: most of them unseen before."""
    draw = random.Random(seed)
    made = []
    for i in range(n):
        words = draw.choices(["my", "lord", "king", "and", "the"], k=draw.randint(2, 7))
        if i % 3:
            name = "".join(draw.choices("aio", k=draw.randint(2, 5))).title()
            words.insert(draw.randint(0, len(words)), f"good {name}")
        text = " ".join(words)
        names = {word.lower() for word in text.split() if word[0].isupper()}
        made.append(label(text, names))
    return made


def model():
    torch.manual_seed(0)
    sizes = {"vocab_size": len(TOKENIZER.vocab), "context": 64, "d_model": 32, "n_layers": 2}
    encoder = BERT(BERTConfig(**sizes, n_heads=4, mlm=True)).eval()
    encoder.tokenizer = TOKENIZER
    return encoder


def test_windows_hold_every_word_once_and_cut_none():
    speech = label("good Aioia and Iaoo, my lord and my king", {"aioia", "iaoo"})
    ((one,),) = windows([speech], TOKENIZER)
    assert one.ids == TOKENIZER.encode(" ".join(speech.words)).ids
    (several,) = windows([speech], TOKENIZER, width=6)
    assert len(several) > 2
    assert [i for window in several for i in window.ids[1:-1]] == one.ids[1:-1]
    assert [TAGS[i] for window in several for i in window.labels] == list(speech.tags)
    for window in several:
        assert len(window.ids) <= 8
        assert len(window.places) == len(window.labels)
        firsts = [TOKENIZER.vocab[window.ids[place]] for place in window.places]
        assert not any(piece.startswith("##") for piece in firsts)
    # A word that is longer than a window is a window of its own.
    assert len(windows([label("Aioia", {"aioia"})], TOKENIZER, width=2)[0]) == 1


def test_made_up_names_keep_their_places_and_pieces_and_leave_all_else():
    speech = label("good Aioia and Iaoo, my lord Oa and the good Io", {"aioia", "iaoo", "oa", "io"})
    ((row,),) = windows([speech], TOKENIZER)
    assert MadeUpNames([row], 0.0).exchanged(row, random.Random(0)) == row
    names = MadeUpNames([row, row], 1.0)
    made = [names.exchanged(row, random.Random(seed)) for seed in range(30)]
    named = [speech.tags[i] != "O" for i in range(len(speech.words))]
    ends = [*row.places[1:], len(row.ids) - 1]
    for is_name, start, end in zip(named, row.places, ends, strict=True):
        seen = {tuple(one.ids[start:end]) for one in made}
        assert {len(ids) for ids in seen} == {end - start}
        assert (len(seen) > 1) == is_name
        if is_name:
            vocab = [[TOKENIZER.vocab[i] for i in ids] for ids in seen]
            assert {pieces[0] for pieces in vocab} == {"a", "i", "o"}
            assert {piece for pieces in vocab for piece in pieces[1:]} <= {"##a", "##i", "##o"}
    assert {(one.places == row.places, one.labels == row.labels) for one in made} == {(True, True)}
    assert made[0] == names.exchanged(row, random.Random(0))


def test_the_share_of_made_up_names_counts_every_time_and_each_name_once():
    often = [label(text, {"aioia", "oo"}) for text in ["good Aioia"] * 40 + ["my Oo"]]
    rows = [row for group in windows(often, TOKENIZER) for row in group]
    names, draw = MadeUpNames(rows, 0.5), random.Random(0)
    made = [names.exchanged(rows[0], draw) for _ in range(600)]
    first = [TOKENIZER.vocab[row.ids[row.places[1]]] for row in made]
    # Half keep their a; of the others half begin as Oo does, though that one is rare.
    assert first.count("o") / len(first) == pytest.approx(0.25, abs=0.06)


def test_batches_and_the_training_exchange_names_and_nothing_else(monkeypatch):
    part = speeches(60)
    changed = total = 0
    as_they_are, made_up = (
        NameBatches(part, TOKENIZER, tokens=120, seed=0, made_up=share) for share in (0.0, 1.0)
    )
    for batch, other, _ in zip(as_they_are, made_up, range(4), strict=False):
        ids, others = batch[0], other[0]
        assert all(ours.equal(theirs) for ours, theirs in zip(batch[1:], other[1:], strict=True))
        pieces = [[TOKENIZER.vocab[i] for i in line] for line in ids]
        of_names = torch.tensor([[p.strip("#") in {*"aio"} for p in line] for line in pieces])
        assert ids[~of_names].equal(others[~of_names])
        changed += (ids != others).sum().item()
        total += of_names.sum().item()
    assert changed > total / 2
    seen = []
    monkeypatch.setattr(
        name_tagger, "fit", lambda model, batches, *rest, **options: seen.append(batches)
    )
    fine_tune_names(model(), part, steps=1, made_up=0.3)
    assert seen[0].names.share == 0.3


def test_half_of_the_windows_have_a_name_and_only_first_pieces_a_label():
    part = speeches(90)
    batches = NameBatches(part, TOKENIZER, tokens=120, seed=0)
    with_name = sum(any(row.labels) for row in batches.rows)
    assert with_name == 60
    assert len(batches.rows) == 60 + 30  # all that there are without
    assert len(NameBatches(part[:30], TOKENIZER, 120, 0).rows) == 30
    few = [speech for speech in part if "B" in speech.tags][:7]
    none = [speech for speech in part if "B" not in speech.tags]
    assert len(NameBatches([*few, *none], TOKENIZER, 120, 0).rows) == 14
    ids, mask, labels = next(iter(batches))
    assert ids.numel() <= 120
    assert mask.equal(ids != TOKENIZER.pad_id)
    for tokens, line in zip(ids, labels, strict=True):
        pieces = [TOKENIZER.vocab[i] for i in tokens]
        first = [not p.startswith(("##", "[")) for p in pieces]
        assert [label != IGNORED for label in line.tolist()] == first
    for ours, again in zip(next(iter(batches)), (ids, mask, labels), strict=True):
        assert ours.equal(again)


def test_groups_of_similar_length_hold_every_row_once():
    rows = [row for group in windows(speeches(50), TOKENIZER) for row in group]
    groups = by_length(rows, 60)
    assert sorted(len(row.ids) for group in groups for row in group) == sorted(
        len(row.ids) for row in rows
    )
    assert all(len(group) * len(group[-1].ids) <= 60 for group in groups)
    assert len(groups) < len(rows) / 2
    # One row that is too long alone is still a group.
    assert by_length(rows[:2], 1) == [[row] for row in sorted(rows[:2], key=lambda r: len(r.ids))]


def test_padding_and_later_pieces_cost_nothing():
    tagger = model().with_heads(n_labels=3)
    ids, mask, labels = next(iter(NameBatches(speeches(20), TOKENIZER, 200, 0)))
    loss = name_loss(tagger, (ids, mask, labels))
    more = torch.nn.functional.pad(ids, (0, 5)), torch.nn.functional.pad(mask, (0, 5))
    wider = torch.nn.functional.pad(labels, (0, 5), value=IGNORED)
    torch.testing.assert_close(name_loss(tagger, (*more, wider)), loss)


def test_tags_do_not_depend_on_the_other_speeches():
    part = speeches(80)
    tagger = model().with_heads(n_labels=3)
    tagger.tokenizer = TOKENIZER
    said = tag(tagger, part)
    assert [len(tags) for tags in said] == [len(speech.words) for speech in part]
    assert said == [tags for speech in part for tags in tag(tagger, [speech])]


def test_names_never_seen_are_told_by_the_word_before():
    encoder = model()
    before = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    tagger, history = fine_tune_names(
        encoder, speeches(300), steps=80, tokens=400, lr=5e-3, progress=False
    )
    unseen = speeches(60, seed=1)
    right = [tags == speech.tags for tags, speech in zip(tag(tagger, unseen), unseen, strict=True)]
    assert sum(right) > 0.95 * len(right)
    assert len(history.loss) == 80
    assert not tagger.training
    for name, tensor in encoder.state_dict().items():  # it is a copy that learns
        assert tensor.equal(before[name])


@pytest.mark.parametrize("seed", [0, 1])
def test_the_seed_decides_the_head(seed):
    options = {"steps": 1, "tokens": 100, "seed": seed, "progress": False}
    one, again = (fine_tune_names(model(), speeches(30), **options)[0] for _ in range(2))
    assert one.token_head.weight.equal(again.token_head.weight)
