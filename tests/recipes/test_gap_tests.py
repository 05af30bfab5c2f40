"""Gaps filled by counting, by a BERT and by a GPT, where the answers are known."""

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.objectives import MaskedTokens
from tutorial_lib.recipes.gap_tests import (
    cloze_by_counting,
    cloze_share,
    cloze_share_by_trying,
    cloze_share_of_gpt,
    found_by,
    found_by_counting,
    gaps_held_out,
)
from tutorial_lib.recipes.stored import load_checkpoint


def test_counting_uses_what_each_way_may_see():
    texts = [[5, 6, 7, 5, 8, 9, 5, 6, 7, 6, 6]]  # 6 is the commonest, also after 5
    ids = torch.tensor([[5, 4, 9, 1], [5, 4, 7, 1], [9, 4, 1, 1]])
    chosen = ids == 4
    tokens = MaskedTokens(ids, None, None, chosen, torch.tensor([8, 6, 5]))
    shares = found_by_counting(texts, tokens, vocab_size=10)
    assert list(shares.values()) == pytest.approx([1 / 3, 2 / 3, 1])
    other = found_by_counting(texts, tokens, vocab_size=10, commonest=8)
    assert list(other.values()) == pytest.approx([1 / 3, 2 / 3, 1])
    assert found_by_counting(texts, tokens, 10, commonest=7)["the most frequent token"] == 0
    some = found_by_counting(texts, tokens, 10, answers=[5, 7, 8])  # no 6, though it is commonest
    assert list(some.values()) == pytest.approx([1 / 3, 2 / 3, 2 / 3])


def test_a_bert_answers_with_the_words_that_may_be_answered():
    bert = load_checkpoint("shakespeare-bert")
    gaps = [("", "thou", " art a villain.")]
    assert cloze_share(bert, gaps, {"thou", "he", "she", "it"}) == 1
    assert cloze_share(bert, gaps, {"he", "she", "it"}) == 0


def test_gaps_of_any_length_are_asked_as_if_each_were_alone():
    bert = load_checkpoint("shakespeare-bert")
    gaps, words = gaps_held_out(bert.tokenizer, 12)
    alone = [cloze_share(bert, [gap], words) for gap in gaps]
    assert 0 < sum(alone) < 12
    assert cloze_share(bert, gaps, words) == pytest.approx(sum(alone) / 12)


class AfterThouComesArt:
    """Stands for a GPT: finds "she" likeliest everywhere, but "art" after "thou"."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, ids, last_only=False):
        logits = self.logits(self.read(ids))
        return logits[:, -1:] if last_only else logits

    def read(self, ids):
        return ids[..., None]  # (B, T, 1)

    def logits(self, hidden):
        ids, thou = hidden[..., 0], self.tokenizer.vocab.index("thou")
        logits = torch.zeros(*ids.shape, self.tokenizer.vocab_size)
        logits[..., self.tokenizer.vocab.index("she")] = 1  # a higher id than that of "king"
        logits[..., self.tokenizer.vocab.index("art")] = torch.where(ids == thou, 9.0, 0.0)
        return logits


def test_a_gpt_uses_the_right_side_only_by_trying_every_word():
    gpt = AfterThouComesArt(load_checkpoint("shakespeare-bert").tokenizer)
    gaps = [("and then ", "thou", " art a villain."), ("and then ", "she", ".")]
    words = {"thou", "king", "she"}
    assert cloze_share_of_gpt(gpt, gaps, words, whole=False) == 0.5  # she, both times
    assert cloze_share_of_gpt(gpt, gaps, words) == 1
    assert cloze_share_of_gpt(gpt, gaps, {"king", "she"}) == 0.5  # nobody may say "thou"


class WordsThatGoTogether:
    """Stands for a BERT: copies what it sees; in a gap it prefers "she" to "thou" to "king".

    But it says "the" if "king" follows, "art" after "thou", and slightly prefers "is" after "thou".
    """

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, ids, mask=None):
        return torch.stack([ids.roll(1, dims=1), ids, ids.roll(-1, dims=1)], dim=-1)  # (B, T, 3)

    def mlm_logits(self, hidden):
        of = self.tokenizer.vocab.index
        before, here, after = hidden.unbind(dim=-1)
        logits = torch.zeros(*here.shape, self.tokenizer.vocab_size)
        logits[..., of("she")], logits[..., of("thou")], logits[..., of("king")] = 3, 2, 1
        for word, added, neighbour, beside in (
            ("art", 4.0, "thou", before),
            ("is", 0.2, "thou", before),
            ("the", 4.0, "king", after),
            ("[SEP]", 4.0, "king", before),  # which is not asked for
        ):
            logits[..., of(word)] += added * (beside == of(neighbour))
        logits += 20.0 * (before == of("king"))[..., None]  # for all tokens alike: no evidence
        seen = here != self.tokenizer.mask_id
        return logits + 50 * F.one_hot(here, self.tokenizer.vocab_size) * seen[..., None]


def test_a_bert_that_tries_its_words_asks_what_each_makes_of_the_others():
    bert = WordsThatGoTogether(load_checkpoint("shakespeare-bert").tokenizer)
    words = {"thou", "king", "she"}
    clue_right, clue_left = ("and then ", "thou", " art a villain."), ("and the ", "king", ".")
    weak_clue, at_the_end = ("and then ", "she", " is here."), ("and then ", "she", "")
    gaps = [clue_right, clue_left, weak_clue, at_the_end]
    assert cloze_share(bert, gaps, words) == 0.5  # she, each time
    assert cloze_share_by_trying(bert, gaps, words) == 1
    assert cloze_share_by_trying(bert, gaps, words, n=2) == 0.75  # "king" is not tried
    assert cloze_share_by_trying(bert, gaps, words, n=1) == 0.5
    assert cloze_share_by_trying(bert, [clue_right], {"king", "she"}) == 0


def test_the_gaps_are_frequent_words_of_one_token_with_a_text_on_both_sides():
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    gaps, words = gaps_held_out(tokenizer, 30)
    assert len(gaps) == 30
    assert all(word in words and min(len(left), len(right)) >= 30 for left, word, right in gaps)
    assert all(len(word) > 2 and word in tokenizer.vocab for word in words)
    assert gaps_held_out(tokenizer, 30, seed=1)[0] != gaps
    held_out = {"Hamlet", "Henry V", "Twelfth Night"}
    said = {
        " ".join(speech.text.split())
        for play in load_shakespeare().plays
        if play.title in held_out
        for speech in play.speeches
        if 100 <= len(speech.text) <= 300
    }
    assert {left + word + right for left, word, right in gaps} <= said


def test_counting_says_only_the_words_that_may_be_answered():
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    text = tokenizer.encode("thou art king. thou art king. thou art here. he is here. he is here.")
    gaps = [("thou art ", "here", "."), ("he is ", "here", ".")]
    ids = [text.ids[1:-1]]
    every = cloze_by_counting(ids, gaps, {"king", "here"}, tokenizer)
    assert every["from both neighbours"] == 0.5
    one = cloze_by_counting(ids, gaps, {"here"}, tokenizer)
    assert [*one.values()] == [1, 1, 1]


def test_equal_counts_fall_to_the_more_frequent_and_new_neighbours_to_the_left_one():
    texts = [[5, 6, 7, 8, 5, 9, 7, 6, 6]]  # between 5 and 7 once 6 and once 9; 6 is more frequent
    ids = torch.tensor([[5, 4, 7], [5, 4, 8], [8, 4, 6]])
    tokens = MaskedTokens(ids, None, None, ids == 4, torch.tensor([6, 6, 5]))
    assert found_by_counting(texts, tokens, vocab_size=10)["from both neighbours"] == 1
    other = [*texts[0][:-2], 9, 9]
    tokens = tokens._replace(targets=torch.tensor([9, 9, 5]))
    assert found_by_counting([other], tokens, vocab_size=10)["from both neighbours"] == 1


def test_found_by_reads_no_padding():
    """Two texts: the model says at each place how many real tokens it was given."""

    class Counting:
        def __call__(self, ids, segments, mask):
            real = mask.sum(dim=1, keepdim=True).expand_as(ids)  # (B, T)
            return F.one_hot(real, 9).float()

        def mlm_logits(self, hidden):
            return hidden

    ids = torch.ones(2, 4, dtype=torch.long)
    mask = torch.tensor([[True, True, False, False], [True, True, True, True]])
    chosen = torch.tensor([[True, False, False, False], [True, False, True, False]])
    tokens = MaskedTokens(ids, torch.zeros_like(ids), mask, chosen, torch.tensor([2, 4, 1]))
    assert found_by(Counting(), tokens) == pytest.approx(2 / 3)
