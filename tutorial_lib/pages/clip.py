"""CLIP on one page: a picture and its caption become neighbours in one space.

Radford et al. 2021, figure 3. `python clip.py` learns in a minute which caption belongs to a
picture of two handwritten digits, and is asked about pairs that it never saw together.
B pictures, N texts, C channels, P patch side, T length, H heads, D width, E common width
"""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


class SelfAttention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V in H heads; a causal layer never looks ahead. Keeps (B, T, D)."""

    def __init__(self, d_model, n_heads, causal):
        super().__init__()
        self.n_heads, self.causal = n_heads, causal
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x):
        q, k, v = rearrange(self.qkv(x), "B T (qkv H K) -> qkv B H T K", qkv=3, H=self.n_heads)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)  # (B, H, T, K)
        return self.output(rearrange(mixed, "B H T K -> B T (H K)"))


class Block(nn.Module):
    """Each step reads a normalised x and adds its result to x itself."""

    def __init__(self, d_model, n_heads, causal):
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model)
        self.attention = SelfAttention(d_model, n_heads, causal)
        self.feed_forward_norm = nn.LayerNorm(d_model)
        hidden, output = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.feed_forward = nn.ModuleDict({"hidden": hidden, "output": output})

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        hidden = self.feed_forward["hidden"](self.feed_forward_norm(x))
        return x + self.feed_forward["output"](hidden * torch.sigmoid(1.702 * hidden))  # ~ GELU


class ImageEncoder(nn.Module):
    """A ViT: images (B, C, height, width) -> (B, T, D), [CLS] first."""

    def __init__(self, *, image_size, patch_size, channels, d_model, n_layers, n_heads):
        super().__init__()
        self.P = patch_size
        projection = nn.Linear(channels * patch_size**2, d_model, bias=False)
        self.patch_embedding = nn.ModuleDict({"projection": projection})
        self.patch_embedding.class_token = nn.Parameter(torch.zeros(d_model))
        self.position_embedding = nn.Embedding(1 + (image_size // patch_size) ** 2, d_model)
        self.embedding_norm = nn.LayerNorm(d_model)
        self.blocks = nn.Sequential(*(Block(d_model, n_heads, False) for _ in range(n_layers)))
        self.final_norm = nn.LayerNorm(d_model)

    def forward(self, images):
        x = rearrange(images, "B C (r p1) (c p2) -> B (r c) (C p1 p2)", p1=self.P, p2=self.P)
        x = self.patch_embedding["projection"](x)  # (B, patches, D)
        x = torch.cat([self.patch_embedding.class_token.expand(len(x), 1, -1), x], dim=1)
        x = self.embedding_norm(x + self.position_embedding.weight)  # a plain ViT has no norm here
        return self.final_norm(self.blocks(x))


class TextEncoder(nn.Module):
    """A GPT without its output: ids (N, T) -> (N, T, D)."""

    def __init__(self, *, vocab_size, context, d_model, n_layers, n_heads):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(context, d_model)
        self.blocks = nn.Sequential(*(Block(d_model, n_heads, True) for _ in range(n_layers)))
        self.final_norm = nn.LayerNorm(d_model)

    def forward(self, ids):
        x = self.token_embedding(ids) + self.position_embedding.weight[: ids.size(1)]
        return self.final_norm(self.blocks(x))


class CLIP(nn.Module):
    """images (B, C, height, width), ids (N, T) with the highest id at the end -> logits (B, N)."""

    def __init__(self, *, image, text, d_joint):
        super().__init__()
        self.image_encoder, self.text_encoder = ImageEncoder(**image), TextEncoder(**text)
        self.image_projection = nn.Linear(image["d_model"], d_joint, bias=False)
        self.text_projection = nn.Linear(text["d_model"], d_joint, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))  # 1 / temperature
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                joint = name.endswith("_projection.weight")
                nn.init.normal_(weight, std=weight.size(1) ** -0.5 if joint else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, images, ids):
        hidden = self.image_encoder(images)[:, 0]  # (B, D): [CLS] has seen all patches
        of_images = F.normalize(self.image_projection(hidden), dim=-1)  # (B, E), of length 1
        end = ids.argmax(dim=1)  # the end token has seen all words
        hidden = self.text_encoder(ids)[torch.arange(len(ids)), end]  # (N, D)
        of_texts = F.normalize(self.text_projection(hidden), dim=-1)  # (N, E)
        return self.log_scale.clamp(max=math.log(100)).exp() * of_images @ of_texts.T


def contrastive_loss(logits):
    """Picture i belongs to text i: each row must choose its text, each column its picture."""
    own = torch.arange(len(logits))
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = (Path(__file__).parent / "data/digits.txt").read_text("utf-8").splitlines()
    # Each of the 64 pixels is written as one digit to base 17: 0 is white, G (16) is black.
    written = [[line[2:] for line in lines if line[0] == str(digit)] for digit in range(10)]
    digits = [[[int(pixel, 17) / 8 - 1 for pixel in one] for one in row[:174]] for row in written]
    digits = F.pad(torch.tensor(digits).view(10, 174, 8, 8), (0, 0, 4, 4), value=-1.0)
    pairs = torch.cartesian_prod(torch.arange(10), torch.arange(10))  # (100, 2)
    ids = torch.tensor([[left, 10, 11, right, 12] for left, right in pairs])  # 3 left of 5 <end>
    seen, new = torch.randperm(100).split([75, 25])

    def _draw(pairs, first, last):  # (B, 1, 16, 16), in hands number first to last
        chosen = digits[pairs, torch.randint(first, last, pairs.shape)]  # (B, 2, 16, 8)
        return rearrange(chosen, "B two h w -> B 1 h (two w)")

    sizes = {"d_model": 64, "n_layers": 2, "n_heads": 4}
    image = sizes | {"image_size": 16, "patch_size": 4, "channels": 1}
    model = CLIP(image=image, text=sizes | {"vocab_size": 13, "context": 5}, d_joint=32)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.05)
    for step in range(1, 601):
        optimizer.param_groups[0]["lr"] = 3e-3 * min(step / 60, 1 - step / 601)  # up, then down
        chosen = seen[torch.randperm(75)[:64]]  # no caption twice: no other picture fits it
        loss = contrastive_loss(model(_draw(pairs[chosen], 0, 130), ids[chosen]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
    asked = pairs[new.repeat(20)]  # in hands that it has not seen either
    with torch.no_grad():
        found = pairs[model(_draw(asked, 130, 174), ids).argmax(dim=1)]  # of all 100 captions
    right = (found == asked).all(dim=1).float().mean()
    swapped = (found == asked.flip(1)).all(dim=1).float().mean()
    print(f"the right caption of 100: {right:.1%}; the digits the other way round: {swapped:.1%}")
