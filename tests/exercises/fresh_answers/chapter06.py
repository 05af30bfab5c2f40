import itertools
import math
import re

import numpy as np
import torch
import torch.nn.functional as F


# 6.1
def loss_right_1(model, ids, chosen, mask_id):
    inputs = ids.clone()
    inputs[chosen] = mask_id
    return F.cross_entropy(model(inputs)[chosen], ids[chosen])


def loss_right_2(net, tokens, where, mask):
    scores = net(torch.where(where, torch.full_like(tokens, mask), tokens)).double()
    terms = []
    for b in range(scores.shape[0]):
        for t in range(scores.shape[1]):
            if where[b, t]:
                terms.append(torch.logsumexp(scores[b, t], 0) - scores[b, t, tokens[b, t]])
    return sum(terms) / len(terms)


def loss_right_3(model, ids, chosen, mask_id):
    log_p = model(ids.masked_fill(chosen, mask_id)).log_softmax(-1)
    nll = -log_p.gather(2, ids.unsqueeze(2)).squeeze(2)
    return nll.masked_select(chosen).sum() / chosen.sum()


def loss_wrong_in_place(model, ids, chosen, mask_id):
    ids[chosen] = mask_id
    return F.cross_entropy(model(ids)[chosen], ids[chosen])


def loss_wrong_nothing_hidden(model, ids, chosen, mask_id):
    nll = F.cross_entropy(model(ids).transpose(1, 2), ids, reduction="none")
    return nll[chosen].mean()


def loss_wrong_all_places(model, ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    return F.cross_entropy(model(inputs).flatten(0, 1), ids.flatten())


def loss_wrong_ignored_in_the_mean(model, ids, chosen, mask_id):
    labels = ids.masked_fill(~chosen, -100)
    logits = model(ids.masked_fill(chosen, mask_id))
    nll = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return nll.mean()


def loss_wrong_mean_of_rows(model, ids, chosen, mask_id):
    logits = model(ids.masked_fill(chosen, mask_id))
    nll = F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
    per_row = (nll * chosen).sum(dim=1) / chosen.sum(dim=1).clamp(min=1)
    return per_row.mean()


def loss_wrong_shifted(model, ids, chosen, mask_id):
    logits = model(ids.masked_fill(chosen, mask_id))
    return F.cross_entropy(logits[:, :-1][chosen[:, 1:]], ids[:, 1:][chosen[:, 1:]])


def loss_wrong_two(model, ids, chosen, mask_id):
    p = model(ids).softmax(dim=-1)
    return F.cross_entropy(p[chosen], ids[chosen])


# 6.2
def segment_right_1(ids, sep_id):
    sep = (ids == sep_id).long()
    before = sep.cumsum(dim=1) - sep
    return (before == 1).long()


def segment_right_2(tokens, sep):
    rows = []
    for row in tokens.tolist():
        first = row.index(sep)
        second = row.index(sep, first + 1)
        rows.append([1 if first < t <= second else 0 for t in range(len(row))])
    return torch.tensor(rows)


def segment_wrong_sep_in_second(ids, sep_id):
    return ((ids == sep_id).cumsum(dim=1) == 1).long()


def segment_wrong_pad_is_zero(ids, sep_id):
    sep = (ids == sep_id).long()
    out = (sep.cumsum(dim=1) - sep).clamp(max=1)
    out[ids == 0] = 0
    return out


def segment_wrong_two(ids, sep_id):
    return (ids == sep_id).cumsum(dim=1).clamp(max=1)


# 6.4
def mask_right_1(ids, chosen, draw, random_ids, mask_id):
    hidden = torch.where(draw < 0.8, torch.full_like(ids, mask_id), random_ids)
    return torch.where(chosen & (draw < 0.9), hidden, ids)


def mask_right_2(ids, chosen, draw, random_ids, mask_id):
    out = ids.clone()
    for b, t in chosen.nonzero().tolist():
        if draw[b, t] < 0.8:
            out[b, t] = mask_id
        elif draw[b, t] < 0.9:
            out[b, t] = random_ids[b, t]
    return out


def mask_wrong_overwrites(ids, chosen, draw, random_ids, mask_id):
    out = ids.clone()
    out[chosen & (draw < 0.8)] = mask_id
    r = chosen & (draw < 0.9)
    out[r] = random_ids[r]
    return out


def mask_wrong_random_everywhere(ids, chosen, draw, random_ids, mask_id):
    out = ids.masked_fill(chosen & (draw < 0.8), mask_id)
    return torch.where((draw >= 0.8) & (draw < 0.9), random_ids, out)


def mask_wrong_two(ids, chosen, draw, random_ids, mask_id):
    r = chosen & (draw >= 0.9)
    ids[chosen & (draw < 0.8)] = mask_id
    ids[r] = random_ids[r]
    return ids


# 6.7
def batch_right_1(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(~chosen, -100)
    return (inputs, labels)


def batch_right_2(ids, chosen, mask_id):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    for b in range(len(ids)):
        for t in range(len(ids[b])):
            if chosen[b, t]:
                labels[b, t] = ids[b, t]
                inputs[b, t] = mask_id
    return [inputs, labels]


def batch_wrong_inverted(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(chosen, -100)
    return (inputs, labels)


def batch_wrong_labels_from_inputs(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = torch.where(chosen, inputs, torch.tensor(-100))
    return (inputs, labels)


def batch_wrong_two(ids, chosen, mask_id):
    labels = torch.where(chosen, ids, torch.full_like(ids, -1))
    ids[chosen] = mask_id
    return (ids, labels)


def segment_right_3(ids, sep_id):
    T = ids.shape[1]
    strictly_before = torch.ones(T, T).triu(diagonal=1)  # row s counts for columns t > s
    separators_before = (ids == sep_id).float() @ strictly_before
    return separators_before.round().long() % 2 * (separators_before < 1.5).long()


def segment_wrong_both_seps(ids, sep_id):
    return ((ids == sep_id).cumsum(dim=1) == 1).long()


def segment_wrong_padding(ids, sep_id):
    first = (ids == sep_id).int().argmax(dim=1)
    return (torch.arange(ids.size(1))[None] > first[:, None]).long()


def segment_wrong_pad_id_zero(ids, sep_id):
    is_sep = (ids == sep_id).long()
    before = is_sep.cumsum(dim=1) - is_sep
    return ((before > 0) & (ids != 0)).long()


def mask_right_3(ids, chosen, draw, random_ids, mask_id):
    menu = torch.stack([ids, torch.full_like(ids, mask_id), random_ids.to(ids.dtype), ids])
    fate = chosen.long() * (1 + (draw >= 0.8).long() + (draw >= 0.9).long())  # 0, 1, 2, 3
    return menu.gather(0, fate[None])[0]


def mask_wrong_in_place(ids, chosen, draw, random_ids, mask_id):
    ids[chosen & (draw < 0.8)] = mask_id
    swap = chosen & (draw >= 0.8) & (draw < 0.9)
    ids[swap] = random_ids[swap]
    return ids


def mask_wrong_overwrites_masks(ids, chosen, draw, random_ids, mask_id):
    out = torch.where(chosen & (draw < 0.8), mask_id, ids)
    return torch.where(chosen & (draw < 0.9), random_ids, out)


def mask_wrong_not_chosen_too(ids, chosen, draw, random_ids, mask_id):
    out = ids.clone()
    out[chosen & (draw < 0.8)] = mask_id
    swap = (draw >= 0.8) & (draw < 0.9)
    out[swap] = random_ids[swap]
    return out


def batch_right_3(ids, chosen, mask_id):
    hide = chosen.to(ids.dtype)
    return ids + hide * (mask_id - ids), hide * ids - 100 * (1 - hide)


def batch_wrong_labels_hidden(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = inputs.masked_fill(~chosen, -100)
    return (inputs, labels)


def batch_wrong_visible_asked(ids, chosen, mask_id):
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(chosen, -100)
    return (inputs, labels)


# 6.3
def logits_right_1(parts, ids, segments):
    T = ids.shape[1]
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[:T]
    x = parts.norm(x)
    for layer in parts.layers:
        x = layer(x)
    x = parts.small_layer(x)
    return x @ parts.tokens.T + parts.bias


def logits_right_2(parts, ids, segments):
    B, T = ids.shape
    places = torch.arange(T, device=ids.device).expand(B, T)
    tables = (parts.tokens, parts.segments, parts.positions)
    summed = sum(F.embedding(index, table) for index, table in zip((ids, segments, places), tables))
    hidden = summed
    for step in (parts.norm, *parts.layers, parts.small_layer):
        hidden = step(hidden)
    return F.linear(hidden, parts.tokens, parts.bias)


def logits_wrong_no_segments(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.positions[:T])
    for layer in parts.layers:
        x = layer(x)
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def logits_wrong_norm_at_top(parts, ids, segments):
    T = ids.shape[1]
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[:T]
    for layer in parts.layers:
        x = layer(x)
    x = parts.norm(x)
    x = parts.small_layer(x)
    return x @ parts.tokens.T + parts.bias


def logits_wrong_residual(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments] + parts.positions[:T])
    for layer in parts.layers:
        x = x + layer(x)
    x = parts.small_layer(x)
    return x @ parts.tokens.T + parts.bias


def logits_wrong_no_small_layer(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments] + parts.positions[:T])
    for layer in parts.layers:
        x = layer(x)
    return F.linear(x, parts.tokens, parts.bias)


def logits_wrong_softmax(parts, ids, segments):
    positions = torch.arange(ids.size(1), device=ids.device)
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[positions]
    x = parts.norm(x)
    for layer in parts.layers:
        x = layer(x)
    x = parts.small_layer(x)
    scores = x @ parts.tokens.T + parts.bias
    return F.softmax(scores, dim=-1)


def logits_wrong_two(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments]) + parts.positions[:T]
    for layer in parts.layers:
        x = layer(x)
    x = parts.small_layer(x)
    return torch.einsum("btd,vd->btv", x, parts.tokens)


def logits_right_3(parts, ids, segments):
    T = ids.shape[1]
    V, C = parts.tokens.shape[0], parts.positions.shape[0]
    dtype = parts.tokens.dtype
    which_token = F.one_hot(ids.long(), V).to(dtype)
    which_segment = F.one_hot(segments.long(), 2).to(dtype)
    which_position = torch.eye(C, dtype=dtype, device=ids.device)[:T]
    x = torch.einsum("btv,vd->btd", which_token, parts.tokens)
    x = x + torch.einsum("bts,sd->btd", which_segment, parts.segments)
    x = x + torch.einsum("tc,cd->td", which_position, parts.positions)
    x = parts.norm(x)
    for layer in parts.layers:
        x = layer(x)
    ones = torch.ones(*ids.shape, 1, dtype=dtype, device=ids.device)
    x = torch.cat([parts.small_layer(x), ones], dim=-1)
    table = torch.cat([parts.tokens, parts.bias.unsqueeze(1)], dim=1)
    return torch.einsum("btd,vd->btv", x, table)


def logits_right_4(parts, ids, segments):
    B, T = ids.shape
    rows = []
    for b in range(B):
        vectors = []
        for t in range(T):
            w, s = int(ids[b, t]), int(segments[b, t])
            vectors.append(parts.positions[t] + parts.segments[s] + parts.tokens[w])
        rows.append(torch.stack(vectors))
    x = parts.norm(torch.stack(rows))
    for i in range(len(parts.layers)):
        x = parts.layers[i](x)
    x = parts.small_layer(x).detach().cpu().numpy()
    table = parts.tokens.detach().cpu().numpy()
    bias = parts.bias.detach().cpu().numpy()
    logits = np.empty((B, T, len(table)), dtype=x.dtype)
    for t in range(T):
        logits[:, t] = np.dot(x[:, t], table.T) + bias
    return torch.from_numpy(logits).to(ids.device)


def logits_wrong_norm_before_positions(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments]) + parts.positions[:T]
    for layer in parts.layers:
        x = layer(x)
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def logits_wrong_first_row_segments(parts, ids, segments):
    T = ids.shape[1]
    x = parts.tokens[ids] + parts.segments[segments[0]] + parts.positions[:T]
    x = parts.norm(x)
    for layer in parts.layers:
        x = layer(x)
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def logits_wrong_positions_restart(parts, ids, segments):
    in_first = (1 - segments).cumsum(dim=1) - 1
    in_second = segments.cumsum(dim=1) - 1
    places = torch.where(segments == 0, in_first, in_second)
    x = parts.tokens[ids] + parts.segments[segments] + parts.positions[places]
    x = parts.norm(x)
    for layer in parts.layers:
        x = layer(x)
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def logits_wrong_layers_not_chained(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments] + parts.positions[:T])
    h = x
    for layer in parts.layers:
        h = layer(x)
    return parts.small_layer(h) @ parts.tokens.T + parts.bias


def logits_wrong_norm_again_before_head(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments] + parts.positions[:T])
    for layer in parts.layers:
        x = layer(x)
    x = parts.norm(x)
    return parts.small_layer(x) @ parts.tokens.T + parts.bias


def logits_wrong_log_softmax(parts, ids, segments):
    T = ids.shape[1]
    x = parts.norm(parts.tokens[ids] + parts.segments[segments] + parts.positions[:T])
    for layer in parts.layers:
        x = layer(x)
    logits = parts.small_layer(x) @ parts.tokens.T + parts.bias
    return F.log_softmax(logits, dim=-1)


# 6.6
def step_right_1(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    states = model(inputs, segments, mask)
    logits = model.mlm_logits(states)[chosen]
    a = F.cross_entropy(logits, ids[chosen])
    target = torch.zeros(len(is_next), dtype=torch.long)
    target[~is_next] = 1
    b = F.cross_entropy(model.nsp_logits(states), target)
    for parameter in model.parameters():
        parameter.grad = None
    loss = a + b
    loss.backward()
    optimizer.step()
    return a.detach(), b.detach()


def step_right_2(net, opt, x, parts, real, y, asked, follows):
    h = net(x, parts, real)
    log_p = net.mlm_logits(h).log_softmax(-1).gather(-1, y[..., None])[..., 0]
    words = -(log_p * asked).sum() / asked.sum()
    pairs = F.nll_loss(net.nsp_logits(h).log_softmax(-1), 1 - follows.long())
    (words + pairs).backward()
    opt.step()
    opt.zero_grad()
    return words.item(), pairs.item()


def step_wrong_classes(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    hidden = model(inputs, segments, mask)
    words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
    pairs = F.cross_entropy(model.nsp_logits(hidden), is_next.long())
    optimizer.zero_grad()
    (words + pairs).backward()
    optimizer.step()
    return words.item(), pairs.item()


def step_wrong_order(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    hidden = model(inputs, segments, mask)
    words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
    pairs = F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())
    (words + pairs).backward()
    optimizer.zero_grad()
    optimizer.step()
    return words.item(), pairs.item()


def step_wrong_no_zero(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    hidden = model(inputs, segments, mask)
    words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
    pairs = F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())
    (words + pairs).backward()
    optimizer.step()
    return words.item(), pairs.item()


def step_wrong_two(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    hidden = model(inputs, mask=mask)
    words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
    pairs = F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())
    optimizer.zero_grad()
    words.backward()
    optimizer.step()
    return words.item(), pairs.item()


# 6.11
def sense_right_1(new, known):
    best, name = -2, None
    for sense, vectors in known.items():
        cosines = [float(new @ v / (new.norm() * v.norm())) for v in vectors]
        if sum(cosines) / len(cosines) > best:
            best, name = sum(cosines) / len(cosines), sense
    return name


def sense_right_2(new, known):
    names = list(known)
    unit = F.normalize(new, dim=0)
    means = torch.stack([(F.normalize(known[name], dim=1) @ unit).mean() for name in names])
    return names[means.argmax()]


def sense_wrong_centre(new, known):
    centres = {sense: v.mean(0) for sense, v in known.items()}
    return max(centres, key=lambda s: torch.cosine_similarity(new, centres[s], dim=0))


def sense_wrong_all_pairs(new, known):
    scores = {sense: torch.cosine_similarity(new, v, dim=-1).sum() for sense, v in known.items()}
    return max(scores, key=scores.get)


def sense_wrong_euclid(new, known):
    return min(known, key=lambda sense: torch.cdist(new[None], known[sense]).mean())


def sense_wrong_index(new, known):
    means = [torch.cosine_similarity(new, v, dim=-1).mean() for v in known.values()]
    return int(torch.stack(means).argmax())


def sense_wrong_only_new_unit(new, known):
    unit = F.normalize(new, dim=0)
    return max(known, key=lambda sense: (known[sense] @ unit).mean())


# 6.10
def stretch_right_1(model, texts):
    out = []
    for text in texts:
        p = model(text.unsqueeze(0)).squeeze(0).softmax(-1)
        out.append(sum(p[t, text[t + 1]].log() for t in range(len(text) - 1)))
    return torch.stack(out)


def stretch_right_2(gpt, texts):
    scores = []
    for ids in texts:
        log_p = F.log_softmax(gpt(ids.view(1, -1)), dim=-1)
        places = torch.arange(len(ids) - 1)
        scores.append(float(log_p[0, places, ids[1:]].sum()))
    return scores


def stretch_wrong_mean(model, texts):
    return torch.stack([-F.cross_entropy(model(t[None])[0, :-1], t[1:]) for t in texts])


def stretch_wrong_sign(model, texts):
    return torch.stack(
        [F.cross_entropy(model(t[None])[0, :-1], t[1:], reduction="sum") for t in texts]
    )


def stretch_wrong_not_shifted(model, texts):
    return torch.stack(
        [model(t[None])[0].log_softmax(-1).gather(1, t[:, None]).sum() for t in texts]
    )


def stretch_wrong_two(model, texts):
    return torch.stack([F.cross_entropy(model(t[None])[0, :-1], t[1:]) for t in texts])


# 6.8
EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
DE = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn"
).split()
EN_TENS = "_ ten twenty thirty forty fifty sixty seventy eighty ninety".split()
DE_TENS = "_ zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
TO_GERMAN = {
    "zero": "null",
    "one": "ein",
    "two": "zwei",
    "three": "drei",
    "four": "vier",
    "five": "fünf",
    "six": "sechs",
    "seven": "sieben",
    "eight": "acht",
    "nine": "neun",
    "ten": "zehn",
    "eleven": "elf",
    "twelve": "zwölf",
    "thirteen": "dreizehn",
    "fourteen": "vierzehn",
    "fifteen": "fünfzehn",
    "sixteen": "sechzehn",
    "seventeen": "siebzehn",
    "eighteen": "achtzehn",
    "nineteen": "neunzehn",
    "twenty": "zwanzig",
    "thirty": "dreißig",
    "forty": "vierzig",
    "fifty": "fünfzig",
    "sixty": "sechzig",
    "seventy": "siebzig",
    "eighty": "achtzig",
    "ninety": "neunzig",
    "hundred": "hundert",
    "thousand": "tausend",
    "and": "und",
}


def english(n):
    out = []
    if n >= 1000:
        out += [EN[n // 1000], "thousand"]
    if n % 1000 >= 100:
        out += [EN[n % 1000 // 100], "hundred"]
    rest = n % 100
    if out and rest:
        out.append("and")
    if rest >= 20:
        out.append(EN_TENS[rest // 10])
        if rest % 10:
            out += ["-", EN[rest % 10]]
    elif rest or not out:
        out.append(EN[rest])
    return out


def german(n, units_first=True):
    out = []
    if n >= 1000:
        out += [DE[n // 1000].replace("eins", "ein"), "tausend"]
    if n % 1000 >= 100:
        out += [DE[n % 1000 // 100].replace("eins", "ein"), "hundert"]
    rest = n % 100
    if rest >= 20:
        tens, unit = DE_TENS[rest // 10], DE[rest % 10].replace("eins", "ein")
        if not rest % 10:
            out.append(tens)
        else:
            out += [unit, "und", tens] if units_first else [tens, "und", unit]
    elif rest or not out:
        out.append(DE[rest])
    return out


def rival_right_1(words, gap):
    votes = {}
    for n in range(3000):
        pair = ["[CLS]"] + english(n) + ["[SEP]"] + german(n) + ["[SEP]"]
        if len(pair) != len(words):
            continue
        if all(w == "[MASK]" or w == p for w, p in zip(words, pair)):
            votes[pair[gap]] = votes.get(pair[gap], 0) + 1
    if votes:
        return max(votes, key=votes.get)
    return "hundred" if gap < words.index("[SEP]") else "hundert"


def rival_right_2(words, gap):
    middle = words.index("[SEP]")
    english, german = words[1:middle], words[middle + 1 : -1]
    to_english = {de: en for en, de in TO_GERMAN.items()}
    to_english["eins"] = "one"
    units = "one two three four five six seven eight nine".split()
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    in_german = gap > middle
    own = german if in_german else english
    other = english if in_german else german
    at = gap - middle - 1 if in_german else gap - 1

    def plain(word):
        return to_english.get(word, word)

    own = [plain(word) for word in own]
    other = [plain(word) for word in other]
    before = own[at - 1] if at > 0 else ""
    after = own[at + 1] if at + 1 < len(own) else ""
    left = len(own) - at - 1

    def say(word):
        if not in_german:
            return word
        return "eins" if word == "one" and not left else TO_GERMAN[word]

    if not in_german:
        if left and (after in units or before in tens) and before not in ["hundred", "thousand"]:
            if before in tens:
                return "-"
        if left and after in tens and before in ["hundred", "thousand", "[MASK]"]:
            return "and"
        if before == "hundred":
            return "and"
        if left == 1 and len(german) >= 3 and german[-2] == "und":
            return "-"
        if left == 3 and len(german) >= 3 and german[-2] == "und":
            return "and"
    elif left == 1 and (before in units or after in tens) and "-" in english:
        if at != 1 or "hundred" not in other[1:2] + own[1:2] or after in tens:
            return "und"
    if at == 1 and len(own) > 1:
        if len(other) > 1 and other[1] in ["thousand", "hundred"]:
            return say(other[1])
        return say("thousand" if len(own) > 5 else "hundred")
    if at == 3 and len(own) > 3:
        if len(other) > 3 and other[3] == "hundred":
            return say("hundred")
    if at in [0, 2] and after in ["hundred", "thousand"]:
        if len(other) > at and other[at] in units:
            return say(other[at])
        return say("one")
    rest = list(other)
    for word in own:
        if word in rest:
            rest.remove(word)
    rest = [word for word in rest if word not in ["[MASK]", "-", "and", "hundred", "thousand"]]
    if not rest:
        return say("hundred")
    if in_german and left == 2 and after in ["and", "[MASK]"]:
        rest = [word for word in rest if word in units] or rest
    elif not left and (before == "-" or in_german and before != "and"):
        rest = [word for word in rest if word not in tens] or rest
    elif in_german and not left or not in_german and left == 2:
        rest = [word for word in rest if word in tens] or rest
    return say(rest[-1])


def rival_wrong_language(words, gap):
    middle = words.index("[SEP]")
    english, german = words[1:middle], words[middle + 1 : -1]
    to_english = {de: en for en, de in TO_GERMAN.items()}
    to_english["eins"] = "one"
    known = [to_english.get(word, word) for word in (german if gap < middle else english)]
    mine = [to_english.get(word, word) for word in (english if gap < middle else german)]
    left = [word for word in known if word not in mine and word not in ["-", "[MASK]"]]
    if not left:
        return "hundert" if gap < middle else "hundred"
    return TO_GERMAN[left[0]] if gap < middle else left[0]


def rival_wrong_same_position(words, gap):
    middle = words.index("[SEP]")
    english, german = words[1:middle], words[middle + 1 : -1]
    to_english = {de: en for en, de in TO_GERMAN.items()}
    to_english["eins"] = "one"
    if gap < middle:
        at = gap - 1
        return to_english.get(german[at], "and") if at < len(german) else "and"
    at = gap - middle - 1
    return TO_GERMAN.get(english[at], "und") if at < len(english) else "und"


def rival_wrong_other_masks(words, gap):
    votes = {}
    for n in range(3000):
        pair = ["[CLS]"] + english(n) + ["[SEP]"] + german(n) + ["[SEP]"]
        if len(pair) != len(words):
            continue
        if all(i == gap or words[i] == pair[i] for i in range(len(words))):
            votes[pair[gap]] = votes.get(pair[gap], 0) + 1
    if votes:
        return max(votes, key=votes.get)
    return "hundred" if gap < words.index("[SEP]") else "hundert"


def rival_wrong_index(words, gap):
    middle = words.index("[SEP]")
    for n in range(3000):
        pair = ["[CLS]"] + english(n) + ["[SEP]"] + german(n) + ["[SEP]"]
        if len(pair) != len(words):
            continue
        if all(w == "[MASK]" or w == p for w, p in zip(words, pair)):
            return pair.index(pair[gap])
    return middle


def rival_wrong_order(words, gap):
    votes = {}
    for n in range(3000):
        pair = ["[CLS]"] + english(n) + ["[SEP]"] + german(n, units_first=False) + ["[SEP]"]
        if len(pair) != len(words):
            continue
        if all(w == "[MASK]" or w == p for w, p in zip(words, pair)):
            votes[pair[gap]] = votes.get(pair[gap], 0) + 1
    if votes:
        return max(votes, key=votes.get)
    return "hundred" if gap < words.index("[SEP]") else "hundert"


def rival_wrong_neighbour(words, gap):
    return words[gap - 1]


def rival_wrong_two(words, gap):
    middle = words.index("[SEP]")
    english = words[1:middle]
    at = gap - middle - 1
    if at < 0:
        at = gap - 1
    if english[at] in TO_GERMAN:
        return TO_GERMAN[english[at]]
    return "hundert"


# 6.9
def fill_right_1(model, ids, mask_id):
    ids = ids.clone()
    while (ids == mask_id).any():
        probs = F.softmax(model(ids), dim=-1)
        best, word = probs.max(dim=-1)
        best = best.masked_fill(ids != mask_id, -1.0)
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_right_2(model, ids, mask_id):
    gaps = [t for t, w in enumerate(ids.tolist()) if w == mask_id]
    if not gaps:
        return ids.clone()
    logp = F.log_softmax(model(ids), dim=-1)
    _, t, w = max((logp[t].max().item(), t, logp[t].argmax().item()) for t in gaps)
    new = torch.cat([ids[:t], ids.new_tensor([w]), ids[t + 1 :]])
    return fill_right_2(model, new, mask_id)


def fill_right_3(model, ids, mask_id):
    out = np.array(ids.tolist(), dtype=np.int64)
    while True:
        gaps = np.flatnonzero(out == mask_id)
        if len(gaps) == 0:
            break
        z = np.array(model(torch.from_numpy(out.copy())).tolist(), dtype=np.float64)[gaps]
        z = z - z.max(axis=1, keepdims=True)
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        k = p.max(axis=1).argmax()
        out[gaps[k]] = p[k].argmax()
    return torch.from_numpy(out)


def fill_right_4(model, ids, mask_id):
    text = ids.clone()
    for _ in range(int((ids == mask_id).sum())):
        gaps = (text == mask_id).nonzero().squeeze(1)
        logits = model(text)[gaps]
        logp = logits - logits.logsumexp(-1, keepdim=True)
        flat = logp.flatten().topk(1).indices.item()
        row, word = divmod(flat, logits.shape[1])
        text[gaps[row]] = word
    return text


def fill_wrong_logits(model, ids, mask_id):
    ids = ids.clone()
    while (ids == mask_id).any():
        best, word = model(ids).max(dim=-1)
        best[ids != mask_id] = -float("inf")
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_softmax_dim(model, ids, mask_id):
    ids = ids.clone()
    while (ids == mask_id).any():
        probs = F.softmax(model(ids), dim=0)
        best, word = probs.max(dim=-1)
        best[ids != mask_id] = -1
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_in_place(model, ids, mask_id):
    while (ids == mask_id).any():
        probs = F.softmax(model(ids), dim=-1)
        best, word = probs.max(dim=-1)
        best[ids != mask_id] = -1
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_read_once(model, ids, mask_id):
    ids = ids.clone()
    probs = F.softmax(model(ids), dim=-1)
    while (ids == mask_id).any():
        best, word = probs.max(dim=-1)
        best[ids != mask_id] = -1
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_left_to_right(model, ids, mask_id):
    ids = ids.clone()
    for t in range(len(ids)):
        if ids[t] == mask_id:
            ids[t] = F.softmax(model(ids)[t], dim=-1).argmax()
    return ids


def fill_wrong_least_sure(model, ids, mask_id):
    ids = ids.clone()
    while (ids == mask_id).any():
        best, word = F.softmax(model(ids), dim=-1).max(dim=-1)
        best[ids != mask_id] = 2.0
        t = best.argmin()
        ids[t] = word[t]
    return ids


def fill_wrong_index_among_gaps(model, ids, mask_id):
    ids = ids.clone()
    for _ in range(int((ids == mask_id).sum())):
        gap = ids == mask_id
        if not gap.any():
            break
        best, word = F.softmax(model(ids), dim=-1)[gap].max(dim=-1)
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_zero_with_log(model, ids, mask_id):
    ids = ids.clone()
    for _ in range(int((ids == mask_id).sum())):
        best, word = F.log_softmax(model(ids), dim=-1).max(dim=-1)
        best = best * (ids == mask_id)
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_all_places_and_in_place(model, ids, mask_id):
    n = int((ids == mask_id).sum())
    for _ in range(n):
        best, word = F.softmax(model(ids), dim=-1).max(dim=-1)
        t = best.argmax()
        ids[t] = word[t]
    return ids


def fill_wrong_logits_and_read_once(model, ids, mask_id):
    out = ids.clone()
    best, word = model(ids).max(dim=-1)
    gaps = (ids == mask_id).nonzero().flatten()
    for t in gaps[best[gaps].argsort(descending=True)]:
        out[t] = word[t]
    return out


def fill_wrong_entropy(model, ids, mask_id):
    ids = ids.clone()
    while (ids == mask_id).any():
        p = F.softmax(model(ids), dim=-1)
        sureness = (p * p.log()).sum(dim=-1).masked_fill(ids != mask_id, -torch.inf)
        t = sureness.argmax()
        ids[t] = p[t].argmax()
    return ids


def fill_wrong_all_compete(model, ids, mask_id):
    ids = ids.clone()
    while (ids == mask_id).any():
        best, word = F.softmax(model(ids), dim=-1).max(dim=-1)
        ids[best.argmax()] = word[best.argmax()]
    return ids


RIGHT = {
    "6.1": [loss_right_1, loss_right_2, loss_right_3],
    "6.2": [segment_right_1, segment_right_2, segment_right_3],
    "6.4": [mask_right_1, mask_right_2, mask_right_3],
    "6.6": [step_right_1, step_right_2],
    "6.5": [0.14],
    "6.7": [
        ("c", batch_right_1),
        ("c", batch_right_2),
        ("c", batch_right_3),
    ],  # letter from the stub's code
    "6.8": [rival_right_1, rival_right_2],
    "6.10": [stretch_right_1, stretch_right_2],
    "6.11": [sense_right_1, sense_right_2],
    "6.9": [fill_right_1, fill_right_2, fill_right_3, fill_right_4],
    "6.3": [logits_right_1, logits_right_2, logits_right_3, logits_right_4],
}
WRONG = {
    "6.9": [
        ("compares logits, not probabilities", fill_wrong_logits),
        ("softmax over the places (dim=0)", fill_wrong_softmax_dim),
        ("changes ids itself", fill_wrong_in_place),
        ("reads only once, before the loop", fill_wrong_read_once),
        ("fills from left to right", fill_wrong_left_to_right),
        ("least sure first", fill_wrong_least_sure),
        ("number among the gaps taken as place in the text", fill_wrong_index_among_gaps),
        ("non-gaps set to 0 with log probabilities", fill_wrong_zero_with_log),
        ("TWO: non-gaps compete too; changes ids", fill_wrong_all_places_and_in_place),
        ("TWO: logits; reads only once", fill_wrong_logits_and_read_once),
        ("measures sureness by the entropy", fill_wrong_entropy),
        ("the given words compete, too, without an end", fill_wrong_all_compete),
    ],
    "6.1": [
        ("hides in ids itself, and then asks for [MASK]", loss_wrong_in_place),
        ("nothing is hidden", loss_wrong_nothing_hidden),
        ("all places count", loss_wrong_all_places),
        ("-100 is skipped, but counts in the mean", loss_wrong_ignored_in_the_mean),
        ("mean of each row first, then mean of rows", loss_wrong_mean_of_rows),
        ("shifted by one as in a language model", loss_wrong_shifted),
        ("two: nothing is hidden, and a softmax before cross_entropy", loss_wrong_two),
    ],
    "6.2": [
        ("each [SEP] counted with what follows", segment_wrong_sep_in_second),
        ("padding found by id 0; any other pad id gets 1", segment_wrong_pad_is_zero),
        ("two: first [SEP] is 1, and the padding is 1", segment_wrong_two),
        ("the first [SEP] gets 1 and the second gets 0: both off by one", segment_wrong_both_seps),
        ("the padding stays 1", segment_wrong_padding),
        ("recognises the padding by the id 0", segment_wrong_pad_id_zero),
    ],
    "6.4": [
        ("second assignment overwrites the [MASK]s with random tokens", mask_wrong_overwrites),
        ("random tokens also at places not chosen", mask_wrong_random_everywhere),
        ("two: random from 0.9 on (0.8 to 0.9 stays), and changes ids itself", mask_wrong_two),
        ("writes into the ids that it was given", mask_wrong_in_place),
        (
            "the second step overwrites every [MASK] with a random token",
            mask_wrong_overwrites_masks,
        ),
        ("exchanges tokens that were not chosen, too", mask_wrong_not_chosen_too),
    ],
    "6.6": [
        ("is_next taken for the class", step_wrong_classes),
        ("zeroed between backward and step", step_wrong_order),
        ("never zeroed", step_wrong_no_zero),
        ("two: no segments, and only the words teach", step_wrong_two),
    ],
    "6.5": [
        ("a random token copied is counted as right", 0.24),
        ("only the copies", 0.1),
        ("the commonest token at all places, and the copies", 0.15),
    ],
    "6.7": [
        ("-100 at the chosen places, not at the others", ("c", batch_wrong_inverted)),
        ("labels from the changed inputs", ("c", batch_wrong_labels_from_inputs)),
        ("two: -1 in place of -100, and hides in ids itself", ("c", batch_wrong_two)),
        (
            "takes the labels from the changed inputs: every label is [MASK]",
            ("c", batch_wrong_labels_hidden),
        ),
        (
            "the wrong way about: asks for the visible tokens, not for the chosen ones",
            ("c", batch_wrong_visible_asked),
        ),
        (
            "the code is right, the letter is not: without hiding it could not fill gaps in the test",
            ("a", batch_right_1),
        ),
    ],
    "6.8": [
        ("returns an index", rival_wrong_index),
        ("answers in the language of the other text", rival_wrong_language),
        ("takes the German order for the English one", rival_wrong_order),
        ("takes another [MASK] for a word", rival_wrong_other_masks),
        ("takes the word at the same position of the other text", rival_wrong_same_position),
        ("repeats the word before the gap", rival_wrong_neighbour),
        ("two: wrong language, and the same position", rival_wrong_two),
    ],
    "6.11": [
        ("the mean of the vectors first", sense_wrong_centre),
        ("a sum, so that many sentences win", sense_wrong_all_pairs),
        ("the distance", sense_wrong_euclid),
        ("a number, not a name", sense_wrong_index),
        ("the known vectors not made as long as each other", sense_wrong_only_new_unit),
    ],
    "6.10": [
        ("a mean for each text", stretch_wrong_mean),
        ("a loss", stretch_wrong_sign),
        ("asks for the token just read", stretch_wrong_not_shifted),
        ("two: a mean, and a loss", stretch_wrong_two),
    ],
    "6.3": [
        ("no segments", logits_wrong_no_segments),
        ("the norm after the layers", logits_wrong_norm_at_top),
        ("a residual connection around each layer", logits_wrong_residual),
        ("no small layer", logits_wrong_no_small_layer),
        ("a softmax at the end", logits_wrong_softmax),
        ("two: the norm before the positions, no bias", logits_wrong_two),
        ("the norm before the positions", logits_wrong_norm_before_positions),
        ("the segments of the first text for all", logits_wrong_first_row_segments),
        ("the positions begin again in the second sentence", logits_wrong_positions_restart),
        ("each layer reads the first vectors", logits_wrong_layers_not_chained),
        ("the norm once more before the head", logits_wrong_norm_again_before_head),
        ("a log-softmax at the end", logits_wrong_log_softmax),
    ],
}
