import sys
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.tokenizers import Encoding, WordPieceTokenizer, bert_words, wordpiece_steps

tokenizers = pytest.importorskip("tokenizers")

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NORMALIZER = tokenizers.normalizers.BertNormalizer()
PRETOKENIZER = tokenizers.pre_tokenizers.BertPreTokenizer()


def reference_words(text):
    return [word for word, _ in PRETOKENIZER.pre_tokenize_str(NORMALIZER.normalize_str(text))]


@pytest.fixture(scope="session")
def reference(bert_vocab):
    return tokenizers.BertWordPieceTokenizer(str(bert_vocab))


@pytest.fixture(scope="session")
def cased(bert_vocab):
    return WordPieceTokenizer.from_vocab(bert_vocab, lowercase=False)


@pytest.fixture(scope="session")
def cased_reference(bert_vocab):
    return tokenizers.BertWordPieceTokenizer(str(bert_vocab), lowercase=False)


def differ(text):
    """Whether the two libraries cut a text differently."""
    return bert_words(text) != reference_words(text)


@cache
def different(character):
    """Whether the two libraries see a character with different tables.

    Theirs stop at Unicode 8 for accents and punctuation and are newer than Python's for capitals;
    and they start one block of Han characters at 2B920, where BERT has 2B820.
    """
    return differ(f"a{character}b")


BLANKS = [" ", "\t", "\n", "\u3000", "\x1c", "\x85", "\u200b", "\ufffd", "\x00"]
TRAPS = (
    "[MASK] [mask] [SEP] [CLS] [UNK] [PAD] ##ing don't U.S.A. $5+~^`| Ünïcode ŒUVRE İstanbul "
    "ΑΣ e\u0301 日本語 한국어 ﬁ unaffable " + "x" * 100 + " " + "x" * 101
).split() + BLANKS
bert_text = (
    st.lists(st.text(max_size=10) | st.sampled_from(TRAPS), max_size=10)
    .map("".join)
    .map(lambda text: "".join(c for c in text if not different(c)))
)


@pytest.mark.slow
def test_the_two_unicode_tables_differ_in_few_rare_characters(wordpiece):
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    rare = set()
    for start in range(0, len(characters), 256):
        part = characters[start : start + 256]
        if differ(" ".join(f"a{character}b" for character in part)):
            rare |= set(filter(different, part))
    assert len(rare) < 1_000
    assert not rare & set("".join(wordpiece.vocab))


@settings(max_examples=400)
@given(text=bert_text)
def test_words_equal_the_reference(text):
    assert bert_words(text) == reference_words(text)


@settings(max_examples=400)
@given(text=bert_text, pair=st.none() | bert_text)
def test_ids_equal_the_reference(wordpiece, reference, text, pair):
    ours, theirs = wordpiece.encode(text, pair), reference.encode(text, pair)
    assert ours.ids == theirs.ids
    assert ours.segments == theirs.type_ids
    assert ours.tokens == theirs.tokens


@given(text=bert_text)
def test_cased_ids_equal_the_reference(cased, cased_reference, text):
    assert cased.encode(text).ids == cased_reference.encode(text).ids


def test_shakespeare_equals_the_reference(wordpiece, reference, shakespeare):
    assert wordpiece.encode(shakespeare).ids == reference.encode(shakespeare).ids


def test_the_real_vocabulary(wordpiece):
    assert wordpiece.vocab_size == 30_522
    assert (wordpiece.pad_id, wordpiece.unk_id, wordpiece.cls_id) == (0, 100, 101)
    assert (wordpiece.sep_id, wordpiece.mask_id) == (102, 103)
    assert wordpiece.encode("Walking [MASK]!").tokens == [
        "[CLS]",
        "walking",
        "[MASK]",
        "!",
        "[SEP]",
    ]


def test_pairs_get_segments(wordpiece):
    encoding = wordpiece.encode("to be", "or not")
    assert encoding == Encoding(
        ids=[101, 2000, 2022, 102, 2030, 2025, 102],
        segments=[0, 0, 0, 0, 1, 1, 1],
        tokens=["[CLS]", "to", "be", "[SEP]", "or", "not", "[SEP]"],
    )
    assert wordpiece.encode("", "").tokens == ["[CLS]", "[SEP]", "[SEP]"]


def test_empty_text(wordpiece):
    for text in ("", " \n ", "\x00"):
        assert wordpiece.encode(text) == Encoding([101, 102], [0, 0], ["[CLS]", "[SEP]"])
    for text in ("", " \n "):
        with pytest.raises(VocabularyError, match="at least one word"):
            WordPieceTokenizer.train(text, 100)


def test_half_a_surrogate_pair_is_dropped(wordpiece):
    assert wordpiece.encode("a\ud83db").tokens[1:-1] == ["ab"]


def test_a_word_without_pieces_or_too_long_is_unknown(wordpiece):
    assert wordpiece.encode("\u16a0to").tokens[1:-1] == ["[UNK]"]
    assert wordpiece.encode("x" * 101).tokens[1:-1] == ["[UNK]"]
    assert "[UNK]" not in wordpiece.encode("x" * 100).tokens


def test_decode(wordpiece):
    text = "unaffable [MASK] romeo"
    assert wordpiece.decode(wordpiece.encode(text).ids) == text
    assert wordpiece.decode(torch.tensor(wordpiece.encode(text).ids)) == text
    assert wordpiece.decode([0, 0]) == ""


@pytest.mark.parametrize("wrong", [30_522, -1, "a", [1]])
def test_an_unknown_id_is_named(wordpiece, wrong):
    match = r"is not in the vocabulary: ids are 0 to 30521 \(vocab_size 30522\)"
    with pytest.raises(VocabularyError, match=match) as error:
        wordpiece.decode([101, wrong])
    assert str(wrong) in str(error.value)


def test_training_gives_the_merges_of_the_readable_version():
    text = "the cat sat on the mat and the rat eats what the cat hates"
    words = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    tokenizer = WordPieceTokenizer.train(text, 60)
    steps = wordpiece_steps(words, 60)
    pieces = [step.pair[0] + step.pair[1][2:] for step in steps]
    letters = tokenizer.vocab[5 : -len(pieces)] if pieces else []
    assert tokenizer.vocab[:5] == SPECIAL
    assert letters == sorted(letters)
    expected = (SPECIAL + letters + pieces)[:60]
    assert tokenizer.vocab == expected


def test_training_on_shakespeare(shakespeare):
    tokenizer = WordPieceTokenizer.train(shakespeare, 1_000, min_count=50)
    assert tokenizer.vocab_size == 1_000
    text = "shall i compare thee to a summer s day"
    encoding = tokenizer.encode(text)
    assert tokenizer.unk_id not in encoding.ids
    assert tokenizer.decode(encoding.ids) == text
    assert len(encoding.ids) < len(text.replace(" ", ""))


def test_min_count_leaves_rare_pairs_alone():
    text = "qu " * 9 + "xz"
    assert "xz" in WordPieceTokenizer.train(text, 50).vocab
    assert "xz" not in WordPieceTokenizer.train(text, 50, min_count=2).vocab
    with pytest.raises(VocabularyError, match="min_count must be at least 1, got 0"):
        WordPieceTokenizer.train(text, 50, min_count=0)


def test_vocab_size_below_the_letters():
    with pytest.raises(
        VocabularyError, match=r"at least 8 \(5 special tokens and 3 letters\), got 7"
    ):
        WordPieceTokenizer.train("cat", 7)
    assert WordPieceTokenizer.train("cat", 8).vocab == [*SPECIAL, "##a", "##t", "c"]


def test_save_and_from_vocab(tmp_path, wordpiece):
    path = tmp_path / "vocab.txt"
    wordpiece.save(path)
    assert WordPieceTokenizer.from_vocab(path).vocab == wordpiece.vocab
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert WordPieceTokenizer.from_vocab(path).vocab == wordpiece.vocab


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "lacks the special tokens"),
        (b'{"vocab": 1}', "lacks the special tokens"),
        (b"\xff\xfe", "not UTF-8"),
        ("\n".join([*SPECIAL, "a", "a"]).encode(), "'a' more than once"),
        ("\n".join(SPECIAL[:4]).encode(), r"lacks the special tokens \['\[MASK\]'\]"),
    ],
)
def test_damaged_vocabularies(tmp_path, content, match):
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=match):
        WordPieceTokenizer.from_vocab(path)
