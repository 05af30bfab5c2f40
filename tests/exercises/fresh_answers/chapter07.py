import functools
import itertools
import math

import torch
import torch.nn.functional as F


# 7.2
def patchify_right_1(images, patch_size):
    b, c, h, w = images.shape
    p = patch_size
    x = images.reshape(b, c, h // p, p, w // p, p)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(b, (h // p) * (w // p), c * p * p)


def patchify_right_2(pictures, size):
    return F.unfold(pictures, kernel_size=size, stride=size).transpose(1, 2)


def patchify_wrong_swapped_sides(images, patch_size):
    b, c, h, w = images.shape
    p = patch_size
    x = images.reshape(b, c, w // p, p, h // p, p)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * p * p)


def patchify_wrong_channels_last(images, patch_size):
    p = patch_size
    x = images.unfold(2, p, p).unfold(3, p, p)
    return x.permute(0, 2, 3, 4, 5, 1).flatten(3).flatten(1, 2)


def patchify_wrong_two(images, patch_size):
    out = []
    for x in range(0, images.shape[3], patch_size):
        for y in range(0, images.shape[2], patch_size):
            cut = images[:, :, y : y + patch_size, x : x + patch_size]
            out.append(cut.transpose(2, 3).flatten(1))
    return torch.stack(out, dim=1)


# 7.3
def embed_right_1(patches, weight, bias, cls, positions):
    x = F.linear(patches, weight, bias)
    front = cls.expand(len(x), 1, -1)
    return torch.cat([front, x], dim=1) + positions


def embed_right_2(patches, w, b, cls, pos):
    n_pictures, n, _ = patches.shape
    out = pos.repeat(n_pictures, 1, 1)
    out[:, 0] += cls
    out[:, 1:] += torch.einsum("bnf,df->bnd", patches, w) + b
    return out


def embed_wrong_cls_no_position(patches, weight, bias, cls, positions):
    x = patches @ weight.T + bias + positions[1:]
    front = cls.view(1, 1, -1).repeat(len(x), 1, 1)
    return torch.cat((front, x), dim=1)


def embed_wrong_weight_reshaped(patches, weight, bias, cls, positions):
    x = patches @ weight.reshape(weight.shape[1], weight.shape[0]) + bias
    return torch.cat((cls.expand(len(x), 1, -1), x), dim=1) + positions


def embed_wrong_two(patches, weight, bias, cls, positions):
    x = patches @ weight.T
    return torch.cat((x, cls.expand(len(x), 1, -1)), dim=1) + positions


# 7.4
def grid_right_1(n_rows, n_columns, d_model):
    half = d_model // 2
    out = []
    for r in range(n_rows):
        for c in range(n_columns):
            v = []
            for pos in (r, c):
                for i in range(half // 2):
                    angle = pos / 10000 ** (2 * i / half)
                    v += [math.sin(angle), math.cos(angle)]
            out.append(v)
    return torch.tensor(out)


def grid_right_2(rows, columns, width):
    half = width // 2

    def wave(n):
        angle = torch.arange(n).double()[:, None] * torch.exp(
            torch.arange(0, half, 2).double() * (-math.log(10000.0) / half)
        )
        return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)

    a = wave(rows).repeat_interleave(columns, dim=0)
    b = wave(columns).repeat(rows, 1)
    return torch.cat((a, b), dim=1).float()


def _waves(pos, half, base_width):
    angle = pos[:, None] / 10000 ** (torch.arange(0, half, 2) / base_width)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)


def grid_wrong_whole_width(n_rows, n_columns, d_model):
    r = _waves(torch.arange(n_rows).float(), d_model // 2, d_model)
    c = _waves(torch.arange(n_columns).float(), d_model // 2, d_model)
    return torch.cat((r.repeat_interleave(n_columns, 0), c.repeat(n_rows, 1)), dim=1)


def grid_wrong_sines_then_cosines(n_rows, n_columns, d_model):
    half = d_model // 2
    freq = 1 / 10000 ** (torch.arange(0, half, 2) / half)
    out = torch.zeros(n_rows, n_columns, d_model)
    for r in range(n_rows):
        for c in range(n_columns):
            out[r, c] = torch.cat(
                ((r * freq).sin(), (r * freq).cos(), (c * freq).sin(), (c * freq).cos())
            )
    return out.reshape(-1, d_model)


def grid_wrong_two(n_rows, n_columns, d_model):
    half = d_model // 2
    r = _waves(torch.arange(1, n_rows + 1).float(), half, half)
    c = _waves(torch.arange(1, n_columns + 1).float(), half, half)
    return torch.cat((c.repeat(n_rows, 1), r.repeat_interleave(n_columns, 0)), dim=1)


# 7.5
def interpolate_right_1(table, old_grid, new_grid):
    cells = table[1:].reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    new = F.interpolate(cells, size=tuple(new_grid), mode="bilinear")
    return torch.cat((table[:1], new.flatten(2)[0].T))


def interpolate_right_2(table, old, new):
    (R, C), (R2, C2) = old, new

    def matrix(n, m):
        out = torch.zeros(m, n, dtype=torch.float64)
        for i in range(m):
            x = max((i + 0.5) * n / m - 0.5, 0.0)
            a = min(int(x), n - 1)
            out[i, a] += 1 - (x - a)
            out[i, min(a + 1, n - 1)] += x - a
        return out

    cells = table[1:].double().reshape(R, C, -1)
    grown = torch.einsum("ir,jc,rcd->ijd", matrix(R, R2), matrix(C, C2), cells)
    return torch.cat((table[:1], grown.reshape(R2 * C2, -1).to(table.dtype)))


def interpolate_wrong_corners(table, old_grid, new_grid):
    cells = table[1:].T.reshape(1, -1, *old_grid)
    new = F.interpolate(cells, size=new_grid, mode="bilinear", align_corners=True)
    return torch.cat((table[:1], new[0].flatten(1).T))


def interpolate_wrong_reshape(table, old_grid, new_grid):
    cells = table[1:].reshape(1, table.shape[1], *old_grid)
    new = F.interpolate(cells, size=new_grid, mode="bilinear")
    return torch.cat((table[:1], new.reshape(-1, table.shape[1])))


def interpolate_wrong_two(table, old_grid, new_grid):
    cells = table[1:].T.reshape(1, -1, *old_grid)
    new = F.interpolate(cells, size=new_grid)
    return new[0].flatten(1).T


# 7.11
def split_right_1(order, n_validation, n_test):
    n_train = len(order) - n_validation - n_test
    return order[:n_train], order[n_train : n_train + n_validation], order[n_train + n_validation :]


def split_right_2(order, n_validation, n_test):
    it = iter(order)
    n_train = len(order) - n_validation - n_test
    return tuple(list(itertools.islice(it, n)) for n in (n_train, n_validation, n_test))


def split_wrong_no_end(order, n_validation, n_test):
    n_train = len(order) - n_validation - n_test
    train = order[:n_train]
    validation = order[n_train:]
    test = order[n_train + n_validation :]
    return (train, validation, test)


def split_wrong_off_by_one(order, n_validation, n_test):
    n_train = len(order) - n_validation - n_test
    train = order[:n_train]
    validation = order[n_train + 1 : n_train + n_validation]
    test = order[n_train + n_validation :]
    return (train, validation, test)


def split_wrong_two(order, n_validation, n_test):
    order = sorted(order)
    n_train = len(order) - n_validation - n_test
    return (order[:n_train], order[-n_validation:], order[n_train + n_validation :])


# 7.6
def cls_right_1(weights, n_rows, n_columns):
    return weights.mean(dim=0)[0, 1:].reshape(n_rows, n_columns)


def cls_right_2(maps, rows, columns):
    out = torch.zeros(rows, columns, dtype=maps.dtype)
    for head in maps:
        for r in range(rows):
            for c in range(columns):
                out[r, c] += head[0, 1 + r * columns + c] / len(maps)
    return out


def cls_wrong_column(weights, n_rows, n_columns):
    return weights.mean(dim=0)[1:, 0].reshape(n_rows, n_columns)


def cls_wrong_columns_first(weights, n_rows, n_columns):
    return weights.mean(dim=0)[0, 1:].reshape(n_columns, n_rows).T


def cls_wrong_two(weights, n_rows, n_columns):
    return weights[0][-1, 1:].reshape(n_rows, n_columns)


# 7.7
def rollout_right_1(maps):
    eye = torch.eye(maps.shape[-1], dtype=maps.dtype)
    out = eye
    for layer in maps:
        out = (0.5 * layer.mean(dim=0) + 0.5 * eye) @ out
    return out


def rollout_right_2(maps):
    mixed = (maps.double().mean(dim=1) + torch.eye(maps.size(-1))) / 2
    return functools.reduce(lambda late, early: late @ early, reversed(list(mixed)))


def rollout_wrong_order(maps):
    eye = torch.eye(maps.shape[-1])
    out = eye
    for layer in maps:
        out = out @ (layer.mean(dim=0) + eye) * 0.5
    return out


def rollout_wrong_residual_once(maps):
    eye = torch.eye(maps.shape[-1])
    out = maps[0].mean(dim=0)
    for layer in maps[1:]:
        out = layer.mean(dim=0) @ out
    return (out + eye) / 2


def rollout_wrong_two(maps):
    eye = torch.eye(maps.shape[-1])
    out = eye
    for i in range(1, len(maps)):
        out = (0.5 * maps[i].sum(dim=0) + 0.5 * eye) @ out
    return out


# 7.9
def corrupt_right_1(patches, mask, chosen, draw, other):
    index = other.unsqueeze(-1).expand_as(patches)
    swapped = patches.gather(1, index)
    hide = (chosen & (draw < 0.8)).unsqueeze(-1)
    swap = (chosen & (draw >= 0.8) & (draw < 0.9)).unsqueeze(-1)
    return torch.where(hide, mask, torch.where(swap, swapped, patches))


def corrupt_right_2(vectors, mask, chosen, draw, other):
    out = vectors.clone()
    for b in range(out.shape[0]):
        for n in range(out.shape[1]):
            if not chosen[b, n] or draw[b, n] >= 0.9:
                continue
            out[b, n] = mask if draw[b, n] < 0.8 else vectors[b, other[b, n]]
    return out


def corrupt_wrong_reads_corrupted(patches, mask, chosen, draw, other):
    out = patches.clone()
    for b in range(len(out)):
        for n in range(len(out[b])):
            if chosen[b, n]:
                if draw[b, n] < 0.8:
                    out[b, n] = mask
                elif draw[b, n] < 0.9:
                    out[b, n] = out[b, other[b, n]]
    return out


def corrupt_wrong_first_picture(patches, mask, chosen, draw, other):
    out = patches.clone()
    swap = chosen & (draw < 0.9)
    out[swap] = patches.flatten(0, 1)[other[swap]]
    out[chosen & (draw < 0.8)] = mask
    return out


def corrupt_wrong_two(patches, mask, chosen, draw, other):
    swapped = torch.stack([p[o] for p, o in zip(patches, other)])
    swap = chosen & (draw >= 0.8) & (draw < 0.9)
    patches[draw < 0.8] = mask
    patches[swap] = swapped[swap]
    return patches


RIGHT = {
    "7.1": [257],
    "7.2": [patchify_right_1, patchify_right_2],
    "7.3": [embed_right_1, embed_right_2],
    "7.7": [grid_right_1, grid_right_2],
    "7.8": [interpolate_right_1, interpolate_right_2],
    "7.5": [("c", split_right_1), ("c", split_right_2)],  # letter from the stub's code
    "7.9": [("b", cls_right_1), ("b", cls_right_2)],  # letter from the stub's code
    "7.10": [rollout_right_1, rollout_right_2],
    "7.12": [corrupt_right_1, corrupt_right_2],
    "7.13": [304.3],
}
WRONG = {
    "7.1": [
        ("[CLS] forgotten: 16 x 16", 256),
        ("each colour its own patches: 3 x 256 + 1", 769),
        ("two: patches of 16 as in the title, and no [CLS]: 14 x 14", 196),
    ],
    "7.2": [
        ("width taken for the rows, height for the columns", patchify_wrong_swapped_sides),
        ("numbers of a patch: row, column, channel", patchify_wrong_channels_last),
        ("two: patches column by column, and the pixels of each too", patchify_wrong_two),
    ],
    "7.3": [
        ("[CLS] gets no position", embed_wrong_cls_no_position),
        ("weight reshaped, not transposed", embed_wrong_weight_reshaped),
        ("two: [CLS] behind, and the bias forgotten", embed_wrong_two),
    ],
    "7.7": [
        ("exponent with the whole width D", grid_wrong_whole_width),
        ("sines first, then cosines, in each half", grid_wrong_sines_then_cosines),
        ("two: counts from 1, and the column's half in front", grid_wrong_two),
    ],
    "7.8": [
        ("align_corners=True", interpolate_wrong_corners),
        ("reshaped to (1, D, R, C) without moving the axis", interpolate_wrong_reshape),
        ("two: mode forgotten (nearest), and [CLS] dropped", interpolate_wrong_two),
    ],
    "7.5": [
        ("validation runs to the end, over the test images", ("c", split_wrong_no_end)),
        ("validation begins one too late: one image in no part", ("c", split_wrong_off_by_one)),
        (
            "two: sorted, and validation taken from the end, where the test stands",
            ("c", split_wrong_two),
        ),
    ],
    "7.9": [
        ("the column of [CLS]", ("b", cls_wrong_column)),
        ("grid filled column by column", ("b", cls_wrong_columns_first)),
        ("two: only the first head, and the last row", ("b", cls_wrong_two)),
    ],
    "7.10": [
        ("later layer on the right", rollout_wrong_order),
        ("identity mixed in once, at the end", rollout_wrong_residual_once),
        ("two: first layer skipped, and heads summed", rollout_wrong_two),
    ],
    "7.12": [
        ("replacement read from the already changed patches", corrupt_wrong_reads_corrupted),
        ("other[b, n] looked up in the first picture", corrupt_wrong_first_picture),
        ("two: hides places not chosen, and changes patches itself", corrupt_wrong_two),
    ],
    "7.13": [
        ("patches of 32", 306.5),
        ("head forgotten", 303.3),
        ("two: no head, and no biases in the layers", 303.1),
    ],
}
