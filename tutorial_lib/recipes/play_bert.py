"""Chapter 06: PlayBERT. The BERT of `shakespeare-bert`, trained eight times as long.

After 1,500 steps that BERT fills a gap no better than a table of both neighbours, and is right
about next sentences hardly more often than a coin. Both come with more steps. The short one stays
the body of 06b's folds and the teacher and forger of 08a, whose trainings are short, too.

With so many steps its first heads need not begin at the neighbours: from an ordinary start
(`offsets: []`) it finds 0.32 of the chapter's 600 words, 0.29 with two words on each side in
view, and judges 0.76 of the pairs of 30 tokens right.
"""

from tutorial_lib.recipes.shakespeare_bert import SETTINGS as SHORT
from tutorial_lib.recipes.shakespeare_bert import (  # noqa: F401 (a recipe has these names)
    SMOKE,
    data_bytes,
    evaluate,
    read_tokenizer,
    train,
)

SETTINGS = SHORT | {"steps": 12_000}
