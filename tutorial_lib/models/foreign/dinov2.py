"""How the files of others hold a DINOv2: names and config.json of `transformers`, an ONNX graph."""

import math
import re

import torch

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

_LAYER = "encoder.layer.{n}"
FOREIGN_NAMES = ForeignNames(
    table={
        "patch_embedding.class_token": "embeddings.cls_token",
        "position_embedding.weight": "embeddings.position_embeddings",
        "blocks.{n}.attention_scale.weight": f"{_LAYER}.layer_scale1.lambda1",
        "blocks.{n}.feed_forward_scale.weight": f"{_LAYER}.layer_scale2.lambda1",
    }
    | {
        f"{ours}.{kind}": f"{theirs}.{kind}"
        for kind in ("weight", "bias")
        for ours, theirs in {
            "patch_embedding.projection": "embeddings.patch_embeddings.projection",
            "blocks.{n}.attention.output": f"{_LAYER}.attention.output.dense",
            "blocks.{n}.attention_norm": f"{_LAYER}.norm1",
            "blocks.{n}.feed_forward.hidden": f"{_LAYER}.mlp.fc1",
            "blocks.{n}.feed_forward.output": f"{_LAYER}.mlp.fc2",
            "blocks.{n}.feed_forward_norm": f"{_LAYER}.norm2",
            "final_norm": "layernorm",
        }.items()
    }
    | {
        f"blocks.{{n}}.attention.qkv.{kind}": tuple(
            f"{_LAYER}.attention.attention.{part}.{kind}" for part in ("query", "key", "value")
        )
        for kind in ("weight", "bias")
    },
    ignored=("embeddings.mask_token",),  # only training hides patches behind it
    rearranged={
        "embeddings.cls_token": "1 1 width -> width",
        "embeddings.position_embeddings": "1 time width -> time width",
        # A convolution's filters; ours are rows of a matrix.
        "embeddings.patch_embeddings.projection.weight": "out c row column -> out (c row column)",
    },
)
_REQUIRED = {"model_type": "dinov2", "qkv_bias": True, "use_swiglu_ffn": False}

HEAD_WIDTH = 64  # of every published DINOv2; an ONNX graph has no other word for it
MOST_BYTES = 2**31  # beyond it a protobuf, which ONNX is, cannot be read at all


def read_dinov2_config(path):
    """Return the fields of a DINOv2Config from a config.json.

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
            "d_ff": raw["hidden_size"] * raw.get("mlp_ratio", 4),
            "dropout": raw.get("hidden_dropout_prob", 0.0),
            "eps": raw.get("layer_norm_eps", 1e-6),
            "layer_scale": raw.get("layerscale_value", 1.0),
        }

    return read_config(path, "DINOv2", _REQUIRED, fields, ("hidden_act", "gelu"))


def read_dinov2_onnx(path):
    """Return the fields of a DINOv2Config and the tensors, named as in `transformers`, of an ONNX.

    Such a file is a graph of computations, exported from `transformers`. What it keeps under its
    own name is read by that name; matrices lost theirs, but the MatMul nodes that use them, on the
    other side of the product, say which they are. What does not stand below "backbone", a head of
    another program for instance, is left alone.
    Raises DamagedFileError for a file that is truncated, no ONNX, or of another model.
    """
    graph = _graph(path)
    held = {tensor.name: tensor for tensor in graph.initializer}
    places = {name: name.removeprefix("backbone.") for name in held if name.startswith("backbone.")}
    positions = {}
    for node in graph.node:
        if not node.name.startswith("/backbone/"):
            continue
        for name in node.input:
            if name not in held or name in places:
                continue
            if node.op_type == "MatMul":
                places[name] = _path(node.name) + ".weight"
            elif _path(node.name) == "embeddings" and node.op_type in ("Concat", "Reshape"):
                positions[node.op_type] = name  # of [CLS], and of the patches
    tensors = {place: _tensor(path, held[name]) for name, place in places.items()}
    for name, place in places.items():
        if not name.startswith("backbone."):
            tensors[place] = tensors[place].T
    if positions.keys() != {"Concat", "Reshape"}:
        raise _foreign(path, "no position vectors")
    parts = [_tensor(path, held[positions[kind]]) for kind in ("Concat", "Reshape")]
    if any(part.dim() != 3 or part.size(2) != parts[0].size(2) for part in parts):
        raise _foreign(path, f"positions of {' and '.join(str(tuple(p.shape)) for p in parts)}")
    tensors["embeddings.position_embeddings"] = torch.cat(parts, dim=1)  # (1, 1 + N, D)
    return _sizes(path, tensors), tensors


def _sizes(path, tensors):
    patches = tensors.get("embeddings.patch_embeddings.projection.weight")
    hidden = tensors.get("encoder.layer.0.mlp.fc1.bias")
    if patches is None or patches.dim() != 4 or hidden is None:
        raise _foreign(path, "no patch projection, or no first layer")
    d_model, channels, patch_size, _ = patches.shape
    layers = {re.match(r"encoder\.layer\.(\d{1,9})\.", name) for name in tensors} - {None}
    side = math.isqrt(tensors["embeddings.position_embeddings"].size(1) - 1)
    return {
        "image_size": side * patch_size,
        "patch_size": patch_size,
        "channels": channels,
        "d_model": d_model,
        "n_layers": len({found.group(1) for found in layers}),
        "n_heads": max(d_model // HEAD_WIDTH, 1),
        "d_ff": hidden.numel(),
    }


def _graph(path):
    import onnx  # here: nobody who reads other files should wait for it
    from google.protobuf.message import DecodeError

    if path.stat().st_size >= MOST_BYTES:
        raise DamagedFileError(f"{path} is too large for an ONNX file: 2 GB or more")
    try:
        # Not from other files: a name inside this one could point anywhere on the disk.
        return onnx.load(path, load_external_data=False).graph
    except (DecodeError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is truncated or no ONNX file ({error}); install or fetch it again"
        ) from error


def _tensor(path, stored):
    """Return one tensor of the graph, a copy; its bytes must be as many as its shape says."""
    n_numbers = math.prod(stored.dims) if all(size > 0 for size in stored.dims) else -1
    if stored.data_type != stored.FLOAT or len(stored.raw_data) != 4 * n_numbers:
        raise DamagedFileError(
            f"{path} is damaged or no DINOv2: {stored.name} should be float32 of shape "
            f"{tuple(stored.dims)}, it holds {len(stored.raw_data):,} bytes of type "
            f"{stored.data_type}"
        )
    return torch.frombuffer(bytearray(stored.raw_data), dtype=torch.float32).view(*stored.dims)


def _path(node):
    """Return the path of the part that a node belongs to.

    >>> _path("/backbone/encoder/layer.3/mlp/fc1/MatMul")
    'encoder.layer.3.mlp.fc1'
    """
    return node.removeprefix("/backbone/").rpartition("/")[0].replace("/", ".")


def _foreign(path, found):
    return DamagedFileError(
        f"{path} is damaged or of another model: expected the graph of a Dinov2Model named "
        f"backbone, found {found}"
    )
