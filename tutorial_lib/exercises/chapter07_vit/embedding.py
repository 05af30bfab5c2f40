"""Chapter 07: what the first layer of a ViT reads."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def embed(patches, weight, bias, cls, positions):
    """Return [CLS] and the projected patches with their positions, (B, N + 1, D).

    patches (B, N, F) are rows of numbers; weight (D, F) and bias (D,) are those of the linear map,
    as `nn.Linear` keeps them; cls (D,); positions (N + 1, D), the first one for [CLS].
    """
    x = patches @ weight.T + bias  # (B, N, D)
    first = cls.expand(len(x), 1, -1)  # (B, 1, D)
    return torch.cat([first, x], dim=1) + positions


def embed_rows(patches, weight, bias, cls, positions):
    """Second style."""
    sequences = []
    for numbers in patches:
        vectors = [cls, *(weight @ row + bias for row in numbers)]
        sequences.append(torch.stack([v + p for v, p in zip(vectors, positions, strict=True)]))
    return torch.stack(sequences)


def vectors(patches, weight, bias):
    """The projected patches."""
    return patches @ weight.T + bias


def fronted(cls, x):
    """[CLS] in front of each row."""
    return torch.cat([cls.expand(len(x), 1, -1), x], dim=1)


def embed_cls_last(patches, weight, bias, cls, positions):
    """This puts [CLS] at the end: it comes first."""
    x = vectors(patches, weight, bias)
    return torch.cat([x, cls.expand(len(x), 1, -1)], dim=1) + positions


def embed_moved_to_end(patches, weight, bias, cls, positions):
    """This puts [CLS] at the end, with its position: it comes first."""
    return embed(patches, weight, bias, cls, positions).roll(-1, dims=1)


def embed_no_cls(patches, weight, bias, cls, positions):
    """This leaves out [CLS]."""
    return vectors(patches, weight, bias) + positions[1:]


def embed_no_cls_first_positions(patches, weight, bias, cls, positions):
    """This leaves out [CLS] and gives its position to the first patch."""
    return vectors(patches, weight, bias) + positions[:-1]


def embed_cls_without_position(patches, weight, bias, cls, positions):
    """This adds no position to [CLS]: the first one is its own."""
    return fronted(cls, vectors(patches, weight, bias) + positions[1:])


def embed_positions_late(patches, weight, bias, cls, positions):
    """This gives the first position to the first patch, and none to [CLS]: all are one off."""
    return fronted(cls, vectors(patches, weight, bias) + positions[:-1])


def embed_last_position(patches, weight, bias, cls, positions):
    """This gives [CLS] the last position: the first one is its own."""
    return embed(patches, weight, bias, cls, positions.roll(1, dims=0))


def embed_last_position_too(patches, weight, bias, cls, positions):
    """This gives [CLS] the last patch's position: the first one is its own."""
    return embed(patches, weight, bias, cls, torch.cat([positions[-1:], positions[1:]]))


def embed_cls_position_only(patches, weight, bias, cls, positions):
    """This adds a position to [CLS] only: each patch has one too."""
    return fronted(cls + positions[0], vectors(patches, weight, bias))


def embed_no_positions(patches, weight, bias, cls, positions):
    """This leaves out the positions."""
    return fronted(cls, vectors(patches, weight, bias))


def embed_first_position_for_all(patches, weight, bias, cls, positions):
    """This adds the first position to all: each place has a vector of its own."""
    return fronted(cls, vectors(patches, weight, bias)) + positions[0]


def embed_positions_twice(patches, weight, bias, cls, positions):
    """This adds the positions to the patches twice."""
    return fronted(cls, vectors(patches, weight, bias) + positions[1:]) + positions


def embed_times_positions(patches, weight, bias, cls, positions):
    """This multiplies with the positions: add them."""
    return fronted(cls, vectors(patches, weight, bias)) * positions


def embed_beside(patches, weight, bias, cls, positions):
    """This puts the positions beside the vectors, 2 D wide: add them."""
    x = fronted(cls, vectors(patches, weight, bias))
    return torch.cat([x, positions.expand(len(x), -1, -1)], dim=-1)


def embed_no_bias(patches, weight, bias, cls, positions):
    """This leaves out the bias of the linear map."""
    return embed(patches, weight, torch.zeros_like(bias), cls, positions)


def embed_bias_on_all(patches, weight, bias, cls, positions):
    """This adds the bias to [CLS] too: it is no patch, and goes through no linear map."""
    return embed(patches, weight, bias, cls + bias, positions)


def embed_weight_turned(patches, weight, bias, cls, positions):
    """This multiplies with the weight as it is, (D, F): patches (..., F) need its transpose."""
    return fronted(cls, patches @ weight + bias) + positions


def embed_zero_cls(patches, weight, bias, cls, positions):
    """This puts zeros in front: the vector `cls` stands there."""
    return embed(patches, weight, bias, torch.zeros_like(cls), positions)


def embed_mean_cls(patches, weight, bias, cls, positions):
    """This puts the mean of the patches in front: the vector `cls` stands there."""
    x = vectors(patches, weight, bias)
    return torch.cat([x.mean(dim=1, keepdim=True), x], dim=1) + positions


def embed_cls_added(patches, weight, bias, cls, positions):
    """This adds [CLS] to each patch: it is a token of its own, in front."""
    return vectors(patches, weight, bias) + cls + positions[1:]


def embed_scaled(patches, weight, bias, cls, positions):
    """This multiplies the vectors by √D, as the Transformer of 2017 does: ViT does not."""
    x = fronted(cls, vectors(patches, weight, bias))
    return x * x.size(-1) ** 0.5 + positions


def embed_first_picture(patches, weight, bias, cls, positions):
    """This gives [CLS] to the first picture only: each picture has one, and a row of the batch
    is a picture.
    """
    x = vectors(patches, weight, bias)
    front = torch.zeros_like(x[:, :1])
    front[0, 0] = cls
    return torch.cat([front, x], dim=1) + positions


def embed_only_cls(patches, weight, bias, cls, positions):
    """This returns [CLS] alone: the patches come behind it."""
    return embed(patches, weight, bias, cls, positions)[:, 0]


def embed_cases():
    """Two pictures, then one whose linear map is square."""
    return [
        case(
            "2 pictures, 4 patches, F = 6, D = 5",
            torch.randn(2, 4, 6),
            torch.randn(5, 6),
            torch.randn(5),
            torch.randn(5),
            torch.randn(5, 5),
        ),
        case(
            "1 picture, 2 patches, F = D = 3",
            torch.randn(1, 2, 3),
            torch.randn(3, 3),
            torch.randn(3),
            torch.randn(3),
            torch.randn(3, 3),
        ),
    ]


EMBED = Write(
    id="7.3",
    title="What the first layer reads",
    slug="embed_patches",
    level="medium",
    text="""
Write `embed(patches, weight, bias, cls, positions)`: patches (B, N, F) go through a linear map,
whose weight (D, F) and bias (D,) are kept as in `nn.Linear`. The vector cls (D,) is put **in
front** of each picture's patches. Then positions (N + 1, D) are added, the first one to [CLS].
Return (B, N + 1, D).
""",
    hints=(
        "`nn.Linear` computes x Wᵀ + b. Which shape has patches @ weight.T?",
        "`cls.expand(B, 1, -1)` is one [CLS] a picture, (B, 1, D).",
        "`torch.cat([..., ...], dim=1)` joins along the sequence; add the positions after that.",
    ),
    solution=embed,
    second_style=embed_rows,
    mistakes=(
        embed_cls_last,
        embed_moved_to_end,
        embed_no_cls,
        embed_no_cls_first_positions,
        embed_cls_without_position,
        embed_positions_late,
        embed_last_position,
        embed_last_position_too,
        embed_cls_position_only,
        embed_no_positions,
        embed_first_position_for_all,
        embed_positions_twice,
        embed_times_positions,
        embed_beside,
        embed_no_bias,
        embed_bias_on_all,
        embed_weight_turned,
        embed_zero_cls,
        embed_mean_cls,
        embed_cls_added,
        embed_scaled,
        embed_first_picture,
        embed_only_cls,
    ),
    cases=embed_cases,
    see="7.2 Patches to vectors",
)
