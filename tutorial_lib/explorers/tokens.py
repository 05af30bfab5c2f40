"""Type a text and see how several tokenizers cut it, side by side."""

import traitlets

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.figures.tokens import visible

LIMIT = 2000  # characters
EXAMPLE = "The animal didn't cross the street because it was too tired."


class TokenizerExplorer(AskingExplorer):
    """A text box above one strip of coloured tokens for each tokenizer.

    tokenizers maps a name to an object whose `encode(text)` gives a list of ids (then
    `token_bytes(id)` gives the bytes of each) or an encoding with `ids` and `tokens`. The text is
    cut at 2,000 characters. Raises ValueError without a tokenizer.

    >>> from tutorial_lib.tokenizers import BPETokenizer
    >>> TokenizerExplorer({"BPE": BPETokenizer.train("so it is so", 258)})
    Tokenizer explorer: run this cell
    """

    title = "Tokenizer explorer"
    _esm = javascript("tokens.js")
    _css = stylesheet("tokens.css")

    limit = traitlets.Int(LIMIT).tag(sync=True, told=True)

    def __init__(self, tokenizers, text=EXAMPLE):
        if not tokenizers:
            raise ValueError("TokenizerExplorer needs at least one tokenizer, got none")
        self.tokenizers = dict(tokenizers)
        super().__init__(text)

    def describe(self):
        """Say in words what the explorer shows now."""
        counts = [
            f"{row['name']} cuts it into {len(row['tokens'])} tokens"
            for row in self.reply.get("rows", ())
            if "tokens" in row
        ]
        return f"the text {excerpt(self.text)} to edit; {'; '.join(counts)}."

    def answer(self, text):
        """Return one row for each tokenizer: its tokens, or its error beside the others."""
        return {"rows": [_row(name, one, text) for name, one in self.tokenizers.items()]}


def _row(name, tokenizer, text):
    try:
        tokens = _tokens(tokenizer, text)
    except Exception as error:  # any tokenizer may be handed in: its error is shown, not lost
        return {"name": name, "error": f"{type(error).__name__}: {error}"}
    return {
        "name": name,
        "tokens": tokens,
        "characters": len(text),
        "bytes": len(text.encode()),
    }


def _tokens(tokenizer, text):
    """Each token as [text to show, id, its bytes in hexadecimal]."""
    encoding = tokenizer.encode(text)
    if hasattr(encoding, "tokens"):
        return [
            [visible(token), int(token_id), token.encode().hex(" ")]
            for token, token_id in zip(encoding.tokens, encoding.ids, strict=True)
        ]
    return [[*_from_bytes(tokenizer.token_bytes(i), int(i))] for i in encoding]


def _from_bytes(raw, token_id):
    try:
        shown = visible(raw.decode())
    except UnicodeDecodeError:
        shown = "".join(chr(b) if 32 < b < 127 else f"<{b:02X}>" for b in raw)
    return shown, token_id, raw.hex(" ")
