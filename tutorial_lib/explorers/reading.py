"""How an explorer reads with a model that belongs to someone else."""

from contextlib import contextmanager

import torch

from tutorial_lib.decoding import evaluating


@contextmanager
def reading(model):
    """Evaluation mode and no gradients for a `with` block; then each part has its own mode back.

    >>> model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Dropout().eval())
    >>> with reading(model):
    ...     print([part.training for part in model])
    [False, False]
    >>> [part.training for part in model]
    [True, False]
    """
    with evaluating(model), torch.no_grad():
        yield
