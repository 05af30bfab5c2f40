import math

import torch
import torch.nn.functional as F


# 10.1
def all_pairs_right(images, texts, log_scale):
    images = images / images.norm(dim=1, keepdim=True)
    texts = texts / texts.norm(dim=1, keepdim=True)
    return log_scale.exp() * torch.einsum("nd,md->nm", images, texts)


# 10.1
def all_pairs_wrong_1(images, texts, log_scale):
    return images @ texts.T * log_scale.exp()


# 10.1


# 10.1
def all_pairs_wrong_3(images, texts, log_scale):
    return F.normalize(images, dim=0) @ F.normalize(texts, dim=0).T * log_scale.exp()


# 10.1
def all_pairs_wrong_4(images, texts, log_scale):
    return F.normalize(images, dim=1) @ F.normalize(texts, dim=1).T * log_scale


# 10.1
def all_pairs_wrong_5(images, texts, log_scale):
    return F.normalize(texts, dim=1) @ F.normalize(images, dim=1).T * log_scale.exp()


# 10.2
def contrastive_loss_right(logits):
    of_images = -logits.log_softmax(1).diagonal().mean()
    of_texts = -logits.log_softmax(0).diagonal().mean()
    return (of_images + of_texts) / 2


# 10.2
def contrastive_loss_wrong_1(logits):
    return F.cross_entropy(logits, torch.arange(len(logits)))


# 10.2
def contrastive_loss_wrong_2(logits):
    own = torch.arange(len(logits))
    return F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)


# 10.2
def contrastive_loss_wrong_3(logits):
    own = torch.arange(len(logits))
    rows, columns = logits.softmax(1), logits.softmax(0).T
    return (F.cross_entropy(rows, own) + F.cross_entropy(columns, own)) / 2


# 10.2
def contrastive_loss_wrong_4(logits):
    return -logits.flatten().log_softmax(0).view_as(logits).diagonal().mean()


# 10.3, the picture is (c)
def pulls_right(logits):
    b = len(logits)
    p = (logits.softmax(1) + logits.softmax(0)) / 2
    return (p - torch.eye(b, dtype=logits.dtype)) / b


# 10.3
def pulls_wrong_1(logits):
    pairs = torch.eye(len(logits))
    return (logits.softmax(1) - pairs + logits.softmax(0) - pairs) / len(logits)


# 10.3
def pulls_wrong_2(logits):
    pairs = torch.eye(len(logits))
    of_images, of_texts = logits.softmax(1) - pairs, logits.T.softmax(1) - pairs
    return (of_images + of_texts) / 2 / len(logits)


# 10.3
def pulls_wrong_3(logits):
    return (logits.softmax(0) - torch.eye(len(logits))) / len(logits)


# 10.3
def pulls_wrong_4(logits):
    return (logits.softmax(1) + logits.softmax(0)) / 2 - torch.eye(len(logits))


# 10.5
def recall_at_right(k, similarities, targets):
    own = similarities.gather(1, targets[:, None])
    place = (similarities >= own).sum(1)  # itself included: from 1
    return (place <= k).double().mean().item()


# 10.5
def recall_at_wrong_1(k, similarities, targets):
    best = similarities.topk(k, dim=1).indices
    return (best == targets[:, None]).any(1).float().mean().item()


# 10.5
def recall_at_wrong_2(k, similarities, targets):
    own = similarities[torch.arange(len(targets)), targets]
    return ((similarities > own[:, None]).sum(1) < k).float().mean().item()


# 10.5
def recall_at_wrong_3(k, similarities, targets):
    own = similarities[torch.arange(len(targets)), targets]
    return ((similarities >= own[:, None]).sum(1) < k).float().mean().item()


# 10.5
def recall_at_wrong_4(k, similarities, targets):
    own = similarities[torch.arange(len(targets)), targets]
    return ((similarities >= own[:, None]).sum(1) <= k).sum().item()


# 10.6
def class_vectors_right(prompts):
    unit = prompts / prompts.norm(dim=-1, keepdim=True)
    total = unit.sum(1)
    return total / total.norm(dim=-1, keepdim=True)


# 10.6
def class_vectors_wrong_1(prompts):
    return F.normalize(prompts.mean(1), dim=-1)


# 10.6
def class_vectors_wrong_2(prompts):
    return F.normalize(prompts, dim=-1).mean(1)


# 10.6
def class_vectors_wrong_3(prompts):
    return F.normalize(F.normalize(prompts).mean(1))  # dim=1 is what it does unless told


# 10.7, the picture is (b)
def scale_step_right(log_scale, cosines, rate):
    s = log_scale.detach().clone().requires_grad_()
    contrastive_loss_right(s.exp() * cosines).backward()
    with torch.no_grad():
        return (s - rate * s.grad).clamp(max=math.log(100))


def stepped(log_scale, cosines, rate):
    s = log_scale.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(contrastive_loss_right(s.exp() * cosines), s)
    return s.detach() - rate * g


# 10.7
def scale_step_wrong_1(log_scale, cosines, rate):
    return stepped(log_scale, cosines, rate).clamp(max=100)


# 10.7
def scale_step_wrong_2(log_scale, cosines, rate):
    return stepped(log_scale.clamp(max=math.log(100)), cosines, rate)


# 10.7
def scale_step_wrong_3(log_scale, cosines, rate):
    return stepped(log_scale, cosines, rate).exp().clamp(max=100)


# 10.7
def scale_step_wrong_4(log_scale, cosines, rate):
    factor = log_scale.detach().exp().requires_grad_()
    (g,) = torch.autograd.grad(contrastive_loss_right(factor * cosines), factor)
    return (factor.detach() - rate * g).clamp(max=100).log()


# 10.7
def scale_step_wrong_5(log_scale, cosines, rate):
    return stepped(log_scale, cosines, rate).clamp(max=math.log10(100))


# 10.8
def overlap_right(right, tested, seen, limit):
    cosines = (tested @ seen.T) / tested.norm(dim=1)[:, None] / seen.norm(dim=1)
    double = cosines.amax(dim=1) >= limit
    right = right.double()
    return double.double().mean().item(), (right.mean() - right[~double].mean()).item()


# 10.8
def overlap_wrong_1(right, tested, seen, limit):
    double = (F.normalize(tested) @ F.normalize(seen).T >= limit).any(1)
    right = right.float()
    return double.float().mean(), right[double].mean() - right[~double].mean()


# 10.8
def overlap_wrong_2(right, tested, seen, limit):
    double = (tested @ seen.T >= limit).any(1)
    right = right.float()
    return double.float().mean(), right.mean() - right[~double].mean()


# 10.8
def overlap_wrong_3(right, tested, seen, limit):
    double = (F.normalize(tested) @ F.normalize(seen).T >= limit).any(1)
    return double.float().mean(), right[~double].float().mean()


# 10.8
def overlap_wrong_4(right, tested, seen, limit):
    double = (F.normalize(tested) @ F.normalize(seen).T > limit).any(1)
    right = right.float()
    return double.float().mean(), right.mean() - right[~double].mean()


# 10.9
def one_row_right(words, regions, n_words, n_regions, positions, segments):
    T, R = words.size(1), regions.size(1)
    row = torch.cat([words + positions[:T] + segments[0], regions + segments[1]], 1)
    real_words = torch.arange(T)[None] < n_words[:, None]
    real_regions = torch.arange(R)[None] < n_regions[:, None]
    return row, torch.cat([real_words, real_regions], 1)


# 10.9
def one_row_wrong_1(words, regions, n_words, n_regions, positions, segments):
    T, R = words.size(1), regions.size(1)
    row = torch.cat([words + positions[:T] + segments[0], regions + segments[1]], 1)
    return row, torch.arange(T + R) < (n_words + n_regions)[:, None]


# 10.9
def one_row_wrong_2(words, regions, n_words, n_regions, positions, segments):
    row, mask = one_row_right(words, regions, n_words, n_regions, positions, segments)
    row[:, words.size(1) :] += positions[0]
    return row, mask


# 10.9
def one_row_wrong_3(words, regions, n_words, n_regions, positions, segments):
    row, mask = one_row_right(words, regions, n_words, n_regions, positions, segments)
    return row, ~mask


# 10.9
def one_row_wrong_4(words, regions, n_words, n_regions, positions, segments):
    return one_row_right(words, regions, n_words, n_regions, positions, segments.flip(0))


# 10.10
def wrong_captions_right(said, true, draws):
    chosen = []
    for facts, u in zip(true, draws, strict=True):
        false = [j for j, fact in enumerate(said) if fact not in facts]
        chosen.append(false[int(u * len(false))])
    return chosen


# 10.10
def wrong_captions_wrong_1(said, true, draws):
    chosen = []
    for i, u in enumerate(draws):
        others = [j for j in range(len(said)) if j != i]
        chosen.append(others[int(u * len(others))])
    return chosen


# 10.10
def wrong_captions_wrong_2(said, true, draws):
    chosen = []
    for i, u in enumerate(draws):
        others = [j for j in range(len(said)) if said[j] != said[i]]
        chosen.append(others[int(u * len(others))])
    return chosen


# 10.10
def wrong_captions_wrong_3(said, true, draws):
    return [
        int(u * sum(fact not in facts for fact in said))
        for facts, u in zip(true, draws, strict=True)
    ]


# 10.10
def wrong_captions_wrong_4(said, true, draws):
    chosen = []
    for facts, u in zip(true, draws, strict=True):
        false = [fact for fact in said if fact not in facts]
        chosen.append(said.index(false[0]))
    return chosen


# 10.11
def kmeans_round_right(frames, centres):
    tokens = ((frames[:, None] - centres[None]) ** 2).sum(-1).argmin(1)
    new = centres.clone()
    for k in tokens.unique().tolist():
        new[k] = frames[tokens == k].mean(0)
    return tokens, new


# 10.11
def kmeans_round_wrong_1(frames, centres):
    tokens = torch.cdist(frames, centres).argmin(1)
    return tokens, torch.stack([frames[tokens == k].mean(0) for k in range(len(centres))])


# 10.11
def kmeans_round_wrong_2(frames, centres):
    one_hot = F.one_hot(torch.cdist(frames, centres).argmin(1), len(centres)).to(frames.dtype)
    return one_hot.argmax(1), one_hot.T @ frames / one_hot.sum(0).clamp(min=1)[:, None]


# 10.11
def kmeans_round_wrong_3(frames, centres):
    _, new = kmeans_round_right(frames, centres)
    return torch.cdist(frames, new).argmin(1), new


# 10.11
def kmeans_round_wrong_4(frames, centres):
    tokens = (frames @ centres.T).argmax(1)
    new = centres.clone()
    for k in tokens.unique():
        new[k] = frames[tokens == k].mean(0)
    return tokens, new


# 10.11
def kmeans_round_wrong_5(frames, centres):
    tokens = torch.cdist(frames, centres).argmin(1)
    for k in tokens.unique():
        centres[k] = frames[tokens == k].mean(0)
    return tokens, centres


# 10.13
def quantize_right(x, codes):
    numbers = ((x[:, None] - codes) ** 2).sum(-1).argmin(1)
    return codes[numbers].detach() + (x - x.detach()), numbers


# 10.13
def quantize_wrong_1(x, codes):
    numbers = torch.cdist(x, codes).argmin(1)
    return codes[numbers], numbers


# 10.13
def quantize_wrong_2(x, codes):
    numbers = torch.cdist(x, codes).argmin(1)
    return x + codes[numbers] - x.detach(), numbers


# 10.13
def quantize_wrong_3(x, codes):
    numbers = torch.cdist(x, codes).argmin(1)
    return x + (codes[numbers] - x), numbers


# 10.13
def quantize_wrong_4(x, codes):
    numbers = (x @ codes.T).argmax(1)
    return x + (codes[numbers] - x).detach(), numbers


# 10.13
def quantize_wrong_5(x, codes):
    numbers = torch.cdist(x, codes).argmin(1)
    return codes[numbers].detach().requires_grad_(), numbers


# 10.14
def row_and_targets_right(captions, codes, n_words):
    B, T = captions.shape
    ids = codes.reshape(B, -1) + n_words
    row = torch.cat([captions, ids[:, :-1]], dim=1)
    targets = torch.full_like(row, -100)
    targets[:, T - 1 :] = ids
    return row, targets


# 10.14
def row_and_targets_wrong_1(captions, codes, n_words):
    codes = codes.flatten(1)
    row = torch.cat([captions, codes[:, :-1]], dim=1)
    targets = torch.full_like(row, -100)
    targets[:, captions.size(1) - 1 :] = codes
    return row, targets


# 10.14
def row_and_targets_wrong_2(captions, codes, n_words):
    ids = codes.flatten(1) + n_words
    row = torch.cat([captions, ids], dim=1)[:, :-1]
    targets = row.clone()
    targets[:, : captions.size(1)] = -100
    return row, targets


# 10.14
def row_and_targets_wrong_3(captions, codes, n_words):
    full = torch.cat([captions, codes.flatten(1) + n_words], dim=1)
    targets = full[:, 1:].clone()
    targets[:, : captions.size(1)] = -100
    return full[:, :-1], targets


# 10.14
def row_and_targets_wrong_4(captions, codes, n_words):
    full = torch.cat([captions, codes.flatten(1) + n_words], dim=1)
    targets = full[:, 1:]
    return full[:, :-1], targets.masked_fill(targets == 0, -100)


# 10.14
def row_and_targets_wrong_5(captions, codes, n_words):
    full = torch.cat([captions, codes.flatten(1) + n_words + 1], dim=1)
    targets = full[:, 1:]
    return full[:, :-1], targets.masked_fill(targets <= n_words, -100)


RIGHT = {
    "10.1": [all_pairs_right],
    "10.2": [contrastive_loss_right],
    "10.3": [(None, pulls_right)],
    "10.5": [recall_at_right],
    "10.6": [class_vectors_right],
    "10.7": [(None, scale_step_right)],
    "10.8": [overlap_right],
    "10.9": [one_row_right],
    "10.10": [wrong_captions_right],
    "10.11": [kmeans_round_right],
    "10.13": [quantize_right],
    "10.14": [row_and_targets_right],
    "10.12": [64],
}

WRONG = {
    "10.1": [
        ("products, not cosines", all_pairs_wrong_1),
        ("the wrong axis has length 1", all_pairs_wrong_3),
        ("the logarithm as the factor", all_pairs_wrong_4),
        ("a row for each text", all_pairs_wrong_5),
    ],
    "10.2": [
        ("the pictures alone", contrastive_loss_wrong_1),
        ("the sum of both", contrastive_loss_wrong_2),
        ("softmax before the cross-entropy", contrastive_loss_wrong_3),
        ("one softmax over the table", contrastive_loss_wrong_4),
    ],
    "10.3": [
        ("the sum of both", (None, pulls_wrong_1)),
        ("the texts' half not turned back", (None, pulls_wrong_2)),
        ("the texts alone", (None, pulls_wrong_3)),
        ("not divided by B", (None, pulls_wrong_4)),
    ],
    "10.5": [
        ("topk, ties as they come", recall_at_wrong_1),
        ("ties flatter", recall_at_wrong_2),
        ("its own tie counts against it", recall_at_wrong_3),
        ("how many, not the share", recall_at_wrong_4),
    ],
    "10.6": [
        ("long sentences count more", class_vectors_wrong_1),
        ("the mean as it is", class_vectors_wrong_2),
        ("normalize along the prompts", class_vectors_wrong_3),
    ],
    "10.7": [
        ("the logarithm at most 100", (None, scale_step_wrong_1)),
        ("bounded before the step", (None, scale_step_wrong_2)),
        ("returns the factor", (None, scale_step_wrong_3)),
        ("a step in the factor", (None, scale_step_wrong_4)),
        ("the logarithm to base 10", (None, scale_step_wrong_5)),
    ],
    "10.8": [
        ("with doubles, less without", overlap_wrong_1),
        ("longer vectors count more", overlap_wrong_2),
        ("what is left without doubles", overlap_wrong_3),
        ("above the limit", overlap_wrong_4),
    ],
    "10.9": [
        ("one mask over words and regions", one_row_wrong_1),
        ("position 0 for the regions", one_row_wrong_2),
        ("True = padding", one_row_wrong_3),
        ("segments exchanged", one_row_wrong_4),
    ],
    "10.10": [
        ("any other caption", wrong_captions_wrong_1),
        ("any that says something else", wrong_captions_wrong_2),
        ("the number among the wrong ones", wrong_captions_wrong_3),
        ("always the first", wrong_captions_wrong_4),
    ],
    "10.11": [
        ("the mean of nothing", kmeans_round_wrong_1),
        ("empty centres go to 0", kmeans_round_wrong_2),
        ("tokens after the move", kmeans_round_wrong_3),
        ("largest product", kmeans_round_wrong_4),
        ("changes what it was given", kmeans_round_wrong_5),
    ],
    "10.13": [
        ("no way back", quantize_wrong_1),
        ("the codes get a gradient too", quantize_wrong_2),
        ("nothing detached", quantize_wrong_3),
        ("largest product", quantize_wrong_4),
        ("a gradient of its own", quantize_wrong_5),
    ],
    "10.14": [
        ("codes not shifted", row_and_targets_wrong_1),
        ("each its own target", row_and_targets_wrong_2),
        ("the first code lost", row_and_targets_wrong_3),
        ("words counted, padding left out", row_and_targets_wrong_4),
        ("one too many", row_and_targets_wrong_5),
    ],
    "10.12": [
        ("a hundred times as many positions", 206),
        ("the text forgotten", 58),
        ("a pixel as one number", 112),
        ("how many pixels", 4_181),
        ("ten times the side for DALL-E's price", 180),
    ],
}
