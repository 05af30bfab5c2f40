"""Chapter 04: the feed-forward network of a layer."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter04_transformer.measures import close, others_that_matter
from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


D_MODEL, D_FF = 7, 4


def example():
    """Two texts of three words, the two maps and their biases."""
    generator = torch.Generator().manual_seed(3)
    shapes = ((2, 3, D_MODEL), (D_MODEL, D_FF), (D_FF,), (D_FF, D_MODEL), (D_MODEL,))
    return tuple(torch.randn(*shape, generator=generator) for shape in shapes)


def leads_back_to_the_width(answer):
    """The result has the shape of x."""
    x = example()[0]
    got = answer(*example())
    if got.size(-1) == D_FF:
        return "The output is d_ff wide: a second map, `w2`, leads back to D."
    return got.shape == x.shape or None


def words_stand_alone(answer):
    """No word's result depends on another word."""
    x, *maps = example()
    others = others_that_matter(lambda x: answer(x, *maps), x)
    return f"A word's result depends on {others}." if others else True


def used_from_the_right(answer):
    """Two square maps, one with a single number: x @ w1 brings x's number 1 to column 2."""
    turned = []
    for place, name in ((0, "w1"), (1, "w2")):
        maps = [torch.eye(4), torch.eye(4)]
        maps[place] = torch.zeros(4, 4)
        maps[place][1, 2] = 1.0
        none, found = torch.zeros(4), []
        for number in (1, 2):
            x = torch.eye(4)[[number]]
            moved = answer(2 * x, maps[0], none, maps[1], none) - answer(
                x, maps[0], none, maps[1], none
            )
            found.append(moved[0, 3 - number].abs().item() > 1e-4)
        if found == [False, True]:
            turned.append(f"`{name}`")
    which = " and ".join(turned)
    return f"Transposed, as in torch's Linear: {which}. Here it is `x @ w1`." if turned else True


def shortcut(answer, x):
    """What the answer is when the second map is 0."""
    _, w1, b1, w2, b2 = example()
    return answer(x, w1, b1, torch.zeros_like(w2), torch.zeros_like(b2))


def has_no_shortcut(answer):
    """With a second map and bias of 0 nothing is left."""
    x = example()[0]
    return not close(shortcut(answer, x), x)


def both_signs(answer, x, w1, b1):
    """The result when w2 hands the hidden layer on, and when it turns its sign: columns of d_ff."""
    w2 = torch.eye(D_FF, D_MODEL)
    found = [answer(x, w1, b1, sign * w2, torch.zeros(D_MODEL)) for sign in (1, -1)]
    return [one[..., :D_FF] - shortcut(answer, x)[..., :D_FF] for one in found]


def ends_with_a_map(answer):
    """Turn the sign of the second map, and the result turns its sign."""
    plus, minus = both_signs(answer, *example()[:3])
    if close(plus, -minus):
        return True
    if (plus >= 0).all() and (minus >= 0).all():
        return "There is a ReLU after the second map: the output could never be negative."
    return False


def hidden(answer, x, w1, b1):
    """The hidden layer (..., d_ff), seen through a second map that hands it on."""
    if leads_back_to_the_width(answer) is not True:
        return answer(x, w1, b1, *example()[3:])
    end = ends_with_a_map(answer)
    if end is False:
        raise ValueError("something else comes last")
    plus, minus = both_signs(answer, x, w1, b1)
    return (plus - minus) / 2 if end is True else plus - minus


def cuts_at_zero(answer):
    """Between the maps stands ReLU, seen without the bias."""
    x, w1, b1, _, _ = example()
    x = x.view(6, 1, D_MODEL)  # no other word to depend on
    sums = x @ w1
    others = {
        "There is no ReLU between the maps: two linear maps in a row are one linear map.": sums,
        "This is GELU, as in BERT and GPT: the Transformer of 2017 uses ReLU.": F.gelu(sums),
        "There is a softmax between the maps: ReLU cuts each number at 0 and leaves the rest.": (
            sums.softmax(dim=-1)
        ),
    }
    found = hidden(answer, x, w1, torch.zeros_like(b1))
    return next((text for text, other in others.items() if close(found, other)), None) or close(
        found, sums.relu()
    )


def first_bias_comes_first(answer):
    """b1 does what a shift of x does that adds b1 to x @ w1."""
    x, w1, b1, _, _ = example()
    x = x.view(6, 1, D_MODEL)
    moved, none = x + b1 @ torch.linalg.pinv(w1), torch.zeros_like(b1)
    with_bias, without = hidden(answer, x, w1, b1), hidden(answer, x, w1, none)
    if close(with_bias, without):
        return "The first bias, `b1`, has no effect."
    return close(with_bias, hidden(answer, moved, w1, none))


def second_bias_comes_last(answer):
    """b2 is added to what the answer is without it."""
    x, w1, b1, w2, b2 = example()
    added = answer(x, w1, b1, w2, b2) - answer(x, w1, b1, w2, torch.zeros_like(b2))
    if close(added, torch.zeros_like(b2)):
        return "The second bias, `b2`, has no effect."
    if ends_with_a_map(answer) is not True:
        return None
    return close(added, b2.expand_as(added))


FEED_FORWARD = Write(
    id="4.3",
    title="Feed-forward network",
    level="easy",
    text="""
Write `feed_forward(x, w1, b1, w2, b2)`, the second half of an encoder layer: two linear maps with
ReLU between them, from D to d_ff and back, the same for each word. `w1` is (D, d_ff) and `w2`
(d_ff, D), used as `x @ w1`; the biases are (d_ff,) and (D,). The shortcut and LayerNorm are not
part of it. The code below has the right shapes, and two things are wrong with it.
""",
    hints=(
        "`torch.relu` sets negative numbers to 0. Which numbers can the code below never return?",
        "The first bias decides where ReLU cuts. Does `b1` come in time for that?",
    ),
    solution=feed_forward,
    second_style=feed_forward_library,
    mistakes=(),
    cases=feed_forward_cases,
    properties=(
        Property("The output must have the shape of x.", leads_back_to_the_width),
        Property("The network works on each word alone.", words_stand_alone),
        Property("The maps are used as `x @ w1` and then `@ w2`.", used_from_the_right),
        Property(
            "It adds the input: the shortcut belongs to the layer around the network.",
            has_no_shortcut,
        ),
        Property("The second map, and its bias, come last of all.", ends_with_a_map),
        Property("Between the two maps comes ReLU, which cuts each number at 0.", cuts_at_zero),
        Property(
            "The first bias, `b1`, must come before ReLU: it decides where ReLU cuts.",
            first_bias_comes_first,
        ),
        Property("The second bias, `b2`, must be added last of all.", second_bias_comes_last),
    ),
    see="4C The encoder layer",
)
