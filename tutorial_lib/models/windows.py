"""Attention within windows of a map, and windows that shift (Liu et al. 2021, section 3.2)."""

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

from tutorial_lib.errors import ShapeError


def window_partition(x, window):
    """Return the windows of a map x (B, height, width, D) as rows: (B · N, window², D).

    Windows go row by row, the positions within each as well. Raises ShapeError unless windows of
    a side of 1 or more fill the map.

    >>> window_partition(torch.arange(16.0).view(1, 4, 4, 1), 2)[1, :, 0]
    tensor([2., 3., 6., 7.])
    """
    if x.dim() != 4 or window < 1 or x.size(1) % window or x.size(2) % window:
        raise ShapeError(
            f"windows of {window} do not fill x (B, height, width, D), got {tuple(x.shape)}"
        )
    return rearrange(x, "b (rows h) (columns w) d -> (b rows columns) (h w) d", h=window, w=window)


def window_reverse(windows, window, height, width):
    """Return the map (B, height, width, D) of its windows (B · N, window², D).

    Raises ShapeError unless as many windows of this size make maps of height and width.

    >>> x = torch.randn(2, 4, 6, 3)
    >>> torch.equal(window_reverse(window_partition(x, 2), 2, 4, 6), x)
    True
    """
    fill = window > 0 and height > 0 < width and not height % window and not width % window
    n_windows = (height // window) * (width // window) if fill else 0
    if windows.dim() != 3 or not fill or windows.size(1) != window**2 or len(windows) % n_windows:
        raise ShapeError(
            f"windows of {window} of maps {height} x {width} must be (B · N, window², D), "
            f"got {tuple(windows.shape)}"
        )
    return rearrange(
        windows,
        "(b rows columns) (h w) d -> b (rows h) (columns w) d",
        h=window,
        rows=height // window,
        columns=width // window,
    )


def shifted_window_mask(height, width, window, shift, device=None):
    """Return who may look at whom in the windows of a map that was rolled: (N, window², window²).

    After the roll the last windows hold parts that come from opposite edges of the picture: these
    may not see one another. True = may look. Raises ShapeError unless windows fill the map and
    shift is 0 to window - 1.

    >>> shifted_window_mask(4, 4, 2, 1)[1].int()  # left and right half come from other edges
    tensor([[1, 0, 1, 0],
            [0, 1, 0, 1],
            [1, 0, 1, 0],
            [0, 1, 0, 1]], dtype=torch.int32)
    """
    _check_shift(shift, window)
    from_the_top = torch.arange(height, device=device) >= height - shift  # rolled to the bottom
    from_the_left = torch.arange(width, device=device) >= width - shift
    part = 2 * from_the_top[:, None].long() + from_the_left  # (height, width), 0 to 3
    parts = window_partition(part[None, :, :, None], window)[..., 0]  # (N, window²)
    return parts[:, :, None] == parts[:, None, :]


class ShiftedWindows(nn.Module):
    """Each position of a map looks at those in its window, (B, height, width, D) to the same.

    attention is a MultiHeadAttention, positions a module without input that returns what is added
    to the scores, (H, window², window²). shift: by how many positions the windows lie further down
    and to the right, 0 to window - 1. A map that windows do not fill is padded with zeros, which
    are looked at as well. A map whose shorter side is no longer than a window is not shifted, as in
    Swin; always_shifts: it is, as in Swin v2.

    >>> from tutorial_lib.attention import MultiHeadAttention
    >>> from tutorial_lib.positions import RelativeGrid
    >>> layer = ShiftedWindows(MultiHeadAttention(8, 2), RelativeGrid(2, 3, 3), window=3, shift=1)
    >>> layer(torch.zeros(1, 5, 6, 8)).shape
    torch.Size([1, 5, 6, 8])
    """

    def __init__(self, attention, positions, window, shift=0, always_shifts=False):
        super().__init__()
        _check_shift(shift, window)
        self.attention = attention
        self.positions = positions
        self.window = window
        self.shift = shift
        self.always_shifts = always_shifts

    def forward(self, x):
        """Return what each position gathers from its window, (B, height, width, D)."""
        n_images, height, width, _ = x.shape
        x = pad_to_multiple(x, self.window)
        shifts = self.always_shifts or min(height, width) > self.window
        shift = self.shift if shifts else 0
        mask = None
        if shift:
            x = x.roll((-shift, -shift), dims=(1, 2))
            mask = shifted_window_mask(*x.shape[1:3], self.window, shift, x.device)  # (N, T, T)
            mask = mask[:, None].repeat(n_images, 1, 1, 1)  # (B · N, 1, T, T), for all heads
        windows = window_partition(x, self.window)  # (B · N, T, D), T = window²
        found = self.attention(windows, mask=mask, bias=self.positions())  # (B · N, T, D)
        x = window_reverse(found, self.window, *x.shape[1:3])
        if shift:
            x = x.roll((shift, shift), dims=(1, 2))
        return x[:, :height, :width]


def _check_shift(shift, window):
    if not 0 <= shift < window:
        raise ShapeError(f"windows of {window} can be shifted by 0 to {window - 1}, not {shift}")


class PatchMerging(nn.Module):
    """Four neighbours become one vector, twice as wide: (B, h, w, D) -> (B, h / 2, w / 2, 2 D).

    Odd sides get a row or column of zeros. norm_after: LayerNorm after the map to 2 D, as in Swin
    v2, in place of before it.

    >>> PatchMerging(8)(torch.zeros(1, 5, 6, 8)).shape
    torch.Size([1, 3, 3, 16])
    """

    def __init__(self, d_model, norm_after=False):
        super().__init__()
        self.norm_after = norm_after
        self.norm = nn.LayerNorm(2 * d_model if norm_after else 4 * d_model)
        self.reduction = nn.Linear(4 * d_model, 2 * d_model, bias=False)

    def forward(self, x):
        """Return the smaller map (B, ⌈height / 2⌉, ⌈width / 2⌉, 2 D)."""
        x = pad_to_multiple(x, 2)
        # Column by column, as the released weights have it.
        x = rearrange(x, "b (rows h) (columns w) d -> b rows columns (w h d)", h=2, w=2)
        return self.norm(self.reduction(x)) if self.norm_after else self.reduction(self.norm(x))


def pad_to_multiple(x, side):
    """Return x (B, height, width, D) with zeros below and to the right, so that side divides both.

    >>> pad_to_multiple(torch.ones(1, 2, 3, 1), 2)[0, :, :, 0]
    tensor([[1., 1., 1., 0.],
            [1., 1., 1., 0.]])
    """
    return F.pad(x, (0, 0, 0, -x.size(2) % side, 0, -x.size(1) % side))
