"""VideoBERT: frames become words of a second vocabulary, and one BERT reads both (Sun et al. 2019).

`FrameTokens` makes the second vocabulary: k-means over the vectors of many frames; a frame's token
is the number of the nearest centre. `VideoBERT` is a BERT whose table of token vectors holds the
words first and then the frame tokens.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.checks import check_ids, check_tensor, check_whole_number

# --- frames to tokens ---------------------------------------------------------------------------


def spread_centres(vectors, k, generator=None):
    """Return k of the vectors (N, F) that lie far apart, (k, F): k-means++.

    The first is drawn at random, each further one with a probability proportional to its squared
    distance from the nearest that was drawn (Arthur and Vassilvitskii 2007). generator: a
    torch.Generator for the draws.
    Raises ShapeError unless 1 <= k <= N.
    """
    check_vectors(vectors)
    check_whole_number("k", k)
    if k > len(vectors):
        raise ShapeError(f"{k} centres need at least as many vectors, got {len(vectors)}")
    drawn = [torch.randint(len(vectors), (), generator=generator).item()]
    nearest = squared_distances(vectors, vectors[drawn])[:, 0]  # (N,)
    while len(drawn) < k:
        if nearest.sum() == 0:  # fewer different vectors than centres
            raise ShapeError(f"{k} centres, but only {len(drawn)} different vectors")
        drawn.append(torch.multinomial(nearest, 1, generator=generator).item())
        nearest = nearest.minimum(squared_distances(vectors, vectors[drawn[-1:]])[:, 0])
    return vectors[drawn]


def lloyd(vectors, centres, rounds=300):
    """Return the centres (k, F) that k-means ends with, from these (Lloyd 1982).

    Two steps, again and again until nothing changes or the rounds are over: each vector of (N, F)
    goes to its nearest centre; each centre moves to the mean of its vectors. One without any moves
    to the vector that is farthest from its centre.
    """
    check_vectors(vectors)
    before = None
    for _ in range(rounds):
        distances, labels = squared_distances(vectors, centres).min(dim=1)  # (N,) each
        if before is not None and labels.equal(before):
            break
        before = labels
        counts = torch.bincount(labels, minlength=len(centres))  # (k,)
        sums = torch.zeros_like(centres).index_add_(0, labels, vectors)
        centres = sums / counts.clamp(min=1)[:, None]
        empty = (counts == 0).nonzero().flatten()
        centres[empty] = vectors[distances.topk(len(empty)).indices]
    return centres


def squared_distances(vectors, centres):
    """Return the squared distance of each vector (N, F) from each centre (k, F): (N, k)."""
    return torch.cdist(vectors, centres, compute_mode="donot_use_mm_for_euclid_dist").square()


class FrameTokens:
    """The second vocabulary of a VideoBERT: k centres (k, F) among the vectors of frames.

    >>> tokens = FrameTokens.fit(torch.tensor([[0.0], [0.2], [5.0], [5.4]]), k=2)
    >>> first, second = tokens.encode(torch.tensor([[0.1], [5.1]]))
    >>> bool(first == second)
    False
    """

    def __init__(self, centres):
        check_vectors(centres, "centres")
        self.centres = centres

    @classmethod
    def fit(cls, vectors, k, seed=0, rounds=300):
        """Return the FrameTokens that k-means finds for vectors (N, F)."""
        generator = torch.Generator().manual_seed(seed)
        return cls(lloyd(vectors, spread_centres(vectors, k, generator), rounds))

    def __len__(self):
        return len(self.centres)

    def encode(self, vectors):
        """Return the token of each vector, (...,), for vectors (..., F): the nearest centre.

        Raises ShapeError for vectors of another width.
        """
        check_tensor("vectors", vectors)
        width = self.centres.size(1)
        if vectors.dim() < 1 or vectors.size(-1) != width:
            raise ShapeError(
                f"vectors must have {width} numbers each, as the centres have, got shape "
                f"{tuple(vectors.shape)}"
            )
        flat = vectors.reshape(-1, width)
        return squared_distances(flat, self.centres).argmin(dim=1).view(vectors.shape[:-1])

    def inertia(self, vectors):
        """Return the sum of squared distances of vectors (N, F) from their centres, a number."""
        return (
            squared_distances(vectors, self.centres[self.encode(vectors)]).diagonal().sum().item()
        )


def check_vectors(vectors, name="vectors"):
    """Raise ShapeError unless vectors are a floating-point tensor (N, F) without nan or inf."""
    check_tensor(name, vectors)
    if vectors.dim() != 2 or not vectors.is_floating_point() or not len(vectors):
        raise ShapeError(
            f"{name} must be floating point of shape (N, F), at least one; got {vectors.dtype} "
            f"{tuple(vectors.shape)}"
        )
    if not vectors.isfinite().all():
        raise ShapeError(f"{name} must be finite: some are nan or infinite")


# --- words and frame tokens in one row ----------------------------------------------------------


@dataclass(frozen=True)
class VideoBERTConfig(BERTConfig):
    """The sizes of a VideoBERT: those of a BERT whose last n_frame_tokens tokens are frames.

    vocab_size counts both. nsp, if wanted, says whether words and frames belong together.
    Raises as BERTConfig does, VocabularyError when no word would be left.

    >>> config = VideoBERTConfig.large()
    >>> f"{config.n_words:,} words and {config.n_frame_tokens:,} frame tokens"
    '30,522 words and 20,736 frame tokens'
    """

    vocab_size: int = 51_258
    n_frame_tokens: int = 20_736

    def __post_init__(self):
        super().__post_init__()
        check_whole_number("n_frame_tokens", self.n_frame_tokens)
        if self.n_words < 1:
            raise VocabularyError(
                f"of {self.vocab_size} tokens {self.n_frame_tokens} are frames: no word is left"
            )

    @property
    def n_words(self):
        """How many tokens are words: the id of the first frame token."""
        return self.vocab_size - self.n_frame_tokens

    @classmethod
    def large(cls, **changes):
        """The VideoBERT of the paper: BERT-large and 12⁴ frame tokens, 357 M parameters."""
        sizes = {"d_model": 1024, "n_layers": 24, "n_heads": 16, "pooler": True}
        return cls(**(sizes | {"mlm": True, "nsp": True} | changes))

    def build(self):
        """Return a VideoBERT of these sizes with random weights."""
        return VideoBERT(self)


class VideoBERT(BERT):
    """A BERT over words and frame tokens: model(*model.join(words, frames)).

    Raises as BERT does.

    >>> sizes = {"vocab_size": 12, "context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2}
    >>> model = VideoBERT(VideoBERTConfig(**sizes, n_frame_tokens=5))
    >>> model.join(torch.tensor([[6, 1]]), torch.tensor([[0, 4]]))
    (tensor([[ 6,  1,  7, 11]]), tensor([[0, 0, 1, 1]]))
    """

    config_class: ClassVar = VideoBERTConfig

    def join(self, words, frames):
        """Return ids and segments (B, T + S) of words (B, T) and frame tokens (B, S) behind them.

        Raises ShapeError when their batches differ, VocabularyError for a word or token outside
        its vocabulary.
        """
        config = self.config
        check_ids("words", words, config.n_words)
        check_ids("frames", frames, config.n_frame_tokens)
        if len(words) != len(frames):
            raise ShapeError(f"{len(words)} texts, but the frames of {len(frames)} clips")
        ids = torch.cat([words, frames + config.n_words], dim=1)
        segments = torch.cat([torch.zeros_like(words), torch.ones_like(frames)], dim=1)
        return ids, segments

    def word_logits(self, hidden):
        """Return which word each position may hold, (..., words), from hidden (..., D)."""
        return self.mlm_logits(hidden)[..., : self.config.n_words]

    def frame_logits(self, hidden):
        """Return which frame token each position may hold, (..., tokens), from hidden (..., D)."""
        return self.mlm_logits(hidden)[..., self.config.n_words :]
