"""How the files of others describe a BERT: their names for its tensors, their config.json."""

from collections.abc import Callable
from dataclasses import dataclass

from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config


@dataclass(frozen=True)
class Foreign:
    """How other programs write one family of models.

    family: its name in messages; names: of the tensors; required: options of config.json that
    would change what is computed, and what is understood here; fields(raw): the sizes for our
    config; heads: field of our config -> how the names of the tensors of that part begin;
    activation: the name of its option, and the family's default; None: fields returns it;
    token_classifier: the class whose "classifier" labels tokens, where those of others read whole
    texts; None: no classifier is read.
    """

    family: str
    names: ForeignNames
    required: dict
    fields: Callable
    heads: dict
    activation: tuple | None = ("hidden_act", "gelu")
    token_classifier: str | None = None

    def read_config(self, path):
        """Return the fields of our config from a config.json, and "architectures", its classes.

        Raises as `config.read_config` does.
        """

        def fields(raw):
            return self.fields(raw) | {"architectures": tuple(raw.get("architectures") or ())}

        return read_config(path, self.family, self.required, fields, self.activation)

    def heads_in(self, tensors, architectures):
        """Return the fields of our config that ask for exactly the parts which the tensors hold.

        architectures: the classes that config.json names.
        """
        bare = {self.names.bare(name): tensor for name, tensor in tensors.items()}
        parts = {
            field: any(name.startswith(prefix) for name in bare)
            for field, prefix in self.heads.items()
        }
        if self.token_classifier and "classifier.bias" in bare:
            of_tokens = self.token_classifier in architectures
            parts["n_labels" if of_tokens else "n_classes"] = bare["classifier.bias"].numel()
        return parts


def weights_and_biases(table):
    """Return a table of names of layers as one of their weights and biases.

    >>> weights_and_biases({"pooler": "pooler.dense"})["pooler.bias"]
    'pooler.dense.bias'
    """
    return {
        f"{ours}.{kind}": (
            f"{theirs}.{kind}"
            if isinstance(theirs, str)
            else tuple(f"{part}.{kind}" for part in theirs)
        )
        for ours, theirs in table.items()
        for kind in ("weight", "bias")
    }


_LAYER = "encoder.layer.{n}"
TABLES = {
    "token_embedding.weight": "embeddings.word_embeddings.weight",
    "segment_embedding.weight": "embeddings.token_type_embeddings.weight",
    "position_embedding.weight": "embeddings.position_embeddings.weight",
}
BODY = TABLES | weights_and_biases(
    {
        "embedding_norm": "embeddings.LayerNorm",
        "blocks.{n}.attention.qkv": tuple(
            f"{_LAYER}.attention.self.{part}" for part in ("query", "key", "value")
        ),
        "blocks.{n}.attention.output": f"{_LAYER}.attention.output.dense",
        "blocks.{n}.attention_norm": f"{_LAYER}.attention.output.LayerNorm",
        "blocks.{n}.feed_forward.hidden": f"{_LAYER}.intermediate.dense",
        "blocks.{n}.feed_forward.output": f"{_LAYER}.output.dense",
        "blocks.{n}.feed_forward_norm": f"{_LAYER}.output.LayerNorm",
        "pooler": "pooler.dense",
    }
)
OLD_SPELLINGS = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
BUFFERS = ("embeddings.position_ids",)  # it only counts 0, 1, 2, ...

NAMES = ForeignNames(
    table=BODY
    | {"mlm_head.bias": "cls.predictions.bias"}
    | weights_and_biases(
        {
            "mlm_head.transform": "cls.predictions.transform.dense",
            "mlm_head.norm": "cls.predictions.transform.LayerNorm",
            "nsp_head": "cls.seq_relationship",
            # Both go by one name, but no file has both.
            "sequence_head": "classifier",
            "token_head": "classifier",
            "span_head": "qa_outputs",
        }
    ),
    prefixes=("bert.",),
    replaced=OLD_SPELLINGS,
    ignored=BUFFERS,
    tied={
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
)

# Options that would change what is computed, and the only value understood here.
PLAIN_ENCODER = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}


def sizes(raw):
    """Return the fields that BERT and most of its descendants spell alike."""
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
    }


FOREIGN = Foreign(
    "BERT",
    NAMES,
    {"model_type": "bert"} | PLAIN_ENCODER,
    sizes,
    heads={
        "pooler": "pooler.",
        "mlm": "cls.predictions.",
        "nsp": "cls.seq_relationship.",
        "span": "qa_outputs.",
    },
    token_classifier="BertForTokenClassification",
)
