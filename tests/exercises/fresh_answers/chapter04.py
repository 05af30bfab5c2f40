import heapq
import math

import torch
import torch.nn.functional as F


# 4.2
def layer_norm_right_1(x, gain, shift, eps):
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / (var + eps).sqrt() * gain + shift


def layer_norm_right_2(x, g, b, epsilon):
    out = x.clone().double()
    for row in out.view(-1, x.size(-1)):
        row -= row.mean()
        row /= math.sqrt(row.square().sum().item() / len(row) + epsilon)
        row *= g
        row += b
    return out


def layer_norm_wrong_unbiased(x, gain, shift, eps):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    return gain * (x - mean) / torch.sqrt(var + eps) + shift


def layer_norm_wrong_eps_on_std(x, gain, shift, eps):
    mean = x.mean(dim=-1, keepdim=True)
    std = x.std(dim=-1, keepdim=True, unbiased=False)
    return gain * (x - mean) / (std + eps) + shift


def layer_norm_wrong_no_mean_and_shift_scaled(x, gain, shift, eps):
    rms = (x.pow(2).mean(dim=-1, keepdim=True) + eps).rsqrt()
    return (x * rms + shift) * gain


def layer_norm_wrong_whole_sentence(x, gain, shift, eps):
    mean = x.mean(dim=(1, 2), keepdim=True)
    var = x.var(dim=(1, 2), keepdim=True, unbiased=False)
    return (x - mean) / (var + eps) ** 0.5 * gain + shift


# 4.3
def feed_forward_right_1(x, w1, b1, w2, b2):
    return torch.relu(x @ w1 + b1) @ w2 + b2


def feed_forward_right_2(x, weight_in, bias_in, weight_out, bias_out):
    hidden = F.linear(x, weight_in.T, bias_in)
    hidden[hidden < 0] = 0
    return torch.einsum("...f,fd->...d", hidden, weight_out).add(bias_out)


def feed_forward_wrong_gelu(x, w1, b1, w2, b2):
    return F.gelu(x @ w1 + b1) @ w2 + b2


def feed_forward_wrong_bias_after_relu(x, w1, b1, w2, b2):
    return (torch.relu(x @ w1) + b1) @ w2 + b2


def feed_forward_wrong_shortcut_no_b2(x, w1, b1, w2, b2):
    return x + torch.relu(x @ w1 + b1) @ w2


# 4.4
def pre_norm_right_1(x, w1, w2):
    normed = F.layer_norm(x, x.shape[-1:])
    return x + torch.relu(normed @ w1) @ w2


def pre_norm_right_2(x, w1, w2):
    centred = x - x.mean(-1, keepdim=True)
    normed = centred * (centred.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
    out = x.clone()
    out += torch.einsum("...f,fd->...d", (normed @ w1).clamp(min=0), w2)
    return out


def pre_norm_wrong_detached(x, w1, w2):
    normed = F.layer_norm(x, x.shape[-1:])
    added = torch.relu(normed @ w1) @ w2
    return x.detach() + added


def pre_norm_wrong_shortcut_of_normed(x, w1, w2):
    normed = F.layer_norm(x, x.shape[-1:])
    return normed + torch.relu(normed @ w1) @ w2


def pre_norm_wrong_no_shortcut_relu_last(x, w1, w2):
    normed = F.layer_norm(x, x.shape[-1:])
    return torch.relu(normed @ w1 @ w2)


# 4.5
def cross_right_1(x, memory, w_q, w_k, w_v, memory_mask):
    q, k, v = x @ w_q, memory @ w_k, memory @ w_v
    scores = q @ k.transpose(1, 2) / math.sqrt(k.size(-1))
    scores = scores.masked_fill(~memory_mask[:, None], -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


def cross_right_2(x, memory, w_q, w_k, w_v, memory_mask):
    weights = torch.zeros(x.size(0), x.size(1), memory.size(1))
    for b, real in enumerate(memory_mask):
        keys = memory[b, real] @ w_k
        scores = torch.einsum("tk,sk->ts", x[b] @ w_q, keys) * w_k.shape[1] ** -0.5
        weights[b, :, real] = F.softmax(scores, dim=1)
    return torch.einsum("bts,bsd,dk->btk", weights, memory, w_v), weights


def cross_wrong_scale_of_d(x, memory, w_q, w_k, w_v, memory_mask):
    scores = (x @ w_q) @ (memory @ w_k).mT / math.sqrt(x.size(-1))
    scores = scores.masked_fill(~memory_mask[:, None, :], float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ (memory @ w_v), weights


def cross_wrong_mask_after_softmax(x, memory, w_q, w_k, w_v, memory_mask):
    scores = (x @ w_q) @ (memory @ w_k).mT / math.sqrt(w_q.size(1))
    weights = scores.softmax(dim=-1) * memory_mask[:, None, :]
    return weights @ (memory @ w_v), weights


def cross_wrong_inverted_no_scale(x, memory, w_q, w_k, w_v, memory_mask):
    scores = (x @ w_q) @ (memory @ w_k).mT
    scores = scores.masked_fill(memory_mask[:, None, :], -1e9)
    weights = scores.softmax(dim=-1)
    return weights @ (memory @ w_v), weights


def cross_wrong_order_of_return(x, memory, w_q, w_k, w_v, memory_mask):
    scores = (x @ w_q) @ (memory @ w_k).mT / w_q.size(1) ** 0.5
    weights = scores.masked_fill(~memory_mask[:, None, :], -math.inf).softmax(dim=-1)
    return weights, weights @ (memory @ w_v)


# 4.6
def decoder_layer_right_1(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
    if pre:
        y = x + self_attention(norms[0](x))
        z = y + cross_attention(norms[1](y), memory)
        return z + feed_forward(norms[2](z))
    y = norms[0](x + self_attention(x))
    z = norms[1](y + cross_attention(y, memory))
    return norms[2](z + feed_forward(z))


def decoder_layer_right_2(x, memory, attend, look, think, norms, first):
    out = x.clone()
    for number, norm in enumerate(norms):
        part = [attend, lambda v: look(v, memory), think][number]
        out = part(norm(out)).add(out) if first else norm(part(out).add(out))
    return out


def decoder_layer_wrong_pre_norm(
    x, memory, self_attention, cross_attention, feed_forward, norms, pre
):
    x = x + self_attention(norms[0](x))
    x = x + cross_attention(norms[1](x), memory)
    return x + feed_forward(norms[2](x))


def decoder_layer_wrong_cross_first(
    x, memory, self_attention, cross_attention, feed_forward, norms, pre
):
    parts = (lambda y: cross_attention(y, memory), self_attention, feed_forward)
    for part, norm in zip(parts, norms):
        x = x + part(norm(x)) if pre else norm(x + part(x))
    return x


def decoder_layer_wrong_one_norm(
    x, memory, self_attention, cross_attention, feed_forward, norms, pre
):
    norm = norms[0]
    for part in (self_attention, lambda y: cross_attention(y, memory), feed_forward):
        x = x + part(norm(x)) if pre else norm(x + part(x))
    return x


def decoder_layer_wrong_old_shortcut(
    x, memory, self_attention, cross_attention, feed_forward, norms, pre
):
    if pre:
        return decoder_layer_right_1(
            x, memory, self_attention, cross_attention, feed_forward, norms, pre
        )
    y = norms[0](x + self_attention(x))
    y = norms[1](y + cross_attention(y, memory))
    return norms[2](x + feed_forward(y))


def decoder_layer_wrong_two(x, memory, self_attention, cross_attention, feed_forward, norms, pre):
    if pre:
        return decoder_layer_right_1(
            x, memory, self_attention, cross_attention, feed_forward, norms, pre
        )
    x = norms[0](x + self_attention(x))
    x = norms[1](cross_attention(x, memory))
    return x + feed_forward(x)


# 4.8
def smoothed_right_1(logits, labels, smoothing, pad_id):
    flat = logits.flatten(0, 1)
    return F.cross_entropy(flat, labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing)


def smoothed_right_2(scores, gold, eps, padding):
    total, count = 0.0, 0
    vocab = scores.size(-1)
    for b in range(gold.size(0)):
        for t in range(gold.size(1)):
            if gold[b, t] == padding:
                continue
            wanted = torch.full((vocab,), eps / vocab)
            wanted[gold[b, t]] += 1 - eps
            total = total - (wanted * scores[b, t].log_softmax(0)).sum()
            count += 1
    return total / count


def smoothed_wrong_shared_by_others(logits, labels, smoothing, pad_id):
    v = logits.size(-1)
    log_p = logits.log_softmax(-1)
    target = torch.full_like(log_p, smoothing / (v - 1))
    target.scatter_(-1, labels[..., None], 1 - smoothing)
    return -(target * log_p).sum(-1)[labels != pad_id].mean()


def smoothed_wrong_divides_by_all(logits, labels, smoothing, pad_id):
    loss = F.cross_entropy(
        logits.transpose(1, 2),
        labels,
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction="none",
    )
    return loss.mean()


def smoothed_wrong_per_sentence_and_bits(logits, labels, smoothing, pad_id):
    log_p = torch.log2(logits.softmax(-1))
    at_label = log_p.gather(-1, labels[..., None])[..., 0]
    loss = -(1 - smoothing) * at_label - smoothing * log_p.mean(-1)
    real = labels != pad_id
    return ((loss * real).sum(1) / real.sum(1)).mean()


def smoothed_wrong_label_without_share(logits, labels, smoothing, pad_id):
    v = logits.size(-1)
    log_p = F.log_softmax(logits, dim=-1)
    target = torch.full_like(log_p, smoothing / v)
    target.scatter_(-1, labels.unsqueeze(-1), 1 - smoothing)
    real = labels != pad_id
    return -(target * log_p).sum(-1)[real].sum() / real.sum()


# 4.9
def warmup_right_1(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_right_2(s, width, w):
    if s < w:
        return s / (w * math.sqrt(w) * math.sqrt(width))
    return 1 / math.sqrt(s * width)


def warmup_wrong_steps_from_zero(step, d_model, warmup):
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_wrong_branches_swapped(step, d_model, warmup):
    if step > warmup:
        rate = step * warmup**-1.5
    else:
        rate = step**-0.5
    return rate / d_model**0.5


def warmup_wrong_no_width_and_half_power(step, d_model, warmup):
    return min(step**-0.5, step * warmup**-0.5)


# 4.10
def greedy_right_1(next_log_probs, bos, eos, max_length):
    prefix = [bos]
    while len(prefix) <= max_length:
        prefix.append(int(next_log_probs(prefix).argmax()))
        if prefix[-1] == eos:
            break
    return prefix[1:]


def greedy_right_2(model, start, end, limit):
    def rest(written):
        if len(written) == limit or (written and written[-1] == end):
            return written
        log_p = model([start, *written]).tolist()
        return rest(written + [max(range(len(log_p)), key=log_p.__getitem__)])

    return rest([])


def greedy_wrong_keeps_bos(next_log_probs, bos, eos, max_length):
    tokens = [bos]
    for _ in range(max_length):
        tokens.append(next_log_probs(tokens).argmax().item())
        if tokens[-1] == eos:
            break
    return tokens


def greedy_wrong_last_token_only(next_log_probs, bos, eos, max_length):
    tokens, last = [], bos
    for _ in range(max_length):
        last = next_log_probs([last]).argmax().item()
        tokens.append(last)
        if last == eos:
            break
    return tokens


def greedy_wrong_one_short_and_no_eos(next_log_probs, bos, eos, max_length):
    prefix = [bos]
    while len(prefix) < max_length:
        token = next_log_probs(prefix).argmax().item()
        if token == eos:
            break
        prefix.append(token)
    return prefix[1:]


# 4.11
def beam_right_1(next_log_probs, bos, eos, max_length, width, alpha):
    going, finished = [(0.0, [bos])], []
    for _ in range(max_length):
        results = []
        for log_p, prefix in going:
            for token, lp in enumerate(next_log_probs(prefix).tolist()):
                results.append((log_p + lp, prefix + [token]))
        results.sort(key=lambda r: r[0], reverse=True)
        finished += [r for r in results[:width] if r[1][-1] == eos]
        going = [r for r in results if r[1][-1] != eos][:width]
    best = max(finished + going, key=lambda r: r[0] / ((5 + len(r[1]) - 1) / 6) ** alpha)
    return best[1][1:]


def beam_right_2(model, start, end, limit, beams, power):
    def score(h):
        return h[0] / ((5 + len(h[1])) / 6) ** power

    def search(alive, done, left):
        if left == 0 or not alive:
            return max(done + alive, key=score)[1]
        made = [
            (p + q.item(), (*words, i))
            for p, words in alive
            for i, q in enumerate(model([start, *words]).double())
        ]
        best = heapq.nlargest(beams, made, key=lambda h: h[0])
        done = done + [h for h in best if h[1][-1] == end]
        open_ones = [h for h in made if h[1][-1] != end]
        return search(heapq.nlargest(beams, open_ones, key=lambda h: h[0]), done, left - 1)

    return list(search([(0.0, ())], [], limit))


def beam_wrong_finished_take_places(next_log_probs, bos, eos, max_length, width, alpha):
    going, finished = [(0.0, [bos])], []
    for _ in range(max_length):
        results = []
        for log_p, prefix in going:
            for token, lp in enumerate(next_log_probs(prefix).tolist()):
                results.append((log_p + lp, prefix + [token]))
        results = sorted(results, key=lambda r: -r[0])[:width]
        finished += [r for r in results if r[1][-1] == eos]
        going = [r for r in results if r[1][-1] != eos]
        if not going:
            break
    best = max(finished + going, key=lambda r: r[0] / ((4 + len(r[1])) / 6) ** alpha)
    return best[1][1:]


def beam_wrong_finished_only(next_log_probs, bos, eos, max_length, width, alpha):
    going, finished = [(0.0, [bos])], []
    for _ in range(max_length):
        results = []
        for log_p, prefix in going:
            for token, lp in enumerate(next_log_probs(prefix).tolist()):
                results.append((log_p + lp, prefix + [token]))
        results.sort(key=lambda r: -r[0])
        finished += [r for r in results[:width] if r[1][-1] == eos]
        going = [r for r in results if r[1][-1] != eos][:width]
    best = max(finished or going, key=lambda r: r[0] / ((4 + len(r[1])) / 6) ** alpha)
    return best[1][1:]


def beam_wrong_width_tokens_each(next_log_probs, bos, eos, max_length, width, alpha):
    going, finished = [(0.0, [bos])], []
    for _ in range(max_length):
        results = []
        for log_p, prefix in going:
            log_probs = next_log_probs(prefix)
            top = log_probs.topk(min(width, len(log_probs)))
            for lp, token in zip(top.values.tolist(), top.indices.tolist()):
                results.append((log_p + lp, prefix + [token]))
        results.sort(key=lambda r: -r[0])
        finished += [r for r in results[:width] if r[1][-1] == eos]
        going = [r for r in results if r[1][-1] != eos][:width]
    best = max(finished + going, key=lambda r: r[0] / ((4 + len(r[1])) / 6) ** alpha)
    return best[1][1:]


def beam_wrong_counts_bos_and_every_eos(next_log_probs, bos, eos, max_length, width, alpha):
    going, finished = [(0.0, [bos])], []
    for _ in range(max_length):
        results = []
        for log_p, prefix in going:
            for token, lp in enumerate(next_log_probs(prefix).tolist()):
                results.append((log_p + lp, prefix + [token]))
        results.sort(key=lambda r: -r[0])
        finished += [r for r in results if r[1][-1] == eos]
        going = [r for r in results if r[1][-1] != eos][:width]
    best = max(finished + going, key=lambda r: r[0] / ((5 + len(r[1])) / 6) ** alpha)
    return best[1][1:]


def beam_wrong_no_penalty_and_eos_cut(next_log_probs, bos, eos, max_length, width, alpha):
    going, finished = [(0.0, [bos])], []
    for _ in range(max_length):
        results = []
        for log_p, prefix in going:
            for token, lp in enumerate(next_log_probs(prefix).tolist()):
                results.append((log_p + lp, prefix + [token]))
        results.sort(key=lambda r: -r[0])
        finished += [r for r in results[:width] if r[1][-1] == eos]
        going = [r for r in results if r[1][-1] != eos][:width]
    best = max(finished + going, key=lambda r: r[0])
    return [token for token in best[1][1:] if token != eos]


# 4.12
def lead_right_1(weights, head, row, column):
    new = weights.clone()
    new[:, head, row, :] = 0
    if column is not None:
        new[:, head, row, column] = 1
    return new


def lead_right_2(weights, head, row, column):
    pick = torch.zeros(weights.shape[-1])
    if column is not None:
        pick[column] = 1
    result = torch.empty_like(weights).copy_(weights)
    result[:, head, row] = pick
    return result


def lead_wrong_falsy_column(weights, head, row, column):
    new = weights.clone()
    new[:, head, row] = 0
    if column:
        new[:, head, row, column] = 1
    return new


def lead_wrong_text_for_head(weights, head, row, column):
    new = weights.clone()
    new[head % len(new), :, row] = 0
    if column is not None:
        new[head % len(new), :, row, column] = 1
    return new


def lead_wrong_no_zero(weights, head, row, column):
    new = weights.clone()
    new[:, head, row, column if column is not None else slice(None)] = (
        1 if column is not None else 0
    )
    return new


def lead_wrong_in_place(weights, head, row, column):
    weights[:, head, row] = 0
    if column is not None:
        weights[:, head, row, column] = 1
    return weights


# 4.13
def map_right_1(q, k, source_mask):
    scores = q @ k.T / math.sqrt(q.size(-1))
    return scores.masked_fill(~source_mask, -math.inf).softmax(dim=-1)


def map_right_2(q, k, real):
    exps = torch.einsum("tk,sk->ts", q, k).div(q.shape[1] ** 0.5).exp() * real
    return exps / exps.sum(1, keepdim=True)


def map_wrong_both_masks(q, k, source_mask):
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool() & source_mask
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1)


def map_wrong_inverted(q, k, source_mask):
    scores = q @ k.T / math.sqrt(q.size(-1))
    return scores.masked_fill(source_mask, -math.inf).softmax(dim=-1)


def map_wrong_softmax_axis_and_zero_fill(q, k, source_mask):
    scores = q @ k.T / math.sqrt(q.size(-1))
    return scores.masked_fill(~source_mask, 0.0).softmax(dim=0)


RIGHT = {
    "4.1": [63.1],
    "4.2": [layer_norm_right_1, layer_norm_right_2],
    "4.3": [feed_forward_right_1, feed_forward_right_2],
    "4.4": [("c", pre_norm_right_1), ("c", pre_norm_right_2)],
    "4.5": [cross_right_1, cross_right_2],
    "4.6": [decoder_layer_right_1, decoder_layer_right_2],
    "4.8": [smoothed_right_1, smoothed_right_2],
    "4.9": [warmup_right_1, warmup_right_2],
    "4.10": [greedy_right_1, greedy_right_2],
    "4.11": [beam_right_1, beam_right_2],
    "4.12": [lead_right_1, lead_right_2],
    "4.13": [("b", map_right_1), ("b", map_right_2)],
    "4.14": [54.5, 55, 1.8e20 / 3.3e18],
}

WRONG = {
    "4.1": [
        ("three tables instead of one", 101.0),
        ("no biases in the maps", 63.0),
        ("decoder layers without the second attention", 56.8),
        ("TWO: no table at all, and decoder layers like encoder layers", 37.8),
        ("the paper's own figure", 65.0),
    ],
    "4.2": [
        ("variance divided by D - 1", layer_norm_wrong_unbiased),
        ("eps added to the standard deviation", layer_norm_wrong_eps_on_std),
        (
            "TWO: mean not taken away, gain multiplies the shift too",
            layer_norm_wrong_no_mean_and_shift_scaled,
        ),
        ("mean and variance of the whole sentence", layer_norm_wrong_whole_sentence),
    ],
    "4.3": [
        ("GELU in place of ReLU", feed_forward_wrong_gelu),
        ("b1 added after the ReLU", feed_forward_wrong_bias_after_relu),
        ("TWO: shortcut added, b2 forgotten", feed_forward_wrong_shortcut_no_b2),
    ],
    "4.4": [
        ("shortcut cut out of the graph", ("c", pre_norm_wrong_detached)),
        ("the shortcut carries the normed vector", ("c", pre_norm_wrong_shortcut_of_normed)),
        (
            "TWO: no shortcut, ReLU moved from between to behind the second map",
            ("c", pre_norm_wrong_no_shortcut_relu_last),
        ),
        ("right repair, wrong letter", ("b", pre_norm_right_1)),
    ],
    "4.5": [
        ("divides by sqrt(D)", cross_wrong_scale_of_d),
        ("masks after the softmax: rows do not sum to 1", cross_wrong_mask_after_softmax),
        ("TWO: mask the wrong way round, no scale", cross_wrong_inverted_no_scale),
        ("returns weights, output", cross_wrong_order_of_return),
    ],
    "4.6": [
        ("pre-norm", decoder_layer_wrong_pre_norm),
        ("cross-attention before self-attention", decoder_layer_wrong_cross_first),
        ("one norm for all three", decoder_layer_wrong_one_norm),
        ("shortcut of the last sub-layer from the input", decoder_layer_wrong_old_shortcut),
        ("TWO: no shortcut round cross-attention, no last norm", decoder_layer_wrong_two),
    ],
    "4.8": [
        ("rest shared by the V - 1 others", smoothed_wrong_shared_by_others),
        ("divides by all places, padding too", smoothed_wrong_divides_by_all),
        ("TWO: mean of the sentences' means, bits", smoothed_wrong_per_sentence_and_bits),
        ("the label does not get its share of the rest", smoothed_wrong_label_without_share),
    ],
    "4.9": [
        ("counts steps from 0", warmup_wrong_steps_from_zero),
        ("branches swapped: the larger one", warmup_wrong_branches_swapped),
        ("TWO: no 1/sqrt(D), warmup^-0.5", warmup_wrong_no_width_and_half_power),
    ],
    "4.10": [
        ("bos stays in", greedy_wrong_keeps_bos),
        ("shows the model the last token only", greedy_wrong_last_token_only),
        ("TWO: one token short, eos left out", greedy_wrong_one_short_and_no_eos),
    ],
    "4.11": [
        ("finished ones take places of the beam", beam_wrong_finished_take_places),
        ("those still going on do not count once one is finished", beam_wrong_finished_only),
        (
            "continues each with its best `width` tokens only: with eos among them one too few goes on",
            beam_wrong_width_tokens_each,
        ),
        ("TWO: n counts bos, every eos is put aside", beam_wrong_counts_bos_and_every_eos),
        ("TWO: no length penalty, eos cut off", beam_wrong_no_penalty_and_eos_cut),
    ],
    "4.12": [
        ("column 0 taken for None", lead_wrong_falsy_column),
        ("the head's number on the axis of the texts, all heads", lead_wrong_text_for_head),
        ("the rest of the row stays", lead_wrong_no_zero),
        ("changes the map itself", lead_wrong_in_place),
    ],
    "4.13": [
        ("keeps the causal mask on top of the source's", ("b", map_wrong_both_masks)),
        ("mask the wrong way round", ("b", map_wrong_inverted)),
        (
            "TWO: softmax over the target, masked with 0",
            ("b", map_wrong_softmax_axis_and_zero_fill),
        ),
        ("right repair, wrong letter", ("c", map_right_1)),
    ],
    "4.14": [
        ("base against the French ensemble, BLEU not looked at", 363.6),
        ("big model on French only", 52.2),
        ("nearest rival in BLEU: ConvS2S ensemble, German", 23.3),
        ("TWO: big model only, and the rival is not the dearest one (8.0e20 / 2.3e19)", 34.8),
    ],
}
