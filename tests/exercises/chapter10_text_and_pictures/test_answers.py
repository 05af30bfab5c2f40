"""Chapter 10's exercises agree with independent code, and their pictures with what is said."""

import math

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter10_text_and_pictures import one_way, temperature
from tutorial_lib.exercises.chapter10_text_and_pictures.all_pairs import all_pairs
from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import contrastive_loss
from tutorial_lib.exercises.chapter10_text_and_pictures.caption_and_codes import row_and_targets
from tutorial_lib.exercises.chapter10_text_and_pictures.centres import kmeans_round
from tutorial_lib.exercises.chapter10_text_and_pictures.class_vectors import class_vectors
from tutorial_lib.exercises.chapter10_text_and_pictures.code_by_code import write
from tutorial_lib.exercises.chapter10_text_and_pictures.nearest_code import quantize
from tutorial_lib.exercises.chapter10_text_and_pictures.one_row import one_row
from tutorial_lib.exercises.chapter10_text_and_pictures.one_way import found_by, pulls, trained
from tutorial_lib.exercises.chapter10_text_and_pictures.recall import recall_at
from tutorial_lib.exercises.chapter10_text_and_pictures.seen import overlap
from tutorial_lib.exercises.chapter10_text_and_pictures.training import train_head
from tutorial_lib.exercises.chapter10_text_and_pictures.wrong_captions import (
    scenes,
    wrong_captions,
)
from tutorial_lib.exercises.engine import registry
from tutorial_lib.models.picture_writer import PictureWriterConfig

TASKS = registry.contents("10")
NAMES = list(one_way.NAMES)


# What the solutions are for ---------------------------------------------------------------------


def test_a_model_that_guesses_pays_ln_b_and_a_perfect_one_nothing():
    assert contrastive_loss(torch.zeros(16, 16)).item() == pytest.approx(math.log(16))
    vectors = F.normalize(torch.eye(16) + 0.01)
    logits = all_pairs(5 * vectors, vectors / 3, torch.tensor(100.0).log())
    assert contrastive_loss(logits).item() < 1e-6


def test_pulls_are_the_gradient_of_the_loss():
    logits = torch.randn(5, 5, requires_grad=True)
    contrastive_loss(logits).backward()
    assert torch.allclose(pulls(logits.detach()), logits.grad, atol=1e-6)


def test_what_doubles_add_is_what_they_have_more_times_their_share():
    right, tested, seen = torch.rand(30) < 0.5, torch.randn(30, 3), torch.randn(4, 3)
    share, added = overlap(right, tested, seen, 0.8)
    double = F.cosine_similarity(tested[:, None], seen, dim=-1).amax(dim=1) >= 0.8
    assert share == double.float().mean()
    more = right[double].float().mean() - right[~double].float().mean()
    assert torch.allclose(added, share * more, atol=1e-6)


def test_recall_of_a_model_that_finds_all_alike_is_nothing():
    targets = torch.arange(6)
    for k in range(1, 6):
        assert recall_at(k, torch.zeros(6, 6), targets) == 0
    assert recall_at(6, torch.zeros(6, 6), targets) == 1
    assert recall_at(1, torch.eye(6)[targets.flip(0)], targets.flip(0)) == 1


def test_the_mean_of_prompts_is_the_direction_with_the_largest_mean_cosine():
    prompts = torch.randn(3, 4, 5)
    best = (F.normalize(prompts, dim=-1) @ class_vectors(prompts)[..., None]).mean(dim=1)
    for _ in range(20):
        other = F.normalize(torch.randn(3, 5, 1), dim=1)
        assert (best >= (F.normalize(prompts, dim=-1) @ other).mean(dim=1) - 1e-6).all()


def test_a_row_looks_the_same_whatever_the_padding():
    words, regions, positions, segments = (
        torch.randn(*shape) for shape in ((1, 4, 3), (1, 3, 3), (6, 3), (2, 3))
    )
    numbers = torch.tensor([2]), torch.tensor([1])
    x, mask = one_row(words, regions, *numbers, positions, segments)
    short, all_real = one_row(words[:, :2], regions[:, :1], *numbers, positions, segments)
    assert all_real.all()
    assert torch.equal(x[mask], short[0])


def test_no_caption_is_true_of_the_scene_that_gets_it():
    said, true = scenes()
    for u in torch.linspace(0, 0.999, 50).tolist():
        for facts, number in zip(true, wrong_captions(said, true, [u] * 6), strict=True):
            assert said[number] not in facts


def test_codes_on_the_way_there_x_on_the_way_back():
    x, codes = torch.randn(7, 3, requires_grad=True), torch.randn(4, 3, requires_grad=True)
    vectors, numbers = quantize(x, codes)
    assert torch.allclose(vectors, codes[torch.cdist(x, codes).argmin(dim=1)], atol=1e-6)
    assert torch.equal(numbers, torch.cdist(x, codes).argmin(dim=1))
    weights = torch.randn(7, 3)
    to_x, to_codes = torch.autograd.grad((vectors * weights).sum(), (x, codes), allow_unused=True)
    assert torch.equal(to_x, weights)
    assert to_codes is None


def test_rounds_of_k_means_never_make_it_worse():
    frames, centres = torch.randn(40, 3), torch.randn(5, 3)
    before = math.inf
    for _ in range(8):
        tokens, moved = kmeans_round(frames, centres)
        error = (frames - moved[tokens]).square().sum().item()
        assert error <= before + 1e-4
        before, centres = error, moved


def test_row_and_targets_give_the_loss_of_the_picture_writer():
    sizes = {"image_size": 8, "d_hidden": 4, "n_codes": 5, "width": 3, "d_model": 8, "n_heads": 2}
    writer = PictureWriterConfig(vocab_size=9, caption_length=4, **sizes).build().eval()
    captions, codes = writer.padded([[3, 1], [4, 1, 5, 8]]), torch.randint(5, (2, 2, 2))
    row, targets = row_and_targets(captions, codes, 9)
    logits = writer.gpt(row)
    logits[..., :9] = -math.inf
    nats = F.cross_entropy(logits.transpose(1, 2), targets)
    assert torch.allclose(nats, writer.loss(captions, codes), atol=1e-6)


def test_the_training_lets_a_head_find_the_names_of_pictures_that_are_their_turned_vectors():
    names, turn = torch.randn(32, 8), torch.linalg.qr(torch.randn(8, 8)).Q
    head, log_scale = torch.nn.Linear(8, 8, bias=False), torch.nn.Parameter(torch.tensor(2.0))
    optimizer = torch.optim.Adam([*head.parameters(), log_scale], lr=0.03)
    batches = [torch.randperm(32)[:16] for _ in range(150)]
    losses = train_head(head, log_scale, names @ turn, names, batches, optimizer)
    assert losses[-1] < 0.2 * losses[0]
    found = all_pairs(head(names @ turn), names, log_scale)
    assert recall_at(1, found, torch.arange(32)) > 0.9


def test_codes_are_written_as_the_picture_writer_writes_them():
    sizes = {"image_size": 8, "d_hidden": 4, "n_codes": 5, "width": 3, "d_model": 8, "n_heads": 2}
    writer = PictureWriterConfig(vocab_size=9, caption_length=4, **sizes).build().eval()
    captions = writer.padded([[3, 1], [4, 1, 5, 8]])
    with torch.no_grad():
        codes = write(writer.gpt, captions, 9, 4, 1.0, lambda chances: chances.argmax(dim=-1))
        assert torch.equal(codes.view(2, 2, 2), writer.write(captions, seed=0, heat=1e-4))


# The pictures say what the looks say ------------------------------------------------------------


def test_everyones_answer_comes_from_the_mistake():
    task = TASKS["10.3"]
    assert task.answer == "c"
    texts, pictures = found_by(trained(pulls))
    assert texts == pictures == NAMES

    shown = trained(task.shown)
    texts, pictures = found_by(shown)
    assert texts == NAMES  # each picture finds its text
    assert pictures.count("apple") >= 4
    # Nothing that this gradient does can change the mean of a row.
    assert torch.allclose(shown.mean(dim=1), one_way.untrained().mean(dim=1), atol=1e-3)

    texts, pictures = found_by(trained(task.choices["a"]))
    assert pictures == NAMES
    assert texts.count("moon") >= 4

    alike = trained(task.choices["b"])
    assert alike.max() - alike.min() < 1
    assert (alike.diagonal() < one_way.untrained().min()).all()

    apart = trained(task.choices["d"])
    assert (apart.diagonal() < apart[~torch.eye(8).bool()].min()).all()


def test_ever_more_sure_comes_from_the_mistake():
    task = TASKS["10.7"]
    assert task.answer == "b"
    learned, held_out = temperature.frozen()
    own = torch.arange(24)
    assert (learned.argmax(dim=0) == own).all()
    assert (learned.argmax(dim=1) == own).all()
    assert 3 <= (held_out.argmax(dim=1) != own).sum() <= 6

    factor, loss, other = temperature.course(task.shown)
    lowest = other.index(min(other))
    assert 10 < lowest < 50
    assert other[0] > other[lowest] + 0.3
    assert other[-1] > 3 * other[lowest]
    assert factor == sorted(factor)
    assert factor[-1] > 200
    assert loss == sorted(loss, reverse=True)

    shown = [row[1:] for row in temperature.two_pictures(task.shown)]
    expected = [[0.293, 0.379, 0.992], [0.273, 0.285, 0.008]]
    assert shown[0] == pytest.approx(expected[0], abs=1e-3)
    assert shown[1] == pytest.approx(expected[1], abs=1e-3)
    assert shown[2][1] < shown[3][1] < 0.3  # wrong at first, and surely wrong in the end
    assert shown[3][2] > 0.99
    one_direction = temperature.two_pictures(task.choices["a"])
    assert [row[3] for row in one_direction[:2]] == pytest.approx([0.881, 0.119], abs=1e-3)

    factor, loss, other = temperature.course(task.solution)
    assert factor[-1] == pytest.approx(100, rel=1e-4)
    assert other[-1] < 1.5

    of_the_mistake = loss, other
    factor, *losses = temperature.course(task.choices["a"])
    for column, without_a_bound in zip(losses, of_the_mistake, strict=True):
        assert column[20] == pytest.approx(without_a_bound[20], abs=0.1)  # they begin alike
        assert max(column[150:]) - min(column[150:]) < 1e-3
    assert factor[-1] == pytest.approx(100, rel=1e-4)

    factor, *losses = temperature.course(task.choices["c"], steps=20)
    assert factor[-1] == pytest.approx(math.e, rel=1e-4)
    for column in (factor, *losses):
        assert max(column[1:]) - min(column[1:]) < 1e-3

    factor, *losses = temperature.course(task.choices["d"], steps=60)
    assert factor == sorted(factor, reverse=True)
    assert all(column == sorted(column) for column in losses)


# The claim ----------------------------------------------------------------------------------------


def test_what_the_claim_counts():
    short, paid = 256 + 32 * 32, 100 * (256 + 32 * 32) ** 2
    assert (short, math.isqrt(paid)) == (1_280, 12_800)
    assert (12_800 - 256) // 3 == 4_181
    assert (256 + 3 * 64 * 64) ** 2 <= paid < (256 + 3 * 65 * 65) ** 2
    assert (256 + 3 * 18 * 18) <= short < (256 + 3 * 19 * 19)
    assert 64 * 64 * 16 == 256 * 256
    assert TASKS["10.12"].solution() == TASKS["10.12"].second_style() == 64
    named = {math.floor(mistake()) for mistake in TASKS["10.12"].mistakes}
    assert {65, 66, 111, 112, 204, 206} <= named
    assert 256 * 256 * 3 / (32 * 32) == 192
