"""Wrong answers nobody has written out, alone and several at once, are named by properties."""

import math

import property_checks
import pytest
import torch
import torch.nn.functional as F


def over_inputs(scores):
    return scores.softmax(dim=-1)


def read(scale=lambda n, m, k: k**0.5, weigh=over_inputs, keep=torch.add, hide="before"):
    """What latents read, with a choice of slips."""

    def answer(latents, inputs, w_q, w_k, w_v, mask=None):
        scores = latents @ w_q @ (inputs @ w_k).mT
        scores = scores / scale(len(latents), inputs.size(1), w_q.size(1))
        if mask is not None and hide in ("before", "inverted"):
            scores = scores.masked_fill((~mask if hide == "before" else mask)[:, None], -1e9)
        if mask is not None and hide in ("added", "latents"):
            scores = scores + (mask[:, None] if hide == "added" else mask[..., None])
        weights = weigh(scores)
        if mask is not None and hide == "after":
            weights = weights * mask[:, None]
        return keep(latents, weights @ inputs @ w_v)

    return answer


def alone(latents, found):
    return found


def read_as_one_picture(latents, inputs, *maps):
    return read()(latents, inputs.flatten(0, 1)[None], *maps).expand(len(inputs), -1, -1)


def read_on_and_on(latents, inputs, w_q, w_k, w_v, mask=None):
    found = []
    for number in range(len(inputs)):
        real = None if mask is None else mask[number, None]
        latents = read()(latents, inputs[number, None], w_q, w_k, w_v, real)[0]
        found.append(latents)
    return torch.stack(found)


def read_with_the_first_mask(latents, inputs, w_q, w_k, w_v, mask=None):
    mask = None if mask is None else mask[:1].expand_as(mask)
    return read()(latents, inputs, w_q, w_k, w_v, mask)


def read_with_a_mask(latents, inputs, w_q, w_k, w_v, mask=None):
    return read()(latents, inputs, w_q, w_k, w_v, mask.bool())


def read_and_show(*args):
    return read()(*args), args[0]


def waves(steps=None, unit=math.pi, order=(0, 1, 2), flipped=False, place="first", kinds=None):
    """Waves of positions, with a choice of slips."""

    def answer(positions, n_bands, finest):
        frequencies = steps(n_bands, finest) if steps else torch.linspace(1, finest / 2, n_bands)
        angles = unit * positions[..., None] * frequencies
        both = [wave(angles) for wave in kinds or (torch.sin, torch.cos)]
        table = torch.stack(both[::-1] if flipped else both, dim=-2)  # (..., d, 2, n_bands)
        front = table.dim() - 3
        row = table.permute(*range(front), *(front + axis for axis in order)).flatten(-3)
        parts = {"first": [positions, row], "last": [row, positions], "missing": [row]}
        return torch.cat(parts[place], dim=-1)

    return answer


def doubled(n_bands, finest):
    return 2.0 ** torch.arange(n_bands)


def waves_of_rows(positions, n_bands, finest):
    angles = math.pi * positions[:, :, None] * torch.linspace(1, finest / 2, n_bands)
    return torch.cat([positions, torch.cat([angles.sin(), angles.cos()], 2).flatten(1)], 1)


def waves_of_several_bands(positions, n_bands, finest):
    step = (finest / 2 - 1) / (n_bands - 1)
    return waves(lambda n, last: 1 + step * torch.arange(n))(positions, n_bands, finest)


def waves_of_the_sum(positions, n_bands, finest):
    total = positions.sum(dim=-1, keepdim=True)
    return torch.cat([positions, waves(place="missing")(total, n_bands, finest)], dim=-1)


def waves_apart(positions, n_bands, finest):
    return waves()(positions[..., None], n_bands, finest)


def zoom(
    steps=lambda n: (torch.arange(n) + 0.5) / n,
    square=lambda top, left, width: (top, left, width),
    exchanged=False,
    turn=lambda found: found,
    portions=torch.split,
    shape=lambda values, side: values.view(side, side),
):
    """The picture of a square, with a choice of slips."""

    def answer(ask, top, left, width, side, most):
        top, left, width = square(top, left, width)
        rows, columns = top + width * steps(side), left + width * steps(side)
        positions = torch.cartesian_prod(rows, columns)
        positions = positions.flip(1) if exchanged else positions
        values = torch.cat([ask(some) for some in portions(positions, most)])
        return turn(shape(values, side))

    return answer


def corners(n):
    return torch.arange(n) / n


def whole(top, left, width):
    return -1, -1, 2


def all_at_once(positions, most):
    return [positions]


def whole_portions(positions, most):
    return positions[: len(positions) // most * most].split(most)


def zoom_beginning_again(ask, *args):
    def first_ones(positions, most):
        return [positions[: len(some)] for some in positions.split(most)]

    return zoom(portions=first_ones)(ask, *args)


KEEP = "A latent must keep what it held"
OVER_LATENTS = "The softmax runs over the latents"
UNSCALED = "The scores are not divided at all."
HIDDEN_COUNT = "Inputs that are not real still count."
COMPARED = "The weights do not follow the products"
SOME = "Some inputs get no weight, although no mask hides them"
SUM = "For each latent the weights of the inputs must sum to 1"
NO_POSITIONS = "There are 2 · d · n_bands numbers: the d positions themselves are missing."
LAST = "The positions come last"
BANDS = "It goes band by band"
COSINES = "The cosines come before the sines."
NO_PI = "There is no π in the angle: it is π · frequency · position."
STEPS = "The frequencies do not go in equal steps"
CORNERS = "It asks at the corner of each pixel"
WHOLE = "It shows the whole picture"
ON_ITS_SIDE = "The picture is on its side"
TURNED = "It asks with (right, down)"
ALL = "It asks for all positions at once, where `most` is 7."
PLACES = "It does not ask for the middles of the pixels, row by row."

SETS = {
    "9.8": (
        read(),
        {
            "alone, unscaled": (read(lambda n, m, k: 1, keep=alone), [KEEP, UNSCALED]),
            "alone, over latents": (
                read(weigh=lambda scores: scores.softmax(dim=1), keep=alone),
                [KEEP, OVER_LATENTS],
            ),
            "unscaled, mask inverted": (
                read(lambda n, m, k: 1, hide="inverted"),
                [UNSCALED, "It reads the inputs that are to be hidden"],
            ),
            "by K, mask after": (
                read(lambda n, m, k: k, hide="after"),
                ["The scores are divided by K: take its root.", HIDDEN_COUNT],
            ),
            "alone, no mask": (
                read(keep=alone, hide="never"),
                [KEEP, "The mask makes no difference."],
            ),
            "by the root of M": (
                read(lambda n, m, k: m**0.5),
                ["The scores are divided by √M, the number of inputs."],
            ),
            "by the root of N": (
                read(lambda n, m, k: n**0.5),
                ["The scores are divided by √N, the number of latents."],
            ),
            "over pictures": (
                read(weigh=lambda scores: scores.softmax(dim=0)),
                ["The softmax runs over the pictures"],
            ),
            "over latents and inputs": (
                read(weigh=lambda scores: scores.flatten(1).softmax(-1).view_as(scores)),
                [SUM],
            ),
            "exponentials": (read(weigh=torch.exp), [SUM]),
            "raw": (read(weigh=lambda scores: scores), ["There are negative weights"]),
            "sigmoid": (read(weigh=torch.sigmoid), [SUM, COMPARED]),
            "the best": (
                read(weigh=lambda scores: 1.0 * (scores == scores.amax(-1, keepdim=True))),
                [SOME],
            ),
            "a mean": (read(weigh=lambda scores: over_inputs(0 * scores)), [COMPARED]),
            "causal": (
                read(weigh=lambda x: over_inputs(x + torch.full(x.shape[-2:], -1e9).triu(1))),
                [SOME],
            ),
            "twice": (
                read(keep=lambda latents, found: 2 * latents + found),
                ["The latents are added 2 times"],
            ),
            "a norm": (
                read(keep=lambda a, b: F.layer_norm(a + b, a.shape[-1:])),
                ["To what they gathered, the latents themselves are added."],
            ),
            "two softmaxes": (
                read(weigh=lambda scores: over_inputs(over_inputs(scores))),
                ["There are two softmaxes"],
            ),
            "mask added": (read(hide="added"), ["The mask is added to the scores as 0 and 1"]),
            "mask on the latents": (read(hide="latents"), ["It fails with a mask"]),
            "one picture": (read_as_one_picture, ["What is read in one picture depends"]),
            "on and on": (read_on_and_on, ["What is read in one picture depends"]),
            "first mask": (read_with_the_first_mask, ["It hides the same inputs in all"]),
            "with a mask only": (read_with_a_mask, ["It needs a mask"]),
            "two results": (read_and_show, ["It returns several things"]),
        },
    ),
    "9.10": (
        waves(),
        {
            "no π, to finest": (
                waves(lambda n, finest: torch.linspace(1, finest, n), unit=1),
                [f"{NO_PI} The frequencies go up to `finest`"],
            ),
            "no π, falling": (
                waves(lambda n, finest: torch.linspace(finest / 2, 1, n), unit=1),
                [f"{NO_PI} The highest frequency comes first"],
            ),
            "doubled, in pairs": (
                waves(doubled, order=(0, 2, 1)),
                ["Each wave stands next to the other one", "Each frequency is twice"],
            ),
            "doubled, positions last": (
                waves(doubled, place="last"),
                [LAST, "Each frequency is twice"],
            ),
            "cosines first, positions last": (waves(flipped=True, place="last"), [LAST, COSINES]),
            "by bands, no positions": (
                waves(order=(2, 0, 1), place="missing"),
                [NO_POSITIONS, BANDS],
            ),
            "by bands, 2π": (
                waves(order=(2, 0, 1), unit=2 * math.pi),
                [BANDS, "The angle has 2π in it"],
            ),
            "by kinds, cosines first": (
                waves(order=(1, 0, 2), flipped=True),
                ["Sines of all axes stand together", COSINES],
            ),
            "2π, no positions": (
                waves(unit=2 * math.pi, place="missing"),
                [NO_POSITIONS, "The angle has 2π in it"],
            ),
            "rounded": (
                waves(lambda n, finest: torch.linspace(1, finest / 2, n).round()),
                ["The frequencies need not be whole"],
            ),
            "divided": (
                waves(lambda n, finest: 1 / torch.linspace(1, finest / 2, n)),
                ["It divides by the frequency"],
            ),
            "from 0 to finest": (
                waves(lambda n, finest: torch.linspace(0, finest, n)),
                ["They begin at 0 and go up to `finest`"],
            ),
            "a Transformer’s": (
                waves(lambda n, finest: 1 / 10_000 ** (torch.arange(n) / n), unit=1),
                [STEPS],
            ),
            "sines twice": (
                waves(kinds=(torch.sin, torch.sin)),
                ["Of 12 waves 0 are cosines"],
            ),
            "rows only": (waves_of_rows, ["It does not take positions with any axes in front."]),
            "several bands only": (waves_of_several_bands, ["A single band must have"]),
            "the sum": (waves_of_the_sum, ["It adds up the numbers of a position"]),
            "apart": (waves_apart, ["The numbers of a position are kept apart"]),
        },
    ),
    "9.11": (
        zoom(),
        {
            "exchanged": (zoom(exchanged=True), [TURNED]),
            "corners, on its side": (
                zoom(corners, turn=lambda found: found.mT),
                [CORNERS, ON_ITS_SIDE],
            ),
            "lower right corners": (
                zoom(lambda n: torch.linspace(0, 1, n + 1)[1:]),
                ["It asks at the lower right corner"],
            ),
            "corners, the whole": (zoom(corners, whole), [CORNERS, WHOLE]),
            "the whole, all at once": (zoom(square=whole, portions=all_at_once), [WHOLE, ALL]),
            "all at once": (zoom(portions=all_at_once), [ALL]),
            "corners, all at once": (zoom(corners, portions=all_at_once), [CORNERS, ALL]),
            "row by row": (
                zoom(portions=lambda positions, most: positions.split(math.isqrt(len(positions)))),
                ["It asks for a whole row at a time, where `most` is 2."],
            ),
            "as many portions": (zoom(portions=torch.chunk), ["It makes `most` portions"]),
            "one too many": (
                zoom(portions=lambda positions, most: positions.split(most + 1)),
                ["It asks for 8 positions at a time, where `most` is 7."],
            ),
            "whole portions": (
                zoom(portions=whole_portions),
                ["Of 25 positions it asks for 21, 7 at a time"],
            ),
            "beginning again": (zoom_beginning_again, ["In several portions it is another"]),
            "last portion first": (
                zoom(portions=lambda positions, most: positions.split(most)[::-1]),
                ["In several portions it is another"],
            ),
            "a column, exchanged": (
                zoom(exchanged=True, shape=lambda values, side: values),
                ["It returns one long column", TURNED],
            ),
            "an axis too many": (
                zoom(shape=lambda values, side: values.view(side, side, 1)),
                ["It returns (side, side, 1)"],
            ),
            "side - 1": (
                zoom(lambda n: (torch.arange(n) + 0.5) / max(n - 1, 1)),
                ["A pixel is as wide as width / side"],
            ),
            "half as wide": (
                zoom(square=lambda top, left, width: (top, left, width / 2)),
                ["The square is half as wide"],
            ),
            "upwards": (
                zoom(square=lambda top, left, width: (top, left, -width)),
                ["row 0, column 0 gets the value of (down, right) = (-0.76, 0.09)"],
            ),
            "2 wide": (zoom(square=lambda top, left, width: (top, left, 2)), ["The square is 2"]),
            "from 0 to 1": (
                zoom(square=lambda *all: [(all[0] + 1) / 2, (all[1] + 1) / 2, all[2] / 2]),
                ["It asks for positions from 0 to 1"],
            ),
        },
    ),
}

WRONG = {id: answers for id, (_, answers) in SETS.items()}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    property_checks.assert_right(id, SETS[id][0])
