"""How the files of others describe a Swin and a Swin v2: tensor names and config.json."""

from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

_PARTS = {  # of a layer: weight and bias
    "windows.attention.output": "attention.output.dense",
    "windows_norm": "layernorm_before",
    "feed_forward.hidden": "intermediate.dense",
    "feed_forward.output": "output.dense",
    "feed_forward_norm": "layernorm_after",
}
_COMPUTED = ("relative_position_index", "relative_coords_table")  # in older files
_REQUIRED = {"qkv_bias": True, "use_absolute_embeddings": False}


def names_of_swin(config):
    """Return the ForeignNames of a Swin of this config."""
    n_steps = 2 * config.window - 1  # along each side
    table, rearranged, flipped, ignored = {}, {}, [], []
    for ours, theirs in _layers(config):
        found = f"{theirs}.attention.self"
        for kind in ("weight", "bias"):
            names = tuple(f"{found}.{part}.{kind}" for part in ("query", "key", "value"))
            table[f"{ours}.windows.attention.qkv.{kind}"] = names
        steps = f"{found}.relative_position_bias_table"
        table[f"{ours}.windows.positions.weight"] = steps
        lengths = {"down": n_steps, "right": n_steps}
        rearranged[steps] = ("(down right) heads -> heads down right", lengths)
        flipped.append(steps)  # theirs count from key to query, ours from query to key
        ignored += [f"{found}.{name}" for name in _COMPUTED]
    return _names(config, "swin.", table, rearranged, tuple(flipped), tuple(ignored))


def names_of_swin_v2(config):
    """Return the ForeignNames of a SwinV2 of this config."""
    table, ignored = {}, []
    for ours, theirs in _layers(config):
        found, attention = f"{theirs}.attention.self", f"{ours}.windows.attention"
        names = tuple(f"{found}.{part}.weight" for part in ("query", "key", "value"))
        table[f"{attention}.qkv.weight"] = names
        for part in ("query", "value"):
            table[f"{attention}.{part}_bias"] = f"{found}.{part}.bias"
        table[f"{attention}.log_scale"] = f"{found}.logit_scale"
        network = f"{found}.continuous_position_bias_mlp"
        for kind in ("weight", "bias"):
            table[f"{ours}.windows.positions.hidden.{kind}"] = f"{network}.0.{kind}"
        table[f"{ours}.windows.positions.output.weight"] = f"{network}.2.weight"
        ignored += [f"{found}.{name}" for name in _COMPUTED]
    return _names(config, "swinv2.", table, {}, (), tuple(ignored))


def read_swin_config(path, model_type="swin"):
    """Return the fields of a SwinConfig from a config.json; raises as `config.read_config` does."""

    def fields(raw):
        return {
            "image_size": raw["image_size"],
            "patch_size": raw["patch_size"],
            "channels": raw.get("num_channels", 3),
            "d_model": raw["embed_dim"],
            "depths": raw["depths"],
            "n_heads": raw["num_heads"],
            "window": raw["window_size"],
            "d_ff_ratio": raw.get("mlp_ratio", 4.0),
            "dropout": raw.get("hidden_dropout_prob", 0.0),
            "eps": raw.get("layer_norm_eps", 1e-5),
        }

    required = {"model_type": model_type} | _REQUIRED
    return read_config(path, "Swin", required, fields, ("hidden_act", "gelu"))


def read_swin_v2_config(path):
    """Return the fields of a SwinV2Config from a config.json, as `read_swin_config`."""
    sizes = read_swin_config(path, "swinv2")

    def fields(raw):
        trained = tuple(raw.get("pretrained_window_sizes", ()))
        return {"trained_windows": trained if any(trained) else ()}

    return sizes | read_config(path, "SwinV2", {}, fields)


def _layers(config):
    """Return our and their beginnings of the names of the layers: {n} is the stage's number."""
    return [
        (f"stages.{{n}}.blocks.{at}", f"encoder.layers.{{n}}.blocks.{at}")
        for at in range(max(config.depths))
    ]


def _names(config, prefix, table, rearranged, flipped, ignored):
    """Return the ForeignNames with what both versions name alike."""
    parts = {
        "patch_embedding.projection": "embeddings.patch_embeddings.projection",
        "embedding_norm": "embeddings.norm",
        "stages.{n}.merging.norm": "encoder.layers.{n}.downsample.norm",
        "final_norm": "layernorm",
        "classifier": "classifier",
    }
    for ours, theirs in _layers(config):
        parts |= {f"{ours}.{part}": f"{theirs}.{name}" for part, name in _PARTS.items()}
    both = {
        f"{ours}.{kind}": f"{theirs}.{kind}"
        for kind in ("weight", "bias")
        for ours, theirs in parts.items()
    }
    both["stages.{n}.merging.reduction.weight"] = "encoder.layers.{n}.downsample.reduction.weight"
    # A convolution's filters; ours are rows of a matrix.
    filters = "embeddings.patch_embeddings.projection.weight"
    rearranged = rearranged | {filters: "out c row column -> out (c row column)"}
    options = {"prefixes": (prefix,), "flipped": flipped, "ignored": ignored}
    return ForeignNames(table=both | table, rearranged=rearranged, **options)
