"""Chapter 07: hidden, replaced and kept patches."""

import itertools

import torch

from tutorial_lib.exercises.chapter06_bert.measures import DRAWS, chosen_and_draws, fate_properties
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def corrupt_patches(patches, mask, chosen, draw, other):
    """Return the patch vectors (B, N, D) that the model reads after 80/10/10.

    patches (B, N, D) are vectors; mask (D,) stands for a hidden patch; chosen (B, N) is True where
    a patch is to be guessed; draw (B, N) is a number from 0 to 1 that decides what becomes of a
    chosen one: below 0.8 it is hidden, below 0.9 the vector of patch other[b, n] of the same
    picture takes its place, else it stays.
    """
    hidden = chosen & (draw < 0.8)
    replaced = chosen & (draw >= 0.8) & (draw < 0.9)
    foreign = patches.gather(1, other[..., None].expand_as(patches))
    x = torch.where(replaced[..., None], foreign, patches)
    return torch.where(hidden[..., None], mask, x)


def corrupt_patches_loop(patches, mask, chosen, draw, other):
    """Second style."""
    x = patches.clone()
    for b, n in chosen.nonzero().tolist():
        if draw[b, n] < 0.8:
            x[b, n] = mask
        elif draw[b, n] < 0.9:
            x[b, n] = patches[b, other[b, n]]
    return x


def parts(chosen, draw, low=0.8, high=0.9):
    """The two kinds of chosen patches."""
    return chosen & (draw < low), chosen & (draw >= low) & (draw < high)


def with_patches_after(answer, patches, *others):
    """Return what the answer gives, and the patches as they are after the call."""
    own = patches.clone()
    return answer(own, *others), own


def corrupt_patches_cases():
    """Draws of all three kinds and at 0.8; others that are hidden or replaced themselves; all
    patches chosen, and few.
    """
    # The 0.8 of 32 bits is a little more than 0.8, so that `draw < 0.8` and `item() < 0.8` agree:
    # it is not below. The 0.9 of 32 bits is a little less, and they would not: no draw is 0.9.
    limit = torch.tensor([[0.8, 0.95, 0.3, 0.85]])
    draw = torch.tensor([[0.05, 0.7, 0.85, 0.95, 0.15], [0.82, 0.3, 0.88, 0.1, 0.92]])
    chosen = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 1]]).bool()
    other = torch.tensor([[3, 0, 1, 2, 0], [2, 0, 0, 1, 3]])  # in the second, 2 <- 0 <- 2
    return [
        case("2 pictures", torch.randn(2, 5, 3), torch.randn(3), chosen, draw, other),
        case(
            "all patches chosen",
            torch.randn(1, 5, 4),
            torch.randn(4),
            torch.ones(1, 5).bool(),
            draw[1:],
            other[1:],
        ),
        case(
            "a draw of exactly 0.8",
            torch.randn(1, 4, 3),
            torch.randn(3),
            torch.ones(1, 4).bool(),
            limit,
            torch.tensor([[2, 3, 0, 1]]),
        ),
    ]


PATCHES = torch.arange(72.0).view(2, 12, 3)
MASK = torch.full((3,), -7.0)


def corrupted(answer, other):
    """The result (2, 12, 3), when patch n is patch other[b, n] in its place."""
    return answer(PATCHES, MASK, *chosen_and_draws(), torch.tensor(other))[0]


def fates(answer):
    """What became of each patch, when the others are such as stay: (chosen, draw, fate)."""
    chosen, _ = chosen_and_draws()
    stay = [(~row).nonzero().flatten().tolist() for row in chosen]
    other = [stay[0] * 2, stay[1][::-1] * 2]
    found, told = corrupted(answer, other), []
    for b, n in itertools.product(range(2), range(12)):
        where = (found[b, n] == PATCHES).all(dim=-1).nonzero().tolist()
        names = {(b, other[b][n]): "random", (b, n): "kept"}
        if where:
            fate = names.get(tuple(where[0]), "patch {1} of picture {0}".format(*where[0]))
        else:
            fate = (
                "hidden" if torch.equal(found[b, n], MASK) else f"the vector {found[b, n].tolist()}"
            )
        told.append((chosen[b, n].item(), DRAWS[n], fate))
    return told


def keeps_its_argument(answer):
    """`patches` is as it was."""
    _, after = answer(PATCHES, MASK, *chosen_and_draws(), torch.tensor([[0] * 12] * 2))
    return torch.equal(after, PATCHES)


def keeps_all_places(answer):
    """(B, N, D)."""
    return getattr(corrupted(answer, [[0] * 12] * 2), "shape", ()) == (2, 12, 3)


def others_as_they_were(answer):
    """Patches 6 and 8 take a hidden one and a replaced one, as they were."""
    if any(
        (x, fate == "random") == (0.85, False) for is_chosen, x, fate in fates(answer) if is_chosen
    ):
        return None  # not even where the other one stays
    found = corrupted(answer, [[0] * 8 + [6] * 4, [1] * 7 + [5] * 5])
    return torch.equal(found[0, [6, 8]], PATCHES[0, [0, 6]]) and torch.equal(
        found[1, 7], PATCHES[1, 5]
    )


CORRUPT_PATCHES = Write(
    id="7.12",
    title="Hidden patches",
    level="easy",
    text="""
Some patches have been chosen, to be guessed: you are given which. Of these about 80 % are hidden,
10 % replaced, 10 % kept. Write `corrupt_patches(patches, mask, chosen, draw, other)` for patch
vectors (B, N, D). Where `chosen` (B, N) is True, the number `draw` (B, N) decides. **Below 0.8**,
the vector mask (D,) takes the patch's place. From 0.8 to **below 0.9**, the vector of patch
`other[b, n]` of the same picture does, as it was. Else the patch stays, and so do all patches that
are not chosen. Return (B, N, D), and leave `patches` as it is.
""",
    hints=(
        "Two masks first: `hidden = chosen & (draw < 0.8)`. What is the other one?",
        "`torch.where(hidden[..., None], mask, x)` puts the mask vector where hidden is True.",
        "`patches.gather(1, other[..., None].expand_as(patches))` has patch other[b, n] at n.",
    ),
    solution=corrupt_patches,
    second_style=corrupt_patches_loop,
    mistakes=(),
    cases=corrupt_patches_cases,
    properties=(
        Property(
            "It changes `patches` itself: work on a copy, `patches.clone()`.", keeps_its_argument
        ),
        Property("Each patch keeps its place: (B, N, D) is asked for.", keeps_all_places),
        *fate_properties(
            fates,
            "patch",
            {
                "hidden": "`mask`",
                "random": "patch `other[b, n]` of its picture",
                "kept": "what it was",
            },
        ),
        Property(
            "It takes patch `other[b, n]` as it is by then, hidden or replaced: take it as it was, "
            "from `patches`.",
            others_as_they_were,
        ),
    ),
    run=with_patches_after,
    results=("result", "`patches` after the call"),
    see="7H Hidden patches",
)
