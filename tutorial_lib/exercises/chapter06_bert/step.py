"""Chapter 06: one step of pre-training, from the damaged batch to the changed weights."""

import copy
import functools

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case
from tutorial_lib.models import BERT, BERTConfig


def pretraining_step(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """Take one step of the optimizer on both losses; return the two as numbers.

    inputs, segments (B, T): what the model reads; mask (B, T): True at real tokens, False at
    padding. ids (B, T): the text as it was; chosen (B, T): True at the tokens asked for.
    is_next (B,): True where the second sentence follows the first.
    """
    hidden = model(inputs, segments, mask)  # (B, T, D)
    of_words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])  # (N, V), (N,)
    of_pairs = F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())  # (B, 2), (B,)
    optimizer.zero_grad()
    (of_words + of_pairs).backward()
    optimizer.step()
    return of_words.item(), of_pairs.item()


def pretraining_step_labels(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """Second style."""
    optimizer.zero_grad()
    hidden = model(inputs, segments, mask)
    labels = torch.where(chosen, ids, -100)
    words = F.cross_entropy(model.mlm_logits(hidden).flatten(0, 1), labels.flatten())
    log_p = model.nsp_logits(hidden).log_softmax(dim=-1)
    pairs = -torch.where(is_next, log_p[:, 0], log_p[:, 1]).mean()
    words.backward(retain_graph=True)
    pairs.backward()
    optimizer.step()
    return words.item(), pairs.item()


def two_losses(model, inputs, segments, mask, ids, chosen, is_next):
    """The losses of the words and of the pairs."""
    hidden = model(inputs, segments, mask)
    of_words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
    return of_words, F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())


def learn(optimizer, loss):
    """Change the weights by a loss."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def pretraining_step_kept(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This adds the gradients of the steps before: set them to zero once a step,
    `optimizer.zero_grad()`.
    """
    of_words, of_pairs = two_losses(model, inputs, segments, mask, ids, chosen, is_next)
    (of_words + of_pairs).backward()
    optimizer.step()
    return of_words.item(), of_pairs.item()


def pretraining_step_erased(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """No weight changes: `optimizer.step()` comes after `backward()`, with no `zero_grad()` between
    the two.
    """
    of_words, of_pairs = two_losses(model, inputs, segments, mask, ids, chosen, is_next)
    (of_words + of_pairs).backward()
    optimizer.zero_grad()
    optimizer.step()
    return of_words.item(), of_pairs.item()


def pretraining_step_words(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This learns from the words alone: the loss is the sum of both."""
    of_words, of_pairs = two_losses(model, inputs, segments, mask, ids, chosen, is_next)
    learn(optimizer, of_words)
    return of_words.item(), of_pairs.item()


def pretraining_step_mean(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This learns from the mean of the two losses: BERT adds them."""
    of_words, of_pairs = two_losses(model, inputs, segments, mask, ids, chosen, is_next)
    learn(optimizer, (of_words + of_pairs) / 2)
    return of_words.item(), of_pairs.item()


def pretraining_step_swapped(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This exchanges the two classes of the pairs: class 0 says that the sentence follows."""
    of_words, of_pairs = two_losses(model, inputs, segments, mask, ids, chosen, ~is_next)
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_seen(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This lets the model read `ids`, the text with the answers in it: it reads `inputs`."""
    of_words, of_pairs = two_losses(model, ids, segments, mask, ids, chosen, is_next)
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_everywhere(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This asks for the token at every position: only the chosen ones count."""
    of_words, of_pairs = two_losses(model, inputs, segments, mask, ids, mask, is_next)
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_damaged(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This asks for the tokens in `inputs`, mostly [MASK]: ask for those in `ids`."""
    of_words, of_pairs = two_losses(model, inputs, segments, mask, inputs, chosen, is_next)
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_one_sentence(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This does not tell the model which sentence a token is of: hand it `segments`, too."""
    of_words, of_pairs = two_losses(model, inputs, None, mask, ids, chosen, is_next)
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_unmasked(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This lets the model read the padding as if it were text: hand it `mask`, too."""
    of_words, of_pairs = two_losses(model, inputs, segments, None, ids, chosen, is_next)
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_detached(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This cuts the gradient of the pairs off below their head: it must reach the layers, too."""
    hidden = model(inputs, segments, mask)
    of_words = F.cross_entropy(model.mlm_logits(hidden[chosen]), ids[chosen])
    of_pairs = F.cross_entropy(model.nsp_logits(hidden.detach()), (~is_next).long())
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


def pretraining_step_words_detached(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
    """This cuts the gradient of the words off below their head: it must reach the layers, too."""
    hidden = model(inputs, segments, mask)
    of_words = F.cross_entropy(model.mlm_logits(hidden[chosen].detach()), ids[chosen])
    of_pairs = F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())
    learn(optimizer, of_words + of_pairs)
    return of_words.item(), of_pairs.item()


MASK = 3


@functools.lru_cache
def tiny(seed=0):
    """A small BERT with both heads, untrained."""
    sizes = {"vocab_size": 12, "context": 8, "d_model": 8, "n_layers": 1, "n_heads": 2}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = BERT(BERTConfig(pooler=True, mlm=True, nsp=True, **sizes))
        for weight in model.parameters():
            torch.nn.init.normal_(weight, std=0.4)
    return model


def batch(places, follows):
    """inputs, segments, mask, ids, chosen, is_next of three pairs; every second place is [MASK].

    The second pair is two tokens shorter.
    """
    numbers = torch.arange(24).view(3, 8)
    mask = ~torch.isin(numbers, torch.tensor([14, 15]))
    ids = (4 + (5 * numbers + numbers // 8) % 8).masked_fill(~mask, 0)
    chosen = torch.isin(numbers, torch.tensor(places))
    hidden = torch.isin(numbers, torch.tensor(places[::2]))
    segments = (torch.arange(8) > 4).long() * mask
    return ids.masked_fill(hidden, MASK), segments, mask, ids, chosen, torch.tensor(follows)


FIRST = batch([2, 6, 9, 12, 13], [True, False, True])
SECOND = batch([1, 3, 11, 18, 22, 23], [False, False, True])


def run_steps(answer, *batches):
    """Train a copy of a small model on the batches; the losses of each step, then its weights."""
    model = copy.deepcopy(tiny())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for one in batches:
        of_words, of_pairs = answer(model, optimizer, *(x.clone() for x in one))
        losses.append((of_words, of_pairs))
    losses = [[float(torch.as_tensor(loss).detach()) for loss in pair] for pair in losses]
    weights = torch.cat([weight.detach().flatten() for weight in model.parameters()])
    return torch.tensor(losses), weights


def step_cases():
    """One step; two, of which the second shows what the first left behind."""
    return [case("one step", FIRST), case("two steps", FIRST, SECOND)]


def moved(answer, *batches):
    """How far each weight moves, by name, in steps on the batches."""
    _, weights = answer(*batches)
    before = dict(tiny().named_parameters())
    parts = weights.split([weight.numel() for weight in before.values()])
    return {
        name: after - before[name].detach().flatten()
        for name, after in zip(before, parts, strict=True)
    }


OTHERS = 4 + (FIRST[3] - 3) % 8  # another token than each of ids
OTHER_WORDS = (*FIRST[:3], torch.where(FIRST[4], OTHERS, FIRST[3]), *FIRST[4:])
OTHER_PAIRS = (*FIRST[:5], ~FIRST[5])


def weights_move(answer):
    """A step changes something."""
    return any(change.abs().max() > 0 for change in moved(answer, FIRST).values())


def words_teach(answer):
    """The head of the words moves."""
    if weights_move(answer) is not True:
        return None
    return bool(moved(answer, FIRST)["mlm_head.bias"].abs().max() > 0)


def pairs_teach(answer):
    """The head of the pairs moves."""
    if weights_move(answer) is not True:
        return None
    return bool(moved(answer, FIRST)["nsp_head.bias"].abs().max() > 0)


def _layers_move_alike(answer, one, other):
    """Whether the layers below the heads move in the same way in a step on either batch."""
    first, second = moved(answer, one), moved(answer, other)
    below = [name for name in first if name.startswith("blocks.")]
    return all(torch.allclose(first[name], second[name], atol=1e-7) for name in below)


def words_reach_the_layers(answer):
    """Other answers for the words move the layers in another way, if they cost another loss."""
    if words_teach(answer) is not True:
        return None
    costs = [losses_of(answer, one)[0, 0] for one in (FIRST, OTHER_WORDS)]
    return None if torch.isclose(*costs) else not _layers_move_alike(answer, FIRST, OTHER_WORDS)


def pairs_reach_the_layers(answer):
    """Other answers for the pairs move the layers in another way, if they cost another loss."""
    if pairs_teach(answer) is not True or not pairs_are_told_apart(answer):
        return None
    return not _layers_move_alike(answer, FIRST, OTHER_PAIRS)


def pairs_are_told_apart(answer):
    """Other answers for the pairs cost another loss."""
    costs = [losses_of(answer, one)[0, 1] for one in (FIRST, OTHER_PAIRS)]
    return not torch.isclose(*costs)


def right_class(answer):
    """A pair that follows makes class 0 likelier."""
    if pairs_teach(answer) is not True:
        return None
    follows = (*FIRST[:5], torch.tensor([True, True, True]))
    change = moved(answer, follows)["nsp_head.bias"]
    return bool(change[0] > change[1])


def losses_of(answer, *batches):
    """The losses that it returns, one (words, pairs) a step."""
    return answer(*batches)[0]


def segments_are_read(answer):
    """Other segments give another loss."""
    other = (FIRST[0], (1 - FIRST[1]) * FIRST[2], *FIRST[2:])
    return not torch.allclose(losses_of(answer, FIRST), losses_of(answer, other), atol=1e-6)


def padding_is_not_read(answer):
    """Another token in the padding of `inputs` changes no loss."""
    other = (torch.where(FIRST[2], FIRST[0], 5), *FIRST[1:])
    return torch.allclose(losses_of(answer, FIRST), losses_of(answer, other), atol=1e-6)


def answers_are_hidden(answer):
    """What the model does not read does not change the loss of the pairs."""
    first, second = (losses_of(answer, one)[0, 1] for one in (FIRST, OTHER_WORDS))
    return bool((first - second).abs() < 1e-6)


def only_the_chosen_count(answer):
    """Another token where nothing was asked, in `ids` alone, costs nothing."""
    if answers_are_hidden(answer) is not True:
        return None
    ids = torch.where(FIRST[4] | ~FIRST[2], FIRST[3], OTHERS)
    other = (*FIRST[:3], ids, *FIRST[4:])
    first, second = (losses_of(answer, one)[0, 0] for one in (FIRST, other))
    return bool((first - second).abs() < 1e-6)


PRETRAINING_STEP = Write(
    id="6.6",
    title="The whole step",
    level="medium",
    text="""
Write `pretraining_step(model, optimizer, inputs, segments, mask, ids, chosen, is_next)`, one step
of the training of **your BERT**: the optimizer takes **one** step on the sum of both losses.

- **It reads** the damaged text `inputs`, its `segments` and its padding `mask` (B, T), True at real
  tokens: `model(inputs, segments, mask)` gives hidden states (B, T, D).
- **Its heads:** `model.mlm_logits(hidden)` gives logits (..., V) for any hidden states (..., D).
  `model.nsp_logits(hidden)` gives logits (B, 2), class 0 for “it follows”.
- **The answers:** `ids` (B, T) is the text as it was, and only its `chosen` tokens (B, T) are asked
  for. `is_next` (B,) is True where the second sentence follows.

Each loss is a mean, over all chosen tokens or over all pairs of the batch. Gradients left over from
an earlier step must not count. Return both as plain numbers, the loss of the words first.
""",
    hints=(
        "Five lines of work: read, loss of the words, loss of the pairs, gradients, step.",
        "`hidden[chosen]` is (N, D), so `model.mlm_logits(hidden[chosen])` is (N, V). Which tokens "
        "belong to it?",
        "`F.cross_entropy(model.nsp_logits(hidden), labels)` wants whole numbers: 0 where "
        "`is_next` is True, so `(~is_next).long()`.",
        "`optimizer.zero_grad()`, then `backward()` on the sum, then `optimizer.step()`; "
        "`loss.item()` is a plain number.",
    ),
    solution=pretraining_step,
    second_style=pretraining_step_labels,
    mistakes=(
        pretraining_step_kept,
        pretraining_step_erased,
        pretraining_step_words,
        pretraining_step_mean,
        pretraining_step_swapped,
        pretraining_step_seen,
        pretraining_step_everywhere,
        pretraining_step_damaged,
        pretraining_step_one_sentence,
        pretraining_step_unmasked,
        pretraining_step_detached,
        pretraining_step_words_detached,
    ),
    cases=step_cases,
    run=run_steps,
    results=("losses of each step", "weights afterwards"),
    properties=(
        Property("No weight changes: `optimizer.step()` comes after `backward()`.", weights_move),
        Property(
            "It does not learn from the words: their loss is missing in the sum.", words_teach
        ),
        Property(
            "It does not learn from the pairs: their loss is missing in the sum.", pairs_teach
        ),
        Property("It makes no use of `is_next`: it says which pairs follow.", pairs_are_told_apart),
        Property(
            "The loss of the words does not reach the layers: it stops at their head.",
            words_reach_the_layers,
        ),
        Property(
            "The loss of the pairs does not reach the layers: it stops at their head.",
            pairs_reach_the_layers,
        ),
        Property(
            "It exchanges the two classes of the pairs: class 0 says that the sentence follows.",
            right_class,
        ),
        Property("It makes no use of `segments`: hand them to the model.", segments_are_read),
        Property("It reads the padding: hand `mask` to the model.", padding_is_not_read),
        Property(
            "It lets the model read the answers: `inputs` is what it reads.", answers_are_hidden
        ),
        Property(
            "It asks for tokens that were not chosen: only the chosen ones count.",
            only_the_chosen_count,
        ),
    ),
    keeps_input=False,
    see="6E Two tasks at once",
)
