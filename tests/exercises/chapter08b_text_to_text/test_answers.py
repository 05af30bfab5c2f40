"""Chapter 08b's exercises agree with the library, and take right answers of other styles."""

import bisect
import random
import re

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.exercises.chapter08b_text_to_text.buckets import bucket
from tutorial_lib.exercises.chapter08b_text_to_text.infilling import infill
from tutorial_lib.exercises.chapter08b_text_to_text.likeliest import AllCuts, Counted, likeliest_cut
from tutorial_lib.exercises.chapter08b_text_to_text.norm import rms_norm
from tutorial_lib.exercises.chapter08b_text_to_text.sentinels import put_together
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.verdicts import judge
from tutorial_lib.models import T5Config, Transformer
from tutorial_lib.objectives import corruption
from tutorial_lib.positions import t5_bucket

TASKS = registry.contents("08b")
TEXT = list(range(512))
SENTINELS = [f"<{number}>" for number in range(100)]


# The solutions and the library ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_infill_makes_what_the_library_makes_of_the_same_spans(monkeypatch, seed):
    drawn = []

    def remembered(*given, place=corruption.place_spans):
        drawn.extend(place(*given))
        return drawn

    monkeypatch.setattr(corruption, "place_spans", remembered)
    damaged = corruption.infill_spans(TEXT[:40], -1, 0.4, random.Random(seed))
    assert len(drawn) > 1
    random.Random(seed).shuffle(drawn)
    assert infill(TEXT[:40], drawn, -1) == damaged


@pytest.mark.parametrize("seed", range(4))
def test_put_together_gives_back_what_span_corruption_took(seed):
    source, target = corruption.span_corruption(TEXT, SENTINELS, random.Random(seed))
    assert put_together(source, target, SENTINELS) == TEXT
    spoiled = [token for token in target if token not in ("<3>", 40)]  # as a model may write it
    assert spoiled != target
    filled = corruption.fill_spans(source, spoiled, SENTINELS)
    assert put_together(source, spoiled, SENTINELS) == filled


def test_the_length_of_the_target_is_that_of_a_real_one():
    source, target = corruption.span_corruption(TEXT, SENTINELS, random.Random(0))
    task = TASKS["8b.3"]
    assert task.solution() == task.second_style() == len(target) == 104
    assert len(source) == 512 - 77 + 26
    for answer in (104, 104.0):
        assert judge(task, answer).status == "right"
    for answer in (103, 105, 512):
        assert judge(task, answer).status != "right"


@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (16, 100), (10, 50)])
def test_bucket_is_the_one_of_the_library(n_buckets, max_distance):
    distances = torch.arange(2 * max_distance)
    found = torch.tensor([bucket(d, n_buckets, max_distance) for d in distances.tolist()])
    wanted = t5_bucket(-distances, n_buckets, max_distance, causal=True)
    inside = found[1:] == found[:-1]  # at a border the last digit of a logarithm decides
    assert torch.equal(found[1:][inside], wanted[1:][inside])
    assert (found != wanted).sum() <= 1


def test_the_tables_of_the_text_follow_the_rule():
    rows = [line.split("|")[1:4] for line in TASKS["8b.4"].text.splitlines() if "| " in line][1:]
    assert len(rows) == 8
    for number, *sides in rows:
        for side, sizes in zip(sides, ((8, 64), (6, 81)), strict=True):
            for distance in map(int, re.findall(r"\d+", side)):
                exactly_at_a_border = sizes == (6, 81) and distance in (9, 27)
                asked = distance + 0.5 if exactly_at_a_border else distance
                assert bucket(asked, *sizes) == int(number), (distance, sizes)


def test_rms_norm_is_the_one_of_t5():
    sizes = {"vocab_size": 9, "d_model": 6, "n_layers": 1, "n_heads": 2}
    norm, x = T5Config(**sizes).build().encoder_norm, 3 * torch.randn(2, 5, 6) + 1
    torch.nn.init.normal_(norm.weight)
    assert torch.allclose(rms_norm(x, norm.weight, norm.eps), norm(x), atol=1e-6)


def test_who_knows_the_whole_text_is_what_a_bart_shows():
    task = TASKS["8b.13"]
    assert task.solution() == task.second_style() == 12
    for answer in (12, 12.0):
        assert judge(task, answer).status == "right"
    for answer in (1, 6.5, 11, 0, 24):
        assert judge(task, answer).status == "mistake"


def test_without_cross_attention_only_the_last_place_knows_all(monkeypatch):
    def deaf(self, target, memory, *given, heard=Transformer.decoder_states):
        return heard(self, target, torch.zeros_like(memory), *given)

    monkeypatch.setattr(Transformer, "decoder_states", deaf)
    assert TASKS["8b.13"].second_style() == TASKS["8b.13"].mistakes[0]() == 1


# Other ways to be right -----------------------------------------------------------------------


def infill_token_by_token(tokens, spans, mask):
    starts = dict(spans)
    result, place = [], 0
    while place <= len(tokens):
        end = starts.pop(place, None)
        if end is not None:
            result.append(mask)
            place = end
            continue
        result += tokens[place : place + 1]
        place += 1
    return tuple(result)


def put_together_recursively(source, target, sentinels):
    if not source:
        return []
    first, rest = source[0], put_together_recursively(source[1:], target, sentinels)
    if first not in sentinels:
        return [first, *rest]
    if first not in target:
        return rest
    start = end = target.index(first) + 1
    while end < len(target) and target[end] not in sentinels:
        end += 1
    return [*target[start:end], *rest]


def bucket_by_borders(distance, n_buckets, max_distance):
    half = n_buckets // 2
    borders = [half * (max_distance / half) ** (step / half) for step in range(1, half)]
    return distance if distance < half else half + bisect.bisect_right(borders, distance)


def bucket_in_tensors(distance, n_buckets, max_distance):
    return t5_bucket(-torch.tensor(distance), n_buckets, max_distance, causal=True)


def rms_norm_by_pytorch(x, weight, eps):
    return F.rms_norm(x, weight.shape, weight, eps)


def rms_norm_by_powers(x, weight, eps):
    return torch.einsum("...d,d->...d", x / (x.pow(2).mean(-1)[..., None] + eps) ** 0.5, weight)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("8b.1", infill_token_by_token),
        ("8b.2", put_together_recursively),
        ("8b.2", corruption.fill_spans),
        ("8b.4", bucket_by_borders),
        ("8b.4", bucket_in_tensors),
        ("8b.6", rms_norm_by_pytorch),
        ("8b.6", rms_norm_by_powers),
    ],
)
def test_another_style_is_right(number, answer):
    verdict = judge(TASKS[number], answer)
    assert verdict.text == "right."


# Wrong answers of a fresh reader that were accepted, or not named ---------------------------------


def put_together_with_what_is_left(source, target, sentinels):
    text, used = put_together(source, target, sentinels), set(source)
    taken = True
    for token in target:
        taken = token in used if token in sentinels else taken
        if token not in sentinels and not taken:
            text.append(token)
    return text


def exact_match_written_cleaned(prompts, written, targets):
    tasks = [prompt.split(":")[0] for prompt in prompts]
    hits = [text.strip() == target for text, target in zip(written, targets, strict=True)]
    right = {task: [h for t, h in zip(tasks, hits, strict=True) if t == task] for task in tasks}
    return {task: sum(some) / len(some) for task, some in right.items()}


def all_cuts_one_by_one(word, log_p):
    def cuts(rest):
        if not rest:
            yield []
        for piece in log_p:
            if rest.startswith(piece):
                yield from ([piece, *others] for others in cuts(rest[len(piece) :]))

    return max(cuts(word), key=lambda cut: sum(log_p[piece] for piece in cut), default=None)


def likeliest_cut_of_short_pieces(word, log_p):
    return likeliest_cut(word, {piece: x for piece, x in log_p.items() if len(piece) <= 4})


@pytest.mark.parametrize(
    ("number", "answer", "named"),
    [
        ("8b.2", put_together_with_what_is_left, "such a sentinel counts for nothing"),
        ("8b.10", exact_match_written_cleaned, "those around a target do not count either"),
        ("8b.8", all_cuts_one_by_one, "This tries all cuts: remember the best of each beginning."),
        ("8b.8", likeliest_cut_of_short_pieces, "from extra and ordinary: a piece may be long"),
    ],
)
def test_what_a_reader_got_through_or_got_no_name_for_is_named(number, answer, named):
    verdict = judge(TASKS[number], answer)
    assert verdict.status == "mistake"
    assert named in verdict.text
    assert "`return` missing" not in verdict.text


@pytest.mark.parametrize(
    ("number", "answers"),
    [
        ("8b.3", (105, 78, 130, 26)),
        ("8b.9", (6, 4)),
        ("8b.11", (0.95, 0.99, 0.7, 0.29, 0.26, 27, 28)),
        ("8b.13", (13, 78, 144)),
    ],
)
def test_numbers_of_a_reader_are_named(number, answers):
    assert {judge(TASKS[number], answer).status for answer in answers} == {"mistake"}


def test_a_right_alpha_reads_well():
    assert judge(TASKS["8b.11"], 0.27).text.startswith("right: 0.27 as alpha. Below 1")


def test_a_good_answer_asks_the_vocabulary_far_less_than_a_search_through_all_cuts():
    counted = Counted({"x": -20.0, "y": -21.0, "z": -22.0, "xy": -43.0})
    likeliest_cut("xyz" * 20, counted)
    assert counted.asked < Counted.MOST / 100
    with pytest.raises(AllCuts):
        all_cuts_one_by_one("xyz" * 20, Counted(counted))
