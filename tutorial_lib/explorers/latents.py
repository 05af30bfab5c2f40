"""What each latent of a Perceiver reads of a picture, and where the answer asks it."""

import numpy as np
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet


class LatentExplorer(BrowserExplorer):
    """A picture, its answer, and the latents between: a click on any of them shows what it is to
    the others.

    pictures: `SeenLatents` of one model. All weights go to the page once, in half precision.
    Raises ShapeError without a picture, or when they come from different models.

    >>> import torch
    >>> from tutorial_lib.interpret import SeenLatents
    >>> reads, asks = torch.ones(2, 3, 4, 4) / 16, torch.ones(3, 8, 8) / 3
    >>> LatentExplorer([SeenLatents("white", torch.ones(4, 4), reads, torch.ones(8, 8), asks)])
    What the latents read: run this cell
    """

    title = "What the latents read"
    _esm = javascript("latents.js")
    _css = stylesheet("latents.css")

    picture = traitlets.Int(0).tag(sync=True)
    latent = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(-1).tag(sync=True)  # -1: the mean of all
    n_heads = traitlets.Int().tag(sync=True, told=True)
    n_latents = traitlets.Int().tag(sync=True, told=True)
    pictures = traitlets.List().tag(sync=True, told=True)

    def __init__(self, pictures, **state):
        self.seen = list(pictures)
        kinds = {(len(seen.reads), seen.n_latents) for seen in self.seen}
        if len(kinds) != 1:
            raise ShapeError(
                "the pictures must come from one model, they have (heads, latents) of "
                f"{' and '.join(map(str, sorted(kinds))) or 'none'}"
            )
        n_heads, n_latents = kinds.pop()
        packed = [_packed(seen) for seen in self.seen]
        super().__init__(pictures=packed, n_heads=n_heads, n_latents=n_latents)
        for name, value in state.items():
            self.set_trait(name, value)

    def describe(self):
        """Say in words what the explorer shows now."""
        seen = self.seen[self.picture]
        reads = seen.reads.mean(dim=0) if self.head < 0 else seen.reads[self.head]
        row, column = divmod(int(reads[self.latent].argmax()), seen.image.size(1))
        heads = "on average over its heads" if self.head < 0 else f"in head {self.head}"
        return (
            f"latent {self.latent} of {self.n_latents} reads {seen.name} most at row {row}, "
            f"column {column}, {heads}."
        )

    @traitlets.validate("picture", "latent", "head")
    def _there(self, proposal):
        name = proposal.trait.name
        lowest = -1 if name == "head" else 0
        most = {"picture": len(self.seen), "latent": self.n_latents, "head": self.n_heads}[name]
        return min(max(proposal.value, lowest), most - 1)


def _packed(seen):
    """Plain data and bytes of a SeenLatents for the browser."""
    return {
        "name": seen.name[:40],
        "read": _grey(seen.image),
        "answer": _grey(seen.answer),
        "reads": seen.reads.numpy().astype(np.float16).tobytes(),
        "asks": seen.asks.numpy().astype(np.float16).tobytes(),
    }


def _grey(image):
    rows, columns = image.shape
    pixels = (image.clamp(0, 1) * 255).round().numpy().astype(np.uint8)
    return {"rows": rows, "columns": columns, "pixels": pixels.tobytes()}
