import itertools

import pytest
import torch
from decoders import peers, sharp, small_gpt, small_transformer
from torch.testing import assert_close

from tutorial_lib import models
from tutorial_lib.attention import capture_attention
from tutorial_lib.decoding import (
    Continuation,
    beam_search,
    beam_search_naive,
    generate,
    generate_naive,
    sampling,
    stream,
    window_start,
)
from tutorial_lib.errors import ContextError, ShapeError, VocabularyError
from tutorial_lib.models import BERT, GPT, BERTConfig, GPTConfig, ModernGPTConfig, ViT, ViTConfig

SAMPLERS = {
    "greedy": {},
    "temperature": {"temperature": 0.7, "seed": 1},
    "top-k": {"top_k": 5, "seed": 2},
    "top-p": {"top_p": 0.8, "seed": 3},
    "all": {"temperature": 1.3, "top_k": 9, "top_p": 0.9, "seed": 4},
}


@pytest.fixture(scope="module")
def gpt():
    return small_gpt()


@pytest.fixture(scope="module")
def transformer():
    return small_transformer()


# generate


def test_the_model_of_these_tests_says_different_things(gpt):
    assert len({token for p in range(23) for token in generate(gpt, [p], 12)[1:]}) > 6


def test_greedy_equals_the_plain_loop_inside_and_beyond_the_context(gpt):
    assert generate(gpt, [3, 1, 4], 40) == generate_naive(gpt, [3, 1, 4], 40)


def test_drawing_equals_the_plain_loop(gpt):
    generator = torch.Generator().manual_seed(5)

    def choose(logits):
        return sampling.sample(sampling.top_k(sampling.temperature(logits, 1.5), 7), generator)

    expected = generate_naive(gpt, [3, 1, 4], 30, choose)
    assert generate(gpt, [3, 1, 4], 30, temperature=1.5, top_k=7, seed=5) == expected
    assert expected != generate_naive(gpt, [3, 1, 4], 30)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("options", [{}, {"temperature": 1.0}, {"top_k": 2}, {"top_p": 0.5}])
def test_scores_that_are_no_numbers_are_refused(bad, options):
    model = small_gpt()
    with torch.no_grad():
        next(model.parameters())[5] = bad
    with pytest.raises(FloatingPointError, match="hold NaN or infinity"):
        generate(model, [5, 1], 3, **options)
    for decode in (generate_naive, beam_search):
        with pytest.raises(FloatingPointError, match="hold NaN or infinity"):
            decode(model, [5, 1], 3)


def test_the_plain_beam_search_finds_the_same(gpt):
    for prompt, n, beams, alpha in itertools.product(
        ([3, 1, 4], [7]), (1, 6, 20), (1, 3), (0.0, 0.6, 2.0)
    ):
        stop = {beam_search(gpt, prompt, 6).best[-1]}
        options = {"beams": beams, "alpha": alpha, "stop": stop}
        expected = beam_search(gpt, prompt, n, **options).best
        assert beam_search_naive(gpt, prompt, n, **options) == expected


@pytest.mark.parametrize("options", SAMPLERS.values(), ids=SAMPLERS)
@pytest.mark.parametrize("slide", [1, 5, 16])
def test_cached_equals_uncached_for_every_sampler(gpt, options, slide):
    prompts = [[3, 1, 4], [1], [5, 9, 2, 6, 5], [7]]
    made = [generate(gpt, prompts, 30, slide=slide, cached=c, **options) for c in (True, False)]
    assert made[0] == made[1]
    assert [len(ids) for ids in made[0]] == [33, 31, 35, 31]


def test_cached_logits_are_those_of_one_pass_in_float32():
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=50, context=32, d_model=32, n_layers=4, n_heads=4))
    steps = list(stream(model, [[1, 2, 3], [4, 5, 6]], 20))
    written = torch.tensor([step.tokens for step in steps]).T  # (B, 20)
    whole = torch.cat([torch.tensor([[1, 2, 3], [4, 5, 6]]), written], dim=1)
    logits = torch.stack([step.logits for step in steps], dim=1)  # (B, 20, V)
    assert_close(logits, model(whole)[:, 2:-1].detach(), atol=1e-5, rtol=0)


def test_prompts_of_different_length_get_what_they_get_alone(gpt):
    prompts = [[3, 1, 4], [1], [5, 9, 2, 6, 5, 3, 5], [8, 9]]
    together = generate(gpt, prompts, 8)
    assert together == [generate(gpt, prompt, 8) for prompt in prompts]


def test_forms_of_prompts(gpt):
    one = generate(gpt, [3, 1], 4)
    assert one[:2] == [3, 1]
    assert generate(gpt, torch.tensor([3, 1]), 4) == one
    assert generate(gpt, torch.tensor([[3, 1]]), 4) == generate(gpt, [[3, 1]], 4) == [one]
    assert generate(gpt, [torch.tensor([3, 1]), [2]], 4)[0] == one


def test_stop_tokens_end_each_row_on_its_own(gpt):
    free = generate(gpt, [[3, 1, 4], [1], [5, 9]], 12)
    stop = free[0][6]
    for stops in (stop, [stop], {stop, free[1][9]}):
        stopping = {stops} if isinstance(stops, int) else set(stops)
        for n_prompt, whole, cut in zip(
            (3, 1, 2), free, generate(gpt, [[3, 1, 4], [1], [5, 9]], 12, stop=stops), strict=True
        ):
            added = whole[n_prompt:]
            ends = [i for i, token in enumerate(added) if token in stopping]
            assert cut == whole[: n_prompt + (ends[0] + 1 if ends else 12)]
    # A stop token inside a prompt ends nothing.
    assert len(generate(gpt, [free[0][:8], [1]], 1, stop=stop)[0]) == 9


def test_seeds_decide_the_draws_and_touch_nothing_else(gpt):
    draws = [generate(gpt, [3], 12, temperature=2.0, seed=seed) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    generate(gpt, [3], 5, temperature=2.0, seed=1)
    assert torch.equal(torch.rand(3), expected)
    torch.manual_seed(7)  # without a seed, PyTorch's own random numbers
    first = generate(gpt, [3], 12, temperature=2.0)
    torch.manual_seed(7)
    assert generate(gpt, [3], 12, temperature=2.0) == first


def test_samples_stay_inside_the_filters(gpt):
    for step in stream(gpt, [[3]] * 50, 10, top_k=2, temperature=5.0, seed=0):
        best = step.logits.topk(2).indices
        assert all(token in row for token, row in zip(step.tokens, best.tolist(), strict=True))


@pytest.mark.parametrize("cached", [True, False])
def test_a_long_prompt_costs_the_logits_of_its_last_token_only(gpt, cached):
    widths = []
    handle = gpt.register_forward_hook(lambda _, args, out: widths.append(out.size(1)))
    generate(gpt, [3, 1, 4, 1, 5], 3, cached=cached)
    handle.remove()
    assert widths == [1, 1, 1]


def test_the_stream_computes_one_step_at_a_time(gpt):
    passes = []
    handle = gpt.register_forward_hook(lambda _, args, out: passes.append(tuple(args[0].shape)))
    steps = stream(gpt, [[3, 1], [5, 9, 2, 6]], 6)
    assert passes == []
    first = next(steps)
    assert passes == [(2, 2)]  # both prompts as far as the shorter one goes
    assert first.tokens[1] is None  # it is still reading
    assert first.logits.shape == (2, 23)
    rest = list(steps)
    handle.remove()
    assert passes == [(2, 2)] + [(2, 1)] * 7
    assert [step.tokens[1] is None for step in rest] == [True] + [False] * 6
    assert [step.tokens[0] is None for step in rest] == [False] * 5 + [True] * 2


def test_the_cache_is_made_once_and_no_larger_than_needed(gpt, monkeypatch):
    made = []
    new_cache = gpt.new_cache
    monkeypatch.setattr(
        gpt, "new_cache", lambda *sizes: made.append(sizes) or new_cache(*sizes), raising=True
    )
    generate(gpt, [[3, 1], [4, 5]], 6)
    assert made == [(2, 8)]
    made.clear()
    read = []
    handle = gpt.register_forward_hook(lambda _, args, out: read.append(args[0].size(1)))
    generate(gpt, [3, 1], 22, slide=4)  # 24 tokens, the last is not read: slides at 17 and 21
    handle.remove()
    assert made == [(1, 16)]
    assert read == [2] + [1] * 14 + [13, 1, 1, 1] + [13, 1, 1]  # again only where it slides


def test_a_rotary_model_writes_beyond_its_context_as_without_a_cache():
    sizes = {"vocab_size": 23, "context": 8, "d_model": 20, "n_layers": 2, "n_heads": 2}
    model = sharp(ModernGPTConfig(**sizes).build())
    prompts = [[3, 1, 4], [1], [5, 9, 2, 6, 5, 3]]
    for slide in (1, 3, 8):
        made = [generate(model, prompts, 40, slide=slide, cached=c) for c in (True, False)]
        assert made[0] == made[1]
    assert generate(model, [3], 40) == generate_naive(model, [3], 40)


def test_attention_can_be_watched_while_it_writes(gpt):
    with capture_attention(gpt) as maps:
        for n, _ in enumerate(stream(gpt, [3, 1, 4], 4), start=3):
            assert maps[0].shape == (1, 4, 3 if n == 3 else 1, n)


def test_training_mode_neither_disturbs_nor_is_disturbed():
    model = small_gpt(dropout=0.5)
    expected = generate(model, [3, 1], 10)
    model.train()
    steps = stream(model, [3, 1], 10)
    next(steps)
    assert model.training  # between two steps too
    assert generate(model, [3, 1], 10) == expected
    assert model.training
    assert all(parameter.grad is None for parameter in model.parameters())
    logits = next(steps).logits
    logits[0, 0] = 0  # a plain tensor, the caller's own
    (logits * torch.ones(23, requires_grad=True)).sum().backward()


@pytest.mark.parametrize("whole_model_trains", [True, False])
def test_each_part_keeps_the_mode_it_was_in(whole_model_trains):
    model = small_gpt(dropout=0.5)
    expected = generate(model, [3, 1], 10)
    model.train(whole_model_trains)
    model.blocks[0].train(not whole_model_trains)  # frozen, or the only one that trains
    modes = [part.training for part in model.modules()]
    assert len(set(modes)) == 2
    assert generate(model, [3, 1], 10) == expected  # dropout is off, whichever part had it on
    assert [part.training for part in model.modules()] == modes


def test_window():
    assert [window_start(n, 4) for n in range(1, 8)] == [0, 0, 0, 0, 1, 2, 3]
    assert [window_start(n, 4, slide=4) for n in range(1, 11)] == [0] * 4 + [4] * 4 + [8] * 2
    for context, slide, n in itertools.product(range(1, 7), range(1, 7), range(1, 30)):
        if slide <= context:
            seen = n - window_start(n, context, slide)
            assert min(n, context - slide + 1) <= seen <= context
    for slide in (0, 5):
        with pytest.raises(ValueError, match=f"between 1 and the context of 4, got {slide}"):
            window_start(9, 4, slide)


BAD_PROMPTS = [
    ([], ShapeError, "prompt 0 is empty"),
    ([[1], []], ShapeError, "prompt 1 is empty"),
    (torch.zeros(2, 0, dtype=torch.long), ShapeError, "prompt 0 is empty"),
    ([0] * 17, ContextError, "prompt 0 is 17 tokens long, the context of this model holds 16"),
    ([[1], [2, 23]], VocabularyError, "between 0 and 22, prompt 1 has 23"),
    ([-1], VocabularyError, "between 0 and 22, prompt 0 has -1"),
    ([0.5], ShapeError, r"a prompt is a list of whole numbers, got \[0.5\]"),
    ("to be", ShapeError, r"a prompt is a list of whole numbers, got \['t'\]"),
    (torch.rand(2), ShapeError, "a prompt is a list of whole numbers"),
    (torch.tensor(5), ShapeError, "a prompt is a list of whole numbers, got 5"),
    (5, ShapeError, "a prompt is a list of whole numbers, got 5"),
    (None, ShapeError, "a prompt is a list of whole numbers, got None"),
    ([torch.tensor(5), torch.tensor(1)], ShapeError, "a prompt is a list of whole numbers, got 5"),
    ([1, [2]], ShapeError, "a prompt is a list of whole numbers, got 1"),
]


@pytest.mark.parametrize(("prompts", "error", "message"), BAD_PROMPTS)
@pytest.mark.parametrize("decode", [generate, stream, beam_search])
def test_bad_prompts_are_refused_at_the_call(gpt, decode, prompts, error, message):
    with pytest.raises(error, match=message):
        decode(gpt, prompts, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0}, "temperature must be a finite number above 0, got 0"),
        ({"temperature": -1.0}, "temperature must be a finite number above 0, got -1.0"),
        ({"top_k": 0}, "top_k must be a whole number between 1 and the vocabulary's 23, got 0"),
        ({"top_k": 24}, "top_k must be a whole number between 1 and the vocabulary's 23, got 24"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1, got 0.0"),
        ({"top_p": 1.5}, "top_p must be above 0 and at most 1, got 1.5"),
        ({"slide": 0}, "slide must lie between 1 and the context of 16, got 0"),
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1, got 0"),
        ({"source": torch.ones(1, 3).long()}, "GPT reads no source: leave it out"),
    ],
)
def test_bad_options_are_refused_at_the_call(gpt, options, message):
    options = {"max_new_tokens": 3, **options}
    for decode in (generate, stream):
        with pytest.raises(ValueError, match=message):
            decode(gpt, [1], **options)


BERT_SIZES = {"vocab_size": 23, "context": 16, "d_model": 8, "n_layers": 1, "n_heads": 2}
VIT_SIZES = {"image_size": 4, "patch_size": 2, "d_model": 8, "n_layers": 1, "n_heads": 2}


@pytest.mark.parametrize("model", [BERT(BERTConfig(**BERT_SIZES)), ViT(ViTConfig(**VIT_SIZES))])
@pytest.mark.parametrize("decode", [generate, stream, beam_search])
def test_a_model_that_cannot_continue_a_text_is_refused_with_those_that_can(decode, model):
    writers = [name for name in dir(models) if hasattr(getattr(models, name), "new_cache")]
    name = type(model).__name__
    message = f"{name} does not continue a text; {', '.join(writers[:-1])} and {writers[-1]} do"
    with pytest.raises(TypeError, match=message):
        decode(model, [1], 3)
    with pytest.raises(TypeError, match=message):
        Continuation(model, batch=1)


# Encoder-decoders

SOURCES = torch.tensor([[5, 3, 9, 11, 2], [7, 1, 0, 0, 0], [4, 4, 18, 0, 0]])
REAL = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()


@pytest.mark.parametrize("options", SAMPLERS.values(), ids=SAMPLERS)
def test_cached_equals_uncached_with_a_source(transformer, options):
    prompts = [[1], [1, 4, 6], [1, 2]]
    options = {"source": SOURCES, "source_mask": REAL, "slide": 3, **options}
    made = [generate(transformer, prompts, 25, cached=c, **options) for c in (True, False)]
    assert made[0] == made[1]
    assert len({tuple(ids[3:]) for ids in made[0]}) == 3  # the source is heard


def test_padding_of_the_source_changes_nothing_and_one_prompt_serves_all(transformer):
    together = generate(transformer, [1], 10, source=SOURCES, source_mask=REAL)
    for row, real, made in zip(SOURCES, REAL, together, strict=True):
        alone = generate(transformer, [1], 10, source=row[real])
        assert alone == made
        ids = torch.tensor([[1]])
        for _ in range(10):
            with torch.no_grad():
                best = transformer(row[real][None], ids)[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, best], dim=1)
        assert made == ids[0].tolist()


def test_the_encoder_runs_once(transformer, monkeypatch):
    calls = []
    encode = transformer.encode
    monkeypatch.setattr(transformer, "encode", lambda *args: calls.append(1) or encode(*args))
    generate(transformer, [1], 22, source=SOURCES, source_mask=REAL)
    beam_search(transformer, [1], 6, source=SOURCES, source_mask=REAL)
    assert len(calls) == 2


def test_a_window_that_slides_keeps_the_room_and_what_was_read_of_the_source(
    transformer, monkeypatch
):
    allocated, read = [], []
    layer_caches = transformer.layer_caches
    monkeypatch.setattr(
        transformer, "layer_caches", lambda *sizes: allocated.append(sizes) or layer_caches(*sizes)
    )
    for block in transformer.decoder_blocks:
        split = block.cross_attention.split
        monkeypatch.setattr(
            block.cross_attention,
            "split",
            lambda x, split=split: read.append(x.size(1)) or split(x),
        )
    options = {"source": SOURCES, "source_mask": REAL}
    made = generate(transformer, [1], 40, **options)
    n_layers = len(transformer.decoder_blocks)
    assert allocated == [(n_layers, 3, 16), (n_layers, 3, 5)]  # of the target, of the source
    assert read.count(5) == 2 * n_layers  # keys and values of the source: once a layer
    assert made == generate(transformer, [1], 40, cached=False, **options)


@pytest.mark.parametrize("decode", [generate, stream, beam_search])
def test_sources_that_do_not_fit_are_refused(transformer, decode):
    with pytest.raises(ValueError, match="Transformer reads a source: give source="):
        decode(transformer, [1], 3)
    with pytest.raises(ShapeError, match="each prompt needs its source: 2 prompts, 3 sources"):
        decode(transformer, [[1], [2]], 3, source=SOURCES)
    with pytest.raises(VocabularyError, match="between 0 and 22, prompt 0 has 23"):
        decode(transformer, [23], 3, source=SOURCES)
    with pytest.raises(VocabularyError, match="source must lie between 0 and 18, got 19"):
        decode(transformer, [1], 3, source=torch.tensor([[19]]))


# transformers


def test_greedy_equals_transformers():
    ours, theirs = peers()
    prompts = torch.randint(0, 37, (5, 4), generator=torch.Generator().manual_seed(0))
    expected = theirs.generate(
        prompts, attention_mask=torch.ones_like(prompts), max_new_tokens=20, do_sample=False
    )
    assert generate(ours, prompts, 20) == expected.tolist()
