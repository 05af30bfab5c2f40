"""Chapter 01: learn the merges."""

from tutorial_lib.exercises.chapter01_tokenization.merges import FIVE_WORDS, count_pairs, merge_pair
from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Write, case
from tutorial_lib.tokenizers import merge_steps

# Learn the merges -----------------------------------------------------------------------------


def train_merges(words, n_merges):
    """Learn n_merges pairs from {word: count}: the most frequent first, a tie to the smallest."""
    words = {tuple(word): count for word, count in words.items()}
    merges = []
    for _ in range(n_merges):
        counts = count_pairs(words)
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(pair)
        words = {merge_pair(symbols, pair): count for symbols, count in words.items()}
    return merges


def train_merges_library(words, n_merges):
    """Second style."""
    return [step.pair for step in merge_steps(words, n_merges)]


def train_merges_cases():
    """A tie whose first-seen, smallest and largest pair differ; more merges than there are."""
    return [
        case("three merges of the five words", FIVE_WORDS, 3),
        case("a tie of three pairs", {"mud": 5, "bat": 5, "a": 3}, 2),
        case("more merges than pairs", {"pet": 2}, 9),
    ]


def learned(answer, words, n_merges):
    """The new symbols in the order in which they were learned, pairs or not."""
    return ["".join(pair) for pair in answer(words, n_merges)]


def pairs_come_back(answer):
    """Return the pairs, as tuples of two: encoding has to know what to join."""
    first, *_ = answer({"abc": 1}, 2)
    return len(first) == 2 and not isinstance(first, str)


def most_frequent_first(answer):
    """The most frequent pair must be merged first."""
    first, *_ = learned(answer, {"ab": 4, "cd": 9, "xcd": 1}, 3)
    return "It merges the rarest pair first." if first == "xc" else first == "cd"


def counts_of_words(answer):
    """It counts each word once: weigh the pairs by the count of the word."""
    return learned(answer, {"ab": 9, "cd": 1, "xcd": 1, "ycd": 1}, 2)[0] != "cd"


def counted_again(answer):
    """It counts the pairs once at the start: after each merge they must be counted again."""
    return learned(answer, {"abc": 5, "bc": 4}, 2) != ["bc", "ab"]


def ties(answer):
    """Of equally frequent pairs the smallest goes first."""
    others = {
        "A tie goes to the pair met first: the smallest wins, whatever the order.": ["mu"],
        "A tie goes to the largest pair: the smallest wins.": ["ud"],
        "A tie goes to the pair met last: the smallest wins.": ["ow"],
    }
    first = learned(answer, {"mud": 5, "bat": 5, "cow": 5}, 2)[:1]
    return which(first, ["at"], others) if first else None


def as_many_as_asked(answer):
    """Return n_merges merges, as long as there are pairs."""
    got = len(learned(answer, {"ab": 9, "cd": 4, "ef": 2, "gh": 1}, 3))
    return True if got == 3 else f"It returns {got} merges where n_merges is 3."


def stops_early(answer):
    """It does not stop when no pair is left: return what there is."""
    try:
        return len(learned(answer, {"pet": 2}, 9)) == 2
    except ValueError:
        return len(learned(answer, {"pet": 2}, 2)) != 2


TRAIN_MERGES = Write(
    id="1.4",
    title="Learn the merges",
    level="medium",
    text="""
Write `train_merges(words, n_merges)`. `words` maps strings to counts. Return the list of merged
pairs in order: always the most frequent pair; of equally frequent ones the smallest, as tuples
compare. Stop early when every word is one symbol. Use your `count_pairs` and `merge_pair`.
""",
    hints=(
        "Start from `{tuple(word): count}`. Each round: count, choose, remember, rewrite.",
        "`min(counts, key=lambda pair: (-counts[pair], pair))` is the whole rule with its ties.",
    ),
    solution=train_merges,
    second_style=train_merges_library,
    mistakes=(),
    cases=train_merges_cases,
    properties=properties(
        pairs_come_back,
        most_frequent_first,
        counts_of_words,
        counted_again,
        ties,
        as_many_as_asked,
        stops_early,
    ),
    see="1C Byte-pair encoding by hand",
)
