"""Chapter 04: gradients by layer that betray a mistake in the layer."""

import math

import torch

from tutorial_lib.exercises.chapter04_transformer.measures import close
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case

WIDTH, D_FF, N_LAYERS = 64, 256, 12  # of the stack behind the picture


def pre_norm_layer(x, w1, w2):
    """Return x (..., D) plus the feed-forward network of its LayerNorm; w1 (D, d_ff), w2 back."""
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    return x + torch.relu(normed @ w1) @ w2


def pre_norm_layer_by_hand(x, w1, w2):
    """Second style."""
    spread = x.std(dim=-1, correction=0, keepdim=True)
    hidden = (x - x.mean(dim=-1, keepdim=True)) / (spread**2 + 1e-5) ** 0.5 @ w1
    return (hidden * (hidden > 0)) @ w2 + x


def pre_norm_layer_no_shortcut(x, w1, w2):
    """This drops the shortcut: x itself is not added."""
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    return torch.relu(normed @ w1) @ w2


def pre_norm_layer_detached(x, w1, w2):
    """This cuts the shortcut out of the graph: x is added, but no gradient flows through it."""
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    return x.detach() + torch.relu(normed @ w1) @ w2


def pre_norm_layer_twice(x, w1, w2):
    """This adds the shortcut twice: the sum already holds x, and gets it once more."""
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    added = x + torch.relu(normed @ w1) @ w2
    return x + added


def pre_norm_layer_times(x, w1, w2):
    """This multiplies x by the network's output: a shortcut adds."""
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    return x * (torch.relu(normed @ w1) @ w2)


def pre_norm_layer_post(x, w1, w2):
    """This is post-norm: the norm belongs before the network, not after the sum."""
    return torch.nn.functional.layer_norm(x + torch.relu(x @ w1) @ w2, x.shape[-1:])


def pre_norm_layer_both(x, w1, w2):
    """This has a second norm, after the sum: there x must go on as it is."""
    return torch.nn.functional.layer_norm(pre_norm_layer(x, w1, w2), x.shape[-1:])


def gradient_norms(layer, seed=0):
    """Return, for a stack of 12 such layers with random weights, the gradient norm of each w1.

    The loss is the cross-entropy of random labels, read from the normalised output; the list goes
    from the first layer to the last.
    """
    generator = torch.Generator().manual_seed(seed)

    def random(*shape, scale=1.0):
        return scale * torch.randn(*shape, generator=generator)

    x = random(128, WIDTH)
    scale = math.sqrt(2 / (WIDTH + D_FF))  # Xavier
    weights = [
        (random(WIDTH, D_FF, scale=scale).requires_grad_(), random(D_FF, WIDTH, scale=scale))
        for _ in range(N_LAYERS)
    ]
    for w1, w2 in weights:
        x = layer(x, w1, w2)
    logits = torch.nn.functional.layer_norm(x, x.shape[-1:]) @ random(WIDTH, 10, scale=1 / 8)
    labels = torch.randint(10, (len(x),), generator=generator)
    loss = torch.nn.functional.cross_entropy(logits, labels)
    gradients = torch.autograd.grad(loss, [w1 for w1, _ in weights])
    return [gradient.norm().item() for gradient in gradients]


def gradients_by_layer(faulty):
    """Return {"correct code": (layers, gradient norms of w1), "faulty code": the same}."""
    stacks = {"correct code": pre_norm_layer, "faulty code": faulty}
    return {name: (range(N_LAYERS), gradient_norms(layer)) for name, layer in stacks.items()}


def output_and_gradients(answer, x, w1, w2):
    """Run the layer forward and backward: a cut shortcut shows in the gradient only."""
    leaves = [part.requires_grad_() for part in (x, w1, w2)]
    output = answer(*leaves)
    if not isinstance(output, torch.Tensor):
        return {"output": output}
    weights = torch.arange(1.0, output.numel() + 1).view_as(output) / output.numel()
    loss = (output * weights).sum() + sum(0 * leaf.sum() for leaf in leaves)  # no part unused
    gradients = torch.autograd.grad(loss, leaves)
    names = ("gradient of x", "gradient of w1", "gradient of w2")
    return {"output": output, **dict(zip(names, gradients, strict=True))}


def pre_norm_layer_cases():
    """Two shapes; the vectors are long and off-centre, so that LayerNorm has work to do."""
    return [
        case("three vectors", *(3 * torch.randn(3, 4) + 1, torch.randn(4, 6), torch.randn(6, 4))),
        case("a batch", *(torch.randn(2, 3, 5), torch.randn(5, 2), torch.randn(2, 5))),
    ]


def example():
    """Three long vectors, off-centre, and the two maps."""
    generator = torch.Generator().manual_seed(4)
    x = 3 * torch.randn(3, 5, generator=generator) + 1
    return x, torch.randn(5, 7, generator=generator), torch.randn(7, 5, generator=generator)


def shortcut(answer):
    """What the layer returns, and the gradient of x, when its network gives 0."""
    x, w1, w2 = example()
    got = answer(x, w1, torch.zeros_like(w2))
    return x, got["output"], got["gradient of x"]


def carries_x(answer):
    """When the network gives 0, x is left."""
    x, output, _ = shortcut(answer)
    others = {
        "The shortcut is missing, or multiplies: when the network gives 0, x must be left.": 0 * x,
        "The shortcut is added twice: the sum already holds x, and gets it once more.": 2 * x,
        "The shortcut carries the normalised x: x itself is added, past the norm.": (
            torch.nn.functional.layer_norm(x, x.shape[-1:])
        ),
    }
    return next((text for text, other in others.items() if close(output, other)), None) or close(
        output, x
    )


def lets_the_gradient_through(answer):
    """When the network gives 0, the gradient passes along what carries x."""
    _, output, gradient = shortcut(answer)
    return None if close(output, 0 * output) else bool(gradient.abs().max() > 1e-6)


def branch(answer, x, w1, w2):
    """What the network adds to the shortcut."""
    return answer(x, w1, w2)["output"] - answer(x, w1, torch.zeros_like(w2))["output"]


def reads_the_norm(answer):
    """What the network adds does not depend on mean and length of x."""
    x, w1, w2 = example()
    return close(branch(answer, x, w1, w2), branch(answer, 3 * x + 2, w1, w2))


def has_its_relu(answer):
    """Turn the sign of the first map: with ReLU, other numbers are cut."""
    x, w1, w2 = example()
    added, turned = branch(answer, x, w1, w2), branch(answer, x, -w1, w2)
    return "There is no ReLU between the two maps." if close(added, -turned) else None


def ends_with_the_second_map(answer):
    """What the network adds is three times as large with three times the second map."""
    x, w1, w2 = example()
    added = branch(answer, x, w1, w2)
    sums = torch.nn.functional.layer_norm(x, x.shape[-1:]) @ w1 @ w2
    if close(added, sums.relu()):
        return "The ReLU belongs between the two maps, not after the second."
    both = (branch(answer, x, w1, 3 * w2), branch(answer, x, w1, -w2))
    return close(both[0], 3 * added) and close(both[1], -added)


def trains_its_maps(answer):
    """A gradient reaches both maps."""
    got = answer(*example())
    return all(bool(got[f"gradient of {name}"].abs().max() > 1e-6) for name in ("w1", "w2"))


GRADIENTS = Symptom(
    id="4.4",
    title="Starved layers",
    level="medium",
    text="""
The picture above compares two stacks of 12 pre-norm layers with random weights, correct and faulty:
how large is the gradient of each layer's first weights? Which way does the faulty curve slope, and
by what factor from one layer to the next? One of these mistakes made it. Choose the letter, then
repair `pre_norm_layer`; its gradients are checked too.
""",
    hints=(
        "Which layers get hardly any gradient: the first ones or the last ones?",
        "By which factor does the curve change from one layer to the next? A constant factor comes "
        "from something that happens in each layer.",
        "In the backward pass each layer multiplies the gradient that runs along the shortcut by "
        "the factor in front of x.",
    ),
    solution=pre_norm_layer,
    second_style=pre_norm_layer_by_hand,
    mistakes=(
        pre_norm_layer_no_shortcut,
        pre_norm_layer_detached,
        pre_norm_layer_twice,
        pre_norm_layer_times,
        pre_norm_layer_post,
        pre_norm_layer_both,
    ),
    shown=pre_norm_layer_twice,
    looks=(
        "No layer would starve: the curve would lie above that of correct code. LayerNorm alone "
        "keeps the gradient alive here.",
        "The first layers would starve: the gradient has to pass every network to get there.",
        "The last layers would starve, by a factor of 2 a layer: the stream doubles, and what they "
        "add is lost in it.",
        "The curve would fall unevenly, by less than a factor of 2 a layer.",
    ),
    cases=pre_norm_layer_cases,
    properties=(
        Property("When the network gives 0, nothing but x must be left: add x once.", carries_x),
        Property(
            "No gradient flows through the shortcut: x must stay in the graph.",
            lets_the_gradient_through,
        ),
        Property("The network does not read the LayerNorm of x, but x itself.", reads_the_norm),
        Property("Between the two maps comes ReLU.", has_its_relu),
        Property(
            "After the second map, `w2`, nothing more is done to what the network adds.",
            ends_with_the_second_map,
        ),
        Property("No gradient reaches the maps `w1` and `w2`.", trains_its_maps),
    ),
    run=output_and_gradients,
    results=("output", "gradient of x", "gradient of w1", "gradient of w2"),
    see="4D Where the norm goes",
)
