import json

import pytest
import torch
from foreign_decoders import assert_equal, batch
from safetensors.torch import load_file, save_file
from small_llama import small, write_gguf
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import GroupedQueryAttention, capture_attention
from tutorial_lib.decoding import generate
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MissingDataError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.files import gguf_in
from tutorial_lib.interpret import Patch, Uniform, Zero, head_output, intervene, trace
from tutorial_lib.models import GPT, Llama, LlamaConfig, count_parameters
from tutorial_lib.models.llama_sizes import LLAMA, SMOLLM2
from tutorial_lib.objectives import next_token_loss, shifted
from tutorial_lib.positions import rotate
from tutorial_lib.tokenizers import encode_chat

transformers = pytest.importorskip("transformers")

# Odd on purpose: nothing that could hide a swapped axis.
SIZES = {
    "a third of the heads": {},
    "one head for all": {"num_key_value_heads": 1},
    "a head for each": {"num_key_value_heads": 6, "num_hidden_layers": 1},
    "two for ten": {"hidden_size": 20, "num_attention_heads": 10, "num_key_value_heads": 2},
    "one head": {"hidden_size": 10, "num_attention_heads": 1, "num_key_value_heads": 1},
    "untied": {"tie_word_embeddings": False},
    "another base": {"rope_parameters": {"rope_theta": 7.0, "rope_type": "default"}},
    "large eps": {"rms_norm_eps": 0.3, "intermediate_size": 5},
}


def theirs(**sizes):
    torch.manual_seed(0)
    options = {
        "vocab_size": 23,
        "max_position_embeddings": 11,
        "num_hidden_layers": 3,
        "hidden_size": 36,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "intermediate_size": 17,
        "tie_word_embeddings": True,
    }
    config = transformers.LlamaConfig(**(options | sizes))
    config._attn_implementation = "eager"
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equals_transformers(tmp_path, sizes):
    other = theirs(**sizes)
    other.save_pretrained(tmp_path)
    ours = Llama.from_pretrained(tmp_path)
    assert_equal(ours, other, *batch())
    assert not ours.training


def test_gradients_equal_transformers(tmp_path):
    other = theirs()
    other.save_pretrained(tmp_path)
    ours = Llama.from_pretrained(tmp_path)
    ids, _ = batch()
    for model in (ours, other):
        logits = model(ids) if model is ours else model(ids).logits
        logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None]).sum().backward()
    wanted = other.model.embed_tokens.weight.grad
    assert_close(ours.token_embedding.weight.grad, wanted, atol=1e-4, rtol=1e-4)
    wanted = other.model.layers[0].self_attn.v_proj.weight.grad
    assert_close(ours.blocks[0].attention.qkv.weight.grad[-12:], wanted, atol=1e-4, rtol=1e-4)


def change_config(folder, drop=(), **changes):
    path = folder / "config.json"
    raw = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in raw.items() if name not in drop}))


def test_what_a_file_does_not_say_is_the_default_of_its_family(tmp_path):
    plain = {"num_key_value_heads": 6, "tie_word_embeddings": False}
    other = theirs(**plain)
    other.save_pretrained(tmp_path)
    unsaid = ("rms_norm_eps", "rope_parameters", "num_key_value_heads", "tie_word_embeddings")
    change_config(tmp_path, (*unsaid, "head_dim", "hidden_act", "attention_dropout"))
    ours = Llama.from_pretrained(tmp_path)
    assert (ours.config.eps, ours.config.base, ours.config.tied) == (1e-6, 10_000.0, False)
    assert_equal(ours, other, *batch())


def test_older_files_say_the_base_elsewhere_and_repeat_tied_weights(tmp_path):
    other = theirs(rope_parameters={"rope_theta": 7.0, "rope_type": "default"})
    other.save_pretrained(tmp_path)
    change_config(tmp_path, ("rope_parameters",), rope_theta=7.0, rope_scaling=None)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(3)
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"].clone()
    save_file(tensors, path)
    assert_equal(Llama.from_pretrained(tmp_path), other, *batch())
    tensors["lm_head.weight"] += 1
    save_file(tensors, path)
    with pytest.raises(DamagedFileError, match=r"lm_head\.weight differs from embed_tokens"):
        Llama.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "mistral"}, "model_type is 'mistral', Llama needs 'llama'"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu', Llama needs 'silu'"),
        ({"attention_bias": True}, "attention_bias is True, Llama needs False"),
        ({"mlp_bias": True}, "mlp_bias is True"),
        ({"sliding_window": 4}, "sliding_window is 4, Llama needs None"),
        ({"head_dim": 4}, "head_dim is 4, Llama needs hidden_size / heads, 6"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "angles are .*linear.* plain ones"),
        ({"rope_parameters": {"rope_type": "llama3"}}, "angles are .*llama3"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor"),
        ({"rope_parameters": [1]}, "is no model configuration"),
        ({"rope_parameters": {"rope_theta": 0}}, "base must be a number above 0, got 0"),
        ({"tie_word_embeddings": False}, r"missing \(1\): lm_head\.weight"),
        ({"tie_word_embeddings": "yes"}, "tied must be True or False, got 'yes'"),
        ({"num_key_value_heads": 4}, "4 heads of keys and values cannot be shared evenly by 6"),
        ({"num_key_value_heads": 3}, r"k_proj.weight is \(12, 36\), the model needs \(18, 36\)"),
        ({"num_attention_heads": 0}, "is no model configuration"),
        ({"num_attention_heads": 4, "head_dim": None}, "d_model / n_heads must be even, got 36"),
        ({"num_hidden_layers": 10**9}, "1,000,000,000 layers, but 29 tensors"),
        (
            {"hidden_size": 10**6 * 6, "head_dim": None},
            r"k_proj.weight must have the axes .*12, 36",
        ),
        ({"intermediate_size": None}, "d_ff must be a whole number of at least 1, got None"),
        ({"rms_norm_eps": -1}, "eps must be a number above 0, got -1"),
    ],
)
def test_configs_that_are_refused(tmp_path, change, message):
    theirs().save_pretrained(tmp_path)
    assert Llama.from_pretrained(tmp_path)
    change_config(tmp_path, **change)
    with pytest.raises(DamagedFileError, match=message):
        Llama.from_pretrained(tmp_path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(MissingDataError, match=r"neither config\.json nor a \.gguf file"):
        Llama.from_pretrained(tmp_path)
    with pytest.raises(MissingDataError, match="there is no folder"):
        Llama.from_pretrained(tmp_path / "nowhere")


# --- GGUF -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"tied": False}, {"n_kv_heads": 1}, {"n_kv_heads": 6}, {"d_model": 24, "eps": 0.25}],
    ids=str,
)
@torch.no_grad()
def test_a_gguf_equals_what_transformers_reads_in_it(tmp_path, changes):
    model = small(**changes)
    write_gguf(model, tmp_path / "small.gguf")
    ours = Llama.from_pretrained(tmp_path)
    assert ours.config == model.config
    ids, _ = batch()
    assert torch.equal(ours(ids), model(ids))
    other = transformers.LlamaForCausalLM.from_pretrained(tmp_path, gguf_file="small.gguf")
    assert_close(ours(ids), other(ids).logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"general.architecture": "gemma"}, "a model of the kind 'gemma', not a 'llama'"),
        ({"llama.block_count": None}, "does not say 'block_count'"),
        ({"llama.block_count": 4}, r"missing \(9\): blk\.3"),
        ({"llama.block_count": 10**9}, "1,000,000,000 layers, but 29 tensors"),
        ({"llama.embedding_length": "wide"}, "is no description of a Llama"),
        ({"llama.embedding_length": 6 * 10**8}, "dimension_count is 6, Llama needs 100000000"),
        ({"llama.attention.head_count": 0}, "is no description of a Llama"),
        ({"llama.attention.head_count": [6, 6, 6]}, "is no description of a Llama"),
        ({"llama.attention.head_count_kv": [2, 2, 2]}, "n_kv_heads must be a whole number"),
        ({"llama.attention.head_count_kv": 3}, r"attn_k.weight is \(12, 36\), .* needs \(18, 36\)"),
        ({"llama.attention.key_length": 4}, "attention.key_length is 4, Llama needs 6"),
        ({"llama.rope.dimension_count": 4}, "rope.dimension_count is 4, Llama needs 6"),
        ({"llama.rope.scaling.type": "yarn"}, "rope.scaling.type is 'yarn', Llama needs 'none'"),
        ({"llama.rope.freq_base": -1.0}, r"base must be a number above 0, got -1\.0"),
        ({"llama.expert_count": 8}, "expert_count is 8, Llama needs 0"),
        ({"llama.attention.sliding_window": 4}, "sliding_window is 4"),
        ({"llama.context_length": -1}, "context must be a whole number of at least 1, got -1"),
        ({"leave_out": ("blk.1.attn_v.weight",)}, r"missing \(1\): blk\.1\.attn_v"),
        ({"leave_out": ("token_embd.weight",)}, r"does not say 'token_embd\.weight'"),
    ],
)
def test_ggufs_that_are_refused(tmp_path, facts, message):
    write_gguf(small(), tmp_path / "small.gguf", **facts)
    with pytest.raises(DamagedFileError, match=message):
        Llama.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rope_freqs.weight", "scales its rotary angles, which Llama does not"),
        ("blk.0.attn_q.bias", r"surplus \(1\): blk\.0\.attn_q\.bias"),
    ],
)
def test_other_tensors_in_a_gguf_are_refused(tmp_path, name, message):
    write_gguf(small(), tmp_path / "small.gguf", more={name: torch.ones(3)})
    with pytest.raises(DamagedFileError, match=message):
        Llama.from_pretrained(tmp_path)


# --- behaviour ------------------------------------------------------------------------------


IDS = torch.tensor([[1, 5, 2, 7, 0, 3]])


@torch.no_grad()
def test_equals_the_formulas_written_out():
    model, (ids, _) = small(), batch()
    ahead = torch.ones(11, 11, dtype=torch.bool).triu(1)
    x = model.token_embedding.weight[ids]
    for block in model.blocks:
        normed = nn.functional.rms_norm(x, (36,), block.attention_norm.weight, 1e-5)
        w_q, w_k, w_v = block.attention.qkv.weight.split([36, 12, 12])
        q, k, v = ((normed @ w.T).unflatten(-1, (-1, 6)).transpose(1, 2) for w in (w_q, w_k, w_v))
        heads = []
        for head in range(6):  # heads 0, 1, 2 share the first keys and values
            shared = head // 3
            scores = rotate(q[:, head], base=50) @ rotate(k[:, shared], base=50).mT / 6**0.5
            heads.append(scores.masked_fill(ahead, -torch.inf).softmax(-1) @ v[:, shared])
        x = x + torch.cat(heads, -1) @ block.attention.output.weight.T
        part = block.feed_forward
        normed = nn.functional.rms_norm(x, (36,), block.feed_forward_norm.weight, 1e-5)
        gate, hidden = normed @ part.gate.weight.T, normed @ part.hidden.weight.T
        x = x + (gate * gate.sigmoid() * hidden) @ part.output.weight.T
    x = nn.functional.rms_norm(x, (36,), model.final_norm.weight, 1e-5)
    assert_close(model(ids), x @ model.token_embedding.weight.T, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_cached_equals_uncached():
    model = small().double()
    ids, mask = batch()
    for parts in ([1] * 11, [3, 1, 7], [11]):
        cache = model.new_cache(batch=3)
        read = [model(part, cache=cache) for part in ids.split(parts, dim=1)]
        assert_close(torch.cat(read, dim=1), model(ids))
    cache = model.new_cache(batch=3)
    model(ids[:, :8], mask[:, :8], cache)
    assert_close(model(ids[:, 8:], mask, cache), model(ids, mask)[:, 8:])
    last = model(ids, last_only=True)
    assert last.shape == (3, 1, 23)
    assert_close(last, model(ids)[:, -1:])
    options = {"max_new_tokens": 20, "temperature": 0.8, "seed": 0, "slide": 4}
    prompts = [[1, 2, 3], [4]]
    assert generate(model, prompts, **options) == generate(model, prompts, cached=False, **options)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 6])
def test_the_cache_is_as_small_as_its_keys_and_values(n_kv_heads):
    cache = small(n_kv_heads=n_kv_heads).new_cache(batch=2, context=7)
    assert [layer.keys.shape for layer in cache.layers] == [(2, n_kv_heads, 7, 6)] * 3
    assert [layer.values.shape for layer in cache.layers] == [(2, n_kv_heads, 7, 6)] * 3


@torch.no_grad()
def test_the_future_cannot_be_seen_and_padding_changes_nothing():
    model = small()
    changed = IDS.clone()
    changed[0, 4] = 8
    assert torch.equal(model(changed)[:, :4], model(IDS)[:, :4])
    assert not torch.allclose(model(changed)[:, 4:], model(IDS)[:, 4:])
    mask = torch.tensor([[True] * 3 + [False] * 3])
    assert_close(model(IDS, mask)[:, :3], model(IDS[:, :3]), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_attention_is_seen_traced_and_broken():
    model = small()
    expected = model(IDS)
    with capture_attention(model) as maps:
        assert torch.equal(model(IDS), expected)
    assert [m.shape for m in maps.decoder] == [(1, 6, 6, 6)] * 3
    assert not maps[0].triu(1).any()
    story = trace(model, IDS)
    assert torch.equal(story["output"].tensor, expected)
    assert story["output"].formula == "final norm · token embedding tableᵀ"
    assert_close(story["layer 1 weights"].tensor, maps[1])
    with intervene(model, Zero(layer=1, head=4)), capture_attention(model) as changed:
        silent = trace(model, IDS)
        assert not torch.allclose(model(IDS), expected)
    heads = silent["layer 1 heads"].tensor
    assert not heads[:, 4].any()
    others = [0, 1, 2, 3, 5]  # heads that share its keys and values go on as they were
    assert torch.equal(heads[:, others], story["layer 1 heads"].tensor[:, others])
    assert torch.equal(changed[1], maps[1])
    with intervene(model, Uniform(layer=0, head=1)), capture_attention(model) as maps:
        model(IDS)
    assert_close(maps[0][0, 1, 3], torch.tensor([0.25] * 4 + [0] * 2))
    own = [Patch(n, h, head_output(model, n, h, IDS)) for n in range(3) for h in range(6)]
    with intervene(model, *own):
        assert_close(model(IDS), expected, atol=1e-5, rtol=1e-5)
    with intervene(model, Patch(2, 5, head_output(model, 2, 5, IDS.flip(1)))):
        assert not torch.allclose(model(IDS), expected)
    assert torch.equal(model(IDS), expected)


@pytest.mark.parametrize("tied", [True, False])
def test_save_load_and_hidden_states(tmp_path, tied):
    model = small(tied=tied)
    model.save(tmp_path / "llama.safetensors")
    again = Llama.load(tmp_path / "llama.safetensors")
    assert again.config == model.config
    with torch.no_grad():
        assert torch.equal(again(IDS), model(IDS))
        states = again.hidden_states(IDS)
        assert len(states) == 4
        assert torch.equal(states[0], model.token_embedding(IDS))
        assert_close(again.logits(states[-1]), model(IDS), atol=1e-5, rtol=1e-5)
    with pytest.raises(DamagedFileError, match="should hold a GPT, it holds Llama"):
        GPT.load(tmp_path / "llama.safetensors")


def test_the_start_is_gentle_and_learns():
    torch.manual_seed(0)
    model = LlamaConfig(99, 8, 64, 4, 4, 2, 96, dropout=0.1).build()
    log_n = torch.tensor(99.0).log().item()
    loss = next_token_loss(model, shifted(IDS))
    assert loss.item() == pytest.approx(log_n, abs=0.2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        loss = next_token_loss(model, shifted(IDS))
        loss.backward()
        optimizer.step()
    assert all(parameter.grad is not None for parameter in model.parameters())
    assert loss.item() < 0.5


def test_bad_input_is_named():
    model = small(context=6)
    with pytest.raises(VocabularyError, match="ids must lie between 0 and 22, got 23"):
        model(torch.tensor([[1, 23]]))
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        model(torch.zeros(1, 7, dtype=torch.long))
    layer = model.blocks[0].attention
    with pytest.raises(ShapeError, match="rotary positions need one sequence"):
        layer(torch.zeros(1, 3, 36), context=torch.zeros(1, 3, 36))
    with pytest.raises(ShapeError, match="4 heads of keys and values cannot be shared evenly by 6"):
        GroupedQueryAttention(36, 6, 4)
    with pytest.raises(ShapeError, match="0 heads of keys and values"):
        GroupedQueryAttention(36, 6, 0)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"n_kv_heads": 2}, ShapeError, "2 heads of keys and values cannot be shared .* by 9"),
        ({"n_kv_heads": 0}, ShapeError, "n_kv_heads must be a whole number of at least 1, got 0"),
        ({"n_heads": 5}, ShapeError, "5 heads do not divide d_model 576"),
        ({"d_model": 27}, ShapeError, "d_model / n_heads must be even, got 27 / 9"),
        ({"base": float("inf")}, ValueError, "base must be a number above 0, got inf"),
        ({"base": True}, ValueError, "base must be a number above 0, got True"),
        ({"tied": 1}, ValueError, "tied must be True or False, got 1"),
        ({"eps": 0}, ValueError, "eps must be a number above 0, got 0"),
        ({"dropout": 1}, ValueError, "dropout must lie between 0 and 1, got 1"),
    ],
)
def test_bad_sizes_are_named(changes, error, message):
    with pytest.raises(error, match=message):
        LlamaConfig(**changes)


def test_published_sizes():
    for size, row in SMOLLM2.items():
        counted = count_parameters(LlamaConfig.smollm2(size))
        assert counted == pytest.approx(row.parameters, rel=0.01)
    assert count_parameters(LlamaConfig.smollm2()) == 134_515_008
    for size, row in LLAMA.items():
        assert count_parameters(LlamaConfig.llama(size)) == pytest.approx(row.parameters, rel=0.01)
    assert count_parameters(LlamaConfig.llama("7B")) == 6_738_415_616
    with pytest.raises(ValueError, match=r"size must be one of '135M', .* got '7B'"):
        LlamaConfig.smollm2("7B")


# --- SmolLM2 --------------------------------------------------------------------------------


def test_smollm2_knows_the_capital_of_france(smollm2, smollm2_tokenizer):
    assert smollm2.config == LlamaConfig.smollm2()
    assert {parameter.dtype for parameter in smollm2.parameters()} == {torch.float32}
    prompt = smollm2_tokenizer.encode("The capital of France is")
    written = generate(smollm2, prompt, 4)
    assert smollm2_tokenizer.decode(written[len(prompt) :]).startswith(" Paris")
    assert generate(smollm2, prompt, 4, cached=False) == written


def test_smollm2_answers_a_chat(smollm2, smollm2_tokenizer):
    prompt = encode_chat(
        smollm2_tokenizer, [{"role": "user", "content": "What is the capital of France?"}]
    )
    end = smollm2_tokenizer.special_tokens["<|im_end|>"]
    answer = generate(smollm2, prompt, 20, stop=end)[len(prompt) :]
    assert answer[-1] == end
    assert "Paris" in smollm2_tokenizer.decode(answer)


@pytest.mark.sweep  # of a small file: test_a_gguf_equals_what_transformers_reads_in_it
@torch.no_grad()
def test_smollm2_equals_transformers_reading_the_same_file(
    smollm2, smollm2_tokenizer, smollm2_files
):
    name = gguf_in(smollm2_files).name
    other = transformers.LlamaForCausalLM.from_pretrained(smollm2_files, gguf_file=name)
    text = "To be, or not to be: that is the question. In 1599 <|im_end|> naïve 日本\n\n    x = 12"
    ids = torch.tensor([smollm2_tokenizer.encode(text)])
    expected = other(ids, output_hidden_states=True)
    for state, wanted in zip(smollm2.hidden_states(ids), expected.hidden_states, strict=True):
        assert_close(state, wanted, atol=2e-2, rtol=1e-4)
    assert_close(smollm2(ids), expected.logits, atol=5e-4, rtol=1e-4)
