"""Write a value shortly: in a sentence, and around one place of a long list."""

import math

import torch


def show(value, limit=70):
    """Write a value shortly: numbers to four digits, shapes for tensors, long text cut.

    >>> show(2 / 3), show(torch.zeros(2, 3)), show(30720000)
    ('0.6667', 'a float32 tensor of shape (2, 3)', '30,720,000')
    """
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        if abs(value) >= 10**30:
            return f"a whole number of {int(math.log10(abs(value))) + 1:,} digits"
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return show(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
    if isinstance(value, torch.Tensor):
        if value.dim() == 0:
            return show(value.item())
        return f"a {dtype_name(value)} tensor of shape {tuple(value.shape)}"
    text = written(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def around(value, place, limit=70):
    """Write a list or a string shortly, so that what stands at `place` is seen.

    >>> around(list(range(100)), 40, limit=30)
    '[..., 38, 39, 40, 41, 42, ...]'
    """
    if len(written(value)) <= limit:
        return show(value, limit)
    if isinstance(value, str):
        start = max(0, min(place - limit // 3, len(value) - limit + 8))
        end = start + limit - 8
        before, after = "..." if start else "", "..." if end < len(value) else ""
        return before + repr(value[start:end]) + after
    start = end = max(0, min(place - 2, len(value) - 1))
    room = limit - 10  # for the brackets and the dots
    while end < len(value) and (end <= place or room >= len(written(value[end])) + 2):
        room -= len(written(value[end])) + 2
        end += 1
    shown = [
        show(item, 30) if isinstance(item, list) else written(item) for item in value[start:end]
    ]
    dots = ["..."]
    return f"[{', '.join(dots * (start > 0) + shown + dots * (end < len(value)))}]"


def written(value):
    """Return `repr` of a settled value, also of one that Python refuses to write.

    >>> written([1, 2]), written([10**5000])
    ('[1, 2]', 'a list of 1 item')
    """
    try:
        return repr(value)
    except ValueError:  # a whole number of more than 4,300 digits
        if isinstance(value, int):
            return show(value)
        many = "" if len(value) == 1 else "s"
        return f"a {type(value).__name__} of {len(value)} item{many}"


def dtype_name(tensor):
    """Name a tensor's dtype as people say it: float32."""
    return str(tensor.dtype).removeprefix("torch.")
