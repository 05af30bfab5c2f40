"""What a language model would say next after each of its layers, on a text of one's own."""

import numpy as np
import torch
import traitlets

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import excerpt, javascript, stylesheet
from tutorial_lib.explorers.reading import reading
from tutorial_lib.figures.generation import token_name
from tutorial_lib.interpret import logit_lens
from tutorial_lib.tokenizers.vocabulary import id_list

MOST_TOKENS = 16  # of a text; each costs one column, and V products for every layer
MOST_LISTED = 5


class LogitLensExplorer(AskingExplorer):
    """A table of layers by positions: the token each layer would say next, as dark as it is likely.

    model: decoder-only; encode(text) -> ids; decode(ids) -> text. Point at a square for its five
    likeliest tokens, click it to follow its token through all layers and positions. follow is the
    id that is followed, -1 for none. `lens` is the LogitLens shown now, None for an empty text.
    Of a text the first 16 tokens are read.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> sizes = {"context": 8, "d_model": 4, "n_layers": 2, "n_heads": 1}
    >>> model = GPT(GPTConfig(vocab_size=3, **sizes))
    >>> encode, decode = lambda text: ["abc".index(c) for c in text], lambda ids: "abc"[ids[0]]
    >>> explorer = LogitLensExplorer(model, encode, decode, "ab")
    >>> explorer, explorer.lens.top_ids.shape
    (Logit lens: run this cell, torch.Size([3, 2, 3]))
    """

    title = "Logit lens"
    _esm = javascript("asking.js", "logit_lens.js")
    _css = stylesheet("asking.css", "logit_lens.css")

    follow = traitlets.Int(-1).tag(sync=True)
    followed = traitlets.Dict().tag(sync=True, told=True)  # its name and probabilities, or {}

    def __init__(self, model, encode, decode, text="", follow=-1):
        self.model, self.encode, self.decode = model, encode, decode
        self.longest = min(MOST_TOKENS, model.config.context)
        self.lens = None
        super().__init__(text)
        self.observe(lambda _: self._tell_followed(), names="follow")
        self.follow = follow

    def describe(self):
        """Say in words what the explorer shows now."""
        return (
            f"a table of {self.reply.get('layers', 0)} depths by "
            f"{len(self.reply.get('tokens', ()))} tokens of {excerpt(self.text)}: in each square "
            "the next token that this depth would say, the darker the likelier."
        )

    def answer(self, text):
        """Read the text through the lens."""
        ids = id_list(self.encode(text))
        kept = ids[: self.longest]
        self.lens = None
        if kept:
            device = next(self.model.parameters()).device
            with reading(self.model):
                self.lens = logit_lens(self.model, torch.tensor([kept], device=device), MOST_LISTED)
        self._tell_followed()
        return {"tokens": self._names(kept), "left_out": len(ids) - len(kept), **self._table()}

    def _table(self):
        if self.lens is None:
            return {"layers": 0}
        shown = np.asarray(self.lens.top_ids.cpu())  # (L + 1, T, n)
        words, places = np.unique(shown, return_inverse=True)
        following = [*self.lens.ids[1:].tolist(), -1]
        return {
            "layers": shown.shape[0],
            "listed": shown.shape[2],
            "words": self._names(words.tolist()),
            "ids": words.tolist(),
            "next": following,
            "places": places.reshape(-1).astype(np.int32).tobytes(),
            "shares": _half(self.lens.top_probabilities),
        }

    def _tell_followed(self):
        if self.lens is None or not 0 <= self.follow < len(self.lens.output_vectors):
            self.followed = {}
            return
        shares = self.lens.probability(self.follow)
        self.followed = {
            "id": self.follow,
            "name": token_name(self.decode([self.follow])),
            "shares": _half(shares),
        }

    def _names(self, ids):
        return [token_name(self.decode([token_id])) for token_id in ids]


def _half(shares):
    return np.asarray(shares.float().cpu()).astype(np.float16).tobytes()
