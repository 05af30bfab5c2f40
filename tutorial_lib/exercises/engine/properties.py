"""Write properties shortly: sentences in docstrings, tables of wrong values, rules that compose."""

import itertools
from functools import lru_cache, partial

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tutorial_lib.exercises.engine.compare import difference, settle
from tutorial_lib.exercises.engine.tasks import Property, message

MOST_SLIPS = 3  # at once, in one answer


def properties(*checks):
    """Make properties of functions of an answer; what they say is their docstring.

    >>> def doubled(answer):
    ...     '''Each number must be doubled.'''
    ...     return answer(3) == 6
    >>> properties(doubled)[0].sentence
    'Each number must be doubled.'
    """
    return tuple(Property(message(check), check) for check in checks)


def alike(got, wanted):
    """Tell whether two values are the same, up to rounding.

    >>> alike(torch.tensor([1, 2]), [1.0, 2.0]), alike("a", ["a"])
    (True, False)
    """
    if isinstance(got, torch.Tensor) and isinstance(wanted, torch.Tensor):
        if got.shape != wanted.shape:
            return False
        if got.is_floating_point() and wanted.is_floating_point():
            return torch.allclose(got, wanted.to(got.dtype), rtol=1e-3, atol=5e-4, equal_nan=True)
    return difference(settle(wanted), settle(got)) is None


def which(got, right, others):
    """Say what came: True for the right value, a sentence for its value in `others`, else False.

    >>> which(9, 6, {"It squares.": 9}), which(6, 6, {}), which(7, 6, {})
    ('It squares.', True, False)
    """
    if alike(got, right):
        return True
    return next((sentence for sentence, value in others.items() if alike(got, value)), False)


def ready_made_softmax(answer, *args):
    """Remark that an answer, called with args, leaves the softmax to torch; "" when it does not.

    >>> ready_made_softmax(lambda x: x.exp() / x.exp().sum(), torch.ones(2))
    ''
    """
    return _ready_made("softmax", "softmax", answer, args)


def ready_made_cross_entropy(answer, *args):
    """Remark that an answer, called with args, leaves the loss to torch; "" when it does not.

    >>> ready_made_cross_entropy(torch.nn.functional.cross_entropy, torch.ones(2), torch.tensor(1))
    "It calls torch's ready-made cross-entropy: the exercise asks you to write it out."
    """
    return _ready_made("cross-entropy", "nll_loss", answer, args)


def _ready_made(name, operation, answer, args):
    with _Operations() as called:
        answer(*args)
    if not any(operation in name for name in called.names):
        return ""
    return f"It calls torch's ready-made {name}: the exercise asks you to write it out."


def no_way_back(answer, *args):
    """Remark that no gradient comes back through an answer, called with args; "" when one does.

    Numbers outside torch (NumPy arrays, `.item()`) and `.detach()` cut it off.

    >>> no_way_back(lambda x: x.detach() * 2, torch.ones(2))
    'No gradient comes back through it: a model with it cannot be trained.'
    """
    args = [_leaf(value) for value in args]
    got = answer(*args)
    while isinstance(got, tuple | list) and got:
        got = got[0]
    numbers = isinstance(got, torch.Tensor | np.ndarray | float)
    if not numbers or (isinstance(got, torch.Tensor) and got.requires_grad):
        return ""
    return "No gradient comes back through it: a model with it cannot be trained."


def by_autograd(answer, *args):
    """Remark that an answer, called with args, has autograd find the gradient; "" when it does not.

    >>> by_autograd(lambda x: 2 * x, torch.ones(2))
    ''
    """
    with _Operations() as called:
        answer(*args)
    if not any("backward" in name for name in called.names):
        return ""
    return "It has autograd find the gradient: the exercise asks you to write it out."


def _leaf(value):
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.clone().requires_grad_() if floating else value


class _Operations(TorchDispatchMode):
    """Note the names of torch's operations, whichever of its functions asks for them."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.names.add(operation.__name__)
        return operation(*args, **(kwargs or {}))


def factor(got, wanted):
    """Return the number by which `wanted` has to be multiplied to give `got`; None when none does.

    >>> factor(torch.tensor([2.0, -4.0]), torch.tensor([-1.0, 2.0]))
    -2.0
    """
    if not isinstance(got, torch.Tensor) or got.shape != wanted.shape:
        return None
    got, wanted = got.double(), wanted.double()
    number = ((got * wanted).sum() / (wanted * wanted).sum()).item()
    close = torch.allclose(got, number * wanted, rtol=1e-3, atol=1e-5 * got.abs().max().item())
    return number if close else None


def composed(read, make, *rules, otherwise=()):
    """Make one property of each rule; an answer may break several, and each is named.

    read(answer) calls the answer, and make(*choices) builds what a choice for each rule gives. The
    first entry of a rule is its sentence with the right choice, the others say what a wrong choice
    does. `otherwise` are checks as for `properties`, for answers that no choices give.

    >>> signs, times = {"Add.": 1, "It takes away.": -1}, {"Twice.": 2, "Thrice.": 3}
    >>> made = composed(lambda answer: answer(5), lambda sign, n: 10 + sign * n * 5, signs, times)
    >>> [entry.holds(lambda x: 10 - 3 * x) for entry in made]
    ['It takes away.', 'Thrice.']
    """

    @lru_cache(maxsize=1)  # each of the properties asks about the same answer
    def choices(answer):
        return _choices(read(answer), make, rules)

    def kept(place, answer):
        found = choices(answer)
        return None if found is None else found[place] or True

    def unless(check, answer):
        return check(answer) if choices(answer) is None else None

    return (
        *(Property(next(iter(rule)), partial(kept, i)) for i, rule in enumerate(rules)),
        *(Property(message(check), partial(unless, check)) for check in otherwise),
    )


def _choices(got, make, rules):
    """The sentence of each rule's choice, None for the right one; None when no choices fit."""
    choices = [list(rule.items()) for rule in rules]
    for number in range(min(MOST_SLIPS, len(rules)) + 1):
        for slips in itertools.combinations(range(len(rules)), number):
            taken = (choice[1:] if i in slips else choice[:1] for i, choice in enumerate(choices))
            for pairs in itertools.product(*taken):
                if alike(got, make(*(value for _, value in pairs))):
                    return [text if i in slips else None for i, (text, _) in enumerate(pairs)]
    return None
