"""Swin on one page: attention within windows, windows that shift, a map that shrinks.

Liu et al. 2021. `python swin.py` learns handwritten digits of 8 x 8 pixels in a minute.
B batch, C channels, W window side, D width, H heads; a map is (B, height, width, D)
"""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


class ShiftedWindows(nn.Module):
    """Cut a map into windows, let each look at itself, put the map together again.

    Shifting the windows by s is rolling the map by -s. Then opposite edges of the picture meet in
    the last windows; the mask keeps what does not belong together apart.
    """

    def __init__(self, d_model, n_heads, W, shift):
        super().__init__()
        self.n_heads, self.W, self.shift = n_heads, W, shift
        maps = {"qkv": nn.Linear(d_model, 3 * d_model), "output": nn.Linear(d_model, d_model)}
        self.attention = nn.ModuleDict(maps)
        steps = torch.zeros(n_heads, 2 * W - 1, 2 * W - 1)  # a number for each step in a window
        self.positions = nn.ParameterDict({"weight": nn.Parameter(steps)})
        row, column = torch.arange(W * W) // W, torch.arange(W * W) % W
        self.down = row[None] - row[:, None] + W - 1  # (W², W²), from 0
        self.right = column[None] - column[:, None] + W - 1

    def forward(self, x):
        B, height, width, _ = x.shape
        shift = self.shift if min(height, width) > self.W else 0
        wrapped = torch.zeros(1, height, width, 1)  # what the roll brings from the other edge
        wrapped[:, height - shift :] += 1
        wrapped[:, :, width - shift :] += 2
        part = self.cut(wrapped)[..., 0]  # (windows, W²)
        mask = (part[:, :, None] == part[:, None, :]).repeat(B, 1, 1)[:, None]
        x = self.look(self.cut(x.roll((-shift, -shift), dims=(1, 2))), mask)
        x = rearrange(x, "(B r c) (h w) D -> B (r h) (c w) D", B=B, r=height // self.W, h=self.W)
        return x.roll((shift, shift), dims=(1, 2))

    def cut(self, x):
        return rearrange(x, "B (r h) (c w) D -> (B r c) (h w) D", h=self.W, w=self.W)

    def look(self, x, mask):
        """softmax(Q Kᵀ / √d_k + bias) V in H heads, windows (N, W², D) to the same."""
        qkv = self.attention["qkv"](x)
        q, k, v = rearrange(qkv, "N T (qkv H K) -> qkv N H T K", qkv=3, H=self.n_heads)
        bias = self.positions["weight"][:, self.down, self.right]  # (H, W², W²)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias  # (N, H, W², W²)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        return self.attention["output"](rearrange(weights @ v, "N H T K -> N T (H K)"))


class Block(nn.Module):
    """Each step reads a normalised x and adds its result to x itself."""

    def __init__(self, d_model, n_heads, W, shift):
        super().__init__()
        self.windows = ShiftedWindows(d_model, n_heads, W, shift)
        self.windows_norm = nn.LayerNorm(d_model)
        hidden, output = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.feed_forward = nn.ModuleDict({"hidden": hidden, "output": output})
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x):
        x = x + self.windows(self.windows_norm(x))
        hidden = F.gelu(self.feed_forward["hidden"](self.feed_forward_norm(x)))
        return x + self.feed_forward["output"](hidden)


class PatchMerging(nn.Module):
    """Four neighbours become one position, twice as wide: (B, h, w, D) -> (B, h/2, w/2, 2 D)."""

    def __init__(self, d_model):
        super().__init__()
        self.norm = nn.LayerNorm(4 * d_model)
        self.reduction = nn.Linear(4 * d_model, 2 * d_model, bias=False)

    def forward(self, x):
        x = rearrange(x, "B (r h) (c w) D -> B r c (w h D)", h=2, w=2)
        return self.reduction(self.norm(x))


class Swin(nn.Module):
    """images (B, C, height, width) -> logits (B, n_classes)."""

    def __init__(self, *, patch_size, channels, d_model, depths, n_heads, window, n_classes):
        super().__init__()
        self.patch_size = patch_size
        projection = nn.Linear(channels * patch_size**2, d_model)
        self.patch_embedding = nn.ModuleDict({"projection": projection})
        self.embedding_norm = nn.LayerNorm(d_model)
        self.stages = nn.ModuleList()
        for n, (depth, heads) in enumerate(zip(depths, n_heads, strict=True)):
            D = d_model * 2**n  # in every second layer the windows lie half a window further:
            shifts = [window // 2 if layer % 2 else 0 for layer in range(depth)]
            stage = {"blocks": nn.ModuleList(Block(D, heads, window, shift) for shift in shifts)}
            if n + 1 < len(depths):
                stage["merging"] = PatchMerging(D)
            self.stages.append(nn.ModuleDict(stage))
        self.final_norm = nn.LayerNorm(D)
        self.classifier = nn.Linear(D, n_classes)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.02)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, images):
        P = self.patch_size
        x = rearrange(images, "B C (r p1) (c p2) -> B r c (C p1 p2)", p1=P, p2=P)
        x = self.embedding_norm(self.patch_embedding["projection"](x))  # a map
        for stage in self.stages:
            for block in stage["blocks"]:
                x = block(x)
            x = stage["merging"](x) if "merging" in stage else x
        return self.classifier(self.final_norm(x).mean(dim=(1, 2)))  # (B, D) -> (B, n_classes)


if __name__ == "__main__":
    torch.manual_seed(0)
    lines = (Path(__file__).parent / "data/digits.txt").read_text("utf-8").splitlines()
    labels = torch.tensor([int(line[0]) for line in lines])  # (1797,)
    # Each of the 64 pixels is written as one digit to base 17: 0 is white, G (16) is black.
    pixels = torch.tensor([[int(digit, 17) / 8 - 1 for digit in line[2:]] for line in lines])
    images = pixels.view(-1, 1, 8, 8)
    known, new = torch.randperm(len(lines)).split([1400, len(lines) - 1400])
    means = torch.stack([pixels[known][labels[known] == digit].mean(dim=0) for digit in range(10)])
    nearest = torch.cdist(pixels[new], means).argmin(dim=1)  # the baseline
    baseline = (nearest == labels[new]).float().mean()
    sizes = {"patch_size": 1, "channels": 1, "d_model": 32, "depths": (2, 2), "n_heads": (2, 4)}
    model = Swin(**sizes, window=4, n_classes=10)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.05)
    for step in range(1, 1001):
        optimizer.param_groups[0]["lr"] = 4e-3 * min(step / 100, 1 - step / 1001)  # up, then down
        chosen = known[torch.randint(1400, (64,))]
        loss = F.cross_entropy(model(images[chosen]), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
    right = (model.eval()(images[new]).argmax(dim=-1) == labels[new]).float().mean()
    print(f"right on new digits: {right:.1%}; by the nearest mean picture: {baseline:.1%}")
