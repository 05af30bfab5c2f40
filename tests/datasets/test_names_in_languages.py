"""Lists of names in six languages."""

import random

import pytest

from tutorial_lib.datasets import KINDS, NAME_LANGUAGES, ThingList, draw_list, load_things


def test_no_name_stands_for_two_things_of_its_language():
    things = [thing for some in load_things().values() for thing in some]
    for place in range(len(NAME_LANGUAGES)):
        names = [thing.names[place].lower() for thing in things]
        assert len({*names}) == len(names)


def test_a_thing_is_called_what_people_call_it():
    names = {thing.names for some in load_things().values() for thing in some}
    assert ("Egypt", "Ägypten", "Égypte", "Egipto", "Египет", "Αίγυπτος") in names
    assert ("Tuesday", "Dienstag", "mardi", "martes", "вторник", "Τρίτη") in names
    assert not any("Schekel" in name for row in names for name in row if "(" in name)


@pytest.mark.parametrize("kind", KINDS)
def test_lists_hold_one_to_three_things_of_one_kind_and_a_tenth_is_held_out(kind):
    generator = random.Random(0)
    lists = [draw_list(generator, kind) for _ in range(2_000)]
    assert {len(some.things) for some in lists} == {1, 2, 3}
    assert {some.kind for some in lists} == {kind}
    assert all(len({*some.things}) == len(some.things) for some in lists)
    assert sum(some.held_out for some in lists) / 2_000 == pytest.approx(0.1, abs=0.03)


def test_a_list_holds_its_names_in_every_language_and_the_word_between():
    things = load_things()["country"][:3]
    joints = {
        "and": ("and", "und", "et", "y", "и", "και"),
        "or": ("or", "oder", "ou", "o", "или", "ή"),
    }
    for way, words in joints.items():
        for place, (language, joint) in enumerate(zip(NAME_LANGUAGES, words, strict=True)):
            text = ThingList(things, way).in_words(language)
            assert all(thing.names[place] in text for thing in things)
            assert f" {joint} {things[-1].names[place]}" in text


def test_another_language_is_named():
    with pytest.raises(ValueError, match="one of en, de, fr, es, ru, el, got 'ja'"):
        draw_list(random.Random(0)).in_words("ja")
