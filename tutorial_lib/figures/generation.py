"""The next token: its probabilities with what temperature, top-k and top-p make of them.

Also the chain rule that turns such probabilities into the probability of a text.
"""

from typing import NamedTuple

import numpy as np
import torch

from tutorial_lib.decoding import sampling
from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.figures import style
from tutorial_lib.figures.tokens import drawable

CUT = "#c3c7cf"
LONGEST = 14


class Choice(NamedTuple):
    """What a choice is made from, most probable token first; all have V entries.

    ids; probabilities after the temperature; drawn: those after the cuts, 0 for what is cut.
    """

    ids: np.ndarray
    probabilities: np.ndarray
    drawn: np.ndarray


def token_name(token, longest=LONGEST):
    r"""A token as a label: spaces alone are ␣, beside letters ·; a new line is ⏎.

    >>> token_name(" "), token_name(" the"), token_name("\n")
    ('␣', '·the', '⏎')
    """
    if token == "":
        return "(empty)"
    space = "␣" if not token.strip(" ") else "·"
    token = token.replace(" ", space).replace("\n", "⏎").replace("\t", "⇥")
    return drawable(token if len(token) <= longest else token[: longest - 1] + "…")


def choice(logits, temperature=1.0, k=None, p=None):
    """Return the `Choice` that logits (V,) lead to; temperature 0 is greedy decoding.

    Raises ShapeError for other shapes, ValueError as the functions of `sampling` do.

    >>> choice([0.0, 1.0, 1.0], k=1).drawn
    array([0.5, 0.5, 0. ], dtype=float32)
    """
    logits = torch.as_tensor(logits).detach().float().cpu()
    if logits.dim() != 1 or not len(logits):
        raise ShapeError(f"logits must be (V,), got shape {tuple(logits.shape)}")
    ids = logits.sort(descending=True, stable=True).indices  # (V,)
    if temperature == 0:
        only = torch.nn.functional.one_hot(sampling.greedy(logits), len(logits)).float()
        return Choice(ids.numpy(), logits.softmax(-1)[ids].numpy(), only[ids].numpy())
    warmed = sampling.temperature(logits, temperature)
    cut = warmed if k is None else sampling.top_k(warmed, k)
    cut = cut if p is None else sampling.top_p(cut, p)
    return Choice(ids.numpy(), warmed.softmax(-1)[ids].numpy(), cut.softmax(-1)[ids].numpy())


def _rules(temperature, k, p):
    if temperature == 0:
        return "greedy"
    rules = [f"temperature {temperature:g}"]
    rules += [f"top-k {k}"] if k is not None else []
    rules += [f"top-p {p:g}"] if p is not None else []
    return ", ".join(rules)


def _checked(logits, labels, temperature, k, p, chosen=None):
    made = choice(logits, temperature, k, p)
    if len(labels) != len(made.ids):
        raise ShapeError(f"{len(made.ids)} logits need as many labels, got {len(labels)}")
    if chosen is not None and not 0 <= chosen < len(labels):
        raise VocabularyError(f"chosen must be an id from 0 to {len(labels) - 1}, got {chosen}")
    return made


@style.styled
def next_token_bars(
    logits,
    labels,
    *,
    temperature=1.0,
    k=None,
    p=None,
    chosen=None,
    most=15,
    title="",
    figure=None,
):
    """The most probable next tokens, what is cut away in grey, and the one that was chosen.

    logits (V,); labels V strings; temperature, k and p as in `sampling`, temperature 0 being
    greedy; chosen: an id, or None while nothing is chosen; most: how many tokens are drawn.
    Where a cut has changed a probability, the pale bar is the one before it, the narrow one that
    with which the token is drawn. Returns the figure.
    Raises ShapeError when logits and labels disagree, VocabularyError for an id outside.

    >>> figure = next_token_bars([2.0, 1.0, 0.0], ["a", "b", "c"], k=2, title="Two are left")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['a', 'b', 'c']
    """
    made = _checked(logits, labels, temperature, k, p, chosen)
    ranks = list(range(min(most, len(made.ids))))
    if chosen is not None and chosen not in made.ids[: len(ranks)]:
        ranks[-1] = int(np.flatnonzero(made.ids == chosen)[0])
    kept = int((made.drawn > 0).sum())
    figure = style.blank(figure, 7.5, 1.35 + 0.28 * len(ranks))
    axes = figure.subplots()
    tallest = max(made.probabilities[0], made.drawn.max())
    for row, rank in enumerate(ranks):
        alone, drawn = made.probabilities[rank], made.drawn[rank]
        lit = chosen is not None and made.ids[rank] == chosen
        colour = style.ORANGE if lit else style.BLUE
        if np.isclose(alone, drawn):
            axes.barh(row, drawn, height=0.72, color=colour)
        else:
            axes.barh(row, alone, height=0.72, color=CUT if drawn == 0 else colour, alpha=0.45)
            axes.barh(row, drawn, height=0.4, color=colour)
        text = (
            f"{alone:.3f}"
            if drawn == 0 or np.isclose(alone, drawn)
            else f"{alone:.3f} → {drawn:.3f}"
        )
        if lit:
            text += "  chosen" if rank == row else f"  chosen, rank {rank + 1}"
        elif drawn == 0:
            text += "  cut"
        shade = style.MUTED if drawn == 0 and not lit else style.INK
        style_ = {"va": "center", "fontsize": 9, "color": shade}
        axes.text(max(alone, drawn) + 0.012 * tallest, row, text, **style_)
    if 0 < kept < len(made.ids) and kept <= len(ranks):
        axes.axhline(kept - 0.5, color=style.INK, linewidth=1.2, linestyle=(0, (4, 3)))
        words = f"{_rules(temperature, k, p)}: {kept} of {len(made.ids)} kept"
        where = axes.get_yaxis_transform()
        look = {"ha": "right", "va": "top", "fontsize": 9}
        axes.text(0.995, kept - 0.4, words, transform=where, **look)
    axes.set_yticks(range(len(ranks)), [token_name(labels[made.ids[i]]) for i in ranks])
    axes.set(xlim=(0, 1.3 * tallest), ylim=(len(ranks) - 0.4, -0.9), title=title)
    axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= min(1, 1.3 * tallest)])
    about = [] if temperature in (0, 1) else [f"at temperature {temperature:g}"]
    about += ["dark: after the cuts"] * (not np.allclose(made.probabilities, made.drawn))
    axes.set_xlabel("probability of the next token" + f" ({'; '.join(about)})" * bool(about))
    axes.tick_params(axis="y", length=0)
    return figure


def describe_next_tokens(logits, labels, *, temperature=1.0, k=None, p=None, chosen=None):
    """Say in words what `next_token_bars` shows.

    >>> describe_next_tokens([2.0, 1.0, 0.0], ["a", "b", "c"], k=2)
    'Next-token probabilities, temperature 1, top-k 2: a 0.665, b 0.245, c 0.090; 2 of 3 kept.'
    """
    made = _checked(logits, labels, temperature, k, p, chosen)
    pairs = zip(made.ids[:5], made.probabilities[:5], strict=True)
    most = ", ".join(f"{token_name(labels[i])} {value:.3f}" for i, value in pairs)
    kept = int((made.drawn > 0).sum())
    end = "" if chosen is None else f" Chosen: {token_name(labels[chosen])}."
    rules = _rules(temperature, k, p)
    return f"Next-token probabilities, {rules}: {most}; {kept} of {len(made.ids)} kept.{end}"


@style.styled
def temperature_bars(
    logits, labels, temperatures=(0.5, 1.0, 2.0), most=10, title="", rest_too=False, figure=None
):
    """One distribution at several temperatures τ: the same tokens, one panel each.

    logits (V,); labels V strings. Each panel says the entropy, in bits, and what the tokens
    that are not drawn hold together; rest_too: they get a grey bar. Returns the figure.
    Raises ShapeError when logits and labels disagree, ValueError without a temperature.

    >>> figure = temperature_bars([2.0, 1.0, 0.0], ["a", "b", "c"], (0.5, 2.0))
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['τ = 0.5', 'τ = 2']
    """
    if not len(temperatures):
        raise ValueError("temperature_bars needs at least one temperature")
    made = [_checked(logits, labels, value, None, None) for value in temperatures]
    shown = min(most, len(labels))
    rows, largest = np.arange(shown), 0.0
    figure = style.blank(figure, 1.2 + 2.5 * len(made), 1.75 + 0.26 * (shown + rest_too))
    panels = figure.subplots(1, len(made), sharey=True, sharex=True, squeeze=False)[0]
    for axes, one, value in zip(panels, made, temperatures, strict=True):
        axes.barh(rows, one.probabilities[:shown], color=style.BLUE, height=0.7)
        for row in rows:
            text = f"{one.probabilities[row]:.2f}"
            axes.annotate(
                text,
                (one.probabilities[row], row),
                (3, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        axes.set_title(f"τ = {value:g}", fontsize=11)
        rest = max(0.0, 1 - float(one.probabilities[:shown].sum()))
        said = f"entropy {_bits(one):.2f} bits"
        if rest_too:
            axes.barh([shown], [rest], color=style.MUTED, height=0.7)
            beside = {"textcoords": "offset points", "va": "center", "fontsize": 9}
            axes.annotate(f"{rest:.2f}", (rest, shown), (3, 0), **beside)
        else:
            said += f"\nall others {rest:.2f}"
        axes.set_xlabel(said)
        largest = max(largest, float(one.probabilities[0]), rest * rest_too)
        axes.tick_params(axis="y", length=0)
    names = [token_name(labels[i]) for i in made[0].ids[:shown]]
    if rest_too:
        rows, names = np.arange(shown + 1), [*names, "all others"]
    panels[0].set(xlim=(0, 1.25 * largest), ylim=(len(rows) - 0.5, -0.5))
    panels[0].set_yticks(rows, names)
    style.headline(figure, title)
    return figure


def _bits(one):
    some = one.probabilities[one.probabilities > 0].astype(float)
    return float(-(some * np.log2(some)).sum())


def describe_temperatures(logits, labels, temperatures=(0.5, 1.0, 2.0)):
    """Say in words what `temperature_bars` shows.

    >>> describe_temperatures([2.0, 1.0, 0.0], ["a", "b", "c"], (1.0,))
    'One distribution at several temperatures. τ = 1: most probable a 0.67, entropy 1.20 bits.'
    """
    parts = []
    for value in temperatures:
        one = _checked(logits, labels, value, None, None)
        name = token_name(labels[one.ids[0]])
        best = f"τ = {value:g}: most probable {name} {one.probabilities[0]:.2f}"
        parts.append(f"{best}, entropy {_bits(one):.2f} bits")
    return f"One distribution at several temperatures. {'; '.join(parts)}."
