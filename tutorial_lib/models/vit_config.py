"""The sizes and choices of a ViT."""

from dataclasses import dataclass

from tutorial_lib.models.checks import check_choice, check_sizes
from tutorial_lib.patches import patches_a_side

POSITIONS = ("none", "sinusoidal", "sinusoidal_grid", "learned", "learned_grid", "relative")


@dataclass(frozen=True)
class ViTConfig:
    """The sizes of a ViT; d_ff None becomes 4 d_model (`replace` keeps it: say d_ff=None again).

    image_size: pixels along each side; overlap: pixels that neighbouring patches share.
    pooling: "cls", or "mean" over the patches (then there is no [CLS]).
    positions: "none"; "sinusoidal" or "learned", by number in the row (the paper's is "learned");
    "sinusoidal_grid" or "learned_grid", by row and column; "relative", a number for each step
    between two patches, the same in every layer.
    n_classes None: no classifier. n_patch_classes: the classes of a hidden patch (512 for 3 bits a
    colour), None: no such head. pooler: a layer with tanh over [CLS], as some files have.
    Raises ShapeError when a size is not positive, the heads do not divide the width or the
    patches do not fill the picture; ValueError for other names, another dropout or eps.

    >>> ViTConfig.base().n_patches
    196
    """

    image_size: int = 224
    patch_size: int = 16
    channels: int = 3
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int | None = None
    dropout: float = 0.0
    eps: float = 1e-6
    activation: str = "gelu"
    overlap: int = 0
    pooling: str = "cls"
    positions: str = "learned"
    n_classes: int | None = 1000
    n_patch_classes: int | None = None
    pooler: bool = False

    def __post_init__(self):
        sizes = ["image_size", "patch_size", "channels", "d_model", "n_layers", "n_heads", "d_ff"]
        heads = ("n_classes", "n_patch_classes")
        sizes += [name for name in heads if getattr(self, name) is not None]
        check_sizes(self, sizes)
        check_choice("pooling", self.pooling, ("cls", "mean"))
        check_choice("positions", self.positions, POSITIONS)
        self.n_patches  # noqa: B018 (raises when they do not fit)
        if self.pooler and self.pooling == "mean":
            raise ValueError('the pooler reads [CLS], which pooling="mean" leaves out')

    @property
    def patches_a_side(self):
        """How many patches stand in a row, and in a column."""
        return patches_a_side(self.image_size, self.patch_size, self.overlap)

    @property
    def n_patches(self):
        """How many patches a picture has."""
        return self.patches_a_side**2

    @classmethod
    def base(cls, **changes):
        """ViT-Base: 86.6 M parameters with patches of 16."""
        return cls(**changes)

    @classmethod
    def large(cls, **changes):
        """ViT-Large: 304.3 M parameters with patches of 16, 306.5 M with 32 (307 published)."""
        return cls(**({"d_model": 1024, "n_layers": 24, "n_heads": 16} | changes))

    @classmethod
    def huge(cls, **changes):
        """ViT-Huge: 632.0 M parameters with patches of 14."""
        sizes = {"d_model": 1280, "n_layers": 32, "n_heads": 16, "patch_size": 14}
        return cls(**(sizes | changes))

    def build(self):
        """Return a ViT of these sizes with random weights."""
        from tutorial_lib.models.vit import ViT  # which imports this module

        return ViT(self)
