"""Chapter 07: hidden, replaced and kept patches."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def corrupt_patches(patches, mask, chosen, draw, other):
    """Return the patch vectors (B, N, D) that the model reads after 80/10/10.

    patches (B, N, D) are vectors; mask (D,) stands for a hidden patch; chosen (B, N) is True where
    a patch is to be guessed; draw (B, N) is a number from 0 to 1 that decides what becomes of a
    chosen one: below 0.8 it is hidden, below 0.9 the vector of patch other[b, n] of the same
    picture stands in its place, else it stays.
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


def mixed(patches, mask, hidden, replaced, foreign=None, other=None):
    """The vectors, hidden and replaced as told."""
    if foreign is None:
        foreign = patches.gather(1, other[..., None].expand_as(patches))
    x = torch.where(replaced[..., None], foreign, patches)
    return torch.where(hidden[..., None], mask, x)


def parts(chosen, draw, low=0.8, high=0.9):
    """The two kinds of chosen patches."""
    return chosen & (draw < low), chosen & (draw >= low) & (draw < high)


def in_turn(x, replaced, other):
    """The vectors, replaced one by one: each by what stands in the other's place by then."""
    x = x.clone()
    for b, n in replaced.nonzero().tolist():
        x[b, n] = x[b, other[b, n]]
    return x


def hiding_all_chosen(patches, mask, chosen, draw, other):
    """This hides all chosen patches: only those whose draw is below 0.8."""
    return torch.where(chosen[..., None], mask, patches)


def hiding_everywhere(patches, mask, chosen, draw, other):
    """This does not look at `chosen`: only chosen patches change."""
    return mixed(patches, mask, *parts(torch.ones_like(chosen), draw), other=other)


def hiding_the_others(patches, mask, chosen, draw, other):
    """This changes the patches that were not chosen: it is the other way round."""
    return mixed(patches, mask, *parts(~chosen, draw), other=other)


def hiding_none_replaced(patches, mask, chosen, draw, other):
    """This keeps those between 0.8 and 0.9: another patch stands in their place."""
    hidden, replaced = parts(chosen, draw)
    return mixed(patches, mask, hidden, torch.zeros_like(replaced), other=other)


def hiding_foreign_everywhere(patches, mask, chosen, draw, other):
    """This replaces below 0.9 whether a patch was chosen or not: only chosen ones change."""
    hidden, _ = parts(chosen, draw)
    return mixed(patches, mask, hidden, ~hidden & (draw < 0.9), other=other)


def hiding_none_kept(patches, mask, chosen, draw, other):
    """This replaces all from 0.8 on: above 0.9 a patch stays as it is."""
    return mixed(patches, mask, *parts(chosen, draw, high=2.0), other=other)


def hiding_replaced_only(patches, mask, chosen, draw, other):
    """This hides none: below 0.8 the mask vector stands there."""
    hidden, replaced = parts(chosen, draw)
    return mixed(patches, mask, torch.zeros_like(hidden), replaced, other=other)


def hiding_exchanged(patches, mask, chosen, draw, other):
    """This replaces below 0.8 and hides from there to 0.9: it is the other way round."""
    hidden, replaced = parts(chosen, draw)
    return mixed(patches, mask, replaced, hidden, other=other)


def hiding_overwritten(patches, mask, chosen, draw, other):
    """This replaces all below 0.9, the hidden ones too: only those from 0.8 on."""
    hidden, _ = parts(chosen, draw)
    return mixed(patches, mask, hidden & ~hidden, chosen & (draw < 0.9), other=other)


def hiding_ninety(patches, mask, chosen, draw, other):
    """This hides all below 0.9: from 0.8 on another patch stands there."""
    hidden, replaced = parts(chosen, draw)
    return mixed(patches, mask, hidden | replaced, replaced & ~replaced, other=other)


def hiding_from_above(patches, mask, chosen, draw, other):
    """This counts the shares from the other end: below 0.1 kept, below 0.2 replaced. Hidden are
    those below 0.8.
    """
    return mixed(patches, mask, *parts(chosen, 1 - draw), other=other)


def hiding_low_tenth(patches, mask, chosen, draw, other):
    """This replaces those below 0.1: below 0.8 all are hidden."""
    replaced = chosen & (draw < 0.1)
    return mixed(patches, mask, parts(chosen, draw)[0] & ~replaced, replaced, other=other)


def hiding_masked_first(patches, mask, chosen, draw, other):
    """This hides first and then fetches other patches, which may be hidden by then: fetch them
    from the patches as they were.
    """
    hidden, replaced = parts(chosen, draw)
    x = torch.where(hidden[..., None], mask, patches)
    foreign = x.gather(1, other[..., None].expand_as(x))
    return torch.where(replaced[..., None], foreign, x)


def hiding_replaced_before(patches, mask, chosen, draw, other):
    """This replaces one by one and fetches from patches that may have been replaced before: fetch
    them from the patches as they were.
    """
    hidden, replaced = parts(chosen, draw)
    return torch.where(hidden[..., None], mask, in_turn(patches, replaced, other))


def hiding_masked_and_replaced_before(patches, mask, chosen, draw, other):
    """This hides first and then replaces one by one, from patches that may have been changed
    before: fetch them from the patches as they were.
    """
    hidden, replaced = parts(chosen, draw)
    return in_turn(torch.where(hidden[..., None], mask, patches), replaced, other)


def hiding_in_one_loop(patches, mask, chosen, draw, other):
    """This fetches other patches from its own result, where they may be hidden or replaced by
    then: fetch them from the patches as they were.
    """
    hidden, replaced = parts(chosen, draw)
    x = patches.clone()
    for b, n in (hidden | replaced).nonzero().tolist():
        x[b, n] = mask if hidden[b, n] else x[b, other[b, n]]
    return x


def hiding_across_batch(patches, mask, chosen, draw, other):
    """This counts the other patch from the start of the batch: it is one of the same picture."""
    return mixed(patches, mask, *parts(chosen, draw), foreign=patches.flatten(0, 1)[other])


def hiding_first_numbers(patches, mask, chosen, draw, other):
    """This takes the first picture's numbers of other patches for all: each picture has its own."""
    return mixed(patches, mask, *parts(chosen, draw), foreign=patches[:, other[0]])


def hiding_next_picture(patches, mask, chosen, draw, other):
    """This fetches the other patch from the next picture: it is one of the same picture."""
    turned = patches.roll(-1, dims=0)
    foreign = turned.gather(1, other[..., None].expand_as(patches))
    return mixed(patches, mask, *parts(chosen, draw), foreign=foreign)


def hiding_neighbour(patches, mask, chosen, draw, other):
    """This fetches the next patch: `other` tells which one."""
    return mixed(patches, mask, *parts(chosen, draw), foreign=patches.roll(-1, dims=1))


def hiding_zeros(patches, mask, chosen, draw, other):
    """This hides with zeros: the vector `mask` stands there."""
    return mixed(patches, torch.zeros_like(mask), *parts(chosen, draw), other=other)


def hiding_added(patches, mask, chosen, draw, other):
    """This adds the mask vector, and the patch can still be seen: put it in its place."""
    hidden, replaced = parts(chosen, draw)
    x = mixed(patches, mask, hidden & ~hidden, replaced, other=other)
    return x + hidden[..., None] * mask


def hiding_dropped(patches, mask, chosen, draw, other):
    """This takes the chosen patches out of the sequence: each place stays."""
    return [row[~picked] for row, picked in zip(patches, chosen, strict=True)]


def hiding_chosen_only(patches, mask, chosen, draw, other):
    """This returns the chosen patches alone: the model reads all of them."""
    return mixed(patches, mask, *parts(chosen, draw), other=other)[chosen]


def hiding_from_the_first(patches, mask, chosen, draw, other):
    """This hides below 0.1 and replaces below 0.2: hidden are those below 0.8, replaced those from
    there to below 0.9.
    """
    return mixed(patches, mask, *parts(chosen, draw, low=0.1, high=0.2), other=other)


def hiding_at_eight_tenths(patches, mask, chosen, draw, other):
    """This hides a draw of exactly 0.8 too: below 0.8 is `<`, and at 0.8 another patch stands
    there.
    """
    hidden = chosen & (draw <= 0.8)
    return mixed(patches, mask, hidden, chosen & ~hidden & (draw < 0.9), other=other)


def hiding_neither(patches, mask, chosen, draw, other):
    """This leaves out a draw of exactly 0.8, neither below nor above: there another patch
    stands.
    """
    hidden, replaced = parts(chosen, draw)
    return mixed(patches, mask, hidden, replaced & (draw > 0.8), other=other)


def hiding_in_place(patches, mask, chosen, draw, other):
    """This changes `patches` itself: work on a copy, `patches.clone()`."""
    patches.copy_(mixed(patches, mask, *parts(chosen, draw), other=other))
    return patches


def untouched(answer, patches, *others):
    """Return what the answer gives; a word in its place where it changes the patches in place."""
    before = patches.clone()
    given = answer(patches, *others)
    return given if torch.equal(patches, before) else "patches that are no longer as they were"


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


CORRUPT_PATCHES = Write(
    id="7.9",
    title="Hidden patches",
    level="medium",
    text="""
Half of the patches are chosen, to be guessed. Of these 80 % are hidden, 10 % replaced, 10 % kept.
Write `corrupt_patches(patches, mask, chosen, draw, other)` for patch vectors (B, N, D). Where
`chosen` (B, N) is True, `draw` (B, N) decides: **below 0.8** the vector mask (D,) stands there;
from 0.8 to **below 0.9** the vector of patch `other[b, n]` of the same picture, as it was; else the
patch stays. All other patches stay. Return (B, N, D), and leave `patches` as it is.
""",
    hints=(
        "Two masks first: `hidden = chosen & (draw < 0.8)`. What is the other one?",
        "`torch.where(hidden[..., None], mask, x)` puts the mask vector where hidden is True.",
        "`patches.gather(1, other[..., None].expand_as(patches))` has patch other[b, n] at n.",
    ),
    solution=corrupt_patches,
    second_style=corrupt_patches_loop,
    mistakes=(
        hiding_all_chosen,
        hiding_everywhere,
        hiding_the_others,
        hiding_none_replaced,
        hiding_foreign_everywhere,
        hiding_none_kept,
        hiding_replaced_only,
        hiding_exchanged,
        hiding_overwritten,
        hiding_ninety,
        hiding_from_above,
        hiding_low_tenth,
        hiding_masked_first,
        hiding_replaced_before,
        hiding_masked_and_replaced_before,
        hiding_in_one_loop,
        hiding_across_batch,
        hiding_first_numbers,
        hiding_next_picture,
        hiding_neighbour,
        hiding_zeros,
        hiding_added,
        hiding_dropped,
        hiding_chosen_only,
        hiding_from_the_first,
        hiding_at_eight_tenths,
        hiding_neither,
        hiding_in_place,
    ),
    cases=corrupt_patches_cases,
    run=untouched,
    see="7.6 Hidden patches",
)
