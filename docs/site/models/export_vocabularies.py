"""Write the vocabularies of the course's tokenizers for the pages of the site.

    python docs/site/models/export_vocabularies.py OUT

writes OUT/vocabularies/<name>.js (tokenizers/load.js reads them) and card.json, which says how
large each is. They are scripts and not JSON, so that a page opened from the file system can read
them, too. Beside the vocabularies stand tables of characters: browsers differ in their version of
Unicode, and tokens must not depend on that.
"""

import json
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tutorial_lib.datasets import (  # noqa: E402
    gpt2_vocabulary,
    load_shakespeare,
    minilm_folder,
    smollm2_folder,
)
from tutorial_lib.errors import MissingDataError  # noqa: E402
from tutorial_lib.recipes import CHECKPOINTS, number_bert  # noqa: E402
from tutorial_lib.recipes.shakespeare_gpt import CharacterTokenizer  # noqa: E402
from tutorial_lib.tokenizers import BPETokenizer, WordPieceTokenizer  # noqa: E402
from tutorial_lib.tokenizers.pretokenize import _CJK, BERT_PATTERN, printable  # noqa: E402
from tutorial_lib.tokenizers.wordpiece import MAX_LETTERS, SPECIAL_TOKENS  # noqa: E402

BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
WORDPIECE = ("shakespeare-bert",)
BPE = ("own-gpt", "translation-de", "translation-fr", "emoji-writer")
SCRIPT = "((globalThis.tl??={{}}).vocabularies??={{}})[{}]={};\n"


def of_the_plays():
    """The tokenizer of 4,096 ids that chapter 01 trains on all plays."""
    return BPETokenizer.train(load_shakespeare().text, 4096, special_tokens=["<|endoftext|>"])


def of_hamlet():
    """The tokenizer of 556 ids that chapter 01 trains on Hamlet."""
    plays = load_shakespeare().plays
    hamlet = next(play for play in plays if play.title == "Hamlet")
    return BPETokenizer.train(hamlet.text, 556)


def _stored(kind, name):
    return lambda: kind(CHECKPOINTS / f"{name}.tokenizer.json")


# Name -> the function that makes the tokenizer.
TOKENIZERS = {
    "gpt2": lambda: BPETokenizer.from_gpt2(*gpt2_vocabulary()),
    "minilm": lambda: WordPieceTokenizer.from_vocab(minilm_folder() / "vocab.txt"),
    "smollm2": lambda: BPETokenizer.from_pretrained(smollm2_folder()),
    "plays": of_the_plays,
    "hamlet": of_hamlet,
    "shakespeare-gpt": CharacterTokenizer,
    **{name: _stored(WordPieceTokenizer.from_vocab, name) for name in WORDPIECE},
    "number-bert": _stored(number_bert.read_tokenizer, "number-bert"),
    **{name: _stored(BPETokenizer.load, name) for name in BPE},
}


@cache
def tokenizer(name):
    """Return the tokenizer of a name in TOKENIZERS; MissingDataError where its data is not."""
    return TOKENIZERS[name]()


def content(one):
    """Return what the page needs of a tokenizer, as JSON takes it."""
    if isinstance(one, CharacterTokenizer):
        return {"kind": "characters", "alphabet": one.alphabet}
    if isinstance(one, WordPieceTokenizer):
        return {
            "kind": "wordpiece",
            "pieces": "\n".join(one.vocab),
            "lowercase": one.lowercase,
            "specials": SPECIAL_TOKENS,
            "most_letters": MAX_LETTERS,
            "pattern": BERT_PATTERN,
        }
    ids = dict(one._ids)
    made = [first + second for first, second in one.merges]
    first = ids[made[0]] if made else 256
    # Nearly all ids follow from the order of the merges: only the others are written down.
    numbered = {token: first + rank for rank, token in enumerate(made)}
    return {
        "kind": "bpe",
        "merges": "\n".join(f"{printable(a)} {printable(b)}" for a, b in one.merges),
        "first": first,
        "ids": {printable(t): i for t, i in ids.items() if numbered.get(t) != i},
        "specials": one.special_tokens,
        "every_byte": one.every_byte,
        "pattern": one.pattern,
    }


def in_base(number, digits=BASE36):
    """Write a whole number from 0 in base 36, as parseInt(text, 36) reads it.

    >>> in_base(71)
    '1z'
    """
    high, low = divmod(number, len(digits))
    return (in_base(high, digits) if high else "") + digits[low]


def packed(codes: Iterable[int]):
    """Write a set of code points as its runs: how many are left out, how many belong to it.

    >>> packed([2, 3, 4, 9])
    '2 3 4 1'
    """
    runs, end = [], 0
    for _, run in groupby(enumerate(sorted(codes)), lambda pair: pair[1] - pair[0]):
        run = [code for _, code in run]
        runs += [run[0] - end, len(run)]
        end = run[-1] + 1
    return " ".join(map(in_base, runs))


def characters():
    """Return the sets of characters that the tokenizers ask about, packed.

    Patterns ask the module regex, BERT's cleaning unicodedata, each with its own version of
    Unicode.
    """
    every = [chr(code) for code in range(0x110000)]
    category = list(map(unicodedata.category, every))
    whole = "".join(every)
    sets = {
        name: map(ord, regex.findall(pattern, whole))
        for name, pattern in {"L": r"\p{L}", "N": r"\p{N}", "P": r"\p{P}", "s": r"\s"}.items()
    }
    sets["marks"] = (code for code, kind in enumerate(category) if kind == "Mn")
    sets["dropped"] = [
        0xFFFD,
        *(code for code, kind in enumerate(category) if kind in ("Cc", "Cf", "Co", "Cs")),
    ]
    sets["blanks"] = (code for code, character in enumerate(every) if character.isspace())
    sets["ideographs"] = (code for first, last in _CJK for code in range(first, last + 1))
    sets["unprintable"] = (code for code, one in enumerate(every) if not one.isprintable())
    # What this Python has never heard of, a browser may know: it must leave it alone.
    sets["unknown"] = (code for code, kind in enumerate(category) if kind == "Cn")
    return {name: packed(codes) for name, codes in sets.items()}


def main(out, names=tuple(TOKENIZERS)):
    """Write the vocabularies whose data is installed below the folder `out`; return the card."""
    folder = Path(out) / "vocabularies"
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}

    def write(name, what):
        text = SCRIPT.format(
            json.dumps(name), json.dumps(what, ensure_ascii=False, separators=(",", ":"))
        )
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
        sizes[name] = len(text.encode())

    for name in names:
        try:
            write(name, content(tokenizer(name)))
        except MissingDataError as error:
            print(f"no vocabulary of {name}: {error}")
    write("characters", {"sets": characters(), "sizes": dict(sizes)})
    card = {"name": "vocabularies", "bytes": sum(sizes.values()), "files": sizes}
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])["files"]))
