from tutorial_lib.recipes import load_result, prompting_inside, summarise


def test_the_other_heads_are_of_the_same_layers_and_never_the_best():
    ranked = [(layer, head) for head in range(9) for layer in range(4)]
    others = prompting_inside.others_beside(ranked[:8], ranked, seed=0)
    assert sorted(layer for layer, _ in others) == sorted(layer for layer, _ in ranked[:8])
    assert not set(others) & set(ranked[:18])
    assert len(set(others)) == 8


def test_what_the_table_shows():
    table = load_result("prompting-inside")
    found = summarise(table["rows"], ["silenced", "instead", "draw", "examples"], "accuracy")
    mean = {key: stats["mean"] for key, stats in found.items()}
    gain = mean["none", "", 0, 4] - mean["none", "", 0, 0]
    for how in ("mean", "zero"):
        for k in (0, 4):
            assert mean["induction heads", how, 0, k] < mean["none", "", 0, k] - 0.25
        without = mean["induction heads", how, 0, 4] - mean["induction heads", how, 0, 0]
        assert without > gain - 0.1  # the examples still help
        # One draw of other heads costs nothing after four examples, the other as much as these.
        assert mean["other heads", how, 0, 4] > mean["none", "", 0, 4] - 0.1
        assert mean["other heads", how, 1, 4] < mean["none", "", 0, 4] - 0.25


def test_the_gains_are_those_of_the_table():
    rows = load_result("prompting-inside")["rows"]
    found = prompting_inside.gains_found(rows)
    means = {name: [round(s["mean"], 2) for s in ends] for name, ends in found.items()}
    assert means["all heads"] == [0.5, 0.92]
    assert means["without 16 induction heads"] == [0.06, 0.54]
    assert means["without 16 others, draw 1"] != means["without 16 others, draw 2"]
