"""Chapter 10: is the right one among the first k?"""

import functools

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def recall_at(k, similarities, targets):
    """Return the share of the questions (rows) whose right answer is among the first k.

    similarities (N, M): of N questions with M candidates; targets (N,): which candidate is right.
    Others that are just as similar come before it.
    """
    right = similarities.gather(1, targets[:, None])  # (N, 1)
    before = (similarities >= right).sum(dim=1) - 1  # itself does not count
    return (before < k).float().mean()


def recall_at_by_sorting(k, similarities, targets):
    """Second style."""
    found = 0
    for row, target in zip(similarities.tolist(), targets.tolist(), strict=True):
        order = sorted(range(len(row)), key=lambda j: (-row[j], j == target))  # the right one last
        found += target in order[:k]
    return found / len(targets)


def at_least(others, right):
    """Who is as similar comes before."""
    return (others >= right).sum(dim=1) - 1


def more(others, right):
    """Who is as similar comes after."""
    return (others > right).sum(dim=1)


def recall(
    k, similarities, targets, before=at_least, more_k=0, sign=1, result=torch.mean, whose=None
):
    """The share with slips."""
    similarities, targets = sign * similarities, (whose or own)(similarities, targets)
    right = similarities.gather(1, targets[:, None])
    return result((before(similarities, right) < k + more_k).float())


def own(similarities, targets):
    """As they came."""
    return targets


def diagonal(similarities, targets):
    """Candidate i for question i."""
    return torch.arange(len(targets)) % similarities.size(1)


def recall_at_flattered(k, similarities, targets):
    """Ties flatter: others that are just as similar must come before the right one. A model that
    finds everything alike knows nothing.
    """
    return recall(k, similarities, targets, more)


def recall_at_too_far(k, similarities, targets):
    """This goes one too far, to number k + 1: fewer than k others may come before the right one."""
    return recall(k, similarities, targets, more_k=1)


def recall_at_itself(k, similarities, targets):
    """This counts the right one among those that come before it: it is as similar as itself."""
    return recall(k, similarities, targets, more_k=-1)


def recall_at_first_only(k, similarities, targets):
    """This looks at the first one only, whatever k is."""
    return recall(1, similarities, targets)


def recall_at_least_similar(k, similarities, targets):
    """This begins with the *least* similar: the most similar one comes first."""
    return recall(k, similarities, targets, sign=-1)


def recall_at_counted(k, similarities, targets):
    """This is how many questions it is: divide by all of them."""
    return recall(k, similarities, targets, result=torch.sum)


def recall_at_percent(k, similarities, targets):
    """This is a percentage: return a share, from 0 to 1."""
    return 100 * recall(k, similarities, targets)


def recall_at_by_candidates(k, similarities, targets):
    """This divides by the number of candidates: by that of the questions."""
    return recall(k, similarities, targets, result=torch.sum) / similarities.size(1)


def recall_at_diagonal(k, similarities, targets):
    """This takes candidate i for the right one of question i: it is number targets[i]."""
    return recall(k, similarities, targets, whose=diagonal)


def recall_at_missed(k, similarities, targets):
    """This is the share of those that are *not* found."""
    return 1 - recall(k, similarities, targets)


def recall_at_precision(k, similarities, targets):
    """This divides by k as well: each question has one right answer, and it counts as 1."""
    return recall(k, similarities, targets) / k


def recall_at_each(k, similarities, targets):
    """This says for each question whether it is found: return their share."""
    return recall(k, similarities, targets, result=lambda x: x)


def recall_at_cases():
    """More candidates than questions, k from 1 to all of them, ties."""
    three = torch.tensor([[0.9, 0.1, 0.5, 0.3], [0.2, 0.4, 0.4, 0.1], [0.5, 0.6, 0.8, 0.7]])
    tied = torch.tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.5], [0.5, 0.5, 0.0]])
    many = torch.randn(9, 6)
    return [
        case("3 questions, k = 1", 1, three[[0, 2]], torch.tensor([0, 3])),
        case("3 questions, k = 2", 2, three, torch.tensor([0, 3, 3])),
        case("9 questions, k = 3", 3, many, torch.arange(9) * 5 % 6),
        case("9 questions, k = 1", 1, many, torch.arange(9) * 5 % 6),
        case("ties, k = 1", 1, tied, torch.tensor([0, 2, 1, 2])),
        case("ties, k = 2", 2, tied, torch.tensor([1, 0, 2, 0])),
        case("all alike", 2, torch.zeros(4, 5), torch.tensor([0, 1, 4, 2])),
        case("k = M", 5, torch.zeros(2, 5), torch.tensor([0, 4])),
    ]


TARGETS = torch.tensor([3, 0, 5, 11, 2, 1, 8, 0, 9, 4])
KS = range(1, 7)


def clear():
    """Ten questions, twelve candidates, no two of which are as similar."""
    generator = torch.Generator().manual_seed(6)
    return torch.rand(10, 12, generator=generator)


@functools.lru_cache(maxsize=1)
def read(answer):
    """The results for KS, (6,). Raises an error when one is not a number."""
    found = [answer(k, clear(), TARGETS) for k in KS]
    return torch.stack([torch.as_tensor(one).float().reshape(()) for one in found])


def one_number(answer):
    """One number."""
    found = answer(2, clear(), TARGETS)
    if isinstance(found, list):
        return "It returns several things: return one share."
    size = torch.as_tensor(found).numel()
    if size == 10:
        return "It says for each question whether it is found: return their share."
    return size == 1


def ties_do_not_flatter(answer):
    """Where others are just as similar, they come before the right one."""
    alike = [float(answer(k, torch.zeros(6, 6), torch.arange(6))) for k in (1, 5, 6)]
    if alike[2] < 1e-3 or (read(answer).diff() < 0).any():
        return None  # not of those that are found
    alike = [found / alike[2] for found in alike]
    if alike[0] > 1 - 1e-3:
        return (
            "Ties flatter: where all candidates are just as similar, all questions count as found. "
            "Others that are as similar come before the right one."
        )
    if alike[1] > 1 - 1e-3:
        return "A tie counts in part: others that are as similar come before the right one."
    if alike[0] > 1e-3 or alike[1] > 1e-3:
        return (
            "Ties are broken by the order of the candidates, so chance decides: others that are "
            "as similar come before the right one, wherever they stand."
        )
    return True


def more_are_found_with_a_larger_k(answer):
    """With a larger k, fewer are found."""
    found = read(answer)
    return bool((found[1:] >= found[:-1] - 1e-6).all())


def a_share(answer):
    """The result does not lie between 0 and 1."""
    found = read(answer)
    return bool(((found >= 0) & (found <= 1)).all())


def each_question_counts(answer):
    """Each question must count alike, and by itself."""
    whole = float(answer(2, clear()[:4], TARGETS[:4]))
    single = [float(answer(2, clear()[i : i + 1], TARGETS[i : i + 1])) for i in range(4)]
    return abs(sum(single) / 4 - whole) < 1e-3


@functools.cache
def with_slips(shift, sign, whose, result):
    """The results with a choice for each of the rules below."""
    found = [recall(k, clear(), TARGETS, at_least, shift, sign, torch.clone, whose) for k in KS]
    return torch.stack([result(each, k) for k, each in enumerate(found, 1)])


RECALL_AT = Write(
    id="10.5",
    title="Among the first k",
    level="easy",
    text="""
How good is a search? Ask N questions; each has one right answer among M candidates.
`similarities` (N, M) says how well each candidate goes with each question, `targets` (N,) which one
is right. Write `recall_at(k, similarities, targets)`: the **share** of the questions, from 0 to 1,
whose right answer is among the k most similar candidates. Ties must not flatter: others that are
*just as similar* as the right one come **before** it, wherever they stand. k is between 1 and M.
""",
    hints=(
        "Take one question: how similar is the right answer? How many candidates come before it?",
        "`similarities.gather(1, targets[:, None])` takes one number from each row.",
        "It is found if fewer than k others are at least as similar. The right one is as "
        "similar as itself: does your count know that?",
    ),
    solution=recall_at,
    second_style=recall_at_by_sorting,
    mistakes=(
        recall_at_flattered,
        recall_at_too_far,
        recall_at_itself,
        recall_at_first_only,
        recall_at_least_similar,
        recall_at_counted,
        recall_at_percent,
        recall_at_by_candidates,
        recall_at_diagonal,
        recall_at_missed,
        recall_at_precision,
        recall_at_each,
    ),
    cases=recall_at_cases,
    properties=(
        Property("The result is one share.", one_number),
        *composed(
            read,
            with_slips,
            {
                "The first k count.": 0,
                "It goes one too far, to number k + 1.": 1,
                "It stops one too early: the right one must not count among those before it.": -1,
            },
            {
                "The most similar comes first.": 1,
                "It begins with the least similar: the most similar comes first.": -1,
            },
            {
                "For question i, targets[i] is right.": own,
                "Candidate i is taken for the right one of question i: it is number "
                "targets[i].": diagonal,
            },
            {
                "It is a share of the questions.": lambda found, k: found.mean(),
                "It is a number of questions: divide by all of them.": lambda found, k: found.sum(),
                "It is a percentage: return a share, from 0 to 1.": lambda found, k: (
                    100 * found.mean()
                ),
                "It divides by the candidates: by the number of questions.": lambda found, k: (
                    found.sum() / 12
                ),
                "It divides by N · k: by N, since each question has one right "
                "answer.": lambda found, k: found.mean() / k,
                "It divides by N · M: by N.": lambda found, k: found.mean() / 12,
                "It is the share of those that are *not* found.": lambda found, k: 1 - found.mean(),
            },
            otherwise=(a_share, more_are_found_with_a_larger_k, each_question_counts),
        ),
        Property("Others that are just as similar come before the right one.", ties_do_not_flatter),
    ),
)
