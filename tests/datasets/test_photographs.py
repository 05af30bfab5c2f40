import importlib.util

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_sample_images

from tutorial_lib.datasets import load_photographs, load_picture, photographs
from tutorial_lib.errors import DamagedFileError, MissingDataError

FILES = {
    "china": "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29",
    "flower": "a77f6ec41e353afdf8bdff2ea981b2955535d8d83294f8cfa49cf4e423dd5638",
}


def test_the_files_are_the_known_ones():
    assert {photo.name: photo.sha256 for photo in load_photographs()} == FILES


def test_they_are_scikit_learns_pictures():
    theirs = load_sample_images().images
    for photo, pixels in zip(load_photographs(), theirs, strict=True):
        assert photo.image.shape == (3, 427, 640)
        ours = (photo.image * 255).round().to(torch.uint8).permute(1, 2, 0).numpy()
        assert np.array_equal(ours, pixels)


@pytest.mark.parametrize("size", [1, 32, 224, 500])
def test_the_middle_square(size):
    for photo in load_photographs(size):
        assert photo.image.shape == (3, size, size)
        assert photo.image.min() >= 0
        assert photo.image.max() <= 1


def test_the_square_is_not_squeezed():
    whole, square = load_photographs()[1], load_photographs(427)[1]
    left = (640 - 427) // 2
    assert torch.allclose(square.image, whole.image[:, :, left : left + 427], atol=1e-6)
    assert repr(square) == "Photograph('flower', 427 x 427)"


def test_the_authors_are_named():
    china, flower = load_photographs()
    assert china.credit == "danielbuechele (Flickr), CC-BY-2.0"
    assert flower.credit == "vultilion (Flickr), CC-BY-2.0"


def test_bad_size():
    with pytest.raises(ValueError, match="pixels from 1 on, got 0"):
        load_photographs(0)


def test_a_missing_package_or_picture_is_named(monkeypatch, tmp_path):
    class Elsewhere:
        origin = str(tmp_path / "__init__.py")

    for found in (None, Elsewhere):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, found=found: found)
        with pytest.raises(MissingDataError, match=r"china\.jpg .*missing(.|\n)*requirements\.txt"):
            load_photographs()


def test_a_file_that_is_no_picture_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "china.jpg"
    path.write_bytes(b"not a picture")
    monkeypatch.setattr(photographs, "_path", lambda name: path)
    with pytest.raises(DamagedFileError, match=r"china\.jpg of scikit-learn is no picture"):
        load_photographs()


def test_a_picture_of_your_own(tmp_path):
    path = tmp_path / "cat.png"
    pixels = np.zeros((20, 40, 4), np.uint8)
    pixels[:, 10:30] = (255, 0, 51, 255)  # the middle square, opaque
    Image.fromarray(pixels).save(path)
    found = load_picture(path, size=14)
    assert repr(found) == "Photograph('cat', 14 x 14)"
    inside = found.image[:, 1:-1, 1:-1]  # along the edge the colour beyond it shines in
    assert torch.allclose(inside, torch.tensor([1, 0, 0.2]).view(3, 1, 1), atol=0.02)
    assert load_picture(path).image.shape == (3, 448, 448)


def test_a_picture_taken_on_its_side_is_turned(tmp_path):
    pixels = np.zeros((10, 10, 3), np.uint8)
    pixels[:5] = 255  # bright above, as it lies in the file
    picture, notes = Image.fromarray(pixels), Image.Exif()
    notes[0x0112] = 6  # to be turned to the right
    picture.save(tmp_path / "turned.png", exif=notes)
    assert load_picture(tmp_path / "turned.png", size=10).image[0, :, 9].min() == 1


def test_a_picture_of_your_own_that_is_none(tmp_path, monkeypatch):
    path = tmp_path / "notes.jpg"
    with pytest.raises(MissingDataError, match=r"there is no file .*notes\.jpg"):
        load_picture(path)
    path.write_bytes(b"not a picture")
    with pytest.raises(DamagedFileError, match=r"notes\.jpg is no picture"):
        load_picture(path)
    with pytest.raises(ValueError, match="pixels from 1 on, got 0"):
        load_picture(path, size=0)
    Image.new("RGB", (100, 100)).save(tmp_path / "large.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4_000)
    with pytest.raises(DamagedFileError, match=r"large\.png is no picture.*exceeds limit"):
        load_picture(tmp_path / "large.png")
