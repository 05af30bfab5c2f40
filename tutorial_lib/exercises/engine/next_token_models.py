"""Small next-token models, given by a table or drawn at random, for exercises that decode."""

import functools

import torch


def written(table, otherwise):
    """Return next_log_probs(prefix): the row of the prefix in the table, or the other row.

    >>> written({(1,): [0.5, 0.25, 0.25]}, [0.2, 0.2, 0.6])([1]).exp()
    tensor([0.5000, 0.2500, 0.2500])
    """
    return _model(lambda prefix: torch.tensor(table.get(prefix, otherwise)).log())


def drawn(n_tokens, seed, spread=1.0):
    """Return next_log_probs(prefix) that depends on the whole prefix, and on the seed.

    >>> print(f"{drawn(3, seed=0)([1]).exp().sum():.3f}")
    1.000
    """

    def log_probs(prefix):
        number = seed
        for token in prefix:
            number = (31 * number + token + 1) % 2**31
        generator = torch.Generator().manual_seed(number)
        return (spread * torch.randn(n_tokens, generator=generator)).log_softmax(dim=0)  # (V,)

    return _model(log_probs)


def recorded(model):
    """Return a model that writes down the prefixes it is asked with, and the list of them.

    >>> model, prefixes = recorded(written({}, [0.5, 0.5]))
    >>> len(model([1])), prefixes
    (2, [(1,)])
    """
    prefixes = []

    def next_log_probs(prefix):
        prefixes.append(tuple(int(token) for token in prefix))
        return model(prefix)

    return next_log_probs, prefixes


def _model(log_probs):
    """Take lists, tuples and tensors of ids; keep each row, and hand out copies of it."""
    kept = functools.cache(log_probs)

    def next_log_probs(prefix):
        return kept(tuple(int(token) for token in prefix)).clone()

    return next_log_probs
