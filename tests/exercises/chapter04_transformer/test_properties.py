"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import pytest
import torch
import torch.nn.functional as F
from property_checks import assert_named, verdict


def norm(axes=(-1,), less=0, root=0.5, eps="in", centre=True, gain="after", shift="plain"):
    """LayerNorm with a choice of slips."""

    def answer(x, g, s, e):
        y = x * g if gain == "before" else x
        count = math.prod(y.shape[a] for a in axes)
        mu = y.sum(axes, keepdim=True) / count
        var = ((y - mu) ** 2).sum(axes, keepdim=True) / (count - less)
        below = (var + (e if eps == "in" else 0)) ** root + (e if eps == "out" else 0)
        y = (y - mu if centre else y) / below
        if gain == "after":
            y = y * g
        return y + {"plain": s, "none": 0, "scaled": g * s}[shift]

    return answer


def network(
    first=True, second=True, act=torch.relu, end=None, skip=False, late=False, turned=False
):
    """The feed-forward network with a choice of slips."""

    def answer(x, w1, b1, w2, b2):
        if turned:
            w1 = w1.T
        h = torch.einsum("...d,df->...f", x, w1)
        h = act(h) + b1 if late else act(h + b1 * first)
        y = h @ w2 + b2 * second
        if end:
            y = end(y)
        return y + x if skip else y

    return answer


def layer(times=1, read=lambda x: F.layer_norm(x, x.shape[-1:]), act=torch.relu, after=None):
    """The pre-norm layer of 4.4 with a choice of slips."""

    def answer(x, w1, w2):
        y = act(read(x) @ w1) @ w2
        return times * x + (after(y) if after else y)

    return answer


def stacked(
    order=(0, 1, 2), number=lambda n: n, flag=lambda pre: pre, normed=None, last=None, skip=None
):
    """The decoder layer for either place of the norms, with a choice of slips.

    normed(norm, x, memory, part) replaces the pre-norm step, last(norms, x) ends it; the shortcut
    of sub-layer `skip` is left out.
    """

    def answer(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
        parts = (self_attention, lambda y: cross_attention(y, memory), feed_forward)
        for n, place in enumerate(order):
            part, norm = parts[place], norms[number(n)]
            kept = 0 if skip == place else x
            if not flag(pre):
                x = norm(kept + part(x))
            else:
                x = normed(norm, x, part) if normed else kept + part(norm(x))
        return last(norms, x) if last and pre else x

    return answer


def from_the_norm(norm, x, part):
    """The shortcut begins behind the norm."""
    y = norm(x)
    return y + part(y)


def memory_normed(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
    """Pre-norm, and the norm of cross-attention goes over the memory."""
    if not pre:
        return stacked()(x, memory, self_attention, cross_attention, feed_forward, norms, pre)
    x = x + self_attention(norms[0](x))
    x = x + cross_attention(x, norms[1](memory))
    return x + feed_forward(norms[2](x))


def asking(
    q=lambda x, m: x,
    k=lambda x, m: m,
    v=lambda x, m: m,
    scale=math.sqrt,
    fill=-math.inf,
    dim=-1,
    late=False,
    invert=False,
    ahead=None,
    turned=False,
):
    """Encoder-decoder attention with a choice of slips."""

    def answer(x, memory, w_q, w_k, w_v, memory_mask):
        real = ~memory_mask if invert else memory_mask
        keys = torch.einsum("bsd,dk->bsk", k(x, memory), w_k)
        scores = (q(x, memory) @ w_q) @ keys.transpose(1, 2) / scale(w_k.shape[1])
        if not late and fill is not None:
            scores = torch.where(real[:, None], scores, torch.tensor(fill))
        if ahead is not None:
            scores = scores + torch.full_like(scores[0], -math.inf).triu(ahead)
        weights = F.softmax(scores, dim)
        if late:
            weights = weights * real[:, None].float()
        results = weights @ (v(x, memory) @ w_v), weights
        return results[::-1] if turned else results

    return answer


def wired(
    ladder=False,
    first=0,
    causal_encoder=False,
    turned=False,
    cross="source",
    flat=False,
    left_out=0,
    same=False,
):
    """The wired machine with a choice of slips."""

    def answer(source, target, no_padding, no_future, embed, encoder, decoder, to_logits):
        reads = [embed(source)]
        for layer in encoder:
            reads.append(layer(reads[-1], no_future if causal_encoder else no_padding))
        start = y = reads[0] if same else embed(target)
        for n, layer in enumerate(decoder[: len(decoder) - left_out]):
            memory = reads[n + 1] if ladder else reads[-1 - first]
            masks = (no_future, no_padding if cross else None)
            y = layer(start if flat else y, memory, *(masks[::-1] if turned else masks))
        return to_logits(y)

    return answer


def smooth(
    others=lambda s, v: s / v,
    label=lambda s, v: 1 - s + s / v,
    skip=None,
    reduce=torch.mean,
    factor=1.0,
    read=lambda logits: logits - logits.exp().sum(-1, keepdim=True).log(),
):
    """Label smoothing with a choice of slips."""

    def answer(logits, labels, smoothing, pad_id):
        found = []
        v = logits.shape[-1]
        for scores, text in zip(read(logits), labels, strict=True):
            for row, token in zip(scores, text, strict=True):
                if token == (pad_id if skip is None else skip):
                    continue
                target = torch.full((v,), others(smoothing, v))
                target[token] = label(smoothing, v)
                found.append(-(target * row).sum())
        return factor * reduce(torch.stack(found))

    return answer


def rate(width=-0.5, up=1.0, down=-0.5, more=0, peak=-0.5, warm=None):
    """The learning rate with other exponents."""

    def answer(step, d_model, warmup):
        step, warmup = step + more, warm or warmup
        height = d_model**width * warmup**peak
        return height * ((step / warmup) ** up if step < warmup else (step / warmup) ** down)

    return answer


def greedy(ask=lambda bos, ids: [bos, *ids], pick=torch.argmax, stop=True, more=0, give=None):
    """Greedy decoding with a choice of slips."""

    def answer(next_log_probs, bos, eos, max_length):
        written = []
        while len(written) < max_length + more:
            written.append(int(pick(next_log_probs(ask(bos, written)))))
            if stop and written[-1] == eos:
                break
        return give(written, bos, eos) if give else written

    return answer


def beams(
    penalty=lambda n, alpha: ((5 + n) / 6) ** alpha,
    add=lambda total, log_p: total + log_p,
    n_on=lambda width: width,
    n_end=lambda width: width,
    more=0,
    pool="both",
    ask=lambda bos, ids: [bos, *ids],
    give=None,
):
    """Beam search with a choice of slips."""

    def answer(next_log_probs, bos, eos, max_length, width, alpha):
        alive, ended = {(): 0.0}, {}
        for _ in range(max_length + more):
            grown = {}
            for ids, total in alive.items():
                for token, log_p in enumerate(next_log_probs(ask(bos, list(ids))).tolist()):
                    grown[*ids, token] = add(total, log_p)
            best = sorted(grown, key=grown.get, reverse=True)
            ended |= {ids: grown[ids] for ids in best[: n_end(width)] if ids[-1] == eos}
            best = [ids for ids in best if ids[-1] != eos]
            alive = {ids: grown[ids] for ids in best[: n_on(width)]}
        found = {"both": ended | alive, "ended": ended or alive, "alive": alive}[pool]
        ids = list(max(found, key=lambda ids: found[ids] / penalty(len(ids), alpha)))
        return give(ids, bos, eos) if give else ids

    return answer


def leading(head=slice(None), row=slice(None), turned=False, rest=True, silent=0.0, chosen=1.0):
    """One head led astray, with a choice of slips: slices make it all heads, or all rows."""

    def answer(weights, h, t, s):
        out = weights.clone()
        place = [slice(None), h if head is None else head, t if row is None else row]
        if s is None:
            out[tuple(place)] = silent
            return out
        if turned:
            place[2], s = s, t
        if rest:
            out[tuple(place)] = 0.0
        out[(*place, s)] = chosen
        return out

    return answer


def look(scale=math.sqrt, dim=-1, mask=True, ahead=None, late=False, raw=False):
    """The weights of 4.13 with a choice of slips."""

    def answer(q, k, source_mask):
        scores = torch.einsum("tk,sk->ts", q, k) / scale(q.shape[1])
        if raw:
            return scores
        if mask and not late:
            scores[:, ~source_mask] = -math.inf
        if ahead is not None:
            scores = scores + torch.full_like(scores, -math.inf).triu(ahead)
        weights = torch.softmax(scores, dim)
        return weights * source_mask if late else weights

    return answer


def one(width):
    return 1


def itself(width):
    return width


ANSWERS = {
    "4.2": [
        (norm(eps=None, shift="none"), ["eps has no effect", "shift has no effect"]),
        (norm(less=1, eps="out"), ["divides by D - 1", "outside the root"]),
        (norm(centre=False, gain="none"), ["leaves the mean", "gain has no effect"]),
        (norm(root=1.0, shift="scaled"), ["divides by the variance", "shift by the gain"]),
        (norm(root=0.25), ["not divided by its standard deviation"]),
        (norm(axes=(1,)), ["depends on the other words of its text"]),
        (norm(axes=(0, 2)), ["depends on the other texts"]),
        (norm(gain="before", shift="none"), ["must multiply what was", "shift has no effect"]),
    ],
    "4.3": [
        (network(act=lambda h: h, second=False), ["no ReLU", "`b2`, has no effect"]),
        (network(act=torch.tanh, skip=True), ["adds the input", "comes ReLU"]),
        (network(end=torch.relu, first=False), ["after the second map", "`b1`, has no effect"]),
        (network(skip=True, late=True), ["adds the input", "`b1`, must come before ReLU"]),
        (network(act=F.gelu, second=False), ["This is GELU", "`b2`, has no effect"]),
        (network(end=lambda y: y.softmax(-1)), ["come last of all"]),
        (network(turned=True), ["Transposed, as in torch's Linear: `w1`."]),
    ],
    "4.4": [
        (layer(read=lambda x: x, act=lambda h: h), ["not read the LayerNorm", "no ReLU"]),
        (layer(2, read=lambda x: x), ["added twice", "not read the LayerNorm"]),
        (layer(0.5), ["nothing but x must be left"]),
        (layer(after=torch.relu), ["nothing more is done"]),
        (
            layer(act=lambda h: h, after=torch.relu),
            ["The ReLU belongs between the two maps, not after the second."],
        ),
    ],
    "4.5": [
        (asking(k=lambda x, m: x, scale=one), ["keys come from the decoder", "lack the 1/sqrt(K)"]),
        (asking(v=lambda x, m: x, scale=itself), ["by K itself", "values come from the decoder"]),
        (asking(q=lambda x, m: m, late=True), ["queries come from the memory", "less than 1"]),
        (asking(fill=None, ahead=1), ["has no effect", "no causal mask"]),
        (asking(dim=1, invert=True), ["shows the padding", "over the queries"]),
        (asking(invert=True, fill=-1e9, scale=one), ["shows the padding", "lack the 1/sqrt(K)"]),
        (asking(fill=-1.0, scale=one), ["padding of the source gets", "lack the 1/sqrt(K)"]),
        (asking(turned=True, scale=lambda k: k**1.5), ["the order is", "not divided by the root"]),
        (asking(v=lambda x, m: 2 * m), ["not the mix of the values"]),
    ],
    "4.6": [
        (stacked(flag=lambda pre: True), ["This is pre-norm for either flag"]),
        (stacked(flag=lambda pre: False), ["This is post-norm for either flag"]),
        (stacked(flag=lambda pre: not pre), ["The flag is the wrong way round"]),
        (stacked(order=(1, 0, 2)), ["The order is self-attention"]),
        (stacked(number=lambda n: 0), ["One norm is used more than once"]),
        (stacked(number=lambda n: 2 - n), ["The norms are not used in their order"]),
        (stacked(normed=lambda norm, x, part: norm(x) + part(norm(x))), ["One norm is used"]),
        (stacked(normed=from_the_norm), ["With `pre` True a norm does not read x and all"]),
        (stacked(last=lambda norms, x: F.layer_norm(x, x.shape[-1:])), ["With `pre` True the res"]),
        (memory_normed, ["The memory goes through a norm"]),
        (stacked(skip=1), ["The shortcut round `cross_attention` is", "With `pre` True a norm"]),
    ],
    "4.7": [
        (wired(ladder=True), ["the encoder layer beside it"]),
        (wired(first=1), ["The memory is not what the last"]),
        (wired(causal_encoder=True), ["The encoder is causal"]),
        (wired(turned=True), ["two masks change places"]),
        (wired(cross=None), ["looks at the padding of the source"]),
        (wired(flat=True, cross=None), ["A decoder layer does not read", "padding of the source"]),
        (wired(left_out=1), ["`decoder layer 2` is left out"]),
        (wired(same=True), ["Source and target are both embedded"]),
    ],
    "4.8": [
        (smooth(lambda s, v: 0.0, lambda s, v: 1.0, factor=1.4427), ["in bits", "no effect"]),
        (smooth(skip=99, factor=-1), ["padding counts", "wrong sign"]),
        (
            smooth(lambda s, v: s / (v - 1), lambda s, v: 1 - s, reduce=torch.sum),
            ["It is the sum", "among the V - 1 other tokens"],
        ),
        (smooth(read=lambda logits: logits, skip=0), ["takes 0 for the padding", "a log_softmax"]),
        (smooth(lambda s, v: s / v / 2), ["1/V of it each", "must get 1 - smoothing"]),
        (
            smooth(read=lambda y: y.softmax(-1).log_softmax(-1), reduce=torch.sum),
            ["It is the sum", "the softmax twice"],
        ),
    ],
    "4.9": [
        (rate(width=0, down=-1), ["width has no effect", "falls like 1/step"]),
        (rate(width=0.5, up=0.5), ["multiplies by sqrt(D)", "rises like sqrt(step)"]),
        (rate(width=-1, more=1), ["divides by D", "adds 1 to the step"]),
        (rate(warm=4000, down=0), ["warms up for 4,000", "stays at its peak"]),
        (rate(up=2.0), ["does not rise linearly"]),
        (
            lambda step, d, warmup: d**-0.5 * max(step**-0.5, step * warmup**-1.5),
            ["takes the larger of the two"],
        ),
        (lambda step, d, warmup: rate()(step, d, warmup / 2), ["highest near step 501,187"]),
    ],
    "4.10": [
        (greedy(lambda b, ids: [b, *ids][-1:], stop=False), ["last token alone", "does not stop"]),
        (greedy(pick=torch.argmin, give=lambda i, b, e: [b, *i]), ["argmin", "returns the start"]),
        (greedy(lambda b, ids: ids, more=-1), ["leaves the start token out", "one token less"]),
        (greedy(lambda b, ids: [b, *ids][-2:]), ["does not ask with"]),
        (greedy(more=2), ["max_length tokens, no more"]),
        (greedy(pick=lambda p: p.topk(2).indices[1]), ["does not take the likeliest"]),
    ],
    "4.11": [
        (beams(lambda n, a: n**a, pool="ended"), ["has not ended after", "divides by n^alpha"]),
        (beams(add=lambda t, p: p, give=lambda i, b, e: [b, *i]), ["the start", "last token's"]),
        (beams(add=lambda t, p: t + math.exp(p)), ["adds probabilities up"]),
        (beams(n_on=lambda w: 2 * w), ["After 3 steps 6 go on"]),
        (beams(n_on=one, more=1), ["one token too many", "greedy in disguise"]),
        (beams(pool="alive", more=1), ["one token too many", "forgets a finished one"]),
        (beams(lambda n, a: 1, n_end=lambda w: 99), ["not among the best `width`", "log p alone"]),
        (beams(ask=lambda b, ids: [b, *ids][-2:]), ["does not ask with"]),
    ],
    "4.12": [
        (leading(None, rest=False), ["row keeps weight on other", "Other rows of this head"]),
        (leading(row=None, silent=0.2), ["is None all of the row", "Other heads change"]),
        (leading(None, None, turned=True), ["Row and column are exchanged"]),
        (leading(None, None, chosen=0.9), ["The weight on `column` must be 1"]),
        (leading(silent=0.1), ["is None all of", "Other rows", "Other heads"]),
        (
            lambda w, h, t, s: w.clone() if s is None else leading(None)(w, h, t, s),
            ["If `column` is None it changes nothing", "Other rows of this head"],
        ),
        (lambda w, h, t, s: leading(None, None)(w, h, t, s)[:, h], ["The shape is (2, 4, 5)"]),
    ],
    "4.13": [
        (look(one, ahead=1), ["no causal mask", "lack the 1/sqrt(K)"]),
        (look(dim=0, mask=False), ["has no effect", "over the queries"]),
        (look(itself, late=True), ["less than 1", "by K itself"]),
        (look(lambda k: k**1.5, raw=True), ["raw scores", "has no effect", "not divided by"]),
        (look(ahead=0), ["no causal mask"]),
    ],
}


@pytest.mark.parametrize(
    ("id", "code", "sentences"),
    [
        pytest.param(id, *entry, id=f"{id} {', '.join(entry[1])}")
        for id, answers in ANSWERS.items()
        for entry in answers
    ],
)
def test_each_mistake_of_an_answer_is_named_in_order(id, code, sentences):
    assert_named(id, code, sentences)


RIGHT = (
    ("4.2", norm()),
    ("4.3", network()),
    ("4.4", layer()),
    ("4.5", asking()),
    ("4.6", stacked()),
    ("4.7", wired()),
    ("4.8", smooth()),
    ("4.9", rate()),
    ("4.10", greedy()),
    ("4.11", beams()),
    ("4.12", leading(None, None)),
    ("4.13", look()),
)


@pytest.mark.parametrize(("id", "code"), RIGHT, ids=[id for id, _ in RIGHT])
def test_without_slips_these_answers_are_right(id, code):
    assert verdict(id, code).status == "right"
