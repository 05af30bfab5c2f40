"""Chapter 06b: does MiniLM find more names of a play when it learns, too?

On the chapter's own small scale: some hundred short speeches to learn from, as many of the plays
held out to judge by, drawn by the seed. "frozen" is a linear head on MiniLM's last vectors;
"fine-tuned" begins with that head, and all but the embeddings learns with it. "capitals" is the
rule of `play_names`, on the same speeches.
"""

import random

import torch
import torch.nn.functional as F

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.datasets.play_names import load_play_names
from tutorial_lib.models import BERT
from tutorial_lib.objectives import IGNORED, TAGS, entities, span_scores
from tutorial_lib.recipes import shakespeare_bert
from tutorial_lib.recipes.name_tagger import NameBatches, name_loss, tag
from tutorial_lib.recipes.play_names import in_capitals
from tutorial_lib.recipes.review_classifier import freeze_embeddings
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "learned_from": [450, 200],  # speeches with a name, and without
    "judged_by": [200, 200],
    "words": [5, 40],  # of a speech
    "tokens": 768,  # of a batch
    "head": {"steps": 100, "lr": 1e-2},
    "fine_tuned": {"steps": 100, "lr": 1e-4},
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "learned_from": [6, 4],
    "judged_by": [4, 4],
    "tokens": 100,
    "head": {"steps": 2, "lr": 1e-2},
    "fine_tuned": {"steps": 2, "lr": 1e-4},
}


def data_bytes():
    """Return the plays as bytes, for their hash in the table."""
    return shakespeare_bert.data_bytes()


def run(settings, progress=True):
    """Measure capitals, the frozen and the fine-tuned MiniLM for each seed; return the rows."""
    return {
        "rows": [row for seed in settings["seeds"] for row in run_seed(settings, seed, progress)]
    }


def run_seed(settings, seed, progress=True):
    """Return the rows of one seed."""
    labelled = load_play_names()
    others = [title for title in labelled if title not in settings["held_out"]]
    draw = random.Random(seed)
    training, judged = (
        drawn([s for title in titles for s in labelled[title]], settings, sizes, draw)
        for titles, sizes in (
            (others, settings["learned_from"]),
            (settings["held_out"], settings["judged_by"]),
        )
    )
    minilm = BERT.from_pretrained(minilm_folder())
    tagger = minilm.with_heads(n_labels=len(TAGS), mlm=False, nsp=False, pooler=False).eval()
    tagger.tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    batches = NameBatches(training, tagger.tokenizer, settings["tokens"], seed)
    said = {"capitals": in_capitals(judged)}
    learn_head(tagger, batches, **settings["head"], seed=seed)
    said["frozen"] = tag(tagger, judged)
    freeze_embeddings(tagger)
    about = settings["fine_tuned"] | {"seed": seed, "device": "cpu", "progress": progress}
    fit(tagger, batches, name_loss, **about)
    said["fine-tuned"] = tag(tagger.eval(), judged)
    true = [entities(speech.tags) for speech in judged]
    return [
        {"model": name, "seed": seed}
        | span_scores([entities(tags) for tags in of_one], true)._asdict()
        for name, of_one in said.items()
    ]


def drawn(speeches, settings, sizes, draw):
    """Return short speeches: so many with a name, so many without."""
    least, most = settings["words"]
    short = [speech for speech in speeches if least <= len(speech.words) <= most]
    named, plain = ([s for s in short if ("B" in s.tags) is has] for has in (True, False))
    return draw.sample(named, sizes[0]) + draw.sample(plain, sizes[1])


def learn_head(tagger, batches, *, steps, lr, seed):
    """Train the token head of a BERT on what its body, as it is, makes of all rows at once."""
    set_seed(seed)
    head = torch.nn.Linear(tagger.config.d_model, len(TAGS))
    vectors, labels = [], []
    with torch.no_grad():
        for row in batches.rows:
            ids, mask, of_row = batches.stacked([row])
            real = of_row != IGNORED
            vectors.append(tagger(ids, mask=mask)[real])  # (W, D)
            labels.append(of_row[real])
    x, y = torch.cat(vectors), torch.cat(labels)
    optimizer = torch.optim.AdamW(head.parameters(), lr=lr)
    for _ in range(steps):
        loss = F.cross_entropy(head(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tagger.token_head.load_state_dict(head.state_dict())
