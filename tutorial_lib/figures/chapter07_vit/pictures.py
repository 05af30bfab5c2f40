"""Which digits a ViT reads wrongly."""

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

A_ROW = 5  # misread digits in a row


@style.styled
def misread_digits(images, labels, probabilities, most=15, title=None, figure=None):
    """The digits that a model reads wrongly, the surest mistakes first.

    images (N, 1, height, width) of ink from 0 to 1, all that were read, labels (N,) and
    probabilities (N, classes). At most `most` are shown. Returns the figure. Raises ShapeError
    when the three disagree or nothing is misread.

    >>> images, sure_of_1 = torch.rand(2, 1, 28, 28), torch.tensor([[0.1, 0.9]] * 2)
    >>> figure = misread_digits(images, [0, 1], sure_of_1)
    >>> figure.get_suptitle(), figure.axes[0].get_title()
    ('1 of 2 digits misread, 1 of them with 0.90 or more on a wrong digit', 'is 0, read 1 (.90)')
    """
    labels, wrong, guesses, sure = _misread(images, labels, probabilities)
    shown = wrong[:most]
    n_rows = -(-len(shown) // A_ROW)
    figure = style.blank(figure, 9.0, 0.55 + 1.72 * n_rows)
    grid = figure.subplots(n_rows, A_ROW, squeeze=False)
    for axes in grid.flat[len(shown) :]:
        axes.axis("off")
    for axes, index in zip(grid.flat, shown, strict=False):
        axes.imshow((1 - images[index][0]).numpy(), cmap="gray", vmin=0, vmax=1)
        style.draw_frame(axes)
        style.panel_title(axes, _is_and_read(labels[index], guesses[index], sure[index]))
    surest = f": the {len(shown)} surest" if len(shown) < len(wrong) else ""
    style.headline(figure, title or _misread_said(labels, wrong, sure) + surest)
    return figure


def describe_misread_digits(images, labels, probabilities, most=15):
    """Say in words what `misread_digits` shows."""
    labels, wrong, guesses, sure = _misread(images, labels, probabilities)
    each = "; ".join(_is_and_read(labels[i], guesses[i], sure[i]) for i in wrong[:most])
    return f"{_misread_said(labels, wrong, sure)}. The surest: {each}."


def _misread(images, labels, probabilities):
    """Return labels, the indices of the mistakes, the guesses and how sure each was."""
    labels = torch.as_tensor(labels)
    probabilities = torch.as_tensor(probabilities).detach().float()
    if images.dim() != 4 or images.size(1) != 1 or probabilities.dim() != 2:
        raise ShapeError(
            "expected images (N, 1, height, width) and probabilities (N, classes), got "
            f"{tuple(images.shape)} and {tuple(probabilities.shape)}"
        )
    if not len(images) == len(labels) == len(probabilities):
        raise ShapeError(
            f"{len(images)} images need as many labels and probabilities, got {len(labels)} and "
            f"{len(probabilities)}"
        )
    sure, guesses = probabilities.max(dim=1)
    wrong = (guesses != labels).nonzero()[:, 0]
    if not len(wrong):
        raise ShapeError(f"none of the {len(labels)} digits is misread: there is nothing to draw")
    return labels, wrong[sure[wrong].argsort(descending=True, stable=True)], guesses, sure


def _misread_said(labels, wrong, sure):
    certain = int((sure[wrong] >= 0.9).sum())
    return (
        f"{len(wrong):,} of {len(labels):,} digits misread, {certain} of them with 0.90 or more "
        "on a wrong digit"
    )


def _is_and_read(label, guess, sure):
    return f"is {int(label)}, read {int(guess)} ({sure:.2f})".replace("(0", "(")
