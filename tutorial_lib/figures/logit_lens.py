"""The logit lens as a table: what each layer would say next, at each position."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.generation import token_name

LONGEST = 9


def layer_name(layer):
    """The name of a row: "input" before the first layer.

    >>> layer_name(0), layer_name(12)
    ('input', 'layer 12')
    """
    return f"layer {layer}" if layer else "input"


@style.styled
def logit_lens_table(lens, decode, *, follow=None, layers=None, title="", figure=None):
    """A row for each layer, the last on top; a column for each token that was read.

    lens: a LogitLens; decode(ids) -> text. A square names the likeliest next token and is as dark
    as that token is likely, or as the token `follow` (an id) is. A green frame: this token does
    come next. layers: the rows to draw, all by default. Returns the figure.
    Raises ShapeError for layers that are not there, VocabularyError for such a token.

    >>> import torch
    >>> from tutorial_lib.interpret import logit_lens
    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> sizes = {"context": 8, "d_model": 4, "n_layers": 2, "n_heads": 1}
    >>> model = GPT(GPTConfig(vocab_size=3, **sizes)).eval()
    >>> lens = logit_lens(model, torch.tensor([[0, 1]]), n=2)
    >>> figure = logit_lens_table(lens, lambda ids: "".join("abc"[i] for i in ids))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['layer 2', 'layer 1', 'input']
    """
    shares = _shares(lens, follow)
    layers = range(len(shares)) if layers is None else sorted(layers)
    if not layers or not 0 <= min(layers) <= max(layers) < len(shares):
        raise ShapeError(f"the layers run from 0 to {len(shares) - 1}, got {list(layers)}")
    rows = list(layers)[::-1]
    names = {i: token_name(decode([i]), LONGEST) for i in _shown(lens)}
    n_positions = len(lens.ids)
    figure = style.blank(figure, 1.5 + 0.82 * n_positions, 1.5 + 0.25 * len(rows))
    axes = figure.subplots()
    picture = axes.imshow(shares[rows], cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
    for row, layer in enumerate(rows):
        for column in range(n_positions):
            token_id = int(lens.top_ids[layer, column, 0])
            light = shares[layer, column] > 0.45
            look = {"fontsize": 8.5, "color": "white" if light else style.INK}
            axes.text(column, row, names[token_id], ha="center", va="center", **look)
            if column + 1 < n_positions and token_id == int(lens.ids[column + 1]):
                corner, size = (column - 0.46, row - 0.42), (0.92, 0.84)
                axes.add_patch(
                    Rectangle(corner, *size, fill=False, edgecolor=style.GREEN, linewidth=2)
                )
    axes.set_yticks(range(len(rows)), [layer_name(layer) for layer in rows])
    axes.set_xticks(range(n_positions), [names[int(i)] for i in lens.ids])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set(xlabel="token that was read, with all before it", title=title)
    bar = figure.colorbar(picture, ax=axes, fraction=0.03, pad=0.015)
    told = "of the likeliest token" if follow is None else f"of {token_name(decode([follow]))}"
    bar.set_label(f"probability {told}")
    bar.outline.set_visible(False)
    return figure


def describe_logit_lens(lens, decode, *, follow=None):
    """Say in words what `logit_lens_table` shows at the last position.

    >>> import torch
    >>> from tutorial_lib.interpret import logit_lens
    >>> from tutorial_lib.models import GPT, GPTConfig
    >>> sizes = {"context": 8, "d_model": 4, "n_layers": 2, "n_heads": 1}
    >>> model = GPT(GPTConfig(vocab_size=1, **sizes)).eval()
    >>> describe_logit_lens(logit_lens(model, torch.tensor([[0, 0]])), lambda ids: "a")
    'After the last token, “a”, input to layer 2 would say a (1.00 in the end).'
    """
    shares = _shares(lens, follow)
    best = lens.top_ids[:, -1, 0].tolist()
    spans = []  # layers in a row that say the same
    for layer, token_id in enumerate(best):
        if spans and spans[-1][2] == token_id:
            spans[-1][1] = layer
        else:
            spans.append([layer, layer, token_id])
    words = []
    for first, last, token_id in spans:
        where = layer_name(first) if first == last else f"{layer_name(first)} to {layer_name(last)}"
        words.append(f"{where} would say {token_name(decode([token_id]))}")
    end = f"{shares[-1, -1]:.2f} in the end"
    if follow is not None:
        end = f"{token_name(decode([follow]))} has {end}"
    last = token_name(decode([int(lens.ids[-1])]))
    return f"After the last token, “{last}”, {'; '.join(words)} ({end})."


def _shares(lens, follow):
    """The probabilities (L + 1, T) that the squares are coloured by."""
    shares = lens.top_probabilities[..., 0] if follow is None else lens.probability(follow)
    return np.asarray(shares.cpu())


def _shown(lens):
    return {*lens.top_ids[..., 0].flatten().tolist(), *lens.ids.tolist()}
