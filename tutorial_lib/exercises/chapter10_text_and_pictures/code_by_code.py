"""Chapter 10: the loop in which a GPT writes a picture, code by code."""

import functools

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def write(gpt, captions, n_words, n_codes, heat, pick):
    """Return the codes (B, n_codes) that a GPT writes after captions (B, T), one after another.

    gpt(row) gives the logits of what comes next at each position, (B, length, words and codes);
    code c has the id n_words + c. pick(chances) draws a code for each row of chances (B, V): (B,).
    """
    row = captions
    for _ in range(n_codes):
        scores = gpt(row)[:, -1, n_words:]  # (B, V): of the next code
        code = pick((scores / heat).softmax(dim=-1))
        row = torch.cat([row, n_words + code[:, None]], dim=1)
    return row[:, captions.size(1) :] - n_words


def write_in_a_list(gpt, captions, n_words, n_codes, heat, pick):
    """Second style."""
    codes = []
    while len(codes) < n_codes:
        ids = [(n_words + code).unsqueeze(1) for code in codes]
        scores = gpt(torch.cat([captions, *ids], dim=1))[:, -1]
        scores[:, :n_words] = -torch.inf
        codes.append(pick((scores / heat).softmax(dim=-1)[:, n_words:]))
    return torch.stack(codes, dim=1)


# The loop with slips ------------------------------------------------------------------------------


def chances_of_codes(scores, n_words, heat):
    """Softmax over the codes."""
    return (scores[:, n_words:] / heat).softmax(dim=-1)


def chances_without_heat(scores, n_words, heat):
    """As if heat were 1."""
    return scores[:, n_words:].softmax(dim=-1)


def chances_times_heat(scores, n_words, heat):
    """Multiplied."""
    return (scores[:, n_words:] * heat).softmax(dim=-1)


def chances_heated_after(scores, n_words, heat):
    """The chances are divided, not the scores."""
    return scores[:, n_words:].softmax(dim=-1) / heat


def chances_cut_after(scores, n_words, heat):
    """Softmax over words and codes, then cut."""
    return (scores / heat).softmax(dim=-1)[:, n_words:]


def chances_of_words(scores, n_words, heat):
    """The first ids instead of the last."""
    return (scores[:, : scores.size(1) - n_words] / heat).softmax(dim=-1)


def chances_of_first(scores, n_words, heat):
    """Cut at the wrong end."""
    return (scores[:, :n_words] / heat).softmax(dim=-1)


def chances_words_at_0(scores, n_words, heat):
    """The words' logits are 0, and count."""
    scores = scores.clone()
    scores[:, :n_words] = 0
    return chances_cut_after(scores, n_words, heat)


def chances_of_ids(scores, n_words, heat):
    """The words have no chance, but a place: what is drawn is an id."""
    scores = scores.clone()
    scores[:, :n_words] = -torch.inf
    return chances_of_all(scores, n_words, heat)


def chances_of_all(scores, n_words, heat):
    """Words may be drawn, too."""
    return (scores / heat).softmax(dim=-1)


def scores_alone(scores, n_words, heat):
    """No softmax."""
    return scores[:, n_words:] / heat


def whole_row(captions, ids):
    """The caption, then all codes so far."""
    return torch.cat([captions, ids], dim=1)


def caption_alone(captions, ids):
    """The row does not grow."""
    return captions


def last_token(captions, ids):
    """The token before alone."""
    return whole_row(captions, ids)[:, -1:]


def caption_and_last(captions, ids):
    """The codes in between get lost."""
    return whole_row(captions, ids[:, -1:])


def codes_alone(captions, ids):
    """The caption is left behind."""
    return ids if ids.size(1) else captions


def codes_first(captions, ids):
    """Codes before the caption."""
    return torch.cat([ids, captions], dim=1)


def last_position(scores):
    """What follows the row."""
    return scores[:, -1]


def first_position(scores):
    """What follows the first token."""
    return scores[:, 0]


def mean_position(scores):
    """The mean over all positions."""
    return scores.mean(dim=1)


def looped(
    gpt,
    captions,
    n_words,
    n_codes,
    heat,
    pick,
    chances=chances_of_codes,
    reads=whole_row,
    at=last_position,
    shift="ids",
    choose="pick",
    result="codes",
    more=0,
):
    """The loop with slips."""
    codes = captions[:, :0]
    for _ in range(n_codes + more):
        ids = codes + (n_words if shift == "ids" else 0)
        found = chances(at(gpt(reads(captions, ids))), n_words, heat)
        if choose == "pick":
            code = pick(found)
        elif choose == "likeliest":
            code = found.argmax(dim=-1)
        else:
            code = pick(found[:1]).expand(len(captions))
        codes = torch.cat([codes, code[:, None]], dim=1)
    if result == "ids":
        return codes + n_words
    if result == "row":
        return torch.cat([captions, codes + n_words], dim=1)
    return codes


def write_never_longer(*args):
    """Each code is drawn as if it came right after the caption: append it to the row, and ask at
    the row’s last position.
    """
    return looped(*args, reads=caption_alone)


def write_plain_codes(*args):
    """The codes are appended as they are, and the GPT reads words there: code c has the id
    n_words + c.
    """
    return looped(*args, shift="none")


def write_ids(*args):
    """This returns ids: take n_words away again, codes count from 0."""
    return looped(*args, result="ids")


def write_row(*args):
    """This returns the whole row, captions included: the codes alone, from 0."""
    return looped(*args, result="row")


def write_words_too(*args):
    """Words may be drawn, too: only the logits from n_words on belong to codes."""
    return looped(*args, chances=chances_of_all)


def write_picked_ids(gpt, captions, n_words, *args):
    """The words have no chance, but still a place, so `pick` draws ids: cut the words off, and it
    draws codes.
    """
    ids = looped(gpt, captions, n_words, *args, chances=chances_of_ids, shift="none")
    return ids - n_words


def write_words_at_0(*args):
    """The words’ logits become 0, and a logit of 0 has a chance: leave the words out."""
    return looped(*args, chances=chances_words_at_0)


def write_wrong_end(*args):
    """These are the logits of the words: those of the codes begin at n_words, `[:, n_words:]`."""
    return looped(*args, chances=chances_of_first)


def write_cut_after(*args):
    """The softmax goes over words and codes, so the chances of the codes do not sum to 1: cut the
    words off before it.
    """
    return looped(*args, chances=chances_cut_after)


def write_without_heat(*args):
    """This leaves out `heat`: divide the logits by it before the softmax."""
    return looped(*args, chances=chances_without_heat)


def write_times_heat(*args):
    """The logits are multiplied by `heat`: divide, so that less heat draws the likely codes."""
    return looped(*args, chances=chances_times_heat)


def write_no_softmax(*args):
    """This gives `pick` logits: it draws from chances, so take the softmax first."""
    return looped(*args, chances=scores_alone)


def write_first_position(*args):
    """This reads the logits of the *first* position: what follows the row is at the last one."""
    return looped(*args, at=first_position)


def write_last_token(*args):
    """The GPT reads one token alone: it needs the caption and all codes so far."""
    return looped(*args, reads=last_token)


def write_caption_and_last(*args):
    """The GPT reads the caption and the last code alone: append each code to the row itself."""
    return looped(*args, reads=caption_and_last)


def write_codes_alone(*args):
    """From the second code on the GPT no longer reads the caption: keep it at the front of the
    row.
    """
    return looped(*args, reads=codes_alone)


def write_likeliest(*args):
    """This takes the likeliest code each time: let `pick` draw."""
    return looped(*args, choose="likeliest")


def write_one_too_many(*args):
    """This writes one code too many."""
    return looped(*args, more=1)


def write_one_too_few(*args):
    """This writes one code too few."""
    return looped(*args, more=-1)


# The checks ---------------------------------------------------------------------------------------


def toy_gpt(table, output):
    """Return a function that reads a row of ids and remembers the order: (B, length, V)."""

    def gpt(row):
        state, found = torch.zeros(len(row), table.size(1)), []
        for ids in row.T:
            state = (0.7 * state + table[ids]).tanh()
            found.append(state @ output)
        return torch.stack(found, dim=1)

    return gpt


def picker(draws, n_words):
    """Return pick(chances), which takes where the sum of the chances passes the next of draws.

    It makes codes: where the words come first, with a chance of 0, it leaves them out.
    """
    coming = iter(draws)

    def pick(chances):
        if not chances[:, :n_words].any():
            chances = chances[:, n_words:]
        line = next(coming, draws[-1])[: len(chances), None]
        return (chances.cumsum(dim=-1) <= line).sum(dim=-1).clamp(max=chances.size(-1) - 1)

    return pick


def run(answer, table, output, captions, n_words, n_codes, heat, draws):
    """Let the answer write with a toy GPT and given draws."""
    return answer(toy_gpt(table, output), captions, n_words, n_codes, heat, picker(draws, n_words))


def made_up(n_captions, length, n_words, n_of_book, n_codes, heat, generator=None):
    """Arguments for `run`, drawn at random; words are likelier than codes."""
    how = {"generator": generator}
    table = torch.randn(n_words + n_of_book, 6, **how)
    output = 1.5 * torch.randn(6, n_words + n_of_book, **how)
    captions = torch.randint(n_words, (n_captions, length), **how)
    draws = torch.rand(n_codes + 1, n_captions, **how) * 0.998 + 0.001
    return table, output, captions, n_words, n_codes, heat, draws


def write_cases():
    """Several captions, one, much heat and little, one code."""
    return [
        case("3 captions, 6 codes", *made_up(3, 4, 5, 9, 6, 0.8)),
        case("one caption", *made_up(1, 3, 4, 6, 8, 0.5)),
        case("much heat", *made_up(4, 2, 6, 7, 9, 3.0)),
        case("one code", *made_up(3, 5, 8, 12, 1, 0.6)),
        case("more words than codes", *made_up(2, 3, 15, 4, 7, 1.4)),
    ]


@functools.cache
def example():
    """Four captions, each followed by 12 of 11 codes."""
    return made_up(4, 3, 6, 11, 12, 0.6, torch.Generator().manual_seed(3))


def has_the_shape(answer):
    """(B, n_codes)."""
    found = answer(*example())
    if not isinstance(found, torch.Tensor):
        return "The codes are asked for, as a tensor (B, n_codes)."
    shape = tuple(found.shape)
    sentences = {
        (4, 15): "The captions are returned, too: the codes alone, (B, n_codes).",
        (4, 16): "The captions are returned, too, and one code too many: the codes alone.",
        (4, 13): "There is one code too many: n_codes of them.",
        (4, 11): "There is one code too few: n_codes of them.",
        (12, 4): "The codes are turned: a row for each caption, (B, n_codes).",
        (48,): "The codes are one long list: a row for each caption, (B, n_codes).",
        (4, 1): "There is one code a caption, the last: all n_codes are asked for.",
        (4,): "There is one code a caption: n_codes of them, (B, n_codes).",
        (12,): "There is one row: each caption has its own, (B, n_codes).",
    }
    return shape == (4, 12) or sentences.get(
        shape, f"From 4 captions and 12 codes it makes {shape}: (4, 12) is right."
    )


def are_codes(answer):
    """Codes are whole numbers from 0; the ids of the row have n_words more."""
    if has_the_shape(answer) is not True:
        return None
    found = answer(*example())
    right = run(write, *example())
    if torch.equal(found, right + 6):
        return "These are ids: take n_words away again, codes count from 0."
    return not found.is_floating_point() and bool((found >= 0).all())


@functools.lru_cache(maxsize=1)
def read(answer):
    """The codes of the example; None unless they have their shape."""
    return answer(*example()).float() if has_the_shape(answer) is True else None


@functools.cache
def with_slips(*choices):
    """The same with a choice for each of the rules below."""
    try:
        return run(lambda *args: looped(*args, *choices), *example()).float()
    except IndexError:  # an id that the toy does not know
        return torch.full((4, 12), -1.0)


def each_row_by_itself(answer):
    """What is written for a caption depends on the other captions."""
    if has_the_shape(answer) is not True:
        return None
    table, output, captions, *numbers, draws = example()
    alone = answer(table, output, captions[:1], *numbers, draws[:, :1])
    return torch.equal(alone[0], answer(*example())[0])


def draws_count(answer):
    """Other draws change nothing: let `pick` choose each code."""
    if has_the_shape(answer) is not True:
        return None
    *given, draws = example()
    return not torch.equal(answer(*given, 1 - draws), answer(*example()))


def captions_count(answer):
    """Another caption changes nothing: the GPT reads it before the codes."""
    if has_the_shape(answer) is not True:
        return None
    table, output, captions, *rest = example()
    return not torch.equal(answer(table, output, (captions + 1) % 6, *rest), answer(*example()))


def the_first_code_is_right(answer):
    """The first code is not the one that `pick` draws after the caption."""
    if has_the_shape(answer) is not True:
        return None
    return torch.equal(answer(*example())[:, 0], run(write, *example())[:, 0])


def later_codes_are_right(answer):
    """The first code is right, and later ones are not: look at what the GPT reads after it."""
    if has_the_shape(answer) is not True or the_first_code_is_right(answer) is not True:
        return None
    return torch.equal(answer(*example()), run(write, *example()))


WRITE = Write(
    id="10.15",
    title="The loop that draws",
    level="hard",
    text="""
Let a GPT write a picture: `write(gpt, captions, n_words, n_codes, heat, pick)`. `captions` (B, T)
are ids. `gpt(row)` takes rows of ids and returns the logits of what comes next at each position,
over all words and codes. As in 10.14, code c has the id `n_words` + c. Only **codes** may follow,
and `heat` is the temperature of chapter 05. `pick(chances)` draws one code for each caption, (B,),
from the chances (B, V) of the V codes. Return the `n_codes` codes of each caption, (B, n_codes),
counted from 0.
""",
    hints=(
        "The row begins as the captions and grows by one id a round. Which position of the "
        "logits says what follows it?",
        "`gpt(row)[:, -1, n_words:]` are the scores of the next code, (B, V).",
        "`torch.cat([row, n_words + code[:, None]], dim=1)` appends. In the end cut the captions "
        "off, and take n_words away.",
    ),
    solution=write,
    second_style=write_in_a_list,
    mistakes=(
        write_never_longer,
        write_plain_codes,
        write_ids,
        write_row,
        write_words_too,
        write_picked_ids,
        write_words_at_0,
        write_wrong_end,
        write_cut_after,
        write_without_heat,
        write_times_heat,
        write_no_softmax,
        write_first_position,
        write_last_token,
        write_caption_and_last,
        write_codes_alone,
        write_likeliest,
        write_one_too_many,
        write_one_too_few,
    ),
    cases=write_cases,
    run=run,
    properties=(
        Property("There are n_codes codes for each caption, (B, n_codes).", has_the_shape),
        Property("Codes are whole numbers from 0.", are_codes),
        *composed(
            read,
            with_slips,
            {
                "The chances are a softmax over the codes’ logits, divided by heat.": (
                    chances_of_codes
                ),
                "Nothing is divided by `heat`: divide the logits by it.": chances_without_heat,
                "The logits are multiplied by `heat`: divide.": chances_times_heat,
                "The chances are divided by `heat`, not the logits: divide before the softmax.": (
                    chances_heated_after
                ),
                "The softmax goes over words and codes: cut the words off before it.": (
                    chances_cut_after
                ),
                "The logits of the first ids are taken: those from n_words on.": chances_of_words,
                "The logits of the words are taken: the codes’ begin at n_words.": chances_of_first,
                "The words’ logits become 0, which has a chance: leave them out.": (
                    chances_words_at_0
                ),
                "Words may be drawn, too: only the logits from n_words on.": chances_of_all,
                "The logits go to `pick` as they are: take the softmax first.": scores_alone,
            },
            {
                "The GPT reads the caption and all codes so far.": whole_row,
                "Each code comes right after the caption: append it, and ask again.": caption_alone,
                "The GPT reads one token alone: the caption and all codes so far.": last_token,
                "The caption gets lost after the first code: keep it at the front.": codes_alone,
                "Of the codes the GPT reads the last alone: append each.": caption_and_last,
                "The codes stand before the caption: append them behind it.": codes_first,
            },
            {
                "The last position says what follows.": last_position,
                "The first position is asked: the last one says what follows.": first_position,
                "The mean over the positions is taken: the last one says what follows.": (
                    mean_position
                ),
            },
            {
                "Codes are appended as ids.": "ids",
                "Codes are appended without n_words: the GPT reads words there.": "none",
            },
            {
                "Each code is drawn by `pick`.": "pick",
                "The likeliest code is taken: let `pick` draw.": "likeliest",
                "All captions get the first one’s code: each its own.": "first",
            },
            otherwise=(
                draws_count,
                captions_count,
                each_row_by_itself,
                the_first_code_is_right,
                later_codes_are_right,
            ),
        ),
    ),
)
