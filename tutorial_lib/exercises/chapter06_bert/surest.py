"""Chapter 06: a BERT that writes, a word at a time, the surest first."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def fill_surest(model, ids, mask_id):
    """Return ids (T,) with each mask_id filled by the model, one a pass, the surest first.

    model(ids) gives logits (T, V) for such a text.
    """
    ids = ids.clone()
    while (ids == mask_id).any():
        p, words = model(ids).softmax(dim=-1).max(dim=-1)  # (T,) each
        surest = p.masked_fill(ids != mask_id, 0).argmax()
        ids[surest] = words[surest]
    return ids


def fill_surest_by_list(model, ids, mask_id):
    """Second style."""
    text = ids.tolist()
    while mask_id in text:
        rows = model(torch.tensor(text)).softmax(dim=1).tolist()
        _, place, word = max(
            (max(rows[t]), t, rows[t].index(max(rows[t]))) for t in places_of(text, mask_id)
        )
        text[place] = word
    return text


def places_of(text, mask_id):
    """Where a list of ids has gaps."""
    return [t for t, token in enumerate(text) if token == mask_id]


def fill_by_logit(model, ids, mask_id):
    """This compares logits: how sure a word is, its probability says, after the softmax."""
    ids = ids.clone()
    while (ids == mask_id).any():
        logits, words = model(ids).max(dim=-1)
        surest = logits.masked_fill(ids != mask_id, -torch.inf).argmax()
        ids[surest] = words[surest]
    return ids


def fill_across(model, ids, mask_id):
    """This takes the softmax over the positions: the V words of each position share 1."""
    ids = ids.clone()
    while (ids == mask_id).any():
        p, words = model(ids).softmax(dim=0).max(dim=-1)
        surest = p.masked_fill(ids != mask_id, 0).argmax()
        ids[surest] = words[surest]
    return ids


N_WORDS = 6
MASK = N_WORDS  # not among the words: no slip makes the models say it, again and again
NUMBERS = torch.Generator().manual_seed(27)
READS = 2.0 * torch.randn(MASK + 1, MASK + 1, N_WORDS, generator=NUMBERS)
PLACES = torch.randn(9, N_WORDS, generator=NUMBERS)


def reader(ids):
    """A small model that knows its place and both neighbours: logits (T, V) for ids (T,)."""
    if not isinstance(ids, torch.Tensor) or ids.dim() != 1:
        shape = f"a tensor {tuple(ids.shape)}" if isinstance(ids, torch.Tensor) else "no tensor"
        raise ValueError(f"model(ids) reads the ids of one text, (T,), and was given {shape}")
    padded = F.pad(ids, (1, 1), value=MASK)
    return READS[padded[:-2], padded[2:]] + PLACES[: len(ids)]


def impatient(model):
    """The model, until it has read the same text too often: an answer without an end is told so."""
    last, times = None, 0

    def asked(ids):
        nonlocal last, times
        text = ids.tolist() if isinstance(ids, torch.Tensor) else None
        times = times + 1 if text == last else 1
        last = text
        if times > 50:
            raise ValueError(
                "the model has read the same text 50 times in a row: does each pass fill a gap? "
                "Only gaps may compete, and the text that it reads is the one that you fill"
            )
        return model(ids)

    return asked


def fill_cases():
    """Five gaps of eight, a text of gaps alone, and no gap."""
    return [
        case(
            "five gaps",
            impatient(reader),
            torch.tensor([3, MASK, MASK, MASK, 5, MASK, 1, MASK]),
            MASK,
        ),
        case("nothing but gaps", impatient(reader), torch.full((9,), MASK), MASK),
        case("no gap", reader, torch.tensor([4, 2, 2, 1]), MASK),
    ]


def noting(model):
    """The model, and the list of the texts that it was asked to read."""
    read, patient = [], impatient(model)

    def asked(ids):
        read.append(ids.tolist())
        return patient(ids)

    return asked, read


def sure(p_by_place, lift=0.0):
    """A model that says word t at place t, with the probability given, whatever it reads.

    lift[t] is added to all logits at place t, which changes no probability.
    """
    n = len(p_by_place)
    p = ((1 - torch.tensor(p_by_place)) / (n - 1))[:, None].repeat(1, n)
    p[range(n), range(n)] = torch.tensor(p_by_place)
    logits = p.log() + torch.as_tensor(lift).reshape(-1, 1)
    return lambda ids: logits[: len(ids)]


def order_of(answer, model, n):
    """Which gap was filled first, second, ... of a text of n gaps: a list of places."""
    asked, read = noting(model)
    read.append(torch.as_tensor(answer(asked, torch.full((n,), MASK), MASK)).tolist())
    order, left = [], set(range(n))
    for text in read:
        filled = {t for t in left if text[t] != MASK}
        left -= filled
        order.append(sorted(filled))
    return [places for places in order if places]


def same_length(answer):
    """(T,)."""
    found = torch.as_tensor(answer(impatient(reader), torch.tensor([3, MASK, 5, MASK]), MASK))
    return tuple(found.shape) == (4,)


def given_words_stay(answer):
    """Visible tokens are not changed."""
    if same_length(answer) is not True:
        return None
    ids = torch.tensor([3, MASK, 5, MASK, MASK, 1])
    found = torch.as_tensor(answer(impatient(reader), ids.clone(), MASK))
    return bool((found == ids)[ids != MASK].all())


def no_gap_is_left(answer):
    """All gaps."""
    if given_words_stay(answer) is not True:
        return None
    found = torch.as_tensor(answer(impatient(reader), torch.full((4,), MASK), MASK))
    left = int((found == MASK).sum())
    return "This fills one gap and stops: go on until none is left." if left == 3 else left == 0


SURE = [0.5, 0.9, 0.4, 0.7]  # at each of four places
SENTENCES = {
    (1, 3, 0, 2): True,
    (0, 1, 2, 3): "This goes from left to right: fill the gap with the surest word first.",
    (3, 2, 1, 0): "This goes from right to left: fill the gap with the surest word first.",
    (2, 0, 3, 1): "This begins with the word that it is least sure of: the surest comes first.",
}


def one_a_pass(answer):
    """After each word, the model reads again."""
    if no_gap_is_left(answer) is not True:
        return None
    asked, read = noting(sure(SURE))
    answer(asked, torch.full((4,), MASK), MASK)
    order = order_of(answer, sure(SURE), 4)
    if sum(map(len, order)) < 4:
        return None
    if len(read) == 1:
        return "This fills all gaps from one pass: after each word, the model reads the text again."
    if any(len(places) > 1 for places in order):
        return "This fills several gaps from one pass: after each word, the model reads again."
    return True


def surest_first(answer):
    """By the most probable word of each gap."""
    if one_a_pass(answer) is not True:
        return None
    order = tuple(place for (place,) in order_of(answer, sure(SURE), 4))
    return SENTENCES.get(order, False)


def by_probability(answer):
    """A constant on all logits of a place changes no probability; the best word alone decides."""
    if surest_first(answer) is not True:
        return None
    lifted = sure(SURE, lift=[3.0, 0.0, 9.0, 6.0])
    rest = [[0.5] + 5 * [0.1], [0.55, 0.45] + 4 * [1e-9], [0.6] + 5 * [0.08]]
    logits = torch.tensor(rest).log()
    return order_of(answer, lifted, 4) == [[1], [3], [0], [2]] and order_of(
        answer, lambda ids: logits, 3
    ) == [[2], [1], [0]]


def looks_anew(answer):
    """The second gap is chosen by what the model says now."""
    if by_probability(answer) is not True:
        return None
    first, then = sure([0.5, 0.9, 0.4]), sure([0.5, 0.9, 0.8])
    changing = lambda ids: then(ids) if ids[1] != MASK else first(ids)  # noqa: E731
    return order_of(answer, changing, 3)[1] == [2]


def words_of_their_gap(answer):
    """Word t is said at place t."""
    if one_a_pass(answer) is not True:
        return None
    found = torch.as_tensor(answer(impatient(sure(SURE)), torch.full((4,), MASK), MASK)).tolist()
    return found == [0, 1, 2, 3]


FILL_SUREST = Write(
    id="6.9",
    title="A gap a pass",
    level="medium",
    text="""
Write `fill_surest(model, ids, mask_id)`. `ids` (T,) is one text, with `mask_id` at its gaps.
`model(ids)` reads such a text and gives logits (T, V). As long as a gap is left, let the model read
the text, find the most probable word for each gap, and fill only the gap whose word has the highest
probability. Return the ids with every gap filled (T,), and leave `ids` itself as it is. (No model
here ever says `mask_id`.)
""",
    hints=(
        "A loop: `while (ids == mask_id).any()`.",
        "`p, words = model(ids).softmax(dim=-1).max(dim=-1)` gives the best word of each position "
        "and its probability, (T,) each.",
        "Only gaps count: `p.masked_fill(ids != mask_id, 0).argmax()` is the surest of them.",
    ),
    solution=fill_surest,
    second_style=fill_surest_by_list,
    mistakes=(fill_by_logit, fill_across),
    cases=fill_cases,
    properties=(
        Property("The ids of the whole text are asked for, (T,).", same_length),
        Property("It changes words that were given: only at a gap may it write.", given_words_stay),
        Property(
            "It leaves gaps: go on until none is left, and let only gaps compete.", no_gap_is_left
        ),
        Property("After each word, the model reads the text again.", one_a_pass),
        Property("It does not begin with the gap whose word is surest.", surest_first),
        Property(
            "It compares something else than the probability of the best word of each gap, after a "
            "softmax over the V words.",
            by_probability,
        ),
        Property(
            "It settles the order in the first pass: after each word, look anew which gap is "
            "surest.",
            looks_anew,
        ),
        Property("A gap gets the word of another position.", words_of_their_gap),
    ),
    keeps_input=True,
    see="6H A BERT that writes",
)
