"""8a.9 to 8a.14 agree with the library, and their pictures look as the choices say."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from tutorial_lib.exercises.chapter08a_bert_family.forger import forge, forgeries, suspects
from tutorial_lib.exercises.chapter08a_bert_family.layers import choose_layers
from tutorial_lib.exercises.chapter08a_bert_family.lesson import (
    gaps_filled,
    lesson,
    lessons,
    trained_teacher,
)
from tutorial_lib.exercises.chapter08a_bert_family.replaced import replaced_batch, replaced_loss
from tutorial_lib.exercises.chapter08a_bert_family.soft_targets import soft_targets
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import BERTConfig, DistilBERT, ELECTRAConfig
from tutorial_lib.objectives import (
    mask_tokens,
    replace_tokens,
    replaced_token_loss,
    soft_target_loss,
)
from tutorial_lib.objectives.replaced import ReplacedTokens
from tutorial_lib.training import set_seed

TASKS = registry.contents("08a")


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


# The solutions and the library ----------------------------------------------------------------


def test_layers_are_chosen_among_real_students():
    set_seed(0)
    teacher = BERTConfig(9, 8, d_model=4, n_layers=4, n_heads=2, mlm=True).build().eval()
    ids = torch.randint(9, (5, 8))

    @torch.no_grad()
    def loss(layers):
        student = DistilBERT.from_teacher(teacher, layers).eval()
        return F.mse_loss(student(ids), teacher(ids)).item()

    found = choose_layers(4, 2, loss)
    assert loss(found) == min(map(loss, itertools.combinations(range(4), 2)))


@pytest.mark.parametrize("temperature", [1.0, 2.0, 6.5])
def test_soft_targets_are_the_library_s(generator, temperature):
    student, teacher = torch.randn(2, 5, 11, generator=generator)
    found = soft_targets(student, teacher, temperature)
    assert_close(found, soft_target_loss(student, teacher, temperature))


def test_a_sound_lesson_is_the_library_s(generator):
    student, teacher = (nn.Embedding(7, 7) for _ in range(2))
    ids = torch.randint(7, (3, 6), generator=generator)
    gaps = torch.rand(3, 6, generator=generator) < 0.5
    found = lesson(student, teacher, ids, gaps, 3.0)
    assert_close(found, soft_target_loss(student(ids)[gaps], teacher(ids)[gaps], 3.0))


def masked_batch(generator):
    ids = torch.randint(5, 30, (6, 12), generator=generator)
    mask = torch.arange(12) < torch.tensor([12, 9, 4, 12, 7, 3])[:, None]
    kwargs = {"vocab_size": 30, "special_ids": [0, 1, 2], "share": 0.4, "mask": mask}
    return ids, mask_tokens(ids, mask_id=3, generator=generator, **kwargs)


def test_replaced_batches_are_the_library_s(generator):
    ids, batch = masked_batch(generator)
    logits = torch.randn(len(batch.targets), 30, generator=generator)
    logits[::3].scatter_(1, batch.targets[::3, None], 50.0)  # a third is drawn as it was
    theirs = replace_tokens(logits, batch, generator)
    before = ids.clone()
    before[batch.chosen] = batch.targets
    changed, labels = replaced_batch(before, batch.chosen, batch.mask, theirs.ids[batch.chosen])
    assert (changed == theirs.ids)[batch.mask].all()
    assert ((labels == 1) == theirs.replaced).all()
    assert ((labels == -100) == ~batch.mask).all()


def test_the_loss_of_a_discriminator_is_the_library_s(generator):
    set_seed(0)
    sizes = {"d_model": 8, "n_layers": 1, "n_heads": 2, "replaced": True}
    model = ELECTRAConfig(30, 12, **sizes).build().eval()
    ids, batch = masked_batch(generator)
    replaced = (torch.rand(ids.shape, generator=generator) < 0.3) & batch.mask
    labels = replaced.long().masked_fill(~batch.mask, -100)
    with torch.no_grad():
        logits = model.replaced_logits(model(ids, None, batch.mask))
        theirs = replaced_token_loss(model, ReplacedTokens(ids, None, batch.mask, replaced))
        assert_close(replaced_loss(logits, labels), theirs)


def test_a_forger_draws_as_often_as_the_probabilities_say(generator):
    logits = torch.tensor([1.0, -1.0, 0.5, 2.0]).expand(40_000, 4)
    ids, chosen = torch.full((1, 40_000), 2), torch.ones(1, 40_000).bool()
    changed, replaced = forge(ids, chosen, logits, torch.rand(40_000, generator=generator))
    counted = changed.flatten().bincount(minlength=4) / 40_000
    assert_close(counted, logits[0].softmax(-1), atol=0.01, rtol=0)
    assert (replaced == (changed != 2)).all()


# Other ways to be right -----------------------------------------------------------------------


def layers_by_table(n_teacher, n_student, loss):
    table = {c: loss(c) for c in itertools.combinations(range(n_teacher), n_student)}
    return min(table, key=table.get)  # a tuple


def layers_by_masks(n_teacher, n_student, loss):
    found = []
    for bits in range(2**n_teacher):
        layers = [layer for layer in range(n_teacher) if bits >> layer & 1]
        if len(layers) == n_student:
            found.append((loss(layers), layers))
    return min(found)[1]


def soft_by_entropies(student_logits, teacher_logits, temperature):
    p = (teacher_logits / temperature).softmax(-1).detach()
    log_q = student_logits / temperature
    log_q = log_q - log_q.logsumexp(-1, keepdim=True)
    cross = -(p * log_q).sum(-1)
    entropy = -torch.special.xlogy(p, p).sum(-1)
    return ((cross - entropy) * temperature**2).mean(dim=0)


def lesson_in_eval(student, teacher, inputs, gaps, temperature):
    with torch.inference_mode():
        wanted = teacher(inputs)
    wanted = torch.softmax(wanted.clone()[gaps] / temperature, -1)
    said = torch.log_softmax(student(inputs)[gaps] / temperature, -1)
    return F.kl_div(said, wanted, reduction="sum") / gaps.sum() * temperature**2


def labels_by_where(ids, chosen, mask, drawn):
    changed = ids.masked_scatter(chosen, drawn)
    return changed, torch.where(mask, (changed != ids).int(), -100)


def labels_by_numpy(ids, chosen, mask, drawn):
    changed = ids.numpy().copy()
    changed[chosen.numpy()] = drawn.numpy()
    labels = (changed != ids.numpy()).astype(int)
    labels[~mask.numpy()] = -100
    return changed, labels


def loss_by_weights(logits, labels):
    weight = (labels != -100).double()
    y = labels.clamp(min=0).double()
    return F.binary_cross_entropy_with_logits(logits.double(), y, weight, reduction="sum") / (
        weight.sum()
    )


def loss_by_two_classes(logits, labels):
    two = torch.stack([torch.zeros_like(logits), logits], dim=1)  # (B, 2, T)
    return F.cross_entropy(two, labels, ignore_index=-100)


def forge_by_search(ids, chosen, logits, u):
    sums = logits.double().softmax(-1).cumsum(-1)
    drawn = torch.searchsorted(sums, u.double()[:, None], right=True).squeeze(1)
    changed = ids.clone()
    changed[chosen] = drawn.clamp(max=logits.size(1) - 1)
    return changed, changed.ne(ids)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("8a.9", layers_by_table),
        ("8a.9", layers_by_masks),
        ("8a.10", soft_by_entropies),
        ("8a.11", lesson_in_eval),
        ("8a.12", labels_by_where),
        ("8a.12", labels_by_numpy),
        ("8a.13", loss_by_weights),
        ("8a.13", loss_by_two_classes),
        ("8a.14", forge_by_search),
    ],
)
def test_another_style_is_right(number, answer):
    task = TASKS[number]
    verdict = judge(task, task.answer, answer) if task.kind == "symptom" else judge(task, answer)
    assert verdict.status == "right", verdict.text
    assert verdict.text.endswith(("right.", "works."))


# The trainings of 8a.11 and 8a.14 --------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "loss", "student", "teacher"),
    [
        (None, (0.1, 0.4), (0.33, 0.5), (0.38, 0.5)),
        ("a", (0.1, 0.4), (0, 0.27), (0.38, 0.5)),
        ("b", (0, 0.02), (0, 0.1), (0, 0.1)),
        ("c", (1.4, 2), (0.08, 0.2), (0.38, 0.5)),
        ("d", (-1e6, -100), (0, 0.03), (0.38, 0.5)),
    ],
)
def test_each_lesson_ends_as_it_is_described(letter, loss, student, teacher):
    task = TASKS["8a.11"]
    taught = lessons(task.choices[letter] if letter else task.solution)
    assert loss[0] <= sum(taught.loss[-20:]) / 20 <= loss[1]
    assert student[0] <= taught.student_right <= student[1]
    assert teacher[0] <= taught.teacher_right <= teacher[1]
    assert (taught.teacher_right == gaps_filled(trained_teacher())) == (letter != "b")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("letter", "loss", "drawn", "most_likely", "any_token"),
    [
        (None, (0.3, 0.37), (0.6, 0.75), (0.56, 0.7), (0.68, 0.82)),
        ("a", (0.38, 0.45), (0.58, 0.72), (0.56, 0.7), (0.64, 0.8)),
        ("b", (0.3, 0.37), (0.25, 0.4), (0.3, 0.44), (0.18, 0.32)),
        ("c", (0.22, 0.3), (0.55, 0.7), (0.38, 0.53), (0.84, 0.93)),
        ("d", (0.22, 0.3), (0.5, 0.6), (0.74, 0.87), (0.34, 0.46)),
    ],
)
def test_each_forger_teaches_what_is_described(letter, loss, drawn, most_likely, any_token):
    task = TASKS["8a.14"]
    found = forgeries(task.choices[letter] if letter else task.solution)
    assert loss[0] <= sum(found.loss[-20:]) / 20 <= loss[1]
    assert drawn[0] <= found.drawn <= drawn[1]
    assert most_likely[0] <= found.most_likely <= most_likely[1]
    assert any_token[0] <= found.any_token <= any_token[1]


@pytest.mark.parametrize(("train", "code"), [(lessons, lesson), (forgeries, forge)])
def test_a_training_leaves_the_random_numbers_alone(train, code):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first = train(code, steps=3)
    assert torch.rand(1) == expected
    assert first == train(code, steps=3)


def test_suspects_counts_pairs(generator):
    scores = torch.randint(6, (40,), generator=generator)
    replaced = torch.rand(40, generator=generator) < 0.4
    pairs = itertools.product(scores[replaced].tolist(), scores[~replaced].tolist())
    wins = [(a > b) + (a == b) / 2 for a, b in pairs]
    assert suspects(scores, replaced) == pytest.approx(sum(wins) / len(wins))


# 8a.15 -----------------------------------------------------------------------------------------


def winner_by_tables(rows, seconds):
    table = {}
    for row in rows:
        if abs(row["seconds"] - seconds) < 1e-9:
            table[row["model"]] = [*table.get(row["model"], []), row["score"]]
    table = {name: scores for name, scores in table.items() if len(scores) > 2}
    ranked = sorted(table, key=lambda name: min(table[name]))
    if len(ranked) < 2:
        return None
    best = ranked[-1]
    return best if all(min(table[best]) > max(table[name]) for name in ranked[:-1]) else None


def winner_of_last_seeds(rows, seconds):
    last = {row["model"]: row["score"] for row in rows if row["seconds"] == seconds}
    return max(last, key=last.get) if last else None


def winner_against_the_mean(rows, seconds):
    scores = {}
    for row in rows:
        if row["seconds"] == seconds:
            scores.setdefault(row["model"], []).append(row["score"])
    scores = {name: found for name, found in scores.items() if len(found) >= 3}
    for name, found in scores.items():
        others = [sum(s) / len(s) for other, s in scores.items() if other != name]
        if others and min(found) > max(others):
            return name
    return None


def winner_says_no(rows, seconds):
    return None


def test_winners():
    assert judge(TASKS["8a.15"], winner_by_tables).status == "right"
    for wrong, named in (
        (winner_of_last_seeds, "fewer than three seeds"),
        (winner_against_the_mean, "scores overlap"),
        (winner_says_no, "returns None"),
    ):
        verdict = judge(TASKS["8a.15"], wrong)
        assert verdict.status == "mistake"
        assert named in verdict.text, verdict
