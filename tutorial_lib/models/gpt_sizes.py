"""The GPTs that were published: their papers' tables, slips included."""

from typing import NamedTuple


class Published(NamedTuple):
    """One row of a paper. parameters as printed, batch in tokens, lr the highest learning rate.

    None where the paper does not say.
    """

    n_layers: int
    d_model: int
    n_heads: int
    parameters: float
    d_head: int | None = None
    batch: float | None = None
    lr: float | None = None


# Radford et al. 2018, section 4.1; the number of parameters is from BERT's comparison with it.
GPT1 = Published(12, 768, 12, 117e6, 64, 64 * 512, 2.5e-4)

# Radford et al. 2019, table 2. The heads, 64 wide each, are those of the released files. All four
# counts are too low in the paper: the files hold 124 M, 355 M, 774 M and 1,558 M.
GPT2 = {
    "small": Published(12, 768, 12, 117e6, 64, 512 * 1024),
    "medium": Published(24, 1024, 16, 345e6, 64, 512 * 1024),
    "large": Published(36, 1280, 20, 762e6, 64, 512 * 1024),
    "XL": Published(48, 1600, 25, 1542e6, 64, 512 * 1024),
}

# Brown et al. 2020, table 2.1. Two rows cannot be built: XL's 24 heads of 128 are 3,072, not
# 2,048; 13B's 40 heads of 128 are 5,120, not 5,140.
GPT3 = {
    "small": Published(12, 768, 12, 125e6, 64, 0.5e6, 6.0e-4),
    "medium": Published(24, 1024, 16, 350e6, 64, 0.5e6, 3.0e-4),
    "large": Published(24, 1536, 16, 760e6, 96, 0.5e6, 2.5e-4),
    "XL": Published(24, 2048, 24, 1.3e9, 128, 1e6, 2.0e-4),
    "2.7B": Published(32, 2560, 32, 2.7e9, 80, 1e6, 1.6e-4),
    "6.7B": Published(32, 4096, 32, 6.7e9, 128, 2e6, 1.2e-4),
    "13B": Published(40, 5140, 40, 13.0e9, 128, 2e6, 1.0e-4),
    "175B": Published(96, 12288, 96, 175.0e9, 128, 3.2e6, 0.6e-4),
}

# What decides: with 24 heads of 128 XL would have 1.52 billion parameters, with 16 it has the
# published 1.3. For 13B the parameters cannot decide; a width of 5,120 is 40 heads of 128.
REPAIRED = {"XL": {"n_heads": 16}, "13B": {"d_model": 5120}}
