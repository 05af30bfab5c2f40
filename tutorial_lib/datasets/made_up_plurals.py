"""Plurals of made-up words in made-up grammars: only the examples tell what comes next.

"This is a wug. Now there is another one. There are two of them. There are two ___." (Berko 1958:
children say "wugs", so they know a rule, not a list.) Here the rule is made up too. A grammar has
one ending for words that end in a vowel and another for those that end in a consonant:

    wug wugib|mola molako|tas tasib|ilu ___

A fixed fifth of the words and a fixed fifth of the 2,700 endings are held out: no model is trained
on them, so they can measure what it has learned.
"""

import random
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

VOWELS = "aeiou"
CONSONANTS = "bcdfghjklmnpqrstvwxz"
GIVES, ENDS = " |"  # after a word, and after its plural
ALPHABET = GIVES + ENDS + "".join(sorted(VOWELS + CONSONANTS))  # a character's id is its index here

# C a consonant, V a vowel.
WORD_SHAPES = {"vowel": ("CVCV", "VCV"), "consonant": ("CVC", "VCVC")}
ENDING_SHAPES = ("VC", "CV", "VCV", "CVC")


@dataclass(frozen=True)
class Grammar:
    """The two endings of a made-up language.

    >>> Grammar(after_vowel="ko", after_consonant="ib").plural("wug")
    'wugib'
    """

    after_vowel: str
    after_consonant: str

    def plural(self, word):
        """Return the word with the ending that belongs to its last letter."""
        return word + (self.after_vowel if word[-1] in VOWELS else self.after_consonant)


@dataclass(frozen=True)
class Example:
    """A word and its plural.

    >>> example = Example("wug", "wugib")
    >>> example.text, example.ending
    ('wug wugib|', 'ib')
    """

    word: str
    plural: str

    @property
    def text(self):
        """The example as a prompt shows it."""
        return f"{self.word}{GIVES}{self.plural}{ENDS}"

    @property
    def ending(self):
        """What the plural adds to the word."""
        return self.plural[len(self.word) :]

    @property
    def kind(self):
        """What the word ends in, "vowel" or "consonant": it decides the ending."""
        return "vowel" if self.word[-1] in VOWELS else "consonant"


def few_shot_prompt(examples: Iterable[Example | tuple[str, str]], query: str) -> str:
    """Return the text to continue: the examples in order, the query, and a space.

    examples: Examples or pairs (word, plural); query: a word.

    >>> few_shot_prompt([("wug", "wugib"), ("tas", "tasib")], "mol")
    'wug wugib|tas tasib|mol '
    """
    shown = [e if isinstance(e, Example) else Example(*e) for e in examples]
    return "".join(example.text for example in shown) + query + GIVES


def is_held_out(text):
    """Return whether a word or an ending belongs to the fifth that is never trained on.

    >>> is_held_out("wug")
    False
    """
    return zlib.crc32(text.encode()) % 5 == 0


def draw_grammar(generator: random.Random, held_out: bool = False) -> Grammar:
    """Return a Grammar of two different endings, both held out or both not.

    >>> import random
    >>> draw_grammar(random.Random(0))
    Grammar(after_vowel='ral', after_consonant='uju')
    """
    one = other = _drawn(generator, ENDING_SHAPES, held_out)
    while one == other:
        other = _drawn(generator, ENDING_SHAPES, held_out)
    return Grammar(one, other)


def draw_word(generator: random.Random, held_out: bool = False) -> str:
    """Return a made-up word that ends in a vowel or a consonant, both equally often.

    >>> import random
    >>> draw_word(random.Random(0))
    'alut'
    """
    return _drawn(generator, WORD_SHAPES[generator.choice([*WORD_SHAPES])], held_out)


def draw_examples(
    n: int, grammar: Grammar, generator: random.Random, held_out: bool = False
) -> tuple[Example, ...]:
    """Return n Examples of a grammar, no word twice."""
    words = {}
    while len(words) < n:
        words[draw_word(generator, held_out)] = None
    return tuple(Example(word, grammar.plural(word)) for word in words)


def ceiling(sequences):
    """Return, for each example, the share of sequences whose earlier examples tell its plural.

    sequences: of equally many Examples. They tell it when they show a word of the same kind;
    otherwise even a reader who knows how the data are made has to guess.

    >>> ceiling([[Example("wug", "wugib"), Example("mola", "molako"), Example("mol", "molib")]])
    [0.0, 0.0, 1.0]
    """
    return _share(sequences, lambda shown, asked: any(e.kind == asked.kind for e in shown))


def last_ending(sequences):
    """Return, for each example, how often the ending of the one before is right: a baseline.

    >>> last_ending([[Example("wug", "wugib"), Example("mola", "molako"), Example("su", "suko")]])
    [0.0, 0.0, 1.0]
    """
    return _share(sequences, lambda shown, asked: shown[-1:] and shown[-1].ending == asked.ending)


def _share(sequences, right):
    n = len(sequences[0])
    return [sum(bool(right(s[:k], s[k])) for s in sequences) / len(sequences) for k in range(n)]


def _drawn(generator, shapes, held_out):
    while True:
        shape = generator.choice(shapes)
        text = "".join(generator.choice(VOWELS if s == "V" else CONSONANTS) for s in shape)
        if is_held_out(text) == held_out:
            return text
