"""Chapter 06b: MiniLM marks names, frozen and fine-tuned, on the plays of `play-names`.

The same three folds, the same labels and the same measure as the recipe `play-names`, with a body
of 22 million parameters that has read the web, where Shakespeare's characters occur. It is not
new to the plays held out, as PlayBERT is. Frozen, only its head learns, on the vectors after the
last layer or after layer 5 of 6.
"""

from dataclasses import replace

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.datasets.play_names import name_words
from tutorial_lib.models import BERT
from tutorial_lib.recipes import play_names
from tutorial_lib.recipes.name_tagger import fine_tune_names, tag
from tutorial_lib.tokenizers import WordPieceTokenizer

SETTINGS = {
    name: play_names.SETTINGS[name] for name in ("seeds", "held_out", "plays", "measured")
} | {
    "tokens": 1_024,  # of a batch
    "made_up": 0.0,
    # Chosen on three plays of no fold, where 1e-4 and 6e-4 with half of the names exchanged, and
    # 3e-4 with nine of ten, came to F1 .73, .74 and .73. This came to .77, the capitals to .57.
    "MiniLM": {"steps": 120, "lr": 3e-4},
    # On three such plays 3e-3, 1e-2 and 3e-2 came to .43, .49 and .55, this to .57. More steps with
    # 3e-2 brought no more.
    "MiniLM, frozen": {"steps": 360, "lr": 1e-1},
    "MiniLM, frozen, layer 5": {"steps": 360, "lr": 1e-1},
    "shown": 12,  # speeches a fold, with what the fine-tuned model says
}
BRIEF = {"steps": 1, "lr": 1e-3}
SMOKE = SETTINGS | {
    "plays": 2,
    "measured": 20,
    "tokens": 100,
    "MiniLM": BRIEF,
    "MiniLM, frozen": BRIEF,
    "MiniLM, frozen, layer 5": BRIEF,
    "shown": 1,
}


def data_bytes():
    """Return the plays and MiniLM's weights as bytes, for their hash in the table."""
    weights = minilm_folder() / "model.safetensors"
    return play_names.shakespeare_bert.data_bytes() + weights.read_bytes()


def run(settings, progress=True):
    """Train all three on each fold; return rows and speeches to show like those of `play-names`."""
    rows, shown = [], []
    for seed, held_out in zip(settings["seeds"], settings["held_out"], strict=True):
        training, measured = play_names.speeches_of(settings, held_out)
        known = name_words(training)
        for name in ("MiniLM, frozen", "MiniLM, frozen, layer 5", "MiniLM"):
            tagger = trained(name, training, settings, seed, progress)
            said = tag(tagger, measured)
            rows.append(
                {"model": name, "seed": seed, "step": settings[name]["steps"]}
                | play_names.scores(said, measured, known)
            )
            if name == "MiniLM":
                shown += play_names.to_show(measured, said, settings["shown"], seed)
    return {"rows": rows, "shown": shown}


def trained(name, training, settings, seed, progress):
    """Return MiniLM with a head that has learned the labels of speeches; frozen, or with it."""
    model = BERT.from_pretrained(minilm_folder())
    if name == "MiniLM, frozen, layer 5":
        model = first_layers(model, 5)
    model.tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    model.requires_grad_(name == "MiniLM")
    tagger, _ = fine_tune_names(
        model,
        training,
        **{key: settings[key] for key in ("tokens", "made_up")},
        **settings[name],
        seed=seed,
        optimizer=None,  # AdamW, as usual for fine-tuning
        progress=progress,
    )
    return tagger


def first_layers(model, n):
    """Return a BERT of the first n layers of another, without its heads."""
    shorter = BERT(replace(model.config, n_layers=n, mlm=False, nsp=False, pooler=False))
    shorter.load_state_dict(
        {name: model.state_dict()[name] for name in shorter.state_dict()}  # the others fall away
    )
    return shorter.eval()
