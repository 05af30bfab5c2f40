"""Chapter 05b: a prompt with examples, as text."""

from tutorial_lib.exercises.engine.tasks import Write, case


def prompt_with_examples(examples, query):
    """Return the text to continue: each example as “word plural|”, then the query and a space.

    examples holds (word, plural), two texts each; query is a word.
    """
    shown = [f"{word} {plural}|" for word, plural in examples]
    return "".join(shown) + query + " "


def prompt_with_examples_joined(examples, query):
    """Second style."""
    return "|".join(" ".join(row) for row in [*examples, (query, "")])


def blocks_of(examples):
    """The examples, each with its end."""
    return [f"{word} {plural}|" for word, plural in examples]


def no_space(examples, query):
    """This ends with the query: the space behind it is what says that the word is over."""
    return prompt_with_examples(examples, query)[:-1]


def two_spaces(examples, query):
    """This ends with two spaces: one stands between a word and its plural."""
    return prompt_with_examples(examples, query) + " "


def closed(examples, query):
    """This ends the query with a “|”: the model has its plural still to write."""
    return prompt_with_examples(examples, query)[:-1] + "|"


def closed_after_space(examples, query):
    """This puts a “|” behind the last space: it would say that the plural is written already."""
    return prompt_with_examples(examples, query) + "|"


def newline(examples, query):
    """This ends with a line end in place of the space."""
    return prompt_with_examples(examples, query)[:-1] + "\n"


def newline_after_space(examples, query):
    """This puts a line end behind the last space: the model is to go on right there."""
    return prompt_with_examples(examples, query) + "\n"


def last_end_missing(examples, query):
    """This leaves out the “|” between the last example and the query."""
    return "|".join(f"{word} {plural}" for word, plural in examples) + query + " "


def last_end_spaced(examples, query):
    """This puts a space, not a “|”, between the last example and the query."""
    return "|".join(f"{word} {plural}" for word, plural in examples) + f" {query} "


def no_ends(examples, query):
    """This leaves out the “|” behind each example."""
    return prompt_with_examples(examples, query).replace("|", "")


def spaces_for_ends(examples, query):
    """This puts a space where a “|” ends an example: the model could not tell the two apart."""
    return prompt_with_examples(examples, query).replace("|", " ")


def spaced_ends(examples, query):
    """This puts a space behind each “|”: nothing stands between two examples."""
    return prompt_with_examples(examples, query).replace("|", "| ")


def lines(examples, query):
    """This gives each example a line of its own: all stand on one line."""
    return prompt_with_examples(examples, query).replace("|", "|\n")


def lines_for_ends(examples, query):
    """This ends an example with a line end: “|” ends it."""
    return prompt_with_examples(examples, query).replace("|", "\n")


def ends_inside(examples, query):
    """This puts a “|” between word and plural: a space stands there."""
    return "".join(f"{word}|{plural}|" for word, plural in examples) + query + "|"


def arrows(examples, query):
    """This puts an arrow between word and plural: a space stands there."""
    return "".join(f"{word} -> {plural}|" for word, plural in examples) + f"{query} -> "


def glued(examples, query):
    """This glues word and plural together: a space stands between them."""
    return "".join(f"{word}{plural}|" for word, plural in examples) + query + " "


def empty_start(examples, query):
    """This begins with a “|” when there is no example: it stands behind an example only."""
    return "|".join(f"{word} {plural}" for word, plural in examples) + f"|{query} "


def end_first(examples, query):
    """This puts the “|” before each example: it stands behind it."""
    return "".join(f"|{word} {plural}" for word, plural in examples) + f"|{query} "


def query_first(examples, query):
    """This puts the query first: the model goes on at the end, so the query comes last."""
    return f"{query} " + "".join(blocks_of(examples))


def query_only(examples, query):
    """This leaves out the examples."""
    return f"{query} "


def no_query(examples, query):
    """This leaves out the query."""
    return "".join(blocks_of(examples))


def turned_round(examples, query):
    """This turns the order of the examples round: keep it."""
    return prompt_with_examples(examples[::-1], query)


def in_alphabet(examples, query):
    """This sorts the examples: keep their order."""
    return prompt_with_examples(sorted(examples), query)


def swapped(examples, query):
    """This puts the plural first: the word comes first, as in the query."""
    return prompt_with_examples([(plural, word) for word, plural in examples], query)


def last_only(examples, query):
    """This keeps the last example only: add each one to those before."""
    return prompt_with_examples(examples[-1:], query)


def first_only(examples, query):
    """This keeps the first example only: a `return` inside of the loop ends it."""
    return prompt_with_examples(examples[:1], query)


def last_lost(examples, query):
    """This drops the last example: the query comes behind it."""
    return prompt_with_examples(examples[:-1], query)


def grouped(examples, query):
    """This lists all words and then all plurals: a plural follows its word."""
    words = "".join(f"{word} " for word, _ in examples)
    return words + "".join(f"{plural}|" for _, plural in examples) + f"{query} "


def no_plurals(examples, query):
    """This leaves out the plurals: they show what is asked for."""
    return "".join(f"{word}|" for word, _ in examples) + f"{query} "


def endings(examples, query):
    """This gives the ending alone: the whole plural stands there."""
    return prompt_with_examples([(w, plural.removeprefix(w)) for w, plural in examples], query)


def a_list(examples, query):
    """This returns a list: join the pieces into one text."""
    return [*blocks_of(examples), f"{query} "]


def prompt_with_examples_cases():
    """Examples that are not in the order of the alphabet, three and two of them, one, none."""
    wug, tas, mola = ("wug", "wugib"), ("tas", "tasib"), ("mola", "molako")
    return [
        case("3 examples", [tas, wug, mola], "mol"),
        case("2 examples", [mola, ("bif", "bifib")], "wuga"),
        case("1 example", [tas], "nop"),
        case("no example", [], "mol"),
    ]


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
    mistakes=(
        no_space,
        two_spaces,
        closed,
        closed_after_space,
        newline,
        newline_after_space,
        last_end_missing,
        last_end_spaced,
        no_ends,
        spaces_for_ends,
        spaced_ends,
        lines,
        lines_for_ends,
        ends_inside,
        arrows,
        glued,
        empty_start,
        end_first,
        query_first,
        query_only,
        no_query,
        turned_round,
        in_alphabet,
        swapped,
        last_only,
        first_only,
        last_lost,
        grouped,
        no_plurals,
        endings,
        a_list,
    ),
    cases=prompt_with_examples_cases,
    see="5b.5 Examples instead of training",
)
