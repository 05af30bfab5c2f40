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


# 10.4
def train_head_right_1(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        logits = all_pairs_right(head(pictures[rows]), names[rows], log_scale)
        loss = contrastive_loss_right(logits)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.4
def train_head_right_2(head, log_scale, pictures, names, batches, optimizer):
    def step(b):
        params = [p for g in optimizer.param_groups for p in g["params"]]
        loss = contrastive_loss_right(
            all_pairs_right(
                texts=names.index_select(0, b),
                images=head(pictures.index_select(0, b)),
                log_scale=log_scale,
            )
        )
        for p, g in zip(params, torch.autograd.grad(loss, params)):
            p.grad = g
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    return [step(b) for b in batches]


# 10.4
def train_head_wrong_1(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        loss = contrastive_loss_right(all_pairs_right(head(pictures[rows]), names[rows], log_scale))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.4
def train_head_wrong_2(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        loss = contrastive_loss_right(all_pairs_right(head(pictures[rows]), names[rows], log_scale))
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.4
def train_head_wrong_3(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:

        def f():
            return contrastive_loss_right(
                all_pairs_right(head(pictures[rows]), names[rows], log_scale)
            )  # noqa: B023

        loss = f()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            losses.append(f().item())
    return losses


# 10.4
def train_head_wrong_4(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        loss = contrastive_loss_right(
            all_pairs_right(head(pictures[rows]), names[rows], log_scale.detach())
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.4
def train_head_wrong_5(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        logits = all_pairs_right(head(pictures[rows]), names[rows], log_scale)
        loss = F.cross_entropy(logits, torch.arange(len(rows)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.4
def train_head_wrong_6(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        loss = contrastive_loss_right(
            all_pairs_right(head(pictures[rows]), names[: len(rows)], log_scale)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.4
def train_head_wrong_7(head, log_scale, pictures, names, batches, optimizer):
    optimizer.zero_grad()
    losses = []
    for rows in batches:
        loss = contrastive_loss_right(all_pairs_right(head(pictures[rows]), names[rows], log_scale))
        loss.backward()
        losses.append(loss.item())
    optimizer.step()
    return losses


# 10.4
def train_head_wrong_8(head, log_scale, pictures, names, batches, optimizer):
    losses = []
    for rows in batches:
        with torch.no_grad():
            x = head(pictures[rows])
        loss = contrastive_loss_right(all_pairs_right(x, names[rows], log_scale))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# 10.15
def write_right_1(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        logits = gpt(row)[:, -1, n_words:] / heat
        code = pick(logits.softmax(dim=-1))
        row = torch.cat([row, code[:, None] + n_words], dim=1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_right_2(gpt, captions, n_words, n_codes, heat, pick):
    B, T = captions.shape
    out = captions.new_empty(B, T + n_codes)
    out[:, :T] = captions
    codes = []
    for t in range(T, T + n_codes):
        z = gpt(out[:, :t])[:, t - 1].clone()
        z[:, :n_words] = -torch.inf
        z = z / heat
        p = (z - z.amax(1, keepdim=True)).exp()
        p = (p / p.sum(1, keepdim=True))[:, n_words:]
        c = pick(p)
        codes.append(c)
        out[:, t] = c + n_words
    return torch.stack(codes, dim=1)


# 10.15
def write_wrong_1(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    codes = []
    for _ in range(n_codes):
        c = pick((gpt(row)[:, -1, n_words:] / heat).softmax(-1))
        codes.append(c)
        row = torch.cat([row, c[:, None]], 1)
    return torch.stack(codes, 1)


# 10.15
def write_wrong_2(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        c = pick((gpt(row)[:, -1, n_words:] / heat).softmax(-1))
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :]


# 10.15
def write_wrong_3(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        c = pick((gpt(row)[:, -1, n_words:] * heat).softmax(-1))
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_4(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        c = pick((gpt(row)[:, -1] / heat).softmax(-1)[:, n_words:])
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_5(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    T = captions.size(1)
    for _ in range(n_codes):
        c = pick((gpt(row)[:, T - 1, n_words:] / heat).softmax(-1))
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, T:] - n_words


# 10.15
def write_wrong_6(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    codes = []
    for _ in range(n_codes):
        c = pick((gpt(row)[:, -1, n_words:] / heat).softmax(-1))
        codes.append(c)
        row = torch.cat([captions, c[:, None] + n_words], 1)
    return torch.stack(codes, 1)


# 10.15
def write_wrong_7(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        c = (gpt(row)[:, -1, n_words:] / heat).softmax(-1).argmax(-1)
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_8(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        c = pick(gpt(row)[:, -1, n_words:].softmax(-1) / heat)
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_9(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        c = pick(gpt(row)[:, -1, n_words:].softmax(-1))
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_10(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes - 1):
        c = pick((gpt(row)[:, -1, n_words:] / heat).softmax(-1))
        row = torch.cat([row, c[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.4
def train_head_wrong_9(head, log_scale, pictures, names, batches, optimizer):
    return train_head_right_1(
        head,
        log_scale,
        pictures,
        names,
        batches,
        torch.optim.AdamW([*head.parameters(), log_scale], lr=1e-3),
    )


# 10.4
def train_head_wrong_10(head, log_scale, pictures, names, batches, optimizer):
    out = []
    for r in batches:
        optimizer.zero_grad()
        loss = contrastive_loss_right(all_pairs_right(head(pictures[r]), names[r], log_scale.exp()))
        loss.backward()
        optimizer.step()
        out.append(loss.item())
    return out


# 10.15
def write_wrong_11(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        z = gpt(row)[:, -1].clone() / heat
        z[:, :n_words] = -math.inf
        i = pick(z.softmax(-1))
        row = torch.cat([row, i[:, None]], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_12(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        z = gpt(row)[:, -1].clone()
        z[:, :n_words] = 0
        row = torch.cat([row, pick((z / heat).softmax(-1)[:, n_words:])[:, None] + n_words], 1)
    return row[:, captions.size(1) :] - n_words


# 10.15
def write_wrong_13(gpt, captions, n_words, n_codes, heat, pick):
    row = captions
    for _ in range(n_codes):
        row = torch.cat(
            [row, pick((gpt(row)[:, -1, :n_words] / heat).softmax(-1))[:, None] + n_words], 1
        )
    return row[:, captions.size(1) :] - n_words


RIGHT = {
    "10.4": [train_head_right_1, train_head_right_2],
    "10.15": [write_right_1, write_right_2],
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
    "10.4": [
        ("forgets zero_grad: gradients add up", train_head_wrong_1),
        ("zero_grad between backward and step: nothing is learned", train_head_wrong_2),
        ("returns the loss measured after the step", train_head_wrong_3),
        ("log_scale as a plain number: it does not learn", train_head_wrong_4),
        ("only pictures choose", train_head_wrong_5),
        ("names[:len(rows)] in place of the batch's names", train_head_wrong_6),
        (
            "one step at the very end for all batches (zero_grad once, before the loop)",
            train_head_wrong_7,
        ),
        ("head under no_grad: only the scale learns", train_head_wrong_8),
        ("own fresh optimizer", train_head_wrong_9),
        ("log_scale.exp() handed over", train_head_wrong_10),
    ],
    "10.15": [
        ("appends the code itself, not its id", write_wrong_1),
        ("returns ids, not codes counted from 0", write_wrong_2),
        ("multiplies by heat", write_wrong_3),
        ("softmax over words too, then cut: chances do not sum to 1", write_wrong_4),
        ("always reads the caption's last position (T - 1), not the row's last", write_wrong_5),
        ("asks with the caption plus the last code only", write_wrong_6),
        ("argmax, pick never called", write_wrong_7),
        ("divides the chances by heat after the softmax", write_wrong_8),
        ("forgets heat", write_wrong_9),
        ("one code short", write_wrong_10),
        ("words at -inf, chances over the whole vocabulary, pick gives ids", write_wrong_11),
        ("zeros words' logits instead of leaving out", write_wrong_12),
        ("logits cut at the wrong end [:n_words]", write_wrong_13),
    ],
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
