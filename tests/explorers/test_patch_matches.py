import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import PatchMatcher
from tutorial_lib.explorers.patch_matches import MODES
from tutorial_lib.interpret import SeenPicture, principal_colours


def seen(name="one", rows=3, columns=4, width=6, heads=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return SeenPicture(
        name,
        torch.rand(3, 14 * rows, 14 * columns, generator=generator),
        torch.randn(rows, columns, width, generator=generator),
        torch.rand(heads, rows, columns, generator=generator),
    )


@pytest.fixture
def explorer():
    return PatchMatcher([seen(), seen("two", 2, 7, seed=1)])


def test_what_the_page_gets(explorer):
    for packed, picture, colours in zip(
        explorer.pictures,
        explorer.seen,
        principal_colours(*(each.patches for each in explorer.seen)),
        strict=True,
    ):
        vectors = np.frombuffer(packed["vectors"], np.float16).reshape(*picture.grid, 6)
        wanted = torch.nn.functional.normalize(picture.patches, dim=-1)
        assert_close(torch.from_numpy(vectors.astype(np.float32)), wanted, atol=1e-3, rtol=0)
        attention = np.frombuffer(packed["attention"], np.float16).reshape(2, *picture.grid)
        assert_close(torch.from_numpy(attention.astype(np.float32)), picture.attention, atol=1e-3,
                     rtol=0)  # fmt: skip
        sent = np.frombuffer(packed["colours"], np.uint8).reshape(*picture.grid, 3) / 255
        assert_close(torch.from_numpy(sent).float(), colours, atol=3e-3, rtol=0)
        pixels = np.frombuffer(packed["pixels"], np.uint8)
        pixels = pixels.reshape(packed["height"], packed["width"], 3) / 255
        assert_close(torch.from_numpy(pixels).float(), picture.image.permute(1, 2, 0), atol=3e-3,
                     rtol=0)  # fmt: skip


def test_every_control_stops_at_both_ends(explorer):
    for name, most in {"picture": 1, "row": 2, "column": 6, "head": 1}.items():
        for value, kept in ((-5, 0), (10**30, most), (1, 1)):
            explorer.set_state({name: value})
            assert getattr(explorer, name) == kept, name
    explorer.set_state({"mode": MODES[2]})
    with pytest.raises(traitlets.TraitError, match="Klingon"):
        explorer.set_state({"mode": "Klingon"})
    assert explorer.mode == MODES[2]


def test_the_words_name_the_patch_that_is_shown(explorer):
    explorer.set_state({"mode": MODES[1], "row": 9, "column": 9})
    assert explorer.describe().endswith(
        "one and two in patches, shown as principal components; the chosen patch is in one, "
        "row 2, column 3."
    )
    explorer.picture = 1  # which has fewer rows
    assert explorer.describe().endswith("the chosen patch is in two, row 1, column 6.")


def test_a_state_can_be_given():
    explorer = PatchMatcher([seen(), seen()], mode=MODES[1], row=2, head=1)
    assert (explorer.mode, explorer.row, explorer.head) == (MODES[1], 2, 1)
    assert repr(explorer) == "Matching patches: run this cell"


def test_a_move_sends_only_what_moved(explorer, monkeypatch):
    sent = []
    monkeypatch.setattr(explorer, "send_state", lambda key=None: sent.append(key))
    explorer.set_state({"row": 1, "column": 2})
    explorer.head = 1
    assert "pictures" not in str(sent)


def test_pictures_that_do_not_fit_together():
    with pytest.raises(ShapeError, match="needs two pictures, got 1"):
        PatchMatcher([seen()])
    with pytest.raises(ShapeError, match=r"\(width, heads\) of \(6, 2\) and \(7, 2\)"):
        PatchMatcher([seen(), seen(width=7)])
    with pytest.raises(ShapeError, match=r"of \(6, 2\) and \(6, 3\)"):
        PatchMatcher([seen(), seen(heads=3)])


def test_a_name_of_any_length_and_script():
    name = "<b>שלום</b>" * 50
    assert PatchMatcher([seen(name), seen("")]).pictures[0]["name"] == name[:40]
