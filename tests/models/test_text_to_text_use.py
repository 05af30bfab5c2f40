"""BART and T5 in use: caches, generation, what they share and save, what they refuse."""

import json

import pytest
import torch
from decoders import sharp
from safetensors.torch import load_file, save_file
from text_to_text_files import BART_SIZES, T5_SIZES, saved
from torch.testing import assert_close

from tutorial_lib.decoding import beam_search, generate
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MaskError,
    MissingDataError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.models import BART, BERT, T5, BARTConfig, T5Config, Transformer, count_parameters

SIZES = {"vocab_size": 23, "context": 16, "d_model": 20, "n_layers": 2, "n_decoder_layers": 3}
SIZES |= {"n_heads": 4}
BUCKETS = {"d_head": 3, "d_ff": 17, "n_buckets": 8, "max_distance": 9}
CONFIGS = {
    "BART": BARTConfig(**SIZES),
    "T5": T5Config(**SIZES, **BUCKETS),
    "T5 v1.1": T5Config(**SIZES, **BUCKETS, gated=True, tied=False, scaled=False),
}
SOURCES = torch.tensor([[5, 3, 9, 11, 2], [7, 1, 0, 0, 0], [4, 4, 18, 0, 0]])
REAL = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()
TARGETS = torch.tensor([[0, 6, 1, 8, 3, 3, 2], [0, 4, 1, 9, 9, 1, 5], [0, 2, 2, 7, 1, 12, 20]])


@pytest.fixture(scope="module", params=CONFIGS)
def model(request):
    return sharp(CONFIGS[request.param].build(), std=0.4)


# --- writing --------------------------------------------------------------------------------


@torch.no_grad()
def test_cached_equals_uncached(model):
    memory = model.encode(SOURCES, REAL)
    expected = model(SOURCES, TARGETS, REAL)
    for parts in ([1] * 7, [2, 1, 4], [7]):
        cache = model.new_cache(batch=3)
        parts = TARGETS.split(parts, 1)
        read = [model.decode(part, memory, REAL, cache=cache) for part in parts]
        assert_close(torch.cat(read, dim=1), expected)
        assert len(cache) == 7
    last = model.decode(TARGETS, memory, REAL, last_only=True)
    assert_close(last, expected[:, -1:])
    assert not torch.allclose(model(SOURCES, TARGETS), expected)  # the mask is heard


@pytest.mark.parametrize(
    "options", [{}, {"temperature": 0.7, "seed": 1}, {"top_p": 0.8, "seed": 3}]
)
def test_generated_texts_need_no_cache_and_no_company(model, options):
    options = {"source": SOURCES, "source_mask": REAL, "slide": 3, **options}
    prompts = [[0], [0, 4, 6], [0, 2]]
    made = [generate(model, prompts, 25, cached=c, **options) for c in (True, False)]
    assert made[0] == made[1]
    assert len({tuple(ids[3:]) for ids in made[0]}) == 3  # the source is heard
    if "seed" not in options:
        for prompt, row, real, ids in zip(prompts, SOURCES, REAL, made[0], strict=True):
            assert generate(model, prompt, 25, source=row[real], slide=3) == ids


def test_greedy_texts_are_those_of_the_plain_loop(model):
    for row, real in zip(SOURCES, REAL, strict=True):
        ids = torch.tensor([[0]])
        for _ in range(10):
            with torch.no_grad():
                best = model(row[real][None], ids)[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, best], dim=1)
        assert generate(model, [0], 10, source=row[real]) == ids[0].tolist()


def test_beams_need_no_cache_and_no_company(model):
    options = {"beams": 3, "stop": [4, 7], "slide": 3}
    together = {"source": SOURCES, "source_mask": REAL}
    cached, uncached = (
        beam_search(model, [0], 20, cached=c, **together, **options) for c in (True, False)
    )
    for row, real, one, other in zip(SOURCES, REAL, cached, uncached, strict=True):
        alone = beam_search(model, [0], 20, source=row[real], **options)
        ids = [[beam.ids for beam in search.beams] for search in (one, other, alone)]
        assert ids[0] == ids[1] == ids[2]
    assert len({tuple(search.best) for search in cached}) > 1  # the source is heard


@pytest.mark.parametrize("case", ["BART", "T5", "T5 v1.1"])
@pytest.mark.parametrize("beams", [1, 3])
def test_texts_equal_those_of_transformers(tmp_path, case, beams):
    ours, theirs = saved(tmp_path, case)
    source, first = SOURCES.clamp(min=2), ours.config.pad_id
    options = {"source": source, "source_mask": REAL}
    if beams == 1:
        found = generate(ours, [first], 9, **options)
    else:
        searches = beam_search(ours, [first], 9, beams=beams, alpha=0.0, **options)
        found = [search.best for search in searches]
    settings = {"max_new_tokens": 9, "min_new_tokens": 9, "num_beams": beams, "do_sample": False}
    settings |= {"forced_eos_token_id": None, "forced_bos_token_id": None, "length_penalty": 0.0}
    theirs.generation_config.eos_token_id = theirs.generation_config.bos_token_id = None
    expected = theirs.generate(
        source, attention_mask=REAL.long(), decoder_start_token_id=first, **settings
    )
    assert [list(ids) for ids in found] == expected.tolist()


# --- what is in them ------------------------------------------------------------------------


def test_the_distances_of_a_stack_are_shared_and_decoders_look_back_only():
    torch.manual_seed(0)
    model = CONFIGS["T5"].build().double().eval()
    tables = [name for name, _ in model.named_parameters() if "distances" in name]
    assert tables == ["source_distances.weight", "target_distances.weight"]
    one, many = (T5Config(**SIZES | {"n_layers": n, "n_decoder_layers": n}) for n in (1, 4))
    layer = sum(
        parameter.numel()
        for stack in ("encoder_blocks", "decoder_blocks")
        for parameter in getattr(one.build(), stack).parameters()
    )
    assert count_parameters(many) == count_parameters(one) + 3 * layer
    changed = TARGETS.clone()
    changed[:, 4] = 7
    with torch.no_grad():
        expected = model(SOURCES, TARGETS)
        found = model(SOURCES, changed)
        assert torch.equal(found[:, :4], expected[:, :4])
        assert not torch.allclose(found[:, 4], expected[:, 4])
        # Distances tell everything: with all of them alike the source is a heap of tokens.
        turned = model(SOURCES.flip(1), TARGETS)
        assert not torch.allclose(turned, expected)
        model.source_distances.weight.zero_()
        assert_close(model(SOURCES.flip(1), TARGETS), model(SOURCES, TARGETS))


def test_scores_start_as_small_as_if_they_were_divided():
    """With queries as long as keys they would be sqrt(K) times larger."""
    torch.manual_seed(0)
    model = T5Config(vocab_size=23, d_model=256, n_layers=1, n_heads=4, d_head=64).build()
    layer, x = model.encoder_blocks[0].attention, torch.randn(4, 30, 256)
    q, k, _ = layer.project(x)
    scores = q @ k.transpose(-2, -1) * q.size(-1) ** -0.5
    assert 0.8 < scores.std() < 1.2
    heads = layer.qkv.weight.detach().split(256)
    assert_close(heads[1].std() / heads[0].std(), torch.tensor(8.0), rtol=0.05, atol=0)


def test_padding_changes_nothing_for_real_tokens(model):
    written = torch.arange(7) < torch.tensor([[7], [3], [5]])
    with torch.no_grad():
        together = model(SOURCES, TARGETS, REAL, written)
        for n in range(3):
            source, target = SOURCES[n : n + 1, REAL[n]], TARGETS[n : n + 1, written[n]]
            assert_close(together[n : n + 1, written[n]], model(source, target))


def test_save_and_load(model, tmp_path):
    torch.manual_seed(0)
    model = model.config.build().eval()
    model.save(tmp_path / "model.safetensors")
    again = type(model).load(tmp_path / "model.safetensors")
    assert torch.equal(again(SOURCES, TARGETS), model(SOURCES, TARGETS))
    assert again.target_embedding.weight is again.source_embedding.weight
    assert count_parameters(again) == count_parameters(model) == count_parameters(model.config)
    with pytest.raises(
        DamagedFileError, match=f"hold a Transformer, it holds {type(model).__name__}"
    ):
        Transformer.load(tmp_path / "model.safetensors")


# --- what they refuse -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "options", "error", "message"),
    [
        (SOURCES, TARGETS[:2], {}, ShapeError, r"\(2, 7\) needs the memory .* got \(3, 5, 20\)"),
        (SOURCES + 5, TARGETS, {}, VocabularyError, "source must lie between 0 and 22, got 23"),
        (SOURCES, TARGETS - 1, {}, VocabularyError, "target must lie between 0 and 22, got -1"),
        (SOURCES.float(), TARGETS, {}, ShapeError, r"source must be torch\.long"),
        (SOURCES, TARGETS[:, :0], {}, ShapeError, "target must be .* at least one token each"),
        (SOURCES[0], TARGETS, {}, ShapeError, r"source must be .* shape \(B, T\)"),
        (SOURCES.tolist(), TARGETS, {}, ShapeError, "source must be a tensor, got list"),
        (SOURCES.repeat(1, 4), TARGETS, {}, ContextError, "20 tokens long, .* holds 16"),
        (SOURCES, TARGETS.repeat(1, 3), {}, ContextError, "21 tokens long, .* holds 16"),
        (SOURCES, TARGETS, {"source_mask": TARGETS > 0}, ShapeError, "the shape of source"),
        (SOURCES, TARGETS, {"target_mask": REAL}, ShapeError, r"each token read, \(3, 7\)"),
        (SOURCES, TARGETS, {"source_mask": SOURCES > 7}, MaskError, "sequence 1 .* all padding"),
        (SOURCES, TARGETS, {"target_mask": TARGETS > 0}, MaskError, "begins with padding"),
    ],
)
def test_bad_input_is_named(model, source, target, options, error, message):
    with pytest.raises(error, match=message):
        model(source, target, **options)


def test_a_cache_that_is_full_is_named(model):
    cache = model.new_cache(batch=3)
    memory = model.encode(SOURCES, REAL)
    model.decode(TARGETS.repeat(1, 2), memory, cache=cache)
    with pytest.raises(ContextError, match="17 tokens long, the context of this model holds 16"):
        model.decode(TARGETS[:, :3], memory, cache=cache)


@pytest.mark.parametrize(
    ("config", "options", "message"),
    [
        (BARTConfig, {"n_heads": 3}, "3 heads do not divide d_model 20"),
        (BARTConfig, {"n_decoder_layers": 0}, "n_decoder_layers must be a whole number"),
        (BARTConfig, {"pad_id": 23}, "pad_id must be from 0 to 22, got 23"),
        (BARTConfig, {"activation": "tanh"}, "activation must be one of"),
        (BARTConfig, {"dropout": 1.0}, "dropout must lie between 0 and 1"),
        (T5Config, {"d_head": 0}, "d_head must be a whole number of at least 1, got 0"),
        (T5Config, {"d_ff": None}, "d_ff must be a whole number of at least 1, got None"),
        (T5Config, {"n_buckets": 6}, "6 buckets up to a distance of 128 do not work"),
        (T5Config, {"max_distance": 8}, "32 buckets up to a distance of 8 do not work"),
        (T5Config, {"gated": "yes"}, "gated must be one of True, False, got 'yes'"),
        (T5Config, {"tied": None}, "tied must be one of True, False, got None"),
        (T5Config, {"pad_id": -1}, "pad_id must be from 0 to 22, got -1"),
    ],
)
def test_bad_sizes_are_named(config, options, message):
    with pytest.raises(ValueError, match=message):
        config(**SIZES | options)


def test_sizes_that_were_not_published_are_named_beside_those_that_were():
    with pytest.raises(ValueError, match=r"size must be one of 'small', .* '11B', got 'XL'"):
        T5Config.t5("XL")
    with pytest.raises(ValueError, match=r"size must be one of 'small', .* 'XXL', got '3B'"):
        T5Config.v1_1("3B")


# --- files of others ------------------------------------------------------------------------


def changed(folder, **fields):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.parametrize(
    ("case", "reader"), [("T5", BART), ("BART", T5), ("T5", BERT), ("BART", BERT)]
)
def test_a_folder_of_another_family_is_refused(tmp_path, case, reader):
    saved(tmp_path, case)
    with pytest.raises(DamagedFileError, match=f"model_type is .* {reader.__name__} needs"):
        reader.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("case", "fields", "message"),
    [
        ("T5", {"feed_forward_proj": "gated-silu"}, "feed_forward_proj is 'gated-silu', T5 needs"),
        ("T5", {"feed_forward_proj": "gated-gelu"}, "wi_0"),
        ("T5", {"d_ff": 18}, r"18"),
        ("T5", {"d_kv": 8}, r"24"),
        ("T5", {"vocab_size": 24}, r"24"),
        ("T5", {"num_layers": 4}, r"encoder\.block\.3"),
        ("T5", {"num_decoder_layers": 1}, r"decoder\.block\.1"),
        ("T5", {"relative_attention_num_buckets": 7}, "7 buckets up to a distance of 9"),
        ("T5", {"num_heads": "3"}, "n_heads must be a whole number of at least 1, got '3'"),
        ("BART", {"scale_embedding": True}, "scale_embedding is True, BART needs False"),
        ("BART", {"activation_function": "tanh"}, "activation_function is 'tanh', known are"),
        ("BART", {"decoder_attention_heads": 2}, "attention_heads is 3 in the encoder, 2 in the"),
        ("BART", {"decoder_ffn_dim": 18}, "ffn_dim is 17 in the encoder, 18 in the decoder"),
        ("BART", {"max_position_embeddings": 16}, r"18"),
        ("BART", {"encoder_attention_heads": 5, "decoder_attention_heads": 5}, "5 heads do not"),
        ("BART", {"decoder_layers": 3}, r"decoder\.layers\.2"),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path, case, fields, message):
    saved(tmp_path, case)
    changed(tmp_path, **fields)
    with pytest.raises(DamagedFileError, match=message):
        {"T5": T5, "BART": BART}[case].from_pretrained(tmp_path)


@pytest.mark.parametrize(("case", "model"), [("T5", T5), ("BART", BART)])
def test_files_with_parts_missing_are_refused(tmp_path, case, model):
    saved(tmp_path, case)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(
        json.dumps({name: value for name, value in config.items() if name != "d_model"})
    )
    with pytest.raises(DamagedFileError, match="does not say 'd_model'"):
        model.from_pretrained(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = tmp_path / "model.safetensors"
    tensors = load_file(weights)
    lost = next(name for name in tensors if name.startswith(("decoder.block.1", "model.decoder")))
    save_file({name: tensor for name, tensor in tensors.items() if name != lost}, weights)
    with pytest.raises(DamagedFileError, match=lost.removeprefix("model.")):
        model.from_pretrained(tmp_path)
    weights.unlink()
    with pytest.raises(MissingDataError):
        model.from_pretrained(tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(MissingDataError, match=r"holds no config\.json"):
        model.from_pretrained(tmp_path)


@pytest.mark.parametrize("said", [True, False])
def test_the_output_layer_is_what_the_file_holds_not_what_it_says(tmp_path, said):
    model, _ = saved(tmp_path, "T5 v1.1")
    changed(tmp_path, tie_word_embeddings=said, scale_decoder_outputs=False)
    again = T5.from_pretrained(tmp_path)
    assert again.config == model.config
    assert not again.config.tied
    assert_close(again(SOURCES, TARGETS), model(SOURCES, TARGETS))


def test_sizes_of_the_files_are_those_of_the_config(tmp_path):
    t5, _ = saved(tmp_path, "T5")
    assert (t5.config.d_head, t5.config.n_layers, t5.config.n_decoder_layers) == (7, 3, 2)
    assert t5.config.d_model != t5.config.n_heads * t5.config.d_head
    assert T5_SIZES["d_kv"] == t5.config.d_head
    bart, _ = saved(tmp_path, "BART")
    assert bart.config.context == BART_SIZES["max_position_embeddings"]
    assert bart.source_positions.weight.size(0) == bart.config.context + 2
