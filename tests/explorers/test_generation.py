import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from traitlets import TraitError

from tutorial_lib.decoding import generate
from tutorial_lib.explorers import GenerationExplorer
from tutorial_lib.explorers.generation_writer import Settings, Writer, filtered
from tutorial_lib.models import GPT, GPTConfig
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import set_seed

ODD = ["", "   ", "🙂", "שלום עליכם", "<script>boom()</script>", "half \ud83d", "\x00\x07", "é 1 9"]


@pytest.fixture(scope="module")
def model():
    return load_checkpoint("shakespeare-gpt")


@pytest.fixture(scope="module")
def tokenizer():
    return BPETokenizer.train("the thin thing thinks that it is the thing " * 9, 280)


@pytest.fixture(scope="module")
def small(tokenizer):
    set_seed(0)
    return GPT(
        GPTConfig(vocab_size=tokenizer.vocab_size, context=12, d_model=8, n_layers=2, n_heads=2)
    )


@pytest.fixture
def explorer(model):
    return GenerationExplorer(model, encode, decode, prompt="HAMLET.\nTo be")


def next_logits(explorer):
    return np.frombuffer(explorer.answer["next"]["logits"], np.float32)


def written(explorer):
    return [token[1] for token in explorer.answer["written"]]


def ask(explorer, **request):
    explorer.request = request


def test_it_prints_as_a_sentence(explorer):
    assert repr(explorer) == "Generation explorer: run this cell"


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 0.8},
        {"temperature": 1.0, "top_k": 5},
        {"temperature": 1.3, "top_p": 0.9},
        {"temperature": 0.7, "top_k": 12, "top_p": 0.8},
    ],
)
@pytest.mark.parametrize("cached", [True, False])
def test_it_writes_what_generate_writes(model, options, cached):
    ids = generate(model, encode("To be"), 30, seed=7, **options)
    explorer = GenerationExplorer(model, encode, decode, "To be", seed=7, cached=cached, **options)
    explorer.write(30)
    assert explorer.text_so_far == decode(ids)
    assert [token[5] for token in explorer.answer["written"]] == [cached] * 30


def test_temperature_0_is_greedy(model):
    ids = generate(model, encode("To be"), 20)
    explorer = GenerationExplorer(model, encode, decode, "To be", temperature=0, top_k=3, top_p=0.1)
    explorer.write(20)
    assert explorer.text_so_far == decode(ids)
    assert {token[3] for token in explorer.answer["written"]} == {1.0}
    assert explorer.chosen["rank"] == 0


def test_the_cache_can_be_switched_on_the_way(explorer):
    explorer.write(8)
    expected = generate(
        explorer.writer.model, encode("HAMLET.\nTo be"), 24, seed=0, temperature=1.0
    )
    explorer.cached = False
    explorer.write(8)
    explorer.cached = True
    explorer.write(8)
    assert explorer.text_so_far == decode(expected)
    assert [token[5] for token in explorer.answer["written"]] == [True] * 8 + [False] * 8 + [
        True
    ] * 8
    assert all(token[4] > 0 for token in explorer.answer["written"])


def test_the_logits_are_the_models_own_highest_first(explorer):
    logits = explorer.writer.model(encode("HAMLET.\nTo be")[None])[0, -1].detach()
    ordered, ids = logits.sort(descending=True)
    np.testing.assert_allclose(next_logits(explorer), ordered, atol=1e-4)
    assert explorer.answer["next"]["labels"] == [decode([i]) for i in ids[:14].tolist()]


def test_log_probabilities_are_the_models_loss(explorer):
    explorer.write(25)
    ids = encode(explorer.text_so_far)
    log_p = explorer.writer.model(ids[None])[0, :-1].log_softmax(-1).gather(1, ids[1:, None])
    nats, tokens = explorer.answer["prompt_scored"]
    assert tokens == len("HAMLET.\nTo be") - 1 == explorer.answer["prompt_letters"]
    total = nats + sum(token[2] for token in explorer.answer["written"])
    assert total == pytest.approx(log_p.sum().item(), abs=1e-2)


def test_a_choice_keeps_the_settings_it_was_made_with(explorer):
    explorer.top_k = 3
    explorer.write(1)
    explorer.top_k = 40
    explorer.write(2)
    explorer.selected = 0
    assert explorer.chosen["settings"] == [1.0, 3, 1.0]
    assert explorer.chosen["index"] == 0
    assert explorer.chosen["rank"] < 3
    logits = explorer.writer.model(encode("HAMLET.\nTo be")[None])[0, -1].detach()
    chosen = np.frombuffer(explorer.chosen["logits"], np.float32)
    np.testing.assert_allclose(chosen, logits.sort(descending=True).values, atol=1e-4)
    assert explorer.chosen["label"] == written(explorer)[0]


@pytest.mark.parametrize(("milliseconds", "tokens"), [(0, 16), (30, 4), (1000, 1)])
def test_requests_write_in_bursts_and_name_themselves(explorer, monkeypatch, milliseconds, tokens):
    ask(explorer, action="write", tokens=1, number=5)
    assert len(written(explorer)) == 1
    # A burst ends after 16 tokens, or with the token during which a tenth of a second is over.
    now, write = [0.0], explorer.writer.write

    def write_slowly(settings):
        now[0] += milliseconds / 1000
        return write(settings)

    monkeypatch.setattr(explorer.writer, "write", write_slowly)
    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr("tutorial_lib.explorers.generation.time", clock)
    ask(explorer, action="write", tokens=10**9, number=6)
    assert len(written(explorer)) == 1 + tokens
    assert explorer.answer["number"] == 6
    ask(explorer, action="reset", number=7)
    assert written(explorer) == []
    assert explorer.chosen == {}


@pytest.mark.parametrize("request_", [{}, {"action": "dance"}, {"action": "write", "tokens": -4}])
def test_odd_requests_do_no_harm(explorer, request_):
    explorer.request = request_
    assert len(written(explorer)) == (1 if "tokens" in request_ else 0)
    assert explorer.error == ""


def test_a_request_that_fails_is_told(explorer):
    explorer.request = {"action": "write", "tokens": "many"}
    assert explorer.error.startswith("ValueError: invalid literal")
    explorer.request = {"action": "write", "tokens": 1, "number": 1}
    assert explorer.error == ""


def test_a_reset_or_the_same_seed_writes_the_same_again(explorer):
    explorer.seed = 3
    explorer.write(12)
    first = explorer.text_so_far
    explorer.reset()
    assert explorer.text_so_far == "HAMLET.\nTo be"
    explorer.write(12)
    assert explorer.text_so_far == first
    explorer.seed = 4
    explorer.write(12)
    assert explorer.text_so_far != first
    explorer.seed = 3
    explorer.write(12)
    assert explorer.text_so_far == first


@pytest.mark.parametrize("prompt", ODD)
def test_odd_prompts_are_read_without_what_the_model_does_not_know(explorer, prompt):
    explorer.prompt = prompt
    assert explorer.error == ""
    explorer.write(3)
    assert len(written(explorer)) == 3
    json.dumps({name: explorer.answer[name] for name in explorer.answer if name != "next"}).encode()


def test_characters_without_a_token_are_named(explorer):
    explorer.prompt = "To 🙂 bé\x00 é"
    assert explorer.answer["prompt"] == "To  b "
    assert explorer.prompt == "To 🙂 bé\x00 é"
    assert explorer.answer["unknown"] == [
        "🙂 (U+1F642 slightly smiling face)",
        "é (U+00E9 latin small letter e with acute)",
        "\ufffd (U+0000 control character)",
    ]
    explorer.prompt = "To be"
    assert explorer.answer["unknown"] == []


def test_an_empty_prompt_starts_from_a_new_line(explorer):
    explorer.prompt = ""
    assert (explorer.answer["prompt"], explorer.answer["start"]) == ("", "\n")
    assert explorer.answer["prompt_scored"] == [0.0, 0]
    explorer.write(20)
    expected = generate(explorer.writer.model, encode("\n"), 20, seed=0, temperature=1.0)
    assert explorer.text_so_far == decode(expected)[1:]


def test_a_huge_paste_is_cut_before_it_is_encoded(explorer, monkeypatch):
    given = []
    monkeypatch.setattr(
        explorer.writer, "encode", lambda text: given.append(len(text)) or encode(text)
    )
    explorer.prompt = "To be or not. " * 300_000
    assert max(given) == 1000
    assert len(explorer.prompt) == 1000
    assert explorer.answer["unseen"] == 1000 - 256
    assert explorer.answer["prompt_scored"][1] == 255
    explorer.write(2)
    assert len(written(explorer)) == 2


@pytest.mark.parametrize(
    ("name", "lowest", "most"),
    [("temperature", 0, 2), ("top_k", 0, 70), ("top_p", 0.01, 1), ("seed", 0, 2**31 - 1)],
)
def test_every_choice_stays_inside_and_writes_at_both_ends(explorer, name, lowest, most):
    for wanted, got in ((-(10**9), lowest), (10**12, most)):
        explorer.set_trait(name, wanted)
        assert getattr(explorer, name) == got
        explorer.write(2)
        assert explorer.error == ""
        assert all(0 < token[3] <= 1 for token in explorer.answer["written"])
    with pytest.raises(TraitError):
        explorer.set_trait(name, "one")


@pytest.mark.parametrize(("name", "back"), [("temperature", 1.0), ("top_p", 1.0)])
def test_numbers_that_are_none_are_not_taken(explorer, name, back):
    explorer.set_trait(name, math.nan)
    assert getattr(explorer, name) == back
    explorer.temperature = math.inf
    assert explorer.temperature == 2


def test_selected_stays_inside(explorer):
    explorer.selected = 10
    assert (explorer.selected, explorer.chosen) == (-1, {})
    explorer.write(3)
    explorer.selected = 99
    assert (explorer.selected, explorer.chosen["index"]) == (2, 2)
    explorer.selected = -99
    assert (explorer.selected, explorer.chosen["index"]) == (-1, 2)


def test_a_tokenizer_model_slides_past_its_context(small, tokenizer):
    texts = {}
    for cached in (True, False):
        explorer = GenerationExplorer(
            small, tokenizer.encode, tokenizer.decode, "the thing", cached=cached
        )
        explorer.write(40)
        texts[cached] = explorer.writer.ids
        assert explorer.answer["unseen"] == len(explorer.writer.ids) - 12
    assert texts[True] == texts[False]
    prompt = tokenizer.encode("the thing")
    assert texts[True] == generate(small, prompt, 40, seed=0, temperature=1.0)


def test_half_letters_wait_for_their_other_half(small, tokenizer):
    writer = Writer(small, tokenizer.encode, tokenizer.decode)
    pieces = [writer._letters(i) for i in tokenizer.encode("é🙂t")]
    assert "".join(pieces) == "é🙂t"
    assert "\ufffd" not in pieces
    broken = [writer._letters(i) for i in [0xC3, 0xC3, 0xC3, 0xC3, ord("t")]]
    assert broken == ["", "", "", "\ufffd" * 4, "t"]


def test_ids_beyond_the_tokenizer_are_shown_as_numbers(tokenizer):
    set_seed(0)
    size = {"vocab_size": tokenizer.vocab_size + 200, "context": 12, "d_model": 8}
    padded = GPT(GPTConfig(n_layers=1, n_heads=2, **size))
    explorer = GenerationExplorer(padded, tokenizer.encode, tokenizer.decode, temperature=2)
    explorer.write(40)
    beyond = [token for token in explorer.answer["written"] if token[0].endswith(">")]
    assert beyond
    assert all(280 <= int(token[1].strip("<>")) < 480 for token in beyond)


def test_it_ends_at_a_stop_token_and_when_it_is_full(model, monkeypatch):
    newline = encode("\n").tolist()
    explorer = GenerationExplorer(model, encode, decode, "To be", stop=newline)
    explorer.write(400)
    assert explorer.answer["ended"]
    assert written(explorer)[-1] == "\n"
    assert "\n" not in written(explorer)[:-1]
    number = len(written(explorer))
    explorer.write(5)
    assert len(written(explorer)) == number
    monkeypatch.setattr("tutorial_lib.explorers.generation.MOST_WRITTEN", 6)
    full = GenerationExplorer(model, encode, decode, "To be")
    full.write(9)
    assert (len(written(full)), full.answer["full"]) == (6, True)


def test_a_start_that_is_nothing_is_refused(model):
    with pytest.raises(ValueError, match="start must be at least one token, '' is none"):
        GenerationExplorer(model, encode, decode, start="")


@pytest.mark.parametrize("settings", [Settings(0), Settings(0.5, 3), Settings(1, 0, 0.5)])
def test_the_filters_are_those_of_sampling(settings):
    logits = torch.tensor([0.0, 2.0, 2.0, -1.0, 1.0])
    left = filtered(logits, settings).isfinite().tolist()
    expected = {0: [1], 0.5: [1, 2, 4], 1: [1, 2]}[settings.temperature]
    assert [i for i, one in enumerate(left) if one] == expected


def test_a_prompt_is_read_twice_and_each_token_once(model, monkeypatch):
    """Once for the next token, once to score the prompt; the cache keeps what was read."""
    widths = []
    forward = model.forward

    def counted(ids, *rest, **options):
        widths.append(ids.size(1))
        return forward(ids, *rest, **options)

    explorer = GenerationExplorer(model, encode, decode)
    monkeypatch.setattr(model, "forward", counted)
    explorer.prompt = "To be, or not to be " * 12
    assert widths == [240, 240]
    explorer.write(3)
    assert widths[2:] == [1, 1, 1]
