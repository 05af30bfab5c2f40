"""Chapter 10: the VideoBERT of the recipe clips once more, with its eyes, to draw clips to look at.

Its settings are that recipe's, and its training is that of seed 0. What a frame token looks like is
the mean of the training frames that it stands for.
"""

import torch

from tutorial_lib.datasets.clips import THINGS, draw_clips
from tutorial_lib.models import ClipWriterConfig
from tutorial_lib.recipes import clips
from tutorial_lib.recipes.clips import KINDS, N_FRAMES, WORDS, encode, portraits, read, written

SETTINGS = {name: value for name, value in clips.SETTINGS.items() if name != "seeds"}
SETTINGS |= {"seed": 0, "stored_as": "float16"}
SMOKE = {name: clips.SMOKE.get(name, value) for name, value in SETTINGS.items()}

data_bytes = clips.data_bytes


def train(settings, progress=True):
    """Return a ClipWriter that has learned from the training clips of the recipe clips."""
    drawn = draw_clips(settings["clips"], 0)
    eyes, tokens = clips.frame_tokens(drawn, settings, progress)
    frames = tokens.encode(clips.vectors_of(eyes, drawn))
    words = encode(drawn.captions)
    model = clips.train_model(tokens, words, frames, settings, settings["seed"], progress)
    sizes = settings["sizes"] | {"n_things": len(THINGS)}
    sizes["d_features"] = settings["eyes"]["d_features"]
    writer = ClipWriterConfig.of(WORDS, len(tokens), **sizes).build()
    about = {"centres": tokens.centres, "looks": looks_of(drawn, frames, len(tokens))}
    about |= {f"eyes.{name}": value for name, value in eyes.state_dict().items()}
    writer.load_state_dict(model.state_dict() | about)
    return writer.eval()


def looks_of(drawn, frames, n_tokens):
    """Return what tokens look like, (k, 3, 32, 32) in bytes, for the tokens (N, 8) of Clips."""
    flat = frames.flatten()
    sums = torch.zeros(n_tokens, 3, 32, 32).index_add_(0, flat, drawn.frames.flatten(0, 1))
    counts = torch.bincount(flat, minlength=n_tokens).clamp(min=1)
    return (255 * sums / counts[:, None, None, None]).round().to(torch.uint8)


def draws(writer, captions, seed=None):
    """Return the frame tokens (N, 8) that a ClipWriter writes for captions, one after the other.

    The most likely ones, or with a seed drawn by their chances. Raises as `ClipWriter.encode` does.
    """
    words = writer.encode(captions)
    nothing = torch.zeros(len(words), N_FRAMES, dtype=torch.long)
    return written(writer, words, nothing, 0, True, drawn=seed is not None, seed=seed or 0)


def describes(writer, films):
    """Return what a ClipWriter says of Clips: their captions, the telling words filled in by it."""
    telling = torch.tensor([any(word in kind for kind in KINDS.values()) for word in WORDS])
    words, frames = writer.encode(films.captions), writer.tokens_of(films.frames)
    hidden = torch.cat([telling[words], torch.zeros_like(frames, dtype=torch.bool)], dim=1)
    with torch.no_grad():
        _, states = read(writer, words, frames, hidden)
        filled = writer.word_logits(states[:, : words.size(1)]).argmax(dim=-1)
    filled = torch.where(telling[words], filled, words)
    return [" ".join(WORDS[at] for at in row if WORDS[at][0] != "[") for row in filled.tolist()]


def evaluate(writer):
    """Return the shares of test captions whose drawn clips show thing, direction, speed, change."""
    train, test = draw_clips(1_500, 0), draw_clips(SETTINGS["measured"], 0, "test")
    seen = portraits(train, writer.tokens_of(train.frames), writer.config.n_frame_tokens)
    return clips.told_right(draws(writer, test.captions), seen, test)
