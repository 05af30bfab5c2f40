"""Stretches of a text: from labels and logits to (start, end), and how right they are.

A span of words is (start, end) as in a Python slice: words[start:end]. The answer that a BERT marks
is (start, end) including both ends, because its two heads point at tokens (Devlin et al. 2018).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.objectives.next_token import IGNORED

TAGS = ("O", "B", "I")


class SpanScores(NamedTuple):
    """The share of the predicted spans that is right, the share of the true ones found, and F1."""

    precision: float
    recall: float
    f1: float


def piece_labels(tags: Sequence[str], pieces: Sequence[Sequence[str]]) -> list[int]:
    """Return one label per token, [CLS] and [SEP] included: a place in TAGS, or IGNORED.

    tags: one per word; pieces: for each word a list of at least one piece. Only the first piece of
    a word carries its label (Devlin et al. 2018, section 5.3).
    Raises ValueError for another tag, and for more tags than words or fewer.

    >>> piece_labels(["B", "O"], [["ho", "##ratio"], ["!"]])
    [-100, 1, -100, 0, -100]
    """
    labels = [IGNORED]
    for tag, of_word in zip(tags, pieces, strict=True):
        labels += [TAGS.index(tag), *[IGNORED] * (len(of_word) - 1)]
    return [*labels, IGNORED]


def entities(tags: Iterable[str]) -> list[tuple[int, int]]:
    """Return the spans (start, end) of B/I/O tags, one tag a word; words[start:end] is the name.

    B begins an entity, I continues it, O is outside. An I after an O, which true labels never
    have but a model may predict, begins one.
    Raises ValueError for another tag.

    >>> entities(["B", "I", "O", "B", "B"])
    [(0, 2), (3, 4), (4, 5)]
    """
    spans, start = [], None
    for i, tag in enumerate([*tags, "O"]):
        if tag not in TAGS:
            raise ValueError(f"a tag is one of {', '.join(TAGS)}, got {tag!r}")
        if start is not None and tag != "I":
            spans.append((start, i))
            start = None
        if start is None and tag != "O":
            start = i
    return spans


def span_scores(predicted, true):
    """Return the SpanScores of exact spans, counted over all texts together (micro).

    predicted and true hold one list of (start, end) for each text; a span is right when both ends
    are. A share of nothing is 0. Raises ShapeError when the two have different numbers of texts.

    >>> span_scores([[(0, 2)], [(3, 4)]], [[(0, 2)], [(3, 5), (7, 8)]])
    SpanScores(precision=0.5, recall=0.3333333333333333, f1=0.4)
    """
    if len(predicted) != len(true):
        raise ShapeError(
            f"there must be one list of spans a text, got {len(predicted)} predicted "
            f"and {len(true)} true"
        )
    right = sum(len({*said} & {*wanted}) for said, wanted in zip(predicted, true, strict=True))
    n_said, n_true = (sum(len({*spans}) for spans in texts) for texts in (predicted, true))
    # F1 is the harmonic mean of the two shares; written like this, it never divides by zero.
    return SpanScores(
        _share(right, n_said), _share(right, n_true), _share(2 * right, n_said + n_true)
    )


def entity_f1(predicted, true):
    """Return the F1 of exact spans over all texts; arguments and errors as for `span_scores`.

    >>> entity_f1([[(0, 2)]], [[(0, 2), (3, 4)]])
    0.6666666666666666
    """
    return span_scores(predicted, true).f1


def best_span(
    start_logits: torch.Tensor, end_logits: torch.Tensor, allowed: torch.Tensor, longest: int
) -> tuple[int, int]:
    """Return the (start, end), both included, of highest start_logits[start] + end_logits[end].

    start_logits, end_logits (T,); allowed (T,) bool, where an answer may start and end;
    start <= end, and the answer has at most `longest` tokens (Devlin et al. 2018, section 4.2).
    A tie goes to the earliest start, then the earliest end.
    Raises ShapeError when the shapes differ, ValueError when no span is allowed.

    >>> start, end = torch.tensor([0.0, 5.0, 1.0]), torch.tensor([9.0, 1.0, 3.0])
    >>> best_span(start, end, torch.tensor([True, True, True]), longest=2)
    (0, 0)
    >>> best_span(start, end, torch.tensor([False, True, True]), longest=2)
    (1, 2)
    """
    shapes = [tuple(tensor.shape) for tensor in (start_logits, end_logits, allowed)]
    if len(shapes[0]) != 1 or len({*shapes}) > 1:
        raise ShapeError(f"start_logits, end_logits and allowed must all be (T,), got {shapes}")
    if longest < 1 or not allowed.any():
        raise ValueError(f"no span is allowed: {int(allowed.sum())} tokens, at most {longest} long")
    length = len(start_logits)
    sums = start_logits[:, None] + end_logits[None, :]  # (T, T): from start to end
    fits = torch.ones_like(sums, dtype=torch.bool).triu()
    fits &= ~fits.triu(longest)
    sums = sums.masked_fill(~(fits & allowed[:, None] & allowed[None, :]), -torch.inf)
    return divmod(sums.argmax().item(), length)


def _share(part, whole):
    return part / whole if whole else 0.0
