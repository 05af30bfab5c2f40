"""The recipe clip-writer: clips that it draws and goes on with."""

import torch
from torch.testing import assert_close

from tutorial_lib.datasets import draw_clips
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.clip_writer import draws, goes_on, looks_of
from tutorial_lib.recipes.clips import encode


def test_a_token_looks_like_the_mean_of_its_frames():
    clips = draw_clips(2, 0)
    tokens = torch.arange(16).view(2, 8)
    tokens[1, 7] = tokens[0, 0] = 3
    looks = looks_of(clips, tokens, 17).float() / 255
    frames = clips.frames.flatten(0, 1)
    assert_close(looks[5], frames[5], atol=0.003, rtol=0)
    assert_close(looks[3], (frames[0] + frames[3] + frames[15]) / 3, atol=0.003, rtol=0)


def test_a_clip_goes_on_from_its_frames_and_a_caption_changes_it():
    writer = load_checkpoint("clip-writer")
    films = draw_clips(20, 3, "test")
    tokens = writer.tokens_of(films.frames)
    told, blind = (goes_on(writer, films.frames, films.captions, 4, told) for told in (True, False))
    for made in (told, blind):
        assert torch.equal(made[:, :4], tokens[:, :4])
    assert not torch.equal(told, blind)
    assert torch.equal(writer.encode(films.captions), encode(films.captions))  # as it was trained
    drawn = draws(writer, films.captions)
    assert torch.equal(drawn, draws(writer, films.captions))
    assert not torch.equal(draws(writer, films.captions, seed=0), drawn)
