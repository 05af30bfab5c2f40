import random

import torch

from tutorial_lib.datasets.play_names import label
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import IGNORED, piece_labels
from tutorial_lib.recipes.frozen_speeches import at_layer, read_speeches, tags_of
from tutorial_lib.recipes.name_tagger import (
    NameBatches,
    by_length,
    fine_tune_names,
    name_loss,
    token_row,
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


def test_batches_hold_whole_speeches_with_a_label_for_first_pieces_only():
    part = speeches(90)
    batches = NameBatches(part, TOKENIZER, tokens=120, seed=0)
    ids, mask, labels = next(iter(batches))
    assert ids.numel() <= 120
    assert mask.equal(ids != TOKENIZER.pad_id)
    read = {tuple(TOKENIZER.encode(" ".join(speech.words)).ids) for speech in part}
    for tokens, line in zip(ids, labels, strict=True):
        assert tuple(tokens[tokens != TOKENIZER.pad_id].tolist()) in read
        pieces = [TOKENIZER.vocab[i] for i in tokens]
        first = [not p.startswith(("##", "[")) for p in pieces]
        assert [label != IGNORED for label in line.tolist()] == first
    assert all(
        ours.equal(theirs)
        for ours, theirs in zip(next(iter(batches)), (ids, mask, labels), strict=True)
    )


def test_each_pass_holds_every_speech_once_in_an_order_of_its_own():
    texts = [" ".join(speech.words) for speech in speeches(90)]
    part = [label(text, ()) for text in dict.fromkeys(texts)]  # each one once
    batches, passes = iter(NameBatches(part, TOKENIZER, tokens=120, seed=0)), []
    for _ in range(2):
        seen = []
        while len(seen) < len(part):
            ids, mask, _ = next(batches)
            seen += [tuple(row[real].tolist()) for row, real in zip(ids, mask, strict=True)]
        passes.append(seen)
    one, other = passes
    assert len({*one}) == len(part)
    assert sorted(one) == sorted(other)
    assert one != other
    lengths = [len(row) for row in one]
    assert lengths != sorted(lengths)


def test_groups_of_similar_length_hold_every_row_once():
    rows = [token_row(speech, TOKENIZER, piece_labels) for speech in speeches(50)]
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


def test_names_never_seen_are_told_by_the_word_before():
    encoder = model()
    before = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    tagger = fine_tune_names(encoder, speeches(300), steps=120, tokens=400, lr=5e-3, progress=False)
    unseen = at_layer(read_speeches(tagger, speeches(60, seed=1), piece_labels), -1)
    right = [tuple(tags_of(tagger.token_head, row)) == row.speech.tags for row in unseen]
    assert sum(right) > 0.95 * len(right)
    assert not tagger.training
    for name, tensor in encoder.state_dict().items():  # it is a copy that learns
        assert tensor.equal(before[name])


def test_the_seed_decides_the_head():
    encoder, options = model(), {"steps": 1, "tokens": 100, "lr": 1e-3, "progress": False}
    one, again, other = (
        fine_tune_names(encoder, speeches(30), **options, seed=seed).token_head.weight
        for seed in (0, 0, 1)
    )
    assert one.equal(again)
    assert not one.equal(other)
