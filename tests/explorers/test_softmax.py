import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import SoftmaxExplorer


def test_state_draws_the_same_as_a_figure():
    widget = SoftmaxExplorer(q=[1, 2], k=[[1, 0], [0, 3]], v=[[1], [2]], scale=False)
    assert figures.softmax_steps(**widget.state).get_suptitle() == "key 2 gets 99% of the weight"
    assert widget.stages.dots.tolist() == [1, 6]


def test_stage_stays_in_range():
    assert SoftmaxExplorer(stage=99).stage == 5
    assert SoftmaxExplorer(stage=-1).stage == 1


def test_what_does_not_fit_is_named():
    with pytest.raises(
        ShapeError, match="at most 6 keys and widths up to 4, got 7 keys of width 1"
    ):
        SoftmaxExplorer([1], [[1]] * 7, [[1]] * 7)
    with pytest.raises(ShapeError, match=r"got \(1,\) and \(1, 2\)"):
        SoftmaxExplorer([1], [[1, 2]], [[1]])
    with pytest.raises(ValueError, match="temperature must be above 0"):
        SoftmaxExplorer(temperature=0)


def test_it_reads_as_text():
    assert repr(SoftmaxExplorer()) == "Softmax explorer: run this cell"


def test_keys_have_names_to_read():
    assert SoftmaxExplorer().names == ["key 1", "key 2", "key 3"]
    named = SoftmaxExplorer([1], [[1], [2]], [[1], [0]], names=["animal", "street"])
    assert named.names == ["animal", "street"]
    with pytest.raises(ShapeError, match="2 keys need 2 names, got 1"):
        SoftmaxExplorer([1], [[1], [2]], [[1], [0]], names=["animal"])
