import gc
import weakref

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import (
    MultiHeadAttention,
    Tap,
    attention_layers,
    capture_attention,
    causal_mask,
    is_watched,
    tapped,
)
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import Patch, Reweigh, Uniform, Zero, head_output, intervene, trace
from tutorial_lib.models import BERT, BERTConfig, GPTConfig, LlamaConfig, ModernGPTConfig
from tutorial_lib.models.blocks import Block, DecoderBlock
from tutorial_lib.positions import rotate

IDS = torch.tensor([[1, 5, 2, 7], [3, 3, 0, 0]])
MASK = torch.tensor([[True] * 4, [True, True, False, False]])


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.fixture
def bert():
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = BERT(BERTConfig(**sizes)).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model


class GPT(nn.Module):
    """A pre-norm decoder, as chapter 05's."""

    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(9, 8)
        self.blocks = nn.ModuleList(Block(8, 2, norm="pre", causal=True) for _ in range(2))
        self.final_norm = nn.LayerNorm(8)

    def forward(self, ids):
        x = self.token_embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.final_norm(x)


class Transformer(nn.Module):
    """An encoder-decoder, as chapter 04's."""

    def __init__(self):
        super().__init__()
        self.source_embedding = nn.Embedding(9, 8)
        self.target_embedding = nn.Embedding(9, 8)
        self.encoder_blocks = nn.ModuleList(Block(8, 2) for _ in range(2))
        self.decoder_blocks = nn.ModuleList(DecoderBlock(8, 2) for _ in range(2))

    def forward(self, source, target):
        x, y = self.source_embedding(source), self.target_embedding(target)
        for block in self.encoder_blocks:
            x = block(x)
        for block in self.decoder_blocks:
            y = block(y, x)
        return y


LAYER = ["queries", "keys", "values", "scores", "weights", "heads"]
LAYER += ["attention", "attention sum", "attention norm"]
LAYER += ["feed forward pre-activation", "feed forward hidden", "feed forward"]
LAYER += ["feed forward sum", "feed forward norm"]


# --- trace ----------------------------------------------------------------------------------


def test_trace_tells_the_story_in_order(bert):
    story = trace(bert, IDS, mask=MASK)
    start = ["token ids", "mask", "token embedding", "segment embedding", "position embedding"]
    start += ["embedding sum", "embedding norm"]
    assert list(story) == [
        *start,
        *(f"layer {n} {name}" for n in range(2) for name in LAYER),
        "output",
    ]
    for record in story.values():
        assert len(record.axes.split()) == record.tensor.dim()
        assert not record.tensor.requires_grad
        assert record.formula


def test_every_formula_holds(bert):
    story = {name: record.tensor for name, record in trace(bert, IDS, mask=MASK).items()}
    block = bert.blocks[1]
    x = story["layer 0 feed forward norm"]
    assert_close(
        story["embedding sum"],
        story["token embedding"] + story["segment embedding"] + story["position embedding"],
    )
    q, k, v = (story[f"layer 1 {name}"] for name in ("queries", "keys", "values"))
    expected_q = x @ block.attention.qkv.weight[:8].T + block.attention.qkv.bias[:8]
    assert_close(q.transpose(1, 2).flatten(2), expected_q)
    scores = q @ k.transpose(-2, -1) / 4**0.5
    scores = scores.masked_fill(~MASK[:, None, None], -torch.inf)
    assert_close(story["layer 1 scores"], scores)
    assert_close(story["layer 1 weights"], scores.softmax(-1))
    heads = story["layer 1 heads"]
    assert_close(heads, story["layer 1 weights"] @ v)
    joined = heads.transpose(1, 2).flatten(2)
    assert_close(story["layer 1 attention"], block.attention.output(joined))
    assert_close(story["layer 1 attention sum"], x + story["layer 1 attention"])
    normed = story["layer 1 attention norm"]
    assert_close(normed, block.attention_norm(story["layer 1 attention sum"]))
    before = story["layer 1 feed forward pre-activation"]
    assert_close(before, block.feed_forward.hidden(normed))
    assert_close(story["layer 1 feed forward hidden"], nn.functional.gelu(before))
    assert_close(story["layer 1 feed forward sum"], normed + story["layer 1 feed forward"])
    assert torch.equal(story["layer 1 feed forward norm"], story["output"])


def test_formulas_name_what_they_are_made_of(bert):
    story = trace(bert, IDS)
    formula = story["embedding sum"].formula
    assert formula == "token embedding + segment embedding + position embedding"
    assert story["layer 1 keys"].formula.startswith("layer 0 feed forward norm · W_k")
    assert story["layer 1 attention sum"].formula == (
        "layer 0 feed forward norm + layer 1 attention"
    )
    assert story["layer 0 weights"].module == "blocks.0.attention"
    pre_norm = trace(GPT(), IDS)
    assert pre_norm["layer 1 attention sum"].formula == (
        "layer 0 feed forward sum + layer 1 attention"
    )


@pytest.mark.parametrize("training", [True, False])
def test_trace_changes_no_bit_and_leaves_nothing(training):
    for model, inputs in [(GPT(), (IDS,)), (Transformer(), (IDS, IDS[:, :3]))]:
        model.train(training)
        expected = model(*inputs)
        story = trace(model, *inputs)
        assert torch.equal(story["output"].tensor, expected)
        assert torch.equal(model(*inputs), expected)
        for module in model.modules():
            assert not module._forward_hooks
            assert not module._forward_pre_hooks
            assert "attend" not in vars(module)


def test_trace_with_dropout_follows_the_same_random_numbers():
    model = BERT(BERTConfig(9, 6, 8, 2, 2, dropout=0.5))
    torch.manual_seed(3)
    expected = model(IDS)
    torch.manual_seed(3)
    story = trace(model, IDS)
    assert torch.equal(story["output"].tensor, expected)
    assert story["layer 0 attention sum"].formula == (
        "embedding norm dropout + layer 0 attention dropout"
    )


def test_trace_of_pre_norm_and_of_cross_attention():
    names = list(trace(GPT(), IDS))
    assert names[:3] == ["token ids", "token embedding", "layer 0 attention norm"]
    assert names[-3:] == ["layer 1 feed forward sum", "final norm", "output"]
    story = trace(Transformer(), IDS, IDS[:, :3])
    assert story["decoder layer 1 cross weights"].tensor.shape == (2, 2, 3, 4)
    assert story["encoder layer 1 weights"].tensor.shape == (2, 2, 4, 4)
    assert story["decoder layer 0 cross keys"].formula.startswith(
        "encoder layer 1 feed forward norm · W_k"
    )


@pytest.fixture
def modern():
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = ModernGPTConfig(**sizes).build().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model


def test_a_modern_gpt_is_told_with_its_own_parts(modern):
    layer = ["attention norm", *LAYER[:7], "attention sum", "feed forward norm"]
    layer += ["feed forward pre-activation", "feed forward hidden", "feed forward"]
    story = trace(modern, IDS)
    assert list(story) == [  # no position vectors, and no sum of one term
        "token ids",
        "token embedding",
        *(f"layer {n} {name}" for n in range(2) for name in [*layer, "feed forward sum"]),
        "final norm",
        "output",
    ]
    made = {name: record.formula for name, record in story.items()}
    assert made["layer 0 attention norm"] == "RMSNorm(token embedding)"
    assert made["layer 0 queries"] == (
        "layer 0 attention norm · W_q + b_q, cut into H heads, turned by position"
    )
    assert made["layer 1 keys"].endswith("W_k + b_k, cut into H heads, turned by position")
    assert made["layer 1 values"] == "layer 1 attention norm · W_v + b_v, cut into H heads"
    assert made["layer 1 feed forward norm"] == "RMSNorm(layer 1 attention sum)"
    assert made["layer 1 feed forward hidden"].startswith("SquaredReLU(")
    assert made["final norm"] == "RMSNorm(layer 1 feed forward sum)"
    assert made["output"] == "final norm · token embedding tableᵀ"


def test_every_formula_of_a_modern_gpt_holds(modern):
    story = {name: record.tensor for name, record in trace(modern, IDS).items()}
    block, table = modern.blocks[1], modern.token_embedding.weight
    assert_close(story["token embedding"], table[IDS])
    x = story["layer 0 feed forward sum"]
    normed = x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * block.attention_norm.weight
    assert_close(story["layer 1 attention norm"], normed)
    q, k, v = map(block.attention.split, block.attention.qkv(normed).chunk(3, dim=-1))
    q, k = rotate(q), rotate(k)
    for name, tensor in {"queries": q, "keys": k, "values": v}.items():
        assert_close(story[f"layer 1 {name}"], tensor)
    scores = (q @ k.transpose(-2, -1) / 4**0.5).masked_fill(~causal_mask(4), -torch.inf)
    assert_close(story["layer 1 scores"], scores)
    assert_close(story["layer 1 heads"], scores.softmax(-1) @ v)
    x = x + story["layer 1 attention"]
    assert_close(story["layer 1 attention sum"], x)
    hidden = block.feed_forward.hidden(block.feed_forward_norm(x)).relu().square()
    assert_close(story["layer 1 feed forward hidden"], hidden)
    assert_close(story["layer 1 feed forward sum"], x + block.feed_forward.output(hidden))
    assert_close(story["output"], story["final norm"] @ table.T)


@pytest.fixture
def llama():
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "d_ff": 5}
    model = LlamaConfig(**sizes, n_heads=4, n_kv_heads=2, tied=False).build().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model


def test_a_llama_is_told_with_its_own_parts(llama):
    layer = ["attention norm", *LAYER[:7], "attention sum", "feed forward norm"]
    layer += ["feed forward gate pre-activation", "feed forward gate", "feed forward hidden"]
    story = trace(llama, IDS)
    assert list(story) == [
        "token ids",
        "token embedding",
        *(
            f"layer {n} {name}"
            for n in range(2)
            for name in [*layer, "feed forward", "feed forward sum"]
        ),
        "final norm",
        "output layer",
        "output",
    ]
    made = {name: record.formula for name, record in story.items()}
    assert made["layer 0 queries"].endswith("norm · W_q, cut into H heads, turned by position")
    assert made["layer 0 keys"].endswith(
        "W_k, cut into 2 (each for 2 of H) heads, turned by position"
    )
    assert made["layer 0 values"].endswith("norm · W_v, cut into 2 (each for 2 of H) heads")
    assert made["layer 1 feed forward"] == "(gate * hidden) · W_2"
    assert made["output layer"] == "final norm · W"
    assert made["output"] == "what the model returns"
    for record in story.values():
        assert len(record.axes.split()) == record.tensor.dim()


def test_every_formula_of_a_llama_holds(llama):
    story = {name: record.tensor for name, record in trace(llama, IDS).items()}
    block = llama.blocks[1]
    x = story["layer 0 feed forward sum"]
    qkv = block.attention.qkv(block.attention_norm(x)).unflatten(-1, (8, 2)).transpose(1, 2)
    q, k = rotate(qkv[:, :4], base=1e5), rotate(qkv[:, 4:6], base=1e5)[:, [0, 0, 1, 1]]
    v = qkv[:, 6:][:, [0, 0, 1, 1]]
    for name, tensor in {"queries": q, "keys": k, "values": v}.items():
        assert_close(story[f"layer 1 {name}"], tensor)
    scores = (q @ k.transpose(-2, -1) / 2**0.5).masked_fill(~causal_mask(4), -torch.inf)
    assert_close(story["layer 1 scores"], scores)
    assert_close(story["layer 1 heads"], scores.softmax(-1) @ v)
    x = x + story["layer 1 attention"]
    assert_close(story["layer 1 attention sum"], x)
    part, normed = block.feed_forward, block.feed_forward_norm(x)
    assert_close(story["layer 1 feed forward gate pre-activation"], part.gate(normed))
    gate, hidden = nn.functional.silu(part.gate(normed)), part.hidden(normed)
    assert_close(story["layer 1 feed forward gate"], gate)
    assert_close(story["layer 1 feed forward hidden"], hidden)
    assert_close(story["layer 1 feed forward"], part.output(gate * hidden))
    assert_close(story["output"], llama.output_layer(story["final norm"]))


def test_position_vectors_and_missing_biases_are_told_as_they_are():
    story = trace(GPTConfig(9, 6, 8, 1, 2).build(), IDS)
    assert story["embedding sum"].formula == "token embedding + position embedding"
    assert story["layer 0 keys"].formula.endswith("W_k + b_k, cut into H heads")
    assert story["final norm"].formula == "LayerNorm(layer 0 feed forward sum)"
    plain = trace(MultiHeadAttention(8, 2, linear_bias=False), torch.randn(1, 3, 8))
    assert plain["values"].formula == "x · W_v, cut into H heads"
    assert plain["attention"].formula == "heads side by side · W_o"


def test_parts_outside_the_residual_path_are_no_sums():
    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(9, 8)
            self.readout = nn.Linear(8, 3)

        def forward(self, ids, lengths):
            return self.readout(self.embedding(ids).mean(1))

    story = trace(Reader(), IDS, torch.tensor([4, 2]))
    assert list(story) == ["token ids", "lengths", "embedding", "readout", "output"]
    assert story["lengths"].axes == "B"
    assert story["readout"].formula == "x · W + b"


def test_trace_reads_as_text(bert):
    story = trace(bert, IDS)
    lines = story.summary().splitlines()
    assert len(lines) == len(story)
    assert lines[0].split() == ["token", "ids", "B", "T", "(2,", "4)", "input"]
    assert repr(story) == f"Trace of {len(story)} tensors, from 'token ids' to the output"
    assert "B H T S = (2, 2, 4, 4)" in repr(story["layer 0 scores"])
    with pytest.raises(KeyError, match="nothing called 'logits'; the names are token ids"):
        story["logits"]


def test_a_failed_trace_leaves_nothing(bert):
    with pytest.raises(ShapeError):
        trace(bert, IDS, mask=MASK[:1])
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in bert.modules())
    assert not is_watched(bert.blocks[0].attention)


def test_a_trace_does_not_keep_the_model_alive():
    model = GPT()
    story, alive = trace(model, IDS), weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None
    assert len(story) > 20


# --- interventions --------------------------------------------------------------------------


def without_head(layer, head, heads):
    """The layer's output when one head's columns of W_o see nothing."""
    heads = heads.clone()
    heads[:, head] = 0
    return layer.output(heads.transpose(1, 2).flatten(2))


def test_zero_takes_away_one_heads_contribution(bert):
    plain = trace(bert, IDS)
    with intervene(bert, Zero(layer=0, head=1)):
        changed = trace(bert, IDS)
        output = bert(IDS)
    layer = bert.blocks[0].attention
    expected = without_head(layer, 1, plain["layer 0 heads"].tensor)
    assert_close(changed["layer 0 attention"].tensor, expected)
    assert (changed["layer 0 heads"].tensor[:, 1] == 0).all()
    assert torch.equal(changed["output"].tensor, output)
    assert not torch.allclose(output, plain["output"].tensor, atol=1e-3)
    assert torch.equal(bert(IDS), plain["output"].tensor)


def test_uniform_spreads_over_the_keys_that_may_be_seen(bert):
    with intervene(bert, Uniform(layer=1, head=0)), capture_attention(bert) as maps:
        bert(IDS, mask=MASK)
    assert_close(maps[1][0, 0], torch.full((4, 4), 0.25))
    assert_close(maps[1][1, 0], torch.tensor([0.5, 0.5, 0, 0]).expand(4, 4))
    assert not torch.allclose(maps[1][0, 1], torch.full((4, 4), 0.25), atol=1e-3)
    model = GPT()
    with intervene(model, Uniform(0, 1)), capture_attention(model) as maps:
        model(IDS)
    expected = torch.ones(4, 4).tril() / torch.arange(1.0, 5.0)[:, None]
    assert_close(maps[0][0, 1], expected)


def test_patch_brings_a_head_from_another_input(bert):
    other = IDS.flip(1)
    recorded = [head_output(bert, 1, head, other) for head in range(2)]
    assert recorded[0].shape == (2, 4, 4)
    with intervene(bert, *(Patch(1, head, recorded[head]) for head in range(2))):
        story = trace(bert, IDS)
    expected = trace(bert, other)["layer 1 attention"].tensor
    assert_close(story["layer 1 attention"].tensor, expected)
    with intervene(bert, Patch(1, 0, head_output(bert, 1, 0, IDS))):
        assert_close(bert(IDS), trace(bert, IDS)["output"].tensor)


def test_patching_a_head_with_itself_changes_nothing(bert):
    plain = bert(IDS)
    with intervene(bert, Patch(0, 1, head_output(bert, 0, 1, IDS))):
        assert_close(bert(IDS), plain)


def test_where_chooses_the_stack():
    model = Transformer()
    inputs = IDS, IDS[:, :3]
    for where, width in (("encoder", 4), ("decoder", 3), ("cross", 4)):
        with intervene(model, Uniform(1, 0, where=where)), capture_attention(model) as maps:
            model(*inputs)
        changed = getattr(maps, where)[1][0, 0, -1]
        assert_close(changed, torch.full((width,), 1 / width))
        assert head_output(model, 1, 0, *inputs, where=where).shape[-1] == 4
    with (
        pytest.raises(ValueError, match=r"several kinds of attention: give where, one of"),
        intervene(model, Zero(0, 0)),
    ):
        pass


@pytest.mark.parametrize("capture_first", [True, False])
def test_captured_maps_show_the_intervention_whichever_came_first(bert, capture_first):
    blocks = [capture_attention(bert), intervene(bert, Uniform(0, 0))]
    first, second = blocks if capture_first else reversed(blocks)
    with first as a, second as b:
        bert(IDS)
    assert_close((a or b)[0][:, 0], torch.full((2, 4, 4), 0.25))
    assert not (a or b)[0].requires_grad
    assert not is_watched(bert.blocks[0].attention)


def test_who_looks_sees_the_heads_of_an_intervention_entered_later(bert):
    class Looks(Tap):
        def __call__(self, name, tensor):
            if name == "heads":
                self.heads = tensor
            return tensor

    looks = Looks()
    with tapped([(bert.blocks[0].attention, looks)]), intervene(bert, Zero(0, 1)):
        bert(IDS)
    assert (looks.heads[:, 1] == 0).all()
    assert (looks.heads[:, 0] != 0).all()


def test_an_intervention_changes_a_copy():
    heads = torch.ones(1, 2, 3, 4)
    Zero(0, 1)("heads", heads)
    assert (heads == 1).all()


def test_the_later_intervention_has_the_last_word(bert):
    patch = Patch(0, 0, torch.ones(2, 4, 4))
    with intervene(bert, Zero(0, 0), patch):
        assert (trace(bert, IDS)["layer 0 heads"].tensor[:, 0] == 1).all()
        with intervene(bert, Zero(0, 0)):
            assert (trace(bert, IDS)["layer 0 heads"].tensor[:, 0] == 0).all()
        assert (trace(bert, IDS)["layer 0 heads"].tensor[:, 0] == 1).all()
    with intervene(bert, patch, patch):
        pass
    assert not is_watched(bert.blocks[0].attention)


def test_gradients_flow_past_a_silenced_head(bert):
    with intervene(bert, Zero(1, 0)):
        bert(IDS).square().sum().backward()
    values = bert.blocks[1].attention.qkv.weight.grad[16:]
    assert (values[:4] == 0).all()
    assert (values[4:] != 0).any()


def test_bad_interventions_are_named_and_leave_nothing(bert):
    wrong = {
        Zero(2, 0): (IndexError, "layer 2 does not exist: the encoder has layers 0 to 1"),
        Zero(-1, 0): (IndexError, "layer -1 does not exist"),
        Uniform(0, 2): (IndexError, "head 2 does not exist: there are heads 0 to 1"),
        Zero(0, 0, where="cross"): (ValueError, r"one of \['encoder'\] in this model, got 'cross'"),
    }
    for change, (error, message) in wrong.items():
        with pytest.raises(error, match=message), intervene(bert, Zero(0, 0), change):
            pass
    short = Patch(0, 0, torch.zeros(1, 3, 4))
    message = r"layer 0, head 0 has shape .* \(1, 3, 4\), this input needs \(2, 4, 4\)"
    with pytest.raises(ShapeError, match=message), intervene(bert, short):
        bert(IDS)
    with pytest.raises(TypeError, match="no attention layer"), intervene(nn.ReLU(), Zero(0, 0)):
        pass
    assert not any(is_watched(layer) for layer in attention_layers(bert))


def test_a_patch_of_a_narrow_head_changes_nothing_but_the_head():
    layer = MultiHeadAttention(d_model=6, n_heads=2)  # K = 3, T = 5: no two axes alike
    x, other = torch.randn(1, 5, 6), torch.randn(1, 5, 6)
    patch = Patch(0, 1, head_output(layer, 0, 1, other))
    with intervene(layer, patch), capture_attention(layer) as maps:
        changed = layer(x)
    with capture_attention(layer) as untouched:
        layer(x)
    assert_close(maps[0], untouched[0])
    with intervene(layer, Zero(0, 1)):
        first = layer(x)
    with intervene(layer, Zero(0, 0)):
        second = layer(other)
    assert_close(changed, first + second - layer.output.bias)


def test_a_head_with_another_map_looks_as_told_and_hands_over_its_own_values():
    layer = MultiHeadAttention(d_model=6, n_heads=2)
    x, other = torch.randn(1, 5, 6), torch.randn(1, 5, 6)
    with capture_attention(layer) as maps:
        layer(other)

    def looks_as_there(weights, head):
        weights = weights.clone()
        weights[:, head] = maps[0][:, head]
        return weights

    with intervene(layer, Reweigh(0, 1, change=looks_as_there)), torch.no_grad():
        mixed = head_output(layer, 0, 1, x)
        values = layer.project(x)[2]
    assert_close(mixed, maps[0][:, 1] @ values[:, 1])
