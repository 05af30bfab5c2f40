"""Chapter 07's exercises agree with the library, and its pictures look as the choices say."""

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.exercises.chapter07_vit.claims import ACCURACY
from tutorial_lib.exercises.chapter07_vit.covering import occlusion, reader
from tutorial_lib.exercises.chapter07_vit.embedding import embed
from tutorial_lib.exercises.chapter07_vit.grid import grid_positions
from tutorial_lib.exercises.chapter07_vit.hiding import corrupt_patches
from tutorial_lib.exercises.chapter07_vit.interpolation import interpolate_positions
from tutorial_lib.exercises.chapter07_vit.map import ink, painted
from tutorial_lib.exercises.chapter07_vit.matching import match_patches
from tutorial_lib.exercises.chapter07_vit.patches import patchify
from tutorial_lib.exercises.chapter07_vit.rollout import attention_rollout
from tutorial_lib.exercises.chapter07_vit.split import SIZES, curves
from tutorial_lib.exercises.chapter07_vit.whole import vit_logits
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.interpret import paint_over, patch_similarity, rollout
from tutorial_lib.models import count_parameters
from tutorial_lib.models.patches import MaskablePatchEmbedding, PatchEmbedding, cut_patches
from tutorial_lib.models.vit import ViT, ViTConfig
from tutorial_lib.positions import sinusoidal_grid

TASKS = registry.contents("07")


@pytest.fixture
def images():
    return torch.rand(2, 3, 6, 9, generator=torch.Generator().manual_seed(0))


# The solutions and the library ----------------------------------------------------------------


def test_the_patches_are_the_library_s(images):
    assert_close(patchify(images, 3), cut_patches(images, 3), rtol=0, atol=0)


def test_the_embedding_is_the_library_s(images):
    torch.manual_seed(0)
    layer = PatchEmbedding(patch_size=3, channels=3, d_model=5)
    torch.nn.init.normal_(layer.class_token)
    positions = torch.randn(7, 5)
    weight, bias = layer.projection.weight, layer.projection.bias
    got = embed(patchify(images, 3), weight, bias, layer.class_token, positions)
    assert_close(got, layer(images) + positions)


@pytest.mark.parametrize(("rows", "columns", "width"), [(2, 5, 8), (7, 3, 16), (4, 4, 64)])
def test_the_grid_is_the_library_s(rows, columns, width):
    assert_close(grid_positions(rows, columns, width), sinusoidal_grid(rows, columns, width))


def test_positions_of_the_same_grid_stay():
    table = torch.randn(13, 4, generator=torch.Generator().manual_seed(0))
    assert_close(interpolate_positions(table, (3, 4), (3, 4)), table)


def test_rows_and_columns_stay_apart():
    places = torch.cartesian_prod(torch.arange(3.0), torch.arange(4.0))  # each cell: row, column
    table = torch.cat([torch.full((1, 2), 9.0), places])
    cells = interpolate_positions(table, (3, 4), (6, 8))[1:].view(6, 8, 2)
    for numbers in (cells[..., 0], cells[..., 1].T):
        assert_close(numbers, numbers[:, :1].expand_as(numbers))
        assert (numbers[:, 0].diff() >= 0).all()


def test_the_rollout_is_the_library_s():
    maps = torch.randn(3, 2, 5, 5, generator=torch.Generator().manual_seed(0)).softmax(dim=-1)
    assert_close(attention_rollout(maps), rollout(list(maps[:, None]))[0])


def test_hidden_patches_are_the_library_s(images):
    torch.manual_seed(0)
    layer = MaskablePatchEmbedding(3, 3, d_model=5, class_token=False)
    chosen = torch.tensor([[True] * 6, [True, True, False, True, False, True]])
    draw = torch.tensor([0.85, 0.1, 0.95, 0.88, 0.5, 0.3]).expand(2, -1)
    own = torch.arange(6).expand(2, -1)
    other = torch.tensor([[1, 0, 3, 2, 5, 4], [2, 0, 3, 1, 5, 4]])
    hidden = chosen & (draw < 0.8)
    source = torch.where(chosen & (draw >= 0.8) & (draw < 0.9), other, own)
    got = corrupt_patches(layer(images), layer.mask, chosen, draw, other)
    assert_close(got, layer(images, masked=hidden, source=source))


def test_the_whole_vit_is_the_library_s():
    torch.manual_seed(0)
    sizes = {"image_size": 6, "patch_size": 3, "channels": 1, "d_model": 8, "n_layers": 2}
    model = ViT(ViTConfig(**sizes, n_heads=2, n_classes=3)).eval()
    pixels, entrance = torch.rand(4, 1, 6, 6), model.patch_embedding
    parts = entrance.projection, entrance.class_token, model.position_embedding(), model.blocks
    got = vit_logits(pixels, 3, *parts, model.final_norm, model.classifier)
    assert_close(got, model(pixels))


def test_a_covered_tile_is_a_painted_one():
    read, images = reader(6), torch.rand(3, 1, 6, 6)
    falls = occlusion(read, images, 2).flatten(1)  # (3, 9)
    surest, named = read(images).softmax(dim=-1).max(dim=-1)
    for number in range(9):
        painted_over = paint_over(images, torch.eye(9)[number].bool().expand(3, 9))
        after = read(painted_over).softmax(dim=-1)[torch.arange(3), named]
        assert_close(falls[:, number], surest - after)


def test_matches_are_the_highest_cosines():
    generator = torch.Generator().manual_seed(0)
    patches, examples = (torch.randn(n, 5, generator=generator) for n in (20, 4))
    expected = patch_similarity(patches, examples).argmax(dim=1)
    assert torch.equal(match_patches(patches, examples), expected)


# The claims -----------------------------------------------------------------------------------


def test_the_numbers_of_the_claims_are_the_library_s():
    assert TASKS["7.1"].solution() == ViTConfig.huge().n_patches + 1
    assert round(TASKS["7.13"].solution() * 1e6) == count_parameters(ViTConfig.large())
    larger = next(m for m in TASKS["7.13"].mistakes if m.__name__ == "millions_patch_32")
    assert round(larger() * 1e6) == count_parameters(ViTConfig.large(patch_size=32))
    base = next(m for m in TASKS["7.13"].mistakes if m.__name__ == "millions_base")
    assert round(base() * 1e6) == count_parameters(ViTConfig.base())


@pytest.mark.parametrize(
    ("number", "answers"), [("7.1", (257,)), ("7.13", (304.3, 304.33)), ("7.6", (0.69, 0.7, -0.69))]
)
def test_a_rounded_claim_passes(number, answers):
    for answer in answers:
        assert judge(TASKS[number], answer).status == "right"


def test_the_accuracies_are_those_of_the_paper():
    shares = [round(percent / 100, 3) for percent in ACCURACY.values()]
    assert dict(zip(ACCURACY, shares, strict=True)) == {
        "none": 0.614, "learned 1-D": 0.642, "learned 2-D": 0.640, "relative": 0.640
    }  # fmt: skip


# The map of 7.6 -------------------------------------------------------------------------------


def test_sound_code_paints_the_ink():
    assert torch.equal(painted(TASKS["7.9"].solution) > 0.03, ink() > 0)


def test_each_map_looks_as_it_is_described():
    maps = {letter: painted(code) for letter, code in TASKS["7.9"].choices.items()}
    moved = ink().flatten().roll(1)
    assert [maps[letter].argmax().item() == 0 for letter in "abcd"] == [True, True, True, False]
    assert maps["a"].flatten()[1:].sort().indices[-2:].sort().values.tolist() == [0, 7]
    assert torch.equal(maps["c"].flatten()[1:] > 0.03, ink().flatten()[1:] > 0)
    assert torch.equal(maps["b"].flatten()[1:] > 0.03, moved[1:] > 0)
    assert torch.equal(maps["d"].flatten() > 0.03, moved > 0)


# The curves of 7.7 ----------------------------------------------------------------------------


def test_sound_parts_give_two_curves_of_one_kind():
    train, validation, test = curves(TASKS["7.5"].solution)
    assert train == [1.0] * len(SIZES)
    assert validation != test
    for one, two in zip(validation, test, strict=True):
        assert 0.5 < min(one, two) <= max(one, two) < 0.85


def test_each_curve_looks_as_it_is_described():
    ones = [1.0] * len(SIZES)
    drawn = {letter: curves(code) for letter, code in TASKS["7.5"].choices.items()}
    assert all(parts[0] == ones for parts in drawn.values())
    assert all(max(parts[2]) < 0.85 for parts in drawn.values())
    assert drawn["c"][1] == ones
    for letter in "ab":
        assert drawn[letter][1][0] < 0.75
        assert drawn[letter][1][-1] == 1
    assert max(drawn["a"][1][:-1]) < 0.85
    assert 0.9 < drawn["b"][1][-2] < 1
    assert drawn["b"][1] == sorted(drawn["b"][1])
    assert drawn["d"] == curves(TASKS["7.5"].solution)


# Answers that learners write ------------------------------------------------------------------


def unfolded(images, patch_size):
    return torch.nn.functional.unfold(images, patch_size, stride=patch_size).mT


def normalised(maps):
    layers = maps.mean(dim=1) + torch.eye(maps.size(-1))
    return torch.linalg.multi_dot([torch.eye(maps.size(-1)), *layers.flip(0)]) / 2 ** len(layers)


def halved_path(maps):
    reached = torch.eye(maps.size(-1))
    for layer in maps.mean(dim=1):
        reached = (layer @ reached + reached) / 2
    return reached


def indexed(patches, mask, chosen, draw, other):
    x = patches.clone()
    x[chosen & (draw < 0.8)] = mask
    rows, places = (chosen & (draw >= 0.8) & (draw < 0.9)).nonzero(as_tuple=True)
    x[rows, places] = patches[rows, other[rows, places]]
    return x


def one_by_one(patches, mask, chosen, draw, other):
    x = patches.clone()
    for b, n in chosen.nonzero().tolist():
        number = draw[b, n].item()
        x[b, n] = mask if number < 0.8 else patches[b, other[b, n] if number < 0.9 else n]
    return x


def beside_tensors(patches, mask, chosen, draw, other):
    hidden = chosen & (draw < torch.tensor(0.8))
    x = torch.where(hidden[..., None], mask, patches)
    for b, n in (chosen & ~hidden & (draw < torch.tensor(0.9))).nonzero():
        x[b, n] = patches[b, other[b, n]]
    return x


def in_buckets(patches, mask, chosen, draw, other):
    kind = torch.bucketize(draw, torch.tensor([0.8, 0.9]), right=True).where(chosen, 2)[..., None]
    foreign = patches.gather(1, other[..., None].expand_as(patches))
    return torch.where(kind == 0, mask, torch.where(kind == 1, foreign, patches))


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("7.2", unfolded),
        ("7.10", normalised),
        ("7.10", halved_path),
        ("7.12", indexed),
        ("7.12", one_by_one),
        ("7.12", beside_tensors),
        ("7.12", in_buckets),
    ],
)
def test_another_style_passes(number, answer):
    assert judge(TASKS[number], answer).status == "right"


def test_the_whole_vit_is_kept_whatever_its_parameters_are_called():
    def other_names(images, size, lin, token, places, blocks, last, top):
        return vit_logits(images, size, lin, token, places, blocks, last, top)

    assert judge(TASKS["7.4"], other_names).line == "✓ right."


def test_a_draw_of_0_8_is_not_below_it():
    def at_most(patches, mask, chosen, draw, other):
        x = corrupt_patches(patches, mask, chosen, draw, other)
        return torch.where((chosen & (draw <= 0.8))[..., None], mask, x)

    assert judge(TASKS["7.12"], at_most).status in ("mistake", "differs")
