import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.tokenizers import BPETokenizer, RoBERTaTokenizer
from tutorial_lib.tokenizers.pretokenize import printable

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shakespeare):
    """The two files as RoBERTa has them: <s> is 0, <pad> 1, </s> 2, <unk> 3, <mask> the last."""
    folder = tmp_path_factory.mktemp("roberta")
    bpe = BPETokenizer.train(shakespeare[:200_000], 600)
    tokens = [bpe.token_bytes(i) for i in range(bpe.vocab_size)]
    names = ["<s>", "<pad>", "</s>", "<unk>", *map(printable, tokens), "<mask>"]
    ids = {name: token_id for token_id, name in enumerate(names)}
    (folder / "vocab.json").write_text(json.dumps(ids))
    merges = [f"{printable(first)} {printable(second)}" for first, second in bpe.merges]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]) + "\n")
    return folder


@pytest.fixture(scope="module")
def ours(folder):
    return RoBERTaTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def theirs(folder):
    # As in the file that was released: the mask takes the spaces before it.
    mask = transformers.AddedToken("<mask>", lstrip=True, special=True)
    return transformers.RobertaTokenizer.from_pretrained(folder, mask_token=mask)


@settings(max_examples=300, deadline=None)
@given(
    text=st.text(max_size=40),
    pair=st.none() | st.text(min_size=1, max_size=10),
    mask=st.sampled_from(["", "<mask>", " <mask>", "  <mask> "]),
)
@example(text="a\x1c", pair=None, mask="<mask>")  # no space, though str.rstrip() takes it away
@example(text="a\u3000", pair="b", mask="<mask>")
def test_ids_equal_transformers(ours, theirs, text, pair, mask):
    text = text.encode(errors="replace").decode()
    expected = theirs(text + mask, pair and pair.encode(errors="replace").decode())["input_ids"]
    found = ours.encode(text + mask, pair and pair.encode(errors="replace").decode())
    assert found.ids == expected
    assert found.segments == [0] * len(expected)


def test_nothing_is_lost_on_the_way_back(ours):
    text = "“To be,” said he… or naïve 😀?"
    assert ours.decode([*ours.encode(text).ids, ours.pad_id]) == text
    assert ours.encode("to <mask>").ids[-2] == ours.mask_id == ours.vocab_size - 1
    assert (ours.cls_id, ours.pad_id, ours.sep_id, ours.unk_id) == (0, 1, 2, 3)
    with pytest.raises(VocabularyError):
        ours.decode([ours.vocab_size])


def test_the_one_file_says_the_same(folder, theirs, ours, tmp_path):
    theirs.save_pretrained(tmp_path)
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).unlink(missing_ok=True)
    assert (tmp_path / "tokenizer.json").is_file()
    again = RoBERTaTokenizer.from_pretrained(tmp_path)
    text = "Who's there? <mask>, answer me."
    assert again.encode(text) == ours.encode(text)


def test_the_vocabulary_of_another_model_is_refused(tmp_path):
    bpe = BPETokenizer.train("to be or not to be", 258)
    with pytest.raises(VocabularyError, match=r"lacks the special tokens \['<pad>', '<unk>'"):
        RoBERTaTokenizer(bpe)
    ids = {printable(bytes([byte])): byte for byte in range(256)} | {"<|endoftext|>": 256}
    (tmp_path / "vocab.json").write_text(json.dumps(ids))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    with pytest.raises(DamagedFileError, match="is no RoBERTa's: the vocabulary lacks the special"):
        RoBERTaTokenizer.from_pretrained(tmp_path)
    xlm = {"model": {"type": "Unigram", "vocab": []}, "added_tokens": []}
    (tmp_path / "tokenizer.json").write_text(json.dumps(xlm))
    with pytest.raises(DamagedFileError, match="Unigram"):
        RoBERTaTokenizer.from_pretrained(tmp_path)
