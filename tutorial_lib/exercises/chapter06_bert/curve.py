"""Chapter 06: a masked loss that falls to almost nothing."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def mlm_batch(ids, chosen, mask_id):
    """Return inputs and labels, (B, T) each, of ids (B, T) with some places chosen (B, T).

    A chosen token is hidden in the inputs, and is the label of its place. A place with the label
    -100 does not count in the loss.
    """
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_where(ids, chosen, mask_id):
    """Second style."""
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


def mlm_batch_not_hidden(ids, chosen, mask_id):
    """This does not hide the chosen tokens: the inputs are the text itself."""
    inputs = ids
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_labels_hidden(ids, chosen, mask_id):
    """This takes the labels from the changed inputs: each label that counts is [MASK]."""
    inputs = ids.masked_fill(chosen, mask_id)
    labels = inputs.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_all_counted(ids, chosen, mask_id):
    """This counts all places: those that were not chosen have their own token as the label."""
    inputs = ids.masked_fill(chosen, mask_id)
    labels = ids
    return inputs, labels


def mlm_batch_all_hidden(ids, chosen, mask_id):
    """This hides all tokens, and asks for the chosen ones."""
    inputs = torch.full_like(ids, mask_id)
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


def mlm_batch_cases():
    """One text, then two: some places chosen, the last one too."""
    one = torch.tensor([[False, True, False, False, True]])
    two = torch.tensor([[True, False, False], [False, True, True]])
    return [
        case("2 of 5 tokens", torch.tensor([[7, 5, 8, 6, 9]]), one, 3),
        case("2 texts", torch.tensor([[4, 0, 2], [6, 3, 0]]), two, 1),
    ]


def parts(answer):
    """Inputs and labels at the chosen places, then at the others: four lists, and the ids."""
    ids, chosen = torch.tensor([[7, 5, 8, 0, 9, 6]]), torch.tensor([[0, 1, 0, 1, 0, 1]]).bool()
    inputs, labels = answer(ids, chosen, 3)
    found = inputs[chosen], labels[chosen], inputs[~chosen], labels[~chosen]
    return [part.tolist() for part in found]


def labels_are_turned(answer):
    """The tokens that were not chosen are the labels, and the chosen ones do not count."""
    return parts(answer)[1::2] == [[-100] * 3, [7, 8, 9]]


def chosen_are_labels(answer):
    """The label of a chosen place is its own token."""
    if labels_are_turned(answer):
        return (
            "The labels are the wrong way round: -100 is at the chosen places, where the token "
            "must be, and the token at the others, where -100 must."
        )
    return parts(answer)[1] == [5, 0, 6]


def others_do_not_count(answer):
    """-100 stands at the places that were not chosen."""
    return None if labels_are_turned(answer) else parts(answer)[3] == [-100] * 3


MLM_CURVE = Symptom(
    id="6.7",
    title="The lower loss",
    level="medium",
    text="""
The batches of training B came from code with one of the mistakes (a) to (d). Which of them fits
both its loss and its tests? Choose the letter, then open the folded cell below the check and repair
`mlm_batch(ids, chosen, mask_id)`. It returns inputs and labels (B, T), and a label of -100 does not
count.
""",
    hints=(
        "The loss is lower, but the gaps are filled no better. Which places make it so low?",
        "A model that never met a gap in training could not fill one. Can this one?",
        "Look at the words that can be seen: who has been asked to name them, and who has not?",
    ),
    solution=mlm_batch,
    second_style=mlm_batch_where,
    mistakes=(
        mlm_batch_not_hidden,
        mlm_batch_labels_hidden,
        mlm_batch_all_counted,
        mlm_batch_all_hidden,
    ),
    shown=mlm_batch_all_counted,
    looks=(
        "The loss would go all the way to 0, as each answer is in the input, and in the test "
        "the model would name hardly any hidden word: it has never met a [MASK].",
        "The loss would be 0 after a few steps, and in the test the model would say [MASK] "
        "everywhere: not one word would be right, seen or hidden.",
        "The loss would be low, but not 0: most places only repeat what can be seen, and about "
        "one in eight is a real gap. In the test, the gaps would be filled nearly as well as with "
        "sound batches.",
        "The loss would stay high: with nothing but [MASK]s to read, the model has only the "
        "lengths of the two texts to go by.",
    ),
    cases=mlm_batch_cases,
    properties=(
        Property(
            "A chosen token is not hidden: `mask_id` takes its place in the inputs.",
            lambda answer: parts(answer)[0] == [3, 3, 3],
        ),
        Property(
            "A token that was not chosen is hidden or changed in the inputs: it stays.",
            lambda answer: parts(answer)[2] == [7, 8, 9],
        ),
        Property(
            "The label of a chosen place is not the token that stood there.",
            chosen_are_labels,
        ),
        Property(
            "The label of a place that was not chosen must be -100, so that it does not count.",
            others_do_not_count,
        ),
    ),
    see="6F Training a BERT",
)
