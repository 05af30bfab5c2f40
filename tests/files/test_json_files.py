import json

import pytest

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import json_files, parse_json, read_json
from tutorial_lib.models.foreign.config import read_config
from tutorial_lib.tokenizers import BPETokenizer, UnigramTokenizer, WordPieceTokenizer

HOSTILE = {
    "deep lists": "[" * 100_000,
    "deep lists that end": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "60 deep": "[" * 60 + "]" * 60,
    "5,000 digits": "1" * 5_000,
    "101 digits": '{"a": [' + "1" * 101 + "]}",
    "NaN": '{"a": NaN}',
    "Infinity": "[-Infinity]",
    "an overflow": "[1e999]",
    "nothing": "",
    "half": '{"a": ',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_one_kind_of_error(tmp_path, text):
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(DamagedFileError, match=r"file\.json is not usable JSON"):
        read_json(path)


def test_what_is_no_text_or_too_long(tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DamagedFileError, match="is not UTF-8"):
        read_json(path)
    path.write_text("[" + "1," * 100 + "1]")
    with pytest.raises(DamagedFileError, match="is too large: over 100 bytes"):
        read_json(path, most_bytes=100)
    assert len(read_json(path, most_bytes=203)) == 101
    with pytest.raises(MissingDataError, match="there is no file"):
        read_json(tmp_path / "none.json")


def test_the_kind_is_compared():
    with pytest.raises(DamagedFileError, match="a file must hold an object, it holds list"):
        parse_json("[]", "a file", dict)
    with pytest.raises(DamagedFileError, match="a file must hold a list, it holds dict"):
        parse_json("{}", "a file", list)


def test_usual_json_is_read_as_ever():
    value = {"a": [1, -2.5e3, None, True, "é"], "b": {"c": 10**31}, "d": []}
    assert parse_json(json.dumps(value), "it") == value
    deep = [[]]
    for _ in range(json_files.DEEPEST - 2):
        deep = [deep]
    assert parse_json(json.dumps(deep), "it") == deep
    assert parse_json("[NaN, Infinity]", "it", nan=True)[1] == float("inf")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_every_reader_of_json_uses_it(tmp_path, text):
    for name in ("config.json", "tokenizer.json", "model.safetensors.index.json"):
        (tmp_path / name).write_text(text)
    (tmp_path / "merges.txt").write_text("a b\n")
    (tmp_path / "vocab.json").write_text(text)
    for read in (
        lambda: read_config(tmp_path / "config.json", "GPT", {}, dict, ("act", "gelu")),
        lambda: BPETokenizer.load(tmp_path / "tokenizer.json"),
        lambda: BPETokenizer.from_pretrained(tmp_path),
        lambda: WordPieceTokenizer.from_pretrained(tmp_path),
        lambda: UnigramTokenizer.from_pretrained(tmp_path),
    ):
        with pytest.raises(DamagedFileError, match="is not usable JSON"):
            read()
