import pytest
from isolation import ROOT

from tutorial_lib import figures
from tutorial_lib.figures.chapter00_start_here.course import CHAPTERS, READY, ROUTES


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


def test_the_map_fits_the_width_of_a_notebook():
    figure = figures.course_map()
    assert figure.get_figwidth() <= 9
    assert min(text.get_fontsize() for text in figure.axes[0].texts) > 8.5
