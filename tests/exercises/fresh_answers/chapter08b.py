import math
from bisect import bisect_right
from collections import defaultdict
from functools import lru_cache
from itertools import chain

import torch
import torch.nn.functional as F
from einops import einsum, reduce


# 8b.1
def infill_right_1(tokens, spans, mask):
    filled = list(tokens)
    for start, end in sorted(spans, reverse=True):
        filled[start:end] = [mask]
    return filled


# 8b.1
def infill_right_2(tokens, spans, mask):
    ends = dict(spans)
    filled = []
    t = 0
    while t <= len(tokens):
        if t in ends:
            filled.append(mask)
            end = ends.pop(t)
            if end > t:
                t = end
                continue
        if t < len(tokens):
            filled.append(tokens[t])
        t += 1
    return filled


# 8b.1
def infill_right_3(tokens, spans, mask):
    if not spans:
        return list(tokens)
    start, end = last = max(spans)
    rest = [span for span in spans if span != last]
    return infill_right_3(tokens[:start], rest, mask) + [mask] + list(tokens[end:])


# 8b.1
def infill_wrong_1(tokens, spans, mask):
    filled = list(tokens)
    for start, end in reversed(spans):
        filled[start:end] = [mask]
    return filled  # taken from the back of the list, not sorted: right only if they come in order


# 8b.1
def infill_wrong_2(tokens, spans, mask):
    filled = list(tokens)
    for start, end in sorted(spans):
        filled[start:end] = [mask]
    return filled  # from the front: the places behind the first mask have moved


# 8b.1
def infill_wrong_3(tokens, spans, mask):
    missing = {t for start, end in spans for t in range(start, end)}
    filled = []
    for t, token in enumerate(tokens):
        if t not in missing:
            filled.append(token)
        elif t - 1 not in missing:
            filled.append(mask)
    return filled  # an empty span has no tokens, so it gets no mask


# 8b.1
def infill_wrong_4(tokens, spans, mask):
    ends = dict(spans)
    filled, hidden_to = [], 0
    for t, token in enumerate(tokens):
        if t in ends:
            filled.append(mask)
            hidden_to = ends[t]
        if t >= hidden_to:
            filled.append(token)
    return filled  # the empty span behind the last token is never reached


# 8b.1
def infill_wrong_5(tokens, spans, mask):
    filled, t = [], 0
    for start, end in sorted(spans):
        filled += tokens[t:start] + [mask] * (end - start)
        t = end
    return filled + tokens[t:]  # one mask for each token, as BERT has it


# 8b.1
def infill_wrong_6(tokens, spans, mask):
    for start, end in sorted(spans, reverse=True):
        tokens[start:end] = [mask]
    return tokens  # the caller's list is changed: not a new one


# 8b.1
def infill_wrong_7(tokens, spans, mask):
    filled, t = [], 0
    for start, end in sorted(spans):
        filled += tokens[t:start] + [mask]
        t = end
    return filled  # what stands behind the last span is forgotten


# 8b.2
def put_together_right_1(source, target, sentinels):
    sentinels = set(sentinels)
    parts, now = {}, []
    for token in target:
        if token in sentinels:
            now = parts[token] = []
        else:
            now.append(token)
    text = []
    for token in source:
        if token in sentinels:
            text.extend(parts.get(token, []))
        else:
            text.append(token)
    return text


# 8b.2
def put_together_right_2(source, target, sentinels):
    def behind(sentinel):
        if sentinel not in target:
            return []
        start = target.index(sentinel) + 1
        end = next((t for t in range(start, len(target)) if target[t] in sentinels), len(target))
        return target[start:end]

    return list(chain.from_iterable(behind(t) if t in sentinels else [t] for t in source))


# 8b.2
def put_together_right_3(source, target, sentinels):
    places = [t for t, token in enumerate(target) if token in sentinels] + [len(target)]
    parts = {target[a]: target[a + 1 : b] for a, b in zip(places, places[1:])}
    text = list(source)
    for t in reversed(range(len(text))):
        if text[t] in sentinels:
            text[t : t + 1] = parts.get(text[t], [])
    return text


# 8b.2
def put_together_wrong_1(source, target, sentinels):
    parts = []
    for token in target:
        if token in sentinels:
            parts.append([])
        elif parts:
            parts[-1].append(token)
    parts = iter(parts)
    text = []
    for token in source:
        text += next(parts, []) if token in sentinels else [token]
    return text  # the first sentinel gets the first part, not the same sentinel's


# 8b.2
def put_together_wrong_2(source, target, sentinels):
    parts, now = {}, None
    for token in target:
        if token in sentinels:
            now = token
            parts[now] = []
        elif now is not None:
            parts[now].append(token)
    text = []
    for token in source:
        text += parts.get(token, [token])
    return text  # a sentinel that the target lacks stays in the text


# 8b.2
def put_together_wrong_3(source, target, sentinels):
    asked = [token for token in source if token in sentinels]
    parts, now = {}, None
    for token in target:
        if token in asked:
            now = token
            parts[now] = []
        elif now is not None:
            parts[now].append(token)
    text = []
    for token in source:
        text += parts.get(token, []) if token in asked else [token]
    return text  # a sentinel that the source lacks does not end a part, and is written itself


# 8b.2
def put_together_wrong_4(source, target, sentinels):
    parts, now = {}, None
    for token in target:
        if token in sentinels:
            now = token
            parts[now] = []
        elif now:
            parts[now].append(token)
    text = []
    for token in source:
        text += parts.get(token, []) if token in sentinels else [token]
    return text  # `elif now`: a sentinel whose id is 0 loses its tokens


# 8b.2
def put_together_wrong_5(source, target, sentinels):
    parts, now, part = {}, None, []
    for token in target:
        if token in sentinels:
            if now is not None:
                parts[now] = part
            now, part = token, []
        else:
            part.append(token)
    text = []
    for token in source:
        text += parts.get(token, []) if token in sentinels else [token]
    return text  # the last part is stored only if one more sentinel closes it


# 8b.2
def put_together_wrong_6(source, target, sentinels):
    parts, now = {}, next(token for token in source if token in sentinels)
    for token in target:
        if token in sentinels:
            now = token
        else:
            parts.setdefault(now, []).append(token)
    text = []
    for token in source:
        text += parts.get(token, []) if token in sentinels else [token]
    return text  # what stands before the target's first sentinel goes to the source's first one


# 8b.2
def put_together_wrong_7(source, target, sentinels):
    parts, now = {}, None
    for token in target:
        if token in sentinels:
            now = token
            parts[now] = []
        elif now is not None:
            parts[now].append(token)
    text = []
    for token in source:
        text += parts[token] if token in sentinels else [token]
    return text  # KeyError for a sentinel that the target lacks


# 8b.4
def bucket_right_1(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    return min(exact + int(share * (n_buckets - exact)), n_buckets - 1)


# 8b.4
def bucket_right_2(distance, n_buckets, max_distance):
    half = n_buckets // 2
    factor = (max_distance / half) ** (1 / half)
    starts = list(range(half)) + [half * factor**k for k in range(half)]
    return bisect_right(starts, distance) - 1


# 8b.4
def bucket_right_3(distance, n_buckets, max_distance):
    half = n_buckets // 2
    if distance <= half:
        return distance
    # (d / half) ** half >= (max / half) ** k, in whole numbers
    return half + sum(
        distance**half >= half ** (half - k) * max_distance**k for k in range(1, half)
    )


# 8b.4
def bucket_wrong_1(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    return exact + int(share * (n_buckets - exact))  # no last bucket: far distances get new ones


# 8b.4
def bucket_wrong_2(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    return min(exact + int(math.log2(distance / exact)), n_buckets - 1)
    # always doubles: fits the left table only


# 8b.4
def bucket_wrong_3(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    return min(exact + round(share * (n_buckets - exact)), n_buckets - 1)  # rounded, not cut off


# 8b.4
def bucket_wrong_4(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    return min(exact + int(share * (n_buckets - exact - 1)), n_buckets - 1)
    # one bucket too few on the logarithm: the last one only from max_distance on


# 8b.4
def bucket_wrong_5(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    share = math.log(distance) / math.log(max_distance)
    return min(exact + int(share * (n_buckets - exact)), n_buckets - 1)
    # the logarithm begins at 1, not at the first distance that is not exact


# 8b.4
def bucket_wrong_6(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    if distance < exact:
        return distance
    share = (distance - exact) / (max_distance - exact)
    return min(exact + int(share * (n_buckets - exact)), n_buckets - 1)
    # buckets of equal width: a line in place of the logarithm


# 8b.4
def bucket_wrong_7(distance, n_buckets, max_distance):
    exact = n_buckets // 2
    share = math.log(distance / exact) / math.log(max_distance / exact)
    far = min(exact + int(share * (n_buckets - exact)), n_buckets - 1)
    return distance if distance < exact else far  # log(0) for distance 0: ValueError


# 8b.5
def bucket_table_right_1(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    offset = place[None, :] - place[:, None]  # key minus query
    half = n_buckets // 2
    exact = half // 2
    distance = offset.abs()
    share = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + (share * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(distance < exact, distance, far) + half * (offset > 0)


# 8b.5
def bucket_table_right_2(n_tokens, n_buckets, max_distance):
    half = n_buckets // 2
    exact = half // 2

    def bucket(distance):
        if distance < exact:
            return distance
        share = math.log(distance / exact) / math.log(max_distance / exact)
        return min(exact + int(share * (half - exact)), half - 1)

    table = torch.zeros(n_tokens, n_tokens, dtype=torch.long)
    for q in range(n_tokens):
        for k in range(n_tokens):
            table[q, k] = bucket(q - k) if k <= q else half + bucket(k - q)
    return table


# 8b.5
def bucket_table_right_3(n_tokens, n_buckets, max_distance):
    half = n_buckets // 2
    exact = half // 2
    factor = (max_distance / exact) ** (1 / (half - exact))
    starts = list(range(exact)) + [exact * factor**k for k in range(half - exact)]
    near = [bisect_right(starts, d) - 1 for d in range(n_tokens)]
    row = near[::-1] + [half + b for b in near[1:]]  # offsets -(n - 1) ... n - 1
    return torch.tensor([row[n_tokens - 1 - q :][:n_tokens] for q in range(n_tokens)])


# 8b.5
def bucket_table_wrong_1(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    offset = place[:, None] - place[None, :]
    half = n_buckets // 2
    exact = half // 2
    distance = offset.abs()
    share = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + (share * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(distance < exact, distance, far) + half * (offset > 0)
    # query minus key: left and right exchanged


# 8b.5
def bucket_table_wrong_2(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    distance = (place[None, :] - place[:, None]).abs()
    half = n_buckets // 2
    exact = half // 2
    share = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + (share * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(distance < exact, distance, far)  # the side is forgotten: a mirror


# 8b.5
def bucket_table_wrong_3(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    distance = (place[:, None] - place[None, :]).clamp(min=0)
    exact = n_buckets // 2
    share = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + (share * (n_buckets - exact)).long()).clamp(max=n_buckets - 1)
    return torch.where(distance < exact, distance, far)
    # the decoder's table: all buckets for the left, all that lies right is distance 0


# 8b.5
def bucket_table_wrong_4(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    offset = place[None, :] - place[:, None]
    half = n_buckets // 2
    exact = half // 2
    distance = offset.abs()
    share = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + (share * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(distance < exact, distance, far) + half * (offset >= 0)
    # >= : a token's own place counts as right


# 8b.5
def bucket_table_wrong_5(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    offset = place[None, :] - place[:, None]
    half = n_buckets // 2
    distance = offset.abs()
    share = (distance.clamp(min=1) / half).log() / math.log(max_distance / half)
    far = (half + (share * half).long()).clamp(max=n_buckets - 1)
    return torch.where(distance < half, distance, far) + half * (offset > 0)
    # each side uses all n_buckets: sides overlap, and numbers pass the end of the table


# 8b.5
def bucket_table_wrong_6(n_tokens, n_buckets, max_distance):
    place = torch.arange(n_tokens)
    offset = place[None, :] - place[:, None]
    half = n_buckets // 2
    exact = half // 2
    distance = offset.abs()
    far_end = max_distance // 2
    share = (distance.clamp(min=1) / exact).log() / math.log(far_end / exact)
    far = (exact + (share * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(distance < exact, distance, far) + half * (offset > 0)
    # max_distance is halved together with the buckets


# 8b.6
def rms_norm_right_1(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps) * weight


# 8b.6
def rms_norm_right_2(x, weight, eps):
    squares = reduce(x * x, "... d -> ... 1", "mean")
    return einsum(x / (squares + eps).sqrt(), weight, "... d, d -> ... d")


# 8b.6
def rms_norm_right_3(x, weight, eps):
    if x.dim() > 1:
        return torch.stack([rms_norm_right_3(row, weight, eps) for row in x])
    size = (x.dot(x) / len(x) + eps) ** 0.5
    return x / size * weight


# 8b.6
def rms_norm_wrong_1(x, weight, eps):
    x = x - x.mean(dim=-1, keepdim=True)
    return x / (x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt() * weight
    # the mean is still taken off: LayerNorm without bias


# 8b.6
def rms_norm_wrong_2(x, weight, eps):
    return x / (x.var(dim=-1, keepdim=True, unbiased=False) + eps).sqrt() * weight
    # divides by the standard deviation: not the mean of the squares if the mean is not 0


# 8b.6
def rms_norm_wrong_3(x, weight, eps):
    return x / (x.pow(2).sum(dim=-1, keepdim=True) + eps).sqrt() * weight
    # the sum in place of the mean: vectors of length 1


# 8b.6
def rms_norm_wrong_4(x, weight, eps):
    return x / (x.pow(2).mean(dim=-1, keepdim=True).sqrt() + eps) * weight
    # eps is added to the root, not to the mean of the squares


# 8b.6
def rms_norm_wrong_5(x, weight, eps):
    return x / (x.pow(2).mean() + eps).sqrt() * weight  # one size for all vectors together


# 8b.6
def rms_norm_wrong_6(x, weight, eps):
    return x / (x.pow(2).mean(dim=-1, keepdim=True) + eps) * weight  # the root is forgotten


# 8b.6
def rms_norm_wrong_7(x, weight, eps):
    return x / (x.pow(2).mean(dim=1, keepdim=True) + eps).sqrt() * weight
    # dim=1: right for (N, D), but over the tokens for (B, T, D)


# 8b.7
def first_weights_right_1(d_model, d_head):
    w_q = torch.randn(d_model, d_head) / math.sqrt(d_model * d_head)
    w_k = torch.randn(d_model, d_head) / math.sqrt(d_model)
    return w_q, w_k


# 8b.7
def first_weights_right_2(d_model, d_head):
    w_q, w_k = torch.empty(2, d_model, d_head).unbind()
    torch.nn.init.normal_(w_q, std=(d_model * d_head) ** -0.5)
    torch.nn.init.normal_(w_k, std=d_model**-0.5)
    return w_q, w_k


# 8b.7
def first_weights_wrong_1(d_model, d_head):
    w_q = torch.randn(d_model, d_head) / math.sqrt(d_model)
    w_k = torch.randn(d_model, d_head) / math.sqrt(d_model)
    return w_q, w_k  # nothing stands for the root of d_head, by which T5 does not divide


# 8b.7
def first_weights_wrong_2(d_model, d_head):
    w_q = torch.randn(d_model, d_head) / math.sqrt(d_model * d_head)
    w_k = torch.randn(d_model, d_head) / math.sqrt(d_model * d_head)
    return w_q, w_k  # both maps are divided by the root of d_head: too quiet


# 8b.7
def first_weights_wrong_3(d_model, d_head):
    w_q = torch.randn(d_model, d_head) / math.sqrt(d_head)
    w_k = torch.randn(d_model, d_head) / math.sqrt(d_model)
    return w_q, w_k  # d_head in place of d_model * d_head


# 8b.7
def first_weights_wrong_4(d_model, d_head):
    w_q = torch.randn(d_model, d_head) / (d_model * d_head)
    w_k = torch.randn(d_model, d_head) / d_model
    return w_q, w_k  # the variances are taken for standard deviations: far too quiet


# 8b.7
def first_weights_wrong_5(d_model, d_head):
    w = torch.randn(d_model, d_head) / math.sqrt(d_model)
    return w / math.sqrt(d_head), w  # drawn once for both: each token's favourite is itself


# 8b.7
def first_weights_wrong_6(d_model, d_head):
    w_q = torch.rand(d_model, d_head) / math.sqrt(d_model * d_head)
    w_k = torch.rand(d_model, d_head) / math.sqrt(d_model)
    return w_q, w_k  # rand: from 0 to 1, no normal distribution around 0


# 8b.8
def likeliest_cut_right_1(word, log_p):
    best = [(0.0, [])] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if best[start] is None or piece not in log_p:
                continue
            score = best[start][0] + log_p[piece]
            if best[end] is None or score > best[end][0]:
                best[end] = (score, best[start][1] + [piece])
    return None if best[-1] is None else best[-1][1]


# 8b.8
def likeliest_cut_right_2(word, log_p):
    @lru_cache(maxsize=None)
    def best(end):
        if end == 0:
            return 0.0, ()
        cuts = []
        for start in range(end):
            if word[start:end] in log_p and best(start) is not None:
                score, pieces = best(start)
                cuts.append((score + log_p[word[start:end]], pieces + (word[start:end],)))
        return max(cuts, default=None)

    found = best(len(word))
    return None if found is None else list(found[1])


# 8b.8
def likeliest_cut_right_3(word, log_p):
    score = {0: 0.0}
    came_from = {}
    for start in range(len(word)):
        if start not in score:
            continue
        for piece, value in log_p.items():
            if not piece or not word.startswith(piece, start):
                continue
            end = start + len(piece)
            if end not in score or score[start] + value > score[end]:
                score[end] = score[start] + value
                came_from[end] = start
    if len(word) not in score:
        return None
    pieces, end = [], len(word)
    while end > 0:
        pieces.append(word[came_from[end] : end])
        end = came_from[end]
    return pieces[::-1]


# 8b.8
def likeliest_cut_wrong_1(word, log_p):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in log_p:
                pieces.append(word[start:end])
                start = end
                break
        else:
            return None
    return pieces  # always the longest piece that fits (WordPiece)


# 8b.8
def likeliest_cut_wrong_2(word, log_p):
    best = [[]] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if best[start] is not None and piece in log_p:
                cut = best[start] + [piece]
                if best[end] is None or len(cut) < len(best[end]):
                    best[end] = cut
    return best[-1]  # the fewest pieces, not the likeliest


# 8b.8
def likeliest_cut_wrong_3(word, log_p):
    best = {0: (0.0, [])}
    for end in range(1, len(word) + 1):
        best[end] = (0.0, None)
        for start in range(end):
            score, pieces = best[start]
            if pieces is not None and word[start:end] in log_p:
                score += log_p[word[start:end]]
                if best[end][1] is None or score < best[end][0]:
                    best[end] = (score, pieces + [word[start:end]])
    return best[len(word)][1]  # < : the unlikeliest (takes logarithms for costs)


# 8b.8
def likeliest_cut_wrong_4(word, log_p):
    best = [(0.0, [])] + [(-math.inf, [])] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            if word[start:end] in log_p:
                score = best[start][0] + log_p[word[start:end]]
                if score > best[end][0]:
                    best[end] = (score, best[start][1] + [word[start:end]])
    return best[-1][1] or None  # `or None`: the empty word gets None, not []


# 8b.8
def likeliest_cut_wrong_5(word, log_p):
    best = [(0.0, [])] + [(-math.inf, [])] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            if word[start:end] in log_p:
                score = best[start][0] + log_p[word[start:end]]
                if score > best[end][0]:
                    best[end] = (score, best[start][1] + [word[start:end]])
    return best[-1][1]  # [] in place of None where there is no cut


# 8b.8
def likeliest_cut_wrong_7(word, log_p):
    best = [(0.0, [])] + [(-math.inf, None)] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(1, end):
            piece = word[start:end]
            if best[start][1] is not None and piece in log_p:
                score = best[start][0] + log_p[piece]
                if score > best[end][0]:
                    best[end] = (score, best[start][1] + [piece])
        if word[:end] in log_p and best[end][1] is None:
            best[end] = (log_p[word[:end]], [word[:end]])
    return best[-1][1]  # the piece from the word's beginning is used only if nothing else fits


# 8b.8
def likeliest_cut_wrong_8(word, log_p):
    best = [(1.0, [])] + [(0.0, None)] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            if best[start][1] is not None and word[start:end] in log_p:
                p = best[start][0] * math.exp(log_p[word[start:end]])
                if p > best[end][0]:
                    best[end] = (p, best[start][1] + [word[start:end]])
    return best[-1][1]  # multiplies probabilities: 0.0 for long words of rare pieces, so None


# 8b.8
def likeliest_cut_wrong_9(word, log_p):
    best = [(0.0, [])] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if best[start] is None or piece not in log_p:
                continue
            n = len(best[start][1])
            score = (best[start][0] * n + log_p[piece]) / (n + 1)
            if best[end] is None or score > best[end][0]:
                best[end] = (score, best[start][1] + [piece])
    return None if best[-1] is None else best[-1][1]
    # the mean of the logarithms, not their sum: many pieces cost nothing


# 8b.10
def exact_match_right_1(prompts, written, targets):
    right, total = {}, {}
    for prompt, text, target in zip(prompts, written, targets):
        task = prompt.strip(" ").split(":")[0]
        total[task] = total.get(task, 0) + 1
        right[task] = right.get(task, 0) + (text.strip(" ") == target.strip(" "))
    return {task: right[task] / total[task] for task in total}


# 8b.10
def exact_match_right_2(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").partition(":")[0]].append(float(w.strip(" ") == t.strip(" ")))
    return {task: sum(h) / len(h) for task, h in hits.items()}


# 8b.10
def exact_match_right_3(prompts, written, targets):
    tasks = [p.lstrip(" ")[: p.lstrip(" ").index(":")] for p in prompts]
    same = [w.strip(" ") == t.strip(" ") for w, t in zip(written, targets)]
    return {
        task: sum(s for s, other in zip(same, tasks) if other == task) / tasks.count(task)
        for task in set(tasks)
    }


# 8b.10
def exact_match_wrong_1(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").rpartition(":")[0]].append(w.strip(" ") == t.strip(" "))
    return {task: sum(h) / len(h) for task, h in hits.items()}  # up to the last colon


# 8b.10
def exact_match_wrong_2(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").split(":")[0]].append(w == t)
    return {task: sum(h) / len(h) for task, h in hits.items()}  # spaces at the ends count


# 8b.10
def exact_match_wrong_3(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").split(":")[0]].append(w.strip(" ").lower() == t.strip(" ").lower())
    return {task: sum(h) / len(h) for task, h in hits.items()}  # capitals do not count


# 8b.10
def exact_match_wrong_4(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").split(":")[0]].append(w.split() == t.split())
    return {task: sum(h) / len(h) for task, h in hits.items()}  # two spaces within count as one


# 8b.10
def exact_match_wrong_5(prompts, written, targets):
    shares = defaultdict(float)
    for p, w, t in zip(prompts, written, targets):
        shares[p.strip(" ").split(":")[0]] += (w.strip(" ") == t.strip(" ")) / len(prompts)
    return dict(shares)  # divided by the texts of all tasks


# 8b.10
def exact_match_wrong_6(prompts, written, targets):
    right, total = defaultdict(int), defaultdict(int)
    for p, w, t in zip(prompts, written, targets):
        task = p.strip(" ").split(":")[0]
        total[task] += 1
        if w.strip(" ") == t.strip(" "):
            right[task] += 1
    return {task: n / total[task] for task, n in right.items()}  # a task with none right is missing


# 8b.10
def exact_match_wrong_7(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").split(" ")[0].rstrip(":")].append(w.strip(" ") == t.strip(" "))
    return {
        task: sum(h) / len(h) for task, h in hits.items()
    }  # the first word, not up to the colon


# 8b.10
def exact_match_wrong_8(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip(" ").split(":")[0]].append(w.strip(" ").startswith(t.strip(" ")))
    return {
        task: sum(h) / len(h) for task, h in hits.items()
    }  # what is written too much is let pass


# 8b.10, doubtful
def exact_match_doubtful_1(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.strip().split(":")[0]].append(w.strip() == t.strip())
    return {task: sum(h) / len(h) for task, h in hits.items()}  # strip(): line ends, too


# 8b.10, doubtful
def exact_match_doubtful_2(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.split(":")[0]].append(w.strip(" ") == t.strip(" "))
    return {task: sum(h) / len(h) for task, h in hits.items()}  # the prompt as it stands


# 8b.10, doubtful
def exact_match_doubtful_3(prompts, written, targets):
    hits = defaultdict(list)
    for p, w, t in zip(prompts, written, targets):
        hits[p.split(":")[0].strip()].append(w.strip(" ") == t.strip(" "))
    return {task: sum(h) / len(h) for task, h in hits.items()}  # spaces before the colon, too


# 8b.12
def translations_in_a_row_right_1(sentences, languages, sep_id):
    ids, langs, positions = [], [], []
    for sentence, language in zip(sentences, languages):
        row = [sep_id] + list(sentence) + [sep_id]
        ids += row
        langs += [language] * len(row)
        positions += range(len(row))
    return ids, langs, positions


# 8b.12
def translations_in_a_row_right_2(sentences, languages, sep_id):
    rows = [[sep_id, *s, sep_id] for s in sentences]
    return (
        [token for row in rows for token in row],
        [language for row, language in zip(rows, languages) for _ in row],
        [t for row in rows for t, _ in enumerate(row)],
    )


# 8b.12
def translations_in_a_row_right_3(sentences, languages, sep_id):
    if not sentences:
        return [], [], []
    first, language = sentences[0], languages[0]
    ids, langs, positions = translations_in_a_row_right_3(sentences[1:], languages[1:], sep_id)
    n = len(first) + 2
    return (
        [sep_id, *first, sep_id] + ids,
        n * [language] + langs,
        list(range(n)) + positions,
    )


# 8b.12
def translations_in_a_row_wrong_1(sentences, languages, sep_id):
    ids, langs, positions = [], [], []
    for sentence, language in zip(sentences, languages):
        row = [sep_id] + sentence + [sep_id]
        positions += range(len(ids), len(ids) + len(row))
        ids += row
        langs += [language] * len(row)
    return ids, langs, positions  # the positions run on: no new beginning


# 8b.12
def translations_in_a_row_wrong_2(sentences, languages, sep_id):
    ids, langs, positions = [], [], []
    for n, sentence in enumerate(sentences):
        row = ([sep_id] if n == 0 else []) + sentence + [sep_id]
        ids += row
        langs += [languages[n]] * len(row)
        positions += range(len(row))
    return ids, langs, positions  # one separator between two sentences, not two


# 8b.12
def translations_in_a_row_wrong_3(sentences, languages, sep_id):
    ids, langs, positions = [], [], []
    for n, sentence in enumerate(sentences):
        row = [sep_id] + sentence + [sep_id]
        ids += row
        langs += [n] * len(row)
        positions += range(len(row))
    return ids, langs, positions  # the number of the sentence (BERT's segments), not its language


# 8b.12
def translations_in_a_row_wrong_4(sentences, languages, sep_id):
    ids, langs, positions = [], [], []
    before = languages[0]
    for sentence, language in zip(sentences, languages):
        ids += [sep_id] + sentence + [sep_id]
        langs += [before] + [language] * (len(sentence) + 1)
        positions += range(len(sentence) + 2)
        before = language
    return ids, langs, positions  # a first separator has the language of the sentence before it


# 8b.12
def translations_in_a_row_wrong_5(sentences, languages, sep_id):
    first, second = sentences[:2]
    ids = [sep_id, *first, sep_id, sep_id, *second, sep_id]
    n, m = len(first) + 2, len(second) + 2
    langs = [languages[0]] * n + [languages[1]] * m
    return ids, langs, [*range(n), *range(m)]  # two sentences only


# 8b.12
def translations_in_a_row_wrong_6(sentences, languages, sep_id):
    ids, langs, positions = [], [], []
    for sentence, language in zip(sentences, languages):
        ids += [sep_id] + sentence + [sep_id]
        langs += [language] * (len(sentence) + 2)
        positions += range(1, len(sentence) + 3)
    return ids, langs, positions  # counted from 1


RIGHT = {
    "8b.1": [infill_right_1, infill_right_2, infill_right_3],
    "8b.2": [put_together_right_1, put_together_right_2, put_together_right_3],
    "8b.3": [104, 104.0],
    "8b.4": [bucket_right_1, bucket_right_2, bucket_right_3],
    "8b.5": [
        (None, bucket_table_right_1),
        (None, bucket_table_right_2),
        (None, bucket_table_right_3),
    ],
    "8b.6": [rms_norm_right_1, rms_norm_right_2, rms_norm_right_3],
    "8b.7": [(None, first_weights_right_1), (None, first_weights_right_2)],
    "8b.8": [likeliest_cut_right_1, likeliest_cut_right_2, likeliest_cut_right_3],
    "8b.9": [3.75, 15 / 4],
    "8b.10": [exact_match_right_1, exact_match_right_2, exact_match_right_3],
    "8b.11": [0.27, 27 / 100],
    "8b.12": [
        translations_in_a_row_right_1,
        translations_in_a_row_right_2,
        translations_in_a_row_right_3,
    ],
    "8b.13": [12, 12.0],
}

WRONG = {
    "8b.1": [
        ("replaced from the back of the list of spans, not sorted", infill_wrong_1),
        ("replaced from the front: later places have moved", infill_wrong_2),
        ("empty spans get no mask", infill_wrong_3),
        ("the empty span behind the last token is never reached", infill_wrong_4),
        ("one mask for each token of a span", infill_wrong_5),
        ("the list is right, but the caller's tokens are changed", infill_wrong_6),
        ("what stands behind the last span is forgotten", infill_wrong_7),
    ],
    "8b.2": [
        ("parts are taken in order, not by the same sentinel", put_together_wrong_1),
        ("a sentinel that the target lacks stays in the text", put_together_wrong_2),
        (
            "a sentinel that the source lacks does not end a part, and is written itself",
            put_together_wrong_3,
        ),
        ("truth of the sentinel: id 0 loses its tokens", put_together_wrong_4),
        ("the last part is lost: no sentinel closes it", put_together_wrong_5),
        ("tokens before the first sentinel go to the source's first one", put_together_wrong_6),
        ("KeyError for a sentinel that the target lacks", put_together_wrong_7),
    ],
    "8b.3": [
        ("the sentinel that ends the target is forgotten: 77 + 26", 103),
        ("the hidden tokens only", 77),
        ("both numbers rounded down: 76 + 25 + 1", 102),
        ("the source that the model reads: 512 - 77 + 26", 461),
        ("a sentinel for each hidden token: 2 * 77", 154),
        ("two sentinels around each span: 77 + 2 * 26", 129),
    ],
    "8b.4": [
        ("no last bucket: far distances pass the end", bucket_wrong_1),
        ("always doubles: fits the left table only", bucket_wrong_2),
        ("rounded, not cut off", bucket_wrong_3),
        ("one bucket too few on the logarithm", bucket_wrong_4),
        ("the logarithm begins at 1, not at n_buckets / 2", bucket_wrong_5),
        ("buckets of equal width", bucket_wrong_6),
        ("log(0) for distance 0", bucket_wrong_7),
    ],
    "8b.5": [
        ("query minus key: left and right exchanged", (None, bucket_table_wrong_1)),
        ("the side is forgotten", (None, bucket_table_wrong_2)),
        ("the decoder's table: right is all distance 0", (None, bucket_table_wrong_3)),
        ("a token's own place counts as right", (None, bucket_table_wrong_4)),
        ("each side uses all buckets: sides overlap", (None, bucket_table_wrong_5)),
        ("max_distance is halved together with the buckets", (None, bucket_table_wrong_6)),
    ],
    "8b.6": [
        ("the mean is still taken off", rms_norm_wrong_1),
        ("divides by the standard deviation", rms_norm_wrong_2),
        ("the sum in place of the mean", rms_norm_wrong_3),
        ("eps is added to the root", rms_norm_wrong_4),
        ("one size for all vectors together", rms_norm_wrong_5),
        ("the root is forgotten", rms_norm_wrong_6),
        ("dim=1: the tokens' dimension of (B, T, D)", rms_norm_wrong_7),
    ],
    "8b.7": [
        ("nothing stands for the root of d_head", (None, first_weights_wrong_1)),
        ("both maps divided by the root of d_head", (None, first_weights_wrong_2)),
        ("queries: d_head in place of d_model * d_head", (None, first_weights_wrong_3)),
        ("variances taken for standard deviations", (None, first_weights_wrong_4)),
        ("one draw for both maps", (None, first_weights_wrong_5)),
        ("rand in place of randn", (None, first_weights_wrong_6)),
    ],
    "8b.8": [
        ("always the longest piece that fits", likeliest_cut_wrong_1),
        ("the fewest pieces", likeliest_cut_wrong_2),
        ("the unlikeliest: < in place of >", likeliest_cut_wrong_3),
        ("None for the empty word", likeliest_cut_wrong_4),
        ("[] where there is no cut", likeliest_cut_wrong_5),
        ("a piece at the word's beginning only if nothing else fits", likeliest_cut_wrong_7),
        ("multiplies probabilities: 0.0 for long words of rare pieces", likeliest_cut_wrong_8),
        ("the mean of the logarithms in place of the sum", likeliest_cut_wrong_9),
    ],
    "8b.9": [
        ("tog + ether taken for the likeliest: two pieces only", 2.5),
        ("turned over: 0.000008 / 0.00003", 4 / 15),
        ("compared with tog + ether, the second likeliest", 1.5),
        ("compared with toget + her, the fewest if together is overlooked", 5.0),
        ("the fewest pieces are themselves the likeliest", 1.0),
        ("the difference of the logarithms", math.log(3.75)),
    ],
    "8b.10": [
        ("the task up to the last colon", exact_match_wrong_1),
        ("spaces at the ends count", exact_match_wrong_2),
        ("capitals do not count", exact_match_wrong_3),
        ("spaces within do not count", exact_match_wrong_4),
        ("divided by the texts of all tasks", exact_match_wrong_5),
        ("a task with none right is missing", exact_match_wrong_6),
        ("the first word of the prompt, not up to the colon", exact_match_wrong_7),
        ("only the beginning has to be right", exact_match_wrong_8),
    ],
    "8b.11": [
        ("0.2755 rounded to the nearest; or compared with the other six, not all seven", 0.28),
        ("compared with English only: at least 1 to 20", 0.57),
        ("XLM-R's alpha, not worked out", 0.3),
        ("the smallest: all languages alike", 0.0),
        ("1, Swahili's share of all the text: 0.2 % is no 1 in 20", 1.0),
        ("percent in place of hundredths", 27),
    ],
    "8b.12": [
        ("the positions run on", translations_in_a_row_wrong_1),
        ("one separator between two sentences", translations_in_a_row_wrong_2),
        ("the sentence's number, not its language", translations_in_a_row_wrong_3),
        ("a first separator has the language before it", translations_in_a_row_wrong_4),
        ("two sentences only", translations_in_a_row_wrong_5),
        ("positions counted from 1", translations_in_a_row_wrong_6),
    ],
    "8b.13": [
        ("as read: the last place only", 1),
        ("the first place is believed to know only itself", 11),
        ("the half that has the most to its left", 6),
        ("the last place is believed not to know itself", 0),
        ("both sides counted", 24),
    ],
}
