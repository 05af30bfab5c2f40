import re
from collections import Counter, defaultdict
from fractions import Fraction
import torch
import torch.nn.functional as F


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


# 1.3, 1.9 and 1.11 were worked out by hand from their texts.
RIGHT = {
    "1.1": [count_pairs_right_1, count_pairs_right_2],
    "1.2": [merge_right_1, merge_right_2],
    "1.3": [5],
    "1.4": [train_right_1, train_right_2],
    "1.5": [(None, cut_right_1), (None, cut_right_2)],
    "1.6": [decode_right_1, decode_right_2],
    "1.7": [(None, cpt_right_1), (None, cpt_right_2)],
    "1.8": [rank_right_1, rank_right_2],
    "1.9": [17],
    "1.10": [lm_right_1, lm_right_2],
    "1.11": [-10.0],
    "1.12": [embed_right_1, embed_right_2],
    "1.13": [near_right_1, near_right_2],
}
WRONG = {
    "1.1": [
        ("= in place of +=: a later word overwrites", count_pairs_wrong_overwrite),
        ("a pair twice in one word counted once", count_pairs_wrong_set),
        ("TWO: keys are joined strings, and word counts ignored", count_pairs_wrong_two),
    ],
    "1.2": [
        ("string replace over joined text: matches across symbols' middles", merge_wrong_string),
        ("only the first occurrence", merge_wrong_first_only),
        ("TWO: loses a last symbol, and returns a list", merge_wrong_two),
    ],
    "1.3": [
        ("stopped after two merges", 3),
        ("forgot that `es` is a symbol too", 4),
        ("TWO: counted those in use, after two merges", 9),
    ],
    "1.4": [
        ("a tie to the largest pair", train_wrong_tie_largest),
        ("counts once, never merges", train_wrong_no_recount),
        ("TWO: one merge too few, and a tie to the first seen", train_wrong_two),
    ],
    "1.5": [
        ("split() throws white space away", (None, cut_wrong_split)),
        (
            "words keep spaces on both sides and punctuation: merges cross punctuation",
            (None, cut_wrong_spaces_only),
        ),
        ("TWO: white space lost, and first known pair merged", (None, cut_wrong_two)),
    ],
    "1.6": [
        ("each token decoded alone: characters over two tokens break", decode_wrong_each),
        ("errors='ignore': bad bytes vanish", decode_wrong_ignore),
        ("TWO: token by token, and '?' for the bad ones", decode_wrong_two),
    ],
    "1.7": [
        (
            "each token decoded alone: pieces of a character count as characters",
            (None, cpt_wrong_decode_each),
        ),
        ("// in place of /", (None, cpt_wrong_floor)),
        ("TWO: upside down, and different tokens only", (None, cpt_wrong_two)),
    ],
    "1.8": [
        ("merges the leftmost known pair", rank_wrong_leftmost),
        ("merges the last learned first", rank_wrong_last),
        ("TWO: last learned first, and joins all into a list of one string", rank_wrong_two),
    ],
    "1.9": [
        ("at 16 it is a tie", 16),
        ("more often than `pe`", 13),
        ("TWO: counts compared, and with that of `at`", 28),
    ],
    "1.10": [
        ("keeps the found pieces and adds [UNK]", lm_wrong_unk_tail),
        ("backtracks: finds a cut that greedy misses", lm_wrong_backtrack),
        ("TWO: shortest piece first, and ## taken off", lm_wrong_two),
    ],
    "1.11": [
        ("the longest match", -11.0),
        ("the fewest pieces", -10.5),
        ("TWO: single letters, without the sign", 12.5),
    ],
    "1.12": [
        ("rows of omega", embed_wrong_rows),
        ("columns not turned to rows", embed_wrong_no_transpose),
        ("TWO: reshape for transpose, and ids shifted by one", embed_wrong_two),
    ],
    "1.13": [
        ("dot product, no lengths", near_wrong_dot),
        ("word taken out after top n: one too few", near_wrong_skip_after),
        ("TWO: sorted upward (worst first), and word not left out", near_wrong_two),
    ],
}
