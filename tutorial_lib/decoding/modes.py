"""Training or evaluation mode for a while."""

from contextlib import contextmanager


@contextmanager
def in_mode(model, training):
    """Put a model in one mode inside a `with` block; then each of its parts has its own back.

    A plain `model.train()` afterwards would wake parts that were frozen with `.eval()`. model may
    also be the list of its parts, `list(model.modules())`, which saves looking for them again.

    >>> import torch
    >>> model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Dropout(0.5).eval())
    >>> with in_mode(model, training=False):
    ...     model[0].training
    False
    >>> [part.training for part in model.modules()]
    [True, True, False]
    """
    parts = model if isinstance(model, list) else model.modules()
    changed = [part for part in parts if part.training != training]
    for part in changed:
        part.training = training
    try:
        yield model
    finally:
        for part in changed:
            part.training = not training


def evaluating(model):
    """Put a model in evaluation mode inside a `with` block, as `in_mode` does.

    >>> import torch
    >>> model = torch.nn.Dropout(0.5)
    >>> with evaluating(model):
    ...     model.training
    False
    """
    return in_mode(model, training=False)
