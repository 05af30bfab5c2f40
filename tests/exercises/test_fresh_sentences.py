"""What the answers of fresh readers are told: one sentence a slip, and the right one."""

import pytest
from property_checks import assert_named, fresh_chapters, verdict

CHAPTERS = fresh_chapters()


def fresh(id, name):
    """The wrong answer to an exercise whose name begins like that."""
    chapter = CHAPTERS[f"chapter{id.split('.')[0].zfill(3 if 'b' in id else 2)}"]
    (found,) = (answer for title, answer in chapter.WRONG[id] if title.startswith(name))
    return found


SAID = [
    ("5.1", "TWO", ["the loss of “stop”, the word with the highest logit, and in bits"]),
    ("5.3", "log taken", ["logarithm of the whole product"]),
    ("5.3", "TWO", ["upside down", "multiplies the nats by ln 2"]),
    ("5.4", "adds to the normalised", ["added to x itself, not to norm(x)"]),
    ("5.5", "mask is True", ["upside down: True is where"]),
    ("5.5", "TWO", ["not shifted", "upside down: True is where"]),
    ("5.7", "<=", ["the k-th highest stays too"]),
    ("5.8", "keeps tokens of", ["Tokens are measured one by one"]),
    ("5.8", "TWO", ["to the tokens' own places", "the token that crosses p", "one token always"]),
    ("5.9", "tril", ["as if there were no past"]),
    ("5.11", "joins", ["compare them, do not glue them together"]),
    ("5.11", "TWO", ["the run itself: return its length", "must be neighbours"]),
    ("5b.8", "swaps", ["A premise is where the hypothesis belongs"]),
    ("5b.4", "TWO", ["above the diagonal", "is at the first position"]),
    ("6.3", "the segments of the first", ["each row has tokens and segments"]),
    ("6.7", "-100 at", ["the wrong way round: -100 is at the chosen places"]),
    ("6b.5", "both losses", ["Two numbers come back: add"]),
    ("7.2", "width taken", ["Height and width are exchanged"]),
    ("7.8", "reshaped", ["The numbers of a vector are mixed"]),
    ("7.12", "two", ["It changes `patches` itself", "that is not chosen, with the draw"]),
    ("7.5", "two", ["in another order", "in two parts, validation and test", "it leaves out 2"]),
    ("7.13", "two", ["One is the head"]),
]


@pytest.mark.parametrize(("id", "name", "sentences"), SAID)
def test_each_slip_of_a_fresh_reader_is_told_once(id, name, sentences):
    assert_named(id, fresh(id, name), sentences)


@pytest.mark.parametrize(
    ("id", "number", "said"),
    [
        ("5.1", 0.60, "of “stop” in bits"),
        ("7.13", 303.1, "One is the head"),
    ],
)
def test_a_likely_number_is_named(id, number, said):
    found = verdict(id, number)
    assert found.status == "mistake"
    assert said in found.text
