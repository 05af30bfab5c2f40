"""The colours of codes, and how often each is used."""

import colorsys

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import numbers


def colour_of(code):
    """A colour for a code, as the code book explorer has it on a light page.

    Neighbours in number are far apart in hue.
    """
    return colorsys.hls_to_rgb(code * 137.508 % 360 / 360, 0.76, 0.5)


def ink_on(colour):
    """Black or white, whichever can be read on a colour."""
    return style.INK if np.dot(colour, (0.2126, 0.7152, 0.0722)) > 0.45 else "white"


@style.styled
def code_use(counts, title=None, figure=None):
    """How often each code of a book is used, the most used first, on a logarithmic scale.

    counts (n_codes,). The title says how many are used, and of how many codes, all used equally
    often, the book has the entropy (its perplexity). Raises ShapeError when none is used.

    >>> code_use([6, 0, 6, 0]).get_suptitle()
    '2 of 4 codes are used, as evenly as 2 equal ones'
    """
    uses = _counted(counts)
    figure = style.blank(figure, 8.0, 2.7)
    axes = figure.subplots()
    axes.bar(range(len(uses)), uses, width=0.85 if len(uses) < 200 else 1, color=style.BLUE)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_minor_formatter("")
    axes.set_ylim(bottom=0.7)
    axes.set_xlim(-1, len(uses))
    axes.set(xlabel="codes, the most used first", ylabel="cells with this code")
    style.headline(figure, title or _use_in_words(uses))
    return figure


def describe_code_use(counts):
    """Say in words what `code_use` shows.

    >>> describe_code_use([6, 0, 6, 0])
    'How often each code is used, the most used first, from 6 times down to 0. 2 of 4 codes are \
used, as evenly as 2 equal ones.'
    """
    uses = _counted(counts)
    return (
        f"How often each code is used, the most used first, from {uses[0]:,.0f} times down to "
        f"{uses[-1]:,.0f}. {_use_in_words(uses)}."
    )


def _counted(counts):
    uses = np.sort(numbers(counts))[::-1]
    if uses.ndim != 1 or not uses.size or uses[-1] < 0 or uses[0] <= 0:
        raise ShapeError(f"counts must be (n_codes,) with one above 0, got shape {uses.shape}")
    return uses


def _use_in_words(uses):
    shares = uses[uses > 0] / uses.sum()
    perplexity = np.exp(-(shares * np.log(shares)).sum())
    return f"{len(shares)} of {len(uses)} codes are used, as evenly as {perplexity:.0f} equal ones"
