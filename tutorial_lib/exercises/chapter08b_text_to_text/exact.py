"""Chapter 08b: the share of answers without a wrong letter, for each task."""

from collections import defaultdict

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def exact_match(prompts, written, targets):
    """Return {task: share of its texts that were written exactly}.

    The task is what stands before the prompt's first colon. Spaces around a text do not count.
    """
    right = defaultdict(list)
    for prompt, text, target in zip(prompts, written, targets, strict=True):
        right[prompt.split(":")[0].strip()].append(text.strip() == target.strip())
    return {task: sum(some) / len(some) for task, some in right.items()}


def exact_match_counted(prompts, written, targets):
    """Second style."""
    n_right, n_all = {}, {}
    for i in range(len(prompts)):
        task = prompts[i].partition(":")[0].strip()
        n_all[task] = n_all.get(task, 0) + 1
        n_right[task] = n_right.get(task, 0) + int(written[i].strip() == targets[i].strip())
    return {task: n_right[task] / n_all[task] for task in n_all}


def _by(prompts, written, targets, same, task_of=lambda prompt: prompt.split(":")[0].strip()):
    right = defaultdict(list)
    for prompt, text, target in zip(prompts, written, targets, strict=True):
        right[task_of(prompt)].append(same(text, target))
    return {task: sum(some) / len(some) for task, some in right.items()}


def exact_match_spaces_count(prompts, written, targets):
    """This takes a space at the end for a mistake: spaces around a text do not count."""
    return _by(prompts, written, targets, lambda text, target: text == target)


def exact_match_one_side(prompts, written, targets):
    """This takes spaces from what was written only: those around a target do not count either."""
    return _by(prompts, written, targets, lambda text, target: text.strip() == target)


def exact_match_other_side(prompts, written, targets):
    """This takes spaces from the targets only: those around what was written do not count
    either."""
    return _by(prompts, written, targets, lambda text, target: text == target.strip())


def exact_match_no_spaces(prompts, written, targets):
    """This takes out the spaces inside, too: 1 2 is not 12. Only those around the text do not
    count."""

    def same(text, target):
        return text.replace(" ", "") == target.replace(" ", "")

    return _by(prompts, written, targets, same)


def exact_match_any_case(prompts, written, targets):
    """This takes capital letters for small ones: exactly means exactly."""
    return _by(prompts, written, targets, lambda a, b: a.strip().lower() == b.strip().lower())


def exact_match_any_spaces(prompts, written, targets):
    """This takes two spaces inside a text for one: only those around it do not count."""
    return _by(prompts, written, targets, lambda text, target: text.split() == target.split())


def exact_match_first_word(prompts, written, targets):
    """This takes the first word of a prompt for its task: the name goes as far as the first colon,
    and may have several."""

    def task_of(prompt):
        return prompt.split()[0].rstrip(":")

    return _by(prompts, written, targets, lambda a, b: a.strip() == b.strip(), task_of)


def exact_match_contained(prompts, written, targets):
    """This asks whether the target stands somewhere in the text: there may be too much."""
    return _by(prompts, written, targets, lambda text, target: target.strip() in text)


def exact_match_begins(prompts, written, targets):
    """This is satisfied with a beginning: a text that stops too early, and an empty one, are
    wrong."""
    return _by(prompts, written, targets, lambda a, b: b.strip().startswith(a.strip()))


def exact_match_letters(prompts, written, targets):
    """This gives a part of a point for letters at the right place: it is all or nothing."""

    def same(text, target):
        text, target = text.strip(), target.strip()
        longer = max(len(text), len(target), 1)
        return sum(a == b for a, b in zip(text, target, strict=False)) / longer

    return _by(prompts, written, targets, same)


def exact_match_last_colon(prompts, written, targets):
    """This cuts at the last colon: the text itself may hold one. The task ends at the first."""

    def task_of(prompt):
        return prompt.rpartition(":")[0].strip()

    return _by(prompts, written, targets, lambda a, b: a.strip() == b.strip(), task_of)


def exact_match_colon_kept(prompts, written, targets):
    """This keeps the colon in the task's name."""
    found = exact_match(prompts, written, targets)
    return {f"{task}:": share for task, share in found.items()}


def exact_match_together(prompts, written, targets):
    """This gives all tasks the share of all texts: each has its own."""
    pairs = zip(written, targets, strict=True)
    share = sum(a.strip() == b.strip() for a, b in pairs) / len(prompts)
    return dict.fromkeys(exact_match(prompts, written, targets), share)


def exact_match_of_all(prompts, written, targets):
    """This divides by the number of all texts: divide by those of the task."""
    counts = defaultdict(float)
    for prompt, text, target in zip(prompts, written, targets, strict=True):
        counts[prompt.split(":")[0].strip()] += (text.strip() == target.strip()) / len(prompts)
    return dict(counts)


def exact_match_never_right_left_out(prompts, written, targets):
    """This leaves out a task without a right text: its share is 0."""
    found = exact_match(prompts, written, targets)
    return {task: share for task, share in found.items() if share}


def exact_match_counts(prompts, written, targets):
    """This counts right texts: divide by how many there are of the task."""
    found = defaultdict(int)
    for prompt, text, target in zip(prompts, written, targets, strict=True):
        found[prompt.split(":")[0].strip()] += text.strip() == target.strip()
    return dict(found)


PROMPTS = ["add: 4 3 + 4 5", "sort: c a b", "add: 2 0 + 1 1", "sort: z y", "add: 9 9 + 1 0"]
TARGETS = ["8 8", "a b c", "3 1", "y z", "1 0 9"]


def exact_match_cases():
    """Two tasks; spaces; capitals; too much, too little; a colon in a text; a task all wrong."""
    return [
        case("two tasks", PROMPTS, ["8 8", "a b c", "3 1", "z y", "1 9 0"], TARGETS),
        case("spaces around", PROMPTS, ["8 8 ", " a b c", "3 1", "y z", "1 0 9"], TARGETS),
        case("spaces around targets",
             PROMPTS, TARGETS, ["8 8", " a b c", "3 1 ", "y z", " 1 0 9 "]),
        case("too much, too little, nothing",
             PROMPTS, ["8 8 8", "a b", "3 1", "", "1 0 9"], TARGETS),
        case("spaces inside", ["add: 1 + 1", "add: 6 + 6"], ["2", "12"], ["2", "1 2"]),
        case("two spaces inside", ["sort: b a", "sort: d c"], ["a  b", "c d"], ["a b", "c d"]),
        case("a name of two words", ["add up: 1 + 1", "add on: s"], ["2", "t"], ["2", "x"]),
        case("capital letters", ["name: x", "name: y"], ["Yes", "no"], ["yes", "no"]),
        case("a colon in the text", ["date: at 10:30", "date: 1"], ["10.30", "12"], ["10.30", "1"]),
        case("one task is never right", ["a: x", "b: y", "b: z"], ["x", "n", "n"], ["x", "y", "z"]),
    ]  # fmt: skip


def a_dict(answer):
    """A dict with a number between 0 and 1 for each task."""
    found = answer(PROMPTS, TARGETS, TARGETS)
    return isinstance(found, dict) and all(0 <= float(share) <= 1 for share in found.values())


def shares(answer, *given):
    """The share of each task, whatever stands behind its name; None if these are no shares."""
    if not a_dict(answer):
        return None
    return {str(name).partition(":")[0]: float(share) for name, share in answer(*given).items()}


def names_of_tasks(answer):
    """The keys are what stands before the first colon."""
    found = answer(["a: x", "bc: y: z"], ["x", "w"], ["x", "w"])
    return sorted(found) == ["a", "bc"]


def all_right(answer):
    """Everything right: 1 for each task."""
    found = shares(answer, PROMPTS, TARGETS, TARGETS)
    return found and {*found.values()} == {1.0}


def own_share(answer):
    """Each task has its own share."""
    found = shares(answer, PROMPTS, ["8 8", "no", "3 1", "no", "no"], TARGETS)
    if found is None or not all_right(answer):
        return None
    return abs(found.get("add", -1) - 2 / 3) < 1e-6 and found.get("sort", -1) == 0


def exactly(answer):
    """Nearly right is wrong."""
    found = shares(answer, ["a: x"] * 5, ["Yes", "yesyes", "ye", "", "y es"], ["yes"] * 5)
    return found and not any(found.values())


def spaces_around(answer):
    """Spaces around a text do not count."""
    found = shares(answer, ["a: x", "b: x"], [" yes  ", "yes"], ["yes", " yes "])
    return found and {*found.values()} == {1.0}


EXACT = Write(
    id="8b.10",
    title="Exactly",
    level="easy",
    text="""
How often is the model right? Write `exact_match(prompts, written, targets)`: three lists of texts
of the same length, what the model read, what it wrote, and what it should have written. Return a
dict with one entry for each **task**, which is what stands before the first colon of a prompt: the
share of its texts that were written exactly, from 0 to 1. Spaces at the beginning and the end of a
text, written or wanted, do not count; everything else does.
""",
    hints=(
        "First collect, for each task, a list of True and False.",
        "`prompt.split(':')[0]` is the task. Which method takes spaces from both ends of a text?",
        "The mean of a list of True and False is the share of True.",
    ),
    solution=exact_match,
    second_style=exact_match_counted,
    mistakes=(
        exact_match_spaces_count,
        exact_match_one_side,
        exact_match_other_side,
        exact_match_no_spaces,
        exact_match_any_spaces,
        exact_match_first_word,
        exact_match_any_case,
        exact_match_contained,
        exact_match_begins,
        exact_match_letters,
        exact_match_last_colon,
        exact_match_colon_kept,
        exact_match_together,
        exact_match_of_all,
        exact_match_never_right_left_out,
        exact_match_counts,
    ),
    cases=exact_match_cases,
    properties=(
        Property("It must return a dict with a share from 0 to 1 for each task.", a_dict),
        Property("The names are not what stands before the first colon.", names_of_tasks),
        Property("Where everything is right, every share must be 1.", all_right),
        Property("A task does not get the share of its own texts.", own_share),
        Property("A text that is only nearly right counts as right.", exactly),
        Property("Spaces around a text must not count.", spaces_around),
    ),
    see="8bF Six tasks in one",
)
