"""What a vision model makes of a picture's patches: which are alike, their colours, where it looks.

Nothing here is learned. Two patches are alike when their vectors point the same way; the colours
are the three directions in which the vectors of all patches differ most.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.models.dinov2 import normalised

_LOW, _HIGH = 0.02, 0.98  # a few extreme patches would leave the others one colour


@dataclass(frozen=True, eq=False, repr=False)
class SeenPicture:
    """A picture beside what a vision model made of it.

    image (3, height, width) from 0 to 1; patches (rows, columns, D), the last hidden states;
    attention (H, rows, columns), how much [CLS] looks at each patch in the last layer.
    Raises ShapeError when the three do not belong together.

    >>> image, patches = torch.zeros(3, 28, 42), torch.ones(2, 3, 8)
    >>> SeenPicture("black", image, patches, torch.ones(4, 2, 3) / 6)
    SeenPicture('black', 2 x 3 patches, 4 heads)
    """

    name: str
    image: torch.Tensor
    patches: torch.Tensor
    attention: torch.Tensor

    def __post_init__(self):
        image, patches, attention = self.image, self.patches, self.attention
        if image.dim() != 3 or image.size(0) != 3 or 0 in image.shape:
            raise ShapeError(f"image must be (3, height, width), got {tuple(image.shape)}")
        if patches.dim() != 3 or 0 in patches.shape:
            raise ShapeError(f"patches must be (rows, columns, D), got {tuple(patches.shape)}")
        wanted = tuple(patches.shape[:2])
        if attention.dim() != 3 or tuple(attention.shape[1:]) != wanted or not len(attention):
            raise ShapeError(
                f"attention must be (H, {wanted[0]}, {wanted[1]}), one number a patch, got "
                f"{tuple(attention.shape)}"
            )
        for name, tensor in (("image", image), ("patches", patches), ("attention", attention)):
            if not tensor.isfinite().all():
                raise ShapeError(f"{name} must hold finite numbers")

    @property
    def grid(self):
        """How many rows and columns of patches there are."""
        return tuple(self.patches.shape[:2])

    def __repr__(self):
        n_rows, n_columns = self.grid
        heads = len(self.attention)
        return f"SeenPicture({self.name!r}, {n_rows} x {n_columns} patches, {heads} heads)"


@torch.no_grad()
def see_picture(model, image, name="picture"):
    """Return the SeenPicture of an image (3, height, width) from 0 to 1, read by a DINOv2.

    Raises ShapeError when patches do not fill the image.

    >>> from tutorial_lib.models import DINOv2, DINOv2Config
    >>> sizes = {"image_size": 4, "patch_size": 2, "d_model": 8, "n_layers": 1, "n_heads": 2}
    >>> see_picture(DINOv2(DINOv2Config(**sizes)), torch.rand(3, 4, 6))
    SeenPicture('picture', 2 x 3 patches, 2 heads)
    """
    with capture_attention(model.blocks[-1]) as maps:  # those of all layers can take 0.3 GB
        patches = model.features(normalised(image)[None]).patches[0]  # (rows, columns, D)
    return SeenPicture(name, image, patches, class_attention(maps[-1], *patches.shape[:2])[0])


def patch_similarity(patches, others=None):
    """Return the cosines (N, M) of patches (N, D) with others (M, D), themselves by default.

    Raises ShapeError when the two differ in width.

    >>> patch_similarity(torch.tensor([[3.0, 0.0], [1.0, 1.0]]))
    tensor([[1.0000, 0.7071],
            [0.7071, 1.0000]])
    """
    others = patches if others is None else others
    if patches.dim() != 2 or others.dim() != 2 or patches.size(1) != others.size(1):
        raise ShapeError(
            f"expected patches (N, D) and others (M, D), got {tuple(patches.shape)} and "
            f"{tuple(others.shape)}"
        )
    return F.normalize(patches, dim=-1) @ F.normalize(others, dim=-1).T  # (N, M)


def principal_colours(*pictures):
    """Return a colour for each patch of each picture: (rows, columns, 3), from 0 to 1.

    pictures: (rows, columns, D) each. Red, green and blue are the first three principal components
    of all patches together, so a colour means the same in every picture. A component may point
    either way; here its largest number is positive, so that the colours are the same every time.
    Each is stretched from its lowest 2 % to its highest. Raises ShapeError for fewer than three
    numbers a patch, or when the pictures differ in width.

    >>> one = torch.tensor([[[0.0, 0, 0], [4, 0, 0]]])
    >>> principal_colours(one)[0][0, :, 0]  # one direction: the red of the two patches
    tensor([0., 1.])
    """
    widths = {picture.size(-1) for picture in pictures}
    if len(widths) != 1 or min(widths) < 3 or any(picture.dim() != 3 for picture in pictures):
        shapes = [tuple(picture.shape) for picture in pictures]
        raise ShapeError(
            f"expected pictures (rows, columns, D) of one width from 3 on, got {shapes}"
        )
    rows = torch.cat([picture.flatten(0, 1) for picture in pictures]).double()  # (N, D)
    rows = rows - rows.mean(dim=0)
    directions = torch.linalg.eigh(rows.T @ rows).eigenvectors[:, -3:].flip(1)  # (D, 3)
    largest = directions.gather(0, directions.abs().argmax(dim=0, keepdim=True))  # (1, 3)
    scores = rows @ (directions * largest.sign())  # (N, 3)
    low, high = scores.quantile(_LOW, dim=0), scores.quantile(_HIGH, dim=0)
    flat = high - low <= 1e-9 * scores.abs().max()
    colours = torch.where(flat, 0.5, (scores - low) / (high - low).where(~flat, 1.0))
    parts = colours.clamp(0, 1).float().split([picture[..., 0].numel() for picture in pictures])
    return [part.view(*picture.shape[:2], 3) for part, picture in zip(parts, pictures, strict=True)]


def class_attention(weights, n_rows, n_columns):
    """Return how much [CLS] looks at each patch, (B, H, rows, columns).

    weights (B, H, T, T): those of one layer, [CLS] in front of the patches, as `capture_attention`
    yields them. What [CLS] looks at itself is left out, so a map's sum is 1 or less.
    Raises ShapeError when there is another number of patches.

    >>> class_attention(torch.full((1, 2, 7, 7), 1 / 7), 2, 3).sum(dim=(2, 3))
    tensor([[0.8571, 0.8571]])
    """
    if weights.dim() != 4 or weights.size(-1) != 1 + n_rows * n_columns:
        raise ShapeError(
            f"expected weights (B, H, T, T) of [CLS] and {n_rows} x {n_columns} patches, got "
            f"{tuple(weights.shape)}"
        )
    return weights[:, :, 0, 1:].unflatten(-1, (n_rows, n_columns))
