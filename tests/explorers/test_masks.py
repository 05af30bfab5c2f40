import pytest
import torch

from tutorial_lib.attention import attention, causal_mask, padding_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import MaskBuilder
from tutorial_lib.explorers.masks import preset_mask


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (4, 4), (3, 5)])
def test_presets_equal_the_masks_of_attention(n_queries, n_keys):
    causal = causal_mask(n_queries, n_keys)
    padded = padding_mask(torch.tensor([n_keys - 1]), n_keys)[0, 0] if n_keys > 1 else None
    assert torch.equal(preset_mask("causal", n_queries, n_keys), causal)
    if padded is not None:
        expected = padded.expand(n_queries, n_keys)
        assert torch.equal(preset_mask("padding", n_queries, n_keys), expected)
        assert torch.equal(preset_mask("both", n_queries, n_keys), causal & padded)
    assert torch.equal(preset_mask("window", n_queries, n_keys, window=n_keys), causal)
    assert preset_mask("custom", n_queries, n_keys).all()


def test_weights_equal_attention_under_the_built_mask():
    torch.manual_seed(0)
    q, k = torch.randn(1, 1, 4, 8), torch.randn(1, 1, 6, 8)
    scores = (q @ k.transpose(-2, -1))[0, 0] * 8**-0.5
    widget = MaskBuilder(scores)
    _, weights = attention(q, k, torch.zeros(1, 1, 6, 2), mask=widget.mask)
    torch.testing.assert_close(widget.weights.float(), weights[0, 0])


def test_the_row_80_20_0_0():
    scores = torch.zeros(4, 4)
    scores[1, 0] = torch.tensor(4.0).log()
    expected = torch.tensor([0.8, 0.2, 0, 0], dtype=torch.float64)
    torch.testing.assert_close(MaskBuilder(scores).weights[1], expected)


def test_a_mask_can_be_set_and_one_that_hides_a_row_has_zero_weights():
    widget = MaskBuilder(n_queries=2)
    widget.mask = torch.tensor([[False, False], [True, False]])
    assert widget.preset == "custom"
    assert widget.weights.tolist() == [[0, 0], [1, 0]]
    with pytest.raises(ShapeError, match=r"grid is \(2, 2\), got a mask of \(1, 2\)"):
        widget.mask = [[True, True]]


def test_labels_on_one_side_or_both():
    assert MaskBuilder(labels=["a", "b", "c"]).mask.shape == (3, 3)
    cross = MaskBuilder(labels=(["a", "b"], ["x", "y", "z"]), preset="custom")
    assert (cross.query_names, cross.key_names) == (["a", "b"], ["x", "y", "z"])


def test_controls_start_within_the_grid():
    widget = MaskBuilder(n_queries=3, preset="padding", padding=99, window=-4)
    assert (widget.padding, widget.window) == (3, 0)
    assert not widget.mask.any()


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match="1 to 24 a side, got 25 x 25"):
        MaskBuilder(n_queries=25)
    with pytest.raises(ShapeError, match="2 queries and 2 keys need as many labels, got 3 and 3"):
        MaskBuilder(torch.zeros(2, 2), labels=["a", "b", "c"])
    with pytest.raises(ShapeError, match="must be \\(T, S\\) and finite"):
        MaskBuilder(torch.tensor([[1.0, float("nan")]]))
    with pytest.raises(ValueError, match="no preset is called 'diagonal'; there are causal"):
        MaskBuilder(preset="diagonal")


def test_it_reads_as_text():
    assert repr(MaskBuilder()) == "Mask builder: run this cell"
