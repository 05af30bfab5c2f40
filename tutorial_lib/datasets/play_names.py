"""Which words of a speech are names of characters? Labels that the cast of a play gives for free.

How the labels are made:

- The names of a play are the words of its speakers' labels that are printed in capitals (KING
  CLAUDIUS, SIR TOBY BELCH), without ranks, trades, numbers and countries (`NOT_NAMES`). Speakers
  printed in lower case (First Lord, Clown) have no name.
- A word of a speech is a name when it begins with a capital and is one of the play's names.
- Some names are also common words (Page, Bottom, Speed). One that occurs in lower case three times
  or more in the plays counts as a name only where its capital says so, which the first word of a
  line or sentence cannot. The few names there are missed.
- Names that follow one another in a line are one entity: Toby Belch is B I. In Hamlet's only the
  word Hamlet is a name; the apostrophe and the s are outside.

So only characters on the stage are labelled. Yorick and Jupiter are names too, but have no label;
York has one in a play with a Duke of York, even where it means the town.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from tutorial_lib.datasets.shakespeare import load_shakespeare
from tutorial_lib.datasets.splits import Splits
from tutorial_lib.tokenizers.pretokenize import bert_words

_WORDS = """
all another both first second third fourth poor young senior of the de la le and
ii iii iv vi viii xi
king queen prince princess duke duchess earl countess lord lords lady sir don dauphin bastard
cardinal archbishop bishop friar mistress gentleman gentlemen esquire knights captain governor
doctor herald clerk poet nurse gardener mariner citizen citizens attendant ghost prologue
english french frenchman frenchmen frenchwoman france venice bohemia syracuse ephesus calais
"""
NOT_NAMES = frozenset(_WORDS.split())
_COMMON = 3  # times in lower case
_SHORT = range(5, 41)  # words and marks of a speech that `draw_parts` may draw


@dataclass(frozen=True)
class LabelledSpeech:
    """One speech with a label for each word: B (a name begins), I (it goes on) or O.

    words are cut as in BERT, with their capitals; each punctuation mark is a word. `opens` is True
    for the first word of a line or sentence, where a capital tells nothing.
    """

    play: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    opens: tuple[bool, ...]


def cast_names(play):
    """Return the names of the characters of a Play, in lower case.

    >>> from tutorial_lib.datasets import load_shakespeare
    >>> hamlet = next(play for play in load_shakespeare().plays if play.title == "Hamlet")
    >>> sorted(cast_names(hamlet))[:4]
    ['bernardo', 'claudius', 'cornelius', 'fortinbras']
    """
    words = {word for speaker in play.speakers for word in re.findall(r"\w+", speaker)}
    # Two letters are part of a mistyped name, one letter is a number: SU FFOLK, KING HENRY V.
    return {word.lower() for word in words if word.isupper() and len(word) > 2} - NOT_NAMES


def label(text, names, common=frozenset(), play=""):
    """Return the LabelledSpeech of a text whose lines end in a line break.

    names, and common, those of them that are also common words, are in lower case.

    >>> speech = label("Page, is Bottom\\nPage's man?", {"page", "bottom"}, {"bottom"})
    >>> [word for word, tag in zip(speech.words, speech.tags) if tag == "B"]
    ['Page', 'Bottom', 'Page']
    """
    words, tags, opens = [], [], []
    for line in text.splitlines():
        opening, inside = True, False
        for word in bert_words(line, lowercase=False):
            is_word = word.isalpha()
            small = word.lower()
            is_name = small in names and word[0].isupper()
            is_name = is_name and not (opening and small in common)
            words.append(word)
            tags.append(("I" if inside else "B") if is_name else "O")
            opens.append(opening and is_word)
            inside = is_name
            opening = word in (".", "!", "?") or (opening and not is_word)
    return LabelledSpeech(play, tuple(words), tuple(tags), tuple(opens))


@cache
def load_play_names() -> dict[str, tuple[LabelledSpeech, ...]]:
    """Return the labelled speeches of all 38 plays, a dict from the play's title to a tuple.

    The speakers' names are not in them.
    Raises MissingDataError when the data wheel is missing.

    >>> speech = load_play_names()["Hamlet"][3]
    >>> speech.words, speech.tags
    (('Bernardo', '?'), ('B', 'O'))
    """
    plays = load_shakespeare().plays
    small = Counter(
        word
        for play in plays
        for speech in play.speeches
        for word in re.findall(r"\b[a-z]+\b", speech.text)
    )
    labelled = {}
    for play in plays:
        names = cast_names(play)
        common = {name for name in names if small[name] >= _COMMON}
        labelled[play.title] = tuple(
            label(speech.text, names, common, play.title) for speech in play.speeches
        )
    return labelled


def draw_parts(held_out, seed=0):
    """Return the Splits of one draw of short LabelledSpeeches, those with a name first.

    No play is in two parts. The test has 400 speeches of the plays held_out, titles, half of them
    with a name. Every fifth of the other plays is for validation, 520 speeches, and the training
    has 650 of the rest; of both, nine of thirteen have a name. A speech has 5 to 40 words and
    marks.
    Raises ValueError when the plays held out have fewer.

    >>> parts = draw_parts(["Hamlet", "Henry V", "Twelfth Night"])
    >>> [(len(part), sum("B" in speech.tags for speech in part)) for part in parts]
    [(650, 450), (520, 360), (400, 200)]
    """
    others = [play for play in load_play_names() if play not in held_out]
    validation = others[::5]
    train = [play for play in others if play not in validation]
    return Splits(
        _draw(train, 450, 200, seed),
        _draw(validation, 360, 160, seed),
        _draw(held_out, 200, 200, seed),
    )


def _draw(plays, n_named, n_plain, seed):
    labelled = load_play_names()
    short = [s for play in plays for s in labelled[play] if len(s.words) in _SHORT]
    draw = random.Random(seed)
    named, plain = ([s for s in short if ("B" in s.tags) is has] for has in (True, False))
    if len(named) < n_named or len(plain) < n_plain:
        raise ValueError(
            f"{n_named} short speeches with a name and {n_plain} without are needed, but "
            f"{', '.join(plays)} have {len(named)} and {len(plain)}"
        )
    return (*draw.sample(named, n_named), *draw.sample(plain, n_plain))
