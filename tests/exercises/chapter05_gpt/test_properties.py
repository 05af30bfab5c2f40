"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import pytest
import torch
import torch.nn.functional as F
from property_checks import assert_named, verdict


def loss(ahead=1, reduce=torch.mean, factor=1.0, dim=-1, skip=None, first=0, twice=False):
    """A next-token loss with a choice of slips."""

    def answer(logits, ids):
        log_p = F.log_softmax(logits.softmax(-1) if twice else logits, dim=dim)
        length = ids.shape[1]
        losses = []
        for t in range(max(0, -ahead, first), length):
            if t + ahead < length:
                token = ids[:, t + ahead]
                picked = -log_p[torch.arange(len(ids)), t, token]
                losses.append(picked[token != skip] if skip is not None else picked)
        return factor * reduce(torch.cat(losses))

    return answer


NEXT = {
    "three ahead": (loss(3), ["another token than the next one"]),
    "unshifted sum": (loss(0, torch.sum), ["just read", "the mean over all predictions"]),
    "backwards, in bits": (loss(-1, factor=1 / math.log(2)), ["token before", "in bits"]),
    "sum, in bits": (loss(reduce=torch.sum, factor=1 / math.log(2)), ["sum over all", "in bits"]),
    "wrong sign, unshifted": (loss(0, factor=-1.0), ["just read", "wrong sign"]),
    "wrong sign, sum": (loss(reduce=torch.sum, factor=-1.0), ["sum over all", "wrong sign"]),
    "two ahead, token 0 left out": (loss(2, skip=0), ["after the next one", "token 0"]),
    "the first place left out": (loss(first=2), ["Some position does not count"]),
    "softmax twice, sum": (
        loss(reduce=torch.sum, twice=True),
        ["sum over all", "take one softmax, of the raw logits"],
    ),
    "over the texts": (loss(dim=0), ["how high all logits of a position are"]),
}


def temperature(act=lambda logits, t: logits / t, dim=-1, after=None, power=None):
    def answer(logits, t):
        p = torch.exp(act(logits, t))
        p = p / p.sum(dim, keepdim=True)
        return p if after is None else after(p, t)

    return answer


TEMPERATURE = {
    "a cube": (temperature(lambda logits, t: logits / t**3), ["not divided by the temperature"]),
    "over the batch, multiplied": (
        temperature(lambda logits, t: logits * t, dim=0),
        ["over the batch", "multiplies by the temperature"],
    ),
    "squared, not normalised": (
        temperature(lambda logits, t: logits / t**2, after=lambda p, t: 3 * p),
        ["sums to 3", "square of the temperature"],
    ),
    "ignored, over the batch": (
        temperature(lambda logits, t: logits, dim=0),
        ["over the batch", "has no effect"],
    ),
    "log probabilities, multiplied": (
        temperature(lambda logits, t: logits * t, after=lambda p, t: p.log()),
        ["log probabilities", "multiplies by the temperature"],
    ),
}


def top_k(count=lambda k: k, fill=-math.inf, ties=True, lowest=False, batch=False):
    def answer(logits, k):
        rows = []
        for row in logits:
            order = sorted(range(len(row)), key=lambda i: (row[i] if lowest else -row[i]).item())
            kept = order[: count(k)]
            if ties and kept:
                kept = [i for i in order if i in kept or row[i] == row[kept[-1]]]
            out = torch.full_like(row, fill)
            out[kept] = row[kept]
            rows.append(out)
        return torch.stack(rows)

    return answer


TOP_K = {
    "two more": (top_k(lambda k: k + 2), ["keeps 5 of 8 tokens a row where k is 3"]),
    "one more, filled with 0": (
        top_k(lambda k: k + 1, 0.0),
        ["keeps 4 of 8 tokens", "exp(0) is 1"],
    ),
    "no ties, plus infinity": (top_k(fill=math.inf, ties=False), ["tie with", "plus infinity"]),
    "no ties, a large negative number": (
        top_k(fill=-1e4, ties=False),
        ["tie with", "must become minus infinity"],
    ),
    "the lowest, filled with 0": (top_k(fill=0.0, lowest=True), ["other way round", "exp(0) is 1"]),
}


def top_p(enough=lambda before, share, p: before < p, fill=-math.inf, batch=False, flip=False):
    def answer(logits, p):
        shares = logits.softmax(0 if batch else -1)
        out = torch.full_like(logits, fill)
        for row in range(len(logits)):
            before = 0.0
            for token in sorted(range(logits.size(1)), key=lambda i: -shares[row, i].item()):
                if enough(before, shares[row, token].item(), p) != flip:
                    out[row, token] = logits[row, token]
                before += shares[row, token].item()
        return out

    return answer


def crossing_dropped(before, share, p):
    return before + share <= p


def too_many(before, share, p):
    return before < p + 0.25


TOP_P = {
    "the crossing token, 0": (
        top_p(crossing_dropped, 0.0),
        ["holds less than p", "one token always stays", "exp(0) is 1"],
    ),
    "too many": (top_p(too_many), ["more than it needs"]),
    "too many, plus infinity": (top_p(too_many, math.inf), ["more than it needs", "plus infinity"]),
    "over the batch, 0": (top_p(batch=True, fill=0.0), ["on the other rows", "exp(0) is 1"]),
    "inverted, a large negative number": (
        top_p(flip=True, fill=-1e9),
        ["other way round", "must become minus infinity"],
    ),
}


def step(scale=math.sqrt, shift=0, dim=-1, keep="both", front=False, own=True, turned=False):
    """A step with a cache and a choice of slips."""

    def answer(x_new, past_keys, past_values, w_q, w_k, w_v):
        n, n_past = x_new.shape[1], past_keys.shape[1]
        new = x_new @ w_k, x_new @ w_v
        keys = torch.cat([past_keys, new[0]], 1)
        values = torch.cat([past_values, new[1]], 1)
        places = torch.arange(n)[:, None] + n_past + shift
        visible = torch.arange(n + n_past) <= places
        scores = (x_new @ w_q) @ keys.transpose(1, 2) / scale(keys.shape[-1])
        output = scores.masked_fill(~visible, -math.inf).softmax(dim) @ values
        if front:
            keys, values = torch.cat([new[0], past_keys], 1), torch.cat([new[1], past_values], 1)
        if keep == "new":
            keys, values = new
        if keep == "old":
            keys, values = past_keys, past_values
        return (output, values, keys) if turned else (output, keys, values)

    return answer


def one(width):
    return 1


CACHED = {
    "two places off": (step(shift=2), ["looks at new words after it"]),
    "peeking, unscaled": (step(one, shift=1), ["new words after it", "lack the 1/sqrt(K)"]),
    "the past only, unscaled": (step(one, shift=-1), ["hides each new word", "lack the 1/sqrt(K)"]),
    "new keys only, unscaled": (
        step(one, keep="new"),
        ["new keys alone", "new values alone", "lack the 1/sqrt(K)"],
    ),
    "old keys, peeking": (
        step(keep="old", shift=1),
        ["old keys", "old values", "new words after it"],
    ),
    "in front, unscaled": (
        step(one, front=True),
        ["new keys in front", "new values in front", "lack the 1/sqrt(K)"],
    ),
    "turned round, peeking": (
        step(turned=True, shift=1),
        ["values before keys", "new words after it"],
    ),
    "by K": (step(lambda width: width), ["not divided by the root of K"]),
}


def bits(log=math.log2, tokens=lambda n: n, characters=lambda n: n, factor=1.0):
    """Bits per character with a choice of slips."""

    def answer(perplexity, n_tokens, n_characters):
        return factor * log(perplexity) * tokens(n_tokens) / characters(n_characters)

    return answer


def block(read_1=lambda n1, n2: n1, read_2=lambda n1, n2: n2, carry=(1, 1), end=None, swap=False):
    """The layer of a GPT with a choice of slips."""

    def answer(x, attend, feed_forward, norm_1, norm_2):
        first, second = (feed_forward, attend) if swap else (attend, feed_forward)
        y = carry[0] * x + first(read_1(norm_1, norm_2)(x))
        y = carry[1] * y + second(read_2(norm_1, norm_2)(y))
        return end(norm_1, norm_2)(y) if end else y

    return answer


def same(n1, n2):
    return lambda x: x


def batch(read=slice(0, -1), said=slice(1, None), diagonal=0, flip=False, order=(0, 1, 2)):
    """The batch of 5.5 with a choice of slips."""

    def answer(windows):
        n = windows[:, read].shape[1]
        mask = torch.tensor([[(s <= t + diagonal) != flip for s in range(n)] for t in range(n)])
        return tuple((windows[:, read], windows[:, said], mask)[place] for place in order)

    return answer


def reading(start=lambda past: len(past), keep=None, scale=math.sqrt, diagonal=0, dim=-1):
    """The layer with a cache of 5.10 with a choice of slips."""

    def answer(words, past, places):
        first = start(past)
        x = words + places[first : first + len(words)]
        kept = torch.cat([past, x])
        scores = torch.einsum("nd,sd->ns", x, kept) / scale(x.shape[1])
        visible = torch.arange(len(kept)) <= torch.arange(len(x))[:, None] + len(past) + diagonal
        weights = torch.softmax(scores.masked_fill(~visible, -math.inf), dim)
        return weights @ kept, keep(past, x, kept) if keep else kept

    return answer


def copy(starts=None, ends=None, places=None, less=0, best=max):
    """The longest copy with a choice of slips."""

    def answer(sample, text):
        lengths = [0]
        for i in starts(sample) if starts else range(len(sample)):
            for j in places(text) if places else range(len(text)):
                n = 0
                while i + n < len(sample) and j + n < len(text) and sample[i + n] == text[j + n]:
                    n += 1
                lengths.append(n if not ends or i + n == len(sample) else 0)
        return max(best(lengths) - less, 0)

    return answer


def counted(square=12, linear=13, per_token=1, per_place=1, last=2, bias=0, layers=lambda n: n):
    """The parameters of a GPT with other coefficients."""

    def answer(vocab_size, context, d_model, n_layers):
        tables = per_token * vocab_size * d_model + per_place * context * d_model
        layer = square * d_model**2 + linear * d_model
        return tables + bias * vocab_size + layers(n_layers) * layer + last * d_model

    return answer


BITS = {
    "base 10, tokens unused": (
        bits(math.log10, lambda n: 1),
        ["how many tokens the text has", "to base 10"],
    ),
    "sign, one less": (bits(tokens=lambda n: n - 1, factor=-1), ["one token less", "wrong sign"]),
    "bytes, characters unused": (
        bits(characters=one, factor=1 / 8),
        ["how many characters the text has", "not bytes"],
    ),
    "of one more": (bits(lambda p: math.log2(1 + p)), ["A perplexity squared"]),
    "one character less": (bits(characters=lambda n: n - 1), ["each has half the bits"]),
}

BLOCK = {
    "no norms, x lost": (
        block(same, same, carry=(0, 1)),
        ["attention reads what is there", "network reads what is there", "x itself must be"],
    ),
    "norm 1 twice, and at the end": (
        block(read_2=lambda a, b: a, end=lambda a, b: b),
        ["what norm_1 returns", "has gone through norm_2"],
    ),
    "the network first": (
        block(lambda a, b: b, lambda a, b: a, swap=True),
        ["comes first: words meet"],
    ),
    "x twice": (block(carry=(2, 1)), ["must hold x once"]),
}

BATCH = {
    "unshifted, strict": (
        batch(said=slice(0, -1), diagonal=-1),
        ["are not shifted", "hides each word from itself"],
    ),
    "two ahead": (
        batch(slice(0, -2), slice(2, None)),
        ["not the token after its position", "all but the last"],
    ),
    "the mask first": (batch(order=(2, 0, 1)), ["inputs, labels, mask, in this order"]),
    "one ahead": (batch(diagonal=1), ["see what comes after it"]),
}

READING = {
    "a place too low, unscaled": (
        reading(lambda past: max(len(past) - 1, 0), scale=one),
        ["one too low", "lack the 1/sqrt(D)"],
    ),
    "from 0, the new words alone": (
        reading(lambda past: 0, lambda past, x, kept: x),
        ["from 0 in every call", "keeps the new words alone"],
    ),
    "a place too high, peeking": (
        reading(lambda past: len(past) + 1, diagonal=1),
        ["one too high", "new words after it"],
    ),
    "the last eight": (reading(keep=lambda past, x, kept: kept[-8:]), ["12 words and 3 new ones"]),
    "in front, over the words": (
        reading(keep=lambda past, x, kept: torch.cat([x, past]), dim=0),
        ["in front of the past", "over the queries"],
    ),
}

COPY = {
    "a prefix, one less": (
        copy(starts=lambda sample: [0][: len(sample)], less=1),
        ["counts one less", "beginning of the sample only"],
    ),
    "a suffix in one place": (
        copy(ends=True, places=lambda text: [0][: len(text)]),
        ["end of the sample only", "one place of the text only"],
    ),
    "added up": (copy(best=sum), ["it counts 6"]),
    "a set": (
        lambda sample, text: len(set(sample) & set(text)),
        ["must be neighbours", "in its order"],
    ),
}

COUNTED = {
    "untied, three maps": (counted(11, 12, per_token=2), ["head of its own", "three maps"]),
    "no positions, no last norm": (
        counted(per_place=0, last=0),
        ["leaves out the positions", "After the last layer"],
    ),
    "no biases, a head with one": (
        counted(linear=4, bias=1),
        ["gives the head a bias", "come to 4 D"],
    ),
    "2 D wide": (counted(8, 11), ["come to 8 D²", "come to 11 D"]),
    "layers squared": (counted(layers=lambda n: n * n), ["must cost the same"]),
}


def lens(use=lambda norm, x: norm(x), dim=-1, log=False):
    """The probability of a token after each layer with a choice of slips."""

    def answer(states, norm, table, token):
        p = torch.softmax(use(norm, states) @ table.mT, dim)[..., token]
        return p.log() if log else p

    return answer


LENS = {
    "no norm": (lens(lambda norm, x: x), ["final norm is missing"]),
    "over the layers": (lens(dim=0), ["depends on the other layers"]),
    "a logarithm": (lens(log=True), ["log probabilities"]),
    "no norm, over the layers": (
        lens(lambda norm, x: x, dim=0),
        ["final norm is missing", "depends on the other layers"],
    ),
}

ANSWERS = [
    pytest.param(id, *entry, id=f"{id} {name}")
    for id, answers in (
        ("5.2", NEXT),
        ("5.3", BITS),
        ("5.4", BLOCK),
        ("5.5", BATCH),
        ("5.6", TEMPERATURE),
        ("5.7", TOP_K),
        ("5.8", TOP_P),
        ("5.9", CACHED),
        ("5.10", READING),
        ("5.11", COPY),
        ("5.12", COUNTED),
        ("5.14", LENS),
    )
    for name, entry in answers.items()
]


@pytest.mark.parametrize(("id", "answer", "sentences"), ANSWERS)
def test_each_mistake_of_an_answer_is_named_in_order(id, answer, sentences):
    assert_named(id, answer, sentences)


def block_in_place(x, attend, feed_forward, norm_1, norm_2):
    x += attend(norm_1(x))
    y = feed_forward(norm_2(x))
    y += x
    return y


RIGHT = (
    ("5.2", loss()),
    ("5.3", bits()),
    ("5.4", block()),
    ("5.4", block_in_place),
    ("5.5", batch()),
    ("5.6", temperature()),
    ("5.7", top_k()),
    ("5.8", top_p()),
    ("5.9", step()),
    ("5.10", reading()),
    ("5.11", copy()),
    ("5.12", counted()),
    ("5.14", lens()),
)


@pytest.mark.parametrize(
    ("id", "answer"), RIGHT, ids=[f"{id} {answer.__name__}" for id, answer in RIGHT]
)
def test_without_slips_these_answers_are_right(id, answer):
    assert verdict(id, answer).status == "right"
