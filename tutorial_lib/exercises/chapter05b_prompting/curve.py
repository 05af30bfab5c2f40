"""Chapter 05b: few-shot accuracy that is too good to be true."""

import itertools
import random

import torch

from tutorial_lib.exercises.engine.tasks import Property, Symptom, case

NUMBERS = 7  # inputs and outputs are 0 to 6, and rules compute modulo 7


def few_shot(patterns, which, n_examples):
    """Return a prompt, a flat list of numbers x y x y ... x, and the y that should come next.

    patterns holds lists of (x, y), one list a pattern, with different x. The prompt shows the first
    n_examples pairs of patterns[which], then asks for the next one of them.
    """
    examples = patterns[which][:n_examples]
    query, answer = patterns[which][n_examples]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_sliced(patterns, which, n_examples):
    """Second style."""
    pairs = patterns[which][: n_examples + 1]
    *prompt, answer = itertools.chain.from_iterable(pairs)
    return prompt, answer


def few_shot_leaked(patterns, which, n_examples):
    """This asks for a pair that is among the examples."""
    examples = patterns[which][:n_examples]
    query, answer = patterns[which][0]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_mixed(patterns, which, n_examples):
    """This takes each example from another pattern."""
    examples = [patterns[(which + i + 1) % len(patterns)][i] for i in range(n_examples)]
    query, answer = patterns[which][n_examples]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_one_more(patterns, which, n_examples):
    """This shows one example more than it says."""
    examples = patterns[which][: n_examples + 1]
    query, answer = patterns[which][n_examples + 1]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_own_pair(patterns, which, n_examples):
    """This shows the pair that it asks for, too, as one example more."""
    examples = patterns[which][: n_examples + 1]
    query, answer = patterns[which][n_examples]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_shifted(patterns, which, n_examples):
    """This gives each example the answer of the next one."""
    pairs = patterns[which]
    examples = [(pairs[i][0], pairs[i + 1][1]) for i in range(n_examples)]
    query, answer = patterns[which][n_examples]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_one_list(patterns, which, n_examples):
    """Prompt and answer are in one list: return two things, the prompt and the next y."""
    prompt, answer = few_shot(patterns, which, n_examples)
    return [*prompt, answer]


def few_shot_one_short(patterns, which, n_examples):
    """This shows one example fewer than it says."""
    examples = patterns[which][: max(n_examples - 1, 0)]
    query, answer = patterns[which][n_examples]
    prompt = [number for pair in examples for number in pair]
    return [*prompt, query], answer


def few_shot_cases():
    """Some examples, none, and most of them; each number tells where it comes from."""
    patterns = [[(100 * p + i, 100 * p + 10 + i) for i in range(6)] for p in range(4)]
    return [
        case("2 examples", patterns, 0, 2),
        case("no example", patterns, 1, 0),
        case("4 examples", patterns, 2, 4),
    ]


def curve(prompts=few_shot, most=5, n_patterns=40):
    """Return the accuracy with 0, 1, ..., `most` examples of a reader who makes the best of them.

    prompts makes a prompt and its answer; by default as it should be.
    Each pattern is a rule y = a x² + b x + c modulo 7, its pairs in a random order. The reader
    knows that much: it keeps the rules that fit all examples, and answers as one of them, each
    equally likely. When none fits it guesses. The accuracies are exact, not drawn.
    """
    rules = [
        tuple((a * x * x + b * x + c) % NUMBERS for x in range(NUMBERS))
        for a, b, c in itertools.product(range(NUMBERS), repeat=3)
    ]
    patterns = []
    for i in range(n_patterns):
        rule = rules[i * 101 % len(rules)]  # 101 and 343 have no common factor: all differ
        inputs = random.Random(i).sample(range(NUMBERS), NUMBERS)
        patterns.append([(x, rule[x]) for x in inputs])
    accuracies = []
    for n in range(most + 1):
        total = 0.0
        for which in range(n_patterns):
            (*shown, query), answer = prompts(patterns, which, n)
            examples = list(zip(shown[::2], shown[1::2], strict=True))
            fitting = [rule for rule in rules if all(rule[x] == y for x, y in examples)]
            right = sum(rule[query] == answer for rule in fitting)
            total += right / len(fitting) if fitting else 1 / NUMBERS
        accuracies.append(total / n_patterns)
    return accuracies


def prompt_for(answer):
    """The prompt with 3 examples of pattern 2, without brackets, and the answer."""
    prompt, right = answer(few_shot_cases()[0].args[0], 2, 3)
    if isinstance(prompt, torch.Tensor):
        return prompt.flatten().tolist(), right
    parts = (torch.as_tensor(part).flatten().tolist() for part in prompt)
    return [number for part in parts for number in part], right


def is_flat(answer):
    """No pairs inside of it."""
    prompt, _ = answer(few_shot_cases()[0].args[0], 2, 3)
    return isinstance(prompt, torch.Tensor) and prompt.dim() == 1


def read(answer):
    """For 3 examples of pattern 2: the x shown, the y shown, the query, and the answer.

    x is 200 to 204 in this pattern, y is 10 more.
    """
    prompt, right = prompt_for(answer)
    xs, ys = ([n for n in prompt if (n % 100 >= 10) == is_y] for is_y in (False, True))
    return xs[:-1], ys[: len(xs) - 1], xs[-1], right


def ends_with_a_query(answer):
    """x y x y ... x."""
    prompt, _ = prompt_for(answer)
    return len(prompt) % 2 == 1 and prompt[-1] % 100 < 10


def is_the_next_pair(answer):
    """The query is that of pair number n_examples, or one of those shown, which is said before."""
    xs, _, query, _ = read(answer)
    if query % 100 == 0 and [x % 100 for x in xs] == [1, 2, 3]:
        return (
            "It shows pairs 1 to n_examples and asks for pair 0: show the first n_examples pairs, "
            "number 0 on, and ask for the one after them."
        )
    if query % 100 == len(xs) != 3:
        return None  # it follows the pairs that are shown, of which there are too few or too many
    return query % 100 == 3 or query in xs


def of_this_pattern(answer):
    """All numbers are those of patterns[which]."""
    xs, ys, query, _ = read(answer)
    return all(n // 100 == 2 for n in [*xs, *ys, query])


def x_with_its_y(answer):
    """Each x comes with its own y."""
    xs, ys, *_ = read(answer)
    return ys == [x + 10 for x in xs]


def shows_three(answer):
    """Three examples are shown."""
    n = len(read(answer)[0])
    return n == 3 or f"Of 3 examples it shows {n}."


FEW_SHOT_CURVE = Symptom(
    id="5b.3",
    title="One example is enough",
    level="medium",
    text="""
Patterns are rules y = a x² + b x + c modulo 7: guessing gets 1 of 7 right, two examples leave each
answer open, three settle the rule. The picture above shows how often a perfect reader is right on
sound prompts, which no model can beat, and how often the same reader is right on ours. That is too
good to be true. Our prompts were made by code with one of these mistakes, and each leaves a curve
of its own: where would it rise? Choose the letter, then repair `few_shot`.
""",
    hints=(
        "One example cannot settle the rule. How else can a prompt tell the answer?",
        "Without examples the accuracy is that of guessing. So where is the answer?",
        "Print a prompt with two examples: has its last number come before?",
    ),
    solution=few_shot,
    second_style=few_shot_sliced,
    mistakes=(
        few_shot_leaked,
        few_shot_mixed,
        few_shot_one_more,
        few_shot_own_pair,
        few_shot_shifted,
        few_shot_one_short,
        few_shot_one_list,
    ),
    shown=few_shot_leaked,
    looks=(
        "Without examples it would be a guess; from one example on the accuracy would be 1, as the "
        "answer can be copied from the prompt.",
        "The accuracy would stay near 1 of 7, however many examples there are: they say nothing "
        "of the rule that is asked for.",
        "The rise would come at two examples: then a third pair is there, and settles the rule.",
        "The answer would be in the prompt from the start: 1 even where it says 0 examples.",
    ),
    cases=few_shot_cases,
    properties=(
        Property("The prompt is flat: x y x y ... x, no pairs or lists inside of it.", is_flat),
        Property("The prompt must end with a query, x y x y ... x.", ends_with_a_query),
        Property(
            "It shows the pair that it asks for: the answer can be copied.",
            lambda answer: read(answer)[2] not in read(answer)[0],
        ),
        Property(
            "The query is not the x of the pair after the examples, number n_examples.",
            is_the_next_pair,
        ),
        Property(
            "The answer is not the y of the query.",
            lambda answer: read(answer)[3] == read(answer)[2] + 10,
        ),
        Property("Examples and query must all be from patterns[which].", of_this_pattern),
        Property("An example must hold x and its own y.", x_with_its_y),
        Property("It must show n_examples examples.", shows_three),
    ),
    results=("prompt", "answer"),
    see="5bC Learn, or remember?",
)
