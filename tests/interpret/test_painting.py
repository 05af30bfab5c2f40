import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import highest, named_in_another, paint_over, random_with_as_much


def test_only_the_chosen_tiles_are_painted_over():
    images = torch.rand(2, 1, 28, 28) + 0.1
    chosen = torch.zeros(2, 49).bool()
    chosen[1, 8] = True  # row 1, column 1
    found = paint_over(images, chosen)
    assert torch.equal(found[0], images[0])
    assert (found[1, 0, 4:8, 4:8] == 0).all()
    assert (found == 0).sum() == 16
    with pytest.raises(ShapeError, match="50 tiles"):
        paint_over(images, torch.zeros(2, 50).bool())


def test_the_control_takes_out_as_many_tiles_and_as_much_ink_but_others():
    generator = torch.Generator().manual_seed(0)
    ink = (torch.rand(200, 49, generator=generator) - 0.5).clamp(min=0)  # half of them blank
    for scores in (ink, -ink, torch.rand(200, 49, generator=generator)):
        chosen = highest(scores, 6)
        control = random_with_as_much(ink, chosen, generator)
        assert (control.sum(dim=1) == 6).all()
        gap = ((control.float() - chosen.float()) * ink).sum(dim=1)
        assert gap.mean().abs() < 0.03
    # For tiles at random the control shares no more with them than chance does.
    assert (control & chosen).sum(dim=1).float().mean() < 1.5


def test_the_other_control_is_another_picture_s_tiles_nearest_in_ink():
    generator = torch.Generator().manual_seed(1)
    ink = torch.rand(30, 16, generator=generator)
    chosen = highest(torch.rand(30, 16, generator=generator), 5)
    chosen[1] = chosen[0]  # no control of each other
    found = named_in_another(ink, chosen)
    for i, row in enumerate(found):
        assert not torch.equal(row, chosen[i])
        others = [tiles for tiles in chosen if not torch.equal(tiles, chosen[i])]
        own = ink[i][chosen[i]].sum()
        nearest = min((ink[i][tiles].sum() - own).abs() for tiles in others)
        assert_close((ink[i][row].sum() - own).abs(), nearest)
