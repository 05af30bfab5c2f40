"""Chapter 06b: from one tag a word to one label a token, counted before any training."""

from collections import Counter
from functools import cache

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Symptom, case

NUMBERS = {"O": 0, "B": 1, "I": 2}


def piece_labels(tags, pieces):
    """Return one label per token, [CLS] and [SEP] included: 0 for O, 1 for B, 2 for I, or -100.

    tags: "O", "B" or "I" for each word; pieces: a list of pieces for each word. Only the first
    piece of a word carries its label; -100, which cross-entropy skips, is for all other tokens.
    """
    labels = [-100]  # [CLS]
    for tag, of_word in zip(tags, pieces, strict=True):
        first, later = "OBI".index(tag), -100
        labels += [first] + [later] * (len(of_word) - 1)
    return [*labels, -100]  # [SEP]


def piece_labels_places(tags, pieces):
    """Second style."""
    labels = [-100] * (sum(map(len, pieces)) + 2)
    place = 1
    for tag, of_word in zip(tags, pieces, strict=True):
        labels[place] = "OBI".index(tag)
        place += len(of_word)
    return labels


def piece_labels_last(tags, pieces):
    """This labels the last piece of a word in place of the first."""
    labels = [-100]  # [CLS]
    for tag, of_word in zip(tags, pieces, strict=True):
        last, earlier = "OBI".index(tag), -100
        labels += [earlier] * (len(of_word) - 1) + [last]
    return [*labels, -100]  # [SEP]


def piece_labels_all(tags, pieces):
    """This gives every piece the label of its word."""
    labels = [-100]  # [CLS]
    for tag, of_word in zip(tags, pieces, strict=True):
        first = later = "OBI".index(tag)
        labels += [first] + [later] * (len(of_word) - 1)
    return [*labels, -100]  # [SEP]


def piece_labels_others_o(tags, pieces):
    """This gives the later pieces of a word 0, the number of O."""
    labels = [-100]  # [CLS]
    for tag, of_word in zip(tags, pieces, strict=True):
        first, later = "OBI".index(tag), 0
        labels += [first] + [later] * (len(of_word) - 1)
    return [*labels, -100]  # [SEP]


def piece_labels_inside(tags, pieces):
    """This treats later pieces as further words: I in a name, O outside."""
    labels = [-100]  # [CLS]
    for tag, of_word in zip(tags, pieces, strict=True):
        first = "OBI".index(tag)
        later = 2 if first else 0
        labels += [first] + [later] * (len(of_word) - 1)
    return [*labels, -100]  # [SEP]


def piece_labels_cases():
    """Names of one to three pieces, neighbours, long words that are no names, and no words."""
    return [
        case("good ho ##ratio", ["O", "B"], [["good"], ["ho", "##ratio"]]),
        case(
            "sir to ##by bel ##ch !",
            ["O", "B", "I", "O"],
            [["sir"], ["to", "##by"], ["bel", "##ch"], ["!"]],
        ),
        case("a name of four pieces", ["B", "O"], [["ro", "##s", "##al", "##ind"], ["comes"]]),
        case("no name", ["O", "O"], [["to"], ["mor", "##row"]]),
        case("no words", [], []),
    ]


TAGS = ["O", "B", "I", "O"]
PIECES = [["fare", "##well"], ["to", "##by"], ["bel", "##ch", "##s"], ["!"]]


def labels_of(answer):
    """The labels of farewell toby belchs !, as a list."""
    return [int(label) for label in answer(list(TAGS), [list(some) for some in PIECES])]


def of_first(tag, n, rest):
    """The first piece has the tag of its word."""
    return [tag] + [rest] * (n - 1)


def of_last(tag, n, rest):
    """The last piece has it."""
    return [rest] * (n - 1) + [tag]


def of_all(tag, n, rest):
    """Each piece has it."""
    return [tag] * n


def of_all_inside(tag, n, rest):
    """Each piece has it, but a name begins only once."""
    return [tag] + [2 if tag == 1 else tag] * (n - 1)


def of_words(tag, n, rest):
    """A word has one label, however many pieces it has."""
    return [tag]


def labelled(spread, rest, first, last, numbers):
    """Make labels by other rules."""
    labels = []
    for tag, some in zip(TAGS, PIECES, strict=True):
        labels += spread(numbers[tag], len(some), rest)
    return [*first, *labels, *last]


def counted(piece_labels, speeches, tokenizer):
    """Count the tags of the words of speeches, and the labels that `piece_labels` makes of them.

    speeches have words and tags (`LabelledSpeech`); tokenizer is a WordPieceTokenizer. Returns two
    Counters: tag -> words, label -> tokens.
    """

    @cache
    def pieces_of(word):
        return [tokenizer.vocab[i] for i in tokenizer.encode(word).ids[1:-1]]

    tags, labels = Counter(), Counter()
    for speech in speeches:
        tags.update(speech.tags)
        labels.update(piece_labels(speech.tags, [pieces_of(word) for word in speech.words]))
    return tags, labels


PIECE_LABELS = Symptom(
    id="6b.4",
    title="Count your labels",
    level="medium",
    text="""
Names are tagged by *word*, but BERT reads *pieces*: “Horatio” is `["ho", "##ratio"]`, and the whole
word has one tag, O, B or I. `piece_labels(tags, pieces)` makes one label for each token: [CLS], all
pieces in order, [SEP]. O is 0, B is 1, I is 2. In this chapter only the **first** piece of a word
carries its label. All other tokens get -100, which PyTorch's cross-entropy skips.

The table below counts the tags of one play, and the labels that code with one of these mistakes
made from them.

1. Choose the letter of the mistake.
2. Then open the folded cell below the check and repair `piece_labels`.
""",
    hints=(
        "If only first pieces had a label, how often would each label occur?",
        "Every label occurs as often as its tag, or more. Which one occurs exactly as often?",
        "Where do the surplus labels come from: pieces of which words, and with which number?",
    ),
    solution=piece_labels,
    second_style=piece_labels_places,
    mistakes=(piece_labels_last, piece_labels_all, piece_labels_others_o, piece_labels_inside),
    shown=piece_labels_inside,
    looks=(
        "Each label would occur as often as its tag: a count cannot find this one.",
        "There would be more of all three labels than of the tags, of B, too: a name of one word "
        "and three pieces would begin three times.",
        "There would be more O than the tags have, and exactly as many B and I.",
        "There would be exactly as many B as in the tags, but more O and far more I.",
    ),
    cases=piece_labels_cases,
    properties=composed(
        labels_of,
        labelled,
        {
            "The first piece of a word carries its label, and no other does.": of_first,
            "The last piece of a word carries its label: it is the first one's.": of_last,
            "Every piece of a word gets the word's label: only the first one does.": of_all,
            "The later pieces of a name become I: only the first piece has a label.": of_all_inside,
            "A word gets one label, however many pieces it has: BERT reads pieces, and each token "
            "needs an entry.": of_words,
        },
        {
            "The later pieces of a word get -100.": -100,
            "The later pieces of a word get 0, which is O: the loss would count them. -100 is "
            "skipped.": 0,
        },
        {
            "The special token [CLS] gets -100.": [-100],
            "The special token [CLS] gets 0, which is O: it is not a word, so -100.": [0],
            "[CLS] is missing: it is a token too, and needs -100.": [],
        },
        {
            "The special token [SEP] gets -100.": [-100],
            "The special token [SEP] gets 0, which is O: it is not a word, so -100.": [0],
            "[SEP] is missing: it is a token too, and needs -100.": [],
        },
        {
            "O is 0, B is 1, I is 2.": NUMBERS,
            "B and I are exchanged: B is 1, I is 2.": {"O": 0, "B": 2, "I": 1},
            "B and I get the same number: B is 1, I is 2.": {"O": 0, "B": 1, "I": 1},
            "It counts from 1: O is 0, B is 1, I is 2.": {"O": 1, "B": 2, "I": 3},
            "The letters are numbered by the alphabet: O is 0, B is 1, I is 2.": {
                "B": 0,
                "I": 1,
                "O": 2,
            },
            "O is left at -100: then the model never learns what is no name.": {
                "O": -100,
                "B": 1,
                "I": 2,
            },
        },
    ),
    see="6bC Which words are names",
)
