"""Chapter 07: hidden, replaced and kept patches as they go wrong."""

import torch


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


SLIPS = (
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
)
