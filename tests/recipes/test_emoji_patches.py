import torch

from tutorial_lib import recipes
from tutorial_lib.recipes.emoji_patches import colour_around


def test_the_rule_reads_the_patches_around_that_are_not_chosen():
    images = torch.ones(3, 3, 16, 16)  # one colour everywhere: all around have it
    assert colour_around(images, patch_size=4) == 1.0
    halves = torch.zeros(4, 3, 32, 32)
    halves[..., 16:] = 1  # only along the seam may the rule be wrong
    assert 0.8 < colour_around(halves, patch_size=4) <= 1
    torch.manual_seed(0)
    blocks = torch.rand(8, 3, 8, 8).repeat_interleave(4, 2).repeat_interleave(4, 3)
    assert colour_around(blocks, patch_size=4) < 0.1  # nothing around tells


def test_the_checkpoint_sees_more_than_the_rule():
    metric = recipes.load_card("emoji-patches")["metric"]
    assert metric["hidden_patch_accuracy"] > metric["colour_around"]
    assert metric["hidden_patch_accuracy"] > metric["most_frequent_colour"] + 0.05
    assert metric["accuracy_elsewhere"] > 0.1
