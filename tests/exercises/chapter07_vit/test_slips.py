"""Chapter 07's exercises name the slips of learners who write them in a style of their own."""

import dataclasses

import pytest
import torch

from tutorial_lib.exercises.chapter07_vit.hiding import corrupt_patches
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge

TASKS = registry.contents("07")


@pytest.mark.parametrize(
    ("number", "answer", "said"),
    [
        ("7.13", 304.2, "or a part is left out"),
        ("7.6", 0.98, "error of one accuracy"),
        ("7.6", 9.26, "1-D against none"),
    ],
)
def test_a_wrong_number_is_named(number, answer, said):
    verdict = judge(TASKS[number], answer)
    assert verdict.status == "mistake"
    assert said in verdict.text


def hidden_in_place(patches, mask, chosen, draw, other):
    x = patches.clone()
    patches[chosen & (draw < 0.8)] = mask
    return corrupt_patches(x, mask, chosen, draw, other)


def corrupted_in_place(patches, mask, chosen, draw, other):
    patches[:] = corrupt_patches(patches, mask, chosen, draw, other)
    return patches


def corrupted_up_to_both(patches, mask, chosen, draw, other):
    hidden = chosen & (draw <= 0.8)
    foreign = patches.gather(1, other[..., None].expand_as(patches))
    x = torch.where((chosen & ~hidden & (draw <= 0.9))[..., None], foreign, patches)
    return torch.where(hidden[..., None], mask, x)


def corrupted_in_buckets(patches, mask, chosen, draw, other):
    kind = torch.bucketize(draw, torch.tensor([0.8, 0.9])).where(chosen, 2)[..., None]
    foreign = patches.gather(1, other[..., None].expand_as(patches))
    return torch.where(kind == 0, mask, torch.where(kind == 1, foreign, patches))


def replaced_in_a_loop(patches, mask, chosen, draw, other):
    x = patches.clone()
    for b in range(x.size(0)):
        for n in range(x.size(1)):
            if chosen[b, n] and 0.8 <= draw[b, n] < 0.9:
                x[b, n] = x[b, other[b, n]]
    x[chosen & (draw < 0.8)] = mask
    return x


def masked_then_replaced(patches, mask, chosen, draw, other):
    x = patches.clone()
    x[chosen & (draw < 0.8)] = mask
    for b, n in (chosen & (draw >= 0.8) & (draw < 0.9)).nonzero().tolist():
        x[b, n] = x[b, other[b, n]]
    return x


def changed_in_one_loop(patches, mask, chosen, draw, other):
    x = patches.clone()
    for b, n in chosen.nonzero().tolist():
        if draw[b, n] < 0.8:
            x[b, n] = mask
        elif draw[b, n] < 0.9:
            x[b, n] = x[b, other[b, n]]
    return x


def faster(n_rows, n_columns, d_model):
    half = d_model // 2
    powers = 10000.0 ** (torch.arange(0, half, 2) / half)

    def sinusoids(n):
        angles = torch.arange(n)[:, None] * powers
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)

    rows = sinusoids(n_rows).repeat_interleave(n_columns, dim=0)
    return torch.cat([rows, sinusoids(n_columns).repeat(n_rows, 1)], dim=1)


def last_map(maps):
    return maps.mean(dim=1)[-1]


def from_first_map(maps):
    reached, *others = maps.mean(dim=1)
    for layer in others:
        reached = (layer @ reached + reached) / 2
    return reached


@pytest.mark.parametrize(
    ("number", "answer", "said"),
    [
        ("7.7", faster, "It multiplies by the power of 10000"),
        ("7.10", last_map, "map of the last layer alone"),
        ("7.10", from_first_map, "This gives the first layer no residual path"),
        ("7.12", hidden_in_place, "work on a copy, `patches.clone()`"),
        ("7.12", corrupted_in_place, "work on a copy, `patches.clone()`"),
        ("7.12", corrupted_up_to_both, "with the draw 0.8 becomes `mask`"),
        ("7.12", corrupted_in_buckets, "with the draw 0.8 becomes `mask`"),
        ("7.12", replaced_in_a_loop, "hidden or replaced: take it as it was"),
        ("7.12", masked_then_replaced, "hidden or replaced: take it as it was"),
        ("7.12", changed_in_one_loop, "hidden or replaced: take it as it was"),
    ],
)
def test_a_slip_is_named_in_another_style_too(number, answer, said):
    verdict = judge(TASKS[number], answer)
    assert verdict.status == "mistake"
    assert said in verdict.text


def maximum_of_heads(weights, n_rows, n_columns):
    return weights[:, 0, 1:].max(dim=0).values.view(n_rows, n_columns)


def rest_for_both(order, n_validation, n_test):
    train = order[: -n_validation - n_test]
    return train, order[len(train) :], order[-n_test:]


@pytest.mark.parametrize(
    ("number", "answer", "said"),
    [
        ("7.9", maximum_of_heads, "the highest weight"),
        ("7.5", rest_for_both, "the parts have 6, 5 and 3"),
    ],
)
def test_a_slip_of_the_repair_is_named_and_has_no_letter(number, answer, said):
    task = TASKS[number]
    verdict = judge(task, task.answer, answer)
    assert verdict.status == "mistake"
    assert said in verdict.text
    assert list(task.choices) == ["a", "b", "c", "d"]


def test_the_mistake_shown_must_have_a_letter():
    task = TASKS["7.9"]
    with pytest.raises(ValueError, match="not one of the choices"):
        dataclasses.replace(task, shown=task.solution)


@pytest.mark.parametrize("number", ["7.9", "7.5"])
def test_a_repair_without_a_letter_is_half_of_the_answer(number):
    task = TASKS[number]
    verdict = judge(task, None, task.second_style)
    assert verdict.line == "◐ your repair works. Which letter was the picture: a, b, c or d?"
    for unrepaired in (None, task.shown):
        assert judge(task, None, unrepaired).status == "open"
