"""Chapter 02: whether a layer looks ahead, found out without looking into it."""

import math

import torch

from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Write, case

T, D = 6, 4


def looks_ahead(layer, x):
    """Return True if an output of layer(x) depends on a later word, else False.

    x (T, D) holds the words; layer(x) (T, anything) has one output for each of them.
    """
    before = layer(x)
    for t in range(1, len(x)):
        changed = x.clone()
        changed[t:] = torch.randn_like(x[t:])
        if not torch.allclose(layer(changed)[:t], before[:t], atol=1e-4):
            return True
    return False


def looks_ahead_by_gradients(layer, x):
    """Second style."""
    slopes = torch.autograd.functional.jacobian(layer, x)  # (T, ..., T, D)
    slopes = slopes.reshape(len(x), -1, *x.shape).abs().amax(dim=(1, 3))  # (T, T)
    return bool((slopes.triu(1) > 1e-5).any())


def looks_ahead_own(layer, x):
    """This compares the outputs of the changed words, too: they may change, those before not."""
    changed = x.clone()
    changed[1:] = torch.randn_like(x[1:])
    return not torch.allclose(layer(changed), layer(x), atol=1e-4)


def looks_ahead_last(layer, x):
    """This changes the last word only: a word in the middle may look ahead, too."""
    changed = x.clone()
    changed[-1] = torch.randn_like(x[-1])
    return not torch.allclose(layer(changed)[:-1], layer(x)[:-1], atol=1e-4)


def looks_ahead_first(layer, x):
    """This watches the first word only: another one may look ahead."""
    changed = x.clone()
    changed[1:] = torch.randn_like(x[1:])
    return not torch.allclose(layer(changed)[:1], layer(x)[:1], atol=1e-4)


def looks_ahead_next(layer, x):
    """This changes one word and watches the one before it: a word may look farther ahead."""
    before = layer(x)
    for t in range(1, len(x)):
        changed = x.clone()
        changed[t] = torch.randn_like(x[t])
        if not torch.allclose(layer(changed)[t - 1], before[t - 1], atol=1e-4):
            return True
    return False


def looks_back(layer, x):
    """This finds out who looks back: it changes words and watches those after them."""
    before = layer(x)
    for t in range(1, len(x)):
        changed = x.clone()
        changed[:t] = torch.randn_like(x[:t])
        if not torch.allclose(layer(changed)[t:], before[t:], atol=1e-4):
            return True
    return False


def looks_ahead_to_the_digit(layer, x):
    """This takes rounding for a leak: compare with a little slack, as `torch.allclose` does."""
    before = layer(x)
    for t in range(1, len(x)):
        changed = x.clone()
        changed[t:] = torch.randn_like(x[t:])
        if not torch.equal(layer(changed)[:t], before[:t]):
            return True
    return False


def looks_ahead_in_place(layer, x):
    """This changes x itself: words changed for one t stay changed for the next. Work on a copy."""
    before = layer(x)
    for t in range(1, len(x)):
        x[t:] = torch.randn_like(x[t:])
        if not torch.allclose(layer(x)[:t], before[:t], atol=1e-4):
            return True
    return False


def looks_ahead_nan(layer, x):
    """This puts nan in: a weight of 0 times nan is nan, so that hidden words seem to count."""
    changed = x.clone()
    changed[-1] = math.nan
    return bool(layer(changed)[:-1].isnan().any())


def looks_ahead_turned(layer, x):
    """This says True where nothing leaks: True is to mean that the layer looks ahead."""
    return not looks_ahead(layer, x)


def head(hidden, late=False):
    """A head without parameters, as a function of x (T, D): hidden (T, T) is what it may not see.

    late hides after the softmax.
    """

    def layer(x):
        scores = x @ x.T / math.sqrt(D)  # (T, T)
        if late:
            return scores.softmax(dim=-1).masked_fill(hidden, 0) @ x
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1) @ x

    return layer


def means_by_difference(x):
    """The mean of all words so far, as the sum of all less the sum of the later ones."""
    sums = 100 * x.sum(dim=0) - (100 * x).flip(0).cumsum(dim=0).flip(0) + 100 * x  # (T, D)
    return sums / 100 / torch.arange(1, len(x) + 1)[:, None]


def seen_at(t, s):
    """What a causal head may not see, but query t sees key s."""
    hidden = torch.ones(T, T).triu(1).bool()
    hidden[t, s] = False
    return hidden


LATER = torch.ones(T, T).triu(1).bool()
LAYERS = {
    "a causal head": head(LATER),
    "a head without a mask": head(torch.zeros(T, T).bool()),
    "one word ahead": head(LATER.triu(2)),
    "hidden after the softmax": head(LATER, late=True),
    "a head that sees its own word only": head(~torch.eye(T).bool()),
    "each word for itself": torch.tanh,
    "the mean of all words so far, rounded": means_by_difference,
    "only the third word sees the fourth": head(seen_at(2, 3)),
    "only the second word sees the last": head(seen_at(1, T - 1)),
    "less the mean of all words": lambda x: x - x.mean(dim=0),
}
QUIET = (  # nobody looks ahead in these
    "a causal head",
    "a head that sees its own word only",
    "each word for itself",
    "the mean of all words so far, rounded",
)


def ask(answer, name, x):
    """Let the answer examine one of LAYERS."""
    return answer(LAYERS[name], x)


def looks_ahead_cases():
    """Layers that keep still, layers that leak at one place only, one that rounds; two words."""
    words = {name: torch.randn(T, D) for name in LAYERS}
    cases = [case(name, name, x) for name, x in words.items()]
    return [*cases, case("two words", "each word for itself", torch.randn(2, D))]


WORDS = torch.randn(T, D, generator=torch.Generator().manual_seed(9))


def still_layers_are_cleared(answer):
    """It sees a leak where there is none."""
    for name in QUIET:
        if answer(name, WORDS):
            return f"It sees a leak where there is none: {name}."
    return True


def leaks_are_found(answer):
    """It misses a leak."""
    for name in LAYERS:
        if name not in QUIET and not answer(name, WORDS):
            return f"It misses a leak: {name}."
    return True


LOOKS_AHEAD = Write(
    id="2.9",
    title="Does it look ahead?",
    level="medium",
    text="""
Write `looks_ahead(layer, x)`, a test for any layer: `layer` is a function from words x (T, D) to
one output for each word, and all you can do is call it. Return True if an output depends on a word
that comes **after** its own, else False. Try every position, and leave `x` as it was. Differences
below 1e-4 are rounding, and no leak.
""",
    hints=(
        "Change a word in a copy of x and call the layer again. Which outputs must stay?",
        "Change all words from t on: the outputs before t must stay. Then do it for every t.",
        "`torch.allclose(one, other, atol=1e-4)` compares with a little slack.",
    ),
    solution=looks_ahead,
    second_style=looks_ahead_by_gradients,
    mistakes=(
        looks_ahead_own,
        looks_ahead_last,
        looks_ahead_first,
        looks_ahead_next,
        looks_back,
        looks_ahead_to_the_digit,
        looks_ahead_in_place,
        looks_ahead_nan,
        looks_ahead_turned,
    ),
    cases=looks_ahead_cases,
    run=ask,
    properties=properties(still_layers_are_cleared, leaks_are_found),
    see="2G Masks",
)
