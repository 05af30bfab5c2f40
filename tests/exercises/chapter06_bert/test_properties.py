"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import property_checks
import pytest
import torch


def segments(first_own=0, second_own=1, padding=0, turned=False, cls=0):
    """Segment numbers counted token by token, with a choice of slips."""

    def answer(ids, sep_id):
        found = []
        for row in ids.tolist():
            passed, out = 0, []
            for token in row:
                own = token == sep_id
                number = [0, 1, padding][min(passed, 2)]
                if own and passed < 2:
                    number = (first_own, second_own)[passed]
                out.append(number)
                passed += own
            out[0] = cls
            found.append([1 - number for number in out] if turned else out)
        return torch.tensor(found)

    return answer


def masking(low=0.8, high=0.9, exchanged=False, everywhere=False, strict=True, rest=None):
    """80, 10 and 10, with a choice of slips."""

    def answer(ids, chosen, draw, random_ids, mask_id):
        result = []
        below = (lambda a, b: a < b) if strict else (lambda a, b: a <= b)
        for b, row in enumerate(ids.tolist()):
            result.append([])
            for t, token in enumerate(row):
                new, other = mask_id, int(random_ids[b, t])
                if exchanged:
                    new, other = other, new
                value = draw[b, t]
                if chosen[b, t] or everywhere:
                    if below(value, low):
                        token = new
                    elif below(value, high):
                        token = other
                    elif rest is not None:
                        token = rest
                result[-1].append(token)
        return torch.tensor(result)

    return answer


def masked_loss(mean="chosen", keep=True, log=torch.log, dim=-1, shift=0, spare=None):
    """The loss at the chosen places, with a choice of slips."""

    def answer(logits, ids, chosen):
        top = logits.amax(dim, keepdim=True)
        p = torch.exp(logits - top) / torch.exp(logits - top).sum(dim, keepdim=True)
        p = p.roll(shift, dims=1)
        counted = chosen if keep else ~chosen
        if spare is not None:
            counted = counted & (ids != spare)
        losses = -log(p.gather(-1, ids.unsqueeze(-1)).squeeze(-1)) * counted
        if mean == "rows":
            return (losses.sum(1) / counted.sum(1).clamp(min=1)).mean()
        return losses.sum() / {"chosen": counted.sum(), "all": ids.numel(), "none": 1}[mean]

    return answer


def follows(coin=0.5, other=True, label=True, offset=1, turned=False, below=True, first=False):
    """Pairs of sentences, with a choice of slips."""

    def answer(documents, draws):
        found = []
        for d, s, toss, u in draws:
            real = toss < coin if below else toss > coin
            pool = [
                sentence
                for number, document in enumerate(documents)
                for sentence in document
                if number != d or not other
            ]
            second = documents[d][s + offset] if real else pool[0 if first else int(u * len(pool))]
            pair = (documents[d][s], second)
            found.append((*(pair[::-1] if turned else pair), real if label else not real))
        return found

    return answer


def batch(hide=True, labels="chosen", ignored=-100, hidden_label=False, place=0):
    """Inputs and labels of masked language modelling, with a choice of slips."""

    def answer(ids, chosen, mask_id):
        where = chosen.roll(place, dims=1)
        inputs = torch.where(where if hide else ~where, torch.full_like(ids, mask_id), ids)
        wanted = inputs if hidden_label else ids
        counted = {"chosen": chosen, "others": ~chosen, "all": torch.ones_like(chosen)}[labels]
        return inputs, torch.where(counted, wanted, torch.full_like(ids, ignored))

    return answer


def pool(divide="real", keep=True, start=0, end=None, masked=True, power=1):
    """The mean over real tokens, with a choice of slips."""

    def answer(hidden, mask):
        counted = (mask if keep else ~mask).clone()
        if not masked:
            counted = torch.ones_like(mask)
        counted[:, :start] = False
        if end is not None:
            for row in counted:
                row[row.nonzero()[end:]] = False
        total = torch.zeros(hidden.size(0), hidden.size(2))
        for t in range(hidden.size(1)):
            total += hidden[:, t] ** power * counted[:, t, None]
        if divide == "none":
            return total
        sizes = {"real": counted.sum(1, keepdim=True).clamp(min=1), "all": mask.size(1)}
        sizes["batch"] = mask.size(0)
        sizes["together"] = counted.sum()
        return total / sizes[divide]

    return answer


def names(last=0, i_begins=True, b_splits=True, ends=True, start=0, singles=True):
    """Names from tags, with a choice of slips."""

    def answer(tags):
        found, begun = [], None
        for t, tag in enumerate([*tags, "O"] if ends else tags):
            goes_on = tag == "I" or (tag == "B" and not b_splits)
            if begun is not None and not goes_on:
                if singles or t - begun > 1:
                    found.append((begun + start, t + last))
                begun = None
            if begun is None and (tag == "B" or (tag == "I" and i_begins)):
                begun = t
        return found

    return answer


def span(longest_by=0, order=True, inside=True, combine=lambda a, b: a + b, end=0, pick=max):
    """The best pair of places, with a choice of slips."""

    def answer(start_logits, end_logits, allowed, longest):
        found = {}
        n = len(start_logits)
        for i in range(n):
            for j in range(n):
                if order and j < i:
                    continue
                if longest_by is not None and j - i + 1 > longest + longest_by:
                    continue
                if inside and not (allowed[i] and allowed[j]):
                    continue
                found[i, j + end] = combine(start_logits[i].item(), end_logits[j].item())
        return pick(found, key=found.get)

    return answer


def f1(right=lambda a, b: a == b, texts=True, mean=None, empty=0.0, counts="both"):
    """F1 of spans, with a choice of slips."""

    def one(predicted, true):
        hits = sum(
            any(right(a, b) for b in theirs)
            for mine, theirs in zip(predicted, true, strict=True)
            for a in mine
        )
        n, m = sum(map(len, predicted)), sum(map(len, true))
        if not hits:
            return empty
        p, r = hits / n, hits / m
        if counts == "p":
            return p
        if counts == "r":
            return r
        return 2 * p * r / (p + r) if counts == "both" else (p + r) / 2

    def answer(predicted, true):
        if mean:
            rows = [one([a], [b]) for a, b in zip(predicted, true, strict=True)]
            return sum(rows) / len(rows)
        if not texts:
            predicted, true = ([[a for spans in x for a in spans]] for x in (predicted, true))
        return one(predicted, true)

    return answer


def overlaps(a, b):
    return a[0] < b[1] and b[0] < a[1]


def vectors(pooled=None, length=2, dim=-1, square=False):
    """Vectors of length 1, with a choice of slips."""

    def answer(hidden, mask):
        mean = (pooled or pool())(hidden, mask)
        if length is None:
            return mean
        size = mean.norm(p=length, dim=dim, keepdim=True)
        return mean / (size**2 if square else size)

    return answer


SETS = {
    "6.3": (
        segments(),
        {
            "first [SEP] in the second": (
                segments(first_own=1),
                ["The first [SEP], which closes the first"],
            ),
            "padding 1": (segments(padding=1), ["The padding gets 1: it must be 0."]),
            "first [SEP] and padding": (
                segments(first_own=1, padding=1),
                ["The first [SEP], which closes the first", "The padding gets 1: it must be 0."],
            ),
            "second [SEP] 0": (segments(second_own=0), ["The second [SEP], which closes the"]),
            "both [SEP]": (
                segments(1, 0),
                ["The first [SEP], which closes the first", "The second [SEP], which closes the"],
            ),
            "turned": (
                segments(turned=True),
                ["It is the other way round: the first", "The padding gets 1: it must be 0."],
            ),
            "padding 2": (segments(padding=2), ["The padding gets 2: it must be 0."]),
            "[CLS] 1, padding 1": (
                segments(cls=1, padding=1),
                ["A token of the first sentence, or", "The padding gets 1: it must be 0."],
            ),
        },
    ),
    "6.5": (
        masking(),
        {
            "everywhere": (masking(everywhere=True), ["A token that is not chosen, with the"]),
            "exchanged": (
                masking(exchanged=True),
                ["A chosen token with the draw 0.03", "A chosen token with the draw 0.81"],
            ),
            "0.8 hidden": (masking(strict=False), ["A chosen token with the draw 0.8"]),
            "everywhere, 0.8": (
                masking(everywhere=True, strict=False),
                ["A token that is not chosen, with the", "A chosen token with the draw 0.8"],
            ),
            "0.1 and 0.2": (
                masking(low=0.1, high=0.2),
                ["A chosen token with the draw 0.31", "A chosen token with the draw 0.81"],
            ),
            "rest hidden": (masking(rest=0), ["A chosen token with the draw 0.95"]),
            "everywhere, exchanged": (
                masking(everywhere=True, exchanged=True),
                [
                    "A token that is not chosen, with the",
                    "A chosen token with the draw 0.03",
                    "A chosen token with the draw 0.81",
                ],
            ),
            "up to 1": (masking(high=1), ["A chosen token with the draw 0.95"]),
        },
    ),
    "6.6": (
        masked_loss(),
        {
            "others": (masked_loss(keep=False), ["Everything counts but what is marked"]),
            "by all": (masked_loss(mean="all"), ["It divides by all B · T tokens: divide"]),
            "rows": (masked_loss(mean="rows"), ["A chosen place counts for more in a row"]),
            "shifted": (masked_loss(shift=1), ["It reads the logits one place before"]),
            "shifted, bits": (
                masked_loss(shift=1, log=torch.log2),
                ["It reads the logits one place before", "It is in bits: nats take the natural"],
            ),
            "sum of p": (
                masked_loss(mean="none", log=lambda p: p),
                ["It is the sum: the mean is asked for.", "It averages probabilities: the"],
            ),
            "token 0 spared": (masked_loss(spare=0), ["Token 0 is left out where it is marked"]),
            "token 0 spared, rows": (
                masked_loss(spare=0, mean="rows"),
                [
                    "Token 0 is left out where it is marked",
                    "A chosen place counts for more in a row",
                ],
            ),
            "over the batch": (masked_loss(dim=0), ["It matters how high all logits of a"]),
        },
    ),
    "6.4": (
        follows(),
        {
            "coin turned": (follows(below=False), ["It turns the coin round: below 0.5 the"]),
            "own document too": (follows(other=False), ["With a coin of 0.5 or more a second"]),
            "labels turned": (follows(label=False), ["The labels are wrong: is_next is True"]),
            "turned, own": (
                follows(label=False, other=False),
                ["With a coin of 0.5 or more a second", "The labels are wrong: is_next is True"],
            ),
            "itself": (follows(offset=0), ["In a real pair number 1 follows number"]),
            "second first": (follows(turned=True), ["The first sentence of a pair must be"]),
            "always the first other": (
                follows(first=True),
                ["With the coin 0.9 and u = 0.31 it draws"],
            ),
            "itself, always the first other": (
                follows(offset=0, first=True),
                [
                    "In a real pair number 1 follows number",
                    "With the coin 0.9 and u = 0.31 it draws",
                ],
            ),
            "coin 0.8": (follows(coin=0.8), ["With a coin of 0.5 or more a second"]),
        },
    ),
    "6.7": (
        batch(),
        {
            "labels hidden": (batch(hidden_label=True), ["This takes the labels from the changed"]),
            "ignored 0": (batch(ignored=0), ["The label of a place that was not"]),
            "hides the others": (
                batch(hide=False),
                [
                    "A chosen token is not hidden: `mask_id`",
                    "A token that was not chosen is hidden",
                ],
            ),
            "ignored 0, hides others": (
                batch(hide=False, ignored=0),
                [
                    "A chosen token is not hidden: `mask_id`",
                    "A token that was not chosen is hidden",
                    "The label of a place that was not",
                ],
            ),
            "one to the right": (
                batch(place=1),
                [
                    "A chosen token is not hidden: `mask_id`",
                    "A token that was not chosen is hidden",
                ],
            ),
        },
    ),
    "6.9": (
        pool(),
        {
            "by all": (pool(divide="all"), ["It divides by T: divide by the number"]),
            "padding": (pool(keep=False), ["Only the padding counts: True marks a"]),
            "no mask": (pool(masked=False), ["The padding counts: only real tokens"]),
            "without [CLS]": (pool(start=1), ["[CLS], the first token, does not count"]),
            "without [CLS], by all": (
                pool(start=1, divide="all"),
                ["[CLS], the first token, does not count", "It divides by T: divide by the number"],
            ),
            "without the last": (pool(end=-1), ["[SEP], the last real token, does not"]),
            "without [CLS], summed": (
                pool(start=1, divide="none"),
                [
                    "[CLS], the first token, does not count",
                    "It is the sum: divide by the number of",
                ],
            ),
            "squares": (pool(power=2), ["Twice the vectors must have twice the"]),
            "by the batch": (pool(divide="batch"), ["With 3 real tokens, the sum is divided"]),
            "by all tokens of the batch": (
                pool(divide="together"),
                ["It divides by the real tokens of the"],
            ),
        },
    ),
    "6.10": (
        names(),
        {
            "last token": (names(last=-1), ["The end is the last word of the name"]),
            "i ignored": (
                names(i_begins=False),
                ["An I after an O is left out: it begins", "An I at the very beginning begins a"],
            ),
            "b goes on": (names(b_splits=False), ["Names side by side are glued together"]),
            "last name lost": (names(ends=False), ["A name at the end of the tags is lost"]),
            "last token, i ignored": (
                names(last=-1, i_begins=False),
                [
                    "The end is the last word of the name",
                    "An I after an O is left out: it begins",
                    "An I at the very beginning begins a",
                ],
            ),
            "b goes on, last lost": (
                names(b_splits=False, ends=False),
                ["A name at the end of the tags is lost", "Names side by side are glued together"],
            ),
            "from 1": (
                names(start=1, last=1),
                ["The name words[5:9] of OOOOOBIIIO", "The name words[5:9] of OOOOOBIIIO ends"],
            ),
            "only long ones": (names(singles=False), ["A name of one word is lost: a B with no"]),
        },
    ),
    "6.12": (
        span(),
        {
            "one too long": (span(longest_by=1), ["With longest = 3 the answer has 4"]),
            "backwards": (span(order=False), ["The end comes before the start: search"]),
            "outside": (span(inside=False), ["It looks outside of the scene too"]),
            "end behind": (span(end=1), ["It returns the place behind the answer"]),
            "outside, one too long": (
                span(inside=False, longest_by=1),
                ["It looks outside of the scene too", "With longest = 3 the answer has 4"],
            ),
            "backwards, product": (
                span(order=False, combine=lambda a, b: a * b),
                ["The end comes before the start: search"],
            ),
            "any length, end behind": (
                span(longest_by=None, end=1),
                ["It returns the place behind the answer", "With longest = 3 the answer has 7"],
            ),
            "lowest": (span(pick=min), ["It takes the pair with the lowest sum"]),
            "one too short": (span(longest_by=-1), ["An answer of exactly `longest` tokens"]),
            "start only": (span(combine=lambda a, b: a), ["It looks at the start alone: add the"]),
        },
    ),
    "6.11": (
        f1(),
        {
            "same start": (
                f1(right=lambda a, b: a[0] == b[0]),
                ["A span with the right start is right"],
            ),
            "overlaps": (f1(right=overlaps), ["A span is right when it shares words"]),
            "texts together": (f1(texts=False), ["A span is right when another text has"]),
            "mean of texts": (f1(mean=True), ["It takes the mean of the texts' scores"]),
            "precision": (f1(counts="p"), ["It is the precision, the share of what"]),
            "texts together, recall": (
                f1(texts=False, counts="r"),
                ["A span is right when another text has", "It is the recall, the share of what is"],
            ),
            "same start, mean of P and R": (
                f1(right=lambda a, b: a[0] == b[0], counts="mean"),
                ["A span with the right start is right", "It is the mean of precision and recall"],
            ),
            "empty is 1": (f1(empty=1.0), ["When none is right F1 is 0."]),
            "mean of texts, empty is 1": (
                f1(mean=True, empty=1.0),
                ["It takes the mean of the texts' scores", "When none is right F1 is 0."],
            ),
        },
    ),
    "6.13": (
        vectors(),
        {
            "no length": (vectors(length=None), ["This does not bring the means to length"]),
            "by the batch": (
                vectors(dim=0),
                ["This takes the norm along the texts, dim 0"],
            ),
            "sum is 1": (vectors(length=1), ["The vectors have the lengths 0.374"]),
            "padding, no length": (
                vectors(pool(masked=False), None),
                ["The padding counts: only real tokens", "The vectors have the lengths 14.9"],
            ),
            "without [CLS]": (vectors(pool(start=1)), ["[CLS], the first token, does not count"]),
            "without [CLS], sum is 1": (
                vectors(pool(start=1), 1),
                ["[CLS], the first token, does not count", "The vectors have the lengths 0.378"],
            ),
            "by the square": (vectors(square=True), ["The vectors have the lengths 0.0685"]),
        },
    ),
}

ANSWERS = property_checks.rows({id: answers for id, (_, answers) in SETS.items()})


@pytest.mark.parametrize(("id", "answer", "sentences"), ANSWERS)
def test_each_mistake_of_an_answer_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    assert property_checks.verdict(id, SETS[id][0]).status == "right"


@pytest.mark.parametrize("id", SETS)
def test_the_solution_breaks_no_property_and_none_fails_on_it(id):
    property_checks.assert_the_solution_holds(id)


@pytest.mark.parametrize("id", SETS)
def test_no_property_refuses_a_right_answer_in_short_floats(id):
    property_checks.assert_right_in_short_floats(id)
