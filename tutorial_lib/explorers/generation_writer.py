"""What the generation explorer asks of a model: a prompt read, then one token after another.

The same tokens as `decoding.generate` writes, but one at a time, with settings that may change
on the way, the time of each and all its probabilities.
"""

import time
from typing import NamedTuple

import torch

from tutorial_lib.decoding import Continuation, sampling
from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.explorers.reading import reading
from tutorial_lib.tokenizers.vocabulary import id_list

# The bytes of one character at most; what has not become a letter by then never will.
LONGEST_LETTER = 4


class Settings(NamedTuple):
    """How a token is chosen: temperature 0 is greedy, top_k 0 and top_p 1 cut nothing."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0


class Written(NamedTuple):
    """One token that was written.

    id; text: what it adds to the text, empty while it only begins a letter; label: the token by
    itself; log_p: in nats, of the model itself; drawn: the probability it was drawn with, after
    temperature and cuts; rank: from 0; settings; milliseconds: the model's time to read it;
    cached: whether keys and values were kept.
    """

    id: int
    text: str
    label: str
    log_p: float
    drawn: float
    rank: int
    settings: Settings
    milliseconds: float
    cached: bool


class Writer:
    """A model, what it has read and what it writes.

    encode(text) gives ids, decode(ids) text; start is read when a prompt is empty; a token in
    stop ends the text. Raises ValueError when start encodes to nothing.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=3, context=8, d_model=4, n_layers=1, n_heads=1))
    >>> encode = lambda text: ["abc".index(c) for c in text]
    >>> writer = Writer(model, encode, lambda ids: "".join("abc"[i] for i in ids), start="a")
    >>> writer.read("ab")
    >>> token = writer.write(Settings(top_k=1))
    >>> writer.text == "ab" + token.text, token.drawn
    (True, 1.0)
    """

    def __init__(self, model, encode, decode, start="\n", stop=()):
        self.model, self.encode, self.decode = model, encode, decode
        self.stop = frozenset(stop)
        self.start = start
        if not id_list(encode(start)):
            raise ValueError(f"start must be at least one token, {start!r} is none")
        self.cached = True
        self.seed = 0
        self.read("")

    def read(self, prompt):
        """Begin anew with a prompt, without the characters that the model does not know."""
        self.unknown = self._unknown(prompt)
        known = "".join(c for c in prompt if c not in self.unknown)
        self.prompt = known
        self.prompt_ids = id_list(self.encode(known or self.start))
        self.reset()
        self.prompt_log_p, self.prompt_scored = self._score()

    def reset(self):
        """Forget what was written and begin the random numbers of `seed` again."""
        device = next(self.model.parameters()).device
        self.generator = torch.Generator(device).manual_seed(self.seed)
        self.written = []
        self.ended = False
        self._half = []
        self.ids = list(self.prompt_ids)
        self._renew()

    def use_cache(self, cached):
        """Keep keys and values from now on, or stop keeping them."""
        self.cached = bool(cached)
        self._renew()

    def write(self, settings):
        """Choose the next token, let the model read it, and return it as `Written`."""
        logits, self.chosen_from = self.logits, self.logits
        place = self._choose(logits, settings)
        log_p = logits.log_softmax(-1)[place].item()
        drawn = filtered(logits, settings).softmax(-1)[place].item()
        rank = int((logits > logits[place]).sum() + (logits[:place] == logits[place]).sum())
        self.ids.append(place)
        self.logits, milliseconds = self._next()
        words = (self._letters(place), self.label(place))
        token = Written(place, *words, log_p, drawn, rank, settings, milliseconds, self.cached)
        self.written.append(token)
        self.ended = place in self.stop
        return token

    def logits_before(self, index):
        """The logits (V,) that written token `index` was chosen from, computed again."""
        if index == len(self.written) - 1:
            return self.chosen_from
        ids = self.ids[: len(self.prompt_ids) + index]
        return Continuation(self.model, 1, cached=False)(self._tensor(ids))[0]

    def label(self, token_id):
        """A token by itself, as text; a piece of a letter is U+FFFD.

        Where the model has more ids than the tokenizer, such an id is its number: <50300>.
        """
        try:
            return self.decode([token_id])
        except (VocabularyError, LookupError):
            return f"<{token_id}>"

    @property
    def text(self):
        """Prompt and what was written."""
        return self.prompt + "".join(token.text for token in self.written)

    def _choose(self, logits, settings):
        if settings.temperature == 0:
            return int(sampling.greedy(logits))
        return int(sampling.sample(filtered(logits, settings)[None], self.generator)[0])

    def _renew(self):
        self._reader = Continuation(self.model, 1, cached=self.cached)
        self.logits, self.prompt_milliseconds = self._next()

    def _next(self):
        ids = self._tensor(self.ids)  # (1, T)
        started = time.perf_counter()
        logits = self._reader(ids)[0]  # (V,)
        logits[0].item()  # waits for a GPU, else only the order to compute is timed
        return logits, 1000 * (time.perf_counter() - started)

    def _tensor(self, ids):
        return torch.tensor([ids], device=next(self.model.parameters()).device)

    def _letters(self, place):
        """The text a token completes: nothing while the bytes so far are half a letter."""
        self._half.append(place)
        try:
            text = self.decode(self._half)
        except (VocabularyError, LookupError):
            text = "".join(map(self.label, self._half))
        if text.endswith("\ufffd") and len(self._half) < LONGEST_LETTER:
            return ""
        self._half = []
        return text

    def _score(self):
        """The sum of log p, in nats, of the prompt's tokens that had one before them, and those."""
        seen = self.prompt_ids[-self.model.config.context :] if self.prompt else []
        if len(seen) < 2:
            return 0.0, []
        with reading(self.model):
            ids = self._tensor(seen)  # (1, T)
            log_p = self.model(ids).float().log_softmax(-1)[0, :-1]  # (T - 1, V)
            total = log_p.gather(1, ids[0, 1:, None]).sum().item()
        return total, seen[1:]

    def _unknown(self, text):
        """The characters of a text that cannot be encoded, in order, each once."""
        try:
            self.encode(text)
        except (VocabularyError, ShapeError, KeyError, ValueError):
            return [c for c in dict.fromkeys(text) if not self._knows(c)]
        return []

    def _knows(self, character):
        try:
            return bool(id_list(self.encode(character)))
        except (VocabularyError, ShapeError, KeyError, ValueError):
            return False


def filtered(logits, settings):
    """Return logits (V,) after temperature, top-k and top-p; all but the best at temperature 0.

    >>> filtered(torch.tensor([0.0, 2.0, 1.0]), Settings(0.5, top_k=2))
    tensor([-inf, 4., 2.])
    """
    if settings.temperature == 0:
        best = torch.full_like(logits, -torch.inf)
        best[sampling.greedy(logits)] = 0
        return best
    logits = sampling.temperature(logits, settings.temperature)
    if settings.top_k:
        logits = sampling.top_k(logits, min(settings.top_k, len(logits)))
    return sampling.top_p(logits, settings.top_p)
