"""Chapter 05b: a hook that puts something else where a head's output was."""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def silence(output, n_heads, head, instead):
    """Put `instead` where one head's numbers are, each time `output` is called; return the hook.

    output: the linear layer that mixes the heads; it reads (B, T, H K), the heads side by side.
    instead: 0.0, or a mean (K,). Heads count from 0; the hook's `remove()` ends it.
    """
    width = output.in_features // n_heads  # K

    def change(module, inputs):
        heads = inputs[0].clone()  # (B, T, H K)
        heads[..., head * width : (head + 1) * width] = instead
        return (heads,)

    return output.register_forward_pre_hook(change)


def silence_after(output, n_heads, head, instead):
    """Second style."""

    def change(module, inputs, mixed):
        heads = inputs[0].unflatten(-1, (n_heads, -1))  # (B, T, H, K)
        less = torch.zeros_like(heads)
        less[..., head, :] = heads[..., head, :] - torch.as_tensor(instead)
        return mixed - less.flatten(-2) @ module.weight.T

    return output.register_forward_hook(change)


def mixing(n_heads, width):
    """A layer that mixes the heads: each number is the sum of those up to its place."""
    layer = torch.nn.Linear(n_heads * width, n_heads * width, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.ones(n_heads * width, n_heads * width).tril())
    return layer.requires_grad_(False)


def said(answer, n_heads, head, instead, heads):
    """What the layer says with the hook and after it was removed, and what it was given.

    The second is None when the answer returned no hook.
    """
    layer, given = mixing(n_heads, heads.size(-1) // n_heads), heads.clone()
    hook = answer(layer, n_heads, head, instead)
    silenced = layer(given)
    if not hasattr(hook, "remove"):
        return silenced, None, given
    hook.remove()
    return silenced, layer(heads.clone()), given


def silence_cases():
    """The middle one of three heads at zero, the last of four at a mean, the first of two."""
    numbers = torch.arange(1.0, 25.0)
    return [
        case("head 1 of 3 at zero", 3, 1, 0.0, numbers.view(1, 4, 6)),
        case("head 3 of 4 at a mean", 4, 3, torch.tensor([-1.0, -2.0]), numbers.view(1, 3, 8)),
        case("head 0 of 2 at a mean", 2, 0, torch.tensor([9.0, 8.0, 7.0]), numbers.view(2, 2, 6)),
    ]


HEADS = torch.arange(1.0, 37.0).view(2, 3, 6)  # three heads of two numbers
INSTEAD = 50.0
ASKED = (3, 1, INSTEAD, HEADS)
SAID = mixing(3, 2)(HEADS)


def a_hook(answer):
    """It returns the hook."""
    return answer(*ASKED)[1] is not None


def changes_something(answer):
    """What the layer says is not what it said before."""
    return not torch.equal(answer(*ASKED)[0], SAID)


def leaves_the_input(answer):
    """What the layer was given is still what it was."""
    return torch.equal(answer(*ASKED)[2], HEADS)


def _made(columns, values, positions, mixed):
    changed = (SAID if mixed else HEADS).clone()
    part = changed[:, positions]
    part[..., columns] = values(part[..., columns])
    changed[:, positions] = part
    return changed if mixed else mixing(3, 2)(changed)


PROPERTIES = composed(
    lambda answer: answer(*ASKED)[0],
    _made,
    {
        "Head h has the columns from h K up to (h + 1) K.": slice(2, 4),
        "It changes the head after: heads count from 0.": slice(4, 6),
        "It changes the head before: heads count from 0.": slice(0, 2),
        "It begins at column `head`, not at `head` times K.": slice(1, 3),
        "It changes a single column: a head has K of them.": slice(2, 3),
        "It takes every H-th column: the heads lie side by side, K columns each.": slice(1, 6, 3),
        "It changes all heads from this one on.": slice(2, 6),
        "It changes all heads up to this one.": slice(0, 4),
        "It changes all other heads, and leaves this one.": [0, 1, 4, 5],
        "It changes every head.": slice(0, 6),
        "It takes H columns for a head: there are K, `output.in_features // n_heads`.": slice(3, 6),
    },
    {
        "Put `instead` there.": lambda old: torch.full_like(old, INSTEAD),
        "It puts zeros there, whatever `instead` is.": torch.zeros_like,
        "It adds `instead` to what the head said: put it in its place.": lambda old: old + INSTEAD,
        "It multiplies what the head said by `instead`: put it in its place.": lambda old: (
            old * INSTEAD
        ),
    },
    {
        "The head is silent at every position.": slice(0, 3),
        "It silences the last position only.": slice(2, 3),
        "It silences the first position only.": slice(0, 1),
    },
    {
        "The layer reads the head silenced.": False,
        "It changes what the layer returns, where the heads are mixed already and no columns are "
        "one's own: `register_forward_pre_hook` changes what the layer reads.": True,
    },
)


SILENCE = Write(
    id="5b.5",
    title="Silence a head",
    level="medium",
    text="""
Looking is not yet using. To see whether a head is *used*, take away what it says. A layer's heads
lie side by side, K numbers each, when its linear layer `output` reads them: (B, T, H K), head 0
first. PyTorch can call a function of yours at that moment. After
`output.register_forward_pre_hook(change)` each pass calls `change(module, inputs)` first. `inputs`
is a tuple with one tensor, and what `change` returns, a tuple again, is read in its place.

Write `silence(output, n_heads, head, instead)`: at every position put `instead` (0.0, or a mean
(K,)) where that head's numbers are. Leave the tensor that you were given as it was.
Return the hook, so that `hook.remove()` can end it.
""",
    hints=(
        "K is `output.in_features // n_heads`. Which columns does head 0 have, which head 1?",
        "`heads = inputs[0].clone()`, then assign to `heads[..., from : to]`, return `(heads,)`.",
        "The function `change` is written inside `silence`, so it knows head and instead. The last "
        "line is `return output.register_forward_pre_hook(change)`.",
    ),
    solution=silence,
    second_style=silence_after,
    mistakes=(),
    cases=silence_cases,
    run=said,
    results=("output", "output after hook.remove()", "tensor that was given"),
    properties=(
        Property("It returns no hook: return what `register_forward_pre_hook` returns.", a_hook),
        Property(
            "With the hook the layer says what it said before: register `change`, and let it "
            "return the changed tensor as a tuple, `(heads,)`.",
            changes_something,
        ),
        Property(
            "It changes the tensor that it was given, which others may still read: change a copy, "
            "`inputs[0].clone()`.",
            leaves_the_input,
        ),
        *PROPERTIES,
    ),
    see="5bD Who reads the prompt?",
)
