"""All benchmarks in one table: ours against other implementations, taking turns.

    python tests/benchmarks/table.py

A ratio above 1 means that ours is better. On a GPU the same command measures there, in bfloat16,
and the notes give tokens a second and the share of the GPU's peak.
"""

from itertools import chain

import bench_attention
import bench_gpt
import bench_latencies
import bench_llama
import bench_mlm
import bench_site
import bench_tokenizers
import bench_vit
import measure

BENCHMARKS = (
    bench_tokenizers,
    bench_gpt,
    bench_llama,
    bench_mlm,
    bench_vit,
    bench_attention,
    bench_latencies,
    bench_site,
)


def rows(repeats=20, memory=True):
    """Yield the rows of every benchmark."""
    return chain.from_iterable(benchmark.rows(repeats, memory) for benchmark in BENCHMARKS)


if __name__ == "__main__":
    measure.main(rows, __doc__)
