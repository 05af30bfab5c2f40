from tutorial_lib.recipes import load_result, summarise, vit_against_cnn
from tutorial_lib.recipes.pushed_digits import SETTINGS


def test_the_rates_are_those_that_the_comparison_chose():
    rows = load_result("vit-against-cnn")["rows"]
    chosen = {row["model"]: row["lr"] for row in rows}
    assert SETTINGS["rates"] == chosen | {"CNN without the mean": chosen["CNN"]}
    assert SETTINGS["steps"] == vit_against_cnn.SETTINGS["steps"]


def test_what_the_table_shows():
    found = summarise(load_result("pushed-digits")["rows"], ["model", "pixels"], "accuracy")
    lost = {
        model: [found[model, 0]["mean"] - found[model, pixels]["mean"] for pixels in (2, 6)]
        for model in SETTINGS["rates"]
    }
    assert max(lost["CNN"]) < 0.02
    assert lost["CNN without the mean"][0] < 0.01
    assert 0.2 < lost["CNN without the mean"][1] < lost["ViT"][1] - 0.1
    assert lost["ViT"][0] < 0.03
    assert lost["ViT"][1] > 0.35
