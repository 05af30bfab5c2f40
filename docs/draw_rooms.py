"""Draw docs/rooms.svg: the rooms of tutorial_lib on their floors, as `FLOORS` has them.

python docs/draw_rooms.py
"""

from pathlib import Path

import matplotlib
from matplotlib.patches import FancyBboxPatch

from tutorial_lib import FLOORS
from tutorial_lib.figures import style

PICTURE = Path(__file__).with_name("rooms.svg")
WIDTH, HEIGHT = 1.86, 0.74  # of a room, in inches

# room -> what it is for, in a few words
PURPOSE = {
    "errors": "what can go wrong",
    "lazy": "loads when used",
    "pages": "start here: a page each",
    "files": "weights, JSON, the hub",
    "positions": "sinusoids to rotary",
    "embeddings": "word and text vectors",
    "decoding": "sampling, beam search",
    "tokenizers": "BPE, WordPiece, Unigram",
    "attention": "heads, masks, caches",
    "training": "the loop, Muon, resuming",
    "datasets": "plays, reviews, digits",
    "models": "Transformer, GPT, BERT, ViT",
    "objectives": "batches and losses",
    "interpret": "trace and intervene",
    "figures": "pictures from arrays",
    "recipes": "the long trainings",
    "explorers": "what moves in a notebook",
    "exercises": "check, hint, keep",
    "setup_check": "is all installed?",
}


def draw():
    """Return the figure: the lowest floor at the bottom, the pages in a colour of their own."""
    with matplotlib.rc_context(style.RC | {"svg.fonttype": "none", "svg.hashsalt": "rooms"}):
        widest = max(map(len, FLOORS))
        figure = style.blank(width=widest * WIDTH + 0.3, height=len(FLOORS) * HEIGHT + 0.5)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, widest * WIDTH + 0.3), ylim=(0, len(FLOORS) * HEIGHT + 0.5))
        axes.axis("off")
        for height, floor in enumerate(FLOORS):
            left = 0.15 + (widest - len(floor)) * WIDTH / 2
            for n, room in enumerate(floor):
                _draw_room(axes, room, left + n * WIDTH, 0.12 + height * HEIGHT)
        top = len(FLOORS) * HEIGHT + 0.3
        axes.text(0.15, top, "A room imports only from lower floors", weight="bold", va="center")
        return figure


def _draw_room(axes, room, x, y):
    start = room == "pages"
    face, edge = (style.AMBER, style.AMBER) if start else ("white", style.BLUE)
    size = {"width": WIDTH - 0.12, "height": HEIGHT - 0.14}
    shape = "round,pad=0,rounding_size=0.08"
    axes.add_patch(FancyBboxPatch((x, y), **size, boxstyle=shape, fc=face, ec=edge, lw=1.3))
    middle = x + size["width"] / 2
    axes.text(middle, y + 0.39, room, ha="center", va="center", weight="bold", fontsize=10.5)
    colour = style.INK if start else style.MUTED
    axes.text(middle, y + 0.17, PURPOSE[room], ha="center", va="center", fontsize=8, color=colour)


if __name__ == "__main__":
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "rooms"}):
        draw().savefig(PICTURE, metadata={"Date": None})
    lines = PICTURE.read_text(encoding="utf-8").splitlines()
    PICTURE.write_text("\n".join(map(str.rstrip, lines)) + "\n", encoding="utf-8")
    print(PICTURE.name)
