"""Write with a model, token by token: its probabilities, the cuts, the draw, the time it takes."""

import time
import unicodedata

import numpy as np
import traitlets

from tutorial_lib.explorers.base import BrowserExplorer, excerpt, javascript, stylesheet
from tutorial_lib.explorers.generation_writer import Settings, Writer
from tutorial_lib.tokenizers.vocabulary import without_half_pairs

LIMIT = 1000  # characters of a prompt
MOST_WRITTEN = 1000  # tokens until a reset
MOST_BARS = 14
HOTTEST = 2.0
BURST = 16  # tokens for one request, if
PATIENCE = 0.1  # seconds allow
LARGEST_SEED = 2**31 - 1


class GenerationExplorer(BrowserExplorer):
    """A text that grows token by token, and the choice behind each token.

    model: decoder-only; encode(text) -> ids; decode(ids) -> text. prompt: what the text begins
    with, cut at 1,000 characters; characters the model does not know are named and left out.
    temperature (0 is greedy), top_k (0 is off), top_p (1 is off), seed and cached can be set
    later, too. start: what the model reads when the prompt is empty; stop: ids that end a text.
    Writes the tokens of `decoding.generate` with the same settings, with or without the cache.
    simple leaves out all controls but the temperature, and all numbers but the probabilities.
    Raises ValueError when start encodes to nothing.

    >>> from tutorial_lib.recipes import load_checkpoint
    >>> from tutorial_lib.recipes.shakespeare_gpt import decode, encode
    >>> model = load_checkpoint("shakespeare-gpt")
    >>> explorer = GenerationExplorer(model, encode, decode, prompt="To b", temperature=0)
    >>> explorer.write(3)
    >>> explorer.text_so_far
    'To be s'
    """

    title = "Generation explorer"
    _esm = javascript("generation_bars.js", "generation_text.js", "generation.js")
    _css = stylesheet("generation.css")

    limits = traitlets.Dict().tag(sync=True, told=True)
    simple = traitlets.Bool(False).tag(sync=True, told=True)
    prompt = traitlets.Unicode("").tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    top_k = traitlets.Int(0).tag(sync=True)
    top_p = traitlets.Float(1.0).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    cached = traitlets.Bool(True).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)  # a written token; -1 is the last one

    # {"action": "write", "reset" or "tell all", "tokens": how many, "number": names the request}
    request = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True, told=True)
    chosen = traitlets.Dict().tag(sync=True, told=True)
    error = traitlets.Unicode("").tag(sync=True, told=True)

    def __init__(
        self,
        model,
        encode,
        decode,
        prompt="",
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        seed=0,
        cached=True,
        start="\n",
        stop=(),
        simple=False,
    ):
        self.writer = Writer(model, encode, decode, start, stop)
        limits = {
            "prompt": LIMIT,
            "written": MOST_WRITTEN,
            "temperature": HOTTEST,
            "burst": BURST,
            "bars": MOST_BARS,
        }
        limits |= {"vocabulary": len(self.writer.logits), "context": model.config.context}
        self._page_has = []  # the written tokens that were sent
        super().__init__(limits=limits, simple=simple)
        self.set_trait("prompt", prompt)
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        self.seed, self.cached = seed, cached
        self.writer.seed = self.seed
        self.writer.use_cache(self.cached)
        self._guarded(self._read)
        self.observe(lambda _: self._guarded(self._read), names="prompt")
        self.observe(lambda _: self._guarded(self._use_seed), names="seed")
        self.observe(lambda _: self._guarded(self._use_cache), names="cached")
        self.observe(lambda _: self._guarded(self._serve), names="request")
        self.observe(lambda _: self._guarded(self._choose), names="selected")

    def describe(self):
        """Say in words what the explorer shows now."""
        label = self.answer["next"]["labels"][0] if self.answer else ""
        return (
            f"the text {excerpt(self.prompt)}, {len(self.writer.written)} tokens written on; "
            f"bars of the likeliest next tokens at temperature {self.temperature:g}, "
            f"the first is “{label}”; buttons to step, run and reset."
        )

    @property
    def text_so_far(self):
        """Prompt and what was written."""
        return self.writer.text

    def write(self, n_tokens=1):
        """Write up to n tokens more; stops at 1,000 and after a token of `stop`."""
        self._write(n_tokens)
        self._tell()

    def reset(self):
        """Go back to the prompt and begin the random numbers again."""
        self.writer.reset()
        self._tell()

    def get_state(self, key=None, drop_defaults=False):
        """All state for a new page (key None), else what is sent: of the written tokens the new
        ones only, and from which place on they stand."""
        state = super().get_state(key, drop_defaults)
        if state.get("answer"):
            had, written = self._page_has, state["answer"]["written"]
            self._page_has = written
            if key is not None:
                pairs = enumerate(zip(had, written, strict=False))
                same = next((i for i, (a, b) in pairs if a != b), min(len(had), len(written)))
                state["answer"] = {**state["answer"], "written": written[same:], "from": same}
        return state

    def _guarded(self, work):
        try:
            work()
        except Exception as error:  # a widget's log would hide it from the learner
            self.error = f"{type(error).__name__}: {error}"
        else:
            self.error = ""

    def _read(self):
        self.writer.read(self.prompt)
        self._tell()

    def _use_seed(self):
        self.writer.seed = self.seed
        self.reset()

    def _use_cache(self):
        self.writer.use_cache(self.cached)
        self._tell()

    def _serve(self):
        action = self.request.get("action")
        if action == "write":
            tokens = self.request.get("tokens", 1)
            self._write(min(max(int(tokens), 1), BURST), PATIENCE)
        elif action == "reset":
            self.writer.reset()
        elif action == "tell all":  # a page that was opened in between
            self._page_has = []
        self._tell(self.request.get("number", 0))

    def _write(self, n_tokens, seconds=float("inf")):
        # A run asks for burst after burst, so that other messages come through between them.
        settings = Settings(self.temperature, self.top_k, self.top_p)
        until = time.perf_counter() + seconds
        for _ in range(n_tokens):
            if self._finished() or time.perf_counter() > until:
                return
            self.writer.write(settings)

    def _finished(self):
        return self.writer.ended or len(self.writer.written) >= MOST_WRITTEN

    def _tell(self, number=0):
        writer = self.writer
        written = writer.written
        with self.hold_sync():
            self.answer = {
                "number": number,
                "prompt": writer.prompt,
                "start": "" if writer.prompt else writer.start,
                "unknown": [_named(character) for character in writer.unknown],
                "unseen": max(0, len(writer.ids) - writer.model.config.context),
                "prompt_tokens": len(writer.prompt_ids),
                "prompt_ms": writer.prompt_milliseconds,
                "prompt_scored": [writer.prompt_log_p, len(writer.prompt_scored)],
                "prompt_letters": len(writer.decode(writer.prompt_scored)),
                "written": [
                    [t.text, t.label, t.log_p, t.drawn, t.milliseconds, t.cached] for t in written
                ],
                "ended": writer.ended,
                "full": len(written) >= MOST_WRITTEN,
                "next": self._outlook(writer.logits),
            }
            self.selected = -1
            self._choose()

    def _choose(self):
        written = self.writer.written
        if not written:
            self.chosen = {}
            return
        index = self.selected if self.selected >= 0 else len(written) - 1
        token = written[index]
        self.chosen = self._outlook(self.writer.logits_before(index)) | {
            "index": index,
            "rank": token.rank,
            "label": token.label,
            "settings": list(token.settings),
        }

    def _outlook(self, logits):
        """All logits, highest first, as bytes, and the labels of the first ones."""
        ordered, ids = logits.cpu().sort(descending=True, stable=True)
        labels = [self.writer.label(i) for i in ids[:MOST_BARS].tolist()]
        return {"logits": ordered.numpy().astype(np.float32).tobytes(), "labels": labels}

    @traitlets.validate("selected")
    def _inside(self, proposal):
        return min(max(proposal.value, -1), len(self.writer.written) - 1)

    @traitlets.validate("temperature", "top_k", "top_p", "seed")
    def _in_range(self, proposal):
        lowest, most, odd = {
            "temperature": (0.0, HOTTEST, 1.0),
            "top_k": (0, self.limits["vocabulary"], 0),
            "top_p": (0.01, 1.0, 1.0),
            "seed": (0, LARGEST_SEED, 0),
        }[proposal.trait.name]
        value = proposal.value if proposal.value == proposal.value else odd  # NaN is not itself
        return min(max(value, lowest), most)

    @traitlets.validate("prompt")
    def _short(self, proposal):
        return without_half_pairs(proposal.value[:LIMIT])


def _named(character):
    """A character with its number and name, so that invisible ones can be told apart.

    >>> _named("é")
    'é (U+00E9 latin small letter e with acute)'
    """
    name = unicodedata.name(character, "control character").lower()
    shown = character if character.isprintable() else "\ufffd"
    return f"{shown} (U+{ord(character):04X} {name})"
