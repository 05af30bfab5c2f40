"""One training loop for every model of the course, and the history it leaves.

Seeds and devices stand in `devices`, learning rates in `schedules`, the record of a run in
`history`, the files that a run resumes from in `resume`, what a run and its batches draw by chance
in `randomness`, Ctrl-C in `interrupts`.
"""

import itertools
import math
import os
import time
from functools import partial

import torch
from tqdm.auto import tqdm

from tutorial_lib.errors import ShapeError
from tutorial_lib.training.devices import get_device, set_seed
from tutorial_lib.training.history import History, NonFiniteLossError
from tutorial_lib.training.interrupts import uninterrupted
from tutorial_lib.training.randomness import own_stream, random_state, untouched
from tutorial_lib.training.resume import load_run, save_run
from tutorial_lib.training.schedules import warmup_cosine, warmup_inverse_root

__all__ = [
    "History",
    "NonFiniteLossError",
    "fit",
    "get_device",
    "set_seed",
    "warmup_cosine",
    "warmup_inverse_root",
]

# The types of device on which fit compiles and computes in bfloat16. Apple's mps is not among
# them: nobody has tried it there.
GPUS = ("cuda",)


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
    seed: set before the first step, so that the same call on the same model and batches gives the
        same weights.
    mixed_precision: bfloat16 on a CUDA GPU that computes in it; all others work in float32.
    compile: hand the loss the model from torch.compile, on a CUDA GPU only. It speeds up
        model(...); a loss that calls the model's parts instead (masked_patch_loss) gains nothing.
    checkpoint: a file that the run is saved to every `checkpoint_every` steps (by default at the
        end), and resumed from if it exists. A resumed run passes over the batches already seen
        and ends with the same weights as an uninterrupted one.

    Ctrl-C, or the stop button of a notebook, ends the run after the step that it is in: model and
    history stay usable, and so does the checkpoint. A second press does not wait for the end of
    the step; a run resumed after that may differ by that step.
    Raises NonFiniteLossError, with the step, learning rate and gradient norm, before a loss that
    is not finite can reach the weights; ShapeError for a loss that is not one number; ValueError
    for arguments that make no run.

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
    on_gpu = device.type in GPUS
    modes = {module: module.training for module in model.modules()}
    model.to(device)
    rate = lr
    if not callable(lr):
        warmup = max(1, steps // 20) if warmup is None else warmup
        rate = partial(warmup_cosine, steps=steps, peak=lr, warmup=warmup)
    # The first optimizer of a program imports much of PyTorch; an import cut short stays broken.
    with uninterrupted():
        if optimizer is None:
            # PyTorch offers the fused step for mps too, but nobody has tried it there.
            optimizer = _adamw(model, weight_decay, betas, fused=device.type != "mps")
        else:
            optimizer = optimizer(model)
    forward = torch.compile(model) if compile and on_gpu else model
    # A GPU without bfloat16 can emulate it (a T4 does): that saves no time.
    has_bfloat16 = on_gpu and torch.cuda.is_bf16_supported(including_emulation=False)
    low_precision = mixed_precision and has_bfloat16
    history = History()

    set_seed(seed)
    # The batches draw apart from dropout, so that a resumed run gets the same ones without it.
    own_batches = own_stream(_endless(batches), random_state(device), device)
    source = itertools.islice(own_batches, steps)
    if checkpoint is not None and os.path.exists(checkpoint):
        vars(history).update(load_run(checkpoint, model, optimizer, steps), stopped="running")
    done = len(history.loss)
    for _ in range(done):
        next(source)
    started = time.perf_counter() - history.seconds
    bar = tqdm(total=steps, initial=done, disable=not progress, desc="training")
    try:
        model.train()
        for step, batch in enumerate(source, start=done + 1):
            with uninterrupted():
                learning_rate = rate(step)
                for group in optimizer.param_groups:
                    group["lr"] = learning_rate
                with torch.autocast(device.type, torch.bfloat16, enabled=low_precision):
                    value = loss(forward, _to(batch, device))
                if not isinstance(value, torch.Tensor) or value.numel() != 1:
                    found = tuple(value.shape) if isinstance(value, torch.Tensor) else repr(value)
                    raise ShapeError(f"the loss must be a scalar tensor, got {found}")
                value.backward()
                norm = torch.nn.utils.clip_grad_norm_(
                    model.parameters(), math.inf if clip is None else clip
                ).item()
                if not (math.isfinite(value.item()) and math.isfinite(norm)):
                    before = history.gradient_norm[-1] if history.gradient_norm else math.nan
                    raise NonFiniteLossError(
                        f"the loss is {value.item()} at step {step}: learning rate "
                        f"{learning_rate:.3g}, gradient norm {norm:.3g} (step before: "
                        f"{before:.3g}). The weights are those before this step; try a smaller "
                        "learning rate",
                        history,
                    )
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                history.loss.append(value.item())
                history.lr.append(learning_rate)
                history.gradient_norm.append(norm)
                history.seconds = time.perf_counter() - started
                if evaluate is not None and (step % evaluate_every == 0 or step == steps):
                    history.evaluations.append(
                        {"step": step, **_evaluated(model, evaluate, device)}
                    )
                if checkpoint is not None and checkpoint_every and step % checkpoint_every == 0:
                    save_run(checkpoint, model, optimizer, vars(history), steps)
                if step % 10 == 0 or step == steps:
                    recent = history.loss[-10:]
                    bar.set_postfix(loss=f"{sum(recent) / len(recent):.3f}", refresh=False)
                bar.update()
        history.stopped = "finished"
    except KeyboardInterrupt:
        history.stopped = "interrupted"
    finally:
        bar.close()
        optimizer.zero_grad(set_to_none=True)
        for module, training in modes.items():
            module.training = training
    if checkpoint is not None:
        save_run(checkpoint, model, optimizer, vars(history), steps)
    return history


def _adamw(model, weight_decay, betas, fused):
    trained = [p for p in model.parameters() if p.requires_grad]
    if not trained:
        raise ValueError("the model has no parameter that requires a gradient")
    groups = [
        {"params": [p for p in trained if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], betas=betas, fused=fused)


def _endless(batches):
    while True:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError("batches ended: give a list or another iterable that starts again")


def _to(batch, device):
    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {name: _to(part, device) for name, part in batch.items()}
    if hasattr(batch, "_fields"):  # a named tuple takes its parts one by one
        return type(batch)(*(_to(part, device) for part in batch))
    if isinstance(batch, (tuple, list)):
        return type(batch)(_to(part, device) for part in batch)
    return batch


def _evaluated(model, evaluate, device):
    model.eval()
    with torch.no_grad(), untouched(device):
        found = evaluate(model)
    model.train()
    return found if isinstance(found, dict) else {"value": float(found)}
