import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate, chain, islice

import torch
import torch.nn.functional as F

from tutorial_lib.tokenizers import apply_merges, gpt2_words, merge_steps


# 1.1
def count_pairs_right_1(words):
    out = {}
    for word, n in words.items():
        for i in range(len(word) - 1):
            out[word[i], word[i + 1]] = out.get((word[i], word[i + 1]), 0) + n
    return out


def count_pairs_right_2(words):
    return sum(
        (Counter({p: c * n for p, c in Counter(zip(w, w[1:])).items()}) for w, n in words.items()),
        Counter(),
    )


def count_pairs_wrong_overwrite(words):
    out = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            out[pair] = n
    return out


def count_pairs_wrong_set(words):
    out = Counter()
    for word, n in words.items():
        for pair in set(zip(word, word[1:])):
            out[pair] += n
    return dict(out)


def count_pairs_wrong_two(words):
    out = defaultdict(int)
    for word in words:
        for i in range(len(word) - 1):
            out[word[i] + word[i + 1]] += 1
    return dict(out)


# 1.2
def merge_right_1(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == tuple(pair):
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return tuple(out)


def merge_right_2(symbols, pair):
    if len(symbols) < 2:
        return tuple(symbols)
    a, b, *rest = symbols
    if a == pair[0] and b == pair[1]:
        return (a + b,) + merge_right_2(tuple(rest), pair)
    return (a,) + merge_right_2((b, *rest), pair)


def merge_wrong_string(symbols, pair):
    text = " ".join(symbols)
    return tuple(text.replace(" ".join(pair), "".join(pair)).split(" "))


def merge_wrong_first_only(symbols, pair):
    s = list(symbols)
    for i in range(len(s) - 1):
        if (s[i], s[i + 1]) == pair:
            s[i : i + 2] = [s[i] + s[i + 1]]
            break
    return tuple(s)


def merge_wrong_two(symbols, pair):
    out = []
    i = 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) == pair:
            out.append("".join(pair))
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


# 1.4
def train_right_1(words, n_merges):
    now = {tuple(w): c for w, c in words.items()}
    merges = []
    for _ in range(n_merges):
        pairs = count_pairs_right_1(now)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        now = {merge_right_1(w, best): c for w, c in now.items()}
    return merges


def train_right_2(words, n_merges):
    def go(items, left):
        tally = Counter()
        for w, c in items:
            for p in zip(w, w[1:]):
                tally[p] += c
        if left == 0 or not tally:
            return []
        top = max(tally.values())
        best = sorted(p for p, c in tally.items() if c == top)[0]
        return [best] + go([(merge_right_2(w, best), c) for w, c in items], left - 1)

    return go([(list(w), c) for w, c in words.items()], n_merges)


def train_wrong_tie_largest(words, n_merges):
    now = {tuple(w): c for w, c in words.items()}
    merges = []
    while len(merges) < n_merges:
        pairs = count_pairs_right_1(now)
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(best)
        now = {merge_right_1(w, best): c for w, c in now.items()}
    return merges


def train_wrong_no_recount(words, n_merges):
    pairs = count_pairs_right_1({tuple(w): c for w, c in words.items()})
    return sorted(pairs, key=lambda p: (-pairs[p], p))[:n_merges]


def train_wrong_two(words, n_merges):
    now = {tuple(w): c for w, c in words.items()}
    merges = []
    for _ in range(n_merges - 1):
        pairs = count_pairs_right_1(now)
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        merges.append(best)
        now = {merge_right_1(w, best): c for w, c in now.items()}
    return merges


# 1.5 (the text names merge_steps and apply_merges of the notebook; here in my own words)
def _learn(words, n):
    now = [(tuple(w), c) for w, c in words.items()]
    merges = []
    for _ in range(n):
        pairs = Counter()
        for w, c in now:
            for p in zip(w, w[1:]):
                pairs[p] += c
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        now = [(merge_right_1(w, best), c) for w, c in now]
    return merges


def _apply(word, merges):
    for pair in merges:
        word = merge_right_1(word, pair)
    return word


def _apply_first_standing(word, merges):
    word = tuple(word)
    known = set(merges)
    i = 0
    while i < len(word) - 1:
        if (word[i], word[i + 1]) in known:
            word = word[:i] + (word[i] + word[i + 1],) + word[i + 2 :]
            i = 0
        else:
            i += 1
    return word


def cut_right_1(text, n_merges):
    words = re.findall(r" ?\w+| ?[^\w\s]+|\s+", text)
    merges = _learn(Counter(words), n_merges)
    return [token for word in words for token in _apply(tuple(word), merges)]


def cut_right_2(text, n_merges):
    words = [w for w in re.split(r"(\W)", text) if w]
    merges = _learn(Counter(words), n_merges)
    tokens = []
    for word in words:
        tokens += _apply(tuple(word), merges)
    return tokens


def cut_wrong_split(text, n_merges):
    words = text.split()
    merges = _learn(Counter(words), n_merges)
    return [token for word in words for token in _apply(tuple(word), merges)]


def cut_wrong_spaces_only(text, n_merges):
    words = re.findall(r"\s*\S+\s*", text)
    merges = _learn(Counter(words), n_merges)
    return [token for word in words for token in _apply(tuple(word), merges)]


def cut_wrong_two(text, n_merges):
    words = re.findall(r"\w+|[^\w\s]", text)
    merges = _learn(Counter(words), n_merges)
    return [token for word in words for token in _apply_first_standing(word, merges)]


# 1.6
def decode_right_1(ids, vocabulary):
    return b"".join(vocabulary[i] for i in ids).decode("utf-8", errors="replace")


def decode_right_2(ids, vocabulary):
    buffer = bytearray()
    for i in ids:
        buffer.extend(vocabulary[i])
    return str(bytes(buffer), "utf8", "replace")


def decode_wrong_each(ids, vocabulary):
    return "".join(vocabulary[i].decode("utf-8", errors="replace") for i in ids)


def decode_wrong_ignore(ids, vocabulary):
    return b"".join([vocabulary[i] for i in ids]).decode(errors="ignore")


def decode_wrong_two(ids, vocabulary):
    out = ""
    for i in ids:
        try:
            out += vocabulary[i].decode()
        except UnicodeDecodeError:
            out += "?"
    return out


# 1.7
def cpt_right_1(text, tokens):
    return len(text) / len(tokens)


def cpt_right_2(text, tokens):
    n = 0
    for _ in tokens:
        n += 1
    return float(Fraction(len(b"".join(tokens).decode("utf-8")), n))


def cpt_wrong_decode_each(text, tokens):
    return sum(len(t.decode("utf-8", errors="replace")) for t in tokens) / len(tokens)


def cpt_wrong_floor(text, tokens):
    return len(text) // len(tokens)


def cpt_wrong_two(text, tokens):
    return len(set(tokens)) / len(text)


# 1.8
def rank_right_1(symbols, merges):
    ranks = {p: i for i, p in enumerate(merges)}
    while True:
        known = [p for p in zip(symbols, symbols[1:]) if p in ranks]
        if not known:
            return tuple(symbols)
        symbols = merge_right_1(symbols, min(known, key=ranks.get))


def rank_right_2(symbols, merges):
    for pair in merges:
        symbols = merge_right_2(symbols, pair)
    return tuple(symbols)


def rank_wrong_leftmost(symbols, merges):
    return _apply_first_standing(symbols, merges)


def rank_wrong_last(symbols, merges):
    while True:
        known = [p for p in zip(symbols, symbols[1:]) if p in merges]
        if not known:
            return symbols
        symbols = merge_right_1(symbols, max(known, key=merges.index))


def rank_wrong_two(symbols, merges):
    for left, right in reversed(merges):
        symbols = merge_right_1(symbols, (left, right))
    return "".join(symbols).split()


# 1.10
def lm_right_1(word, vocabulary):
    out, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start:
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                break
            end -= 1
        if end == start:
            return ["[UNK]"]
        out.append(piece)
        start = end
    return out


def lm_right_2(word, vocabulary):
    def rest(s, mark):
        if s == "":
            return []
        for n in reversed(range(1, len(s) + 1)):
            if mark + s[:n] in vocabulary:
                tail = rest(s[n:], "##")
                return None if tail is None else [mark + s[:n], *tail]
        return None

    pieces = rest(word, "")
    return ["[UNK]"] if pieces is None else pieces


def lm_wrong_unk_tail(word, vocabulary):
    out, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                out.append(piece)
                start = end
                break
        else:
            out.append("[UNK]")
            break
    return out


def lm_wrong_backtrack(word, vocabulary):
    def rest(s, mark):
        if not s:
            return []
        for n in range(len(s), 0, -1):
            if mark + s[:n] in vocabulary:
                tail = rest(s[n:], "##")
                if tail is not None:
                    return [mark + s[:n]] + tail
        return None

    return rest(word, "") or ["[UNK]"]


def lm_wrong_two(word, vocabulary):
    out, start = [], 0
    while start < len(word):
        for end in range(start + 1, len(word) + 1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                out.append(piece.replace("##", ""))
                start = end
                break
        else:
            return ["[UNK]"]
    return out


# 1.12
def embed_right_1(ids, omega):
    return omega[:, ids].T


def embed_right_2(ids, omega):
    one_hot = F.one_hot(ids, omega.shape[1]).to(omega.dtype)
    return torch.einsum("tv,dv->td", one_hot, omega)


def embed_wrong_rows(ids, omega):
    return omega[ids]


def embed_wrong_no_transpose(ids, omega):
    return omega[:, ids]


def embed_wrong_two(ids, omega):
    return F.embedding(ids - 1, omega.reshape(omega.shape[1], omega.shape[0]))


# 1.13
def near_right_1(word, words, vectors, n):
    unit = F.normalize(vectors, dim=1)
    i = words.index(word)
    cos = unit @ unit[i]
    cos[i] = -2
    return [words[j] for j in cos.topk(n).indices.tolist()]


def near_right_2(word, words, vectors, n):
    v = vectors[words.index(word)].double()
    found = []
    for other, u in zip(words, vectors.double()):
        if other != word:
            found.append((float(u @ v) / (float(u @ u) ** 0.5 * float(v @ v) ** 0.5), other))
    return [w for _, w in sorted(found, key=lambda t: -t[0])][:n]


def near_wrong_dot(word, words, vectors, n):
    i = words.index(word)
    s = vectors @ vectors[i]
    s[i] = -float("inf")
    return [words[j] for j in s.argsort(descending=True)[:n]]


def near_wrong_skip_after(word, words, vectors, n):
    cos = F.cosine_similarity(vectors, vectors[words.index(word)].unsqueeze(0))
    return [words[j] for j in cos.topk(n).indices if words[j] != word]


def near_wrong_two(word, words, vectors, n):
    i = words.index(word)
    cos = F.cosine_similarity(vectors, vectors[i][None])
    return [words[j] for j in cos.argsort()[:n].tolist()]


# A later reader's answers, all exercises in order.


# 1.1
def count_pairs_later_right(words):
    from collections import defaultdict
    from itertools import chain, pairwise, repeat

    table = defaultdict(int)
    stream = chain.from_iterable(zip(pairwise(w), repeat(n)) for w, n in words.items())
    for neighbours, times in stream:
        table[neighbours] = table[neighbours] + times
    return {**table}


def count_pairs_later_wrong_1(words):
    counts = {}
    for word in words:
        for i in range(len(word) - 1):
            pair = (word[i], word[i + 1])
            counts[pair] = counts.get(pair, 0) + 1
    return counts


def count_pairs_later_wrong_2(words):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = n
    return counts


def count_pairs_later_wrong_3(words):
    counts = {}
    for word, n in words.items():
        for pair in set(zip(word, word[1:])):
            counts[pair] = counts.get(pair, 0) + n
    return counts


# 1.2
def merge_pair_later_right(symbols, pair):
    match symbols:
        case (left, right, *rest) if (left, right) == tuple(pair):
            return (left + right, *merge_pair_later_right(tuple(rest), pair))
        case (first, *rest):
            return (first, *merge_pair_later_right(tuple(rest), pair))
        case _:
            return ()


def merge_pair_later_wrong_1(symbols, pair):
    merged, i = [], 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) == pair:
            merged.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return tuple(merged)


def merge_pair_later_wrong_2(symbols, pair):
    merged, i = [], 0
    while i < len(symbols):
        if "".join(symbols[i : i + 2]) == "".join(pair):
            merged.append("".join(pair))
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return tuple(merged)


def merge_pair_later_wrong_3(symbols, pair):
    text = " ".join(symbols)
    text = text.replace(" ".join(pair), "".join(pair))
    return tuple(text.split(" "))


# 1.4
def train_merges_later_right(words, n_merges):
    def joined(symbols, pair):
        out = ()
        for s in symbols:
            out = (*out[:-1], out[-1] + s) if out and (out[-1], s) == pair else (*out, s)
        return out

    def go(state, left):
        if left <= 0:
            return []
        table = {}
        for symbols, n in state:
            for pair in zip(symbols, symbols[1:]):
                table[pair] = table.get(pair, 0) + n
        if not table:
            return []
        best = sorted(table, key=lambda pair: (-table[pair], pair))[0]
        return [best] + go([(joined(symbols, best), n) for symbols, n in state], left - 1)

    return go([(tuple(word), n) for word, n in words.items()], n_merges)


def train_merges_later_wrong_1(words, n_merges):
    def count_pairs(words):
        counts = {}
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] = counts.get(pair, 0) + n
        return counts

    def merge_pair(symbols, pair):
        merged = []
        for s in symbols:
            if merged and (merged[-1], s) == pair:
                merged[-1] += s
            else:
                merged.append(s)
        return tuple(merged)

    words = {tuple(word): n for word, n in words.items()}
    merges = []
    for _ in range(n_merges):
        counts = count_pairs(words)
        if not counts:
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        words = {merge_pair(word, best): n for word, n in words.items()}
    return merges


def train_merges_later_wrong_2(words, n_merges):
    counts = {}
    for word, n in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + n
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:n_merges]


def train_merges_later_wrong_3(words, n_merges):
    def merge_pair(symbols, pair):
        merged = []
        for s in symbols:
            if merged and (merged[-1], s) == pair:
                merged[-1] += s
            else:
                merged.append(s)
        return tuple(merged)

    words = {tuple(word): n for word, n in words.items()}
    merges = []
    for _ in range(n_merges):
        counts = {}
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] = counts.get(pair, 0) + n
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        words = {merge_pair(word, best): n for word, n in words.items()}
    return merges


# 1.5
def cut_later_right(text, n_merges):
    pieces = list(gpt2_words(text))
    merges = [s.pair for s in islice(merge_steps(Counter(pieces), n_merges), n_merges)]
    cache = {piece: apply_merges(tuple(piece), merges) for piece in set(pieces)}
    return list(chain.from_iterable(map(cache.__getitem__, pieces)))


def cut_later_wrong_1(text, n_merges):
    words = gpt2_words(text)
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in apply_merges(tuple(word), merges)]


def cut_later_wrong_2(text, n_merges):
    words = text.split()
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in apply_merges(tuple(word), merges)]


def cut_later_wrong_3(text, n_merges):
    words = [word for word in re.split(r"(\s+)", text) if word]
    merges = [step.pair for step in merge_steps(Counter(words), n_merges)]
    return [token for word in words for token in apply_merges(tuple(word), merges)]


# 1.6
def decode_later_right(ids, vocabulary):
    import codecs

    reader = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = ""
    for i in ids:
        text += reader.decode(vocabulary[int(i)])
    return text + reader.decode(b"", final=True)


def decode_later_wrong_1(ids, vocabulary):
    return "".join(vocabulary[i].decode("utf-8", errors="replace") for i in ids)


def decode_later_wrong_2(ids, vocabulary):
    return b"".join(vocabulary[i] for i in ids).decode("utf-8", errors="ignore")


def decode_later_wrong_3(ids, vocabulary):
    raw = b"".join(vocabulary[i] for i in ids)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"


# 1.7
def characters_per_token_later_right(text, tokens):
    # in UTF-8 each character has exactly one byte that is not 10xxxxxx
    starts = [byte >> 6 != 0b10 for token in tokens for byte in token]
    return starts.count(True) / len(tokens)


def characters_per_token_later_wrong_1(text, tokens):
    return len(text) / len(tokens)


def characters_per_token_later_wrong_2(text, tokens):
    return sum(len(token) for token in tokens) / len(tokens)


def characters_per_token_later_wrong_3(text, tokens):
    n = sum(len(token.decode(errors="ignore")) for token in tokens)
    return n / len(tokens)


# 1.8
def encode_by_rank_later_right(symbols, merges):
    rank = dict(zip(merges, range(len(merges))))
    known = [(rank[pair], i) for i, pair in enumerate(zip(symbols, symbols[1:])) if pair in rank]
    if not known:
        return tuple(symbols)
    _, i = min(known)
    shorter = (*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :])
    return encode_by_rank_later_right(shorter, merges)


def encode_in_order(symbols, merges):
    for left, right in merges:
        merged = []
        for symbol in symbols:
            if merged and (merged[-1], symbol) == (left, right):
                merged[-1] = left + right
            else:
                merged.append(symbol)
        symbols = tuple(merged)
    return symbols


def encode_by_rank_later_wrong_1(symbols, merges):
    known, symbols, i = set(merges), list(symbols), 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) in known:
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
            i = 0
        else:
            i += 1
    return tuple(symbols)


def encode_by_rank_later_wrong_2(symbols, merges):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    symbols = tuple(symbols)
    while True:
        pairs = [pair for pair in zip(symbols, symbols[1:]) if pair in ranks]
        if not pairs:
            return symbols
        best = max(pairs, key=ranks.get)
        i = list(zip(symbols, symbols[1:])).index(best)
        symbols = (*symbols[:i], "".join(best), *symbols[i + 2 :])


def encode_by_rank_later_wrong_3(symbols, merges):
    tokens = sorted((a + b for a, b in merges), key=len, reverse=True)
    word, result = "".join(symbols), []
    while word:
        piece = next((token for token in tokens if word.startswith(token)), word[0])
        result.append(piece)
        word = word[len(piece) :]
    return tuple(result)


# 1.10
def longest_match_later_right(word, vocabulary):
    def pieces(start):
        if start == len(word):
            return []
        mark = "##" * (start > 0)
        ends = (
            end
            for end in reversed(range(start + 1, len(word) + 1))
            if mark + word[start:end] in vocabulary
        )
        end = next(ends, None)
        if end is None:
            raise LookupError
        return [mark + word[start:end], *pieces(end)]

    try:
        return pieces(0)
    except LookupError:
        return ["[UNK]"]


def longest_match_later_wrong_1(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                pieces.append(piece)
                start = end
                break
        else:
            pieces.append("[UNK]")
            break
    return pieces


def longest_match_later_wrong_2(word, vocabulary):
    def cut(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                rest = cut(end)
                if rest is not None:
                    return [piece, *rest]
        return None

    return cut(0) or ["[UNK]"]


def longest_match_later_wrong_3(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in vocabulary:
                pieces.append(word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


# 1.12
def embed_later_right(ids, omega):
    import torch

    n_tokens = omega.shape[1]
    one_hot = torch.as_tensor(ids)[:, None] == torch.arange(n_tokens, device=omega.device)
    return torch.einsum("tv,dv->td", one_hot.to(omega.dtype), omega)


def embed_later_wrong_1(ids, omega):
    return omega[ids]


def embed_later_wrong_2(ids, omega):
    return omega[:, ids]


def embed_later_wrong_3(ids, omega):
    return omega.reshape(omega.shape[1], omega.shape[0])[ids]


# 1.13
def nearest_words_later_right(word, words, vectors, n):
    import heapq
    import torch

    me = words.index(word)
    cosine = torch.nn.functional.cosine_similarity(vectors, vectors[me : me + 1], dim=-1).tolist()
    others = (i for i in range(len(words)) if i != me)
    return [words[i] for i in heapq.nlargest(n, others, key=cosine.__getitem__)]


def nearest_words_later_wrong_1(word, words, vectors, n):
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    scores = unit @ unit[words.index(word)]
    return [words[i] for i in scores.topk(n).indices.tolist()]


def nearest_words_later_wrong_2(word, words, vectors, n):
    scores = vectors @ vectors[words.index(word)]
    order = scores.argsort(descending=True).tolist()
    return [words[i] for i in order if words[i] != word][:n]


def nearest_words_later_wrong_3(word, words, vectors, n):
    unit = vectors / vectors.norm(dim=-1, keepdim=True)
    scores = unit @ unit[words.index(word)]
    return [words[i] for i in scores.topk(n).indices.tolist() if words[i] != word]


# 1.11
def sums_right_1(word, log_p):
    best = {0: 0.0}
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if piece in log_p:
                total = best[start] + log_p[piece]
                if end not in best or total > best[end]:
                    best[end] = total
    return list(best.values())


def sums_right_2(word, log_p):
    best = torch.full((len(word) + 1,), -torch.inf)
    best[0] = 0
    for start in range(len(word)):
        for piece, log in log_p.items():
            if word.startswith(piece, start):
                end = start + len(piece)
                best[end] = max(best[end], best[start] + log)
    return best


def sums_wrong_longest(word, log_p):
    sums, start = [0.0], 0
    while start < len(word):
        end = max(e for e in range(start + 1, len(word) + 1) if word[start:e] in log_p)
        sums += [sums[-1] + log_p[word[start:end]]] * (end - start)
        start = end
    return sums


def sums_wrong_whole(word, log_p):
    return sums_right_1(word, log_p)[-1]


def sums_wrong_two(word, log_p):
    best = [0.0]
    for end in range(1, len(word) + 1):
        found = [best[s] + log_p[word[s:end]] for s in range(end) if word[s:end] in log_p]
        best.append(min(found))
    return best[1:]


# 1.3 and 1.9 were worked out by hand from their texts.
RIGHT = {
    "1.1": [count_pairs_right_1, count_pairs_right_2, count_pairs_later_right],
    "1.2": [merge_right_1, merge_right_2, merge_pair_later_right],
    "1.3": [5],
    "1.4": [train_right_1, train_right_2, train_merges_later_right],
    "1.5": [(None, cut_right_1), (None, cut_right_2), ("c", cut_later_right)],
    "1.6": [decode_right_1, decode_right_2, decode_later_right],
    "1.7": [(None, cpt_right_1), (None, cpt_right_2), ("b", characters_per_token_later_right)],
    "1.8": [rank_right_1, rank_right_2, encode_by_rank_later_right, encode_in_order],
    "1.9": [17],
    "1.10": [lm_right_1, lm_right_2, longest_match_later_right],
    "1.11": [sums_right_1, sums_right_2],
    "1.12": [embed_right_1, embed_right_2, embed_later_right],
    "1.13": [near_right_1, near_right_2, nearest_words_later_right],
}
WRONG = {
    "1.1": [
        ("= in place of +=: a later word overwrites", count_pairs_wrong_overwrite),
        ("a pair twice in one word counted once", count_pairs_wrong_set),
        ("TWO: keys are joined strings, and word counts ignored", count_pairs_wrong_two),
        ("ignores how often the word occurs: each word counts once", count_pairs_later_wrong_1),
        ("assigns instead of adding: the last word with the pair wins", count_pairs_later_wrong_2),
        ("a pair that occurs twice in one word (banana) counts once", count_pairs_later_wrong_3),
    ],
    "1.2": [
        ("string replace over joined text: matches across symbols' middles", merge_wrong_string),
        ("only the first occurrence", merge_wrong_first_only),
        ("TWO: loses a last symbol, and returns a list", merge_wrong_two),
        ("loses the last symbol when it is not part of a merge", merge_pair_later_wrong_1),
        ("compares joined strings: a + bc counts as the pair (ab, c)", merge_pair_later_wrong_2),
        (
            "string replace also matches inside longer symbols (he + s in the + s)",
            merge_pair_later_wrong_3,
        ),
    ],
    "1.3": [
        ("stopped after two merges", 3),
        ("forgot that `es` is a symbol too", 4),
        ("TWO: counted those in use, after two merges", 9),
        ("counts the letters s, t, l, o only and forgets the merged symbol es", 4),
        ("stops after two merges: s, t, es", 3),
        ("counts the symbols that are still in use: 13 - 5", 8),
    ],
    "1.4": [
        ("a tie to the largest pair", train_wrong_tie_largest),
        ("counts once, never merges", train_wrong_no_recount),
        ("TWO: one merge too few, and a tie to the first seen", train_wrong_two),
        ("a tie goes to the pair met first, not to the smallest", train_merges_later_wrong_1),
        (
            "counts once and takes the top n: never merges, so no longer symbols",
            train_merges_later_wrong_2,
        ),
        (
            "does not stop early: min() of an empty dictionary fails when every word is one symbol",
            train_merges_later_wrong_3,
        ),
    ],
    "1.5": [
        ("split() throws white space away", (None, cut_wrong_split)),
        (
            "words keep spaces on both sides and punctuation: merges cross punctuation",
            (None, cut_wrong_spaces_only),
        ),
        ("TWO: white space lost, and first known pair merged", (None, cut_wrong_two)),
        (
            "right repair, wrong letter: takes the odd pieces for a wrong order of merges",
            ("b", cut_later_wrong_1),
        ),
        ("repairs with text.split(): the spaces are lost (mistake a)", ("c", cut_later_wrong_2)),
        (
            "splits at white space and keeps it as words: merges cross punctuation (be + ,)",
            ("c", cut_later_wrong_3),
        ),
    ],
    "1.6": [
        ("each token decoded alone: characters over two tokens break", decode_wrong_each),
        ("errors='ignore': bad bytes vanish", decode_wrong_ignore),
        ("TWO: token by token, and '?' for the bad ones", decode_wrong_two),
        (
            "decodes each token alone: a character in two tokens becomes two or more `�`",
            decode_later_wrong_1,
        ),
        ("ignores bad bytes, so nothing shows where they were", decode_later_wrong_2),
        ("one bad byte throws away the whole text", decode_later_wrong_3),
    ],
    "1.7": [
        (
            "each token decoded alone: pieces of a character count as characters",
            (None, cpt_wrong_decode_each),
        ),
        ("// in place of /", (None, cpt_wrong_floor)),
        ("TWO: upside down, and different tokens only", (None, cpt_wrong_two)),
        (
            "right repair, wrong letter: takes 1.0 for Japanese for a count of bytes",
            ("c", characters_per_token_later_wrong_1),
        ),
        ("counts bytes where characters are asked for", ("b", characters_per_token_later_wrong_2)),
        (
            "still decodes each token alone; a character in several tokens now counts as none",
            ("b", characters_per_token_later_wrong_3),
        ),
    ],
    "1.8": [
        ("merges the leftmost known pair", rank_wrong_leftmost),
        ("merges the last learned first", rank_wrong_last),
        ("TWO: last learned first, and joins all into a list of one string", rank_wrong_two),
        ("text order: merges whatever known pair comes first", encode_by_rank_later_wrong_1),
        ("the last learned pair first (max where min is needed)", encode_by_rank_later_wrong_2),
        (
            "longest match from the left instead of merging (WordPiece's rule)",
            encode_by_rank_later_wrong_3,
        ),
    ],
    "1.9": [
        ("at 16 it is a tie", 16),
        ("more often than `pe`", 13),
        ("TWO: counts compared, and with that of `at`", 28),
        (
            "at 16 the scores are equal: a tie, not the highest",
            16,
        ),
        ("compares counts (more than pe's 12), not scores", 13),
        ("believes a new word starts with a low score", 1),
    ],
    "1.10": [
        ("keeps the found pieces and adds [UNK]", lm_wrong_unk_tail),
        ("backtracks: finds a cut that greedy misses", lm_wrong_backtrack),
        ("TWO: shortest piece first, and ## taken off", lm_wrong_two),
        (
            "keeps the pieces found so far and adds [UNK], where the whole word should be [UNK]",
            longest_match_later_wrong_1,
        ),
        (
            "backtracks: tries a shorter piece when the longest leads nowhere",
            longest_match_later_wrong_2,
        ),
        ("forgets the ## of the pieces inside a word", longest_match_later_wrong_3),
    ],
    "1.11": [
        ("the longest match", sums_wrong_longest),
        ("only the whole word", sums_wrong_whole),
        ("TWO: the least likely, without the 0.0", sums_wrong_two),
    ],
    "1.12": [
        ("rows of omega", embed_wrong_rows),
        ("columns not turned to rows", embed_wrong_no_transpose),
        ("TWO: reshape for transpose, and ids shifted by one", embed_wrong_two),
        (
            "takes rows of omega: entries across all tokens, as if it were PyTorch's (V, D)",
            embed_later_wrong_1,
        ),
        ("leaves the vectors as columns: (D, T)", embed_later_wrong_2),
        ("reshape in place of transpose: right shape, wrong numbers", embed_later_wrong_3),
    ],
    "1.13": [
        ("dot product, no lengths", near_wrong_dot),
        ("word taken out after top n: one too few", near_wrong_skip_after),
        ("TWO: sorted upward (worst first), and word not left out", near_wrong_two),
        ("leaves the word itself in, as its own nearest", nearest_words_later_wrong_1),
        ("no division by the lengths: long vectors win", nearest_words_later_wrong_2),
        ("removes the word after topk(n): one word too few", nearest_words_later_wrong_3),
    ],
}
