"""Chapter 07: a whole ViT, from the pixels to the logits, out of parts that are given."""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def vit_logits(images, patch_size, linear, cls, positions, layers, norm, head):
    """Return logits (B, classes) of images (B, C, height, width).

    linear is an `nn.Linear` from C · P · P numbers to D; cls (D,); positions (N + 1, D). layers
    is a list; each layer, norm and head is called with one tensor; head makes logits of one vector
    a picture.
    """
    patches = F.unfold(images, patch_size, stride=patch_size).mT  # (B, N, C · P · P)
    x = torch.cat([cls.expand(len(images), 1, -1), linear(patches)], dim=1) + positions
    for layer in layers:
        x = layer(x)  # (B, N + 1, D)
    return head(norm(x)[:, 0])


def vit_logits_rows(images, patch_size, linear, cls, positions, layers, norm, head):
    """Second style."""
    p, rows = patch_size, []
    corners = [
        (top, left) for top in range(0, images.size(2), p) for left in range(0, images.size(3), p)
    ]
    for image in images:
        vectors = [linear(image[:, y : y + p, x : x + p].flatten()) for y, x in corners]
        rows.append(torch.stack([cls, *vectors]) + positions)
    x = torch.stack(rows)
    for layer in layers:
        x = layer(x)
    return head(norm(x[:, 0]))


def _patches(images, patch_size):
    return F.unfold(images, patch_size, stride=patch_size).mT


def _fronted(cls, x):
    return torch.cat([cls.expand(len(x), 1, -1), x], dim=1)


def _through(x, layers):
    for layer in layers:
        x = layer(x)
    return x


def vit_no_positions(images, patch_size, linear, cls, positions, layers, norm, head):
    """The positions are left out: they are added before the first layer."""
    x = _fronted(cls, linear(_patches(images, patch_size)))
    return head(norm(_through(x, layers))[:, 0])


def vit_cls_without_position(images, patch_size, linear, cls, positions, layers, norm, head):
    """No position is added to [CLS]: put it in front first, then add the positions."""
    x = _fronted(cls, linear(_patches(images, patch_size)) + positions[1:])
    return head(norm(_through(x, layers))[:, 0])


def vit_cls_at_the_end(images, patch_size, linear, cls, positions, layers, norm, head):
    """It puts [CLS] at the end: it comes in front of the patches."""
    x = linear(_patches(images, patch_size))
    x = torch.cat([x, cls.expand(len(x), 1, -1)], dim=1) + positions
    return head(norm(_through(x, layers))[:, -1])


def vit_reads_the_mean(images, patch_size, linear, cls, positions, layers, norm, head):
    """The head reads the mean of all vectors: this one reads [CLS] alone."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(norm(_through(x, layers)).mean(dim=1))


def vit_reads_the_last(images, patch_size, linear, cls, positions, layers, norm, head):
    """The head reads the last patch: it reads [CLS], which comes first."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(norm(_through(x, layers))[:, -1])


def vit_reads_the_first_patch(images, patch_size, linear, cls, positions, layers, norm, head):
    """The head reads the first patch: [CLS] is number 0."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(norm(_through(x, layers))[:, 1])


def vit_all_logits(images, patch_size, linear, cls, positions, layers, norm, head):
    """The head reads every vector, so there are logits for each token: give it [CLS] alone."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(norm(_through(x, layers)))


def vit_no_norm(images, patch_size, linear, cls, positions, layers, norm, head):
    """The last norm is left out: it comes after the layers, before the head."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(_through(x, layers)[:, 0])


def vit_norm_first(images, patch_size, linear, cls, positions, layers, norm, head):
    """The norm comes before the layers: it belongs after the last one."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(_through(norm(x), layers)[:, 0])


def vit_layers_in_parallel(images, patch_size, linear, cls, positions, layers, norm, head):
    """Every layer reads what entered the first one: each reads what the one before it gave."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    return head(norm(layers[-1](x))[:, 0])


def vit_added_around(images, patch_size, linear, cls, positions, layers, norm, head):
    """It adds its input to each layer's output: a layer has its own residual paths inside."""
    x = _fronted(cls, linear(_patches(images, patch_size))) + positions
    for layer in layers:
        x = x + layer(x)
    return head(norm(x)[:, 0])


def vit_by_columns(images, patch_size, linear, cls, positions, layers, norm, head):
    """It goes down the columns of patches: they come row by row, as in `patchify`."""
    n_rows = images.size(2) // patch_size
    patches = _patches(images, patch_size)
    patches = patches.unflatten(1, (n_rows, -1)).transpose(1, 2).flatten(1, 2)
    x = _fronted(cls, linear(patches)) + positions
    return head(norm(_through(x, layers))[:, 0])


def vit_logits_cases():
    """Three layers on a wide picture, one layer on a coloured one, two on a tall one."""
    return [
        case("2 pictures of 4 x 6, patches of 2, 3 layers", *machine(2, 1, 4, 6, 2, 3)),
        case("1 picture of 6 x 6 in 3 colours, patches of 3, 1 layer", *machine(1, 3, 6, 6, 3, 1)),
        case("3 pictures of 6 x 2, patches of 2, 2 layers", *machine(3, 1, 6, 2, 2, 2)),
    ]


def machine(n, channels, height, width, patch_size, n_layers, d_model=6, n_classes=4):
    """Pictures, and the parts of a ViT with random weights."""
    n_patches = height * width // patch_size**2
    layers = nn.ModuleList(_Layer(d_model) for _ in range(n_layers))
    norm = nn.LayerNorm(d_model)
    nn.init.normal_(norm.bias)
    return (
        *(torch.randn(n, channels, height, width), patch_size),
        nn.Linear(channels * patch_size**2, d_model).requires_grad_(False),
        *(torch.randn(d_model), torch.randn(n_patches + 1, d_model)),
        layers.requires_grad_(False),
        *(norm.requires_grad_(False), nn.Linear(d_model, n_classes).requires_grad_(False)),
    )


class _Layer(nn.Module):
    """A layer with one head: every vector takes something of all, and of itself."""

    def __init__(self, d_model):
        super().__init__()
        self.scores, self.values = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        weights = (self.scores(x) @ x.mT).softmax(dim=-1)
        return x + torch.tanh(weights @ self.values(x))


def has_the_shape(answer):
    """(B, classes)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        inputs = machine(2, 1, 4, 6, 2, 2)
    shape = tuple(answer(*inputs).shape)
    return shape == (2, 4) or (
        f"It makes {shape} of 2 pictures with 4 classes: it must be (2, 4), one row a picture."
    )


def pictures_stay_apart(answer):
    """The logits of one picture are the same with and without another beside it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(8)
        images, *parts = machine(2, 1, 4, 4, 2, 2)
    return torch.allclose(answer(images, *parts)[:1], answer(images[:1], *parts), atol=1e-5)


def layers_run_in_order(answer):
    """Each layer runs once, the first one first."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(9)
        *given, layers, norm, head = machine(1, 1, 4, 4, 2, 3)
    ran = []

    def watched(number, layer):
        def run(x):
            ran.append(number)
            return layer(x)

        return run

    answer(*given, [watched(i, layer) for i, layer in enumerate(layers)], norm, head)
    return ran == [0, 1, 2] or f"Of three layers these ran: {ran}. Each runs once, in order."


VIT_LOGITS = Write(
    id="7.4",
    title="The whole ViT",
    level="medium",
    text="""
Write the forward pass of a ViT, `vit_logits(images, patch_size, linear, cls, positions, layers,
norm, head)`, in the order of the drawing above, from bottom to top. Return the logits (B, classes),
which `head` makes of **[CLS] alone**. Use your `patchify` and `embed`, which asks for
`linear.weight` and `linear.bias`. `layers` is a list. Each layer, `norm` and `head` is called with
one tensor. In the next section you train what you write here.
""",
    hints=(
        "The order is that of the drawing, from bottom to top. What goes into the first layer is "
        "what `embed` returns, (B, N + 1, D).",
        "`for layer in layers: x = layer(x)`: a layer keeps the shape.",
        "After the norm, `x[:, 0]` is the vector of [CLS] of each picture, (B, D).",
    ),
    solution=vit_logits,
    second_style=vit_logits_rows,
    mistakes=(
        vit_no_positions,
        vit_cls_without_position,
        vit_cls_at_the_end,
        vit_reads_the_mean,
        vit_reads_the_last,
        vit_reads_the_first_patch,
        vit_all_logits,
        vit_no_norm,
        vit_norm_first,
        vit_layers_in_parallel,
        vit_added_around,
        vit_by_columns,
    ),
    cases=vit_logits_cases,
    properties=(
        Property("The logits are (B, classes).", has_the_shape),
        Property("Each layer runs once, in order.", layers_run_in_order),
        Property("A picture's logits change with the pictures beside it.", pictures_stay_apart),
    ),
    see="7C Build a ViT",
)
