"""Chapter 01: how likely the likeliest cut of each beginning of a word is."""

import functools

from tutorial_lib.exercises.engine.properties import alike, properties, which
from tutorial_lib.exercises.engine.tasks import Write, case


def best_sums(word, log_p):
    """Return len(word) + 1 numbers: the largest sum of log-probabilities for each beginning."""
    best = [0.0]
    for end in range(1, len(word) + 1):
        starts = [start for start in range(end) if word[start:end] in log_p]
        best.append(max(best[start] + log_p[word[start:end]] for start in starts))
    return best


def best_sums_recursive(word, log_p):
    """Second style."""

    @functools.cache
    def best(end):
        pieces = [piece for piece in log_p if word[:end].endswith(piece)]
        return max((best(end - len(piece)) + log_p[piece] for piece in pieces), default=0.0)

    return [best(end) for end in range(len(word) + 1)]


def best_sums_longest(word, log_p):
    """This takes the longest piece that fits, as WordPiece does: shorter ones may be likelier."""
    sums = []
    for end in range(len(word) + 1):
        rest, total = word[:end], 0.0
        while rest:
            piece = next(rest[:n] for n in range(len(rest), 0, -1) if rest[:n] in log_p)
            rest, total = rest[len(piece) :], total + log_p[piece]
        sums.append(total)
    return sums


def best_sums_least(word, log_p):
    """This is the least likely cut: the largest sum, the one nearest to 0, wins."""
    return [-total for total in best_sums(word, {piece: -log for piece, log in log_p.items()})]


def best_sums_letters(word, log_p):
    """This adds up the single letters: longer pieces may make a likelier cut."""
    return best_sums(word, {piece: log for piece, log in log_p.items() if len(piece) == 1})


def best_sums_last_piece(word, log_p):
    """This counts only the last piece: add the best sum of what is in front of it."""
    ends = range(1, len(word) + 1)
    fits = ([log_p[word[s:end]] for s in range(end) if word[s:end] in log_p] for end in ends)
    return [0.0, *map(max, fits)]


def best_sums_fewest(word, log_p):
    """This takes the cut with the fewest pieces: three frequent ones may be likelier than two."""
    best = [(0, 0.0)]
    for end in range(1, len(word) + 1):
        starts = [start for start in range(end) if word[start:end] in log_p]
        best.append(max((best[s][0] - 1, best[s][1] + log_p[word[s:end]]) for s in starts))
    return [total for _, total in best]


EATS = {
    **{"e": -3.5, "a": -3.5, "t": -3.0, "s": -2.5, "ea": -5.0, "at": -4.0, "ts": -6.0},
    **{"ats": -7.0, "eat": -8.5},
}
LETTERS = {"a": -1.6, "aa": -2.3, "aaa": -3.5, "b": -1.2, "ab": -2.9}
UNBLOCKS = {
    **dict.fromkeys("unblocks", -6.0),
    **{"un": -1.6, "unb": -4.6, "locks": -1.2, "blocks": -3.9},
}


def best_sums_cases():
    """Three pieces against two, a likely first piece that leads astray, a long word, and none."""
    return [
        case("eats", "eats", EATS),
        case("unblocks", "unblocks", UNBLOCKS),
        case("40 letters", "aaab" * 10, LETTERS),
        case("an empty word", "", EATS),
    ]


def one_number_each(answer):
    """Return len(word) + 1 numbers, one for each beginning of the word."""
    got = answer("eats", EATS)
    if isinstance(got, float):
        return "It returns one number: return the whole list, a number for each beginning."
    right = best_sums("eats", EATS)
    others = {
        "The 0.0 of the empty beginning is missing at the start of the list.": right[1:],
        "The number for the whole word is missing at the end of the list.": right[:-1],
        "The list begins with the whole word: the empty beginning comes first.": right[::-1],
    }
    return len(got) == 5 or which(got, right, others)


def the_largest_sums(answer):
    """A sum is not the largest that a cut of that beginning can have."""
    got, right = answer("eats", EATS), best_sums("eats", EATS)
    if isinstance(got, float) or len(got) != 5 or alike(got, right[::-1]):
        return None
    if alike(got, [-total for total in right]):
        return "The minus sign is missing: logarithms of probabilities are below 0."
    wrong = next((i for i in range(5) if not alike(got[i], right[i])), None)
    if wrong is None:
        return True
    where = ["no letter", "the first letter", *(f"the first {n} letters" for n in (2, 3, 4))][wrong]
    return (
        f"At {where} of `eats` it says {float(got[wrong]):.4g}; the largest sum is "
        f"{right[wrong]:.4g}."
    )


BEST_SUMS = Write(
    id="1.11",
    title="The likeliest cut",
    level="hard",
    text="""
Write `best_sums(word, log_p)`. `log_p` maps each piece to the logarithm of its probability; each
single letter is a piece. Return a list of `len(word) + 1` numbers: number `end` is the largest sum
that a cut of the first `end` letters can have. It begins with 0.0, as zero letters need zero
pieces, and its last number belongs to the whole word. A long word has too many cuts to try each:
how do you get a number from those before it?
""",
    hints=(
        "What can the last piece of the first `end` letters be? It begins at some `start`; in "
        "front of it are the first `start` letters, whose best sum you have.",
        "`best = [0.0]`. For each `end` append the largest `best[start] + log_p[word[start:end]]`, "
        "over each `start` below `end` whose `word[start:end]` is a piece.",
    ),
    solution=best_sums,
    second_style=best_sums_recursive,
    mistakes=(
        best_sums_longest,
        best_sums_least,
        best_sums_letters,
        best_sums_last_piece,
        best_sums_fewest,
    ),
    cases=best_sums_cases,
    properties=properties(one_number_each, the_largest_sums),
    see="1H Unigram",
)
