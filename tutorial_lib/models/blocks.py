"""The layers that models stack: attention, then a feed-forward network, each added to its input.

Where dropout acts: on what each sub-layer adds (Vaswani et al. 2017, section 5.4) and, as in GPT-1
and BERT, on the attention weights. The models also apply it to their embeddings. There is none
between the two maps of the feed-forward network.
"""

from torch import nn

from tutorial_lib.attention import MultiHeadAttention


class QuickGELU(nn.Module):
    """x · sigmoid(1.702 x), an approximation of GELU that CLIP was trained with."""

    def forward(self, x):
        """Return a tensor of the shape of x."""
        return x * (1.702 * x).sigmoid()


ACTIVATIONS = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "gelu_tanh": lambda: nn.GELU(approximate="tanh"),
    "quick_gelu": QuickGELU,
}


class FeedForward(nn.Module):
    """Two linear maps with a nonlinearity between them, the same at every position.

    (B, T, D) -> (B, T, d_ff) -> (B, T, D) (Vaswani et al. 2017, eq. 2, where the nonlinearity
    is ReLU). d_ff None: 4 D. activation: "relu", "gelu" (exact), "gelu_tanh" (GPT-2's
    approximation) or "quick_gelu" (CLIP's). linear_bias: whether the linear maps have biases.
    Raises ValueError for another activation.

    >>> import torch
    >>> FeedForward(d_model=4, d_ff=16)(torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(self, d_model, d_ff=None, activation="gelu", linear_bias=True):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {sorted(ACTIVATIONS)}, got {activation!r}")
        d_ff = d_ff or 4 * d_model
        self.hidden = nn.Linear(d_model, d_ff, bias=linear_bias)
        self.activation = ACTIVATIONS[activation]()
        self.output = nn.Linear(d_ff, d_model, bias=linear_bias)

    def forward(self, x):
        """Return (B, T, D) from x (B, T, D)."""
        return self.output(self.activation(self.hidden(x)))


class Block(nn.Module):
    """Self-attention, then feed-forward: the layer of BERT and ViT; with causal=True that of a GPT.

    Also the Transformer's encoder layer (Vaswani et al. 2017, figure 1, left).
    norm="post": LayerNorm(x + f(x)) (Vaswani et al. 2017, GPT-1, BERT); norm="pre":
    x + f(LayerNorm(x)) (GPT-2, ViT). attention: the class of its attention, RotaryAttention for
    instance. Raises ValueError for another norm.

    >>> import torch
    >>> block = Block(d_model=4, n_heads=2)
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
        super().__init__()
        self.norm = known_norm(norm)
        self.attention = attention(d_model, n_heads, dropout, causal=causal)
        self.attention_norm = nn.LayerNorm(d_model, eps)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.feed_forward_norm = nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None, bias=None, cache=None):
        """Return (B, T, D) from x (B, T, D); mask, bias and cache as MultiHeadAttention's."""
        options = {"mask": mask, "bias": bias, "cache": cache}
        if self.norm == "pre":
            x = x + self.dropout(self.attention(self.attention_norm(x), **options))
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(x + self.dropout(self.attention(x, **options)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class DecoderBlock(nn.Module):
    """Causal self-attention, attention to the encoder's output, feed-forward.

    The Transformer's decoder layer (Vaswani et al. 2017, figure 1, right); norm as in Block.

    >>> import torch
    >>> block = DecoderBlock(d_model=4, n_heads=2)
    >>> block(torch.zeros(1, 3, 4), context=torch.zeros(1, 5, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(
        self, d_model, n_heads, d_ff=None, norm="post", activation="relu", eps=1e-5, dropout=0.0
    ):
        super().__init__()
        self.norm = known_norm(norm)
        self.attention = MultiHeadAttention(d_model, n_heads, dropout, causal=True)
        self.attention_norm = nn.LayerNorm(d_model, eps)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, dropout, stack="cross")
        self.cross_attention_norm = nn.LayerNorm(d_model, eps)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.feed_forward_norm = nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, context, mask=None, context_mask=None, caches=(None, None), bias=None):
        """Return (B, T, D) from x (B, T, D) and the encoder's output, context (B, S, D).

        mask hides positions of x, context_mask those of the context; caches are two KVCache,
        for the self-attention and for the keys and values of the context. bias is added to the
        scores of the self-attention.
        """
        own = {"mask": mask, "bias": bias, "cache": caches[0]}
        cross = {"mask": context_mask, "cache": caches[1]}
        if self.norm == "pre":
            x = x + self.dropout(self.attention(self.attention_norm(x), **own))
            x = x + self.dropout(
                self.cross_attention(self.cross_attention_norm(x), context, **cross)
            )
            return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        x = self.attention_norm(x + self.dropout(self.attention(x, **own)))
        x = self.cross_attention_norm(x + self.dropout(self.cross_attention(x, context, **cross)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


def known_norm(norm):
    """Return norm, or raise ValueError when it is neither "pre" nor "post"."""
    if norm not in ("pre", "post"):
        raise ValueError(f'norm must be "pre" or "post", got {norm!r}')
    return norm
