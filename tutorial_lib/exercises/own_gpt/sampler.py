"""From logits to tokens with the learner's temperature, top-k and top-p."""

import torch

from tutorial_lib.exercises.own_gpt.parts import first_tensor


def probabilities(functions, logits, temperature=1.0, top_k=None, top_p=None):
    """Return the probabilities (B, V) that the next token is drawn from.

    The order is that of our sampler: temperature, top-k, top-p. The logarithm of the first step's
    probabilities serves as logits for the filters.
    """
    flattened = functions["temperature_probabilities"]
    logits = first_tensor(flattened(logits, temperature)).log()
    if top_k is not None:
        logits = first_tensor(functions["top_k_filter"](logits, top_k))
    if top_p is not None:
        logits = first_tensor(functions["top_p_filter"](logits, top_p))
    return first_tensor(flattened(logits, 1.0))


@torch.no_grad()
def write_on(functions, model, ids, n_tokens, seed=None, n_ids=None, **options):
    """Return ids with n_tokens more, each drawn from what the model says (options as above).

    The model sees at most its last `context` tokens. n_ids: only ids below it are drawn.
    The same seed gives the same tokens, those of `decoding.generate` with our sampler.
    """
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    ids = list(ids)
    for _ in range(n_tokens):
        window = torch.tensor([ids[-model.config.context :]])  # (1, T)
        shares = probabilities(functions, model(window)[:, -1, :n_ids], **options)
        ids.append(torch.multinomial(shares, 1, generator=generator).item())
    return ids
