import pytest
import torch

from tutorial_lib.recipes import load_result, summarise, vit_against_cnn
from tutorial_lib.recipes.vit_against_cnn import SETTINGS, run, small_cnn


@torch.no_grad()
def test_the_cnn_finds_a_stroke_wherever_it_stands():
    torch.manual_seed(0)
    model = small_cnn().eval()
    image = torch.zeros(1, 1, 64, 64)  # wide, so that no border is met
    image[..., 24:28, 24:28] = 1
    # 8 pixels are one step of the last, smallest picture.
    assert torch.allclose(model(image), model(image.roll((8, 8), dims=(2, 3))), atol=1e-5)
    assert not torch.allclose(model(image), model(1 - image), atol=1e-3)


def test_each_model_gets_the_rate_that_was_best_for_it(monkeypatch):
    seen = []

    def keep(name, n_images, seed, lr, settings, progress):
        seen.append((name, n_images, seed, lr))
        return {"lr": lr, "validation_accuracy": -abs(lr - (3e-3 if name == "ViT" else 6e-3))}

    monkeypatch.setattr(vit_against_cnn, "_row", keep)
    run(SETTINGS, progress=False)
    chosen = {(name, lr) for name, _, seed, lr in seen if seed != SETTINGS["choice"]["seed"]}
    assert chosen == {("ViT", 3e-3), ("CNN", 6e-3)}
    assert SETTINGS["choice"]["seed"] not in SETTINGS["seeds"]


def test_what_the_table_shows():
    table = load_result("vit-against-cnn")
    found = summarise(table["rows"], ["model", "n_images"], "accuracy")
    few, many = SETTINGS["n_images"][0], SETTINGS["n_images"][-1]
    gaps = {n: found["CNN", n]["mean"] - found["ViT", n]["mean"] for n in (few, many)}
    assert gaps[few] > gaps[many]
    assert found["ViT", few]["highest"] < found["CNN", few]["lowest"]
    sizes = {row["model"]: row["parameters"] for row in table["rows"]}
    assert sizes["CNN"] == pytest.approx(94_000, rel=0.01)
