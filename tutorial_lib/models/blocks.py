"""The layers that are stacked: attention, then a feed-forward network, each with a shortcut."""

from torch import nn

from tutorial_lib.attention import MultiHeadAttention

ACTIVATIONS = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "gelu_tanh": lambda: nn.GELU(approximate="tanh"),
}


class FeedForward(nn.Module):
    """Two linear maps with a nonlinearity between them, the same at every position.

    (B, T, D) -> (B, T, d_ff) -> (B, T, D) (Vaswani et al. 2017, eq. 2, where the nonlinearity
    is ReLU). activation: "relu", "gelu" (exact) or "gelu_tanh" (GPT-2's approximation).
    Raises ValueError for another activation.

    >>> import torch
    >>> FeedForward(d_model=4, d_ff=16)(torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(self, d_model, d_ff=None, activation="gelu", dropout=0.0):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {sorted(ACTIVATIONS)}, got {activation!r}")
        d_ff = d_ff or 4 * d_model
        self.hidden = nn.Linear(d_model, d_ff)
        self.activation = ACTIVATIONS[activation]()
        self.output = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        """Return (B, T, D) from x (B, T, D)."""
        return self.output(self.dropout(self.activation(self.hidden(x))))


class Block(nn.Module):
    """What all layers share: a sub-layer, its shortcut, and a LayerNorm before or after.

    norm="post": LayerNorm(x + f(x)) (Vaswani et al. 2017, BERT); norm="pre": x + f(LayerNorm(x))
    (GPT-2, ViT). Raises ValueError for another value.
    """

    def __init__(self, norm, dropout):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f'norm must be "pre" or "post", got {norm!r}')
        self.norm = norm
        self.dropout = nn.Dropout(dropout)

    def shortcut(self, x, layer_norm, sublayer):
        """Return x with what the sub-layer adds to it, (B, T, D)."""
        if self.norm == "pre":
            return x + self.dropout(sublayer(layer_norm(x)))
        return layer_norm(x + self.dropout(sublayer(x)))


class EncoderBlock(Block):
    """Self-attention and feed-forward (Vaswani et al. 2017, figure 1, left).

    With causal=True it is the layer of a GPT: it never looks ahead. attention: the class of its
    attention, RotaryAttention for instance.

    >>> import torch
    >>> block = EncoderBlock(d_model=4, n_heads=2)
    >>> block(torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(
        self,
        d_model,
        n_heads,
        d_ff=None,
        norm="post",
        activation="gelu",
        eps=1e-5,
        dropout=0.0,
        causal=False,
        attention=MultiHeadAttention,
    ):
        super().__init__(norm, dropout)
        self.attention = attention(d_model, n_heads, dropout, causal=causal)
        self.attention_norm = nn.LayerNorm(d_model, eps)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.feed_forward_norm = nn.LayerNorm(d_model, eps)

    def forward(self, x, mask=None, bias=None, cache=None):
        """Return (B, T, D) from x (B, T, D); mask, bias and cache as MultiHeadAttention's."""
        x = self.shortcut(
            x, self.attention_norm, lambda x: self.attention(x, None, mask, bias, cache)
        )
        return self.shortcut(x, self.feed_forward_norm, self.feed_forward)


class DecoderBlock(Block):
    """Causal self-attention, attention to the encoder, feed-forward (ibid., figure 1, right).

    >>> import torch
    >>> block = DecoderBlock(d_model=4, n_heads=2)
    >>> block(torch.zeros(1, 3, 4), context=torch.zeros(1, 5, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(
        self, d_model, n_heads, d_ff=None, norm="post", activation="relu", eps=1e-5, dropout=0.0
    ):
        super().__init__(norm, dropout)
        self.attention = MultiHeadAttention(d_model, n_heads, dropout, causal=True)
        self.attention_norm = nn.LayerNorm(d_model, eps)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, dropout, stack="cross")
        self.cross_attention_norm = nn.LayerNorm(d_model, eps)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.feed_forward_norm = nn.LayerNorm(d_model, eps)

    def forward(self, x, context, mask=None, context_mask=None, caches=(None, None)):
        """Return (B, T, D) from x (B, T, D) and the encoder's output, context (B, S, D).

        mask hides positions of x, context_mask those of the context; caches are two KVCache,
        for the self-attention and for the keys and values of the context.
        """
        own, foreign = caches
        x = self.shortcut(
            x, self.attention_norm, lambda x: self.attention(x, None, mask, cache=own)
        )
        x = self.shortcut(
            x,
            self.cross_attention_norm,
            lambda x: self.cross_attention(x, context, context_mask, cache=foreign),
        )
        return self.shortcut(x, self.feed_forward_norm, self.feed_forward)
