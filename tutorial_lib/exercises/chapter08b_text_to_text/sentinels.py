"""Chapter 08b: the text again, from what T5 has read and what it has written."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def put_together(source, target, sentinels):
    """Return the text: each sentinel of the source replaced by the tokens behind it in the target.

    A sentinel that the target does not have stands for nothing; tokens before the first sentinel
    of the target belong to none.
    """
    spans, span = {}, []
    for token in target:
        if token in sentinels:
            span = spans[token] = []
        else:
            span.append(token)
    return _filled(source, spans, sentinels)


def put_together_by_places(source, target, sentinels):
    """Second style."""
    marks = [place for place, token in enumerate(target) if token in sentinels]
    ends = [*marks[1:], len(target)]
    text = []
    for token in source:
        if token not in sentinels:
            text.append(token)
            continue
        for start, end in zip(marks, ends, strict=True):
            if target[start] == token:
                text.extend(target[start + 1 : end])
    return text


def put_together_by_order(source, target, sentinels):
    """This fills the gaps one after the other, whatever their sentinels are called: a model may
    leave one out, or write them in another order."""
    spans = []
    for token in target:
        if token in sentinels:
            spans.append([])
        elif spans:
            spans[-1].append(token)
    spans = iter(spans)
    return [
        word for token in source for word in (next(spans, []) if token in sentinels else [token])
    ]


def put_together_one_token(source, target, sentinels):
    """This takes one token for each sentinel: a span goes on up to the next sentinel."""
    spans = {}
    for i, token in enumerate(target):
        if token in sentinels:
            spans[token] = [word for word in target[i + 1 : i + 2] if word not in sentinels]
    return _filled(source, spans, sentinels)


def put_together_to_the_end(source, target, sentinels):
    """This takes all that stands behind a sentinel: a span ends at the next one."""
    spans = {}
    for i, token in enumerate(target):
        if token in sentinels:
            spans[token] = [word for word in target[i + 1 :] if word not in sentinels]
    return _filled(source, spans, sentinels)


def put_together_missing_kept(source, target, sentinels):
    """This leaves a sentinel in the text where the target does not have it: it stands for nothing
    there."""
    found = [put_together([token], target, sentinels) for token in source]
    return [
        word
        for token, words in zip(source, found, strict=True)
        for word in (words if words or token in target else [token])
    ]


def put_together_sentinels_kept(source, target, sentinels):
    """This writes the sentinels into the text, too: only their spans belong there."""
    text = []
    for token in source:
        text += [token] + (put_together([token], target, sentinels) if token in sentinels else [])
    return text


def put_together_before(source, target, sentinels):
    """This takes what stands *before* a sentinel in the target: its span stands behind it."""
    spans, span = {}, []
    for token in target:
        if token in sentinels:
            spans[token], span = span, []
        else:
            span.append(token)
    return _filled(source, spans, sentinels)


def put_together_first_span(source, target, sentinels):
    """This gives the tokens before the target's first sentinel to a gap: they belong to none."""
    spans, span, early = {}, [], []
    for token in target:
        if token in sentinels:
            early = early if spans else span
            span = spans[token] = []
        else:
            span.append(token)
    first = next(iter(spans), None)
    if first is not None:
        spans[first] = early + spans[first]
    return _filled(source, spans, sentinels)


def put_together_zero_is_none(source, target, sentinels):
    """This asks whether there is a sentinel by its truth, as in `if sentinel:`, and the id 0 counts
    as false: compare with None."""
    spans, sentinel = {}, None
    for token in target:
        if token in sentinels:
            spans[token], sentinel = [], token
        elif sentinel:
            spans[sentinel].append(token)
    return _filled(source, spans, sentinels)


def put_together_last_lost(source, target, sentinels):
    """This keeps a span only when another sentinel ends it: the last one may be ended by the end of
    the target."""
    last = max((i for i, token in enumerate(target) if token in sentinels), default=0)
    return put_together(source, target[: last + 1], sentinels)


def put_together_gaps_left(source, target, sentinels):
    """This takes the sentinels out and fills nothing in."""
    return [token for token in source if token not in sentinels]


def put_together_at_the_end(source, target, sentinels):
    """This puts all hidden tokens behind the source: each span belongs where its sentinel
    stands."""
    kept = [token for token in source if token not in sentinels]
    return kept + [token for token in target if token not in sentinels]


def put_together_leftover_appended(source, target, sentinels):
    """This puts what stands behind a sentinel that only the target has at the end of the text: such
    a sentinel counts for nothing, and so does what follows it."""
    text, missing = put_together(source, target, sentinels), False
    for token in target:
        if token in sentinels:
            missing = token not in source
        elif missing:
            text.append(token)
    return text


def put_together_only_the_sources_names(source, target, sentinels):
    """This ends a span only at a sentinel that the source has: any sentinel of the vocabulary ends
    it."""
    return put_together(source, target, [token for token in source if token in sentinels])


def _filled(source, spans, sentinels):
    return [
        word
        for token in source
        for word in (spans.get(token, []) if token in sentinels else [token])
    ]


NAMES = ("<0>", "<1>", "<2>", "<3>")


def words(text):
    """A text with spaces as a list."""
    return text.split()


def put_together_cases():
    """A target that fits, and what models write that do not keep to the rules."""
    return [
        case("a target that fits", words("to <0> not to be <1> the question"),
             words("<0> be or <1> that is <2>"), NAMES),
        case("a sentinel is missing", words("to <0> not to be <1> the question"),
             words("<1> that is <2>"), NAMES),
        case("another order", words("<0> be or <1> to be"), words("<1> not <0> to <2>"), NAMES),
        case("an empty span", words("to be <0> or not <1> be"), words("<0> <1> to <2>"), NAMES),
        case("tokens before the first sentinel", words("to be <0> not"),
             words("that is <0> or <1>"), NAMES),
        case("no last sentinel", words("to <0> or <1>"), words("<0> be <1> not to be"), NAMES),
        case("ids", [5, 90, 7, 91], [90, 6, 8, 91, 3, 92], (90, 91, 92)),
        case("a sentinel whose id is 0", [5, 0, 7, 91], [0, 6, 8, 91, 3, 92], (0, 91, 92)),
        case("nothing was hidden", words("to be or not"), words("<0>"), NAMES),
        case("a sentinel that only the target has", words("to <0> or <1> be"),
             words("<0> be <3> that is <1> not to <2> the question"), NAMES),
    ]  # fmt: skip


FITS = (words("to <0> not to be <1> the question"), words("<0> be or <1> that is <2>"), NAMES)


def took(answer, *given):
    """The text as a list; None if there is none, or if it is not a flat list of tokens."""
    found = answer(*(given or FITS))
    if found is None or isinstance(found, str):
        return None
    found = list(found)
    return None if any(isinstance(token, list | tuple) for token in found) else found


def plain(found):
    """The text without the sentinels that an answer left in it; None stays."""
    return found if found is None else [token for token in found if token not in NAMES]


def one_flat_list(answer):
    """Tokens one by one: no string, no list in the list."""
    return answer(*FITS) is None or took(answer) is not None


def kept_in_order(answer):
    """The source's own tokens are there, in their order."""
    found = took(answer)
    if found is None:
        return None if not one_flat_list(answer) else False
    kept = iter(found)
    return all(token in kept for token in words("to not to be the question"))


def no_sentinel_left(answer):
    """No sentinel is left where the target has it."""
    return not {*NAMES} & {*took(answer)}


def whole_spans(answer):
    """All tokens of a span, where its sentinel stood."""
    found = plain(took(answer))
    return found and found == words("to be or not to be that is the question")


def by_name(answer):
    """A gap is filled by the name of its sentinel."""
    found = plain(took(answer, words("a <0> b <1> c"), words("<1> y <0> x <2>"), NAMES))
    return found and found == words("a x b y c")


def missing_is_empty(answer):
    """A sentinel that was not written leaves nothing."""
    found = took(answer, words("a <0> b <1> c"), words("<1> y <2>"), NAMES)
    if found is None or not by_name(answer):
        return None
    return (found if no_sentinel_left(answer) else plain(found)) == words("a b y c")


def early_ones_go(answer):
    """Tokens before the first sentinel are dropped."""
    found = plain(took(answer, words("a <0> b"), words("x y <0> z <1>"), NAMES))
    return found and found == words("a z b")


def strange_ones_go(answer):
    """What stands behind a sentinel that the source lacks is dropped."""
    if not (by_name(answer) and whole_spans(answer)):
        return None
    found = plain(took(answer, words("a <0> b"), words("<0> z <3> x y"), NAMES))
    return found and found == words("a z b")


PUT_TOGETHER = Write(
    id="8b.2",
    title="Put it together again",
    level="medium",
    text="""
A T5 has read `source` and written `target`. Write `put_together(source, target, sentinels)`, which
returns the text as a list: each sentinel of the source is replaced by the tokens that stand behind
**the same** sentinel in the target, up to the next sentinel there. A model makes mistakes, so be
prepared: a sentinel may be missing from the target (then nothing stands in its place), they may
come in another order, and tokens before the target’s first sentinel belong to none. A sentinel
that only the target has counts for nothing, and so do the tokens behind it. No sentinel occurs
twice. Tokens are words or ids; `sentinels` holds all sentinels of the vocabulary.
""",
    hints=(
        "First read the target once, and note for each sentinel what stands behind it.",
        "A dict from sentinel to list. When does a new list begin, and where do other tokens go?",
        "Then go through the source: a sentinel becomes its list, or an empty one; others stay.",
    ),
    solution=put_together,
    second_style=put_together_by_places,
    mistakes=(
        put_together_by_order,
        put_together_one_token,
        put_together_to_the_end,
        put_together_missing_kept,
        put_together_sentinels_kept,
        put_together_before,
        put_together_first_span,
        put_together_zero_is_none,
        put_together_last_lost,
        put_together_gaps_left,
        put_together_at_the_end,
        put_together_leftover_appended,
        put_together_only_the_sources_names,
    ),
    cases=put_together_cases,
    properties=(
        Property(
            "The text must be one flat list: each token of a span stands in it by itself.",
            one_flat_list,
        ),
        Property("Tokens of the source are lost, or stand in another order.", kept_in_order),
        Property("There are sentinels left in the text.", no_sentinel_left),
        Property("A gap does not get exactly the tokens of its span.", whole_spans),
        Property("The gaps are not filled by the names of their sentinels.", by_name),
        Property("A sentinel that the target does not have must leave nothing.", missing_is_empty),
        Property("Tokens before the target’s first sentinel must go.", early_ones_go),
        Property("Tokens behind a sentinel that the source lacks must go.", strange_ones_go),
    ),
    see="8bC T5: the holes have names",
)
