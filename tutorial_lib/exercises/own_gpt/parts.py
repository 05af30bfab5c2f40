"""Whose code is it? Each kept function passes its exercise again, or ours takes its place."""

import contextlib
import functools
import io
from dataclasses import dataclass

import torch

from tutorial_lib.exercises.chapter01_tokenization.byte_level import DECODE
from tutorial_lib.exercises.chapter01_tokenization.encoding import ENCODE_BY_RANK
from tutorial_lib.exercises.chapter01_tokenization.merges import COUNT_PAIRS, MERGE_PAIR
from tutorial_lib.exercises.chapter01_tokenization.training import TRAIN_MERGES
from tutorial_lib.exercises.chapter02_attention.many import MULTI_HEAD
from tutorial_lib.exercises.chapter02_attention.masks import CAUSAL_MASK, MASKED_ATTENTION
from tutorial_lib.exercises.chapter02_attention.scaled import ATTENTION
from tutorial_lib.exercises.chapter03_positional_encoding.sinusoids import SINUSOIDAL_POSITIONS
from tutorial_lib.exercises.chapter04_transformer.feed_forward import FEED_FORWARD
from tutorial_lib.exercises.chapter04_transformer.norm import LAYER_NORM
from tutorial_lib.exercises.chapter05_gpt.block import GPT_BLOCK
from tutorial_lib.exercises.chapter05_gpt.next_token import NEXT_TOKEN_LOSS
from tutorial_lib.exercises.chapter05_gpt.temperature import TEMPERATURE_PROBABILITIES
from tutorial_lib.exercises.chapter05_gpt.top_k import TOP_K_FILTER
from tutorial_lib.exercises.chapter05_gpt.top_p import TOP_P_FILTER
from tutorial_lib.exercises.engine.attempts import cases_of
from tutorial_lib.exercises.engine.faults import explain
from tutorial_lib.exercises.engine.guard import guarded
from tutorial_lib.exercises.engine.tasks import Symptom
from tutorial_lib.exercises.engine.verdicts import judge

PARTS = {
    "tokenizer": (COUNT_PAIRS, MERGE_PAIR, TRAIN_MERGES, DECODE, ENCODE_BY_RANK),
    "positions": (SINUSOIDAL_POSITIONS,),
    "attention": (CAUSAL_MASK, MASKED_ATTENTION, MULTI_HEAD),
    "layers": (LAYER_NORM, FEED_FORWARD),
    "block": (GPT_BLOCK,),
    "loss": (NEXT_TOKEN_LOSS,),
    "sampler": (TEMPERATURE_PROBABILITIES, TOP_K_FILTER, TOP_P_FILTER),
}
TASKS = {task.name: task for tasks in PARTS.values() for task in tasks}
# Judged too, though no part of its own: another function may call it.
JUDGED = TASKS | {ATTENTION.name: ATTENTION}
TRAINED_THROUGH = (MASKED_ATTENTION, MULTI_HEAD, *PARTS["layers"], GPT_BLOCK, NEXT_TOKEN_LOSS)


@dataclass(frozen=True)
class Choice:
    """The code that one exercise gives to the GPT: the learner's (`yours`) or ours, and `why`."""

    task: object
    code: object
    yours: bool = False
    why: str = "not solved yet"


def choose(file):
    """Return {name: Choice} for every exercise in PARTS, from a LearnersFile.

    A function is the learner's if it passes its exercise again and gradients come through it.
    Those that fail are judged once more beside ours, as they may have called a wrong one.
    """
    found, reasons = {}, {}
    for name, task in JUDGED.items():
        piece = file.pieces.get(name)
        if piece is not None and piece.error is not None:
            reasons[name] = located(explain(piece.error, None, task), file)
            continue
        try:
            found[name] = file.code(name)
        except LookupError:
            if piece is not None:
                reasons[name] = f"its section does not define {name}"
            elif name in file.unended:
                reasons[name] = "its section has no end mark"
    failed, judged = set(JUDGED) - set(found), list(found)
    while judged:
        file.link({name: JUDGED[name].solution for name in failed})
        for name in judged:
            reasons[name] = _fault(JUDGED[name], found[name], file)
        judged = [name for name in found if reasons[name]]
        now = set(JUDGED) - set(found) | set(judged)
        if now == failed:
            break
        failed = now
    return {name: _choice(task, found, reasons) for name, task in TASKS.items()}


def gradients_pass(task, code):
    """Tell whether the gradients of `code` are those of the solution, on the exercise's cases."""
    for case in cases_of(task):
        want, have = _gradients(task.solution, case), _gradients(code, case)
        if have is None or len(want) != len(have):
            return False
        for a, b in zip(want, have, strict=True):
            if not torch.allclose(a, b, rtol=1e-3, atol=1e-4 * (1 + a.abs().max().item())):
                return False
    return True


def first_tensor(value):
    """Return a result as one tensor: the first of several, or a list made a tensor."""
    if isinstance(value, tuple) or (
        isinstance(value, list) and value and isinstance(value[0], torch.Tensor)
    ):
        value = value[0]
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)


def located(text, file):
    """Return a message about the learner's code with the name of the file it stands in."""
    return text.replace(" of your code", f" of {file.path.name}", 1).rstrip(".")


def _choice(task, found, reasons):
    if task.name not in found or reasons.get(task.name):
        why = reasons.get(task.name)
        return Choice(task, task.solution, why=f"yours fails: {why}" if why else "not solved yet")
    code = _careful(found[task.name])
    if task in TRAINED_THROUGH and not gradients_pass(task, code):
        why = "yours is right, but no gradient comes back through it, so it cannot be trained"
        return Choice(task, task.solution, why=why)
    return Choice(task, code, yours=True, why="")


def _fault(task, code, file):
    """What is wrong with a kept function, in a sentence; empty when it passes."""
    # A symptom asks for a letter, too; what is kept is the repaired code.
    verdict = judge(task, *((task.answer, code) if isinstance(task, Symptom) else (code,)))
    unwritten = verdict.status == "halfway" and judge(task, None, code).status == "open"
    if verdict.status == "open" or unwritten:
        return "it is still an open stub"
    return "" if verdict.status == "right" else located(verdict.text, file)


def _careful(code):
    """The same function on copies of its arguments, without what it prints.

    A GPT calls it thousands of times, and needs its own tensors afterwards.
    """

    @functools.wraps(code)
    def careful(*args, **kwargs):
        with contextlib.redirect_stdout(io.StringIO()):
            return code(*(_copied(value) for value in args), **kwargs)

    return careful


def _copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return value.copy() if isinstance(value, dict | list) else value


def _gradients(code, case):
    """The gradients of a fixed mix of the first result, None when there are none."""
    args = [_leaf(value) for value in case.args]
    leaves = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]

    def gradients():
        result = first_tensor(code(*args, **case.kwargs))
        mix = torch.linspace(0.5, 1.5, result.numel()).view(result.shape)
        return torch.autograd.grad((result * mix).sum(), leaves)

    return guarded(gradients).value


def _leaf(value):
    if isinstance(value, torch.Tensor):
        value = value.detach().clone()
        return value.requires_grad_() if value.is_floating_point() else value
    return value
