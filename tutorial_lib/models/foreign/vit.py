"""How the files of others describe a ViT: their names for its tensors, their config.json."""

from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

_LAYER = "encoder.layer.{n}"
FOREIGN_NAMES = ForeignNames(
    table={
        "patch_embedding.class_token": "embeddings.cls_token",
        "position_embedding.weight": "embeddings.position_embeddings",
    }
    | {
        f"{ours}.{kind}": f"{theirs}.{kind}"
        for kind in ("weight", "bias")
        for ours, theirs in {
            "patch_embedding.projection": "embeddings.patch_embeddings.projection",
            "blocks.{n}.attention.output": f"{_LAYER}.attention.output.dense",
            "blocks.{n}.attention_norm": f"{_LAYER}.layernorm_before",
            "blocks.{n}.feed_forward.hidden": f"{_LAYER}.intermediate.dense",
            "blocks.{n}.feed_forward.output": f"{_LAYER}.output.dense",
            "blocks.{n}.feed_forward_norm": f"{_LAYER}.layernorm_after",
            "final_norm": "layernorm",
            "pooler": "pooler.dense",
            "classifier": "classifier",
        }.items()
    }
    | {
        f"blocks.{{n}}.attention.qkv.{kind}": tuple(
            f"{_LAYER}.attention.attention.{part}.{kind}" for part in ("query", "key", "value")
        )
        for kind in ("weight", "bias")
    },
    prefixes=("vit.",),
    rearranged={
        "embeddings.cls_token": "1 1 width -> width",
        "embeddings.position_embeddings": "1 time width -> time width",
        # A convolution's filters; ours are rows of a matrix.
        "embeddings.patch_embeddings.projection.weight": "out c row column -> out (c row column)",
    },
)
_REQUIRED = {"model_type": "vit", "qkv_bias": True, "pooler_act": "tanh"}


def read_vit_config(path):
    """Return the fields of a ViTConfig from a config.json.

    Raises as `config.read_config` does.
    """

    def fields(raw):
        return {
            "image_size": raw["image_size"],
            "patch_size": raw["patch_size"],
            "channels": raw.get("num_channels", 3),
            "d_model": raw["hidden_size"],
            "n_layers": raw["num_hidden_layers"],
            "n_heads": raw["num_attention_heads"],
            "d_ff": raw["intermediate_size"],
            "dropout": raw.get("hidden_dropout_prob", 0.0),
            "eps": raw.get("layer_norm_eps", 1e-12),
        }

    return read_config(path, "ViT", _REQUIRED, fields, ("hidden_act", "gelu"))
