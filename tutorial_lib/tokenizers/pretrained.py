"""The tokenizer files that lie beside published weights, by their usual names in a folder."""

from pathlib import Path

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import read_json
from tutorial_lib.tokenizers.files import read_gpt2, read_text
from tutorial_lib.tokenizers.pretokenize import printable, unprintable

TOKENIZER = "tokenizer.json"
GPT2_FILES = (("vocab.bpe", "encoder.json"), ("merges.txt", "vocab.json"))


def read_bpe(folder):
    """Return merges (pairs of printable strings) and {printable token: id} of a folder.

    It holds vocab.bpe and encoder.json, or merges.txt and vocab.json, or tokenizer.json.
    Raises MissingDataError when there is none of them, DamagedFileError when the file is damaged
    or cuts text in another way than GPT-2.
    """
    folder = Path(folder)
    for merges, ids in GPT2_FILES:
        if (folder / merges).is_file() and (folder / ids).is_file():
            return read_gpt2(folder / merges, folder / ids)
    if not (folder / TOKENIZER).is_file():
        raise MissingDataError(
            f"{folder} holds no BPE vocabulary: neither vocab.bpe and encoder.json, "
            f"nor merges.txt and vocab.json, nor {TOKENIZER}"
        )
    path, content = folder / TOKENIZER, read_json(folder / TOKENIZER, dict)
    try:
        model = content["model"]
        _require(path, "model.type", model["type"], "BPE")
        cut = content["pre_tokenizer"] or {}
        _require(path, "pre_tokenizer.type", cut.get("type"), "ByteLevel")
        _require(path, "pre_tokenizer.use_regex", cut.get("use_regex", True), True)
        _require(path, "pre_tokenizer.add_prefix_space", cut.get("add_prefix_space"), False)
        _require(path, "normalizer", content.get("normalizer"), None)
        merges = [tuple(p.split(" ") if isinstance(p, str) else p) for p in model["merges"]]
        ids = model["vocab"] | _added(path, content, model["vocab"])
    except (AttributeError, KeyError, TypeError) as error:
        raise DamagedFileError(f"{path} is no tokenizer file ({error!r})") from error
    for pair in merges:
        if len(pair) != 2 or not all(isinstance(symbol, str) for symbol in pair):
            raise DamagedFileError(f"{path}: a merge takes two symbols, got {pair}")
    return merges, ids


def as_bytes(merges, printable_ids):
    """Return {token: id} and merges in bytes, and {special token: id}: a BPETokenizer's parts.

    A token that is neither a byte nor the result of a merge is special (<|endoftext|>).
    Raises KeyError for a character that stands for no byte.
    """
    made = {*(printable(bytes([byte])) for byte in range(256)), *map("".join, merges)}
    special = {t: token_id for t, token_id in printable_ids.items() if t not in made}
    ids = {unprintable(t): token_id for t, token_id in printable_ids.items() if t in made}
    return ids, [(unprintable(first), unprintable(second)) for first, second in merges], special


def read_wordpiece(folder):
    """Return the pieces in order of their ids and whether text is lowercased, of a folder.

    It holds vocab.txt, with or without tokenizer_config.json, or tokenizer.json.
    Raises MissingDataError when there is neither, DamagedFileError when the file is damaged or cuts
    text in another way than BERT.
    """
    folder = Path(folder)
    if (folder / "vocab.txt").is_file():
        about = folder / "tokenizer_config.json"
        config = read_json(about, dict) if about.is_file() else {}
        lowercase = _yes_or_no(about, "do_lower_case", config.get("do_lower_case", True))
        return read_pieces(folder / "vocab.txt"), lowercase
    if not (folder / TOKENIZER).is_file():
        raise MissingDataError(
            f"{folder} holds no WordPiece vocabulary: neither vocab.txt nor {TOKENIZER}"
        )
    path, content = folder / TOKENIZER, read_json(folder / TOKENIZER, dict)
    try:
        model = content["model"]
        _require(path, "model.type", model["type"], "WordPiece")
        _require(path, "continuing_subword_prefix", model["continuing_subword_prefix"], "##")
        normalizer = content["normalizer"] or {}
        _require(path, "normalizer.type", normalizer.get("type"), "BertNormalizer")
        ids = model["vocab"] | _added(path, content, model["vocab"])
        pieces = sorted(ids, key=ids.get)
        lowercase = _yes_or_no(path, "normalizer.lowercase", normalizer.get("lowercase", True))
    except (AttributeError, KeyError, TypeError) as error:
        raise DamagedFileError(f"{path} is no tokenizer file ({error!r})") from error
    if [ids[piece] for piece in pieces] != list(range(len(pieces))):
        raise DamagedFileError(f"{path} should give its pieces the ids 0, 1, 2 ...")
    return pieces, lowercase


def read_pieces(path):
    """Return the pieces of BERT's vocab.txt, one a line."""
    # Not splitlines(): some pieces are signs that it takes for the end of a line.
    lines = read_text(path).removesuffix("\n").split("\n")
    return [line.removesuffix("\r") for line in lines]


def _added(path, content, vocab):
    """Return {token: id} of the tokens that were added to a vocabulary later."""
    added = {token["content"]: token["id"] for token in content.get("added_tokens") or ()}
    for token, token_id in added.items():
        if not isinstance(token, str):
            raise DamagedFileError(f"{path}: a token is text, got {token!r}")
        if vocab.get(token, token_id) != token_id:
            raise DamagedFileError(f"{path} gives {token!r} two ids, {vocab[token]} and {token_id}")
    return added


def _yes_or_no(path, name, found):
    if not isinstance(found, bool):
        raise DamagedFileError(f"{path}: {name} should be true or false, got {found!r}")
    return found


def _require(path, name, found, wanted):
    if found != wanted:
        raise DamagedFileError(
            f"{path}: {name} is {found!r}, this tokenizer needs {wanted!r}: it would cut text "
            "in another way than the model has learned"
        )
