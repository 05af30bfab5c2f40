"""How the files of others describe a Llama: config.json and safetensors, or the facts of a GGUF."""

from tutorial_lib.errors import DamagedFileError
from tutorial_lib.files import ForeignNames
from tutorial_lib.models.foreign.config import read_config

# Ours -> the names of `transformers`, then of llama.cpp.
_LAYER = {
    "attention_norm": ("input_layernorm", "attn_norm"),
    "attention.output": ("self_attn.o_proj", "attn_output"),
    "feed_forward_norm": ("post_attention_layernorm", "ffn_norm"),
    "feed_forward.gate": ("mlp.gate_proj", "ffn_gate"),
    "feed_forward.hidden": ("mlp.up_proj", "ffn_up"),
    "feed_forward.output": ("mlp.down_proj", "ffn_down"),
}
_REST = {
    "token_embedding": ("embed_tokens", "token_embd"),
    "final_norm": ("norm", "output_norm"),
    "output_layer": ("lm_head", "output"),
}

# Options of config.json that would change what is computed, and the only value understood here.
_REQUIRED = {
    "model_type": "llama",
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "sliding_window": None,
}
# The same in the facts of a GGUF, after "llama."; 0 stands for what is not there.
_PLAIN = {
    "rope.scaling.type": "none",
    "rope.scale_linear": 1.0,
    "attention.sliding_window": 0,
    "expert_count": 0,
}


def safetensors_names(config):
    """Return the ForeignNames of a file of `transformers`, for a LlamaConfig.

    There the rotary pairs of a head are the first half of its numbers and the second; ours are
    neighbours. So the rows of queries and keys change places.
    """
    pairs = ("(head half pair) d -> (head pair half) d", _in_pairs(config))
    return ForeignNames(
        table=_table(0, "layers.{n}", [f"self_attn.{part}_proj" for part in "qkv"]),
        prefixes=("model.",),
        ignored=("layers.{n}.self_attn.rotary_emb.inv_freq",),  # the angles: we compute them
        rearranged={f"layers.{{n}}.self_attn.{part}_proj.weight": pairs for part in "qk"},
        tied={"lm_head.weight": "embed_tokens.weight"} if config.tied else {},
        rows=_rows(config),
    )


def gguf_names(config):
    """Return the ForeignNames of a GGUF, for a LlamaConfig: its pairs are neighbours, as ours."""
    table = _table(1, "blk.{n}", [f"attn_{part}" for part in "qkv"])
    return ForeignNames(table=table, rows=_rows(config))


def read_llama_config(path):
    """Return the fields of a LlamaConfig from a config.json.

    Raises as `config.read_config` does.
    """

    def fields(raw):
        width, n_heads = raw["hidden_size"], raw["num_attention_heads"]
        if raw.get("head_dim") not in (None, width // n_heads):
            raise DamagedFileError(
                f"{path}: head_dim is {raw['head_dim']!r}, Llama needs hidden_size / heads, "
                f"{width // n_heads}"
            )
        return {
            "vocab_size": raw["vocab_size"],
            "context": raw["max_position_embeddings"],
            "d_model": width,
            "n_layers": raw["num_hidden_layers"],
            "n_heads": n_heads,
            "n_kv_heads": raw.get("num_key_value_heads") or n_heads,
            "d_ff": raw["intermediate_size"],
            "base": _base(path, raw),
            "eps": raw.get("rms_norm_eps", 1e-6),
            "dropout": raw.get("attention_dropout", 0.0),
            "tied": raw.get("tie_word_embeddings", False),
        }

    return read_config(path, "Llama", _REQUIRED, fields)


def read_llama_facts(file):
    """Return the fields of a LlamaConfig from the facts of a GGUF.

    Raises DamagedFileError when they are not there, or ask for what a Llama does not compute.
    """
    kind = file.facts.get("general.architecture")
    if kind != "llama":
        raise DamagedFileError(f"{file.path} holds a model of the kind {kind!r}, not a 'llama'")
    facts = {name.removeprefix("llama."): value for name, value in file.facts.items()}
    try:
        width, n_heads = facts["embedding_length"], facts["attention.head_count"]
        widths = ("rope.dimension_count", "attention.key_length", "attention.value_length")
        for name, value in (_PLAIN | dict.fromkeys(widths, width // n_heads)).items():
            if facts.get(name, value) != value:
                raise DamagedFileError(
                    f"{file.path}: {name} is {facts[name]!r}, Llama needs {value!r}"
                )
        if "rope_freqs.weight" in file.tensors:
            raise DamagedFileError(f"{file.path} scales its rotary angles, which Llama does not")
        return {
            "vocab_size": file.tensors["token_embd.weight"].shape[0],
            "context": facts["context_length"],
            "d_model": width,
            "n_layers": facts["block_count"],
            "n_heads": n_heads,
            "n_kv_heads": facts.get("attention.head_count_kv", n_heads),
            "d_ff": facts["feed_forward_length"],
            "base": _decimal(facts.get("rope.freq_base", 10_000.0)),
            "eps": _decimal(facts["attention.layer_norm_rms_epsilon"]),
            "tied": "output.weight" not in file.tensors,
        }
    except KeyError as error:
        raise DamagedFileError(f"{file.path} does not say {error}") from error
    except (TypeError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, DamagedFileError):
            raise
        raise DamagedFileError(f"{file.path} is no description of a Llama ({error})") from error


def _table(side, layer, qkv):
    """Return our name -> theirs; side 0 is `transformers`, 1 llama.cpp."""
    table = {f"{ours}.weight": f"{names[side]}.weight" for ours, names in _REST.items()}
    table |= {
        f"blocks.{{n}}.{ours}.weight": f"{layer}.{names[side]}.weight"
        for ours, names in _LAYER.items()
    }
    stacked = tuple(f"{layer}.{name}.weight" for name in qkv)
    return table | {"blocks.{n}.attention.qkv.weight": stacked}


def _rows(config):
    shared = config.d_model // config.n_heads * config.n_kv_heads
    return {"blocks.{n}.attention.qkv.weight": (config.d_model, shared, shared)}


def _in_pairs(config):
    return {"half": 2, "pair": config.d_model // config.n_heads // 2}


def _base(path, raw):
    """Return the base of the rotary angles: newer files name it among the rope_parameters."""
    newer = raw.get("rope_parameters") or {}
    for rope in (newer, raw.get("rope_scaling") or {}):
        kind = rope.get("rope_type", rope.get("type", "default"))
        if kind != "default" or rope.get("partial_rotary_factor", 1.0) != 1.0:
            raise DamagedFileError(
                f"{path}: its rotary angles are {rope}, Llama computes the plain ones"
            )
    return newer.get("rope_theta", raw.get("rope_theta", 10_000.0))


def _decimal(number):
    """Return a float32 as its shortest decimal: 1e-05, not 9.999999747378752e-06."""
    return float(f"{number:.7g}")
