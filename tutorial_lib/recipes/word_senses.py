"""The two senses of “bank” in eight short sentences, and what an encoder makes of them."""

import re

import torch

# “bank” has the same positions in both, so that a position does not give the sense away.
SENSES = {
    "money": "My bank closed the account. The bank raised its rates again. "
    "He asked the bank for a loan. She put the money in the bank.",
    "river": "One bank was muddy and steep. The bank flooded after the rain. "
    "Ducks left the bank for the water. They pulled the boat up the bank.",
}
# (sense, sentence) of each
USES = [(sense, s) for sense, text in SENSES.items() for s in re.split(r"(?<=\.) ", text)]


@torch.no_grad()
def occurrences(model, tokenizer):
    """Return the vectors of “bank” in each of the N sentences at each layer, (L + 1, N, D)."""
    found = []
    for _, sentence in USES:
        encoding = tokenizer.encode(sentence)
        states = model.hidden_states(torch.tensor([encoding.ids]))
        place = encoding.tokens.index("bank")
        found.append(torch.stack([state[0, place] for state in states]))  # (L + 1, D)
    return torch.stack(found, dim=1)
