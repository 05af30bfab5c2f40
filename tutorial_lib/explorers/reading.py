"""How an explorer reads with a model that belongs to someone else."""

from contextlib import contextmanager

import torch


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
    in_training = [part for part in model.modules() if part.training]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for part in in_training:
            part.training = True
