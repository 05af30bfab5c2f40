"""GPT, timed: a training step and generation, against `transformers`, PyTorch and a lean GPT.

    python tests/benchmarks/bench_gpt.py
    python tests/benchmarks/bench_gpt.py --train tinyshakespeare.txt

All sides take turns, so that a busy neighbour slows all; a ratio above 1 means ours is faster.
No side uses dropout, all use the same optimizer. With `--train` the course's recipe is trained on
the first 90 % of a text and measured on the rest, in nats per character.
"""

import argparse
import time
from pathlib import Path

import measure
import torch
from gpt_peers import Lean, OfTorch, Theirs
from measure import DEVICE

from tutorial_lib.decoding import generate
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.models.modern_gpt import ModernGPTConfig
from tutorial_lib.objectives import mean_next_token_loss, next_token_loss, shifted
from tutorial_lib.recipes.shakespeare_gpt import SETTINGS, encode, train_gpt

SMALL = {"vocab_size": 65, "context": 64, "d_model": 128, "n_layers": 4, "n_heads": 4}
LONG = SMALL | {"context": 256}
WRITER = {"vocab_size": 65, "context": 512, "d_model": 384, "n_layers": 6, "n_heads": 6}
BATCH = 12
N_WRITTEN = 128
TRAINING = SETTINGS | {
    "sizes": SETTINGS["sizes"] | {"context": 128},
    "batch_size": 8,
    "steps": 680,
}
PEAK_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L4": 121e12, "T4": 65e12}  # bf16
SIDES = {
    "ours": lambda **sizes: GPTConfig(**sizes).build(),
    "transformers": Theirs,
    "torch.nn": OfTorch,
    "lean": Lean,
}


def training_step(side, sizes):
    """Return a function that makes one training step of a fresh model."""
    torch.manual_seed(0)
    ids = torch.randint(sizes["vocab_size"], (BATCH, sizes["context"] + 1), device=DEVICE)
    return measure.training_step(SIDES[side](**sizes), next_token_loss, shifted(ids))


def writers(sizes, n_tokens):
    """Return a function for ours and one for `transformers` that write n_tokens greedily."""
    model = SIDES["ours"](**sizes).to(DEVICE).eval()
    other = Theirs(**sizes).model.to(DEVICE).eval()
    prompt = torch.ones(1, 1, dtype=torch.long, device=DEVICE)
    options = {"max_new_tokens": n_tokens, "min_new_tokens": n_tokens, "do_sample": False}
    attention_mask = torch.ones_like(prompt)

    def theirs():
        other.generate(prompt, attention_mask=attention_mask, pad_token_id=0, **options)

    return {"ours": lambda: generate(model, prompt[0], n_tokens), "transformers": theirs}


def compare(repeats):
    """Print the table."""
    measure.head("GPT without dropout")
    for name, sizes in {"64": SMALL, "256": LONG}.items():
        times = measure.in_turn({side: training_step(side, sizes) for side in SIDES}, repeats)
        measure.report(f"training step, {BATCH} x {name}", times, "ms")
        if DEVICE == "cuda":
            tokens = 1e3 * BATCH * sizes["context"] / times["ours"]
            print(f"{'':42} {tokens:9,.0f} tokens/s{share_of_peak(tokens, sizes)}")
    for sizes in (LONG, WRITER):
        times = measure.in_turn(writers(sizes, N_WRITTEN), max(3, repeats // 4))
        rates = {side: 1e3 * N_WRITTEN / time for side, time in times.items()}
        name = f"generation, {sizes['n_layers']} layers of {sizes['d_model']}, cache"
        measure.report(name, rates, "tokens/s", better="higher")
    megabytes = {side: measure.peak_memory(training_step, side, LONG) for side in SIDES}
    measure.report(f"peak memory of a step, {BATCH} x 256", megabytes, "MB")


def share_of_peak(tokens_per_second, sizes):
    """Return what share of the GPU's bf16 peak the matrix products reach, as text."""
    per_token = 6 * 12 * sizes["n_layers"] * sizes["d_model"] ** 2
    for gpu, peak in PEAK_FLOPS.items():
        if gpu in torch.cuda.get_device_name():
            return f", {tokens_per_second * per_token / peak:.2%} of the peak"
    return ""


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--train", type=Path, metavar="TEXT", help="train the recipe on this text")
    options = parser.parse_args()
    if options.train:
        train_on(options.train)
    else:
        compare(options.repeats)


if __name__ == "__main__":
    main()
