"""Chapter 05: how much of a sample stands in the training text word for word."""

from tutorial_lib.exercises.chapter05_gpt.copies_slips import SLIPS
from tutorial_lib.exercises.engine.tasks import Write, case


def longest_copy(sample, text):
    """Return the length of the longest run of the sample that stands in the text.

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


LONGEST_COPY = Write(
    id="5.11",
    title="The longest copy",
    level="medium",
    text="""
Does a model extrapolate or copy? Write `longest_copy(sample, text)`: the number of tokens in the
longest run of the sample that stands in the text, neighbour by neighbour. Both are strings, whose
tokens are characters, or both are lists of tokens. If nothing of the sample stands there, it is 0.
""",
    hints=(
        "A slice is a run: `sample[start : start + length]`. Does it equal some slice of the "
        "text? (`in` would do for strings, but not for lists.)",
        "Once a run of 5 is found, only runs of 6 or more are of interest, wherever they begin.",
        "A run may begin inside another one: try each token of the sample as the first.",
    ),
    solution=longest_copy,
    second_style=longest_copy_table,
    mistakes=SLIPS,
    cases=longest_copy_cases,
    see="5.7 Extrapolating or copying",
)
