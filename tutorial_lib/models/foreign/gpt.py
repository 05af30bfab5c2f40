"""How the files of others describe a GPT-1 or GPT-2: names of tensors, config.json."""

from pathlib import Path

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames, read_json
from tutorial_lib.models.foreign.config import read_config

_TABLE = {
    f"blocks.{{n}}.{ours}.{kind}": f"h.{{n}}.{theirs}.{kind}"
    for kind in ("weight", "bias")
    for ours, theirs in {
        "attention.qkv": "attn.c_attn",
        "attention.output": "attn.c_proj",
        "attention_norm": "ln_1",
        "feed_forward.hidden": "mlp.c_fc",
        "feed_forward.output": "mlp.c_proj",
        "feed_forward_norm": "ln_2",
    }.items()
}


def _names(tokens, positions):
    return ForeignNames(
        table=_TABLE
        | {
            "token_embedding.weight": f"{tokens}.weight",
            "position_embedding.weight": f"{positions}.weight",
            "final_norm.weight": "ln_f.weight",
            "final_norm.bias": "ln_f.bias",
        },
        prefixes=("transformer.",),
        # Old files hold the causal mask and the number that stood for minus infinity.
        ignored=("h.{n}.attn.bias", "h.{n}.attn.masked_bias", "position_ids"),
        # Their linear layers keep the weights the other way round.
        rearranged={
            f"h.{{n}}.{layer}.weight": "rows columns -> columns rows"
            for layer in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
        },
        tied={"lm_head.weight": f"{tokens}.weight"},
    )


FOREIGN_NAMES = {
    "gpt2": _names("wte", "wpe"),
    "openai-gpt": _names("tokens_embed", "positions_embed"),
}


def read_gpt_config(path):
    """Return the kind of model ("gpt2" or "openai-gpt") and the fields of its GPTConfig.

    Raises as `config.read_config` does.
    """
    kind = _kind(Path(path))
    required = {"model_type": kind, "tie_word_embeddings": True, "add_cross_attention": False}
    required |= {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False}

    def fields(raw):
        return {
            "vocab_size": raw["vocab_size"],
            "context": raw["n_positions"],
            "d_model": raw["n_embd"],
            "n_layers": raw["n_layer"],
            "n_heads": raw["n_head"],
            "d_ff": raw.get("n_inner"),
            "dropout": raw.get("resid_pdrop", 0.1),
            "eps": raw.get("layer_norm_epsilon", 1e-5),
            "norm": "pre" if kind == "gpt2" else "post",
        }

    activation = ("activation_function", "gelu_new") if kind == "gpt2" else ("afn", "gelu")
    sizes = read_config(path, "GPT", required, fields, activation)
    if kind == "openai-gpt" and sizes["activation"] == "gelu":
        sizes["activation"] = "gelu_tanh"  # GPT-1's files call the approximation "gelu"
    return kind, sizes


def _kind(path):
    """Return which GPT a config.json describes; what cannot be read is read_config's to report."""
    try:
        kind = read_json(path, dict).get("model_type", "gpt2")
    except (OSError, DamagedFileError):
        return "gpt2"
    if kind not in tuple(FOREIGN_NAMES):  # a list, which a damaged file may give, has no hash
        known = " or ".join(map(repr, FOREIGN_NAMES))
        raise DamagedFileError(f"{path}: model_type is {kind!r}, GPT needs {known}")
    return kind
