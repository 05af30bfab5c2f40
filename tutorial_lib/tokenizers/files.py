"""Tokenizer files: our JSON, GPT-2's two files, tiktoken's rank files, BERT's word list."""

import base64
import binascii
import json
from pathlib import Path

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import read_json, write_text


def save_json(path, content):
    """Write JSON, all of it or nothing."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=0) + "\n")


def read_text(path):
    """Read UTF-8 text; DamagedFileError when it is none."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"{path} is not UTF-8 text: {error}") from None


def load_json(path, kind):
    """Read what `save_json` wrote; `kind` must be the value of its "format" entry."""
    content = read_json(path)
    found = content.get("format") if isinstance(content, dict) else None
    if found != kind:
        raise DamagedFileError(f"{path} should be a {kind!r} file, its format is {found!r}")
    return content


def read_tiktoken(path):
    """Read a rank file, one `base64 rank` a line; return the tokens (bytes) in rank order."""
    tokens = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            token, rank = line.split()
            tokens.append(base64.b64decode(token, validate=True))
        except (ValueError, binascii.Error):
            raise DamagedFileError(
                f"{path}, line {number}: expected `base64 rank`, got {line[:40]!r}"
            ) from None
        if rank != str(number - 1):
            raise DamagedFileError(f"{path}, line {number}: expected rank {number - 1}, got {rank}")
    return tokens


def read_gpt2(vocab_bpe, encoder_json):
    """Read GPT-2's files; return merges (pairs of printable strings) and {printable token: id}."""
    merges = []
    for number, line in enumerate(read_text(vocab_bpe).split("\n"), 1):
        if not line.strip() or (number == 1 and line.startswith("#version")):
            continue
        pair = tuple(line.split())
        if len(pair) != 2:
            raise DamagedFileError(
                f"{vocab_bpe}, line {number}: expected two symbols, got {line[:40]!r}"
            )
        merges.append(pair)
    ids = read_json(encoder_json)
    if not isinstance(ids, dict) or set(map(repr, ids.values())) != set(map(repr, range(len(ids)))):
        raise DamagedFileError(f"{encoder_json} should map tokens to the ids 0, 1, 2 ...")
    return merges, ids
