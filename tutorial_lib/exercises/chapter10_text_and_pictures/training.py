"""Chapter 10: the whole training of a CLIP whose encoders stay as they are."""

import functools

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.exercises.chapter10_text_and_pictures.all_pairs import all_pairs
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case
from tutorial_lib.objectives import contrastive_loss


def train_head(head, log_scale, pictures, names, batches, optimizer):
    """Train a head for pictures by CLIP's loss; return the loss of each batch, before its step.

    head turns pictures (B, F) into vectors (B, D); pictures (N, F) and names (N, D) belong together
    row by row; batches: tensors of row numbers; optimizer: moves the numbers of head and log_scale.
    """
    losses = []
    for rows in batches:
        loss = contrastive_loss(all_pairs(head(pictures[rows]), names[rows], log_scale))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_head_autograd(head, log_scale, pictures, names, batches, optimizer):
    """Second style: the gradients are handed over by hand."""
    learned = [*head.parameters(), log_scale]
    found = torch.zeros(len(batches))
    for step, rows in enumerate(batches):
        vectors = F.normalize(head(pictures[rows]), dim=1)
        logits = log_scale.exp() * vectors @ F.normalize(names[rows], dim=1).T
        own = torch.arange(len(rows))
        loss = (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2
        for number, gradient in zip(learned, torch.autograd.grad(loss, learned), strict=True):
            number.grad = gradient
        optimizer.step()
        found[step] = loss.detach()
    return found


# The loop with slips ------------------------------------------------------------------------------


def own_names(names, rows):
    """The names of these rows."""
    return rows, names[rows]


def first_names(names, rows):
    """As many names from the top."""
    return rows, names[: len(rows)]


def reversed_names(names, rows):
    """The names in the other order."""
    return rows, names[rows.flip(0)]


def everything(names, rows):
    """All pairs, whatever the batch."""
    return torch.arange(len(names)), names


def both(logits):
    """CLIP's."""
    return contrastive_loss(logits)


def of_images(logits):
    """Each picture among the names."""
    return F.cross_entropy(logits, torch.arange(len(logits)))


def of_texts(logits):
    """Each name among the pictures."""
    return of_images(logits.T)


def added(logits):
    """Both, not halved."""
    return 2 * contrastive_loss(logits)


def step_as_it_should(optimizer, loss):
    """Clear, go back, step."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def step_that_piles_up(optimizer, loss):
    """Never cleared."""
    loss.backward()
    optimizer.step()


def step_left_out(optimizer, loss):
    """No step."""
    optimizer.zero_grad()
    loss.backward()


def step_cleared_between(optimizer, loss):
    """Nothing is left to step by."""
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()


def step_before_the_way_back(optimizer, loss):
    """Steps with the gradient of the batch before."""
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()


def step_uphill(optimizer, loss):
    """The loss grows."""
    optimizer.zero_grad()
    (-loss).backward()
    optimizer.step()


def looped(
    head,
    log_scale,
    pictures,
    names,
    batches,
    optimizer,
    which=own_names,
    loss_of=both,
    step=step_as_it_should,
    scale="learned",
    said="before",
):
    """The loop with slips."""
    losses = []

    def loss_now(rows):
        rows, texts = which(names, rows)
        factor = log_scale if scale == "learned" else log_scale.detach()
        if scale == "none":
            factor = torch.zeros(())
        elif scale == "exp twice":
            factor = log_scale.exp()
        return loss_of(all_pairs(head(pictures[rows]), texts, factor))

    for rows in batches:
        loss = loss_now(rows)
        step(optimizer, loss)
        losses.append((loss if said == "before" else loss_now(rows)).item())
    return losses


def train_head_piled_up(*args):
    """The gradients are never cleared: each step moves by the sum of all batches so far. Begin with
    `optimizer.zero_grad()`.
    """
    return looped(*args, step=step_that_piles_up)


def train_head_no_step(*args):
    """Nothing moves: `optimizer.step()` comes after `backward`."""
    return looped(*args, step=step_left_out)


def train_head_cleared_between(*args):
    """The gradients are cleared between `backward` and `step`, so nothing moves: clear them before
    `backward`.
    """
    return looped(*args, step=step_cleared_between)


def train_head_one_late(*args):
    """The step comes before `backward`, so it moves by the gradient of the batch before: first
    `backward`, then `step`.
    """
    return looped(*args, step=step_before_the_way_back)


def train_head_uphill(*args):
    """This climbs: the loss should fall, so `loss.backward()` without a minus."""
    return looped(*args, step=step_uphill)


def train_head_first_names(*args):
    """The pictures of a batch meet the first names of all: the names of the same rows belong to
    them, `names[rows]`.
    """
    return looped(*args, which=first_names)


def train_head_all_rows(*args):
    """Each step takes all pairs: only the rows of its batch are compared."""
    return looped(*args, which=everything)


def train_head_images_alone(*args):
    """Only the pictures choose among the names: `contrastive_loss` asks both ways."""
    return looped(*args, loss_of=of_images)


def train_head_texts_alone(*args):
    """Only the names choose among the pictures: `contrastive_loss` asks both ways."""
    return looped(*args, loss_of=of_texts)


def train_head_scale_stays(*args):
    """The scale gets no gradient and stays where it began: it is learned, so hand `log_scale` over
    as it is, without `detach` or `item`.
    """
    return looped(*args, scale="stays")


def train_head_no_scale(*args):
    """The cosines are not multiplied by exp(log_scale): give it to `all_pairs`."""
    return looped(*args, scale="none")


def train_head_exp_twice(*args):
    """The exp is taken twice: `all_pairs` takes it already, so hand over `log_scale`."""
    return looped(*args, scale="exp twice")


def train_head_one_step(head, log_scale, pictures, names, batches, optimizer):
    """The optimizer makes one step at the very end, from the gradients of all batches: each batch
    makes a step of its own, in the loop.
    """
    args = head, log_scale, pictures, names, batches, optimizer
    losses = looped(*args, step=lambda optimizer, loss: loss.backward())
    optimizer.step()
    return losses


def train_head_loss_after(*args):
    """The losses are taken after the step: the loss of a batch that the head has not learned from
    yet is asked for.
    """
    return looped(*args, said="after")


def train_head_last_loss(*args):
    """Only the last loss is returned: one for each batch, in a list."""
    return looped(*args)[-1:]


def train_head_mean_loss(*args):
    """This returns the mean of the losses: one for each batch, in a list."""
    losses = looped(*args)
    return sum(losses) / len(losses)


def train_head_first_batch(head, log_scale, pictures, names, batches, optimizer):
    """This stops after the first batch: return after the loop, not in it."""
    return looped(head, log_scale, pictures, names, batches[:1], optimizer)


# The checks ---------------------------------------------------------------------------------------


def run(answer, weight, log_scale, pictures, names, batches):
    """Train a fresh head with the answer; return losses, its matrix, the scale, how many steps."""
    head = nn.Linear(weight.size(1), weight.size(0), bias=False)
    with torch.no_grad():
        head.weight.copy_(weight)
    log_scale = nn.Parameter(log_scale.clone())
    optimizer = torch.optim.SGD([*head.parameters(), log_scale], lr=0.3)
    steps = []
    optimizer.register_step_post_hook(lambda *_: steps.append(1))
    losses = answer(head, log_scale, pictures, names, batches, optimizer)
    if isinstance(losses, list | tuple):
        losses = torch.stack([torch.as_tensor(loss).detach().float() for loss in losses])
    n_steps = torch.tensor([float(len(steps))])
    return losses, head.weight.detach(), log_scale.detach(), n_steps


def train_head_cases():
    """Batches of three sizes, some rows twice, one batch alone."""
    found = []
    for label, n, width, joint, sizes in (
        ("3 batches of 4", 12, 5, 4, (4, 4, 4)),
        ("2 batches of different sizes", 9, 3, 6, (5, 3)),
        ("one batch", 6, 4, 4, (6,)),
        ("many small batches", 8, 4, 3, (2,) * 6),
    ):
        batches = [torch.randperm(n)[:size] for size in sizes]
        found.append(
            case(
                label,
                torch.randn(joint, width),
                torch.tensor(1.2),
                torch.randn(n, width),
                torch.randn(n, joint),
                batches,
            )
        )
    return found


@functools.cache
def example():
    """Ten pairs in three batches."""
    generator = torch.Generator().manual_seed(8)
    weight, pictures, names = (
        torch.randn(*shape, generator=generator) for shape in ((4, 5), (10, 5), (10, 4))
    )
    batches = [torch.tensor(rows) for rows in ([7, 2, 9, 4], [1, 0, 5], [8, 3, 6, 2, 0])]
    return weight, torch.tensor(1.5), pictures, names, batches


def together(found):
    """Losses, matrix, scale and steps as one row of numbers."""
    return torch.cat([part.flatten() for part in found])


def one_loss_a_batch(answer):
    """A list with the loss of each of three batches."""
    losses = answer(*example())[0]
    if losses is None:
        return "Nothing is returned: the loss of each batch, in a list."
    n = losses.numel() if isinstance(losses, torch.Tensor) else 1
    return n == 3 or f"From 3 batches it returns {n} {'loss' if n == 1 else 'losses'}."


@functools.lru_cache(maxsize=1)
def read(answer):
    """What the example comes to."""
    return together(answer(*example()))


@functools.cache
def with_slips(*choices):
    """The same with a choice for each of the rules below."""
    return together(run(lambda *args: looped(*args, *choices), *example()))


def the_optimizer_steps(answer):
    """The `optimizer` that is handed over makes no step: use it, and make no new one."""
    return bool(answer(*example())[3] > 0)


def something_is_learned(answer):
    """The head is as before: nothing has moved it."""
    return not torch.equal(answer(*example())[1], example()[0])


def the_scale_is_learned(answer):
    """The scale is as before: it is learned with the head."""
    return not torch.equal(answer(*example())[2], example()[1])


def the_first_loss_is_right(answer):
    """The first loss is not that of the untrained head on the first batch."""
    losses = answer(*example())[0]
    if one_loss_a_batch(answer) is not True:
        return None
    right = run(train_head, *example())[0]
    return torch.allclose(losses.flatten()[:1].float(), right[:1], atol=1e-3)


TRAIN_HEAD = Write(
    id="10.4",
    title="The whole training",
    level="medium",
    text="""
Write the loop that trains a CLIP: `train_head(head, log_scale, pictures, names, batches,
optimizer)`. Row i of `pictures` (N, F) belongs to row i of `names` (N, D). `head` turns pictures
into vectors of the names’ width, and `log_scale` is the scale of 10.1; both learn, and `optimizer`
holds both. `batches` is a list of tensors with row numbers. Each batch gives the optimizer one step
down CLIP’s loss, **from this batch’s gradient alone**. Your `all_pairs` and `contrastive_loss` are
there. Return a list of floats: the loss of each batch, before its step.
""",
    hints=(
        "The inside of the loop is five lines. The first takes `pictures[rows]` and `names[rows]`.",
        "Gradients add up in PyTorch until someone clears them. Which three calls make a step?",
        "`optimizer.zero_grad()`, `loss.backward()`, `optimizer.step()`, and `loss.item()` for the "
        "list.",
    ),
    solution=train_head,
    second_style=train_head_autograd,
    mistakes=(
        train_head_piled_up,
        train_head_no_step,
        train_head_cleared_between,
        train_head_one_late,
        train_head_uphill,
        train_head_first_names,
        train_head_all_rows,
        train_head_images_alone,
        train_head_texts_alone,
        train_head_scale_stays,
        train_head_no_scale,
        train_head_exp_twice,
        train_head_one_step,
        train_head_loss_after,
        train_head_last_loss,
        train_head_mean_loss,
        train_head_first_batch,
    ),
    cases=train_head_cases,
    run=run,
    results=("losses", "matrix of the head", "log_scale", "steps of the optimizer"),
    properties=(
        Property("There is a loss for each batch.", one_loss_a_batch),
        *composed(
            read,
            with_slips,
            {
                "The names of a batch are those of its rows.": own_names,
                "The pictures of a batch meet the first names of all: take names[rows].": (
                    first_names
                ),
                "The names of a batch come in another order than its pictures.": reversed_names,
                "Each step takes all pairs: only those of its batch.": everything,
            },
            {
                "The loss is contrastive_loss.": both,
                "Only the pictures choose: contrastive_loss asks both ways.": of_images,
                "Only the names choose: contrastive_loss asks both ways.": of_texts,
                "The loss is twice as large as contrastive_loss: the mean of both ways.": added,
            },
            {
                "Clear the gradients, go back, step.": step_as_it_should,
                "The gradients are never cleared: zero_grad before backward.": step_that_piles_up,
                "Nothing moves: optimizer.step() comes right after backward.": step_left_out,
                "The gradients are cleared between backward and step: nothing moves.": (
                    step_cleared_between
                ),
                "The step comes before backward: it moves by the batch before.": (
                    step_before_the_way_back
                ),
                "The loss is made larger: go back from the loss, without a minus.": step_uphill,
            },
            {
                "The scale is learned.": "learned",
                "The scale is not learned: give log_scale as it is.": "stays",
                "The cosines are not multiplied by exp(log_scale).": "none",
                "The exp is taken twice: all_pairs takes it, so hand over log_scale.": "exp twice",
            },
            {
                "The losses are those before the steps.": "before",
                "The losses are those after the steps: before is asked for.": "after",
            },
            otherwise=(
                the_optimizer_steps,
                something_is_learned,
                the_scale_is_learned,
                the_first_loss_is_right,
            ),
        ),
    ),
)
