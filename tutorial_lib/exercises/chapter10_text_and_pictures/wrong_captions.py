"""Chapter 10: a caption for each scene that is not true of it."""

import functools

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def wrong_captions(said, true, draws):
    """Return for each scene the number of a caption that is not true of it.

    said: what each caption says, one a scene; true: for each scene the set of all that is true of
    it; draws: a random number for each scene, 0 <= u < 1. Of the n captions that are wrong for a
    scene, in order, it gets number int(u * n).
    """
    chosen = []
    for facts, u in zip(true, draws, strict=True):
        wrong = [number for number, fact in enumerate(said) if fact not in facts]
        chosen.append(wrong[int(u * len(wrong))])
    return chosen


def wrong_captions_counted(said, true, draws):
    """Second style."""

    def one(facts, u):
        left = int(u * sum(fact not in facts for fact in said))
        for number, fact in enumerate(said):
            if fact in facts:
                continue
            if left == 0:
                return number
            left -= 1
        raise IndexError

    return [one(*scene) for scene in zip(true, draws, strict=True)]


# Which captions may be drawn for scene i ----------------------------------------------------------


def not_true(i, said, true):
    """Those that are not true of it."""
    return [j for j, fact in enumerate(said) if fact not in true[i]]


def of_others(i, said, true):
    """Those of all other scenes."""
    return [j for j in range(len(said)) if j != i]


def in_other_words(i, said, true):
    """Those that say something else."""
    return [j for j, fact in enumerate(said) if fact != said[i]]


def any_of_all(i, said, true):
    """All of them."""
    return [*range(len(said))]


def those_true(i, said, true):
    """Those that are true of it."""
    return [j for j, fact in enumerate(said) if fact in true[i]]


def own_is_wrong_there(i, said, true):
    """Those of scenes of which its own caption is not true."""
    return [j for j in range(len(said)) if said[i] not in true[j]]


def without_twins(i, said, true):
    """Those that are not true of it, each sentence once."""
    seen = []
    for j, fact in enumerate(said):
        if fact not in true[i] and fact not in [said[k] for k in seen]:
            seen.append(j)
    return seen


def first_twins(i, said, true):
    """Those that are not true of it; of two that say the same, the first stands for both."""
    return [said.index(said[j]) for j in not_true(i, said, true)]


def next_wrong(i, said, true):
    """For each of all captions, the first from there on that is wrong."""
    wrong = not_true(i, said, true)
    return [min((k for k in wrong if k >= j), default=wrong[0]) for j in range(len(said))]


def nothing_shared(i, said, true):
    """Those of scenes that have nothing in common with it."""
    return [j for j in range(len(said)) if not true[i] & true[j]] or [i]


def behind_it(i, said, true):
    """Those that are wrong and come later, or else all that are wrong."""
    wrong = not_true(i, said, true)
    return [j for j in wrong if j > i] or wrong


def other_and_not_true(i, said, true):
    """Those about which not one word is true."""
    words = {word for fact in true[i] for word in fact}
    return [j for j, fact in enumerate(said) if not words & set(fact)] or not_true(i, said, true)


# Which of n candidates a random number takes --


def by_its_share(u, n, n_all):
    """Number int(u * n)."""
    return int(u * n)


def rounded(u, n, n_all):
    """To the nearest, which may be one too many."""
    return min(round(u * n), n - 1)


def one_less(u, n, n_all):
    """Never the last."""
    return int(u * (n - 1))


def of_all(u, n, n_all):
    """As if there were as many as captions, and round again."""
    return int(u * n_all) % n


def first(u, n, n_all):
    """The first, whatever u."""
    return 0


def last(u, n, n_all):
    """From the end."""
    return n - 1 - int(u * n)


def drawn(said, true, draws, candidates=not_true, take=by_its_share, give=lambda said, j: j):
    """The choice with slips."""
    chosen = []
    for i, u in enumerate(draws):
        some = candidates(i, said, true)
        chosen.append(give(said, some[take(u, len(some), len(said))]))
    return chosen


def wrong_captions_of_others(said, true, draws):
    """This takes the caption of any other scene: by accident it may be true of this one, too."""
    return drawn(said, true, draws, of_others)


def wrong_captions_in_other_words(said, true, draws):
    """This takes what differs from the scene’s own caption: something else may be true of it, too.
    A cat to the left of a dog is a dog to the right of a cat.
    """
    return drawn(said, true, draws, in_other_words)


def wrong_captions_any(said, true, draws):
    """This draws among all captions, the scene’s own and other true ones, too."""
    return drawn(said, true, draws, any_of_all)


def wrong_captions_true(said, true, draws):
    """This draws among those that are *true* of the scene: it is to be a wrong one."""
    return drawn(said, true, draws, those_true)


def wrong_captions_of_wrong_scenes(said, true, draws):
    """This asks whether the scene’s own caption is true of the *other* scene: ask whether the
    other’s caption is true of this one.
    """
    return drawn(said, true, draws, own_is_wrong_there)


def wrong_captions_next(said, true, draws):
    """This takes the caption of the next scene, and it may be true of this one, too."""
    return [(number + 1) % len(said) for number in range(len(said))]


def wrong_captions_first(said, true, draws):
    """This always takes the first wrong caption: chance decides, number int(u * n)."""
    return drawn(said, true, draws, take=first)


def wrong_captions_of_all(said, true, draws):
    """This multiplies u by the number of *all* captions: by that of the wrong ones."""
    return drawn(said, true, draws, take=of_all)


def wrong_captions_one_less(said, true, draws):
    """This never draws the last wrong caption: int(u * n) reaches n - 1 already."""
    return drawn(said, true, draws, take=one_less)


def wrong_captions_within(said, true, draws):
    """This returns a number among the *wrong* captions: return its number among all."""
    return [int(u * len(not_true(i, said, true))) for i, u in enumerate(draws)]


def wrong_captions_sentences(said, true, draws):
    """This returns what the caption says: return its number."""
    return drawn(said, true, draws, give=lambda said, j: said[j])


def wrong_captions_once_each(said, true, draws):
    """A sentence that stands there twice is drawn as if once: each of the captions counts."""
    return drawn(said, true, draws, without_twins)


LEFT, RIGHT, ABOVE, BELOW = "left of", "right of", "above", "below"


def both(thing, relation, other):
    """A fact, and the same the other way round."""
    back = {LEFT: RIGHT, RIGHT: LEFT, ABOVE: BELOW, BELOW: ABOVE}[relation]
    return {(thing, relation, other), (other, back, thing)}


def scenes():
    """Captions and facts of six scenes: two are alike, one says the same the other way round."""
    said = [
        ("cat", LEFT, "dog"),
        ("dog", RIGHT, "cat"),
        ("car", ABOVE, "moon"),
        ("cat", LEFT, "dog"),
        ("dog", LEFT, "cat"),
        ("apple", BELOW, "cat"),
    ]
    true = [both(*fact) for fact in said]
    true[1] |= both("apple", BELOW, "cat") | both("apple", BELOW, "dog")  # three things in it
    true[0] |= both("car", ABOVE, "moon")
    true[5] |= both("cat", LEFT, "dog")
    return said, true


def wrong_captions_cases():
    """Scenes that share captions, two scenes, one with a single wrong caption."""
    said, true = scenes()
    few = [("cat", LEFT, "dog"), ("dog", LEFT, "cat")]
    return [
        case("6 scenes", said, true, [0.0, 0.2, 0.5, 0.7, 0.9, 0.99]),
        case("other draws", said, true, [0.99, 0.6, 0.1, 0.3, 0.0, 0.45]),
        case("2 scenes", few, [both(*fact) for fact in few], [0.9, 0.1]),
        case("in the middle", said[::-1], true[::-1], [0.5, 0.4, 0.3, 0.8, 0.66, 0.77]),
    ]


US = [i / 14 for i in range(14)]
OWN = [US[5 * i % 14 :] + US[: 5 * i % 14] for i in range(6)]  # the random numbers of each scene


@functools.lru_cache(maxsize=1)
def read(answer):
    """The numbers for each scene and many draws, (6, 14)."""
    said, true = scenes()
    columns = [answer(said, true, draws) for draws in zip(*OWN, strict=True)]
    return torch.tensor([[float(column[i]) for column in columns] for i in range(6)])


@functools.cache
def made(candidates, take):
    """What choices for both of the rules below give."""
    said, true = scenes()
    some = [candidates(i, said, true) for i in range(6)]
    pairs = zip(some, OWN, strict=True)
    return torch.tensor([[float(own[take(u, len(own), 6)]) for u in us] for own, us in pairs])


def a_number_a_scene(answer):
    """A list of numbers, one a scene."""
    said, true = scenes()
    found = answer(said, true, [0.5] * 6)
    if not hasattr(found, "__len__") or len(found) != 6:
        return False
    if all(isinstance(one, list | tuple) and len(one) == 3 for one in found):
        return "It returns what the captions say: return their numbers."
    return all(float(one) == int(one) and 0 <= one < 6 for one in found)


def never_true(answer):
    """Some captions are true of the scene that they are drawn for."""
    said, true = scenes()
    for i, row in enumerate(read(answer).tolist()):
        for j in sorted(set(row)):
            if said[int(j)] in true[i]:
                own = " (its own)" if int(j) == i else ""
                return (
                    f"In a batch of six scenes it may draw caption {int(j)}{own} for scene {i}, of "
                    f"which {' '.join(said[int(j)])!r} is true."
                )
    return True


def each_may_be_drawn(answer):
    """Some wrong captions are never drawn."""
    said, true = scenes()
    for i, row in enumerate(read(answer).tolist()):
        left = set(not_true(i, said, true)) - {int(j) for j in row}
        if left:
            return f"For scene {i}, caption {min(left)} is wrong, and no u draws it."
    return True


def by_its_own_number(answer):
    """A scene’s caption depends on the random numbers, or the captions, of other scenes."""
    said, true = scenes()
    for i in range(6):
        draws = [[0.4 if j == i else u for j in range(6)] for u in (0.0, 0.3, 0.6, 0.9)]
        if len({float(answer(said, true, row)[i]) for row in draws}) > 1:
            return False
    return True


def in_order(answer):
    """With u from 0 to 1 the wrong captions come in their order, each for as long as the others."""
    if by_its_own_number(answer) is not True:
        return None
    if never_true(answer) is not True or each_may_be_drawn(answer) is not True:
        return None
    said, true = scenes()
    wanted = [drawn(said, [facts] * 14, us) for facts, us in zip(true, OWN, strict=True)]
    return bool((read(answer) == torch.tensor(wanted)).all())


WRONG_CAPTIONS = Write(
    id="10.10",
    title="A caption that is wrong",
    level="medium",
    text="""
Write `wrong_captions(said, true, draws)` for a batch of scenes. `said` lists what each scene’s
caption says, a fact like `("cat", "left of", "dog")`. `true` lists for each scene the **set** of
all facts that are true of it. That is more than its own caption: `("dog", "right of", "cat")` is
true as well, and the scene may hold other things. Return a list: for each scene the
**index in `said` of a caption that is wrong for this scene**. Chance is given: `draws` holds a
number u for each scene, 0 <= u < 1. If n captions are wrong, take number int(u · n) of these.

An example: captions 0, 2 and 5 are wrong for a scene, and its u is 0.5. The answer is 2. For each
scene at least one caption is wrong.
""",
    hints=(
        "Take one scene: which numbers of `said` may it get? Make a list of them.",
        "Is the caption of another scene always wrong for this one?",
        "`fact not in facts` asks a set. The random number picks from the list that is left.",
    ),
    solution=wrong_captions,
    second_style=wrong_captions_counted,
    mistakes=(
        wrong_captions_of_others,
        wrong_captions_in_other_words,
        wrong_captions_any,
        wrong_captions_true,
        wrong_captions_of_wrong_scenes,
        wrong_captions_next,
        wrong_captions_first,
        wrong_captions_of_all,
        wrong_captions_one_less,
        wrong_captions_within,
        wrong_captions_sentences,
        wrong_captions_once_each,
    ),
    cases=wrong_captions_cases,
    properties=(
        Property(
            "It returns a list with the number of a caption for each scene.", a_number_a_scene
        ),
        *composed(
            read,
            made,
            {
                "It draws among those that are wrong for the scene.": not_true,
                "It draws among the captions of all other scenes: some of them are true of this "
                "one, too.": of_others,
                "It draws among those that say something else than its own caption: something else "
                "may be true of the scene, too.": in_other_words,
                "It draws among all captions: only among those that are wrong.": any_of_all,
                "It draws among the captions that are true of the scene.": those_true,
                "It asks whether the scene’s own caption is true of the other scene: ask it the "
                "other way round.": own_is_wrong_there,
                "Of two captions that say the same it always returns the first: return the number "
                "that was drawn.": first_twins,
                "It goes on from int(u * all captions) to the next wrong one: those that stand "
                "behind true ones are drawn more often.": next_wrong,
                "It draws only from scenes that have nothing in common with this one: captions of "
                "others may be wrong, too.": nothing_shared,
                "A sentence that stands there twice is drawn as if once.": without_twins,
                "It draws only among the captions of later scenes, where there are any.": behind_it,
                "It leaves out captions that name a thing of the scene: they are the hardest, and "
                "wrong, too.": other_and_not_true,
            },
            {
                "Number int(u * n) is taken.": by_its_share,
                "u * n is rounded to the nearest: int(u * n).": rounded,
                "u * (n - 1) is rounded: int(u * n).": lambda u, n, n_all: round(u * (n - 1)),
                "The last wrong caption is never drawn: int(u * n) reaches it.": one_less,
                "u is multiplied by the number of all captions: by that of the wrong ones.": of_all,
                "u makes no difference: it decides which one is taken.": first,
                "It counts from the end: take number int(u * n) from the front.": last,
            },
            otherwise=(never_true, each_may_be_drawn, by_its_own_number, in_order),
        ),
    ),
)
