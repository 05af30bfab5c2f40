"""Chapter 07: attention through all layers."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def attention_rollout(maps):
    """Return how much of each input token reaches each position through all layers, (T, T).

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
    # From the last layer down: what a position holds, shared out among the positions it came from.
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


def rollout_first_twice(maps):
    """This counts the first layer twice: begin with it and go on with the second, or begin with
    the identity.
    """
    layers = layers_of(maps)
    return product(torch.cat([layers[:1], layers]))


def rollout_heads_late(maps):
    """This rolls out each head by itself and averages at the end: a layer mixes its heads before
    the next one reads.
    """
    return torch.stack([product(layers_of(maps[:, [h]])) for h in range(maps.size(1))]).mean(dim=0)


def rollout_over_layers(maps):
    """This averages over the layers and multiplies the heads: average the heads, axis 1."""
    return product(layers_of(maps.transpose(0, 1)))


def rollout_back_to_start(maps):
    """This adds the identity to what has been reached, not to the layer: 0.5 of the product and
    0.5 of what was there before it.
    """
    reached = torch.eye(maps.size(-1))
    for layer in maps.mean(dim=1):
        reached = 0.5 * layer @ reached + 0.5 * torch.eye(maps.size(-1))
    return reached


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


MAPS = torch.randn(3, 3, 5, 5, generator=torch.Generator().manual_seed(7)).softmax(dim=-1)


def square(answer, *layers):
    """What an answer makes of these layers, (T, T); a layer that it skips is put in for it.

    Raises ValueError for another shape.
    """
    counted = layers_that_count(answer)
    before, after = [2] * (counted == [1, 2]), [2] * (counted == [0, 1])
    found = answer(MAPS[[*before, *layers, *after]])
    if found.shape != (5, 5):
        raise ValueError("another shape")
    return found


def layers_that_count(answer):
    """Of three layers the numbers of those that make a difference."""
    before = answer(MAPS)
    changed = [torch.cat([MAPS[:k], MAPS[k : k + 1].mT, MAPS[k + 1 :]]) for k in range(3)]
    return [k for k in range(3) if not torch.allclose(answer(changed[k]), before, atol=1e-6)]


def all_layers_count(answer):
    """None is left out."""
    counted = layers_that_count(answer)
    if counted in ([0], [2]):
        which = "last" if counted == [2] else "first"
        return f"The map of the {which} layer alone counts: multiply the matrices of all layers."
    if len(counted) == 2:
        which = "first" if counted == [1, 2] else "last"
        return f"It leaves out the {which} layer."
    if not counted:
        return "No map makes a difference: begin the product with the identity, not with zeros."
    return counted == [0, 1, 2]


def alone(answer, layer):
    """What an answer makes of one layer, rows looking at columns: (T, T)."""
    found = square(answer, layer)
    return found.T if is_turned(answer) else found


def parts(found):
    """How much of each head, of the identity and of ones a result has, and what else is left."""
    known = torch.stack([*MAPS[0], torch.eye(5), torch.ones(5, 5)]).flatten(1).T  # (25, 5)
    shares = torch.linalg.lstsq(known, found.reshape(25, 1)).solution
    rest = (known @ shares).view(5, 5) - found
    return shares.flatten(), rest.abs().max().item()


def is_turned(answer):
    """Rows and columns are exchanged."""
    found = square(answer, 0)
    return parts(found)[1] > 1e-3 > parts(found.T)[1]


def has_the_shape(answer):
    """(T, T)."""
    shape = tuple(answer(MAPS).shape)
    sentences = {
        (5,): "This is one row: all rows are asked for, (T, T).",
        (3, 5, 5): "The heads are kept apart, (H, T, T): average them in each layer.",
    }
    return shape == (5, 5) or sentences.get(shape, False)


def heads_are_averaged(answer):
    """Each head counts the same, a third of what the map counts."""
    found = alone(answer, 0)
    shares, rest = parts(found)
    if rest > 1e-3:
        off = ~torch.eye(5).bool()
        ratio = found[off] / MAPS[0].amax(dim=0)[off]
        if ratio.std() < 1e-3:
            return "It takes the highest weight among the heads: average them."
        return None
    heads = shares[:3]
    if heads[0] > 1e-3 > heads[1:].abs().max():
        return "It takes the first head only: average them."
    if heads.sum() > 1.4:
        return "It adds up the heads: average them, so that rows sum to 1."
    return torch.allclose(heads, heads[:1].expand(3), atol=1e-3)


def half_is_the_identity(answer):
    """Half of the map, half of the identity."""
    shares, rest = parts(alone(answer, 0))
    heads, own, ones = shares[:3].sum().item(), shares[3].item(), shares[4].item()
    if rest > 1e-3:
        return None  # no mean of heads
    if abs(ones) > 1e-3:
        return "It adds ones everywhere: the identity has them on its diagonal, `torch.eye`."
    if abs(own) < 1e-3:
        return "The residual path is left out: half of each layer is the identity."
    heads = heads / 3 if heads > 1.4 else heads
    return abs(heads - 0.5) + abs(own - 0.5) < 1e-3 or (
        f"A layer is {heads:.2g} of its map and {own:.2g} of the identity: both count half."
    )


def layers_are_multiplied(answer):
    """Two layers are the later one times the earlier one."""
    first, second = alone(answer, 0), alone(answer, 1)
    if len(layers_that_count(answer)) < 2:
        return None
    found = square(answer, 0, 1)
    found = found.T if is_turned(answer) else found
    plain = MAPS[1].mean(dim=0) @ MAPS[0].mean(dim=0)
    ways = {
        "": second @ first,
        "It multiplies in the wrong order: a later layer reads what the earlier one wrote, so it "
        "belongs on the left.": first @ second,
        "It multiplies entry by entry: `@` multiplies matrices, `*` does not.": first * second,
        "It averages the layers: multiply them, as each reads what the one before wrote.": (
            (first + second) / 2
        ),
        "The residual path is added once, at the end: each layer has one.": (
            (plain + torch.eye(5)) / 2
        ),
    }
    return next(
        (text or True for text, made in ways.items() if torch.allclose(found, made, atol=1e-4)),
        False,
    )


ATTENTION_ROLLOUT = Write(
    id="7.10",
    title="Attention through all layers",
    level="medium",
    text="""
Write `attention_rollout(maps)` for the maps (L, H, T, T) of one picture, first layer first. A layer
passes on half of what its heads bring, on average, and **half of what the token already held**, by
the residual path. Make one matrix of each layer and chain them: row t of the result says how much
of each *input* token has reached position t after the last layer. Return (T, T).
""",
    hints=(
        "A token that keeps all of itself and takes nothing else: which matrix is that? Half "
        "of it, and half of the mean of the heads, is one layer. Do its rows sum to 1?",
        "Row t of a layer's matrix says what position t takes from the layer below. What is row t "
        "of second @ first?",
        "Begin with `torch.eye(T)`, and for each layer `reached = layer @ reached`.",
    ),
    solution=attention_rollout,
    second_style=attention_rollout_rows,
    mistakes=(
        rollout_first_twice,
        rollout_heads_late,
        rollout_over_layers,
        rollout_back_to_start,
        rollout_first_without_identity,
    ),
    cases=attention_rollout_cases,
    properties=(
        Property("The result is (T, T).", has_the_shape),
        Property(
            "It exchanges rows and columns: row t is the position, column s the input.",
            lambda answer: not is_turned(answer),
        ),
        Property("The heads are not averaged.", heads_are_averaged),
        Property("Half of a layer is its map, and half is the identity.", half_is_the_identity),
        Property("Each layer counts.", all_layers_count),
        Property(
            "Two layers are not the matrix of the later one times that of the earlier one.",
            layers_are_multiplied,
        ),
    ),
    see="7G What it looks at",
)
