"""Chapter 06b: from a label a word to the names of a text."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def entities(tags):
    """Return the entities of B/I/O tags as a list of (start, end): words[start:end] is the name.

    B begins an entity, I goes on with it, O is outside; an I after an O, or at the very
    beginning, begins one too.
    """
    spans, start = [], None
    for place, tag in enumerate([*tags, "O"]):  # the O at the end closes the last one
        if start is not None and tag != "I":
            spans.append((start, place))
            start = None
        if start is None and tag != "O":
            start = place
    return spans


def entities_borders(tags):
    """Second style."""
    before, after = ["O", *tags][:-1], [*tags, "O"][1:]
    neighbours = list(zip(before, tags, after, strict=True))
    starts = [i for i, (b, tag, _) in enumerate(neighbours) if tag + b in ("BO", "BB", "BI", "IO")]
    ends = [i + 1 for i, (_, tag, a) in enumerate(neighbours) if tag != "O" and a != "I"]
    return [list(span) for span in zip(starts, ends, strict=True)]


def read(tags, opens, goes_on, closes_at_end=True):
    """Read tags with other rules: opens(before, tag), goes_on(before, tag), before is "O" at first.

    A word that does both opens a new entity.
    """
    spans, start, before = [], None, "O"
    for place, tag in enumerate(tags):
        opening = opens(before, tag)
        if start is not None and (opening or not goes_on(before, tag)):
            spans.append((start, place))
            start = None
        if opening:
            start = place
        before = tag
    if start is not None and closes_at_end:
        spans.append((start, len(tags)))
    return spans


def opening(before, tag):
    """The rule: B opens, and an I after an O."""
    return tag == "B" or (tag == "I" and before == "O")


def entities_outside(tags):
    """These are the stretches outside of all names: O is no entity."""
    return entities(
        ["B" if tag == "O" and i == 0 else "I" if tag == "O" else "O" for i, tag in enumerate(tags)]
    )


def entities_cases():
    """Names of one to three words, neighbours, I without a B, and names at both ends."""
    return [
        case("O B I O B O", list("OBIOBO")),
        case("a name of three words", list("OOBIIO")),
        case("a name at the end", list("BOBI")),
        case("a name that is the last word", list("OOB")),
        case("two names side by side", list("OBBIBO")),
        case("an I after an O", list("OBOIIO")),
        case("an I at the beginning", list("IOB")),
        case("no name", list("OOO")),
        case("no words", []),
    ]


LONG = "OOOOOBIIIO"  # words[5:9]: no other reading of start and end gives these two numbers


def written_as(answer):
    """How an answer writes the name of LONG, as one pair. Raises ValueError for anything else."""
    ((start, end),) = answer(list(LONG)).tolist()
    return start, end


def one_pair_a_name(answer):
    """LONG holds one name."""
    found = answer(list(LONG))
    if found.dim() == 1 and len(found) > 0:
        return "These are places: one (start, end) a name is asked for."
    return len(found) == 1


def starts_at_the_b(answer):
    """The first number of LONG."""
    start, _ = written_as(answer)
    return start == 5 or f"The name words[5:9] of {LONG} starts at {start}: it starts at its B."


def ends_behind_the_last_word(answer):
    """The second number of LONG."""
    _, end = written_as(answer)
    sentences = {
        8: "The end is the last word of the name: `words[start:end]` needs the position after it.",
        4: "The second number is the length of the name: it is the position after its last word.",
        6: "A name ends after one word: as many I as there are go on with it.",
        7: "A name ends after two words: as many I as there are go on with it.",
    }
    return end == 9 or sentences.get(end, f"The name words[5:9] of {LONG} ends at {end}.")


def reads(tags, sentences=()):
    """A property: the names of these tags are found, however an answer writes a name.

    sentences {names: sentence} say what other readings mean.
    """

    def holds(answer):
        start, end = written_as(answer)
        if start not in (5, 6) or end not in (4, 8, 9, 10):
            return None  # no name of LONG
        got = []
        for first, last in torch.as_tensor(answer(list(tags))).tolist():
            got.append((first - (start - 5), first + last if end == 4 else last - (end - 9)))
        return got == entities(tags) or dict(sentences).get(tuple(got), False)

    return holds


ENTITIES = Write(
    id="6b.2",
    title="From tags to names",
    level="medium",
    text="""
A model gives each word a tag: “B” begins a name, “I” goes on with it, “O” is outside. Write
`entities(tags)` for a list of tags. Return a list with `(start, end)` for each name, in order, so
that `words[start:end]` is the name. A B begins a new name even right after another one.
True labels never have an I after an O, or at the very beginning. But a model may predict one, and
then that I begins a name, too. So `["B", "I", "B", "O", "I"]` gives `[(0, 2), (2, 3), (4, 5)]`.
""",
    hints=(
        "Walk along the tags and remember where the name began that you are in, if you are in one.",
        "Which tags close a name? Which tags open one? A B may do both, so close first.",
        "The end of the tags closes a name as an O does: walk along `[*tags, 'O']`.",
    ),
    solution=entities,
    second_style=entities_borders,
    mistakes=(entities_outside,),
    cases=entities_cases,
    properties=(
        Property(
            f"{LONG} has one name of four words: an I goes on with the one before it.",
            one_pair_a_name,
        ),
        Property("A name starts at its B.", starts_at_the_b),
        Property("A name ends after its last word.", ends_behind_the_last_word),
        Property("A name of one word is lost: a B with no I after it is one.", reads("OOBOO")),
        Property(
            "A name at the end of the tags is lost: nothing comes to close it.", reads("OOBI")
        ),
        Property(
            "A B right after a name must close it, and begin a new one.",
            reads(
                "OBIBIO",
                {
                    ((1, 5),): "Names side by side are glued together: a B begins a new one.",
                    (
                        (1, 3),
                    ): "At the B that closes a name the next one is lost: that B begins it.",
                    ((3, 5),): "A name is forgotten when a B follows at once: close it first.",
                },
            ),
        ),
        Property(
            "An I after an O begins a name too.",
            reads(
                "BIOIIO",
                {
                    ((0, 2),): "An I after an O is left out: it begins a name too.",
                    ((0, 5),): "An I after an O is glued to the name before it, the O included: it "
                    "begins a new one.",
                },
            ),
        ),
        Property("An I at the very beginning begins a name too.", reads("IIOO")),
    ),
    see="6bC Which words are names",
)
