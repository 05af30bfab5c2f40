"""Batches on their way to the model: again from the beginning, and onto its device."""

import torch


def endless(batches):
    """Yield the batches, and again from the first when they end.

    Raises ValueError when there is none, as in an iterator that is used up.

    >>> from itertools import islice
    >>> list(islice(endless("ab"), 5))
    ['a', 'b', 'a', 'b', 'a']
    """
    while True:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError("batches ended: give a list or another iterable that starts again")


def to_device(batch, device):
    """Return a batch with its tensors on the device; tuples, lists and dicts keep their kind.

    >>> to_device({"ids": torch.tensor([1]), "name": "first"}, torch.device("cpu"))
    {'ids': tensor([1]), 'name': 'first'}
    """
    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {name: to_device(part, device) for name, part in batch.items()}
    if hasattr(batch, "_fields"):  # a named tuple takes its parts one by one
        return type(batch)(*(to_device(part, device) for part in batch))
    if isinstance(batch, (tuple, list)):
        return type(batch)(to_device(part, device) for part in batch)
    return batch
