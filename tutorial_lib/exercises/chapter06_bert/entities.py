"""Chapter 06: from a label a word to the names of a text."""

from tutorial_lib.exercises.engine.tasks import Write, case


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


def is_i(before, tag):
    """The rule: I goes on."""
    return tag == "I"


def entities_last_word(tags):
    """This gives the last word as the end: `words[start:end]` needs the place behind it."""
    return [(start, end - 1) for start, end in entities(tags)]


def entities_stray_left_out(tags):
    """This leaves out an I after an O: it begins an entity too."""
    return read(tags, lambda before, tag: tag == "B", is_i)


def entities_stray_glued(tags):
    """This glues an I after an O to the entity before it, the O included: it begins a new one."""
    spans = []
    for place, tag in enumerate(tags):
        if tag == "B" or (tag == "I" and not spans):
            spans.append((place, place + 1))
        elif tag == "I":
            spans[-1] = (spans[-1][0], place + 1)
    return spans


def entities_stray_first(tags):
    """This leaves out an I at the very beginning: it begins an entity too."""
    return [(s, e) for s, e in entities(tags) if s > 0 or tags[0] == "B"]


def entities_glued(tags):
    """This glues neighbours together: a B begins a new entity, also right behind another one."""
    return read(tags, lambda before, tag: before == "O" and tag != "O", lambda b, tag: tag != "O")


def entities_glued_after_i(tags):
    """This opens a B only after an O or a B: it begins a new entity after an I too."""

    def opens(before, tag):
        return tag != "O" and (before == "O" or before + tag == "BB")

    return read(tags, opens, lambda before, tag: tag != "O")


def entities_b_lost(tags):
    """This closes an entity at the B of the next one, and loses that B: it begins a new entity."""
    spans, start = [], None
    for place, tag in enumerate([*tags, "O"]):
        if start is None and tag != "O":
            start = place
        elif start is not None and tag != "I":
            spans.append((start, place))
            start = None
    return spans


def entities_forgotten(tags):
    """This forgets a name when a B follows at once: close it before the next one begins."""
    return [(s, e) for s, e in entities(tags) if e == len(tags) or tags[e] != "B"]


def entities_forgotten_stray(tags):
    """This forgets a name when a B follows at once, and leaves out an I after an O: a B closes
    a name, and either begins one.
    """
    return [(s, e) for s, e in entities_forgotten(tags) if tags[s] == "B"]


def entities_open_end(tags):
    """This forgets the last entity, where the tags end inside of it."""
    return read(tags, opening, is_i, closes_at_end=False)


def entities_only_before_o(tags):
    """This keeps an entity only when an O comes after it: a B or the end of the tags closes it
    too.
    """
    return [(s, e) for s, e in entities(tags) if e < len(tags) and tags[e] == "O"]


def entities_each_word(tags):
    """This makes each word an entity of its own: an I goes on with the one before it."""
    return [(place, place + 1) for place, tag in enumerate(tags) if tag != "O"]


def entities_first_word(tags):
    """This takes the first word of each entity alone: an I goes on with it."""
    return [(start, start + 1) for start, _ in entities(tags)]


def entities_only_b(tags):
    """This takes the words with a B alone: an I goes on with them."""
    return [(place, place + 1) for place, tag in enumerate(tags) if tag == "B"]


def entities_only_i(tags):
    """This leaves out the B: it is the first word of the name."""
    return [(s + (tags[s] == "B"), e) for s, e in entities(tags) if e - s > (tags[s] == "B")]


def entities_two_words(tags):
    """This leaves out names of one word: a B with no I after it is an entity too."""
    return [(start, end) for start, end in entities(tags) if end - start > 1]


def entities_one_i(tags):
    """This ends after two words: as many I as there are go on with the entity."""
    return [(start, min(end, start + 2)) for start, end in entities(tags)]


def entities_length(tags):
    """This gives the length as the second number: it is the place behind the last word."""
    return [(start, end - start) for start, end in entities(tags)]


def entities_outside(tags):
    """These are the stretches outside of all names: O is no entity."""
    return entities(
        ["B" if tag == "O" and i == 0 else "I" if tag == "O" else "O" for i, tag in enumerate(tags)]
    )


def entities_places(tags):
    """These are all places in entities: one (start, end) an entity is asked for."""
    return [place for place, tag in enumerate(tags) if tag != "O"]


def entities_one_late(tags):
    """This ends one word late: the end is the place behind the last word of the name."""
    return [(start, end + 1) for start, end in entities(tags)]


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


ENTITIES = Write(
    id="6.9",
    title="From tags to names",
    level="medium",
    text="""
A model gives each word a tag: “B” begins a name, “I” goes on with it, “O” is outside. Write
`entities(tags)` for a list of tags: the list of `(start, end)` of all names in order, so that
`words[start:end]` is the name. A B begins a new name even right behind another one. An I after an
O, or at the very beginning, stands in no true labels, but a model may say it: it begins a name too.
""",
    hints=(
        "Walk along the tags and remember where the name began that you are in, if you are in one.",
        "Which tags close a name? Which tags open one? A B may do both, so close first.",
        "The end of the tags closes a name as an O does: walk along `[*tags, 'O']`.",
    ),
    solution=entities,
    second_style=entities_borders,
    mistakes=(
        entities_last_word,
        entities_stray_left_out,
        entities_stray_glued,
        entities_stray_first,
        entities_glued,
        entities_glued_after_i,
        entities_b_lost,
        entities_forgotten,
        entities_forgotten_stray,
        entities_open_end,
        entities_only_before_o,
        entities_each_word,
        entities_first_word,
        entities_only_b,
        entities_only_i,
        entities_two_words,
        entities_one_i,
        entities_length,
        entities_outside,
        entities_places,
        entities_one_late,
    ),
    cases=entities_cases,
    see="6.8 Which words are names",
)
