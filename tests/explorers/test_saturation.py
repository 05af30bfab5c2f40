"""The saturation explorer: the browser's numbers are those of Python, and every control counts."""

import pytest

from tutorial_lib.explorers import SaturationExplorer
from tutorial_lib.figures.chapter02_attention.head_width import WIDTHS


def test_a_setting_off_the_controls_is_named():
    with pytest.raises(ValueError, match=r"d must be one of 1, 2, 4, .*, got 100"):
        SaturationExplorer(d=100)
    with pytest.raises(ValueError, match="n_keys must be 2 to 64, got 65"):
        SaturationExplorer(n_keys=65)


def test_it_reads_as_text():
    widget = SaturationExplorer(d=16, scaled=True)
    assert repr(widget) == "Saturation explorer: run this cell"
    assert widget.describe().startswith("head width 16, 16 keys, scores divided by")


def test_a_seed_gives_its_own_products():
    assert SaturationExplorer(seed=2).dots == SaturationExplorer(seed=2).dots
    assert SaturationExplorer(seed=2).dots != SaturationExplorer(seed=3).dots


@pytest.mark.slow
def test_the_browser_measures_what_python_measures(open_explorer):
    explorer = open_explorer(SaturationExplorer())
    page = explorer.page

    def agrees():
        result, ours = explorer.trait("result"), explorer.widget.measured
        for name in ("largest", "gradient", "deviation"):
            assert result[name] == pytest.approx(getattr(ours, name), abs=1e-4)

    agrees()
    for label in ("Head width K", "Number of keys"):
        control = page.get_by_label(label, exact=True)
        for key in ("Home", "End", "ArrowLeft"):
            control.focus()
            before = explorer.picture()
            page.keyboard.press(key)
            assert explorer.picture() != before
            agrees()
    assert (explorer.widget.d, explorer.widget.n_keys) == (WIDTHS[-2], 63)
    plain = explorer.picture()
    page.get_by_label("Divide the scores by √K").check()
    assert explorer.picture() != plain
    agrees()
    said = page.locator(".tl-readout").inner_text()
    assert f"Largest weight {explorer.widget.measured.largest:.2f}" in said
