"""GPT, timed: a training step and generation, against `transformers`, PyTorch and short GPTs.

    python tests/benchmarks/bench_gpt.py
    python tests/benchmarks/bench_gpt.py --train tinyshakespeare.txt

"lean" is nanoGPT's way of writing it, with less; "the page" is the course's own GPT on one page,
which writes the softmax out. No side uses dropout, all use the same optimizer.

With `--train` the course's recipe is trained on the first 90 % of a text and measured on the rest,
in nats per character.
"""

import importlib
import time
from dataclasses import replace
from pathlib import Path

import measure
import torch
from gpt_peers import Lean, OfTorch, Theirs
from measure import DEVICE, DTYPE

from tutorial_lib.decoding import generate
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.objectives import mean_next_token_loss, next_token_loss, shifted
from tutorial_lib.recipes.shakespeare_gpt import SETTINGS, encode, train_gpt

SMALL = {"vocab_size": 65, "context": 64, "d_model": 128, "n_layers": 4, "n_heads": 4}
LONG = SMALL | {"context": 256}
WRITER = {"vocab_size": 65, "context": 512, "d_model": 384, "n_layers": 6, "n_heads": 6}
GPT2 = {"vocab_size": 50_257, "context": 1024, "d_model": 768, "n_layers": 12, "n_heads": 12}
TASKS = {"12 x 64, 4 layers of 128": (SMALL, 12), "12 x 256, 4 layers of 128": (LONG, 12)}
ON_A_GPU = {"8 x 1,024, GPT-2 small": (GPT2, 8)}
N_WRITTEN = 128
WRITERS = {"4 layers of 128": LONG, "6 layers of 384": WRITER}
STEP_TARGETS = {"transformers": 1.15, "lean": 1.0}
TRAINING = SETTINGS | {
    "sizes": SETTINGS["sizes"] | {"context": 128},
    "batch_size": 8,
    "steps": 680,
}
SIDES = {
    "ours": lambda **sizes: GPTConfig(**sizes).build(),
    "transformers": Theirs,
    "torch.nn": OfTorch,
    "lean": Lean,
    "the page": lambda **sizes: importlib.import_module("tutorial_lib.pages.gpt").GPT(**sizes),
}
READING_WEIGHTS = (
    "Each token reads 42 MB of weights once, to multiply them by one row: four fifths of our time "
    "on a CPU. `transformers` keeps them input by output, torch.nn.Linear output by input, which "
    "this product reads some 15 % slower. Measured with one layout for both, ours is 1.15x to "
    "1.25x; we keep torch.nn.Linear's, which everything else expects."
)


def training_step(side, sizes, batch_size):
    """Return a function that makes one training step of a fresh model."""
    torch.manual_seed(0)
    shape = (batch_size, sizes["context"] + 1)
    ids = torch.randint(sizes["vocab_size"], shape, device=DEVICE)
    return measure.training_step(SIDES[side](**sizes), next_token_loss, shifted(ids))


def writer(side, sizes):
    """Return a function with which ours or `transformers` writes N_WRITTEN tokens greedily."""
    torch.manual_seed(0)
    prompt = torch.ones(1, 1, dtype=torch.long, device=DEVICE)
    model = SIDES[side](**sizes).to(DEVICE, DTYPE).eval()
    if side == "ours":
        return lambda: generate(model, prompt[0], N_WRITTEN)
    options = {"max_new_tokens": N_WRITTEN, "min_new_tokens": N_WRITTEN, "do_sample": False}
    options |= {"attention_mask": torch.ones_like(prompt), "pad_token_id": 0}
    return lambda: model.model.generate(prompt, **options)


def rows(repeats=20, memory=True):
    """Yield the rows of the table."""
    options = {"repeats": repeats, "memory": memory, "targets": STEP_TARGETS}
    for name, task in (TASKS | (ON_A_GPU if DEVICE == "cuda" else {})).items():
        first, *others = measure.compare(
            f"GPT step, {name}", SIDES, training_step, *task, **options
        )
        if DEVICE == "cuda":
            first = replace(first, note=speed_on_this_gpu(first.ours, *task))
        yield from (first, *others)
    options |= {"repeats": max(3, repeats // 4), "per_call": (N_WRITTEN, "tokens")}
    options["targets"] = {"transformers": 1.3}
    for name, sizes in WRITERS.items():
        task = f"generation with cache, {name}"
        options["notes"] = {"transformers": READING_WEIGHTS} if sizes is WRITER else None
        yield from measure.compare(task, ("ours", "transformers"), writer, sizes, **options)


def speed_on_this_gpu(milliseconds, sizes, batch_size):
    """Return the tokens a second of a training step and its share of the GPU's peak, as text."""
    tokens_per_second = 1e3 * batch_size * sizes["context"] / milliseconds
    gpu = torch.cuda.get_device_name()
    return "ours: " + measure.speed_on_gpu(tokens_per_second, flops_per_token(sizes), gpu)


def flops_per_token(sizes):
    """Return the operations of a training step for each token (Chowdhery et al. 2022, app. B).

    Two for each weight that multiplies, once forward and twice backward, and as many for the
    scores and the mixing of attention, counted without the causal mask.

    >>> round(flops_per_token(GPT2) / 1e6)
    854
    """
    n_layers, d_model = sizes["n_layers"], sizes["d_model"]
    weights = 12 * n_layers * d_model**2 + sizes["vocab_size"] * d_model
    return 6 * weights + 12 * n_layers * d_model * sizes["context"]


def train_on(path):
    """Train the course's recipe on a text and print the loss on its last tenth."""
    text = path.read_text(encoding="utf-8")
    alphabet = "".join(sorted(set(text)))
    ids = encode(text, alphabet)
    split = int(0.9 * len(ids))
    torch.manual_seed(TRAINING["seed"])
    config = ModernGPTConfig(vocab_size=len(alphabet), **TRAINING["sizes"])
    started = time.process_time()
    model = train_gpt(config.build(), ids[:split], TRAINING)
    seconds = time.process_time() - started
    nats = mean_next_token_loss(model, ids[split:], config.context)
    print(f"{path.name}: {nats:.3f} nats per character after {seconds:.0f} CPU-seconds")


def main():
    """Run what the command line asks for."""
    parser = measure.command_line(__doc__)
    parser.add_argument("--train", type=Path, metavar="TEXT", help="train the recipe on this text")
    options = parser.parse_args()
    if options.train:
        train_on(options.train)
    else:
        measure.show(rows(options.repeats, not options.no_memory))


if __name__ == "__main__":
    main()
