"""Chapter 04's exercises agree with the library, and their pictures show what is said of them."""

import itertools
import math

import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention, causal_mask, token_mask
from tutorial_lib.decoding import beam_search, generate
from tutorial_lib.exercises.chapter04_transformer.beam import beam_decode
from tutorial_lib.exercises.chapter04_transformer.cross import encoder_decoder_attention
from tutorial_lib.exercises.chapter04_transformer.decoder import decoder_layer
from tutorial_lib.exercises.chapter04_transformer.feed_forward import feed_forward
from tutorial_lib.exercises.chapter04_transformer.greedy import greedy_decode
from tutorial_lib.exercises.chapter04_transformer.lead import lead_head
from tutorial_lib.exercises.chapter04_transformer.loss import smoothed_loss
from tutorial_lib.exercises.chapter04_transformer.machine import encoder_decoder
from tutorial_lib.exercises.chapter04_transformer.map import (
    CROSS_MAP,
    READS,
    cross_weights,
    crossing,
)
from tutorial_lib.exercises.chapter04_transformer.size import base_size
from tutorial_lib.exercises.chapter04_transformer.stack import (
    GRADIENTS,
    gradient_norms,
    pre_norm_layer,
)
from tutorial_lib.exercises.chapter04_transformer.warmup import warmup_rate
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.attempts import fill
from tutorial_lib.exercises.engine.next_token_models import drawn
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.interpret import Reweigh, Zero, intervene
from tutorial_lib.models import GPT, GPTConfig, TransformerConfig, count_parameters
from tutorial_lib.models.blocks import DecoderBlock, FeedForward
from tutorial_lib.objectives import label_smoothing_loss
from tutorial_lib.positions import sinusoidal
from tutorial_lib.training import warmup_inverse_root

TARGET = torch.tensor([[1, 7, 5, 9, 2], [1, 6, 2, 0, 0]])


def test_size_is_that_of_our_base_model():
    assert base_size() * 1e6 == count_parameters(TransformerConfig.base())


def test_rates_are_those_of_the_library():
    for step in (1, 100, 400, 5_000):
        assert warmup_rate(step, 64, 400) == pytest.approx(warmup_inverse_root(step, 64, 400))


def test_the_wired_machine_is_that_of_the_library():
    sizes = {"context": 8, "d_model": 8, "n_layers": 2, "n_heads": 2, "norm": "post"}
    model = TransformerConfig(12, **sizes).build().eval()
    source = torch.tensor([[3, 4, 5], [6, 7, 0]])
    real = source != 0
    with torch.no_grad():
        x = encoder_decoder(
            *(source, TARGET, token_mask(real), causal_mask(5) & token_mask(TARGET != 0)),
            lambda ids: model.source_embedding(ids) + sinusoidal(ids.size(1), 8),
            *(model.encoder_blocks, model.decoder_blocks),
            lambda y: y @ model.source_embedding.weight.T,
        )
        expected = model(source, TARGET, real)
    torch.testing.assert_close(x[0], expected[0])  # its text has no padding in the target


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_loss_is_that_of_the_library(smoothing):
    logits, labels = torch.randn(2, 5, 10), TARGET
    expected = label_smoothing_loss(logits, labels, smoothing, ignore_index=0)
    torch.testing.assert_close(smoothed_loss(logits, labels, smoothing, 0), expected)


def test_cross_attention_is_that_of_the_library():
    layer = fill(MultiHeadAttention(4, 1, linear_bias=False, stack="cross"))
    x, memory = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    real = torch.arange(5) < torch.tensor([[5], [2]])
    maps = layer.qkv.weight.T.chunk(3, dim=1)
    output, _ = encoder_decoder_attention(x, memory, *maps, real)
    with torch.no_grad():
        expected = layer(x, memory, mask=token_mask(real))
    torch.testing.assert_close(layer.output(output), expected)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_decoder_layer_is_that_of_the_library(norm):
    layer = fill(DecoderBlock(4, 2, 6, norm=norm))
    x, memory = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    parts = layer.attention, layer.cross_attention, layer.feed_forward
    norms = layer.attention_norm, layer.cross_attention_norm, layer.feed_forward_norm
    ours = decoder_layer(x, memory, *parts, norms, norm == "pre")
    torch.testing.assert_close(ours, layer(x, memory))


def test_feed_forward_is_that_of_the_library():
    layer = fill(FeedForward(4, 6, activation="relu"))
    x = torch.randn(2, 3, 4)
    hidden, output = layer.hidden, layer.output
    ours = feed_forward(x, hidden.weight.T, hidden.bias, output.weight.T, output.bias)
    torch.testing.assert_close(ours, layer(x))


@pytest.fixture(params=range(4))
def gpt(request):
    config = GPTConfig(vocab_size=6, context=9, d_model=8, n_layers=1, n_heads=2)
    return fill(GPT(config), seed=request.param).eval()


@torch.no_grad()
def test_greedy_decoding_is_that_of_the_library(gpt):
    def next_log_probs(prefix):
        return gpt(torch.tensor([prefix]))[0, -1].log_softmax(dim=-1)

    assert [1, *greedy_decode(next_log_probs, 1, 2, 6)] == generate(gpt, [1], 6, stop=2)


@pytest.mark.parametrize(("width", "alpha"), [(1, 0.6), (2, 0.0), (3, 1.0), (4, 2.0)])
@torch.no_grad()
def test_beam_search_is_that_of_the_library(gpt, width, alpha):
    def next_log_probs(prefix):
        return gpt(torch.tensor([prefix]))[0, -1].log_softmax(dim=-1)

    expected = beam_search(gpt, [1], 6, beams=width, alpha=alpha, stop=2)
    assert [1, *beam_decode(next_log_probs, 1, 2, 6, width, alpha)] == expected.best


def test_a_head_that_looks_nowhere_is_a_silent_head():
    layer = fill(MultiHeadAttention(8, 2, stack="cross"))
    x, memory = torch.randn(1, 3, 8), torch.randn(1, 5, 8)

    def look_nowhere(weights, head):
        for row in range(3):
            weights = lead_head(weights, head, row, None)
        return weights

    with torch.no_grad(), intervene(layer, Reweigh(0, 1, change=look_nowhere)):
        led = layer(x, memory)
    with torch.no_grad(), intervene(layer, Zero(0, 1)):
        torch.testing.assert_close(led, layer(x, memory))


def test_whoever_leads_a_head_in_the_map_itself_is_told_to_copy_it():
    def in_place(weights, head, row, column):
        weights.copy_(lead_head(weights, head, row, column))
        return weights

    found = judge(registry.find("4.12"), in_place)
    assert found.status == "mistake"
    assert "make a copy" in found.text


def test_the_models_to_decode_from_cannot_be_changed_by_an_answer():
    model = drawn(5, seed=0)
    before = model([1]).clone()
    model([1]).fill_(0)
    assert torch.equal(model((1,)), before)


def beam_with(penalty=None, more=0, ended=0, stop=None):
    """A beam search with another penalty, width, number of ends that count, or stopping rule."""

    def beam_decode(next_log_probs, bos, eos, max_length, width, alpha):
        def score(one):
            return one[0] / (penalty or the_papers)(len(one[1]), alpha)

        going_on, finished = [(0.0, [])], []
        for _ in range(max_length):
            candidates = [
                (total + log_p, [*ids, token])
                for total, ids in going_on
                for token, log_p in enumerate(next_log_probs([bos, *ids]).tolist())
            ]
            candidates.sort(reverse=True)
            finished += [one for one in candidates[: width + ended] if one[1][-1] == eos]
            going_on = [one for one in candidates if one[1][-1] != eos][: width + more]
            if stop and finished and stop(max(map(score, finished)), going_on[0], max_length):
                break
        return max(finished + going_on, key=score)[1]

    return beam_decode


def the_papers(n, alpha):
    return ((5 + n) / 6) ** alpha


def no_hope(best, leader, max_length):
    return best >= leader[0] / the_papers(max_length, 2.0)


def ahead_now(best, leader, max_length):
    return best >= leader[0] / the_papers(len(leader[1]), 1.0)


WRONG_BEAMS = {
    "penalty (4 + n) / 6": {"penalty": lambda n, alpha: ((4 + n) / 6) ** alpha},
    "penalty 1 + n": {"penalty": lambda n, alpha: (1 + n) ** alpha},
    "alpha always 0.6": {"penalty": lambda n, alpha: ((5 + n) / 6) ** 0.6},
    "alpha always 1": {"penalty": lambda n, alpha: (5 + n) / 6},
    "alpha halved": {"penalty": lambda n, alpha: ((5 + n) / 6) ** (alpha / 2)},
    "one more goes on": {"more": 1},
    "one less goes on": {"more": -1},
    "one more end counts": {"ended": 1},
    "one less end counts": {"ended": -1},
    "stops when ahead": {"stop": ahead_now},
}


@pytest.mark.parametrize("change", WRONG_BEAMS.values(), ids=WRONG_BEAMS)
def test_beam_searches_nobody_listed_are_refused(change):
    assert judge(registry.find("4.11"), beam_with(**change)).status != "right"


@pytest.mark.parametrize("change", [{}, {"stop": no_hope}], ids=["plain", "safe stop"])
def test_another_sound_beam_search_passes(change):
    assert judge(registry.find("4.11"), beam_with(**change)).status == "right"


def gradient_is_cut(x, w1, w2):
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    return x + (torch.relu(normed @ w1) @ w2).detach()


def test_a_layer_that_is_right_forward_and_wrong_backward_is_refused():
    assert judge(GRADIENTS, GRADIENTS.answer, gradient_is_cut).status != "right"


def test_gradient_curves_are_as_described():
    lost, detached, twice, times = (gradient_norms(code) for code in GRADIENTS.choices.values())
    sound = gradient_norms(pre_norm_layer)
    assert max(sound) < 2 * min(sound)
    assert all(above > below for above, below in zip(lost, sound, strict=True))
    assert detached[0] < 1e-4 * detached[-1]
    factors = [later / earlier for earlier, later in itertools.pairwise(twice)]
    assert all(0.4 < factor < 0.6 for factor in factors)
    assert 1 / 2**11 < times[-1] / times[0] < 0.3


def test_built_crossing_maps_are_as_described():
    q, k, real = crossing()
    sound = cross_weights(q, k, real)
    assert sound.argmax(dim=1).tolist() == list(READS)
    padding, causal, both, over_queries = (code(q, k, real) for code in CROSS_MAP.choices.values())
    assert (padding[:, ~real].sum(dim=1) > 0.2).all()
    assert causal[2, 4] == 0  # “zwei” cannot see “two”
    assert causal[-1, 5] > 0.15
    assert both[-1, 5] == 0
    torch.testing.assert_close(over_queries[:, real].sum(dim=0), torch.ones(5))
    assert math.isclose(over_queries[2, 4], 0.5, abs_tol=0.05)
