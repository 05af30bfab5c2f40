"""How the learning rate moves during a run: functions from the step (from 1) to the rate."""

import math


def warmup_cosine(step, steps, peak, warmup):
    """Rise in a line to `peak` over `warmup` steps, then fall along half a cosine to zero.

    The cosine is that of Loshchilov and Hutter (2017), without restarts.

    >>> [round(warmup_cosine(step, steps=10, peak=1.0, warmup=2), 2) for step in (1, 2, 6, 10)]
    [0.5, 1.0, 0.5, 0.0]
    """
    if step <= warmup:
        return peak * step / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return peak * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))


def set_learning_rate(optimizer, rate):
    """Let every part of an optimizer go on with this learning rate."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def warmup_inverse_root(step, d_model, warmup=4000):
    """Rise in a line for `warmup` steps, then fall with the root of the step.

    Vaswani et al. (2017), section 5.3. For `fit`, fix the width first:
    `functools.partial(warmup_inverse_root, d_model=512)`.

    >>> f"{warmup_inverse_root(4000, d_model=512):.1e}"
    '7.0e-04'
    """
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
