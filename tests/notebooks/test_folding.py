"""Folded are imports, what says so, and what would give a prediction away; nothing else."""

import pytest
from folding import folded

IMPORTS = "import math\n\nSEED = 0\nset_seed(SEED)\ndevice = get_device()"
INPUT, OUTPUT = {"source_hidden": True}, {"outputs_hidden": True}


def folds(*sources, kind="code"):
    return folded([(kind, source, True) for source in sources])


def test_imports_are_folded():
    assert folds(IMPORTS, IMPORTS) == [INPUT, {}]
    assert folds("import math\nprint(1)") == [{}]


def test_code_that_says_why_is_folded():
    why = "# folded: the code behind the picture. Choose your letter first.\nshow(1)"
    spoils = "# folded: what we found. Look for yourself first.\nshow(1)"
    assert folds(spoils) == [INPUT | OUTPUT]
    assert folds(why, f"x = 1\n{why}", "# folded: \nx") == [INPUT, {}, {}]
    assert folds(why, kind="markdown") == [{}]


def test_outputs_are_folded_from_prediction_to_answer():
    cells = ["a()", 'predict("2.1", None)', "b()", 'if x:\n    reveal("2.1", 1)', "c()"]
    assert folds(*cells) == [{}, {}, OUTPUT, OUTPUT, {}]


@pytest.mark.parametrize("asks", ['predict("2.2", 1)', 'recall("2.a", None)', 'check("2.1", f)'])
def test_what_asks_stays_open(asks):
    assert folds('predict("2.1", None)', asks)[1] == {}


def test_predictions_overlap_and_an_answer_may_come_with_the_next_question():
    cells = ['predict("1", 0)', 'predict("2", 0)', "a()", 'reveal("2", 1)', "b()", 'reveal("1", 1)']
    assert folds(*cells, "c()") == [{}, {}, OUTPUT, OUTPUT, OUTPUT, OUTPUT, {}]
    answer_and_question = 'reveal("1", 1)\npredict("2", 0)'
    assert folds('predict("1", 0)', answer_and_question, "a()") == [{}, OUTPUT, OUTPUT]


def test_a_cell_without_outputs_has_nothing_to_fold():
    cells = [("code", 'predict("1", 0)', True), ("code", "a = 1", False)]
    assert folded(cells) == [{}, {}]


def test_the_code_of_a_figure_that_answers_a_prediction_is_folded_with_it():
    figure = 'figures.show(figures.line_chart(x, title="Half"))\nreveal("2.1", 0.5)'
    assert folds('predict("2.1", None)', figure) == [{}, INPUT | OUTPUT]
    assert folds(figure) == [{}]
