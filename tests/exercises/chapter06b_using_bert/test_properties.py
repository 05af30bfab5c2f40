"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import property_checks
import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.models import bert_heads


def rows(lengths=True, cut=True, more=0, start=0, sign=1, turned=False, order=2):
    """The nearest rows of a table, with a choice of slips."""

    def answer(query, table, n):
        scores = []
        for row in table:
            size = row.norm(p=order) * query.norm() if lengths else 1
            scores.append(sign * float((row * query).sum() / size))
        best = sorted(range(len(scores)), key=lambda i: scores[i], reverse=True)
        found = [i + start for i in (best[: n + more] if cut else best)]
        return torch.tensor(found[::-1] if turned else found)

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


def labels(carries=(0,), other=-100, cls=(-100,), sep=(-100,), numbers="OBI", empty=None):
    """Labels of pieces, with a choice of slips; carries: the pieces that have the word's label."""

    def answer(tags, pieces):
        found = [*cls]
        for tag, some in zip(tags, pieces, strict=True):
            mine = [
                carries is None or n in carries or n - len(some) in carries
                for n in range(len(some))
            ]
            number = empty if empty is not None and tag == "O" else numbers.index(tag)
            found += [number if m else other for m in mine]
        return [*found, *sep]

    return answer


def step(
    clear=True, learn=True, twice=False, masked=True, detach=False, bits=False, all_tokens=False
):
    """A step of fine-tuning, with a choice of slips."""

    def answer(body, head, optimizer, ids, mask, wanted):
        if clear:
            optimizer.zero_grad()
        hidden = body(ids, mask=mask) if masked else body(ids)
        hidden = hidden.detach() if detach else hidden
        logits = head(bert_heads.mean_pool(hidden, None if all_tokens else mask))
        loss = F.cross_entropy(logits.softmax(-1) if twice else logits, wanted)
        loss = loss / math.log(2) if bits else loss
        loss.backward()
        if learn:
            optimizer.step()
        return loss.item(), logits.detach()

    return answer


def two_ends(end=True, allowed=True, fill=-math.inf, dim=1, factor=1.0, bits=False):
    """The loss of a span head, with a choice of slips."""

    def answer(hidden, head, inside, starts, ends):
        scores = head(hidden)
        if allowed:
            scores = torch.where(inside[..., None], scores, torch.full_like(scores, fill))
        log_p = scores.log_softmax(dim=dim)
        loss = F.nll_loss(log_p[..., 0], starts)
        if end:
            loss = loss + F.nll_loss(log_p[..., 1], ends)
        return factor * loss / (math.log(2) if bits else 1)

    return answer


def among(lengths=True, scaled=True, dim=1, other=0, bits=False, reduce=torch.mean):
    """The loss of a batch of partners, with a choice of slips."""

    def answer(a, b, scale):
        if lengths:
            a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
        logits = torch.einsum("id,jd->ij", a, b) * (scale if scaled else 1)
        log_p = logits - torch.logsumexp(logits, dim=dim, keepdim=True)
        found = -torch.stack([log_p[i, (i + other) % len(a)] for i in range(len(a))])
        return reduce(found) / (math.log(2) if bits else 1)

    return answer


def layers(learn="train", shared=None, judged="validation", pick=max, counted=0, told="best test"):
    """A head for each layer and the choice of one, with a choice of slips."""

    def answer(train, validation, test, fit, score):
        parts = {"train": train, "validation": validation, "test": test}
        heads = [fit(part) for part in parts[learn]]
        heads = heads if shared is None else [heads[shared] for _ in heads]
        scores = [score(head, part) for head, part in zip(heads, parts[judged], strict=True)]
        best = scores.index(pick(scores))
        whose, part = told.split()
        told_score = score(heads[-1 if whose == "last" else best], parts[part][best])
        return scores, best + counted, told_score

    return answer


SETS = {
    "6b.1": (
        step(),
        {
            "nothing cleared": (step(clear=False), ["This never clears the gradients: those"]),
            "two softmaxes": (step(twice=True), ["This takes the softmax twice"]),
            "no mask": (step(masked=False), ["This lets the body read the padding"]),
            "all": (step(all_tokens=True), ["This takes the mean over the padding too"]),
            "head alone": (step(detach=True), ["This cuts the body off from the loss"]),
            "head alone, nothing cleared": (
                step(detach=True, clear=False),
                [
                    "The body does not learn: its numbers stay",
                    "Gradients of earlier batches count: call",
                ],
            ),
            "no step": (step(learn=False), ["This learns nothing: call `backward`"]),
            "no step, two softmaxes": (
                step(learn=False, twice=True),
                [
                    "The head does not learn: its numbers stay",
                    "The body does not learn: its numbers stay",
                    "The loss is not the cross-entropy of the logits",
                ],
            ),
            "nothing cleared, two softmaxes": (
                step(clear=False, twice=True),
                [
                    "Gradients of earlier batches count: call",
                    "The loss is not the cross-entropy of the logits",
                ],
            ),
            "in bits": (step(bits=True), ["The loss is not the cross-entropy of the logits"]),
        },
    ),
    "6b.2": (
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
    "6b.3": (
        f1(),
        {
            "same start": (
                f1(right=lambda a, b: a[0] == b[0]),
                ["A name with the right start is right"],
            ),
            "overlaps": (f1(right=overlaps), ["A name is right when it shares words"]),
            "texts together": (f1(texts=False), ["A name is right when another text has"]),
            "mean of texts": (f1(mean=True), ["It takes the mean of the texts' scores"]),
            "precision": (f1(counts="p"), ["It is the precision, the share of what"]),
            "texts together, recall": (
                f1(texts=False, counts="r"),
                ["A name is right when another text has", "It is the recall, the share of what is"],
            ),
            "same start, mean of P and R": (
                f1(right=lambda a, b: a[0] == b[0], counts="mean"),
                ["A name with the right start is right", "It is the mean of precision and recall"],
            ),
            "empty is 1": (f1(empty=1.0), ["When none is right F1 is 0."]),
            "mean of texts, empty is 1": (
                f1(mean=True, empty=1.0),
                ["It takes the mean of the texts' scores", "When none is right F1 is 0."],
            ),
        },
    ),
    "6b.4": (
        labels(),
        {
            "last piece": (labels(carries=(-1,)), ["This labels the last piece of a word in"]),
            "all pieces": (labels(carries=None), ["This gives every piece the label of its"]),
            "others are O": (labels(other=0), ["This gives the later pieces of a word 0"]),
            "no [CLS]": (labels(cls=()), ["[CLS] is missing: it is a token too, and"]),
            "no [CLS], no [SEP]": (
                labels(cls=(), sep=()),
                ["[CLS] is missing: it is a token too, and", "[SEP] is missing: it is a token too"],
            ),
            "others are O, [SEP] too": (
                labels(other=0, sep=(0,)),
                ["The later pieces of a word get 0, which is O", "[SEP] gets 0, which is O: it is"],
            ),
            "all pieces, B and I exchanged": (
                labels(carries=None, numbers="OIB"),
                ["Every piece of a word gets the word's label", "B and I are exchanged: B is 1"],
            ),
            "by the alphabet": (
                labels(numbers="BIO"),
                ["The letters are numbered by the alphabet"],
            ),
            "O is skipped": (labels(empty=-100), ["O is left at -100: then the model never"]),
        },
    ),
    "6b.5": (
        two_ends(),
        {
            "start alone": (two_ends(end=False), ["This is the loss of the start alone"]),
            "half": (two_ends(factor=0.5), ["This takes the mean of the two cross-entropies"]),
            "anywhere": (two_ends(allowed=False), ["This lets an answer start and end anywhere"]),
            "0 for minus infinity": (two_ends(fill=0.0), ["This sets forbidden scores to 0"]),
            "1 for minus infinity": (
                two_ends(fill=1.0),
                ["With the same score for four allowed tokens"],
            ),
            "start alone, anywhere": (
                two_ends(end=False, allowed=False),
                ["A wrong end costs nothing", "A token where no answer may be changes the loss"],
            ),
            "in bits": (two_ends(bits=True), ["With the same score for four allowed tokens"]),
        },
    ),
    "6b.6": (
        span(),
        {
            "one too long": (span(longest_by=1), ["With longest = 3 the answer has 4"]),
            "backwards": (span(order=False), ["The end comes before the start: search"]),
            "outside": (span(inside=False), ["It looks outside of the text too"]),
            "end behind": (span(end=1), ["It returns the position after the answer"]),
            "outside, one too long": (
                span(inside=False, longest_by=1),
                ["It looks outside of the text too", "With longest = 3 the answer has 4"],
            ),
            "backwards, product": (
                span(order=False, combine=lambda a, b: a * b),
                ["The end comes before the start: search"],
            ),
            "any length, end behind": (
                span(longest_by=None, end=1),
                ["It returns the position after the answer", "With longest = 3 the answer has 7"],
            ),
            "lowest": (span(pick=min), ["It takes the pair with the lowest sum"]),
            "one too short": (span(longest_by=-1), ["An answer of exactly `longest` tokens"]),
            "start only": (span(combine=lambda a, b: a), ["It looks at the start alone: add the"]),
        },
    ),
    "6b.7": (
        layers(),
        {
            "lowest": (layers(pick=min), ["This chooses the layer with the *lowest* score"]),
            "from 1": (layers(counted=1), ["The number of the layer is one too high"]),
            "seen": (layers(judged="train"), ["This scores each head on the speeches that"]),
            "first head": (layers(shared=0), ["The head of layer 0 judges all layers"]),
            "from -1": (layers(counted=-1), ["The layer's number is one too low"]),
            "lowest, from 1": (
                layers(pick=min, counted=1),
                [
                    "The layer is the one with the lowest score",
                    "The layer's number is one too high",
                ],
            ),
            "taught and judged by validation, training score": (
                layers(learn="validation", told="best train"),
                [
                    "The heads have learned from the validation part.",
                    "The last number is a training score",
                ],
            ),
            "judged by test, last head": (
                layers(judged="test", told="last test"),
                [
                    "The scores are those of the test part",
                    "The test score is that of the last head",
                ],
            ),
            "a dictionary": (
                lambda *args: dict(enumerate(layers()(*args))),
                ["Three things are asked for"],
            ),
        },
    ),
    "6b.8": (
        rows(),
        {
            "dot": (rows(lengths=False), ["This compares dot products: a long vector wins"]),
            "sum": (rows(order=1), ["This divides by the sum of the sizes of a row's numbers"]),
            "all": (rows(cut=False), ["All rows come back: only the n best are asked for."]),
            "one too many": (
                rows(more=1),
                ["The indices of n rows are asked for, (n,), from 0 on."],
            ),
            "from 1": (rows(start=1), ["The indices of n rows are asked for, (n,), from 0 on."]),
            "worst, last first": (
                rows(sign=-1, turned=True),
                ["It does not find the rows with the highest cosine."],
            ),
        },
    ),
    "6b.9": (
        among(),
        {
            "no lengths": (among(lengths=False), ["This multiplies the vectors as they came"]),
            "columns": (among(dim=0), ["The softmax runs down the columns, so"]),
            "no scale": (among(scaled=False), ["This does not use `scale`: the logits"]),
            "the next": (among(other=1), ["Each is told that the next one is its"]),
            "summed": (among(reduce=torch.sum), ["This sums over the pairs: take the mean"]),
            "each": (among(reduce=lambda x: x), ["This returns a loss for each a_i: take"]),
            "no lengths, columns": (
                among(lengths=False, dim=0),
                ["The vectors are not divided by", "Each b_i looks for its a_i, down the"],
            ),
            "no scale, in bits, summed": (
                among(scaled=False, bits=True, reduce=torch.sum),
                [
                    "scale is not used: the logits are",
                    "It takes logarithms to the base 2",
                    "The pairs are summed: take the mean.",
                ],
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
