"""Step 3 of the seven small steps: a right mask is kept, a wrong one is named and replaced."""

import pytest
import torch

from tutorial_lib.exercises.chapter00_start_here.mask import checked_mask

NAMES = ["The", "animal", "didn"]
RIGHT = torch.ones(3, 3).tril().bool()


def test_a_right_mask_is_kept(capsys):
    yours = RIGHT.clone()
    assert checked_mask(yours, NAMES) is yours
    assert capsys.readouterr().out == "✓ your mask is right\n"


def test_without_a_mask_ours_is_used_silently(capsys):
    assert torch.equal(checked_mask(None, NAMES), RIGHT)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("yours", "said"),
    [
        (RIGHT.T, "“The” may look at “animal”, which comes later"),
        (torch.ones(3, 3).tril(-1).bool(), "“The” may not look at itself"),
        (torch.eye(3).bool(), "“animal” may not look at “The”, which came before"),
        (RIGHT.long(), "a table of True and False of shape (3, 3) is asked for"),
        (RIGHT[:2], "a table of True and False of shape (3, 3) is asked for"),
        (RIGHT.tolist(), "a table of True and False of shape (3, 3) is asked for"),
    ],
)
def test_a_wrong_mask_is_named_and_replaced(yours, said, capsys):
    assert torch.equal(checked_mask(yours, NAMES), RIGHT)
    out = capsys.readouterr().out
    assert said in out
    assert out.endswith("So ours is used.\n")
