"""Chapter 08b: the likeliest way to cut a word into pieces."""

import functools
import itertools
import math

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def likeliest_cut(word, log_p):
    """Return the pieces of the likeliest cut of a word, in order; None if there is no cut.

    log_p maps each piece of the vocabulary to the logarithm of its probability.
    """
    best = [(0.0, [])] + [None] * len(word)  # of the first letters: log-probability and pieces
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if best[start] is not None and piece in log_p:
                score = best[start][0] + log_p[piece]
                if best[end] is None or score > best[end][0]:
                    best[end] = (score, [*best[start][1], piece])
    return None if best[-1] is None else best[-1][1]


def likeliest_cut_from_behind(word, log_p):
    """Second style."""

    @functools.cache
    def rest(start):
        if start == len(word):
            return 0.0, ()
        found = (-math.inf, None)
        for piece in log_p:
            if piece and word.startswith(piece, start):
                score, pieces = rest(start + len(piece))
                if pieces is not None and score + log_p[piece] > found[0]:
                    found = (score + log_p[piece], (piece, *pieces))
        return found

    pieces = rest(0)[1]
    return None if pieces is None else list(pieces)


def likeliest_cut_longest_first(word, log_p):
    """This takes the longest piece that fits at each place, as WordPiece does: a shorter one may
    make the whole likelier."""
    pieces = []
    while word:
        fits = [piece for piece in log_p if word.startswith(piece)]
        if not fits:
            return None
        pieces.append(max(fits, key=len))
        word = word[len(pieces[-1]) :]
    return pieces


def likeliest_cut_best_piece_first(word, log_p):
    """This takes the likeliest piece at each place: what it leaves may have no good cut, or none at
    all."""
    pieces = []
    while word:
        fits = [piece for piece in log_p if word.startswith(piece)]
        if not fits:
            return None
        pieces.append(max(fits, key=log_p.get))
        word = word[len(pieces[-1]) :]
    return pieces


def likeliest_cut_fewest(word, log_p):
    """This returns the cut with the fewest pieces: three frequent ones may be likelier than a rare
    one."""
    return likeliest_cut(word, dict.fromkeys(log_p, -1.0))


def likeliest_cut_most(word, log_p):
    """This returns a cut with as many pieces as possible: each piece more makes it less likely, by
    its own factor."""
    return likeliest_cut(word, dict.fromkeys(log_p, 1.0))


def likeliest_cut_least(word, log_p):
    """This returns the least likely cut: the sum of the logarithms must be as *large* as it can
    be."""
    return likeliest_cut(word, {piece: -score for piece, score in log_p.items()})


def likeliest_cut_mean(word, log_p):
    """This takes the highest mean of the logarithms: they are summed, since the probabilities are
    multiplied."""
    cuts = _some_cuts(word, log_p)
    return max(cuts, key=lambda cut: sum(map(log_p.get, cut)) / max(1, len(cut)), default=None)


def likeliest_cut_added(word, log_p):
    """This adds the probabilities: they must be multiplied, so add the logarithms."""
    cuts = _some_cuts(word, log_p)
    return max(cuts, key=lambda cut: sum(math.exp(log_p[piece]) for piece in cut), default=None)


def likeliest_cut_score(word, log_p):
    """This returns the score of the likeliest cut: its pieces are asked for."""
    pieces = likeliest_cut(word, log_p)
    return None if pieces is None else sum(map(log_p.get, pieces))


def likeliest_cut_turned(word, log_p):
    """This returns the pieces from the last to the first: turn them round."""
    pieces = likeliest_cut(word, log_p)
    return None if pieces is None else pieces[::-1]


def likeliest_cut_unfinished(word, log_p):
    """This stops where no piece fits any more, and returns what it has: without a cut of the whole
    word the answer is None."""
    for end in range(len(word), 0, -1):
        if (pieces := likeliest_cut(word[:end], log_p)) is not None:
            return pieces
    return [] if not word else None


def likeliest_cut_underflow(word, log_p):
    """This multiplies the probabilities: of many rare pieces nothing is left but 0.0. Add the
    logarithms."""
    best = [(1.0, [])] + [(0.0, None)] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if best[start][1] is not None and piece in log_p:
                likely = best[start][0] * math.exp(log_p[piece])
                if likely > best[end][0]:
                    best[end] = (likely, [*best[start][1], piece])
    return best[-1][1]


def likeliest_cut_none_for_nothing(word, log_p):
    """This returns None for the empty word: it has a cut, the one without pieces, []."""
    return likeliest_cut(word, log_p) or None


def likeliest_cut_all_cuts(word, log_p):
    """This tries all cuts: remember the best of each beginning."""

    def best(rest):
        if not rest:
            return 0.0, []
        found = (-math.inf, None)
        for end in range(1, len(rest) + 1):
            if rest[:end] in log_p:
                score, pieces = best(rest[end:])
                if pieces is not None and score + log_p[rest[:end]] > found[0]:
                    found = (score + log_p[rest[:end]], [rest[:end], *pieces])
        return found

    return best(word)[1]


def likeliest_cut_logs_multiplied(word, log_p):
    """This multiplies the logarithms: where probabilities are multiplied, their logarithms are
    added."""
    best = [(1.0, [])] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if best[start] is not None and piece in log_p:
                score = best[start][0] * log_p[piece]
                if best[end] is None or score > best[end][0]:
                    best[end] = (score, [*best[start][1], piece])
    return None if best[-1] is None else best[-1][1]


def _some_cuts(word, log_p, most=2_000):
    """The first cuts of a word, in no order that means anything."""

    def grown(start):
        if start == len(word):
            yield []
        for piece in log_p:
            if word.startswith(piece, start):
                for others in grown(start + len(piece)):
                    yield [piece, *others]

    return list(itertools.islice(grown(0), most))


def logs(**shares):
    """Pieces with the logarithms of their probabilities."""
    return {piece: math.log(share) for piece, share in shares.items()}


TOGETHER = logs(together=8e-6, toget=2e-4, tog=1e-3, ether=2e-2, to=5e-2, get=2e-2, her=3e-2)
TRAP = logs(un=0.2, unb=0.01, locks=0.3, blocks=0.02, b=0.005, s=0.1)
LETTERS = logs(a=0.2, aa=0.1, aaa=0.03, b=0.3)
RARE = {"x": -20.0, "y": -21.0, "z": -22.0, "xy": -43.0}


class AllCuts(Exception):
    """The vocabulary was asked more often than any but a search through all cuts would."""


class Counted(dict):
    """A vocabulary that counts how often it is asked; it has enough of it after MOST times.

    A good answer asks it about 2,000 times for 60 letters.
    """

    MOST = 300_000
    asked = 0

    def _count(self, times=1):
        self.asked += times
        if self.asked > self.MOST:
            raise AllCuts

    def __getitem__(self, piece):
        self._count()
        return super().__getitem__(piece)

    def __contains__(self, piece):
        self._count()
        return super().__contains__(piece)

    def __iter__(self):
        self._count(len(self))
        return super().__iter__()

    def get(self, piece, default=None):
        """As a dict has it, but counted."""
        self._count()
        return super().get(piece, default)

    def keys(self):
        """As a dict has it, but counted."""
        self._count(len(self))
        return super().keys()

    def items(self):
        """As a dict has it, but counted."""
        self._count(len(self))
        return super().items()


class Said:
    """What an answer gave where it is no list; repr() writes it as it is."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, Said) and other.text == self.text

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        return self.text


NO_CUT = Said("None")  # a right answer for some words: no `return` is missing


def pieces_of(answer, word, log_p):
    """What the answer returns, NO_CUT for None; a search through all cuts is stopped."""
    try:
        found = answer(word, Counted(log_p))
    except AllCuts:
        return Said("no answer in a reasonable time")
    return NO_CUT if found is None else found


def likeliest_cut_cases():
    """Where the greedy ones fail, no cut, one letter, a long word."""
    return [
        case("a frequent three against a rare one", "together", TOGETHER),
        case("the likeliest first piece leads astray", "unblocks", TRAP),
        case("the longest piece leads into a wall", "aab", logs(aa=0.3, a=0.1, ab=0.2)),
        case("there is no cut", "togetherness", TOGETHER),
        case("one piece is best", "her", logs(her=0.1, h=0.2, e=0.2, r=0.2)),
        case("two pieces, or three, or one", "abc", logs(abc=0.1, ab=0.3, a=0.25, b=0.25, c=0.25)),
        case("one good piece, or two", "ab", logs(ab=0.9, a=0.1, b=0.1)),
        case("60 letters", "aaab" * 15, LETTERS),
        case("60 letters, rare pieces", "xyz" * 20, RARE),
        case("an empty word", "", TOGETHER),
    ]


def nothing(found):
    """Whether the answer was None."""
    return getattr(found, "value", found) == NO_CUT


def a_list_of_pieces(answer):
    """Pieces that give the word, in order."""
    found = answer("together", TOGETHER)
    if nothing(found):
        return "It returns None for a word that has a cut: is a piece left out, or a `return`?"
    if isinstance(found, float):
        return "It must return a list of pieces; it returns a number."
    return "".join(found) == "together"


def none_without_a_cut(answer):
    """None where no cut gives the whole word."""
    return nothing(answer("togetherness", TOGETHER))


def finds_a_way(answer):
    """It does not walk into a wall."""
    found = answer("aab", logs(aa=0.3, a=0.1, ab=0.2))
    if nothing(found) or list(found) != ["a", "ab"]:
        return False
    if nothing(answer("extraordinary", logs(extra=0.1, ordinary=0.1))):
        return "It finds no cut of extraordinary from extra and ordinary: a piece may be long."
    return True


def likeliest_of_all(answer):
    """No other cut is likelier."""
    for word, log_p in (("together", TOGETHER), ("unblocks", TRAP)):
        found = answer(word, log_p)
        if nothing(found) or "".join(found) != word:
            return None
        right = sum(map(log_p.get, likeliest_cut(word, log_p)))
        if sum(map(log_p.get, found)) < right - 1e-9:
            return (
                f"{' | '.join(found)} is not the likeliest cut of {word}: another one has a "
                "larger sum of logarithms."
            )
    return True


LIKELIEST = Write(
    id="8b.8",
    title="The likeliest cut",
    level="hard",
    text="""
Write `likeliest_cut(word, log_p)`. `log_p` maps each piece of the vocabulary to the logarithm of
its probability; a cut is as likely as the product of its pieces. Return the pieces of the likeliest
cut as a list, in order; `None` if the word can’t be cut into pieces of the vocabulary. An empty
word has the cut `[]`. Words may be long: 60 letters have more cuts than you can try. So remember
the best one of each **beginning** of the word (the first letter, the first two, ...): how can you
get from these to the best one of the next?
""",
    hints=(
        "The last piece of the best cut of `toget` may be get, or toget. In each case, what stands "
        "before it is cut in its best way, too.",
        "A list `best`, one entry for each number of letters: score and pieces, or None. The first "
        "is (0, []). For each end, try every start before it.",
        "For end, for start: if best[start] exists and word[start:end] is a piece, then "
        "best[start]'s score + its log is a candidate for best[end].",
    ),
    solution=likeliest_cut,
    second_style=likeliest_cut_from_behind,
    mistakes=(
        likeliest_cut_longest_first,
        likeliest_cut_best_piece_first,
        likeliest_cut_fewest,
        likeliest_cut_most,
        likeliest_cut_least,
        likeliest_cut_mean,
        likeliest_cut_added,
        likeliest_cut_score,
        likeliest_cut_turned,
        likeliest_cut_unfinished,
        likeliest_cut_underflow,
        likeliest_cut_none_for_nothing,
        likeliest_cut_all_cuts,
        likeliest_cut_logs_multiplied,
    ),
    cases=likeliest_cut_cases,
    run=pieces_of,
    properties=(
        Property(
            "It must return a list of pieces that make up the word, in order.", a_list_of_pieces
        ),
        Property("It must return None where the whole word can’t be cut.", none_without_a_cut),
        Property(
            "It finds no cut of aab from aa, a and ab: a | ab is one. The first piece that fits "
            "may lead into a wall.",
            finds_a_way,
        ),
        Property("It does not return the likeliest cut.", likeliest_of_all),
    ),
    see="8bE What T5 reads",
)
