"""The browser tests' own tools, on a small notebook: they see what works and what does not."""

import pytest
from browser import changes
from example_notebook import write
from nbformat.v4 import new_code_cell, new_notebook, new_output
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
      input.dataset.lmSuppressShortcuts = "true"; // else JupyterLab takes the arrow keys
      input.type = "range"; input.className = "square-input"; el.className = "square";
      input.addEventListener("input", () => { text.textContent = input.value ** 2; });
      el.append(input, text);
    } };"""
    _css = ""

    def describe(self):
        return "a slider and its square"

Square()'''
SEND_TWICE = """for (const label of ["a", "b"]) {
        text.textContent = input.value; model.set("label", label); model.save_changes(); }"""
CORNER = """async () => {
  const picture = document.querySelector("img.widget-image");
  await picture.decode();
  const context = document.createElement("canvas").getContext("2d");
  context.drawImage(picture, 0, 0);
  return context.getImageData(2, 2, 1, 1).data.slice(0, 3).join();
}"""
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


def test_explorers_are_drawn_moved_and_follow_the_theme(scratch):
    page = scratch(IMAGE, SCRIPT, "print('done', 6 * 7)")
    cells = page.run_all()
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3]
    assert cells[2]["outputs"][0]["text"] == "done 42\n"
    page.cell_with("class Bars").locator("img").first.wait_for()
    page.press(".widget-vbox:has(img)", ".noUi-handle", "ArrowRight")
    page.press(".square", ".square-input", "ArrowRight")
    assert page.screenshot("harness").stat().st_size > 10_000
    for theme in ("dark", "light"):
        page.use_theme(theme)
        assert (
            page.page.evaluate("document.body.dataset.jpThemeLight")
            == str(theme == "light").lower()
        )
        assert page.page.evaluate(CORNER) == {"dark": "17,17,17", "light": "253,252,249"}[theme]
    assert page.complaints() == []


def test_jupyterlab_asks_for_no_news(scratch):
    page = scratch("print(1)")
    page.page.wait_for_timeout(3000)
    assert page.page.locator(".Toastify__toast").all_inner_texts() == []


def test_too_many_messages_and_a_still_picture_are_seen(scratch):
    page = scratch(SCRIPT.replace("text.textContent = input.value ** 2;", SEND_TWICE))
    page.run_all()
    with pytest.raises(AssertionError, match="2 messages"):
        page.press(".square", ".square-input", "ArrowRight")
    assert not changes(page.page, ".square", lambda: None, seconds=0.2)


def test_errors_of_scripts_handlers_and_cells_are_seen(scratch):
    page = scratch(BROKEN_SCRIPT, HANDLER, "1 / 0", "print(1)")
    cells = page.run_all()
    assert cells[2]["outputs"][0]["ename"] == "ZeroDivisionError"
    assert cells[3]["execution_count"] is None
    page.page.evaluate("window.kernelErrors.length = 0")  # the cell's own
    page.page.get_by_role("button", name="break it").click()
    page.page.wait_for_function("() => window.kernelErrors.length > 0")
    page.page.wait_for_function("() => /on purpose/.test(document.body.textContent)")
    complaints = page.complaints()
    assert any("ZeroDivisionError" in complaint for complaint in complaints)
    assert any("on purpose" in complaint for complaint in complaints)


def test_what_is_folded_runs_and_is_shown(scratch, lab, open_notebook, tmp_path):
    book = new_notebook()
    ask = "def predict(name, guess):\n    return None"
    sources = ["import math", f'{ask}\n\n\npredict("1.1", None)', 'print("the answer", 6 * 7)']
    book.cells = [new_code_cell(source) for source in sources]
    book.cells[2].outputs = [new_output("stream", name="stdout", text="the answer stored\n")]
    page = open_notebook(lab.add(write(normalise(book), tmp_path, "folded.ipynb")))
    imports, answer = page.cell(1), page.cell(3)
    assert not imports.locator(".jp-InputArea-editor").is_visible()
    assert not answer.locator(".jp-OutputArea-output").is_visible()
    imports.locator(".jp-InputPrompt").click()
    for _ in sources:
        page.page.keyboard.press("Shift+Enter")
    answer.get_by_text("the answer 42").wait_for()
    assert [cell["execution_count"] for cell in page.code_cells()][:3] == [1, 2, 3]
    assert page.complaints() == []


def test_only_the_cells_of_explorers_run(lab, open_notebook, tmp_path):
    sources = ["import math", "raise SystemExit", "half = 21", f"print(2 * half)\n{SCRIPT}"]
    book = normalise(new_notebook(cells=[new_code_cell(source) for source in sources]))
    shown = {"text/plain": "Square: run this cell"}
    book.cells[3].outputs = [new_output("execute_result", shown, execution_count=4)]
    page = open_notebook(lab.add(write(book, tmp_path, "few.ipynb")))
    page.run_explorers()
    counts = [cell["execution_count"] for cell in page.code_cells()]
    assert counts == [None, None, None, 1]
    page.press(".square", ".square-input", "ArrowRight")
    # Run again, the cell closes what it made before.
    page.execute("from ipywidgets.widgets import widget\nopen_before = len(widget._instances)")
    page.run_cell(4)
    page.execute("assert len(widget._instances) == open_before")
    assert page.complaints() == []
