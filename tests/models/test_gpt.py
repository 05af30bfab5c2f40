import json
import socket

import pytest
import torch
from foreign_decoders import assert_equal, batch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MaskError,
    MissingDataError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.interpret import Uniform, Zero, intervene, trace
from tutorial_lib.models import BERT, GPT, GPTConfig, ViT, count_parameters
from tutorial_lib.models.gpt_sizes import GPT1, GPT2, GPT3

transformers = pytest.importorskip("transformers")

# Odd on purpose: nothing that could hide a swapped axis.
SIZES = {
    "small": {"n_embd": 6, "n_head": 2, "n_layer": 1},
    "one head": {"n_embd": 5, "n_head": 1, "n_layer": 3},
    "many heads": {"n_embd": 21, "n_head": 7, "n_layer": 12},
    "narrow": {"n_embd": 10, "n_head": 5, "n_inner": 7},
    "relu": {"n_embd": 6, "n_head": 3, "activation_function": "relu"},
    "exact": {"n_embd": 6, "n_head": 3, "activation_function": "gelu", "layer_norm_epsilon": 1e-2},
}


def theirs(kind="GPT2", **sizes):
    torch.manual_seed(0)
    options = {"vocab_size": 23, "n_positions": 11, "n_layer": 2, "n_embd": 6, "n_head": 2}
    config = getattr(transformers, f"{kind}Config")(**(options | sizes))
    config._attn_implementation = "eager"
    model = getattr(transformers, f"{kind}LMHeadModel")(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


@pytest.mark.parametrize("length", [11, 1, 4])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equals_transformers(tmp_path, sizes, length):
    other = theirs(**sizes)
    other.save_pretrained(tmp_path)
    ours = GPT.from_pretrained(tmp_path)
    ids, mask = batch(length)
    if length == 1:
        mask = torch.ones_like(mask)
    assert_equal(ours, other, ids, mask)
    assert not ours.training


def test_equals_transformers_from_shards(tmp_path):
    other = theirs(n_embd=12, n_head=3)
    other.save_pretrained(tmp_path, max_shard_size="2KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    assert_equal(GPT.from_pretrained(tmp_path), other, *batch())


def test_gpt1_equals_transformers(tmp_path):
    other = theirs("OpenAIGPT")
    other.save_pretrained(tmp_path)
    ours = GPT.from_pretrained(tmp_path)
    assert ours.config.norm == "post"
    ids, _ = batch()
    with torch.no_grad():
        expected = other(ids, output_hidden_states=True)
        assert_close(ours(ids), expected.logits, atol=1e-5, rtol=1e-5)
    for state, wanted in zip(ours.hidden_states(ids), expected.hidden_states, strict=True):
        assert_close(state, wanted, atol=1e-5, rtol=1e-5)


def test_gradients_equal_transformers(tmp_path):
    other = theirs()
    other.save_pretrained(tmp_path)
    ours = GPT.from_pretrained(tmp_path)
    ids, _ = batch()
    for model in (ours, other):
        logits = model(ids) if model is ours else model(ids).logits
        nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).backward()
    wanted = other.transformer.wte.weight.grad
    assert_close(ours.token_embedding.weight.grad, wanted, atol=1e-5, rtol=1e-4)
    wanted = other.transformer.h[0].attn.c_attn.weight.grad.T
    assert_close(ours.blocks[0].attention.qkv.weight.grad, wanted, atol=1e-5, rtol=1e-4)


def test_names_and_buffers_of_the_released_files(tmp_path):
    other = theirs()
    other.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    old = {name.removeprefix("transformer."): tensor for name, tensor in load_file(path).items()}
    for layer in range(2):
        old[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 11, 11).tril()
        old[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    old["lm_head.weight"] = old["wte.weight"].clone()
    save_file(old, path)
    assert_equal(GPT.from_pretrained(tmp_path), other, *batch())
    save_file(old | {"lm_head.weight": old["wte.weight"] + 1}, path)
    with pytest.raises(DamagedFileError, match=r"lm_head\.weight differs from wte\.weight"):
        GPT.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "bert"}, "model_type is 'bert', GPT needs 'gpt2' or 'openai-gpt'"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings is False, GPT needs True"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx is True"),
        ({"activation_function": "silu"}, "activation_function is 'silu', known are gelu"),
        ({"n_embd": None}, "d_model must be a whole number of at least 1, got None"),
        ({"n_embd": 7}, "2 heads do not divide d_model 7"),
        ({"vocab_size": 24}, r"wte.weight is \(23, 6\), the model needs \(24, 6\)"),
        ({"n_inner": 9}, r"c_fc.weight is \(24, 6\), the model needs \(9, 6\)"),
        ({"n_layer": 1}, r"surplus \(12\): h.1.attn"),
        ({"n_layer": 3}, r"missing \(12\): h.2.attn"),
    ],
)
def test_configs_that_are_refused(tmp_path, change, message):
    theirs().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises((DamagedFileError, ShapeError), match=message):
        GPT.from_pretrained(tmp_path)


def test_damaged_and_missing_files(tmp_path):
    theirs().save_pretrained(tmp_path)
    config, weights = tmp_path / "config.json", tmp_path / "model.safetensors"
    text = config.read_text()
    config.write_text(text[:40])
    with pytest.raises(DamagedFileError, match="is not usable JSON"):
        GPT.from_pretrained(tmp_path)
    config.unlink()
    with pytest.raises(MissingDataError, match=r"holds no config\.json"):
        GPT.from_pretrained(tmp_path)
    config.write_text(text)
    tensors = load_file(weights)
    save_file(tensors | {"transformer.h.0.attn.c_attn.weight": torch.zeros(6)}, weights)
    with pytest.raises(DamagedFileError, match=r"must have the axes rows columns, got \(6,\)"):
        GPT.from_pretrained(tmp_path)
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(DamagedFileError, match="truncated"):
        GPT.from_pretrained(tmp_path)
    with pytest.raises(MissingDataError, match="there is no folder"):
        GPT.from_pretrained(tmp_path / "nowhere")


@pytest.mark.parametrize("model", [GPT, BERT, ViT])
def test_a_name_without_a_network_is_one_clear_message(model, monkeypatch, tmp_path):
    def refuse(*_args, **_options):
        raise OSError("the network is blocked in this test")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(MissingDataError, match="not in the cache and the hub cannot be reached"):
        model.from_pretrained("someone/model")


# --- behaviour ------------------------------------------------------------------------------


def tiny(**changes):
    torch.manual_seed(0)
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = GPT(GPTConfig(**(sizes | changes))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


IDS = torch.tensor([[1, 5, 2, 7, 0, 3]])


def test_the_future_cannot_be_seen():
    model = tiny()
    changed = IDS.clone()
    changed[0, 4] = 8
    assert torch.equal(model(changed)[:, :4], model(IDS)[:, :4])
    assert not torch.allclose(model(changed)[:, 4:], model(IDS)[:, 4:])


def test_padding_changes_nothing_for_real_tokens():
    model = tiny()
    mask = torch.tensor([[True] * 3 + [False] * 3])
    assert_close(model(IDS, mask)[:, :3], model(IDS[:, :3]), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_cached_equals_uncached(norm):
    model = tiny(norm=norm)
    ids = torch.cat([IDS, IDS.flip(1)])
    for parts in ([1] * 6, [3, 1, 2], [6]):
        cache = model.new_cache(batch=2)
        read = [model(part, cache=cache) for part in ids.split(parts, dim=1)]
        assert_close(torch.cat(read, dim=1), model(ids), atol=1e-5, rtol=1e-5)
        assert len(cache) == 6
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    cache = model.new_cache(batch=2)
    model(ids[:, :5], mask[:, :5], cache)
    expected = model(ids, mask)[:, 5:]
    assert_close(model(ids[:, 5:], mask, cache), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_the_last_logits_alone_are_those_of_all(norm):
    model = tiny(norm=norm)
    cache = model.new_cache()
    last = model(IDS, cache=cache, last_only=True)
    assert last.shape == (1, 1, model.config.vocab_size)
    assert len(cache) == 6
    assert_close(last, model(IDS)[:, -1:], atol=1e-6, rtol=1e-5)


@torch.no_grad()
def test_a_reordered_cache_goes_on_from_other_rows():
    model = tiny()
    ids = torch.cat([IDS, IDS.flip(1)])
    cache = model.new_cache(batch=2)
    model(ids[:, :3], cache=cache)
    cache.reorder(torch.tensor([1, 1]))
    expected = model(torch.cat([ids[[1, 1], :3], ids[:, 3:4]], dim=1))[:, 3:]
    assert_close(model(ids[:, 3:4], cache=cache), expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_attention_is_seen_traced_and_broken():
    model = tiny()
    expected = model(IDS)
    with capture_attention(model) as maps:
        assert torch.equal(model(IDS), expected)
    assert [m.shape for m in maps.decoder] == [(1, 2, 6, 6)] * 2
    assert not maps[0].triu(1).any()
    story = trace(model, IDS)
    assert torch.equal(story["output"].tensor, expected)
    assert story["output"].axes == "B T V"
    assert_close(story["embedding sum"].tensor, model.embed(IDS))
    assert_close(story["layer 1 weights"].tensor, maps[1])
    assert story["final norm"].formula == "LayerNorm(layer 1 feed forward sum)"
    with intervene(model, Zero(layer=1, head=0)):
        assert not torch.allclose(model(IDS), expected)
    with intervene(model, Uniform(layer=0, head=1)), capture_attention(model) as maps:
        model(IDS)
    assert_close(maps[0][0, 1, 3], torch.tensor([0.25] * 4 + [0] * 2))
    assert torch.equal(model(IDS), expected)


def test_the_start_is_gentle():
    torch.manual_seed(0)
    config = GPTConfig(vocab_size=99, context=8, d_model=64, n_layers=8, n_heads=4)
    model = GPT(config)
    loss = nn.functional.cross_entropy(model(IDS)[0, :-1], IDS[0, 1:])
    assert loss.item() == pytest.approx(torch.tensor(99.0).log().item(), abs=0.15)
    assert model.blocks[0].attention.qkv.weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert model.blocks[0].attention.output.weight.std().item() == pytest.approx(0.005, rel=0.1)


@pytest.mark.parametrize(("norm", "smaller"), [("pre", 4), ("post", 1)])
def test_only_gpt2_starts_with_smaller_residual_weights(norm, smaller):
    torch.manual_seed(0)
    sizes = {"vocab_size": 99, "context": 8, "d_model": 64, "n_layers": 8, "n_heads": 4}
    model = GPT(GPTConfig(**sizes, norm=norm))
    for block in model.blocks:
        for layer in (block.attention.output, block.feed_forward.output):
            assert layer.weight.std().item() == pytest.approx(0.02 / smaller, rel=0.1)
        for layer in (block.attention.qkv, block.feed_forward.hidden):
            assert layer.weight.std().item() == pytest.approx(0.02, rel=0.1)


def test_save_and_load(tmp_path):
    model = tiny(norm="post")
    path = tmp_path / "gpt.safetensors"
    model.save(path)
    again = GPT.load(path)
    assert again.config == model.config
    assert torch.equal(again(IDS), model(IDS))
    assert not again.training
    with pytest.raises(DamagedFileError, match="should hold a BERT, it holds GPT"):
        BERT.load(path)
    save_file({"a": torch.ones(1)}, path)
    with pytest.raises(DamagedFileError, match="should hold a GPT, it holds no model of this"):
        GPT.load(path)
    save_file({"a": torch.ones(1)}, path, {"model": "GPT", "config": '{"n_lawyers": 2}'})
    with pytest.raises(DamagedFileError, match=r"not hold a GPT that can be built .*n_lawyers"):
        GPT.load(path)
    save_file({"a": torch.ones(1)}, path, {"model": "GPT"})
    with pytest.raises(DamagedFileError, match="does not say what sizes it has"):
        GPT.load(path)
    save_file(
        {"a": torch.ones(1)}, path, {"model": "GPT", "config": '{"d_model": 12, "n_layers": 1}'}
    )
    with pytest.raises(DamagedFileError, match="these weights do not fit GPT"):
        GPT.load(path)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(DamagedFileError, match="truncated or no safetensors file"):
        GPT.load(path)
    with pytest.raises(MissingDataError, match="there is no file"):
        GPT.load(tmp_path / "nothing.safetensors")


def test_bad_input_is_named():
    model = tiny()
    with pytest.raises(VocabularyError, match="ids must lie between 0 and 8, got 9"):
        model(torch.tensor([[1, 9]]))
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        model(torch.zeros(1, 7, dtype=torch.long))
    cache = model.new_cache()
    with torch.no_grad():
        model(IDS, cache=cache)
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        model(IDS[:, :1], cache=cache)
    with pytest.raises(ShapeError, match=r"ids must be torch\.long.*got torch\.float32 \(1, 6\)"):
        model(IDS.float())
    with pytest.raises(ShapeError, match="at least one token"):
        model(IDS[:, :0])
    with pytest.raises(ShapeError, match=r"each token read, \(1, 6\), got \(1, 5\)"):
        model(IDS, torch.ones(1, 5, dtype=torch.bool))
    with pytest.raises(ShapeError, match=r"must be torch\.bool.*got torch\.int64"):
        model(IDS, torch.ones_like(IDS))
    with pytest.raises(MaskError, match="sequence 0 begins with padding"):
        model(IDS, IDS != 1)
    with pytest.raises(MaskError, match="sequence 0 of the batch is all padding"):
        model(IDS, IDS > 8)


def test_bad_sizes_are_named():
    with pytest.raises(ShapeError, match="5 heads do not divide d_model 8"):
        GPTConfig(d_model=8, n_heads=5)
    with pytest.raises(ShapeError, match="context must be a whole number of at least 1, got 0"):
        GPTConfig(context=0)
    with pytest.raises(ValueError, match="dropout must lie between 0 and 1"):
        GPTConfig(dropout=-0.1)
    with pytest.raises(ValueError, match="norm must be one of 'pre', 'post', got 'rms'"):
        GPTConfig(norm="rms")
    with pytest.raises(ValueError, match=r"size must be one of 'small', .*'175B', got 'ada'"):
        GPTConfig.gpt3("ada")


# --- published sizes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "counted"),
    [
        (GPTConfig.gpt1(), 116_534_784),
        (GPTConfig.gpt2("small"), 124_439_808),
        (GPTConfig.gpt2("medium"), 354_823_168),
        (GPTConfig.gpt2("large"), 774_030_080),
        (GPTConfig.gpt2("XL"), 1_557_611_200),
        (GPTConfig.gpt3("small"), 125_226_240),
        (GPTConfig.gpt3("XL"), 1_315_723_264),
    ],
)
def test_parameters_of_published_sizes(config, counted):
    assert count_parameters(config) == counted


def test_gpt3_is_what_the_paper_prints():
    for size, row in GPT3.items():
        assert count_parameters(GPTConfig.gpt3(size)) == pytest.approx(row.parameters, rel=0.03)
    xl = GPT3["XL"]
    missing = xl.n_heads * xl.d_head - xl.d_model  # 24 heads of 128 are wider than the model
    more = xl.n_layers * (4 * xl.d_model * missing + 3 * missing)
    as_printed = count_parameters(GPTConfig.gpt3("XL")) + more
    assert as_printed == pytest.approx(1.517e9, rel=1e-3)
    with pytest.raises(ShapeError, match="40 heads do not divide d_model 5140"):
        GPTConfig.gpt3("13B", d_model=GPT3["13B"].d_model)


def test_configs_hold_the_rows_of_the_tables():
    for size, row in GPT2.items():
        config = GPTConfig.gpt2(size)
        assert (config.n_layers, config.d_model) == (row.n_layers, row.d_model)
        assert config.d_model == row.n_heads * row.d_head
    assert GPTConfig.gpt1().n_layers == GPT1.n_layers
    assert GPTConfig.gpt3().context == 2048
    assert GPTConfig.gpt2("XL", dropout=0.1).dropout == 0.1


def test_a_compiled_model_stays_in_one_graph():
    model = tiny()
    whole = torch.compile(model, backend="eager", fullgraph=True)
    mask = torch.tensor([[True] * 3 + [False] * 3])
    assert_close(whole(IDS, mask), model(IDS, mask))
