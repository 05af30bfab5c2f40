"""Chapter 06b: which words of a speech are names? What 650 speeches teach a head, and a body.

Names belong to a play. So each fold keeps three plays for the test and every fifth of the others
for choices, and draws its speeches by its seed. The first fold is the one that the chapter trains
live; its PlayBERT is the checkpoint `shakespeare-bert`. The other two share an encoder that the
same recipe trains without all six of their plays. MiniLM has read the web, where Shakespeare's
characters occur: the names are not new to it.

Both tokenizers make all letters small, so that a capital cannot give a name away. It can to the
rule "capitals".
"""

import random

import torch
import torch.nn.functional as F

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.datasets.play_names import NOT_NAMES, draw_parts
from tutorial_lib.models import BERT
from tutorial_lib.objectives import IGNORED, TAGS, entities, piece_labels, span_scores
from tutorial_lib.recipes import CHECKPOINTS, load_checkpoint, shakespeare_bert
from tutorial_lib.recipes.frozen_speeches import at_layer, each_layer, read_speeches, tags_of
from tutorial_lib.recipes.name_tagger import fine_tune_names
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],  # one a fold
    "held_out": [
        shakespeare_bert.SETTINGS["held_out"],
        ["Macbeth", "King John", "Much Ado About Nothing"],
        ["Othello", "Henry VIII", "As You Like It"],
    ],
    "drawn": None,  # how many speeches of each part, None for all
    "frozen": {"steps": 200, "lr": 3e-2},  # all tokens in each step, as in the chapter
    # Chosen by F1 on 130 validation speeches of the first fold. MiniLM: .87 (60 steps .84, lr 1e-4
    # .87); PlayBERT: .67 (lr 1e-3 .66, 3e-3 .57), from scratch: .46 (lr 3e-4 .43, 3e-3 0).
    "fine-tuned": {
        "PlayBERT, from scratch": {"steps": 180, "tokens": 1_024, "lr": 1e-3},
        "PlayBERT": {"steps": 180, "tokens": 1_024, "lr": 3e-4},
        "MiniLM": {"steps": 120, "tokens": 1_024, "lr": 3e-4},
    },
    "shown": 12,  # test speeches a fold, with what the fine-tuned MiniLM says
    "pretraining": {},  # changes to the settings of shakespeare-bert
}
BRIEF = {"steps": 1, "tokens": 200, "lr": 1e-3}
SMOKE = SETTINGS | {
    "drawn": 8,
    "frozen": {"steps": 1, "lr": 3e-2},
    "fine-tuned": dict.fromkeys(SETTINGS["fine-tuned"], BRIEF),
    "shown": 1,
    "pretraining": shakespeare_bert.SMOKE,
}


def data_bytes():
    """Return the plays and the weights it starts from as bytes, for their hash in the table."""
    weights = (CHECKPOINTS / "shakespeare-bert.safetensors", minilm_folder() / "model.safetensors")
    return shakespeare_bert.data_bytes() + b"".join(path.read_bytes() for path in weights)


def run(settings, progress=True):
    """Score the rule and each body, frozen and fine-tuned, on each fold; return rows, and speeches.

    A row has the model, its seed, the layer that a frozen one is read at (None if fine-tuned), and
    precision, recall and F1 of the validation and of the test part.
    """
    rows, shown = [], []
    folds = zip(settings["seeds"], settings["held_out"], encoders(settings, progress), strict=True)
    for seed, held_out, (pretraining, playbert) in folds:
        train, *judged = (part[: settings["drawn"]] for part in draw_parts(held_out, seed))
        bodies = {
            "PlayBERT, from scratch": untrained(pretraining, playbert.tokenizer, seed),
            "PlayBERT": playbert,
            "MiniLM": minilm(),
        }
        said = {("capitals", None): [in_capitals(part) for part in judged]}
        for name in ("PlayBERT", "MiniLM"):
            of_layers = frozen(bodies[name], train, judged, settings["frozen"], seed)
            said |= {(f"{name}, frozen", layer): tags for layer, tags in enumerate(of_layers)}
        for name, how in settings["fine-tuned"].items():
            tagger = fine_tune_names(bodies[name], train, **how, seed=seed, progress=progress)
            said[f"{name}, fine-tuned", None] = [
                [
                    tags_of(tagger.token_head, row)
                    for row in at_layer(read_speeches(tagger, part, piece_labels), -1)
                ]
                for part in judged
            ]
        rows += [
            {"model": name, "layer": layer, "seed": seed, **scores(of_parts, judged)}
            for (name, layer), of_parts in said.items()
        ]
        shown += to_show(judged[1], said["MiniLM, fine-tuned", None][1], settings["shown"], seed)
    return {"rows": rows, "shown": shown}


def minilm():
    """Return the ready-made MiniLM with its tokenizer."""
    model = BERT.from_pretrained(minilm_folder())
    model.tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    return model


def untrained(pretraining, tokenizer, seed):
    """Return a PlayBERT with random weights, of the sizes in the settings of its pre-training."""
    set_seed(seed)
    model = shakespeare_bert.build(pretraining)
    model.tokenizer = tokenizer
    return model


def encoders(settings, progress):
    """Return, for each fold, the settings of its pre-training and the encoder."""
    others = [title for held_out in settings["held_out"][1:] for title in held_out]
    changed = shakespeare_bert.SETTINGS | settings["pretraining"] | {"held_out": others}
    trained = (changed, shakespeare_bert.train(changed, progress))
    stored = (shakespeare_bert.SETTINGS, load_checkpoint("shakespeare-bert", CHECKPOINTS))
    return [stored, *[trained] * (len(settings["held_out"]) - 1)]


def frozen(model, train, judged, how, seed):
    """Yield, for each layer from 0 on, the tags of each part of judged, one list a speech.

    They come from a linear head that has learned from the speeches in train, and from a model that
    stays as it is.
    """
    for learned_from, *others in zip(
        *(each_layer(read_speeches(model, part, piece_labels)) for part in (train, *judged)),
        strict=True,
    ):
        head = linear_head(learned_from, how, seed)
        yield [[tags_of(head, row) for row in part] for part in others]


def linear_head(rows, how, seed):
    """Return a linear layer that has learned the labels of ReadSpeeches at one layer."""
    vectors = torch.cat([row.vectors for row in rows])  # (N, D)
    labels = torch.cat([row.labels for row in rows])  # (N,)
    set_seed(seed)
    head = torch.nn.Linear(vectors.size(1), len(TAGS))
    fit(
        head,
        [(vectors, labels)],
        lambda head, batch: F.cross_entropy(head(batch[0]), batch[1], ignore_index=IGNORED),
        steps=how["steps"],
        lr=lambda step: how["lr"],
        betas=(0.9, 0.999),
        clip=None,
        seed=seed,
        device="cpu",
        progress=False,
    )
    return head


def to_show(speeches, said, n, seed):
    """Return n of the speeches with a name, true or said, drawn by the seed, and what was said."""
    found = [
        {
            "seed": seed,
            "play": speech.play,
            "words": speech.words,
            "tags": speech.tags,
            "said": tags,
        }
        for speech, tags in zip(speeches, said, strict=True)
        if {*speech.tags, *tags} != {"O"}
    ]
    return random.Random(seed).sample(found, min(n, len(found)))


def in_capitals(speeches):
    """Tag the words with a capital that do not begin a line or sentence.

    I and O are left out, and so are the titles and countries that the labels leave out.
    """
    return [
        runs(
            word[0].isupper()
            and word not in ("I", "O")
            and word.lower() not in NOT_NAMES
            and not opens
            for word, opens in zip(speech.words, speech.opens, strict=True)
        )
        for speech in speeches
    ]


def runs(is_name):
    """Return B/I/O tags of booleans: words that follow one another are one name.

    >>> runs([True, True, False, True])
    ('B', 'I', 'O', 'B')
    """
    tags = []
    for name in is_name:
        tags.append(("I" if tags and tags[-1] != "O" else "B") if name else "O")
    return tuple(tags)


def scores(said, parts):
    """Return precision, recall and F1 of tags in the validation and in the test part, as a dict.

    said: for each of the two parts, tags for each speech.
    """
    found = {}
    for part, of_part, speeches in zip(("validation", "test"), said, parts, strict=True):
        true = [entities(speech.tags) for speech in speeches]
        of_part = span_scores([entities(tags) for tags in of_part], true)
        found |= {f"{part}_{name}": share for name, share in of_part._asdict().items()}
    return found
