import pytest
import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.recipes import load_card, load_checkpoint
from tutorial_lib.recipes.speech_vectors import SETTINGS, chosen_places, evaluate


@pytest.fixture(scope="module")
def table():
    return load_checkpoint("speech-vectors")


def test_each_vector_belongs_to_a_speech_of_the_right_length(table):
    speeches = load_shakespeare().speeches
    places = table.places.tolist()
    assert places == chosen_places(speeches, SETTINGS)
    lengths = [len(speeches[place].text.split()) for place in places]
    assert (min(lengths), max(lengths)) == tuple(SETTINGS["words"])
    # As many as there are: the number in the settings leaves none out.
    assert places == chosen_places(speeches, SETTINGS | {"n_speeches": None})


def test_vectors_are_small_on_disk_and_long_in_memory(table):
    lengths = table.vectors(torch.arange(len(table))).norm(dim=-1)
    torch.testing.assert_close(lengths, torch.ones(len(table)), atol=5e-3, rtol=0)
    card = load_card("speech-vectors")
    assert card["bytes"] < 6_000_000
    assert card["metric"]["nearest_kept"] >= 0.95
    assert card["metric"]["least_cosine"] > 0.999


@pytest.mark.slow
def test_the_metric_sees_vectors_of_other_speeches(table):
    shifted = load_checkpoint("speech-vectors")
    shifted.places = table.places.roll(1)
    measured = evaluate(shifted)
    assert measured["least_cosine"] < 0.5
    assert measured["nearest_kept"] < 0.8
