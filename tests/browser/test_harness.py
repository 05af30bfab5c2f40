"""The browser tests' own tools, on a small notebook: they see what works and what does not."""

import pytest
from browser import fingerprint, measure
from example_notebook import write
from nbformat.v4 import new_code_cell, new_notebook
from store_outputs import normalise

pytestmark = pytest.mark.slow

IMAGE = """import ipywidgets
from tutorial_lib.explorers.base import FigureExplorer
from tutorial_lib.figures import style

class Bars(FigureExplorer):
    title = "Bars"

    def draw(self, figure, height):
        figure = style.blank(figure, 4, 2)
        figure.add_subplot().bar([0, 1], [1, height])
        return figure

    def describe(self, height):
        return f"two bars, 1 and {height} high"

Bars({"height": ipywidgets.IntSlider(2, 0, 9, description="height")})"""
SCRIPT = '''import traitlets
from tutorial_lib.explorers.base import BrowserExplorer

class Square(BrowserExplorer):
    title = "Square"
    _esm = """export default { render({ model, el }) {
      const input = document.createElement("input");
      const text = document.createElement("output");
      input.type = "range"; input.className = "square-input"; el.className = "square";
      input.addEventListener("input", () => { text.textContent = input.value ** 2; });
      el.append(input, text);
    } };"""
    _css = ""

Square()'''
HANDLER = """import ipywidgets
button = ipywidgets.Button(description="break it")
button.on_click(lambda _: 1 / 0)
button"""
BROKEN_SCRIPT = SCRIPT.replace(
    "const input =", "throw new Error('broken on purpose'); const input ="
)


@pytest.fixture
def scratch(lab, open_notebook, tmp_path):
    """A page on a notebook with these cells."""

    def opener(*sources, **options):
        book = normalise(new_notebook(cells=[new_code_cell(source) for source in sources]))
        return open_notebook(lab.add(write(book, tmp_path, "scratch.ipynb")), **options)

    return opener


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_explorers_are_drawn_and_timed(scratch, theme):
    page = scratch(IMAGE, SCRIPT, "print('done', 6 * 7)", theme=theme)
    cells = page.run_all()
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3]
    assert cells[2]["outputs"][0]["text"] == "done 42\n"
    image = page.cell_with("class Bars").locator(".widget-image, img").first
    image.wait_for()
    before = image.get_attribute("src")
    handle = page.cell_with("class Bars").locator(".noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    page.page.wait_for_function(
        "old => document.querySelector('.jp-OutputArea img').src !== old", arg=before
    )
    old = fingerprint(page.page, ".square")
    figure_time = measure(page.page, ".noUi-handle", picture=".jp-OutputArea img")
    script_time = measure(page.page, ".square-input")
    print(f"\n{theme}: figure {figure_time:.0f} ms, script {script_time:.0f} ms")
    assert fingerprint(page.page, ".square") != old
    assert page.complaints() == []
    is_dark = page.page.evaluate("document.body.dataset.jpThemeLight") == "false"
    assert is_dark == (theme == "dark")
    assert page.screenshot(f"harness-{theme}").stat().st_size > 10_000


def test_exception_of_a_handler_is_seen(scratch):
    page = scratch(HANDLER)
    page.run_all()
    page.page.get_by_role("button", name="break it").click()
    page.page.wait_for_timeout(1500)
    assert any("ZeroDivisionError" in complaint for complaint in page.complaints())


def test_exception_of_a_script_is_seen(scratch):
    page = scratch(BROKEN_SCRIPT)
    page.run_all()
    page.page.wait_for_timeout(1500)
    assert any("on purpose" in complaint for complaint in page.complaints())


def test_error_of_a_cell_is_seen(scratch):
    page = scratch("1 / 0", "print(1)")
    cells = page.run_all()
    assert cells[0]["outputs"][0]["ename"] == "ZeroDivisionError"
    assert cells[1]["execution_count"] is None
