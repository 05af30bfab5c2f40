"""Ids out: one token after another, greedy or drawn.

`generate_naive` is the whole idea. `generate` gives the same ids for many prompts at once, and
keeps what the model has read (`continuation`). The filters on logits are in `sampling`.
"""

from typing import NamedTuple

import torch

from tutorial_lib.decoding import sampling
from tutorial_lib.decoding.continuation import (
    Continuation,
    as_sequences,
    as_stops,
    check_prompts,
)


@torch.no_grad()
def generate_naive(model, prompt, max_new_tokens, choose=sampling.greedy):
    """Return a prompt, a list of ids, with what a decoder-only model in evaluation mode adds.

    choose: from the scores of the next token, (1, V), to its id: the most likely one, or one that
    is drawn, as by `lambda logits: sample(top_k(temperature(logits, 0.8), 5))`.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=1))
    >>> generate_naive(model, [1, 2], 5) == generate(model, [1, 2], 5)
    True
    """
    device = next(model.parameters()).device
    ids = list(prompt)
    for _ in range(max_new_tokens):
        seen = torch.tensor([ids[-model.config.context :]], device=device)  # (1, T)
        logits = model(seen)[:, -1]  # (1, V): how likely is each token to come next?
        ids.append(choose(logits).item())  # one is chosen, and read with the rest
    return ids


class Step(NamedTuple):
    """One column of generated tokens.

    tokens: one a sequence, None where it still reads its prompt or has ended; logits (B, V), as
    the model gave them, before any filter.
    """

    tokens: list[int | None]
    logits: torch.Tensor


def generate(model, prompts, max_new_tokens, **options):
    """Return each prompt with what the model makes of it, as lists of ids.

    prompts: one list or tensor of ids, or several, of any lengths; one gives one list back,
    several a list of lists. For an encoder-decoder they begin the target (the start token), and
    `source` is what the encoder reads.
    max_new_tokens: for each prompt, however long it is.

    Options, the same for `stream`:

    temperature, top_k, top_p: with any of them tokens are drawn, filtered in this order
        (`sampling`); with none of them decoding is greedy.
    stop: an id, or several, that end a sequence; the stop token is the last one returned.
    seed: the same seed gives the same draws; None uses PyTorch's own random numbers.
    source, source_mask: (B, S) ids for the encoder and (B, S) bool, True = a real token.
    cached: keep keys and values from token to token; False computes all again, for the same ids.
    slide: how many tokens are forgotten at once when the context is full. A model sees at most
        its last `context` tokens. When the window slides every token gets a new position, so the
        cache is computed anew: at slide=1 for each token past the end, at slide=32 for every 32nd,
        while the model then sees up to 31 tokens fewer.

    Prompts of different length are padded on the right and read in step: the model reads as far
    as the shortest goes, then the shorter ones write while the longer ones still read, so nobody
    ever looks at padding. Dropout is off whatever the model's mode.

    Raises ShapeError for an empty prompt, ContextError for one longer than the context,
    VocabularyError for ids outside the vocabulary, ValueError for options that make no sense,
    TypeError for a model that does not continue a text (BERT, ViT), FloatingPointError when its
    logits are no numbers.

    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=1))
    >>> [len(ids) for ids in generate(model, [[1], [2, 3, 4]], 5, top_k=3, seed=0)]
    [6, 8]
    """
    sequences, several = as_sequences(prompts, options.get("source"))
    for step in stream(model, sequences, max_new_tokens, **options):
        for sequence, token in zip(sequences, step.tokens, strict=True):
            if token is not None:
                sequence.append(token)
    return sequences if several else sequences[0]


def stream(
    model,
    prompts,
    max_new_tokens,
    *,
    temperature=None,
    top_k=None,
    top_p=None,
    stop=(),
    seed=None,
    source=None,
    source_mask=None,
    cached=True,
    slide=1,
):
    """Return an iterator over `Step`s, one for each column `generate` would write.

    Arguments and errors as for `generate`, raised at the call. Each step is computed only when
    you ask for it, so you can stop at any time.
    """
    sequences, _ = as_sequences(prompts, source)
    ids, lengths = check_prompts(model, sequences)
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens must be at least 1, got {max_new_tokens}")
    reader = Continuation(
        model,
        len(ids),
        source,
        source_mask,
        cached=cached,
        slide=slide,
        longest=max(lengths) + max_new_tokens,
    )
    choose = _chooser(temperature, top_k, top_p, seed, model.config.vocab_size, ids.device)
    return _columns(reader, choose, ids, lengths, max_new_tokens, as_stops(stop))


def _chooser(temperature, top_k, top_p, seed, vocab_size, device):
    """Return the function from logits (B, V) to ids (B,) that these options ask for."""
    if temperature is None and top_k is None and top_p is None:
        return sampling.greedy
    if temperature is not None:
        sampling.check_temperature(temperature)
    if top_k is not None:
        sampling.check_top_k(top_k, vocab_size)
    if top_p is not None:
        sampling.check_top_p(top_p)
    generator = None if seed is None else torch.Generator(device).manual_seed(seed)

    def draw(logits):
        if temperature is not None:
            logits = sampling.temperature(logits, temperature)
        if top_k is not None:
            logits = sampling.top_k(logits, top_k)
        if top_p is not None:
            logits = sampling.top_p(logits, top_p)
        return sampling.sample(logits, generator)

    return draw


def _columns(reader, choose, ids, lengths, max_new_tokens, stops):
    """Yield the Steps: column by column, shorter prompts writing while longer ones are read."""
    ends = [length + max_new_tokens for length in lengths]
    ended = [False] * len(lengths)
    ids, waiting = ids[:, : min(lengths)], ids[:, min(lengths) :]  # (B, T), (B, rest)
    for column in range(min(lengths), max(ends)):
        logits = reader(ids)  # (B, V)
        chosen = choose(logits)  # (B,)
        tokens = chosen.tolist()
        for row, token in enumerate(tokens):
            if column < lengths[row] or ended[row]:
                tokens[row] = None
            elif token in stops or column + 1 == ends[row]:
                ended[row] = True
        yield Step(tokens, logits)
        if all(ended):
            return
        if waiting.size(1):  # the longer prompts go on with their own next token
            reading = torch.tensor([column < length for length in lengths], device=ids.device)
            chosen = torch.where(reading, waiting[:, 0], chosen)
            waiting = waiting[:, 1:]
        ids = torch.cat([ids, chosen[:, None]], dim=1)
