"""The recipe clips: tokens that show what moves, rows with gaps, and the results."""

from itertools import islice, pairwise

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.datasets.clips import N_FRAMES, THINGS, draw_clips
from tutorial_lib.models import FrameTokens
from tutorial_lib.recipes import load_result
from tutorial_lib.recipes.clips import (
    KINDS,
    MASK,
    PAD,
    SMOKE,
    WORDS,
    Rows,
    build,
    captions_right,
    encode,
    gap_loss,
    indices,
    next_right,
    places,
    portraits,
    read,
    told_right,
    written,
)


@pytest.fixture(scope="module")
def clips():
    return draw_clips(150, 3)


@pytest.fixture(scope="module")
def exact(clips):
    """Frame tokens that say exactly what is where: one for each frame, and their portraits."""
    tokens = torch.arange(150 * N_FRAMES).view(150, N_FRAMES)
    return tokens, portraits(clips, tokens, tokens.numel())


@pytest.fixture(scope="module")
def model():
    tokens = FrameTokens(torch.randn(20, 5, generator=torch.Generator().manual_seed(0)))
    return build(tokens, SMOKE, 0).eval()


def test_places_are_those_of_the_ink():
    frames = torch.ones(2, 3, 32, 32)
    frames[0, :, 4:10, 20:24] = 0
    frames[1, 1, 0:32, 31:] = 0.5
    assert places(frames).tolist() == [[22, 7, 6], [31.5, 16, 32]]


def test_exact_tokens_show_what_the_captions_say(clips, exact):
    shares = told_right(*exact, clips)
    assert shares["thing"] == 1.0
    assert min(shares.values()) > 0.9
    backwards = told_right(exact[0].flip(1), exact[1], clips)
    assert backwards["direction"] < 0.1
    assert next_right(exact[0][:, 4:], exact[0], exact[1], clips) == {"token": 1, "pixels_off": 0}
    still = exact[0][:, 3:4].expand(-1, 4)
    assert next_right(still, exact[0], exact[1], clips)["pixels_off"] > 1


def test_captions_become_words_of_the_grammar(clips):
    words = encode(clips.captions)
    assert words.shape == (150, 12)
    for row, caption, fact in zip(words.tolist(), clips.captions, clips.facts, strict=True):
        found = [WORDS[word] for word in row if word != PAD]
        assert found == ["[CLS]", *caption.split(), "[SEP]"]
        assert fact[0] in found
    assert [THINGS[at] for at in indices(clips, "thing").tolist()] == [f[0] for f in clips.facts]


def test_rows_hide_words_frames_or_both_but_never_all(clips):
    words, frames = encode(clips.captions), torch.randint(20, (150, N_FRAMES))
    about = (words, frames, SMOKE | {"batch_size": 50}, 4)
    batches = list(islice(Rows(*about), 20))
    again = next(iter(Rows(*about)))
    assert all(one.equal(other) for one, other in zip(batches[0], again, strict=True))
    hidden = torch.cat([batch[2] for batch in batches])
    texts = torch.cat([batch[0] for batch in batches])
    real = texts > MASK
    no_words, no_frames = hidden[:, :12], hidden[:, 12:]
    assert not no_words[~real].any()
    all_words, all_frames = (no_words | ~real).all(dim=1), no_frames.all(dim=1)
    assert not (all_words & all_frames).any()
    assert all_words.float().mean() > 0.1
    assert all_frames.float().mean() > 0.1
    later = no_frames.int().diff(dim=1).min(dim=1).values >= 0  # once hidden, hidden to the end
    assert later.float().mean() > 0.4


@torch.no_grad()
def test_what_is_hidden_is_not_read(model, clips):
    words, frames = encode(clips.captions[:6]), torch.randint(20, (6, N_FRAMES))
    hidden = torch.zeros(6, 20, dtype=torch.bool)
    hidden[:, 14:] = True
    changed = frames.clone()
    changed[:, 2:] = 7
    assert_close(read(model, words, frames, hidden)[1], read(model, words, changed, hidden)[1])
    hidden[:, 14] = False
    before, after = (read(model, words, some, hidden)[1] for some in (frames, changed))
    assert not torch.allclose(before, after)
    assert gap_loss(model, (words, frames, hidden)) > 0


def test_frames_are_written_behind_those_that_are_given(model, clips):
    words, frames = encode(clips.captions[:6]), torch.randint(20, (6, N_FRAMES))
    made = written(model, words, frames, 4, with_words=True)
    assert made[:, :4].equal(frames[:, :4])
    assert made.equal(written(model, words, frames, 4, with_words=True))
    changed = frames.clone()
    changed[:, 4:] = 3  # what comes later is not looked at
    assert made.equal(written(model, words, changed, 4, with_words=True))
    others = encode(clips.captions[50:56])
    blind = written(model, words, frames, 0, with_words=False)
    same_length = (words != PAD).sum(dim=1) == (others != PAD).sum(dim=1)
    assert same_length.any()
    # without words the drawing knows only where words stand
    ids = torch.where((words > MASK), 5, words)
    assert blind.equal(written(model, ids, frames, 0, with_words=False))


def test_captions_are_filled_from_what_is_seen(model, clips):
    words, frames = encode(clips.captions), torch.randint(20, (150, N_FRAMES))
    shares = [captions_right(model, clips, words, some, False) for some in (frames, frames * 0)]
    assert shares[0] == shares[1]
    assert shares[0].keys() == KINDS.keys()


def test_frame_tokens_begin_where_their_centres_are():
    centres = torch.randn(20, 5, generator=torch.Generator().manual_seed(0))
    centres[7] = centres[3] + 0.01
    table = build(FrameTokens(centres), SMOKE, 0).token_embedding.weight[len(WORDS) :]
    distances = torch.cdist(table, table) + 99 * torch.eye(20)
    assert distances[3].argmin() == 7
    assert distances[7].argmin() == 3


def values(part, column, given):
    """Return a column of the stored table, one number for each seed."""
    rows = load_result("clips")["rows"]
    found = [row[column] for row in rows if (row["part"], row["given"]) == (part, given)]
    assert len(found) == 3
    return found


@pytest.mark.parametrize(
    ("kind", "least", "guessed"),
    [("thing", 0.6, 0.1), ("direction", 0.7, 0.45), ("change", 0.55, 0.45)],
)
def test_a_caption_draws_frames_that_show_what_it_says(kind, least, guessed):
    part = "caption to frames"
    assert min(values(part, kind, "the caption")) > least
    assert max(values(part, kind, "nothing")) < guessed
    true = min(values(part, kind, "the true frames"))  # what frame tokens can show at all
    assert max(values(part, kind, "the caption")) < true


@pytest.mark.parametrize(
    ("kind", "least", "guessed"),
    [("thing", 0.8, 0.15), ("direction", 0.95, 0.6), ("speed", 0.75, 0.6), ("change", 0.95, 0.7)],
)
def test_frames_fill_a_caption_and_anothers_do_not(kind, least, guessed):
    part = "frames to caption"
    assert min(values(part, kind, "the frames")) > least
    for given in ("another's frames", "nothing"):
        assert max(values(part, kind, given)) < guessed


def test_what_comes_next_is_clearer_with_the_caption():
    part = "next frames"
    ways = ["four frames and the caption", "four frames", "the fourth, again"]
    ways.append("another's four frames")
    off = [values(part, "pixels_off", given) for given in ways]
    for nearer, farther in pairwise(off):
        assert max(nearer) < min(farther)
    assert max(off[0]) < min(off[1]) - 0.5
    assert min(values(part, "token", "four frames")) > max(values(part, "token", ways[2])) + 0.05
