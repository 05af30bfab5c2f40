"""The map of 10L: which of the chapter's three ideas each model builds on."""

from matplotlib.patches import Rectangle

from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import arrow, canvas, rounded

# idea -> where the chapter has it, and its colours; from top to bottom
IDEAS = {
    "one space": ("10A to 10E", style.PALE_BLUE, style.BLUE),
    "one row": ("10F to 10I", style.PALE_AMBER, style.AMBER),
    "a coarse grid": ("10J and 10K", style.PALE_GREEN, style.GREEN),
}
# model, year, who -> the ideas that it takes, and what it does. The chapter's references have all.
MODELS = {
    ("VQ-VAE", 2017, "van den Oord et al."): (["a coarse grid"], "a code book"),
    ("VisualBERT", 2019, "Li et al."): (["one row"], "words and regions"),
    ("VideoBERT", 2019, "Sun et al."): (["one row"], "words and frames"),
    ("CLIP", 2021, "Radford et al."): (["one space"], "which text is whose?"),
    ("DALL-E", 2021, "Ramesh et al."): (["one row", "a coarse grid"], "caption, then codes"),
    ("BLIP", 2022, "Li et al."): (["one space"], "with cross-attention"),
    ("Latent diffusion", 2022, "Rombach et al."): (["a coarse grid"], "noise, made clean"),
    ("LLaVA", 2023, "Liu et al."): (["one space", "one row"], "CLIP’s eye, one row"),
    ("SigLIP", 2023, "Zhai et al."): (["one space"], "a pair: yes or no?"),
}
HERE = {"VQ-VAE", "VisualBERT", "VideoBERT", "CLIP", "DALL-E"}  # in this chapter
USES = (("VQ-VAE", "DALL-E"), ("VQ-VAE", "Latent diffusion"))  # its grid
LEFT, COLUMN, LANE, GAP = 1.75, 1.8, 1.46, 0.1  # inches
WIDE, HIGH = 1.6, 0.56  # of a model's box


@style.styled
def text_picture_map(figure=None):
    """A lane an idea, a column a year: each model is in its idea's lane, or across two lanes.

    Across two lanes a box has the colours of both.

    >>> len(text_picture_map().axes[0].patches) >= 3 + 9
    True
    """
    years = sorted({year for _, year, _ in MODELS})
    width = LEFT + COLUMN * len(years)
    top = (LANE + GAP) * len(IDEAS)
    title = "Nine models build on three ideas: this chapter uses the filled ones"
    figure, axes = canvas(figure, width, top + 0.3, title, below=-0.05)
    middles = {}
    for row, (idea, (where, pale, _)) in enumerate(IDEAS.items()):
        low = top - (row + 1) * (LANE + GAP) + GAP
        middles[idea] = low + LANE / 2
        rounded(axes, 0.02, low, width - 0.04, LANE, pale, pale, alpha=0.45)
        said = {"va": "center", "zorder": 4}
        axes.text(0.16, middles[idea] + 0.12, idea, fontsize=12, fontweight="bold", **said)
        axes.text(0.16, middles[idea] - 0.14, where, fontsize=10, color=style.MUTED, **said)
    for at, year in enumerate(years):
        axes.text(
            LEFT + COLUMN * (at + 0.5), top + 0.14, year, ha="center", va="center", fontsize=11
        )
    places = _places(years, middles)
    for (model, *_), (ideas, does) in MODELS.items():
        x, y = places[model]
        corner = (x - WIDE / 2, y - HIGH / 2)
        for half, idea in enumerate(ideas):  # the second of two colours its lower half
            _, pale, edge = IDEAS[idea]
            fill = pale if model in HERE else style.CARD
            drawn = rounded(axes, *corner, WIDE, HIGH, fill, edge, zorder=5)
            if half:
                edges = (corner[0] - 0.05, corner[1] - 0.05), WIDE + 0.1, HIGH / 2 + 0.05
                drawn.set_clip_path(Rectangle(*edges, transform=axes.transData))
        middle = {"ha": "center", "va": "center", "zorder": 6}
        axes.text(x, y + 0.11, model, fontsize=10.5, fontweight="bold", **middle)
        axes.text(x, y - 0.13, does, fontsize=9.2, **middle)
    for one, other in USES:
        (x0, y0), (x1, y1) = places[one], places[other]
        arrow(axes, [(x0 + WIDE / 2, y0), (x1 - WIDE / 2, y1)], zorder=3)
    return figure


def _places(years, middles):
    """The middle of each model's box: two models of one lane and year share its height."""
    places, taken = {}, {}
    for (model, year, _), (ideas, _) in MODELS.items():
        y = sum(middles[idea] for idea in ideas) / len(ideas)
        taken.setdefault((year, y), []).append(model)
    for (year, y), models in taken.items():
        x = LEFT + COLUMN * (years.index(year) + 0.5)
        for at, model in enumerate(models):
            places[model] = (x, y + (HIGH + 0.14) * ((len(models) - 1) / 2 - at))
    return places


def describe_text_picture_map():
    """Say in words what `text_picture_map` shows.

    >>> describe_text_picture_map()[:66]
    'Models that join text and pictures, by year. VQ-VAE (van den Oord '
    """
    parts = []
    for (model, year, who), (ideas, does) in MODELS.items():
        built = ", in this chapter" if model in HERE else ""
        parts.append(f"{model} ({who} {year}), {' and '.join(ideas)}: {does}{built}")
    used = ", ".join(f"from {one} to {other}" for one, other in USES)
    return f"Models that join text and pictures, by year. {'. '.join(parts)}. The grid goes {used}."
