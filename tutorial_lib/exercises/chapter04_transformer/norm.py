"""Chapter 04: LayerNorm."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def layer_norm(x, gain, shift, eps):
    """Return LayerNorm of x (B, T, D): each vector normalised, times gain (D,), plus shift (D,)."""
    mean = x.mean(dim=-1, keepdim=True)  # (B, T, 1)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)  # (B, T, 1)
    return (x - mean) / torch.sqrt(variance + eps) * gain + shift


def layer_norm_library(x, gain, shift, eps):
    """Second style."""
    return torch.nn.functional.layer_norm(x, gain.shape, gain, shift, eps)


def normalised_over(axes, x, eps=0.0, correction=0):
    """Subtract the mean over the axes and divide by the standard deviation."""
    variance = x.var(dim=axes, correction=correction, keepdim=True)
    return (x - x.mean(dim=axes, keepdim=True)) / torch.sqrt(variance + eps)


def layer_norm_eps_outside(x, gain, shift, eps):
    """This adds eps outside the root: it belongs to the variance, under the root."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (x.std(dim=-1, correction=0, keepdim=True) + eps) * gain + shift


def layer_norm_no_eps(x, gain, shift, eps):
    """This leaves eps out: a vector of equal numbers would be divided by zero."""
    return normalised_over(-1, x) * gain + shift


def layer_norm_unbiased(x, gain, shift, eps):
    """This divides the variance by D - 1: LayerNorm divides by D (`correction=0`)."""
    return normalised_over(-1, x, eps, correction=1) * gain + shift


def layer_norm_std_plus_eps(x, gain, shift, eps):
    """This divides by `x.std() + eps`: torch's std divides by D - 1, and eps is out of the root."""
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * gain + shift


def layer_norm_batch(x, gain, shift, eps):
    """This normalises each feature over batch and positions: BatchNorm, texts influence others."""
    return normalised_over((0, 1), x, eps) * gain + shift


def layer_norm_first_axis(x, gain, shift, eps):
    """This normalises over the batch axis: with one text nothing but the shift would be left."""
    return normalised_over(0, x, eps) * gain + shift


def layer_norm_positions(x, gain, shift, eps):
    """This normalises over the positions: each vector stands alone, over its D numbers."""
    return normalised_over(1, x, eps) * gain + shift


def layer_norm_whole_text(x, gain, shift, eps):
    """This normalises over positions and features, (T, D) together: a vector sees no neighbour."""
    return normalised_over((1, 2), x, eps) * gain + shift


def layer_norm_everything(x, gain, shift, eps):
    """This takes one mean and one variance of the whole tensor: each vector has its own."""
    return normalised_over((0, 1, 2), x, eps) * gain + shift


def layer_norm_gain_first(x, gain, shift, eps):
    """This multiplies by the gain before it normalises: gain and shift come last."""
    return normalised_over(-1, x * gain, eps) + shift


def layer_norm_affine_first(x, gain, shift, eps):
    """This applies gain and shift before it normalises, which undoes most of it: they come last."""
    return normalised_over(-1, x * gain + shift, eps)


def layer_norm_root_mean_square(x, gain, shift, eps):
    """This does not subtract the mean: it is RMSNorm, which later models use."""
    return x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + eps) * gain + shift


def layer_norm_mean_kept(x, gain, shift, eps):
    """This divides by the standard deviation of the vector, but leaves the mean in it."""
    return x / torch.sqrt(x.var(dim=-1, correction=0, keepdim=True) + eps) * gain + shift


def layer_norm_by_variance(x, gain, shift, eps):
    """This divides by the variance: divide by its root."""
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + eps) * gain + shift


def layer_norm_by_length(x, gain, shift, eps):
    """This divides by the length of the centred vector, a factor of sqrt(D) too much."""
    return normalised_over(-1, x, eps) / math.sqrt(x.size(-1)) * gain + shift


def layer_norm_shift_scaled(x, gain, shift, eps):
    """This multiplies the shift by the gain as well: first the gain, then add the shift."""
    return (normalised_over(-1, x, eps) + shift) * gain


def layer_norm_no_shift(x, gain, shift, eps):
    """This leaves out the shift."""
    return normalised_over(-1, x, eps) * gain


def layer_norm_no_gain(x, gain, shift, eps):
    """This leaves out the gain."""
    return normalised_over(-1, x, eps) + shift


def layer_norm_gain_and_one(x, gain, shift, eps):
    """This multiplies by 1 + gain: the gain is the factor itself, it starts as 1."""
    return normalised_over(-1, x, eps) * (1 + gain) + shift


def layer_norm_cases():
    """All axes differ in size, means are far from 0, and a large eps shows where it stands."""
    gain, shift = torch.tensor([0.5, -1.0, 2.0, 1.5]), torch.tensor([1.0, 0.0, -2.0, 0.3])
    level = torch.tensor([[[7.0] * 4, [1.0, 2.0, 3.0, 4.0]]])
    return [
        case("two texts of three words", 2 * torch.randn(2, 3, 4) + 3, gain, shift, 1e-5),
        case("a large eps", torch.randn(3, 2, 4) - 1, gain, shift, 0.5),
        case("one text, one vector of equal numbers", level, gain, shift, 1e-5),
    ]


LAYER_NORM = Write(
    id="4.2",
    title="LayerNorm",
    level="easy",
    text="""
Write `layer_norm(x, gain, shift, eps)`. Each vector of x (B, T, D) loses its mean and is divided by
its standard deviation, that of its own D numbers, where eps is added to the variance, under the
root. Then come the learned `gain` and `shift`, (D,) each. Two of these stand in each encoder layer,
three in each decoder layer.
""",
    hints=(
        "`keepdim=True` keeps the axis: (B, T, 1) can be subtracted from (B, T, D).",
        "The variance is the mean of the squared distances from the mean. Mean means: divide by D.",
        "A vector's result must not depend on the other words, or on the other texts.",
    ),
    solution=layer_norm,
    second_style=layer_norm_library,
    mistakes=(
        layer_norm_eps_outside,
        layer_norm_no_eps,
        layer_norm_unbiased,
        layer_norm_std_plus_eps,
        layer_norm_batch,
        layer_norm_first_axis,
        layer_norm_positions,
        layer_norm_whole_text,
        layer_norm_everything,
        layer_norm_gain_first,
        layer_norm_affine_first,
        layer_norm_root_mean_square,
        layer_norm_mean_kept,
        layer_norm_by_variance,
        layer_norm_by_length,
        layer_norm_shift_scaled,
        layer_norm_no_shift,
        layer_norm_no_gain,
        layer_norm_gain_and_one,
    ),
    cases=layer_norm_cases,
    see="4.2 The encoder layer",
)
