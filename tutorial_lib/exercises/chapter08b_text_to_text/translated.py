"""Chapter 08b: sentences that mean the same, in one row."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def translations_in_a_row(sentences, languages, sep_id):
    """Return ids, languages and positions, three lists, of sentences that mean the same.

    sentences: lists of ids; languages: the number of each one's language.
    """
    ids, of_language, positions = [], [], []
    for sentence, language in zip(sentences, languages, strict=True):
        framed = [sep_id, *sentence, sep_id]
        ids += framed
        of_language += [language] * len(framed)
        positions += range(len(framed))
    return ids, of_language, positions


def translations_flat(sentences, languages, sep_id):
    """Second style."""
    framed = [[sep_id, *map(int, sentence), sep_id] for sentence in sentences]
    return (
        [i for part in framed for i in part],
        [language for part, language in zip(framed, languages, strict=True) for _ in part],
        [place for part in framed for place, _ in enumerate(part)],
    )


def translations_counted_on(sentences, languages, sep_id):
    """This counts the positions on: compare the third row of the table with the first."""
    ids, of_language, _ = translations_in_a_row(sentences, languages, sep_id)
    return ids, of_language, list(range(len(ids)))


def translations_shared_separator(sentences, languages, sep_id):
    """This puts one separator between two sentences: in the table there are two, each sentence has
    its own at both ends."""
    ids, of_language, positions = [], [], []
    for number, (sentence, language) in enumerate(zip(sentences, languages, strict=True)):
        framed = [*([] if number else [sep_id]), *sentence, sep_id]
        ids += framed
        of_language += [language] * len(framed)
        positions += range(len(framed))
    return ids, of_language, positions


def translations_number_of_the_sentence(sentences, languages, sep_id):
    """This numbers the sentences 0, 1, ...: that would be BERT's segments. Here stands the language
    of each."""
    return translations_in_a_row(sentences, list(range(len(sentences))), sep_id)


def translations_separators_without_language(sentences, languages, sep_id):
    """This gives the separators language 0: in the table they have that of their sentence."""
    ids, of_language, positions = translations_in_a_row(sentences, languages, sep_id)
    of_language = [0 if i == sep_id else n for i, n in zip(ids, of_language, strict=True)]
    return ids, of_language, positions


def translations_words_alone(sentences, languages, sep_id):
    """This leaves out the separators."""
    ids, of_language, positions = [], [], []
    for sentence, language in zip(sentences, languages, strict=True):
        ids += sentence
        of_language += [language] * len(sentence)
        positions += range(len(sentence))
    return ids, of_language, positions


def translations_words_from_0(sentences, languages, sep_id):
    """This gives the first word position 0, and the separator before it none of its own: the
    separator stands at 0."""
    ids, of_language, positions = translations_in_a_row(sentences, languages, sep_id)
    return ids, of_language, [max(0, place - 1) for place in positions]


def translations_first_two(sentences, languages, sep_id):
    """This takes two sentences, however many there are."""
    return translations_in_a_row(sentences[:2], languages[:2], sep_id)


def translations_swapped(sentences, languages, sep_id):
    """This returns the positions before the languages: the order is ids, languages, positions."""
    ids, of_language, positions = translations_in_a_row(sentences, languages, sep_id)
    return ids, positions, of_language


def translations_one_end(sentences, languages, sep_id):
    """This ends a sentence with a separator, but does not begin with one."""
    ids, of_language, positions = [], [], []
    for sentence, language in zip(sentences, languages, strict=True):
        ids += [*sentence, sep_id]
        of_language += [language] * (len(sentence) + 1)
        positions += range(len(sentence) + 1)
    return ids, of_language, positions


def translations_cases():
    """Two, one and three sentences; languages in any order; an empty one."""
    return [
        case("two sentences", [[7, 8, 9], [5, 6]], [2, 4], 1),
        case("another separator", [[7, 8], [5, 6, 9, 3]], [3, 0], 2),
        case("one sentence", [[4, 5]], [3], 1),
        case("three sentences", [[4, 5], [6], [7, 8, 9]], [5, 1, 2], 0),
        case("one of them is empty", [[], [6, 7]], [1, 2], 1),
    ]


TWO = ([[7, 8, 9], [5, 6]], [2, 4], 1)


def took(answer, *given):
    """The three lists, as plain numbers."""
    found = answer(*(given or TWO))
    return [[int(n) for n in part] for part in found]


def three_lists(answer):
    """Three lists of one length."""
    found = answer(*TWO)
    if found is None or len(found) != 3:
        return False
    return len({len(part) for part in took(answer)}) == 1


def framed(answer):
    """Every sentence has a separator at both ends."""
    return took(answer)[0] == [1, 7, 8, 9, 1, 1, 5, 6, 1]


def languages_given(answer):
    """The languages are those that were given, separators included."""
    ids, of_language, _ = took(answer)
    if ids != [1, 7, 8, 9, 1, 1, 5, 6, 1]:
        return None
    return of_language == [2] * 5 + [4] * 4


def start_again(answer):
    """Each sentence counts from 0."""
    ids, _, positions = took(answer)
    if ids != [1, 7, 8, 9, 1, 1, 5, 6, 1]:
        return None
    return positions == [0, 1, 2, 3, 4, 0, 1, 2, 3]


def any_number(answer):
    """Three sentences, too."""
    return {4, 6, 7} <= {*took(answer, [[4], [6], [7]], [5, 1, 2], 0)[0]}


TRANSLATIONS = Write(
    id="8b.12",
    title="In one row",
    level="easy",
    text="""
Two rows as XLM reads them in this kind of training, of sentences that mean the same. In the first,
the ids 7 8 9 are in language 2, the ids 5 6 in language 4, and 1 is the id of the separator. In the
second, 4 is in language 3, 5 6 7 in language 0, and 2 is the separator’s id:

| | |
|---|---|
| ids | 1 7 8 9 1 1 5 6 1 |
| languages | 2 2 2 2 2 4 4 4 4 |
| positions | 0 1 2 3 4 0 1 2 3 |

| | |
|---|---|
| ids | 2 4 2 2 5 6 7 2 |
| languages | 3 3 3 0 0 0 0 0 |
| positions | 0 1 2 0 1 2 3 4 |

Write `translations_in_a_row(sentences, languages, sep_id)` for **any number** of sentences (lists
of ids) and the language of each. Return three lists: ids, languages, positions.
""",
    hints=(
        "What stands at both ends of every sentence? And which language has it?",
        "Look at the positions: where do they go back to 0?",
        "Build one sentence at a time, with its separators, and put its three lists behind the "
        "others.",
    ),
    solution=translations_in_a_row,
    second_style=translations_flat,
    mistakes=(
        translations_counted_on,
        translations_shared_separator,
        translations_number_of_the_sentence,
        translations_separators_without_language,
        translations_words_alone,
        translations_words_from_0,
        translations_first_two,
        translations_one_end,
        translations_swapped,
    ),
    cases=translations_cases,
    results=("ids", "languages", "positions"),
    properties=(
        Property("It must return three lists of the same length.", three_lists),
        Property(
            "The ids are not those of the table: every sentence has a separator at both ends.",
            framed,
        ),
        Property("The languages are not those of the table.", languages_given),
        Property("The positions are not those of the table.", start_again),
        Property("It does not take three sentences.", any_number),
    ),
    see="8bG Many languages",
)
