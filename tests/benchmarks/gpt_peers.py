"""The GPTs that `bench_gpt` measures ours against: same sizes, same weights to learn."""

from functools import partial

import torch.nn.functional as F
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel


class Theirs(nn.Module):
    """GPT2LMHeadModel of `transformers`, called with ids and answering with logits."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads):
        super().__init__()
        self.model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=vocab_size,
                n_positions=context,
                n_embd=d_model,
                n_layer=n_layers,
                n_head=n_heads,
                **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
                **dict.fromkeys(("bos_token_id", "eos_token_id")),
            )
        )

    def forward(self, ids):
        return self.model(ids, use_cache=False).logits


class OfTorch(nn.Module):
    """torch.nn.TransformerEncoder with a causal mask, between the same embeddings and logits."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(context, d_model)
        layer = nn.TransformerEncoderLayer(
            d_model,
            n_heads,
            4 * d_model,
            dropout=0.0,
            activation=partial(F.gelu, approximate="tanh"),
            batch_first=True,
            norm_first=True,
        )
        final_norm = nn.LayerNorm(d_model)
        self.layers = nn.TransformerEncoder(layer, n_layers, final_norm, enable_nested_tensor=False)
        hidden = nn.Transformer.generate_square_subsequent_mask(context)
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.size(1)]
        return F.linear(self.layers(x, self.hidden, is_causal=True), self.tokens.weight)


class Lean(nn.Module):
    """The least code that is a GPT: no checks, no taps, no masks, nothing to look at."""

    def __init__(self, vocab_size, context, d_model, n_layers, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(context, d_model)
        shapes = [(d_model, 3 * d_model), (d_model, d_model)]
        shapes += [(d_model, 4 * d_model), (4 * d_model, d_model)]
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2 * n_layers))
        self.maps = nn.ModuleList(nn.Linear(*shape) for _ in range(n_layers) for shape in shapes)
        self.final_norm = nn.LayerNorm(d_model)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.size(1)]
        for n in range(len(self.norms) // 2):
            norm, second_norm = self.norms[2 * n : 2 * n + 2]
            qkv, output, up, down = self.maps[4 * n : 4 * n + 4]
            q, k, v = (
                part.view(*x.shape[:2], self.n_heads, -1).transpose(1, 2)
                for part in qkv(norm(x)).split(x.size(-1), dim=2)
            )
            heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + output(heads.transpose(1, 2).flatten(2))
            x = x + down(F.gelu(up(second_norm(x)), approximate="tanh"))
        return F.linear(self.final_norm(x), self.tokens.weight)
