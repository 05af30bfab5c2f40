import pytest
import torch

from tutorial_lib.datasets import dinov2_folder, load_named_emoji, render_named_emoji
from tutorial_lib.errors import MissingDataError
from tutorial_lib.recipes import emoji_finder, load_card, load_checkpoint
from tutorial_lib.recipes.emoji_finder import (
    concept_numbers,
    evaluate,
    load_emoji_finder,
    one_a_concept,
    read_names,
    read_pictures,
    recalls,
)


@pytest.fixture(scope="module")
def finder():
    return load_emoji_finder()


def test_recall_on_unseen_concepts_is_many_times_chance():
    metric = load_card("emoji-finder")["metric"]
    for way in ("pictures_of_texts_at_5", "texts_of_pictures_at_5"):
        assert metric[way] >= 10 * metric["pictures_chance_at_5"]
    for way in ("concepts_of_texts_at_5", "texts_of_concepts_at_5"):  # measured: 9 times
        assert metric[way] >= 7 * metric["concepts_chance_at_5"]


def test_the_metric_sees_heads_that_learned_nothing():
    torch.manual_seed(0)
    finder = load_checkpoint("emoji-finder")
    for parameter in finder.two_heads.parameters():
        torch.nn.init.normal_(parameter)
    assert evaluate(finder)["pictures_of_texts_at_5"] < 0.05


def test_a_phrase_that_is_no_name_finds_pictures_that_were_never_trained(finder):
    names = load_named_emoji(16).test.names
    found, scores = finder.find("someone doing sport", k=5)
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)
    assert sum("golfing" in names[row] or "fencing" in names[row] for row in found) >= 3
    found, _ = finder.find("I need to fix my car", k=3)
    assert {"automobile", "sport utility vehicle"} & {names[row] for row in found}


def test_stored_vectors_are_those_of_the_encoders(finder):
    names, pictures = finder.stored("validation")
    emoji = load_named_emoji(16).validation
    again = read_names(emoji.names[:20])
    assert torch.cosine_similarity(again, names[:20]).min() > 0.999
    try:
        dinov2_folder()
    except MissingDataError:
        pytest.skip("the wheel of DINOv2 is left out here")
    side = emoji_finder.SETTINGS["side"]
    images = [render_named_emoji(character, side) for character in emoji.characters[:4]]
    again = read_pictures(torch.stack(images), progress=False)
    assert torch.cosine_similarity(again, pictures[:4]).min() > 0.999


def test_a_batch_has_each_concept_once():
    torch.manual_seed(0)
    concepts = concept_numbers(["a", "b", "a", "c", "b", "a"])
    assert concepts.tolist() == [0, 1, 0, 2, 1, 0]
    drawn = [one_a_concept(concepts) for _ in range(60)]
    assert all(sorted(concepts[rows].tolist()) == [0, 1, 2] for rows in drawn)
    assert {row for rows in drawn for row in rows.tolist()} == {*range(6)}


def test_recall_of_concepts_counts_each_once():
    scores = torch.eye(6) + torch.arange(6) * 1e-3
    found = recalls(scores, torch.tensor([0, 0, 1, 1, 2, 2]))
    assert found["pictures_of_texts_at_1"] == 1
    assert found["pictures_chance_at_5"] == 5 / 6
    assert found["concepts_chance_at_1"] == 1 / 3
    scores[0, 1] = scores[1, 0] = 2  # twins take each other's place: one concept, no error
    found = recalls(scores, torch.tensor([0, 0, 1, 1, 2, 2]))
    assert found["texts_of_pictures_at_1"] == pytest.approx(4 / 6)
    assert found["texts_of_concepts_at_1"] == 1
