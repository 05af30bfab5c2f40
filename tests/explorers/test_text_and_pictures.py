"""The explorers of chapter 10 in a kernel: what the page gets, both ends, odd input."""

import io
import json

import numpy as np
import pytest
import torch
import traitlets
from moves import code_book, made_up_scene
from PIL import Image

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import (
    AttentionExplorer,
    CodeBookExplorer,
    EmojiFinder,
    RegionExplorer,
)
from tutorial_lib.explorers.packing import as_regions
from tutorial_lib.explorers.pictures import sprite_sheet

PICTURES = np.random.default_rng(0).random((7, 3, 4, 5))
NAMES = [f"picture {i}" for i in range(7)]


def nearest(text):
    return torch.tensor([4, 2, 0]), torch.tensor([0.9, 0.5, -0.1])


def test_a_sheet_holds_every_picture():
    sheet = sprite_sheet(PICTURES)
    pixels = np.asarray(Image.open(io.BytesIO(sheet["png"])))
    for n, picture in enumerate(PICTURES):
        down, right = 4 * (n // sheet["across"]), 5 * (n % sheet["across"])
        shown = pixels[down : down + 4, right : right + 5] / 255
        np.testing.assert_allclose(shown, picture.transpose(1, 2, 0), atol=3e-3)


@pytest.mark.parametrize("bad", [np.ones((2, 4, 5)), np.ones((1, 2, 4, 5)), np.ones((0, 3, 4, 5))])
def test_what_is_no_picture(bad):
    with pytest.raises(ShapeError, match="pictures must be"):
        sprite_sheet(bad)


def test_what_is_found_is_what_find_says():
    asked = []

    def find(text):
        asked.append(text)
        return nearest(text)

    finder = EmojiFinder(find, PICTURES, NAMES, "a red one", n=2)
    assert finder.reply["hits"] == [[4, 0.9], [2, 0.5]]
    finder.ask(n=20)
    assert finder.found == [(4, 0.9), (2, 0.5), (0, -0.1)]
    for nothing in ("", "   ", "\n"):
        finder.text = nothing
        assert finder.reply["hits"] == []
        assert finder.reply["asked"] == nothing
    assert asked == ["a red one"] * 2  # an empty phrase is not looked up
    assert "none found yet" in finder.describe()
    finder.text = "x"
    assert "“x”" in finder.describe()
    assert "picture 4 (0.90), picture 2 (0.50)" in finder.describe()
    assert repr(finder) == "Emoji finder: run this cell"


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧", "שלום עולם", "<script>boom()</script>", "\ud83d", "cat " * 10**6]
)
def test_odd_phrases_get_an_answer(text):
    finder = EmojiFinder(nearest, PICTURES, NAMES, text)
    assert len(finder.reply["hits"]) == 3
    assert len(finder.text) <= 300
    json.dumps([finder.request, finder.reply], ensure_ascii=False).encode()


def test_of_each_concept_the_best_is_shown():
    concepts = ["hand", "hand", "cat", "cat", "hand", "dog", "cat"]
    finder = EmojiFinder(nearest, PICTURES, NAMES, "x", n=2, concepts=concepts)
    assert [index for index, _ in finder.found] == [4, 2]  # picture 0 is a hand, too
    with pytest.raises(ShapeError, match="7 pictures, but concepts of 6"):
        EmojiFinder(nearest, PICTURES, NAMES, concepts=concepts[1:])


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (([7], [0.1]), "find gave picture 7 of 7"),
        (([-1], [0.1]), "find gave picture -1 of 7"),
        (([1, 2], [0.1]), r"as many finite scores, got shapes \(2,\) and \(1,\)"),
        (([1], [float("nan")]), "finite scores"),
    ],
)
def test_a_wrong_finder_is_named(found, said):
    finder = EmojiFinder(lambda text: found, PICTURES, NAMES)
    with pytest.raises(ShapeError, match=said):
        finder.look_up("x", 5)
    assert finder.reply["error"].startswith("ShapeError: ")
    assert EmojiFinder(lambda text: ([], []), PICTURES, NAMES).reply["hits"] == []


def test_names_and_pictures_must_fit():
    with pytest.raises(ShapeError, match="7 pictures need as many names, got 6"):
        EmojiFinder(nearest, PICTURES, NAMES[1:])


def test_the_maps_of_a_scene_go_to_the_page():
    scene = made_up_scene(6, 3)
    explorer = RegionExplorer([scene])
    packed = explorer.scenes[0]
    sent = np.frombuffer(packed["weights"], np.float16).reshape(2, 4, 9, 9)
    np.testing.assert_allclose(sent, scene["weights"], atol=1e-3)
    pixels = np.frombuffer(packed["pixels"], np.uint8).reshape(24, 24, 3) / 255
    np.testing.assert_allclose(pixels, scene["image"].transpose(1, 2, 0), atol=3e-3)
    np.testing.assert_allclose(packed["boxes"], scene["boxes"], atol=1e-5)
    assert packed["names"] == ["region 0", "region 1", "region 2"]
    assert explorer.chosen == 1  # the first word that is no [CLS]


def test_every_control_of_the_regions_stops_at_both_ends():
    explorer = RegionExplorer([made_up_scene(4, 2), made_up_scene(6, 3, seed=1)])
    ends = {"scene": (0, 1), "chosen": (0, 8), "target": (-1, 2), "layer": (0, 1), "head": (-1, 3)}
    for name, (low, high) in ends.items():
        for value, kept in ((-5, low), (10**30, high)):
            explorer.set_state({name: value})
            assert getattr(explorer, name) == kept, name
    explorer.scene = 0  # which has fewer words: what is chosen is its last region
    assert explorer.state == {"scene": 0, "chosen": 5, "layer": 1, "head": 3}
    with pytest.raises(traitlets.TraitError):
        explorer.direction = "Klingon"
    for odd in ({"layer": 0.5, "head": 1}, {"layer": -1, "head": 0}, {"head": 1}, {"layer": "x"}):
        explorer.set_state({"silenced": odd})
        assert explorer.silenced == {}


def test_what_a_word_and_a_region_look_at_in_words():
    scene = made_up_scene(3, 2) | {"names": ["red", "blue"]}
    weights = np.zeros((1, 2, 5, 5))
    weights[0, 0, 2] = [0.3, 0, 0, 0.1, 0.6]  # the word cat looks at blue
    weights[0, 1, 3] = [0, 0.7, 0.2, 0.1, 0]  # the region red looks at the word a
    explorer = RegionExplorer([scene | {"weights": weights}], chosen=2, head=0)
    assert "in head 0, cat looks most at blue (0.60)." in explorer.describe()
    explorer.head = -1
    assert "on average over its heads, cat looks most at blue (0.30)." in explorer.describe()
    explorer.set_state({"chosen": 3, "head": 1})
    assert "red looks most at a (0.70)." in explorer.describe()
    explorer.set_state({"chosen": 4, "head": 0, "direction": "what looks at it"})
    assert "blue is looked at most by cat (0.60)." in explorer.describe()


def test_a_head_is_silenced_in_the_scene_that_is_shown():
    scenes, asked = [made_up_scene(6, 3), made_up_scene(4, 2, seed=1)], []

    def silence(scene, layer, head):
        asked.append((scene, layer, head))
        if scene:
            raise ValueError("no such scene")
        return {"outputs": [("it matches", 0.75, 0.5)], "weights": scenes[scene]["weights"] / 2}

    explorer = RegionExplorer(scenes, silence)
    assert explorer.can_silence
    assert explorer.silence_result == {}
    explorer.set_state({"silenced": {"layer": 1, "head": 99}})
    assert explorer.silenced == {"layer": 1, "head": 3}
    result = explorer.silence_result
    assert result["outputs"] == [["it matches", 0.75, 0.5]]
    sent = np.frombuffer(result["weights"], np.float16).reshape(2, 4, 9, 9)
    np.testing.assert_allclose(sent, scenes[0]["weights"] / 2, atol=1e-3)
    explorer.set_state({"scene": 1, "chosen": 1})
    assert explorer.silence_result["error"] == "ValueError: no such scene"
    explorer.set_state({"silenced": {}})
    assert explorer.silence_result == {}
    assert asked == [(0, 1, 3), (1, 1, 3)]
    wrong = RegionExplorer(scenes[:1], lambda *place: {"outputs": [], "weights": np.ones((2, 2))})
    wrong.silenced = {"layer": 0, "head": 0}
    assert "silence must give weights (2, 4, 9, 9)" in wrong.silence_result["error"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"words": []}, "at least one word"),
        ({"boxes": np.ones((3, 3))}, r"boxes must be \(R, 4\)"),
        ({"boxes": [[0, 0, 1.2, 1]] * 3}, "from 0 to 1"),
        ({"boxes": [[0.5, 0, 0.5, 1]] * 3}, "left < right"),
        ({"names": ["one"]}, "3 regions need as many names, got 1"),
        ({"weights": np.ones((2, 4, 8, 8)) / 8}, r"must be \(L, H, 9, 9\), got \(2, 4, 8, 8\)"),
        ({"weights": np.ones((2, 4, 9, 9)) * 2}, "between 0 and 1"),
        ({"image": np.ones((24, 24))}, "image must be"),
    ],
)
def test_scenes_that_do_not_fit(change, said):
    with pytest.raises(ShapeError, match=said):
        RegionExplorer([made_up_scene(6, 3) | change])


def test_scenes_of_two_models_and_none():
    with pytest.raises(ShapeError, match=r"\(layers, heads\) of \(1, 4\) and \(2, 4\)"):
        RegionExplorer([made_up_scene(4, 2), made_up_scene(4, 2, n_layers=1)])
    with pytest.raises(ShapeError, match="none"):
        RegionExplorer([])


def test_a_caption_of_any_script_and_length():
    words = ["[CLS]", "<script>", "שלום", "🙂", "x" * 5000, ""]
    explorer = RegionExplorer([made_up_scene(6, 3) | {"words": words}])
    assert explorer.scenes[0]["words"] == words
    assert len(explorer.scenes[0]["title"]) == 60
    assert len(explorer.describe()) < 400


def test_attention_over_words_and_regions():
    scene = made_up_scene(4, 2)
    picture = as_regions(scene["image"], torch.tensor(scene["boxes"]))
    labels = [*scene["words"], "a dog", "a cat"]
    explorer = AttentionExplorer(scene["weights"], labels, picture=picture)
    packed = explorer.panels[0]["picture"]
    np.testing.assert_allclose(packed["boxes"], scene["boxes"], atol=1e-5)
    assert (packed["rows"], packed["columns"]) == (2, 1)
    assert "lines between words and regions, over the picture" in explorer.describe()
    with pytest.raises(ShapeError, match="2 regions needs as many tokens, maps are 1 x 1"):
        AttentionExplorer(np.ones((1, 1, 1, 1)), ["a"], picture=picture)
    with pytest.raises(ShapeError, match="left < right"):
        as_regions(scene["image"], [[0, 0, 1.01, 1]])


def of_greys(codes, n_codes=40):
    """What the made-up code book decodes: a grey for each code."""
    return np.repeat(np.repeat(codes, 4, 0), 4, 1) / (n_codes - 1)


def decoded(explorer):
    shape = (explorer.decoded["height"], explorer.decoded["width"], 3)
    return np.frombuffer(explorer.decoded["pixels"], np.uint8).reshape(shape) / 255


def test_codes_are_sent_and_decoded():
    explorer = code_book()
    sent = np.frombuffer(explorer.codes, "<u2").reshape(6, 4, 4)
    assert explorer.use == np.bincount(sent.flatten(), minlength=40).tolist()
    explorer.set_state({"picture": 2, "row": 1, "column": 3})
    np.testing.assert_allclose(decoded(explorer)[..., 0], of_greys(sent[2]), atol=3e-3)
    assert explorer.code == sent[2, 1, 3]
    cells = (sent == explorer.code).sum()
    assert f"row 1, column 3 holds code {explorer.code}, which is in {cells}" in explorer.describe()


def test_a_swap_is_decoded_and_counted():
    explorer = code_book()
    own = np.frombuffer(explorer.codes, "<u2").reshape(6, 4, 4)[0]
    other = (own[0, 0] + 20) % 40
    explorer.set_state({"swaps": {"0": int(other), "5": int(own[1, 1])}})
    swapped = own.copy()
    swapped[0, 0] = other
    np.testing.assert_allclose(decoded(explorer)[..., 0], of_greys(swapped), atol=3e-3)
    assert explorer.decoded["changed"] == 1  # the second puts the same code there
    assert explorer.code == other
    assert "2 of its codes are swapped" in explorer.describe()
    explorer.set_state({"swaps": {}})
    np.testing.assert_allclose(decoded(explorer)[..., 0], of_greys(own), atol=3e-3)


def test_a_move_from_cell_to_cell_decodes_nothing():
    calls = []

    def decode(codes):
        calls.append(codes.shape)
        return torch.zeros(1, 3, 8, 8)

    explorer = CodeBookExplorer(np.ones((2, 3, 8, 8)), np.zeros((2, 2, 2), int), decode, 3)
    for place in ({"row": 1}, {"column": 1}, {"row": 0}):
        explorer.set_state(place)
    assert calls == [(1, 2, 2)]
    explorer.set_state({"picture": 1, "swaps": {"0": 2}})
    assert calls == [(1, 2, 2)] * 3  # as it is, and swapped
    explorer.set_state({"picture": 0, "swaps": {}})
    assert len(calls) == 3  # known already


@pytest.mark.parametrize(
    "odd",
    [
        {"16": 1},
        {"-1": 1},
        {"x": 1},
        {"²": 1},
        {"0": 40},
        {"0": -1},
        {"0": 1.5},
        {"0": True},
        {"0": None},
        {"9" * 99: 1},
    ],
)
def test_swaps_that_are_none_are_left_out(odd):
    explorer = code_book()
    explorer.set_state({"swaps": odd | {"3": 7}})
    assert explorer.swaps == {"3": 7}
    assert "error" not in explorer.decoded


def test_every_control_of_the_code_book_stops_at_both_ends():
    explorer = code_book()
    for name, most in {"picture": 5, "row": 3, "column": 3}.items():
        for value, kept in ((-5, 0), (10**30, most)):
            explorer.set_state({name: value})
            assert getattr(explorer, name) == kept, name


def test_a_code_looks_like_the_mean_of_its_cells():
    codes = np.array([[[0, 1], [1, 1]]])
    picture = np.zeros((1, 3, 4, 4))
    picture[..., :2, 2:], picture[..., 2:, :2], picture[..., 2:, 2:] = 0.9, 0.6, 0.3
    explorer = CodeBookExplorer(picture, codes, lambda codes: torch.ones(1, 3, 4, 4), 3)
    sheet = np.asarray(Image.open(io.BytesIO(explorer.looks["png"]))) / 255
    assert sheet[0, 0, 0] == 0
    assert sheet[0, 2, 0] == pytest.approx(0.6, abs=0.01)
    assert sheet[2, 0, 0] == pytest.approx(0.5, abs=0.01)  # never used


def test_an_error_of_the_decoder_is_shown():
    explorer = CodeBookExplorer(
        np.ones((1, 3, 4, 4)), np.zeros((1, 2, 2), int), lambda codes: torch.ones(3, 4, 4), 3
    )
    assert "decode must give finite pixels" in explorer.decoded["error"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"codes": np.zeros((1, 2, 2))}, "whole numbers"),
        ({"codes": np.zeros((2, 2), int)}, "whole numbers"),
        ({"codes": np.full((1, 2, 2), 3)}, "from 0 to 2, got 3 to 3"),
        ({"codes": np.full((1, 2, 2), -1)}, "from 0 to 2, got -1 to -1"),
        ({"codes": np.zeros((2, 2, 2), int)}, "1 pictures need as many grids of codes"),
        ({"names": ["a", "b"]}, "as many grids of codes and names, got 1 and 2"),
        ({"use": [1, 2]}, "use must be 3 counts"),
        ({"pictures": np.full((1, 3, 4, 4), np.nan)}, "finite"),
    ],
)
def test_what_does_not_fit_a_code_book(change, said):
    given = {"pictures": np.ones((1, 3, 4, 4)), "codes": np.zeros((1, 2, 2), int)}
    given |= {"decode": lambda codes: torch.ones(1, 3, 4, 4), "n_codes": 3}
    with pytest.raises(ShapeError, match=said):
        CodeBookExplorer(**(given | change))
