import json
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.datasets import gpt2_vocabulary
from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.tokenizers import BPETokenizer, apply_merges, gpt2_words, learn_merges
from tutorial_lib.tokenizers.vocabulary import WordCache

END = "<|endoftext|>"
BYTES = [bytes([byte]) for byte in range(256)]
SMALL = BPETokenizer.train("to be", 258)

# Any text, with the signs where tokenizers go wrong more frequent than chance would have them.
BLANKS = ["  ", " \n", "\t", "\r\n", "\u00a0", "\u3000", "\u200b", "\x00", "\x85", " the"]
SIGNS = ["'s", "'LL", "don't", "é", "e\u0301", "ß", "日本", "שלום", "١٢٣", "½", "👩\u200d👧", END]
TRAPS = BLANKS + SIGNS
unicode_text = st.lists(st.text(max_size=12) | st.sampled_from(TRAPS), max_size=12).map("".join)


def test_the_passages_of_the_source(gpt2, passages):
    for passage in passages:
        assert len(passage.text) == passage.characters
        assert len(gpt2.encode(passage.text)) == passage.tokens


def test_gpt2_has_its_published_size_and_ids(gpt2):
    assert gpt2.vocab_size == 50_257
    assert len(gpt2.merges) == 50_000
    assert gpt2.special_tokens == {END: 50_256}
    assert gpt2.encode("Hello world") == [15496, 995]
    assert gpt2.tokens("Hello world") == ["Hello", " world"]


@settings(max_examples=400)
@given(text=unicode_text)
def test_ids_equal_tiktoken(gpt2, tiktoken_gpt2, text):
    ids = gpt2.encode(text)
    assert ids == tiktoken_gpt2.encode_ordinary(text)
    assert gpt2.decode(ids) == text
    assert gpt2.encode(text, "all") == tiktoken_gpt2.encode(text, allowed_special="all")


def test_ids_equal_tiktoken_on_shakespeare_and_on_one_long_word(gpt2, tiktoken_gpt2, shakespeare):
    for text in (shakespeare, "ab" * 5_000, "aaab" * 777, " " * 3_000, "日本語" * 2_000):
        assert gpt2.encode(text) == tiktoken_gpt2.encode_ordinary(text)


@given(text=st.text(max_size=20))
def test_a_trained_tokenizer_round_trips_any_text(trained, text):
    assert trained.decode(trained.encode(text)) == text


@settings(deadline=None)
@given(ids=st.lists(st.integers(0, 1023), max_size=30))
def test_decoding_never_raises_on_broken_utf8(trained, ids):
    assert isinstance(trained.decode(ids), str)


def test_half_a_surrogate_pair_becomes_the_replacement_character(gpt2, tiktoken_gpt2):
    for text in ("a\ud83db", "\ude00", "\ud83d\ude00"):
        assert gpt2.encode(text) == tiktoken_gpt2.encode_ordinary(text)
    assert gpt2.decode(gpt2.encode("a\ud83db")) == "a\ufffdb"


def test_part_of_a_character_is_shown_as_bytes(trained):
    assert trained.tokens("é") == [r"\xc3", r"\xa9"]
    assert trained.decode([0xC3]) == "\ufffd"


def test_decode_takes_tensors(gpt2):
    ids = gpt2.encode("To be")
    assert gpt2.decode(torch.tensor(ids)) == "To be"


@pytest.mark.parametrize("wrong", [1024, -1, 10**9, None, [1, 2]])
def test_an_unknown_id_is_named(trained, wrong):
    with pytest.raises(VocabularyError, match=r"ids are 0 to 1023 \(vocab_size 1024\)") as error:
        trained.decode([5, wrong])
    assert str(wrong) in str(error.value)


def test_training_gives_the_merges_of_the_readable_version(shakespeare):
    text = shakespeare[:30_000]
    words = {}
    for word in gpt2_words(text):
        key = tuple(bytes([byte]) for byte in word.encode())
        words[key] = words.get(key, 0) + 1
    tokenizer = BPETokenizer.train(text, 256 + 60)
    assert tokenizer.merges == learn_merges(words, 60)
    for word in gpt2_words(text)[:200]:
        key = tuple(bytes([byte]) for byte in word.encode())
        expected = apply_merges(key, tokenizer.merges)
        assert [tokenizer.token_bytes(i) for i in tokenizer.encode(word)] == list(expected)


def test_ties_go_to_the_smallest_pair_of_bytes():
    assert BPETokenizer.train("zy ba", 257).merges == [(b" ", b"b")]
    assert BPETokenizer.train("zy é", 257).merges == [(b" ", b"\xc3")]


def test_ids_are_bytes_then_merges_then_special_tokens(trained):
    assert [trained.token_bytes(i) for i in range(256)] == BYTES
    assert trained.token_bytes(256) == b"".join(trained.merges[0])
    assert trained.special_tokens == {END: 1023}
    assert trained.vocab_size == 1024


def test_training_stops_when_no_pair_is_left():
    tokenizer = BPETokenizer.train("to to", 1000)
    assert tokenizer.vocab_size == 258
    assert tokenizer.encode("to to") == [256, 257]


def test_special_tokens_are_text_unless_allowed(trained):
    text = f"thou{END}art"
    plain = trained.encode(text)
    assert 1023 not in plain
    assert trained.decode(plain) == text
    for allowed in ("all", END, [END], {END}):
        ids = trained.encode(text, allowed)
        assert ids == [*trained.encode("thou"), 1023, *trained.encode("art")]
        assert trained.decode(ids) == text
    with pytest.raises(VocabularyError, match=r"\['<pad>'\] are not special tokens"):
        trained.encode(text, ["<pad>"])


def test_the_longer_special_token_wins():
    tokenizer = BPETokenizer.train("ab", 258, ["<a>", "<a><b>"])
    assert tokenizer.encode("<a><b>", "all") == [tokenizer.special_tokens["<a><b>"]]


def test_special_tokens_in_the_training_text_are_not_learned():
    text = f"x{END}" * 50
    tokenizer = BPETokenizer.train(text, 300, [END])
    assert tokenizer.merges == []
    assert BPETokenizer.train(text, 300).merges != []


def test_empty_text():
    tokenizer = BPETokenizer.train("a", 256)
    assert tokenizer.encode("") == []
    assert tokenizer.encode("", "all") == []
    assert tokenizer.decode([]) == ""
    with pytest.raises(VocabularyError, match="needs text"):
        BPETokenizer.train("", 300)


def test_vocab_size_below_the_alphabet():
    with pytest.raises(VocabularyError, match=r"at least 257 .*1 special.*got 256"):
        BPETokenizer.train("to be", 256, [END])
    assert BPETokenizer.train("to be", 257, [END]).merges == []


@pytest.mark.parametrize(
    ("ids", "merges", "special", "match"),
    [
        ({b"a": 0}, [], {}, "lacks the token"),
        ({b: i for i, b in enumerate(BYTES)}, [(b"a", b"b")], {}, "lacks the token b'ab'"),
        ({b: i for i, b in enumerate(BYTES)}, [], {"<x>": 7}, "share one id"),
        ({b: i for i, b in enumerate(BYTES)}, [], {"": 300}, "at least one character"),
        ({b: i for i, b in enumerate(BYTES)}, [], {"<x>": "7"}, "whole numbers"),
        ({b: i for i, b in enumerate(BYTES)}, [], {"<x>": math.inf}, "whole numbers .* got inf"),
        ({b: i for i, b in enumerate(BYTES)}, [], {"<x>": True}, "whole numbers .* got True"),
        ({b: i for i, b in enumerate(BYTES)}, [], {"<x>": [7]}, "whole numbers"),
    ],
)
def test_a_vocabulary_that_cannot_work(ids, merges, special, match):
    with pytest.raises(VocabularyError, match=match):
        BPETokenizer(ids, merges, special)


PATTERNS = {
    r"(\w+)|\W+": r"write \(\?:...\) for the groups",
    r"\w+": "leaves out ",
    r"\w+|[^\w\s]+": r"leaves out '\\+t'",
    r"": "leaves out ",
    r"[a-z]+(?= )| ": "leaves out ",
    r"(": "not a regular expression",
    None: "not a regular expression",
}


@pytest.mark.parametrize(("pattern", "match"), PATTERNS.items())
def test_a_pattern_that_would_lose_text(tmp_path, rank_file, pattern, match):
    with pytest.raises(VocabularyError, match=match):
        BPETokenizer({b: i for i, b in enumerate(BYTES)}, [], pattern=pattern)
    with pytest.raises(VocabularyError, match=match):
        BPETokenizer.from_tiktoken(rank_file(BYTES), pattern=pattern)
    path = tmp_path / "tokenizer.json"
    SMALL.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"pattern": pattern}))
    with pytest.raises(DamagedFileError, match=match):
        BPETokenizer.load(path)


def test_a_gap_that_only_a_rare_text_shows_is_an_error_there():
    tokenizer = BPETokenizer({b: i for i, b in enumerate(BYTES)}, [], pattern=r"[^\u2603]")
    assert tokenizer.decode(tokenizer.encode("snow")) == "snow"
    with pytest.raises(VocabularyError, match="leaves out '☃'"):
        tokenizer.encode("snow ☃ man")


def test_another_pattern_that_leaves_nothing_out(tmp_path):
    words = r"(?i:[a-z]+)|\p{N}{1,3}|\s+|[^a-zA-Z\p{N}\s]"
    tokenizer = BPETokenizer({b: i for i, b in enumerate(BYTES)}, [], pattern=words)
    tokenizer.save(tmp_path / "tokenizer.json")
    again = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert again.decode(again.encode("Act 1599, Ærø 日本")) == "Act 1599, Ærø 日本"


def same(one, other):
    text = "Thou art a scholar; speak to it, Horatio. 日本 👻 <|endoftext|>"
    return (
        one.merges == other.merges
        and one.special_tokens == other.special_tokens
        and one.vocab_size == other.vocab_size
        and one.encode(text, "all") == other.encode(text, "all")
    )


def test_save_and_load(trained, gpt2, tmp_path):
    for tokenizer in (trained, gpt2):
        path = tmp_path / "tokenizer.json"
        tokenizer.save(path)
        assert same(tokenizer, BPETokenizer.load(path))
        assert [file.name for file in tmp_path.iterdir()] == ["tokenizer.json"]


def test_half_of_a_surrogate_pair_is_the_replacement_sign_in_training_too():
    trained = BPETokenizer.train("thou\ud800 " * 9, 300)
    assert trained.merges == BPETokenizer.train("thou\ufffd " * 9, 300).merges
    assert trained.decode(trained.encode("\ud800")) == "\ufffd"


def test_a_single_special_token_may_come_without_a_list(tmp_path):
    trained = BPETokenizer.train("<|x|> thou", 257, "<|x|>")
    assert trained.special_tokens == {"<|x|>": 256}
    assert trained.encode("<|x|>", allowed_special="<|x|>") == [256]


def test_ids_may_be_a_list_of_single_tensors(trained):
    ids = trained.encode("thou art")
    assert trained.decode(list(torch.tensor(ids))) == "thou art"


def test_a_save_that_fails_leaves_the_old_file(trained, tmp_path, monkeypatch):
    path = tmp_path / "tokenizer.json"
    path.write_text("old")

    def no_space(*args):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", no_space)
    with pytest.raises(OSError, match="no space left"):
        trained.save(path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["tokenizer.json"]


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (lambda good: good[: len(good) // 2], "is not usable JSON"),
        (lambda good: b"\xff\xfe" + good, "not UTF-8"),
        (lambda good: b"[1, 2]", "its format is None"),
        (lambda good: b'{"model": {"type": "BPE"}}', "its format is None"),
        (lambda good: b"", "is not usable JSON"),
    ],
)
def test_damaged_and_foreign_files(trained, tmp_path, damage, match):
    path = tmp_path / "tokenizer.json"
    trained.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DamagedFileError, match=match):
        BPETokenizer.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("merges"),
        lambda content: content["merges"].append("Q q"),
        lambda content: content["merges"].append("lonely"),
        lambda content: content["merges"].append(7),
        lambda content: content["token_ids"].pop("a"),
        lambda content: content["token_ids"].update({"日": 2000}),
        lambda content: content["token_ids"].update({"a": 98}),
        lambda content: content.update(special_tokens=5),
        lambda content: content.update(pattern="("),
        lambda content: content.update(pattern=None),
    ],
)
def test_files_with_one_wrong_entry(trained, tmp_path, change):
    path = tmp_path / "tokenizer.json"
    trained.save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DamagedFileError, match="is damaged"):
        BPETokenizer.load(path)


def test_tiktoken_rank_file(gpt2, rank_file):
    path = rank_file([gpt2.token_bytes(i) for i in range(gpt2.vocab_size - 1)])
    assert same(gpt2, BPETokenizer.from_tiktoken(path, [END]))
    assert BPETokenizer.from_tiktoken(path, {END: 60_000}).vocab_size == 60_001


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("YQ== 0\nYg==\n", "line 2: expected `base64 rank`, got 'Yg=='"),
        ("YQ== 0\n!!! 1\n", "line 2: expected `base64 rank`"),
        ("YQ== 0\nYg== 2\n", "line 2: expected rank 1, got 2"),
    ],
)
def test_damaged_rank_files(tmp_path, text, match):
    path = tmp_path / "ranks.tiktoken"
    path.write_text(text)
    with pytest.raises(DamagedFileError, match=match):
        BPETokenizer.from_tiktoken(path)


def test_rank_files_that_cannot_work(rank_file):
    with pytest.raises(DamagedFileError, match="no merge of earlier tokens gives b'abc'"):
        BPETokenizer.from_tiktoken(rank_file([*BYTES, b"abc"]))
    with pytest.raises(DamagedFileError, match="lacks the token"):
        BPETokenizer.from_tiktoken(rank_file(BYTES[:200]))
    with pytest.raises(DamagedFileError, match="more than once"):
        BPETokenizer.from_tiktoken(rank_file([*BYTES, b"a"]))


def test_damaged_gpt2_files(tmp_path):
    vocab_bpe, encoder_json = gpt2_vocabulary()
    broken = tmp_path / "broken"
    broken.write_text(encoder_json.read_text()[:-100])
    with pytest.raises(DamagedFileError, match="is not usable JSON"):
        BPETokenizer.from_gpt2(vocab_bpe, broken)
    broken.write_text('{"a": 0, "b": 5}')
    with pytest.raises(DamagedFileError, match="ids 0, 1, 2"):
        BPETokenizer.from_gpt2(vocab_bpe, broken)
    broken.write_text('{"a": 0, "b": 1}')
    with pytest.raises(DamagedFileError, match="do not match"):
        BPETokenizer.from_gpt2(vocab_bpe, broken)
    broken.write_text("#version: 0.2\na b c\n")
    with pytest.raises(DamagedFileError, match="line 2: expected two symbols"):
        BPETokenizer.from_gpt2(broken, encoder_json)
    broken.write_text("#version: 0.2\nĠ 日\n")
    with pytest.raises(DamagedFileError, match="do not match"):
        BPETokenizer.from_gpt2(broken, encoder_json)


def test_the_word_cache_stays_small():
    cache = WordCache(len, max_words=3, max_letters=5)
    for word in ("a", "bb", "ccc", "dddd", "eeeeee", "a"):
        assert cache[word] == len(word)
        assert len(cache) <= 3
    assert "eeeeee" not in cache
