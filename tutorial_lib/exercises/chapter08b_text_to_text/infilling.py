"""Chapter 08b: spans of any length behind one mask each."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def infill(tokens, spans, mask):
    """Return the tokens with each span replaced by one mask.

    spans: (start, end) pairs in any order, the end not included; none touches another. Where start
    == end the span is empty: a mask is put in before that token.
    """
    result, done = [], 0
    for start, end in sorted(spans):
        result += [*tokens[done:start], mask]
        done = end
    return [*result, *tokens[done:]]


def infill_from_behind(tokens, spans, mask):
    """Second style."""
    result = list(tokens)
    for start, end in sorted(spans, reverse=True):
        result[start:end] = [mask]
    return result


def infill_one_each(tokens, spans, mask):
    """This puts a mask for every token: the model must find out how many are missing, so one mask
    stands for the whole span."""
    result = list(tokens)
    for start, end in sorted(spans, reverse=True):
        result[start:end] = [mask] * max(1, end - start)
    return result


def infill_empty_forgotten(tokens, spans, mask):
    """This forgets empty spans: they put in a mask where nothing is missing."""
    return infill(tokens, [span for span in spans if span[0] < span[1]], mask)


def infill_empty_hides(tokens, spans, mask):
    """This hides a token for an empty span: the mask is put in, and all tokens stay."""
    return infill(tokens, [(start, max(start + 1, end)) for start, end in spans], mask)


def infill_end_missed(tokens, spans, mask):
    """This never reaches an empty span behind the last token: there is one place more than there
    are tokens."""
    return infill(tokens, [span for span in spans if span[0] < len(tokens)], mask)


def infill_end_included(tokens, spans, mask):
    """This hides the token at the end of a span, too: a span stops before it."""
    return infill(
        tokens, [(a, min(b + 1, len(tokens))) if a < b else (a, b) for a, b in spans], mask
    )


def infill_in_the_given_order(tokens, spans, mask):
    """This takes the spans as they come: they stand in any order, and each that is replaced moves
    the tokens behind it."""
    result, done = [], 0
    for start, end in spans:
        result += [*tokens[done:start], mask]
        done = end
    return [*result, *tokens[done:]]


def infill_moved(tokens, spans, mask):
    """This replaces from the front in a list that gets shorter: after the first span the places of
    the others have moved."""
    result = list(tokens)
    for start, end in sorted(spans):
        result[start:end] = [mask]
    return result


def infill_deleted(tokens, spans, mask):
    """This takes the spans out and leaves no mask: the model would not know where."""
    hidden = {place for start, end in spans for place in range(start, end)}
    return [token for place, token in enumerate(tokens) if place not in hidden]


def infill_kept(tokens, spans, mask):
    """This puts the masks in, but the tokens are still there."""
    return infill(tokens, [(start, start) for start, _ in spans], mask)


def infill_mask_behind(tokens, spans, mask):
    """This puts the mask of an empty span behind its token: it stands before it."""
    return infill(
        tokens, [(a + 1, b + 1) if a == b < len(tokens) else (a, b) for a, b in spans], mask
    )


WORDS = ["to", "be", "or", "not", "to", "be", "that", "is", "the", "question"]
SPANS = [(7, 9), (1, 4), (5, 5)]


def infill_cases():
    """Spans in any order, empty ones, at both ends, none at all."""
    return [
        case("two spans", WORDS, [(1, 3), (6, 9)], "_"),
        case("spans in another order", WORDS, [(7, 9), (1, 4)], "_"),
        case("an empty span", WORDS, [(2, 2)], "_"),
        case("three spans, one of them empty", WORDS, SPANS, "_"),
        case("at both ends", WORDS, [(8, 10), (0, 1)], "_"),
        case("an empty span behind the last token", WORDS, [(10, 10), (3, 4)], "_"),
        case("ids, and a span of them all", [5, 6, 7], [(0, 3)], 0),
        case("nothing to hide", [5, 6, 7], [], 0),
    ]


def as_list(found):
    """What was returned, as a list; None stays."""
    return found if found is None else list(found)


def tokens_in_a_list(answer):
    """A list of tokens, not one string."""
    return not isinstance(answer(WORDS, [(1, 3), (6, 9)], "_"), str)


def keeps_the_others(answer):
    """What is not hidden stays, in its order."""
    if not tokens_in_a_list(answer):
        return None
    found = as_list(answer(WORDS, [(1, 3), (6, 9)], "_"))
    return (
        found is not None and [w for w in found if w != "_"] == WORDS[:1] + WORDS[3:6] + WORDS[9:]
    )


def one_mask_a_span(answer):
    """As many masks as spans."""
    return as_list(answer(WORDS, [(1, 3), (6, 9)], "_")).count("_") == 2


def takes_any_order(answer):
    """The order of the spans does not matter."""
    return as_list(answer(WORDS, [(6, 9), (1, 3)], "_")) == as_list(
        answer(WORDS, [(1, 3), (6, 9)], "_")
    )


def empty_ones_too(answer):
    """An empty span adds a mask and takes nothing."""
    if not tokens_in_a_list(answer):
        return None
    found = as_list(answer(WORDS, [(2, 2)], "_"))
    return len(found) == len(WORDS) + 1 and found[2] == "_" and found[3:] == WORDS[2:]


INFILL = Write(
    id="8b.1",
    title="One mask for many",
    level="medium",
    text="""
Write `infill(tokens, spans, mask)`: a new list in which each span is replaced by **one** mask,
however long it is. A span is a pair (start, end): its tokens are those from `start` up to, but not
including, `end`. The spans stand in **any order**; no two touch. Where start and end are equal the
span is empty: nothing is missing there, but a mask still goes in before that token (or at the very
end if `start` is the number of tokens). `tokens` may be words or ids.
""",
    hints=(
        "With a pencil: to be or not, spans (1, 3) and (4, 4). What stands in the list?",
        "If you replace a span at the front first, what happens to the places behind it?",
        "`result[start:end] = [mask]` replaces any number of tokens by one, an empty span too. "
        "Which span must come first?",
    ),
    solution=infill,
    second_style=infill_from_behind,
    mistakes=(
        infill_one_each,
        infill_empty_forgotten,
        infill_empty_hides,
        infill_end_missed,
        infill_end_included,
        infill_in_the_given_order,
        infill_moved,
        infill_deleted,
        infill_kept,
        infill_mask_behind,
    ),
    cases=infill_cases,
    properties=(
        Property("It returns a string: the result is a list of tokens.", tokens_in_a_list),
        Property("Tokens that no span hides are gone, or stand elsewhere.", keeps_the_others),
        Property("There is not one mask for each span.", one_mask_a_span),
        Property("The order of the spans matters: it must not.", takes_any_order),
        Property(
            "An empty span must add a mask before its token and take nothing away.", empty_ones_too
        ),
    ),
    keeps_input=True,
    see="8bB BART: damage it, and ask for it back",
)
