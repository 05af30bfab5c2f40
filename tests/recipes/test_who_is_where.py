import random

from tutorial_lib.recipes import load_result
from tutorial_lib.recipes.who_is_where import side_by_side


def test_the_picture_tells_who_is_on_the_left_and_shuffled_answers_do_not():
    rows = load_result("who-is-where")["rows"]
    assert len({tuple(row["pair"]) for row in rows}) == 6
    right, shuffled = (sum(row[name] for row in rows) / len(rows) for name in ("right", "shuffled"))
    assert right > 0.65
    assert 0.4 < shuffled < 0.6


def test_each_thing_is_on_the_left_as_often_and_lies_there():
    scenes = side_by_side(("cat", "dog"), 20, random.Random(1), 96)
    lefts = [fact[0][0] for fact in scenes.facts]
    assert lefts.count("cat") == lefts.count("dog") == 10
    assert (scenes.boxes[:, 0, 2] <= scenes.boxes[:, 1, 0]).all()
    assert scenes.images.shape == (20, 3, 96, 96)
