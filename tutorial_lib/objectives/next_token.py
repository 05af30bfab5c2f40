"""Predict the next token: batches and losses of GPT and of the encoder-decoder."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from tutorial_lib.decoding import evaluating
from tutorial_lib.errors import ShapeError

IGNORED = -100  # the target where there is nothing to predict; PyTorch's default


def shifted(ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs and targets (B, T - 1): at each position the target is the token after it.

    Raises ShapeError when there is no token to predict.

    >>> shifted(torch.tensor([[7, 8, 9]]))
    (tensor([[7, 8]]), tensor([[8, 9]]))
    """
    if ids.size(-1) < 2:
        raise ShapeError(f"predicting a next token takes 2 tokens or more, got {ids.size(-1)}")
    return ids[..., :-1], ids[..., 1:]


class NextTokenBatches:
    """Random windows of one long stream of ids, without end: (inputs, targets), (B, T) each.

    ids (N,), a tensor or a list; T is the context. Every `iter` starts again from the seed, so
    the same object gives the same batches to every run.
    Raises ShapeError when the ids are not one stream of at least context + 1 whole numbers.

    >>> inputs, targets = next(iter(NextTokenBatches(range(100), batch_size=2, context=5)))
    >>> inputs.shape, bool((targets == inputs + 1).all())
    (torch.Size([2, 5]), True)
    """

    def __init__(
        self, ids: torch.Tensor | Sequence[int], batch_size: int, context: int, seed: int = 0
    ):
        self.ids = _stream(ids, context)
        if batch_size < 1:
            raise ShapeError(f"batch_size must be at least 1, got {batch_size}")
        self.batch_size = batch_size
        self.context = context
        self.seed = seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        windows = self.ids.unfold(0, self.context + 1, 1)  # (N - T, T + 1), a view
        while True:
            starts = torch.randint(len(windows), (self.batch_size,), generator=generator)
            yield shifted(windows[starts])


def next_token_loss(model, batch):
    """Return the mean of -log p(next token) in nats; batch = (inputs, targets), (B, T) each."""
    inputs, targets = batch
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=IGNORED)


@torch.no_grad()
def mean_next_token_loss(
    model: torch.nn.Module,
    ids: torch.Tensor | Sequence[int],
    context: int,
    batch_size: int = 32,
) -> float:
    """Return the mean of -log p in nats over a whole stream of ids (N,), a number.

    The stream is cut into windows of `context` tokens, one after the other, so each token but the
    first is predicted once. Uses evaluation mode and the model's own device.
    Raises ShapeError as NextTokenBatches does.

    >>> class Even(torch.nn.Module):  # knows nothing: four tokens, all alike
    ...     def forward(self, ids):
    ...         return torch.zeros(*ids.shape, 4)
    >>> print(f"{mean_next_token_loss(Even(), [0, 1, 2, 3, 0, 1], context=4):.3f}")  # ln 4
    1.386
    """
    ids = _stream(ids, context)
    device = next((parameter.device for parameter in model.parameters()), ids.device)
    total = 0.0
    with evaluating(model):
        for inputs, targets in _side_by_side(ids, context, batch_size):
            batch = (inputs.to(device), targets.to(device))
            total += next_token_loss(model, batch).item() * targets.numel()
    return total / (len(ids) - 1)


def _side_by_side(ids, context, batch_size):
    windows = ids.unfold(0, context + 1, context)  # (windows, T + 1): the last token is shared
    for rows in windows.split(batch_size):
        yield shifted(rows)
    rest = ids[len(windows) * context :]
    if len(rest) > 1:
        yield shifted(rest[None])


def _stream(ids, context):
    ids = ids if isinstance(ids, torch.Tensor) else torch.tensor(ids)
    if context < 1 or ids.dim() != 1 or ids.is_floating_point() or len(ids) <= context:
        raise ShapeError(
            f"windows of {context} tokens and the one after need a stream of whole numbers (N,) "
            f"with N > {context} > 0, got {ids.dtype} {tuple(ids.shape)}"
        )
    return ids.long()


def label_smoothing_loss(
    logits: torch.Tensor,
    targets: torch.Tensor,
    smoothing: float = 0.1,
    ignore_index: int = IGNORED,
) -> torch.Tensor:
    """Cross-entropy against 1 - smoothing on the target plus smoothing shared by all V tokens.

    logits (..., V), targets (...) (Szegedy et al. 2016; Vaswani et al. 2017, section 5.4). Equal
    to torch.nn.CrossEntropyLoss(label_smoothing=..., ignore_index=...), but a batch of nothing but
    padding costs 0, for which torch gives NaN. log_softmax never takes log(0), so nothing becomes
    infinite.
    Raises ValueError when smoothing is not in [0, 1), ShapeError when the shapes disagree.

    >>> logits = torch.tensor([[0.0, 100.0], [0.0, 100.0]])
    >>> label_smoothing_loss(logits, torch.tensor([1, -100]))  # sure and right still costs a bit
    tensor(5.)
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
    if logits.shape[:-1] != targets.shape:
        raise ShapeError(
            f"logits (..., V) need targets (...), got {tuple(logits.shape)} "
            f"and {tuple(targets.shape)}"
        )
    counted = targets != ignore_index
    log_p = logits[counted].log_softmax(dim=-1)  # (N, V), without the padding
    of_target = log_p.gather(-1, targets[counted][:, None]).sum()
    of_all = log_p.mean(dim=-1).sum()
    return -((1 - smoothing) * of_target + smoothing * of_all) / counted.sum().clamp(min=1)


def translation_loss(model, batch, pad_id, smoothing=0.1):
    """Return the loss of an encoder-decoder that reads the right translation (teacher forcing).

    batch = (source (B, S), target (B, T)), padded on the right with pad_id; target starts with the
    start token and ends with the end token. The decoder reads target[:, :-1] and should say
    target[:, 1:]; padding does not count. Use it as functools.partial(translation_loss,
    pad_id=0).
    """
    source, target = batch
    inputs, targets = shifted(target)
    logits = model(source, inputs, source_mask=source != pad_id)  # (B, T - 1, V)
    return label_smoothing_loss(logits, targets, smoothing, ignore_index=pad_id)
