"""LayerNorm against BatchNorm: which numbers of a block share a mean."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import canvas, cells, rounded


@style.styled
def norm_axes(x, title=None, figure=None):
    """Draw a block x (B, T, D) twice: framed are numbers that LayerNorm or BatchNorm average.

    LayerNorm: the D numbers of one token (Ba et al. 2016); BatchNorm: one number of all tokens of
    all texts (Ioffe and Szegedy 2015). The means written are those of x. Returns the figure.
    Raises ShapeError when x has another form.
    """
    if x.dim() != 3:
        raise ShapeError(f"norm_axes needs x (B, T, D), got shape {tuple(x.shape)}")
    n_texts, n_tokens, width = x.shape
    unit = min(0.32, 3.6 / width)
    across, high = unit * width, unit * n_tokens
    lefts = (0.75, 0.75 + across + 1.25)
    height = n_texts * (high + 0.3) + 0.65
    figure, axes = canvas(
        figure, lefts[1] + across + 0.3, height, title or "Which numbers share a mean", below=0.35
    )
    values = x.detach().float().cpu().numpy()
    layer, batch = values[0, 1 % n_tokens], values[:, :, 1 % width]
    said = (
        f"LayerNorm: each token on its own\n{n_texts * n_tokens} means of {width} numbers",
        f"BatchNorm: each feature over all tokens\n{width} means of {n_texts * n_tokens} numbers",
    )
    for side, (left, words) in enumerate(zip(lefts, said, strict=True)):
        axes.text(left, height - 0.15, words, va="top", fontsize=10, linespacing=1.4)
        for text in range(n_texts):
            y = (n_texts - 1 - text) * (high + 0.3)
            cells(axes, values[text], left, y, across, high, top=abs(values).max())
            if side == 0:
                axes.text(left - 0.1, y + high / 2, f"text {text}", ha="right", va="center")
            bold = {"edge": style.AMBER, "linewidth": 3.2, "zorder": 6}
            if side == 0 and text == 0:
                row = y + high - unit * (1 % n_tokens + 1)
                rounded(axes, left, row, across, unit, "none", **bold)
            if side == 1:
                rounded(axes, left + unit * (1 % width), y, unit, high, "none", **bold)
    for left, mean in zip(lefts, (layer.mean(), batch.mean()), strict=True):
        words = f"framed: one mean, here {mean:.2f}"
        axes.text(left, -0.12, words, va="top", fontsize=9.5, color=style.MUTED)
    return figure
