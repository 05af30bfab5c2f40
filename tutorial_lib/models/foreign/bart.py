"""How the files of others describe a BART: their names for its tensors, their config.json."""

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.bert import weights_and_biases
from tutorial_lib.models.foreign.config import read_config


def _layers(stack, attentions):
    ours, theirs = f"{stack}_blocks.{{n}}", f"{stack}.layers.{{n}}"
    table = {
        f"{ours}.feed_forward.hidden": f"{theirs}.fc1",
        f"{ours}.feed_forward.output": f"{theirs}.fc2",
        f"{ours}.feed_forward_norm": f"{theirs}.final_layer_norm",
    }
    for our_part, their_part in attentions.items():
        table |= {
            f"{ours}.{our_part}.qkv": tuple(f"{theirs}.{their_part}.{k}_proj" for k in "qkv"),
            f"{ours}.{our_part}.output": f"{theirs}.{their_part}.out_proj",
            f"{ours}.{our_part}_norm": f"{theirs}.{their_part}_layer_norm",
        }
    return table


NAMES = ForeignNames(
    table={
        "source_embedding.weight": "shared.weight",
        "target_embedding.weight": "shared.weight",
        "source_positions.weight": "encoder.embed_positions.weight",
        "target_positions.weight": "decoder.embed_positions.weight",
        "output_bias": "final_logits_bias",
    }
    | weights_and_biases(
        {
            "source_norm": "encoder.layernorm_embedding",
            "target_norm": "decoder.layernorm_embedding",
        }
        | _layers("encoder", {"attention": "self_attn"})
        | _layers("decoder", {"attention": "self_attn", "cross_attention": "encoder_attn"})
    ),
    prefixes=("model.",),
    rearranged={"final_logits_bias": "one tokens -> (one tokens)"},
    tied={
        "encoder.embed_tokens.weight": "shared.weight",
        "decoder.embed_tokens.weight": "shared.weight",
        "lm_head.weight": "shared.weight",
    },
)


def read_bart_config(path):
    """Return the fields of our BARTConfig from a config.json; raises as `config.read_config`."""

    def fields(raw):
        # Ours has one number of heads and one width; the released models do, too.
        for name in ("attention_heads", "ffn_dim"):
            both = [raw[f"{stack}_{name}"] for stack in ("encoder", "decoder")]
            if both[0] != both[1]:
                raise DamagedFileError(
                    f"{path}: {name} is {both[0]} in the encoder, {both[1]} in the decoder; "
                    "BART needs one number"
                )
        return {
            "vocab_size": raw["vocab_size"],
            "context": raw["max_position_embeddings"],
            "d_model": raw["d_model"],
            "n_layers": raw["encoder_layers"],
            "n_decoder_layers": raw["decoder_layers"],
            "n_heads": raw["encoder_attention_heads"],
            "d_ff": raw["encoder_ffn_dim"],
            "dropout": raw.get("dropout", 0.1),
            "pad_id": raw.get("pad_token_id", 1),
        }

    required = {"model_type": "bart", "scale_embedding": False}
    return read_config(path, "BART", required, fields, ("activation_function", "gelu"))
