"""Chapter 05b: how often a model is right after k examples, every pair asked once."""

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def few_shot_score(pairs, k, build, goes_on):
    """Return the share of pairs that a model answers rightly after k of the others, from 0 to 1.

    pairs holds (question, answer); build(examples, question) returns a prompt, and goes_on(prompt)
    what the model writes. Each pair is asked once; its examples are the k pairs after it.
    """
    right = 0
    for i, (question, answer) in enumerate(pairs):
        after = pairs[i + 1 :] + pairs[:i]
        right += goes_on(build(after[:k], question)) == answer
    return right / len(pairs)


def few_shot_score_modulo(pairs, k, build, goes_on):
    """Second style."""
    n = len(pairs)
    shown = [[pairs[(i + j) % n] for j in range(1, k + 1)] for i in range(n)]
    said = [goes_on(build(shown[i], pairs[i][0])) for i in range(n)]
    return sum(one == pair[1] for one, pair in zip(said, pairs, strict=True)) / n


PAIRS = [(f"q{i}", f"a{i}") for i in range(5)]
SAID = {"q0": "a0", "q1": "a1", "q2": "a2 and more", "q3": "a", "q4": "a4"}


def plainly(examples, question):
    """A prompt that shows what it was made of."""
    if isinstance(examples, str):
        raise TypeError("`build` takes the examples first, then the question")
    shown = "".join(f"{asked}={said};" for asked, said in examples)
    return f"{shown}{question}="


def sure(prompt):
    """A model that never looks at the examples."""
    return SAID[prompt.rstrip("=").split(";")[-1]]


def swayed(prompt):
    """A model whose answers hang on every sign of the prompt: right in two of three cases."""
    question = prompt.rstrip("=").split(";")[-1]
    weighed = sum(i * ord(sign) for i, sign in enumerate(prompt))
    return question.replace("q", "a") if weighed % 3 else "no"


def few_shot_score_cases():
    """A model that the examples don't sway, and one that they do."""
    return [
        case("two examples", PAIRS, 2, plainly, sure),
        case("no example", PAIRS, 0, plainly, sure),
        *(case(f"a model that is swayed, {k} examples", PAIRS, k, plainly, swayed) for k in (1, 3)),
    ]


def asked(answer, k=2):
    """The score, and each prompt that was built, a list of (examples, question)."""
    built = []

    def build(examples, question):
        built.append((list(examples), question))
        return plainly(examples, question)

    return answer(list(PAIRS), k, build, sure), built


def _score(shown, pairs, compare, divide):
    built, right = [], 0
    asked_for, out_of = pairs(len(PAIRS))
    for i in asked_for:
        question, answer = PAIRS[i]
        built.append((shown(i, 2), question))
        right += compare(SAID[question], answer)
    return divide(right, out_of), built


def _round(first):
    return lambda i, k: [PAIRS[(i + first + j) % len(PAIRS)] for j in range(k)]


def never_its_own_answer(answer):
    """A question sees its own answer among the examples: show k of the *other* pairs."""
    return all(question not in dict(shown) for shown, question in asked(answer)[1])


PROPERTIES = composed(
    asked,
    _score,
    {
        "The examples of a pair are the k pairs after it, going on at the first after the last.": (
            _round(1)
        ),
        "It shows the pair that it asks for among the examples, so the answer is in the prompt: "
        "begin one pair later.": _round(0),
        "Every question gets the first k pairs as its examples: take the k pairs after it.": (
            lambda i, k: PAIRS[:k]
        ),
        "The last questions have too few examples: after the last pair go on at the first.": (
            lambda i, k: PAIRS[i + 1 : i + 1 + k]
        ),
        "It takes the k pairs before each one: take those after it.": lambda i, k: [
            PAIRS[(i - k + j) % len(PAIRS)] for j in range(k)
        ],
        "It takes the k pairs before each one, the nearest first: take those after it.": (
            lambda i, k: [PAIRS[i - 1 - j] for j in range(k)]
        ),
        "It shows the k pairs after each one in reverse: keep their order.": lambda i, k: _round(1)(
            i, k
        )[::-1],
        "It shows one example more than k.": lambda i, k: _round(1)(i, k + 1),
        "It shows one example less than k.": lambda i, k: _round(1)(i, k - 1),
        "It shows all other pairs, not k of them.": lambda i, k: _round(1)(i, len(PAIRS) - 1),
        "It shows no example: pass them to `build`.": lambda i, k: [],
    },
    {
        "Each pair is asked once.": lambda n: (range(n), n),
        "It asks only pairs after the first k: each pair is asked once.": lambda n: (
            range(2, n),
            n,
        ),
        "It asks and counts only the pairs after the first k: each pair is asked once.": lambda n: (
            range(2, n),
            n - 2,
        ),
        "It leaves out the last pair.": lambda n: (range(n - 1), n),
        "It asks only the first pair: `return` comes after the loop.": lambda n: (range(1), n),
    },
    {
        "An answer is right when it equals the one of the pair.": lambda said, answer: (
            said == answer
        ),
        "“a2 and more” is not “a2”: the whole answer must be right, not its beginning.": (
            lambda said, answer: said.startswith(answer)
        ),
        "It counts the wrong answers.": lambda said, answer: said != answer,
    },
    {
        "The score is a share, from 0 to 1.": lambda right, n: right / n,
        "It is a count: divide by the number of pairs.": lambda right, n: right,
        "It is 0, whatever the model says: compare with the answer alone, not with the pair, and "
        "divide by /, since // rounds down.": lambda right, n: right // n,
        "It is in percent: a share from 0 to 1 is asked for.": lambda right, n: 100 * right / n,
    },
    otherwise=(never_its_own_answer,),
)


def reads_the_prompt(answer):
    """The model must read the prompt that `build` returns."""
    read = []

    def goes_on(prompt):
        read.append(prompt)
        return "a0"

    answer(list(PAIRS), 1, plainly, goes_on)
    return bool(read) and all(isinstance(one, str) and one.endswith("=") for one in read)


FEW_SHOT_SCORE = Write(
    id="5b.1",
    title="Score a prompt",
    level="medium",
    text="""
One answer proves little, so ask many questions. Write `few_shot_score(pairs, k, build, goes_on)`.
`pairs` is a list of (question, answer). `build(examples, question)` returns a prompt, and
`goes_on(prompt)` the line that the model writes after it.

Ask each pair **once**. Its examples are the k pairs that come **after it** in the list; after the
last pair, go on at the first. As k is smaller than the number of pairs, no question sees its own
answer. An answer counts when it equals the right one exactly. Return the share of right answers,
from 0 to 1.
""",
    hints=(
        "Go over `enumerate(pairs)`. For pair i: the examples, the prompt, the answer, compare.",
        "`pairs[i + 1 :] + pairs[:i]` are all the others, beginning with the one after pair i.",
        'A bool counts as 0 or 1: `right += goes_on(...) == answer`. "Share" means a division.',
    ),
    solution=few_shot_score,
    second_style=few_shot_score_modulo,
    mistakes=(),
    cases=few_shot_score_cases,
    properties=(
        Property("Give the model the prompt that `build` returns.", reads_the_prompt),
        *PROPERTIES,
    ),
    see="5bB What are examples worth?",
)
