from tutorial_lib.datasets.premises import balanced_pairs
from tutorial_lib.recipes import load_result, premises, summarise
from tutorial_lib.recipes.premises import SMOKE, run


def test_every_model_is_tested_on_pairs_that_it_has_not_learned_from(monkeypatch):
    seen = []

    def keep(gpt, form, pairs, *args, **options):
        seen.append({(p.premise, p.hypothesis) for p in pairs})

    def measure(model, form, pairs):
        tested = {(p.premise, p.hypothesis) for p in pairs}
        assert all(p.premise for p in pairs) or not any(p.premise for p in pairs)
        if any(p.premise for p in pairs):
            assert not tested & seen[-1]
        return 0.5

    monkeypatch.setattr(premises, "fine_tune", keep)
    monkeypatch.setattr(premises, "accuracy", measure)
    first, second, *rows = run(SMOKE, progress=False)["rows"]
    assert (first["form"], first["n_labels"]) == ("ranking", 0)
    assert (second["form"], second["n_labels"]) == ("thresholds", 18)
    assert len(rows) == len(seen) == 2 * 2 + 3
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
    assert thresholds["lowest"] > right["balanced", "both", "head", "stories", 180]["highest"] + 0.1
    for form in ("head", "text"):
        scratch, after = (
            [right["balanced", "both", form, start, n]["mean"] for n in (180, 720, 3_600)]
            for start in ("scratch", "stories")
        )
        assert scratch == sorted(scratch)
        assert after == sorted(after)
        assert all(less < more for less, more in zip(scratch, after, strict=True))
