"""Chapter 06: the best stretch of a scene, from a score for its start and one for its end."""

import torch

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


def searched(start_logits, end_logits, fits, score=None):
    """The pair of best score(start logit, end logit) among those that fit(start, end)."""
    score = score or (lambda one, other: one + other)
    starts, ends = start_logits.tolist(), end_logits.tolist()
    places = range(len(starts))
    pairs = [(s, e) for s in places for e in places if fits(s, e)]
    return max(pairs, key=lambda pair: score(starts[pair[0]], ends[pair[1]]))


def rule(allowed, longest):
    """Whether a pair is in order, in the scene, and not too long."""
    inside = allowed.tolist()
    return lambda s, e: s <= e < s + longest and inside[s] and inside[e]


def best(start_logits, end_logits, allowed, longest):
    """The right answer."""
    return searched(start_logits, end_logits, rule(allowed, longest))


def best_span_apart(start_logits, end_logits, allowed, longest):
    """This takes the best start and the best end, each for itself: the end may come before the
    start, or far behind it. Search the pairs.
    """
    start = start_logits.masked_fill(~allowed, -torch.inf).argmax()
    return start.item(), end_logits.masked_fill(~allowed, -torch.inf).argmax().item()


def best_span_apart_everywhere(start_logits, end_logits, allowed, longest):
    """This takes the best start and the best end of all places, each for itself: search the pairs
    within the scene.
    """
    return start_logits.argmax().item(), end_logits.argmax().item()


def best_span_sorted(start_logits, end_logits, allowed, longest):
    """This takes the best start and the best end, and swaps them when they come the wrong way
    round: search the pairs.
    """
    return sorted(best_span_apart(start_logits, end_logits, allowed, longest))


def best_span_start_first(start_logits, end_logits, allowed, longest):
    """This fixes the best start, then looks for an end: a start that is second best may have a
    far better end.
    """
    start = start_logits.masked_fill(~allowed, -torch.inf).argmax().item()
    fits = rule(allowed, longest)
    return searched(start_logits, end_logits, lambda s, e: s == start and fits(s, e))


def best_span_start_then_end(start_logits, end_logits, allowed, longest):
    """This fixes the best start of all, then takes the best end behind it, however far: search the
    pairs within the scene.
    """
    start = start_logits.argmax().item()
    return start, start + end_logits[start:].argmax().item()


def best_span_end_first(start_logits, end_logits, allowed, longest):
    """This fixes the best end, then looks for a start: an end that is second best may have a far
    better start.
    """
    end = end_logits.masked_fill(~allowed, -torch.inf).argmax().item()
    fits = rule(allowed, longest)
    return searched(start_logits, end_logits, lambda s, e: e == end and fits(s, e))


def best_span_any_order(start_logits, end_logits, allowed, longest):
    """This lets the end come before the start: start <= end."""
    return searched(
        start_logits, end_logits, lambda s, e: e < s + longest and bool(allowed[s] and allowed[e])
    )


def best_span_any_distance(start_logits, end_logits, allowed, longest):
    """This allows an end up to `longest` tokens before the start too: start <= end."""
    return searched(
        start_logits,
        end_logits,
        lambda s, e: abs(e - s) < longest and bool(allowed[s] and allowed[e]),
    )


def best_span_two_words(start_logits, end_logits, allowed, longest):
    """This wants start < end: an answer of one token has start = end."""
    fits = rule(allowed, longest)
    return searched(start_logits, end_logits, lambda s, e: s < e and fits(s, e))


def best_span_one_longer(start_logits, end_logits, allowed, longest):
    """This lets the answer be one token too long: from start to end are end - start + 1 tokens."""
    return searched(start_logits, end_logits, rule(allowed, longest + 1))


def best_span_one_shorter(start_logits, end_logits, allowed, longest):
    """This stops one token short: an answer may have `longest` tokens."""
    return searched(start_logits, end_logits, rule(allowed, max(longest - 1, 1)))


def best_span_any_length(start_logits, end_logits, allowed, longest):
    """This has no limit on the length: at most `longest` tokens."""
    return searched(start_logits, end_logits, rule(allowed, len(allowed)))


def best_span_everywhere(start_logits, end_logits, allowed, longest):
    """This looks outside of the scene too: `allowed` is for start and end."""
    return searched(start_logits, end_logits, rule(torch.ones_like(allowed), longest))


def best_span_end_anywhere(start_logits, end_logits, allowed, longest):
    """This lets the answer end outside of the scene: `allowed` is for the end too."""
    return searched(
        start_logits, end_logits, lambda s, e: s <= e < s + longest and bool(allowed[s])
    )


def best_span_start_anywhere(start_logits, end_logits, allowed, longest):
    """This lets the answer start outside of the scene: `allowed` is for the start too."""
    return searched(
        start_logits, end_logits, lambda s, e: s <= e < s + longest and bool(allowed[e])
    )


def best_span_outside(start_logits, end_logits, allowed, longest):
    """This looks outside of the scene only: True marks the scene."""
    return searched(start_logits, end_logits, rule(~allowed, longest))


def best_span_zeroed(start_logits, end_logits, allowed, longest):
    """This takes 0 as the lowest score, and all scores of the scene may be lower: begin with, or
    fill with, minus infinity.
    """
    return searched(start_logits * allowed, end_logits * allowed, rule(allowed | True, longest))


def best_span_triu(start_logits, end_logits, allowed, longest):
    """This lets `triu` set forbidden pairs to 0, and allowed ones may be lower: set them to minus
    infinity.
    """
    sums = (start_logits[:, None] + end_logits).triu().tril(longest - 1)
    inside = allowed[:, None] & allowed
    return divmod(sums.masked_fill(~inside, -torch.inf).argmax().item(), len(allowed))


def best_span_product(start_logits, end_logits, allowed, longest):
    """This multiplies the logits, and two very low ones win: add them. Only probabilities are
    multiplied.
    """
    fits = rule(allowed, longest)
    return searched(start_logits, end_logits, fits, lambda one, other: one * other)


def best_span_probabilities(start_logits, end_logits, allowed, longest):
    """This adds probabilities: add the logits, or multiply the probabilities."""
    p, q = start_logits.softmax(dim=0), end_logits.softmax(dim=0)
    return searched(p, q, rule(allowed, longest))


def best_span_higher_one(start_logits, end_logits, allowed, longest):
    """This takes the higher of the two logits for the score: add them."""
    fits = rule(allowed, longest)
    return searched(start_logits, end_logits, fits, max)


def best_span_lowest(start_logits, end_logits, allowed, longest):
    """This is the worst span: the highest sum is asked for."""
    return searched(-start_logits, -end_logits, rule(allowed, longest))


def best_span_swapped(start_logits, end_logits, allowed, longest):
    """This reads the start from the end's logits, and the end from the start's."""
    return searched(end_logits, start_logits, rule(allowed, longest))


def best_span_turned(start_logits, end_logits, allowed, longest):
    """This returns (end, start): the start comes first."""
    return best(start_logits, end_logits, allowed, longest)[::-1]


def best_span_slice(start_logits, end_logits, allowed, longest):
    """This returns the place behind the answer: here the end is its last token."""
    start, end = best(start_logits, end_logits, allowed, longest)
    return start, end + 1


def best_span_length(start_logits, end_logits, allowed, longest):
    """This returns the start and the length: the end is asked for."""
    start, end = best(start_logits, end_logits, allowed, longest)
    return start, end - start + 1


def best_span_from_scene(start_logits, end_logits, allowed, longest):
    """This counts from the first token of the scene: count from the first of all T."""
    start, end = best(start_logits, end_logits, allowed, longest)
    first = allowed.nonzero()[0].item()
    return start - first, end - first


def best_span_score(start_logits, end_logits, allowed, longest):
    """This is the score of the best span: its (start, end) is asked for."""
    start, end = best(start_logits, end_logits, allowed, longest)
    return (start_logits[start] + end_logits[end]).item()


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
    mistakes=(
        best_span_apart,
        best_span_apart_everywhere,
        best_span_sorted,
        best_span_start_first,
        best_span_start_then_end,
        best_span_end_first,
        best_span_any_order,
        best_span_any_distance,
        best_span_two_words,
        best_span_one_longer,
        best_span_one_shorter,
        best_span_any_length,
        best_span_everywhere,
        best_span_end_anywhere,
        best_span_start_anywhere,
        best_span_outside,
        best_span_zeroed,
        best_span_triu,
        best_span_product,
        best_span_probabilities,
        best_span_higher_one,
        best_span_lowest,
        best_span_swapped,
        best_span_turned,
        best_span_slice,
        best_span_length,
        best_span_from_scene,
        best_span_score,
    ),
    cases=best_span_cases,
    see="6.9 Who says it",
)
