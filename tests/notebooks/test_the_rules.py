"""The rules for notebooks are seen to pass on a good notebook and to fail on broken copies."""

from urllib.parse import unquote

import notebook_rules as rules
import pytest
from example_notebook import example, write
from nbformat.v4 import new_output


def complaints(book, folder, rule):
    return list(rule(rules.Book.read(write(book, folder))))


def code(book, number):
    return [cell for cell in book.cells if cell.cell_type == "code"][number - 1]


def replace(old, new):
    def change(book):
        cells = [cell for cell in book.cells if old in cell.source]
        assert cells, f"{old!r} is not in the example"
        for cell in cells:
            cell.source = cell.source.replace(old, new)

    return change


def rename(old, new):
    """Give a heading and the links to it another name."""

    def change(book):
        replace(f"#2B-{old.replace(' ', '-')}", f"#2B-{new.replace(' ', '-')}")(book)
        replace(f"2B {old}", f"2B {unquote(new)}")(book)

    return change


def store(**output):
    def change(book):
        code(book, 4).outputs.append(new_output(**output))

    return change


def tag_half(book):
    for cell in book.cells[::2] + book.cells[1::3]:
        if cell.cell_type == "code":
            cell.metadata["tags"] = ["nbval-ignore-output"]


def set_cell(number, **values):
    def change(book):
        code(book, number).update(values)

    return change


def set_metadata(**values):
    def change(book):
        book.metadata.update(values)

    return change


PICTURE = {"image/png": "aGVsbG8=", "text/plain": "Figure: a line"}
WARNING = {"output_type": "stream", "name": "stderr", "text": "UserWarning: old\n"}
ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "", "traceback": []}
SCRIPT = {"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}}
EXPLORER = {"output_type": "display_data", "data": {"text/plain": "Merge stepper: run this cell"}}
OUTPUT = {"outputs_hidden": True}
BROKEN = [
    (rules.run_in_order, set_cell(2, execution_count=None), "execution counts"),
    (rules.run_in_order, set_cell(2, execution_count=7), "execution counts"),
    (rules.run_in_order, set_cell(2, source=" "), "code cell 2 is empty"),
    (rules.no_stored_errors, store(**ERROR), "stores an error: ValueError"),
    (rules.no_stored_errors, store(**WARNING), "stores a warning: UserWarning"),
    (rules.normal_metadata, set_metadata(widgets={}), "notebook metadata is"),
    (rules.normal_metadata, set_metadata(language_info={"version": "3"}), "notebook metadata is"),
    (rules.normal_metadata, set_cell(2, metadata={"scrolled": True}), "scrolled"),
    (rules.normal_metadata, set_cell(2, metadata={"tags": ["nbval-skip"]}), "nbval-skip"),
    (rules.normal_metadata, set_cell(2, metadata={"tags": ["raises-exception"]}), "raises-exc"),
    (rules.normal_metadata, set_cell(2, attachments={"a": {}}), "attached file"),
    (rules.normal_metadata, set_cell(1, metadata={}), "folded {}, not {'source_hidden'"),
    (rules.normal_metadata, set_cell(2, metadata={"jupyter": OUTPUT}), "folded {'outputs_hidden'"),
    (rules.normal_metadata, store(**SCRIPT), "stores a live widget"),
    (rules.pictures_have_alt_text, store(**EXPLORER), "code cell 4 has no picture"),
    (
        rules.pictures_have_alt_text,
        store(output_type="display_data", data=PICTURE),
        "no alt text: use style.show",
    ),
    (
        rules.pictures_have_alt_text,
        store(
            output_type="display_data",
            data={"image/png": "aGVsbG8="},
            metadata={"image/png": {"alt": "a line"}},
        ),
        "no text beside it",
    ),
    (rules.pictures_have_alt_text, replace("They agree", "![](a.png)"), "no alt text: !"),
    (rules.pictures_have_alt_text, replace("They agree", '<img src="a.png">'), "no alt text: <"),
    (rules.headings_in_order, replace("## 2B", "# 2B"), "one # heading"),
    (rules.headings_in_order, replace("### Exercise 2.1", "#### Exercise 2.1"), "left out"),
    (rules.headings_in_order, replace("The other half", "One half\n\n## 2B One half"), "two head"),
    (rules.small_file, replace("They agree", "x" * 2**21), "2 are allowed"),
    (rules.no_machine, replace("They agree", "In /home/me/file"), "some machine"),
    (rules.no_machine, replace("They agree", "In /tmp/x"), "some machine"),
    (rules.no_machine, replace("They agree", r"In C:\Users\me"), "some machine"),
    (rules.no_machine, replace("They agree", "At localhost"), "some machine"),
    (rules.no_machine, replace("They agree", "At 10.0.0.1 there"), "some machine"),
    (rules.no_machine, replace("They agree", "See https://example.com/a"), "links to https://ex"),
    (rules.output_is_compared, tag_half, "ignore their output, 35 % are allowed"),
    (rules.output_is_compared, replace("print(", "# NBVAL_SKIP\nprint("), "in a comment"),
    (rules.no_set_up, replace("print(", "%pip install torch\nprint("), "'%pip'"),
    (rules.no_set_up, replace("print(", "!ls\nprint("), "'!'"),
    (rules.no_set_up, replace("print(", "sys.path.append('.')\nprint("), "'sys.path'"),
    (rules.no_set_up, replace("print(", "exec('1')\nprint("), "exec"),
    (rules.first_cell_is_set_up, replace("import math", "import math\nx = 1"), "x = 1"),
    (rules.header_is_complete, replace("# 02 ·", "# 2 ·"), "# 02 · title"),
    (rules.header_is_complete, replace("- break it\n", ""), "three or more goals"),
    (rules.header_is_complete, replace("about 5 minutes", "soon"), "Reading and exercises"),
    (rules.header_is_complete, replace("about 1.7 minutes", "about 2 minutes"), "does not say"),
    (rules.header_is_complete, replace(", [after 2C](#2C-The-other-half)", ""), "two sections"),
    (rules.header_is_complete, replace("**Prerequisites:** none", ""), "**Prerequisites:**"),
    (rules.header_is_complete, replace("**Neighbours:** 01", "01"), "**Neighbours:**"),
    (rules.recall_follows_the_hook, replace('recall("R2.3", None)', "pass"), "section Recall asks"),
    (rules.recall_follows_the_hook, replace("## Recall", "## Questions"), "hook comes first"),
    (rules.numbered_in_order, replace("## 2C The", "## 2D The"), "sections are numbered"),
    (
        rules.numbered_in_order,
        replace("Exercise 2.3 ·", "Exercise 2.4 ·"),
        "exercises are numbered",
    ),
    (rules.numbered_in_order, replace("print(6 * 7)", 'predict("P2.2", None)'), "predictions are"),
    (rules.enough_exercises, replace('check("2.7", 7)', "pass"), "exercise 2.7 has a check or a"),
    (rules.enough_exercises, replace('check("2.7", 7)', "pass"), "6 exercises"),
    (rules.enough_exercises, replace("2.3 · easy", "2.3 · nice"), "exercise 2.3 has a check"),
    (rules.ends_well, replace("## Paper and code", "## Papers"), "last sections"),
    (rules.ends_well, replace("5. Five.\n", ""), "4 lines, not five"),
    (rules.ends_well, replace("et al. 2017", "et al."), "without its year"),
    (rules.links_lead_somewhere, replace("#2B-One-half", "#2B-one-half"), "no heading"),
    (rules.links_lead_somewhere, replace("They agree", "[x](gone.ipynb)"), "does not exist"),
    (rules.links_lead_somewhere, rename("One half", "One ½"), "headings in ASCII letters"),
    (rules.links_lead_somewhere, rename("One half", "One %C2%BD"), "headings in ASCII letters"),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_good_notebook_passes(rule, tmp_path):
    assert complaints(example(), tmp_path, rule) == []


@pytest.mark.parametrize(
    ("rule", "change", "message"), BROKEN, ids=[f"{r.__name__}-{m}" for r, _, m in BROKEN]
)
def test_broken_notebook_fails(rule, change, message, tmp_path):
    book = example()
    change(book)
    assert any(message in complaint for complaint in complaints(book, tmp_path, rule))


def test_every_rule_is_seen_to_fail():
    assert {rule for rule, _, _ in BROKEN} == set(rules.RULES)


def test_layout_other_than_nbformats_fails(tmp_path):
    path = write(example(), tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("\n ", "\n  "), encoding="utf-8")
    found = list(rules.normal_metadata(rules.Book.read(path)))
    assert found == ["not laid out as nbformat writes it"]


def test_neighbour_that_exists_must_be_linked(tmp_path):
    write(example(), tmp_path, "03_after.ipynb")
    found = complaints(example(), tmp_path, rules.header_is_complete)
    assert found == ["**Neighbours:** does not link to 03_after.ipynb"]


def test_headings_inside_code_do_not_count(tmp_path):
    book = example()
    replace("They agree.", "```python\n# not a heading\n```")(book)
    assert complaints(book, tmp_path, rules.headings_in_order) == []


def test_code_in_a_heading_is_part_of_its_anchor(tmp_path):
    book = example()
    replace("2B One half", "2B One `half`")(book)
    assert complaints(book, tmp_path, rules.links_lead_somewhere) == []


def test_escapes_and_pictures_are_no_paths(tmp_path):
    book = example()
    replace("print(6", "print('B:\\n', 6")(book)
    picture = {"image/png": "aaa/tmp/bbbb" * 20, "text/plain": "Figure: a line"}
    store(output_type="display_data", data=picture)(book)
    assert complaints(book, tmp_path, rules.no_machine) == []
