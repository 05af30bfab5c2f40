import math

import torch
import torch.nn.functional as F
from einops import rearrange


# 9.1
def windows_right(x, side):
    B, H, W, D = x.shape
    x = x.view(B, H // side, side, W // side, side, D).permute(0, 1, 3, 2, 4, 5)
    return x.reshape(-1, side * side, D)


# 9.2
def put_back_right(windows, side, height, width):
    x = windows.reshape(-1, height // side, width // side, side, side, windows.size(-1))
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, height, width, windows.size(-1))


def came_and_now(height, width, side, shift):
    r, c = torch.arange(height).roll(-shift), torch.arange(width).roll(-shift)
    came = torch.stack(torch.meshgrid(r, c, indexing="ij"), -1)[None]
    own = torch.arange(side)
    now = torch.stack(torch.meshgrid(own, own, indexing="ij"), -1).view(-1, 2)
    came, now = windows_right(came, side), now[None]
    return came[:, None] - came[:, :, None], now[:, None] - now[:, :, None]


# 9.3
def may_look_right(height, width, side, shift):
    came, now = came_and_now(height, width, side, shift)
    return (came == now).all(-1)


# 9.3
def may_look_wrong_1(height, width, side, shift):
    came, now = came_and_now(height, width, side, shift)
    return (came.abs() == now.abs()).all(-1)


# 9.3
def may_look_wrong_2(height, width, side, shift):
    came, _ = came_and_now(height, width, side, shift)
    return (came.abs() < side).all(-1)


# 9.4
def window_means_right(x, side, shift):
    h, w, _ = x.shape
    rows = windows_right(x.roll((-shift, -shift), (0, 1))[None], side)
    m = may_look_right(h, w, side, shift).float()
    m = m / m.sum(-1, keepdim=True)
    return put_back_right(m.to(x.dtype) @ rows, side, h, w)[0].roll((shift, shift), (0, 1))


# 9.5
def table_index_right(side):
    r, c = torch.arange(side * side) // side, torch.arange(side * side) % side
    down, right = r[:, None] - r[None] + side - 1, c[:, None] - c[None] + side - 1
    return down * (2 * side - 1) + right


# 9.5
def table_index_wrong_1(side):
    return table_index_right(side).T


# 9.5
def table_index_wrong_2(side):
    r, c = torch.arange(side * side) // side, torch.arange(side * side) % side
    return (r[:, None] - r).abs() * side + (c[:, None] - c).abs()


# 9.6
def merge_right(x, weight):
    x = F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))
    four = x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]
    return torch.cat(four, -1) @ weight


# 9.6
def merge_wrong_1(x, weight):
    x = F.pad(x, (0, 0, 0, x.size(1) % 2, 0, x.size(2) % 2))
    return rearrange(x, "b (r h) (c w) d -> b r c (w h d)", h=2, w=2) @ weight


# 9.6
def merge_wrong_2(x, weight):
    return merge_right(x, weight) / 4


# 9.6
def merge_wrong_3(x, weight):
    x = x[:, : x.size(1) // 2 * 2, : x.size(2) // 2 * 2]
    return rearrange(x, "b (r h) (c w) d -> b c r (w h d)", h=2, w=2) @ weight


# 9.8
def read_right(latents, inputs, w_q, w_k, w_v, mask=None):
    q, k, v = latents @ w_q, inputs @ w_k, inputs @ w_v
    s = q @ k.mT / q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask[:, None], -torch.inf)
    return latents + s.softmax(-1) @ v


# 9.8
def read_wrong_1(latents, inputs, w_q, w_k, w_v, mask=None):
    s = (latents @ w_q) @ (inputs @ w_k).mT / math.sqrt(w_q.size(1))
    if mask is not None:
        s = s + mask[:, None].float()
    return latents + s.softmax(-1) @ (inputs @ w_v)


# 9.8
def read_wrong_2(latents, inputs, w_q, w_k, w_v, mask=None):
    s = (latents @ w_q) @ (inputs @ w_k).mT / math.sqrt(w_q.size(1))
    if mask is not None:
        s = s.masked_fill(~mask[..., None], -torch.inf)
    return latents + s.softmax(-1) @ (inputs @ w_v)


# 9.10
def waves_right(positions, n_bands, finest):
    f = torch.linspace(1, finest / 2, n_bands)
    a = torch.pi * positions[..., None] * f
    return torch.cat([positions, torch.cat([a.sin(), a.cos()], -1).flatten(-2)], -1)


def zoom_of(places):
    def zoom(ask, top, left, width, side, most):
        down, right = places(top, width, side), places(left, width, side)
        p = torch.cartesian_prod(down, right)
        return torch.cat([ask(q) for q in p.split(most)]).view(side, side)

    return zoom


RIGHT = {
    "9.1": [windows_right],
    "9.2": [(None, put_back_right)],
    "9.3": [may_look_right],
    "9.4": [(None, window_means_right)],
    "9.5": [table_index_right],
    "9.6": [merge_right],
    "9.7": [196],
    "9.8": [read_right],
    "9.9": [74_752],
    "9.10": [waves_right],
    "9.11": [zoom_of(lambda start, width, side: start + (torch.arange(side) + 0.5) / side * width)],
    "9.12": [89.1],
}

WRONG = {
    "9.3": [
        ("how far, not in which direction", may_look_wrong_1),
        ("less than a side away", may_look_wrong_2),
    ],
    "9.5": [
        ("key minus query", table_index_wrong_1),
        ("steps without their signs", table_index_wrong_2),
    ],
    "9.6": [
        ("height and width exchanged in the padding", merge_wrong_1),
        ("divided by four", merge_wrong_2),
        ("columns before rows, an odd side cut off", merge_wrong_3),
    ],
    "9.7": [
        ("patches, not pixels", 49),
        ("all patches", 2_401),
        ("the root once too often", 14),
        ("three windows", 84),
        ("twice as long", 392),
        ("three times as long", 588),
    ],
    "9.8": [
        ("the mask added as 0 and 1", read_wrong_1),
        ("the mask on the axis of the latents", read_wrong_2),
    ],
    "9.9": [
        ("the layers three times", 87_040),
        ("the reading alone", 50_176),
        ("pixels for each latent", 98),
        ("6 and 8 added", 57_344),
        ("the scores of one layer", 262_144),
        ("the scores of the reading", 25_690_112),
    ],
    "9.11": [
        (
            "2 wide",
            zoom_of(lambda start, width, side: start + (torch.arange(side) + 0.5) * 2 / side),
        ),
        (
            "from 0 to 1",
            zoom_of(lambda a, width, side: (a + 1 + (torch.arange(side) + 0.5) / side * width) / 2),
        ),
    ],
    "9.12": [
        ("the model of language", 8),
        ("both numbers, cut", 178.2),
        ("both numbers, rounded", 178.3),
        ("both pictures, both numbers", 356.5),
    ],
}
