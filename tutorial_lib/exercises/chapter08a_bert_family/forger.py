"""Chapter 08a: a discriminator that looks good, taught by a wrong generator."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.exercises.chapter08a_bert_family.letters import (
    MASK,
    Reader,
    batches,
    held_out,
    windows,
)
from tutorial_lib.exercises.engine.guard import seeded
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case
from tutorial_lib.training import fit


def forge(ids, chosen, logits, u):
    """Return ids (B, T) with a token drawn for each gap, and replaced (B, T), True or False.

    ids (B, T), the text; chosen (B, T) bool, its N gaps; logits (N, V), the generator's, a row a
    gap; u (N,), random numbers from 0 to 1. A gap gets the first token at which the sum of the
    probabilities, from token 0 on, is above its u. A token is replaced if it is not the text's.
    """
    sums = logits.softmax(dim=-1).cumsum(dim=-1)  # (N, V)
    drawn = (sums[:, :-1] <= u[:, None]).sum(dim=-1)  # (N,)
    changed = ids.masked_scatter(chosen, drawn)
    return changed, changed != ids


def forge_one_by_one(ids, chosen, logits, u):
    """Second style."""
    changed = ids.clone()
    for (b, t), p, limit in zip(chosen.nonzero().tolist(), logits.softmax(-1), u, strict=True):
        token, total = 0, p[0]
        while total <= limit and token < len(p) - 1:
            token += 1
            total = total + p[token]
        changed[b, t] = token
    return changed, (changed - ids).bool()


def forge_each_gap(ids, chosen, logits, u):
    """This marks every gap as replaced, even where the generator drew what stood there."""
    sums = logits.softmax(dim=-1).cumsum(dim=-1)  # (N, V)
    drawn = (sums[:, :-1] <= u[:, None]).sum(dim=-1)  # (N,)
    changed = ids.masked_scatter(chosen, drawn)
    return changed, chosen


def forge_turned(ids, chosen, logits, u):
    """This has the labels the wrong way round: True where the token is the text’s own."""
    sums = logits.softmax(dim=-1).cumsum(dim=-1)  # (N, V)
    drawn = (sums[:, :-1] <= u[:, None]).sum(dim=-1)  # (N,)
    changed = ids.masked_scatter(chosen, drawn)
    return changed, changed == ids


def forge_any_token(ids, chosen, logits, u):
    """This draws any token, each equally likely, and never asks the generator."""
    drawn = (u * logits.size(-1)).long()  # (N,)
    changed = ids.masked_scatter(chosen, drawn)
    return changed, changed != ids


def forge_most_likely(ids, chosen, logits, u):
    """This takes the generator’s most likely token: it draws nothing."""
    drawn = logits.argmax(dim=-1)  # (N,)
    changed = ids.masked_scatter(chosen, drawn)
    return changed, changed != ids


def forge_cases():
    """Two texts and five gaps; a generator that is nearly right; one gap."""
    ids = torch.tensor([[3, 1, 4, 2, 0], [2, 4, 3, 1, 4]])
    chosen = torch.tensor([[0, 1, 0, 1, 0], [1, 0, 1, 0, 1]]).bool()
    u = torch.tensor([0.93, 0.08, 0.41, 0.66, 0.97])
    row = torch.tensor([[5, 2, 6, 1]])
    gaps = torch.tensor([[True, False, True, True]])
    knows = 3 * F.one_hot(torch.tensor([5, 6, 1]), 7).float()
    return [
        case("2 texts, 5 gaps", ids, chosen, torch.randn(5, 6), u),
        case("3 gaps", row, gaps, knows, torch.tensor([0.85, 0.02, 0.3])),
        case("1 gap", row, row == 2, torch.zeros(1, 7), torch.tensor([0.5])),
    ]


class Forgeries(NamedTuple):
    """What a training gave: the discriminator's loss of each step in nats, then three shares.

    Each share comes from the same text, which was not trained on, with other tokens in the gaps:
    drawn from the generator, its most likely ones, or any. Of one replaced and one original letter,
    how often does the discriminator find the replaced one more suspicious? A coin gets 0.5.
    """

    loss: list[float]
    drawn: float
    most_likely: float
    any_token: float


def suspects(scores, replaced):
    """How often a replaced letter has a higher score than an original one; ties count half."""
    values, times = scores[~replaced].unique(return_counts=True)
    below = torch.cat([times.new_zeros(1), times.cumsum(0)])  # originals below each value
    left = torch.searchsorted(values, scores[replaced])
    right = torch.searchsorted(values, scores[replaced], right=True)
    wins = (below[left] + below[right]) / 2
    return (wins.mean() / below[-1]).item()


def forgeries(forge, steps=200):
    """Train a small generator, and with this `forge` a discriminator, letter by letter.

    Returns Forgeries. The same code gives the same numbers; about two seconds on one CPU core.
    """
    n_letters = windows()[1]
    losses = []
    with seeded():
        generator, discriminator = Reader(n_letters, width=48, around=1), Reader(1, around=3)
        both = nn.ModuleDict({"generator": generator, "discriminator": discriminator})

        def loss(both, batch):
            ids, gaps = batch
            logits = both["generator"](ids.masked_fill(gaps, MASK))[gaps]  # (N, V)
            changed, replaced = forge(ids, gaps, logits.detach(), torch.rand(len(logits)))
            found = both["discriminator"](changed).squeeze(-1)  # (B, T)
            said = F.binary_cross_entropy_with_logits(found, replaced.float())
            losses.append(said.item())
            return F.cross_entropy(logits, ids[gaps]) + 10 * said

        fit(both, batches(), loss, steps=steps, lr=1e-2, device="cpu", progress=False)
        ids, gaps = held_out()
        with torch.no_grad():
            logits = generator(ids.masked_fill(gaps, MASK))[gaps]
            shares = []
            for fill_gaps in FILLINGS:
                changed, replaced = fill_gaps(ids, gaps, logits, torch.rand(len(logits)))
                shares.append(suspects(discriminator(changed).squeeze(-1), replaced))
    return Forgeries(losses, *shares)


FILLINGS = (forge, forge_most_likely, forge_any_token)  # those of the test


def example():
    """Ids, gaps, logits and u: each way to fill gives other tokens, and some restore the text."""
    generator = torch.Generator().manual_seed(11)
    ids = torch.randint(1, 6, (4, 8), generator=generator)
    chosen = torch.rand(4, 8, generator=generator) < 0.6
    n_gaps = int(chosen.sum())
    logits = 1.5 * torch.randn(n_gaps, 6, generator=generator)
    return ids, chosen, logits, torch.rand(n_gaps, generator=generator)


def made(filling, label):
    """What an answer with these choices gives for `example`."""
    ids, chosen, logits, u = example()
    p = logits.softmax(dim=-1)
    sums = p.cumsum(dim=-1)
    drawn = {
        "drawn": (sums <= u[:, None]).sum(dim=-1),
        "most likely": logits.argmax(dim=-1),
        "any": (u * 6).long(),
        "one before": ((sums <= u[:, None]).sum(dim=-1) - 1).clamp(min=0),
        "from above": 5 - (p.flip(-1).cumsum(dim=-1) <= u[:, None]).sum(dim=-1),
        "no softmax": (logits.cumsum(dim=-1) <= u[:, None]).sum(dim=-1),
        "below u": (p <= u[:, None]).sum(dim=-1),
        "above u": (p > u[:, None]).long().argmax(dim=-1),
    }[filling]
    changed = ids.masked_scatter(chosen, drawn)
    return changed, {
        "changed": changed != ids,
        "chosen": chosen,
        "same": changed == ids,
        "none": torch.zeros_like(chosen),
    }[label]


def others_stay(answer):
    """A token that is no gap has changed: the ids stay there."""
    ids, chosen, *_ = example()
    return bool((answer(*example())[0][~chosen] == ids[~chosen]).all())


def u_decides(answer):
    """What is drawn must depend on u alone: `torch.multinomial` has random numbers of its own."""
    ids, chosen, logits, u = example()
    one, other = (answer(ids, chosen, logits, x)[0] for x in (u / 100, 1 - u / 100))
    return bool((one != other).any())


def truth_values(answer):
    """replaced is True or False."""
    return answer(*example())[1].dtype is torch.bool


FORGER_CURVE = Symptom(
    id="8a.14",
    title="A discriminator that excels",
    level="medium",
    text="""
The pictures above show the training of a small ELECTRA on a play, letter by letter: with a sound
batch, and with batches made by code with one of these mistakes. In the first picture the
discriminator’s loss falls, as each training reports it. The second shows two tests on a text that
is new to it. Its gaps are filled by drawing from the generator, then with any letters. Of a
replaced and an original letter, how often does the discriminator suspect the replaced one more? A
coin would be right in half of the cases. Choose the letter, then repair `forge`.
""",
    hints=(
        "Compare each test with the sound batches. Where does the other one lose, and how much?",
        "In one of the tests it is worse than a coin: it trusts the replaced letters more. What "
        "were the replaced letters like that it learned from?",
        "`logits.softmax(dim=-1).cumsum(dim=-1)` has the sums, (N, V). At how many tokens is the "
        "sum not yet above u?",
    ),
    solution=forge,
    second_style=forge_one_by_one,
    mistakes=(forge_each_gap, forge_turned, forge_any_token, forge_most_likely),
    shown=forge_most_likely,
    looks=(
        "The loss would stay above the sound one, since it asks for what cannot be seen: a letter "
        "that is the right one, yet counts as replaced. In the tests the discriminator would be "
        "about as good as the sound one.",
        "The loss would be as low as the sound one, but in both tests the discriminator "
        "would be far worse than a coin: it marks what is genuine.",
        "The loss would be lower, as such letters are easily seen, and the second test would go "
        "far better than with sound batches.",
        "The loss would be lower, as a forger without chance is easily seen through. In the second "
        "test the discriminator would be worse than a coin: it trusts the letters that nobody "
        "expects.",
    ),
    cases=forge_cases,
    results=("ids", "replaced"),
    properties=(
        Property("The second result, `replaced`, must hold True and False.", truth_values),
        *composed(
            lambda answer: answer(*example()),
            made,
            {
                "Each gap gets the first token at which the sum is above u.": "drawn",
                "The gaps get the generator’s most likely token: u must decide.": "most likely",
                "Each token is equally likely in a gap: draw by the generator’s probabilities.": (
                    "any"
                ),
                "The gaps get the token before the right one: take the first at which the sum is "
                "above u.": "one before",
                "The sum begins with the last token: begin with token 0.": "from above",
                "It asks for a token whose own probability is above u: add the probabilities up, "
                "with `cumsum`.": "above u",
                "It counts the tokens whose own probability is below u: add the probabilities up "
                "first, with `cumsum`.": "below u",
                "It adds up logits: take their softmax first, u is meant for probabilities.": (
                    "no softmax"
                ),
            },
            {
                "It is True where another token stands.": "changed",
                "Every gap counts as replaced: one in which the token of the text was drawn does "
                "not.": "chosen",
                "The labels are the wrong way round: True is for another token than the text’s.": (
                    "same"
                ),
                "No token counts as replaced: compare with the ids before the change.": "none",
            },
            otherwise=(others_stay, u_decides),
        ),
    ),
    keeps_input=True,
    see="8aF ELECTRA: was it replaced?",
)
