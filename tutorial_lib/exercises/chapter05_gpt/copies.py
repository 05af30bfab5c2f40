"""Chapter 05: how much of a sample stands in the training text word for word."""

from difflib import SequenceMatcher

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


def run_length(sample, text):
    """How many tokens two sequences share from their beginning."""
    length = 0
    while length < min(len(sample), len(text)) and sample[length] == text[length]:
        length += 1
    return length


def stands_in(run, text):
    """Whether a run stands somewhere in a text."""
    return any(text[i : i + len(run)] == run for i in range(len(text) - len(run) + 1))


def right(sample, text):
    """The right answer."""
    return SequenceMatcher(None, sample, text, autojunk=False).find_longest_match().size


def runs_of(sample):
    """All runs of a sample."""
    ends = range(len(sample) + 1)
    return [sample[start:end] for end in ends for start in range(end)]


def longest_copy_prefix(sample, text):
    """This looks for runs at the beginning of the sample only: a run may begin anywhere in it."""
    return max([run_length(sample, text[i:]) for i in range(len(text))], default=0)


def longest_copy_suffix(sample, text):
    """This looks for runs at the end of the sample only: a run may end anywhere in it."""
    return max([n for n in range(1, len(sample) + 1) if stands_in(sample[-n:], text)], default=0)


def longest_copy_text_prefix(sample, text):
    """This looks at the beginning of the text only: a run may stand anywhere in it."""
    return max([run_length(sample[i:], text) for i in range(len(sample))], default=0)


def longest_copy_same_place(sample, text):
    """This compares place by place: a run may stand at other places in the text."""
    runs = [run_length(sample[i:], text[i:]) for i in range(len(sample))]
    return max(runs, default=0)


def longest_copy_subsequence(sample, text):
    """This lets the run have gaps: its tokens must be neighbours, in the text too."""
    before = [0] * (len(text) + 1)
    for token in sample:
        row = [0]
        for place, other in enumerate(text):
            longer = before[place] + 1 if token == other else 0
            row.append(max(longer, before[place + 1], row[-1]))
        before = row
    return before[-1]


def longest_copy_whole(sample, text):
    """This asks for the whole sample or nothing: a part of it counts too."""
    return len(sample) if stands_in(sample, text) else 0


def longest_copy_known_tokens(sample, text):
    """This counts tokens in a row that stand somewhere in the text, each by itself: they must be
    neighbours there too.
    """
    longest = run = 0
    for token in sample:
        run = run + 1 if token in text else 0
        longest = max(longest, run)
    return longest


def longest_copy_set(sample, text):
    """This counts the different tokens that both have: they must form one run."""
    return len(set(sample) & set(text))


def longest_copy_first(sample, text):
    """This stops at the first run that it finds: a later one may be longer."""
    for start in range(len(sample)):
        lengths = [run_length(sample[start:], text[i:]) for i in range(len(text))]
        if max(lengths, default=0):
            return max(lengths)
    return 0


def longest_copy_first_place(sample, text):
    """This follows each token to the first place in the text where it stands: a later place may
    carry on for longer.
    """
    longest = 0
    for start, token in enumerate(sample):
        if token in text:
            longest = max(longest, run_length(sample[start:], text[text.index(token) :]))
    return longest


def longest_copy_no_way_back(sample, text):
    """This goes on behind a run that has ended: the longest one may begin inside of it."""
    longest = start = 0
    while start < len(sample):
        length = max([run_length(sample[start:], text[i:]) for i in range(len(text))], default=0)
        longest, start = max(longest, length), start + max(length, 1)
    return longest


def longest_copy_unfinished(sample, text):
    """This counts a run only when another token follows it: the last run of the sample counts
    too.
    """
    return right(sample[:-1], text)


def longest_copy_short_text(sample, text):
    """This never looks at the last token of the text."""
    return right(sample, text[:-1])


def longest_copy_characters(sample, text):
    """This counts characters: the tokens are counted, whatever their length."""
    if isinstance(sample, str):
        return right(sample, text)
    sample, text = " ".join(map(str, sample)), " ".join(map(str, text))
    return right(sample, text)


def glued(separator, sample, text):
    """The longest run that stands in the text when the tokens of both are glued together."""
    text = separator.join(map(str, text))
    found = [len(run) for run in runs_of(sample) if separator.join(map(str, run)) in text]
    return max(found, default=0)


def longest_copy_glued(sample, text):
    """This glues the tokens together, and finds runs that begin or end inside of one: compare
    tokens.
    """
    return glued("", sample, text)


def longest_copy_glued_with_spaces(sample, text):
    """This glues the tokens together with spaces, and finds the run “2 3” in “12 3”: compare
    tokens.
    """
    return glued(" ", sample, text)


def longest_copy_in_list(sample, text):
    """This asks `run in text`. A string looks for the run, but a list looks for one element that
    equals the whole run: compare slices.
    """
    return max([len(run) for run in runs_of(sample) if run in text], default=0)


def longest_copy_pairs(sample, text):
    """This counts the pairs of neighbours, one less than the tokens."""
    return max(right(sample, text) - 1, 0)


def longest_copy_one_more(sample, text):
    """This counts one too many: the first run that is not in the text."""
    return right(sample, text) + 1


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
    mistakes=(
        longest_copy_prefix,
        longest_copy_suffix,
        longest_copy_text_prefix,
        longest_copy_same_place,
        longest_copy_subsequence,
        longest_copy_whole,
        longest_copy_known_tokens,
        longest_copy_set,
        longest_copy_first,
        longest_copy_first_place,
        longest_copy_no_way_back,
        longest_copy_unfinished,
        longest_copy_short_text,
        longest_copy_characters,
        longest_copy_glued,
        longest_copy_glued_with_spaces,
        longest_copy_in_list,
        longest_copy_pairs,
        longest_copy_one_more,
        longest_copy_total,
        longest_copy_junk,
    ),
    cases=longest_copy_cases,
    see="5.7 Extrapolating or copying",
)
