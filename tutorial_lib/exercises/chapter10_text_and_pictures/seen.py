"""Chapter 10: how much of a result is owed to pictures that look like those of the training?"""

import functools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def overlap(right, tested, seen, limit):
    """Return the share of tested pictures with a look-alike among the seen ones, and the gain.

    right (N,): True where the model was right; tested (N, D) and seen (M, D): a vector for each
    picture. A look-alike has a cosine of limit or more. The gain: the share right among all tested
    pictures, minus the share right among those without a look-alike.
    """
    cosines = F.normalize(tested, dim=1) @ F.normalize(seen, dim=1).T  # (N, M)
    alike = (cosines >= limit).any(dim=1)
    right = right.float()
    return alike.float().mean(), right.mean() - right[~alike].mean()


def overlap_one_by_one(right, tested, seen, limit):
    """Second style."""
    clean = [
        was_right
        for was_right, picture in zip(right.tolist(), tested, strict=True)
        if F.cosine_similarity(picture[None], seen, dim=1).max() < limit
    ]
    n = len(tested)
    return 1 - len(clean) / n, right.sum().item() / n - sum(clean) / len(clean)


def cosine(tested, seen):
    """The products of vectors of length 1."""
    return F.normalize(tested, dim=1) @ F.normalize(seen, dim=1).T


def product(tested, seen):
    """The products alone."""
    return tested @ seen.T


def by_columns(tested, seen):
    """Each column divided by its length."""
    return F.normalize(tested, dim=0) @ F.normalize(seen, dim=0).T


def some_at_least(cosines, limit):
    """One seen picture is enough."""
    return (cosines >= limit).any(dim=1)


def some_above(cosines, limit):
    """The limit itself does not count."""
    return (cosines > limit).any(dim=1)


def all_at_least(cosines, limit):
    """Each of the seen pictures."""
    return (cosines >= limit).all(dim=1)


def mean_at_least(cosines, limit):
    """The mean over the seen pictures."""
    return cosines.mean(dim=1) >= limit


def none_at_least(cosines, limit):
    """The ones without a look-alike."""
    return ~some_at_least(cosines, limit)


def of_tested(alike, cosines, limit):
    """The share of the tested pictures."""
    return alike.float().mean()


def of_seen(alike, cosines, limit):
    """The share of the seen pictures."""
    return (cosines >= limit).any(dim=0).float().mean()


def of_pairs(alike, cosines, limit):
    """The share of the pairs."""
    return (cosines >= limit).float().mean()


def count(alike, cosines, limit):
    """How many tested pictures."""
    return alike.float().sum()


def percent(alike, cosines, limit):
    """A share times 100."""
    return 100 * alike.float().mean()


def all_minus_clean(right, alike):
    """What all have more than those without a look-alike."""
    return right.mean() - right[~alike].mean()


def known_minus_clean(right, alike):
    """What those with a look-alike have more."""
    return right[alike].mean() - right[~alike].mean()


def known_minus_all(right, alike):
    """What those with a look-alike have more than all."""
    return right[alike].mean() - right.mean()


def clean_minus_all(right, alike):
    """Turned round."""
    return right[~alike].mean() - right.mean()


def clean_alone(right, alike):
    """No difference."""
    return right[~alike].mean()


def by_all(right, alike):
    """Right without a look-alike, as a share of all tested pictures."""
    return right.mean() - (right * ~alike).mean()


def ratio(right, alike):
    """How many times as many."""
    return right.mean() / right[~alike].mean()


def slipped(
    right,
    tested,
    seen,
    limit,
    alike=cosine,
    chosen=some_at_least,
    share=of_tested,
    gain=all_minus_clean,
):
    """Both numbers, with slips."""
    cosines, right = alike(tested, seen), right.float()
    alike = chosen(cosines, limit)
    return share(alike, cosines, limit), gain(right, alike)


def overlap_of_look_alikes(right, tested, seen, limit):
    """This compares the pictures that have a look-alike with those that have none: the gain is what
    *all* have more than those without.
    """
    return slipped(right, tested, seen, limit, gain=known_minus_clean)


def overlap_turned(right, tested, seen, limit):
    """The gain is turned round: it is the share among all, minus that among those without a
    look-alike.
    """
    return slipped(right, tested, seen, limit, gain=clean_minus_all)


def overlap_clean_alone(right, tested, seen, limit):
    """The second number is the share right without look-alikes: by how much is the share among all
    larger?
    """
    return slipped(right, tested, seen, limit, gain=clean_alone)


def overlap_ratio(right, tested, seen, limit):
    """The gain is a difference of two shares, not how many times as large one is."""
    return slipped(right, tested, seen, limit, gain=ratio)


def overlap_by_all(right, tested, seen, limit):
    """The right ones without a look-alike are divided by *all* tested pictures: divide them by
    those without a look-alike.
    """
    return slipped(right, tested, seen, limit, gain=by_all)


def overlap_of_products(right, tested, seen, limit):
    """This compares products: a cosine divides by both lengths."""
    return slipped(right, tested, seen, limit, alike=product)


def overlap_by_columns(right, tested, seen, limit):
    """This divides each *column* by its length: a vector is a row."""
    return slipped(right, tested, seen, limit, alike=by_columns)


def overlap_above(right, tested, seen, limit):
    """A cosine of exactly `limit` makes a look-alike, too."""
    return slipped(right, tested, seen, limit, chosen=some_above)


def overlap_all(right, tested, seen, limit):
    """This wants *every* seen picture to be a look-alike: one is enough."""
    return slipped(right, tested, seen, limit, chosen=all_at_least)


def overlap_mean(right, tested, seen, limit):
    """This takes the mean cosine over the seen pictures: a single one can be a look-alike."""
    return slipped(right, tested, seen, limit, chosen=mean_at_least)


def overlap_none(right, tested, seen, limit):
    """This takes the pictures *without* a look-alike for those with one."""
    return slipped(right, tested, seen, limit, chosen=none_at_least)


def overlap_of_seen(right, tested, seen, limit):
    """The first number is the share of the *seen* pictures: it should be of the tested ones."""
    return slipped(right, tested, seen, limit, share=of_seen)


def overlap_of_pairs(right, tested, seen, limit):
    """The first number is a share of all pairs: it should be of the tested pictures."""
    return slipped(right, tested, seen, limit, share=of_pairs)


def overlap_count(right, tested, seen, limit):
    """The first number counts pictures: return their share of all tested ones."""
    return slipped(right, tested, seen, limit, share=count)


def some_pictures(seed, n, m, width=4):
    """Pictures tested and seen, of different lengths; every third has a look-alike."""
    generator = torch.Generator().manual_seed(seed)
    tested, seen = (torch.randn(rows, width, generator=generator) for rows in (n, m))
    copied = tested[::3][:m]
    seen[: len(copied)] = 3 * copied + 0.02
    right = torch.rand(n, generator=generator) < 0.5
    right[::3] = torch.arange(len(right[::3])) % 3 < 2
    return right, 0.5 * tested, seen


def at_the_limit():
    """Cosines of exactly 0 and 1."""
    axes = torch.eye(4)
    right = torch.tensor([True, False, True, True])
    return right, 2 * axes[[0, 1, 2, 1]], axes[[0, 3, 0]], 1.0


def nobody_alike():
    """No picture has a look-alike."""
    return torch.tensor([True, False, False]), torch.eye(3), -torch.eye(3), 0.5


def overlap_cases():
    """More pictures seen than tested, and fewer; none with a look-alike; cosines at the limit."""
    return [
        case("7 tested, 9 seen", *some_pictures(1, 7, 9), 0.97),
        case("12 tested, 5 seen", *some_pictures(2, 12, 5), 0.97),
        case("a low limit", *some_pictures(3, 14, 2), 0.3),
        case("nobody has a look-alike", *nobody_alike()),
        case("exactly the limit", *at_the_limit()),
    ]


def examples():
    """Where each slip shows."""
    return [
        (*some_pictures(11, 13, 8), 0.97),
        (*some_pictures(12, 16, 2), 0.3),
        at_the_limit(),
    ]


def read(answer):
    """Both numbers in each of the examples. Raises an error when they are not two."""
    found = []
    for example in examples():
        share, gain = answer(*example)
        found += [torch.as_tensor(one).float().reshape(()) for one in (share, gain)]
    return torch.stack(found)


@functools.cache
def with_slips(*choices):
    """Both numbers in each of the examples, with a choice for each of the rules below."""
    return read(lambda *example: slipped(*example, *choices))


def two_numbers(answer):
    """It must return two numbers."""
    return torch.as_tensor(answer(*examples()[0])).numel() == 2


def a_share(answer):
    """The first number does not lie between 0 and 1."""
    return all(0 <= float(answer(*example)[0]) <= 1 for example in examples())


def nothing_is_gained_without_look_alikes(answer):
    """Where no picture has a look-alike, the share and the gain must be 0."""
    found = answer(*nobody_alike())
    return all(abs(float(one)) < 1e-3 for one in found)


def lengths_do_not_matter(answer):
    """Longer vectors change the result: a cosine looks at directions alone."""
    right, tested, seen, limit = examples()[0]
    found = answer(right, tested, seen, limit), answer(right, 3 * tested, 0.2 * seen, limit)
    return all(abs(float(a) - float(b)) < 1e-3 for a, b in zip(*found, strict=True))


OVERLAP = Write(
    id="10.8",
    title="Seen before?",
    level="easy",
    text="""
How much of a test had a model seen before, and did that help? `tested` (N, D) and `seen` (M, D)
hold a vector for each picture of the test and of the training. `right` (N,) is True where the model
was right. A tested picture has a **look-alike** if its cosine with at least one seen picture is
`limit` or more. Write `overlap(right, tested, seen, limit)`, which returns two numbers. The first
is the **share** of the tested pictures that have a look-alike. The second is what the look-alikes
**add**: the share right among *all* tested pictures, minus the share right among those *without* a
look-alike. At least one picture has none, and no vector has length 0.
""",
    hints=(
        "Which table holds the cosine of each tested picture with each seen one? (10.1 made one "
        "like it.)",
        "One row of the table is one tested picture. `any(dim=1)` tells whether something is True "
        "in it.",
        "`right.float().mean()` is a share. With `right[~alike]` you take only the pictures "
        "without a look-alike.",
    ),
    solution=overlap,
    second_style=overlap_one_by_one,
    mistakes=(
        overlap_of_look_alikes,
        overlap_turned,
        overlap_clean_alone,
        overlap_ratio,
        overlap_by_all,
        overlap_of_products,
        overlap_by_columns,
        overlap_above,
        overlap_all,
        overlap_mean,
        overlap_none,
        overlap_of_seen,
        overlap_of_pairs,
        overlap_count,
    ),
    cases=overlap_cases,
    results=("share with a look-alike", "gain"),
    properties=(
        Property("It returns two numbers.", two_numbers),
        *composed(
            read,
            with_slips,
            {
                "Cosines are compared.": cosine,
                "Products are compared: a cosine divides by both lengths.": product,
                "Columns are divided by their lengths: a vector is a row.": by_columns,
            },
            {
                "One seen picture at the limit or above is enough.": some_at_least,
                "A cosine of exactly the limit is left out: it makes a look-alike.": some_above,
                "Every seen picture must be alike: one is enough.": all_at_least,
                "The mean over the seen pictures is compared: one alone can be a "
                "look-alike.": mean_at_least,
                "Pictures with a look-alike and without one are exchanged.": none_at_least,
            },
            {
                "The first number is a share of the tested pictures.": of_tested,
                "The first number is a share of the seen pictures: of the tested ones.": of_seen,
                "The first number is a share of all pairs: of the tested pictures.": of_pairs,
                "The first number is a count: divide by that of the tested pictures.": count,
                "The first number is a percentage: return a share, from 0 to 1.": percent,
            },
            {
                "The second number is all minus those without a look-alike.": all_minus_clean,
                "The second number compares those with a look-alike with those without: it is "
                "*all* minus those without.": known_minus_clean,
                "The second number compares those with a look-alike with all: it is all minus "
                "those without.": known_minus_all,
                "The second number has the wrong sign: all minus those without a "
                "look-alike.": clean_minus_all,
                "The second number is the share right without look-alikes: take it away from that "
                "of all.": clean_alone,
                "The second number divides the right ones without a look-alike by all: divide by "
                "those without a look-alike.": by_all,
                "The second number is a ratio: it is a difference.": ratio,
            },
            otherwise=(a_share, nothing_is_gained_without_look_alikes, lengths_do_not_matter),
        ),
    ),
)
