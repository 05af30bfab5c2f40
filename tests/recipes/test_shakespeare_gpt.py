import math
import re

import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.decoding import generate
from tutorial_lib.errors import VocabularyError
from tutorial_lib.recipes import shakespeare_gpt
from tutorial_lib.recipes.shakespeare_gpt import (
    ALPHABET,
    SETTINGS,
    SMOKE,
    bits_and_repeats,
    build,
    decode,
    encode,
    train,
    train_gpt,
)

STREAM = torch.arange(500) * 7 % len(ALPHABET)


def test_the_alphabet_is_that_of_the_plays():
    assert "".join(sorted(set(load_shakespeare().text))) == ALPHABET


def test_characters_to_ids_and_back():
    text = "HAMLET:\nTo be, or not to be—"
    assert decode(encode(text).tolist()) == text
    assert decode(encode("cab", alphabet="abc"), alphabet="abc") == "cab"
    assert encode("").dtype == torch.long
    with pytest.raises(VocabularyError, match=f"'é' is not among the {len(ALPHABET)} characters"):
        encode("café")


@pytest.mark.slow
def test_the_plays_held_out_are_not_trained_on(monkeypatch):
    seen = {}

    def keep(model, ids, *rest):
        seen["text"] = decode(ids.tolist())

    monkeypatch.setattr(shakespeare_gpt, "train_gpt", keep)
    train(SMOKE)
    held_out = [p.text for p in load_shakespeare().plays if p.title in SETTINGS["held_out"]]
    assert len(held_out) == 3
    assert not any(play[1000:1200] in seen["text"] for play in held_out)
    kept = len(load_shakespeare().text) - sum(len(play) + 1 for play in held_out)
    assert len(seen["text"]) == kept


def trained(steps=5, **options):
    torch.manual_seed(0)
    settings = SMOKE | {"steps": steps}
    return train_gpt(build(settings), STREAM, settings, progress=False, **options)


def test_it_learns_a_stream():
    def loss(model):
        windows = STREAM[:17][None]
        logits = model(windows[:, :-1]).flatten(0, 1)
        return torch.nn.functional.cross_entropy(logits, windows[0, 1:]).item()

    assert loss(trained(60)) < loss(trained(1)) - 0.5


def test_a_resumed_run_ends_with_the_same_weights(tmp_path, monkeypatch):
    file = tmp_path / "run.safetensors"
    expected = trained().state_dict()
    with monkeypatch.context() as patch:
        losses = [shakespeare_gpt.next_token_loss] * 4  # the run breaks off in step 5
        patch.setattr(shakespeare_gpt, "next_token_loss", lambda *args: losses.pop()(*args))
        with pytest.raises(IndexError):
            trained(checkpoint=file, save_every=2)
    done = []
    counted = shakespeare_gpt.next_token_loss
    monkeypatch.setattr(
        shakespeare_gpt, "next_token_loss", lambda *args: (done.append(1), counted(*args))[1]
    )
    resumed = trained(checkpoint=file, save_every=2).state_dict()
    assert len(done) == 1  # it went on from step 4 instead of starting again
    for name, tensor in expected.items():
        assert torch.equal(resumed[name], tensor), name


def words_of(text):
    return re.findall(r"[a-z]+(?:'[a-z]+)*", text.lower())


def test_the_checkpoint_writes_scenes():
    model = recipes.load_checkpoint("shakespeare-gpt")
    prompts = [encode("\n\n").tolist()] * 4
    drawn = generate(model, prompts, max_new_tokens=250, temperature=0.8, seed=0)
    texts = [decode(ids) for ids in drawn]
    known = set(words_of(load_shakespeare().text))
    words = words_of(" ".join(texts))
    assert sum(word in known for word in words) > 0.85 * len(words)
    speakers = [name for text in texts for name in re.findall(r"(?m)^([A-Z][A-Z a-z]+):$", text)]
    printed = {speech.speaker for speech in load_shakespeare().speeches}
    assert len(speakers) >= 4
    assert sum(name in printed for name in speakers) >= len(speakers) / 2
    assert all(len(line) < 90 for text in texts for line in text.splitlines())


def test_the_checkpoint_is_small_and_knows_plays_it_never_read():
    card = recipes.load_card("shakespeare-gpt")
    assert card["bytes"] < 2 * 2**20
    assert card["metric"]["bits_per_character"] < 2.5


def test_bits_and_repeats_leave_out_what_was_given():
    model = build(SMOKE | {"sizes": SMOKE["sizes"] | {"context": 32}}).eval()
    texts = ["to be or not to be or", "ab cd ef gh ij kl mno"]
    ids = torch.stack([encode(f"A:\n{text}") for text in texts])
    bits, repeats = bits_and_repeats(model, {"both": ids, "second": ids[1:].tolist()}, n_given=3)
    assert repeats == {"both": pytest.approx(100 * (1 - 4 / 5) / 2), "second": 0}
    with torch.no_grad():
        log_p = model(ids[1:, :-1]).log_softmax(dim=-1).gather(-1, ids[1:, 1:, None])[0, 2:, 0]
    assert bits["second"] == pytest.approx(-log_p.mean().item() / math.log(2), rel=1e-4)
