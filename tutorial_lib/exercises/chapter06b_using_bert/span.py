"""Chapter 06b: the best stretch of a text, from a score for its start and one for its end."""

import functools
import math

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def best_span(start_logits, end_logits, allowed, longest):
    """Return the (start, end) of highest start_logits[start] + end_logits[end], both allowed.

    start_logits, end_logits (T,); allowed (T,) bool, True where an answer may be; start <= end,
    and the answer has at most `longest` tokens.
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
    """Whether a pair is in order, in the text, and not too long."""
    inside = allowed.tolist()
    return lambda s, e: s <= e < s + longest and inside[s] and inside[e]


def best(start_logits, end_logits, allowed, longest):
    """The right answer."""
    return searched(start_logits, end_logits, rule(allowed, longest))


def best_span_cases():
    """Each case tempts to one mistake: order, length, place, low logits, a start alone."""

    def spans(start, end, inside, longest):
        allowed = torch.zeros(len(start)).bool()
        allowed[inside] = True
        return torch.tensor(start), torch.tensor(end), allowed, longest

    whole, later = slice(0, None), slice(2, 6)
    return [
        case("end before start", *spans([0, 1.5, 5, 1], [6, 5.5, 2, 3], whole, 2)),
        case("one token", *spans([1.0, 7, 0, 2], [0, 6, 1.5, 5], whole, 3)),
        case("2 tokens at most", *spans([6, 1, 0.5, 3], [0, 2, 4, 9.5], whole, 2)),
        case("2 tokens just fit", *spans([5.0, 0, 0, 1], [1, 4.5, 2, 0], whole, 2)),
        case(
            "a stretch inside",
            *spans([9, 2, 1, 3, 0, 0.5, 1, 4], [0, 1, 2, 0.5, 5, 1, 8, 3], later, 3),
        ),
        case(
            "all logits below 0",
            *spans([-1, -2, -4, -9, -6, -5, -1.5], [-2, -1, -7, -3, -8.5, -2.5, -1], later, 3),
        ),
        case("a second best start", *spans([4, 0, 3.5, 0, 1.0], [0, 1, 0.5, 5, 6], whole, 2)),
        case("a second best end", *spans([6, 0, 0.5, 1, 0.0], [1, 4, 0.5, 2, 4.5], whole, 2)),
    ]


ALL = torch.ones(7).bool()
ALLOWED = torch.tensor([False, True, True, True, True, True, False])


def peaks(start, end, height=5.0):
    """Start and end logits (7,) with a peak each, or several {place: height}."""
    rows = torch.zeros(2, 7)
    for row, places in zip(rows, (start, end), strict=True):
        for place, value in (places if isinstance(places, dict) else {places: height}).items():
            row[place] = value
    return tuple(rows)


WRITTEN = {
    (2, 4): lambda start, end: (start, end),
    (4, 2): lambda start, end: (end, start),
    (2, 5): lambda start, end: (start, end - 1),
    (2, 3): lambda start, length: (start, start + length - 1),
    (1, 3): lambda start, end: (start + 1, end + 1),
}


def raw(answer, logits, allowed=ALL, longest=7):
    """What an answer returns, as two whole numbers. Raises ValueError for anything else."""
    first, second = answer(*logits, allowed, longest)
    return int(first), int(second)


@functools.lru_cache(maxsize=4)
def swaps_the_logits(answer):
    """The start's are taken for the end's."""
    return raw(answer, peaks(4, 2), ALLOWED) == (2, 4) != words_2_to_4(answer)


@functools.lru_cache(maxsize=4)
def words_2_to_4(answer):
    """What an answer returns for a start at 2 and an end at 4."""
    return raw(answer, peaks(2, 4), ALLOWED)


def picked(answer, logits, allowed=ALL, longest=7):
    """The first and last token that an answer picks, however it writes them.

    One that does not find words 2 to 4 is taken at its word.
    """
    swapped = swaps_the_logits(answer)
    seen = (2, 4) if swapped else words_2_to_4(answer)
    if seen == (1, 3) and allowed is ALL:
        seen = (2, 4)  # counted from the text, which begins at 0 here
    found = raw(answer, logits[::-1] if swapped else logits, allowed, longest)
    return WRITTEN.get(seen, WRITTEN[2, 4])(*found)


def finds_peaks(answer):
    """It finds words 2 to 4 where start and end have a peak, however it writes them."""
    return swaps_the_logits(answer) or words_2_to_4(answer) in WRITTEN


def is_a_pair(answer):
    """Two numbers."""
    found = answer(*peaks(2, 4), ALLOWED, 7)
    return len(found) == 2 if isinstance(found, list | torch.Tensor) and found.dim() else False


def says_start_and_end(answer):
    """Words 2 to 4 are (2, 4)."""
    sentences = {
        (4, 2): "It returns (end, start): the start comes first.",
        (2, 5): "It returns the position after the answer: here the end is its last token.",
        (2, 3): "It returns the start and the length: the end is asked for.",
        (1, 3): "It counts from the first token of the text: count from the first of all T.",
    }
    if swaps_the_logits(answer):
        return "It reads the start from `end_logits`, and the end from `start_logits`."
    return sentences.get(words_2_to_4(answer), True)


def start_before_end(answer):
    """Not the end first."""
    start, end = picked(answer, peaks(5, 2))
    return start <= end


def stays_in_the_text(answer):
    """Both are allowed."""
    logits = peaks({0: 9.0, 2: 3.0}, {6: 9.0, 4: 3.0})
    start, end = picked(answer, logits, ALLOWED)
    if not (ALLOWED[start] or ALLOWED[end]):
        return "It looks outside of the text too: start and end must both be `allowed`."
    if not ALLOWED[start]:
        return "It lets the answer start outside of the text: `allowed` is for the start too."
    return bool(ALLOWED[end])


def not_too_long(answer):
    """At most `longest` tokens."""
    lengths = []
    for last in (3, 4, 6):
        start, end = picked(answer, peaks(0, last), longest=3)
        lengths.append(end - start + 1)
    if max(lengths) > 3:
        return f"With longest = 3 the answer has {max(lengths)} tokens: end - start + 1 of them."
    return True


def just_fits(answer):
    """`longest` tokens."""
    return picked(answer, peaks(1, 3), longest=3) == (1, 3) if finds_peaks(answer) else None


def one_token(answer):
    """Start and end are the same."""
    return picked(answer, peaks(2, 2)) == (2, 2) if finds_peaks(answer) else None


def low_logits_win(answer):
    """0 is no lowest score."""
    rules = (start_before_end, stays_in_the_text, not_too_long)
    if any(rule(answer) is not True for rule in rules):
        return None
    start, end = picked(answer, tuple(x - 20 for x in peaks({5: 4.0}, {2: 4.0})), ALLOWED, 2)
    return bool(ALLOWED[start] and ALLOWED[end]) and start <= end < start + 2


SCORES = {
    "It takes the best start, whatever the end is: search the pairs.": lambda s, e: (s, e),
    "It takes the best end, whatever the start is: search the pairs.": lambda s, e: (e, s),
    "It looks at the start alone: add the end's logit.": lambda s, e: s,
    "It takes the pair with the lowest sum: the highest is asked for.": lambda s, e: -s - e,
    "It adds probabilities: add the logits.": lambda s, e: math.exp(s) + math.exp(e),
    "It multiplies the logits, and two very low ones win: add them.": lambda s, e: s * e,
    "It takes the higher of the two logits for the score: add them.": max,
}


def takes_the_highest_sum(answer):
    """Of all pairs in order."""
    if start_before_end(answer) is not True or False in (one_token(answer), low_logits_win(answer)):
        return None
    logits = 2 * torch.randn(24, 2, 7, generator=torch.Generator().manual_seed(9))
    # Here the likeliest end has no start, and two middling places are the best pair.
    logits[0] = torch.stack(peaks({0: -4.0, 1: 4.5, 5: 6.0}, {0: 7.0, 2: 5.0}))
    logits = logits.log_softmax(dim=-1)
    picks = [picked(answer, tuple(pair), longest=9) for pair in logits]

    def explains(score):
        pairs = [(i, j) for i in range(7) for j in range(i, 7)]
        return all(
            max(pairs, key=lambda pair: score(start[pair[0]], end[pair[1]])) == pick
            for (start, end), pick in zip(logits.tolist(), picks, strict=True)
        )

    if explains(lambda s, e: s + e):
        return True
    return next((sentence for sentence, score in SCORES.items() if explains(score)), False)


BEST_SPAN = Write(
    id="6b.6",
    title="The best pair",
    level="medium",
    text="""
A span head gives each of T tokens two scores: the higher they are, the likelier the answer starts
there, or ends there. Write `best_span(start_logits, end_logits, allowed, longest)`. It returns
`(start, end)`, two whole numbers: the positions of the first and the **last** token of the answer.
Take the pair with the highest `start_logits[start] + end_logits[end]`. But the end must not come
before the start, and the answer has at most `longest` tokens, because real answers are short.
Both ends must be allowed: `allowed` (T,) is True on one unbroken stretch of tokens, such as
the text behind a question, so you need not check what lies between. There is always such a pair,
and on a tie any of the best will do. Loops are fine.
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
    mistakes=(),
    cases=best_span_cases,
    properties=(
        Property("Two numbers are asked for, (start, end).", is_a_pair),
        Property("It does not return (start, end).", says_start_and_end),
        Property(
            "The end comes before the start: search the pairs with start <= end.", start_before_end
        ),
        Property(
            "It lets the answer end outside of the text: `allowed` is for the end too.",
            stays_in_the_text,
        ),
        Property("The answer has more than `longest` tokens.", not_too_long),
        Property("An answer of exactly `longest` tokens is lost.", just_fits),
        Property("An answer of one token is lost: start = end.", one_token),
        Property(
            "Where all logits are below 0 a forbidden pair wins: its score is 0, and has to be "
            "minus infinity.",
            low_logits_win,
        ),
        Property(
            "It does not find the pair with the highest sum of two logits: search all pairs.",
            takes_the_highest_sum,
        ),
    ),
    see="6bD Where the answer is",
)
