"""A control for a map of cross-attention: what counting words alone would say.

A page is (written, source, weights): T words, S words and their map (T, S).
"""

from collections import Counter

import torch


def rare_company(pages):
    """Return the pages with each source word weighing 1 / (how often all pages have it).

    A word that is on every page then wins nowhere by being common.

    >>> page = ["zwei"], ["and", "two", "and"], torch.zeros(1, 3)
    >>> rare_company([page])[0][2]
    tensor([[0.5000, 1.0000, 0.5000]])
    """
    often = Counter(word for _, source, _ in pages for word in source)
    return [
        (written, source, torch.tensor([1 / often[word] for word in source]).expand(weights.shape))
        for written, source, weights in pages
    ]
