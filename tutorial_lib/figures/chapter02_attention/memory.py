"""What attention keeps in memory for the backward pass: all weights, or none of them."""

import torch
import torch.nn.functional as F

from tutorial_lib.attention import attention
from tutorial_lib.figures.charts import line_chart

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)


def kept_for_backward(compute, *inputs):
    """Return the bytes that compute(*inputs) keeps so that gradients can be computed.

    >>> kept_for_backward(torch.exp, torch.zeros(3))  # its output, 3 numbers of 4 bytes
    12
    """
    kept = {}

    def note(tensor):
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        compute(*(x.clone().requires_grad_() for x in inputs))
    return sum(kept.values())


def measure_attention_memory(lengths=LENGTHS, d_head=64):
    """Return {"written out": [...], "fused": [...]}: MB that one head keeps for N words each."""
    ways = {
        "written out": lambda q, k, v: attention(q, k, v)[0],
        "fused": F.scaled_dot_product_attention,
    }
    inputs = [torch.randn(3, 1, 1, n, d_head).unbind() for n in lengths]
    return {
        name: [kept_for_backward(compute, *qkv) / 1e6 for qkv in inputs]
        for name, compute in ways.items()
    }


def attention_memory(megabytes, lengths=LENGTHS, figure=None):
    """Draw what `measure_attention_memory` returned, over the number of words N."""
    return line_chart(
        {name: (lengths, values) for name, values in megabytes.items()},
        "words N",
        "MB kept for the backward pass",
        "Doubling a large N: nearly 4x the memory; fused, 2x",
        log_x=True,
        log_y=True,
        figure=figure,
    )


def describe_attention_memory(megabytes, lengths=LENGTHS):
    """Say the numbers in words: the alt text of `attention_memory`.

    >>> describe_attention_memory({"fused": [0.25, 0.5]}, (64, 128))
    'MB kept for the backward pass: fused 0.2 for 64 words, 0.5 for 128.'
    """
    said = []
    for name, values in megabytes.items():
        first, *others = (f"{value:.1f} for {n}" for n, value in zip(lengths, values, strict=True))
        said.append(f"{name} " + ", ".join([f"{first} words", *others]))
    return "MB kept for the backward pass: " + "; ".join(said) + "."
