"""LayerNorm against BatchNorm: which numbers of a block share a mean."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import canvas, cells, rounded


@style.styled
def norm_axes(x, title=None, figure=None):
    """Draw a block x (B, T, D) twice: framed are numbers that LayerNorm or BatchNorm average.

    LayerNorm: the D numbers of one token (Ba et al. 2016); BatchNorm: one number of all tokens of
    all texts (Ioffe and Szegedy 2015). Returns the figure. Raises ShapeError when x has another
    form.
    """
    if x.dim() != 3:
        raise ShapeError(f"norm_axes needs x (B, T, D), got shape {tuple(x.shape)}")
    n_texts, n_tokens, width = x.shape
    unit = min(0.32, 3.6 / width)
    across, high = unit * width, unit * n_tokens
    words_wide = 3.1  # what is written above each block
    lefts = (0.75, 0.75 + max(across, words_wide) + 0.35)
    height = n_texts * high + (n_texts - 1) * 0.2 + 0.6
    width_of_all = lefts[1] + max(across, words_wide)
    figure, axes = canvas(
        figure, width_of_all, height, title or "Which numbers share a mean", below=0.1
    )
    values = x.detach().float().cpu().numpy()
    counts = (n_texts * n_tokens, width), (width, n_texts * n_tokens)
    rules = "LayerNorm: each token on its own", "BatchNorm: each feature over all tokens"
    said = [
        f"{rule}\n{n_means} means of {n} numbers, one of them framed"
        for rule, (n_means, n) in zip(rules, counts, strict=True)
    ]
    for side, (left, words) in enumerate(zip(lefts, said, strict=True)):
        axes.text(left, height - 0.42, words, va="bottom", fontsize=10, linespacing=1.4)
        for text in range(n_texts):
            y = (n_texts - 1 - text) * (high + 0.2)
            cells(axes, values[text], left, y, across, high, top=abs(values).max())
            if side == 0:
                axes.text(left - 0.1, y + high / 2, f"text {text}", ha="right", va="center")
            bold = {"edge": style.AMBER, "linewidth": 3.2, "zorder": 6}
            if side == 0 and text == 0:
                row = y + high - unit * (1 % n_tokens + 1)
                rounded(axes, left, row, across, unit, "none", **bold)
            if side == 1:
                rounded(axes, left + unit * (1 % width), y, unit, high, "none", **bold)
    return figure
