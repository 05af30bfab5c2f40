import pytest
from isolation import ROOT

from tutorial_lib import figures
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter00_start_here.course import CHAPTERS, READY, ROUTES
from tutorial_lib.models.zoo import ZOO


def words(figure):
    return " ".join(text.get_text() for text in figure.axes[0].texts)


def test_the_map_names_every_chapter_and_route():
    shown = words(figures.course_map())
    assert all(name in shown for name in [*CHAPTERS, *ROUTES])


def test_the_description_says_what_builds_on_what():
    described = figures.describe_course_map()
    assert all(f"{name} {title}" in described for name, (title, _, _) in CHAPTERS.items())
    assert "11 Growing up (planned), after 05b and 08b and 10." in described


def test_routes_start_at_00_and_use_real_chapters():
    for chapters in ROUTES.values():
        assert chapters[0] == "00"
        assert set(chapters) <= set(CHAPTERS)
    assert set(ROUTES["Everything"]) == set(CHAPTERS)


def test_the_chapters_called_ready_are_those_whose_notebooks_exist():
    notebooks = ROOT / "notebooks"
    assert list(READY) == sorted(p.name.split("_")[0] for p in notebooks.glob("[0-9]*.ipynb"))


def test_finished_chapters_are_ticked():
    figure = figures.course_map(done=["00", "05b"])
    assert words(figure).count("✓") == 2
    assert "2 of 15 done" in figure.axes[0].get_title(loc="left")


def test_an_unknown_chapter_is_named():
    with pytest.raises(ValueError, match="no chapter is called '12'"):
        figures.course_map(done=["12"])


def test_the_family_tree_names_every_model():
    figure = figures.family_tree()
    assert all(member.name in words(figure) for member in ZOO)
    assert all(member.chapter in {*CHAPTERS, ""} for member in ZOO)
    assert style.png(figure).startswith(b"\x89PNG")


def test_the_models_that_chapter_00_runs_say_so():
    assert words(figures.family_tree()).count("this chapter") == 3  # two boxes and the key
    assert "MiniLM 2020 this chapter" in figures.describe_family_tree()
    assert "this chapter" not in words(figures.family_tree(sizes=True))


def test_sizes_are_counted_or_published_and_one_is_unknown():
    shown = words(figures.family_tree(sizes=True))
    for note in ("06 · 335 M", "08b · 406 M", "04 · 214 M", "05 · 175 B", "671 B", "–"):
        assert note in shown
    described = figures.describe_family_tree()
    assert all(f"{member.name} {member.year}" in described for member in ZOO)


def test_map_and_tree_fit_the_width_of_a_notebook():
    for figure in (figures.course_map(), figures.family_tree(), figures.family_tree(sizes=True)):
        assert figure.get_figwidth() <= 9
        assert min(text.get_fontsize() for text in figure.axes[0].texts) > 8.5
