"""How the files of others describe a BERT: their names for its tensors, their config.json."""

import json
from pathlib import Path

from tutorial_lib.blocks import ACTIVATIONS
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.weights import ForeignNames

_LAYER = "encoder.layer.{n}"
FOREIGN_NAMES = ForeignNames(
    table={
        "token_embedding.weight": "embeddings.word_embeddings.weight",
        "segment_embedding.weight": "embeddings.token_type_embeddings.weight",
        "position_embedding.weight": "embeddings.position_embeddings.weight",
        "pooler.weight": "pooler.dense.weight",
        "pooler.bias": "pooler.dense.bias",
    }
    | {
        f"{ours}.{kind}": f"{theirs}.{kind}"
        for kind in ("weight", "bias")
        for ours, theirs in {
            "embedding_norm": "embeddings.LayerNorm",
            "blocks.{n}.attention.output": f"{_LAYER}.attention.output.dense",
            "blocks.{n}.attention_norm": f"{_LAYER}.attention.output.LayerNorm",
            "blocks.{n}.feed_forward.hidden": f"{_LAYER}.intermediate.dense",
            "blocks.{n}.feed_forward.output": f"{_LAYER}.output.dense",
            "blocks.{n}.feed_forward_norm": f"{_LAYER}.output.LayerNorm",
        }.items()
    }
    | {
        f"blocks.{{n}}.attention.qkv.{kind}": tuple(
            f"{_LAYER}.attention.self.{part}.{kind}" for part in ("query", "key", "value")
        )
        for kind in ("weight", "bias")
    },
    prefixes=("bert.",),
    replaced={"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"},
    # A buffer that only counts 0, 1, 2, ...; the heads of pre-training.
    ignored=("embeddings.position_ids", "cls."),
)

_ACTIVATION_NAMES = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh"}
# Options that would change what is computed, and the only value understood here.
_REQUIRED = {
    "model_type": "bert",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}


def read_config(path):
    """Return the fields of a BERTConfig from a config.json in Hugging Face's spelling.

    Raises MissingDataError without the file, DamagedFileError when it is damaged or asks for
    something that this model does not compute.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"{path.parent} holds no {path.name}")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        for name, required in _REQUIRED.items():
            if raw.get(name, required) != required:
                raise DamagedFileError(f"{path}: {name} is {raw[name]!r}, BERT needs {required!r}")
        activation = raw.get("hidden_act", "gelu")
        activation = _ACTIVATION_NAMES.get(activation, activation)
        if activation not in ACTIVATIONS:
            known = ", ".join(sorted({*ACTIVATIONS, *_ACTIVATION_NAMES}))
            raise DamagedFileError(f"{path}: hidden_act is {activation!r}, known are {known}")
        return {
            "vocab_size": raw["vocab_size"],
            "context": raw["max_position_embeddings"],
            "d_model": raw["hidden_size"],
            "n_layers": raw["num_hidden_layers"],
            "n_heads": raw["num_attention_heads"],
            "d_ff": raw["intermediate_size"],
            "dropout": raw.get("hidden_dropout_prob", 0.0),
            "n_segments": raw.get("type_vocab_size", 2),
            "eps": raw.get("layer_norm_eps", 1e-12),
            "activation": activation,
        }
    except KeyError as error:
        raise DamagedFileError(f"{path} does not say {error}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError, TypeError) as error:
        raise DamagedFileError(f"{path} is no model configuration ({error})") from error
