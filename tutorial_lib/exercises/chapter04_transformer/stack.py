"""Chapter 04: gradients by layer that betray a mistake in the layer."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Symptom, case

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


GRADIENTS = Symptom(
    id="4.4",
    title="Starved layers",
    level="medium",
    text="""
The picture above compares two stacks of 12 pre-norm layers with random weights, sound and faulty:
how large is the gradient of each layer's first weights? One of these mistakes made the faulty
curve. Choose the letter, then repair `pre_norm_layer`; its gradients are checked too.
""",
    hints=(
        "Which layers get hardly any gradient: the first ones or the last ones?",
        "By which factor does the curve change from one layer to the next? A constant factor comes "
        "from something that happens in each layer.",
        "On the way back each layer multiplies the gradient that runs along the shortcut by the "
        "factor that stands before x.",
    ),
    solution=pre_norm_layer,
    second_style=pre_norm_layer_by_hand,
    mistakes=(
        pre_norm_layer_no_shortcut,
        pre_norm_layer_detached,
        pre_norm_layer_twice,
        pre_norm_layer_times,
    ),
    shown=pre_norm_layer_twice,
    looks=(
        "No layer would starve: the curve would lie above that of sound code. LayerNorm alone "
        "keeps the gradient alive here.",
        "The first layers would starve: the gradient has to pass every network to get there.",
        "The last layers would starve, by a factor of 2 a layer: the stream doubles, and what they "
        "add is lost in it.",
        "The curve would fall unevenly, by less than a factor of 2 a layer.",
    ),
    cases=pre_norm_layer_cases,
    run=output_and_gradients,
    see="4.3 Where the norm stands",
)
