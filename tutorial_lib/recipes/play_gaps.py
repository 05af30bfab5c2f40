"""Chapter 06: who fills the gaps of the plays held out, a BERT or a GPT of its size.

PlayBERT reads a text once, from both sides. PlayGPT reads up to the gap, once; then it reads the
whole text with each word that may be answered in the gap, which takes minutes for 600 gaps.

PlayGPT was trained with dropout 0.1, PlayBERT without. With it (87 minutes beside other work, one
seed) PlayBERT finds 0.29 of the words, and judges fewer pairs right.
"""

from tutorial_lib.recipes.gap_tests import cloze_share, cloze_share_of_gpt, gaps_held_out
from tutorial_lib.recipes.play_gpt import data_bytes  # noqa: F401
from tutorial_lib.recipes.stored import load_checkpoint

SETTINGS = {"gaps": 600}  # those of the notebook
SMOKE = {"gaps": 2}


def run(settings, progress=True):
    """Return the share of the words that each way of reading finds, and its passes for a gap."""
    bert, gpt = load_checkpoint("play-bert"), load_checkpoint("play-gpt")
    gaps, words = gaps_held_out(bert.tokenizer, settings["gaps"])
    ways = {
        "PlayBERT, both sides": (cloze_share(bert, gaps, words), 1),
        "PlayGPT, up to the gap": (cloze_share_of_gpt(gpt, gaps, words, whole=False), 1),
        "PlayGPT, every word tried": (cloze_share_of_gpt(gpt, gaps, words), len(words)),
    }
    return {
        "rows": [
            {"way": way, "found": round(found, 4), "passes": passes}
            for way, (found, passes) in ways.items()
        ]
    }
