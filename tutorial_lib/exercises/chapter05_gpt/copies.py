"""Chapter 05: how much of a sample occurs in the training text word for word."""

from difflib import SequenceMatcher

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def longest_copy(sample, text):
    """Return the length of the longest run of the sample that occurs in the text.

    sample and text are strings or lists of tokens; the tokens of a run are neighbours in both.
    """
    longest = 0
    for start in range(len(sample)):
        while start + longest < len(sample):
            run = sample[start : start + longest + 1]  # one longer than the best so far
            if not any(text[i : i + len(run)] == run for i in range(len(text))):
                break
            longest += 1
    return longest


def longest_copy_table(sample, text):
    """Second style."""
    longest, before = 0, [0] * (len(text) + 1)
    for token in sample:
        ending = [0]  # the longest run that ends with this token, at each place of the text
        for place, other in enumerate(text):
            ending.append(before[place] + 1 if token == other else 0)
        longest, before = max(longest, *ending), ending
    return longest


def right(sample, text):
    """The right answer."""
    return SequenceMatcher(None, sample, text, autojunk=False).find_longest_match().size


def longest_copy_total(sample, text):
    """This adds up the runs: the longest one alone counts."""
    matcher = SequenceMatcher(None, sample, text, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def longest_copy_junk(sample, text):
    """This lets `SequenceMatcher` skip frequent tokens, as it does in long texts: give it
    `autojunk=False`.
    """
    return SequenceMatcher(None, sample, text).find_longest_match().size


def longest_copy_cases():
    """Strings and lists; runs inside, at the ends, in a second place, and inside of a run."""
    lines = ["to", "be", "or", "not", "to", "be", "that", "is", "the", "question"]
    return [
        case("characters", "the quill", "he had the quiet question"),
        case("words", ["perhaps", "not", "to", "be", "or", "to", "see"], lines),
        case("ids", [1, 23, 4], [12, 3, 4, 1, 2, 34]),
        case("ids that end alike", [2, 3], [12, 3]),
        case("the end of both", [7, 8, 5, 9, 5, 6], [1, 9, 5, 6]),
        case("a run inside a run", "abcabd", "cabd abc"),
        case("the second place", [3, 1, 2, 4], [1, 5, 1, 2, 4, 6]),
        case("two runs", [1, 2, 9, 3, 4, 5], [6, 1, 2, 8, 3, 4, 5]),
        case("all of it", ["be", "that"], lines),
        case("nothing", [1, 2], [3, 4, 5]),
        case("an empty sample", "", "text"),
        case("an empty text", [1], []),
        case("a long text", "xabababx", "ab" * 150),
    ]


RUN = [1, 2, 3]
SAMPLES = (RUN, [*RUN, 9], [9, *RUN])  # each is easy for some mistake that another shows
PLAIN = ((RUN, RUN), ([*RUN, 9], [*RUN, 8]), ([9, *RUN], [8, *RUN]))


def gives_a_number(answer):
    """The length, not the run."""
    return torch.as_tensor(answer(RUN, RUN)).tolist() != RUN


def takes_any_tokens(answer):
    """What works for texts works for numbers."""
    letters = ["a", "b", "c"]
    for tokens in (RUN, letters):
        try:
            answer(tokens, tokens)
        except ValueError:
            if tokens is letters:
                raise  # it fails on texts as well, for another reason
        else:
            if tokens is RUN:
                return True
    return False


def longest_of(answer, pairs):
    """The largest number that an answer gives for several pairs of sample and text.

    Where an answer returns runs, which is said already, it is the length of the longest.
    """
    found = [answer(*pair) for pair in pairs]
    if not gives_a_number(answer):
        found = [len(run) for run in found]
    return max(map(float, found))


def surplus(answer):
    """How many more than 3 it counts where there is nothing but a run of 3, at most one.

    Raises ValueError for an answer that counts something else.
    """
    found = longest_of(answer, PLAIN) - len(RUN)
    if abs(found) > 1:
        raise ValueError("no run")
    return found


def counts_tokens(answer):
    """A run of 3 counts 3."""
    found = longest_of(answer, PLAIN)
    if found <= 1 and answer("abc", "xabcx") == 3:
        return (
            "It asks `run in text`. A string looks for the run, but a list looks for one element "
            "that equals the whole run: compare slices."
        )
    if found > 4 and answer("abc", "xabcx") == 3:
        return "In lists it counts characters: the tokens are counted, whatever their length."
    sentences = {
        2: "It counts one less than the tokens of a run: the pairs of neighbours, perhaps.",
        4: "It counts one too many: the first run that is not in the text.",
    }
    return found == 3 or sentences.get(
        found, f"Where sample and text share a run of 3 tokens, and no more, it counts {found:g}."
    )


def finds(sentence, *pairs, length=3, unless=()):
    """Return the property of finding that many tokens in one of some pairs of sample and text.

    How many too many an answer counts does not matter, and where one of the properties `unless`
    does not hold nothing can be told.
    """

    def holds(answer):
        if not all(entry.holds(answer) for entry in unless):
            return None
        return longest_of(answer, pairs) - surplus(answer) >= length

    return Property(sentence, holds)


def finds_no_more(sentence, *pairs, length=1):
    """Return the property of finding no more than that many tokens in any of some pairs."""
    return Property(sentence, lambda answer: longest_of(answer, pairs) - surplus(answer) <= length)


ANY_BEGINNING = finds(
    "It looks for runs at the beginning of the sample only: a run may begin anywhere in it.",
    ([9, *RUN], [*RUN, 7]),
    ([9, *RUN], [8, *RUN, 7]),
    ([9, *RUN, 9], [8, *RUN, 7]),
)
ANY_END = finds(
    "It looks for runs at the end of the sample only: a run may end anywhere in it.",
    ([*RUN, 9], [*RUN, 7]),
    ([9, *RUN, 9, 9], [8, *RUN, 7]),
)
ANY_PLACE = finds(
    "It looks at one place of the text only: a run may be anywhere in it.",
    *((sample, [7, 8, *RUN, 7]) for sample in SAMPLES),
)
LATER_PLACE = finds(
    "It follows a token to the first place in the text where it occurs: a later place may carry "
    "on for longer.",
    *((sample, [1, 8, *RUN, 7]) for sample in SAMPLES),
    unless=(ANY_PLACE,),
)
THE_LONGEST = finds(
    "It stops at the first run that it finds: a later one may be longer.",
    ([1, 2, 9, 3, 4, 5, 9], [3, 4, 5, 8, 1, 2, 8]),
    unless=(ANY_BEGINNING, ANY_END, ANY_PLACE),
)
INSIDE_A_RUN = finds(
    "It goes on after a run that has ended: the longest one may begin inside of it.",
    ([1, 2, 1, 2, 3, 4, 9], [1, 2, 1, 8, 1, 2, 3, 4, 8]),
    length=4,
    unless=(ANY_BEGINNING, ANY_END, ANY_PLACE, LATER_PLACE, THE_LONGEST),
)
LAST_OF_SAMPLE = finds(
    "It never looks at the last token of the sample: a run may end there.",
    (RUN, [*RUN, 7]),
    ([9, *RUN], [8, *RUN, 7]),
)
LAST_OF_TEXT = finds(
    "It never looks at the last token of the text: a run may end there.",
    *((sample, RUN) for sample in SAMPLES),
    ([9, *RUN], [8, *RUN]),
)
NEIGHBOURS = finds_no_more(
    "The tokens of a run must be neighbours, in the text too: of 1 2 3 no two are in 1 9 2 8 3.",
    (RUN, [1, 9, 2, 8, 3]),
)
IN_ORDER = finds_no_more(
    "The tokens of a run must stand in its order: of 1 2 3 no two do in 3 2 1.", (RUN, [3, 2, 1])
)
TOKENS = finds_no_more(
    "It counts characters: the tokens are counted, whatever their length.",
    (["to", "be", "or"], ["to", "be", "or"]),
    length=3,
)
WHOLE_TOKENS = finds_no_more(
    "It finds runs that begin or end inside of a token, as the run “2 3” in “12 3”: compare "
    "tokens, do not glue them together.",
    ([1, 23], [12, 3]),
    ([2, 3], [12, 3]),
)


LONGEST_COPY = Write(
    id="5.11",
    title="The longest copy",
    level="medium",
    text="""
Does a model compose or copy? Write `longest_copy(sample, text)`: the number of tokens in the
longest run of the sample that also occurs in the text, in one piece. Both are strings, whose tokens
are characters, or both are lists of tokens. If nothing of the sample occurs there, it is 0. The
texts of the check are short, a few hundred tokens at most: how fast it is does not matter.
""",
    hints=(
        "A slice is a run: `sample[start : start + length]`. Does it equal some slice of the "
        "text? (`in` would do for strings, but not for lists.)",
        "Once a run of 5 is found, only runs of 6 or more are of interest, wherever they begin.",
        "A run may begin inside another one: try each token of the sample as the first.",
    ),
    solution=longest_copy,
    second_style=longest_copy_table,
    mistakes=(
        longest_copy_total,
        longest_copy_junk,
    ),
    cases=longest_copy_cases,
    properties=(
        Property("It returns the run itself: return its length.", gives_a_number),
        Property(
            "Tokens need not be texts, they may be numbers: compare them, do not glue them "
            "together.",
            takes_any_tokens,
        ),
        Property("A run of 3 tokens counts 3.", counts_tokens),
        ANY_BEGINNING,
        ANY_END,
        ANY_PLACE,
        LATER_PLACE,
        THE_LONGEST,
        INSIDE_A_RUN,
        LAST_OF_SAMPLE,
        LAST_OF_TEXT,
        NEIGHBOURS,
        IN_ORDER,
        TOKENS,
        WHOLE_TOKENS,
    ),
    see="5I Composing or copying",
)
