"""Training on one page: the loop that every model of this course learns in.

Batches; a learning rate that rises and falls; AdamW; the step itself; saving and going on; held-out
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
    """Yield batches (inputs, targets), (B, T) each, without end, cut from a text of ids (N,).

    The target of each position is the token after it, so the two overlap in all but one token.
    """
    while True:
        starts = torch.randint(len(ids) - context, (batch_size, 1))  # (B, 1)
        window = ids[starts + torch.arange(context + 1)]  # (B, T + 1)
        yield window[:, :-1], window[:, 1:]


def next_token_loss(model, batch):
    """Mean of -log p(target) in nats: 0 when the model is always sure and right."""
    inputs, targets = batch
    logits = model(inputs)  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def learning_rate(step, steps, peak, warmup):
    """The first gradients of a random model are wild, so start small; then fall along a cosine.

    At first Adam's averages rest on a few batches as well. The slow end lets the weights settle.
    """
    if step <= warmup:
        return peak * step / warmup
    done = (step - warmup) / (steps - warmup)  # from 0 to 1
    return peak * 0.5 * (1 + math.cos(math.pi * done))


def adamw(model):
    """Weight decay shrinks matrices a little at each step, so that none of them grows needlessly.

    Biases and the scales of norms are vectors; there is nothing to gain from shrinking them.
    """
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98))


def update(model, optimizer, loss, batch, clip=1.0):
    """One step: how wrong, which way is better, not too far at once, go. Returns the loss."""
    value = loss(model, batch)  # forward
    value.backward()  # every parameter gets its gradient
    nn.utils.clip_grad_norm_(model.parameters(), clip)  # one odd batch must not throw us off
    optimizer.step()
    optimizer.zero_grad()  # backward adds to what is there
    return value.item()


def save(file, model, optimizer, losses):
    """Write all that the next step depends on: weights, Adam's averages, random numbers, step."""
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state | {"losses": losses, "random": torch.get_rng_state()}, file)


def load(file, model, optimizer):
    """Put it all back and return the losses so far."""
    state = torch.load(file, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
    return state["losses"]


def fit(model, batches, loss, steps, peak=3e-3, warmup=None, evaluate=None, every=200, file=None):
    """Train for `steps` steps and return the loss of each; with a file, go on from where it stands.

    batches: an iterator that draws with torch, as `windows` does, so that a saved run goes on with
    the same ones. evaluate(model): a number to print, such as the loss on held-out text.
    """
    warmup = warmup or max(1, steps // 20)
    optimizer = adamw(model)
    losses = load(file, model, optimizer) if file and Path(file).exists() else []
    model.train()  # dropout on
    for step in range(len(losses) + 1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, peak, warmup)
        losses.append(update(model, optimizer, loss, next(batches)))
        if evaluate and step % every == 0:
            recent = sum(losses[-every:]) / every
            print(f"step {step}: training {recent:.2f}, held out {evaluate(model):.2f}", flush=True)
        if file and step % every == 0:
            save(file, model, optimizer, losses)
    return losses


@torch.no_grad()
def mean_loss(model, ids, context):
    """Mean of -log p over a whole held-out text (N,), cut into windows side by side."""
    model.eval()  # dropout off
    windows = ids.unfold(0, context + 1, context)  # (n, T + 1): neighbours share one token
    loss = next_token_loss(model, (windows[:, :-1], windows[:, 1:])).item()
    model.train()
    return loss


class LetterModel(nn.Module):
    """Something to train: the last 8 letters as one long vector, a layer, the next letter's scores.

    ids (B, T) -> (B, T, V), after Bengio et al. 2003.
    """

    def __init__(self, vocab_size, d_model=32, width=256, n_letters=8):
        super().__init__()
        self.n_letters = n_letters
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.hidden = nn.Linear(n_letters * d_model, width)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(width, vocab_size)

    def forward(self, ids):
        x = F.pad(self.embedding(ids), (0, 0, self.n_letters - 1, 0))  # zeros before the text
        x = x.unfold(1, self.n_letters, 1).flatten(2)  # (B, T, 8 D): at each position the last 8
        return self.output(self.dropout(self.hidden(x).relu()))  # (B, T, V)


if __name__ == "__main__":
    torch.manual_seed(0)
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "data/shakespeare.txt"
    text = Path(path).read_text(encoding="utf-8")
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(letter) for letter in text])
    train, held_out = ids[: -len(ids) // 10], ids[-len(ids) // 10 :]
    model = LetterModel(len(letters))
    batches = windows(train, batch_size=32, context=64)
    fit(model, batches, next_token_loss, 2000, evaluate=lambda m: mean_loss(m, held_out, 64))
    counts = torch.bincount(train, minlength=len(letters)) + 1.0
    baseline = -(counts / counts.sum()).log()[held_out].mean()
    score = mean_loss(model, held_out, context=64)
    print(f"held-out text: {score:.2f} nats a letter; from how often each occurs: {baseline:.2f}")
