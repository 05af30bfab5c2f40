"""Attention, timed: fused against written out, our layer against PyTorch's.

    python tests/benchmarks/bench_attention.py

Each row runs both sides in turn, so that a busy neighbour slows both, and gives the ratio of
the medians: below 1 the first is faster. Memory is what the weights alone would take.
"""

import argparse
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask


def median_times(first, second, repeats):
    """Return the median seconds of two functions, called in turn."""
    times = ([], [])
    # CPU time where nothing else can be waited for: it does not count a neighbour's work.
    clock = time.perf_counter if torch.cuda.is_available() else time.process_time
    for repeat in range(repeats + 1):
        for function, found in zip((first, second), times, strict=True):
            start = clock()
            function()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if repeat:  # the first call warms up
                found.append(clock() - start)
    return [statistics.median(found) for found in times]


def fused_against_written_out(length, device, repeats):
    """Compare one head of 64, forward only, with a causal mask."""
    q, k, v = torch.randn(3, 1, 1, length, 64, device=device)
    mask = causal_mask(length, device=device)
    with torch.no_grad():
        return median_times(
            lambda: F.scaled_dot_product_attention(q, k, v, mask),
            lambda: attention(q, k, v, mask),
            repeats,
        )


def ours_against_torch(batch, length, device, repeats, backward):
    """Compare a causal layer of 4 heads and width 128, with copied weights."""
    ours = MultiHeadAttention(128, 4, causal=True).to(device)
    theirs = nn.MultiheadAttention(128, 4, batch_first=True).to(device)
    theirs.in_proj_weight.data.copy_(ours.qkv.weight.data)
    x = torch.randn(batch, length, 128, device=device, requires_grad=True)
    hidden = ~causal_mask(length, device=device)

    def run(forward):
        with torch.set_grad_enabled(backward):
            out = forward()
        if backward:
            out.sum().backward()

    return median_times(
        lambda: run(lambda: ours(x)),
        lambda: run(
            lambda: theirs(x, x, x, attn_mask=hidden, is_causal=True, need_weights=False)[0]
        ),
        repeats,
    )


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    print(f"{'on ' + device:44} {'first ms':>9} {'second ms':>9} {'ratio':>6} {'weights MB':>10}")
    for length in (64, 256, 1024, 4096):
        row = fused_against_written_out(length, device, options.repeats)
        report(f"fused / written out, {length} tokens, 1 head", row, length**2 * 4 / 1e6)
    for batch, length in ((12, 64), (4, 256), (1, 1024)):
        for backward in (False, True):
            row = ours_against_torch(batch, length, device, options.repeats, backward)
            kind = "forward + backward" if backward else "forward"
            report(f"ours / torch.nn, {batch} x {length}, {kind}", row)


def report(name, row, megabytes=None):
    """Print one row of the table."""
    first, second = row
    memory = "" if megabytes is None else f"{megabytes:10.1f}"
    print(f"{name:44} {first * 1e3:9.3f} {second * 1e3:9.3f} {first / second:6.2f} {memory}")


if __name__ == "__main__":
    main()
