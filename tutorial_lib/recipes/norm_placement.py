"""Chapter 04: LayerNorm behind each shortcut or before each sub-layer, with and without warm-up.

A Transformer of six and six layers learns to translate numbers to German. Each combination of the
norm's place and a warm-up starts from the same weights per seed and reads the same batches. Before
the first step the gradient of every layer is measured, then the loss is followed. The gradient is
not clipped: clipping hides what is to be seen.
"""

from functools import partial
from itertools import product

import torch

from tutorial_lib.datasets import load_numbers
from tutorial_lib.models import Transformer, TransformerConfig
from tutorial_lib.objectives import translation_loss
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.recipes.translation import BatchesByLength
from tutorial_lib.recipes.translator import SPECIALS, chunks, normalise
from tutorial_lib.tokenizers import BPETokenizer
from tutorial_lib.training import set_seed, warmup_cosine

SETTINGS = {
    "seeds": [0, 1, 2, 3, 4],
    "norms": ["post", "pre"],
    "warmups": [0, 100],
    "steps": 400,
    "mean_over": 20,
    "lr": 2e-3,
    "batch_size": 32,
    "n_numbers": 20_000,
    "n_tokenizer": 1_500,
    "vocab_size": 400,
    "d_model": 64,
    "n_layers": 6,
    "n_heads": 4,
    "context": 64,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_numbers": 200,
    "n_tokenizer": 50,
    "steps": 4,
    "mean_over": 2,
    "warmups": [0],
    "d_model": 8,
    "n_layers": 2,
}


def data_bytes():
    """Return what identifies the numbers, for their hash in the table."""
    return load_numbers("de", n_train=SETTINGS["n_numbers"]).fingerprint.encode()


def run(settings, progress=True):
    """Train every norm and warm-up with every seed; return the rows of the table."""
    pairs = load_numbers("de", n_train=settings["n_numbers"]).train
    pairs = [(normalise(source), target) for source, target in pairs]
    lines = [line for pair in pairs[: settings["n_tokenizer"]] for line in pair]
    tokenizer = BPETokenizer.train("\n".join(lines), settings["vocab_size"], SPECIALS)
    choices = product(settings["norms"], settings["warmups"], settings["seeds"])
    return {"rows": [_train(pairs, tokenizer, *choice, settings, progress) for choice in choices]}


def _train(pairs, tokenizer, norm, warmup, seed, settings, progress):
    set_seed(seed)
    sizes = {name: settings[name] for name in ("context", "d_model", "n_layers", "n_heads")}
    model = Transformer(TransformerConfig(tokenizer.vocab_size, norm=norm, **sizes))
    batches = BatchesByLength(pairs, tokenizer, settings["batch_size"], seed)
    loss = partial(translation_loss, pad_id=batches.pad, smoothing=0.0)
    gradients = gradient_norms(model, loss, next(iter(batches)))
    rate = partial(warmup_cosine, steps=settings["steps"], peak=settings["lr"], warmup=warmup)
    options = {"lr": rate, "clip": None, "seed": seed}
    history = train_on_cpu(model, batches, loss, settings, progress, **options)
    means = [sum(part) / len(part) for part in chunks(history.loss, settings["mean_over"])]
    return {
        "norm": norm,
        "warmup": warmup,
        "seed": seed,
        "encoder_gradients": [round(value, 4) for value in gradients["encoder"]],
        "decoder_gradients": [round(value, 4) for value in gradients["decoder"]],
        "loss": [round(value, 4) for value in means],
    }


def gradient_norms(model, loss, batch):
    """Return the gradient norm of every layer's parameters, by stack, first layer first.

    loss(model, batch) is a scalar tensor, as for `fit`. Leaves the model without gradients.

    >>> model = Transformer(TransformerConfig(source_vocab_size=9, d_model=4, n_heads=2))
    >>> ids = torch.tensor([[1, 5, 2]])
    >>> found = gradient_norms(model, partial(translation_loss, pad_id=0), (ids, ids))
    >>> {stack: len(norms) for stack, norms in found.items()}
    {'encoder': 6, 'decoder': 6}
    """
    model.zero_grad()
    loss(model, batch).backward()
    norms = {
        stack: [_norm(layer) for layer in layers]
        for stack, layers in (("encoder", model.encoder_blocks), ("decoder", model.decoder_blocks))
    }
    model.zero_grad()
    return norms


def gradients_before_training(norm, seed, vocab_size, batch, pad_id, n_layers=12):
    """Return a row for `figures.gradient_norms`: an untrained model of n_layers + n_layers layers.

    norm: "post" or "pre"; batch: (source, target) ids of `BatchesByLength`. The other sizes are the
    recipe's.
    """
    set_seed(seed)
    sizes = {name: SETTINGS[name] for name in ("context", "d_model", "n_heads")}
    model = Transformer(TransformerConfig(vocab_size, norm=norm, n_layers=n_layers, **sizes))
    found = gradient_norms(model, partial(translation_loss, pad_id=pad_id, smoothing=0.0), batch)
    named = {f"{stack}_gradients": values for stack, values in found.items()}
    return {"norm": norm, "seed": seed, **named}


def _norm(layer):
    return torch.cat([parameter.grad.flatten() for parameter in layer.parameters()]).norm().item()
