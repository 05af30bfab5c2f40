"""What protects a run: checks before and after a training step."""

import math
import time
from contextlib import contextmanager

import torch

from tutorial_lib.decoding import evaluating, in_mode
from tutorial_lib.errors import ShapeError
from tutorial_lib.training.history import NonFiniteLossError
from tutorial_lib.training.randomness import untouched


def check_scalar(value):
    """Raise ShapeError when a loss is not a tensor with one number.

    >>> check_scalar(torch.tensor(0.5))
    """
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        found = tuple(value.shape) if isinstance(value, torch.Tensor) else repr(value)
        raise ShapeError(f"the loss must be a scalar tensor, got {found}")


def check_finite(loss, norm, step, lr, history):
    """Raise NonFiniteLossError when a loss or the norm of its gradient is infinite or NaN."""
    if math.isfinite(loss) and math.isfinite(norm):
        return
    before = history.gradient_norm[-1] if history.gradient_norm else math.nan
    raise NonFiniteLossError(
        f"the loss is {loss} at step {step}: learning rate {lr:.3g}, gradient norm {norm:.3g} "
        f"(step before: {before:.3g}). The weights are those before this step; try a smaller "
        "learning rate",
        history,
    )


@contextmanager
def training_mode(model, optimizer):
    """Train the model, all its parts, in this block; afterwards each has its own mode back.

    No gradients are left behind either.
    """
    with in_mode(model, training=True):
        try:
            yield
        finally:
            optimizer.zero_grad()


def evaluated(model, evaluate, device):
    """Return the dict of numbers that evaluate(model) finds, in evaluation mode.

    Without gradients, and without a trace in PyTorch's random numbers.

    >>> evaluated(torch.nn.Linear(1, 1), lambda model: 0.5, torch.device("cpu"))
    {'value': 0.5}
    """
    with evaluating(model), torch.no_grad(), untouched(device):
        found = evaluate(model)
    found = found if isinstance(found, dict) else {"value": found}
    # Tensors and NumPy's numbers could not be written into a checkpoint.
    return {name: v.item() if hasattr(v, "item") else v for name, v in found.items()}


def stopping(stop):
    """Return a function from the history to whether to stop: from seconds, a function or None.

    The seconds count from now.

    >>> stopping(None)("any history"), stopping(0)("any history")
    (False, True)
    """
    if stop is None:
        return lambda history: False
    if callable(stop):
        return stop
    end = time.monotonic() + stop
    return lambda history: time.monotonic() >= end
