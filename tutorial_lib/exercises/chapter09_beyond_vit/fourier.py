"""Chapter 09: a position as waves of many lengths."""

import itertools
import math

import torch

from tutorial_lib.exercises.engine.properties import alike, composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def waves(positions, n_bands, finest):
    """Return positions (..., d), -1 to 1, and their sines and cosines: (..., d + 2 d n_bands)."""
    frequencies = torch.linspace(1, finest / 2, n_bands)  # (n_bands,)
    angles = math.pi * positions[..., None] * frequencies  # (..., d, n_bands)
    made = torch.cat([angles.sin(), angles.cos()], dim=-1)  # (..., d, 2 n_bands)
    return torch.cat([positions, made.flatten(-2)], dim=-1)


def waves_one_by_one(positions, n_bands, finest):
    """Second style."""
    step = (finest / 2 - 1) / max(n_bands - 1, 1)
    columns = list(positions.unbind(-1))
    for axis in positions.unbind(-1):
        for wave in (torch.sin, torch.cos):
            columns += [wave(axis * (math.pi * (1 + step * band))) for band in range(n_bands)]
    return torch.stack(columns, dim=-1)


def equal_steps(n_bands, finest):
    """The frequencies (n_bands,)."""
    return torch.linspace(1, finest / 2, n_bands)


def made_of(positions, frequencies, unit=math.pi):
    """The sines and the cosines, (..., d, n_bands) each."""
    angles = unit * positions[..., None] * frequencies
    return angles.sin(), angles.cos()


def put_in_order(positions, frequencies, unit=math.pi):
    """Sines and cosines axis by axis, behind the positions."""
    made = torch.cat(made_of(positions, frequencies, unit), dim=-1)
    return torch.cat([positions, made.flatten(-2)], dim=-1)


def waves_without_pi(positions, n_bands, finest):
    """There is no π in the angle: it is π · frequency · position."""
    return put_in_order(positions, equal_steps(n_bands, finest), unit=1)


def waves_twice_pi(positions, n_bands, finest):
    """The angle has 2π in it: positions go from -1 to 1, a way of 2, so π is enough."""
    return put_in_order(positions, equal_steps(n_bands, finest), unit=2 * math.pi)


def waves_to_finest(positions, n_bands, finest):
    """The frequencies go up to `finest`: they end at half of it."""
    return put_in_order(positions, torch.linspace(1, finest, n_bands))


def waves_finest_rounded(positions, n_bands, finest):
    """This rounds half of `finest` down, as `//` does: it need not be whole."""
    return put_in_order(positions, torch.linspace(1, finest // 2, n_bands))


def waves_doubled(positions, n_bands, finest):
    """Each frequency is twice the one before: they go in equal *steps*, from 1 to finest / 2."""
    return put_in_order(positions, 2.0 ** torch.arange(n_bands))


def waves_equal_factors(positions, n_bands, finest):
    """The frequencies grow by equal *factors*: they go in equal steps."""
    return put_in_order(positions, torch.logspace(0, math.log10(finest / 2), n_bands))


def waves_counted(positions, n_bands, finest):
    """The frequencies are 1, 2, 3 ...: the last one must be finest / 2, whatever the number of
    bands.
    """
    return put_in_order(positions, torch.arange(1.0, n_bands + 1))


def waves_end_left_out(positions, n_bands, finest):
    """The steps are a little too small, (finest / 2 - 1) / n_bands: the last frequency must *be*
    finest / 2, and between n bands there are n - 1 steps.
    """
    step = (finest / 2 - 1) / n_bands
    return put_in_order(positions, 1 + step * torch.arange(n_bands))


def waves_from_zero(positions, n_bands, finest):
    """The frequencies begin at 0, a wave that never moves: they begin at 1."""
    return put_in_order(positions, torch.linspace(0, finest / 2, n_bands))


def waves_from_zero_to_one(positions, n_bands, finest):
    """The positions are moved to 0 to 1 first: take them as they are, from -1 to 1."""
    made = put_in_order((positions + 1) / 2, equal_steps(n_bands, finest))
    return torch.cat([positions, made[..., positions.size(-1) :]], dim=-1)


def waves_alone(positions, n_bands, finest):
    """The positions themselves are missing: they come first, before the waves."""
    return waves(positions, n_bands, finest)[..., positions.size(-1) :]


def waves_positions_last(positions, n_bands, finest):
    """The positions come behind the waves: they come first."""
    return torch.cat([waves_alone(positions, n_bands, finest), positions], dim=-1)


def waves_in_pairs(positions, n_bands, finest):
    """Each sine is followed by its cosine: in each axis, all sines come first, then all cosines."""
    pairs = torch.stack(made_of(positions, equal_steps(n_bands, finest)), dim=-1)
    return torch.cat([positions, pairs.flatten(-3)], dim=-1)


def waves_sines_of_all_axes(positions, n_bands, finest):
    """The sines of all axes come before the cosines of all axes: each axis has its sines *and* its
    cosines, then comes the next axis.
    """
    made = made_of(positions, equal_steps(n_bands, finest))
    return torch.cat([positions, *(part.flatten(-2) for part in made)], dim=-1)


def waves_band_by_band(positions, n_bands, finest):
    """This goes band by band, and in each band through the axes: go axis by axis, and in each axis
    through the bands.
    """
    made = torch.cat(made_of(positions, equal_steps(n_bands, finest)), dim=-1)
    return torch.cat([positions, made.mT.flatten(-2)], dim=-1)


def waves_cosines_first(positions, n_bands, finest):
    """The cosines come before the sines: for each axis, the sines come first."""
    sines, cosines = made_of(positions, equal_steps(n_bands, finest))
    made = torch.cat([cosines, sines], dim=-1).flatten(-2)
    return torch.cat([positions, made], dim=-1)


def waves_by_axis(positions, n_bands, finest):
    """Each axis has its position in front of its waves: the positions of all axes come first, then
    the waves.
    """
    made = torch.cat(made_of(positions, equal_steps(n_bands, finest)), dim=-1)
    return torch.cat([positions[..., None], made], dim=-1).flatten(-2)


def waves_cases():
    """One axis, two and three, one band, positions with several axes in front and with none."""

    def drawn(*shape):
        return 2 * torch.rand(*shape) - 1

    return [
        case("one axis, 3 bands", torch.tensor([[-1.0], [0.0], [0.25], [0.9]]), 3, 8),
        case("a grid with two axes", drawn(4, 5, 2), 3, 10),
        case("three axes, an odd finest", drawn(2, 3), 4, 7),
        case("one band", drawn(3, 2), 1, 6),
        case("a single position", drawn(2), 2, 12),
    ]


MIDDLE, ASIDE, SMALL = torch.zeros(2), torch.tensor([0.0, 0.13]), 0.02
N_BANDS, FINEST = 4, 11  # for these all wrong ideas of steps and ends differ
WANTED = torch.tensor([1, 2.5, 4, 5.5]).double()


APART = "The numbers of a position are kept apart: their waves must come in one row."


def has_the_shape(answer):
    """(..., d + 2 d n_bands)."""
    shape = tuple(answer(torch.full((5, 3), 0.3), 4, 8).shape)
    sentences = {
        (5, 24): "There are 2 · d · n_bands numbers: the d positions themselves are missing.",
        (5, 12): "There are d · n_bands numbers: each band has a sine and a cosine, and the "
        "positions come first.",
        (5, 15): "There are d + d · n_bands numbers: each band has a sine *and* a cosine.",
        (5, 11): "It adds up the numbers of a position, or takes one alone: each has its waves.",
        (5, 3, 9): APART,
        (5, 3, 8): f"{APART[:-1]}, behind the position.",
    }
    return shape == (5, 27) or sentences.get(shape, False)


def any_axes_in_front(answer):
    """(d,) and (a, b, d) as well."""
    rows = torch.linspace(-0.9, 0.7, 12).view(6, 2)
    found = answer(rows, 3, 8)
    if found.dim() != 2 or len(found) != 6:
        return None
    try:
        grid, single = answer(rows.view(2, 3, 2), 3, 8), answer(rows[0], 3, 8)
    except ValueError:
        return False
    return alike(grid, found.view(2, 3, -1)) and alike(single, found[0])


LAST = "The positions come last: they come first."


def positions_come_first(answer):
    """The first d numbers are the position."""
    position = torch.tensor([0.3, -0.62])
    found = answer(position, 3, 8)
    if len(found) != 14 or alike(found[:2], position):
        return True if len(found) == 14 else None
    if alike(found[-2:], position):
        return LAST
    return False


def waves_of(answer, position):
    """The waves of one position (d,), 3 bands, without the position itself: (6 d,)."""
    found = answer(position, 3, 8)
    n_axes = len(position)
    if len(found) == 6 * n_axes:
        return found
    if len(found) != 7 * n_axes:
        raise ValueError("another shape")
    behind = positions_come_first(answer) == LAST
    return found[:-n_axes] if behind else found[n_axes:]


def kinds(answer):
    """For each wave of two axes its axis, and 1 for a cosine: 2 · axis + cosine, (12,)."""
    middle = waves_of(answer, MIDDLE)
    along = [(waves_of(answer, aside) - middle).abs() > 1e-3 for aside in (ASIDE.flip(0), ASIDE)]
    if not (along[0] | along[1]).all():
        raise ValueError("waves that do not move")
    return 2 * along[1].int() + (middle > 0.5).int()


def kinds_by(order, first):
    """The same, for an order of axis, kind and band."""
    table = torch.tensor([[0, 1], [2, 3]]).roll(first, dims=1)  # (axis, kind)
    return table[..., None].expand(2, 2, 3).permute(order).flatten().int()


def both_kinds(answer):
    """There must be as many sines as cosines: in the middle, sines are 0 and cosines 1."""
    n_cosines = (waves_of(answer, MIDDLE) > 0.5).sum().item()
    return n_cosines == 6 or f"Of 12 waves {n_cosines} are cosines: there must be 6 of each."


def in_any_order(answer):
    """Sines and cosines are mixed up: go axis by axis, and in each sines before cosines."""
    return None if both_kinds(answer) is not True or not len(kinds(answer)) else False


ORDER = composed(
    kinds,
    kinds_by,
    {
        "It goes axis by axis, and in each through all sines, then through all cosines.": (0, 1, 2),
        "Each wave stands next to the other one of its band: for each axis, all sines come first, "
        "then all cosines.": (0, 2, 1),
        "Sines of all axes stand together, and cosines of all axes: go axis by axis.": (1, 0, 2),
        "Sines of all axes stand together, band by band: go axis by axis.": (1, 2, 0),
        "It goes band by band: go axis by axis.": (2, 0, 1),
        "It goes band by band, and in each through all sines: go axis by axis.": (2, 1, 0),
    },
    {"Sines come first.": 0, "The cosines come before the sines.": 1},
    otherwise=(both_kinds, in_any_order),
)


def frequencies_of(answer, n_bands=N_BANDS, finest=FINEST):
    """By what the sines at a small position turn, over π and the position, in their order."""
    there = answer(torch.tensor([SMALL]), n_bands, finest)
    middle = answer(torch.tensor([0.0]), n_bands, finest)
    sines = middle.abs() < 0.5
    if len(there) == 1 + 2 * n_bands:  # the position is no wave
        sines[-1 if positions_come_first(answer) == LAST else 0] = False
    if there.dim() != 1 or sines.sum() != n_bands:
        raise ValueError("not as many sines as bands")
    return there[sines].double().asin() / (math.pi * SMALL)


def close(found, wanted):
    """Tell whether these are the frequencies; short floats know them to a hundredth."""
    wanted = torch.as_tensor(wanted).double()
    return found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-2)


def frequencies_fit(answer):
    """In equal steps from 1 to finest / 2."""
    found = frequencies_of(answer)
    units = {
        "": 1,
        "There is no π in the angle: it is π · frequency · position.": math.pi,
        "The angle has 2π in it: it is π · frequency · position.": 1 / 2,
    }
    ways = {
        "": WANTED,
        "The frequencies go up to `finest`: they end at half of it.": equal_steps(4, 22),
        "The frequencies begin at 0: they begin at 1.": [0, 5.5 / 3, 11 / 3, 5.5],
        "They begin at 0 and go up to `finest`: from 1 to finest / 2.": [0, 11 / 3, 22 / 3, 11],
        "Each frequency is twice the one before: they go in equal steps.": [1, 2, 4, 8],
        "The frequencies are 1, 2, 3 ...: the last one must be finest / 2.": [1, 2, 3, 4],
        "The frequencies stop before finest / 2: they go up to it, and between n bands there are "
        "n - 1 steps.": [1, 2.125, 3.25, 4.375],
        "The last frequency is not finest / 2, which need not be whole.": equal_steps(4, 10),
        "The frequencies need not be whole: do not round them.": WANTED.round(),
        "The frequencies need not be whole: do not cut them off.": WANTED.floor(),
        "It divides by the frequency: multiply.": 1 / WANTED,
        "The frequencies grow by equal factors: they go in equal steps.": 5.5
        ** (torch.arange(4) / 3),
        "The highest frequency comes first: begin with the lowest.": WANTED.flip(0),
    }
    for unit, way in itertools.product(units, ways):
        if close(found * units[unit], ways[way]):
            return " ".join(filter(None, (unit, way))) or True
    return False


def follows_finest(answer):
    """Other numbers of bands and other ends."""
    if frequencies_fit(answer) is not True:
        return None
    return close(frequencies_of(answer, 2, 9), [1, 4.5])


def one_band_is_one(answer):
    """A single band has the frequency 1."""
    if frequencies_fit(answer) is not True:
        return None
    try:
        found = frequencies_of(answer, 1, 8)
    except ValueError:
        return False
    return close(found, [1])


WAVES = Write(
    id="9.10",
    title="Where a pixel is",
    level="medium",
    text="""
The order of its inputs means nothing to a Perceiver, so each brings its position along, as waves of
many lengths. Write `waves(positions, n_bands, finest)`. Each position in `positions` (..., d) is d
numbers from -1 to 1, such as how far down and how far to the right; there may be any axes in front,
also none. There are `n_bands` frequencies, in equal steps from 1 to finest / 2, both included; a
single one is 1. The angle of a wave is π · frequency · number. Return (..., d + 2 · d · n_bands):
first the d numbers as they are. Then, for the first number, **the sines of all frequencies**, the
lowest first, and after them **the cosines of all frequencies**; then the same for the second
number, and so on.
""",
    hints=(
        "First the frequencies: `torch.linspace` makes equal steps, for a single one, too.",
        "Angles (..., d, n_bands): `positions[..., None]` makes room for the bands.",
        "Which axis do sines and cosines have to be joined along so that each axis of the picture "
        "keeps its own together? `flatten(-2)` makes one row of the last two axes.",
    ),
    solution=waves,
    second_style=waves_one_by_one,
    mistakes=(
        waves_without_pi,
        waves_twice_pi,
        waves_to_finest,
        waves_finest_rounded,
        waves_doubled,
        waves_equal_factors,
        waves_counted,
        waves_end_left_out,
        waves_from_zero,
        waves_from_zero_to_one,
        waves_alone,
        waves_positions_last,
        waves_in_pairs,
        waves_sines_of_all_axes,
        waves_band_by_band,
        waves_cosines_first,
        waves_by_axis,
    ),
    cases=waves_cases,
    properties=(
        Property("The result must be (..., d + 2 · d · n_bands).", has_the_shape),
        Property("It does not take positions with any axes in front.", any_axes_in_front),
        Property("The first d numbers are not the position itself.", positions_come_first),
        *ORDER,
        Property(
            "The frequencies do not go in equal steps from 1 to finest / 2, with angles "
            "π · frequency · position.",
            frequencies_fit,
        ),
        Property(
            "The frequencies are right for one number of bands only: they depend on `n_bands` and "
            "`finest`.",
            follows_finest,
        ),
        Property("A single band must have the frequency 1.", one_band_is_one),
    ),
)
