"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import property_checks
import pytest
import torch
import torch.nn.functional as F
from einops import rearrange

from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import contrastive_loss

LN_100 = math.log(100)


def all_pairs(dim=-1, p=2, texts=True, scale=torch.exp, turned=False):
    """The table, with a choice of slips."""

    def answer(images, others, log_scale):
        images = F.normalize(images, p=p, dim=dim)
        others = F.normalize(others, p=p, dim=dim) if texts else others
        table = images @ others.T * scale(log_scale)
        return table.T if turned else table

    return answer


def loss(flip=False, both=True, reduce=torch.mean, sign=-1):
    """The loss, with a choice of slips."""

    def answer(logits):
        rows = logits.log_softmax(1).diagonal()
        columns = logits.log_softmax(0).diagonal()
        if flip:
            return sign * reduce(columns)
        return sign * (reduce(rows) + reduce(columns)) / (2 if both else 1)

    return answer


def pulls(columns=True, target=1.0, by=len, sign=1):
    """The gradient, with a choice of slips."""

    def answer(logits):
        found = logits.softmax(1) - target * torch.eye(len(logits))
        if columns:
            found = (found + logits.softmax(0) - target * torch.eye(len(logits))) / 2
        return sign * found / by(logits)

    return answer


def train_head(clear=True, rows_of=lambda rows: rows, both=True, freeze=False, after=False):
    """The loop, with a choice of slips."""

    def answer(head, log_scale, pictures, names, batches, optimizer):
        def loss_now(rows):
            x, y = F.normalize(head(pictures[rows]), dim=1), F.normalize(names, dim=1)
            factor = log_scale.detach() if freeze else log_scale
            logits = factor.exp() * x @ y[rows_of(rows)].T
            own = torch.arange(len(rows))
            loss = F.cross_entropy(logits, own)
            return (loss + F.cross_entropy(logits.T, own)) / 2 if both else loss

        losses = []
        for rows in batches:
            if clear:
                optimizer.zero_grad()
            loss = loss_now(rows)
            loss.backward()
            optimizer.step()
            losses.append((loss_now(rows) if after else loss).item())
        return losses

    return answer


def write(words=False, heat=lambda x, h: x / h, shift=True, draw=True, start=0):
    """The loop that draws, with a choice of slips."""

    def answer(gpt, captions, n_words, n_codes, warmth, pick):
        row, codes = captions, []
        for _ in range(n_codes):
            scores = heat(gpt(row[:, start:])[:, -1], warmth)
            chances = scores.softmax(-1)[:, n_words:] if words else scores[:, n_words:].softmax(-1)
            codes.append(pick(chances) if draw else chances.argmax(-1))
            row = torch.cat([row, codes[-1][:, None] + (n_words if shift else 0)], dim=1)
        return torch.stack(codes, dim=1)

    return answer


def recall_at(more=0, times=1, ties=True, least=False):
    """The share, with a choice of slips."""

    def answer(k, similarities, targets):
        similarities = -similarities if least else similarities
        right = similarities.gather(1, targets[:, None])
        before = (similarities >= right).sum(1) - 1 if ties else (similarities > right).sum(1)
        return times * (before < k + more).float().mean()

    return answer


def class_vectors(first=2, middle=torch.mean, last=True):
    """The classes, with a choice of slips."""

    def answer(prompts):
        prompts = prompts if first is None else F.normalize(prompts, dim=first)
        found = middle(prompts, dim=1)
        return F.normalize(found, dim=-1) if last else found

    return answer


def scale_step(sign=-1, bound=LN_100, give=lambda s: s):
    """The step, with a choice of slips."""

    def answer(log_scale, cosines, rate):
        s = log_scale.detach().requires_grad_()
        contrastive_loss(s.exp() * cosines).backward()
        return give((s.detach() + sign * rate * s.grad).clamp(max=bound))

    return answer


def overlap(
    unit=True,
    some=lambda x, limit: (x >= limit).any(1),
    share=lambda double: double.float().mean(),
    gain=lambda a, c, d: a - c,
):
    """Both numbers, with a choice of slips."""

    def answer(right, tested, seen, limit):
        if unit:
            tested, seen = F.normalize(tested, dim=1), F.normalize(seen, dim=1)
        double, right = some(tested @ seen.T, limit), right.float()
        return share(double), gain(right.mean(), right[~double].mean(), right[double].mean())

    return answer


def one_row(places=True, more=False, kinds=(0, 1), together=False, kind=torch.bool):
    """The row, with a choice of slips."""

    def answer(words, regions, n_words, n_regions, positions, segments):
        n, m = words.size(1), regions.size(1)
        words = words + segments[kinds[0]] + (positions[:n] if places else 0)
        regions = regions + segments[kinds[1]] + (positions[n : n + m] if more else 0)
        real = torch.cat(
            [torch.arange(n) < n_words[:, None], torch.arange(m) < n_regions[:, None]], dim=1
        )
        if together:
            real = torch.arange(n + m) < (n_words + n_regions)[:, None]
        return torch.cat([words, regions], dim=1), real.to(kind)

    return answer


def wrong_captions(known=lambda i, fact, said, true: fact in true[i], of=lambda u, n: int(u * n)):
    """The captions, with a choice of slips."""

    def answer(said, true, draws):
        found = []
        for i, u in enumerate(draws):
            some = [j for j, fact in enumerate(said) if not known(i, fact, said, true)]
            found.append(some[of(u, len(some))])
        return found

    return answer


def quantize(near=lambda x, c: torch.cdist(x, c), way=lambda x, v: x + (v - x).detach()):
    """Codes and numbers, with a choice of slips."""

    def answer(x, codes):
        numbers = near(x, codes).argmin(dim=1)
        return way(x, codes[numbers]), numbers

    return answer


def kmeans_round(near=lambda x, c: torch.cdist(x, c), mean=torch.mean, empty=lambda c: c):
    """Tokens and centres, with a choice of slips."""

    def answer(frames, centres):
        tokens = near(frames, centres).argmin(dim=1)
        own = [frames[tokens == k] for k in range(len(centres))]
        pairs = zip(own, centres, strict=True)
        return tokens, torch.stack([mean(x, dim=0) if len(x) else empty(c) for x, c in pairs])

    return answer


def row_and_targets(
    order="b y x -> b (y x)", shift=0, ahead=1, first=-1, own=False, nothing=-100, words=0
):
    """Row and targets, with a choice of slips."""

    def answer(captions, codes, n_words):
        length, plain = captions.size(1), rearrange(codes, order)
        both = torch.cat([captions + words, plain + n_words + shift], dim=1)
        asked = torch.cat([captions + words, plain], dim=1) if own else both
        asked = F.pad(asked, (0, ahead), value=nothing)[:, ahead:-1]
        given = torch.arange(asked.size(1)) < length + first
        return both[:, :-1], asked.masked_fill(given, nothing)

    return answer


COLUMNS = "The columns of the {} get length 1"
PERCENT = "It is a percentage"
FLATTER = "Ties flatter: where all candidates"

SETS = {
    "10.1": (
        all_pairs(),
        {
            "no texts, no exp": (
                all_pairs(texts=False, scale=lambda s: s),
                ["The texts are not divided", "The factor is log_scale itself"],
            ),
            "columns, turned": (
                all_pairs(dim=0, turned=True),
                [
                    "It has a row for each text",
                    COLUMNS.format("images"),
                    COLUMNS.format("texts"),
                    "The table has a row for each text",
                ],
            ),
            "sums": (
                all_pairs(p=1),
                ["The images are divided by the sum", "The texts are divided by the sum"],
            ),
            "powers of 10": (all_pairs(scale=lambda s: 10**s), ["The factor is a power of 10"]),
        },
    ),
    "10.2": (
        loss(),
        {
            "added, summed": (
                loss(both=False, reduce=torch.sum),
                ["The two directions are added", "The pairs are summed"],
            ),
            "texts alone, sign": (
                loss(flip=True, sign=1),
                ["Only the texts choose", "The sign is wrong"],
            ),
            "the worst": (loss(reduce=torch.min), ["Only the worst pair counts"]),
            "nothing at all": (
                lambda logits: torch.tensor(0.0),
                ["A model that guesses"],
            ),
        },
    ),
    "10.3": (
        pulls(),
        {
            "rows, no target": (
                pulls(columns=False, target=0),
                ["Only the pictures choose", "Nothing is taken away for the right one"],
            ),
            "sign, not averaged": (
                pulls(sign=-1, by=lambda x: 1),
                ["It is not divided by B", "The sign is turned"],
            ),
            "rows, added target": (
                pulls(columns=False, target=-1),
                ["Only the pictures choose", "For the right one, 1 is added"],
            ),
            "one number": (lambda x: contrastive_loss(x), ["It returns one number"]),
        },
    ),
    "10.4": (
        train_head(),
        {
            "piled up, in the other order": (
                train_head(clear=False, rows_of=lambda rows: rows.flip(0)),
                ["The names of a batch come in another order", "The gradients are never cleared"],
            ),
            "one way, the scale stays": (
                train_head(both=False, freeze=True),
                ["Only the pictures choose", "The scale is not learned"],
            ),
            "piled up, afterwards": (
                train_head(clear=False, after=True),
                ["The gradients are never cleared", "The losses are those after the steps"],
            ),
            "the names of the rows before": (
                train_head(rows_of=lambda rows: rows - 1),
                ["The first loss is not that of the untrained head"],
            ),
        },
    ),
    "10.5": (
        recall_at(),
        {
            "percent, flattered": (recall_at(times=100, ties=False), [PERCENT, FLATTER]),
            "one further, flattered": (
                recall_at(more=1, ties=False),
                ["It goes one too far", FLATTER],
            ),
            "least similar, percent": (
                recall_at(least=True, times=100),
                ["It begins with the least similar", PERCENT],
            ),
        },
    ),
    "10.6": (
        class_vectors(),
        {
            "raw, median": (
                class_vectors(first=None, middle=lambda x, dim: x.median(dim).values),
                ["The prompts keep their lengths", "It takes the median"],
            ),
            "along the prompts, not again": (
                class_vectors(first=1, last=False),
                ["The prompts are divided along their own axis", "The mean is shorter than 1"],
            ),
            "summed, not again": (
                class_vectors(middle=torch.sum, last=False),
                ["The sum is not divided by P", "The mean is shorter than 1"],
            ),
        },
    ),
    "10.7": (
        scale_step(),
        {
            "uphill, at 100": (
                scale_step(sign=1, bound=100),
                ["There is no bound", "It goes along the gradient"],
            ),
            "bounded at 1, the factor": (
                scale_step(bound=1, give=torch.exp),
                ["The logarithm is bounded at 1:", "It returns the factor"],
            ),
            "twice the step": (
                scale_step(sign=-2),
                ["The step is twice as long"],
            ),
        },
    ),
    "10.8": (
        overlap(),
        {
            "products, turned": (
                overlap(unit=False, gain=lambda a, c, d: c - a),
                ["Products are compared", "The second number has the wrong sign"],
            ),
            "above, counted": (
                overlap(
                    some=lambda x, limit: (x > limit).any(1), share=lambda double: double.sum()
                ),
                ["A cosine of exactly the limit", "The first number is a count"],
            ),
            "percent of both": (
                overlap(
                    share=lambda double: 100 * double.float().mean(),
                    gain=lambda a, c, d: 100 * (a - c),
                ),
                ["The first number does not lie"],
            ),
            "one number": (lambda *args: torch.tensor(0.5), ["It returns two numbers"]),
        },
    ),
    "10.9": (
        one_row(),
        {
            "no places, together": (
                one_row(places=False, together=True),
                ["The words get no positions", "The mask counts words and regions together"],
            ),
            "on, exchanged": (
                one_row(more=True, kinds=(1, 0)),
                [
                    "The regions get positions that go on",
                    "The words get segments[1]",
                    "The regions get segments[0]",
                ],
            ),
            "numbers, together": (
                one_row(together=True, kind=torch.float32),
                ["The mask holds True and False", "The mask counts words and regions together"],
            ),
        },
    ),
    "10.10": (
        wrong_captions(),
        {
            "own words, first": (
                wrong_captions(lambda i, fact, said, true: fact == said[i], lambda u, n: 0),
                ["It draws among those that say something else", "u makes no difference"],
            ),
            "those that are true": (
                wrong_captions(lambda i, fact, said, true: fact not in true[i]),
                ["This draws among those that are *true*"],
            ),
            "same things": (
                wrong_captions(lambda i, fact, said, true: fact[0] == said[i][0]),
                ["In a batch of six scenes it may draw caption", "For scene 1, caption 4 is wrong"],
            ),
        },
    ),
    "10.13": (
        quantize(),
        {
            "product, no way back": (
                quantize(near=lambda x, c: -x @ c.T, way=lambda x, v: v.detach()),
                ["It takes the largest product", "No gradient gets back to x"],
            ),
            "farthest, both": (
                quantize(near=lambda x, c: -torch.cdist(x, c), way=lambda x, v: v + x - x.detach()),
                ["It takes the farthest", "The codes get a gradient"],
            ),
            "twice the gradient": (
                quantize(way=lambda x, v: 2 * x + (v - 2 * x).detach()),
                ["The gradient must pass straight through to x, unchanged"],
            ),
        },
    ),
    "10.11": (
        kmeans_round(),
        {
            "summed, zero": (
                kmeans_round(mean=torch.sum, empty=torch.zeros_like),
                ["The frames of a centre are added up", "A centre without frames jumps to 0"],
            ),
            "absolute": (
                kmeans_round(near=lambda x, c: torch.cdist(x, c, p=1)),
                ["This adds the differences without their signs"],
            ),
            "median, nan": (
                kmeans_round(
                    mean=lambda x, dim: x.median(dim).values, empty=lambda c: c * math.nan
                ),
                ["A centre takes the median", "A centre without frames becomes nan"],
            ),
        },
    ),
    "10.14": (
        row_and_targets(),
        {
            "columns, one too many": (
                row_and_targets("b y x -> b (x y)", shift=1),
                ["The codes are read column by column", "The codes are shifted by one too many"],
            ),
            "first code lost, zeros": (
                row_and_targets(first=0, nothing=0),
                [
                    "The targets begin one position too late",
                    "Where the loss must not look stands 0",
                ],
            ),
            "own numbers, too early": (
                row_and_targets(own=True, first=-2),
                [
                    "The targets are the codes’ own numbers",
                    "The targets begin one position too ear",
                ],
            ),
            "two ahead, from below": (
                row_and_targets("b y x -> b (y x)", ahead=2, first=-9),
                ["Each target is the token two positions on", "The whole caption has targets"],
            ),
            "words shifted": (
                row_and_targets(words=3),
                ["The row does not begin with the captions"],
            ),
            "three codes too far": (
                row_and_targets(shift=3),
                [
                    "Behind the captions the row does not go on",
                    "From the caption’s last position on",
                ],
            ),
        },
    ),
    "10.15": (
        write(),
        {
            "words in the softmax, codes as words": (
                write(words=True, shift=False),
                ["The softmax goes over words and codes", "Codes are appended without n_words"],
            ),
            "times heat, the likeliest": (
                write(heat=lambda x, h: x * h, shift=False),
                ["The logits are multiplied by `heat`", "Codes are appended without n_words"],
            ),
            "the square of the heat": (
                write(heat=lambda x, h: x / h**2),
                ["The first code is not the one"],
            ),
            "the first word is never read": (
                write(start=1),
                ["The first code is not the one"],
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


def test_only_the_loss_without_autograd_is_free_of_a_remark():
    def by_autograd(logits):
        logits = logits.clone().requires_grad_()
        return torch.autograd.grad(contrastive_loss(logits), logits)[0]

    found = property_checks.verdict("10.3", by_autograd)
    assert found.status == "right"
    assert "It has autograd find the gradient" in found.text


def test_a_scale_that_cannot_learn_is_refused():
    found = property_checks.verdict("10.1", all_pairs(scale=lambda s: math.exp(s.item())))
    assert found.status == "mistake"
    assert "no gradient gets back to log_scale" in found.text
