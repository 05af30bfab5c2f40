"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import functools
import itertools
import math

import property_checks
import pytest
import torch


def patchify(by_columns=False, order="cij", mirrored=False, step=None):
    """Patches cut by loops, with a choice of slips."""

    def answer(images, patch_size):
        p = patch_size
        rows, columns = images.shape[2] // p, images.shape[3] // p
        cells = [(r, c) for r in range(rows) for c in range(columns)]
        if by_columns:
            cells = [(r, c) for c in range(columns) for r in range(rows)]
        if mirrored:
            cells = [(r, columns - 1 - c) for r, c in cells]
        found = []
        for r, c in cells:
            patch = images[:, :, r * p : r * p + p, c * p : c * p + p]
            found.append(patch.permute(0, *("cij".index(x) + 1 for x in order)).flatten(1))
        return torch.stack(found, dim=step if step is not None else 1)

    return answer


def embed(bias=True, cls="front", positions=0, map_cls=False, scale=1.0, on_cls=True):
    """What the first layer reads, with a choice of slips."""

    def answer(patches, weight, bias_, cls_, table):
        vectors = torch.einsum("bnf,df->bnd", patches, weight) * scale
        if bias:
            vectors = vectors + bias_
        first = cls_.expand(len(patches), 1, -1)
        if map_cls:
            first = first + bias_
        parts = [first, vectors] if cls == "front" else [vectors, first]
        places = table.roll(positions, dims=0).clone()
        if not on_cls:
            places[0] = 0
        return torch.cat(parts, dim=1) + places

    return answer


def read_through(order=None, with_all=False, tail=slice(None), glued=False):
    """The whole ViT, with a choice of slips."""

    def answer(images, patch_size, linear, cls, positions, layers, norm, head):
        p = patch_size
        cut = images.unfold(2, p, p).unfold(3, p, p)  # (B, C, rows, columns, P, P)
        x = linear(cut.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2))
        x = torch.cat([cls.repeat(len(x), 1, 1), x], dim=1) + positions
        if with_all:  # every picture sees the mean of all pictures
            x = x + x.mean(dim=0)
        layers = list(layers)
        for number in range(len(layers)) if order is None else order(len(layers)):
            x = layers[number](x)
        x = norm(x)[:, 0]
        return head(x.flatten()[None, : x.size(1)]) if glued else head(x)[tail]

    return answer


def covered(number, keep=1.0, value=0.0, flat=False, all_at_once=False):
    """Occlusion by pictures that are built up of tiles, with a choice of slips."""

    def answer(read, images, tile):
        rows = images.size(-1) // tile
        whole = read(images).softmax(-1)
        named = whole.argmax(-1)
        found = []
        for row, column in itertools.product(range(rows), repeat=2):
            mask = torch.ones(rows, rows)
            mask[row, column] = 0
            mask = mask.kron(torch.ones(tile, tile)).to(images)
            now = read(images * mask * keep + value * (1 - mask)).softmax(-1)
            which = named[:1].expand_as(named) if all_at_once else named
            found.append(number(whole.gather(1, which[:, None]), now.gather(1, which[:, None])))
        maps = torch.cat(found, dim=1)
        return maps if flat else maps.view(-1, rows, rows)

    return answer


def fall(before, after):
    return before - after


def matched(scale=None, worst=False, one_hot=False, places=False):
    """The example most like each patch, with a choice of slips."""

    def answer(patches, examples):
        products = torch.einsum("nd,kd->nk", patches, examples)
        if scale != "none":
            products = products / examples.norm(dim=1)
        if scale == "patches too":
            products = products / patches.norm(dim=1, keepdim=True)
        best = products.argmin(dim=1) if worst else products.argmax(dim=1)
        if one_hot:
            return torch.nn.functional.one_hot(best, len(examples))
        return best + 1 if places else best

    return answer


def grid(by_columns=False, exchanged=False, start=0, base=10_000, divide="half", order="pairs"):
    """Positions in two directions, with a choice of slips."""

    def vector(place, half):
        sines, cosines = [], []
        for i in range(half // 2):
            width = {"half": half, "whole": 2 * half, "quarter": half / 2}[divide]
            angle = place / base ** (2 * i / width)
            sines.append(math.sin(angle))
            cosines.append(math.cos(angle))
        if order == "halves":
            return sines + cosines
        both = (cosines, sines) if order == "cosine" else (sines, cosines)
        return [number for pair in zip(*both, strict=True) for number in pair]

    def answer(n_rows, n_columns, d_model):
        cells = [(r, c) for r in range(n_rows) for c in range(n_columns)]
        if by_columns:
            cells = [(r, c) for c in range(n_columns) for r in range(n_rows)]
        found = []
        for r, c in cells:
            pair = (c, r) if exchanged else (r, c)
            found.append([x for place in pair for x in vector(place + start, d_model // 2)])
        return torch.tensor(found)

    return answer


def interpolated(mode="bilinear", corners=False, swapped=False, cls=True, out=False, add=False):
    """Positions for a larger picture, with a choice of slips."""

    def answer(table, old_grid, new_grid):
        body = table[1:] if cls else table[:-1]
        rows, columns = old_grid[::-1] if swapped else old_grid
        cells = body.reshape(rows, columns, -1).permute(2, 0, 1)[None]
        size = tuple(new_grid)[::-1] if out else tuple(new_grid)
        extra = {"align_corners": True} if corners else {}
        new = torch.nn.functional.interpolate(cells, size=size, mode=mode, **extra)
        new = new[0].flatten(1).T
        first = table[:1] if cls else table[-1:]
        if add:
            first = first * 0
        return torch.cat([first, new] if cls else [new, first])

    return answer


def cls_map(row=0, columns=slice(1, None), heads="mean", turned=False, scaled=False):
    """What [CLS] looks at, with a choice of slips."""

    def answer(weights, n_rows, n_columns):
        one = {
            "mean": weights.mean(0),
            "max": weights.amax(0),
            "sum": weights.sum(0),
            "first": weights[0],
        }[heads]
        seen = (one.T if turned else one)[row, columns]
        if scaled:
            seen = seen / seen.sum()
        return seen.view(n_rows, n_columns)

    return answer


def transposed(weights, n_rows, n_columns):
    return weights.mean(0)[0, 1:].view(n_columns, n_rows).T


def rollout(residual=0.5, heads="mean", later_left=True, layers=slice(None), turned=False, own=1):
    """Rollout, with a choice of slips."""

    def answer(maps):
        found = None
        for layer in maps[layers]:
            mixed = {"mean": layer.mean(0), "max": layer.amax(0), "sum": layer.sum(0)}[heads]
            if turned:
                mixed = mixed.T
            mixed = (1 - residual) * mixed + own * residual * torch.eye(layer.size(-1))
            found = [mixed] if found is None else [mixed, *found] if later_left else [*found, mixed]
        return functools.reduce(torch.matmul, found)

    return answer


def corrupt(everywhere=False, exchanged=False, strict=True, own=True, batch=True, late=False):
    """Hidden patches, with a choice of slips."""

    def answer(patches, mask, chosen, draw, other):
        result = patches.clone()
        below = (lambda a, b: a < b) if strict else (lambda a, b: a <= b)
        for b in range(patches.size(0)):
            for n in range(patches.size(1)):
                if not (chosen[b, n] or everywhere):
                    continue
                source = result if late else patches
                replaced = source[b if batch else 0, other[b, n] if own else n - 1]
                pair = (replaced, mask) if exchanged else (mask, replaced)
                if below(draw[b, n], 0.8):
                    result[b, n] = pair[0]
                elif below(draw[b, n], 0.9):
                    result[b, n] = pair[1]
        return result

    return answer


def split(first=0, second=0, third=None, train=0):
    """The parts of a list of pictures, with a choice of slips."""

    def answer(order, n_validation, n_test):
        n = len(order) - n_validation - n_test
        return (
            order[: n + train],
            order[n + first : n + first + n_validation],
            order[-n_test + second :] if third is None else third(order, n_test),
        )

    return answer


SETS = {
    "7.2": (
        patchify(),
        {
            "column by column": (
                patchify(by_columns=True),
                ["It goes down the columns of patches: go"],
            ),
            "channels last": (patchify(order="ijc"), ["The numbers of a patch come by row"]),
            "turned patches": (patchify(order="cji"), ["The numbers of a patch come by channel"]),
            "from the right": (patchify(mirrored=True), ["The first patches are those in (row"]),
            "columns, channels last": (
                patchify(True, "ijc"),
                ["It goes down the columns of patches: go", "The numbers of a patch come by row"],
            ),
            "columns, turned patches": (
                patchify(True, "cji"),
                [
                    "It goes down the columns of patches: go",
                    "The numbers of a patch come by channel",
                ],
            ),
            "patches before pictures": (patchify(step=0), ["The patches come before the pictures"]),
        },
    ),
    "7.3": (
        embed(),
        {
            "no bias": (embed(bias=False), ["The bias of the linear map is left out."]),
            "cls at the end": (embed(cls="end"), ["It puts [CLS] at the end: it comes"]),
            "bias on cls": (embed(map_cls=True), ["The bias is added to [CLS] too: it is"]),
            "positions shifted": (embed(positions=1), ["[CLS] gets position number 3, and the 3"]),
            "no bias, no position on cls": (
                embed(bias=False, on_cls=False),
                ["The bias of the linear map is left out.", "No position is added to [CLS]: the"],
            ),
            "cls at the end, no bias": (
                embed(cls="end", bias=False),
                ["It puts [CLS] at the end: it comes", "The bias of the linear map is left out."],
            ),
            "scaled": (embed(scale=5**0.5), ["The vectors are multiplied by 2.24"]),
        },
    ),
    "7.7": (
        grid(),
        {
            "columns first": (grid(exchanged=True), ["It puts the column's half first: the"]),
            "column by column": (grid(by_columns=True), ["It goes down the columns of the grid"]),
            "from 1": (grid(start=1), ["It counts from 1: the first row and the"]),
            "whole width": (grid(divide="whole"), ["The exponent is divided by D: each half"]),
            "exchanged, whole": (
                grid(exchanged=True, divide="whole"),
                ["It puts the column's half first: the", "The exponent is divided by D: each half"],
            ),
            "from 1, halves": (
                grid(start=1, order="halves"),
                [
                    "All sines come before all cosines: each",
                    "It counts from 1: the first row and the",
                ],
            ),
            "base 1000": (grid(base=1000), ["The base is 1000: it is 10000."]),
            "cosine first": (grid(order="cosine"), ["The cosine comes first: the sine does."]),
            "quarter, cosine": (
                grid(divide="quarter", order="cosine"),
                [
                    "The cosine comes first: the sine does.",
                    "It counts pairs twice: the exponent is",
                ],
            ),
        },
    ),
    "7.8": (
        interpolated(),
        {
            "bicubic": (interpolated("bicubic"), ["It is bicubic: bilinear is asked for."]),
            "nearest": (interpolated("nearest"), ["It copies the nearest cell, the default"]),
            "corners": (interpolated(corners=True), ["It lays the corner cells on each other"]),
            "old grid turned": (
                interpolated(swapped=True),
                ["It reads the old grid as C rows and R"],
            ),
            "old grid turned, corners": (
                interpolated(swapped=True, corners=True),
                ["It reads the old grid as C rows and R", "It lays the corner cells on each other"],
            ),
            "new grid turned": (interpolated(out=True), ["It makes C' rows and R' columns of the"]),
            "[CLS] at the end": (
                interpolated(cls=False),
                ["In front is another vector than", "The vector of [CLS] is mixed into the"],
            ),
            "[CLS] lost, nearest": (
                interpolated("nearest", add=True),
                ["In front is another vector than", "It copies the nearest cell, the default"],
            ),
        },
    ),
    "7.9": (
        cls_map(),
        {
            "turned": (cls_map(turned=True), ["It reads the column of [CLS], how much"]),
            "last row": (cls_map(row=-1), ["It reads the last row, what the last"]),
            "sum": (cls_map(heads="sum"), ["It adds up the heads: take their mean."]),
            "max, last column lost": (
                cls_map(heads="max", columns=slice(-1)),
                ["It takes [CLS] for the first patch", "It takes the highest weight among the"],
            ),
            "transposed": (transposed, ["It fills the grid column by column: the"]),
            "sum to 1": (cls_map(scaled=True), ["The map is made to sum to 1: give the"]),
            "turned, first head": (
                cls_map(turned=True, heads="first"),
                [
                    "It reads the column of [CLS], how much",
                    "It takes the first head only: take the",
                ],
            ),
        },
    ),
    "7.10": (
        rollout(),
        {
            "no residual": (rollout(residual=0), ["The residual path is left out: half of"]),
            "earlier left": (rollout(later_left=False), ["It multiplies in the wrong order: a"]),
            "max": (rollout(heads="max"), ["It takes the highest weight among the"]),
            "first lost": (rollout(layers=slice(1, None)), ["It leaves out the first layer."]),
            "max, earlier left": (
                rollout(heads="max", later_left=False),
                ["It takes the highest weight among the", "It multiplies in the wrong order: a"],
            ),
            "no residual, earlier left": (
                rollout(0, later_left=False),
                ["The residual path is left out: half of", "It multiplies in the wrong order: a"],
            ),
            "0.9 residual": (rollout(residual=0.9), ["A layer is 0.1 of its map and 0.9 of"]),
            "turned": (
                rollout(turned=True),
                ["It exchanges rows and columns: row t is", "It multiplies in the wrong order: a"],
            ),
            "last lost, sum": (
                rollout(layers=slice(-1), heads="sum"),
                ["It adds up the heads: average them, so", "It leaves out the last layer."],
            ),
        },
    ),
    "7.12": (
        corrupt(),
        {
            "everywhere": (corrupt(everywhere=True), ["A patch that is not chosen, with the"]),
            "exchanged": (
                corrupt(exchanged=True),
                ["A chosen patch with the draw 0.03", "A chosen patch with the draw 0.81"],
            ),
            "0.8 hidden": (corrupt(strict=False), ["A chosen patch with the draw 0.8"]),
            "everywhere, 0.8 hidden": (
                corrupt(everywhere=True, strict=False),
                ["A patch that is not chosen, with the", "A chosen patch with the draw 0.8"],
            ),
            "changed patch": (corrupt(late=True), ["It takes patch `other[b, n]` as it is"]),
            "neighbour": (corrupt(own=False), ["A chosen patch with the draw 0.81"]),
            "first picture": (corrupt(batch=False), ["A chosen patch with the draw 0.8"]),
            "first picture, everywhere": (
                corrupt(batch=False, everywhere=True),
                ["A patch that is not chosen, with the", "A chosen patch with the draw 0.8"],
            ),
        },
    ),
    "7.5": (
        split(),
        {
            "one lost": (
                split(train=-1),
                ["Of 11 images it leaves out 1: each is", "With 11 images, n_validation = 2 and"],
            ),
            "one twice": (
                split(first=-1),
                ["Images are in two parts, training and", "Of 11 images it leaves out 1: each is"],
            ),
            "test from the front": (
                split(third=lambda order, n: order[:n]),
                ["Images are in two parts, training and", "Of 11 images it leaves out 3: each is"],
            ),
            "one lost, test short": (
                split(train=-1, second=1),
                ["Of 11 images it leaves out 2: each is", "With 11 images, n_validation = 2 and"],
            ),
            "test reversed": (
                split(third=lambda order, n: order[-n:][::-1]),
                ["The images of a part come in another"],
            ),
        },
    ),
}

SETS |= {
    "7.4": (
        read_through(),
        {
            "last layer lost": (
                read_through(order=lambda n: range(n - 1)),
                ["Of three layers these ran: [0, 1]. Each"],
            ),
            "from the top": (
                read_through(order=lambda n: range(n)[::-1]),
                ["Of three layers these ran: [2, 1, 0]. Each"],
            ),
            "pictures mixed": (
                read_through(with_all=True),
                ["A picture's logits change with the pictures"],
            ),
            "first picture only": (
                read_through(glued=True),
                ["It makes (1, 4) of 2 pictures with 4 classes"],
            ),
            "pictures mixed, layers twice": (
                read_through(lambda n: [0, 0, *range(1, n)], with_all=True),
                ["Of three layers these ran: [0, 0, 1, 2]", "A picture's logits change with the"],
            ),
        },
    ),
    "7.11": (
        covered(fall),
        {
            "flat": (covered(fall, flat=True), ["The map is flat, (B, R · R): give it rows"]),
            "grey": (covered(fall, value=0.5), ["A tile that is blank already must get 0."]),
            "paler": (covered(fall, keep=0.9), ["A tile that is blank already must get 0."]),
            "class of the first": (
                covered(fall, all_at_once=True),
                ["A picture's map changes with the pictures"],
            ),
            "a share": (
                covered(lambda before, after: after / before),
                ["A tile that is blank already must get 0."],
            ),
        },
    ),
    "7.14": (
        matched(),
        {
            "from 1": (matched(places=True), ["An example must be most like itself."]),
            "one row each": (matched(one_hot=True), ["It makes (12, 3) of 12 patches and 3"]),
            "products": (matched("none"), ["It compares dot products, so a long"]),
            "least": (matched(worst=True), ["It takes the example that is least like"]),
        },
    ),
}

WRONG = {id: answers for id, (_, answers) in SETS.items()}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    property_checks.assert_right(id, SETS[id][0])
