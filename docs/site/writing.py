"""SmolLM2 continues a sentence: what it wrote, with its probabilities, for the front page.

    python docs/site/writing.py

writes `docs/site/js/writing.json`. The page replays it token by token and says so.
"""

import json
from pathlib import Path

from tutorial_lib.explorers.generation_writer import Settings, Writer
from tutorial_lib.recipes.pretrained import read_smollm2

PROMPT, TEMPERATURE = "My favourite thing about the sea is", 0.7
TOKENS, SHOWN = 24, 5
STORED = Path(__file__).parent / "js" / "writing.json"


def written():
    """Return the prompt and, for each token, [text, its probability, the likeliest ones]."""
    model, tokenizer = read_smollm2()
    writer = Writer(model, tokenizer.encode, tokenizer.decode)
    writer.read(PROMPT)
    tokens = []
    for _ in range(TOKENS):
        shares, ids = (writer.logits / TEMPERATURE).softmax(-1).topk(SHOWN)
        could = [
            [writer.label(i), round(p, 4)]
            for i, p in zip(ids.tolist(), shares.tolist(), strict=True)
        ]
        token = writer.write(Settings(TEMPERATURE))
        tokens.append([token.text, round(token.drawn, 4), could])
    return {"prompt": PROMPT, "tokens": tokens}


if __name__ == "__main__":
    STORED.write_text(json.dumps(written(), ensure_ascii=False) + "\n", encoding="utf-8")
