"""Chapter 08b: one T5 for six tasks, to write to.

The model "one model" of the recipe `text-to-text`, trained longer.
"""

from functools import partial

from tutorial_lib.datasets import TASKS
from tutorial_lib.objectives import translation_loss
from tutorial_lib.recipes import text_to_text, train_on_cpu
from tutorial_lib.recipes.text_to_text import Batches, Texts, build, exact
from tutorial_lib.tokenizers import UnigramTokenizer
from tutorial_lib.training import Muon

SAME = ("n_train", "n_tokenizer", "vocab_size", "sizes", "context", "batch_size", "lr", "measured")
SETTINGS = {name: text_to_text.SETTINGS[name] for name in SAME}
SETTINGS |= {"seed": 0, "steps": 12_000, "stored_as": "float16"}
SMOKE = SETTINGS | {name: text_to_text.SMOKE[name] for name in SAME if name in text_to_text.SMOKE}
SMOKE |= {"steps": 2}

read_tokenizer = UnigramTokenizer.load
data_bytes = text_to_text.data_bytes


def train(settings, progress=True):
    """Train a T5 on all tasks; its tokenizer is model.tokenizer."""
    texts = Texts(settings)
    model = build(texts, settings, settings["seed"])
    options = {"batch_size": settings["batch_size"], "seed": settings["seed"]}
    batches = Batches(texts.rows(TASKS), texts.pad, **options)
    loss = partial(translation_loss, pad_id=texts.pad, smoothing=0.0)
    train_on_cpu(model, batches, loss, settings, progress, optimizer=Muon)
    model.tokenizer = texts.tokenizer
    return model.eval()


def evaluate(model):
    """Return the share of each task's test examples written without a wrong letter."""
    texts = Texts(SETTINGS, model.tokenizer)
    return {task: exact(model.eval(), texts, task, SETTINGS) for task in TASKS}
