"""Chapter 09 in JupyterLab: a patch's reach grows, a latent is chosen, a glass is moved."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
EXPLORERS = {
    "windows": (".tl-windows", "input[aria-label=Layers]", "ArrowRight"),
    "merging": (".tl-windows >> nth=1", "input[aria-label=Layers]", "ArrowRight"),
    "latents": (".tl-latents", "input[aria-label=Latent]", "ArrowRight"),
    "zoom": (".tl-zoom", "input[aria-label='Points asked for']", "ArrowLeft"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("09_beyond_vit.ipynb", EXPLORERS)
    page = lab.page
    reach = lab.show(".tl-windows")
    assert changes(page, ".tl-windows", reach.get_by_role("button", name="Shift").click)
    latents = lab.show(".tl-latents")
    latents.locator("canvas").first.click(position={"x": 110, "y": 110})
    expect(latents.locator(".tl-readout")).to_contain_text("reads most at row")
    zoomed = lab.show(".tl-zoom")
    zoomed.get_by_label("Magnify").press("ArrowRight")
    expect(zoomed.locator(".tl-readout")).to_contain_text("queries")
    assert lab.complaints() == []
