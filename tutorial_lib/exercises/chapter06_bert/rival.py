"""Chapter 06: a rival of NumberBERT that is written, not trained."""

import functools
from collections import Counter

from tutorial_lib.datasets import number_in_words
from tutorial_lib.exercises.engine.tasks import Property, Write, case
from tutorial_lib.recipes import load_checkpoint, number_bert

GOAL = 0.6  # of the gaps
# (English, German) of each number word that both languages have
WORDS = (
    ("one", "ein"), ("two", "zwei"), ("three", "drei"), ("four", "vier"), ("five", "fünf"),
    ("six", "sechs"), ("seven", "sieben"), ("eight", "acht"), ("nine", "neun"), ("ten", "zehn"),
    ("eleven", "elf"), ("twelve", "zwölf"), ("thirteen", "dreizehn"), ("fourteen", "vierzehn"),
    ("fifteen", "fünfzehn"), ("sixteen", "sechzehn"), ("seventeen", "siebzehn"),
    ("eighteen", "achtzehn"), ("nineteen", "neunzehn"), ("twenty", "zwanzig"),
    ("thirty", "dreißig"), ("forty", "vierzig"), ("fifty", "fünfzig"), ("sixty", "sechzig"),
    ("seventy", "siebzig"), ("eighty", "achtzig"), ("ninety", "neunzig"),
    ("hundred", "hundert"), ("thousand", "tausend"),
)  # fmt: skip


@functools.cache
def tokenizer():
    """That of the numbers."""
    return load_checkpoint("number-bert").tokenizer


@functools.cache
def counted_partners():
    """{word: the word of the other language that it occurs with most, for how often both do}."""
    together, alone = Counter(), Counter()
    for pair in number_bert.split(number_bert.SETTINGS)[0]:
        english, german = (set(tokenizer().encode(text).tokens[1:-1]) for text in pair)
        alone.update(english | german)
        together.update((a, b) for a in english for b in german)
        together.update((b, a) for a in english for b in german)
    best = {}
    for (word, other), n in together.items():
        score = 2 * n / (alone[word] + alone[other])
        if score > best.get(word, (0, ""))[0]:
            best[word] = score, other
    return {word: other for word, (_, other) in best.items()}


def both_sides(words, gap):
    """The words on the side of the gap, and those of the other text."""
    cut = words.index("[SEP]")
    english, german = words[1:cut], words[cut + 1 : -1]
    return (english, german) if gap < cut else (german, english)


def rival(words, gap):
    """Return the word that is hidden at index `gap` of words, the tokens of one pair."""
    here, there = both_sides(words, gap)
    partners = counted_partners()
    missing = [partners[w] for w in there if w in partners and partners[w] not in here]
    return missing[0] if missing else "hundred"


@functools.cache
def all_pairs():
    """The tokens of each pair of a number below three thousand, by their number of tokens."""
    pairs = {}
    for number in range(3_000):
        german = number_bert.cut_compounds(number_in_words(number, "de"))
        pair = tokenizer().encode(number_in_words(number), german).tokens
        pairs.setdefault(len(pair), []).append(pair)
    return pairs


def rival_by_listing(words, gap):
    """Return the word that is hidden at index `gap`, from all numbers that fit what is visible."""
    fitting = Counter(
        pair[gap]
        for pair in all_pairs()[len(words)]
        if all(word in ("[MASK]", other) for word, other in zip(words, pair, strict=True))
    )
    return fitting.most_common(1)[0][0]


def rival_first_word(words, gap):
    """This translates the first word of the other text, whatever is hidden: look for the one that
    has no partner on the side of the gap.
    """
    _, there = both_sides(words, gap)
    return counted_partners().get(there[0], "hundred")


def rival_cases():
    """All gaps of the test."""
    return [case("the gaps of the test")]


def share_or_word(answer, *gap):
    """The share of the gaps that are filled, where more than the goal counts as the goal.

    With (words, gap) what is said at that one gap.
    """
    if gap:
        return answer(*gap)
    return min(round(number_bert.share_filled(answer, tokenizer()), 4), GOAL)


@functools.lru_cache(maxsize=4)
def answers(answer):
    """(words, gap, said, hidden word) at each gap of the test."""
    found = []

    def noting(words, gap):
        found.append((words, gap, answer(words, gap)))
        return ""

    number_bert.share_filled(noting, tokenizer())
    hidden = [tokenizer().vocab[i] for i in number_bert.gaps(tokenizer()).targets]
    return [(*row, true) for row, true in zip(found, hidden, strict=True)]


def says_words(answer):
    """A string, and not [MASK]."""
    for _, _, said, _ in answers(answer):
        if not isinstance(said, str):
            return f"It returns {said!r}: return a word, a string."
        if said == "[MASK]":
            return "It returns [MASK]: return the word that is hidden there."
    return True


def says_more_than_one_word(answer):
    """Not one answer for all."""
    if says_words(answer) is not True:
        return None
    return len({said for _, _, said, _ in answers(answer)}) > 1


def right_language(answer):
    """English above, German below."""
    if says_more_than_one_word(answer) is not True:
        return None
    english, german = map(set, zip(*WORDS, strict=True))
    languages = [
        (said in english, gap < words.index("[SEP]"))
        for words, gap, said, _ in answers(answer)
        if (said in english) != (said in german)
    ]
    wrong = sum(of_word != of_gap for of_word, of_gap in languages)
    return wrong <= 0.5 * len(languages)


def reaches_the_goal(answer):
    """The share, and one miss to look at."""
    if right_language(answer) is not True:
        return None
    rows = answers(answer)
    share = sum(said == true for _, _, said, true in rows) / len(rows)
    if share >= GOAL:
        return True
    words, gap, said, true = next(row for row in rows if row[2] != row[3])
    return (
        f"It fills {share:.2f} of the gaps, and {GOAL} is asked for. In “{' '.join(words)}” it "
        f"says {said!r} at index {gap}, where {true!r} is hidden."
    )


RIVAL = Write(
    id="6.8",
    title="A rival of your own",
    level="hard",
    text="""
Write a rival of NumberBERT by hand, without training anything. `rival(words, gap)` returns the word
that is hidden at index `gap` of `words`, the tokens of one pair. `words[gap]` is "[MASK]", and so
may others be: 15 % of the tokens are hidden, *and* and the hyphen among them. Here *forty* is
hidden, and the German *hundert*:

`["[CLS]", "two", "hundred", "and", "[MASK]", "-", "six", "[SEP]",`
`"zwei", "[MASK]", "sechs", "und", "vierzig", "[SEP]"]`, gap 4

You need no German: you can count in `learned`, 2,700 pairs (English, German) of strings, each pair
one number; `numbers.tokenizer.encode(text).tokens[1:-1]` cuts a string. The check asks at the gaps
of the test of 6F. The table fills 44 % of them, yours must fill **60 %**. Over 90 % is possible.
""",
    hints=(
        "Find the two texts: the first [SEP] stands between them. On which side is the gap?",
        "A word of the other text whose translation is not on the side of the gap: that is what "
        "is missing.",
        "For the translations, count in `learned` how often two words occur in the same pair, "
        "against how often each occurs at all.",
    ),
    solution=rival,
    second_style=rival_by_listing,
    mistakes=(rival_first_word,),
    cases=rival_cases,
    run=share_or_word,
    properties=(
        Property("A word is asked for at each gap, a string.", says_words),
        Property(
            "It says the same word at each gap: look at the other text.", says_more_than_one_word
        ),
        Property("It answers in the wrong language: translate the word.", right_language),
        Property("It fills too few of the gaps.", reaches_the_goal),
    ),
    see="6G Where it looks",
)
