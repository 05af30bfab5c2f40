"""The two senses of “bank” in eight short sentences, and what an encoder makes of them."""

import re

import torch

SENSES = {
    "money": "She put the money in the bank. The bank raised its rates again. "
    "He asked the bank for a loan. My bank closed the account.",
    "river": "They sat on the bank of the river. The boat drifted to the bank. "
    "Reeds grew along the muddy bank. He fished from the left bank.",
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
