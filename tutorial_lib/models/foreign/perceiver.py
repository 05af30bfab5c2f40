"""How the files of others describe a Perceiver of bytes: tensor names and config.json."""

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

_LAYERS = {
    "read": "perceiver.encoder.cross_attention",
    "blocks.{n}": "perceiver.encoder.self_attends.{n}",
    "ask": "perceiver.decoder.decoding_cross_attention",
}
_PARTS = {
    "attention_norm": "attention.self.layernorm1",
    "context_norm": "attention.self.layernorm2",
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "feed_forward_norm": "layernorm",
    "feed_forward.hidden": "mlp.dense1",
    "feed_forward.output": "mlp.dense2",
}
FOREIGN_NAMES = ForeignNames(
    table={
        "latents": "perceiver.embeddings.latents",
        "token_embedding.weight": "perceiver.input_preprocessor.embeddings.weight",
        "positions.weight": "perceiver.input_preprocessor.position_embeddings.weight",
        "queries.weight": "perceiver.decoder.output_position_encodings.position_embeddings",
        "bias": "embedding_decoder.bias",
    }
    | {
        f"{ours}.{part}.{kind}": f"{theirs}.{name}.{kind}"
        for ours, theirs in _LAYERS.items()
        for part, name in _PARTS.items()
        for kind in ("weight", "bias")
    },
)
_QUERY_HEADS, _QUERY_HEAD = 8, 32  # fixed in their program (PerceiverForMaskedLM)


def read_perceiver_config(path):
    """Return the fields of a PerceiverConfig from a config.json; raises as `read_config` does."""

    def fields(raw):
        d_input, d_latent = raw["d_model"], raw["d_latents"]
        compared_as = raw.get("cross_attention_shape_for_attention", "kv")
        reading = d_latent if compared_as == "q" else d_input
        d_qk, d_value = raw.get("qk_channels"), raw.get("v_channels")
        if (d_value or d_qk or d_latent) != d_latent:
            raise DamagedFileError(
                f"{path}: v_channels must be d_latents, {d_latent}, got {d_value or d_qk}"
            )
        return {
            "d_input": d_input,
            "n_latents": raw["num_latents"],
            "d_latent": d_latent,
            "n_layers": raw["num_self_attends_per_block"],
            "n_rounds": raw.get("num_blocks", 1),
            "n_heads": raw["num_self_attention_heads"],
            "d_qk": d_qk,
            "d_ff_ratio": raw.get("self_attention_widening_factor", 1),
            "n_read_heads": raw["num_cross_attention_heads"],
            "d_read_qk": d_qk or reading,
            "d_read_value": d_value,
            "read_d_ff_ratio": raw.get("cross_attention_widening_factor", 1),
            "vocab_size": raw["vocab_size"],
            "context": raw["max_position_embeddings"],
            "d_query": d_input,
            "n_query_heads": _QUERY_HEADS,
            "d_query_qk": _QUERY_HEADS * _QUERY_HEAD,
            "dropout": raw.get("attention_probs_dropout_prob", 0.1),
        }

    required = {"model_type": "perceiver", "use_query_residual": True}
    return read_config(path, "Perceiver", required, fields, ("hidden_act", "gelu"))
