"""The Llamas that were published, as far as they compute what `llama` computes."""

from typing import NamedTuple


class Published(NamedTuple):
    """One model: its sizes, and how many parameters its paper or its card gives."""

    n_layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_ff: int
    parameters: float
    base: float = 10_000.0


# Touvron et al. 2023, table 2; the width of the feed-forward network is that of the released files:
# two thirds of 4 d_model, as section 2.2 says, rounded up to a multiple of 256.
LLAMA = {
    "7B": Published(32, 4096, 32, 32, 11_008, 6.7e9),
    "13B": Published(40, 5120, 40, 40, 13_824, 13.0e9),
    "33B": Published(60, 6656, 52, 52, 17_920, 32.5e9),
    "65B": Published(80, 8192, 64, 64, 22_016, 65.2e9),
}

# Ben Allal et al. 2025, and the configurations beside the released files.
SMOLLM2 = {
    "135M": Published(30, 576, 9, 3, 1536, 135e6, 100_000.0),
    "360M": Published(32, 960, 15, 5, 2560, 362e6, 100_000.0),
    "1.7B": Published(24, 2048, 32, 32, 8192, 1.7e9, 130_000.0),
}
