"""Chapter 00: the reader's mask in step 3 of the seven small steps."""

import torch


def checked_mask(yours, names):
    """Return the reader's mask if it is right; else say what is wrong and return ours.

    names are the T tokens. The mask is (T, T), True where the token of the row may look at the
    token of the column: itself and what came before. None asks for ours, and nothing is said.

    >>> checked_mask(torch.ones(2, 2, dtype=torch.bool), ["The", "animal"])
    ✗ in your mask “The” may look at “animal”, which comes later. So ours is used.
    tensor([[ True, False],
            [ True,  True]])
    """
    n = len(names)
    ours = torch.arange(n) <= torch.arange(n)[:, None]  # (T, S)
    if yours is None:
        return ours
    if not isinstance(yours, torch.Tensor) or yours.shape != (n, n) or yours.dtype != torch.bool:
        print(f"✗ a table of True and False of shape {(n, n)} is asked for. So ours is used.")
        return ours
    if (yours.cpu() == ours).all():
        print("✓ your mask is right")
        return yours
    t, s = (yours.cpu() != ours).nonzero()[0].tolist()
    may = "may look at" if yours[t, s] else "may not look at"
    when = "comes later" if s > t else "came before"
    what = "itself" if s == t else f"“{names[s]}”, which {when}"
    print(f"✗ in your mask “{names[t]}” {may} {what}. So ours is used.")
    return ours
