"""What the latents of a Perceiver read, and who asks them."""

from dataclasses import dataclass

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError


@dataclass(frozen=True, eq=False, repr=False)
class SeenLatents:
    """A picture, what each latent reads of it, and which latents the pixels of an answer ask.

    image (rows, columns) and answer (height, width) from 0 to 1; reads (H, N, rows, columns), the
    weights of N latents on the pixels in H heads; asks (N, height, width), the weights of the
    answer's pixels on the latents. Raises ShapeError when these do not belong together.

    >>> reads, asks = torch.ones(2, 3, 4, 4) / 16, torch.ones(3, 8, 8) / 3
    >>> SeenLatents("white", torch.ones(4, 4), reads, torch.ones(8, 8), asks)
    SeenLatents('white', 3 latents, 2 heads, 4 x 4 pixels read, 8 x 8 asked for)
    """

    name: str
    image: torch.Tensor
    reads: torch.Tensor
    answer: torch.Tensor
    asks: torch.Tensor

    def __post_init__(self):
        wanted = {
            "image": (2, ()),
            "answer": (2, ()),
            "reads": (4, (self.image.shape, "rows, columns")),
            "asks": (3, (self.answer.shape, "height, width")),
        }
        for name, (n_axes, last) in wanted.items():
            tensor = getattr(self, name)
            if tensor.dim() != n_axes or 0 in tensor.shape or not tensor.isfinite().all():
                raise ShapeError(
                    f"{name} must have {n_axes} axes and finite numbers, got {tuple(tensor.shape)}"
                )
            if last and tensor.shape[-2:] != last[0]:
                raise ShapeError(
                    f"{name} must end in ({last[1]}) = {tuple(last[0])}, got {tuple(tensor.shape)}"
                )
        if self.reads.size(1) != len(self.asks):
            raise ShapeError(f"reads are of {self.reads.size(1)} latents, asks of {len(self.asks)}")

    @property
    def n_latents(self):
        """How many latents there are."""
        return len(self.asks)

    def __repr__(self):
        read, asked = (" x ".join(map(str, x.shape)) for x in (self.image, self.answer))
        return (
            f"SeenLatents({self.name!r}, {self.n_latents} latents, {len(self.reads)} heads, "
            f"{read} pixels read, {asked} asked for)"
        )


@torch.no_grad()
def see_latents(model, inputs, queries, image, name="picture"):
    """Return the SeenLatents of a Perceiver that reads a picture's pixels and answers a square.

    image (rows, columns); inputs (1, rows · columns, C), its pixels row by row; queries (side²,
    Q), row by row. The answers' weights are the mean of their heads. Raises ShapeError when the
    inputs are not the image's pixels or the queries fill no square.
    """
    side = round(len(queries) ** 0.5)
    if inputs.size(1) != image.numel() or side**2 != len(queries):
        raise ShapeError(
            f"expected {image.numel()} inputs and queries that fill a square, got "
            f"{inputs.size(1)} and {len(queries)}"
        )
    with capture_attention(model) as maps:
        answers = model(inputs, queries)  # (1, side², 1)
    reads = maps.cross[0][0].unflatten(-1, image.shape)  # (H, N, rows, columns)
    asks = maps.cross[-1][0].mean(dim=0).T.unflatten(-1, (side, side))  # (N, side, side)
    return SeenLatents(name, image, reads, answers.clamp(0, 1).view(side, side), asks)
