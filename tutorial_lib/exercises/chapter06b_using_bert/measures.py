"""What mean vectors say about the way in which they were made."""

import torch

from tutorial_lib.exercises.engine.tasks import Property

LENGTHS = (3, 5)
MASK = torch.arange(7) < torch.tensor(LENGTHS)[:, None]
HIDDEN = torch.eye(7, 9).expand(2, 7, 9)  # number t of a mean is the share of token t


def shares(answer):
    """How much each token counts in its text's vector, (2, 7)."""
    return answer(HIDDEN, MASK).reshape(2, 9)[:, :7]


def one_vector_a_text(answer):
    """(B, D)."""
    shape = tuple(answer(HIDDEN, MASK).shape)
    sentences = {
        (9,): "There is one vector for the whole batch: each text has its own.",
        (7, 9): "The mean goes over the texts: it goes over the tokens, dim=1.",
        (2, 7): "The mean goes over the width D: it goes over the tokens, dim=1.",
        (2, 7, 9): "There is a vector a token: one a text is asked for.",
        (2, 1, 9): "It keeps the axis of the tokens, (B, 1, D): one vector a text is (B, D).",
    }
    return shape == (2, 9) or sentences.get(shape, False)


def padding_does_not_count(answer):
    """Padding has no share."""
    if not shares(answer)[MASK].any():
        return "Only the padding counts: True marks a real token."
    return not shares(answer)[~MASK].any()


def real_tokens_count(answer):
    """Each real token has a share."""
    rows = zip(shares(answer), LENGTHS, strict=True)
    counted = [row[:n].nonzero().flatten().tolist() for row, n in rows]
    sentences = {
        "[CLS], the first token, does not count: it is a real token too.": (1, 0),
        "[SEP], the last real token, does not count: it is a real token too.": (0, -1),
        "[CLS] and [SEP] do not count: they are real tokens too.": (1, -1),
    }
    for sentence, (start, end) in sentences.items():
        if counted == [[*range(start, n + end)] for n in LENGTHS]:
            return sentence
    if counted == [[0]] * 2 or counted == [[n - 1] for n in LENGTHS]:
        which = "first" if counted[0] == [0] else "last"
        return f"Only the {which} token counts: all real ones do."
    if not any(counted):
        return None
    return counted == [[*range(n)] for n in LENGTHS]


def tokens_count_the_same(answer):
    """The shares within a text are the same."""
    return all(len(row[row != 0].unique()) < 2 for row in shares(answer).mul(1e4).round())


POOLING = (
    Property("One vector a text is asked for, (B, D).", one_vector_a_text),
    Property("The padding counts: only real tokens do.", padding_does_not_count),
    Property(
        "Some real tokens do not count: each text has a length of its own.", real_tokens_count
    ),
    Property("Some tokens of a text count for more than others.", tokens_count_the_same),
)
