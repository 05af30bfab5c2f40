"""Chapter 05b: a prompt with examples, as text."""

import re

from tutorial_lib.exercises.engine.tasks import Property, Write, case

ASKS, SAYS = "Poor English input: ", "\nGood English output:"


def prompt_with_examples(examples, query):
    """Return the text to continue: each example with its answer, then the query, left open.

    examples holds (wrong, right), two sentences each; query is a sentence.
    """
    shown = [f"{ASKS}{wrong}{SAYS} {right}\n\n" for wrong, right in examples]
    return "".join(shown) + f"{ASKS}{query}{SAYS}"


def prompt_with_examples_joined(examples, query):
    """Second style."""
    return "\n\n".join(f"{ASKS}{w}{SAYS} {r}".rstrip() for w, r in [*examples, (query, "")])


def space_at_the_end(examples, query):
    """This ends with a space. SmolLM2's words begin with their space, so it would have to go on
    with a word that has none: end with the colon."""
    return prompt_with_examples(examples, query) + " "


def prompt_with_examples_cases():
    """Examples that are not in the order of the alphabet, three and two of them, one, none."""
    ate = ("I eated it.", "I ate it.")
    went = ("She goed home.", "She went home.")
    sang = ("We singed.", "We sang.")
    return [
        case("3 examples", [went, ate, sang], "He runned."),
        case("2 examples", [sang, ate], "You seed me."),
        case("1 example", [went], "They swimmed."),
        case("no example", [], "He runned."),
    ]


EXAMPLES = [("wug", "blick"), ("dax", "feps"), ("tonk", "zib")]
WRONG, RIGHT = zip(*EXAMPLES, strict=True)
MIDDLE, NEXT = f"{SAYS} ", f"\n\n{ASKS}"


def pieces(answer):
    """The sentences of a prompt in order, and what comes before, between and after them."""
    prompt = answer(EXAMPLES, "mol")
    prompt = "".join(prompt) if isinstance(prompt, list) else prompt
    found = re.split(f"({'|'.join([*WRONG, *RIGHT, 'mol'])})", prompt)
    return found[1::2], found[::2]


def is_text(answer):
    """It returns one text."""
    return isinstance(answer(EXAMPLES, "mol"), str)


def shows_every_example(answer):
    """Each sentence is there, once."""
    found, _ = pieces(answer)
    if not {*RIGHT} & {*found} and {*WRONG} <= {*found}:
        return "It leaves out the answers: they show what you want."
    lost = " and ".join(wrong for wrong, right in EXAMPLES if not {wrong, right} & {*found})
    if lost:
        return f"It leaves out examples: of {', '.join(WRONG)} it does not show {lost}."
    return sorted(found) == sorted([*WRONG, *RIGHT, *({"mol"} & {*found})])


def answer_follows_its_question(answer):
    """Question, answer, question, answer."""
    found = [text for text in pieces(answer)[0] if text != "mol"]
    pairs = [*zip(found[::2], found[1::2], strict=False)]
    if found and not {*WRONG} & {*found[::2]} and {*RIGHT} & {*found}:
        return "It puts the answer first: the wrong sentence comes first, as in the query."
    return not {*RIGHT} & {*found} or {*pairs} <= {*EXAMPLES}


def order_is_kept(answer):
    """The sentences come as they were given."""
    found = [text for text in pieces(answer)[0] if text in WRONG]
    return found == [text for text in WRONG if text in found]


def query_comes_last(answer):
    """The query comes once, at the end."""
    return pieces(answer)[0].index("mol") == len(pieces(answer)[0]) - 1


def query_is_there(answer):
    """The query comes somewhere."""
    return "mol" in pieces(answer)[0]


def gaps(answer):
    """What is between two sentences: inside of an example, between two, and before the query."""
    found, between = pieces(answer)
    for one, gap, other in zip(found, between[1:], found[1:], strict=False):
        inside = (one, other) in EXAMPLES or (other, one) in EXAMPLES
        if inside or one != "mol":
            yield "inside" if inside else "query" if other == "mol" else "between", gap


def label_inside(answer):
    """A new line and the label of the answer, between question and answer."""
    wrong = [gap for where, gap in gaps(answer) if where == "inside" and gap != MIDDLE]
    if wrong and wrong[0] == SAYS:
        return "An answer comes right after its colon: put one space between them."
    return not wrong or f"Question and answer have {wrong[0]!r} between them, not {MIDDLE!r}."


def empty_line_after_each_example(answer):
    """An empty line and the label of the question, between two examples and before the query."""
    names = {"between": "Two examples", "query": "The last example and the query"}
    wrong = [(names[where], gap) for where, gap in gaps(answer) if where in names and gap != NEXT]
    return not wrong or "{} have {!r} between them, not {!r}.".format(*wrong[0], NEXT)


def begins_with_the_label(answer):
    """The first line begins with the label, with examples or without."""
    first, alone = pieces(answer)[1][0], re.split("mol", "".join(answer([], "mol")))[0]
    wrong = [text for text in (first, alone) if text != ASKS]
    return not wrong or f"Before the first sentence comes {wrong[0]!r}, not {ASKS!r}."


def ends_open(answer):
    """The label of the answer after the query, and nothing after its colon."""
    found, between = pieces(answer)
    if found[-1] != "mol":
        return None
    if not between[-1]:
        return "It ends with the query: the label of the answer is missing."
    if between[-1] == f"{SAYS} ":
        return "It ends with a space: end with the colon."
    return between[-1] == SAYS or f"After the query comes {between[-1]!r}, not {SAYS!r}."


PROMPT_WITH_EXAMPLES = Write(
    id="5b.1",
    title="A prompt with examples",
    level="easy",
    text="""
Write the prompt yourself: `prompt_with_examples(examples, query)`. `examples` is a list of
(wrong, right), two sentences each. For one example and the query “She goed home.” the text is

```
Poor English input: I eated it.
Good English output: I ate it.

Poor English input: She goed home.
Good English output:
```

There is one empty line after each example, and one space after each colon that is followed by a
sentence. The query comes last and stays **open**: the text ends with the colon, with no space and
no new line after it. Without examples, the two lines of the query are all there is.
""",
    hints=(
        "Start with one example as an f-string. Which two characters make an empty line?",
        "The query looks like an example that stops after its second colon.",
        "Print `repr(prompt)`: it shows each new line as \\n, and any space at the end.",
    ),
    solution=prompt_with_examples,
    second_style=prompt_with_examples_joined,
    mistakes=(space_at_the_end,),
    cases=prompt_with_examples_cases,
    properties=(
        Property("It does not return a text: join the pieces into one.", is_text),
        Property("Sentences are missing, or come twice.", shows_every_example),
        Property("An answer must follow its own question.", answer_follows_its_question),
        Property("Keep the examples in the order in which they are given.", order_is_kept),
        Property("It leaves out the query.", query_is_there),
        Property("The query comes last: the model goes on at the end.", query_comes_last),
        Property("Question and answer have the wrong text between them.", label_inside),
        Property("An empty line comes after each example.", empty_line_after_each_example),
        Property("The prompt begins with the label of the question.", begins_with_the_label),
        Property("The prompt ends with the label of the answer.", ends_open),
    ),
    see="5bB What are examples worth?",
)
