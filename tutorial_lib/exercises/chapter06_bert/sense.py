"""Chapter 06: in which sense a word is meant, by vectors of it in other sentences."""

import torch
from torch.nn.functional import cosine_similarity

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def closest_sense(new, known):
    """Return the name of the sense whose vectors are closest to a new one, by their mean cosine.

    new (D,): the vector of a word in a new sentence; known {sense: (N, D)}: its vectors in N known
    sentences of each sense, where N may differ.
    """
    alike = {sense: cosine_similarity(new, x, dim=-1).mean() for sense, x in known.items()}
    return max(alike, key=alike.get)


def closest_sense_sorted(new, known):
    """Second style."""

    def unit(x):
        return x / x.norm(dim=-1, keepdim=True)

    scores = [(float((unit(x) @ unit(new)).mean()), sense) for sense, x in known.items()]
    return sorted(scores)[-1][1]


def best_by(known, score):
    """Return the sense with the highest score(vectors)."""
    return max(known, key=lambda sense: score(known[sense]))


def sense_of_mean(new, known):
    """This takes the mean of the vectors first, where a long one counts for more: take the mean of
    the cosines.
    """
    return best_by(known, lambda x: cosine_similarity(new, x.mean(dim=0), dim=0))


def sense_by_distance(new, known):
    """This takes the smallest distance, which depends on the lengths, too: take cosines."""
    return best_by(known, lambda x: -(x - new).norm(dim=-1).mean())


def sense_by_size(new, known):
    """This takes cosines without their sign: -1 is the opposite, not the closest."""
    return best_by(known, lambda x: cosine_similarity(new, x, dim=-1).abs().mean())


NAMES = ("money", "river", "blood")


def drawn(seed, counts=(2, 3, 4)):
    """Vectors of very different lengths, some of them turned away: new (D,), known."""
    generator = torch.Generator().manual_seed(seed)
    new = torch.randn(5, generator=generator)
    known = {}
    for name, n in zip(NAMES, counts, strict=True):
        turned = torch.randn(n, 5, generator=generator) + 0.7 * torch.randn(1, generator=generator)
        known[name] = turned * torch.randn(n, 1, generator=generator).exp() ** 1.5
    return new, known


def sense_cases():
    """Senses with different numbers of sentences, and vectors of very different lengths."""
    few = {"bank": torch.tensor([[1.0, 0.2], [0.8, -0.1]]), "other": torch.tensor([[0.1, 1.0]])}
    return [
        case("2 senses", torch.tensor([0.9, 0.3]), few),
        *(case("3 senses, 9 sentences", *drawn(seed)) for seed in (2, 11, 23, 48)),
        *(case("3 senses, 12 sentences", *drawn(seed, (6, 1, 5))) for seed in (2, 3, 8, 46)),
    ]


NEW = torch.tensor([1.0, 0.0])
ALIKE = {"near": torch.tensor([[3.0, 1.0], [2.0, 1.0]]), "far": torch.tensor([[1.0, 2.0]])}


def a_name(answer):
    """One of the keys of known."""
    return answer(NEW, dict(ALIKE)) in ALIKE


def the_closest(answer):
    """Two senses, vectors of like lengths: the closer one."""
    if not a_name(answer):
        return None
    return answer(NEW, dict(ALIKE)) == "near"


def lengths_do_not_matter(answer):
    """Where the farther vectors are very long, or the closer ones very short, nothing changes."""
    if not the_closest(answer):
        return None
    long = ALIKE | {"far": 50 * ALIKE["far"]}
    short = ALIKE | {"near": 0.01 * ALIKE["near"]}
    return answer(NEW, long) == answer(NEW, short) == "near"


def numbers_do_not_matter(answer):
    """Where the farther sense has many sentences, nothing changes."""
    if not the_closest(answer):
        return None
    return answer(NEW, ALIKE | {"far": ALIKE["far"].repeat(9, 1)}) == "near"


def all_sentences_count(answer):
    """One sentence that fits by chance does not decide."""
    if not the_closest(answer):
        return None
    chance = torch.tensor([[1.0, 0.0], [-1.0, 2.0], [-1.0, 3.0]])
    return answer(NEW, ALIKE | {"far": chance}) == "near"


CLOSEST_SENSE = Write(
    id="6.11",
    title="Which bank?",
    level="easy",
    text="""
Write `closest_sense(new, known)`. `new` (D,) is the vector of a word in a new sentence. `known` has
its vectors in N known sentences of each sense, a dictionary such as `{"money": (N, D), "river":
(N, D)}`, where N may differ from sense to sense. Return the name of the sense that is closest to
the new vector: the one with the highest **mean of the cosines** between `new` and its vectors.
""",
    hints=(
        "First one sense: `torch.cosine_similarity(new, vectors, dim=-1)` gives its N cosines.",
        "Their mean is a number for this sense. Collect them: `{sense: ... for sense, vectors in "
        "known.items()}`.",
        "`max(alike, key=alike.get)` returns the key with the largest value.",
    ),
    solution=closest_sense,
    second_style=closest_sense_sorted,
    mistakes=(
        sense_of_mean,
        sense_by_distance,
        sense_by_size,
    ),
    cases=sense_cases,
    properties=(
        Property("The name of a sense is asked for, one of the keys of `known`.", a_name),
        Property("It does not name the sense that is closest.", the_closest),
        Property("Longer vectors count for more: take cosines.", lengths_do_not_matter),
        Property("A sense with more sentences wins: take the mean.", numbers_do_not_matter),
        Property("One sentence decides alone: all of a sense count.", all_sentences_count),
    ),
    see="6K A vector at work",
)
