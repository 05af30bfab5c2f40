"""Five words with two senses each, in 40 short sentences, and what an encoder makes of them."""

import re

import torch

SENSES = {
    "bank": {
        "money": "She put the money in the bank. The bank raised its rates again. "
        "He asked the bank for a loan. My bank closed the account.",
        "river": "They sat on the bank of the river. The boat drifted to the bank. "
        "Reeds grew along the muddy bank. He fished from the left bank.",
    },
    "bat": {
        "animal": "A bat hung upside down in the cave. The bat flew out at dusk. "
        "A small brown bat ate the moth. We heard the bat squeak in the attic.",
        "club": "He swung the bat and missed. The bat was made of ash wood. "
        "She hit the ball with her bat. The player broke his bat.",
    },
    "match": {
        "fire": "He lit the candle with a match. The match burned her fingers. "
        "Strike a match, it is dark. One wet match would not light.",
        "game": "They won the match in the last minute. The match ended in a draw. "
        "She watched the tennis match. Our team lost the first match.",
    },
    "spring": {
        "season": "The roses bloom in spring. Spring came late this year. "
        "We plant the beans in spring. Last spring was cold and wet.",
        "coil": "The spring in the mattress broke. A steel spring closes the door. "
        "He replaced the rusty spring. The spring of the clock is wound.",
    },
    "ring": {
        "jewel": "He gave her a gold ring. The ring slipped from her finger. "
        "She wore a diamond ring. His ring was too tight.",
        "sound": "I heard the phone ring. The bells ring at noon. "
        "Did the alarm ring this morning? Let it ring twice.",
    },
}


def uses(word):
    """Return (sense, sentence) of each sentence in which the word is used.

    >>> uses("bank")[0]
    ('money', 'She put the money in the bank.')
    """
    return [
        (sense, sentence)
        for sense, text in SENSES[word].items()
        for sentence in re.split(r"(?<=[.?]) ", text)
    ]


@torch.no_grad()
def occurrences(model, tokenizer, word):
    """Return the vectors of the word in each of its N sentences at each layer, (L + 1, N, D)."""
    found = []
    for _, sentence in uses(word):
        encoding = tokenizer.encode(sentence)
        states = model.hidden_states(torch.tensor([encoding.ids]))
        place = encoding.tokens.index(word)
        found.append(torch.stack([state[0, place] for state in states]))  # (L + 1, D)
    return torch.stack(found, dim=1)
