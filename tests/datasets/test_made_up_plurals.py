import random
from collections import Counter

import pytest

from tutorial_lib.datasets.made_up_plurals import (
    ALPHABET,
    CONSONANTS,
    ENDING_SHAPES,
    VOWELS,
    WORD_SHAPES,
    Example,
    Grammar,
    ceiling,
    draw_examples,
    draw_grammar,
    draw_word,
    few_shot_prompt,
    is_held_out,
    last_ending,
)

GRAMMAR = Grammar(after_vowel="ko", after_consonant="ib")


def shape(text):
    return "".join("V" if letter in VOWELS else "C" for letter in text)


def test_the_last_letter_decides_the_ending():
    assert GRAMMAR.plural("wug") == "wugib"
    assert GRAMMAR.plural("mola") == "molako"
    example = Example("mola", GRAMMAR.plural("mola"))
    assert (example.text, example.ending, example.kind) == ("mola molako|", "ko", "vowel")
    assert Example("wug", "wugib").kind == "consonant"


def test_a_prompt_ends_where_the_answer_begins():
    examples = [Example("wug", "wugib"), ("mola", "molako")]
    assert few_shot_prompt(examples, "tas") == "wug wugib|mola molako|tas "
    assert few_shot_prompt([], "tas") == "tas "


def test_every_sign_has_one_place_in_the_alphabet():
    assert len(set(ALPHABET)) == len(ALPHABET) == 27
    assert set(ALPHABET) == set(" |" + VOWELS + CONSONANTS)


@pytest.mark.parametrize("held_out", [False, True])
def test_words_and_grammars_are_of_their_part(held_out):
    generator = random.Random(0)
    words = [draw_word(generator, held_out) for _ in range(400)]
    assert {is_held_out(word) for word in words} == {held_out}
    assert {shape(word) for word in words} == {s for part in WORD_SHAPES.values() for s in part}
    assert 150 < sum(word[-1] in VOWELS for word in words) < 250
    grammars = [draw_grammar(generator, held_out) for _ in range(200)]
    endings = {e for g in grammars for e in (g.after_vowel, g.after_consonant)}
    assert {is_held_out(ending) for ending in endings} == {held_out}
    assert {shape(ending) for ending in endings} == set(ENDING_SHAPES)
    assert all(g.after_vowel != g.after_consonant for g in grammars)


def test_a_fifth_of_each_shape_is_held_out():
    generator = random.Random(0)
    for letters in ("VC", "CV", "CVC", "VCVC"):
        drawn = {
            "".join(generator.choice(VOWELS if s == "V" else CONSONANTS) for s in letters)
            for _ in range(1000)
        }
        assert 0.13 < sum(map(is_held_out, drawn)) / len(drawn) < 0.27


def test_examples_are_of_one_grammar_and_no_word_comes_twice():
    examples = draw_examples(9, GRAMMAR, random.Random(0))
    assert len({example.word for example in examples}) == 9
    assert all(example.plural == GRAMMAR.plural(example.word) for example in examples)
    assert examples == draw_examples(9, GRAMMAR, random.Random(0))
    assert examples != draw_examples(9, GRAMMAR, random.Random(1))


def test_what_the_examples_tell_is_counted():
    wug, mola, tas = (Example(word, GRAMMAR.plural(word)) for word in ("wug", "mola", "tas"))
    assert ceiling([(wug, mola, tas), (wug, tas, mola)]) == [0.0, 0.5, 0.5]
    assert last_ending([(wug, mola, tas), (wug, tas, mola)]) == [0.0, 0.5, 0.0]


def test_each_example_halves_what_is_left_to_guess():
    generator = random.Random(0)
    sequences = [draw_examples(6, draw_grammar(generator), generator) for _ in range(2000)]
    # The words of a sequence are different, which hardly changes the chance of either kind.
    for k, share in enumerate(ceiling(sequences)):
        assert share == pytest.approx(1 - 0.5**k, abs=0.04)
    assert last_ending(sequences)[0] == 0
    assert last_ending(sequences)[1:] == [pytest.approx(0.5, abs=0.04)] * 5


def test_kinds_are_balanced():
    generator = random.Random(0)
    kinds = Counter(e.kind for e in draw_examples(600, GRAMMAR, generator))
    assert kinds["vowel"] == pytest.approx(300, abs=50)
