"""ViT on one page: cut a picture into patches, and read them like the words of a sentence.

Dosovitskiy et al. 2020, section 3.1. `python vit.py` learns handwritten digits of 8 x 8 pixels for
about a minute, and draws some that it has not seen.

B batch, C channels, P patch side, N patches, T = N + 1, H heads, D model width, K = D / H (d_k)
"""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


class SelfAttention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V in H heads: each patch gathers what fits it. Keeps (B, T, D)."""

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)  # queries, keys and values in one product
        self.output = nn.Linear(d_model, d_model)  # mixes what the heads found
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = rearrange(self.qkv(x), "B T (qkv H K) -> qkv B H T K", qkv=3, H=self.n_heads)
        # A sum of d_k products spreads like √d_k: divided by that, the softmax starts out soft.
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T), no mask
        weights = scores.softmax(dim=-1)  # (B, H, T, T), each row sums to 1
        return self.output(rearrange(self.dropout(weights) @ v, "B H T K -> B T (H K)"))


class FeedForward(nn.Module):
    """Each patch works on what it gathered, on its own: (B, T, D) -> (B, T, D)."""

    def __init__(self, d_model):
        super().__init__()
        self.hidden = nn.Linear(d_model, 4 * d_model)
        self.output = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        return self.output(F.gelu(self.hidden(x)))  # (B, T, 4 D) in between


class Block(nn.Module):
    """Equations 2 and 3: each step reads a normalised x and adds its result to x itself."""

    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model, eps=1e-6)  # 1e-6 as in the published models
        self.attention = SelfAttention(d_model, n_heads, dropout)
        self.feed_forward_norm = nn.LayerNorm(d_model, eps=1e-6)
        self.feed_forward = FeedForward(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.dropout(self.attention(self.attention_norm(x)))
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class PatchEmbedding(nn.Module):
    """images (B, C, height, width) -> (B, 1 + N, D): [CLS], then a vector for each patch.

    Attention compares patches, not single pixels: one linear map makes a patch a vector, as a word
    has one. [CLS] belongs to no patch; what it gathers describes the whole picture.
    """

    def __init__(self, patch_size, channels, d_model):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.class_token = nn.Parameter(torch.zeros(d_model))

    def forward(self, images):
        P = self.patch_size
        patches = rearrange(images, "B C (row p1) (col p2) -> B (row col) (C p1 p2)", p1=P, p2=P)
        x = self.projection(patches)  # (B, N, C P P) -> (B, N, D)
        class_token = self.class_token.expand(len(x), 1, -1)  # (B, 1, D)
        return torch.cat([class_token, x], dim=1)  # (B, 1 + N, D)


class ViT(nn.Module):
    """images (B, C, image_size, image_size) -> logits (B, n_classes)."""

    def __init__(
        self, *, image_size, patch_size, channels, d_model, n_layers, n_heads, n_classes, dropout=0
    ):
        super().__init__()
        assert image_size % patch_size == 0, "whole patches only"
        assert d_model % n_heads == 0, "the heads share the width evenly"
        n_patches = (image_size // patch_size) ** 2
        self.patch_embedding = PatchEmbedding(patch_size, channels, d_model)
        self.position_embedding = nn.Embedding(1 + n_patches, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, dropout) for _ in range(n_layers))
        self.final_norm = nn.LayerNorm(d_model, eps=1e-6)
        self.classifier = nn.Linear(d_model, n_classes)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:  # small, so that the model starts without strong opinions
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, images):
        x = self.patch_embedding(images)  # (B, T, D)
        x = x + self.position_embedding.weight  # (T, D): attention alone would not see the order
        x = self.dropout(x)
        for block in self.blocks:
            x = block(x)
        x = self.final_norm(x)
        return self.classifier(x[:, 0])  # only [CLS] is asked: (B, D) -> (B, n_classes)


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = (Path(__file__).parent / "data/digits.txt").read_text("utf-8").splitlines()
    labels = torch.tensor([int(line[0]) for line in lines])  # (1797,)
    # Each of the 64 pixels is written as one digit to base 17: 0 is white, G (16) is black.
    pixels = torch.tensor([[int(digit, 17) for digit in line[2:]] for line in lines])  # (1797, 64)
    images = (pixels / 8 - 1).view(-1, 1, 8, 8)  # -1 to 1
    known, new = torch.randperm(len(lines)).split([1400, len(lines) - 1400])
    means = torch.stack([images[known][labels[known] == digit].mean(dim=0) for digit in range(10)])
    nearest = torch.cdist(images[new].flatten(1), means.flatten(1)).argmin(dim=1)  # the baseline
    baseline = (nearest == labels[new]).float().mean()

    model = ViT(
        image_size=8, patch_size=2, channels=1, d_model=64, n_layers=3, n_heads=4, n_classes=10
    )
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.05)
    for step in range(1, 701):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(step / 70, 1 - step / 701)  # up, then down
        chosen = known[torch.randint(1400, (64,))]
        loss = F.cross_entropy(model(images[chosen]), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
    with torch.no_grad():
        found = model.eval()(images[new]).argmax(dim=-1)  # (397,)
    right = (found == labels[new]).float().mean()
    for row in pixels[new][:4].view(4, 8, 8).transpose(0, 1):  # the first four, side by side
        print("     ".join("".join(" .:-=+*#%@"[p * 9 // 16] * 2 for p in digit) for digit in row))
    print(f"The ViT reads {found[:4].tolist()}.")
    print(f"right on new digits: {right:.1%}; by the nearest mean picture: {baseline:.1%}")
