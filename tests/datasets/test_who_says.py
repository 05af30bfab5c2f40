import random

import pytest

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.datasets.who_says import (
    EXCERPT,
    LEAST_SPEAKERS,
    QUOTE,
    SHOWN,
    Question,
    ask,
    by_string_search,
    first_name,
    load_who_says,
    most_frequent_name,
    places_of,
)

ABOUT = ("Ado", "ACT I", "SCENE I")


def asked(*speeches, seed=0):
    pairs = [(name.split(), said.split()) for name, said in speeches]
    return ask(ABOUT, pairs, random.Random(seed))


THREE = [
    ("ann", "who is it there ?"),
    ("first lord", "nay , answer me now , sir"),
    ("ann", "well"),
    ("cy", "give me leave to go ."),
]


def test_each_speech_with_four_words_gets_a_question():
    questions = asked(*THREE)
    assert [" ".join(q.answer) for q in questions] == ["ann", "first lord", "cy"]
    assert [q.turn for q in questions] == [0, 1, 3]
    question = questions[1]
    assert (question.play, question.act, question.scene) == ABOUT
    assert " ".join(question.excerpt) == (
        "ann : who is it there ? first lord : nay , answer me now , sir "
        "ann : well cy : give me leave to go ."
    )
    quotes = {" ".join(asked(*THREE, seed=seed)[1].quote) for seed in range(20)}
    assert quotes == {"nay , answer me now", "nay , answer me now , sir"}


def test_no_question_without_three_speakers_or_a_quote_of_its_own():
    assert asked(*THREE[:3]) == []
    twice = [THREE[0], ("bob", THREE[0][1]), THREE[3]]
    assert [" ".join(q.answer) for q in asked(*twice)] == ["cy"]


def test_long_speeches_are_cut_and_what_does_not_fit_is_left_out():
    long = [
        (name, " ".join(f"{name}{letter}" for letter in "abcdefghijklmnop")) for name in "vwxyz"
    ]
    question = asked(*long)[0]
    assert len(question.names) == 4  # 4 x (1 + 1 + 10) words
    assert len(question.excerpt) == EXCERPT
    assert "vk" not in question.excerpt


def test_the_rules():
    text = "ann : well bob : ay ay sir now ann : who cy : no"
    excerpt = tuple(text.split())
    names = ((0, 1), (3, 4), (9, 10), (12, 13))
    question = Question(*ABOUT, excerpt[5:9], excerpt, names, 1)
    assert question.answer == ("bob",)
    assert first_name(question) == (0, 1)
    assert excerpt[slice(*most_frequent_name(question))] == ("ann",)
    assert by_string_search(question) == (3, 4)
    assert places_of(["ann", ":"], excerpt) == [0, 9]
    assert places_of(["ann"], []) == []


@pytest.fixture(scope="module")
def questions():
    return load_who_says()


def test_every_question_of_the_plays_can_be_answered(questions):
    assert [*questions] == [play.title for play in load_shakespeare().plays]
    everything = [question for of_play in questions.values() for question in of_play]
    assert len(everything) > 50_000
    for question in everything[::50]:
        names = [question.excerpt[slice(*span)] for span in question.names]
        assert len({*names}) >= LEAST_SPEAKERS
        assert len(question.excerpt) <= EXCERPT
        assert len(places_of(question.quote, question.excerpt)) == 1
        assert QUOTE[0] <= sum(map(str.isalpha, question.quote)) <= QUOTE[1]
        assert by_string_search(question) == question.names[question.turn]
        # The quote is how the speech begins, and no speech is longer than it may be.
        behind = question.names[question.turn][1]
        assert question.excerpt[behind] == ":"
        assert question.excerpt[behind + 1 :][: len(question.quote)] == question.quote
        edges = [*(start for start, _ in question.names[1:]), len(question.excerpt)]
        for (_, end), edge in zip(question.names, edges, strict=True):
            assert edge - end - 1 <= SHOWN


@pytest.mark.slow
def test_what_is_drawn_depends_on_the_play_alone(questions):
    load_who_says.cache_clear()
    assert load_who_says()["Hamlet"] == questions["Hamlet"]
