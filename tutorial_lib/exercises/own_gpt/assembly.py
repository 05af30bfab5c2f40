"""Your own GPT: put together from my_transformer.py, proven equal to ours, trained, and read."""

import time
from functools import partial
from pathlib import Path

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.exercises.engine.faults import explain
from tutorial_lib.exercises.engine.keep import keeping_place
from tutorial_lib.exercises.own_gpt.learners_file import LearnersFile
from tutorial_lib.exercises.own_gpt.model import MyTransformer
from tutorial_lib.exercises.own_gpt.parts import PARTS, choose, first_tensor, located
from tutorial_lib.exercises.own_gpt.proof import compare
from tutorial_lib.exercises.own_gpt.rehearsal import functions_of, without_faults
from tutorial_lib.exercises.own_gpt.sampler import write_on
from tutorial_lib.exercises.own_gpt.tokenizer import MyTokenizer
from tutorial_lib.models import GPTConfig
from tutorial_lib.training import fit, warmup_cosine

SIZES = {"context": 48, "d_model": 64, "n_layers": 2, "n_heads": 2}
BATCH_SIZE = 16
READ_FOR_MERGES = 50_000  # characters; the merges of a longer text differ little
LR = 8e-3


def assemble(path=None, n_merges=200, seed=0, **sizes):
    """Build a GPT from the functions in my_transformer.py; what is missing or broken is ours.

    path: another file than the one that `check` writes. n_merges: how many merges the tokenizer
    is to learn. sizes: context, d_model, n_layers, n_heads of the model. Never raises for what
    the file holds; `print` the result to see which function is whose, and why.

    >>> assemble("a_file_that_is_not_there.py").compare()
    = merges     the same 40 merges
    = token ids  the same 125 tokens
    = text       the same 262 characters
    = logits     87,552 numbers, the largest difference is less than 1e-4
    = loss       1 number, the largest difference is less than 1e-4
    = gradient   29,184 numbers, the largest difference is less than 1e-4
    = chances    65,664 numbers, the largest difference is less than 1e-4
    = samples    the same 58 tokens
    It is equal to ours.
    """
    file = LearnersFile(Path(path) if path is not None else keeping_place())
    return MyGPT(file, n_merges, seed, SIZES | sizes)


class MyGPT:
    """A GPT of the learner's own functions; printed, it says which those are.

    choices: {name: Choice}, whose code each function is; model: an nn.Module; tokenizer.
    """

    def __init__(self, file, n_merges, seed, sizes):
        self.file = file
        config = GPTConfig(vocab_size=256 + n_merges, activation="relu", **sizes)
        self.choices = without_faults(choose(file), config, file)
        self.functions = functions_of(self.choices)
        self.n_merges = n_merges
        self.tokenizer = MyTokenizer(self.functions)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.model = MyTransformer(self.functions, config).eval()

    def loss(self, ids):
        """Return the learner's loss of texts, ids (B, T), in nats a token."""
        return first_tensor(self.functions["next_token_loss"](self.model(ids), ids))

    def compare(self):
        """Set the GPT beside ours with the same weights; return a Comparison to print."""
        return compare(self.functions, self.model)

    def train(self, text, seconds=60, prompt=None, progress=True, steps=None):
        """Learn to continue a text for so many seconds, or steps if given; return the History.

        The tokenizer learns its merges first, unless it has some. With a prompt, prints how the
        GPT continues it before and after. Interrupted, it keeps what it has learned so far.
        Raises ShapeError for a text shorter than the context.
        """
        if not self.tokenizer.merges:
            self.tokenizer.train(text[:READ_FOR_MERGES], self.n_merges)
        windows = Windows(self.tokenizer.encode(text), self.model.config.context)
        if prompt is not None:
            print(f"Before: {self.sample(prompt)}\n")
        if steps is None:
            steps = max(1, int(seconds / self._seconds_a_step(next(iter(windows)))))
            clock = Clock(seconds)
            pace = {"lr": clock.learning_rate, "stop": clock.is_over}
        else:
            pace = {"lr": partial(warmup_cosine, steps=steps, peak=LR, warmup=max(1, steps // 20))}
        history = fit(
            self.model,
            windows,
            lambda model, ids: first_tensor(self.functions["next_token_loss"](model(ids), ids)),
            steps=steps,
            device="cpu",
            progress=progress,
            **pace,
        )
        self.model.eval()
        if prompt is not None:
            print(f"After: {self.sample(prompt)}")
        return history

    def take(self, gpt):
        """Go on with the weights of a trained GPT of ours, `load_checkpoint("own-gpt")`.

        Train the tokenizer first, by `train`: the weights belong to its merges. Raises ShapeError
        for a GPT of other sizes.
        """
        self.model.take(gpt)

    def sample(self, prompt, n_tokens=100, temperature=0.8, top_k=None, top_p=0.95, seed=0):
        """Return the prompt with what the GPT makes of it, as text."""
        ids = self.tokenizer.encode(prompt or "\n")
        options = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
        n_ids = self.tokenizer.vocab_size  # a short text has fewer merges than the model's table
        ids = write_on(self.functions, self.model, ids, n_tokens, n_ids=n_ids, **options)
        return self.tokenizer.decode(ids)

    def report(self):
        """Say in lines of text whose code each function is, and why."""
        n_yours = sum(choice.yours for choice in self.choices.values())
        lines = [f"Your own GPT: {n_yours} of {len(self.choices)} functions are yours."]
        lines += [self.file.problem or f"Read from {self.file.path.name}."]
        if self.file.around.error is not None:
            why = located(explain(self.file.around.error, None, None), self.file)
            ids = ", ".join(self.file.unended.values())
            part = f", with {ids} whose end mark is gone," if ids else ""
            lines.append(f"The text outside the sections{part} is left out: {why}.")
        for part, tasks in PARTS.items():
            for place, task in enumerate(tasks):
                head = "" if place else part
                title = f"{task.id} {task.title}"
                lines.append(f"{head:<10} {title:<32} {self._whose(task)}")
        return "\n".join(lines)

    __repr__ = report

    def _whose(self, task):
        choice = self.choices[task.name]
        if not choice.yours:
            return f"ours: {choice.why}"
        by = self.choices["train_merges"]
        if task.name in ("count_pairs", "merge_pair") and by.yours:
            piece = self.file.pieces.get("train_merges", self.file.around)
            if task.name not in piece.wanted:
                return f"yours, though your {by.task.id} does without it"
        return "yours"

    def _seconds_a_step(self, ids):
        """The fastest of four: a step that was disturbed would end the training too early."""
        seconds = []
        for _ in range(4):
            started = time.perf_counter()
            self.loss(ids).backward()
            seconds.append(time.perf_counter() - started)
        self.model.zero_grad()
        return min(seconds)


class Clock:
    """Ends a training in time, on a machine that may be slower than it seemed at the start."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.started = time.perf_counter()

    def is_over(self, history):
        """Return whether to stop after the steps of this History; asked after each."""
        if len(history.loss) == 1:  # what the first step loads does not count
            self.started = time.perf_counter()
        return self._share() >= 1

    def learning_rate(self, step):
        """Return the rate by the time gone: a short warm-up, then down to 0 at the end."""
        thousandths = min(1000, 1 + int(1000 * self._share()))
        return warmup_cosine(thousandths, 1000, LR, warmup=50)

    def _share(self):
        return (time.perf_counter() - self.started) / self.seconds


class Windows:
    """Batches (B, T) of windows at random places of one stream of ids, the same each time."""

    def __init__(self, ids, context, seed=0):
        if len(ids) < context:
            raise ShapeError(f"the text needs {context} tokens or more, it has {len(ids)}")
        self.ids = torch.tensor(ids)
        self.context = context
        self.seed = seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        windows = self.ids.unfold(0, self.context, 1)  # (N - T + 1, T), a view
        while True:
            starts = torch.randint(len(windows), (BATCH_SIZE,), generator=generator)
            yield windows[starts]
