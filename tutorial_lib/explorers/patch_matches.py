"""Which patches are alike? Two pictures and what a real ViT made of them, patch by patch."""

import numpy as np
import torch.nn.functional as F
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.interpret import principal_colours

MODES = ("similar patches", "principal components", "attention of [CLS]")


class PatchMatcher(BrowserExplorer):
    """Two pictures; a click on a patch shows which patches of both are like it.

    pictures: two `SeenPicture`s of one model, as `see_picture` makes them. Two more views show the
    principal components of the patches as colours and how much [CLS] looks at each patch, head by
    head. All vectors go to the page once, in half precision; it computes the rest.
    Raises ShapeError for another number of pictures, or when they come from different models.

    >>> import torch
    >>> from tutorial_lib.interpret import SeenPicture
    >>> seen = SeenPicture("grey", torch.rand(3, 4, 6), torch.rand(2, 3, 8), torch.rand(2, 2, 3))
    >>> PatchMatcher([seen, seen])
    Matching patches: run this cell
    """

    title = "Matching patches"
    _esm = javascript("patch_matches_view.js", "patch_matches.js")
    _css = stylesheet("patch_matches.css")

    mode = traitlets.Enum(MODES, MODES[0]).tag(sync=True)
    modes = traitlets.List(list(MODES)).tag(sync=True, told=True)
    picture = traitlets.Int(0).tag(sync=True)  # which of the two the chosen patch is in
    row = traitlets.Int(0).tag(sync=True)
    column = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    n_heads = traitlets.Int().tag(sync=True, told=True)
    pictures = traitlets.List().tag(sync=True, told=True)

    def __init__(self, pictures, **state):
        self.seen = list(pictures)
        if len(self.seen) != 2:
            raise ShapeError(f"PatchMatcher needs two pictures, got {len(self.seen)}")
        kinds = {(seen.patches.size(-1), len(seen.attention)) for seen in self.seen}
        if len(kinds) != 1:
            raise ShapeError(
                "both pictures must come from one model, they have (width, heads) of "
                f"{' and '.join(map(str, sorted(kinds)))}"
            )
        colours = principal_colours(*(seen.patches for seen in self.seen))
        super().__init__(
            pictures=[_packed(seen, each) for seen, each in zip(self.seen, colours, strict=True)],
            n_heads=len(self.seen[0].attention),
        )
        for name, value in state.items():
            self.set_trait(name, value)

    def describe(self):
        """Say in words what the explorer shows now."""
        names = [seen.name for seen in self.seen]
        n_rows, n_columns = self.seen[self.picture].grid
        row, column = min(self.row, n_rows - 1), min(self.column, n_columns - 1)
        return (
            f"the pictures {names[0]} and {names[1]} in patches, shown as {self.mode}; the chosen "
            f"patch is in {names[self.picture]}, row {row}, column {column}."
        )

    @traitlets.validate("picture", "row", "column", "head")
    def _there(self, proposal):
        # The two pictures may differ in size, and a message may name the patch before the picture.
        n_rows, n_columns = (max(sides) for sides in zip(*(s.grid for s in self.seen), strict=True))
        most = {"picture": 2, "row": n_rows, "column": n_columns, "head": self.n_heads}
        return min(max(proposal.value, 0), most[proposal.trait.name] - 1)


def _packed(seen, colours):
    """Plain data and bytes of a SeenPicture for the browser."""
    _, height, width = seen.image.shape
    n_rows, n_columns = seen.grid
    pixels = (seen.image.permute(1, 2, 0).clamp(0, 1) * 255).round().numpy().astype(np.uint8)
    directions = F.normalize(seen.patches.flatten(0, 1), dim=-1)  # a product is a cosine
    return {
        "name": seen.name[:40],
        "height": height,
        "width": width,
        "rows": n_rows,
        "columns": n_columns,
        "pixels": pixels.tobytes(),
        "vectors": directions.numpy().astype(np.float16).tobytes(),
        "colours": (colours * 255).round().numpy().astype(np.uint8).tobytes(),
        "attention": seen.attention.numpy().astype(np.float16).tobytes(),
    }
