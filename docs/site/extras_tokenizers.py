"""Which of the site's vocabularies the tokenizer of an explorer has, asked of the live explorer."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "models"))

from export_vocabularies import TOKENIZERS, tokenizer

from tutorial_lib.errors import MissingDataError
from tutorial_lib.tokenizers import WordPieceTokenizer


def vocabulary(one):
    """Return {"vocabulary": name} of a tokenizer, with "merges" where it has the first ones only.

    {} when none of the site's vocabularies is its own.

    >>> vocabulary(tokenizer("shakespeare-bert"))
    {'vocabulary': 'shakespeare-bert'}
    """
    for name in TOKENIZERS:
        try:
            known = tokenizer(name)
        except MissingDataError:
            continue
        if isinstance(one, WordPieceTokenizer) or isinstance(known, WordPieceTokenizer):
            facts = (getattr(t, "vocab", None) for t in (one, known))
            if len({str(fact) for fact in facts}) == 1 and one.lowercase == known.lowercase:
                return {"vocabulary": name}
        elif hasattr(known, "merges") and hasattr(one, "merges") and _begins_with(known, one):
            n = len(one.merges)
            return {"vocabulary": name} | ({} if n == len(known.merges) else {"merges": n})
    return {}


def _begins_with(known, one):
    """Whether a BPE has the first merges of a known one, with the same ids."""
    n = len(one.merges)
    if known.merges[:n] != list(one.merges) or known.pattern != getattr(one, "pattern", None):
        return False
    tokens = [a + b for a, b in one.merges] + [token for token in known._ids if len(token) == 1]
    return all(one.token_bytes(known._ids[token]) == token for token in tokens)


EXTRAS = {
    "TokenizerExplorer": lambda explorer: {
        "tokenizers": [
            {"name": name, **vocabulary(one)} for name, one in explorer.tokenizers.items()
        ]
    },
    "MaskingExplorer": lambda explorer: {
        **vocabulary(explorer.tokenizer),
        "first": explorer.request,
    },
    "MaskingPassesExplorer": lambda explorer: vocabulary(explorer.tokenizer),
}
