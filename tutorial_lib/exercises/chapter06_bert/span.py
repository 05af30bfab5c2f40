"""Chapter 06: the best stretch of a scene, from a score for its start and one for its end."""

import torch

from tutorial_lib.exercises.chapter06_bert.span_slips import SLIPS
from tutorial_lib.exercises.engine.tasks import Write, case


def best_span(start_logits, end_logits, allowed, longest):
    """Return the (start, end) of highest start_logits[start] + end_logits[end], both in the answer.

    start_logits, end_logits (T,); allowed (T,) bool, the places of the scene; start <= end, and
    the answer has at most `longest` tokens.
    """
    places = torch.arange(len(allowed))
    length = places - places[:, None] + 1  # (T, T): from each start, the row, to each end
    fits = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
    scores = (start_logits[:, None] + end_logits).masked_fill(~fits, -torch.inf)
    return divmod(scores.argmax().item(), len(allowed))


def best_span_loop(start_logits, end_logits, allowed, longest):
    """Second style."""
    best, answer = float("-inf"), None
    for start in allowed.nonzero().flatten().tolist():
        for end in range(start, min(start + longest, len(allowed))):
            score = start_logits[start] + end_logits[end]
            if allowed[end] and score > best:
                best, answer = score, (start, end)
    return answer


def best_span_cases():
    """Each case tempts to one mistake: order, length, scene, low logits, a start alone."""

    def spans(start, end, scene, longest):
        allowed = torch.zeros(len(start)).bool()
        allowed[scene] = True
        return torch.tensor(start), torch.tensor(end), allowed, longest

    whole, later = slice(0, None), slice(2, 6)
    return [
        case("end before start", *spans([0, 1.5, 5, 1], [6, 5.5, 2, 3], whole, 2)),
        case("one token", *spans([1.0, 7, 0, 2], [0, 6, 1.5, 5], whole, 3)),
        case("2 tokens at most", *spans([6, 1, 0.5, 3], [0, 2, 4, 9.5], whole, 2)),
        case("2 tokens just fit", *spans([5.0, 0, 0, 1], [1, 4.5, 2, 0], whole, 2)),
        case(
            "a scene inside",
            *spans([9, 2, 1, 3, 0, 0.5, 1, 4], [0, 1, 2, 0.5, 5, 1, 8, 3], later, 3),
        ),
        case(
            "all logits below 0",
            *spans([-1, -2, -4, -9, -6, -5, -1.5], [-2, -1, -7, -3, -8.5, -2.5, -1], later, 3),
        ),
        case("a second best start", *spans([4, 0, 3.5, 0, 1.0], [0, 1, 0.5, 5, 6], whole, 2)),
        case("a second best end", *spans([6, 0, 0.5, 1, 0.0], [1, 4, 0.5, 2, 4.5], whole, 2)),
    ]


BEST_SPAN = Write(
    id="6.10",
    title="The best answer in the scene",
    level="hard",
    text="""
A BERT gives each of T tokens two scores: how likely the answer starts there, and how likely it ends
there. Write `best_span(start_logits, end_logits, allowed, longest)`, which returns `(start, end)`,
the places of the first and the **last** token of the answer: the pair with the highest
`start_logits[start] + end_logits[end]` among those where start <= end, both are `allowed` (T,)
(True for the tokens of the scene, one stretch), and the answer has at most `longest` tokens.
""",
    hints=(
        "Two loops do: over all starts, and for each over the ends that may belong to it. Keep the "
        "best pair so far.",
        "How many tokens has the answer from place 3 to place 5? Which ends are left for start 3 "
        "when `longest` is 2?",
        "Without loops: `start_logits[:, None] + end_logits` is (T, T). Fill what is forbidden "
        "with minus infinity; `divmod(place, T)` turns the place of the maximum into row and "
        "column.",
    ),
    solution=best_span,
    second_style=best_span_loop,
    mistakes=SLIPS,
    cases=best_span_cases,
    see="6.9 Who says it",
)
