"""One training loop for every model of the course.

Read `update` first: it is the step. `repeat` takes it batch after batch, and `fit` puts around
the two what a long training needs. The guards are in `guards`, the batches' way to the model in
`batches`, the file a run resumes from in `resume`, Ctrl-C in `interrupts`.
"""

import itertools
import math
import os
import time
from contextlib import suppress
from functools import partial

import torch
from torch import nn
from tqdm.auto import tqdm

from tutorial_lib.files import check_writable
from tutorial_lib.training.batches import endless, to_device
from tutorial_lib.training.devices import get_device, set_seed
from tutorial_lib.training.guards import (
    check_finite,
    check_scalar,
    evaluated,
    stopping,
    training_mode,
)
from tutorial_lib.training.history import History
from tutorial_lib.training.interrupts import held_back, uninterrupted, whole_only
from tutorial_lib.training.randomness import own_stream, random_state
from tutorial_lib.training.resume import load_run, save_run
from tutorial_lib.training.schedules import set_learning_rate, warmup_cosine

# The types of device on which fit compiles and computes in bfloat16. Apple's mps is not among
# them: nobody has tried it there.
GPUS = ("cuda",)


def update(model, batch, loss, optimizer, clip, check):
    """Take one training step on a batch; return the loss before it and the gradient's norm.

    loss(model, batch) is a scalar tensor; clip is the largest norm that the gradient may have;
    check(loss, norm) raises where these numbers must not reach the weights.
    """
    value = loss(model, batch)  # forward: how wrong is the model on this batch?
    value.backward()  # backward: which way, and how much, does each weight change that?
    norm = nn.utils.clip_grad_norm_(model.parameters(), clip)  # clip: no wild steps
    check(value.item(), norm.item())
    optimizer.step()  # step: move each weight a little against its gradient
    optimizer.zero_grad()  # or the next backward would add to these gradients
    return value.item(), norm.item()


def repeat(model, numbered_batches, loss, optimizer, clip, rate, history, after_step):
    """Update the model with batch after batch, until they end or after_step() says stop.

    numbered_batches: pairs (step, batch); rate(step) is the learning rate.
    """
    for step, batch in numbered_batches:
        learning_rate = rate(step)
        set_learning_rate(optimizer, learning_rate)
        check = partial(check_finite, step=step, lr=learning_rate, history=history)
        value, norm = update(model, batch, loss, optimizer, clip, check)
        history.record(value, learning_rate, norm)
        if after_step():
            break


def fit(
    model,
    batches,
    loss,
    *,
    steps,
    lr=3e-3,
    warmup=None,
    weight_decay=0.01,
    betas=(0.9, 0.98),
    clip=1.0,
    optimizer=None,
    evaluate=None,
    evaluate_every=100,
    stop=None,
    seed=0,
    device=None,
    mixed_precision=True,
    compile=False,
    checkpoint=None,
    checkpoint_every=None,
    progress=True,
):
    """Train `model` for `steps` steps with AdamW and return the `History`.

    model: put in training mode, with all its parts: one that you froze with .eval() too, so freeze
        with requires_grad_(False). Afterwards each part has the mode in which it came.
    batches: an iterable of batches (tensors, or tuples, lists, dicts of them); one that ends is
        started again. What it draws with PyTorch comes from a stream of its own.
    loss(model, batch): a scalar tensor.
    lr: the peak of a warm-up (`warmup` steps, 5 % by default) and cosine, or a function from the
        step, counted from 1, to the learning rate.
    clip: the gradient's norm is cut to this; None leaves it.
    optimizer: a function from the model to another optimizer than AdamW, `muon.Muon` for instance;
        weight_decay and betas are then its own business.
    evaluate(model): called every `evaluate_every` steps and at the end, in evaluation mode and
        without gradients; returns a number or a dict of numbers. PyTorch's random numbers, those
        of the CPU and of `device`, are set back afterwards, so that it cannot change the training.
    stop: ends the run early: after so many seconds, or after the first step for which
        stop(history) is true.
    seed: set before the first step, so that the same call on the same model and batches gives the
        same weights.
    mixed_precision: bfloat16 on a CUDA GPU that computes in it; all others work in float32.
    compile: hand the loss the model from torch.compile, on a CUDA GPU only. It speeds up
        model(...); a loss that calls the model's parts instead (masked_patch_loss) gains nothing.
    checkpoint: a file that the run is saved to every `checkpoint_every` steps (by default at the
        end), and resumed from if it exists. A resumed run passes over the batches already seen
        and ends with the same weights as an uninterrupted one.

    Ctrl-C, or the stop button of a notebook, ends the run after the step that it is in: model and
    history stay usable, so does the checkpoint, and history.stopped is "interrupted". A second
    press does not wait for the end of the step; a run resumed after that may differ by that step.
    (Within `all_or_nothing` it raises KeyboardInterrupt instead.)
    Raises NonFiniteLossError, with the step, learning rate and gradient norm, before a loss that
    is not finite can reach the weights; ShapeError for a loss that is not one number; ValueError
    for arguments that make no run, or that are not those of the run in `checkpoint`; OSError,
    before the first step, when `checkpoint` cannot be written.

    AdamW: Loshchilov and Hutter (2019). Weight decay leaves out vectors (biases, norms).

    >>> model = torch.nn.Linear(1, 1)
    >>> batch = torch.tensor([[1.0], [2.0]])
    >>> error = lambda model, x: ((model(x) - 3 * x) ** 2).mean()
    >>> fit(model, [batch], error, steps=300, lr=0.1, progress=False)
    History(300 steps, last loss 0.000, finished)
    """
    if steps < 1 or evaluate_every < 1:
        raise ValueError(
            f"steps and evaluate_every must be at least 1, got {steps} and {evaluate_every}"
        )
    device = torch.device(device) if device is not None else get_device()
    model.to(device)
    rate = lr if callable(lr) else _warmup_cosine(lr, steps, warmup)
    # The first optimizer of a program imports much of PyTorch; an import cut short stays broken.
    with uninterrupted():
        optimizer = optimizer(model) if optimizer else _adamw(model, weight_decay, betas, device)
    # The loss calls `forward`; files, evaluation and the caller have the model itself. Training
    # in several processes would wrap the model here.
    forward = torch.compile(model) if compile and device.type in GPUS else model
    loss = _prepared(loss, device, mixed_precision)
    clip = math.inf if clip is None else clip

    set_seed(seed)
    # The batches draw apart from dropout, so that a resumed run gets the same ones without it.
    own_batches = own_stream(endless(batches), random_state(device), device)
    history = History()
    if checkpoint is not None:
        check_writable(checkpoint)
        if os.path.exists(checkpoint):
            history = load_run(checkpoint, model, optimizer, steps)
    done, seconds_before, started = len(history.loss), history.seconds, time.perf_counter()
    enough = stopping(stop)

    def measure():
        step = len(history.loss)
        if evaluate is not None and step not in [row["step"] for row in history.evaluations[-1:]]:
            history.evaluations.append({"step": step, **evaluated(model, evaluate, device)})

    def save():
        save_run(checkpoint, model, optimizer, history, steps)

    def after_step():
        step = len(history.loss)
        history.seconds = seconds_before + time.perf_counter() - started
        if step % evaluate_every == 0:
            measure()
        if checkpoint is not None and checkpoint_every and step % checkpoint_every == 0:
            save()
        _show(bar, history, steps)
        return enough(history)

    bar = tqdm(total=steps, initial=done, disable=not progress, desc="training")
    with bar, held_back() as ctrl_c:
        try:
            with training_mode(model, optimizer):
                unseen = _unseen(own_batches, done, steps, ctrl_c)
                repeat(forward, unseen, loss, optimizer, clip, rate, history, after_step)
                if not ctrl_c.pressed:
                    measure()
        except KeyboardInterrupt:  # a second press
            ctrl_c.pressed = True
        history.stopped = "finished" if len(history.loss) == steps else "stopped"
        if ctrl_c.pressed:
            history.stopped = "interrupted"
        if checkpoint is not None:
            # Counted anew: who pressed to end the training still wants its file.
            with held_back() as late, suppress(KeyboardInterrupt):
                save()
            if late.pressed:
                history.stopped = "interrupted"
    if history.stopped == "interrupted" and whole_only():
        raise KeyboardInterrupt
    return history


def _warmup_cosine(peak, steps, warmup):
    warmup = max(1, steps // 20) if warmup is None else warmup
    return partial(warmup_cosine, steps=steps, peak=peak, warmup=warmup)


def _adamw(model, weight_decay, betas, device):
    trained = [p for p in model.parameters() if p.requires_grad]
    if not trained:
        raise ValueError("the model has no parameter that requires a gradient")
    groups = [
        {"params": [p for p in trained if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
    ]
    # PyTorch offers the fused step for mps too, but nobody has tried it there.
    fused = device.type != "mps"
    return torch.optim.AdamW([g for g in groups if g["params"]], betas=betas, fused=fused)


def _prepared(loss, device, mixed_precision):
    """Return the loss for batches that lie anywhere, in the precision that suits the device."""
    # A GPU without bfloat16 can emulate it (a T4 does): that saves no time.
    has_bfloat16 = device.type in GPUS and torch.cuda.is_bf16_supported(including_emulation=False)
    low_precision = mixed_precision and has_bfloat16

    def prepared(model, batch):
        with torch.autocast(device.type, torch.bfloat16, enabled=low_precision):
            value = loss(model, to_device(batch, device))
        check_scalar(value)
        return value

    return prepared


def _unseen(batches, done, steps, ctrl_c):
    """Yield (step, batch) for the steps that are left, until Ctrl-C is pressed."""
    for step, batch in enumerate(itertools.islice(batches, steps), start=1):
        if ctrl_c.pressed:
            return
        if step > done:
            yield step, batch


def _show(bar, history, steps):
    bar.update()
    if len(history.loss) % 10 == 0 or len(history.loss) == steps:
        recent = history.loss[-10:]
        bar.set_postfix(loss=f"{sum(recent) / len(recent):.3f}", refresh=False)
