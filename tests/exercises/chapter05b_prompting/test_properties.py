"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import property_checks
import pytest
import torch

from tutorial_lib.datasets.premises import LABELS, PremisePair, relation
from tutorial_lib.exercises.chapter05b_prompting.few_shot import ASKS, SAYS

# 5b.7 -----------------------------------------------------------------------------------------


def for_head(
    pattern="spxhe", side="right", place=lambda row, width: len(row) - 1, fill=None, width=0
):
    """A batch of pairs, with a choice of slips."""

    def answer(pairs, start, separator, extract, pad):
        rows = []
        for premise, hypothesis in pairs:
            parts = {"s": [start], "x": [separator], "e": [extract], "p": premise, "h": hypothesis}
            rows.append([token for part in pattern for token in parts[part]])
        longest = max(map(len, rows)) + width
        ids = torch.full((len(rows), longest), pad if fill is None else fill)
        for n, row in enumerate(rows):
            where = slice(0, len(row)) if side == "right" else slice(longest - len(row), longest)
            ids[n, where] = torch.tensor(row)
        return ids, [place(row, longest) for row in rows]

    return answer


# 5b.8 -----------------------------------------------------------------------------------------


def answer_loss(shift=1, mask_shift=0, mean="tokens", log=torch.log, dim=-1, keep=None):
    """The loss of the answers, with a choice of slips."""

    def answer(logits, ids, is_answer):
        p = torch.exp(logits) / torch.exp(logits).sum(dim, keepdim=True)
        rows = []
        for b in range(len(ids)):
            rows.append([])
            for t in range(1, ids.size(1)):
                if is_answer[b, t - mask_shift] and 0 <= t - shift < ids.size(1):
                    rows[-1].append(-log(p[b, t - shift, ids[b, t]]))
        if keep is not None:
            rows = [keep(row) for row in rows]
        found = [loss for row in rows for loss in row]
        if mean == "rows":
            return sum(sum(row) / max(len(row), 1) for row in rows) / len(rows)
        return sum(found) / {"tokens": len(found), "none": 1, "all": ids.numel()}[mean]

    return answer


# 5b.1 -----------------------------------------------------------------------------------------


def prompt(middle=f"{SAYS} ", after="\n\n", end=SAYS, turn=1, drop=0, back=False):
    """A prompt with examples, with a choice of slips."""

    def answer(examples, query):
        text = ""
        for pair in [tuple(pair) for pair in examples[drop:]][:: -1 if back else 1]:
            text += ASKS + middle.join(pair[::turn]) + after
        return text + ASKS + query + end

    return answer


# 5b.4 -----------------------------------------------------------------------------------------


def score(offset=1, rows=None, heads=False, turned=False, divide=None):
    """The score of an induction head, with a choice of slips."""

    def answer(weights):
        n = weights.shape[-1] // 2
        if turned:
            weights = weights.mT
        found = torch.zeros(len(weights))
        counted = list(range(n) if rows is None else rows(n))
        for i in counted:
            found += weights[:, n + i, i + offset]
        found = found / (len(counted) if divide is None else divide(n))
        return found.mean() if heads else found

    return answer


# 5b.3 and 5b.6 --------------------------------------------------------------------------------


def balanced(once=True, labels=3, same=False, true=True, back=False):
    """The generator repaired, with a choice of slips."""

    def answer(premises, hypotheses):
        found = []
        for hypothesis in hypotheses:
            fitting = {
                label: [one for one in premises if relation(one, hypothesis) == label]
                for label in LABELS
            }
            if sum(map(bool, fitting.values())) < labels:
                continue
            for label, scenes in fitting.items():
                for scene in scenes[:1] if once else scenes[:2]:
                    texts = (scene.text, hypothesis.text)
                    if back:
                        texts = texts[::-1]
                    found.append(PremisePair(*texts, label if true else LABELS[0]))
        return found

    return answer


def few_shot(query=0, more=0, whole=False, answer_of=0, x_only=False, pattern=0):
    """A prompt of patterns, with a choice of slips."""

    def answer(patterns, which, n_examples):
        pairs = patterns[(which + pattern) % len(patterns)]
        prompt = []
        for x, y in pairs[: n_examples + more]:
            prompt += [x] if x_only else [x, y]
        prompt.append(pairs[n_examples + query][0])
        y = pairs[n_examples + query + answer_of][1]
        return ([*prompt, y] if whole else prompt), y

    return answer


SETS = {
    "5b.6": (
        balanced(),
        {
            "two labels enough": (balanced(labels=2), ["“some dogs are in the field” does not"]),
            "twice": (balanced(once=False), ["“some dogs are in the field” comes"]),
            "one label": (
                balanced(true=False),
                [
                    "A label is not true of its pair: it",
                    "“some dogs are in the field” comes",
                    "“some dogs are in the field” does not",
                ],
            ),
            "turned round": (
                balanced(back=True),
                ["A premise is where the hypothesis"],
            ),
            "twice, two labels": (
                balanced(once=False, labels=2),
                ["“some dogs are in the field” comes", "“some dogs are in the field” does not"],
            ),
        },
    ),
    "5b.7": (
        for_head(),
        {
            "no separator, last column": (
                for_head("sphe", place=lambda row, width: width - 1),
                ["The separator must come once, between", "The head reads the last column of all"],
            ),
            "left": (
                for_head(side="left"),
                [
                    "It pads on the left: pad on the right.",
                    "Counted from 0, your rows end at [9, 9",
                ],
            ),
            "length": (
                for_head(place=lambda row, width: len(row)),
                ["Counted from 0, your rows end at [6, 9"],
            ),
            "one too wide": (for_head(width=1), ["The rows are longer than the longest"]),
            "zeros": (for_head(fill=0), ["It pads with something else than `pad`"]),
            "swapped, zeros": (
                for_head("shxpe", fill=0),
                ["It puts the hypothesis first: the", "It pads with something else than `pad`"],
            ),
            "extract first": (
                for_head("espxh"),
                [
                    "The start token must come once, at the",
                    "The extract token must come once, at",
                ],
            ),
            "no start, length": (
                for_head("pxhe", place=lambda row, width: len(row)),
                [
                    "The start token must come once, at the",
                    "Counted from 0, your rows end at [5, 8",
                ],
            ),
        },
    ),
    "5b.8": (
        answer_loss(),
        {
            "unshifted": (answer_loss(shift=0), ["It scores each token with the logits at"]),
            "mask late": (answer_loss(mask_shift=1), ["It counts what comes one position after"]),
            "by rows": (answer_loss(mean="rows"), ["A token of an answer counts for more in"]),
            "bits": (answer_loss(log=torch.log2), ["It is in bits: nats take the natural"]),
            "unshifted, by rows": (
                answer_loss(shift=0, mean="rows"),
                [
                    "It scores each token with the logits at",
                    "A token of an answer counts for more in",
                ],
            ),
            "sum in bits": (
                answer_loss(mean="none", log=torch.log2),
                ["It is the sum: the mean is asked for.", "It is in bits: nats take the natural"],
            ),
            "all, probabilities": (
                answer_loss(mean="all", log=lambda p: p),
                ["It divides by all B · T tokens: divide", "It averages probabilities: the"],
            ),
            "first of each, sum": (
                answer_loss(mean="none", keep=lambda row: row[:1]),
                [
                    "Only the first marked token of each row",
                    "It is the sum: the mean is asked for.",
                ],
            ),
            "over the batch": (answer_loss(dim=0), ["It matters how high all logits of a"]),
            "log10": (answer_loss(log=torch.log10), ["It takes the logarithm to base 10: nats"]),
        },
    ),
    "5b.1": (
        prompt(),
        {
            "closed": (prompt(end=""), ["It ends with the query: the label"]),
            "one new line": (prompt(after="\n"), ["Two examples have"]),
            "no space": (prompt(middle=SAYS), ["An answer comes right after its colon"]),
            "turned, closed": (
                prompt(turn=-1, end=""),
                ["It puts the answer first", "It ends with the query: the label"],
            ),
            "newest first": (prompt(back=True), ["Keep the examples in the order"]),
            "arrow, new line at end": (
                prompt(middle=" -> ", end=f"{SAYS}\n"),
                ["Question and answer have ' -> ' between", "After the query comes"],
            ),
            "one lost": (prompt(drop=1), ["It leaves out examples: of wug, dax"]),
        },
    ),
    "5b.3": (
        few_shot(),
        {
            "last example asked": (few_shot(query=-1), ["It shows the pair that it asks for: the"]),
            "one more": (
                few_shot(more=1),
                ["This shows the pair that it asks for, too, as one example more."],
            ),
            "y in the prompt": (few_shot(whole=True), ["The prompt must end with a query, x y x"]),
            "other answer": (few_shot(answer_of=-1), ["The answer is not the y of the query."]),
            "no y": (
                few_shot(x_only=True),
                [
                    "The prompt must end with a query, x y x",
                    "An example must hold x and its own y.",
                ],
            ),
            "other pattern, one more": (
                few_shot(pattern=1, more=1),
                [
                    "It shows the pair that it asks for: the",
                    "Examples and query must all be from",
                    "Of 3 examples it shows 4.",
                ],
            ),
        },
    ),
    "5b.4": (
        score(),
        {
            "itself": (score(offset=0), ["A row looks at what is at the first"]),
            "one further": (score(offset=2), ["A row looks at what is two positions"]),
            "without the last": (
                score(rows=lambda n: range(n - 1)),
                ["With N = 4, rows 4 to 7 count, but"],
            ),
            "every second row": (
                score(rows=lambda n: range(0, n, 2)),
                ["With N = 4, rows 4 to 7 count, but"],
            ),
            "itself, all heads": (
                score(offset=0, heads=True),
                [
                    "There is one number for all heads: each",
                    "A row looks at what is at the first",
                ],
            ),
            "itself, by 2 N": (
                score(offset=0, divide=lambda n: 2 * n),
                ["A row looks at what is at the first", "It divides the sum of 4 weights by 8"],
            ),
            "by N - 1": (score(divide=lambda n: n - 1), ["It divides the sum of 4 weights by 3"]),
            "turned, summed": (
                score(turned=True, divide=lambda n: 1),
                ["It reads above the diagonal, where a", "It is a sum: divide by the N rows of"],
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
