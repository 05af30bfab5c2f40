"""Chapter 08b: T5's norm, which looks at the size of a vector and at nothing else."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def rms_norm(x, weight, eps):
    """Return x (..., D), its vectors brought to one size, times weight (D,)."""
    return weight * x * (x.square().mean(dim=-1, keepdim=True) + eps).rsqrt()


def rms_norm_by_length(x, weight, eps):
    """Second style."""
    size = torch.sqrt((x * x).sum(-1) / x.shape[-1] + eps)
    return x / size.unsqueeze(-1) * weight


def rms_norm_centred(x, weight, eps):
    """This subtracts the mean first, as LayerNorm does: here nothing is subtracted."""
    return rms_norm(x - x.mean(dim=-1, keepdim=True), weight, eps)


def rms_norm_std(x, weight, eps):
    """This divides by the standard deviation: that looks at differences from the mean, the root of
    the mean square at the numbers themselves."""
    return weight * x / (x.var(dim=-1, unbiased=False, keepdim=True) + eps).sqrt()


def rms_norm_sum(x, weight, eps):
    """This divides by the length of the vector, the root of the *sum* of squares: take their
    mean."""
    return weight * x / (x.square().sum(dim=-1, keepdim=True) + eps).sqrt()


def rms_norm_no_root(x, weight, eps):
    """This divides by the mean of the squares: its root is missing."""
    return weight * x / (x.square().mean(dim=-1, keepdim=True) + eps)


def rms_norm_eps_outside(x, weight, eps):
    """This adds eps to the root: it belongs to the mean, under the root."""
    return weight * x / (x.square().mean(dim=-1, keepdim=True).sqrt() + eps)


def rms_norm_no_eps(x, weight, eps):
    """This leaves out eps: a vector of zeros becomes nan."""
    return weight * x / x.square().mean(dim=-1, keepdim=True).sqrt()


def rms_norm_no_weight(x, weight, eps):
    """This leaves out the weight: each of the D numbers has its own factor."""
    return rms_norm(x, torch.ones_like(weight), eps)


def rms_norm_added(x, weight, eps):
    """This adds the weight: it is a factor, and T5 has nothing that is added."""
    return rms_norm(x, torch.ones_like(weight), eps) + weight


def rms_norm_over_tokens(x, weight, eps):
    """This takes the mean over the tokens: each vector has a size of its own."""
    return weight * x / (x.square().mean(dim=-2, keepdim=True) + eps).sqrt()


def rms_norm_dim_1(x, weight, eps):
    """This takes the mean along axis 1: in texts (B, T, D) these are the tokens. The D numbers are
    the last axis."""
    return weight * x / (x.square().mean(dim=1, keepdim=True) + eps).sqrt()


def rms_norm_over_all(x, weight, eps):
    """This takes one size for all vectors together: each has its own, over its D numbers."""
    return weight * x / (x.square().mean() + eps).sqrt()


def rms_norm_weight_first(x, weight, eps):
    """This multiplies by the weight before it measures the size: the weight comes last."""
    return rms_norm(x * weight, torch.ones_like(weight), eps)


def rms_norm_absolute(x, weight, eps):
    """This divides by the mean of the absolute values: it should be the root of the mean square."""
    return weight * x / (x.abs().mean(dim=-1, keepdim=True) + eps)


def rms_norm_over_the_first_axis(x, weight, eps):
    """This takes the mean along axis 0, over different vectors: each has a size of its own, from
    its D numbers."""
    return weight * x / (x.square().mean(dim=0) + eps).sqrt()


def rms_norm_length_eps_outside(x, weight, eps):
    """This divides by the length of the vector, the root of the *sum* of squares, and adds eps to
    it: take the mean of the squares, and add eps under the root."""
    return weight * x / (x.norm(dim=-1, keepdim=True) + eps)


def rms_norm_one_more(x, weight, eps):
    """This multiplies by 1 + weight, as Gemma does: here the factor is the weight itself."""
    return rms_norm(x, 1 + weight, eps)


def drawn(*shape, scale=1.0, shift=0.0):
    """The same random numbers every time."""
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(8)) + shift


WEIGHT = torch.tensor([1.0, 0.5, -2.0, 3.0])


def rms_norm_cases():
    """Vectors with a mean, in two shapes; a vector of zeros; a large eps."""
    return [
        case("three vectors", drawn(3, 4, shift=0.7), WEIGHT, 1e-6),
        case("a batch of texts", drawn(2, 3, 4, scale=5.0), WEIGHT, 1e-6),
        case("a large eps", drawn(2, 4, scale=0.1), WEIGHT, 0.5),
        case("a vector of zeros", torch.zeros(1, 2, 4), WEIGHT, 1e-6),
        case("one vector", drawn(4, shift=2.0), torch.ones(4), 1e-6),
    ]


ONES = torch.ones(4)


def bare(answer, x, eps=1e-9):
    """What becomes of x with weights of 1, less what an answer adds to it whatever x is."""
    added = answer(torch.zeros(1, x.shape[-1]), ONES, 1.0).nan_to_num()
    return answer(x, ONES, eps).float() - added


def keeps_the_shape(answer):
    """As many numbers out as in."""
    x = drawn(2, 3, 4)
    found = answer(x, ONES, 1e-6)
    return found is not None and tuple(found.shape) == tuple(x.shape)


def of_size_one(answer):
    """The mean square is 1 whatever the size was."""
    found = bare(answer, drawn(3, 4, scale=7.0))
    return torch.allclose(found.square().mean(-1), torch.ones(3), atol=1e-3)


def same_direction(answer):
    """Nothing is subtracted: the vector keeps its direction."""
    if not each_its_own(answer):  # it may be turned by what the others have
        return None
    x = drawn(3, 4, shift=1.0)
    cosine = torch.cosine_similarity(bare(answer, x), x)
    return torch.allclose(cosine, ONES[:3], atol=1e-3)


def each_its_own(answer):
    """A vector's result does not depend on the others."""
    x = drawn(3, 4)
    alone = torch.cat([answer(row[None], WEIGHT, 1e-6) for row in x])
    return torch.allclose(answer(x, WEIGHT, 1e-6), alone, atol=1e-5)


def a_factor_each(answer):
    """Every number is multiplied by its own weight."""
    x = drawn(3, 4)
    plain = answer(x, ONES, 1e-6)
    return torch.allclose(answer(x, WEIGHT, 1e-6), plain * WEIGHT, atol=1e-5)


def zeros_stay(answer):
    """Zeros do not become nan."""
    return not answer(torch.zeros(2, 4), ONES, 1e-6).isnan().any()


def eps_under_the_root(answer):
    """A large eps shows where it is added."""
    if not (of_size_one(answer) and zeros_stay(answer)):
        return None
    x = 0.6 * torch.tensor([[1.0, -1.0, -1.0, 1.0]])  # size 0.6, and the mean is 0
    return torch.allclose(bare(answer, x, 0.64), x, atol=1e-4)


RMS_NORM = Write(
    id="8b.6",
    title="Only the size",
    level="easy",
    text="""
LayerNorm subtracts the mean, divides by the standard deviation, multiplies by a weight and adds a
bias. T5 asked which of the four are needed, and kept two. Write `rms_norm(x, weight, eps)`: x has
shape (..., D), weight (D,). Whatever the **size** of a vector was, the mean of the squares of its D
numbers becomes 1, while its **direction** stays; then each of the D numbers is multiplied by its
own weight. `eps` is added to the mean of the squares, so that a vector of zeros stays zero.
""",
    hints=(
        "Which one number must a vector be divided by, so that the mean of its squares becomes 1?",
        "The root of the mean of its squares. Keep the last dimension, so that it divides rows.",
        "`x.square().mean(dim=-1, keepdim=True)`, plus eps, then the root.",
    ),
    solution=rms_norm,
    second_style=rms_norm_by_length,
    mistakes=(
        rms_norm_centred,
        rms_norm_std,
        rms_norm_sum,
        rms_norm_no_root,
        rms_norm_eps_outside,
        rms_norm_no_eps,
        rms_norm_no_weight,
        rms_norm_added,
        rms_norm_over_tokens,
        rms_norm_dim_1,
        rms_norm_over_all,
        rms_norm_weight_first,
        rms_norm_absolute,
        rms_norm_over_the_first_axis,
        rms_norm_length_eps_outside,
        rms_norm_one_more,
    ),
    cases=rms_norm_cases,
    properties=(
        Property("It must return a tensor of the shape of x.", keeps_the_shape),
        Property("With weights of 1 the mean of the squares is not 1.", of_size_one),
        Property("It turns the vector: nothing may be subtracted or added.", same_direction),
        Property("What becomes of a vector depends on the others of its batch.", each_its_own),
        Property("The weight is not a factor for each of the D numbers.", a_factor_each),
        Property("A vector of zeros becomes nan: is eps added to the mean?", zeros_stay),
        Property("The eps does not stand under the root, beside the mean.", eps_under_the_root),
    ),
    see="8bD How far, not where",
)
