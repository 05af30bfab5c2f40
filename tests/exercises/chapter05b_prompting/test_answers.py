"""Chapter 05b's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import made_up_plurals
from tutorial_lib.datasets.premises import PremisePair
from tutorial_lib.exercises.chapter05b_prompting.answer_loss import answer_loss
from tutorial_lib.exercises.chapter05b_prompting.ceiling import ceiling
from tutorial_lib.exercises.chapter05b_prompting.generator import (
    blind_shares,
    label_counts,
    label_shares,
    written,
)
from tutorial_lib.exercises.chapter05b_prompting.induction import induction_score
from tutorial_lib.exercises.chapter05b_prompting.note import without_note
from tutorial_lib.exercises.chapter05b_prompting.silencing import silence
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.interpret import (
    Patch,
    head_outputs,
    induction_scores,
    intervene,
    mean_outputs,
    repeated_sequences,
)
from tutorial_lib.models.gpt import GPTConfig
from tutorial_lib.objectives import IGNORED, next_token_loss, shifted
from tutorial_lib.recipes.in_context import held_out_sequences
from tutorial_lib.training import set_seed

TASKS = registry.contents("5b")


@pytest.fixture(scope="module")
def model():
    set_seed(0)
    return GPTConfig(vocab_size=20, context=12, d_model=8, n_layers=1, n_heads=2).build().eval()


# The solutions and the library ----------------------------------------------------------------


def test_the_chapter_is_found_by_its_number():
    assert registry.find("5b.7").name == "answer_loss"
    assert registry.chapter_module("05b").TITLE == registry.chapter_module("5b").TITLE


def test_the_loss_is_the_library_s(model):
    ids = torch.randint(0, 20, (3, 9), generator=torch.Generator().manual_seed(0))
    is_answer = torch.zeros(3, 9).bool()
    is_answer[0, 4] = is_answer[1, 5:8] = is_answer[2, 7:] = True
    inputs, targets = shifted(ids)
    counted = targets.masked_fill(~is_answer[:, 1:], IGNORED)
    with torch.no_grad():
        assert_close(
            answer_loss(model(ids), ids, is_answer), next_token_loss(model, (inputs, counted))
        )


def test_the_score_is_the_library_s(model):
    ids = repeated_sequences(range(20), n=1, length=6)
    with torch.no_grad(), capture_attention(model) as maps:
        model(ids)
    assert_close(induction_score(maps[0][0]), induction_scores(model, ids)[0])


def test_the_ceiling_is_the_library_s():
    sequences = held_out_sequences()
    kinds = [[example.kind for example in sequence] for sequence in sequences]
    counted = [ceiling(kinds, k) for k in range(len(kinds[0]))]
    assert counted == pytest.approx(made_up_plurals.ceiling(sequences))


def test_a_note_is_taken_back_as_the_library_does_it():
    # With layer 0's feed-forward network silent, nothing but the stream itself takes a note on.
    model = GPTConfig(vocab_size=20, context=12, d_model=8, n_layers=2, n_heads=2).build().eval()
    model.blocks[0].feed_forward.output.weight.data.zero_()
    ids = torch.randint(0, 20, (2, 9), generator=torch.Generator().manual_seed(0))
    mean = mean_outputs(model, ids.flip(1))[0][1]  # (K,)
    said = head_outputs(model, ids)[0][:, 1]
    matrix = model.blocks[0].attention.output.weight.detach()
    with torch.no_grad():
        stream = model.hidden_states(ids)[1]
        with intervene(model, Patch(0, 1, mean.expand_as(said))):
            wanted = model.hidden_states(ids)[1]
    assert not torch.allclose(stream, wanted)
    assert_close(without_note(stream, said, mean, matrix, 1), wanted)


def test_a_silent_head_is_the_library_s(model):
    ids = torch.randint(0, 20, (2, 9), generator=torch.Generator().manual_seed(1))
    mean = torch.tensor([0.5, -1.0, 2.0, 0.0])
    with torch.no_grad(), intervene(model, Patch(0, 1, mean.expand(*ids.shape, -1))):
        wanted = model(ids)
    hook = silence(model.blocks[0].attention.output, 2, 1, mean)
    with torch.no_grad():
        assert_close(model(ids), wanted)
        hook.remove()
        assert not torch.allclose(model(ids), wanted)


# The generator of 5b.8 ------------------------------------------------------------------------


def test_sound_code_gives_each_label_a_third_where_it_can():
    *rows, general = label_shares(label_counts(TASKS["5b.8"].solution))
    for row in rows:
        assert row == [1 / 3] * 3
    assert general == []


def test_the_repair_moves_the_leak_to_the_premise():
    hypothesis_alone, premise_alone = blind_shares()
    assert hypothesis_alone == pytest.approx(1 / 3)
    assert premise_alone > 0.6
    *_, specific, general = label_shares(label_counts(TASKS["5b.8"].solution, "premise"))
    assert max(specific + general) > 0.6
    hypothesis_alone, premise_alone = blind_shares(TASKS["5b.8"].shown)
    assert hypothesis_alone > 0.4
    assert premise_alone == pytest.approx(1 / 3)


def test_code_that_writes_nothing_is_not_taken_for_the_code_shown():
    assert any(written(TASKS["5b.8"].shown, *case.args) for case in TASKS["5b.8"].cases())
    verdict = judge(TASKS["5b.8"], "a", lambda premises, hypotheses: [])
    assert "no pair at all" in verdict.text
    assert "Next" not in verdict.text


def test_each_generator_looks_as_it_is_described():
    counts = {letter: label_counts(code) for letter, code in TASKS["5b.8"].choices.items()}
    shares = {letter: label_shares(rows) for letter, rows in counts.items()}
    totals = {
        letter: [sum(column) for column in zip(*counts[letter], strict=True)] for letter in counts
    }
    # Uneven rows with even totals: only (a). Uneven totals: (b), and (c) by a pair or two.
    assert totals["a"] == [84, 84, 84]
    assert totals["b"][2] > 3 * totals["b"][1]
    assert totals["c"] == [108, 106, 108]
    entailed = [row[0] for row in shares["a"]]
    assert entailed == sorted(entailed)
    assert entailed[0] < 0.1
    assert min(entailed[-2:]) > 0.9
    assert all(row[2] == max(row) for row in shares["b"][:4])
    *specific, general = shares["c"]
    assert all(abs(share - 1 / 3) < 0.03 for row in specific for share in row)
    assert general[1] == 0
    assert general[0] > 0.3
    assert all(row == [1 / 3] * 3 for row in shares["d"])


@pytest.mark.parametrize("order", [1, -1])
def test_any_premise_with_the_right_relation_will_do(order):
    sound = TASKS["5b.8"].solution

    def balanced(premises, hypotheses):
        return sound(premises[::order], hypotheses)[::order]

    assert judge(TASKS["5b.8"], "a", balanced).status == "right"


def test_a_label_that_is_not_true_is_seen():
    sound = TASKS["5b.8"].solution

    def balanced(premises, hypotheses):
        pairs = sound(premises, hypotheses)
        labels = [pair.label for pair in pairs]
        return [
            PremisePair(pair.premise, pair.hypothesis, label)
            for pair, label in zip(pairs, labels[1:] + labels[:1], strict=True)
        ]

    assert "not true" in judge(TASKS["5b.8"], "a", balanced).text


def test_scenes_in_place_of_their_texts_are_named():
    sound = TASKS["5b.8"].solution

    def balanced(premises, hypotheses):
        scenes = {scene.text: scene for scene in (*premises, *hypotheses)}
        pairs = sound(premises, hypotheses)
        return [PremisePair(scenes[p.premise], scenes[p.hypothesis], p.label) for p in pairs]

    assert "not the texts of two scenes" in judge(TASKS["5b.8"], "a", balanced).text


# Answers that learners write ------------------------------------------------------------------


def diagonal(weights):
    n = weights.size(-1) // 2
    return weights.diagonal(1 - n, dim1=-2, dim2=-1)[:, 1:].mean(dim=-1)


def masked_targets(logits, ids, is_answer):
    targets = ids.masked_fill(~is_answer, IGNORED)[:, 1:]
    return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


@pytest.mark.parametrize(("number", "answer"), [("5b.4", diagonal), ("5b.7", masked_targets)])
def test_another_style_passes(number, answer):
    assert judge(TASKS[number], answer).status == "right"
