"""Chapter 07: the control of a map, what the same map names in another digit."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def another_digits_map(ink, chosen):
    """Return for each digit the patches that are chosen in another one, (B, N) bool.

    ink (B, N) is what each patch holds; chosen (B, N) is True for the patches that a map names in
    each digit. Of the other digits that one is taken whose patches hold, in *this* digit, the
    amount nearest to what this digit's own hold; those with the very same patches are passed over.
    """
    own = (ink * chosen).sum(dim=1)  # (B,)
    there = ink @ chosen.to(ink).T  # (B, B): what the patches of digit j hold in digit i
    gaps = (there - own[:, None]).abs()
    same = (chosen[:, None] == chosen[None]).all(dim=-1)  # (B, B), each digit itself among them
    return chosen[gaps.masked_fill(same, torch.inf).argmin(dim=1)]


def another_digits_map_loop(ink, chosen):
    """Second style."""
    taken = []
    for i in range(len(ink)):
        others = [j for j in range(len(ink)) if chosen[j].ne(chosen[i]).any()]
        own = ink[i][chosen[i]].sum().item()
        taken.append(min(others, key=lambda j: abs(ink[i][chosen[j]].sum().item() - own)))
    return chosen[taken]


def _nearest(chosen, gaps, passed_over):
    return chosen[gaps.masked_fill(passed_over, torch.inf).argmin(dim=1)]


def _themselves(chosen):
    return torch.eye(len(chosen)).bool()


def _same(chosen):
    return (chosen[:, None] == chosen[None]).all(dim=-1)


def _sums(ink, chosen):
    """What the patches of digit j hold in digit i (B, B), and what each digit's own hold (B,)."""
    there = ink @ chosen.to(ink).T
    return there, there.diagonal()


def control_itself(ink, chosen):
    """This gives each digit its own patches back: nothing is nearer to a digit than itself. Leave
    it out of the search.
    """
    return chosen.clone()


def control_twins(ink, chosen):
    """This takes digits with the very same patches for others: they are no control, pass over
    them too.
    """
    there, own = _sums(ink, chosen)
    return _nearest(chosen, (there - own[:, None]).abs(), _themselves(chosen))


def control_ink_of_the_other(ink, chosen):
    """This weighs the other's patches in the *other* digit: it is this digit that is painted
    over, so what they hold in this one counts.
    """
    _, own = _sums(ink, chosen)
    return _nearest(chosen, (own[None] - own[:, None]).abs(), _same(chosen))


def control_turned(ink, chosen):
    """This exchanges the two digits: it weighs this digit's patches in the other one."""
    there, own = _sums(ink, chosen)
    return _nearest(chosen, (there.T - own[:, None]).abs(), _same(chosen))


def control_most(ink, chosen):
    """This takes the patches with the most ink: the nearest amount is asked for."""
    there, _ = _sums(ink, chosen)
    return _nearest(chosen, -there, _same(chosen))


def control_least(ink, chosen):
    """This takes the patches with the least ink: a gap counts the same on both sides, so take its
    absolute value.
    """
    there, own = _sums(ink, chosen)
    return _nearest(chosen, there - own[:, None], _same(chosen))


def control_next(ink, chosen):
    """This takes the next digit without looking at the ink: of all others the nearest in ink is
    asked for.
    """
    return chosen.roll(-1, dims=0)


def another_digits_map_cases():
    """Six digits; five of which two have the same patches; patches of another number."""
    return [
        case("6 digits, 9 patches", *some_digits(6, 9, 3, 1)),
        case("5 digits, two with the same patches", *some_digits(5, 9, 3, 2, twins=True)),
        case("7 digits, 16 patches", *some_digits(7, 16, 6, 3)),
    ]


def some_digits(n, n_patches, n_chosen, seed, twins=False):
    """Ink (n, n_patches) and chosen ones, by scores of their own; twins: the first two are alike.

    The scores do not follow the ink, so that the amounts differ widely.
    """
    generator = torch.Generator().manual_seed(seed)
    ink = torch.rand(n, n_patches, generator=generator)
    scores = torch.rand(n, n_patches, generator=generator)
    scores[1] = scores[0] if twins else scores[1]
    chosen = torch.zeros(n, n_patches).scatter(1, scores.topk(n_chosen).indices, 1).bool()
    return ink, chosen


def taken(answer):
    """Of ten digits with patches of their own: which one each result is, None for no row."""
    ink, chosen = some_digits(10, 16, 5, 4)
    found = answer(ink, chosen)
    rows = [(chosen == row).all(dim=-1).nonzero().flatten().tolist() for row in found.bool()]
    return [row[0] if len(row) == 1 else None for row in rows]


def has_the_shape(answer):
    """(B, N), True and False."""
    ink, chosen = some_digits(10, 16, 5, 4)
    found = answer(ink, chosen)
    if tuple(found.shape) == (10,):
        return "This is one number a digit: return the patches themselves, (B, N) bool."
    if tuple(found.shape) == (10, 16) and not set(found.unique().tolist()) <= {0, 1}:
        return "Its entries are not all True or False: return which patches are chosen."
    return tuple(found.shape) == (10, 16)


def rows_of_chosen(answer):
    """Each row is what the map names in some digit."""
    return None not in taken(answer) if has_the_shape(answer) is True else None


def never_itself(answer):
    """No digit gets its own patches."""
    return all(i != j for i, j in enumerate(taken(answer)))


def twins_passed_over(answer):
    """Of digits with the same patches neither is the other's control."""
    ink, chosen = some_digits(5, 9, 3, 2, twins=True)
    if not never_itself(answer):
        return None
    return not (answer(ink, chosen)[0].bool() == chosen[0]).all()


WEIGHED = {
    "": lambda there: there,
    "It weighs the other's patches in the *other* digit: weigh them in this one.": (
        lambda there: there.diagonal().expand_as(there)
    ),
    "It weighs this digit's patches in the other one: it is the other way round.": (
        lambda there: there.T
    ),
}
RULES = {
    "": lambda gaps: gaps.abs(),
    "It takes the least ink, not the nearest: a gap counts the same on both sides.": (
        lambda gaps: gaps
    ),
    "It takes the most ink, not the nearest amount.": lambda gaps: -gaps,
    "It takes the amount that is furthest away, not the nearest.": lambda gaps: -gaps.abs(),
}


def nearest_in_ink(answer):
    """Whose patches are taken: what is weighed, and which amount wins."""
    ink, chosen = some_digits(10, 16, 5, 4)
    there, own = _sums(ink, chosen)
    found = taken(answer)
    if None in found or not never_itself(answer):
        return None
    for weighed, weigh in WEIGHED.items():
        for rule, gap in RULES.items():
            gaps = gap(weigh(there) - own[:, None]).fill_diagonal_(torch.inf)
            if gaps.argmin(dim=1).tolist() == found:
                return " ".join(filter(None, (weighed, rule))) or True
    return False


ANOTHER_DIGITS_MAP = Write(
    id="7.10",
    title="Another digit's map",
    level="medium",
    text="""
A map names six patches of a digit, and painting them over does damage. How much of it is due to
*this* digit, and how much to places that the map names in every digit? Write the control,
`another_digits_map(ink, chosen)`. `ink` (B, N) is how much ink each of the N patches of B digits
holds; `chosen` (B, N) is True for the patches that the map names in each. Return for each digit the
patches that the map names in **another** one, (B, N) bool. Which one? For each other digit, add up
the ink that *this* digit holds in the other's patches: so much would be painted over. Take the one
whose sum is nearest to the sum over this digit's own patches. A digit for which the map names the
very same patches is no control: pass over it.
""",
    hints=(
        "How much ink do the patches of digit j hold in digit i? That is a number for each pair, "
        "(B, B). A product of two matrices gives it.",
        "`there = ink @ chosen.float().T` has it at [i, j]; its diagonal is what each digit's own "
        "patches hold. How far is each row from its own?",
        "Set the gaps of pairs with the same patches to infinity, also those of a digit with "
        "itself. Then `argmin(dim=1)` says whose patches to take.",
    ),
    solution=another_digits_map,
    second_style=another_digits_map_loop,
    mistakes=(
        control_itself,
        control_twins,
        control_ink_of_the_other,
        control_turned,
        control_most,
        control_least,
        control_next,
    ),
    cases=another_digits_map_cases,
    properties=(
        Property("The result is (B, N), the chosen patches of each digit.", has_the_shape),
        Property(
            "A row is not what the map names in any one digit: take a whole row of `chosen`.",
            rows_of_chosen,
        ),
        Property("A digit gets its own patches back: take those of another one.", never_itself),
        Property("It is not the digit whose patches hold the nearest amount.", nearest_in_ink),
        Property(
            "A digit with the very same patches is no control: pass over it.", twins_passed_over
        ),
    ),
    see="7F What it looks at",
)
