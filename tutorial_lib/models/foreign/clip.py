"""How the files of others describe a CLIP: their names for its tensors, their config.json."""

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import known_activation, read_config

_PARTS = {  # of a layer: weight and bias
    "attention.output": "self_attn.out_proj",
    "attention_norm": "layer_norm1",
    "feed_forward.hidden": "mlp.fc1",
    "feed_forward.output": "mlp.fc2",
    "feed_forward_norm": "layer_norm2",
}
_PATCHES = "vision_model.embeddings.patch_embedding.weight"
_ARGMAX = 2  # the wrong eos_token_id of the first files, which means "the token of the highest id"


def _names():
    table = {
        "image_encoder.patch_embedding.class_token": "vision_model.embeddings.class_embedding",
        "image_encoder.patch_embedding.projection.weight": _PATCHES,
        "text_encoder.token_embedding.weight": "text_model.embeddings.token_embedding.weight",
        "image_projection.weight": "visual_projection.weight",
        "text_projection.weight": "text_projection.weight",
        "log_scale": "logit_scale",
    }
    norms = {
        "image_encoder.embedding_norm": "vision_model.pre_layrnorm",  # spelt so
        "image_encoder.final_norm": "vision_model.post_layernorm",
        "text_encoder.final_norm": "text_model.final_layer_norm",
    }
    for ours, theirs in (("image_encoder", "vision_model"), ("text_encoder", "text_model")):
        position = "position_embedding.weight"
        table[f"{ours}.{position}"] = f"{theirs}.embeddings.{position}"
        layer, block = f"{theirs}.encoder.layers.{{n}}", f"{ours}.blocks.{{n}}"
        norms |= {f"{block}.{part}": f"{layer}.{name}" for part, name in _PARTS.items()}
        for kind in ("weight", "bias"):
            table[f"{block}.attention.qkv.{kind}"] = tuple(
                f"{layer}.self_attn.{part}_proj.{kind}" for part in "qkv"
            )
    table |= {
        f"{ours}.{kind}": f"{theirs}.{kind}"
        for ours, theirs in norms.items()
        for kind in ("weight", "bias")
    }
    return ForeignNames(
        table=table,
        ignored=tuple(f"{part}_model.embeddings.position_ids" for part in ("vision", "text")),
        # A convolution's filters; ours are rows of a matrix.
        rearranged={_PATCHES: "out c row column -> out (c row column)"},
    )


FOREIGN_NAMES = _names()


def read_clip_config(path):
    """Return the fields of a CLIPConfig from a config.json; raises as `config.read_config` does."""

    def fields(raw):
        image, text = _part(raw, "vision"), _part(raw, "text")
        end_id = text.get("eos_token_id", 49_407)
        return {
            "image_size": image.get("image_size", 224),
            "patch_size": image.get("patch_size", 32),
            "channels": image.get("num_channels", 3),
            "d_image": image.get("hidden_size", 768),
            "n_image_layers": image.get("num_hidden_layers", 12),
            "n_image_heads": image.get("num_attention_heads", 12),
            "d_image_ff": image.get("intermediate_size", 3072),
            "vocab_size": text.get("vocab_size", 49_408),
            "context": text.get("max_position_embeddings", 77),
            "d_model": text.get("hidden_size", 512),
            "n_layers": text.get("num_hidden_layers", 12),
            "n_heads": text.get("num_attention_heads", 8),
            "d_ff": text.get("intermediate_size", 2048),
            "d_joint": raw.get("projection_dim", 512),
            "end_id": None if end_id == _ARGMAX else end_id,
            "eps": _same(path, image, text, "layer_norm_eps", 1e-5),
            "activation": known_activation(
                path, "hidden_act", _same(path, image, text, "hidden_act", "quick_gelu")
            ),
        }

    return read_config(path, "CLIP", {"model_type": "clip"}, fields)


def _part(raw, name):
    """Return the options of one encoder; older files repeat them under a second name."""
    return (raw.get(f"{name}_config") or {}) | (raw.get(f"{name}_config_dict") or {})


def _same(path, image, text, option, default):
    """Return an option that both encoders must share."""
    of_image, of_text = image.get(option, default), text.get(option, default)
    if of_image != of_text:
        raise DamagedFileError(
            f"{path}: {option} is {of_image!r} for pictures and {of_text!r} for texts, CLIP needs "
            "one for both"
        )
    return of_image
