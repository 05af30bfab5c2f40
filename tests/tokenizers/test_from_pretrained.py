import json
import shutil

import pytest

from tutorial_lib.datasets import gpt2_vocabulary, minilm_folder
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.tokenizers import BPETokenizer, WordPieceTokenizer

END = "<|endoftext|>"
TEXT = "Don't panic: 42 Ærøskøbing's naïve cafés 👩\u200d🚀\n\n  two  spaces" + END


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Folders as `transformers` writes them, for GPT-2 and for a cased BERT."""
    transformers = pytest.importorskip("transformers")
    vocab_bpe, encoder_json = gpt2_vocabulary()
    raw, gpt2, bert = (tmp_path_factory.mktemp(name) for name in ("raw", "gpt2", "bert"))
    shutil.copy(vocab_bpe, raw / "merges.txt")
    shutil.copy(encoder_json, raw / "vocab.json")
    theirs = transformers.GPT2TokenizerFast.from_pretrained(raw)
    theirs.add_special_tokens({"pad_token": "<|pad|>"})
    theirs.save_pretrained(gpt2)
    cased = transformers.BertTokenizerFast.from_pretrained(minilm_folder(), do_lower_case=False)
    cased.save_pretrained(bert)
    return {"raw": raw, "gpt2": gpt2, "bert": bert, "theirs": theirs, "cased": cased}


@pytest.fixture(scope="module")
def few_merges(saved):
    """What stands in GPT-2's tokenizer.json, as text, with the first 20 merges alone."""
    content = json.loads((saved["gpt2"] / "tokenizer.json").read_text())
    model, n = content["model"], 256 + 20
    model["vocab"] = {token: i for token, i in model["vocab"].items() if i < n} | {END: n}
    model["merges"] = model["merges"][:20]
    content["added_tokens"][0]["id"], content["added_tokens"][1]["id"] = n, n + 1
    return json.dumps(content)


def test_gpt2_from_its_own_two_files(gpt2, tmp_path):
    vocab_bpe, encoder_json = gpt2_vocabulary()
    shutil.copy(vocab_bpe, tmp_path / "vocab.bpe")
    shutil.copy(encoder_json, tmp_path / "encoder.json")
    ours = BPETokenizer.from_pretrained(tmp_path)
    assert ours.encode(TEXT, "all") == gpt2.encode(TEXT, "all")
    assert ours.vocab_size == 50_257


def test_gpt2_from_the_files_of_the_hub(gpt2, saved):
    ours = BPETokenizer.from_pretrained(saved["raw"])
    assert ours.merges == gpt2.merges
    assert ours.encode(TEXT, "all") == gpt2.encode(TEXT, "all")


def test_gpt2_from_tokenizer_json(saved):
    assert not (saved["gpt2"] / "vocab.json").exists()
    ours = BPETokenizer.from_pretrained(saved["gpt2"])
    assert ours.special_tokens == {END: 50_256, "<|pad|>": 50_257}
    for text in (TEXT, TEXT + "<|pad|>"):
        assert ours.encode(text, "all") == saved["theirs"].encode(text)
    assert ours.decode(ours.encode(TEXT, "all")) == TEXT


def test_old_tokenizer_json_spells_merges_as_one_string(saved, tmp_path):
    content = json.loads((saved["gpt2"] / "tokenizer.json").read_text())
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    again = BPETokenizer.from_pretrained(tmp_path)
    assert again.merges == BPETokenizer.from_pretrained(saved["gpt2"]).merges


def test_minilm_from_its_folder(wordpiece):
    ours = WordPieceTokenizer.from_pretrained(minilm_folder())
    assert ours.vocab == wordpiece.vocab
    assert ours.encode(TEXT) == wordpiece.encode(TEXT)


def test_bert_from_tokenizer_json(saved):
    assert not (saved["bert"] / "vocab.txt").exists()
    ours = WordPieceTokenizer.from_pretrained(saved["bert"])
    assert not ours.lowercase
    for text in ("only small letters", "naïve cafés [MASK] two", "日本 42"):
        encoding = saved["cased"](text, "and a second")
        assert ours.encode(text, "and a second").ids == encoding["input_ids"]
        assert ours.encode(text, "and a second").segments == encoding["token_type_ids"]


def test_vocab_txt_with_the_word_on_capitals_beside_it(tmp_path):
    shutil.copy(minilm_folder() / "vocab.txt", tmp_path)
    assert WordPieceTokenizer.from_pretrained(tmp_path).lowercase
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert not WordPieceTokenizer.from_pretrained(tmp_path).lowercase


def test_missing_files_are_named(tmp_path):
    with pytest.raises(MissingDataError, match=r"neither vocab\.bpe and encoder\.json, nor merges"):
        BPETokenizer.from_pretrained(tmp_path)
    with pytest.raises(MissingDataError, match=r"neither vocab\.txt nor tokenizer\.json"):
        WordPieceTokenizer.from_pretrained(tmp_path)
    with pytest.raises(MissingDataError, match="there is no folder"):
        BPETokenizer.from_pretrained(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["model"].update(type="Unigram"), "model.type is 'Unigram', .* needs 'BPE'"),
        (lambda c: c["pre_tokenizer"].update(type="Whitespace"), "type is 'Whitespace'"),
        (lambda c: c["pre_tokenizer"].update(add_prefix_space=True), "add_prefix_space is True"),
        (lambda c: c.update(normalizer={"type": "NFC"}), "normalizer is {'type': 'NFC'}"),
        (lambda c: c["model"]["merges"].append(["a"]), "a merge takes two symbols"),
        (lambda c: c["model"]["merges"].append(["q", "qq"]), "merges and ids do not match"),
        (lambda c: c["model"]["vocab"].pop("a"), "merges and ids do not match"),
        (lambda c: c["added_tokens"][0].update(id=7), "gives '<.endoftext.>' two ids, 276 and 7"),
        (lambda c: c.pop("model"), "is no tokenizer file"),
        (lambda c: c.update(model=3), "is no tokenizer file"),
    ],
)
def test_bpe_files_that_are_refused(few_merges, tmp_path, change, message):
    (tmp_path / "tokenizer.json").write_text(few_merges)
    assert BPETokenizer.from_pretrained(tmp_path).vocab_size == 256 + 20 + 2
    content = json.loads(few_merges)
    change(content)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(DamagedFileError, match=message):
        BPETokenizer.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["model"].update(type="BPE"), "model.type is 'BPE', .* needs 'WordPiece'"),
        (lambda c: c["model"].update(continuing_subword_prefix="@@"), "prefix is '@@'"),
        (lambda c: c["normalizer"].update(type="NFC"), "normalizer.type is 'NFC'"),
        (lambda c: c["model"]["vocab"].pop("walk"), "should give its pieces the ids 0, 1, 2"),
        (lambda c: c.update(normalizer=4), "is no tokenizer file"),
    ],
)
def test_wordpiece_files_that_are_refused(saved, tmp_path, change, message):
    content = json.loads((saved["bert"] / "tokenizer.json").read_text())
    change(content)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(DamagedFileError, match=message):
        WordPieceTokenizer.from_pretrained(tmp_path)


def test_damaged_files(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{")
    for tokenizer in (BPETokenizer, WordPieceTokenizer):
        with pytest.raises(DamagedFileError, match="is not usable JSON"):
            tokenizer.from_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text("[]")
    with pytest.raises(DamagedFileError, match="must hold an object, it holds list"):
        BPETokenizer.from_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("[PAD]\nwalk\n")
    with pytest.raises(DamagedFileError, match=r"holds no WordPiece vocabulary: .*lacks"):
        WordPieceTokenizer.from_pretrained(tmp_path)
