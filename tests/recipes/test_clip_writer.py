"""The recipe clip-writer: clips that it draws and goes on with."""

import torch
from torch.testing import assert_close

from tutorial_lib.datasets import draw_clips
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.clip_writer import describes, draws, looks_of
from tutorial_lib.recipes.clips import encode


def test_a_token_looks_like_the_mean_of_its_frames():
    clips = draw_clips(2, 0)
    tokens = torch.arange(16).view(2, 8)
    tokens[1, 7] = tokens[0, 0] = 3
    looks = looks_of(clips, tokens, 17).float() / 255
    frames = clips.frames.flatten(0, 1)
    assert_close(looks[5], frames[5], atol=0.003, rtol=0)
    assert_close(looks[3], (frames[0] + frames[3] + frames[15]) / 3, atol=0.003, rtol=0)


def test_drawn_clips_are_the_same_each_time_unless_they_are_drawn_by_chance():
    writer = load_checkpoint("clip-writer")
    films = draw_clips(20, 3, "test")
    assert torch.equal(writer.encode(films.captions), encode(films.captions))  # as it was trained
    drawn = draws(writer, films.captions)
    assert torch.equal(drawn, draws(writer, films.captions))
    assert not torch.equal(draws(writer, films.captions, seed=0), drawn)


def test_only_the_telling_words_are_filled_in():
    writer = load_checkpoint("clip-writer")
    films = draw_clips(20, 3, "test")
    said = describes(writer, films)
    kept = {"a", "an", "moves", "to", "the", "and"}
    for told, caption in zip(said, films.captions, strict=True):
        words = list(zip(told.split(), caption.split(), strict=True))
        assert all(mine == its for mine, its in words if its in kept)
    directions = [
        told.split()[2:5] == its.split()[2:5]
        for told, its in zip(said, films.captions, strict=True)
    ]
    assert sum(directions) >= 15
