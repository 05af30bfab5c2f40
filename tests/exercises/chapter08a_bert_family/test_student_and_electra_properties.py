"""Wrong answers to 8a.9 to 8a.14 that nobody has written out are named by properties."""

import itertools

import property_checks
import pytest
import torch
import torch.nn.functional as F


def layers(pool=itertools.combinations, best=min, times=1, tuples=False, reverse=False):
    """Choose by measuring, with a choice of slips."""

    def answer(n_teacher, n_student, loss):
        choices = [*map(list, pool(range(n_teacher), n_student))]
        losses = [[loss(choice) for _ in range(times)][-1] for choice in choices]
        places = range(len(choices))
        place = best(reversed(places) if reverse else places, key=lambda place: losses[place])
        return choices[place]

    return answer


def greedy(n_teacher, n_student, loss):
    """Remove the layer that is missed least, again and again."""
    kept = [*range(n_teacher)]
    while len(kept) > n_student:
        kept = min(([x for x in kept if x != layer] for layer in kept), key=loss)
    return kept


def twice(range_, n):
    """All choices, a layer as often as one likes, in order."""
    return itertools.combinations_with_replacement(range_, n)


def soft(between="kl", power=2, mean="mean", student=1, teacher=1, detach=True):
    """Soft targets, with a choice of slips."""

    def answer(student_logits, teacher_logits, temperature):
        wanted = teacher_logits.detach() if detach else teacher_logits
        p = F.softmax(wanted / temperature**teacher, -1)
        q = F.log_softmax(student_logits / temperature**student, -1)
        log_p = F.log_softmax(wanted / temperature**teacher, -1)
        terms = {"kl": p * (log_p - q), "reverse": q.exp() * (q - log_p), "cross": -p * q}[between]
        rows = terms.sum(-1)
        found = {"mean": rows.mean(), "sum": rows.sum(), "all": terms.mean(), "rows": rows}[mean]
        return temperature**power * found

    return answer


def over_gaps(student_logits, teacher_logits, temperature):
    """The tokens of different gaps compete."""
    q = F.log_softmax(student_logits / temperature, 0)
    p = F.softmax(teacher_logits.detach() / temperature, 0)
    return temperature**2 * F.kl_div(q, p, reduction="batchmean")


def lesson(power=2, sign=1, detach=True, at=None):
    """One lesson, with a choice of slips."""

    def answer(student, teacher, inputs, gaps, temperature):
        places = gaps if at is None else at(gaps)
        wanted = teacher(inputs)[places]
        wanted = wanted.detach() if detach else wanted
        p, log_p = (f(wanted / temperature, -1) for f in (F.softmax, F.log_softmax))
        q = F.log_softmax(student(inputs)[places] / temperature, -1)
        return sign * temperature**power * (p * (log_p - q)).sum(-1).mean()

    return answer


def labels(fill="rows", label="changed", padding=-100, kind=torch.long):
    """ELECTRA's batch, with a choice of slips."""

    def answer(ids, chosen, mask, drawn):
        changed = ids.clone()
        if fill == "rows":
            changed[chosen] = drawn
        if fill == "columns":
            changed.T[chosen.T] = drawn
        found = {"changed": changed != ids, "chosen": chosen, "same": changed == ids}[label]
        found = found.to(kind)
        if padding is not None:
            found[~mask] = padding
        return changed, found

    return answer


def discriminator_loss(counted="real", mean="mean", sigmoids=0, base=1.0, sign=1):
    """The loss of a discriminator, with a choice of slips."""

    def answer(logits, labels):
        for _ in range(sigmoids):
            logits = logits.sigmoid()
        y = (labels == 1).float()
        losses = F.binary_cross_entropy_with_logits(logits, y, reduction="none")
        real = {"real": labels >= 0, "all": labels > -200, "replaced": labels == 1}[counted]
        losses = losses * real
        if mean == "rows":
            return (losses.sum(1) / real.sum(1)).mean()
        n_counted = {"mean": real.sum(), "sum": 1, "all": labels.numel()}[mean]
        return sign * losses.sum() / n_counted / base

    return answer


def log_of_a_sigmoid(logits, labels):
    """Infinite where the discriminator is sure and wrong, and right where it is not that sure."""
    real = labels != -100
    p = logits[real].sigmoid()
    return -torch.where(labels[real] == 1, p, 1 - p).log().mean()


def forger(fill="drawn", label="changed"):
    """Forged batches, with a choice of slips."""

    def answer(ids, chosen, logits, u):
        sums = logits.softmax(-1).cumsum(-1)
        drawn = {
            "drawn": (sums[:, :-1] <= u[:, None]).sum(-1),
            "likely": logits.argmax(-1),
            "any": (u * logits.size(-1)).long(),
            "before": ((sums <= u[:, None]).sum(-1) - 1).clamp(min=0),
            "other chance": torch.multinomial(logits.softmax(-1), 1).squeeze(1),
            "no sum": (logits.softmax(-1) < u[:, None]).sum(-1),
            "no softmax": (logits.cumsum(-1) <= u[:, None]).sum(-1),
        }[fill]
        changed = ids.masked_scatter(chosen, drawn)
        found = {"changed": changed != ids, "chosen": chosen, "same": changed == ids}
        return changed, found.get(label, (changed != ids).long())

    return answer


SETS = {
    "8a.9": (
        layers(),
        {
            "the worst": (layers(best=max), ["It takes the choice with the highest loss"]),
            "a layer twice": (
                layers(pool=twice),
                ["It allows a layer twice"],
            ),
            "out of order": (
                layers(pool=itertools.permutations),
                ["It allows layers out of order"],
            ),
            "returns nothing": (
                lambda n_teacher, n_student, loss: None,
                ["It returns None: does it find a lowest loss"],
            ),
            "measured three times": (layers(times=3), ["It measures [0, 1, 2] 3 times"]),
            "the last of equals": (layers(reverse=True), ["Of several choices with the lowest"]),
            "worst, measured twice": (
                layers(best=max, times=2),
                ["It measures [0, 1, 2] 2 times", "It takes the choice with the highest loss"],
            ),
            "thrown out one by one": (
                greedy,
                [
                    "It measures lists of more or fewer layers",
                    "It does not measure every choice",
                ],
            ),
        },
    ),
    "8a.10": (
        soft(),
        {
            "turned": (soft("reverse"), ["The KL is the wrong way round"]),
            "cross-entropy": (soft("cross"), ["It is the cross-entropy"]),
            "no factor": (soft(power=0), ["The factor τ² is missing"]),
            "factor T": (soft(power=1), ["The factor is τ: it must be τ²"]),
            "over V": (soft(mean="all"), ["It divides by N · V"]),
            "sum": (soft(mean="sum"), ["It is the sum over the gaps"]),
            "one side": (soft(teacher=0), ["Only the student’s logits are divided"]),
            "other side": (soft(student=0), ["Only the teacher’s logits are divided"]),
            "teacher moves": (soft(detach=False), ["A gradient reaches the teacher"]),
            "turned, over V": (
                soft("reverse", mean="all"),
                ["The KL is the wrong way round", "It divides by N · V"],
            ),
            "no factor, one side, teacher moves": (
                soft(power=0, teacher=0, detach=False),
                [
                    "The factor τ² is missing",
                    "Only the student’s logits are divided",
                    "A gradient reaches the teacher",
                ],
            ),
            "over the gaps": (over_gaps, ["It matters how high all logits of a gap are"]),
            "one a gap": (soft(mean="rows"), ["There is a loss for each gap"]),
        },
    ),
    "8a.11": (
        lesson(),
        {
            "no factor": (lesson(power=0), ["The factor τ² is missing."]),
            "no factor, both move": (
                lesson(power=0, detach=False),
                ["A gradient still reaches the teacher", "The factor τ² is missing."],
            ),
            "sign": (lesson(sign=-1), ["This has the wrong sign"]),
            "sign, both move": (
                lesson(sign=-1, detach=False),
                ["A gradient still reaches the teacher", "The loss is below 0"],
            ),
            "at the other places": (
                lesson(at=lambda gaps: ~gaps),
                ["The loss is not τ² · KL(teacher ‖ student)"],
            ),
            "everywhere": (
                lesson(at=torch.ones_like),
                ["The loss is not τ² · KL(teacher ‖ student)"],
            ),
        },
    ),
    "8a.12": (
        labels(),
        {
            "gaps": (labels(label="chosen"), ["Each gap has the label 1"]),
            "turned": (labels(label="same"), ["The labels are the wrong way round"]),
            "decimal": (labels(kind=torch.float), ["The labels are whole numbers"]),
            "labels first": (
                lambda *args: labels()(*args)[::-1],
                ["The order is turned round: first the ids"],
            ),
            "padding 0": (labels(padding=None), ["Padding has the label 0"]),
            "columns": (labels(fill="columns"), ["The draws are put into the gaps column"]),
            "gaps, padding 0": (
                labels(label="chosen", padding=0),
                ["Each gap has the label 1", "Padding has the label 0"],
            ),
            "columns, turned, padding 1": (
                labels(fill="columns", label="same", padding=1),
                [
                    "The draws are put into the gaps column",
                    "The labels are the wrong way round",
                    "Padding has the label 1",
                ],
            ),
            "not filled": (
                labels(fill="none", label="chosen"),
                ["The gaps are not filled", "Each gap has the label 1"],
            ),
        },
    ),
    "8a.13": (
        discriminator_loss(),
        {
            "replaced only": (
                discriminator_loss("replaced"),
                ["Only the replaced tokens count"],
            ),
            "padding": (discriminator_loss("all"), ["Padding counts, as if it were original"]),
            "sum": (discriminator_loss(mean="sum"), ["It is the sum: the mean"]),
            "rows": (discriminator_loss(mean="rows"), ["It takes the mean of each row first"]),
            "by all": (discriminator_loss(mean="all"), ["It divides by all B · T places"]),
            "sigmoid twice": (discriminator_loss(sigmoids=1), ["It takes the sigmoid twice"]),
            "bits": (discriminator_loss(base=0.6931472), ["It is in bits"]),
            "the log of 0": (
                log_of_a_sigmoid,
                ["The sigmoid gives exactly 0 or 1 here and its log is infinite"],
            ),
            "sigmoid twice, padding": (
                discriminator_loss("all", sigmoids=1),
                ["Padding counts, as if it were original", "It takes the sigmoid twice"],
            ),
            "sum, bits": (
                discriminator_loss(mean="sum", base=0.6931472),
                ["It is the sum: the mean", "It is in bits"],
            ),
        },
    ),
    "8a.14": (
        forger(),
        {
            "one before": (forger("before"), ["The gaps get the token before the right one"]),
            "any": (forger("any"), ["This draws any token"]),
            "any, gaps": (
                forger("any", "chosen"),
                ["Each token is equally likely", "Every gap counts as replaced"],
            ),
            "most likely, turned": (
                forger("likely", "same"),
                ["The gaps get the generator’s most likely", "The labels are the wrong way"],
            ),
            "chance of its own": (forger("other chance"), ["What is drawn must depend on u alone"]),
            "no sum": (forger("no sum"), ["It counts the tokens whose own probability"]),
            "no softmax": (forger("no softmax"), ["It adds up logits: take their softmax"]),
            "numbers": (forger(label="numbers"), ["The second result, `replaced`, must hold"]),
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
