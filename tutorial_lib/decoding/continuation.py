"""A model that reads a growing sequence: the cache behind every way of decoding."""

from collections.abc import Iterable
from contextlib import contextmanager
from numbers import Integral, Number

import torch

from tutorial_lib.decoding.modes import evaluating
from tutorial_lib.errors import ContextError, ShapeError, VocabularyError


def window_start(length, context, slide=1):
    """Return where the part of a sequence begins that a model with this context still sees.

    0 while all fits; beyond, the smallest multiple of `slide` that lets the rest fit.
    Raises ValueError when slide is not between 1 and context.

    >>> [window_start(length, context=8) for length in (8, 9, 10)]
    [0, 1, 2]
    >>> [window_start(length, context=8, slide=4) for length in (8, 9, 12, 13)]
    [0, 4, 4, 8]
    """
    if not 1 <= slide <= context:
        raise ValueError(f"slide must lie between 1 and the context of {context}, got {slide}")
    too_many = max(0, length - context)
    return -(-too_many // slide) * slide  # rounded up


class Continuation:
    """Gives the logits of the next token, again and again, as sequences grow at their end.

    model: decoder-only, or encoder-decoder with `source` (B, S); the encoder runs once, here.
    copies: how many rows share each source, as the beams of one search do. longest: how many
    tokens a sequence may grow to, if known, so that the cache takes no more memory than that.
    Calling it with all ids so far, (B, T), returns (B, V); with a cache only the new ones are
    computed. Works in evaluation mode, without gradients.
    Raises TypeError for another kind of model.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=1))
    >>> Continuation(model, batch=1)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 9])
    """

    def __init__(
        self,
        model,
        batch,
        source=None,
        source_mask=None,
        *,
        copies=1,
        cached=True,
        slide=1,
        longest=None,
    ):
        _check_continues(model)
        self.model = model
        self.parts = list(model.modules())  # named once: looking for them costs time at each token
        self.batch = batch
        self.cached = cached
        self.slide = slide
        self.context = model.config.context
        self.room = min(self.context, longest or self.context)
        window_start(0, self.context, slide)  # refuses a wrong slide before any work
        self.start = 0
        self.cache = None
        self.memory = self.source_mask = None
        source, source_mask = _rows(model, batch // copies, source, source_mask)
        if source is not None:
            with _deterministic(self.parts):
                memory = model.encode(source, source_mask)  # (B, S, D)
            self.memory = memory.repeat_interleave(copies, dim=0)
            if source_mask is not None:
                self.source_mask = source_mask.repeat_interleave(copies, dim=0)

    def __call__(self, ids):
        """Return the logits (B, V) of the token after ids (B, T)."""
        start = window_start(ids.size(1), self.context, self.slide)
        if self.cached and self.cache is None:
            self.cache = self.model.new_cache(self.batch, self.room)
        elif self.cached and start != self.start:
            # In a window that slid, each token has a new position: what is kept no longer holds.
            self.cache.restart()
        self.start = start
        read = len(self.cache) if self.cached else 0
        with _deterministic(self.parts):
            logits = self._logits(ids[:, start + read :])[:, -1]
        # A copy, because a tensor of inference mode cannot be changed or learned from outside;
        # in float32 at least, because sums over a vocabulary need the digits.
        return logits.to(torch.promote_types(logits.dtype, torch.float32), copy=True)

    @torch.inference_mode()
    def reorder(self, rows):
        """Go on with other sequences: row b continues what row rows[b] has read; rows (B,)."""
        if self.cache is not None:
            self.cache.reorder(rows)

    def _logits(self, ids):
        # The logits of every position of a long prompt, over a large vocabulary, fill the memory.
        options = {"cache": self.cache, "last_only": True}
        if self.memory is None:
            return self.model(ids, **options)
        return self.model.decode(ids, self.memory, self.source_mask, **options)


def as_sequences(prompts, source=None):
    """Return prompts as lists of ids, and whether there are several.

    prompts: one list or tensor of ids, or several. One prompt serves each row of source (B, S).
    Raises ShapeError when a prompt is empty or not whole numbers.

    >>> as_sequences([3, 4]), as_sequences(torch.tensor([[3], [4]]))
    (([[3, 4]], False), ([[3], [4]], True))
    """
    prompts = _as_list(prompts)
    several = any(not isinstance(token, Number) for token in prompts)
    sequences = [_whole_numbers(prompt) for prompt in (prompts if several else [prompts])]
    if source is None or source.dim() == 1:
        return sequences, several
    if len(sequences) == 1:
        sequences = [list(sequences[0]) for _ in source]
    return sequences, True


def check_prompts(model, sequences):
    """Return the sequences as one tensor (B, T), padded on the right with 0, and their lengths.

    Raises ShapeError for an empty prompt, ContextError for one longer than the context,
    VocabularyError for an id outside the vocabulary, TypeError for a model that reads no prompt.
    """
    _check_continues(model)
    vocab_size, context = model.config.vocab_size, model.config.context
    lengths = [len(sequence) for sequence in sequences]
    for b, sequence in enumerate(sequences):
        if not sequence:
            raise ShapeError(f"prompt {b} is empty: give it at least a start token")
        if len(sequence) > context:
            raise ContextError(
                f"prompt {b} is {len(sequence)} tokens long, the context of this model holds "
                f"{context}"
            )
        for token in sequence:
            if not 0 <= token < vocab_size:
                raise VocabularyError(
                    f"ids must lie between 0 and {vocab_size - 1}, prompt {b} has {token}"
                )
    rows = [sequence + [0] * (max(lengths) - len(sequence)) for sequence in sequences]
    return torch.tensor(rows, device=next(model.parameters()).device), lengths


def as_stops(stop):
    """Return the set of ids that end a sequence: none, one or several."""
    if stop is None:
        return frozenset()
    return frozenset([stop] if isinstance(stop, Integral) else stop)


def _check_continues(model):
    if not hasattr(model, "new_cache"):
        name = type(model).__name__
        raise TypeError(
            f"{name} does not continue a text; BART, GPT, Llama, ModernGPT, T5 and Transformer do"
        )


def _rows(model, batch, source, source_mask):
    reads_source = hasattr(model, "encode")
    name = type(model).__name__
    if reads_source != (source is not None):
        wanted = "reads a source: give source=" if reads_source else "reads no source: leave it out"
        raise ValueError(f"{name} {wanted}")
    if source is None:
        return None, None
    if source.dim() == 1:
        source = source[None]
        source_mask = None if source_mask is None else source_mask.view(1, -1)
    if len(source) != batch:
        raise ShapeError(f"each prompt needs its source: {batch} prompts, {len(source)} sources")
    device = next(model.parameters()).device
    return source.to(device), None if source_mask is None else source_mask.to(device)


def _whole_numbers(prompt):
    prompt = _as_list(prompt)
    if not all(isinstance(token, Integral) for token in prompt):
        raise ShapeError(f"a prompt is a list of whole numbers, got {prompt[:5]}")
    return [int(token) for token in prompt]


def _as_list(prompt):
    prompt = prompt.tolist() if isinstance(prompt, torch.Tensor) else prompt
    if not isinstance(prompt, Iterable):  # a tensor without dimensions is one number
        raise ShapeError(f"a prompt is a list of whole numbers, got {prompt}")
    return list(prompt)


@contextmanager
def _deterministic(parts):
    """Switch dropout off, and all that gradients need, for the length of a `with` block."""
    with evaluating(parts), torch.inference_mode():  # some 7 % faster here than torch.no_grad
        yield
