"""Chapter 04: the feed-forward network of a layer."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def feed_forward(x, w1, b1, w2, b2):
    """Return (..., D) from x (..., D): a map to d_ff, ReLU, a map back.

    w1 (D, d_ff) and w2 (d_ff, D) are used as `x @ w1`; b1 (d_ff,), b2 (D,).
    """
    hidden = torch.relu(x @ w1 + b1)  # (..., d_ff)
    return hidden @ w2 + b2


def feed_forward_library(x, w1, b1, w2, b2):
    """Second style."""
    linear = torch.nn.functional.linear
    return linear(linear(x, w1.T, b1).clamp(min=0), w2.T, b2)


def feed_forward_single(x, w1, b1, w2, b2):
    """This is a single layer, and its output is d_ff wide: a second map leads back to D."""
    return torch.relu(x @ w1 + b1)


def feed_forward_single_linear(x, w1, b1, w2, b2):
    """This is one linear map to d_ff: ReLU and the map back to D are missing."""
    return x @ w1 + b1


def feed_forward_linear(x, w1, b1, w2, b2):
    """This has no nonlinearity: two linear maps in a row are one linear map."""
    return (x @ w1 + b1) @ w2 + b2


def feed_forward_late(x, w1, b1, w2, b2):
    """This puts ReLU behind the second map: it stands between the two."""
    return torch.relu((x @ w1 + b1) @ w2 + b2)


def feed_forward_twice(x, w1, b1, w2, b2):
    """This has a second ReLU at the end: the output could never be negative."""
    return torch.relu(feed_forward(x, w1, b1, w2, b2))


def feed_forward_no_second_bias(x, w1, b1, w2, b2):
    """This loses the second bias, b2."""
    return torch.relu(x @ w1 + b1) @ w2


def feed_forward_no_first_bias(x, w1, b1, w2, b2):
    """This loses the first bias, b1."""
    return torch.relu(x @ w1) @ w2 + b2


def feed_forward_no_bias(x, w1, b1, w2, b2):
    """This loses both biases."""
    return torch.relu(x @ w1) @ w2


def feed_forward_late_bias(x, w1, b1, w2, b2):
    """This adds b1 after ReLU: the bias decides where ReLU cuts, so it comes before."""
    return (torch.relu(x @ w1) + b1) @ w2 + b2


def feed_forward_bias_inside(x, w1, b1, w2, b2):
    """This adds b2 only where the result is positive, inside a ReLU: it is added last of all."""
    return torch.relu(torch.relu(x @ w1 + b1) @ w2) + b2


def feed_forward_transposed(x, w1, b1, w2, b2):
    """This transposes the weights, as for torch's Linear: here they are used as `x @ w1`."""
    return torch.relu(x @ w1.T + b1) @ w2.T + b2


def feed_forward_gelu(x, w1, b1, w2, b2):
    """This uses GELU, as BERT and GPT do: the Transformer of 2017 uses ReLU."""
    return torch.nn.functional.gelu(x @ w1 + b1) @ w2 + b2


def feed_forward_softmax(x, w1, b1, w2, b2):
    """This uses a softmax between the maps: ReLU cuts each number at 0 and leaves the rest."""
    return (x @ w1 + b1).softmax(dim=-1) @ w2 + b2


def feed_forward_residual(x, w1, b1, w2, b2):
    """This adds the input: the shortcut belongs to the layer around the network."""
    return x + feed_forward(x, w1, b1, w2, b2)


def feed_forward_summed(x, w1, b1, w2, b2):
    """This mixes the positions: the network works on each word alone."""
    out = feed_forward(x, w1, b1, w2, b2)
    return out.mean(dim=-2, keepdim=True).expand_as(out)


def feed_forward_cases():
    """The hidden layer is wider, narrower, and (for the transposed) as wide as the input."""
    return [
        case("D = 3, d_ff = 8", 4 * torch.randn(2, 4, 3), *maps(3, 8)),
        case("D = 4, d_ff = 4", torch.randn(1, 3, 4), *maps(4, 4)),
        case("D = 5, d_ff = 2, no batch", torch.randn(3, 5), *maps(5, 2)),
    ]


def maps(d_model, d_ff):
    """Random weights and biases, large enough for ReLU to cut some numbers and keep some."""
    return (
        torch.randn(d_model, d_ff),
        torch.randn(d_ff),
        torch.randn(d_ff, d_model),
        torch.randn(d_model),
    )


FEED_FORWARD = Write(
    id="4.3",
    title="Feed-forward network",
    level="easy",
    text="""
Write `feed_forward(x, w1, b1, w2, b2)`: the second half of an encoder layer. One source calls it a
single layer of weights; it is two linear maps with ReLU between them, from D to d_ff and back, the
same for each word. `w1` is (D, d_ff) and `w2` (d_ff, D), used as `x @ w1`; the biases are (d_ff,)
and (D,). The shortcut and LayerNorm are not part of it.
""",
    hints=(
        "`torch.relu` sets negative numbers to 0.",
        "The output has the shape of x. Follow the widths: D, d_ff, D.",
    ),
    solution=feed_forward,
    second_style=feed_forward_library,
    mistakes=(
        feed_forward_single,
        feed_forward_single_linear,
        feed_forward_linear,
        feed_forward_late,
        feed_forward_twice,
        feed_forward_no_second_bias,
        feed_forward_no_first_bias,
        feed_forward_no_bias,
        feed_forward_late_bias,
        feed_forward_bias_inside,
        feed_forward_transposed,
        feed_forward_gelu,
        feed_forward_softmax,
        feed_forward_residual,
        feed_forward_summed,
    ),
    cases=feed_forward_cases,
    see="4.2 The encoder layer",
)
