"""The explorers of chapter 08b: what they say is what the library's functions give."""

import pytest
import torch

from tutorial_lib.errors import VocabularyError
from tutorial_lib.explorers import BucketExplorer, CorruptionExplorer, LatticeExplorer
from tutorial_lib.explorers.corruption import EXAMPLE
from tutorial_lib.models import T5, T5Config
from tutorial_lib.objectives import fill_spans
from tutorial_lib.positions import t5_bucket
from tutorial_lib.tokenizers import UnigramTokenizer

LINE = "To be, or not to be: that is the question."


def test_what_t5_reads_and_writes_gives_the_text_again():
    for seed in range(20):
        explorer = CorruptionExplorer(LINE, share=0.5, seed=seed)
        read, written = explorer.rows["T5’s spans"]
        sentinels = [(f"<{n}>", True) for n in range(20)]
        assert [word for word, _ in fill_spans(read, written, sentinels)] == LINE.split()


def test_only_what_the_damage_put_in_is_marked():
    explorer = CorruptionExplorer("so [mask] it <0> is", share=0.4, seed=2)
    read, _ = explorer.rows["token masking"]
    assert read.count(("[mask]", True)) == 2
    assert ("[mask]", False) in explorer.rows["document rotation"][0]
    written = explorer.rows["T5’s spans"][1]
    assert ("<0>", True) in written
    assert f"token masking: {len(read)}, of which 2 stand" in explorer.describe()


def test_what_is_gone_moved_or_stands_for_nothing_is_shown():
    for seed in range(30):
        explorer = CorruptionExplorer(LINE + " The rest is silence.", seed=seed)
        rows = {row["way"]: row for row in explorer.reply["rows"]}
        words = explorer.text.split()
        deleted = rows["token deletion"]
        assert [token for token, _ in deleted["read"]] == words
        assert sum(look == "gone" for _, look in deleted["read"]) == 14 - deleted["counts"][0]
        for way in ("sentence permutation", "document rotation"):
            assert sorted(rows[way]["read"]) == sorted(rows[way]["written"])
            assert {look[:5] for _, look in rows[way]["read"]} == {"part "}
        infilled = rows["text infilling"]
        looks = [look for _, look in infilled["read"]]
        hidden = 14 - looks.count("")
        if looks.count("empty") == infilled["counts"][0] - looks.count(""):
            assert hidden == 0
        assert looks.count("made") <= hidden
    explorer = CorruptionExplorer(EXAMPLE, seed=84)  # the chapter's: one of three masks is empty
    read = explorer.reply["rows"][2]["read"]
    assert [look for token, look in read if token == "[mask]"] == ["made", "empty", "made"]


@pytest.mark.parametrize(
    "odd", [{"share": 9}, {"share": -1}, {"length": 0}, {"length": 99}, {"seed": -3}, {"text": ""}]
)
def test_odd_requests_to_damage_are_answered(odd):
    explorer = CorruptionExplorer(LINE)
    explorer.ask(**odd)
    assert "error" not in explorer.reply


def test_a_long_text_is_cut():
    explorer = CorruptionExplorer("so it is " * 50)
    assert len(explorer.rows["document rotation"][0]) == 40
    assert explorer.reply["cut"] > 0


@pytest.fixture(scope="module")
def tokenizer():
    words = "walk walking walked talk talking talked king ring sing singing " * 3
    return UnigramTokenizer.train(words, 60)


def test_the_cuts_are_those_of_the_tokenizer(tokenizer):
    explorer = LatticeExplorer(tokenizer.scores, "walking")
    expected = tokenizer.segmentations("walking", 8)
    assert [pieces for pieces, _ in explorer.cuts] == [cut.pieces for cut in expected]
    assert [share for _, share in explorer.cuts] == pytest.approx([c.probability for c in expected])
    assert explorer.reply["of"] == len(tokenizer.segmentations("walking", 10_000))


def test_alpha_0_makes_all_cuts_alike_and_a_large_one_keeps_the_first(tokenizer):
    explorer = LatticeExplorer(tokenizer.scores, "walking", alpha=0)
    assert [share for _, share in explorer.cuts] == pytest.approx(
        [1 / explorer.reply["of"]] * len(explorer.cuts)
    )
    shares = []
    for alpha in (0.5, 1, 2):
        explorer.ask(alpha=alpha)
        shares.append(explorer.cuts[0][1])
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    "odd",
    [
        {"text": ""},
        {"text": "🙂"},
        {"text": "a" * 400},
        {"chosen": 99},
        {"alpha": -2},
        {"text": "a b"},
    ],
)
def test_odd_words_are_answered(tokenizer, odd):
    explorer = LatticeExplorer(tokenizer.scores, "walking")
    explorer.ask(**odd)
    assert "error" not in explorer.reply
    assert 0 <= explorer.reply["chosen"] <= max(0, len(explorer.cuts) - 1)
    assert explorer.describe()


def test_every_distance_is_in_the_bucket_that_t5_gives_it():
    for causal in (False, True):
        for distance in (-150, -129, -20, -3, 0, 4, 77):
            explorer = BucketExplorer(distance=distance, causal=causal)
            inside = min(distance, 0) if causal else distance
            expected = t5_bucket(torch.tensor(inside), causal=causal).item()
            assert explorer.bucket == expected
            first, last = explorer.shared
            assert first <= inside <= last
        shown = sum(last - first + 1 for _, first, last in explorer.reply["runs"])
        assert shown == (151 if causal else 301)


def test_the_numbers_are_those_of_the_stack_that_is_shown():
    sizes = {"vocab_size": 9, "d_model": 4, "n_layers": 1, "n_heads": 3, "d_head": 2, "d_ff": 4}
    model = T5(T5Config(**sizes, n_buckets=8, max_distance=20))
    explorer = BucketExplorer(model, distance=-2, n_buckets=8, max_distance=20)
    assert list(explorer.added.values()) == model.source_distances.weight[:, 2].tolist()
    explorer.ask(causal=True)
    assert list(explorer.added.values()) == model.target_distances.weight[:, 2].tolist()
    explorer.ask(n_buckets=16)
    assert explorer.added == {}
    assert "bucket 2" in explorer.describe().lower()


def test_what_has_no_pieces_or_no_buckets_is_refused():
    with pytest.raises(VocabularyError, match="scores holds none"):
        LatticeExplorer({})
    with pytest.raises(ValueError, match="only a T5 has buckets of distances, got a Linear"):
        BucketExplorer(torch.nn.Linear(2, 2))


@pytest.mark.parametrize(
    "odd", [{"n_buckets": 0}, {"n_buckets": 10**6}, {"max_distance": -4}, {"distance": 10**9}]
)
def test_odd_buckets_are_answered(odd):
    explorer = BucketExplorer()
    explorer.ask(**odd)
    assert "error" not in explorer.reply
