import bz2
import re

import pytest

from tutorial_lib.datasets import load_reviews, reviews
from tutorial_lib.errors import DamagedFileError

FINGERPRINT = "2c6830e252364faa2158d4227f14d1c4e06ab6e196c68fb1d3acb92807a1f450"


@pytest.fixture(scope="module")
def splits():
    return load_reviews()


@pytest.fixture(scope="module")
def everything():
    return load_reviews(None)


def test_the_split_is_the_fixed_one(splits):
    assert [len(part) for part in splits] == [4_000, 1_000, 1_000]
    assert splits.fingerprint == FINGERPRINT


def test_no_film_and_no_sentence_is_in_two_parts(everything):
    for field in ("film", "text"):
        train, validation, test = ({getattr(r, field) for r in part} for part in everything)
        assert not train & test
        assert not train & validation
        assert not validation & test
    films = [len({review.film for review in part}) for part in everything]
    assert films == [355, 51, 98]


def test_the_film_listed_under_two_titles_counts_once(everything):
    titles = {"el_crimen_del_padre_amaro", "the_crime_of_padre_amaro"}
    assert len(titles & {review.film for part in everything for review in part}) <= 1


def test_both_labels_are_common_in_every_part(splits):
    for part in splits:
        assert {review.label for review in part} == {0, 1}
        assert 0.55 < sum(review.label for review in part) / len(part) < 0.6


def test_the_label_is_the_reviewers(splits):
    # Without quoting a sentence: words of praise stand in fresh reviews, words of blame in rotten.
    def share_fresh(word):
        labels = [r.label for r in splits.train if word in r.text.lower()]
        return sum(labels) / len(labels)

    assert reviews.LABELS == ("rotten", "fresh")
    assert share_fresh("wonderful") > 0.8
    assert share_fresh("dull") < 0.25


def test_sentences_are_clean(everything):
    texts = [review.text for part in everything for review in part]
    assert all(text == " ".join(text.split()) != "" for text in texts)
    assert not any(re.search(r"&\w+;|\x85", text) for text in texts)
    assert max(map(len, texts)) < 300  # no plots


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\nlong  line ", "a long line"),
        ("R&amp;B; and b&amp;w;", "R&B and b&w"),
        ("salt &amp; pepper; more", "salt & pepper; more"),
        ("well\x85", "well…"),
    ],
)
def test_cleaning(raw, clean):
    assert reviews._clean(raw) == clean


def test_a_smaller_training_set_is_the_start_of_a_larger_one(splits, everything):
    small = load_reviews(100)
    assert small.train == splits.train[:100] == everything.train[:100]
    assert small.test == splits.test == everything.test


@pytest.mark.parametrize("n_train", [0, -1, 8_950])
def test_an_impossible_size_is_refused(n_train):
    with pytest.raises(ValueError, match=f"from 1 to 8,949, got {n_train}"):
        load_reviews(n_train)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"not compressed", "is not the reviews' file: expected a bz2 table"),
        (bz2.compress(b"a,b\n1,2\n"), "KeyError"),
        (bz2.compress(b"category,text,movie_name\nfresh,so\n"), "found 1"),
        (bz2.compress(b"category,text,movie_name\nfresh,\xff,x\n"), "UnicodeDecodeError"),
        (bz2.compress(b"category,text,movie_name\n" * 99)[:-9], "EOFError"),
    ],
)
def test_a_foreign_file_is_refused(monkeypatch, tmp_path, contents, message):
    path = tmp_path / "reviews.csv.bz2"
    path.write_bytes(contents)
    monkeypatch.setattr(reviews, "wheel_file", lambda *arguments: path)
    with pytest.raises(DamagedFileError, match=message):
        load_reviews()
