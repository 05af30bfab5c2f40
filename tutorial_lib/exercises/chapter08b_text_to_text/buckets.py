"""Chapter 08b: which number of a T5 is looked up for a distance?"""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def bucket(distance, n_buckets, max_distance):
    """Return the bucket of a distance back, 0 or more, of n_buckets.

    The first half hold one distance each; the widths of the others grow by equal factors, up to
    max_distance, from where on all share the last one.
    """
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance / exact) / math.log(max_distance / exact) * (n_buckets - exact)
    return min(exact + int(far), n_buckets - 1)


def bucket_by_edges(distance, n_buckets, max_distance):
    """Second style."""
    exact = n_buckets // 2
    factor = (max_distance / exact) ** (1 / (n_buckets - exact))
    found = min(distance, exact)
    while found >= exact and found < n_buckets - 1:
        if distance < exact * factor ** (found - exact + 1):
            break
        found += 1
    return found


def bucket_linear(distance, n_buckets, max_distance):
    """This gives the far buckets equal widths: in the table each is wider than the one before, by
    the same *factor*."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    step = (max_distance - exact) / (n_buckets - exact)
    return min(exact + int((distance - exact) / step), n_buckets - 1)


def bucket_all_exact(distance, n_buckets, max_distance):
    """This gives every distance its own bucket until they run out: the second half must reach as
    far as max_distance."""
    return min(distance, n_buckets - 1)


def bucket_all_far(distance, n_buckets, max_distance):
    """This lets all buckets grow: the first half hold one distance each."""
    if distance < 1:
        return 0
    return min(int(math.log(distance) / math.log(max_distance) * n_buckets), n_buckets - 1)


def bucket_not_capped(distance, n_buckets, max_distance):
    """This goes beyond the last bucket where the distance is max_distance or more: all of these
    share the last one."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance / exact) / math.log(max_distance / exact) * (n_buckets - exact)
    return exact + int(far)


def bucket_rounded(distance, n_buckets, max_distance):
    """This rounds to the nearest bucket: a distance belongs to the last bucket that has begun, so
    round down."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance / exact) / math.log(max_distance / exact) * (n_buckets - exact)
    return min(exact + round(far), n_buckets - 1)


def bucket_log_from_one(distance, n_buckets, max_distance):
    """This starts the logarithms at 1: the far buckets begin at half the number of buckets."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance) / math.log(max_distance) * (n_buckets - exact)
    return min(exact + int(far), n_buckets - 1)


def bucket_last_alone(distance, n_buckets, max_distance):
    """This keeps the last bucket for max_distance and more: in the table it begins earlier."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance / exact) / math.log(max_distance / exact) * (n_buckets - exact - 1)
    return min(exact + int(far), n_buckets - 1)


def bucket_powers_of_two(distance, n_buckets, max_distance):
    """This doubles the width each time: how fast they grow must follow from max_distance."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    return min(exact + int(math.log2(distance / exact)), n_buckets - 1)


def bucket_scaled_by_max_distance(distance, n_buckets, max_distance):
    """This divides by the logarithm of max_distance: the far buckets begin at half the number of
    buckets, so both distances are divided by that."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance / exact) / math.log(max_distance) * (n_buckets - exact)
    return min(exact + int(far), n_buckets - 1)


def bucket_base_of_half(distance, n_buckets, max_distance):
    """This lets the borders grow by the factor n_buckets / 2: that fits the right table only. The
    factor must follow from max_distance, too."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    return min(exact + int(math.log(distance / exact, exact)), n_buckets - 1)


def bucket_offset_missing(distance, n_buckets, max_distance):
    """This numbers the far buckets from 0: they come after the first half."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    far = math.log(distance / exact) / math.log(max_distance / exact) * (n_buckets - exact)
    return min(int(far), n_buckets - 1)


def all_of(answer, distances, n_buckets, max_distance):
    """The bucket of each of several distances."""
    return torch.tensor([float(answer(d, n_buckets, max_distance)) for d in distances])


def bucket_cases():
    """Far and near, other numbers of buckets, beyond the last distance."""
    return [
        case("8 buckets up to 64", (0, 1, 3, 4, 7, 9, 15, 17, 31, 33, 60), 8, 64),
        case("32 buckets up to 128", (0, 15, 16, 20, 30, 50, 90, 127), 32, 128),
        case("max_distance and beyond", (63, 64, 65, 500), 8, 64),
        case("6 buckets up to 81", (2, 3, 8, 10, 26, 28, 80), 6, 81),
        case("10 buckets up to 50", (4, 5, 6, 8, 11, 13, 18, 25, 40), 10, 50),
    ]


def numbers(answer):
    """Whole numbers from 0 to n_buckets - 1."""
    found = answer((0, 5, 9, 17, 33), 8, 64)
    return bool((found == found.floor()).all() and (found >= 0).all() and (found < 8).all())


def near_ones_alone(answer):
    """The first half hold one distance each."""
    return answer(range(4), 8, 64).tolist() == [0, 1, 2, 3]


def far_ones_together(answer):
    """From max_distance on all share the last one."""
    return answer((64, 65, 1_000), 8, 64).floor().tolist() == [7, 7, 7]


def never_back(answer):
    """A larger distance has no earlier bucket."""
    found = answer(range(60), 8, 64)
    return bool((found.diff() >= 0).all())


def as_in_the_table(answer):
    """Where the far buckets of the table begin."""
    return answer((5, 7, 9, 15, 17, 31, 33), 8, 64).floor().tolist() == [4, 4, 5, 5, 6, 6, 7]


def reaches_as_far(answer):
    """Other tables have other factors."""
    if not as_in_the_table(answer):
        return None
    return answer((3, 8, 10, 26, 28, 80), 6, 81).floor().tolist() == [3, 3, 4, 4, 5, 5]


BUCKET = Write(
    id="8b.4",
    title="Into buckets",
    level="hard",
    text="""
How does T5 find the bucket of a distance? Work it out from two tables, of a decoder that looks
back. On the left 8 buckets reach up to a distance of 64, on the right 6 buckets up to 81.

| bucket | distances, 8 up to 64 | distances, 6 up to 81 |
|---|---|---|
| 0 | 0 | 0 |
| 1 | 1 | 1 |
| 2 | 2 | 2 |
| 3 | 3 | 3 to 8 |
| 4 | 4 to 7 | 9 to 26 |
| 5 | 8 to 15 | 27 and more |
| 6 | 16 to 31 | |
| 7 | 32 and more | |

Write `bucket(distance, n_buckets, max_distance)`: a whole number, 0 or more, in; the bucket’s
number out. `n_buckets` is even. At its exact borders a logarithm may be wrong in the last digit,
so the check avoids them.
""",
    hints=(
        "How many buckets hold one distance? Compare with n_buckets, in both tables.",
        "By which factor do the borders grow on the left, and on the right? What is that factor to "
        "the power of the number of far buckets?",
        "4 · 2 · 2 · 2 · 2 = 64 and 3 · 3 · 3 · 3 = 81. How many factors go into distance / 4? A "
        "quotient of two logarithms says it; round down, and the last bucket takes the rest.",
    ),
    solution=bucket,
    second_style=bucket_by_edges,
    mistakes=(
        bucket_linear,
        bucket_all_exact,
        bucket_all_far,
        bucket_not_capped,
        bucket_rounded,
        bucket_log_from_one,
        bucket_last_alone,
        bucket_powers_of_two,
        bucket_scaled_by_max_distance,
        bucket_base_of_half,
        bucket_offset_missing,
    ),
    cases=bucket_cases,
    run=all_of,
    properties=(
        Property("It must return a whole number from 0 to n_buckets - 1.", numbers),
        Property("The first half of the buckets hold one distance each.", near_ones_alone),
        Property("From max_distance on all share the last bucket.", far_ones_together),
        Property("A larger distance gets an earlier bucket.", never_back),
        Property("Distances from 4 on are not where the left table has them.", as_in_the_table),
        Property(
            "It works for the left table, but not for others: how many buckets hold one distance, "
            "and how fast the others grow, must follow from n_buckets and max_distance.",
            reaches_as_far,
        ),
    ),
    see="8bD How far, not where",
)
