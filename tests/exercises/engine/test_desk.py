"""What the notebook prints."""

import json
import subprocess
import sys

import pytest
import torch

from tutorial_lib.exercises import __main__ as command
from tutorial_lib.exercises import (
    check,
    hint,
    predict,
    predictions,
    progress,
    recall,
    reveal,
    solution,
    symptom,
    yours_or,
)
from tutorial_lib.exercises.chapter00_start_here.demo import double, double_squared
from tutorial_lib.exercises.chapter00_start_here.softmax import softmax_all
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.store import open_store
from tutorial_lib.exercises.engine.tasks import Recall
from tutorial_lib.figures.chapter00_start_here import course


@pytest.fixture
def said(capsys):
    return lambda: capsys.readouterr().out


def stub(x):
    raise NotImplementedError


def test_check_prints_one_line(said, learner):
    check("0.0", stub)
    assert said() == "○ 0.0 Double a tensor: not tried yet\n"
    check("0.0", double_squared)
    assert said().startswith("✗ 0.0 Double a tensor: This squares each number")
    check("0.0", learner.run("def double(x):\n    return 2 * x").double)
    assert said() == "✓ 0.0 Double a tensor: right. Kept in my_transformer.py.\n"


def test_an_open_stub_leaves_no_trace(progress_folder, said):
    check("0.0", stub)
    check("0.0", None)
    assert not progress_folder.exists()


def test_a_miss_points_to_its_refresher(said):
    check("0.2", softmax_all)
    assert said().endswith("See “Refresher: softmax”.\n")


def test_an_error_points_to_its_refresher_and_a_misuse_does_not(said, learner):
    check("0.2", learner.run("def softmax(x):\n    return x.reshape(7, 7)").softmax)
    text = said()
    assert "RuntimeError in line 2" in text
    assert text.endswith(". See “Refresher: softmax”.\n")
    check("0.2", 3)
    assert "See “" not in said()


def test_tries_and_success_are_counted(said):
    for answer in (double_squared, double, double_squared):
        check("0.0", answer)
    assert open_store().entry("exercises", "double") == {
        "tries": 3,
        "misses": 2,
        "solved": True,
    }


def test_help_is_offered_from_the_second_miss_and_code_from_the_fourth(said):
    told = []
    for _ in range(5):
        check("0.0", double_squared)
        told.append(said().partition("but 3 becomes 9.")[2])
    first, *rest = told
    assert "hint(" not in first
    hinted = ' `hint("0.0")` gives a hint'
    assert [text.endswith(f"{hinted}.\n") for text in rest] == [True, True, False, False]
    assert rest[2].endswith(f'{hinted}, `solution("0.0")` shows working code.\n')
    for _ in range(2):
        hint("0.0")
    said()
    check("0.0", double_squared)
    assert said().endswith('9. `solution("0.0")` shows working code.\n')


def test_who_has_read_all_hints_is_told_of_the_code_at_the_second_miss(said):
    for _ in range(2):
        hint("0.0")
        check("0.0", double_squared)
    assert said().endswith('9. `solution("0.0")` shows working code.\n')


def test_no_help_is_offered_once_it_is_solved_or_for_an_open_stub(said):
    for answer in (double, double_squared, double_squared, stub):
        check("0.0", answer)
    assert "hint(" not in said()


def test_code_that_spoils_its_input_is_right_and_not_kept(said, learner, progress_folder):
    learner.run("def double(x):\n    x *= 2\n    return x")
    check("0.0", learner.double)
    assert said() == (
        "✓ 0.0 Double a tensor: right. It changes its argument x in place: the caller's own copy "
        "is lost. Not kept: work on a copy of x, and check again.\n"
    )
    assert not (progress_folder / "my_transformer.py").exists()
    assert yours_or("0.0", double) is double


@pytest.mark.parametrize(
    ("id", "near"),
    [("0.00", '"0.00"; there are 0.0'), ("99.1", 'exercise "99.1"'), ("", 'exercise ""')],
)
def test_an_unknown_number_names_its_neighbours(id, near):
    with pytest.raises(LookupError, match=r"there are .*\d[.]\d"):
        check(id, double)
    with pytest.raises(LookupError) as caught:
        check(id, double)
    assert near in str(caught.value)


def test_a_number_without_quotes_is_refused():
    with pytest.raises(TypeError, match=r'write the number in quotes: "0\.1"'):
        check(0.1, double)


def test_hints_come_one_by_one(said):
    hint("0.0")
    assert said().startswith("Hint 1 of 2 for 0.0: Arithmetic")
    hint("0.0")
    assert said().endswith('(the last one; `solution("0.0")` shows working code)\n')
    hint("0.0")
    assert said().startswith("Hint 1 of 2")


def test_the_solution_is_working_code(said):
    solution("0.3")
    text = said()
    assert text.startswith("One way to solve 0.3 Cross-entropy; yours may look different.\n\n")
    assert "import torch\n" in text
    assert "def cross_entropy(logits, labels):\n" in text
    assert open_store().entry("exercises", "cross_entropy") == {"solution_read": True}


def test_a_symptom_from_picture_to_repair(symptom_task, monkeypatch, said, learner):
    monkeypatch.setattr(registry, "find", lambda id: symptom_task)
    assert symptom("9.1")(3, 1) == 9
    repaired = learner.run("def area(w, h):\n    return w * h").area
    check("9.1", None)
    check("9.1", "a")
    check("9.1", "b")
    check("9.1", None, symptom_task.shown)
    check("9.1", None, repaired)
    check("9.1", "b", symptom_task.shown)
    check("9.1", "b", repaired)
    assert said().splitlines() == [
        "○ 9.1 Area: not tried yet",
        "✗ 9.1 Area: not (a). It would be too long. Look again at what it shows.",
        "◐ 9.1 Area: (b) is right: This takes the width twice. Now open the folded cell below, "
        "repair the code in it and run the check after it.",
        "○ 9.1 Area: not tried yet",
        "◐ 9.1 Area: your repair works. Which letter was the picture: a, b or c?",
        "◐ 9.1 Area: (b) is right: This takes the width twice. This is still the code behind the "
        "picture: repair `area` and check again.",
        "✓ 9.1 Area: right: it was (b), and your repair works. Kept in my_transformer.py.",
    ]
    entry = open_store().entry("exercises", symptom_task.key)
    assert entry == {"tries": 5, "misses": 1, "solved": True}


def test_a_claim_keeps_no_code(claim, monkeypatch, said, progress_folder):
    monkeypatch.setattr(registry, "find", lambda id: claim)
    check("9.1", 30.72e6)
    assert said() == "✓ 9.1 Area: right: 30,720,000 parameters. The sentence holds.\n"
    assert not (progress_folder / "my_transformer.py").exists()


def test_a_recall_question_is_counted(monkeypatch, said):
    question = Recall(
        id="9.a", key="three", question="?", answer=3, because="one, two, three.", see="01, X"
    )
    monkeypatch.setattr(registry, "find", lambda id, sort: question)
    recall("9.a")
    recall("9.a", 2)
    recall("9.a", 3)
    assert said().splitlines() == [
        "○ 9.a: not tried yet",
        "✗ 9.a: not 2. Look it up: 01, X.",
        "✓ 9.a: right: one, two, three.",
    ]
    assert open_store().entry("recall", "three") == {"tries": 2, "solved": True}


def test_a_symptom_is_asked_of_symptoms_only():
    with pytest.raises(LookupError, match=r"exercise 0\.0 shows no symptom"):
        symptom("0.0")


def test_a_guess_is_kept_and_shown_against_the_truth(said):
    predict("P0.2")
    assert said() == "○ Prediction P0.2: no guess yet. Write yours in place of None.\n"
    reveal("P0.2", 384)
    assert said() == "Prediction P0.2: it is 384. (You made no guess.)\n"
    predict("P0.2", 400)
    assert said() == "● Prediction P0.2: your guess 400 is kept.\n"
    reveal("P0.2", torch.tensor(384))
    assert said() == "Prediction P0.2: it is 384, you guessed 400 (16 too high).\n"
    predict("P0.2", torch.Size([2, 3]))
    reveal("P0.2", (2, 3))
    assert said().endswith("it is (2, 3), you guessed (2, 3) (as you said).\n")
    predict("P0.2", " Softmax")
    reveal("P0.2", "softmax")
    assert said().endswith("(as you said).\n")
    predictions("00")
    assert "softmax" in said()


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_a_guess_that_is_no_number_is_neither_high_nor_low(odd, said):
    predict("P0.2", odd)
    reveal("P0.2", 384)
    assert said().endswith(f"it is 384, you guessed {odd}.\n")


@pytest.mark.parametrize("percent", [45, 1.5, -0.1])
def test_a_guess_outside_a_share_is_asked_for_again(percent, progress_folder, said):
    predict("P7.3", percent)
    line = f"a share from 0 to 1 is asked, got {percent}; 45 % is 0.45."
    assert said() == f"○ Prediction P7.3: {line}\n"
    predict("P7.3", 1)
    kept = json.loads((progress_folder / "progress.json").read_text())
    assert kept["predictions"] == {"shuffled_patches_with_positions": {"guess": 1}}


ODD = {
    "a huge number": 10**5000,
    "huge numbers": [10**5000, 1],
    "too many numbers": list(range(100)),
    "a long word": "x" * 10_000,
    "lists in lists": [[[1]]],
    "a set": {1},
    "a dict": {"a": 1},
    "an object": object(),
    "a nested tensor": torch.zeros(2, 2, 2),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_guesses_truths_and_answers_get_a_sentence(name, said, progress_folder):
    predict("P0.2", ODD[name])
    assert said().startswith("○ Prediction P0.2: a guess is a number, a shape or a word, got ")
    reveal("P0.2", ODD[name])
    assert said().startswith("○ Prediction P0.2: a number, a shape or a word was to come, got ")
    assert not progress_folder.exists()
    for question in ("R2.1", "R2.2"):
        recall(question, ODD[name])
        assert said().startswith(f"✗ {question}: ")
    check("2.3", ODD[name])
    assert said().startswith("✗ 2.3 ")


@pytest.mark.parametrize("kept", ["1" * 4000, "[[[[1]]]]", '{"a": 1}', "[" * 200 + "]" * 200])
def test_a_guess_that_someone_wrote_into_the_file_is_no_guess(kept, said, progress_folder):
    progress_folder.mkdir()
    (progress_folder / "progress.json").write_text(
        f'{{"predictions": {{"P0.2": {{"guess": {kept}}}}}}}'
    )
    reveal("P0.2", 384.5)
    assert said().endswith("it is 384.5. (You made no guess.)\n")
    predictions("00")
    assert said().splitlines()[2].split()[:3] == ["P0.2", "-", "384.5"]


def test_guesses_survive_the_kernel(progress_folder, said):
    predict("P0.2", 0.64)
    kept = json.loads((progress_folder / "progress.json").read_text())
    assert kept["predictions"] == {"word_after_too": {"guess": 0.64}}


def test_an_empty_store_prints_the_same_everywhere(said):
    predictions(0)
    table = said()
    assert table.splitlines()[2].split()[:3] == ["P0.2", "-", "-"]
    progress()
    first = said()
    assert first.splitlines()[0].split("  ")[0] == "chapter"
    assert first.splitlines()[1].startswith("00 Start here")
    assert "0 of 6" in first
    progress()
    assert said() == first


def test_progress_counts(said):
    check("0.0", double)
    check("0.2", softmax_all)
    hint("0.1")
    solution("0.1")
    predict("P0.2", 3)
    said()
    progress()
    row = said().splitlines()[1]
    assert " ".join(row.split()) == "00 Start here 1 of 6 2 1 1 0 of 0 1 of 5"


def test_progress_leaves_out_chapters_without_a_notebook(said, monkeypatch):
    monkeypatch.setattr(course, "READY", ("00", "05b"))
    progress()
    assert [line.split()[0] for line in said().splitlines()] == ["chapter", "00", "05b"]


def test_a_damaged_progress_file_costs_one_line(progress_folder, said):
    progress_folder.mkdir()
    (progress_folder / "progress.json").write_text("{")
    check("0.0", double_squared)
    lines = said().splitlines()
    assert lines[0].startswith("Note: your progress file could not be read.")
    assert len(lines) == 2


def test_unknown_chapters_are_named():
    with pytest.raises(LookupError, match="no chapter '77'; there are 00"):
        registry.contents("77")


def test_the_command_prints_the_table_and_the_cells(said):
    assert command.main(["00"]) == 0
    assert "double_squared               ✗ This squares" in said()
    start = [sys.executable, "-m", "tutorial_lib.exercises", "00", "--cells"]
    done = subprocess.run(start, capture_output=True, text=True, encoding="utf-8", check=True)
    assert 'check("0.0", double)' in done.stdout
