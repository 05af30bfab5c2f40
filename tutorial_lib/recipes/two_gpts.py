"""Chapter 05: what a hundred times the parameters and a million times the text buy.

Our GPT of characters and SmolLM2 read the same texts, and what each needs is given in bits a
character, so that models with different tokens compare. The plays are held out from ours. SmolLM2
has surely met Shakespeare on the web, so both also read prose that was written for this course
after SmolLM2 was trained.
"""

import math

import torch
from tqdm.auto import tqdm

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.recipes import shakespeare_gpt
from tutorial_lib.recipes.pretrained import read_smollm2
from tutorial_lib.recipes.stored import load_card, load_checkpoint

NEW_PROSE = """\
A chatbot writes its answer one word piece at a time, and the network that chooses the pieces is a
transformer. In this course you build one from its parts, test each part, and watch it work on real
text and real pictures. Before a cell reveals a number, you are asked for a guess. Nobody grades
it: a guess that was wrong is what you remember best. An explorer is something to play with, so
move every slider to both ends and see what breaks. When an exercise refuses your answer, it says
which mistake yours looks like, and a hint is never far away. Some afternoons you will read more
than you write, and that is fine. Our kettle whistles a little flat, the window sticks in wet
weather, and the neighbour who practises the tuba has moved on from scales to something slow and
sad. We measured everything that could be measured, twice when the number looked too good, and
wrote down what did not work beside what did. If you find a sentence that puzzles you, tell us
where, and the next reader will have an easier time.
"""

SETTINGS = {"characters": 5_000, "window": 512}
SMOKE = {"characters": 60, "window": 8}


def data_bytes():
    """Return what is read, as bytes."""
    return "".join(texts(SETTINGS["characters"]).values()).encode()


def texts(characters):
    """Return {name: text}: the beginnings of the held-out plays, and the new prose."""
    held_out = load_card("shakespeare-gpt")["settings"]["held_out"]
    plays = {p.title: p.text[:characters] for p in load_shakespeare().plays if p.title in held_out}
    return plays | {"new prose": NEW_PROSE[:characters]}


@torch.no_grad()
def bits(model, ids, window):
    """Return how many bits the tokens ids[1:] cost a decoder-only model, all together.

    It reads windows of so many tokens, each without what came before the window's first token.
    """
    total = 0.0
    for start in range(0, len(ids) - 1, window):
        inputs, targets = ids[start : start + window], ids[start + 1 : start + window + 1]
        logits = model(torch.tensor([inputs[: len(targets)]]))[0].float()  # (T, V)
        log_p = logits.log_softmax(dim=-1).gather(-1, torch.tensor(targets)[:, None])  # (T, 1)
        total -= log_p.sum().item()
    return total / math.log(2)


def run(settings, progress=True):
    """Return the bits a character of both models for each text, and how large they are."""
    smollm2, tokenizer = read_smollm2()
    end = tokenizer.special_tokens["<|endoftext|>"]
    models = {
        "our GPT": (
            load_checkpoint("shakespeare-gpt"),
            lambda text: shakespeare_gpt.encode("\n" + text).tolist(),
        ),
        "SmolLM2": (smollm2, lambda text: [end, *tokenizer.encode(text)]),
    }
    rows = []
    for name, text in tqdm(texts(settings["characters"]).items(), disable=not progress):
        for kind, (model, encode) in models.items():
            ids, window = encode(text), min(settings["window"], model.config.context)
            row = {"text": name, "model": kind, "window": window}
            row |= {"characters": len(text), "tokens": len(ids) - 1}
            rows.append(row | {"bits_a_character": round(bits(model, ids, window) / len(text), 4)})
    sizes = {
        kind: sum(p.numel() for p in model.parameters()) for kind, (model, _) in models.items()
    }
    return {"rows": rows, "parameters": sizes}
