"""One small run of everything: code that passed its exercise may still fail at a GPT's sizes."""

import traceback

import torch

from tutorial_lib.exercises.engine.faults import explain
from tutorial_lib.exercises.engine.guard import guarded
from tutorial_lib.exercises.own_gpt.learners_file import PACKAGE
from tutorial_lib.exercises.own_gpt.model import MyTransformer
from tutorial_lib.exercises.own_gpt.parts import Choice, first_tensor, located
from tutorial_lib.exercises.own_gpt.sampler import write_on
from tutorial_lib.exercises.own_gpt.tokenizer import MyTokenizer, train_with

TEXT = "To be, or not to be: that is the question, in the café and in other places too. " * 3


def without_faults(choices, config, file):
    """Return choices in which each function that fails in a GPT of this config is ours."""
    while error := guarded(rehearse, functions_of(choices), config).error:
        name = _guilty(error, choices)
        if name is None:
            raise error
        task = choices[name].task
        why = f"yours fails in the model: {located(explain(error, None, task), file)}"
        choices = choices | {name: Choice(task, task.solution, why=why)}
    return choices


def functions_of(choices):
    """Return {name: function}; our training of merges works with the learner's two helpers."""
    functions = {name: choice.code for name, choice in choices.items()}
    if not choices["train_merges"].yours:
        functions["train_merges"] = train_with(functions["count_pairs"], functions["merge_pair"])
    return functions


def rehearse(functions, config):
    """Tokenize, predict, differentiate and sample once, with random weights."""
    tokenizer = MyTokenizer(functions)
    tokenizer.train(TEXT, 5)
    ids = tokenizer.encode(TEXT)
    tokenizer.decode(ids)
    with torch.random.fork_rng():
        model = MyTransformer(functions, config)
    batch = torch.tensor([ids[: config.context]] * 2) % config.vocab_size
    first_tensor(functions["next_token_loss"](model(batch), batch)).backward()
    write_on(functions, model, batch[0].tolist(), 1, seed=0, temperature=0.8, top_k=5, top_p=0.9)


def _guilty(error, choices):
    """The learner's function that the GPT called when the error came up, None when there is none.

    It is the outermost of theirs, a helper may stand further in.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        home, _, piece = frame.f_globals.get("__name__", "").partition(".")
        if home == PACKAGE:
            name = piece if piece in choices else frame.f_code.co_name
            return name if name in choices and choices[name].yours else None
    return None
