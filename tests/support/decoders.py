"""Small models whose next token is beyond doubt, so that rounding decides nothing."""

import tempfile

import torch
from torch import nn

from tutorial_lib.models import GPT, GPTConfig, Transformer, TransformerConfig

SOME = [17, 16]  # stop tokens with which some beams of `small_gpt` finish and some do not


def sharp(model, seed=0, std=0.5):
    """Give a model weights in float64 that make well separated logits."""
    torch.manual_seed(seed)
    for parameter in model.parameters():
        if parameter.dim() > 1:  # vectors (biases, norms) would drown what was read
            nn.init.normal_(parameter, std=std)
    return model.double().eval()


def small_gpt(**changes):
    """Return a GPT of 23 tokens with a context of 16."""
    sizes = {"vocab_size": 23, "context": 16, "d_model": 20, "n_layers": 2, "n_heads": 4}
    return sharp(GPT(GPTConfig(**(sizes | changes))))


def small_transformer(**changes):
    """Return a Transformer that reads 19 tokens and writes 23, with a context of 16."""
    sizes = {"source_vocab_size": 19, "target_vocab_size": 23, "context": 16, "d_model": 20}
    sizes |= {"n_layers": 2, "n_heads": 4, "norm": "pre"}
    return sharp(Transformer(TransformerConfig(**(sizes | changes))), std=0.4)


def peers():
    """Return our GPT and the GPT-2 of `transformers` that its weights came from."""
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"vocab_size": 37, "n_positions": 32, "n_embd": 20, "n_layer": 2, "n_head": 4}
    theirs = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=None, pad_token_id=0))
    theirs = sharp(theirs, std=0.3).float()
    with tempfile.TemporaryDirectory() as folder:
        theirs.save_pretrained(folder)
        return GPT.from_pretrained(folder).double(), theirs.double()
