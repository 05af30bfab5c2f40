"""Chapter 06: fill in the blank, by a model that sees both sides and by one that looks back.

A BERT that says masked tokens and a GPT that says the next one, of the same layers, width and
vocabulary, read the same stretches of 35 plays in the same number of steps with the same
optimizer. Then one token is hidden in each stretch of three other plays. The BERT sees what stands
on both sides. The GPT sees the left side; asked again, it may use the right side too, if it pays
for it: each of its first guesses is put in, and the likeliest whole stretch wins.
"""

import time

import torch
import torch.nn.functional as F

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models.gpt import GPT, GPTConfig
from tutorial_lib.objectives import (
    MaskedTokens,
    mask_tokens,
    masked_token_loss,
    next_token_loss,
    shifted,
)
from tutorial_lib.recipes import shakespeare_bert, share_of_true, train_on_cpu
from tutorial_lib.recipes.gap_tests import found_by_counting
from tutorial_lib.recipes.shakespeare_bert import SETTINGS as BERT_SETTINGS
from tutorial_lib.recipes.shakespeare_bert import in_sentences, scenes
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": BERT_SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    "min_count": BERT_SETTINGS["min_count"],
    "sizes": BERT_SETTINGS["sizes"] | {"context": 33},
    "offsets": BERT_SETTINGS["offsets"],
    "share": BERT_SETTINGS["share"],
    "length": 32,  # tokens of a stretch, behind [CLS]
    "batch_size": 64,
    "steps": 600,
    # Chosen by 120 steps with half of it, it and twice as much, on two plays and a seed of their
    # own: the BERT fills .065, .089 and .045 of the blanks, the GPT .134, .146 and .152.
    "lr": 5e-3,
    "looks": 5,  # how often the accuracy is measured on the way
    "measured": 300,  # stretches of the plays held out
    "places": [0, 4, 8, 16, 24, 28, 31],  # of the blank: so many tokens stand on its left
    "candidates": 30,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "plays": 2,
    "sizes": {"vocab_size": 200, "context": 9, "d_model": 8, "n_layers": 1, "n_heads": 2},
    "length": 8,
    "batch_size": 4,
    "steps": 3,
    "looks": 1,
    "measured": 5,
    "places": [0, 7],
    "candidates": 3,
}
LOSSES = {"GPT": next_token_loss, "BERT": masked_token_loss}


data_bytes = shakespeare_bert.data_bytes


def run(settings, progress=True):
    """Train both models with every seed; return three tables.

    `rows`: the accuracy of each way at each place of the blank; `curve`: that of both models after
    so many steps, a mean over the places; `trainings`: what each training was and cost.
    """
    data = read(settings)
    rows, curve, trainings = [], [], []
    for seed in settings["seeds"]:
        models = []
        for name in ("GPT", "BERT"):
            model, on_the_way, training = train_one(name, data, seed, settings, progress)
            models.append(model)
            curve += on_the_way
            trainings.append(training)
        rows += [{"seed": seed} | row for row in blanks(*models, data, settings)]
    return {"rows": rows, "curve": curve, "trainings": trainings}


def read(settings):
    """Return the tokenizer, stretches to train on and stretches to measure, [CLS] before each.

    Both are (N, 1 + length). The tokenizer has learnt from the former alone; the latter come from
    all scenes held out, and are the same for every place and seed.
    """
    plays = load_shakespeare().plays
    test = [play for play in plays if play.title in settings["held_out"]]
    train = [play for play in plays if play.title not in settings["held_out"]][: settings["plays"]]
    text = "\n".join(speech.text for play in train for speech in play.speeches)
    vocab_size = settings["sizes"]["vocab_size"]
    tokenizer = WordPieceTokenizer.train(text, vocab_size, min_count=settings["min_count"])
    train, test = (stretches(part, tokenizer, settings["length"]) for part in (train, test))
    return tokenizer, train, measured(test, settings)


def measured(stretches, settings):
    """Return as many stretches as are measured, evenly spread over all of them."""
    return stretches[torch.linspace(0, len(stretches) - 1, settings["measured"]).long()]


def stretches(plays, tokenizer, length):
    """Return what is said in plays, cut into stretches, each behind [CLS]: (N, 1 + length)."""
    return cut(scenes(plays, tokenizer), tokenizer, length)


def cut(texts, tokenizer, length):
    """Return texts, lists of ids, cut into stretches, each behind [CLS]: (N, 1 + length)."""
    documents = in_sentences(texts, length)
    return torch.tensor([[tokenizer.cls_id, *ids] for document in documents for ids in document])


def build(name, settings):
    """Return an untrained "GPT", or a "BERT" with the one head that says masked tokens."""
    if name == "GPT":
        return GPT(GPTConfig(**settings["sizes"]))
    return shakespeare_bert.build(settings).with_heads(pooler=False, nsp=False)


def train_one(name, data, seed, settings, progress=True):
    """Return the trained model, its rows of `curve`, and its row of `trainings`."""
    tokenizer, train, test = data
    set_seed(seed)
    model = build(name, settings)
    batches = Batches(name, train, tokenizer, seed, settings)
    spent_looking = 0.0

    def look(model):
        nonlocal spent_looking
        before = time.process_time()
        right = [answer(model, test, p, tokenizer) == test[:, 1 + p] for p in settings["places"]]
        spent_looking += time.process_time() - before
        return {"accuracy": share_of_true(torch.cat(right))}

    started = time.process_time()
    history = train_on_cpu(
        model,
        batches,
        LOSSES[name],
        settings,
        progress,
        optimizer=Muon,
        evaluate=look,
        evaluate_every=settings["steps"] // settings["looks"],
        seed=seed,
    )
    seconds = time.process_time() - started - spent_looking
    about = {"model": name, "seed": seed}
    training = about | {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "steps": settings["steps"],
        "tokens_a_step": settings["batch_size"] * settings["length"],
        "loss_terms_a_step": loss_terms(next(iter(batches))),
        "cpu_seconds": round(seconds, 1),
    }
    return model.eval(), [about | row for row in history.evaluations], training


def loss_terms(batch):
    """Return how many tokens a batch asks for: all of (inputs, targets), those chosen if masked."""
    return (batch.targets if isinstance(batch, MaskedTokens) else batch[1]).numel()


class Batches:
    """Endless batches of random stretches (N, 1 + length): the same ones for both models.

    What the GPT gets fits `next_token_loss`, what the BERT gets `masked_token_loss`. Every `iter`
    starts from the seed.
    """

    def __init__(self, name, stretches, tokenizer, seed, settings):
        self.name, self.stretches, self.tokenizer = name, stretches, tokenizer
        self.seed, self.settings = seed, settings

    def __iter__(self):
        drawing, masking = (torch.Generator().manual_seed(self.seed) for _ in range(2))
        tokenizer, size = self.tokenizer, self.settings["batch_size"]
        while True:
            ids = self.stretches[torch.randint(len(self.stretches), (size,), generator=drawing)]
            if self.name == "GPT":
                yield shifted(ids)
                continue
            yield mask_tokens(
                ids,
                tokenizer.mask_id,
                tokenizer.vocab_size,
                [tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id, tokenizer.unk_id],
                share=self.settings["share"],
                generator=masking,
            )


@torch.no_grad()
def blanks(gpt, bert, data, settings):
    """Return a row for each place of the blank and each way to fill it.

    `accuracy` of the way "in the list" is no answer but a limit: how often the candidates hold the
    right token.
    """
    tokenizer, train, test = data
    most_frequent = train[:, 1:].flatten().mode().values
    rows = []
    for place in settings["places"]:
        truth = test[:, 1 + place]  # (N,)
        listed = candidates(gpt, test, place, settings["candidates"])
        ways = {
            "most frequent": most_frequent == truth,
            "GPT, left side": answer(gpt, test, place, tokenizer) == truth,
            "in the list": (listed == truth[:, None]).any(1),
            "GPT, whole stretch": likeliest(gpt, test, place, listed) == truth,
            "BERT, both sides": answer(bert, test, place, tokenizer) == truth,
        }
        about = {"place": place, "on_the_right": settings["length"] - 1 - place}
        rows += [
            {"way": way} | about | {"accuracy": share_of_true(right)} for way, right in ways.items()
        ]
    return rows


def neighbours(train, test, tokenizer, settings):
    """Return {place: share} of blanks that a table of both neighbours fills right: no model.

    train, test: scenes as lists of ids; the blanks are those of `blanks`. The table counts what
    comes between two tokens. Where it has no such pair, or the blank has no neighbour on its right,
    the token on the left decides alone.
    """
    ids = measured(cut(test, tokenizer, settings["length"]), settings)
    ids = F.pad(ids, (0, 1), value=tokenizer.pad_id)  # (N, 2 + T): nothing comes after the last
    shares = {}
    for place in settings["places"]:
        chosen = torch.zeros_like(ids, dtype=torch.bool)
        chosen[:, 1 + place] = True
        tokens = MaskedTokens(ids, None, None, chosen, ids[chosen])
        found = found_by_counting(train, tokens, tokenizer.vocab_size)
        shares[place] = found["from both neighbours"]
    return shares


def answer(model, ids, place, tokenizer):
    """Return what a GPT or BERT puts (N,) behind the first `place` tokens of ids (N, 1 + T)."""
    if isinstance(model, GPT):
        return candidates(model, ids, place, 1)[:, 0]
    masked = ids.clone()
    masked[:, 1 + place] = tokenizer.mask_id
    return model.mlm_logits(model(masked)[:, 1 + place]).argmax(-1)


def candidates(gpt, ids, place, n):
    """Return the likeliest tokens (N, n) behind the first `place`, best first; left side only."""
    return gpt(ids[:, : 1 + place], last_only=True)[:, 0].topk(n).indices


def likeliest(gpt, ids, place, listed):
    """Return the token (N,) of listed (N, K) with which all of ids (N, 1 + T) is likeliest."""
    best = []
    for rows, choice in zip(ids.split(20), listed.split(20), strict=True):
        filled = rows[:, None].repeat(1, choice.size(1), 1)  # (N, K, 1 + T)
        filled[:, :, 1 + place] = choice
        scores = log_probability(gpt, filled.flatten(0, 1)).view_as(choice)
        best.append(choice.gather(1, scores.argmax(1, keepdim=True))[:, 0])
    return torch.cat(best)


def log_probability(gpt, ids):
    """Return log p of all tokens behind the first of each row, in nats: (N,) from (N, 1 + T)."""
    inputs, targets = shifted(ids)
    logits = gpt(inputs)  # (N, T, V)
    return -F.cross_entropy(logits.mT, targets, reduction="none").sum(1)
