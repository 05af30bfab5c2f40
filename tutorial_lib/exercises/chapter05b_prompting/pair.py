"""Chapter 05b: a previous-token head and an induction head, built by hand from one-hots."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def two_heads(ids, n_tokens, sharpness):
    """Return an induction head's weights (T, T), and what it fetches, (T, n_tokens).

    ids (T,) are below n_tokens. An earlier head left a note at each position: which token came just
    before. sharpness multiplies the scores.
    """
    tokens = F.one_hot(ids, n_tokens).float()  # (T, n_tokens): the queries, and the values
    notes = torch.zeros_like(tokens)  # the keys
    notes[1:] = tokens[:-1]
    scores = sharpness * tokens @ notes.T  # (T, T)
    later = torch.ones_like(scores).triu(1).bool()
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return weights, weights @ tokens


def two_heads_counted(ids, n_tokens, sharpness):
    """Second style."""
    tokens = ids.tolist()
    weights = torch.zeros(len(tokens), len(tokens))
    fetched = torch.zeros(len(tokens), n_tokens)
    for t, asked in enumerate(tokens):
        notes = [None, *tokens[:t]]  # which token came before position 0, 1, ..., t
        scores = [sharpness * float(note == asked) for note in notes]
        weights[t, : t + 1] = torch.tensor(scores).softmax(dim=0)
        for s in range(t + 1):
            fetched[t, tokens[s]] += weights[t, s]
    return weights, fetched


def two_heads_cases():
    """A token that comes again, one that comes three times, and a text in which none does."""
    return [
        case("A B C A", torch.tensor([0, 1, 2, 0]), 5, 8.0),
        case("A B A C A A, not sharp", torch.tensor([3, 1, 3, 0, 3, 3]), 4, 1.5),
        case("no token twice", torch.tensor([2, 0, 1]), 3, 4.0),
    ]


IDS, N_TOKENS, SHARPNESS = torch.tensor([2, 0, 3, 2, 2, 0, 1, 2]), 6, 1.7
TOKENS = F.one_hot(IDS, N_TOKENS).float()
BEFORE = torch.cat([torch.zeros(1, N_TOKENS), TOKENS[:-1]])
LATER = torch.ones(8, 8).triu(1).bool()


def _read(answer):
    weights, fetched = answer(IDS.clone(), N_TOKENS, SHARPNESS)
    return torch.cat([weights, fetched], dim=1).float()


def _made(keys, queries, values, mask, softmax, sharpness):
    notes, (on_scores, on_values) = keys(), sharpness()
    scores = (on_scores * queries(notes) @ notes.T).masked_fill(mask(), -torch.inf)
    weights = softmax(scores)
    return torch.cat([weights, weights @ values(notes) * on_values], dim=1)


PROPERTIES = composed(
    _read,
    _made,
    {
        "The key at s is the note there: the token just before s, and zeros at position 0.": (
            lambda: BEFORE
        ),
        "The note goes the wrong way: it holds the token after. Position s is to hold token "
        "s - 1.": lambda: torch.cat([TOKENS[1:], torch.zeros(1, N_TOKENS)]),
        "The note goes the wrong way, and wraps: position s is to hold token s - 1.": (
            lambda: TOKENS.roll(-1, dims=0)
        ),
        "`roll` wraps: position 0 has a note of the last token, yet nothing came before it.": (
            lambda: TOKENS.roll(1, dims=0)
        ),
        "Position 0 has a note of its own token, yet nothing came before it: zeros.": (
            lambda: torch.cat([TOKENS[:1], TOKENS[:-1]])
        ),
        "The key is the token itself, with no note: so the head finds the same token, and not what "
        "came after it.": lambda: TOKENS,
        "The note is of the token two places before: the one just before is asked for.": lambda: (
            torch.cat([torch.zeros(2, N_TOKENS), TOKENS[:-2]])
        ),
    },
    {
        "The query at t is the one-hot of ids[t].": lambda notes: TOKENS,
        "The query is made from the note: it is to ask what came after the token at t itself.": (
            lambda notes: notes
        ),
    },
    {
        "The value at s is the one-hot of ids[s].": lambda notes: TOKENS,
        "The values are the notes, so the head fetches A once more: the token after it stands in "
        "ids.": lambda notes: notes,
    },
    {
        "The mask leaves positions up to t, t itself too.": lambda: LATER,
        "Later positions get weight: the head is causal, s up to t.": lambda: torch.zeros(8, 8) > 0,
        "The mask hides t itself: s goes up to t, so that position 0, too, has something to see.": (
            lambda: LATER | torch.eye(8).bool()
        ),
        "The mask is turned round: it hides what came before t, in place of what comes later.": (
            lambda: LATER.T
        ),
    },
    {
        "The weights are a softmax over s.": lambda scores: scores.softmax(dim=-1),
        "The softmax goes over t, down the columns: each row is to sum to 1.": lambda scores: (
            scores.softmax(dim=0)
        ),
        "There is no softmax: the scores themselves are the weights.": lambda scores: (
            scores.masked_fill(scores.isinf(), 0)
        ),
    },
    {
        "The scores are multiplied by `sharpness`, before the softmax.": lambda: (SHARPNESS, 1),
        "`sharpness` is left out: it multiplies the scores.": lambda: (1, 1),
        "`sharpness` multiplies what is fetched: it belongs to the scores, before the softmax.": (
            lambda: (1, SHARPNESS)
        ),
        "It divides the scores by `sharpness`: multiply.": lambda: (1 / SHARPNESS, 1),
        "The scores are also divided by the root of n_tokens: here `sharpness` says it all.": (
            lambda: (SHARPNESS / N_TOKENS**0.5, 1)
        ),
        "The scores are multiplied by `sharpness` twice.": lambda: (SHARPNESS**2, 1),
    },
)


def returns_two(answer):
    """Weights, then what was fetched."""
    found = answer(IDS.clone(), N_TOKENS, SHARPNESS)
    return isinstance(found, tuple | list) and len(found) == 2


def weights_have_their_shape(answer):
    """The weights are (T, T)."""
    weights, fetched = answer(IDS.clone(), N_TOKENS, SHARPNESS)
    if tuple(weights.shape) == (8, 6) and tuple(fetched.shape) == (8, 8):
        return "It returns what was fetched first: the weights come first."
    return tuple(weights.shape) == (8, 8)


def fetches_one_number_a_token(answer):
    """What was fetched is (T, n_tokens), also when the last tokens do not occur."""
    weights, fetched = answer(IDS.clone(), N_TOKENS, SHARPNESS)
    if weights.shape != (8, 8):
        return None
    sentences = {
        (8, 8): "The one-hots have T numbers: they have n_tokens, one for each token there is.",
        (8, 4): "The one-hots end with the highest token in ids: give them n_tokens numbers.",
        (8,): "It returns one number a position, a token: the weighted sum of the values is asked "
        "for.",
    }
    return tuple(fetched.shape) == (8, 6) or sentences.get(tuple(fetched.shape), False)


TWO_HEADS = Write(
    id="5b.3",
    title="Build the two heads by hand",
    level="hard",
    text="""
No training: two heads of one-hots, for a text `ids` (T,) of numbers below `n_tokens`.

- The **previous-token head** leaves a *note* at each position: the one-hot (n_tokens numbers) of
  the token just before. Position 0 has none before it: its note is zeros.
- The **induction head** has as its *query* at t the one-hot of ids[t]. Its *key* at s is the note
  there, its *value* at s the one-hot of ids[s]. A score is `sharpness` times the dot product of
  query and key; the mask is causal (s up to t, t too), and the softmax goes over s.

Write `two_heads(ids, n_tokens, sharpness)`. Return two tensors: the induction head's weights
(T, T), row t looking at column s, and what it fetches (T, n_tokens), the values summed with these
weights.
""",
    hints=(
        "Take A B C A by hand. Which note stands at B? At which s does the query of the last A "
        "have a dot product of 1, and which value is there?",
        "Two tensors (T, n_tokens) are enough: the tokens as one-hots, and the notes, which are "
        "the same rows one position later. Which is the query, which the key, which the value?",
        "`F.one_hot(ids, n_tokens).float()`, or `torch.eye(n_tokens)[ids]`, has the one-hots. "
        "Begin the notes as zeros and fill rows 1 to T - 1.",
        "`scores = sharpness * tokens @ notes.T` is (T, T). Put -inf where s is later than t, "
        "take the softmax of each row, and multiply the weights by the values.",
    ),
    solution=two_heads,
    second_style=two_heads_counted,
    mistakes=(),
    cases=two_heads_cases,
    results=("weights", "what it fetches"),
    properties=(
        Property("Two tensors are asked for: the weights, and what was fetched.", returns_two),
        Property("The weights are (T, T): row t looks at column s.", weights_have_their_shape),
        Property("What is fetched is (T, n_tokens).", fetches_one_number_a_token),
        *PROPERTIES,
    ),
    see="5bD Who reads the prompt?",
)
