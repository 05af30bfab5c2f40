"""Attention, timed: the fused kernel against the written-out softmax, our layer against PyTorch's.

python tests/benchmarks/bench_attention.py
"""

import measure
import torch
import torch.nn.functional as F
from measure import DEVICE, DTYPE
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask

LENGTHS = (64, 256, 1024, 4096)
LAYERS = {"12 x 64": (12, 64), "4 x 256": (4, 256), "1 x 1,024": (1, 1024)}


def one_head(side, length):
    """Return a forward pass of one causal head of width 64, fused ("ours") or written out."""
    q, k, v = torch.randn(3, 1, 1, length, 64, device=DEVICE, dtype=DTYPE)
    mask = causal_mask(length, device=DEVICE)
    compute = F.scaled_dot_product_attention if side == "ours" else attention

    @torch.no_grad()
    def work():
        compute(q, k, v, mask)

    return work


def layer(side, batch, length):
    """Return forward and backward of a causal layer of 4 heads and width 128."""
    x = torch.randn(batch, length, 128, device=DEVICE, dtype=DTYPE, requires_grad=True)
    if side == "ours":
        ours = MultiHeadAttention(128, 4, causal=True).to(DEVICE, DTYPE)
        return lambda: ours(x).sum().backward()
    theirs = nn.MultiheadAttention(128, 4, batch_first=True).to(DEVICE, DTYPE)
    hidden = ~causal_mask(length, device=DEVICE)
    options = {"attn_mask": hidden, "is_causal": True, "need_weights": False}
    return lambda: theirs(x, x, x, **options)[0].sum().backward()


def rows(repeats=20, memory=True):
    """Yield the rows of the table."""
    options = {"repeats": repeats, "memory": memory}
    for length in LENGTHS:
        task = f"attention, fused, 1 head, {length:,} tokens"
        yield from measure.compare(task, ("ours", "written out"), one_head, length, **options)
    for name, sizes in LAYERS.items():
        task = f"attention layer, step, {name}"
        yield from measure.compare(task, ("ours", "torch.nn"), layer, *sizes, **options)


if __name__ == "__main__":
    measure.main(rows, __doc__)
