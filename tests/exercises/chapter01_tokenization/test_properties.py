"""Answers of chapter 01 that nobody has written out: each mistake of theirs is named."""

import codecs
import itertools
import math
import re
from collections import Counter, defaultdict

import property_checks
import pytest
import torch

from tutorial_lib.tokenizers import apply_merges, gpt2_words, merge_steps


def pairs_of(key=lambda a, b: (a, b), weight=True, gap=1, stop=0):
    """Counted pairs with a choice of slips."""

    def answer(words):
        found = defaultdict(int)
        for word, count in words.items():
            for i in range(len(word) - gap - stop):
                found[key(word[i], word[i + gap])] += count if weight else 1
        return found

    return answer


def merged(first_only=False, skip=True, join=lambda a, b: a + b, last=True):
    """One pair merged with a choice of slips."""

    def answer(symbols, pair):
        out, i, done = [], 0, False
        while i < len(symbols) - (not last):
            if tuple(symbols[i : i + 2]) == pair and not (done and first_only):
                out.append(join(*pair))
                i, done = i + (2 if skip else 1), True
            else:
                out.append(symbols[i])
                i += 1
        return out

    return answer


def merged_by_spelling(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        found = "".join(symbols[i : i + 2]) == "".join(pair)
        out.append("".join(pair) if found else symbols[i])
        i += 2 if found else 1
    return tuple(out)


def trained(key=lambda n, pair: (-n, pair), weight=True, short=0, shape=tuple, endless=False):
    """Learned merges with a choice of slips."""

    def answer(words, n_merges):
        table = {tuple(word): n if weight else 1 for word, n in words.items()}
        found = []
        for _ in range(n_merges - short):
            counts = pairs_of()(table)
            if not counts and not endless:
                break
            best = sorted(counts, key=lambda pair: key(counts[pair], pair))[0]
            found.append(shape(best))
            table = {tuple(merged()(word, best)): n for word, n in table.items()}
        return found

    return answer


def decoded(errors="replace", each=False, glue="", encoding="utf-8"):
    """Decoded bytes with a choice of slips."""

    def answer(ids, vocabulary):
        pieces = [vocabulary[i] for i in ids]
        if not each:
            pieces = [b"".join(pieces)]
        return glue.join(piece.decode(encoding, errors) for piece in pieces)

    return answer


def incremental(ids, vocabulary):
    reader = codecs.getincrementaldecoder("utf-8")("replace")
    return "".join(reader.decode(vocabulary[i]) for i in ids) + reader.decode(b"", final=True)


def encoded(best=min, once=False, all_known=False, shape=tuple):
    """Encoding with a choice of slips."""

    def answer(symbols, merges):
        symbols = list(symbols)
        while True:
            known = [p for p in itertools.pairwise(symbols) if p in merges]
            if not known:
                break
            symbols = list(merged()(symbols, best(known, key=merges.index)))
            if once:
                break
        return shape(symbols)

    return answer


def through_the_list(symbols, merges):
    for pair in merges:
        symbols = tuple(merged()(symbols, pair))
    return symbols


def through_the_list_backwards(symbols, merges):
    return through_the_list(symbols, merges[::-1])


def cut_up(shortest=False, mark=True, unknown="whole", first="", strip=False, shape=list):
    """Longest match with a choice of slips."""

    def answer(word, vocabulary):
        pieces, start = [], 0
        while start < len(word):
            prefix = ("##" if mark else "") if start else first
            ends = range(start + 1, len(word) + 1)
            fits = [e for e in ends if prefix + word[start:e] in vocabulary]
            if not fits and unknown == "whole":
                return ["[UNK]"]
            if not fits:
                pieces += ["[UNK]"] if unknown == "letter" else []
                start += 1
                continue
            end = fits[0] if shortest else fits[-1]
            pieces.append(word[start:end] if strip else prefix + word[start:end])
            start = end
        return shape(pieces)

    return answer


def either(word, vocabulary):
    """The longest piece that fits, with its ## or without."""
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            found = [m + word[start:end] for m in ("##", "") if m + word[start:end] in vocabulary]
            if found:
                pieces.append(found[0])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


def sums():
    """The sums of the likeliest cuts, going forwards."""

    def answer(word, log_p):
        best = [0.0] + [-math.inf] * len(word)
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                if word[start:end] in log_p:
                    best[end] = max(best[end], best[start] + log_p[word[start:end]])
        return best

    return answer


def nearest(length=True, itself=False, reverse=True, give=lambda words, i, c: words[i], n_off=0):
    """Nearest words with a choice of slips."""

    def answer(word, words, vectors, n):
        place = words.index(word)

        def score(i):
            dot = sum((a * b).item() for a, b in zip(vectors[place], vectors[i], strict=True))
            return dot / math.dist(vectors[i], [0] * vectors.size(1)) if length else dot

        order = sorted(range(len(words)), key=score, reverse=reverse)
        order = [i for i in order if itself or i != place]
        return [give(words, i, score(i)) for i in order[: n + n_off]]

    return answer


def cut(split=gpt2_words, lower=False, fewer=0):
    """A cut text with a choice of slips."""

    def answer(text, n_merges):
        words = split(text)
        learned = [word.lower() for word in words] if lower else words
        merges = [step.pair for step in merge_steps(Counter(learned), n_merges - fewer)]
        return [token for word in words for token in apply_merges(tuple(word), merges)]

    return answer


def first_places(symbols, merges):
    """Merge each pair once, where it comes first in the word."""
    for left, right in merges:
        for i, pair in enumerate(itertools.pairwise(symbols)):
            if pair == (left, right):
                symbols = (*symbols[:i], left + right, *symbols[i + 2 :])
                break
    return symbols


def best_dropped(word, words, vectors, n):
    """Leave the best one out, as if it had to be the word itself."""
    scores = vectors @ vectors[words.index(word)]
    return [words[i] for i in scores.topk(n + 1).indices.tolist()[1:]]


WRONG = {
    "1.1": {
        "once, joined": (
            pairs_of(lambda a, b: a + b, weight=False),
            ["It joins the two symbols to one string:", "It counts each word once: a word that"],
        ),
        "sorted, once": (
            pairs_of(lambda a, b: tuple(sorted((a, b))), weight=False),
            ["It takes `ba` and `ab` for one pair: the", "It counts each word once: a word that"],
        ),
        "two apart": (pairs_of(gap=2), ["It pairs symbols that have another one"]),
        "the last pair missing": (pairs_of(stop=1), ["The last pair of a word is missing."]),
    },
    "1.2": {
        "joined text compared": (
            merged_by_spelling,
            ["It compares joined text: `a` `bc` spells the same as `ab` `c`"],
        ),
        "one step after a merge": (merged(skip=False), ["It leaves the second symbol of a merged"]),
        "joined the other way": (
            merged(join=lambda a, b: b + a),
            ["It joins the two strings the wrong way"],
        ),
        "first only, last lost": (
            merged(first_only=True, last=False),
            ["It loses the last symbol of a word: it", "It does not merge each occurrence of the"],
        ),
        "joined by a space": (
            merged(join=lambda a, b: f"{a} {b}"),
            ["The pair must become one symbol, its two"],
        ),
    },
    "1.4": {
        "largest, endless": (
            trained(lambda n, p: (-n, [-ord(c) for c in "".join(p)]), endless=True),
            ["A tie goes to the largest pair: the", "It does not stop when no pair is left:"],
        ),
        "words once": (
            trained(weight=False),
            ["It counts each word once: weigh the pairs"],
        ),
        "words once, joined": (
            trained(weight=False, shape="".join),
            ["Return the pairs, as tuples of two:", "It counts each word once: weigh the pairs"],
        ),
        "one too few": (trained(short=1), ["It returns 2 merges where n_merges is 3."]),
    },
    "1.6": {
        "each, ignoring": (
            decoded("ignore", each=True),
            ["It decodes token by token: a character", "It drops bytes that aren't valid UTF-8: a"],
        ),
        "by spaces": (decoded(each=True, glue=" "), ["It puts something between the tokens."]),
        "ASCII": (decoded(encoding="ascii"), ["The bytes must be read as UTF-8: `é` is"]),
        "as it prints": (
            lambda ids, vocabulary: str([vocabulary[i] for i in ids]),
            ["The text must be the tokens' bytes and"],
        ),
    },
    "1.8": {
        "each pair at its first place": (
            first_places,
            ["It merges a pair at its first place only: merge it at every place"],
        ),
        "the last learned, once": (
            encoded(max, once=True),
            ["It takes the pair learned last; the one", "A merge can put a new known pair"],
        ),
        "backwards through the list": (
            through_the_list_backwards,
            ["It takes the pair learned last; the one", "A merge can put a new known pair"],
        ),
        "one string in a list": (
            encoded(shape=lambda symbols: ["".join(symbols)]),
            ["It joins all tokens to one string at the end"],
        ),
        "a string": (encoded(shape=" ".join), ["It returns one string: a tuple of tokens"]),
    },
    "1.10": {
        "shortest, no mark": (
            cut_up(shortest=True, mark=False),
            ["It looks up the rest of a word without", "It takes a shorter piece than the longest"],
        ),
        "no mark, keeps on": (
            cut_up(mark=False, unknown="letter"),
            ["It looks up the rest of a word without", "It keeps the pieces found so far: an"],
        ),
        "skips letters": (cut_up(unknown="skip"), ["It skips a letter that no piece covers:"]),
        "one string": (cut_up(shape=" ".join), ["A list of pieces must come back."]),
        "with its mark or without": (either, ["Inside a word it also takes a piece without ##:"]),
    },
    "1.11": {
        "no minus sign": (
            lambda word, log_p: [-total for total in sums()(word, log_p)],
            ["The minus sign is missing"],
        ),
        "only the sum of the word": (
            lambda word, log_p: sums()(word, log_p)[-1],
            ["It returns one number: return the whole list"],
        ),
        "without the first": (
            lambda word, log_p: sums()(word, log_p)[1:],
            ["The 0.0 of the empty beginning is missing"],
        ),
        "without the last": (
            lambda word, log_p: sums()(word, log_p)[:-1],
            ["The number for the whole word is missing"],
        ),
        "each doubled": (
            lambda word, log_p: [2 * total for total in sums()(word, log_p)],
            ["At the first letter of `eats` it says -7; the largest sum is -3.5."],
        ),
    },
    "1.12": {
        "the column before": (
            lambda ids, omega: omega[:, ids - 1].T,
            ["It takes 1 off the ids"],
        ),
        "reshaped, the row before": (
            lambda ids, omega: torch.nn.functional.embedding(
                ids - 1, omega.reshape(omega.shape[::-1])
            ),
            ["It reshapes omega to (V, D)", "It takes 1 off the ids"],
        ),
        "the next column": (
            lambda ids, omega: omega.T[(ids + 1) % omega.size(1)],
            ["It takes the next column: ids count from"],
        ),
        "sorted": (
            lambda ids, omega: omega[:, ids.sort().values].T,
            ["The vectors are not in the order of the"],
        ),
        "the mean": (
            lambda ids, omega: omega[:, ids].mean(1),
            ["It adds the vectors up, or averages them:"],
        ),
        "on end": (
            lambda ids, omega: omega[:, ids].T.flatten(),
            ["The result must have shape (T, D): a row"],
        ),
    },
    "1.13": {
        "dot products, the first one dropped": (
            best_dropped,
            ["It drops the first word found, but by dot products that is not the word itself."],
        ),
        "dot products, itself": (
            nearest(length=False, itself=True),
            ["It finds the word itself first: its", "It compares dot products: a long vector"],
        ),
        "the lowest, by dot products": (
            nearest(length=False, reverse=False),
            ["It starts from the lowest cosine;"],
        ),
        "with cosines": (
            nearest(give=lambda words, i, c: (words[i], c)),
            ["A list of words is asked for, and nothing"],
        ),
        "absolute cosines": (
            lambda word, words, vectors, n: [
                words[i]
                for i in torch.cosine_similarity(vectors, vectors[words.index(word)][None])
                .abs()
                .argsort(descending=True)
                .tolist()
                if words[i] != word
            ][:n],
            ["It drops the sign of the cosines: the"],
        ),
        "one length only": (
            lambda word, words, vectors, n: nearest(length=False)(
                word, words, vectors / vectors[words.index(word)].norm(), n
            ),
            ["It compares dot products: a long vector"],
        ),
        "the lowest, itself": (
            nearest(reverse=False, itself=True),
            [
                "It starts from the lowest cosine; `argsort` puts the smallest first unless told: "
                "begin with the highest. Then the word itself"
            ],
        ),
        "one too few": (nearest(n_off=-1), ["It returns 1 of 2 words: leave the word"]),
    },
    "1.5": {
        "single letters": (
            lambda text, n_merges: list(text),
            ["Nothing is merged: these are single"],
        ),
        "spaces lost, one merge less": (
            cut(str.split, fewer=1),
            [
                "The tokens joined are not the text: white",
                "A token crosses the end of a word: cut",
                "It learns one merge too few.",
            ],
        ),
        "learned in lower case": (
            cut(lambda text: text.split(" "), lower=True),
            ["A token crosses the end of a word: cut"],
        ),
    },
    "1.7": {
        "parts of characters dropped": (
            lambda text, tokens: sum(len(t.decode(errors="ignore")) for t in tokens) / len(tokens),
            ["It drops a character that is in several tokens: join the tokens"],
        ),
        "bytes, upside down": (
            lambda text, tokens: len(tokens) / len(b"".join(tokens)),
            ["It counts bytes: characters are asked for.", "It divides the wrong way round."],
        ),
        "bytes of the kinds": (
            lambda text, tokens: len(b"".join(tokens)) / len({*tokens}),
            ["It counts bytes: characters are asked for.", "It divides by the number of different"],
        ),
        "whole numbers": (
            lambda text, tokens: len(text) // len(tokens),
            ["It keeps whole numbers only: divide with"],
        ),
    },
}
RIGHT = {
    "1.1": pairs_of(),
    "1.2": merged(),
    "1.4": trained(),
    "1.6": incremental,
    "1.8": through_the_list,
    "1.10": cut_up(),
    "1.11": sums(),
    "1.12": lambda ids, omega: torch.nn.functional.embedding(ids, omega.T),
    "1.13": nearest(),
    "1.5": cut(),
    "1.7": lambda text, tokens: sum(1 for _ in text) / len(list(tokens)),
}


def test_a_list_of_symbols_is_right_with_a_remark():
    assert "Return a tuple" in property_checks.verdict("1.2", merged()).text

    def as_a_tuple(symbols, pair):
        return tuple(merged()(symbols, pair))

    assert property_checks.verdict("1.2", as_a_tuple).text == "right."


SPLITTERS = {
    "white space by itself": lambda text: re.findall(r"\w+|[^\w\s]+|\s+", text),
    "each space by itself": lambda text: re.findall(r"\w+|\W", text),
    "the space in front": lambda text: re.findall(r" ?\w+| ?[^\w\s]+|\s+", text),
}


@pytest.mark.parametrize("split", SPLITTERS.values(), ids=list(SPLITTERS))
def test_any_words_that_lose_nothing_and_cross_nothing_will_do(split):
    property_checks.assert_right("1.5", cut(split))
    assert property_checks.verdict("1.5", cut(split, fewer=1)).status != "right"
    assert property_checks.verdict("1.5", cut(split, lower=True)).status == "right"  # no capitals


def test_a_cut_without_a_return_is_told_so():
    text = property_checks.verdict("1.5", lambda text, n_merges: None).text
    assert "is a `return` missing?" in text


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize(("id", "answer"), RIGHT.items(), ids=list(RIGHT))
def test_a_right_answer_in_another_style_is_right(id, answer):
    property_checks.assert_right(id, answer)
