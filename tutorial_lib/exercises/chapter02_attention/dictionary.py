"""Chapter 02: a dictionary that nobody wrote, read out of maps of cross-attention."""

from collections import Counter

import torch

from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Write, case


def dictionary(pages):
    """Return for each written word the source word that got most of its weight: {word: word}.

    A page is (written, source, weights): T words, S words and their map (T, S). Weights are added
    up over all pages, and over all places of a word.
    """
    totals = {}  # {written word: {source word: weight}}
    for written, source, weights in pages:
        for word, row in zip(written, weights.tolist(), strict=True):
            total = totals.setdefault(word, Counter())
            for other, weight in zip(source, row, strict=True):
                total[other] += weight
    return {word: max(total, key=total.get) for word, total in totals.items()}


def dictionary_by_matrix(pages):
    """Second style."""
    left = sorted({word for written, _, _ in pages for word in written})
    right = sorted({word for _, source, _ in pages for word in source})
    totals = torch.zeros(len(left), len(right))
    for written, source, weights in pages:
        for t, word in enumerate(written):
            for s, other in enumerate(source):
                totals[left.index(word), right.index(other)] += weights[t, s]
    best = totals.argmax(dim=1).tolist()
    return {word: right[best[i]] for i, word in enumerate(left)}


def dictionary_by(pages, weigh=lambda row: row, join=lambda weights: sum(weights), keep=True):
    """Make the dictionary by other weights of a row, another way to join them, or the last page."""
    found = {}  # {written word: {source word: [weights]}}
    for written, source, weights in pages:
        for word, row in zip(written, weights.tolist(), strict=True):
            lists = found.setdefault(word, {}) if keep else found.update({word: {}}) or found[word]
            for other, weight in zip(source, weigh(row), strict=True):
                lists.setdefault(other, []).append(weight)
    return {word: max(lists, key=lambda other: join(lists[other])) for word, lists in found.items()}


def dictionary_of_last_page(pages):
    """A later page overwrites an earlier one: add up over all pages."""
    return dictionary_by(pages, keep=False)


def dictionary_of_votes(pages):
    """This gives one vote a row, to its largest weight: add up the weights themselves."""
    return dictionary_by(pages, weigh=lambda row: [float(weight == max(row)) for weight in row])


def dictionary_of_means(pages):
    """This takes the mean, so a pair seen once counts like one seen often: add up."""
    return dictionary_by(pages, join=lambda weights: sum(weights) / len(weights))


def dictionary_of_largest(pages):
    """This keeps the largest single weight: add up over all pages."""
    return dictionary_by(pages, join=max)


def dictionary_of_company(pages):
    """This counts which words stand on a page together: the weights say who looks at whom."""
    return dictionary_by(pages, weigh=lambda row: [1.0] * len(row))


def dictionary_of_places(pages):
    """A source word that stands twice on a page counts once: add up both of its places."""
    totals = {}
    for written, source, weights in pages:
        for word, row in zip(written, weights.tolist(), strict=True):
            total = totals.setdefault(word, Counter())
            for other, weight in dict(zip(source, row, strict=True)).items():
                total[other] += weight
    return {word: max(total, key=total.get) for word, total in totals.items()}


def dictionary_of_first_places(pages):
    """A word that is written twice on a page counts at its first place only: add up its rows."""
    return dictionary([once_a_page(*page) for page in pages])


def dictionary_of_last_places(pages):
    """A word that is written twice on a page counts at its last place only: add up its rows."""
    turned = ((written[::-1], source, weights.flip(0)) for written, source, weights in pages)
    return dictionary([once_a_page(*page) for page in turned])


def once_a_page(written, source, weights):
    """The page without the later places of a word that is written there already."""
    rows = [t for t, word in enumerate(written) if word not in written[:t]]
    return [written[t] for t in rows], source, weights[rows]


def dictionary_turned(pages):
    """This is for the other language: the keys of the dictionary are the written words."""
    return dictionary([(source, written, weights.T) for written, source, weights in pages])


def page(written, source, *rows):
    """One page, its words as a text with blanks."""
    return written.split(), source.split(), torch.tensor(rows)


def dictionary_cases():
    """Pages that a vote, a mean, the last page, or a single place of a word would read wrongly."""
    two = page("zwei und acht", "eight and two", [0.1, 0.2, 0.7], [0, 0.9, 0.1], [0.8, 0.1, 0.1])
    four = page("vier und zwei", "two and four", [0.1, 0.3, 0.6], [0.1, 0.8, 0.1], [0.7, 0.2, 0.1])
    sure = page("neun zehn", "nine ten", [0.55, 0.45], [0.3, 0.7])
    unsure = page("neun zehn", "nine ten", [0.52, 0.48], [0.3, 0.7])
    strong = page("neun zehn", "nine ten", [0.1, 0.9], [0.4, 0.6])
    once = page("zehn neun", "nine ten teen", [0.05, 0, 0.95], [0.9, 0.1, 0])
    often = [page("zehn neun", "nine ten", [0.1, 0.9], [0.9, 0.1]) for _ in range(3)]
    twice = page(
        "zwei hundert zwei",
        "two hundred two",
        [0.35, 0.4, 0.25],
        [0.1, 0.8, 0.1],
        [0.25, 0.4, 0.35],
    )
    first = page("acht und acht", "eight or", [0.4, 0.6], [0.1, 0.9], [0.9, 0.1])
    last = page("sechs und sechs", "six or", [0.9, 0.1], [0.1, 0.9], [0.4, 0.6])
    return [
        case("two pages", [two, four]),
        case("three pages that do not agree", [sure, unsure, strong]),
        case("a word seen once", [*often, once]),
        case("a word that stands twice", [twice]),
        case("words that are written twice", [first, last]),
        case("a last page that errs", [two, four, page("zwei", "and eight", [0.9, 0.1])]),
    ]


def german_to_english(answer):
    """The dictionary must have a written word for each key, a source word for each value."""
    found = answer([page("zwei", "one two", [0.2, 0.8])])
    if isinstance(found, dict) and set(found) <= {"one", "two"}:
        return "This is for the other language: the keys are the written words."
    return found == {"zwei": "two"}


def all_pages_count(answer):
    """A single page decides: add up over all of them."""
    weak, strong = page("acht", "one eight", [0.6, 0.4]), page("acht", "one eight", [0.1, 0.9])
    orders = [weak, weak, strong], [weak, strong, weak], [strong, weak, weak]  # 1.3 against 1.7
    if answer([strong]) == {"acht": "eight"} and all(
        answer(pages) == {"acht": "one"} for pages in orders
    ):
        return (
            "This counts winners, one vote for the largest weight of each row: two narrow wins "
            "beat a clear one. Add up the weights themselves."
        )
    return answer([weak, strong]) == answer([strong, weak]) == {"acht": "eight"}


DICTIONARY = Write(
    id="2.12",
    title="A dictionary that nobody wrote",
    level="medium",
    text="""
Nobody told the translator that *zwei* is *two*. Does it know? Write `dictionary(pages)`. A page is
one translation: `(written, source, weights)`, a list of T German words, a list of S English words,
and their map (T, S). Return a dict that gives each German word the English word to which it gave
the **most weight, added up** over all pages. A word may appear twice on a page.
""",
    hints=(
        "Row t of the map belongs to written[t], column s to source[s].",
        "Collect first: for each German word a table {English word: weight so far}.",
        "`max(table, key=table.get)` is the key with the largest value.",
    ),
    solution=dictionary,
    second_style=dictionary_by_matrix,
    mistakes=(
        dictionary_of_last_page,
        dictionary_of_votes,
        dictionary_of_means,
        dictionary_of_largest,
        dictionary_of_company,
        dictionary_of_places,
        dictionary_of_first_places,
        dictionary_of_last_places,
        dictionary_turned,
    ),
    cases=dictionary_cases,
    properties=properties(german_to_english, all_pages_count),
    see="2I Two sequences",
)
