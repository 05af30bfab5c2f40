import pytest

from tutorial_lib.recipes.left_out import leave_out

LINE = "Left out: what needs Ann.\n"


@pytest.fixture
def run(shell, capsys):
    """Run a cell in a notebook where `ann` is a stand-in, and return what it prints."""

    def run(cell):
        shell.run_cell(cell).raise_error()
        return capsys.readouterr().out

    stand_in = object()
    shell.user_ns["ann"] = stand_in
    leave_out("Ann", [stand_in], keep=["Writer"])
    return run


@pytest.mark.parametrize(
    "cell",
    [
        "print(ann)",
        "if 1:\n    ann",
        "def f(x):\n    return [ann for _ in x]\nprint('defined')",
        "a, b = 1, ann\nprint('made')",
        "del ann",
        "print({'ann': ann})",
    ],
)
def test_what_reads_the_name_is_left_out(run, cell):
    assert run(cell) == LINE


def test_names_that_were_not_made_are_missing_until_another_cell_makes_them(run, shell):
    assert run("n = 2\nx = n * len(ann)\nn = 3\nprint(n)") == LINE
    assert run("print(n)") == "3\n"  # what needs no Ann was made all the same
    assert run("y = x + 1") == run("print(y)") == LINE
    assert run("for x in (1, 2):\n    y = x\nprint(x, y)") == "2 2\n"
    assert run("def f(ann):\n    return [n for x in ann]\nprint(f('ab'))") == "[3, 3]\n"
    assert run("ann = 1\nprint(ann)") == "1\n"


def test_of_a_dict_the_others_stay(run):
    run("bob = 1")
    assert run("print({'ann': ann, 'bob': bob})") == LINE + "{'bob': 1}\n"


def test_one_word_lets_a_cell_run_as_it_is(run):
    assert run("Writer = type\nprint(Writer(ann).__name__)") == "object\n"


def test_what_is_timed_is_left_out_too(run):
    assert run("%timeit -n1 -r1 ann").startswith(LINE)


def test_an_error_of_the_learner_s_ends_nothing(run, shell):
    with pytest.raises(SyntaxError, match="outside function"):
        run("return 1")
    assert run("print(ann)").endswith(LINE)


def test_a_second_call_takes_the_place_of_the_first(run):
    leave_out("Bob", [])
    assert run("print(type(ann).__name__)") == "object\n"


def test_outside_a_notebook_nothing_is_left_out():
    leave_out("Ann", [object()])
