"""Chapter 06: who fills the gaps of the plays held out, a BERT or a GPT of its size.

In one pass, PlayBERT reads the text from both sides, and PlayGPT up to the gap. In many, each puts
words into the gap: PlayGPT all that may be answered, and reads the text once for each; PlayBERT its
20 best, and reads the text once for each of its other tokens, with that token hidden (1,194 times a
gap, on average). All of it takes 25 minutes on two cores.

PlayGPT was trained with dropout 0.1, PlayBERT without. With it (87 minutes beside other work, one
seed) PlayBERT finds 0.29 of the words, and judges fewer pairs right.
"""

from tutorial_lib.recipes.gap_tests import (
    cloze_share,
    cloze_share_by_trying,
    cloze_share_of_gpt,
    gaps_held_out,
)
from tutorial_lib.recipes.play_gpt import data_bytes  # noqa: F401
from tutorial_lib.recipes.stored import load_checkpoint

SETTINGS = {"gaps": 600, "tried": 20}  # tried: the words that PlayBERT puts into a gap
SMOKE = {"gaps": 2, "tried": 2}


def run(settings, progress=True):
    """Return the share of the words that each way of reading finds, and the words it tries."""
    bert, gpt = load_checkpoint("play-bert"), load_checkpoint("play-gpt")
    gaps, words = gaps_held_out(bert.tokenizer, settings["gaps"])
    ways = {
        "PlayBERT, both sides": (cloze_share(bert, gaps, words), 0),
        "PlayGPT, up to the gap": (cloze_share_of_gpt(gpt, gaps, words, whole=False), 0),
        "PlayBERT, its best words tried": (
            cloze_share_by_trying(bert, gaps, words, settings["tried"]),
            settings["tried"],
        ),
        "PlayGPT, every word tried": (cloze_share_of_gpt(gpt, gaps, words), len(words)),
    }
    return {
        "rows": [
            {"way": way, "found": round(found, 4), "words_tried": tried}
            for way, (found, tried) in ways.items()
        ]
    }
