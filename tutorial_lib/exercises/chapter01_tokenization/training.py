"""Chapter 01: learn the merges."""

from tutorial_lib.exercises.chapter01_tokenization.merges import FIVE_WORDS, count_pairs, merge_pair
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


def learn(words, n_merges, best):
    """Learn merges with another rule: best(pair counts) chooses the pair."""
    words = {tuple(word): count for word, count in words.items()}
    merges = []
    while len(merges) < n_merges and (counts := count_pairs(words)):
        merges.append(best(counts))
        words = {merge_pair(symbols, merges[-1]): count for symbols, count in words.items()}
    return merges


def train_merges_first_seen(words, n_merges):
    """This gives a tie to the pair it met first: then the order of the words decides."""
    return learn(words, n_merges, lambda counts: max(counts, key=counts.get))


def train_merges_largest(words, n_merges):
    """This gives a tie to the largest pair; the rule here is the smallest."""
    return learn(words, n_merges, lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))


def train_merges_counted_once(words, n_merges):
    """This counts the pairs once at the start: after each merge they must be counted again."""
    counts = count_pairs({tuple(word): count for word, count in words.items()})
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:n_merges]


def train_merges_rarest(words, n_merges):
    """This merges the rarest pair first, as Huffman's code does with symbols."""
    return learn(words, n_merges, lambda counts: min(counts, key=lambda pair: (counts[pair], pair)))


def train_merges_endless(words, n_merges):
    """This does not stop when no pair is left, and it gives a tie to the pair it met first."""
    words = {tuple(word): count for word, count in words.items()}
    merges = []
    for _ in range(n_merges):
        counts = count_pairs(words)
        merges.append(max(counts, key=counts.get))
        words = {merge_pair(symbols, merges[-1]): count for symbols, count in words.items()}
    return merges


def train_merges_joined(words, n_merges):
    """This returns the new symbols: return the pairs, for encoding has to know what to join."""
    return ["".join(pair) for pair in train_merges(words, n_merges)]


def train_merges_cases():
    """A tie whose first-seen, smallest and largest pair differ; more merges than there are."""
    return [
        case("three merges of the five words", FIVE_WORDS, 3),
        case("a tie of three pairs", {"mud": 5, "bat": 5, "a": 3}, 2),
        case("more merges than pairs", {"pet": 2}, 9),
    ]


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
    mistakes=(
        train_merges_first_seen,
        train_merges_largest,
        train_merges_counted_once,
        train_merges_rarest,
        train_merges_endless,
        train_merges_joined,
    ),
    cases=train_merges_cases,
    see="1.2 Byte-pair encoding by hand",
)
