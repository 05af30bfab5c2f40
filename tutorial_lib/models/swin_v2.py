"""Swin v2: cosines in place of products, steps by a network, norms after (Liu et al. 2022)."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.errors import ShapeError
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.foreign.swin import names_of_swin_v2, read_swin_v2_config
from tutorial_lib.models.swin import Swin, SwinBlock, SwinConfig
from tutorial_lib.models.windows import ShiftedWindows
from tutorial_lib.positions import ContinuousGrid

__all__ = ["SwinV2", "SwinV2Config"]

LARGEST = 100.0  # what cosines may be multiplied by


@dataclass(frozen=True)
class SwinV2Config(SwinConfig):
    """The sizes of a Swin v2, as SwinConfig.

    trained_windows: the side of the windows that each stage was trained with, where it is not that
    of now; (): it is. Raises what SwinConfig raises, ShapeError unless there is one a stage.
    """

    window: int = 8
    image_size: int = 256
    trained_windows: tuple[int, ...] = ()

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "trained_windows", tuple(self.trained_windows))
        if self.trained_windows and len(self.trained_windows) != len(self.depths):
            raise ShapeError(
                f"trained_windows must have one entry a stage, got {self.trained_windows} for "
                f"{len(self.depths)} stages"
            )

    def build(self):
        """Return a SwinV2 of these sizes with random weights."""
        return SwinV2(self)


class CosineAttention(MultiHeadAttention):
    """Attention whose scores are cosines, times a learned number for each head.

    However long queries and keys get, no score leaves its bounds: cosines lie between -1 and 1, the
    factor is at most 100 and starts at 10. Keys have no bias. (Liu et al. 2022, section 3.2.)

    >>> CosineAttention(d_model=8, n_heads=2)(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.query_bias = nn.Parameter(torch.zeros(d_model))
        self.value_bias = nn.Parameter(torch.zeros(d_model))
        self.log_scale = nn.Parameter(torch.full((n_heads, 1, 1), math.log(10.0)))

    def project(self, x, context=None, cache=None):
        """Return queries, keys and values (B, H, T, K), so that scaled products are the scores."""
        q, k, v = self.qkv(x).chunk(3, dim=-1)  # (B, T, D) each
        q, k, v = self.split(q + self.query_bias), self.split(k), self.split(v + self.value_bias)
        factor = self.log_scale.clamp(max=math.log(LARGEST)).exp()  # (H, 1, 1)
        q = F.normalize(q, dim=-1) * factor * q.size(-1) ** 0.5  # attention divides by √K
        return q, F.normalize(k, dim=-1), v


class SwinV2Block(SwinBlock):
    """x + norm(windows(x)), then x + norm(feed_forward(x)): what is added never grows.

    Swin's own norms come first, and what deep layers add to x gets larger from layer to layer.
    """

    def forward(self, x):
        """Return (B, height, width, D) from x of this shape."""
        x = x + self.dropout(self.windows_norm(self.windows(x)))
        return x + self.dropout(self.feed_forward_norm(self.feed_forward(x)))


class SwinV2(Swin):
    """A Swin that can be made larger, and looks at larger pictures than it was trained on.

    As Swin, with CosineAttention, a ContinuousGrid in place of the learned table, and LayerNorm
    after each sub-layer.

    >>> sizes = {"image_size": 16, "patch_size": 2, "d_model": 8, "window": 2, "n_classes": 10}
    >>> model = SwinV2(SwinV2Config(**sizes, depths=(2, 2), n_heads=(1, 2)))
    >>> model(torch.zeros(1, 3, 16, 16)).shape
    torch.Size([1, 10])
    """

    config_class: ClassVar = SwinV2Config
    merges_then_norms: ClassVar = True

    def block(self, config, n, shifted):
        """Return a layer of stage n; none is shifted where one window covers the config's map.

        Other than Swin, it does not ask again for the map of the picture that it gets.
        """
        width, n_heads, window = config.widths[n], config.n_heads[n], config.windows[n]
        attention = CosineAttention(width, n_heads, config.dropout)
        trained = config.trained_windows[n] if config.trained_windows else 0
        # Released files write 0 for "as now"; a window of one position has taught no step.
        positions = ContinuousGrid(n_heads, window, trained if trained > 1 else None)
        shift = window // 2 if shifted and config.map_sides[n] > window else 0
        windows = ShiftedWindows(attention, positions, window, shift, always_shifts=True)
        return SwinV2Block(windows, width, config)

    def with_window(self, window, image_size=None):
        """Return a copy with windows of another side: the network is asked for the new steps.

        image_size: that of the pictures it is for, None: as now.
        """
        sizes = {"window": window, "image_size": image_size or self.config.image_size}
        trained = self.config.trained_windows or self.config.windows
        config = replace(self.config, **sizes, trained_windows=trained)
        model = type(self)(config).to(next(self.parameters())).train(self.training)
        model.load_state_dict(self.state_dict())
        return model

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a SwinV2 in eval mode from a folder or the hub; raises as Swin's.

        "microsoft/swinv2-tiny-patch4-window8-256" is one that the hub has.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_swin_v2_config(folder / "config.json")
        tensors = load_tensors(folder)
        head = tensors.get("classifier.bias")
        sizes["n_classes"] = None if head is None else head.numel()
        return cls.filled(folder, sizes, tensors, names_of_swin_v2)
