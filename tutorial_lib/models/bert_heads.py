"""What stands on top of a BERT: the heads of pre-training, and those of its tasks."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import token_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.models.blocks import ACTIVATIONS
from tutorial_lib.models.checks import check_same_shape


class MLMHead(nn.Module):
    """Says which token a position holds: one more layer, then the token vectors themselves.

    table_width: the width of these vectors; None: d_model.

    >>> head = MLMHead(d_model=4, vocab_size=9)
    >>> head(torch.zeros(2, 4), table=torch.zeros(9, 4)).shape
    torch.Size([2, 9])
    """

    def __init__(self, d_model, vocab_size, activation="gelu", eps=1e-12, table_width=None):
        super().__init__()
        table_width = table_width or d_model
        self.transform = nn.Linear(d_model, table_width)
        self.activation = ACTIVATIONS[activation]()
        self.norm = nn.LayerNorm(table_width, eps)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, hidden, table):
        """Return logits (..., V) from hidden (..., D) and the token vectors, table (V, E)."""
        x = self.norm(self.activation(self.transform(hidden)))  # (..., E)
        return F.linear(x, table, self.bias)


class BERTHeads:
    """The optional parts of a BERT, each one a method; mixed into `BERT`.

    hidden (B, T, D) are always its last hidden states. A part that was not built raises a
    MissingHeadError that says how to get it.
    """

    # For `with_heads`: the fields of BERTConfig it may change, the beginnings of the names there.
    head_fields = ("pooler", "mlm", "nsp", "n_classes", "n_labels", "span", "pooling")
    mlm_activation = None  # of the layers; some descendants keep GELU there whatever those have
    heads = ("pooler.", "mlm_head.", "nsp_head.", "sequence_head.", "token_head.", "span_head.")

    def build_heads(self, config):
        """Make the parts that the config asks for, the others None."""
        d_model = config.d_model
        self.pooler = nn.Linear(d_model, d_model) if config.pooler else None
        self.mlm_head = self.build_mlm_head(config) if config.mlm else None
        self.nsp_head = nn.Linear(d_model, 2) if config.nsp else None
        self.sequence_head = nn.Linear(d_model, config.n_classes) if config.n_classes else None
        self.token_head = nn.Linear(d_model, config.n_labels) if config.n_labels else None
        self.span_head = nn.Linear(d_model, 2) if config.span else None

    def build_mlm_head(self, config):
        """Make the head for masked tokens."""
        width = self.token_embedding.embedding_dim
        activation = self.mlm_activation or config.activation
        return MLMHead(config.d_model, config.vocab_size, activation, config.eps, width)

    def pooled(self, hidden):
        """Return the vector of the first token, [CLS], through the pooler: (B, D).

        Raises MissingHeadError when this model has no pooler.
        """
        return self._part("pooler", "pooler", "pooler=True")(hidden[:, 0]).tanh()

    def mlm_logits(self, hidden):
        """Return which token each position may hold, (..., V), from hidden (..., D).

        Nearly all of a training step's work is here, so give it the hidden states of the masked
        positions only: `model.mlm_logits(hidden[chosen])`.
        """
        return self._part("mlm_head", "MLM head", "mlm=True")(hidden, self.token_embedding.weight)

    def nsp_logits(self, hidden):
        """Return whether the second sentence follows the first, (B, 2): class 0 says it does."""
        return self._part("nsp_head", "NSP head", "nsp=True")(self.pooled(hidden))

    def sequence_logits(self, hidden, mask=None):
        """Return the classes of whole texts, (B, classes): film reviews, pairs of sentences.

        With pooling "cls" they are read from the pooler, with "mean" from the mean of the real
        tokens, for which mask (B, T) is needed.
        """
        head = self._part("sequence_head", "head for whole texts", "n_classes=2")
        mean = self.config.pooling == "mean"
        return head(self.dropout(mean_pool(hidden, mask) if mean else self.pooled(hidden)))

    def token_logits(self, hidden):
        """Return the labels of each token, (B, T, labels): names, parts of speech."""
        head = self._part("token_head", "head for tokens", "n_labels=3")
        return head(self.dropout(hidden))

    def span_logits(self, hidden, mask=None):
        """Return where an answer may start and end, two tensors (B, T).

        mask (B, T), True = a real token: no answer starts or ends in the padding.
        Raises ShapeError when the mask has another shape.
        """
        head = self._part("span_head", "head for spans", "span=True")
        return starts_and_ends(head(hidden), mask)


def starts_and_ends(logits, mask=None):
    """Return the logits of start and end, two (B, T), of logits (B, T, 2); -inf where mask is not.

    mask (B, T), bool. Raises ShapeError when it has another shape or dtype.
    """
    if mask is not None:
        if mask.shape != logits.shape[:2] or mask.dtype != torch.bool:
            raise ShapeError(
                f"mask must be torch.bool of shape {tuple(logits.shape[:2])}, got "
                f"{mask.dtype} {tuple(mask.shape)}"
            )
        logits = logits.masked_fill(~mask[..., None], -math.inf)
    return logits.unbind(dim=-1)


def mean_pool(hidden, mask=None):
    """Return the mean of hidden (B, T, D) over the real tokens, (B, D).

    mask (B, T), True = a real token.
    Raises ShapeError when it has another shape or dtype, MaskError when a sequence has none.

    >>> mean_pool(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]]))
    tensor([[2.]])
    """
    if mask is None:
        return hidden.mean(dim=1)
    check_same_shape("mask", mask, hidden[..., 0], "the tokens")
    real = token_mask(mask)[:, 0, 0, :, None]  # (B, T, 1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)
