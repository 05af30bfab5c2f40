"""Testing a map of a picture: paint over the patches it names, and random ones with as much ink.

A map that names patches with much ink takes more out of the picture than one that names blank ones,
whatever it says about the model. So each map is compared with chance that takes out as much, and
with what the same sort of map names in another picture.
"""

import math

import torch

from tutorial_lib.errors import ShapeError


def paint_over(images, chosen):
    """Return images (B, C, side, side) with the chosen tiles set to 0.

    chosen (B, N) is True for tiles of a square grid that fills the picture, row by row.
    Raises ShapeError when it does not.

    >>> paint_over(torch.ones(1, 1, 4, 4), torch.tensor([[True, False, False, False]]))[0, 0, 0]
    tensor([0., 0., 1., 1.])
    """
    rows = math.isqrt(chosen.size(-1))
    side = images.size(-1)
    if rows**2 != chosen.size(-1) or side % rows or images.size(-2) != side:
        raise ShapeError(
            f"{chosen.size(-1)} tiles do not fill pictures of shape {tuple(images.shape)}"
        )
    kept = (~chosen).view(-1, 1, rows, rows)
    for axis in (2, 3):
        kept = kept.repeat_interleave(side // rows, dim=axis)
    return images * kept


def highest(scores, n):
    """Return True for the n highest of each row of scores (B, N).

    >>> highest(torch.tensor([[0.1, 0.5, 0.4]]), 2)
    tensor([[False,  True,  True]])
    """
    return torch.zeros_like(scores).scatter(1, scores.topk(n).indices, 1).bool()


def random_with_as_much(ink, chosen, generator, tries=300):
    """Return random tiles (B, N) bool: as many as chosen in each row, with about as much ink.

    ink (B, N) is what each tile holds. Of `tries` random sets, the one whose ink is nearest to that
    of the chosen tiles is taken; the chosen set itself is passed over. Some prefer blank tiles and
    some the darkest, so that there are sets of any amount.
    """
    n = int(chosen[0].sum())
    wanted = (ink * chosen).sum(dim=1)  # (B,)
    nearest = torch.full_like(wanted, math.inf)
    best = torch.zeros_like(chosen)
    for number in range(tries):
        # The n highest of log w + Gumbel noise are drawn one after the other in proportion to w.
        noise = -torch.rand(ink.shape, generator=generator).log().neg().log()
        taste = 12 * number / tries - 2
        found = highest(taste * (ink + 0.01).log() + noise, n)
        gap = ((ink * found).sum(dim=1) - wanted).abs()
        gap = gap.masked_fill((found == chosen).all(dim=1), math.inf)
        best = torch.where((gap < nearest)[:, None], found, best)
        nearest = torch.minimum(gap, nearest)
    return best


def named_in_another(ink, chosen):
    """Return for each picture the tiles that are chosen in another one, (B, N) bool.

    ink (B, N) is what each tile holds; chosen (B, N) is True for the tiles that a map names in each
    picture. Of the other pictures that one is taken whose tiles hold, in *this* picture, the amount
    nearest to what its own hold; those with the very same tiles are passed over.

    >>> ink = torch.tensor([[4.0, 1, 3, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
    >>> chosen = torch.tensor([[True, True, False, False], [False, False, True, True],
    ...                        [True, False, True, False]])
    >>> named_in_another(ink, chosen)[0]  # 5 of ink: the others' tiles hold 4 and 7 here
    tensor([False, False,  True,  True])
    """
    there = ink @ chosen.to(ink).T  # (B, B): what the tiles of picture j hold in picture i
    gaps = (there - there.diagonal()[:, None]).abs()
    same = (chosen[:, None] == chosen[None]).all(dim=-1)  # (B, B), each picture itself among them
    return chosen[gaps.masked_fill(same, torch.inf).argmin(dim=1)]
