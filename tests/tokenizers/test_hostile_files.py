"""Files with one odd entry: either a DamagedFileError, or a tokenizer that works."""

import json
from math import inf, nan

import pytest

from tutorial_lib.errors import DamagedFileError, VocabularyError
from tutorial_lib.tokenizers import BPETokenizer, UnigramTokenizer, WordPieceTokenizer
from tutorial_lib.tokenizers.pretokenize import printable

TEXT = "to be [MASK] <|end|>, to beé"
ODD = [None, True, -1, 1.5, inf, nan, 10**40, "", "to be", "(", [], [[]], [1, 2], {}, {"a": {}}]
DEEP = '{"format": ' + "[" * 100_000
LONG = '{"format": ' + "9" * 5_000 + "}"
SMALL = BPETokenizer.train(TEXT, 262, ["<|end|>"])
IDS = {printable(SMALL.token_bytes(i)): i for i in range(261)}
MERGES = [[printable(first), printable(second)] for first, second in SMALL.merges]
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "to", "b", "##e"]
ADDED = [{"id": 261, "content": "<|end|>"}]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
BERT = {"type": "BertNormalizer", "lowercase": True}
STEPS = [
    {"type": "Replace", "pattern": {"String": "é"}, "content": "e"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "NFKC"},
    {"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="},
]
BLANKS = {"type": "WhitespaceSplit"}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
FRAME = [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[MASK]", "type_id": 0}}]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": FRAME,
    "pair": [*FRAME, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"[MASK]": {"id": "[MASK]", "ids": [3], "tokens": ["[MASK]"]}},
}

# What each kind of folder holds (the file to change comes last), and what reads it.
FILES = {
    "our own": ({"ours.json": None}, lambda folder: BPETokenizer.load(folder / "ours.json")),
    "GPT-2's two": (
        {"merges.txt": "\n".join(map(" ".join, MERGES)), "vocab.json": IDS | {"<|end|>": 261}},
        BPETokenizer.from_pretrained,
    ),
    "tokenizer.json of a BPE": (
        {
            "tokenizer.json": {
                "model": {"type": "BPE", "vocab": IDS, "merges": MERGES},
                "pre_tokenizer": BYTE_LEVEL,
                "normalizer": None,
                "added_tokens": ADDED,
            }
        },
        BPETokenizer.from_pretrained,
    ),
    "tokenizer.json of WordPiece": (
        {
            "tokenizer.json": {
                "model": {
                    "type": "WordPiece",
                    "vocab": {piece: i for i, piece in enumerate(PIECES)},
                    "continuing_subword_prefix": "##",
                },
                "normalizer": BERT,
                "added_tokens": [{"id": 8, "content": "<|end|>"}],
            }
        },
        WordPieceTokenizer.from_pretrained,
    ),
    "tokenizer.json of Unigram": (
        {
            "tokenizer.json": {
                "model": {
                    "type": "Unigram",
                    "vocab": [["<unk>", 0.0], ["▁to", -1.5], ["b", -2.0]],
                    "unk_id": 0,
                    "byte_fallback": False,
                },
                "normalizer": {"type": "Sequence", "normalizers": STEPS},
                "pre_tokenizer": {"type": "Sequence", "pretokenizers": [BLANKS, METASPACE]},
                "post_processor": TEMPLATE,
                "added_tokens": [{"id": 3, "content": "[MASK]", "lstrip": True}],
            }
        },
        UnigramTokenizer.from_pretrained,
    ),
    "tokenizer_config.json": (
        {"vocab.txt": "\n".join(PIECES), "tokenizer_config.json": {"do_lower_case": False}},
        WordPieceTokenizer.from_pretrained,
    ),
}


@pytest.fixture(params=FILES)
def kind(request, tmp_path):
    """The folder of one kind of file, the path of its JSON, and what reads the folder."""
    files, read = FILES[request.param]
    for name, content in files.items():
        if content is None:
            SMALL.save(tmp_path / name)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path, tmp_path / name, read


def changed(content):
    """Copies of JSON, each with one part that is odd or gone; two entries stand for many alike."""
    yield from ODD
    if isinstance(content, dict):
        for key in list(content)[: 2 if len(content) > 9 else None]:
            rest = {other: content[other] for other in content if other != key}
            yield rest
            yield rest | {"odd": content[key]}
            yield from (rest | {key: part} for part in changed(content[key]))
    elif isinstance(content, list):
        yield content * 2
        for i, part in enumerate(content[:2]):
            yield content[:i] + content[i + 1 :]
            yield from ([*content[:i], odd, *content[i + 1 :]] for odd in changed(part))


def use(tokenizer):
    if getattr(tokenizer, "unk_id", 0) is None:  # a Unigram without one says so
        with pytest.raises(VocabularyError, match="no pieces spell"):
            tokenizer.encode(TEXT)
        return
    ids = tokenizer.encode(TEXT)
    tokenizer.decode(ids.ids if hasattr(ids, "ids") else ids)
    if hasattr(tokenizer, "special_tokens"):
        tokenizer.encode(TEXT, "all")


def test_the_files_are_good_before_they_are_changed(kind):
    folder, _, read = kind
    use(read(folder))


def test_one_odd_entry(kind):
    folder, path, read = kind
    tried = 0
    for content in changed(json.loads(path.read_text(encoding="utf-8"))):
        path.write_text(json.dumps(content), encoding="utf-8")
        tried += 1
        try:
            tokenizer = read(folder)
        except DamagedFileError:
            continue
        use(tokenizer)
    assert tried > 20


@pytest.mark.parametrize("text", [DEEP, LONG], ids=["deep", "long number"])
def test_json_beyond_all_measure(kind, text):
    folder, path, read = kind
    path.write_text(text)
    with pytest.raises(DamagedFileError, match=path.name):
        read(folder)
