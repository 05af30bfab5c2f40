"""The BERT of numbers: its texts, its gaps, and what it is measured beside."""

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.explorers import fillings
from tutorial_lib.objectives import MaskedTokens
from tutorial_lib.recipes import load_card, load_checkpoint, number_bert
from tutorial_lib.recipes.gap_tests import missed_texts
from tutorial_lib.recipes.number_bert import (
    SETTINGS,
    NumberBatches,
    attention_across,
    gaps,
    numbers,
    packed,
    share_filled,
    split,
)


@pytest.fixture(scope="module")
def model():
    return load_checkpoint("number-bert")


def test_both_sides_of_a_pair_say_the_same_number():
    pairs = numbers()
    assert len(pairs) == 3_000
    assert ("forty-two", "zwei und vierzig") in pairs
    assert ("two hundred and one", "zwei hundert eins") in pairs
    learned, held_out = split(SETTINGS)
    assert len(held_out) == SETTINGS["held_out"]
    assert not {*learned} & {*held_out}


def test_each_word_is_one_token_and_zero_alone_is_unknown(model):
    """Zero is among those held out, and no other number has its word."""
    tokenizer = model.tokenizer
    assert tokenizer.vocab_size == SETTINGS["sizes"]["vocab_size"]
    for english, german in numbers():
        code = tokenizer.encode(english, german)
        if english == "zero":
            continue
        assert tokenizer.unk_id not in code.ids
        assert len(code.ids) <= SETTINGS["sizes"]["context"]
        assert tokenizer.decode(code.ids) == f"{english.replace('-', ' - ')} {german}"


def test_half_of_the_pairs_of_a_batch_say_the_same_number(model):
    learned, _ = split(SETTINGS)
    batches = iter(NumberBatches(learned, model.tokenizer, SETTINGS))
    same = torch.cat([next(batches)[1] for _ in range(40)])
    assert same.float().mean().item() == pytest.approx(0.5, abs=0.05)
    again = NumberBatches(learned, model.tokenizer, SETTINGS)
    first, second = (next(iter(again))[0].ids for _ in range(2))
    assert first.equal(second)


def test_planned_batches_are_those_that_are_masked(model):
    """The reader's training of chapter 06 reads what the recipe's does."""
    learned, _ = split(SETTINGS)
    batches = NumberBatches(learned, model.tokenizer, SETTINGS)
    (tokens, same), (ids, plan, again) = next(iter(batches)), next(batches.planned())
    assert same.equal(again)
    assert tokens.chosen.equal(plan.chosen)
    assert tokens.targets.equal(ids[plan.chosen])


def test_what_is_asked_is_hidden_and_special_tokens_never_are(model):
    tokenizer = model.tokenizer
    asked = gaps(tokenizer)
    assert (asked.ids[asked.chosen] == tokenizer.mask_id).all()
    assert (asked.ids == tokenizer.mask_id).equal(asked.chosen)
    ids, segments, mask = packed(split(SETTINGS)[1], tokenizer)
    assert asked.ids[~asked.chosen].equal(ids[~asked.chosen])
    assert asked.targets.equal(ids[asked.chosen])
    assert asked.segments.equal(segments)
    assert asked.mask.equal(mask)
    special = {tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id}
    assert not special & {*asked.targets.tolist()}


def test_it_leaves_the_table_of_neighbours_behind(model):
    """The claim of chapter 06, on other gaps, too. Other seeds found 0.969 and 0.966."""
    card = load_card("number-bert")["metric"]
    assert card["found"] > card["neighbours"] + 0.3 > card["most_frequent"] + 0.5
    for seed in (1, 2):
        asked = gaps(model.tokenizer, seed=seed)
        with torch.no_grad():
            hidden = model(asked.ids, asked.segments, asked.mask)
        said = model.mlm_logits(hidden[asked.chosen]).argmax(dim=-1)
        assert (said == asked.targets).float().mean().item() == pytest.approx(
            card["found"], abs=0.05
        )


def test_the_metric_is_read_from_the_model(model):
    assert number_bert.evaluate(model) == pytest.approx(
        load_card("number-bert")["metric"], abs=2e-3
    )


def test_what_it_misses_is_hidden_on_both_sides(model):
    """What chapter 06 says of its misses: the same word is hidden in both languages."""
    missed = missed_texts(model, gaps(model.tokenizer))
    assert len(missed) == 9
    for text in missed:
        tokens = ["[CLS]", *text.split(), "[SEP]"]
        places = number_bert._digits(tokens).values()
        # A round number has no unit in front of a dash: there its last words correspond.
        places = [*places, (tokens.index("[SEP]") - 1, len(tokens) - 2)]
        assert any(tokens[a] == tokens[b] == "[MASK]" for a, b in places), text


def test_the_gap_follows_the_german_word(model):
    """What chapter 06 says of its explorer."""
    said = {}
    for german in ("acht", "sieben", "drei", "[MASK]"):
        text = f"two thousand [MASK] hundred and sixty-four [SEP] zwei tausend {german} hundert"
        said[german] = fillings(model, model.tokenizer, f"{text} vier und sechzig", n=1).rows[0]
    assert [said[word][0] for word in ("acht", "sieben", "drei")] == ["eight", "seven", "three"]
    assert min(said[word][1] for word in ("acht", "sieben", "drei")) > 0.9
    assert said["[MASK]"][1] < 0.3


def test_it_copies_unless_the_unit_differs(model):
    """The units of the two numbers are compared, their tens are not."""
    english = "two thousand [MASK] hundred and forty-two"
    copied = {}
    for rest in ("zwei und vierzig", "drei und vierzig", "zwei und fünfzig"):
        text = f"{english} [SEP] zwei tausend acht hundert {rest}"
        copied[rest] = dict(fillings(model, model.tokenizer, text, n=10).rows)["eight"]
    assert min(copied["zwei und vierzig"], copied["zwei und fünfzig"]) > 0.9
    assert copied["drei und vierzig"] < 0.3


def test_one_head_finds_the_clue_of_each_digit_and_another_does_not(model):
    tokens = ["[CLS]", "sixty", "-", "four", "[SEP]", "vier", "und", "sechzig", "[SEP]"]
    assert number_bert._digits(tokens) == {"tens": (1, 7), "units": (3, 5)}
    english = "one thousand five hundred and sixty - four"
    tokens = f"[CLS] {english} [SEP] ein tausend fünf hundert vier und sechzig [SEP]".split()
    words = {digit: [tokens[i] for i in at] for digit, at in number_bert._digits(tokens).items()}
    assert words == {
        "thousands": ["one", "ein"],
        "hundreds": ["five", "fünf"],
        "tens": ["sixty", "sechzig"],
        "units": ["four", "vier"],
    }
    found = number_bert.clue_looked_at(model, layer=1, head=3)
    assert [*found] == ["thousands", "hundreds", "tens", "units"]
    assert min(found.values()) > 0.9
    assert max(number_bert.clue_looked_at(model, layer=0, head=0).values()) < 0.1


def test_a_gpt_fills_one_gap_each(model):
    """A GPT that knows German alone, and says nothing right after a wrong word."""
    rows, segments, _ = packed(split(SETTINGS)[1], model.tokenizer)
    known = (rows != model.tokenizer.unk_id).all(dim=1)
    rows, german = rows[known], segments[known].bool()  # (B, T)
    answers = F.one_hot(rows.roll(-1, dims=1), model.tokenizer.vocab_size)  # (B, T, V)
    answers = 20.0 * answers * german.roll(-1, dims=1)[..., None]

    def gpt(ids):
        width = ids.shape[1]
        sound = (ids == rows[:, :width]).cumprod(dim=1)
        return answers[:, :width] * sound[..., None]

    found = number_bert.one_gap_each({"BERT": model}, gpt, model.tokenizer)
    assert min(found["BERT"]) > 0.95
    english, of_german = found["GPT, up to the gap"]
    assert english < 0.2  # it says one and the same word in each gap
    assert of_german == 1
    assert [*found["GPT, every word tried"]] == [1, 1]


def test_a_gpt_of_numbers_learns(model):
    """Two steps lower its loss on the texts that it has not read."""
    rows, pad_id = packed(split(SETTINGS)[1], model.tokenizer)[0], model.tokenizer.pad_id
    losses = []
    for steps in (0, 2):
        gpt = number_bert.train_gpt(model.tokenizer, steps)
        with torch.no_grad():
            logits = gpt(rows)[:, :-1].transpose(1, 2)
        losses.append(F.cross_entropy(logits, rows[:, 1:], ignore_index=pad_id).item())
    assert losses[1] < losses[0]


def test_attention_to_the_other_text_is_counted_without_the_special_tokens(model):
    """A model that attends everywhere alike: the share of the other text's words in the pair."""
    tokenizer = model.tokenizer
    code = tokenizer.encode("[MASK] hundred and five", "drei hundert fünf")
    ids, segments = torch.tensor([code.ids]), torch.tensor([code.segments])
    chosen = ids == tokenizer.mask_id
    asked = MaskedTokens(ids, segments, torch.ones_like(chosen), chosen, ids[chosen])
    alike = number_bert.build(SETTINGS).eval()
    alike.tokenizer = tokenizer
    for block in alike.layers():
        for weight in block.attention.parameters():
            weight.data.zero_()  # all scores are 0
    assert torch.allclose(attention_across(alike, asked), torch.tensor(3 / 10))


def test_a_rival_that_asks_the_model_fills_as_many_as_the_model(model):
    tokenizer = model.tokenizer

    @torch.no_grad()
    def model_says(words, gap):
        ids = torch.tensor([[tokenizer.vocab.index(word) for word in words]])
        is_sep = (ids == tokenizer.sep_id).long()
        segments = (is_sep.cumsum(dim=1) > is_sep).long()
        return tokenizer.vocab[int(model.mlm_logits(model(ids, segments))[0, gap].argmax())]

    assert share_filled(model_says, tokenizer) == pytest.approx(
        number_bert.evaluate(model)["found"]
    )


def test_a_linear_map_tells_what_a_vector_holds(model):
    tokenizer = model.tokenizer

    def own_word(ids, segments, mask):
        return F.one_hot(ids, tokenizer.vocab_size).float()

    def read_so_far(ids, segments, mask):
        return own_word(ids, segments, mask).cumsum(dim=1)

    told = number_bert.words_told(own_word, tokenizer)
    for row, column in ((1, 0), (4, 1), (6, 2)):
        assert told[row, column] == 1
        told[row, column] = 0
    assert told.max() < 0.2
    of_tens = number_bert.words_told(read_so_far, tokenizer)[:, 1]
    assert (of_tens[4:] == 1).all()
    assert of_tens[:4].max() < 0.2


def test_a_training_draws_the_batches_of_the_notebook_and_never_asks_for_padding(model):
    tokenizer = model.tokenizer
    seen = []

    def all_named(ids, chosen, mask_id):
        seen.append((ids, chosen, mask_id))
        return ids, ids

    trained, losses = number_bert.train_on(all_named, tokenizer, steps=2)
    assert not trained.training
    assert len(losses) == len(seen) == 2
    of_notebook = NumberBatches(split(SETTINGS)[0], tokenizer, SETTINGS).planned()
    first, (chosen, *_), _ = next(of_notebook)
    assert seen[0][0].equal(first)
    assert seen[0][1].equal(chosen)
    with_padding = [row for row in seen if (row[0] == tokenizer.pad_id).any()]
    assert with_padding
    spoiled = number_bert.train_on(
        lambda ids, chosen, mask_id: (ids, ids.masked_fill(ids == tokenizer.pad_id, 7)),
        tokenizer,
        steps=2,
    )
    assert spoiled[1] == losses


def test_three_tests_tell_a_copier_from_one_that_reads(model):
    """NumberBERT does all three; one that repeats what it sees names and does nothing else."""
    tokenizer = model.tokenizer
    of_numberbert = number_bert.three_tests(model, tokenizer)
    assert of_numberbert["hidden, found"] == pytest.approx(0.97, abs=0.01)
    assert min(of_numberbert.values()) > 0.8
    assert number_bert.three_tests(_Copier(tokenizer.vocab_size), tokenizer) == {
        "hidden, found": 0,
        "visible, named": 1,
        "wrong, corrected": 0,
    }


class _Copier:
    """Its vectors say which token stands there, and so do its logits."""

    def __init__(self, vocab_size):
        self.vocab_size = vocab_size

    def __call__(self, ids, segments, mask):
        return F.one_hot(ids, self.vocab_size).float()

    def mlm_logits(self, hidden):
        return hidden
