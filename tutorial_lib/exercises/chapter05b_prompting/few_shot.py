"""Chapter 05b: a prompt with examples, as text."""

import re

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def prompt_with_examples(examples, query):
    """Return the text to continue: each example as “word plural|”, then the query and a space.

    examples holds (word, plural), two texts each; query is a word.
    """
    shown = [f"{word} {plural}|" for word, plural in examples]
    return "".join(shown) + query + " "


def prompt_with_examples_joined(examples, query):
    """Second style."""
    return "|".join(" ".join(row) for row in [*examples, (query, "")])


def endings(examples, query):
    """This gives the ending alone: the whole plural stands there."""
    return prompt_with_examples([(w, plural.removeprefix(w)) for w, plural in examples], query)


def prompt_with_examples_cases():
    """Examples that are not in the order of the alphabet, three and two of them, one, none."""
    wug, tas, mola = ("wug", "wugib"), ("tas", "tasib"), ("mola", "molako")
    return [
        case("3 examples", [tas, wug, mola], "mol"),
        case("2 examples", [mola, ("bif", "bifib")], "wuga"),
        case("1 example", [tas], "nop"),
        case("no example", [], "mol"),
    ]


EXAMPLES = [("wug", "blick"), ("dax", "feps"), ("tonk", "zib")]
WORDS, PLURALS = zip(*EXAMPLES, strict=True)


def pieces(answer):
    """The words and plurals of a prompt in order, and what stands before, between and behind."""
    prompt = answer(EXAMPLES, "mol")
    prompt = "".join(prompt) if isinstance(prompt, list) else prompt
    found = re.split(f"({'|'.join([*WORDS, *PLURALS, 'mol'])})", prompt)
    return found[1::2], found[::2]


def is_text(answer):
    """It returns one text."""
    return isinstance(answer(EXAMPLES, "mol"), str)


def shows_every_example(answer):
    """Each word and each plural is there, once."""
    found, _ = pieces(answer)
    if not {*PLURALS} & {*found} and {*WORDS} <= {*found}:
        return "It leaves out the plurals: they show what is asked for."
    lost = " and ".join(word for word, plural in EXAMPLES if not {word, plural} & {*found})
    if lost:
        return f"It leaves out examples: of {', '.join(WORDS)} it does not show {lost}."
    return sorted(found) == sorted([*WORDS, *PLURALS, *({"mol"} & {*found})])


def plural_follows_its_word(answer):
    """Word, plural, word, plural."""
    found = [text for text in pieces(answer)[0] if text != "mol"]
    pairs = [*zip(found[::2], found[1::2], strict=False)]
    if found and not {*WORDS} & {*found[::2]} and {*PLURALS} & {*found}:
        return "It puts the plural first: the word comes first, as in the query."
    return not {*PLURALS} & {*found} or {*pairs} <= {*EXAMPLES}


def order_is_kept(answer):
    """The words come as they were given."""
    found = [text for text in pieces(answer)[0] if text in WORDS]
    return found == [text for text in WORDS if text in found]


def query_comes_last(answer):
    """The query stands once, at the end."""
    return pieces(answer)[0].index("mol") == len(pieces(answer)[0]) - 1


def query_is_there(answer):
    """The query stands somewhere."""
    return "mol" in pieces(answer)[0]


def gaps(answer):
    """What stands between two words: inside of an example, between two, and before the query."""
    found, between = pieces(answer)
    for one, gap, other in zip(found, between[1:], found[1:], strict=False):
        inside = (one, other) in EXAMPLES or (other, one) in EXAMPLES
        if inside or one != "mol":
            yield "inside" if inside else "query" if other == "mol" else "between", gap


def space_inside(answer):
    """One space between word and plural."""
    wrong = [gap for where, gap in gaps(answer) if where == "inside" and gap != " "]
    return not wrong or f"Between word and plural stands {wrong[0]!r}: it must be a space, ' '."


def bar_after_each_example(answer):
    """A bar, and nothing else, between two examples, and between the last one and the query."""
    names = {"between": "two examples", "query": "the last example and the query"}
    wrong = [(names[where], gap) for where, gap in gaps(answer) if where in names and gap != "|"]
    return not wrong or "Between {} stands {!r}: it must be “|” alone.".format(*wrong[0])


def begins_with_a_word(answer):
    """Nothing before the first word, with examples or without."""
    first, alone = pieces(answer)[1][0], re.split("mol", "".join(answer([], "mol")))[0]
    return not (first or alone) or f"Before the first word stands {first or alone!r}: nothing must."


def ends_open(answer):
    """One space after the query."""
    found, between = pieces(answer)
    if found[-1] != "mol" or between[-1] == " ":
        return None if found[-1] != "mol" else True
    if not between[-1]:
        return "It ends with the query: the space behind it is what says that the word is over."
    return f"Behind the query stands {between[-1]!r}: it must be one space, ' '."


PROMPT_WITH_EXAMPLES = Write(
    id="5b.6",
    title="A prompt with examples",
    level="easy",
    text="""
Show a model a task that it was never told. Write `prompt_with_examples(examples, query)`:
`examples` is a list of (word, plural), and the prompt for three of them and the query “mol” is

```
wug wugib|tas tasib|mola molako|mol
```

A space stands between word and plural, a “|” behind each plural, and nothing else anywhere. The
query comes last and is left **open**: the text ends with the space behind it, from where a model of
characters goes on. Without examples the query and its space are all there is.
""",
    hints=(
        'One example first: `f"{word} {plural}|"`. How do you add the next one?',
        "The query looks like an example whose plural and “|” are still missing.",
        "Print `repr(prompt)`: it shows the space at the end, and what stands where.",
    ),
    solution=prompt_with_examples,
    second_style=prompt_with_examples_joined,
    mistakes=(endings,),
    cases=prompt_with_examples_cases,
    properties=(
        Property("It does not return a text: join the pieces into one.", is_text),
        Property("Words or plurals are missing, or come twice.", shows_every_example),
        Property("A plural must follow its own word.", plural_follows_its_word),
        Property("The order of the examples must be kept.", order_is_kept),
        Property("It leaves out the query.", query_is_there),
        Property("The query comes last, as the model goes on at the end.", query_comes_last),
        Property("Between word and plural stands a space.", space_inside),
        Property("A “|” stands behind each example.", bar_after_each_example),
        Property("Nothing must stand before the first word.", begins_with_a_word),
        Property("Behind the query stands one space.", ends_open),
    ),
    see="5bE Examples instead of training",
)
