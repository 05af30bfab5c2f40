"""Testing a map of a picture: paint over the patches it names, and random ones with as much ink.

A map that names patches with much ink takes more out of the picture than one that names blank ones,
whatever it says about the model. So each map is compared with chance that takes out as much.
(Exercise 7.10 is the other control: what the same sort of map names in another picture.)
"""

import math

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret.attention_rollout import rollout


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


def maps_from_cls(model, images, follow):
    """Return what a ViT's [CLS] looks at, by four maps: name -> (B, N), one weight a patch.

    follow(maps) is a rollout of the maps (L, H, T, T) of one picture, (T, T): it makes the map
    named "rollout". The others are the mean of the heads of the last and of the middle layer, and
    the rollout without the identity.
    """
    with torch.no_grad(), capture_attention(model) as maps:
        model(images)
    maps = list(maps)  # L of (B, H, T, T)
    every = {
        "last layer": maps[-1].mean(dim=1),
        "middle layer": maps[len(maps) // 2].mean(dim=1),
        "rollout": torch.stack([follow(of_one) for of_one in torch.stack(maps, dim=1)]),
        "rollout, no identity": rollout(maps, identity=False),
    }
    return {name: matrix[:, 0, 1:] for name, matrix in every.items()}


def shared_tiles(chosen):
    """Return how many chosen tiles (B, N) two different pictures have in common, on average.

    >>> shared_tiles(torch.tensor([[True, True, False], [True, False, True]]))
    1.0
    """
    both = chosen.float() @ chosen.float().T  # (B, B)
    n = len(chosen)
    return ((both.sum() - both.trace()) / (n * (n - 1))).item()
