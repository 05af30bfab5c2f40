"""Unigram's files: the tokenizer.json of `tokenizers`, and the .model of SentencePiece."""

import base64
import struct
from pathlib import Path

from tutorial_lib.errors import DamagedFileError, MissingDataError, VocabularyError
from tutorial_lib.tokenizers.pretokenize import EVERY_WORD, METASPACE

SINGLE = [{"Sequence": {"id": "A", "type_id": 0}}]
PAIR = [*SINGLE, {"Sequence": {"id": "B", "type_id": 1}}]


def template_of(spec, vocab_size):
    """Return how one text and how two are framed: lists of ("A" or "B" or ids, segment).

    spec: "post_processor" of a tokenizer.json; None: nothing is added.
    Raises VocabularyError for anything but a TemplateProcessing with ids below vocab_size.

    >>> template_of(None, 9)
    ([('A', 0)], [('A', 0), ('B', 1)])
    """
    spec = spec or {"type": "TemplateProcessing", "single": SINGLE, "pair": PAIR}
    try:
        if spec["type"] != "TemplateProcessing":
            raise VocabularyError(
                f"the post-processor should be TemplateProcessing, got {spec['type']!r}"
            )
        special = {
            name: list(entry["ids"]) for name, entry in spec.get("special_tokens", {}).items()
        }
        for ids in special.values():
            if not all(type(i) is int and 0 <= i < vocab_size for i in ids):
                raise VocabularyError(f"the template's ids should lie below {vocab_size}: {ids}")
        frames = []
        for name, texts in (("single", ("A",)), ("pair", ("A", "B"))):
            frame = []
            for part in spec[name]:
                [(kind, entry)] = part.items()
                what = entry["id"] if kind == "Sequence" else special[entry["id"]]
                foreign = kind == "Sequence" and what not in texts
                if foreign or type(entry["type_id"]) is not int:
                    raise VocabularyError(f"the template cannot be read: {part!r}")
                frame.append((what, entry["type_id"]))
            frames.append(frame)
        return tuple(frames)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise VocabularyError(f"the template cannot be read: {error!r}") from None


def read_unigram(path, content):
    """Return the parts of a UnigramTokenizer from what a tokenizer.json holds, as keywords.

    Raises DamagedFileError when it holds another model or options that are not known here.
    """
    try:
        model = content["model"]
        if model["type"] != "Unigram":
            raise DamagedFileError(f"{path} holds a {model['type']!r}, not a Unigram")
        pieces = [(piece, score) for piece, score in model["vocab"]]
        scores, added = dict(pieces), content.get("added_tokens") or []
        for token in added:
            wrong = [name for name in ("single_word", "rstrip") if token.get(name)]
            if content.get("normalizer") and token.get("normalized"):
                wrong.append("normalized")
            if wrong:
                raise DamagedFileError(
                    f"{path}: {', '.join(wrong)} of the token {token['content']!r} is not supported"
                )
        parts = {
            "scores": scores,
            "unk_id": model["unk_id"],
            "special_tokens": {token["content"]: token["id"] for token in added},
            "takes_blanks": [token["content"] for token in added if token.get("lstrip")],
            "byte_fallback": bool(model.get("byte_fallback")),
            "normalizer": content.get("normalizer"),
            "pre_tokenizer": content.get("pre_tokenizer"),
            "post_processor": content.get("post_processor"),
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path} is no tokenizer file ({error!r})") from None
    if len(scores) < len(pieces):
        raise DamagedFileError(f"{path} holds a piece more than once")
    return parts


def written(tokenizer):
    """Return what tokenizer.json holds for a UnigramTokenizer; `tokenizers` reads it, too."""
    added = [
        {
            "id": token_id,
            "content": name,
            "single_word": False,
            "lstrip": name in tokenizer.takes_blanks,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for name, token_id in tokenizer.special_tokens.items()
    ]
    metaspace = {"type": "Metaspace", "replacement": METASPACE, "prepend_scheme": "always"}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": tokenizer.normalizer,
        "pre_tokenizer": tokenizer.pre_tokenizer,
        "post_processor": tokenizer.post_processor,
        "decoder": metaspace | {"split": True},
        "model": {
            "type": "Unigram",
            "unk_id": tokenizer.unk_id,
            "vocab": [[piece, score] for piece, score in tokenizer.scores.items()],
            "byte_fallback": tokenizer.byte_fallback,
        },
    }


OUTER_SPACES = r"\A +| +(?![\s\S])"  # spaces alone: Strip takes tabs, too
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # kinds of pieces there


def read_sentencepiece(path):
    """Return the parts of a UnigramTokenizer from SentencePiece's own file, as keywords.

    The ids are the file's; models often move them (XLM-R by one) or add more. Control and
    user-defined pieces become special tokens.
    Raises MissingDataError when there is no file, DamagedFileError for a damaged one, or a model
    that is no Unigram.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingDataError(f"there is no file {path}") from None
    try:
        scores, special, unk_id = {}, {}, None
        trainer, rules = {}, {}
        for number, value in _fields(data):
            if number == 1:  # a piece: 1 text, 2 log-probability, 3 kind
                entry = dict(_fields(value))
                piece, kind = entry[1].decode("utf-8"), entry.get(3, NORMAL)
                if piece in scores:
                    raise DamagedFileError(f"{path} holds the piece {piece!r} more than once")
                unk_id = len(scores) if kind == UNKNOWN else unk_id
                if kind in (UNKNOWN, CONTROL, USER_DEFINED):
                    special[piece] = len(scores)
                (scores[piece],) = struct.unpack("<f", entry.get(2, bytes(4)))
            elif number == 2:
                trainer = dict(_fields(value))
            elif number == 3:
                rules = dict(_fields(value))
        if trainer.get(3, 1) != 1:
            raise DamagedFileError(f"{path} holds no Unigram: its model_type is {trainer[3]}")
        steps = []
        if rules.get(2):
            charsmap = base64.b64encode(rules[2]).decode()
            steps.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
        if rules.get(4, 1):  # remove_extra_whitespaces
            steps.append({"type": "Replace", "pattern": {"Regex": OUTER_SPACES}, "content": ""})
            steps.append({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise DamagedFileError(f"{path} is no file of SentencePiece ({error!r})") from None
    return {
        "scores": scores,
        "unk_id": unk_id,
        "special_tokens": special,
        "byte_fallback": bool(trainer.get(35)),
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": EVERY_WORD | {"prepend_scheme": "always" if rules.get(3, 1) else "never"},
    }


def _fields(data):
    """Yield the fields of a protobuf message: number, then a whole number or bytes."""
    place = 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            yield number, varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or (varint() if kind == 2 else None)
        if size is None or place + size > len(data):
            raise ValueError("a field ends after the file")
        yield number, data[place : place + size]
        place += size
