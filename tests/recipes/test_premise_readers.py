import pytest
import torch
import torch.nn.functional as F
from premise_pairs import LONG, PAIR, untrained_gpt

from tutorial_lib.datasets.premises import LABELS, PremisePair, balanced_pairs, leaky_pairs
from tutorial_lib.recipes.premise_readers import (
    ANSWERS,
    FORMS,
    VOCABULARY,
    AnswerWriter,
    Batches,
    PairReader,
    accuracy,
    answer_loss,
    decode,
    encode,
    fine_tune,
    padded,
    stories,
    story_loss,
    targets,
    without_premise,
    written,
)
from tutorial_lib.recipes.premises import SMOKE


@pytest.fixture
def gpt():
    return untrained_gpt()


def test_every_word_of_the_pairs_and_of_the_stories_is_known():
    for pairs in (leaky_pairs(300, 30), balanced_pairs(270, 27)):
        for form in FORMS:
            for pair in pairs.train:
                words = " ".join(written(pair, form).split())
                assert decode(encode(words)) == words
    assert all(decode(encode(story)) == story for story in stories(50))
    assert len(set(VOCABULARY)) == len(VOCABULARY)


def test_the_two_forms_of_a_pair():
    premise, hypothesis = PAIR.premise, PAIR.hypothesis
    assert written(PAIR, "head") == f"<start> {premise} <separator> {hypothesis} <extract>"
    assert written(PAIR, "text") == f"<start> {premise} . {hypothesis} ?"
    assert targets([PAIR, LONG], "head").tolist() == [0, 2]
    assert [VOCABULARY[i] for i in targets([PAIR, LONG], "text")] == ["yes", "no"]
    (blind,) = without_premise([PAIR])
    assert "dogs" not in written(blind, "text")
    assert blind.label == "entailment"


def test_the_longest_pair_and_story_fit_into_the_context():
    texts = [written(pair, form) for pair in leaky_pairs(900, 9).train for form in FORMS]
    assert max(len(encode(text)) for text in texts + stories(300)) <= SMOKE["sizes"]["context"]


def test_a_story_is_true_of_one_scene_and_holds_no_answer():
    for story in stories(100, seed=1):
        sentences = [s.split() for s in story.removeprefix("<start> ").split(" . ")]
        assert len(sentences) == 3
        assert len({words[0] for words in sentences} - {"some"}) <= 1
        assert not {"small", "large"} <= set(story.split())
        assert not set(story.split()) & {*ANSWERS.values(), "?", "<separator>", "<extract>"}
    assert stories(5, seed=1) != stories(5, seed=2)


def test_the_head_and_the_answer_are_read_at_the_last_real_place(gpt):
    for form, reader in (("head", PairReader(gpt)), ("text", AnswerWriter(gpt))):
        reader.eval()
        rows = [encode(written(pair, form)) for pair in (PAIR, LONG)]
        assert len(rows[0]) != len(rows[1])
        with torch.no_grad():
            together = reader(*padded(rows))
            alone = torch.cat([reader(*padded([row])) for row in rows])
        torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)
    with torch.no_grad():
        following = gpt(torch.tensor([rows[0]]))[0, -1]
    torch.testing.assert_close(together[0], following, atol=1e-5, rtol=1e-5)


def test_the_losses_are_cross_entropies(gpt):
    rows = [encode(written(pair, "text")) for pair in (PAIR, LONG)]
    writer, wanted = AnswerWriter(gpt).eval(), targets([PAIR, LONG], "text")
    ids, mask = padded(rows)
    with torch.no_grad():
        of_rows = [
            F.cross_entropy(gpt(torch.tensor([row]))[0, -1:], answer[None])
            for row, answer in zip(rows, wanted, strict=True)
        ]
        loss = answer_loss(writer, (ids, mask, wanted))
        torch.testing.assert_close(loss, torch.stack(of_rows).mean(), atol=1e-5, rtol=1e-5)
        short, long = encode("<start> two dogs"), encode("<start> two dogs are in")
        both = story_loss(gpt, padded([short, long]))
        one, other = (story_loss(gpt, padded([row])) for row in (short, long))
    torch.testing.assert_close(both, (2 * one + 4 * other) / 6, atol=1e-5, rtol=1e-5)


def test_batches_show_every_row_with_its_label_and_start_from_the_seed():
    rows = [[n] * (n + 1) for n in range(1, 8)]
    labels = torch.arange(1, 8)
    seen = []
    for batch, _ in zip(Batches(rows, labels, 3), range(3), strict=False):
        ids, mask, wanted = batch
        assert torch.equal(ids[:, 0], wanted)
        assert mask.sum(dim=1).tolist() == [n + 1 for n in wanted.tolist()]
        seen += wanted.tolist()
    assert sorted(seen) == list(range(1, 8))
    first, again = (next(iter(Batches(rows, labels, 3)))[2] for _ in range(2))
    assert torch.equal(first, again)
    assert len(next(iter(Batches(rows, None, 3)))) == 2


@pytest.mark.parametrize("form", FORMS)
def test_fine_tuning_leaves_the_start_as_it_was_and_learns(form, gpt):
    before = {name: tensor.clone() for name, tensor in gpt.state_dict().items()}
    pairs = [PAIR, LONG]
    model = fine_tune(gpt, form, pairs, steps=40, lr=2e-2, batch_size=2, progress=False)
    assert accuracy(model, form, pairs) == 1.0
    swapped = [PremisePair(p.premise, p.hypothesis, LABELS[1]) for p in pairs]
    assert accuracy(model, form, swapped) == 0.0
    assert all(torch.equal(before[name], tensor) for name, tensor in gpt.state_dict().items())
