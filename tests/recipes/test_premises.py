from types import SimpleNamespace

import pytest

from tutorial_lib.datasets.premises import balanced_pairs
from tutorial_lib.recipes import load_result, premises, summarise
from tutorial_lib.recipes.premises import SMOKE, run


def test_every_model_is_tested_on_pairs_that_it_has_not_learned_from(monkeypatch):
    seen = []

    def keep(gpt, form, pairs, *args, **options):
        seen.append({(p.premise, p.hypothesis) for p in pairs})
        return SimpleNamespace(history=SimpleNamespace(evaluations=[]))

    def measure(model, form, pairs):
        tested = {(p.premise, p.hypothesis) for p in pairs}
        assert all(p.premise for p in pairs) or not any(p.premise for p in pairs)
        if any(p.premise for p in pairs):
            new = not tested & seen[-1]
            assert new or tested == seen[-1]  # "on_train" is of the pairs themselves
            return 0.5 if new else 1.0
        return 0.5

    monkeypatch.setattr(premises, "fine_tune", keep)
    monkeypatch.setattr(premises, "accuracy", measure)
    first, second, *rows = run(SMOKE, progress=False)["rows"]
    assert (first["form"], first["n_labels"]) == ("ranking", 0)
    assert (second["form"], second["n_labels"]) == ("thresholds", 18)
    assert len(rows) == len(seen) == 2 * 2 + 3
    of_pairs = [row for row in rows if row["reads"] == "both"]
    assert {(row["accuracy"], row["on_train"]) for row in of_pairs} == {(0.5, 1.0)}
    blind = [pairs for pairs, row in zip(seen, rows, strict=True) if row["reads"] == "hypothesis"]
    assert len(blind) == 2
    assert {premise for pairs in blind for premise, _ in pairs} == {""}


def test_the_balanced_test_pairs_are_new_for_every_number_of_labels():
    tests = {balanced_pairs(n, 90).test for n in (9, 180, 720)}
    assert len(tests) == 1


def test_what_the_table_shows():
    table = load_result("premises")
    by = ["pairs", "reads", "form", "start", "n_labels"]
    right = summarise(table["rows"], by, "accuracy")
    elsewhere = summarise(table["rows"], by, "on_balanced")
    leaky = ("leaky", "both", "head", "scratch", 720)
    assert right[leaky]["lowest"] > 0.95
    assert right["leaky", "hypothesis", "head", "scratch", 720]["lowest"] > 0.95
    assert elsewhere[leaky]["highest"] < 0.4
    assert right["balanced", "hypothesis", "head", "scratch", 720]["highest"] < 0.36
    assert right["none", "both", "ranking", "stories", 0]["lowest"] > 0.95
    thresholds = right["balanced", "both", "thresholds", "stories", 180]
    assert thresholds["n"] == len(table["settings"]["seeds"])
    for form in ("head", "text"):
        scratch, after = (
            [right["balanced", "both", form, start, n] for n in (180, 720, 3_600)]
            for start in ("scratch", "stories")
        )
        assert thresholds["lowest"] > after[-1]["highest"] + 0.03
        for shares in (scratch, after):
            means = [share["mean"] for share in shares]
            assert means == sorted(means)
        assert all(less["mean"] < more["mean"] for less, more in zip(scratch, after, strict=True))
        assert after[-1]["mean"] > scratch[-1]["mean"] + 0.08
        assert after[-1]["lowest"] > scratch[-1]["highest"]


def test_few_labels_are_learned_by_heart_and_many_take_thousands_of_steps():
    table = load_result("premises")
    runs = [row for row in table["rows"] if row["pairs"] == "balanced" and row["reads"] == "both"]
    runs = [row for row in runs if row["form"] in ("head", "text")]
    on_train = summarise(runs, ["n_labels"], "on_train")
    assert on_train[180,]["lowest"] > 0.98
    assert on_train[3_600,]["highest"] < 0.99
    steps = summarise(table["curve"], ["start", "n_labels", "step"], "accuracy")
    last = table["settings"]["steps"]
    assert steps["stories", 3_600, last]["mean"] > steps["stories", 3_600, 750]["mean"] + 0.05
    by_last_step = {
        (row["form"], row["start"], row["n_labels"], row["seed"]): row["accuracy"]
        for row in table["curve"]
        if row["step"] == last
    }
    assert len(by_last_step) == len(runs)
    for row in runs:
        key = (row["form"], row["start"], row["n_labels"], row["seed"])
        assert by_last_step[key] == row["accuracy"]


def test_one_kind_of_reader_is_found_by_its_names():
    rows = load_result("premises")["rows"]
    by_text = premises.share_right(rows, form="text", start="stories", labels=720)
    assert by_text["lowest"] <= by_text["mean"] <= by_text["highest"]
    alone = premises.share_right(rows, form="ranking", start="stories", labels=0, pairs="none")
    assert alone["mean"] > by_text["mean"]
    with pytest.raises(KeyError):
        premises.share_right(rows, form="text", start="stories", labels=721)
