"""Where a ViT looks: the attention of [CLS] laid over a digit, of the last layer or rolled out."""

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter07_vit.patch_looks import PatchGrid, add_key, draw_look
from tutorial_lib.interpret import rollout
from tutorial_lib.models.checks import check_choice

WHO = {"cls": "[CLS]", "mean": "the mean of all patches"}  # who looks, by pooling


@style.styled
def rollout_against(image, maps, patch_size, overlap=0, pooling="cls", title=None, figure=None):
    """The last layer's look beside the rollout of all layers.

    image (1, side, side); maps: the weights (1, H, T, T) of each layer, first layer first;
    pooling "cls", or "mean": there is no [CLS], and the mean of all patches looks. What [CLS] gives
    itself is left out. Returns the figure. Raises ShapeError when sizes do not fit,
    ValueError for another pooling.

    >>> even = [torch.full((1, 2, 5, 5), 0.2)] * 3
    >>> figure = rollout_against(torch.ones(1, 8, 8), even, patch_size=4)
    >>> [axes.get_title() for axes in figure.axes[1:3]]
    ['last layer, mean of heads', 'rollout']
    """
    grid = PatchGrid(image, patch_size, overlap)
    panels = _rolled_out(grid, maps, pooling)
    return _looks(grid, panels, title or _rollouts_said(grid, panels), figure)


def describe_rollout_against(image, maps, patch_size, overlap=0, pooling="cls"):
    """Say in words what `rollout_against` shows."""
    grid = PatchGrid(image, patch_size, overlap)
    panels = _rolled_out(grid, maps, pooling)
    each = "; ".join(
        f"{name}: {grid.on_ink(seen):.2f} on patches with ink" for name, seen in panels.items()
    )
    return (
        f"A digit and two estimates of where {WHO[pooling]} looks. "
        f"{_rollouts_said(grid, panels)}. {each}; share of the patches that have ink: "
        f"{grid.ink_share:.2f}."
    )


def _looks(grid, panels, title, figure):
    figure = style.blank(figure, 0.8 + 1.95 * (1 + len(panels)), 3.2)
    digit, *others = figure.subplots(1, 1 + len(panels))
    digit.imshow((1 - grid.image[0]).numpy(), cmap="gray", vmin=0, vmax=1)
    style.draw_frame(digit)
    digit.set_xlabel(f"ink in {grid.ink_share:.2f}\nof the patches", fontsize=9.5)
    style.panel_title(digit, "the digit")
    top = max(grid.shares(seen).max().item() for seen in panels.values())
    for axes, (name, seen) in zip(others, panels.items(), strict=True):
        picture = draw_look(axes, grid, seen, top)
        style.panel_title(axes, name)
        axes.set_xlabel(f"{grid.on_ink(seen):.2f} on patches\nwith ink", fontsize=9.5)
    bar = figure.colorbar(picture, ax=others, fraction=0.03, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label("share of attention")
    add_key(figure, grid)
    style.headline(figure, title)
    return figure


def _seen(grid, weights, pooling):
    """The shares of the look that the patches get, (H, N), from weights (H, T, T)."""
    check_choice("pooling", pooling, WHO)
    weights = torch.as_tensor(weights).detach().float()
    weights = weights[0] if weights.dim() == 4 and len(weights) == 1 else weights
    tokens = grid.n_patches + int(pooling == "cls")
    if weights.dim() != 3 or not len(weights) or weights.shape[1:] != (tokens, tokens):
        extra = " and [CLS]" if pooling == "cls" else ""
        raise ShapeError(
            f"{grid.n_patches} patches{extra} need weights (H, {tokens}, {tokens}), got "
            f"{tuple(weights.shape)}"
        )
    rows = weights[:, 0, 1:] if pooling == "cls" else weights.mean(dim=1)  # (H, N)
    return torch.stack([grid.shares(row) for row in rows])


def _rolled_out(grid, maps, pooling):
    layers = [torch.as_tensor(weights).detach().float() for weights in maps]
    rolled = rollout(layers)
    if len(layers[0]) != 1:
        raise ShapeError(f"expected the maps of one picture, got those of {len(layers[0])}")
    ways = {"last layer, mean of heads": layers[-1].mean(dim=1), "rollout": rolled}  # (1, T, T)
    return {name: _seen(grid, matrix, pooling)[0] for name, matrix in ways.items()}


def _rollouts_said(grid, panels):
    last, rolled = (grid.on_ink(seen) for seen in panels.values())
    return (
        f"On patches with ink: last layer {last:.2f}, rollout {rolled:.2f} "
        f"(uniform: {grid.ink_share:.2f})"
    )
