"""T5: the Transformer that reads and writes nothing but text (Raffel et al. 2020).

A diff on `transformer`: RMSNorm before each sub-layer, no biases, scores that are not divided by
sqrt(K), and in place of positions a learned number for each bucket of distances, shared by the
layers of a stack. Version 1.1 has a gate in its feed-forward network and an own output layer.
"""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model
from tutorial_lib.models.blocks import Block, DecoderBlock, FeedForward
from tutorial_lib.models.checks import check_choice, check_pad_id, check_sizes
from tutorial_lib.models.foreign.t5 import is_tied, names_of_t5, read_t5_config
from tutorial_lib.models.llama import SwiGLU
from tutorial_lib.models.transformer import Transformer
from tutorial_lib.positions import T5Positions
from tutorial_lib.positions.vectors import check_length

# size: d_model, layers of each stack, heads, width of a head, d_ff
PUBLISHED = {
    "small": (512, 6, 8, 64, 2_048),
    "base": (768, 12, 12, 64, 3_072),
    "large": (1_024, 24, 16, 64, 4_096),
    "3B": (1_024, 24, 32, 128, 16_384),
    "11B": (1_024, 24, 128, 128, 65_536),
}
PUBLISHED_1_1 = {
    "small": (512, 8, 6, 64, 1_024),
    "base": (768, 12, 12, 64, 2_048),
    "large": (1_024, 24, 16, 64, 2_816),
    "XL": (2_048, 24, 32, 64, 5_120),
    "XXL": (4_096, 24, 64, 64, 10_240),
}


@dataclass(frozen=True)
class T5Config:
    """The sizes of a T5; those of T5-small where you give none.

    d_head: the width K of a head, which need not be d_model / n_heads; n_buckets of distances, up
    to max_distance; gated: a feed-forward network with a gate; tied: the logits are read off with
    the token vectors; scaled: after what is read off has been divided by sqrt(D). context bounds
    the length of a text as it does in other models, though distances have no end. pad_id also
    starts the target.
    Raises ShapeError when a size is not positive or the buckets do not work out; ValueError for
    another dropout, eps, gated, tied, scaled or pad_id.

    >>> T5Config.v1_1("XL").d_model
    2048
    """

    vocab_size: int = 32_128
    context: int = 512
    d_model: int = 512
    n_layers: int = 6
    n_decoder_layers: int | None = None
    n_heads: int = 8
    d_head: int = 64
    d_ff: int = 2_048
    n_buckets: int = 32
    max_distance: int = 128
    dropout: float = 0.0
    eps: float = 1e-6
    gated: bool = False
    tied: bool = True
    scaled: bool = True
    pad_id: int = 0

    def __post_init__(self):
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_decoder_layers", "n_heads")
        sizes += ("d_head", "d_ff", "n_buckets", "max_distance")
        check_sizes(self, sizes, activations=())
        for causal in (False, True):
            T5Positions(1, self.n_buckets, self.max_distance, causal)  # refuses what does not work
        for name in ("gated", "tied", "scaled"):
            check_choice(name, getattr(self, name), (True, False))
        check_pad_id(self)

    @property
    def source_vocab_size(self):
        """The number of ids that the encoder reads: the same as the decoder's."""
        return self.vocab_size

    @classmethod
    def t5(cls, size="small", **changes):
        """The first T5: "small" (60 M parameters), "base" (220), "large" (770), "3B" or "11B"."""
        check_choice("size", size, PUBLISHED)
        return cls(**(_row(PUBLISHED[size]) | changes))

    @classmethod
    def v1_1(cls, size="small", **changes):
        """Version 1.1: "small", "base", "large", "XL" or "XXL"; FLAN-T5 has the same sizes."""
        check_choice("size", size, PUBLISHED_1_1)
        parts = {"gated": True, "tied": False, "scaled": False}
        return cls(**(_row(PUBLISHED_1_1[size]) | parts | changes))

    def build(self):
        """Return a T5 of these sizes with random weights."""
        return T5(self)


class T5Attention(MultiHeadAttention):
    """Attention whose heads may have any width, with no biases and no division by sqrt(K).

    What the division is for, scores of about 1 at the start, the initial weights do instead:
    those of the queries are smaller by sqrt(K) (`T5.begin`).

    >>> import torch
    >>> T5Attention(d_model=8, n_heads=3, d_head=5)(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(self, d_model, n_heads, d_head, dropout=0.0, causal=False, stack=None):
        super().__init__(d_model, n_heads, dropout, False, causal, stack, d_head)

    def project(self, x, context=None, cache=None):
        """Return queries (B, H, T, K), sqrt(K) times as long, and keys and values (B, H, S, K)."""
        q, k, v = super().project(x, context, cache)
        return q * q.size(-1) ** 0.5, k, v  # `attend` divides by it again


class GatedGELU(SwiGLU):
    """A feed-forward network whose gate is a GELU: (GELU(x W_g) * x W_h) W_o (Shazeer 2020).

    >>> import torch
    >>> GatedGELU(d_model=4, d_ff=6)(torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.activation = nn.GELU(approximate="tanh")


class T5Block(Block):
    """The encoder's layer with T5's parts; `forward` is its parent's."""

    def __init__(self, config):
        nn.Module.__init__(self)  # not Block's: each of its parts is another one here
        self.norm = "pre"
        _add_attention(self, config, "attention")
        _add_feed_forward(self, config)


class T5DecoderBlock(DecoderBlock):
    """The decoder's layer with T5's parts; `forward` is its parent's."""

    def __init__(self, config):
        nn.Module.__init__(self)
        self.norm = "pre"
        _add_attention(self, config, "attention", causal=True)
        _add_attention(self, config, "cross_attention", stack="cross")
        _add_feed_forward(self, config)


def _add_attention(block, config, name, **options):
    sizes = (config.d_model, config.n_heads, config.d_head, config.dropout)
    setattr(block, name, T5Attention(*sizes, **options))
    setattr(block, f"{name}_norm", nn.RMSNorm(config.d_model, config.eps))


def _add_feed_forward(block, config):
    sizes = (config.d_model, config.d_ff)
    plain = not config.gated
    block.feed_forward = FeedForward(*sizes, "relu", False) if plain else GatedGELU(*sizes)
    block.feed_forward_norm = nn.RMSNorm(config.d_model, config.eps)
    block.dropout = nn.Dropout(config.dropout)


class T5(Transformer):
    """A Transformer without position vectors, of `T5Block`s; called as its parent is.

    source (B, S) and target (B, T) are ids of one vocabulary; the target begins with pad_id.

    >>> import torch
    >>> config = T5Config(vocab_size=9, d_model=4, n_layers=2, n_heads=2, d_head=3, d_ff=6)
    >>> T5(config)(torch.tensor([[1, 5, 2]]), torch.tensor([[0, 4]])).shape
    torch.Size([1, 2, 9])
    """

    config_class: ClassVar = T5Config

    def __init__(self, config):
        Model.__init__(self, config)  # not Transformer's: each of its parts is another one here
        self.source_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.target_embedding = self.source_embedding
        buckets = (config.n_heads, config.n_buckets, config.max_distance)
        self.source_distances = T5Positions(*buckets)
        self.target_distances = T5Positions(*buckets, causal=True)
        n_decoder_layers = config.n_decoder_layers or config.n_layers
        self.encoder_blocks = nn.ModuleList(T5Block(config) for _ in range(config.n_layers))
        self.decoder_blocks = nn.ModuleList(T5DecoderBlock(config) for _ in range(n_decoder_layers))
        self.encoder_norm = nn.RMSNorm(config.d_model, config.eps)
        self.decoder_norm = nn.RMSNorm(config.d_model, config.eps)
        self.output_layer = None
        if not config.tied:
            self.output_layer = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        self.begin()

    def begin(self):
        """Start every map so that what it gives is about as large as what it gets."""
        config = self.config
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
            elif isinstance(module, T5Positions):
                nn.init.normal_(module.weight, std=config.d_model**-0.5)
        for module in self.modules():
            if isinstance(module, T5Attention):
                queries = module.qkv.weight[: config.n_heads * config.d_head]
                nn.init.normal_(queries, std=(config.d_model * config.d_head) ** -0.5)
        nn.init.normal_(self.source_embedding.weight)

    def embed_source(self, source):
        """Return what the encoder's first layer reads, (B, S, D): the token vectors alone."""
        check_length(source.size(1), self.config.context)
        return self.dropout(self.source_embedding(source))

    def embed_target(self, target, n_read):
        """Return what the decoder's first layer reads, (B, T, D): the token vectors alone."""
        check_length(n_read + target.size(1), self.config.context)
        return self.dropout(self.target_embedding(target))

    def encoder_bias(self, n_tokens):
        """Return the numbers of the distances between source tokens, (H, S, S)."""
        return self.source_distances(n_tokens)

    def decoder_bias(self, n_new, n_read):
        """Return the numbers of the distances between target tokens, (H, T, n_read + T)."""
        return self.target_distances(n_new, n_read + n_new)

    def logits(self, hidden):
        """Return how likely each token is next, before the softmax: (B, T, V) from (B, T, D)."""
        if self.config.scaled:
            hidden = hidden * self.config.d_model**-0.5
        return self.output_layer(hidden) if self.output_layer else super().logits(hidden)

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a T5 in eval mode from a folder with config.json and safetensors, or the hub.

        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_t5_config(folder / "config.json")
        tensors = load_tensors(folder)
        return cls.filled(folder, sizes | {"tied": is_tied(tensors)}, tensors, names_of_t5)


def _row(published):
    names = ("d_model", "n_layers", "n_heads", "d_head", "d_ff")
    return dict(zip(names, published, strict=True))
