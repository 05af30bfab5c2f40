"""Chapter 08a in JupyterLab: a game is played, masks are drawn, a student is compared."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
GAME, AGAIN = ".tl-replaced >> nth=0", ".tl-replaced >> nth=1"  # against the checkpoint, and yours
EXPLORERS = {
    "replaced": (GAME, "button:text('Next line')", "Enter"),
    "replaced, yours": (AGAIN, "button:text('Next line')", "Enter"),
    "masks": (".tl-passes", "input[aria-label=Passes]", "ArrowRight"),
    "student": (".tl-student", "input[aria-label=Temperature]", "ArrowRight"),
}
SHORTER = ("(200, 2.0)", "(2, 2.0)")  # steps and temperature of the students


def test_the_explorers(open_chapter):
    lab = open_chapter("08a_bert_family.ipynb", EXPLORERS, SHORTER)
    page = lab.page
    game = lab.show(GAME)
    assert changes(page, GAME, game.locator(".tl-chips button").first.click)
    assert changes(page, GAME, game.get_by_role("button", name="Judge").click)
    expect(game.locator("table")).to_contain_text("ELECTRA")

    masks = lab.show(".tl-passes")
    dynamic = masks.get_by_role("button", name="dynamic")
    assert changes(page, ".tl-passes", dynamic.click)

    student = lab.show(".tl-student")
    who = student.get_by_label("Student", exact=True)
    assert changes(page, ".tl-student", lambda: who.select_option("two layers copied"))
    expect(student.locator(".tl-sum")).to_contain_text("KL(teacher")
    assert lab.complaints() == []
