"""The explorers of chapter 08b in a browser: what they show follows what is moved."""

import pytest
from playwright.sync_api import expect

from tutorial_lib.explorers import BucketExplorer, CorruptionExplorer, LatticeExplorer
from tutorial_lib.recipes import load_checkpoint

pytestmark = pytest.mark.slow


def moved(page, label, value):
    """Move a slider to a value, as a hand does."""
    page.get_by_label(label, exact=True).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


def test_a_typed_text_is_damaged_and_sentinels_in_it_are_words(open_explorer):
    explorer = open_explorer(CorruptionExplorer("so it is. and so on <0>", share=0.5))
    rows = explorer.page.locator("tbody tr")
    assert rows.count() == 6
    made = explorer.page.locator(".made")
    expect(made.first).to_have_text("[mask]")
    expect(rows.nth(1).locator(".gone")).to_have_count(4)  # half of 7
    moved(explorer.page, "Share", 0)
    explorer.settle()
    # T5 always hides a token: one sentinel in the source, two in the target.
    expect(made).to_have_count(3)
    expect(rows.first.locator("td").first).to_contain_text("so it is. and so on <0>")
    explorer.page.get_by_role("textbox").fill("")
    expect(explorer.page.locator(".tl-sum")).to_have_text("There is no text: type one.")


def test_a_path_is_chosen_and_alpha_changes_the_shares(open_explorer):
    scores = {"a": -1.0, "b": -1.5, "ab": -2.0}
    page = open_explorer(LatticeExplorer(scores, "ab")).page
    expect(page.locator(".arc.on")).to_have_count(1)
    assert page.locator(".p").all_text_contents() == ["0.3679", "0.2231", "0.1353"]
    expect(page.locator(".tl-row span").last).to_have_text("0.378")
    moved(page, "Cut number", 2)
    expect(page.locator(".arc.on")).to_have_count(2)
    moved(page, "alpha", 0)
    expect(page.locator(".tl-row span").last).to_have_text("0.500")
    page.get_by_role("textbox").fill("abc")
    expect(page.locator(".arc.unknown")).to_have_count(1)
    expect(page.locator(".arc.on")).to_have_count(2)  # the likeliest again: ab, and c


def test_a_bucket_is_found_and_the_numbers_are_the_model_s(open_explorer):
    model = load_checkpoint("six-tasks")
    explorer = open_explorer(BucketExplorer(model, distance=-20))
    page = explorer.page
    said = page.locator(".tl-sum")
    expect(said).to_have_text(
        "A key 20 to the left is in bucket 10, with all from 22 to the left to 16 to the left."
    )
    added = model.source_distances.weight[:, 10].tolist()
    rows = page.locator(".tl-row span:last-child")
    assert rows.all_text_contents() == [f"{x:.2f}" for x in added]
    page.get_by_role("button", name="decoder").click()
    expect(said).to_contain_text("bucket 17")
    assert rows.count() == 4
    moved(page, "Buckets", 64)
    expect(said).to_contain_text("learned numbers for other buckets")
    expect(rows).to_have_count(0)
