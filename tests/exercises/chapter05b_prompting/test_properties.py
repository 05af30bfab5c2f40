"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import property_checks
import pytest
import torch

from tutorial_lib.datasets.premises import LABELS, PremisePair, relation

# 5b.7 -----------------------------------------------------------------------------------------


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


# 5b.3 -----------------------------------------------------------------------------------------


def two_heads(back=1, wrap=False, causal=True, scale=1.0, fetch="token", dim=-1):
    """The pair of heads, with a choice of slips."""

    def answer(ids, n_tokens, sharpness):
        n = len(ids)
        weights, fetched = torch.full((n, n), -torch.inf), torch.zeros(n, n_tokens)
        notes = [ids[(s - back) % n] if wrap or s >= back else None for s in range(n)]
        for t in range(n):
            for s in range(t + 1 if causal else n):
                match = notes[s] is not None and notes[s] == ids[t]
                weights[t, s] = sharpness * scale * match
        weights = weights.softmax(dim)
        for s in range(n):
            what = ids[s] if fetch == "token" else notes[s]
            if what is not None:
                fetched[:, what] += weights[:, s]
        return weights, fetched

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


# 5b.8 ---------------------------------------------------------------------------------------


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


# 5b.1 -----------------------------------------------------------------------------------------


def few_shot_score(first=1, more=0, same=False, around=True, match=None, share=True, ask=None):
    """The score of a prompt, with a choice of slips."""

    def answer(pairs, k, build, goes_on):
        right = 0
        asked = pairs if ask is None else pairs[ask]
        for question, wanted in asked:
            i = 0 if same else pairs.index((question, wanted)) + first
            shown = (pairs[i:] + pairs[:i] if around else pairs[i:])[: k + more]
            said = goes_on(build(shown, question))
            right += match(said, wanted) if match else said == wanted
        return right / len(pairs) if share else right

    return answer


# 5b.2 -----------------------------------------------------------------------------------------


def ceiling(word=lambda k: k, end=lambda k: k, begin=0, share=True, none=0.0):
    """The share of questions that can be answered, with a choice of slips."""

    def answer(kinds, k):
        if k == 0:
            return none
        told = sum(s[word(k)] in s[begin : end(k)] for s in kinds)
        return told / len(kinds) if share else told

    return answer


# 5b.5 -----------------------------------------------------------------------------------------


def silence_mixed(output, n_heads, head, instead):
    """A hook on what the layer returns, where the heads are mixed already."""
    width = output.in_features // n_heads

    def change(module, inputs, mixed):
        mixed = mixed.clone()
        mixed[..., head * width : (head + 1) * width] = instead
        return mixed

    return output.register_forward_hook(change)


def silence(start=lambda head, width: head * width, end=None, copy=True, put=None, back=True):
    """A hook that silences a head, with a choice of slips."""

    def answer(output, n_heads, head, instead):
        width = output.in_features // n_heads
        first = start(head, width)
        last = first + width if end is None else end(first, width)

        def change(module, inputs):
            heads = inputs[0].clone() if copy else inputs[0]
            old = heads[..., first:last]
            heads[..., first:last] = instead if put is None else put(old, instead)
            return (heads,) if back else None

        return output.register_forward_pre_hook(change)

    return answer


# 5b.6 -----------------------------------------------------------------------------------------


def without_note(news=lambda said, mean: said - mean, shift=0, turned=False, sign=-1):
    """The stream without a note, with a choice of slips."""

    def answer(stream, said, mean, matrix, head):
        width = said.size(-1)
        first = (head + shift) * width
        columns = matrix[first : first + width] if turned else matrix[:, first : first + width].T
        return stream + sign * news(said, mean) @ columns

    return answer


SETS = {
    "5b.8": (
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
    "5b.3": (
        two_heads(),
        {
            "two back": (two_heads(back=2), ["The note is of the token two places before"]),
            "wraps": (two_heads(wrap=True), ["`roll` wraps: position 0 has a note"]),
            "no mask": (two_heads(causal=False), ["Later positions get weight"]),
            "fetches notes": (two_heads(fetch="note"), ["The values are the notes"]),
            "wraps, fetches notes": (
                two_heads(wrap=True, fetch="note"),
                ["`roll` wraps: position 0 has a note", "The values are the notes"],
            ),
            "two back, columns": (
                two_heads(back=2, dim=0),
                ["The note is of the token two places before", "The softmax goes over t"],
            ),
            "scaled": (
                two_heads(scale=6**-0.5),
                ["The scores are also divided by the root of n_tokens"],
            ),
            "no mask, wraps": (
                two_heads(causal=False, wrap=True),
                ["`roll` wraps: position 0 has a note", "Later positions get weight"],
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
    "5b.1": (
        few_shot_score(),
        {
            "its own answer": (few_shot_score(first=0), ["It shows the pair that it asks for"]),
            "the same for all": (few_shot_score(same=True), ["Every question gets the first k"]),
            "not around": (few_shot_score(around=False), ["The last questions have too few"]),
            "one more": (few_shot_score(more=1), ["It shows one example more than k."]),
            "begins": (
                few_shot_score(match=lambda said, wanted: said.startswith(wanted)),
                ["“a2 and more” is not “a2”"],
            ),
            "without the last, a count": (
                few_shot_score(ask=slice(0, -1), share=False),
                ["It leaves out the last pair.", "It is a count: divide by"],
            ),
            "its own answer, a count": (
                few_shot_score(first=0, share=False),
                ["It shows the pair that it asks for", "It is a count: divide by"],
            ),
        },
    ),
    "5b.2": (
        ceiling(),
        {
            "itself": (ceiling(end=lambda k: k + 1), ["It finds word k itself"]),
            "anywhere": (ceiling(end=lambda k: None), ["It finds word k itself"]),
            "a word late": (
                ceiling(lambda k: k + 1, lambda k: k + 1),
                ["It is one word late"],
            ),
            "a word early": (
                ceiling(lambda k: k - 1, lambda k: k - 1),
                ["It is one word early"],
            ),
            "all without an example": (ceiling(none=1.0), ["With k = 0 no word comes before"]),
            "a number": (ceiling(share=False), ["It is the number of sequences"]),
            "a number, all without an example": (
                ceiling(share=False, none=7),
                ["It is the number of sequences", "With k = 0 no word comes before"],
            ),
            "without the first, a number": (
                ceiling(begin=1, share=False),
                ["It leaves out the first word", "It is the number of sequences"],
            ),
        },
    ),
    "5b.5": (
        silence(),
        {
            "from column head": (silence(lambda head, width: head), ["It begins at column `head`"]),
            "the next head": (
                silence(lambda head, width: head * width + width),
                ["It changes the head after"],
            ),
            "one column": (
                silence(end=lambda first, width: first + 1),
                ["It changes a single column"],
            ),
            "after the mixing": (silence_mixed, ["It changes what the layer returns"]),
            "no copy": (silence(copy=False), ["It changes the tensor that it was given"]),
            "returns nothing": (silence(back=False), ["With the hook the layer says what it"]),
            "adds": (silence(put=lambda old, new: old + new), ["It adds `instead`"]),
            "zeros, no copy": (
                silence(put=lambda old, new: 0.0, copy=False),
                ["It changes the tensor that it was given", "It puts zeros there"],
            ),
        },
    ),
    "5b.6": (
        without_note(),
        {
            "all of it": (
                without_note(lambda said, mean: said),
                ["It takes away all that the head said"],
            ),
            "the mean alone": (
                without_note(lambda said, mean: -mean.expand_as(said)),
                ["It adds the mean, and leaves what the head said"],
            ),
            "this text's mean": (
                without_note(lambda said, mean: said - said.mean((0, 1))),
                ["It takes the mean of this text"],
            ),
            "turned": (without_note(turned=True), ["It takes rows of the matrix"]),
            "the next head": (without_note(shift=1), ["It takes the columns of the head after"]),
            "adds": (without_note(sign=1), ["It adds what the head said above its mean"]),
            "all of it, the head before": (
                without_note(lambda said, mean: said, shift=-1),
                ["It takes the columns of the head before", "It takes away all that the head"],
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
