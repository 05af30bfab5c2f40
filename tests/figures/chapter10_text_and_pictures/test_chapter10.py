import numpy as np
import pytest
import torch
from moves import made_up_scene

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.codes import colour_of
from tutorial_lib.figures.chapter10_text_and_pictures.family import MODELS
from tutorial_lib.models import CLIPConfig, count_parameters
from tutorial_lib.models.vq import VQConfig

PICTURES = np.random.default_rng(0).random((4, 3, 6, 6))
LOGITS = np.diag([5.0, 4, 3, 2]) + np.eye(4, k=1)


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def frames(figure, colour):
    """The rectangles with this edge."""
    wanted = style.blank().text(0, 0, "", color=colour).get_color()
    rgb = tuple(int(wanted[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [
        patch
        for patch in figure.axes[0].patches
        if np.allclose(patch.get_edgecolor()[:3], rgb) and patch.get_edgecolor()[3]
    ]


def test_the_diagonal_is_marked_where_it_wins():
    """One frame of each colour is the key's."""
    figure = figures.logit_matrix(PICTURES, list("abcd"), LOGITS)
    assert len(frames(figure, style.GREEN)) == 4 + 1
    assert figure.get_suptitle() == "4 of 4 pictures fit their own text best"
    worse = LOGITS.copy()
    worse[1, 3] = 9
    figure = figures.logit_matrix(PICTURES, list("abcd"), worse)
    assert len(frames(figure, style.GREEN)) == 3 + 1
    wrong, _ = frames(figure, style.PINK)
    assert (round(wrong.get_x()), round(wrong.get_y())) == (3, 1)
    said = figures.describe_logit_matrix(list("abcd"), worse)
    assert "3 of 4 pictures fit their own text best" in said
    assert "the picture of “b” fits “d” better" in said
    assert "9.0" in texts(figure)
    many = figures.logit_matrix(np.ones((12, 3, 2, 2)), ["<b>"] * 12, np.eye(12))
    assert len(texts(many)) == 12 + 3  # the key, and no numbers
    with pytest.raises(ShapeError, match="4 images, 3 texts"):
        figures.logit_matrix(PICTURES, list("abc"), LOGITS)
    with pytest.raises(ShapeError, match="finite square"):
        figures.logit_matrix(PICTURES, list("abcd"), LOGITS[:3])


def test_written_pictures_stand_above_their_nearest():
    made, old = PICTURES[None, :2], 1 - PICTURES[None, :2]
    figure = figures.written_pictures(["a cat"], made, old, [[3, 16]])
    shown = [np.asarray(image.get_array()) for image in figure.axes[0].images]
    np.testing.assert_allclose(shown[0], PICTURES[0].transpose(1, 2, 0))
    np.testing.assert_allclose(shown[1], 1 - shown[0])
    assert {"“a cat”", "written", "nearest", "shares 3", "shares 16"} == set(texts(figure))
    assert "nearest" not in texts(figures.written_pictures(["a cat"], made))
    large = figures.written_pictures(["a cat"], made, side=1.3)
    left, right, *_ = large.axes[0].images[0].get_extent()
    assert right - left == pytest.approx(1.3)
    said = figures.describe_written_pictures(["a cat"], made, [[3, 16]])
    assert "3 to 16 codes shared" in said
    with pytest.raises(ShapeError, match=r"nearest must be \(1, 2"):
        figures.written_pictures(["a cat"], made, old[:, :1])


def test_scenes_show_their_boxes_and_captions():
    boxes = [np.array([[0, 0, 0.5, 0.5]]), np.zeros((0, 4))]
    figure = figures.captioned_scenes(PICTURES[:2], ["a cat", "nothing"], boxes, [["cat"], []])
    assert texts(figure) == ["cat", "a cat", "nothing"]
    assert len(frames(figure, style.CYCLE[0])) == 1
    four = figures.captioned_scenes(PICTURES, list("abcd"), across=4)
    tops = {image.get_extent()[3] for image in four.axes[0].images}
    assert tops == {0}  # all in one row
    small = figures.captioned_scenes(PICTURES[:2], ["a cat\nin two lines", ""], side=1.5)
    assert texts(small) == ["a cat", "in two lines", ""]
    assert small.axes[0].images[0].get_extent()[1] == 1.5
    said = figures.describe_captioned_scenes(["a cat", "nothing"], [["cat"], []])
    assert said == "2 scenes: “a cat” (boxes: cat); “nothing”."
    with pytest.raises(ShapeError, match="scene 0 has 1 boxes but 2 names"):
        figures.captioned_scenes(PICTURES[:1], ["x"], boxes[:1], [["a", "b"]])


def test_boxes_are_shaded_by_what_a_word_looks_at():
    scene = made_up_scene(4, 2) | {"names": ["left", "right"]}
    scene["weights"] = np.zeros((2, 3, 6, 6))
    scene["weights"][1, 2, 2] = [0, 0, 0.04, 0, 0.64, 0.16]
    figure = figures.word_to_regions(scene, 2, layer=1, head=2)
    assert figure.get_suptitle() == "Layer 1, head 2: “cat” looks at left"
    assert {"0.64", "0.16"} <= set(texts(figure))
    shades = [patch.get_alpha() for patch in figure.axes[0].patches if patch.get_alpha()]
    assert shades == pytest.approx([0.6, 0.3])  # roots of the weights
    said = figures.describe_word_to_regions(scene, [2, 0], layer=1, head=2)
    assert "“cat” looks at left (0.64), right (0.16). “[CLS]” looks at left (0.00)" in said
    assert len(figures.word_to_regions(scene, [0, 2, 4, 5], 1).axes[0].images) == 4
    with pytest.raises(ShapeError, match="2 layers, 3 heads and 6 words and regions"):
        figures.word_to_regions(scene, 6)
    with pytest.raises(ShapeError, match="head 3"):
        figures.word_to_regions(scene, 1, head=3)


def test_words_and_regions_stand_in_one_row():
    words, boxes = ["[CLS]", "cat", "[SEP]"], [[0, 0, 0.5, 1], [0.5, 0, 1, 0.5]]
    figure = figures.words_and_regions(words, PICTURES[0], boxes)
    shown = texts(figure)
    assert [f"x {n}" in shown for n in range(6)] == [True] * 5 + [False]
    assert (shown.count("text"), shown.count("picture")) == (3, 2)
    assert shown.count("none") == 2  # a region has no position
    crops = [np.asarray(image.get_array()) for image in figure.axes[0].images]
    np.testing.assert_allclose(crops[1], PICTURES[0][:, :3, 3:].transpose(1, 2, 0))
    assert "3 words ([CLS], cat, [SEP])" in figures.describe_words_and_regions(words, ["a", "b"])
    with pytest.raises(ShapeError, match="words and boxes"):
        figures.words_and_regions([], PICTURES[0], boxes)


def test_frames_become_a_film_strip():
    clips = np.zeros((2, 3, 1, 4, 4))
    clips[0, 1] = 1
    figure = figures.film_strips(clips, ["a", "b"], [[7, 8, 9], [7, 7, 7]])
    assert figure.get_suptitle() == "3 frames become 3 tokens: 3 different tokens here"
    assert texts(figure) == ["“a”", "7", "8", "9", "“b”", "7", "7", "7"]
    ink = [float(np.asarray(image.get_array()).mean()) for image in figure.axes[0].images]
    assert ink[1] < 0.1  # ink is dark
    assert ink[0] == 1
    assert texts(figures.film_strips(np.ones((1, 2, 3, 4, 4)), ["c"])) == ["“c”"]
    shared = figures.film_strips(np.ones((2, 2, 1, 4, 4)), ["a", "b"], [[77, 98], [98, 77]])
    fills = {patch.get_facecolor()[:3] for patch in shared.axes[0].patches}
    assert {colour_of(0), colour_of(1)} <= fills  # by their place among the shared: far apart
    assert "“b”: tokens 7 7." in figures.describe_film_strips(["b"], [[7, 7]])
    with pytest.raises(ShapeError, match=r"tokens must be \(2, 3\)"):
        figures.film_strips(clips, ["a", "b"], [[1]])


def test_code_use_is_sorted_and_summed_up():
    figure = figures.code_use([1, 8, 0, 1])
    assert [bar.get_height() for bar in figure.axes[0].patches] == [8, 1, 1, 0]
    shares = np.array([0.8, 0.1, 0.1])
    evenly = np.exp(-(shares * np.log(shares)).sum())
    assert figure.get_suptitle() == f"3 of 4 codes are used, as evenly as {evenly:.0f} equal ones"
    assert "from 8 times down to 0. 3 of 4" in figures.describe_code_use([1, 8, 0, 1])
    with pytest.raises(ShapeError, match="one above 0"):
        figures.code_use([0, 0])


def test_the_map_goes_by_year_and_says_where_to_read():
    shown = texts(figures.text_picture_map())
    assert {"one space", "10A to 10E", "2017", "2023"} <= set(shown)
    years = [year for _, year, _ in MODELS]
    assert years == sorted(years)
    for model, *_ in MODELS:
        assert model in shown
        assert model in figures.describe_text_picture_map()
    named = {"VisualBERT", "VideoBERT", "CLIP", "DALL-E", "BLIP", "VQ-VAE", "Latent diffusion"}
    assert named | {"LLaVA", "SigLIP"} == {model for model, *_ in MODELS}


def test_both_towers_hold_all_parameters_of_the_model():
    sizes = {"image_size": 6, "patch_size": 3, "d_image": 8, "n_image_layers": 3, "n_heads": 2}
    sizes |= {"n_image_heads": 2, "vocab_size": 9, "context": 5, "d_model": 4, "n_layers": 1}
    model = CLIPConfig(**sizes, d_joint=5, end_id=8).build().train()
    inputs = torch.tensor(PICTURES).float(), torch.tensor([[1, 8]] * 2)
    figure = figures.machine(model, *inputs, words=["a cat", "a dog"])
    assert model.training
    assert {"a", "cat", "dog"} <= set(texts(figure))
    shown = texts(figure)
    learned = [text.replace("scale 14.3, ", "") for text in shown if "parameter" in text]
    counted = [int(text.split(" ")[0].replace(",", "")) for text in learned]
    assert len(counted) == 7
    assert sum(counted) == count_parameters(model)
    assert {"(B, T, D) = (4, 5, 8)", "(N, T, D) = (2, 2, 4)", "(B, N) = (4, 2)"} <= set(shown)
    assert {"3 layers, all look at all", "1 layer, looking back only"} <= set(shown)
    said = figures.describe_clip_towers(model)
    assert f"{count_parameters(model):,} parameters in all" in said


@pytest.mark.parametrize("bad", [np.ones((2, 3, 4)), np.ones((1, 2, 4, 4)), np.ones((0, 3, 4, 4))])
def test_what_is_no_picture(bad):
    with pytest.raises(ShapeError, match="images must be"):
        figures.captioned_scenes(bad, ["x"])


def test_a_vq_machine_shows_the_models_own_book_and_codes():
    sizes = {"image_size": 8, "halvings": 1, "d_hidden": 4, "n_codes": 7, "width": 3}
    model = VQConfig(**sizes).build().eval()
    figure = figures.vq_machine(model, torch.rand(3, 8, 8), cell=(1, 2))
    said = " ".join(texts(figure))
    for part in ("8 × 8 pixels", "4 × 4 vectors z\nof 3 numbers", "code book: 7 vectors"):
        assert part in said
    dots = [patch for patch in figure.axes[0].patches if type(patch).__name__ == "Circle"]
    assert len(dots) == 7 + 2
    *codes, chosen, z = (np.array(dot.center) for dot in dots)
    far = np.linalg.norm(codes - z, axis=1)
    assert np.isclose(far.min(), np.linalg.norm(chosen - z))  # the nearest is the nearest shown
    assert "row 1, column 2" in figures.describe_vq_machine(model, cell=(1, 2))


def test_pictures_move_to_their_names_in_one_space():
    names, vectors = list("abcd"), np.random.default_rng(1).normal(size=(4, 5))
    moments = {"apart": -vectors, "together": 3 * vectors}
    figure = figures.one_space(PICTURES, names, vectors, moments)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["apart", "together"]
    for line in figure.axes[1].lines:
        ends = line.get_xydata()
        assert np.allclose(ends[0], ends[-1])  # each picture lies on its name
    said = figures.describe_one_space(names, vectors, moments)
    assert "together: 4 of 4 pictures lie nearest to their own name" in said
    with pytest.raises(ShapeError, match="of one width"):
        figures.one_space(PICTURES, names, vectors, {"now": vectors[:, :3]})
    with pytest.raises(ShapeError, match="3 now"):
        figures.one_space(PICTURES, names, vectors, {"now": vectors[:3]})
