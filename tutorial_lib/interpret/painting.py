"""Testing a map of a picture: paint over the patches it names, and random ones with as much ink.

A map that names patches with much ink takes more out of the picture than one that names blank ones,
whatever it says about the model. So each map is compared with chance that takes out as much, and
with what the same sort of map names in another picture, which shares its taste for some places.
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
    of the chosen tiles is taken. Some prefer blank tiles and some the darkest, so that there are
    sets of any amount.
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
        best = torch.where((gap < nearest)[:, None], found, best)
        nearest = torch.minimum(gap, nearest)
    return best


def of_others_with_as_much(ink, chosen, n=3):
    """Return for each picture the tiles chosen in another one, n times: (n, B, N) bool.

    ink and chosen (B, N). Of all other pictures those come first whose chosen tiles hold about as
    much ink in *this* one as its own; those with the very same tiles are passed over.

    >>> ink = torch.tensor([[1.0, 0.9, 0.1], [0.2, 0.8, 0.5], [0.3, 0.2, 0.4]])
    >>> of_others_with_as_much(ink, highest(ink, 1), n=1)[0, 0]
    tensor([False,  True, False])
    """
    own = (ink * chosen).sum(dim=1)  # (B,)
    there = ink @ chosen.to(ink).T  # (B, B): what the tiles of picture j hold in picture i
    same = chosen.to(ink) @ chosen.to(ink).T == chosen.sum(dim=1)  # (B, B), itself among them
    gaps = (there - own[:, None]).abs().masked_fill(same, math.inf)
    return chosen[gaps.topk(n, largest=False).indices.T]
