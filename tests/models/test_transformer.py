import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention, causal_mask
from tutorial_lib.errors import ContextError, MaskError, ShapeError, VocabularyError
from tutorial_lib.interpret import Uniform, Zero, intervene, trace
from tutorial_lib.models import Transformer, TransformerConfig, count_parameters
from tutorial_lib.positions import sinusoidal

SIZES = {
    "small": {"d_model": 6, "n_heads": 2, "n_layers": 1, "d_ff": 7},
    "one head": {"d_model": 10, "n_heads": 1, "n_layers": 3, "n_decoder_layers": 2},
    "many heads": {"d_model": 42, "n_heads": 7, "n_layers": 2, "n_decoder_layers": 4},
    "gelu": {"d_model": 8, "n_heads": 4, "n_layers": 2, "activation": "gelu", "eps": 1e-2},
}
SOURCE = torch.tensor([[3, 1, 4, 1, 5, 9, 2], [2, 7, 1, 8, 2, 0, 0], [9, 0, 0, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 6, 1, 8, 3], [1, 4, 1, 0, 0], [1, 0, 0, 0, 0]])


def build(**sizes):
    torch.manual_seed(0)
    options = {"source_vocab_size": 11, "context": 9, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = Transformer(TransformerConfig(**(options | sizes))).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


@torch.no_grad()
def copied_to_torch(ours):
    """Return torch's own encoder and decoder with our weights."""
    config = ours.config
    options = {"activation": config.activation, "layer_norm_eps": config.eps, "dropout": 0.0}
    options |= {"norm_first": config.norm == "pre", "batch_first": True}
    torchs = nn.Transformer(
        config.d_model,
        config.n_heads,
        num_encoder_layers=config.n_layers,
        num_decoder_layers=config.n_decoder_layers or config.n_layers,
        dim_feedforward=config.d_ff or 4 * config.d_model,
        **options,
    ).eval()
    if config.norm == "post":  # torch's normalises once more behind each stack, the paper does not
        torchs.encoder.norm = torchs.decoder.norm = None
    else:
        torchs.encoder.norm.load_state_dict(ours.encoder_norm.state_dict())
        torchs.decoder.norm.load_state_dict(ours.decoder_norm.state_dict())
    names = {"attention": "self_attn", "cross_attention": "multihead_attn"}
    for mine, its in [
        *zip(ours.encoder_blocks, torchs.encoder.layers, strict=True),
        *zip(ours.decoder_blocks, torchs.decoder.layers, strict=True),
    ]:
        for name, other in names.items():
            if hasattr(mine, name):
                layer, place = getattr(mine, name), getattr(its, other)
                place.in_proj_weight.copy_(layer.qkv.weight)
                place.in_proj_bias.copy_(layer.qkv.bias)
                place.out_proj.load_state_dict(layer.output.state_dict())
        its.linear1.load_state_dict(mine.feed_forward.hidden.state_dict())
        its.linear2.load_state_dict(mine.feed_forward.output.state_dict())
        norms = [module for module in mine.children() if isinstance(module, nn.LayerNorm)]
        for number, norm in enumerate(norms, 1):
            getattr(its, f"norm{number}").load_state_dict(norm.state_dict())
    return torchs


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equals_torch(sizes, norm):
    ours = build(**sizes, norm=norm)
    torchs = copied_to_torch(ours)
    table = ours.source_embedding.weight
    positions = sinusoidal(9, ours.config.d_model)
    x = table[SOURCE] * ours.config.d_model**0.5 + positions[:7]
    y = table[TARGET] * ours.config.d_model**0.5 + positions[:5]
    source_mask, target_mask = SOURCE != 0, TARGET != 0
    expected = torchs(
        x,
        y,
        tgt_mask=~causal_mask(5),
        src_key_padding_mask=~source_mask,
        memory_key_padding_mask=~source_mask,
        tgt_key_padding_mask=~target_mask,
    )
    logits = ours(SOURCE, TARGET, source_mask, target_mask)
    assert_close(logits, expected @ table.T, atol=1e-5, rtol=1e-5)
    mine, its = (torch.autograd.grad(out.square().mean(), table)[0] for out in
                 (logits, expected @ table.T))  # fmt: skip
    assert_close(mine, its, atol=1e-4, rtol=1e-4)
    memory = torchs.encoder(x, src_key_padding_mask=~source_mask)
    real = ours.encode(SOURCE, source_mask)[source_mask]
    assert_close(real, memory[source_mask], atol=1e-5, rtol=1e-5)


def test_parameters_of_published_sizes():
    base, big = TransformerConfig.base(), TransformerConfig.big()
    assert count_parameters(base) == 63_082_496
    assert count_parameters(big) == 214_245_376
    assert (4 * base.d_model, 4 * big.d_model, big.n_heads) == (2048, 4096, 16)
    apart = TransformerConfig.base(target_vocab_size=37_000)
    assert count_parameters(apart) == 63_082_496 + 37_000 * 512


def test_two_vocabularies():
    model = build(target_vocab_size=5)
    assert model(SOURCE, TARGET % 5).shape == (3, 5, 5)
    assert model.target_embedding.weight.shape == (5, 8)
    with pytest.raises(VocabularyError, match="target must lie between 0 and 4, got 8"):
        model(SOURCE, TARGET)


def test_the_future_cannot_be_seen_and_the_source_can():
    model = build()
    changed = TARGET.clone()
    changed[:, 3] = 7
    expected = model(SOURCE, TARGET)
    assert torch.equal(model(SOURCE, changed)[:, :3], expected[:, :3])
    assert not torch.allclose(model(SOURCE, changed)[:, 3], expected[:, 3])
    changed = SOURCE.clone()
    changed[:, 6] = 10
    assert not torch.allclose(model(changed, TARGET)[:, 0], expected[:, 0])


def test_padding_changes_nothing_for_real_tokens():
    model = build()
    source, target = SOURCE[1:2], TARGET[1:2]
    padded = model(source, target, source != 0, target != 0)
    assert_close(padded[:, :3], model(source[:, :5], target[:, :3]), atol=1e-5, rtol=1e-5)
    assert_close(padded[:, :3], model(source, target, source != 0)[:, :3], atol=1e-5, rtol=1e-5)
    assert not torch.allclose(model(source, target)[:, :3], padded[:, :3], atol=1e-3)


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_cached_equals_uncached(norm):
    model = build(norm=norm, n_decoder_layers=3)
    mask = SOURCE != 0
    memory = model.encode(SOURCE, mask)
    expected = model(SOURCE, TARGET, mask)
    for parts in ([1] * 5, [2, 1, 2], [5]):
        cache = model.new_cache(batch=3)
        read = [model.decode(part, memory, mask, cache=cache) for part in TARGET.split(parts, 1)]
        assert_close(torch.cat(read, dim=1), expected, atol=1e-5, rtol=1e-5)
        assert len(cache) == 5
    last = model.decode(TARGET, memory, mask, last_only=True)
    assert_close(last, expected[:, -1:], atol=1e-5, rtol=1e-5)
    cache = model.new_cache(batch=3)
    model.decode(TARGET[:, :2], memory, mask, cache=cache)
    rows = torch.tensor([1, 1, 2])
    cache.reorder(rows)
    out = model.decode(TARGET[:, 2:3], memory[rows], mask[rows], cache=cache)
    target = torch.cat([TARGET[rows, :2], TARGET[:, 2:3]], dim=1)
    expected = model(SOURCE[rows], target, mask[rows])[:, 2:]
    assert_close(out, expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_attention_is_seen_traced_and_broken():
    model = build(n_decoder_layers=3)
    expected = model(SOURCE, TARGET)
    with capture_attention(model) as maps:
        assert torch.equal(model(SOURCE, TARGET), expected)
    assert [m.shape for m in maps.encoder] == [(3, 2, 7, 7)] * 2
    assert [m.shape for m in maps.decoder] == [(3, 2, 5, 5)] * 3
    assert [m.shape for m in maps.cross] == [(3, 2, 5, 7)] * 3
    with intervene(model, Zero(layer=2, head=1, where="cross")):
        assert not torch.allclose(model(SOURCE, TARGET), expected)
    with (
        intervene(model, Uniform(layer=0, head=1, where="cross")),
        capture_attention(model) as maps,
    ):
        model(SOURCE, TARGET, SOURCE != 0)
    assert_close(maps.cross[0][1, 1, 0], torch.tensor([0.2] * 5 + [0.0] * 2))
    with pytest.raises(ValueError, match="give where, one of"):
        intervene(model, Zero(layer=0, head=0)).__enter__()


@pytest.mark.parametrize("vocabularies", [{}, {"target_vocab_size": 11}])
@torch.no_grad()
def test_trace_tells_both_stacks(vocabularies):
    model = build(**vocabularies)
    story = trace(model, SOURCE, TARGET)
    assert torch.equal(story["output"].tensor, model(SOURCE, TARGET))
    assert story["output"].axes == "B T V"
    assert story["source embedding sum"].formula == "source embedding + source positions"
    assert story["target embedding sum"].formula == "target embedding + target positions"
    for stack, ids in (("source", SOURCE), ("target", TARGET)):
        total = story[f"{stack} embedding"].tensor + story[f"{stack} positions"].tensor
        assert_close(story[f"{stack} embedding sum"].tensor, total)
        table = getattr(model, f"{stack}_embedding").weight
        assert_close(story[f"{stack} embedding"].tensor, table[ids] * 8**0.5)
    assert "encoder layer 1 feed forward norm" in story
    formula = story["decoder layer 0 cross keys"].formula
    assert formula.startswith("encoder layer 1 feed forward norm · W_k")


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_hidden_states_lead_to_the_logits(norm):
    model = build(norm=norm, n_decoder_layers=3)
    masks = {"source_mask": SOURCE != 0, "target_mask": TARGET != 0}
    masks = {name: mask.index_fill(1, torch.tensor(0), True) for name, mask in masks.items()}
    encoder, decoder = model.hidden_states(SOURCE, TARGET, **masks)
    assert [len(encoder), len(decoder)] == [3, 4]
    assert torch.equal(encoder[-1], model.encode(SOURCE, masks["source_mask"]))
    logits = decoder[-1] @ model.target_embedding.weight.T
    assert_close(logits, model(SOURCE, TARGET, **masks))
    story = trace(model, SOURCE, TARGET, **masks)
    name = "feed forward sum" if norm == "pre" else "feed forward norm"
    assert_close(encoder[1], story[f"encoder layer 0 {name}"].tensor)
    assert_close(decoder[2], story[f"decoder layer 1 {name}"].tensor)
    if norm == "pre":
        for states, stack in ((encoder, "encoder"), (decoder, "decoder")):
            assert_close(states[-1], story[f"{stack} norm"].tensor)


def test_save_and_load(tmp_path):
    for options in ({}, {"target_vocab_size": 11, "norm": "pre"}):
        model = build(**options)
        path = tmp_path / "model.safetensors"
        model.save(path)
        again = Transformer.load(path)
        assert torch.equal(again(SOURCE, TARGET), model(SOURCE, TARGET))
        tied = again.target_embedding.weight is again.source_embedding.weight
        assert tied == (not options)
        assert count_parameters(again) == count_parameters(model)


def test_bad_input_is_named():
    model = build()
    with pytest.raises(VocabularyError, match="source must lie between 0 and 10, got 11"):
        model(SOURCE + 2, TARGET)
    with pytest.raises(VocabularyError, match="target must lie between 0 and 10, got -1"):
        model(SOURCE, TARGET - 1)
    with pytest.raises(ContextError, match="10 tokens long, the context of this model holds 9"):
        model(torch.ones(3, 10, dtype=torch.long), TARGET)
    with pytest.raises(ContextError, match="10 tokens long, the context of this model holds 9"):
        model(SOURCE, torch.ones(3, 10, dtype=torch.long))
    with pytest.raises(ShapeError, match=r"source must be torch\.long.*got torch\.float32"):
        model(SOURCE.float(), TARGET)
    with pytest.raises(ShapeError, match=r"target must be torch\.long.*at least one token"):
        model(SOURCE, TARGET[:, :0])
    with pytest.raises(ShapeError, match=r"\(2, 5\) needs the memory .* \(2, S, 8\), got \(3, 7"):
        model(SOURCE, TARGET[:2])
    with pytest.raises(ShapeError, match=r"source_mask must have the shape of source, \(3, 7\)"):
        model(SOURCE, TARGET, source_mask=TARGET != 0)
    with pytest.raises(ShapeError, match=r"source_mask must have the shape of source, \(3, 7\)"):
        model.decode(TARGET, model.encode(SOURCE), TARGET != 0)
    with pytest.raises(ShapeError, match=r"each token read, \(3, 5\), got \(3, 7\)"):
        model(SOURCE, TARGET, target_mask=SOURCE != 0)
    with pytest.raises(MaskError, match="sequence 1 of the batch is all padding"):
        model(SOURCE, TARGET, source_mask=SOURCE[1] != SOURCE)
    with pytest.raises(MaskError, match="sequence 0 begins with padding"):
        model(SOURCE, TARGET, target_mask=TARGET != 1)


def test_bad_sizes_are_named():
    with pytest.raises(ShapeError, match="3 heads do not divide d_model 8"):
        TransformerConfig(d_model=8, n_heads=3)
    with pytest.raises(ShapeError, match=r"n_decoder_layers must be a whole number .* got 0"):
        TransformerConfig(n_decoder_layers=0)
    with pytest.raises(ShapeError, match=r"target_vocab_size must be a whole number .* got 0"):
        TransformerConfig(target_vocab_size=0)
    with pytest.raises(ShapeError, match="d_model must be even, got 9"):
        build(d_model=9, n_heads=3)
    with pytest.raises(ValueError, match="norm must be one of 'pre', 'post', got 'both'"):
        TransformerConfig(norm="both")
