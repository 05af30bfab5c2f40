"""A GPT whose forward pass runs the learner's functions; the parameters are all that is ours."""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.errors import ShapeError
from tutorial_lib.exercises.own_gpt.parts import first_tensor
from tutorial_lib.files import load_into
from tutorial_lib.models import GPT


class MyTransformer(nn.Module):
    """Token and position vectors, then pre-norm layers; gives the next token's logits (B, T, V).

    functions: {name: function}, of those in `parts`; config: a GPTConfig with ReLU.
    Layers look back in two ways, in turn: with `masked_attention`, head by head, and with
    `multi_head`.
    """

    def __init__(self, functions, config):
        super().__init__()
        self.config = config
        self.functions = functions
        d_model = config.d_model
        table = first_tensor(functions["sinusoidal_positions"](config.context, d_model))
        mask = torch.as_tensor(functions["causal_mask"](config.context)).bool()
        self.register_buffer("positions", table.float())
        self.register_buffer("visible", mask)
        self.token_embedding = normal(config.vocab_size, d_model, std=0.3)
        self.layers = nn.ModuleList(Layer(functions, config, n) for n in range(config.n_layers))
        self.gain = nn.Parameter(torch.ones(d_model))
        self.shift = nn.Parameter(torch.zeros(d_model))

    def forward(self, ids):
        """Return the logits of the token after each of ids, (B, T, V) from (B, T)."""
        length = ids.size(1)
        x = F.embedding(ids, self.token_embedding) + self.positions[:length]  # (B, T, D)
        visible = self.visible[:length, :length]
        for layer in self.layers:
            x = layer(x, visible)
        x = first_tensor(self.functions["layer_norm"](x, self.gain, self.shift, self.config.eps))
        return x @ self.token_embedding.T

    def ours(self):
        """Return our GPT with the same weights, the sinusoids in its table of positions."""
        tensors = {
            "token_embedding.weight": self.token_embedding,
            "position_embedding.weight": self.positions,
            "final_norm.weight": self.gain,
            "final_norm.bias": self.shift,
        }
        for n, layer in enumerate(self.layers):
            tensors |= {f"blocks.{n}.{name}": t for name, t in layer.as_ours().items()}
        model = GPT(self.config)
        load_into(model, {name: tensor.detach().clone() for name, tensor in tensors.items()})
        return model.eval()

    @torch.no_grad()
    def take(self, gpt):
        """Copy the weights of our GPT, the way back from `ours`. Raises ShapeError for other sizes.

        What this model has no weights for, positions and biases of the attention, is left out.
        """
        if gpt.config != self.config:
            raise ShapeError(f"the weights are those of {gpt.config}, this is {self.config}")
        self.token_embedding.copy_(gpt.token_embedding.weight)
        self.gain.copy_(gpt.final_norm.weight)
        self.shift.copy_(gpt.final_norm.bias)
        for layer, block in zip(self.layers, gpt.blocks, strict=True):
            layer.take(block)


class Layer(nn.Module):
    """The weights of one layer, and the learner's functions that use them."""

    def __init__(self, functions, config, number):
        super().__init__()
        self.functions = functions
        self.config = config
        self.whole = number % 2 == 1  # which of the two ways to look back
        d_model, d_ff = config.d_model, config.d_ff or 4 * config.d_model
        std, less = d_model**-0.5, (2 * config.n_layers) ** -0.5
        self.w_q = normal(d_model, d_model, std=std)
        self.w_k = normal(d_model, d_model, std=std)
        self.w_v = normal(d_model, d_model, std=std)
        self.w_o = normal(d_model, d_model, std=std * less)
        self.w_1 = normal(d_model, d_ff, std=std)
        self.b_1 = nn.Parameter(torch.zeros(d_ff))
        self.w_2 = normal(d_ff, d_model, std=d_ff**-0.5 * less)
        self.b_2 = nn.Parameter(torch.zeros(d_model))
        self.gains = nn.Parameter(torch.ones(2, d_model))
        self.shifts = nn.Parameter(torch.zeros(2, d_model))

    def forward(self, x, visible):
        """Return (B, T, D) from x (B, T, D); visible (T, T), True = may look."""
        look_back = all_heads if self.whole else head_by_head
        weights = (self.w_q, self.w_k, self.w_v, self.w_o)

        def attend(x):
            return look_back(self.functions, x, *weights, self.config.n_heads, visible)

        def feed_forward(x):
            maps = (self.w_1, self.b_1, self.w_2, self.b_2)
            return first_tensor(self.functions["feed_forward"](x, *maps))

        def norm(place):
            gain, shift = self.gains[place], self.shifts[place]
            return lambda x: first_tensor(
                self.functions["layer_norm"](x, gain, shift, self.config.eps)
            )

        block = self.functions["gpt_block"]
        return first_tensor(block(x, attend, feed_forward, norm(0), norm(1)))

    def take(self, block):
        """Copy the weights of our Block, the way back from `as_ours`."""
        attention, network = block.attention, block.feed_forward
        own = (self.w_q, self.w_k, self.w_v)
        for mine, theirs in zip(own, attention.qkv.weight.chunk(3), strict=True):
            mine.copy_(theirs.T)
        self.w_o.copy_(attention.output.weight.T)
        self.w_1.copy_(network.hidden.weight.T)
        self.b_1.copy_(network.hidden.bias)
        self.w_2.copy_(network.output.weight.T)
        self.b_2.copy_(network.output.bias)
        for place, norm in enumerate((block.attention_norm, block.feed_forward_norm)):
            self.gains[place].copy_(norm.weight)
            self.shifts[place].copy_(norm.bias)

    def as_ours(self):
        """Return the weights under the names, and in the shapes, of our Block."""
        qkv = torch.cat([self.w_q, self.w_k, self.w_v], dim=1).T  # (3 D, D)
        return {
            "attention.qkv.weight": qkv,
            "attention.qkv.bias": torch.zeros(len(qkv)),
            "attention.output.weight": self.w_o.T,
            "attention.output.bias": torch.zeros(len(self.w_o)),
            "attention_norm.weight": self.gains[0],
            "attention_norm.bias": self.shifts[0],
            "feed_forward.hidden.weight": self.w_1.T,
            "feed_forward.hidden.bias": self.b_1,
            "feed_forward.output.weight": self.w_2.T,
            "feed_forward.output.bias": self.b_2,
            "feed_forward_norm.weight": self.gains[1],
            "feed_forward_norm.bias": self.shifts[1],
        }


def head_by_head(functions, x, w_q, w_k, w_v, w_o, n_heads, visible):
    """Return causal attention (B, T, D) by `masked_attention`, one text and one head at a time."""
    texts = []
    for text in x:
        projected = [(text @ w).chunk(n_heads, dim=-1) for w in (w_q, w_k, w_v)]  # H of (T, K)
        heads = [
            first_tensor(functions["masked_attention"](q, k, v, visible))
            for q, k, v in zip(*projected, strict=True)
        ]
        texts.append(torch.cat(heads, dim=-1))  # (T, D)
    return torch.stack(texts) @ w_o


def all_heads(functions, x, w_q, w_k, w_v, w_o, n_heads, visible):
    """Return causal attention (B, T, D) by `multi_head`, all texts and heads at once."""
    return first_tensor(functions["multi_head"](x, w_q, w_k, w_v, w_o, n_heads, visible))


def normal(*shape, std):
    """Return a parameter of normal random numbers."""
    return nn.Parameter(torch.randn(shape) * std)
