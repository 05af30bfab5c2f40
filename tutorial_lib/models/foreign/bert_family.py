"""How the files of others describe BERT's descendants."""

from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.bert import (
    BODY,
    BUFFERS,
    OLD_SPELLINGS,
    PLAIN_ENCODER,
    TABLES,
    Foreign,
    sizes,
    weights_and_biases,
)


def _roberta_sizes(raw):
    pad_id = raw.get("pad_token_id", 1)
    # Their table of positions has rows that are never read: those up to the padding's id.
    context = raw["max_position_embeddings"] - pad_id - 1
    return sizes(raw) | {"pad_id": pad_id, "context": context}


ROBERTA = Foreign(
    "RoBERTa",
    ForeignNames(
        table=BODY
        | {"mlm_head.bias": "lm_head.bias"}
        | weights_and_biases(
            {"mlm_head.transform": "lm_head.dense", "mlm_head.norm": "lm_head.layer_norm"}
        ),
        prefixes=("roberta.",),
        replaced=OLD_SPELLINGS,
        ignored=BUFFERS,
        tied={
            "lm_head.decoder.weight": "embeddings.word_embeddings.weight",
            "lm_head.decoder.bias": "lm_head.bias",
        },
    ),
    {"model_type": ("roberta", "xlm-roberta")} | PLAIN_ENCODER,
    _roberta_sizes,
    heads={"pooler": "pooler.", "mlm": "lm_head."},
)

_ALBERT_LAYER = "encoder.albert_layer_groups.{n}.albert_layers.0"
ALBERT = Foreign(
    "ALBERT",
    ForeignNames(
        table=TABLES
        | {"mlm_head.bias": "predictions.bias"}
        | weights_and_biases(
            {
                "embedding_norm": "embeddings.LayerNorm",
                "widen": "encoder.embedding_hidden_mapping_in",
                "blocks.{n}.attention.qkv": tuple(
                    f"{_ALBERT_LAYER}.attention.{part}" for part in ("query", "key", "value")
                ),
                "blocks.{n}.attention.output": f"{_ALBERT_LAYER}.attention.dense",
                "blocks.{n}.attention_norm": f"{_ALBERT_LAYER}.attention.LayerNorm",
                "blocks.{n}.feed_forward.hidden": f"{_ALBERT_LAYER}.ffn",
                "blocks.{n}.feed_forward.output": f"{_ALBERT_LAYER}.ffn_output",
                "blocks.{n}.feed_forward_norm": f"{_ALBERT_LAYER}.full_layer_layer_norm",
                "pooler": "pooler",
                "mlm_head.transform": "predictions.dense",
                "mlm_head.norm": "predictions.LayerNorm",
                "order_head": "sop_classifier.classifier",
            }
        ),
        prefixes=("albert.",),
        ignored=BUFFERS,
        tied={
            "predictions.decoder.weight": "embeddings.word_embeddings.weight",
            "predictions.decoder.bias": "predictions.bias",
        },
    ),
    # Groups of layers, and several layers in a group, were tried and left: all released ones share.
    {"model_type": "albert", "num_hidden_groups": 1, "inner_group_num": 1} | PLAIN_ENCODER,
    lambda raw: (
        sizes(raw)
        | {"embedding_size": raw["embedding_size"], "dropout": raw.get("hidden_dropout_prob", 0.0)}
    ),
    heads={"pooler": "pooler.", "mlm": "predictions.", "order": "sop_classifier."},
    activation=("hidden_act", "gelu_new"),
)

_DISTILBERT_LAYER = "transformer.layer.{n}"
DISTILBERT = Foreign(
    "DistilBERT",
    ForeignNames(
        table={name: TABLES[name] for name in TABLES if not name.startswith("segment")}
        | {"mlm_head.bias": "vocab_projector.bias"}
        | weights_and_biases(
            {
                "embedding_norm": "embeddings.LayerNorm",
                "blocks.{n}.attention.qkv": tuple(
                    f"{_DISTILBERT_LAYER}.attention.{part}_lin" for part in "qkv"
                ),
                "blocks.{n}.attention.output": f"{_DISTILBERT_LAYER}.attention.out_lin",
                "blocks.{n}.attention_norm": f"{_DISTILBERT_LAYER}.sa_layer_norm",
                "blocks.{n}.feed_forward.hidden": f"{_DISTILBERT_LAYER}.ffn.lin1",
                "blocks.{n}.feed_forward.output": f"{_DISTILBERT_LAYER}.ffn.lin2",
                "blocks.{n}.feed_forward_norm": f"{_DISTILBERT_LAYER}.output_layer_norm",
                "mlm_head.transform": "vocab_transform",
                "mlm_head.norm": "vocab_layer_norm",
            }
        ),
        prefixes=("distilbert.",),
        ignored=BUFFERS,
        tied={"vocab_projector.weight": "embeddings.word_embeddings.weight"},
    ),
    {"model_type": "distilbert"},
    lambda raw: {
        "vocab_size": raw["vocab_size"],
        "context": raw["max_position_embeddings"],
        "d_model": raw["dim"],
        "n_layers": raw["n_layers"],
        "n_heads": raw["n_heads"],
        "d_ff": raw["hidden_dim"],
        "dropout": raw.get("dropout", 0.1),
    },
    heads={"mlm": "vocab_"},
    activation=("activation", "gelu"),
)

ELECTRA = Foreign(
    "ELECTRA",
    ForeignNames(
        table={name: theirs for name, theirs in BODY.items() if not name.startswith("pooler")}
        | {"mlm_head.bias": "generator_lm_head.bias"}
        | weights_and_biases(
            {
                "widen": "embeddings_project",
                "mlm_head.transform": "generator_predictions.dense",
                "mlm_head.norm": "generator_predictions.LayerNorm",
                "replaced_head.transform": "discriminator_predictions.dense",
                "replaced_head.output": "discriminator_predictions.dense_prediction",
            }
        ),
        prefixes=("electra.",),
        replaced=OLD_SPELLINGS,
        ignored=BUFFERS,
        tied={"generator_lm_head.weight": "embeddings.word_embeddings.weight"},
    ),
    {"model_type": "electra"} | PLAIN_ENCODER,
    lambda raw: sizes(raw) | {"embedding_size": raw["embedding_size"]},
    heads={"mlm": "generator_", "replaced": "discriminator_predictions."},
)


def _xlm_sizes(raw):
    several = raw.get("use_lang_emb", True)
    n_languages = raw.get("n_langs", 1) if several else 1
    ids = raw.get("lang2id") or {}
    named = n_languages > 1 and sorted(ids.values()) == list(range(n_languages))
    return {
        "vocab_size": raw["vocab_size"] if "vocab_size" in raw else raw["n_words"],
        "context": raw.get("max_position_embeddings", 512),
        "d_model": raw["emb_dim"],
        "n_layers": raw["n_layers"],
        "n_heads": raw["n_heads"],
        "dropout": raw.get("dropout", 0.1),
        "eps": raw.get("layer_norm_eps", 1e-12),
        "activation": "gelu" if raw.get("gelu_activation", True) else "relu",
        "n_languages": n_languages,
        "language_names": " ".join(sorted(ids, key=ids.get)) if named else None,
    }


XLM = Foreign(
    "XLM",
    ForeignNames(
        table={
            "token_embedding.weight": "embeddings.weight",
            "position_embedding.weight": "position_embeddings.weight",
            "language_embedding.weight": "lang_embeddings.weight",
            "mlm_head.bias": "pred_layer.proj.bias",
        }
        | weights_and_biases(
            {
                "embedding_norm": "layer_norm_emb",
                "blocks.{n}.attention.qkv": tuple(f"attentions.{{n}}.{part}_lin" for part in "qkv"),
                "blocks.{n}.attention.output": "attentions.{n}.out_lin",
                "blocks.{n}.attention_norm": "layer_norm1.{n}",
                "blocks.{n}.feed_forward.hidden": "ffns.{n}.lin1",
                "blocks.{n}.feed_forward.output": "ffns.{n}.lin2",
                "blocks.{n}.feed_forward_norm": "layer_norm2.{n}",
            }
        ),
        prefixes=("transformer.",),
        ignored=("position_ids",),
        tied={"pred_layer.proj.weight": "embeddings.weight"},
    ),
    # An adaptive softmax, and reading from left to right, were options of its program.
    {"model_type": "xlm", "asm": False, "causal": False, "is_encoder": True},
    _xlm_sizes,
    heads={"mlm": "pred_layer."},
    activation=None,
)
