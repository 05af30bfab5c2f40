"""Draw docs/writing.gif: SmolLM2 continues a sentence in the explorer of chapter 00.

python docs/draw_writing.py   (it needs Chromium, as `make notebooks` does)
"""

import io
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from browser import launched  # noqa: E402
from explorer_page import ExplorerPage  # noqa: E402

from tutorial_lib.explorers import GenerationExplorer  # noqa: E402
from tutorial_lib.recipes.pretrained import read_smollm2  # noqa: E402

PICTURE = Path(__file__).with_name("writing.gif")
PROMPT, TOKENS = "My favourite thing about the sea is", 24
FRAME, LAST = 450, 3000  # milliseconds


def draw():
    """Write the animation."""
    model, tokenizer = read_smollm2()
    explorer = GenerationExplorer(
        model, tokenizer.encode, tokenizer.decode, PROMPT, temperature=0.7, simple=True
    )
    frames = []
    with launched() as browser:
        page = browser.new_page(viewport={"width": 700, "height": 700})
        shown = ExplorerPage(page, explorer).show()
        for _ in range(TOKENS):
            frames.append(Image.open(io.BytesIO(page.screenshot())))
            page.get_by_role("button", name="Write one token").click()
            shown.answered()
    few = [frame.convert("RGB").quantize(64, dither=Image.Dither.NONE) for frame in frames]
    few[0].save(
        PICTURE,
        save_all=True,
        append_images=few[1:],
        duration=[FRAME] * (len(few) - 1) + [LAST],
        loop=0,
        optimize=True,
    )


if __name__ == "__main__":
    draw()
