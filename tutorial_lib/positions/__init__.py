"""How a model knows the order of its tokens: vectors that are added, distances, rotations."""

from tutorial_lib.positions.continuous import ContinuousGrid, log_spaced
from tutorial_lib.positions.distances import (
    RelativeGrid,
    RelativePositions,
    T5Positions,
    alibi,
    alibi_slopes,
    offsets,
    t5_bucket,
)
from tutorial_lib.positions.fourier import fourier_features, grid_positions, pixel_waves
from tutorial_lib.positions.rotary import rotate, turning_angles
from tutorial_lib.positions.vectors import (
    LearnedGrid,
    LearnedPositions,
    PositionVectors,
    SinusoidalGrid,
    SinusoidalPositions,
    sinusoidal,
    sinusoidal_grid,
)

__all__ = [
    "ContinuousGrid",
    "LearnedGrid",
    "LearnedPositions",
    "PositionVectors",
    "RelativeGrid",
    "RelativePositions",
    "SinusoidalGrid",
    "SinusoidalPositions",
    "T5Positions",
    "alibi",
    "alibi_slopes",
    "fourier_features",
    "grid_positions",
    "log_spaced",
    "offsets",
    "pixel_waves",
    "rotate",
    "sinusoidal",
    "sinusoidal_grid",
    "t5_bucket",
    "turning_angles",
]
