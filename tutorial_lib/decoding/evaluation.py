"""Evaluation mode for a while."""

from contextlib import contextmanager


@contextmanager
def evaluating(model):
    """Put a model in evaluation mode inside a `with` block; then each part has its own mode back.

    A plain `model.train()` afterwards would wake parts that were frozen with `.eval()`. model may
    also be the list of its parts, `list(model.modules())`, which saves looking for them again.

    >>> import torch
    >>> model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Dropout(0.5).eval())
    >>> with evaluating(model):
    ...     model[0].training
    False
    >>> [part.training for part in model.modules()]
    [True, True, False]
    """
    parts = model if isinstance(model, list) else model.modules()
    in_training = [part for part in parts if part.training]
    for part in in_training:
        part.training = False
    try:
        yield model
    finally:
        for part in in_training:
            part.training = True
