import re
from collections import Counter

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_named_emoji
from tutorial_lib.models import VQAutoencoder, VQConfig
from tutorial_lib.recipes import load_card, load_checkpoint
from tutorial_lib.recipes.emoji_writer import (
    SETTINGS,
    SMOKE,
    Shuffled,
    caption_ids,
    combinations_apart,
    encoded,
    evaluate,
    learn_to_write,
    nats_after,
    other_tones,
    start_book,
)
from tutorial_lib.recipes.written_emoji import copying, judged, nearest_caption, one_of_each


@pytest.fixture(scope="module")
def emoji():
    return load_named_emoji(32)


@pytest.fixture(scope="module")
def writer():
    return load_checkpoint("emoji-writer")


def test_a_combination_is_new_but_its_parts_are_not(emoji):
    names = emoji.train.names
    seen, held_out = combinations_apart(names, SETTINGS["n_held_out"])
    assert len(held_out) == SETTINGS["n_held_out"]
    assert sorted([*seen.tolist(), *held_out.tolist()]) == list(range(len(names)))
    known = {names[row] for row in seen}
    parts = [name.split(": ") for name in known if re.fullmatch(r"[^:]+: \S+ skin tone", name)]
    bases, tones = (Counter(some) for some in zip(*parts, strict=True))
    for row in held_out:
        base, tone = names[row].split(": ")
        assert names[row] not in known
        assert bases[base] == 4
        assert tones[tone] > 100
    again, _ = combinations_apart(names, SETTINGS["n_held_out"])
    assert torch.equal(seen, again)


def test_other_tones_are_names_of_emoji(emoji):
    _, held_out = combinations_apart(emoji.train.names, 50)
    names = [emoji.train.names[row] for row in held_out]
    others = other_tones(names)
    assert set(others) <= set(emoji.train.names)
    assert all(name != other for name, other in zip(names, others, strict=True))
    assert [re.sub(": .*", "", name) for name in names] == [
        re.sub(": .*", "", name) for name in others
    ]


def test_a_book_that_starts_at_the_centres_uses_its_codes(emoji):
    torch.manual_seed(0)
    config = VQConfig(image_size=32, halvings=2, d_hidden=8, n_residual=1, n_codes=16, width=4)
    model, images = VQAutoencoder(config).eval(), emoji.validation.images
    before = F.mse_loss(model.book(model.cells(images)).result, model.cells(images))
    few = model.encode(images).unique()
    start_book(model, images, seed=0, n_pictures=100, n_vectors=2_000)
    after = F.mse_loss(model.book(model.cells(images)).result, model.cells(images))
    assert after < before / 4
    assert len(model.encode(images).unique()) == 16 > len(few)
    assert model.book.use.sum() == pytest.approx(1)


def test_batches_keep_what_belongs_together():
    numbers = torch.arange(10)
    settings = {"seed": 0, "batch_size": 4}
    batches = [
        batch for batch, _ in zip(Shuffled((numbers, -numbers), settings), range(6), strict=False)
    ]
    assert all(torch.equal(one, -other) for one, other in batches)
    assert [len(one) for one, _ in batches] == [4, 4, 2, 4, 4, 2]
    assert torch.cat([one for one, _ in batches[:3]]).sort().values.tolist() == list(range(10))


def test_writing_leaves_the_book_alone(emoji):
    torch.manual_seed(0)
    model = VQAutoencoder(
        VQConfig(image_size=32, halvings=2, d_hidden=4, n_residual=1, n_codes=8, width=32)
    )
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    writer = learn_to_write(model, emoji.validation, torch.arange(40), SMOKE, progress=False)
    for name, tensor in writer.autoencoder.state_dict().items():
        assert torch.equal(tensor, before[name])
    captions = caption_ids(writer, ["bee", "x" * 400])
    assert captions.shape == (2, SMOKE["sizes"]["caption_length"])
    assert (captions[1] > 0).all()
    assert captions[0, -1] == 0


def test_nearest_caption_shares_most_words():
    known = ["bee", "woman pilot: dark skin tone", "man cook"]
    assert nearest_caption(["woman pilot: light skin tone"], known).tolist() == [1]


def test_the_judge_and_the_copying_check_know_the_extremes(writer, emoji):
    assert judged(torch.eye(6)) == {
        "own_at_1": 1,
        "own_at_5": 1,
        "chance_at_1": pytest.approx(1 / 6),
    }
    assert judged(1 - torch.eye(6))["own_at_5"] == 0
    images = emoji.test.images[:20]
    known = encoded(writer, emoji.train.images[:200])
    copies = copying(known[:20], known, images, writer)
    assert copies["drawn_copies"] == copies["drawn_same_codes"] == 1
    noise = torch.randint(256, (20, 8, 8), generator=torch.Generator().manual_seed(0))
    assert copying(noise, known, images, writer)["drawn_same_codes"] < 0.2


def test_one_of_each_concept(emoji):
    rows = one_of_each(emoji.test, 60)
    assert len({emoji.test.concepts[row] for row in rows}) == len(rows) == 60


def test_the_card(writer):
    card = load_card("emoji-writer")
    metric = card["metric"]
    assert card["bytes"] < 2_000_000
    assert metric["error"] < 0.35 * metric["error_of_the_mean"]
    assert metric["codes_used"] > 200
    assert metric["nats_of_combinations_own"] < 0.8 * metric["nats_of_combinations_shuffled"]
    assert metric["nats_of_combinations_own"] < metric["nats_of_combinations_other_tone"]
    assert metric["nats_of_concepts_own"] < metric["nats_of_concepts_shuffled"]


def test_a_writer_without_a_caption_to_go_by_is_worse(writer, emoji):
    rows = combinations_apart(emoji.train.names, SETTINGS["n_held_out"])[1][:20]
    names = [emoji.train.names[row] for row in rows]
    codes = encoded(writer, emoji.train.images[rows])
    assert nats_after(writer, names, codes) < nats_after(writer, ["bee"] * 20, codes)


@pytest.mark.slow
def test_the_metric_sees_a_book_whose_codes_are_mixed_up():
    broken = load_checkpoint("emoji-writer")
    vectors = broken.autoencoder.book.vectors.data
    broken.autoencoder.paint = lambda x: type(broken.autoencoder).paint(
        broken.autoencoder, x.flip(-1)
    )
    assert vectors.shape == (256, 32)
    measured = evaluate(broken)
    assert measured["error"] > 2 * load_card("emoji-writer")["metric"]["error"]
