"""Training on one page: the loop that turns random weights into a model.

Batches; a learning rate that rises and falls; AdamW; the step itself; saving and resuming; held-out
text. `python training.py [text file]` trains a small language model for about a minute.
B batch, T length, D model width, V vocabulary
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn


def windows(ids, batch_size, context):
    """Yield batches (inputs, targets) forever, each (B, T), cut from anywhere in the ids (N,).

    The target of each position is the token after it, so the two overlap in all but one token.
    """
    while True:
        starts = torch.randint(len(ids) - context, (batch_size, 1))  # (B, 1)
        window = ids[starts + torch.arange(context + 1)]  # (B, T + 1)
        yield window[:, :-1], window[:, 1:]


def next_token_loss(model, batch):
    """Mean of -log p(target) in nats: 0 when the model is always sure and right."""
    inputs, targets = batch
    return F.cross_entropy(model(inputs).transpose(1, 2), targets)  # (B, V, T), (B, T)


def learning_rate(step, steps, peak, warmup):
    """The first gradients of a random model are wild, so start small; then fall along a cosine.

    Adam's averages, too, rest on only a few batches at first. The slow end lets the weights settle.
    """
    if step <= warmup:
        return peak * step / warmup
    done = (step - warmup) / (steps - warmup)  # from 0 to 1: the last step has rate 0
    return peak * 0.5 * (1 + math.cos(math.pi * done))


def adamw(model):
    """Weight decay keeps matrices from growing needlessly; biases and norms are left alone."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98))  # averages over about 10 and 50 batches


def update(model, optimizer, loss, batches, clip=1.0):
    """One step: how wrong, which way is better, not too far at once, go. Returns the loss."""
    total, device = 0.0, next(model.parameters()).device.type
    for batch in batches:  # several count as one large batch, for which memory might be short
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):  # half the bytes
            value = loss(model, batch) / len(batches)  # forward
        value.backward()  # adds to the gradient of every parameter
        total += value.item()
    nn.utils.clip_grad_norm_(model.parameters(), clip)  # one odd batch must not throw us off
    optimizer.step()
    optimizer.zero_grad()  # or the next step would add to these gradients
    return total


def save(file, model, optimizer, losses):
    """Write all that changes from step to step: weights, Adam's averages, losses, random state."""
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "losses": losses}
    state["random"] = [torch.get_rng_state(), *torch.cuda.get_rng_state_all()]
    torch.save(state, file)


def load(file, model, optimizer):
    """Put it all back and return the losses so far."""
    state = torch.load(file, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"][0])
    torch.cuda.set_rng_state_all(state["random"][1:])
    return state["losses"]


def fit(
    model, batches, loss, steps, peak=3e-3, warmup=None, parts=1, score=None, every=200, file=None
):
    """Train for `steps` steps, of `parts` batches each, and return the loss of each step.

    score(model): a number to print, such as the loss on held-out text. file: where to save the run;
    if it exists, the run resumes, with the same batches if they are drawn with torch.
    """
    warmup = max(1, steps // 20) if warmup is None else warmup
    optimizer = adamw(model)
    losses = load(file, model, optimizer) if file and Path(file).exists() else []
    model.train()  # dropout on
    for step in range(len(losses) + 1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, peak, warmup)
        losses.append(update(model, optimizer, loss, [next(batches) for _ in range(parts)]))
        if score and step % every == 0:
            recent = sum(losses[-every:]) / every
            print(f"step {step}: training {recent:.2f}, held out {score(model):.2f}", flush=True)
        if file and (step % every == 0 or step == steps):
            save(file, model, optimizer, losses)
    return losses


@torch.no_grad()
def mean_loss(model, ids, context):
    """Mean of -log p over a whole held-out text (N,), cut into windows side by side."""
    was_training = model.training
    model.eval()  # dropout off
    pieces = ids.unfold(0, context + 1, context)  # (n, T + 1): neighbours share one token
    value = next_token_loss(model, (pieces[:, :-1], pieces[:, 1:])).item()
    model.train(was_training)
    return value


class CharacterModel(nn.Module):
    """A small model to train: it scores the next character from the last 8 (Bengio et al. 2003)."""

    def __init__(self, vocab_size, d_model=32, width=256, n_seen=8):
        super().__init__()
        self.n_seen = n_seen
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.hidden = nn.Linear(n_seen * d_model, width)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(width, vocab_size)

    def forward(self, ids):
        x = F.pad(self.embedding(ids), (0, 0, self.n_seen - 1, 0))  # zeros before the text
        x = x.unfold(1, self.n_seen, 1).flatten(2)  # (B, T, 8 D): at each position the last 8
        return self.output(self.dropout(self.hidden(x).relu()))  # (B, T, V)


if __name__ == "__main__":
    torch.manual_seed(0)
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data/shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    characters = sorted(set(text))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    ids = torch.tensor([characters.index(character) for character in text], device=device)
    train, held_out = ids[: -len(ids) // 10], ids[-len(ids) // 10 :]
    model = CharacterModel(len(characters)).to(device)
    batches = windows(train, batch_size=32, context=64)
    fit(model, batches, next_token_loss, 2000, score=lambda m: mean_loss(m, held_out, context=64))
    counts = torch.bincount(train, minlength=len(characters)) + 1.0
    baseline = -(counts / counts.sum()).log()[held_out].mean()
    value = mean_loss(model, held_out, context=64)
    print(f"held-out: {value:.2f} nats per character; by their frequencies alone: {baseline:.2f}")
