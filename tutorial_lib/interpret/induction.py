"""Induction heads: heads that find what followed the last time (Olsson et al. 2022).

In "... A B ... A" such a head looks back, from the second A, at the B after the first one, so that
the model can say B again. Random text that is repeated once reveals them: only the repetition
tells what comes next, and we know which position to look at.
"""

import random
from collections.abc import Iterable

import torch
import torch.nn.functional as F

from tutorial_lib.attention import attention, capture_attention, for_each_query_head, look_back
from tutorial_lib.errors import ShapeError


def repeated_sequences(tokens: Iterable[int], n: int, length: int, seed: int = 0) -> torch.Tensor:
    """Return n sequences (n, 2 length): `length` different tokens in random order, twice.

    tokens: the ids to draw from. Raises ShapeError when there are fewer than `length`.

    >>> ids = repeated_sequences(range(9), n=1, length=4)
    >>> torch.equal(ids[:, :4], ids[:, 4:])
    True
    """
    tokens = torch.tensor(list(tokens))
    if not 1 <= length <= len(tokens):
        raise ShapeError(f"{length} different tokens cannot be drawn from {len(tokens)}")
    generator = torch.Generator().manual_seed(seed)
    order = torch.rand(n, len(tokens), generator=generator).argsort(dim=1)[:, :length]
    return tokens[order].repeat(1, 2)


def induction_scores(model: torch.nn.Module, ids: torch.Tensor) -> torch.Tensor:
    """Return how much each head looks at what followed the last time, (L, H), from 0 to 1.

    ids (B, 2 N): N different tokens twice, as `repeated_sequences` makes them. The score is the
    mean weight from the second time a token occurs to the position after its first time.
    Raises ShapeError when the halves differ, or a half holds a token twice.
    """
    length = _length(ids)
    return _weights_back(model, ids, range(length, 2 * length), length - 1)


@torch.no_grad()
def repeat_losses(model: torch.nn.Module, ids: torch.Tensor) -> tuple[float, float]:
    """Return the mean loss in nats on a text's first half and on its second, the repeat.

    ids (B, 2 N), as `repeated_sequences` makes them. The repeat's first token is left out: nothing
    tells that it comes. Raises ShapeError as `induction_scores` does.
    """
    length = _length(ids)
    losses = F.cross_entropy(
        model(ids)[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none"
    )  # (B, 2 N - 1): of tokens 1, 2, ...
    return losses[:, : length - 1].mean().item(), losses[:, length:].mean().item()


def previous_token_scores(model: torch.nn.Module, ids: torch.Tensor) -> torch.Tensor:
    """Return how much each head looks at the token just before, (L, H), from 0 to 1.

    An induction head needs such a head in an earlier layer. It writes into each position which
    token came before, and by this the induction head finds its keys. ids (B, T).
    """
    return _weights_back(model, ids, range(1, ids.size(1)), 1)


def weights_by_distance(model: torch.nn.Module, ids: torch.Tensor, n: int) -> torch.Tensor:
    """Return how much each head looks at the token just read and at those before, (L, H, n).

    ids (B, T). Entry d is the mean weight on the token d places back, over all positions that have
    as many before them. Raises ShapeError when n is not from 1 to T.
    """
    if not 1 <= n <= ids.size(1):
        raise ShapeError(f"n is from 1 to {ids.size(1)}, the tokens of ids, got {n}")
    positions = range(n - 1, ids.size(1))
    return torch.stack([_weights_back(model, ids, positions, d) for d in range(n)], dim=-1)


def heads_by(scores: torch.Tensor) -> list[tuple[int, int]]:
    """Return all (layer, head) of scores (L, H), the highest score first.

    >>> heads_by(torch.tensor([[0.1, 0.9], [0.5, 0.0]]))
    [(0, 1), (1, 0), (0, 0), (1, 1)]
    """
    order = scores.flatten().argsort(descending=True).tolist()
    return [divmod(place, scores.size(1)) for place in order]


def others_beside(heads, ranked, seed):
    """Return as many other heads of the same layers, drawn from the lower half of a ranking.

    heads: (layer, head); ranked: all heads, as `heads_by` gives them. Where a layer has none left,
    one of another layer is drawn.

    >>> others_beside([(0, 1)], [(0, 1), (1, 0), (1, 1), (0, 0)], seed=0)
    [(0, 0)]
    """
    generator, found = random.Random(seed), []
    low = ranked[len(ranked) // 2 :]
    for layer, _ in heads:
        left = [head for head in low if head[0] == layer and head not in found]
        found.append(generator.choice(left or [head for head in low if head not in found]))
    return found


@torch.no_grad()
def weights_with_keys_from(
    block: torch.nn.Module, stream: torch.Tensor, stream_of_keys: torch.Tensor
) -> torch.Tensor:
    """Return a layer's maps (B, H, T, T) when its keys alone are made from another stream.

    block: a layer of a GPT; both streams (B, T, D). The queries are made from the first of them,
    and the mask is causal.
    """
    layer, norm = block.attention, block.attention_norm
    queries, _, _ = layer.project(norm(stream))
    _, keys, values = layer.project(norm(stream_of_keys))
    keys, values = (for_each_query_head(part, queries.size(1)) for part in (keys, values))
    mask = look_back(None, queries.size(-2), keys.size(-2), queries.device)
    return attention(queries, keys, values, mask)[1]


@torch.no_grad()
def _weights_back(model, ids, positions, distance):
    with capture_attention(model) as maps:
        model(ids)
    queries = torch.tensor(list(positions))
    # (L, H): the mean over sequences and queries
    return torch.stack([w[:, :, queries, queries - distance].mean(dim=(0, 2)) for w in maps])


def _length(ids):
    length = ids.size(-1) // 2
    first = ids[..., :length]
    if ids.dim() != 2 or ids.size(1) % 2 or not torch.equal(first, ids[:, length:]):
        raise ShapeError(f"expected (B, 2 N), the second half equal to the first, got {ids.shape}")
    if (first.sort(dim=1).values.diff(dim=1) == 0).any():
        raise ShapeError("a token occurs twice in one half: what followed it is not one position")
    return length
