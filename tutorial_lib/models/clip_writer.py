"""A VideoBERT with eyes, which draws: a small CNN makes vectors of frames, k-means tokens of these.

What each frame token looks like is kept beside it, so that a row of tokens is a film to look at.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models.checks import check_ids, check_tensor, check_whole_number
from tutorial_lib.models.scene_reader import CLS, PAD, SEP, SPECIAL, Eyes, check_words
from tutorial_lib.models.video_bert import FrameTokens, VideoBERT, VideoBERTConfig


@dataclass(frozen=True)
class ClipWriterConfig(VideoBERTConfig):
    """The sizes of a ClipWriter: those of a VideoBERT, and what it knows of words and things.

    words: separated by spaces; the special words come first. n_things: the kinds that its eyes were
    trained to tell apart, d_features: the numbers that they make of a frame. All texts are filled
    up to caption_length, [CLS] and [SEP] counted, so that frames always begin at the same position.
    Raises as VideoBERTConfig does, VocabularyError where the words are not as many as it counts or
    do not begin with `SPECIAL`.
    """

    words: str = " ".join(SPECIAL)
    n_things: int = 22
    d_features: int = 24
    caption_length: int = 12

    def __post_init__(self):
        super().__post_init__()
        check_whole_number("n_things", self.n_things)
        check_whole_number("d_features", self.d_features)
        check_whole_number("caption_length", self.caption_length)
        check_words(self.words)
        n_words = len(self.words.split())
        if n_words != self.n_words:
            raise VocabularyError(f"room for {self.n_words} words, but {n_words} of them")

    @classmethod
    def of(cls, words, n_frame_tokens, **sizes):
        """Return the config for a list of words, the special ones first, and so many tokens.

        >>> words = "[PAD] [CLS] [SEP] [MASK] a bee".split()
        >>> ClipWriterConfig.of(words, 10, d_model=8, n_heads=2, n_layers=1).vocab_size
        16
        """
        counted = {"vocab_size": len(words) + n_frame_tokens, "n_frame_tokens": n_frame_tokens}
        return cls(**({"context": 24, "mlm": True} | sizes | counted), words=" ".join(words))

    def build(self):
        """Return a ClipWriter of these sizes with random weights."""
        return ClipWriter(self)


class FrameEyes(nn.Module):
    """A small CNN: frames (N, 3, 32, 32) -> vectors (N, F + 3), from what it is taught of them.

    F features, from which it names the thing, and behind them where it says that the thing is.

    >>> FrameEyes(n_things=5, d_features=8).eval()(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 11])
    """

    def __init__(self, n_things, d_features):
        super().__init__()
        self.eyes = Eyes(n_things, d_features)
        self.where = nn.Linear(d_features, 3)

    def forward(self, frames):
        """Return the vectors; places count as much in them as features."""
        features = self.eyes(frames)
        return torch.cat([features, 3 * self.where(features)], dim=-1)


class ClipWriter(VideoBERT):
    """A VideoBERT that reads sentences and clips, and paints what it writes.

    Called as a VideoBERT; `encode` makes the ids of sentences, `tokens_of` those of frames, and
    `paint` makes frames of tokens.

    >>> words = "[PAD] [CLS] [SEP] [MASK] a bee".split()
    >>> sizes = {"d_model": 8, "n_heads": 2, "n_layers": 1}
    >>> writer = ClipWriterConfig.of(words, 10, **sizes).build().eval()
    >>> writer.encode(["a bee"])
    tensor([[1, 4, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0]])
    >>> writer.paint(writer.tokens_of(torch.ones(2, 8, 3, 32, 32))).shape
    torch.Size([2, 8, 3, 32, 32])
    """

    config_class: ClassVar = ClipWriterConfig

    def __init__(self, config):
        super().__init__(config)
        self.eyes = FrameEyes(config.n_things, config.d_features)
        self.words = config.words.split()
        self._ids = {word: token_id for token_id, word in enumerate(self.words)}
        self.register_buffer("centres", torch.zeros(config.n_frame_tokens, config.d_features + 3))
        looks = torch.full((config.n_frame_tokens, 3, 32, 32), 255, dtype=torch.uint8)
        self.register_buffer("looks", looks)  # bytes: a quarter of the file

    def encode(self, texts):
        """Return the ids (B, caption_length) of texts, with [CLS], [SEP] and padding.

        Raises VocabularyError without a text, for one that is too long, or with a word that is not
        known.
        """
        if not texts:
            raise VocabularyError("encode needs at least one text")
        return torch.tensor([self._row(text.split()) for text in texts])

    def _row(self, words):
        for word in words:
            if word not in self._ids:
                raise VocabularyError(
                    f"this writer does not know {word[:30]!r}, only: {' '.join(self.words[4:])}"
                )
        room = self.config.caption_length - 2
        if len(words) > room:
            raise VocabularyError(f"a text may have {room} words, got {len(words)}")
        padding = [PAD] * (room - len(words))
        return [CLS, *(self._ids[word] for word in words), SEP, *padding]

    @torch.no_grad()
    def tokens_of(self, clips):
        """Return the frame tokens (B, S) of clips (B, S, 3, 32, 32), colours from 0 to 1."""
        check_tensor("clips", clips)
        if clips.dim() != 5 or clips.shape[2:] != (3, 32, 32):
            raise ShapeError(f"clips must have shape (B, S, 3, 32, 32), got {tuple(clips.shape)}")
        vectors = torch.cat([self.eyes(some) for some in clips.flatten(0, 1).split(500)])
        return FrameTokens(self.centres).encode(vectors).view(clips.shape[:2])

    def paint(self, tokens):
        """Return what frame tokens (B, S) look like, (B, S, 3, 32, 32): the mean of their frames.

        Raises VocabularyError for a token that is not there.
        """
        check_ids("tokens", tokens, self.config.n_frame_tokens)
        return self.looks[tokens].float() / 255
