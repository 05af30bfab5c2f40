"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import property_checks
import pytest


def infill(each=False, empty=True, end=0, in_order=True, keep=False):
    """Spans behind masks, with a choice of slips."""

    def answer(tokens, spans, mask):
        result, done = [], 0
        for first, last in sorted(spans) if in_order else spans:
            if first == last and not empty:
                continue
            last = min(last + end, len(tokens)) if first < last else last
            masks = [mask] * (max(1, last - first) if each else 1)
            result += [*tokens[done:first], *masks, *(tokens[first:last] if keep else [])]
            done = last
        return [*result, *tokens[done:]]

    return answer


def infill_joined(tokens, spans, mask):
    return " ".join(map(str, infill()(tokens, spans, mask)))


def put_together(by_name=True, one=False, missing_kept=False, sentinels_kept=False):
    """The text from source and target, with a choice of slips."""

    def answer(source, target, sentinels):
        spans, text = {}, []
        for token in target:
            if token in sentinels:
                spans[token] = []
            elif spans:
                spans[list(spans)[-1]].append(token)
        names = iter(spans)
        for token in source:
            if token not in sentinels:
                text.append(token)
                continue
            name = token if by_name else next(names, None)
            text += [token] if sentinels_kept or (missing_kept and name not in spans) else []
            text += spans.get(name, [])[: 1 if one else None]
        return text

    return answer


def put_together_joined(source, target, sentinels):
    return " ".join(map(str, put_together()(source, target, sentinels)))


def put_together_nested(source, target, sentinels):
    text = put_together()
    return [text([word], target, sentinels) if word in sentinels else word for word in source]


def bucket(exact=lambda n: n // 2, linear=False, capped=True, whole=int, over=None, add=0):
    """A distance's bucket, with a choice of slips."""

    def answer(distance, n_buckets, max_distance):
        near = exact(n_buckets)
        if distance < near:
            return distance
        share = math.log(distance / near) / math.log(over or max_distance / near)
        share = (distance - near) / (max_distance - near) if linear else share
        found = near + whole(share * (n_buckets - near)) + add
        return min(found, n_buckets - 1) if capped else found

    return answer


def rms_norm(centred=False, summed=False, root=True, eps="inside", weight="times"):
    """T5's norm, with a choice of slips."""

    def answer(x, w, e):
        x = x - x.mean(-1, keepdim=True) if centred else x
        squares = x.square()
        size = squares.sum(-1, keepdim=True) if summed else squares.mean(-1, keepdim=True)
        size = size + e if eps == "inside" else size
        size = size.sqrt() if root else size
        x = x / (size + e if eps == "outside" else size)
        return {"times": x * w, "plus": x + w, "none": x}[weight]

    return answer


def exact_match(split=lambda prompt: prompt.split(":")[0], clean=str.strip, times=1, whole=False):
    """The share of exact texts by task, with a choice of slips."""

    def answer(prompts, written, targets):
        found = {}
        for prompt, mine, right in zip(prompts, written, targets, strict=True):
            found.setdefault(split(prompt), []).append(clean(mine) == clean(right))
        n = len(prompts)
        return {
            task: times * sum(hits) / (n if whole else len(hits)) for task, hits in found.items()
        }

    return answer


def in_a_row(ends=(True, True), language=lambda number, given: given, again=True, most=None):
    """Sentences in a row, with a choice of slips."""

    def answer(sentences, languages, sep_id):
        rows = [], [], []
        pairs = zip(sentences[:most], languages, strict=most is None)
        for number, (sentence, given) in enumerate(pairs):
            ids = [sep_id] * ends[0] + sentence + [sep_id] * ends[1]
            first = 0 if again else len(rows[0])
            rows[0].extend(ids)
            rows[1].extend([language(number, given)] * len(ids))
            rows[2].extend(range(first, first + len(ids)))
        return rows

    return answer


MASKS = "There is not one mask for each span."
ORDER = "The order of the spans matters"
EMPTY = "An empty span must add a mask"
OTHERS = "Tokens that no span hides are gone"
FLAT = "The text must be one flat list"
LEFT = "There are sentinels left in the text."
SPANS = "A gap does not get exactly the tokens of its span."
NAMES = "The gaps are not filled by the names"
TABLE = "Distances from 4 on are not where the left table has them."
LAST = "From max_distance on all share the last bucket."
SIZE = "With weights of 1 the mean of the squares is not 1."
TURNED = "It turns the vector"
FACTOR = "The weight is not a factor"

SETS = {
    "8b.1": (
        infill(),
        {
            "a mask a token, none for nothing": (infill(each=True, empty=False), [MASKS, EMPTY]),
            "a mask a token, order": (infill(each=True, in_order=False), [MASKS, ORDER]),
            "a mask a token, end": (infill(each=True, end=1), [OTHERS, MASKS]),
            "no empty ones, order": (infill(empty=False, in_order=False), [ORDER, EMPTY]),
            "no empty ones, end": (infill(empty=False, end=1), [OTHERS, EMPTY]),
            "no empty ones, all kept": (infill(empty=False, keep=True), [OTHERS, EMPTY]),
            "a string": (infill_joined, ["It returns a string"]),
        },
    ),
    "8b.2": (
        put_together(),
        {
            "sentinels kept, order": (put_together(False, sentinels_kept=True), [LEFT, NAMES]),
            "sentinels kept, one": (put_together(one=True, sentinels_kept=True), [LEFT, SPANS]),
            "order, one": (put_together(by_name=False, one=True), [SPANS, NAMES]),
            "one, missing kept": (
                put_together(one=True, missing_kept=True),
                [SPANS, "A sentinel that the target does not have"],
            ),
            "a string": (put_together_joined, [FLAT]),
            "lists in a list": (put_together_nested, [FLAT]),
        },
    ),
    "8b.4": (
        bucket(),
        {
            "rounded up": (bucket(whole=math.ceil), [TABLE]),
            "one too late": (bucket(add=1), [TABLE]),
            "never rounded": (bucket(whole=float), ["It must return a whole number"]),
            "always 4 exact": (bucket(exact=lambda n: 4), ["It works for the left table"]),
            "always a factor of 16": (bucket(over=16), ["It works for the left table"]),
            "a quarter exact": (
                bucket(exact=lambda n: n // 4),
                ["The first half of the buckets", TABLE],
            ),
            "linear, no end": (bucket(linear=True, capped=False), [LAST, TABLE]),
            "rounded, no end": (bucket(whole=round, capped=False), [LAST, TABLE]),
        },
    ),
    "8b.6": (
        rms_norm(),
        {
            "centred, no root": (rms_norm(centred=True, root=False), [SIZE, TURNED]),
            "centred, sum": (rms_norm(centred=True, summed=True), [SIZE, TURNED]),
            "centred, no eps": (
                rms_norm(centred=True, eps="none"),
                [TURNED, "A vector of zeros becomes nan"],
            ),
            "centred, weight added": (rms_norm(centred=True, weight="plus"), [TURNED, FACTOR]),
            "sum, no weight": (rms_norm(summed=True, weight="none"), [SIZE, FACTOR]),
            "eps outside, no weight": (
                rms_norm(eps="outside", weight="none"),
                [FACTOR, "The eps does not stand under the root"],
            ),
        },
    ),
    "8b.10": (
        exact_match(),
        {
            "per cent": (exact_match(times=100), ["It must return a dict with a share from 0"]),
            "colon and spaces": (
                exact_match(split=lambda prompt: prompt.split()[0], clean=str),
                ["The names are not what stands", "Spaces around a text must not count."],
            ),
            "colon, any case": (
                exact_match(split=lambda prompt: prompt.split()[0], clean=str.casefold),
                [
                    "The names are not what stands",
                    "A text that is only nearly right counts",
                    "Spaces around a text must not count.",
                ],
            ),
            "of all, spaces": (
                exact_match(whole=True, clean=str),
                ["Where everything is right", "Spaces around a text must not count."],
            ),
        },
    ),
    "8b.12": (
        in_a_row(),
        {
            "no separator in front, two only": (
                in_a_row(ends=(False, True), most=2),
                ["The ids are not those of the table", "It does not take three sentences."],
            ),
            "numbered, counted on": (
                in_a_row(language=lambda number, given: number, again=False),
                ["The languages are not those", "The positions are not those"],
            ),
            "counted on, two only": (
                in_a_row(again=False, most=2),
                ["The positions are not those", "It does not take three sentences."],
            ),
        },
    ),
}

WRONG = {id: answers for id, (_, answers) in SETS.items()}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    property_checks.assert_right(id, SETS[id][0])
