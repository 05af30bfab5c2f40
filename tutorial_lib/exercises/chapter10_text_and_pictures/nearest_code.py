"""Chapter 10: the nearest code of a book, and a gradient that passes through."""

import functools

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def quantize(x, codes):
    """Return the nearest code of each vector, (N, D), and its number, (N,).

    x (N, D); codes (V, D). The gradient of the vectors passes straight through to x; the codes get
    none.
    """
    distances = (x[:, None] - codes).square().sum(dim=-1)  # (N, V)
    numbers = distances.argmin(dim=1)  # (N,)
    vectors = codes[numbers]  # (N, D)
    return x + (vectors - x).detach(), numbers


class StraightThrough(torch.autograd.Function):
    """Codes on the way there, x on the way back."""

    @staticmethod
    def forward(ctx, x, vectors):
        """Return the vectors."""
        return vectors.clone()

    @staticmethod
    def backward(ctx, gradient):
        """Hand all of it to x."""
        return gradient, None


def quantize_by_function(x, codes):
    """Second style."""
    numbers = (codes.square().sum(dim=1) - 2 * x @ codes.T).argmin(dim=1)
    return StraightThrough.apply(x, codes[numbers].detach()), numbers


# How near a code is, (N, V): the smallest is taken ---------------------------------------------


def squared(x, codes):
    """Squared distances."""
    return (x[:, None] - codes).square().sum(dim=-1)


def product(x, codes):
    """The largest product."""
    return -x @ codes.T


def cosine(x, codes):
    """The largest cosine."""
    return -x @ (codes / codes.norm(dim=1, keepdim=True)).T


def absolute(x, codes):
    """The sum of the differences without signs."""
    return (x[:, None] - codes).abs().sum(dim=-1)


def differences(x, codes):
    """The sum of the differences with their signs."""
    return (x[:, None] - codes).sum(dim=-1)


def lengths(x, codes):
    """How far the lengths are apart."""
    return (x.norm(dim=1, keepdim=True) - codes.norm(dim=1)).abs()


def largest(x, codes):
    """The largest difference of a number."""
    return (x[:, None] - codes).abs().amax(dim=-1)


# What passes: the value, and the gradients --------------------------------------------------------


def straight(x, vectors):
    """To x alone."""
    return x + (vectors - x).detach()


def to_codes(x, vectors):
    """To the codes alone."""
    return vectors


def to_nobody(x, vectors):
    """To nobody."""
    return vectors.detach() + 0 * x.sum()


def to_both(x, vectors):
    """To both."""
    return vectors + x - x.detach()


def value_of_x(x, vectors):
    """The value of x, the gradient of the codes."""
    return vectors + (x - vectors).detach()


def unchanged(x, vectors):
    """x itself."""
    return x + 0


def quantized(x, codes, distance=squared, passes=straight, take=torch.argmin):
    """Vectors and numbers with slips."""
    numbers = take(distance(x, codes), dim=1)
    return passes(x, codes[numbers]), numbers


def quantize_no_way_back(x, codes):
    """These are the right codes, but no gradient gets back to x: picking a code from the book has
    none. The result needs the value of the code and the gradient of x.
    """
    return quantized(x, codes, passes=to_codes)


def quantize_cut_off(x, codes):
    """No gradient gets back at all, neither to x nor to the codes: let that of the result pass
    straight through to x.
    """
    return quantized(x, codes, passes=to_nobody)


def quantize_to_both(x, codes):
    """The codes get a gradient, too: it belongs to x alone, and codes learn from a loss of their
    own.
    """
    return quantized(x, codes, passes=to_both)


def quantize_the_other_way(x, codes):
    """This is turned round: it has the value of x and the gradient of the codes."""
    return quantized(x, codes, passes=value_of_x)


def quantize_x_itself(x, codes):
    """This returns x: the gradient is right, but the *value* is that of the nearest code."""
    return quantized(x, codes, passes=unchanged)


def quantize_product(x, codes):
    """This takes the largest product, and that favours long codes: a distance is asked for."""
    return quantized(x, codes, distance=product)


def quantize_cosine(x, codes):
    """This takes the code in the most similar direction: take the nearest."""
    return quantized(x, codes, distance=cosine)


def quantize_farthest(x, codes):
    """This takes the *farthest* code: argmin, not argmax."""
    return quantized(x, codes, take=torch.argmax)


def quantize_absolute(x, codes):
    """This adds the differences without their signs: a distance squares them."""
    return quantized(x, codes, distance=absolute)


def quantize_for_codes(x, codes):
    """This looks for the nearest x of each code: look for the nearest code of each x."""
    numbers = squared(x, codes).argmin(dim=0)
    return straight(x, x[numbers][: len(x)] if len(numbers) >= len(x) else x), numbers


def quantize_exchanged(x, codes):
    """This exchanges the two results: the vectors come first, then the numbers."""
    vectors, numbers = quantized(x, codes)
    return numbers, vectors


def quantize_cases():
    """More codes than vectors, fewer; codes of different lengths; one code."""
    long = torch.randn(6, 3) * torch.tensor([[0.3], [0.5], [1.0], [2.0], [4.0], [8.0]])
    return [
        case("9 vectors, 5 codes", torch.randn(9, 4), torch.randn(5, 4)),
        case("8 vectors, long and short codes", torch.randn(8, 3), long),
        case("4 vectors, 4 codes", 2 * torch.randn(4, 2), torch.randn(4, 2)),
        case("1 vector, 1 code", torch.randn(1, 2), torch.randn(1, 2)),
    ]


def with_gradients(answer, x, codes):
    """Vectors, numbers, and what comes back to x and to the codes: zeros when it is nothing."""
    x, codes = x.clone().requires_grad_(), codes.clone().requires_grad_()
    found = answer(x, codes)
    if not isinstance(found, tuple | list) or len(found) != 2:
        return found
    vectors, numbers = found
    if isinstance(vectors, torch.Tensor) and vectors.requires_grad:
        comes = torch.linspace(-1, 2, vectors.numel()).view(vectors.shape)
        (vectors * comes).sum().backward()
    grads = [torch.zeros_like(y) if y.grad is None else y.grad for y in (x, codes)]
    return vectors, numbers, *grads


def example():
    """Sixteen vectors and five codes of different lengths."""
    generator = torch.Generator().manual_seed(7)
    x = 1.5 * torch.randn(16, 3, generator=generator)
    codes = torch.randn(5, 3, generator=generator) * torch.tensor(
        [[0.3], [0.8], [1.2], [2.0], [3.0]]
    )
    return x, codes


def several(answer):
    """Vectors and numbers."""
    found = answer(*example())
    return isinstance(found, list) and len(found) == 4


def in_their_order(answer):
    """First the vectors, then the numbers."""
    if not several(answer):
        return None
    vectors, numbers = answer(*example())[:2]
    if vectors.dim() == 1 and numbers.dim() == 2:
        return False
    if tuple(vectors.shape) != (16, 3):
        return f"From x (16, 3) it makes vectors {tuple(vectors.shape)}: they are (N, D), as x."
    if tuple(numbers.shape) != (16,):
        return f"The numbers of 16 codes are {tuple(numbers.shape)}: they are (N,)."
    return not numbers.is_floating_point() or "The numbers of the codes must be whole numbers."


def numbers_of(answer):
    """The numbers, when they are (N,)."""
    numbers = answer(*example())[1]
    return numbers.reshape(16).float()


@functools.lru_cache(maxsize=1)
def gradients_of(answer):
    """Value (against what its own numbers say) and gradients, or an error."""
    x, codes = example()
    vectors, numbers, to_x, to_the_codes = answer(x, codes)
    own = codes[numbers.long()]
    what = "turned" if torch.allclose(vectors, 2 * x - own, atol=5e-3) else "other"
    what = "code" if torch.allclose(vectors, own, atol=5e-3) else what
    what = "x" if torch.allclose(vectors, x, atol=5e-3) else what
    comes = torch.linspace(-1, 2, vectors.numel()).view(vectors.shape)
    return what, comes, to_x, to_the_codes


def values_are_codes(answer):
    """The vectors must be the codes with these numbers."""
    what = gradients_of(answer)[0]
    if what == "x":
        return "The vectors have the value of x: they must have that of the codes."
    if what == "turned":
        return "The difference has the wrong sign: x plus (code minus x) is the code."
    return what == "code"


def x_gets_all(answer):
    """The gradient must pass straight through to x."""
    _, comes, to_x, _ = gradients_of(answer)
    if not to_x.abs().max() > 1e-4:
        return "No gradient gets back to x: let that of the vectors pass straight through."
    return torch.allclose(to_x, comes, atol=5e-3)


def codes_get_none(answer):
    """The codes get a gradient: it belongs to x alone."""
    return not gradients_of(answer)[3].abs().max() > 1e-4


def nearest(answer):
    """Some numbers are not those of the nearest codes."""
    x, codes = example()
    found = numbers_of(answer).long()
    if not ((found >= 0) & (found < 5)).all():
        return "Some numbers are none of a code: they go from 0 to V - 1."
    distances = squared(x, codes)
    wrong = (found != distances.argmin(dim=1)).nonzero().flatten().tolist()
    if not wrong:
        return True
    i = wrong[0]
    return (
        f"A vector gets a code at a squared distance of {distances[i, found[i]].item():.3g}, "
        f"though one is at {distances[i].min().item():.3g}: take the nearest."
    )


QUANTIZE = Write(
    id="10.13",
    title="The nearest code, and a way back",
    level="hard",
    text="""
Write `quantize(x, codes)`: for `x` (N, D) and `codes` (V, D) return the nearest code of each
vector, (N, D), and its number, (N,). Nearest is where the sum of the squared differences is
smallest. Choosing has no gradient, so treat it on the way back *as if nothing had been chosen*: the
gradient that reaches the vectors **passes straight through to `x`**, unchanged. The codes get none
from here. They learn from a loss of their own.
""",
    hints=(
        "(N, 1, D) minus (V, D) are all differences at once, (N, V, D).",
        "`y.detach()` has the value of y and no gradient. You want the *value* of one thing "
        "and the *gradient* of another.",
        "x plus something that has no gradient has the gradient of x. Which something gives it the "
        "value of the code?",
    ),
    solution=quantize,
    second_style=quantize_by_function,
    mistakes=(
        quantize_no_way_back,
        quantize_cut_off,
        quantize_to_both,
        quantize_the_other_way,
        quantize_x_itself,
        quantize_product,
        quantize_cosine,
        quantize_farthest,
        quantize_absolute,
        quantize_for_codes,
        quantize_exchanged,
    ),
    cases=quantize_cases,
    run=with_gradients,
    results=("vectors", "numbers", "gradient of x", "gradient of the codes"),
    properties=(
        Property("Two things are asked for: the vectors and their numbers.", several),
        Property("The vectors come first, then the numbers.", in_their_order),
        *composed(
            numbers_of,
            lambda distance, take: take(distance(*example()), dim=1).float(),
            {
                "Each vector gets the nearest code.": squared,
                "It takes the largest product, and that favours long codes: take the "
                "nearest.": product,
                "It takes the code in the most similar direction: take the nearest.": cosine,
                "It adds the differences without their signs: a distance squares them.": absolute,
                "It adds the differences with their signs, so that they cancel: square "
                "them.": differences,
                "It compares the lengths of the vectors: compare the vectors.": lengths,
                "It compares the largest difference alone: add up the squares of all.": largest,
            },
            {
                "The smallest distance wins.": torch.argmin,
                "It takes the farthest: the smallest distance wins.": torch.argmax,
            },
            otherwise=(nearest,),
        ),
        Property("The vectors must be the codes with these numbers.", values_are_codes),
        Property("The gradient must pass straight through to x, unchanged.", x_gets_all),
        Property("The codes get a gradient: it belongs to x alone.", codes_get_none),
    ),
)
