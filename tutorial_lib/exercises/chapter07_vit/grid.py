"""Chapter 07: positions by row and by column."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def grid_positions(n_rows, n_columns, d_model):
    """Return a position vector for each cell of a grid, row by row: (n_rows · n_columns, D).

    The first D/2 numbers are the sinusoids of the row, the others those of the column; each half
    is made like the positions of the Transformer, as if D/2 were the whole width.
    """
    half = d_model // 2
    frequencies = 10000.0 ** (-torch.arange(0, half, 2) / half)  # (D/4,)

    def sinusoids(n):
        angles = torch.arange(n)[:, None] * frequencies  # (n, D/4)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (n, D/2)

    rows = sinusoids(n_rows).repeat_interleave(n_columns, dim=0)
    columns = sinusoids(n_columns).repeat(n_rows, 1)
    return torch.cat([rows, columns], dim=1)


def grid_positions_loop(n_rows, n_columns, d_model):
    """Second style."""
    table = torch.zeros(n_rows, n_columns, d_model)
    half = d_model // 2
    for i in range(0, half, 2):
        angle = torch.arange(max(n_rows, n_columns)) / 10000 ** (i / half)
        table[:, :, i] = angle[:n_rows, None].sin()
        table[:, :, i + 1] = angle[:n_rows, None].cos()
        table[:, :, half + i] = angle[:n_columns].sin()
        table[:, :, half + i + 1] = angle[:n_columns].cos()
    return table.reshape(-1, d_model)


def waves(n, width, base=10000.0, start=0, apart=False, swapped=False, scale=None):
    """The sinusoids of n places, with the slips that can be made in them."""
    exponents = torch.arange(0, width, 2).double() / (scale or width)
    angles = torch.arange(start, start + n)[:, None] / base**exponents
    pair = [angles.cos().float(), angles.sin().float()][:: 1 if swapped else -1]
    return torch.cat(pair, dim=1) if apart else torch.stack(pair, dim=-1).flatten(1)


def crossed(rows, columns):
    """The rows' vectors and the columns' vectors of all cells, each (R · C, width)."""
    return rows.repeat_interleave(len(columns), dim=0), columns.repeat(len(rows), 1)


def both(n_rows, n_columns, d_model, **slips):
    """The whole table, with slips."""
    half = d_model // 2
    tables = crossed(waves(n_rows, half, **slips), waves(n_columns, half, **slips))
    return torch.cat(tables, dim=1)


def grid_positions_cases():
    """Grids that are not square, and one that is."""
    return [
        case("2 rows, 3 columns, D = 8", 2, 3, 8),
        case("4 rows, 2 columns, D = 12", 4, 2, 12),
        case("3 rows, 3 columns, D = 4", 3, 3, 4),
    ]


ROWS, COLUMNS, WIDTH = 3, 5, 12


def cells(answer):
    """The vectors by row and column, (3, 5, 12), however the cells are numbered."""
    found = answer(ROWS, COLUMNS, WIDTH).reshape(ROWS * COLUMNS, WIDTH)
    down = found.view(COLUMNS, ROWS, WIDTH).transpose(0, 1)
    return down if goes_down(answer) else found.view(ROWS, COLUMNS, WIDTH)


def lies_still(halves, axis):
    """Whether numbers (3, 5, 6) are the same along one axis, and not along the other."""
    moves = [halves.diff(dim=other).abs().max() > 1e-3 for other in (axis, 1 - axis)]
    return moves == [False, True]


def goes_down(answer):
    """Only when the cells are numbered down the columns each half depends on one thing."""
    found = answer(ROWS, COLUMNS, WIDTH).reshape(ROWS * COLUMNS, WIDTH)
    down, along = (
        found.view(COLUMNS, ROWS, WIDTH).transpose(0, 1),
        found.view(ROWS, COLUMNS, WIDTH),
    )
    return any(
        all(lies_still(down[..., 6 * k : 6 * k + 6], axis ^ k) for k in (0, 1))
        and not lies_still(along[..., :6], axis)
        for axis in (0, 1)
    )


def half_of(answer, axis):
    """The half that depends on the row (0) or on the column (1): a vector for each, (n, 6).

    Raises ValueError when none does.
    """
    table = cells(answer)
    for half in (table[..., :6], table[..., 6:])[:: -1 if axis else 1]:
        if lies_still(half, 1 - axis):
            return half.select(1 - axis, 0)
    raise ValueError("no such half")


def has_the_shape(answer):
    """(N, D)."""
    shape = tuple(answer(ROWS, COLUMNS, WIDTH).shape)
    sentences = {
        (3, 5, 12): "Rows and columns are two axes: a sequence has one, (n_rows · n_columns, D).",
        (15, 24): "The vectors are 2 D wide: row and column get D/2 each.",
    }
    return shape == (15, 12) or sentences.get(shape, False)


def halves_depend(answer):
    """The first half on the row, the second one on the column."""
    first, second = cells(answer)[..., :6], cells(answer)[..., 6:]
    seen = [lies_still(half, axis) for half in (first, second) for axis in (1, 0)]
    if seen == [False, True, True, False]:
        return "It puts the column's half first: the row's comes first."
    if seen in ([True, False] * 2, [False, True] * 2):
        both = "row" if seen[0] else "column"
        return f"Both halves depend on the {both}: the first is the row's, the other the column's."
    return seen == [True, False, False, True]


def angles(answer):
    """The angles at number 0 and the steps from 0 to 1, a pair each, sine first, (3,) and (3,).

    Raises ValueError when number 2i and number 2i + 1 are no sine and cosine of one angle.
    """
    half = half_of(answer, 1)
    if sines_apart(answer):
        half = half.view(COLUMNS, 2, 3).mT.flatten(1)
    sine, cosine = half[:, ::2], half[:, 1::2]
    if not are_waves(sine, cosine):
        raise ValueError("no waves")
    if (cosine[1, 0] * sine[0, 0] - sine[1, 0] * cosine[0, 0]).item() > 0:
        sine, cosine = cosine, sine  # it turns the other way: they are exchanged
    found = torch.atan2(sine, cosine)
    return found[0], found[1] - found[0]


def are_waves(one, other):
    """Whether numbers are sine and cosine of the same angles, or the other way round."""
    return bool(((one**2 + other**2 - 1).abs() < 1e-2).all())


def sines_apart(answer):
    """All sines come before all cosines."""
    half = half_of(answer, 1)
    apart, beside = are_waves(half[:, :3], half[:, 3:]), are_waves(half[:, ::2], half[:, 1::2])
    return apart and not beside


def halves_are_waves(answer):
    """Each half has the sine and the cosine of three angles."""
    halves = half_of(answer, 0), half_of(answer, 1)
    return sines_apart(answer) or all(are_waves(half[:, ::2], half[:, 1::2]) for half in halves)


def sine_comes_first(answer):
    """sin, then cos: of the fastest pair, whose angle grows by 1."""
    if not halves_are_waves(answer):
        return None
    half = half_of(answer, 1)
    sine, cosine = half[:2, 0], half[:2, 3 if sines_apart(answer) else 1]
    return (cosine[1] * sine[0] - sine[1] * cosine[0]).item() < 0


def counts_from_zero(answer):
    """The first angle is 0."""
    start, step = angles(answer)
    if torch.allclose(start, step, atol=1e-3):
        return "It counts from 1: the first row and the first column are 0."
    return not (start.abs() > 1e-3).any()


FASTER = {
    (10_000, 12): "The exponent is divided by D: each half is made as if D/2 were the whole width.",
    (10_000, 3): "It counts pairs twice: the exponent is 2i / (D/2), not 4i / (D/2).",
    (1_000, 6): "The base is 1000: it is 10000.",
    (1e-4, 6): "It multiplies by the power of 10000: divide by it, the waves get slower.",
}


def slows_down(answer):
    """The steps are 10000^(-2i / 6)."""
    step = angles(answer)[1]

    def fits(base, width):
        wanted = base ** (-2 * torch.arange(3) / width)
        return torch.allclose(step.cos(), wanted.cos(), atol=1e-3) and torch.allclose(
            step.sin(), wanted.sin(), atol=1e-3
        )

    if fits(10_000, 6):
        return True
    return next((text for (base, width), text in FASTER.items() if fits(base, width)), False)


GRID_POSITIONS = Write(
    id="7.7",
    title="Positions in two directions",
    level="medium",
    text="""
Write `grid_positions(n_rows, n_columns, d_model)`: a vector for each cell of a grid, row by row,
(n_rows · n_columns, D). Its first D/2 numbers depend on the **row** only, the others on the
**column** only. Each half is made like the positions of the Transformer, for a width of D/2. Number
2i is sin(pos / 10000^(2i / (D/2))), and number 2i + 1 the cosine. Rows and columns count from 0. D
is a multiple of 4.
""",
    hints=(
        "Make a table (n, D/2) of sinusoids once for n rows, once for n columns.",
        "Cell (r, c) is row r of the first table beside row c of the second one.",
        "`rows.repeat_interleave(n_columns, dim=0)` repeats each row, `columns.repeat(n_rows, 1)` "
        "the whole table.",
    ),
    solution=grid_positions,
    second_style=grid_positions_loop,
    mistakes=(),
    cases=grid_positions_cases,
    properties=(
        Property("The positions are (n_rows · n_columns, D).", has_the_shape),
        Property(
            "It goes down the columns of the grid: go row by row, as the patches do.",
            lambda answer: not goes_down(answer),
        ),
        Property(
            "The first D/2 numbers must depend on the row only, and the others on the column only: "
            "the row's vector is in all cells of its row, the column's in all of its column.",
            halves_depend,
        ),
        Property(
            "All sines come before all cosines: each cosine belongs right after its sine.",
            lambda answer: not sines_apart(answer),
        ),
        Property("Each half must hold the sine and the cosine of each angle.", halves_are_waves),
        Property("The cosine comes first: the sine does.", sine_comes_first),
        Property("The angles of row 0 and of column 0 must be 0.", counts_from_zero),
        Property("The waves do not get slower as 10000^(2i / (D/2)) says.", slows_down),
    ),
    tolerance=5e-4,  # waves that get faster are known in spite of their rounded angles
    see="7E Where am I in the picture",
)
