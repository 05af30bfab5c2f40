"""How the files of others describe a T5: their names for its tensors, their config.json."""

import torch

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

_FEED_FORWARD = {
    False: {"hidden": "wi", "output": "wo"},
    True: {"gate": "wi_0", "hidden": "wi_1", "output": "wo"},
}
# feed_forward_proj of config.json: whether there is a gate
_PROJECTIONS = {"relu": False, "gated-gelu": True}


def names_of_t5(config):
    """Return the ForeignNames of a T5 of this config."""
    table = {"source_embedding.weight": "shared.weight", "target_embedding.weight": "shared.weight"}
    rearranged = {}
    for ours, theirs in (("source", "encoder"), ("target", "decoder")):
        distances = f"{theirs}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        table[f"{ours}_distances.weight"] = distances
        # Numbers in a layer's name are replaced by {n} before a pattern is looked up.
        rearranged[distances.replace("block.0", "block.{n}")] = "buckets heads -> heads buckets"
        table[f"{theirs}_norm.weight"] = f"{theirs}.final_layer_norm.weight"
        parts = {"attention": "SelfAttention"}
        if theirs == "decoder":
            parts["cross_attention"] = "EncDecAttention"
        for n, (our_part, their_part) in enumerate(parts.items()):
            layer = f"{theirs}.block.{{n}}.layer.{n}"
            block = f"{theirs}_blocks.{{n}}.{our_part}"
            table[f"{block}.qkv.weight"] = tuple(f"{layer}.{their_part}.{k}.weight" for k in "qkv")
            table[f"{block}.output.weight"] = f"{layer}.{their_part}.o.weight"
            table[f"{block}_norm.weight"] = f"{layer}.layer_norm.weight"
        layer, block = f"{theirs}.block.{{n}}.layer.{len(parts)}", f"{theirs}_blocks.{{n}}"
        table[f"{block}.feed_forward_norm.weight"] = f"{layer}.layer_norm.weight"
        for our_part, their_part in _FEED_FORWARD[config.gated].items():
            table[f"{block}.feed_forward.{our_part}.weight"] = (
                f"{layer}.DenseReluDense.{their_part}.weight"
            )
    tied = {f"{stack}.embed_tokens.weight": "shared.weight" for stack in ("encoder", "decoder")}
    if config.tied:
        tied["lm_head.weight"] = "shared.weight"
    else:
        table["output_layer.weight"] = "lm_head.weight"
    return ForeignNames(table=table, rearranged=rearranged, tied=tied)


def is_tied(tensors):
    """Return whether a file's output layer is its table of token vectors; config.json errs."""
    output, shared = tensors.get("lm_head.weight"), tensors.get("shared.weight")
    return output is None or (shared is not None and torch.equal(output, shared))


def read_t5_config(path):
    """Return the fields of our T5Config from a config.json; raises as `config.read_config` does."""

    def fields(raw):
        projection = raw.get("feed_forward_proj", "relu")
        if projection not in _PROJECTIONS:
            known = " or ".join(map(repr, _PROJECTIONS))
            raise DamagedFileError(f"{path}: feed_forward_proj is {projection!r}, T5 needs {known}")
        return {
            "vocab_size": raw["vocab_size"],
            "d_model": raw["d_model"],
            "n_layers": raw["num_layers"],
            "n_decoder_layers": raw.get("num_decoder_layers") or raw["num_layers"],
            "n_heads": raw["num_heads"],
            "d_head": raw["d_kv"],
            "d_ff": raw["d_ff"],
            "n_buckets": raw.get("relative_attention_num_buckets", 32),
            "max_distance": raw.get("relative_attention_max_distance", 128),
            "dropout": raw.get("dropout_rate", 0.1),
            "eps": raw.get("layer_norm_epsilon", 1e-6),
            "gated": _PROJECTIONS[projection],
            # Old files say of version 1.1 that nothing is tied, and mean this, too.
            "scaled": raw.get("scale_decoder_outputs", raw.get("tie_word_embeddings", True)),
            "pad_id": raw.get("pad_token_id", 0),
        }

    return read_config(path, "T5", {"model_type": "t5"}, fields)
