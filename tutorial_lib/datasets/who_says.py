"""Who says it? Questions about short excerpts of scenes; the answer is a span, a speaker's name.

An excerpt is a few speeches of one scene, one after another, each after its speaker's name and a
colon. Of a long speech only the beginning is shown. There are at least three speakers. The quote
is the beginning of one of the speeches, four to eight words that occur only once in the excerpt. A
speaker's name may occur more often: before each speech, and when others say it.

Every speech begins at most one excerpt, so excerpts of one play overlap.
"""

import random
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from tutorial_lib.datasets.shakespeare import load_shakespeare
from tutorial_lib.tokenizers.pretokenize import bert_words

# All counted in words as BERT cuts them; punctuation counts too, except in quotes.
EXCERPT = 48
SHOWN = 10  # of a speech
QUOTE = (4, 8)  # at least and at most
LEAST_SPEAKERS = 3


@dataclass(frozen=True)
class Question:
    """A quote, the excerpt it is from, and where in the excerpt its speaker's name is.

    quote and excerpt are words in lower case, as BERT cuts them; names holds the span
    (start, end) of each speaker's name before a speech, in order; turn is the speech quoted, so
    excerpt[slice(*names[turn])] is the answer.
    """

    play: str
    act: str
    scene: str
    quote: tuple[str, ...]
    excerpt: tuple[str, ...]
    names: tuple[tuple[int, int], ...]
    turn: int

    @property
    def answer(self):
        """The words of the speaker's name."""
        return self.excerpt[slice(*self.names[self.turn])]


def places_of(quote, words):
    """Return all indices at which the quote begins in words.

    >>> places_of(["be"], ["to", "be", "or", "not", "to", "be"])
    [1, 5]
    """
    quote, length = tuple(quote), len(quote)
    starts = range(len(words) - length + 1)
    return [start for start in starts if tuple(words[start : start + length]) == quote]


def ask(about, speeches, draw: random.Random) -> list[Question]:
    """Return the Questions about an excerpt that begins with the first of some speeches, a list.

    about is (play, act, scene); speeches are pairs of lists of words (name, what is said). The
    excerpt takes as many speeches as fit. Each one with a quote of its own gets a question, unless
    fewer than three speakers fit.

    >>> speeches = [(["ann"], "who is it there ?".split()), (["bob"], ["ay"]), (["cy"], ["no"])]
    >>> [question.answer for question in ask(("Ado", "I", "1"), speeches, random.Random(0))]
    [('ann',)]
    """
    excerpt, names, said = [], [], []
    for name, words in speeches:
        words = words[:SHOWN]
        if len(excerpt) + len(name) + 1 + len(words) > EXCERPT:
            break
        names.append((len(excerpt), len(excerpt) + len(name)))
        excerpt += [*name, ":", *words]
        said.append(words)
    if len({tuple(excerpt[slice(*span)]) for span in names}) < LEAST_SPEAKERS:
        return []
    quotes = [_quote(words, excerpt, draw) for words in said]
    return [
        Question(*about, quote, tuple(excerpt), tuple(names), turn)
        for turn, quote in enumerate(quotes)
        if quote
    ]


def _quote(said, excerpt, draw):
    """Return the first 4 to 8 words of a speech with their punctuation; None if not unique."""
    ends = [i + 1 for i, word in enumerate(said) if word.isalpha()]
    if len(ends) < QUOTE[0]:
        return None
    length = draw.randint(QUOTE[0], min(QUOTE[1], len(ends)))
    quote = tuple(said[: ends[length - 1]])
    return quote if len(places_of(quote, excerpt)) == 1 else None


@cache
def load_who_says() -> dict[str, tuple[Question, ...]]:
    """Return the Questions of all 38 plays, a dict from the play's title to a tuple.

    The questions of a play do not depend on other plays.
    Raises MissingDataError when the data wheel is missing.

    >>> question = load_who_says()["Hamlet"][0]
    >>> " ".join(question.quote), " ".join(question.answer)
    ('have you had quiet', 'bernardo')
    """
    return {play.title: tuple(_questions(play)) for play in load_shakespeare().plays}


def _questions(play):
    draw = random.Random(play.title)
    for where, speeches in groupby(play.speeches, key=lambda speech: (speech.act, speech.scene)):
        cut = [(bert_words(speech.speaker), bert_words(speech.text)) for speech in speeches]
        for first in range(len(cut)):
            # A speech takes three words at least: a name, a colon, a word.
            yield from ask((play.title, *where), cut[first : first + EXCERPT // 3], draw)


def first_name(question):
    """Answer with the first name of the excerpt: the span of its words."""
    return question.names[0]


def most_frequent_name(question):
    """Answer with the name before the most speeches of the excerpt; a tie goes to the first."""
    names = [question.excerpt[slice(*span)] for span in question.names]
    return question.names[max(range(len(names)), key=lambda turn: names.count(names[turn]))]


def by_string_search(question):
    """Answer with the last name before the quote: an algorithm, not a model."""
    start = places_of(question.quote, question.excerpt)[0]
    return [span for span in question.names if span[1] <= start][-1]
