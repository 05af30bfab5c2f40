"""Chapter 07: attention through all layers."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def attention_rollout(maps):
    """Return how much of each input token reaches each place through all layers, (T, T).

    maps (L, H, T, T) are the weights of one picture, first layer first, row t looking at column s.
    A layer counts half for the mean of its heads and half for the token itself, the residual path.
    """
    reached = torch.eye(maps.size(-1), dtype=maps.dtype)
    for weights in maps:
        layer = 0.5 * weights.mean(dim=0) + 0.5 * torch.eye(maps.size(-1), dtype=maps.dtype)
        reached = layer @ reached
    return reached


def attention_rollout_rows(maps):
    """Second style."""
    # From the last layer down: what a place shows, shared out among the places it came from.
    n = maps.size(-1)
    shares = [[float(s == t) for s in range(n)] for t in range(n)]
    for layer in maps.mean(dim=1).flip(0).tolist():
        shares = [
            [0.5 * row[s] + 0.5 * sum(row[m] * layer[m][s] for m in range(n)) for s in range(n)]
            for row in shares
        ]
    return torch.tensor(shares)


def layers_of(maps, own=0.5):
    """The layers' matrices (L, T, T): heads averaged, and a share for the token itself."""
    return (1 - own) * maps.mean(dim=1) + own * torch.eye(maps.size(-1))


def product(layers):
    """The product of layers, the last one on the left."""
    reached = torch.eye(layers.size(-1))
    for layer in layers:
        reached = layer @ reached
    return reached


def rollout_no_identity(maps):
    """This leaves out the residual path: half of each layer is the token itself."""
    return product(maps.mean(dim=1))


def rollout_order(maps):
    """This multiplies in the wrong order: a later layer reads what the earlier one wrote, so it
    stands on the left.
    """
    return product(layers_of(maps).flip(0))


def rollout_order_no_identity(maps):
    """This has no residual path, and multiplies in the wrong order: the last layer stands on the
    left.
    """
    return product(maps.mean(dim=1).flip(0))


def rollout_sum(maps):
    """This adds the identity and does not halve: rows sum to 2, and to 2^L after L layers."""
    return product(maps.mean(dim=1) + torch.eye(maps.size(-1)))


def rollout_half_identity(maps):
    """This adds half of the identity to the whole map: both count half."""
    return product(maps.mean(dim=1) + 0.5 * torch.eye(maps.size(-1)))


def rollout_identity_once(maps):
    """This adds the residual path once, at the end: each layer has one."""
    return 0.5 * product(maps.mean(dim=1)) + 0.5 * torch.eye(maps.size(-1))


def rollout_elementwise(maps):
    """This multiplies entry by entry: `@` multiplies matrices, `*` does not."""
    return layers_of(maps).prod(dim=0)


def rollout_mean(maps):
    """This averages the layers: multiply them, as each reads what the one before wrote."""
    return layers_of(maps).mean(dim=0)


def rollout_plain_mean(maps):
    """This averages all maps: layers are multiplied, with the residual path in each."""
    return maps.mean(dim=(0, 1))


def rollout_last(maps):
    """This takes the last layer only."""
    return layers_of(maps)[-1]


def rollout_first(maps):
    """This takes the first layer only: a `return` inside of the loop ends it."""
    return layers_of(maps)[0]


def rollout_one_short(maps):
    """This leaves out the last layer."""
    return product(layers_of(maps)[:-1])


def rollout_second_on(maps):
    """This leaves out the first layer."""
    return product(layers_of(maps)[1:])


def rollout_first_twice(maps):
    """This counts the first layer twice: begin with it and go on with the second, or begin with
    the identity.
    """
    layers = layers_of(maps)
    return product(torch.cat([layers[:1], layers]))


def rollout_first_head(maps):
    """This takes the first head only: average them."""
    return product(layers_of(maps[:, :1]))


def rollout_head_sum(maps):
    """This adds up the heads: average them, so that rows sum to 1."""
    return product(layers_of(maps * maps.size(1)))


def rollout_highest_head(maps):
    """This takes the highest weight among the heads: average them."""
    return product(layers_of(maps.max(dim=1, keepdim=True).values))


def rollout_heads_late(maps):
    """This rolls out each head by itself and averages at the end: a layer mixes its heads before
    the next one reads.
    """
    return torch.stack([product(layers_of(maps[:, [h]])) for h in range(maps.size(1))]).mean(dim=0)


def rollout_each_head(maps):
    """This keeps the heads apart, (H, T, T): average them in each layer."""
    return torch.stack([product(layers_of(maps[:, [h]])) for h in range(maps.size(1))])


def rollout_transposed(maps):
    """This exchanges rows and columns of the result: row t is the place, column s the input."""
    return product(layers_of(maps)).T


def rollout_over_layers(maps):
    """This averages over the layers and multiplies the heads: average the heads, axis 1."""
    return product(layers_of(maps.transpose(0, 1)))


def rollout_from_zeros(maps):
    """This begins with zeros, and all products stay 0: begin with the identity."""
    return torch.zeros_like(maps[0, 0])


def rollout_ones(maps):
    """This adds ones everywhere: the identity has them on its diagonal, `torch.eye`."""
    return product(0.5 * maps.mean(dim=1) + 0.5)


def rollout_back_to_start(maps):
    """This adds the identity to what has been reached, not to the layer: 0.5 of the product and
    0.5 of what was there before it.
    """
    reached = torch.eye(maps.size(-1))
    for layer in maps.mean(dim=1):
        reached = 0.5 * layer @ reached + 0.5 * torch.eye(maps.size(-1))
    return reached


def rollout_cls(maps):
    """This returns the row of [CLS]: all rows are asked for."""
    return product(layers_of(maps))[0]


def rollout_last_map(maps):
    """This is the map of the last layer alone, its heads averaged: multiply all layers, each half
    its map and half the identity.
    """
    return maps[-1].mean(dim=0)


def rollout_first_map(maps):
    """This is the map of the first layer alone, its heads averaged: multiply all layers, each half
    its map and half the identity.
    """
    return maps[0].mean(dim=0)


def rollout_first_without_identity(maps):
    """This gives the first layer no residual path: half of it is the identity too."""
    _, *others = layers_of(maps)
    return product(torch.stack([maps[0].mean(dim=0), *others]))


def attention_rollout_cases():
    """Layers that do not commute, more than one head, and one layer alone."""
    return [
        case("3 layers, 2 heads, 4 tokens", (2 * torch.randn(3, 2, 4, 4)).softmax(dim=-1)),
        case("2 layers, 3 heads, 3 tokens", (2 * torch.randn(2, 3, 3, 3)).softmax(dim=-1)),
        case("1 layer, 2 heads, 3 tokens", torch.randn(1, 2, 3, 3).softmax(dim=-1)),
    ]


ATTENTION_ROLLOUT = Write(
    id="7.7",
    title="Attention through all layers",
    level="medium",
    text="""
A map of the last layer says which places [CLS] looks at, not which patches: by then each place
holds something of many. **Rollout** (Abnar and Zuidema 2020) follows them back. Write
`attention_rollout(maps)` for the maps (L, H, T, T) of one picture, first layer first: average the
heads of each layer, take half of that and **half of the identity** for the residual path, and
multiply the layers' matrices, a later layer on the **left** of the earlier ones. Return (T, T).
""",
    hints=(
        "What does one layer alone give? Do its rows sum to 1?",
        "Row t of a layer's matrix says what place t takes from the places below it. What is row t "
        "of second @ first?",
        "Begin with `torch.eye(T)`, and for each layer `reached = layer @ reached`.",
    ),
    solution=attention_rollout,
    second_style=attention_rollout_rows,
    mistakes=(
        rollout_no_identity,
        rollout_order,
        rollout_order_no_identity,
        rollout_sum,
        rollout_half_identity,
        rollout_identity_once,
        rollout_elementwise,
        rollout_mean,
        rollout_plain_mean,
        rollout_last,
        rollout_first,
        rollout_one_short,
        rollout_second_on,
        rollout_first_twice,
        rollout_first_head,
        rollout_head_sum,
        rollout_highest_head,
        rollout_heads_late,
        rollout_each_head,
        rollout_transposed,
        rollout_over_layers,
        rollout_from_zeros,
        rollout_ones,
        rollout_back_to_start,
        rollout_cls,
        rollout_last_map,
        rollout_first_map,
        rollout_first_without_identity,
    ),
    cases=attention_rollout_cases,
    see="7.5 What it looks at",
)
