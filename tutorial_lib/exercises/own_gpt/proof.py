"""Is it equal to ours? The learner's GPT beside the library's, with the same weights."""

from dataclasses import dataclass

import torch

from tutorial_lib.decoding import generate, sampling
from tutorial_lib.exercises.own_gpt.parts import first_tensor
from tutorial_lib.exercises.own_gpt.sampler import probabilities, write_on
from tutorial_lib.exercises.own_gpt.tokenizer import MyTokenizer
from tutorial_lib.objectives import next_token_loss, shifted
from tutorial_lib.tokenizers import BPETokenizer

PASSAGE = (
    "It takes great courage to let yourself appear weak. A robot must obey; must a robot, too, "
    "appear to obey? In the café the robots sleep, and robots that sleep appear to dream ..."
)
UNSEEN = " Is there another theatre there? They beat a rooster, then appeal to the letters."
N_MERGES = 40
CLOSE = 1e-4  # logits of 20 and more have float32 errors of 1e-5


@dataclass(frozen=True)
class Row:
    """One quantity: what was compared, what came out, and the largest difference if a number."""

    name: str
    text: str
    same: bool
    difference: float = 0.0


class Comparison:
    """The rows of a comparison; true when all agree."""

    def __init__(self, rows):
        self.rows = rows

    def __bool__(self):
        return all(row.same for row in self.rows)

    def __repr__(self):
        verdict = "It is equal to ours." if self else "It is not equal to ours."
        lines = [f"{'=' if row.same else '≠'} {row.name:<10} {row.text}" for row in self.rows]
        return "\n".join([*lines, verdict])


def compare(functions, model):
    """Compare tokenizer, logits, loss, gradients and samples with ours; return a Comparison."""
    mine = MyTokenizer(functions)
    mine.train(PASSAGE, N_MERGES)
    theirs = BPETokenizer.train(PASSAGE, mine.vocab_size)
    cut = "café".encode()[:-1].decode("latin-1")  # ends within a character
    broken = [ord(byte) for byte in cut]
    ours = model.ours()
    generator = torch.Generator().manual_seed(0)
    shape = (4, model.config.context)
    ids = torch.randint(model.config.vocab_size, shape, generator=generator)
    loss = first_tensor(functions["next_token_loss"](model(ids), ids))
    their_loss = next_token_loss(ours, shifted(ids))
    gradient = torch.autograd.grad(loss, model.token_embedding)[0]
    their_gradient = torch.autograd.grad(their_loss, ours.token_embedding.weight)[0]
    with torch.no_grad():
        logits, their_logits = model(ids), ours(ids)
    ids = mine.encode(PASSAGE + UNSEEN)
    return Comparison([
        _lists("merges", [tuple(map(_bytes, pair)) for pair in mine.merges], theirs.merges),
        _lists("token ids", ids, theirs.encode(PASSAGE + UNSEEN)),
        _lists("text", mine.decode(ids + broken), theirs.decode(ids + broken)),
        _numbers("logits", logits, their_logits),
        _numbers("loss", loss, their_loss),
        _numbers("gradient", gradient, their_gradient),
        _numbers("chances", *_chances(functions, 5 * logits[0])),
        _lists("samples", *_samples(functions, model, ours)),
    ])  # fmt: skip


def _chances(functions, logits):
    """What both samplers draw from: (3, T, V) each, with one filter after another."""
    settings = (
        {"temperature": 0.7},
        {"temperature": 1.5, "top_k": 9},
        {"temperature": 1.0, "top_k": 60, "top_p": 0.8},
    )
    mine, theirs = [], []
    for options in settings:
        mine.append(probabilities(functions, logits, **options))
        filtered = sampling.temperature(logits, options["temperature"])
        if "top_k" in options:
            filtered = sampling.top_k(filtered, options["top_k"])
        if "top_p" in options:
            filtered = sampling.top_p(filtered, options["top_p"])
        theirs.append(filtered.softmax(dim=-1))
    return torch.stack(mine), torch.stack(theirs)


def _samples(functions, model, ours):
    """What both write, past the end of the context, with every filter."""
    prompt = list(b"ROMEO")  # ids of bytes: every vocabulary has them
    options = {"seed": 0, "temperature": 0.8, "top_k": 50, "top_p": 0.9}
    n_tokens = model.config.context + 10
    mine = write_on(functions, model, prompt, n_tokens, **options)
    return mine[len(prompt) :], generate(ours, prompt, n_tokens, **options)[len(prompt) :]


def _lists(name, mine, theirs):
    what = "characters" if isinstance(theirs, str) else "tokens" if name != "merges" else "merges"
    if mine == theirs:
        return Row(name, f"the same {len(theirs)} {what}", True)
    alike = sum(a == b for a, b in zip(mine, theirs, strict=False))
    text = f"{alike} of {len(theirs)} {what} are the same"
    return Row(name, text, False, float(len(theirs) - alike))


def _numbers(name, mine, theirs):
    apart = (mine - theirs).abs().max().item()
    count = "1 number" if mine.dim() == 0 else f"{mine.numel():,} numbers"
    same = apart < CLOSE
    size = "less than 1e-4" if same else f"{apart:.1e}"
    return Row(name, f"{count}, the largest difference is {size}", same, apart)


def _bytes(symbol):
    return symbol.encode("latin-1")
