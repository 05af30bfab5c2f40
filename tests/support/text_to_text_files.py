"""Folders of BARTs and T5s as `transformers` writes them, from odd sizes."""

import pytest
import torch
from safetensors.torch import save_file

from tutorial_lib.models import BART, T5

transformers = pytest.importorskip("transformers")

T5_SIZES = {"vocab_size": 23, "d_model": 10, "d_kv": 7, "d_ff": 17, "num_heads": 3}
T5_SIZES |= {"num_layers": 3, "num_decoder_layers": 2, "pad_token_id": 0}
T5_SIZES |= {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 9}
BART_SIZES = {"vocab_size": 23, "d_model": 12, "max_position_embeddings": 15, "pad_token_id": 1}
BART_SIZES |= {"encoder_layers": 3, "decoder_layers": 2, "encoder_ffn_dim": 17}
BART_SIZES |= {"decoder_ffn_dim": 17, "encoder_attention_heads": 3, "decoder_attention_heads": 3}
# name: our class, their config, their class, their sizes
CASES = {
    "T5": (T5, "T5Config", "T5ForConditionalGeneration", T5_SIZES),
    "T5 v1.1": (
        T5,
        "T5Config",
        "T5ForConditionalGeneration",
        T5_SIZES
        | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "untied": True},
    ),
    "T5, gated and tied": (
        T5,
        "T5Config",
        "T5ForConditionalGeneration",
        T5_SIZES | {"feed_forward_proj": "gated-gelu", "num_decoder_layers": 4, "d_kv": 2},
    ),
    "BART": (BART, "BartConfig", "BartForConditionalGeneration", BART_SIZES),
    "BART, relu": (
        BART,
        "BartConfig",
        "BartForConditionalGeneration",
        BART_SIZES | {"activation_function": "relu", "decoder_layers": 4},
    ),
}


def saved(folder, case):
    """Write their model of a case; return ours, read from there, and theirs."""
    ours, config, kind, sizes = CASES[case]
    torch.manual_seed(0)
    known = {name: value for name, value in sizes.items() if name != "untied"}
    config = getattr(transformers, config)(**known)
    config._attn_implementation = "eager"
    other = getattr(transformers, kind)(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.4)
        if hasattr(other, "final_logits_bias"):
            other.final_logits_bias.normal_()
    if sizes.get("untied"):  # as in the released files, while transformers' own init always ties
        other.lm_head.weight = torch.nn.Parameter(torch.randn(23, 10))
    other.config.save_pretrained(folder)
    tensors = {name: tensor.clone() for name, tensor in other.state_dict().items()}
    save_file(tensors, folder / "model.safetensors")
    return ours.from_pretrained(folder), other
