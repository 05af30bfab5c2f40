"""Chapter 10: a caption and a picture's codes as one row, and what a GPT learns from it."""

import functools

import torch
from einops import rearrange

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def row_and_targets(captions, codes, n_words):
    """Return what a GPT reads, (B, T + R * C - 1), and its targets, of the same shape.

    captions (B, T): ids below n_words, padded with 0 on the right; codes (B, R, C): whole numbers
    from 0. Code c has the id n_words + c. Targets are -100 where the loss does not look.
    """
    written = rearrange(codes, "batch y x -> batch (y x)") + n_words
    both = torch.cat([captions, written], dim=1)  # (B, T + R * C)
    targets = both[:, 1:].clone()
    targets[:, : captions.size(1) - 1] = -100
    return both[:, :-1], targets


def row_and_targets_lists(captions, codes, n_words):
    """Second style."""
    rows, targets = [], []
    for caption, grid in zip(captions.tolist(), codes.tolist(), strict=True):
        written = [n_words + code for line in grid for code in line]
        rows.append([*caption, *written[:-1]])
        targets.append([-100] * (len(caption) - 1) + written)
    return torch.tensor(rows), torch.tensor(targets)


# In which order the codes are read ----------------------------------------------------------------


def line_by_line(codes):
    """As a page is read."""
    return codes.flatten(1)


def column_by_column(codes):
    """Down the first column, then the next."""
    return codes.transpose(1, 2).flatten(1)


def backwards(codes):
    """From the last cell."""
    return codes.flatten(1).flip(1)


# Which ids captions and codes get, of captions, codes and n_words ---------------------------------


def behind_the_words(captions, codes, n_words):
    """Code 0 gets n_words."""
    return captions, codes + n_words


def as_they_are(captions, codes, n_words):
    """Code 0 gets 0."""
    return captions, codes


def one_too_few(captions, codes, n_words):
    """Code 0 gets the last word's id."""
    return captions, codes + n_words - 1


def one_too_many(captions, codes, n_words):
    """Code 0 gets n_words + 1."""
    return captions, codes + n_words + 1


def behind_the_largest(captions, codes, n_words):
    """Code 0 gets what comes after the largest id of the batch."""
    return captions, codes + captions.max() + 1


def by_the_length(captions, codes, n_words):
    """Code 0 gets T."""
    return captions, codes + captions.size(1)


def words_behind(captions, codes, n_words):
    """The words are shifted, not the codes."""
    return captions + n_words, codes


def real_words_behind(captions, codes, n_words):
    """The words are shifted and padding stays 0."""
    return torch.where(captions > 0, captions + n_words, 0), codes


# What has a target, of captions: True where the loss looks, (B, T - 1 + R * C) --------------------


def places(captions, n_targets):
    """The number of each position."""
    return torch.arange(n_targets).expand(len(captions), -1)


def codes_alone(captions, n_targets):
    """From the caption's last position on."""
    return places(captions, n_targets) >= captions.size(1) - 1


def everything(captions, n_targets):
    """All."""
    return places(captions, n_targets) >= 0


def words_and_codes(captions, n_targets):
    """All but where padding is next."""
    padded = torch.cat([captions[:, 1:] == 0, captions[:, :0] == 0], dim=1)
    found = everything(captions, n_targets).clone()
    found[:, : padded.size(1)] &= ~padded
    return found


def padding_and_codes(captions, n_targets):
    """All but where a word is next."""
    found = everything(captions, n_targets).clone()
    found[:, : captions.size(1) - 1] &= captions[:, 1:] == 0
    return found


def after_the_caption(captions, n_targets):
    """From the position of the first code on."""
    return places(captions, n_targets) >= captions.size(1)


def one_before(captions, n_targets):
    """The caption's last token is asked for, too."""
    return places(captions, n_targets) >= captions.size(1) - 2


def real_positions(captions, n_targets):
    """Where a word or a code is read."""
    found = everything(captions, n_targets).clone()
    found[:, : captions.size(1)] &= captions > 0
    return found


def codes_after_words(captions, n_targets):
    """From the caption's last position on, unless padding stands there."""
    return codes_alone(captions, n_targets) & real_positions(captions, n_targets)


# The row and the targets --------------------------------------------------------------------------


def made(
    args,
    order=line_by_line,
    ids=behind_the_words,
    in_targets="ids",
    ahead=1,
    counted=codes_alone,
    end="the last code",
    empty=-100,
):
    """Row and targets with slips."""
    captions, codes, n_words = args
    words, written = ids(captions, order(codes), n_words)
    both = torch.cat([words, written], dim=1)
    asked = torch.cat([words, order(codes)], dim=1) if in_targets == "codes" else both
    n_targets = both.size(1) - 1
    nothing = torch.full((len(both), 1), empty)
    # One position more on both sides: there may be nothing as far ahead.
    asked = torch.cat([nothing, asked, nothing], dim=1)[:, 1 + ahead :][:, :n_targets]
    targets = torch.where(counted(captions, n_targets), asked, empty)
    if end == "nothing":
        targets[:, -1] = empty
    elif end == "the first word":
        targets[:, -1] = words[:, 0]
    elif end == "the code before":
        targets[:, -1] = both[:, -2]
    return both[:, :-1], targets


def row_and_targets_plain_codes(captions, codes, n_words):
    """The codes keep their own numbers, and code 5 is then the same token as word 5: shift them by
    n_words, in the row and in the targets.
    """
    return made((captions, codes, n_words), ids=as_they_are)


def row_and_targets_plain_targets(captions, codes, n_words):
    """The targets hold the codes’ own numbers, the row their ids: one vocabulary, so the targets
    are ids, too.
    """
    return made((captions, codes, n_words), in_targets="codes")


def row_and_targets_one_too_few(captions, codes, n_words):
    """Code 0 gets the id n_words - 1, which is the last word’s: it gets n_words."""
    return made((captions, codes, n_words), ids=one_too_few)


def row_and_targets_one_too_many(captions, codes, n_words):
    """Code 0 gets the id n_words + 1: ids count from 0, so the first one behind the words is
    n_words.
    """
    return made((captions, codes, n_words), ids=one_too_many)


def row_and_targets_largest(captions, codes, n_words):
    """This shifts the codes by the largest id of these captions: in each batch a code would get
    another id. The shift is n_words.
    """
    return made((captions, codes, n_words), ids=behind_the_largest)


def row_and_targets_columns(captions, codes, n_words):
    """This reads the codes column by column: row by row, as a page."""
    return made((captions, codes, n_words), order=column_by_column)


def row_and_targets_all_counted(captions, codes, n_words):
    """The caption has targets, too: it is given, so they are -100 wherever a token of the caption
    comes next.
    """
    return made((captions, codes, n_words), counted=everything)


def row_and_targets_words_counted(captions, codes, n_words):
    """Only padding is left out of the targets: the words of the caption are given, too, and get
    -100.
    """
    return made((captions, codes, n_words), counted=words_and_codes)


def row_and_targets_first_code_lost(captions, codes, n_words):
    """The first code is nobody’s target: it comes next after the caption’s last position, padding
    or not, and there it belongs.
    """
    return made((captions, codes, n_words), counted=after_the_caption)


def row_and_targets_after_words(captions, codes, n_words):
    """Where the caption ends in padding, the first code is nobody’s target: padding is a token like
    any other, and the first code comes after the last one.
    """
    return made((captions, codes, n_words), counted=codes_after_words)


def row_and_targets_own(captions, codes, n_words):
    """Each target is the code at its *own* position, which the model has just read: the one that
    comes next is asked for.
    """
    return made((captions, codes, n_words), ahead=0, counted=after_the_caption)


def row_and_targets_two_ahead(captions, codes, n_words):
    """Each target is the token two positions further on: shift by one only once."""
    return made((captions, codes, n_words), ahead=2)


def row_and_targets_rolled(captions, codes, n_words):
    """The last target is the first word, as if the row were a ring: the last code comes next
    there.
    """
    return made((captions, codes, n_words), end="the first word")


def row_and_targets_zeros(captions, codes, n_words):
    """Where the loss must not look stands 0: that is the id of padding, and the loss would learn
    it. -100 is what it leaves out.
    """
    return made((captions, codes, n_words), empty=0)


def row_and_targets_padding_last(captions, codes, n_words):
    """This moves the padding behind the codes: it stays where it is, between the words and the
    codes.
    """
    row, targets = made((captions, codes, n_words))
    n_real = (captions > 0).sum(1)
    for b, n in enumerate(n_real.tolist()):
        written, n_pad = targets[b, captions.size(1) - 1 :], captions.size(1) - n
        nothing = written.new_zeros(n_pad)
        row[b] = torch.cat([captions[b, :n], written, nothing])[:-1]
        given = written.new_full((n - 1,), -100)
        targets[b] = torch.cat([given, written, nothing - 100])
    return row, targets


def row_and_targets_codes_first(captions, codes, n_words):
    """The codes stand before the caption: it comes first, so that they can follow from it."""
    both = torch.cat([codes.flatten(1) + n_words, captions], dim=1)
    targets = both[:, 1:].clone()
    targets[:, codes[0].numel() - 1 :] = -100
    return both[:, :-1], targets


def row_and_targets_last_kept(captions, codes, n_words):
    """The last code is in the row, too: nothing comes after it, so it is only a target."""
    row, targets = made((captions, codes, n_words))
    nothing = torch.full((len(row), 1), -100)
    return torch.cat([row, targets[:, -1:]], dim=1), torch.cat([targets, nothing], dim=1)


def row_and_targets_exchanged(captions, codes, n_words):
    """This returns the targets first: the row, then the targets."""
    return made((captions, codes, n_words))[::-1]


def row_and_targets_cases():
    """Captions with padding and without, grids of odd sizes, a single code, a single token."""
    some = [
        ("captions of 2 and 3 tokens", [[5, 2, 0, 0], [3, 8, 6, 0]], (2, 3), 10),
        ("no padding", [[7, 1, 4], [2, 2, 9]], (3, 2), 12),
        ("one token and much padding", [[6, 0, 0, 0, 0]], (2, 2), 8),
        ("captions of one position", [[3], [1], [4]], (1, 4), 6),
        ("a single code", [[2, 5, 0], [4, 0, 0]], (1, 1), 7),
        ("a tall picture", [[1, 3, 2, 0, 0], [4, 1, 2, 3, 0]], (4, 1), 5),
        ("more codes than words", [[2, 1, 0], [1, 0, 0]], (3, 4), 3),
    ]
    found = []
    for label, captions, (n_rows, n_columns), n_words in some:
        codes = torch.randint(0, 16, (len(captions), n_rows, n_columns))
        found.append(case(label, torch.tensor(captions), codes, n_words))
    return found


def example():
    """Two captions with padding, one without, and pictures of 2 x 3 codes."""
    captions = torch.tensor([[5, 2, 0, 0], [3, 8, 6, 0], [4, 4, 1, 7]])
    codes = torch.tensor([[[3, 0, 9], [1, 7, 4]], [[0, 2, 5], [8, 3, 1]], [[6, 1, 0], [2, 9, 3]]])
    return captions, codes, 11


N_TEXTS, N_PLACES, N_CODES = 3, 4, 6
WIDTH = N_PLACES + N_CODES - 1


def two_things(answer):
    """A row and its targets."""
    found = answer(*example())
    if isinstance(found, torch.Tensor):  # two of one shape, as lists
        return len(found) == 2 and found.dim() == 3
    return isinstance(found, list | tuple) and len(found) == 2


def has_the_shape(answer):
    """(B, T + R * C - 1), both."""
    if two_things(answer) is not True:
        return None
    wanted = N_TEXTS, WIDTH
    sentences = {
        (3, 10): "{has} one position too many: T + R * C - 1. Nothing comes after the last code, "
        "so it is never read.",
        (3, 8): "{has} one position too few: T + R * C - 1. The last code alone is left out of the "
        "row, the first position alone out of the targets.",
        (3, 6): "{has} the codes alone: the caption’s T positions stand before them, with -100 in "
        "the targets.",
        (3, 5): "{has} the codes alone: the caption stands before them.",
        (3, 4): "{has} the caption alone: the codes stand behind it.",
        (27,): "{are} one long list: each caption has a row of its own.",
        (9, 3): "{are} turned: a row for each caption, (B, T + R * C - 1).",
    }
    verbs = {"row": {"has": "has", "are": "is"}, "targets": {"has": "have", "are": "are"}}
    for name, part in zip(verbs, answer(*example()), strict=True):
        shape = tuple(part.shape)
        if shape != wanted:
            other = f"{{has}} the shape {shape} for 4 tokens and 2 × 3 codes: {wanted} is right."
            return f"The {name} {sentences.get(shape, other).format(**verbs[name])}"
    return True


def are_whole_numbers(answer):
    """Ids, to look vectors up."""
    if two_things(answer) is not True:
        return None
    kinds = [part.dtype for part in answer(*example())]
    return not any(kind.is_floating_point or kind is torch.bool for kind in kinds)


@functools.lru_cache(maxsize=1)
def read(answer):
    """Row and targets one behind the other, (B, 2 (T + R * C - 1))."""
    row, targets = answer(*example())
    if row.shape != targets.shape or row.dim() != 2:
        return None
    return torch.cat([row, targets], dim=1).float()  # decimal ones are compared faster


@functools.cache
def with_slips(*choices):
    """The same with a choice for each of the rules below."""
    return torch.cat(made(example(), *choices), dim=1).float()


def parts(answer):
    """Row and targets of the example; None unless both have their shape."""
    if has_the_shape(answer) is not True:
        return None
    return tuple(answer(*example()))


def nothing_empty_in_the_row(answer):
    """The row holds -100: that is for targets alone, a model cannot read it."""
    found = parts(answer)
    return None if found is None else bool((found[0] >= 0).all())


def caption_stays(answer):
    """The row does not begin with the captions as they are, padding included."""
    found = parts(answer)
    if found is None or (found[0] < 0).any():
        return None
    captions, codes, n_words = example()
    row, first = found[0], codes[1, 0, 0] + n_words
    if torch.equal(row[:, :N_PLACES], captions):
        return True
    if torch.equal(row[:, :N_CODES], codes.flatten(1) + n_words):
        return "The row begins with the codes: the caption comes first."
    if torch.equal(row[:, : N_PLACES - 1], captions[:, 1:]):
        return "The row begins with the caption’s second token: leave out the last code instead."
    if torch.equal(row[1, :3], captions[1, :3]) and row[1, 3] == first:
        return "The codes follow the last word, as if there were no padding: it stays in the row."
    return False


def codes_stand_behind(answer):
    """Behind the captions the row does not go on with the ids of the codes, all but the last."""
    found = parts(answer)
    if found is None or nothing_empty_in_the_row(answer) is not True:
        return None
    if caption_stays(answer) is not True:
        return None
    if torch.equal(found[0], made(example())[0]):
        return True
    slips = {
        "The row holds the codes’ own numbers: code c has the id n_words + c.": as_they_are,
        "In the row the codes are shifted by one too few: code 0 gets n_words.": one_too_few,
        "In the row the codes are shifted by one too many: code 0 gets n_words.": one_too_many,
    }
    rows = {text: made(example(), ids=ids)[0] for text, ids in slips.items()}
    return next((text for text, row in rows.items() if torch.equal(found[0], row)), False)


def something_is_learned(answer):
    """No position has a target: all are -100."""
    found = parts(answer)
    return None if found is None else bool((found[1] >= 0).any())


def caption_is_not_learned(answer):
    """Where a token of the caption comes next, the target is not -100."""
    found = parts(answer)
    if found is None or caption_stays(answer) is not True:
        return None
    _, codes, n_words = example()
    if found[1][1, 2] == codes[1, 0, 0] + n_words:
        return (
            "The first code is the target of the caption’s last *word*: padding is read between "
            "the two, so it comes next only after the caption’s last position."
        )
    return bool((found[1][:, : N_PLACES - 1] == -100).all())


def codes_are_learned(answer):
    """From the caption’s last position on, the target is not the id of the code that comes next."""
    found = parts(answer)
    if found is None or something_is_learned(answer) is not True:
        return None
    if caption_stays(answer) is not True or isinstance(caption_is_not_learned(answer), str):
        return None
    return torch.equal(found[1][:, N_PLACES - 1 :], made(example())[1][:, N_PLACES - 1 :])


ROW_AND_TARGETS = Write(
    id="10.14",
    title="Caption and codes in one row",
    level="medium",
    text="""
Write `row_and_targets(captions, codes, n_words)`: what such a GPT learns from. `captions` (B, T)
are ids below `n_words`, padded with 0 on the right. The padding stays where it is and is read like
any other token. `codes` (B, R, C) are the codes of each picture, numbers from 0, and are read as a
page is, row by row. Words and codes share **one vocabulary**: the ids of the codes follow those of
the words. Return the **row** that the GPT reads, (B, T + R · C − 1), and for each of its positions
the **target**, the id that comes next. The caption is given, not learned: the target is -100
wherever one of its T tokens comes next.

An example: `n_words` is 10, the caption is 5, 0, and the picture is one row of two codes, 3 and 1.
The row is 5, 0, 13, and the targets are -100, 13, 11.
""",
    hints=(
        "Take a caption of three positions and four codes, and write the row down. Write below "
        "each position what comes next. How many targets are codes?",
        "First make the long row with *all* codes. The row and the targets are two pieces of it.",
        "`codes.flatten(1)` reads row by row. The caption’s last position has a target, the "
        "T - 1 before it have none.",
    ),
    solution=row_and_targets,
    second_style=row_and_targets_lists,
    mistakes=(
        row_and_targets_plain_codes,
        row_and_targets_plain_targets,
        row_and_targets_one_too_few,
        row_and_targets_one_too_many,
        row_and_targets_largest,
        row_and_targets_columns,
        row_and_targets_all_counted,
        row_and_targets_words_counted,
        row_and_targets_first_code_lost,
        row_and_targets_after_words,
        row_and_targets_own,
        row_and_targets_two_ahead,
        row_and_targets_rolled,
        row_and_targets_zeros,
        row_and_targets_padding_last,
        row_and_targets_codes_first,
        row_and_targets_last_kept,
        row_and_targets_exchanged,
    ),
    cases=row_and_targets_cases,
    results=("row", "targets"),
    properties=(
        Property("Two things are asked for: the row and its targets.", two_things),
        Property("Row and targets are (B, T + R * C - 1), both.", has_the_shape),
        Property("Ids are whole numbers, in the row and in the targets.", are_whole_numbers),
        *composed(
            read,
            with_slips,
            {
                "The codes are read row by row.": line_by_line,
                "The codes are read column by column: row by row.": column_by_column,
                "The codes are read from the last to the first: from the upper left.": backwards,
            },
            {
                "Code 0 gets the id n_words.": behind_the_words,
                "The codes are not shifted: code c gets the id n_words + c.": as_they_are,
                "The codes are shifted by one too few: code 0 gets n_words.": one_too_few,
                "The codes are shifted by one too many: code 0 gets n_words.": one_too_many,
                "The codes are shifted by the largest id of these captions: by n_words, whatever "
                "the captions say.": behind_the_largest,
                "The codes are shifted by the length of the captions: by n_words, the number of "
                "ids.": by_the_length,
                "The captions are shifted behind the codes: they keep their ids, the codes come "
                "behind.": words_behind,
                "The words are shifted, and the codes are not: words keep their ids, code 0 gets "
                "n_words.": real_words_behind,
            },
            {
                "The targets are ids, as in the row.": "ids",
                "The targets are the codes’ own numbers: they are ids, as in the row.": "codes",
            },
            {
                "The target is the next token.": 1,
                "Each target is the token at its own position: the next one is asked for.": 0,
                "Each target is the token two positions on: the very next one is asked for.": 2,
                "Each target is the token before: the next one is asked for.": -1,
            },
            {
                "The targets begin with the first code, at the caption’s last position.": (
                    codes_alone
                ),
                "The whole caption has targets: wherever one of its tokens comes next, it is "
                "-100.": everything,
                "The words have targets, and only padding has -100: both are given.": (
                    words_and_codes
                ),
                "Padding has targets, and only words have -100: both are given.": (
                    padding_and_codes
                ),
                "The targets begin one position too late: the caption’s last one has the first "
                "code next.": after_the_caption,
                "The targets begin one position too early: the caption’s last token is given.": (
                    one_before
                ),
                "Words have targets, and padding, when it is *read*, has none: it is what comes "
                "next that counts.": real_positions,
                "The caption’s last position has no target where it is padding: the first code "
                "comes next there, too.": codes_after_words,
            },
            {
                "The last target is the last code.": "the last code",
                "The last target is missing: the last code comes next there.": "nothing",
                "The last target wraps round to the first word: the last code comes next there.": (
                    "the first word"
                ),
                "The last target is the code that was just read: the last code comes next there.": (
                    "the code before"
                ),
            },
            {
                "The loss leaves out -100.": -100,
                "Where the loss must not look stands 0: it leaves out -100 alone.": 0,
                "Where the loss must not look stands -1: it leaves out -100 alone.": -1,
            },
            otherwise=(
                nothing_empty_in_the_row,
                caption_stays,
                codes_stand_behind,
                something_is_learned,
                caption_is_not_learned,
                codes_are_learned,
            ),
        ),
    ),
)
