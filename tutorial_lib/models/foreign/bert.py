"""How the files of others describe a BERT: their names for its tensors, their config.json."""

from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

_LAYER = "encoder.layer.{n}"
FOREIGN_NAMES = ForeignNames(
    table={
        "token_embedding.weight": "embeddings.word_embeddings.weight",
        "segment_embedding.weight": "embeddings.token_type_embeddings.weight",
        "position_embedding.weight": "embeddings.position_embeddings.weight",
        "mlm_head.bias": "cls.predictions.bias",
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
            "pooler": "pooler.dense",
            "mlm_head.transform": "cls.predictions.transform.dense",
            "mlm_head.norm": "cls.predictions.transform.LayerNorm",
            "nsp_head": "cls.seq_relationship",
            # Both go by one name, but no file has both.
            "sequence_head": "classifier",
            "token_head": "classifier",
            "span_head": "qa_outputs",
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
    ignored=("embeddings.position_ids",),  # a buffer that only counts 0, 1, 2, ...
    tied={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
)

# Options that would change what is computed, and the only value understood here.
_REQUIRED = {
    "model_type": "bert",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}


def read_bert_config(path):
    """Return the fields of a BERTConfig from a config.json, and the names of its architectures.

    Raises as `config.read_config` does.
    """

    def fields(raw):
        return {
            "vocab_size": raw["vocab_size"],
            "context": raw["max_position_embeddings"],
            "d_model": raw["hidden_size"],
            "n_layers": raw["num_hidden_layers"],
            "n_heads": raw["num_attention_heads"],
            "d_ff": raw["intermediate_size"],
            "dropout": raw.get("hidden_dropout_prob", 0.1),
            "n_segments": raw.get("type_vocab_size", 2),
            "eps": raw.get("layer_norm_eps", 1e-12),
            "architectures": tuple(raw.get("architectures") or ()),
        }

    return read_config(path, "BERT", _REQUIRED, fields, ("hidden_act", "gelu"))


def heads_in(tensors, architectures):
    """Return the fields of a BERTConfig that ask for exactly the heads which the tensors hold.

    architectures, from config.json, tell a classifier of tokens from one of whole texts.
    """
    bare = {FOREIGN_NAMES.bare(name): tensor for name, tensor in tensors.items()}

    def has(prefix):
        return any(name.startswith(prefix) for name in bare)

    parts = {
        "pooler": has("pooler."),
        "mlm": has("cls.predictions."),
        "nsp": has("cls.seq_relationship."),
        "span": has("qa_outputs."),
    }
    if "classifier.bias" in bare:
        of_tokens = "BertForTokenClassification" in architectures
        parts["n_labels" if of_tokens else "n_classes"] = bare["classifier.bias"].numel()
    return parts
