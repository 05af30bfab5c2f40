"""Attention between vectors of different widths, as a Perceiver needs it (Jaegle et al. 2021)."""

from torch import nn

from tutorial_lib.attention.checks import check_mask_and_bias, check_vectors
from tutorial_lib.attention.multi_head import AttentionHeads
from tutorial_lib.errors import ShapeError


class CrossAttention(AttentionHeads):
    """H heads in which x (B, T, D) asks and context (B, S, C) answers; x itself by default.

    Four maps of their own, as no width need be another: d_context C, by default D; d_qk and
    d_value, what all heads together compare and pass on, by default D and d_qk. Returns (B, T, D).
    Raises ShapeError when the heads do not divide these, or an input does not fit.

    >>> import torch
    >>> layer = CrossAttention(d_model=8, n_heads=2, d_context=5)
    >>> layer(torch.zeros(1, 3, 8), torch.zeros(1, 40, 5)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(
        self, d_model, n_heads, d_context=None, d_qk=None, d_value=None, dropout=0.0, stack="cross"
    ):
        super().__init__(n_heads, dropout, stack=stack)
        d_context, d_qk = d_context or d_model, d_qk or d_model
        d_value = d_value or d_qk
        if d_qk % n_heads or d_value % n_heads:
            raise ShapeError(
                f"{n_heads} heads do not divide d_qk {d_qk} and d_value {d_value} evenly"
            )
        self.query = nn.Linear(d_model, d_qk)
        self.key = nn.Linear(d_context, d_qk)
        self.value = nn.Linear(d_context, d_value)
        self.output = nn.Linear(d_value, d_model)

    def forward(self, x, context=None, mask=None):
        """Return what each of x gathers, (B, T, D); mask (..., T, S), True = may look."""
        context = x if context is None else context
        check_vectors("x", x, self.query.in_features)
        check_vectors("context", context, self.key.in_features)
        if len(context) != len(x):
            raise ShapeError(f"x and context differ in batch, got {len(x)} and {len(context)}")
        check_mask_and_bias(mask, None, (len(x), self.n_heads, x.size(1), context.size(1)))
        q, k = self.split(self.query(x)), self.split(self.key(context))  # (B, H, T or S, K)
        heads = self.attend(q, k, self.split(self.value(context)), mask)
        return self.output(heads.transpose(1, 2).flatten(2))  # (B, T, D)
