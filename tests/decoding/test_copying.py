import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import longest_copies


def by_search(sample, text):
    """The slow and obvious way."""
    return max(
        (
            end - start
            for start in range(len(sample))
            for end in range(start + 1, len(sample) + 1)
            if any(text[i : i + end - start] == sample[start:end] for i in range(len(text)))
        ),
        default=0,
    )


@given(
    st.lists(st.text("abc", max_size=12), max_size=4), st.text("abcd", max_size=40), st.booleans()
)
def test_equals_a_search_of_all_pieces(samples, text, as_lists):
    if as_lists:
        samples, text = [[ord(c) for c in sample] for sample in samples], [ord(c) for c in text]
    found = longest_copies(samples, text)
    assert [len(run) for run in found] == [by_search(sample, text) for sample in samples]
    for sample, run in zip(samples, found, strict=True):
        assert type(run) is type(sample)
        assert by_search(run, text) == by_search(run, sample) == len(run)


@pytest.mark.parametrize(
    ("samples", "text", "expected"),
    [
        ([], "text", []),
        ([""], "text", [""]),
        (["quill"], "", [""]),
        (["xyz"], "abc", [""]),
        (["abab", "ab"], "ab" * 50, ["abab", "ab"]),
        (["ab", "ab"], "a-b", ["a", "a"]),  # the first of equally long ones
        (["ab", "cd"], "bc", ["b", "c"]),  # no run goes over the edge of a sample
        (["ein Käfer 🐞!"], "🐞! der Käfer 🐞", [" Käfer 🐞"]),
        ([["to", "be"], ["not"]], ["not", "to", "be"], [["to", "be"], ["not"]]),
    ],
)
def test_examples(samples, text, expected):
    assert longest_copies(samples, text) == expected


def test_ids_of_any_size():
    assert longest_copies([[10**6, 7, 3]], [3, 10**6, 7]) == [[10**6, 7]]


@pytest.mark.slow
def test_all_of_shakespeare():
    text = load_shakespeare().text
    starts = np.linspace(0, len(text) - 250, 100).astype(int)
    samples = [text[start : start + 250] for start in starts]
    assert longest_copies(samples, text) == samples
