"""Answers of chapter 03 that nobody has written out: each mistake of theirs is named."""

import math

import property_checks
import pytest
import torch


def digits(first=0, turned=False, flip=False, base=2, across=False):
    """Binary digits with a choice of slips."""

    def answer(n, bits):
        table = [[p // base**i % base for i in range(bits)] for p in range(first, n + first)]
        table = [[1 - d for d in row] for row in table] if flip else table
        table = [row[::-1] for row in table] if turned else table
        return [list(column) for column in zip(*table, strict=True)] if across else table

    return answer


def by_shifts(n, bits):
    return torch.arange(n).unsqueeze(1).bitwise_right_shift(torch.arange(bits)).bitwise_and(1)


def waves(first=0, exponent=lambda i, d: 2 * i / d, order=(0, 1), blocks=False, unit=1.0):
    """Sinusoids with a choice of slips."""

    def answer(n, d):
        rows = []
        for place in range(first, first + n):
            angles = [unit * place / 10_000 ** exponent(i, d) for i in range(d // 2)]
            pairs = [[(math.sin(a), math.cos(a))[j] for j in order] for a in angles]
            pairs = zip(*pairs, strict=True) if blocks else pairs
            rows.append([number for pair in pairs for number in pair])
        return rows

    return answer


def waves_complex(n, d):
    angles = torch.outer(torch.arange(n).double(), 10_000.0 ** (-torch.arange(0, d, 2) / d))
    turned = torch.polar(torch.ones_like(angles), math.pi / 2 - angles)  # the sine comes first
    return torch.view_as_real(turned).reshape(n, d).float()


def gathered(keys=True, values=True, scale=math.sqrt, dim=-1, batch=False):
    """The reader with a choice of slips."""

    def answer(words, table, question):
        places = table[: len(words), None] if batch else table[: words.size(1)]
        k, v = words + keys * places, words + values * places
        weights = torch.softmax(torch.matmul(k, question) / scale(len(question)), dim)
        return (weights[..., None] * v).sum(1)

    return answer


def by_least_squares(matrix):
    """Which power of one step is it?"""
    d = len(matrix)
    speeds = 10_000.0 ** (-torch.arange(0, d, 2) / d)
    offsets = torch.arange(-1000.0, 1001)
    wanted = torch.cat([matrix[0::2, 0::2].diagonal(), matrix[0::2, 1::2].diagonal()])
    angles = offsets[:, None] * speeds
    gaps = torch.cat([angles.cos(), angles.sin()], dim=1) - wanted
    return offsets[gaps.square().sum(dim=1).argmin()].long()


def needed(weights, share):
    held = [row.flip(0).double().cumsum(0).tolist() for row in weights]
    return [next(n for n, part in enumerate(row, 1) if part >= share) for row in held]


def offsets(sign=1, low=True, high=True, last=True, add=0):
    """The rows of the offsets with a choice of slips."""

    def answer(n_queries, n_keys, reach):
        first = n_keys - n_queries if last else 0
        table = torch.zeros(n_queries, n_keys, dtype=torch.long)
        for t in range(n_queries):
            for s in range(n_keys):
                offset = sign * (s - t - first)
                offset = max(offset, -reach) if low else offset
                table[t, s] = (min(offset, reach) if high else offset) + reach + add
        return table

    return answer


def rotated(
    sign=1, exponent=lambda i, k: 2 * i / k, halves=False, counted=False, plus=False, add=0
):
    """Turned pairs with a choice of slips."""

    def answer(x, positions):
        width = x.shape[-1]
        places = torch.arange(x.shape[2]) if counted else positions
        out = torch.zeros_like(x)
        for i in range(width // 2):
            one, two = (i, i + width // 2) if halves else (2 * i, 2 * i + 1)
            a = sign * (places + add) / 10_000 ** exponent(i, width)
            u, v = x[..., one], x[..., two]
            out[..., one] = u * a.cos() + (v if plus else -v) * a.sin()
            out[..., two] = u * a.sin() + v * a.cos()
        return out

    return answer


def by_matrices(x, positions):
    width = x.size(-1)
    step = torch.zeros(width, width)
    for i in range(0, width, 2):
        step[i, i + 1], step[i + 1, i] = 10_000 ** (-i / width), -(10_000 ** (-i / width))
    turns = torch.matrix_exp(positions[:, None, None] * step)  # (T, K, K), for rows
    return torch.einsum("bhtk,tkj->bhtj", x, turns)


def shared(before=True, after=True, ends=(0, 1), late=0, join=lambda one, other: one):
    """Share far numbers with a choice of slips."""

    def answer(table, reach):
        middle = table.shape[1] // 2
        first, last = middle - reach, middle + reach
        sides = table[:, [first - late]], table[:, [last]]
        out = table.clone()
        if before:
            out[:, : first - late] = join(sides[ends[0]], sides[ends[1]])
        if after:
            out[:, last + 1 :] = join(sides[ends[1]], sides[ends[0]])
        return out

    return answer


def rotary(places_q=lambda t: t, places_k=lambda s: s, factor=1, exponent=2):
    """Rotary scores with a choice of slips."""

    def answer(q, k):
        def turned(x, places):
            angles = [
                [p / 10_000 ** (exponent * i / x.size(1)) for i in range(x.size(1) // 2)]
                for p in places
            ]
            turns = torch.polar(torch.ones(len(x), x.size(1) // 2), torch.tensor(angles))
            return turns * torch.view_as_complex(x.reshape(len(x), -1, 2))

        left = turned(q, [places_q(t) for t in range(len(q))])
        right = turned(k, [places_k(s) for s in range(len(k))])
        return factor * (left @ right.mH).real

    return answer


def doors(added="qkv", turned="qk", places=lambda table, x: table[: x.size(1)], divide=True):
    """A layer with three doors, with a choice of slips."""

    def answer(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
        made = {}
        for name, w in zip("qkv", (w_q, w_k, w_v), strict=True):
            y = x + places(table, x) if table is not None and name in added else x
            y = torch.stack((y @ w).chunk(n_heads, dim=-1), dim=1)  # (B, H, T, K)
            made[name] = turn(y) if turn is not None and name in turned else y
        scores = torch.einsum("bhtk,bhsk->bhts", made["q"], made["k"])
        scores = scores / made["q"].size(-1) ** 0.5 if divide else scores
        scores = scores if bias is None else scores + bias
        return torch.cat((scores.softmax(-1) @ made["v"]).unbind(dim=1), dim=-1)

    return answer


def one_door_at_a_time(x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None):
    """A layer with `elif` where each door needs an `if` of its own."""
    if table is not None:
        turn = bias = None
    elif turn is not None:
        bias = None
    return doors()(x, w_q, w_k, w_v, n_heads, table, turn, bias)


def slow_from(first):
    """Pairs of which those from `first` on are slow, whatever their speed."""

    def answer(x, positions, factor):
        fast, slow = (hands(rounds=rounds)(x, positions, 1, factor) for rounds in (0, math.inf))
        return torch.cat([fast[..., : 2 * first], slow[..., 2 * first :]], dim=-1)

    return answer


def one_pair_too_many(x, positions, trained, factor):
    """Stretched pairs, the first of the slow ones taken for fast."""
    width = x.size(-1)
    speeds = 10_000 ** (-torch.arange(0, width, 2) / width)
    n_fast = int((trained * speeds >= 2 * math.pi).sum())
    return slow_from(n_fast + 1)(x, positions, factor)


def hands(rounds=1, around=2 * math.pi, slower=lambda p, factor: p / factor):
    """Stretched pairs with a choice of slips."""

    def answer(x, positions, trained, factor):
        width, out = x.size(-1), torch.zeros_like(x)
        for i in range(width // 2):
            speed = 10_000 ** (-2 * i / width)
            fast = trained * speed / around >= rounds
            a = (positions if fast else slower(positions, factor)) * speed
            u, v = x[..., 2 * i], x[..., 2 * i + 1]
            out[..., 2 * i] = u * a.cos() - v * a.sin()
            out[..., 2 * i + 1] = u * a.sin() + v * a.cos()
        return out

    return answer


WRONG = {
    "3.1": {
        "all ones from 2^bits on": (
            lambda n, bits: (
                torch.arange(n).clamp(max=2**bits - 1)[:, None] // 2 ** torch.arange(bits) % 2
            ),
            ["Yours repeats the last row from position 2^bits on"],
        ),
        "from 1, turned": (
            digits(1, turned=True),
            ["It counts from 1: the first row is all", "The most significant digit comes first:"],
        ),
        "inverted, turned": (
            digits(flip=True, turned=True),
            ["The most significant digit comes first:", "It has 0 and 1 the wrong way round:"],
        ),
        "on its side, from 1": (
            digits(1, across=True),
            ["It is on its side: a position is a row.", "It counts from 1: the first row is all"],
        ),
        "counting down": (
            lambda n, bits: digits()(n, bits)[::-1],
            ["It counts down: the first row is all"],
        ),
        "of three": (digits(base=3), ["These are digits to base 3: powers of 2,"]),
    },
    "3.2": {
        "from 1, cosine first": (
            waves(1, order=(1, 0)),
            [
                "It counts from 1: row 0 should be 0, 1,",
                "The cosine comes first: the sine should",
            ],
        ),
        "i/d, in blocks": (
            waves(exponent=lambda i, d: i / d, blocks=True),
            ["The exponent is i/d: it should be 2i/d,", "All sines, then all cosines: a model"],
        ),
        "half the angle": (waves(unit=0.5), ["At width 8 pair 0 must turn by 1; yours"]),
        "degrees": (waves(unit=math.pi / 180), ["It turns degrees into radians: the angle"]),
        "sines, from 1": (
            waves(1, order=(0, 0)),
            [
                "It counts from 1: row 0 should be 0, 1,",
                "These are sines only: the odd columns sh",
            ],
        ),
        "the square of d": (
            waves(exponent=lambda i, d: 2 * i / d**2),
            ["It divides by the width twice: the"],
        ),
    },
    "3.4": {
        "keys only, unscaled": (
            gathered(values=False, scale=lambda width: 1),
            ["The values lack the positions.", "The scores lack the 1/sqrt(D)."],
        ),
        "from the batch, over the batch": (
            gathered(batch=True, dim=0),
            ["The position comes from the batch axis,", "The softmax runs over the batch: the"],
        ),
        "no places, by D": (
            gathered(False, False, scale=lambda width: width),
            [
                "The keys lack the positions.",
                "The values lack the positions.",
                "The scores are divided by D, not by its",
            ],
        ),
    },
    "3.5": {
        "an angle": (
            lambda matrix: math.atan2(matrix[0, 1], matrix[0, 0]),
            ["The offset must be one whole number.", "A shift by 713 is read as 3: the slow"],
        ),
        "an offset a pair": (
            lambda matrix: matrix[0::2, 0::2].diagonal().acos(),
            ["The offset must be one whole number."],
        ),
        "twice as far": (
            lambda matrix: 2 * by_least_squares(matrix),
            ["A shift by 3 is read as 6", "A shift by 713 is read as 1426", "A shift by -2 is"],
        ),
    },
    "3.6": {
        "turned, not clipped": (
            offsets(-1, low=False, high=False),
            [
                "The sign is flipped, query minus key: the",
                "It does not clip: far words get rows that",
            ],
        ),
        "from the start, one late": (
            offsets(last=False, add=1),
            ["The first query is put at position 0: the", "It is one row late: offset 0 has row"],
        ),
        "half the offsets": (
            lambda n_queries, n_keys, reach: offsets()(n_queries, n_keys, 2 * reach) // 2,
            ["Yours does not go one row on for each word further"],
        ),
        "two late, high ends": (
            offsets(high=False, add=2),
            [
                "Yours does not give offset 0, a word and itself",
                "Yours has rows that the table lacks",
            ],
        ),
    },
    "3.7": {
        "back, i/K": (
            rotated(-1, lambda i, k: i / k),
            ["The exponent is i/d: it should be 2i/d,", "It turns the wrong way: (1, 0) becomes"],
        ),
        "halves, counted": (
            rotated(halves=True, counted=True),
            ["It pairs number i with number i + K/2, as", "It counts 0, 1, 2 ... in place of"],
        ),
        "no minus, one late": (
            rotated(plus=True, add=1),
            ["It turns one position too far: at", "It has two pluses: a turn has a minus at"],
        ),
        "degrees": (rotated(math.pi / 180), ["At width 8 pair 0 must turn by 1; yours"]),
        "counts on from the first, backwards": (
            lambda x, positions: rotated(-1)(x, positions[0] + torch.arange(len(positions))),
            ["It takes the first position and counts on", "It turns the wrong way: (1, 0) becomes"],
        ),
        "twice the angle": (rotated(2), ["It turns by twice the angle."]),
    },
    "3.8": {
        "for all heads together": (
            lambda weights, share: needed(weights.sum(dim=0, keepdim=True) / len(weights), share),
            ["There must be one number for each head: (H,)."],
        ),
    },
    "3.9": {
        "opposite, scaled": (
            rotary(places_k=lambda s: -s, factor=0.5),
            ["The first score is 0.5 times q · k."],
        ),
        "from 1, keys twice": (
            rotary(lambda t: t + 1, lambda s: 2 * s),
            ["The queries' positions count from 1, those", "The keys turn twice."],
        ),
        "i/K": (rotary(exponent=1), ["The exponent is i/d: it should be 2i/d,"]),
    },
    "3.10": {
        "keys unturned, values without the table": (
            doors(added="qk", turned="q"),
            ["Door 1: the values lack the table.", "Door 2: the keys are not turned."],
        ),
        "values turned, not divided": (
            doors(turned="qkv", divide=False),
            ["Door 2: the values are turned, too:", "The products are not divided by sqrt(K)."],
        ),
        "the last rows": (
            doors(places=lambda table, x: table[-x.size(1) :]),
            ["Door 1: it takes the last rows:"],
        ),
        "one door at a time": (
            one_door_at_a_time,
            ["Each door is right alone, but not with the others open:"],
        ),
        "transposed maps, the bias subtracted": (
            lambda x, w_q, w_k, w_v, n_heads, table=None, turn=None, bias=None: doors()(
                x, w_q.T, w_k.T, w_v.T, n_heads, table, turn, None if bias is None else -bias
            ),
            ["Door 3: the bias is subtracted:", "It multiplies with the transposed maps:"],
        ),
        "no door": (
            doors(added="", turned=""),
            ["Door 1: the table has no effect.", "Door 2: nothing is turned."],
        ),
    },
    "3.12": {
        "twice, the other way": (
            hands(rounds=2, slower=lambda p, factor: p * factor),
            ["It asks for two rounds:", "Slow pairs turn faster:"],
        ),
        "half a turn": (hands(around=math.pi), ["Half a round is enough for it:"]),
        "the longer text": (hands(rounds=1 / 24), ["It counts the rounds in the longer text:"]),
        "the first half": (
            lambda x, positions, trained, factor: slow_from(x.size(-1) // 4)(x, positions, factor),
            ["It takes the first half of the pairs for fast:"],
        ),
        "one pair too many": (
            one_pair_too_many,
            ["It has one fast pair too many,"],
        ),
        "as many as came": (
            lambda x, positions, trained, factor: hands()(x, positions, len(positions), factor),
            ["It counts the rounds in as many positions as came:"],
        ),
        "the last position": (
            lambda x, positions, trained, factor: hands()(
                x, positions, positions.max().item(), factor
            ),
            ["It counts the rounds up to the last position:"],
        ),
        "radians": (hands(around=1), ["It compares radians with 1:"]),
        "whole positions": (
            hands(slower=lambda p, factor: p // factor),
            ["Slow pairs turn by whole positions only:"],
        ),
    },
    "3.11": {
        "before only": (
            shared(after=False),
            ["Far offsets *after* stay as they were."],
        ),
        "swapped, one late before": (
            shared(ends=(1, 0), late=1),
            ["Before, it starts one offset late: -reach - 1", "The ends are swapped: far words"],
        ),
        "the middle alone": (
            lambda table, reach: table[:, len(table[0]) // 2 - reach :][:, : 2 * reach + 1],
            ["The shape must stay, (H, 2N + 1): far"],
        ),
        "the mean of both ends": (
            shared(join=lambda one, other: (one + other) / 2),
            ["Beyond the reach, all offsets of one side"],
        ),
        "zeros": (
            shared(join=lambda one, other: 0 * one),
            ["Beyond the reach, all"],
        ),
    },
}
RIGHT = {
    "3.1": by_shifts,
    "3.2": waves_complex,
    "3.4": gathered(),
    "3.5": by_least_squares,
    "3.6": offsets(),
    "3.7": by_matrices,
    "3.8": needed,
    "3.10": doors(),
    "3.12": hands(),
    "3.9": rotary(lambda t: t + 3, lambda s: s + 3),
    "3.11": shared(),
}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize(("id", "answer"), RIGHT.items(), ids=list(RIGHT))
def test_a_right_answer_in_another_style_is_right(id, answer):
    property_checks.assert_right(id, answer)


def test_a_turn_through_which_no_gradient_comes_is_right_with_a_remark():
    @torch.no_grad()
    def turned(x, positions):
        return by_matrices(x, positions)

    found = property_checks.verdict("3.7", turned)
    assert found.status == "right"
    assert "No gradient comes back through it" in found.text
    assert "gradient" not in property_checks.verdict("3.7", by_matrices).text
