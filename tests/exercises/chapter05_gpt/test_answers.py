"""Chapter 05's exercises agree with the library, and its pictures look as the choices say."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding.sampling import temperature, top_k, top_p
from tutorial_lib.exercises.chapter05_gpt.block import gpt_block
from tutorial_lib.exercises.chapter05_gpt.cached import cached_step
from tutorial_lib.exercises.chapter05_gpt.copies import longest_copy
from tutorial_lib.exercises.chapter05_gpt.drift import drift
from tutorial_lib.exercises.chapter05_gpt.next_token import next_token_loss
from tutorial_lib.exercises.chapter05_gpt.size import gpt_parameters
from tutorial_lib.exercises.chapter05_gpt.temperature import temperature_probabilities
from tutorial_lib.exercises.chapter05_gpt.top_k import top_k_filter
from tutorial_lib.exercises.chapter05_gpt.top_p import top_p_filter
from tutorial_lib.exercises.chapter05_gpt.units import bits_per_character
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import count_parameters
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.objectives import mean_next_token_loss
from tutorial_lib.recipes.shakespeare_gpt import encode
from tutorial_lib.training import fit, set_seed

TASKS = registry.contents("05")


@pytest.fixture
def logits():
    return 3 * torch.randn(6, 40, generator=torch.Generator().manual_seed(0))


# The solutions and the library ----------------------------------------------------------------


def test_the_loss_is_the_library_s():
    set_seed(0)
    model = GPTConfig(vocab_size=20, context=8, d_model=8, n_layers=1, n_heads=2).build().eval()
    ids = torch.randint(0, 20, (9,))
    with torch.no_grad():
        loss = next_token_loss(model(ids[None, :8]), ids[None, :8])
    assert abs(loss.item() - mean_next_token_loss(model, ids[:8], context=7)) < 1e-5


def test_bits_per_character_of_characters():
    assert abs(bits_per_character(math.exp(1.5), 10, 10) - 1.5 / math.log(2)) < 1e-12


def test_the_block_is_the_library_s():
    set_seed(0)
    block = Block(d_model=8, n_heads=2, norm="pre", causal=True).eval()
    x = torch.randn(2, 5, 8)
    parts = (block.attention, block.feed_forward, block.attention_norm, block.feed_forward_norm)
    assert_close(gpt_block(x, *parts), block(x))


@pytest.mark.parametrize("value", [0.3, 1.0, 2.5])
def test_temperature_is_the_library_s(logits, value):
    expected = temperature(logits, value).softmax(-1)
    assert_close(temperature_probabilities(logits, value), expected)


@pytest.mark.parametrize("k", [1, 7, 40])
def test_top_k_is_the_library_s(logits, k):
    tied = logits.round()
    assert_close(top_k_filter(logits, k), top_k(logits, k), rtol=0, atol=0)
    assert_close(top_k_filter(tied, k), top_k(tied, k), rtol=0, atol=0)


@pytest.mark.parametrize("p", [0.01, 0.5, 0.9])
def test_top_p_is_the_library_s(logits, p):
    assert_close(top_p_filter(logits, p), top_p(logits, p), rtol=0, atol=0)


def test_steps_with_a_cache_give_what_one_call_gives():
    torch.manual_seed(0)
    x, maps, none = torch.randn(2, 7, 6), torch.randn(3, 6, 4), torch.zeros(2, 0, 4)
    whole, keys, values = cached_step(x, none, none, *maps)
    past, parts = (none, none), []
    for words in x.split([3, 1, 2, 1], dim=1):
        output, *past = cached_step(words, *past, *maps)
        parts.append(output)
    assert_close(torch.cat(parts, dim=1), whole)
    assert_close(past[0], keys)
    assert_close(past[1], values)


def test_a_copy_is_found_in_real_text():
    text = load_shakespeare().plays[0].text[:2000]
    assert longest_copy("@" + text[700:730] + "@", text) == 30


@pytest.mark.parametrize("size", ["small", "medium", "XL"])
def test_parameters_are_the_library_s(size):
    config = GPTConfig.gpt2(size)
    counted = gpt_parameters(config.vocab_size, config.context, config.d_model, config.n_layers)
    assert counted == count_parameters(config)


def test_the_number_of_epochs():
    assert round(TASKS["5.13"].solution(), 2) == 3.47


@pytest.mark.parametrize(("number", "answers"), [("5.1", (1.42,)), ("5.13", (3.47, 3.44))])
def test_a_rounded_claim_passes(number, answers):
    for answer in answers:
        assert judge(TASKS[number], answer).status == "right"


def test_epochs_with_scaled_weights_are_said_to_be_that():
    assert "scales the weights" in judge(TASKS["5.13"], 3.44).text
    assert "scales the weights" not in judge(TASKS["5.13"], 3.47).text
    assert [judge(TASKS["5.13"], number).status for number in (3.45, 3.5)] == ["differs", "mistake"]


# Slips as people write them -------------------------------------------------------------------


def below(logits, p):
    shares, ids = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    keep = shares.cumsum(dim=-1) < p
    return logits.masked_fill(~keep.gather(-1, ids.argsort(dim=-1)), -math.inf)


def in_list(sample, text):
    ends = range(len(sample) + 1)
    return max([j - i for j in ends for i in range(j) if sample[i:j] in text], default=0)


def as_printed(sample, text):
    ends = range(len(sample) + 1)
    printed = " ".join(map(str, text))
    runs = [(i, j) for j in ends for i in range(j) if " ".join(map(str, sample[i:j])) in printed]
    return max([j - i for i, j in runs], default=0)


def keys_for_values(x_new, past_keys, past_values, w_q, w_k, w_v):
    _, keys, values = cached_step(x_new, past_keys, past_values, w_q, w_k, w_v)
    scores = x_new @ w_q @ keys.mT / w_q.size(1) ** 0.5
    mask = torch.ones(scores.shape[1:]).tril(past_keys.size(1)).bool()
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1) @ keys, keys, values


@pytest.mark.parametrize(
    ("number", "answer", "words"),
    [
        ("5.8", below, "the token that crosses p stays too"),
        ("5.11", in_list, "a list looks for one element"),
        ("5.11", as_printed, "the run “2 3” in “12 3”"),
        ("5.9", keys_for_values, "mixes the keys"),
    ],
)
def test_a_slip_in_another_spelling_is_named(number, answer, words):
    verdict = judge(TASKS[number], answer)
    assert verdict.status == "mistake"
    assert words in verdict.text


# The drift of 5.10 ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("letter", "exact_steps", "grows"),
    [("a", 0, True), ("b", 0, False), ("c", 1, True), ("d", 5, True)],
)
def test_each_drift_looks_as_it_is_described(letter, exact_steps, grows):
    prompt, *steps = drift(TASKS["5.10"].choices[letter])
    assert prompt < 1e-5
    assert all(step < 1e-5 for step in steps[:exact_steps])
    off = steps[exact_steps:]
    assert min(off) > 0.1
    assert (off[-1] > 2.5 * off[0]) is grows
    assert grows or max(off) < 2 * min(off)


def test_sound_code_does_not_drift():
    assert max(drift(TASKS["5.10"].solution)) < 1e-4


# The curve of 5.5 -----------------------------------------------------------------------------

CONTEXT = 16


class Small(nn.Module):
    """The model behind the picture: two layers, which look where the mask lets them."""

    def __init__(self, vocab_size, d_model=64):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.places = nn.Embedding(CONTEXT, d_model)
        self.blocks = nn.ModuleList(Block(d_model, 4, norm="pre") for _ in range(2))
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, inputs, mask):
        x = self.tokens(inputs) + self.places.weight[: inputs.size(1)]
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def bits(model, batch):
    inputs, labels, mask = batch
    scores = model(inputs, mask).transpose(1, 2)
    return F.cross_entropy(scores, labels, reduction="none") / math.log(2)  # (B, T)


def trained(make_batch):
    """Train on batches as made; the model, the bits at each place, and characters it writes."""
    windows = encode(load_shakespeare().text[:300_000]).unfold(0, CONTEXT + 1, 1)

    def batches(seed):
        generator = torch.Generator().manual_seed(seed)
        while True:
            yield make_batch(windows[torch.randint(len(windows), (32,), generator=generator)])

    set_seed(0)
    model = Small(vocab_size=70)
    kwargs = {"steps": 500, "lr": 3e-3, "seed": 0, "device": "cpu", "progress": False}
    fit(model, batches(0), lambda model, batch: bits(model, batch).mean(), **kwargs)
    model.eval()
    ids = encode(" his brother th")[None]
    with torch.no_grad():
        places = bits(model, next(batches(1))).mean(dim=0).tolist()
        for _ in range(30):
            read = ids[:, -CONTEXT:]
            mask = make_batch(torch.zeros(1, read.size(1) + 1, dtype=torch.long))[2]
            ids = torch.cat([ids, model(read, mask)[:, -1:].argmax(-1)], dim=1)
    return places, ids[0, -30:].tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "blind", "characters"),
    [(None, set(range(CONTEXT)), 3), ("a", set(), 1), ("b", {CONTEXT - 1}, 3), ("c", {0}, 2)],
)
def test_each_curve_ends_as_it_is_described(letter, blind, characters):
    task = TASKS["5.5"]
    places, written = trained(task.choices[letter] if letter else task.solution)
    for place, value in enumerate(places):
        assert value > 2 if place in blind else value < 0.3
    assert min(len(set(written)), 3) == characters
