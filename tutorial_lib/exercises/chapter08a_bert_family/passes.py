"""Chapter 08a: a text that is masked anew in each pass."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def passes(ids, choose, mask_id, n):
    """Return n pairs (inputs, labels), one a pass, each hidden anew; all have the shape of ids.

    Each call of choose() draws anew: a tensor like ids, True where a token is to be hidden. inputs
    is ids with mask_id there; labels is ids there, and -100 everywhere else.
    """
    pairs = []
    for _ in range(n):
        chosen = choose()  # (B, T)
        pairs.append((ids.masked_fill(chosen, mask_id), ids.masked_fill(~chosen, -100)))
    return pairs


def passes_where(ids, choose, mask_id, n):
    """Second style."""
    drawn = torch.stack([choose() for _ in range(n)])  # (N, B, T)
    inputs = torch.where(drawn, mask_id, ids)
    labels = torch.where(drawn, ids, -100)
    return list(zip(inputs, labels, strict=True))


def passes_piled(ids, choose, mask_id, n):
    """This hides on top of the pass before: each pass must begin with the text as it was."""
    pairs = []
    for _ in range(n):
        chosen = choose()
        labels = torch.where(chosen, ids, -100)
        ids = torch.where(chosen, mask_id, ids)
        pairs.append((ids, labels))
    return pairs


def passes_in_place(ids, choose, mask_id, n):
    """This hides tokens in `ids` itself, and they stay hidden for all later passes: hide them in a
    copy.
    """
    pairs = []
    for _ in range(n):
        chosen = choose()
        labels = torch.where(chosen, ids, -100)
        ids[chosen] = mask_id
        pairs.append((ids, labels))
    return pairs


def passes_once(ids, choose, mask_id, n):
    """This chooses once, before the first pass, so that each pass hides the same tokens."""
    chosen = choose()
    return [(ids.masked_fill(chosen, mask_id), ids.masked_fill(~chosen, -100)) for _ in range(n)]


def passes_labels_hidden(ids, choose, mask_id, n):
    """This takes the labels from the inputs, where the tokens are hidden already: each label is
    `mask_id`.
    """
    pairs = []
    for _ in range(n):
        chosen = choose()
        inputs = ids.masked_fill(chosen, mask_id)
        pairs.append((inputs, inputs.masked_fill(~chosen, -100)))
    return pairs


def passes_two_choices(ids, choose, mask_id, n):
    """This calls `choose` twice in a pass: the labels are those of other places than the ones that
    are hidden.
    """
    return [
        (ids.masked_fill(choose(), mask_id), ids.masked_fill(~choose(), -100)) for _ in range(n)
    ]


CHOICES = (
    [[0, 1, 0, 0, 1], [1, 0, 0, 1, 0]],
    [[1, 0, 0, 0, 1], [0, 0, 1, 1, 0]],
    [[0, 0, 1, 0, 0], [0, 1, 0, 1, 0]],
    [[0, 1, 0, 1, 0], [1, 0, 0, 0, 1]],
    [[1, 0, 1, 0, 0], [0, 0, 1, 0, 1]],
    [[0, 0, 0, 1, 1], [0, 1, 1, 0, 0]],
    [[1, 1, 0, 0, 0], [0, 0, 0, 1, 1]],
    [[0, 0, 1, 1, 0], [1, 1, 0, 0, 0]],
)


class Choose:
    """A choice that is another one in each call; after the last comes the first again.

    All are equal, so that calling one does not read as changing an argument.
    """

    def __init__(self, rows=2, begin=0):
        self.rows, self.calls = rows, begin

    def __call__(self):
        """Return the next choice, (B, T)."""
        self.calls += 1
        return torch.tensor(CHOICES[(self.calls - 1) % len(CHOICES)])[: self.rows].bool()

    def __eq__(self, other):
        """Tell whether other is a Choose, whatever it has drawn."""
        return isinstance(other, Choose)

    def __hash__(self):
        """Return the same number for all."""
        return hash(Choose)

    def __repr__(self):
        """Return what stands in a message."""
        return "choose"


IDS = torch.tensor([[11, 12, 13, 14, 15], [21, 22, 23, 24, 25]])


def passes_cases():
    """One row, several passes; another mask_id; one pass."""
    return [
        case("1 row, 3 passes", IDS[:1], Choose(1), 4, 3),
        case("2 rows, 4 passes", IDS, Choose(2, 2), 0, 4),
        case("1 pass", IDS, Choose(2, 1), 103, 1),
    ]


def batches(answer, n=4):
    """The choices, the inputs and the labels of n passes, (N, B, T) each."""
    pairs = answer(IDS, Choose(), 4, n)
    inputs, labels = (torch.stack([torch.as_tensor(row[i]) for row in pairs]) for i in (0, 1))
    return torch.tensor(CHOICES[: len(pairs)]).bool(), inputs, labels


def there_are_n(answer):
    """One pair a pass."""
    return all(len(answer(IDS, Choose(), 4, n)) == n for n in (2, 3, 5))


def chooses_anew(answer):
    """The places that are hidden are not always the same."""
    _, inputs, _ = batches(answer)
    return not all(torch.equal(row, inputs[0]) for row in inputs[1:])


def first_hides(answer):
    """Where choose() says True, mask_id stands in the first pass."""
    chosen, inputs, _ = batches(answer)
    return (inputs[0][chosen[0]] == 4).all().item()


def first_keeps(answer):
    """Elsewhere the inputs of the first pass are the text."""
    chosen, inputs, _ = batches(answer, n=1)
    return torch.equal(inputs[0][~chosen[0]], IDS[~chosen[0]])


def later_ones_hide_no_more(answer):
    """A later pass does not know of an earlier one."""
    chosen, inputs, _ = batches(answer)
    if not (first_hides(answer) and first_keeps(answer) and chooses_anew(answer)):
        return None
    return [row.eq(4).sum().item() for row in inputs] == chosen.sum(dim=(1, 2)).tolist()


def labels_are_the_text(answer):
    """Where a token is hidden, the label is the token."""
    _, inputs, labels = batches(answer, n=1)
    counted = (labels[0] != -100) & (inputs[0] == 4)
    return None if not counted.any() else torch.equal(labels[0][counted], IDS[counted])


def hidden_ones_count(answer):
    """A hidden token has a label."""
    chosen, _, labels = batches(answer, n=1)
    return (labels[0][chosen[0]] != -100).all().item()


def others_do_not_count(answer):
    """A token that is not hidden has none."""
    chosen, _, labels = batches(answer, n=1)
    rest = labels[0][~chosen[0]]
    if (rest == -100).all():
        return True
    if (rest == rest[0]).all():
        return f"The label of a token that is not hidden is {rest[0]}: it must be -100."
    return False


PASSES = Write(
    id="8a.2",
    title="Anew in every pass",
    level="easy",
    text="""
`passes(ids, choose, mask_id, n)` prepares a text `ids` (B, T) for n passes, with dynamic masking.
Each call of `choose()` draws anew which tokens are to be hidden: a tensor (B, T), True there. Call
it once a pass. The result is a list with one pair `(inputs, labels)` a pass: in `inputs` the chosen
tokens have become `mask_id`, and all others stand as in the text; `labels` has the text's own token
where one is hidden, and -100 everywhere else. `ids` itself must stay as it is. The code below runs
without an error, and it is wrong. Look at what it makes of a short text, find out why, and fix it.
""",
    hints=(
        "Print the inputs of a first, a second and a third pass. How many tokens are hidden in "
        "each?",
        "What should the third pass know of the second one?",
        "Which of the names in the loop still has in the second pass what the first one put there?",
    ),
    solution=passes,
    second_style=passes_where,
    mistakes=(
        passes_piled,
        passes_in_place,
        passes_once,
        passes_labels_hidden,
        passes_two_choices,
    ),
    cases=passes_cases,
    properties=(
        Property("There must be n pairs, one a pass.", there_are_n),
        Property("Each pass hides the same tokens: call `choose` in each.", chooses_anew),
        Property("A chosen token is not hidden: `mask_id` must stand in its place.", first_hides),
        Property("A token that was not chosen is not as it was in the text.", first_keeps),
        Property(
            "A later pass does not hide what its own choice says: each begins with the text as it "
            "was, and calls `choose` once.",
            later_ones_hide_no_more,
        ),
        Property("The label of a hidden token is not the one of the text.", labels_are_the_text),
        Property("A hidden token has no label: it is what the model is asked.", hidden_ones_count),
        Property(
            "A token that is not hidden has a label: it must be -100, which the loss leaves out.",
            others_do_not_count,
        ),
    ),
    keeps_input=True,
    see="8aC RoBERTa: hide them anew",
)
