import dataclasses
import functools
import math
import random

import numpy as np
import pytest
import torch
from torch import nn

from tutorial_lib.exercises.engine.attempts import fill
from tutorial_lib.exercises.engine.tasks import Claim, Property, Recall, Symptom, Write, case
from tutorial_lib.exercises.engine.verdicts import judge, judge_recall


def test_right(write):
    assert judge(write, write.solution).line == "✓ right."
    assert judge(write, lambda w, h: torch.tensor(float(w * h))).status == "right"


def test_a_known_mistake_is_named(write):
    verdict = judge(write, lambda width, height: 2 * width + 2 * height)
    assert verdict.line == "✗ This is the perimeter."


def test_a_mistake_is_named_only_when_it_fits_every_case(write):
    # Equal to the perimeter on the square (8), not on the strip.
    verdict = judge(write, lambda width, height: 8 if height == 2 else 0)
    assert verdict.text == 'in the case "a square", area(2, 2): expected 4, got 8.'
    verdict = judge(write, lambda width, height: 4 if height == 2 else 0)
    assert verdict.text == 'in the case "a strip", area(3, 1): expected 3, got 0.'


@pytest.mark.parametrize("nothing", [None, ...])
def test_nothing_is_not_tried_yet(write, symptom_task, claim, nothing):
    for task in (write, symptom_task, claim):
        assert judge(task, nothing).line == "○ not tried yet"


def test_the_function_itself_is_asked_for(write):
    text = judge(write, 6).text
    assert text.startswith("give check the function itself, without calling it")
    assert 'check("9.1", area)' in text


def test_wrong_parameters_show_how_it_is_called(write):
    text = judge(write, lambda width: width).text
    assert "TypeError" in text
    assert "check calls it like area(width, height)" in text


def test_a_missing_return_is_named(write):
    def area(width, height):
        width * height

    assert "is a `return` missing?" in judge(write, area).text


def double_in_place(x):
    x *= 2
    return x


def tensor_task(parts, **more):
    def double(x):
        return 2 * x

    parts |= {"solution": double, "second_style": double, "mistakes": ()}
    parts["cases"] = lambda: [case("ones", torch.ones(2)), case("ones again", torch.ones(2))]
    return Write(**parts | more)


def test_each_call_gets_fresh_inputs_and_a_change_in_place_is_named(parts):
    verdict = judge(tensor_task(parts), double_in_place)
    assert verdict.status == "right"
    assert "changes its argument x in place" in verdict.text


def test_a_module_is_not_said_to_be_changed_whatever_the_answer_calls_it(parts):
    def through(linear, x):
        return linear(x)

    cases = [case("ones", fill(nn.Linear(2, 1)), torch.ones(2))]
    task = tensor_task(parts, solution=through, second_style=through, cases=lambda: cases)
    assert judge(task, lambda linear, x: linear(x)).line == "✓ right."
    assert judge(task, lambda lin, x: lin(x)).line == "✓ right."
    assert judge(task, lambda lin, x: lin(x.sub_(0).add_(0))).line == "✓ right."
    assert judge(task, lambda lin, x: lin(x.clone()) * x.mul_(2)[0] / 2).changed == ("x",)


def test_a_change_in_place_is_refused_where_the_text_forbids_it(parts):
    verdict = judge(tensor_task(parts, keeps_input=True), double_in_place)
    assert verdict.line == ("✗ right numbers, but it changes `x` itself: make a copy of it first.")


def test_a_change_in_place_is_named_next_to_the_error_it_leads_to(parts):
    def double(x):
        x.resize_(3)
        return x @ torch.ones(2)

    verdict = judge(tensor_task(parts), double)
    assert verdict.status == "error"
    assert "changes its argument x in place" in verdict.text


def test_what_a_property_quotes_is_cut(parts):
    task = with_properties(parts, Property("?", lambda area: f"Got {area(1, 1)}."))
    assert len(judge(task, lambda width, height: "x" * 10**6).text) < 1000


def test_a_change_in_place_is_named_next_to_a_known_mistake(parts):
    def square(x):
        """This squares."""
        return x**2

    def square_in_place(x):
        x **= 2
        return x

    cases = [case("threes", torch.full((2,), 3.0))]
    task = tensor_task(parts, mistakes=(square,), cases=lambda: cases)
    verdict = judge(task, square_in_place)
    assert verdict.mistake is square
    assert verdict.text.startswith("This squares. It changes its argument x in place:")


def test_a_remark_is_added_to_right_and_wrong_alike(parts):
    def as_a_list(answer):
        return "It is a list." if isinstance(answer(torch.ones(2)), list) else ""

    task = tensor_task(parts, remarks=(as_a_list,))
    assert judge(task, lambda x: 2 * x).text == "right."
    verdict = judge(task, lambda x: [2, 2])
    assert (verdict.status, verdict.text) == ("right", "right. It is a list.")
    verdict = judge(task, lambda x: [2, 3])
    assert verdict.status == "differs"
    assert verdict.text.endswith(" It is a list.")


def test_a_remark_that_fails_is_left_out(parts):
    def fails(answer):
        raise ValueError("no remark")

    assert judge(tensor_task(parts, remarks=(fails,)), lambda x: 2 * x).text == "right."


def test_a_change_in_place_that_matters_is_named(parts):
    task = tensor_task(parts, run=lambda answer, x: (answer(x).clone(), answer(x)))
    verdict = judge(task, double_in_place)
    assert verdict.status == "differs"
    assert verdict.text.startswith('in the case "ones", in the second result, at [0]: expected 2, ')
    assert "changes its argument x in place" in verdict.text


def test_random_answers_are_seeded_and_the_learners_generator_is_left_alone(parts):
    def noisy(x):
        return x + torch.randn(2)

    def also_noisy(x):
        np.random.rand()
        random.random()
        return torch.randn(2) + x

    def states():
        return torch.get_rng_state().tolist(), np.random.get_state()[2], random.getstate()

    task = tensor_task(parts, solution=noisy)
    torch.manual_seed(7)
    np.random.seed(7)
    before = states()
    assert judge(task, also_noisy).status == "right"
    assert states() == before


def test_a_solution_that_fails_judges_nothing(parts):
    def refuse(x):
        raise RuntimeError("element 0 of tensors does not require grad")

    verdict = judge(tensor_task(parts, solution=refuse), refuse)
    assert verdict.status == "error"
    assert "nothing can be judged now" in verdict.text
    assert "does not require grad" in verdict.text


class Layer(nn.Module):
    """A linear map."""

    def __init__(self, width):
        super().__init__()
        self.map = nn.Linear(width, width)

    def forward(self, x):
        return self.map(x)


def layer_task(parts):
    def run(answer, x):
        return fill(answer(2))(x)

    return tensor_task(parts, solution=Layer, run=run)


def test_a_class_is_built_filled_and_called(parts):
    class Written(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(width, width))
            self.bias = nn.Parameter(torch.zeros(width))

        def forward(self, x):
            return x @ self.weight.T + self.bias

    assert judge(layer_task(parts), Written).status == "right"
    assert "give check the class itself" in judge(layer_task(parts), Written(2)).text


def with_properties(parts, *properties):
    return Write(**parts | {"mistakes": (), "properties": properties})


def test_all_properties_that_do_not_hold_are_named_in_order(parts):
    task = with_properties(
        parts,
        Property("It is not symmetric.", lambda area: area(2, 5) == area(5, 2)),
        Property("It never is 0.", lambda area: area(0, 5) == 0),
        Property("It holds.", lambda area: True),
        Property("It does not grow.", lambda area: "It shrinks." if area(9, 9) < 9 else True),
    )
    verdict = judge(task, lambda width, height: width - height + 7)
    assert verdict.status == "mistake"
    assert verdict.text == (
        "3 things to mend. (1) It is not symmetric. (2) It never is 0. (3) It shrinks. "
        'To see it: the case "a square", area(2, 2): expected 4, got 7.'
    )
    assert judge(task, task.solution).text == "right."


def test_a_property_judges_what_the_cases_do_not_show(parts):
    task = with_properties(parts, Property("It fails at 9.", lambda area: area(9, 9) == 81))
    assert judge(task, lambda width, height: min(width * height, 50)).text == "It fails at 9."


def test_a_property_that_cannot_be_told_is_left_out(parts):
    task = with_properties(
        parts,
        Property("Not told.", lambda area: area(0, 0)[1]),
        Property("Not told either.", lambda area: None),
        Property("It fails at 0.", lambda area: area(0, 0) == 0),
    )

    def area(width, height):
        return 1 / width * height

    assert judge(task, area).text.startswith('in the case "a square", area(2, 2): expected 4')


def test_a_property_sees_lists_as_tensors_and_its_inputs_as_new(parts):
    seen = []

    def holds(area):
        x = torch.ones(2)
        area(x, 2)
        seen.append((x.tolist(), area(x, 2).shape))

    def area(width, height):
        if isinstance(width, int):
            return width * height
        width += 1
        return [[1.0, 2.0]]

    assert judge(with_properties(parts, Property("?", holds)), area).status == "right"
    assert seen == [([1.0, 1.0], (1, 2))]


def test_a_part_of_the_output_is_called_by_its_name(parts):
    task = Write(**parts | {"mistakes": (), "results": ("width", "sum")}, run=two_results)
    text = judge(task, lambda width, height: width + height + 1).text
    assert text.startswith('in the case "a square", in the width: expected')


def two_results(answer, width, height):
    return torch.tensor(answer(width, height)), width


def test_a_symptoms_letter_and_repair(symptom_task):
    task = symptom_task
    assert judge(task, "z").text == "choose one of a, b, c."
    missed = judge(task, "a", task.shown).text
    assert missed == "not (a). It would be too long. Look again at what it shows."
    assert judge(task, "a").text == missed
    assert "Your repair works, though" in judge(task, "C", task.solution).text
    for repaired, then in (
        (None, "Now open the folded cell below, repair the code in it and run the check after it."),
        (task.shown, "This is still the code behind the picture: repair `area` and check again."),
        (unwritten, "Now write `area` and check again."),
    ):
        halfway = judge(task, "(B)", repaired)
        assert halfway.line == f"◐ (b) is right: This takes the width twice. {then}"
    other = judge(task, "b", task.mistakes[0])
    assert other.text == "(b) is right. Your repair isn't right yet: This is the perimeter."
    whole = judge(task, "b", task.solution)
    assert whole.line == "✓ right: it was (b), and your repair works."


def test_code_that_is_written_from_empty_is_not_called_a_repair(symptom_task):
    task = dataclasses.replace(symptom_task, from_empty=True)
    then = "Now write `area` in the next cell and run the check after it."
    assert judge(task, "b").line == f"◐ (b) is right: This takes the width twice. {then}"
    assert (
        judge(task, "b", task.mistakes[0]).text
        == "(b) is right. Your code isn't right yet: This is the perimeter."
    )
    assert judge(task, "b", task.solution).line == "✓ right: it was (b), and your code works."


def test_a_repair_without_a_letter_is_judged_and_the_letter_asked_for(symptom_task):
    task, asked = symptom_task, "Which letter was the picture: a, b or c?"
    for untouched in (None, unwritten, task.shown):
        assert judge(task, None, untouched).status == "open"
    assert judge(task, None, task.solution).line == f"◐ your repair works. {asked}"
    other = judge(task, None, task.mistakes[0])
    assert other.line == f"✗ This is the perimeter. {asked}"


def unwritten(width, height):
    raise NotImplementedError


def test_a_repair_that_changes_its_input_is_told_so(parts):
    def doubled(x):
        """It squares."""
        return x**2

    task = Symptom(
        **vars(tensor_task(parts)) | {"mistakes": (doubled,)}, shown=doubled, looks=("Steep.",)
    )
    verdict = judge(task, "a", double_in_place)
    assert verdict.changed == ("x",)
    assert verdict.text.startswith("right: it was (a), and your repair works. It changes its ")
    assert judge(task, None, double_in_place).text.endswith("Which letter was the picture: a?")


def test_a_claims_number(claim):
    right = "right: 30,720,000 parameters. The sentence holds."
    assert judge(claim, 30_720_000).text == right
    assert judge(claim, torch.tensor(30_720_500.0)).status == "right"
    assert judge(claim, 61_440_000).text == "This counts the table twice."
    assert "another unit: give parameters" in judge(claim, 30.72).text
    assert judge(claim, 5).text == "not 5 parameters."
    assert judge(claim, "many").text == "write a number (parameters), got 'many'."
    assert judge(claim, math.nan).status == "error"
    assert judge(claim, torch.ones(2)).status == "error"


def test_a_claim_may_have_a_second_right_number(claim):
    def rounded():
        """This counts in millions."""
        return 31_000_000

    both = dataclasses.replace(claim, right_too=(rounded,))
    told = "right: 31,000,000 parameters. This counts in millions. The sentence holds."
    assert judge(both, 31_000_000).text == told
    assert judge(both, 31_000_000).status == "right"
    assert judge(both, 30_720_000).text == judge(claim, 30_720_000).text
    assert judge(both, 30_900_000).status == "differs"


def test_a_claim_without_tolerance_is_exact_but_for_rounding(claim):
    exact = dataclasses.replace(claim, tolerance=None)
    assert judge(exact, 30_720_000 * (1 + 1e-12)).status == "right"
    assert judge(exact, 30_720_001).status == "differs"


def test_an_unanswered_recall_question_is_open():
    question = Recall(id="9.b", key="b", question="?", answer=116, because="so.", see="01, Y")
    assert judge_recall(question, None).line == "○ not tried yet"
    assert judge_recall(question, ...).status == "open"


def test_recall_by_letter_and_by_number():
    letters = Recall(
        id="9.a",
        key="a",
        question="?",
        choices={"a": "x", "b": "y"},
        answer="b",
        because="so it is.",
        see="01, X",
        wrong={"a": "Not x, since."},
    )
    assert judge_recall(letters, " B ").line == "✓ right: so it is."
    assert judge_recall(letters, "a").text == "Not x, since. Look it up: 01, X."
    assert judge_recall(letters, "q").text == "choose one of a, b."
    number = Recall(id="9.b", key="b", question="?", answer=116, because="counted.", see="01, Y")
    assert judge_recall(number, 116.0).status == "right"
    assert judge_recall(number, 115).text == "not 115. Look it up: 01, Y."
    assert judge_recall(number, "x").status == "error"


def test_an_incomplete_exercise_is_refused_when_written(parts):
    with pytest.raises(ValueError, match="level 'simple' is none of"):
        Write(**parts | {"level": "simple"})
    with pytest.raises(ValueError, match="has no docstring"):
        Write(**parts | {"mistakes": (lambda: 0,)})
    first, *_, last = parts["mistakes"]
    for shown, looks in ((print, ("", "", "")), (last, ("", ""))):
        with pytest.raises(ValueError, match="not one of the choices"):
            Symptom(**parts, shown=shown, looks=looks)
    with pytest.raises(ValueError, match="3 mistakes, 4 looks"):
        Symptom(**parts, shown=first, looks=("", "", "", ""))
    with pytest.raises(ValueError, match="not among the choices"):
        Recall(id="9.a", key="a", question="", choices={"a": ""}, answer="b", because="", see="")
    assert Claim.kind == "claim"


def test_a_mistake_without_a_look_has_no_letter_and_is_named_in_the_repair(parts, symptom_task):
    short = Symptom(**parts, shown=symptom_task.shown, looks=symptom_task.looks[:2])
    assert (list(short.choices), list(symptom_task.choices)) == (["a", "b"], ["a", "b", "c"])
    assert judge(short, "b", parts["mistakes"][2]).mistake is parts["mistakes"][2]


def test_a_partial_and_a_library_function_pass(write):
    def scaled(factor, width, height):
        return factor * width * height

    assert judge(write, functools.partial(scaled, 1)).status == "right"
    assert judge(write, math.prod).status == "error"
