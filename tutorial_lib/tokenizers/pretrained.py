"""The tokenizer files that lie beside published weights, by their usual names in a folder."""

from pathlib import Path

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import gguf_in, read_gguf, read_json
from tutorial_lib.tokenizers.files import read_gpt2, read_text
from tutorial_lib.tokenizers.pretokenize import (
    GPT2_PATTERN,
    SMOLLM_PATTERN,
    printable,
    unprintable,
)

TOKENIZER = "tokenizer.json"
GGUF_PATTERNS = {"gpt-2": GPT2_PATTERN, "smollm": SMOLLM_PATTERN}
GPT2_FILES = (("vocab.bpe", "encoder.json"), ("merges.txt", "vocab.json"))


def read_bpe(folder):
    """Return merges (pairs of printable strings), {printable token: id} and pattern of a folder.

    It holds tokenizer.json, or vocab.bpe and encoder.json, or merges.txt and vocab.json, or one
    .gguf file. Raises MissingDataError when there is none of them, DamagedFileError when the file
    is damaged or cuts text in another way than GPT-2 and SmolLM do.
    """
    folder = Path(folder)
    if (folder / TOKENIZER).is_file():  # first: of all files it alone says how text is cut
        return _read_json(folder / TOKENIZER)
    for merges, ids in GPT2_FILES:
        if (folder / merges).is_file() and (folder / ids).is_file():
            return *read_gpt2(folder / merges, folder / ids), GPT2_PATTERN
    path = gguf_in(folder)
    if path is None:
        raise MissingDataError(
            f"{folder} holds no BPE vocabulary: neither vocab.bpe and encoder.json, "
            f"nor merges.txt and vocab.json, nor {TOKENIZER}, nor a .gguf file"
        )
    return _read_facts(read_gguf(path))


def _read_json(path):
    content = read_json(path, dict)
    try:
        model = content["model"]
        _require(path, "model.type", model["type"], "BPE")
        cut, pattern = content["pre_tokenizer"] or {}, GPT2_PATTERN
        if cut.get("type") == "Sequence" and len(cut["pretokenizers"]) == 2:
            digits, cut = cut["pretokenizers"]
            pattern = SMOLLM_PATTERN
            _require(path, "pre_tokenizer.type", digits.get("type"), "Digits")
            _require(path, "individual_digits", digits.get("individual_digits"), True)
            # Only such vocabularies lack bytes: one that replaced them would be another tokenizer.
            _require(path, "model.unk_token", model.get("unk_token"), None)
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
    return merges, ids, pattern


def _read_facts(file):
    facts = {name.removeprefix("tokenizer.ggml."): fact for name, fact in file.facts.items()}
    try:
        _require(file.path, "tokenizer.ggml.model", facts["model"], "gpt2")
        _require(file.path, "add_space_prefix", facts.get("add_space_prefix", False), False)
        if facts["pre"] not in GGUF_PATTERNS:
            _require(file.path, "tokenizer.ggml.pre", facts["pre"], " or ".join(GGUF_PATTERNS))
        tokens, merges = facts["tokens"], [tuple(merge.split(" ")) for merge in facts["merges"]]
        ids = {token: token_id for token_id, token in enumerate(tokens)}
    except KeyError as error:
        raise DamagedFileError(f"{file.path} holds no tokenizer: it lacks {error}") from error
    except (AttributeError, TypeError) as error:
        raise DamagedFileError(f"{file.path} holds no BPE vocabulary ({error})") from error
    if len(ids) < len(tokens) or not all(isinstance(token, str) for token in tokens):
        raise DamagedFileError(f"{file.path}: tokens must be texts, each a different one")
    wrong = [pair for pair in merges if len(pair) != 2]
    if wrong:
        raise DamagedFileError(f"{file.path}: a merge takes two symbols, got {wrong[0]}")
    return merges, ids, GGUF_PATTERNS[facts["pre"]]


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
