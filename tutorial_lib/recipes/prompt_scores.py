"""Asking a language model many questions with the same examples before them, economically.

The prompts of one set of examples begin alike. What they share is read once, its keys and values
are kept (a cache), and each question goes on from there. An answer is never generated: a greedy
model says exactly this answer if each of its tokens is the likeliest after the right ones.
"""

from itertools import islice, takewhile

import torch
from torch.nn.utils.rnn import pad_sequence

BATCH = 12  # prompts at a time: their caches are the memory that this needs


def shared_start(rows):
    """Return how many ids all rows begin with, short of the last id of any.

    >>> shared_start([[5, 6, 7, 8], [5, 6, 9]])
    2
    """
    columns = islice(zip(*rows, strict=False), min(map(len, rows)) - 1)
    return sum(1 for _ in takewhile(lambda ids: len(set(ids)) == 1, columns))


def says(model, prompts, answers, goes_on):
    """Return whether the model's greedy answer to each prompt is this one, a list of booleans.

    prompts, answers: lists of ids. goes_on (V,) is True for tokens that would continue the last
    word: after the answer none of them may be likeliest, or the model has said another word.
    """
    rows = [[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)]
    starts = [len(prompt) - 1 for prompt in prompts]
    right = []
    for row, start, logits in zip(rows, starts, logits_from(model, rows, starts), strict=True):
        *likeliest, after = logits.argmax(dim=-1).tolist()  # one a token of the answer, and one
        right.append(likeliest == row[start + 1 :] and not goes_on[after].item())
    return right


def chooses(model, prompts, choices):
    """Return which choice each prompt is most likely to go on with, a list of places in choices.

    choices: lists of ids that differ in their first token, which is compared.
    """
    firsts = torch.tensor([choice[0] for choice in choices])
    if len(firsts.unique()) != len(choices):
        raise ValueError("the choices must differ in their first token")
    starts = [len(prompt) - 1 for prompt in prompts]
    return [logits[0, firsts].argmax().item() for logits in logits_from(model, prompts, starts)]


@torch.no_grad()
def logits_from(model, rows, starts):
    """Yield for each row the logits (T - start, V) that follow its ids from position start on."""
    n_shared = min(shared_start(rows), *starts) if len(rows) > 1 else 0
    first = model.new_cache(1, max(n_shared, 1))
    device = next(model.parameters()).device
    if n_shared:
        model(torch.tensor([rows[0][:n_shared]], device=device), cache=first, last_only=True)
    for at in range(0, len(rows), BATCH):
        rest = [torch.tensor(row[n_shared:], device=device) for row in rows[at : at + BATCH]]
        ids = pad_sequence(rest, batch_first=True)  # (B, T): what comes after is never looked at
        cache = spread(model, first, len(ids), n_shared + ids.size(1))
        hidden = model.read(ids, cache=cache)  # (B, T, D)
        for n, row in enumerate(rest):
            yield model.logits(hidden[n, starts[at + n] - n_shared : len(row)])


def spread(model, cache, n, context):
    """Return a cache for n sequences that have all read what this cache of one sequence has."""
    many = model.new_cache(n, context)
    if len(cache):
        for one, layer in zip(cache.layers, many.layers, strict=True):
            layer.append(*(kept.expand(n, -1, -1, -1) for kept in one.contents()))
    return many


def continues_a_word(tokenizer):
    """Return (V,) booleans: whether a token would go on with the letters or digits before it.

    >>> from tutorial_lib.tokenizers import BPETokenizer
    >>> tokenizer = BPETokenizer.train("aa aa aa", vocab_size=258)
    >>> flags = continues_a_word(tokenizer)
    >>> flags[tokenizer.encode("a")[0]].item(), flags[tokenizer.encode(".")[0]].item()
    (True, False)
    """
    return torch.tensor([tokenizer.decode([i])[:1].isalnum() for i in range(tokenizer.vocab_size)])
