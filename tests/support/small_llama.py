"""A small Llama with random weights, and its file as llama.cpp would write it."""

import pytest
import torch

from tutorial_lib.models import LlamaConfig
from tutorial_lib.models.foreign.llama import gguf_names


def small(**changes):
    """A Llama whose weights are far from the gentle start: every term counts."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 23, "context": 11, "d_model": 36, "n_layers": 3, "d_ff": 17}
    sizes |= {"n_heads": 6, "n_kv_heads": 2, "base": 50.0}
    model = LlamaConfig(**(sizes | changes)).build().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model


def write_gguf(model, path, leave_out=(), more=(), kind=lambda *_: "F32", **facts):
    """Write a model as llama.cpp has it, by `gguf` itself, with facts or tensors changed.

    kind(name, tensor): how its numbers are packed, "Q4_1" or the like.
    """
    gguf = pytest.importorskip("gguf")
    config = model.config
    said = {
        "general.architecture": "llama",
        "llama.vocab_size": config.vocab_size,
        "llama.context_length": config.context,
        "llama.embedding_length": config.d_model,
        "llama.block_count": config.n_layers,
        "llama.feed_forward_length": config.d_ff,
        "llama.attention.head_count": config.n_heads,
        "llama.attention.head_count_kv": config.n_kv_heads,
        "llama.attention.layer_norm_rms_epsilon": config.eps,
        "llama.rope.freq_base": config.base,
        "llama.rope.dimension_count": config.d_model // config.n_heads,
    } | facts
    writer = gguf.GGUFWriter(path, said.pop("general.architecture"))
    for name, fact in said.items():
        if fact is not None:
            writer.add_key_value(name, fact, gguf.GGUFValueType.get_type(fact))
    names, tensors = gguf_names(config), dict(more)
    for name, tensor in model.state_dict().items():
        tensors |= zip(names.of(name), names.cut(name, tensor), strict=True)
    for name, tensor in tensors.items():
        if name not in leave_out:
            packed = gguf.GGMLQuantizationType[kind(name, tensor)]
            writer.add_tensor(name, gguf.quantize(tensor.numpy(), packed), raw_dtype=packed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
