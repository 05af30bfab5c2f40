"""A word with two senses, and what an encoder makes of it in each sentence."""

import torch

from tutorial_lib.errors import ShapeError

# {word: {sense: sentences}}. The word is always the second one, so that its position says nothing.
EXAMPLES = {
    "bank": {
        "money": [
            "My bank closed the account.",
            "The bank raised its rates again.",
            "One bank refused the loan.",
            "Her bank charges a monthly fee.",
        ],
        "river": [
            "One bank was muddy and steep.",
            "The bank flooded after the rain.",
            "That bank is full of reeds.",
            "Each bank had a few ducks.",
        ],
    },
    "match": {
        "game": [
            "The match ended without a goal.",
            "Our match begins in an hour.",
            "One match was lost at home.",
            "That match drew a large crowd.",
        ],
        "fire": [
            "The match burned my finger.",
            "One match lit the whole stove.",
            "That match is too wet to burn.",
            "Each match has a red head.",
        ],
    },
    "spring": {
        "season": [
            "Last spring was cold and wet.",
            "The spring brought the first flowers.",
            "This spring we will paint the house.",
            "Each spring the birds return.",
        ],
        "water": [
            "One spring was clear and deep.",
            "The spring ran down the rocks.",
            "This spring never runs dry.",
            "Each spring feeds a small stream.",
        ],
    },
    "bat": {
        "animal": [
            "A bat flew out of the cave.",
            "The bat sleeps by day.",
            "One bat can eat many moths.",
            "This bat hangs from its feet.",
        ],
        "sport": [
            "A bat lay beside the ball.",
            "The bat broke at last.",
            "One bat is made of ash.",
            "This bat is too heavy to swing.",
        ],
    },
}


@torch.no_grad()
def occurrences(model, tokenizer, word, sentences):
    """Return the vectors of a word in each of N sentences, at each layer: (L + 1, N, D).

    model.hidden_states(ids) gives them for ids (1, T). Where the word occurs twice, the first one
    counts. Raises ShapeError for no sentence, or one in which the word, in the tokenizer's
    letters, is not one token.
    """
    if not sentences:
        raise ShapeError(f"“{word}” needs sentences to occur in, got none")
    found = []
    for sentence in sentences:
        encoding = tokenizer.encode(sentence)
        if word not in encoding.tokens:
            tokens = " ".join(encoding.tokens)
            raise ShapeError(f"“{word}” must be one of the tokens of each sentence, got {tokens}")
        states = model.hidden_states(torch.tensor([encoding.ids]))
        place = encoding.tokens.index(word)
        found.append(torch.stack([state[0, place] for state in states]))  # (L + 1, D)
    return torch.stack(found, dim=1)


def of_other_words(model, tokenizer, word):
    """Return the vectors of the other words of EXAMPLES in their M sentences: (L + 1, M, D).

    All stand second in their sentences, as `word` does in its own, so a likeness that comes from
    the position is in these vectors, too. model and tokenizer as for `occurrences`.
    """
    return torch.cat(
        [
            occurrences(model, tokenizer, other, [use for of in senses.values() for use in of])
            for other, senses in EXAMPLES.items()
            if other != word
        ],
        dim=1,
    )
