"""Evaluation mode for a while."""

from contextlib import contextmanager


@contextmanager
def evaluating(model):
    """Put a model in evaluation mode inside a `with` block; then each part has its own mode back.

    A plain `model.train()` afterwards would wake parts that were frozen with `.eval()`.

    >>> import torch
    >>> model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Dropout(0.5).eval())
    >>> with evaluating(model):
    ...     model[0].training
    False
    >>> [part.training for part in model.modules()]
    [True, True, False]
    """
    training = [part for part in model.modules() if part.training]
    model.eval()
    try:
        yield model
    finally:
        for part in training:
            part.training = True
