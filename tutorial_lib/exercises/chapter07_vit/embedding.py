"""Chapter 07: what the first layer of a ViT reads."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


def embed_times_positions(patches, weight, bias, cls, positions):
    """This multiplies with the positions: add them."""
    return fronted(cls, vectors(patches, weight, bias)) * positions


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


B, N, D = 2, 3, 5


def embedded(answer, patches=None, weight=None, bias=None, cls=None, positions=None):
    """What an answer makes of 2 pictures of 3 patches when all that is not given is 0.

    (B, N + 1, D), with [CLS] moved to the front.
    """
    found = answer(
        torch.zeros(B, N, D) if patches is None else patches,
        torch.eye(D) if weight is None else weight,
        torch.zeros(D) if bias is None else bias,
        torch.zeros(D) if cls is None else cls,
        torch.zeros(N + 1, D) if positions is None else positions,
    )
    return found.roll(1, dims=1) if cls_is_last(answer) else found


def rows_of_cls(answer):
    """In which rows the vector cls is, (B, N + 1). Raises ValueError for another shape."""
    found = answer(
        torch.zeros(B, N, D), torch.eye(D), torch.zeros(D), torch.ones(D), torch.zeros(N + 1, D)
    )
    if found.shape != (B, N + 1, D):
        raise ValueError("another shape")
    return found.any(dim=-1)


def cls_is_last(answer):
    """[CLS] stands at the end of each picture."""
    return rows_of_cls(answer).tolist() == [[False, False, False, True]] * B


def has_the_shape(answer):
    """(B, N + 1, D)."""
    inputs = torch.ones(B, N, D), torch.eye(D), torch.ones(D), torch.ones(D), torch.ones(N + 1, D)
    sentences = {
        (2, 3, 5): "[CLS] is left out: it comes in front of the patches.",
        (2, 5): "There is [CLS] alone: the patches come behind it.",
        (2, 4, 10): "The positions are put beside the vectors, 2 D wide: add them.",
    }
    shape = tuple(answer(*inputs).shape)
    return shape == (2, 4, 5) or sentences.get(
        shape, f"It makes {shape} of 2 pictures with 3 patches and D = 5: it must be (2, 4, 5)."
    )


def cls_in_front(answer):
    """The vector cls in the first row, and nowhere else."""
    rows = rows_of_cls(answer)
    if cls_is_last(answer):
        return "It puts [CLS] at the end: it comes first."
    if not rows[:, 0].any():
        return "In front is another vector than `cls`."
    if not rows[:, 0].all():
        return "Only one picture has [CLS] in front: each has one."
    return not rows[:, 1:].any()


def cls_is_no_patch(answer):
    """Neither patches nor the bias reach the first row."""
    of_patches = embedded(answer, patches=torch.rand(B, N, D) + 1)[:, 0]
    if of_patches.any():
        return "What is in front depends on the patches: it is the vector `cls`."
    return not embedded(answer, bias=torch.ones(D))[:, 0].any()


def mapped(answer):
    """The patches go through the weight."""
    patches, weight = torch.rand(B, N, D) + 1, torch.arange(25.0).view(D, D) / 10
    found = embedded(answer, patches=patches, weight=weight)[:, 1:]
    if torch.allclose(found, patches @ weight, rtol=1e-3):
        return (
            "It multiplies with the weight as it is, (D, F): patches (..., F) need its transpose."
        )
    ratio = found / (patches @ weight.T)
    if ratio.std() < 1e-3 < abs(ratio.mean() - 1):
        return f"The vectors are multiplied by {ratio.mean():.3g}: they stay as they are mapped."
    return bool(ratio.std() < 1e-3)


def bias_on_patches(answer):
    """Each patch gets the bias."""
    return bool(embedded(answer, bias=torch.ones(D))[:, 1:].all())


def positions_added(answer):
    """Row i gets position i, once."""
    ones = {"patches": torch.ones(B, N, D), "cls": torch.ones(D)}
    before = embedded(answer, **ones)
    found = embedded(answer, **ones, positions=torch.eye(N + 1, D) + 1)
    if torch.allclose(found[0], before[0], atol=1e-4):
        return "The positions are left out."
    added = found[0] - before[0]  # row i is 1 plus the unit vector of its position
    if not added[0].any():
        return "No position is added to [CLS]: the first one is its own."
    if not added[1:].any():
        return "A position is added to [CLS] only: each patch has one too."
    if added[1:].max() > 3:
        return "The positions are added to the patches twice."
    numbers = [row.sub(1).argmax().item() if row.max() > 1.5 else None for row in added[:, : N + 1]]
    if cls_is_last(answer) and numbers == [3, 0, 1, 2]:
        return True  # right as soon as [CLS] comes first
    return numbers == [0, 1, 2, 3] or (
        f"[CLS] gets position number {numbers[0]}, and the 3 patches get {numbers[1:]}: [CLS] has "
        "number 0, and the patches 1, 2 and 3."
    )


EMBED = Write(
    id="7.3",
    title="What the first layer reads",
    slug="embed_patches",
    level="easy",
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
    mistakes=(embed_times_positions,),
    cases=embed_cases,
    properties=(
        Property("The vectors are (B, N + 1, D).", has_the_shape),
        Property(
            "The vector `cls` is added to the patches: it has a place of its own.", cls_in_front
        ),
        Property(
            "The bias is added to [CLS] too: it is no patch, and goes through no linear map.",
            cls_is_no_patch,
        ),
        Property("The patches do not go through the linear map x Wᵀ.", mapped),
        Property("The bias of the linear map is left out.", bias_on_patches),
        Property("A position is added to each vector, the first one to [CLS].", positions_added),
    ),
    see="7C Build a ViT",
)
