import pytest

from tutorial_lib import figures
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter00_start_here.course import CHAPTERS
from tutorial_lib.figures.chapter00_start_here.family import TREE
from tutorial_lib.models.zoo import ZOO

MEMBERS = {member.name: member for member in ZOO}


def words(figure):
    return " ".join(text.get_text() for text in figure.axes[0].texts)


def test_with_sizes_every_model_is_there():
    figure = figures.family_tree(sizes=True)
    assert all(member.name in words(figure) for member in ZOO)
    assert all(member.chapter in {*CHAPTERS, ""} for member in ZOO)
    described = figures.describe_family_tree(sizes=True)
    assert all(f"{member.name} {member.year}" in described for member in ZOO)
    assert style.png(figure).startswith(b"\x89PNG")


def test_each_model_of_the_tree_has_a_line_to_an_older_one():
    assert [name for name, (parent, *_) in TREE.items() if parent is None] == ["Transformer"]
    for name, (parent, _, row) in TREE.items():
        if parent:
            assert TREE[parent][2] < row, name
        if name in MEMBERS and parent in MEMBERS:
            assert MEMBERS[parent].year <= MEMBERS[name].year, name
    described = figures.describe_family_tree()
    assert "MiniLM (in this chapter) from BERT" in described
    assert all(name in words(figures.family_tree()) and name in described for name in TREE)


def test_the_tree_shows_a_model_of_every_chapter_on_models():
    met = {MEMBERS[name].chapter for name in TREE if name in MEMBERS}
    assert {"04", "05", "06", "07", "08a", "08b", "09", "10"} <= met
    assert words(figures.family_tree()).count("this chapter") == 2


@pytest.mark.parametrize("note", ["06 · 335 M", "08b · 406 M", "05 · 175 B", "671 B", "–"])
def test_sizes_are_counted_or_published_and_one_is_unknown(note):
    assert note in words(figures.family_tree(sizes=True))


def test_both_fit_the_width_of_a_notebook():
    for figure in (figures.family_tree(), figures.family_tree(sizes=True)):
        assert figure.get_figwidth() <= 9
        assert min(text.get_fontsize() for text in figure.axes[0].texts) > 8.5
