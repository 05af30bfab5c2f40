"""The map of 10L: models that join text and pictures, and where the chapter explains each."""

from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import canvas, rounded

COLUMNS = ("goes in", "comes out", "what it learns from", "in this chapter")
# model, year, who -> a text for each of COLUMNS. The papers are in the chapter's references.
MODELS = {
    ("VQ-VAE", 2017, "van den Oord et al."): (
        "a picture",
        "a grid of codes, and the picture again",
        "the picture’s own pixels",
        "10J: the code book",
    ),
    ("VisualBERT", 2019, "Li et al."): (
        "words and regions, one row",
        "hidden words, match or not, answers",
        "captions with gaps, wrong captions",
        "10F to 10H",
    ),
    ("VideoBERT", 2019, "Sun et al."): (
        "words and frame tokens, one row",
        "hidden words, hidden frames",
        "what is said in videos",
        "10I",
    ),
    ("CLIP", 2021, "Radford et al."): (
        "a picture; a text",
        "one vector each, in one space",
        "which text is whose, in a batch",
        "10A to 10E",
    ),
    ("DALL-E", 2021, "Ramesh et al."): (
        "a caption",
        "codes, one after another: a picture",
        "the next token of text and codes",
        "10K: the GPT over both",
    ),
    ("BLIP", 2022, "Li et al."): (
        "a picture and a text",
        "match or not, one space, a caption",
        "CLIP’s loss, matching, next words",
        "10B and 10F; captions: 04",
    ),
    ("Latent diffusion", 2022, "Rombach et al."): (
        "a text and noise",
        "the grid of a picture, all at once",
        "taking noise away, step by step",
        "10J: the grid; not the noise",
    ),
}
LEFT, ROW, GAP = 1.62, 0.5, 0.09  # inches
SIZES = (2.2, 2.6, 2.4, 1.95)
FILLS = (
    (style.PALE_PINK, style.PINK),
    (style.PALE_GREEN, style.GREEN),
    (style.PALE_AMBER, style.AMBER),
    (style.PALE_BLUE, style.BLUE),
)


@style.styled
def text_picture_map(figure=None):
    """A row a model, by year: what goes in, what comes out, what it learns from, where to read.

    >>> len(text_picture_map().axes[0].patches)
    28
    """
    width = LEFT + sum(SIZES) + GAP * (len(SIZES) - 1) + 0.05
    top = (ROW + GAP) * len(MODELS)
    title = "Most build on three ideas: one space, one row of tokens, a grid of codes"
    figure, axes = canvas(figure, width, top + 0.3, title, below=0.05)
    lefts = [LEFT + sum(SIZES[:at]) + GAP * at for at in range(len(SIZES))]
    for heading, left, side in zip(COLUMNS, lefts, SIZES, strict=True):
        centre = {"ha": "center", "va": "center", "color": style.MUTED, "fontsize": 9.5}
        axes.text(left + side / 2, top + 0.12, heading, **centre)
    for row, ((model, year, who), texts) in enumerate(MODELS.items()):
        bottom = top - (row + 1) * (ROW + GAP) + GAP
        middle = bottom + ROW / 2
        axes.text(0.02, middle + 0.1, model, va="center", fontweight="bold", fontsize=10.5)
        axes.text(0.02, middle - 0.12, f"{who}, {year}", va="center", fontsize=8, color=style.MUTED)
        for text, left, side, (fill, edge) in zip(texts, lefts, SIZES, FILLS, strict=True):
            rounded(axes, left, bottom, side, ROW, fill, edge, linewidth=1.2)
            axes.text(
                left + side / 2, middle, text, ha="center", va="center", fontsize=8.6, zorder=4
            )
    return figure


def describe_text_picture_map():
    """Say in words what `text_picture_map` shows.

    >>> describe_text_picture_map()[:66]
    'Models that join text and pictures, by year. VQ-VAE (van den Oord '
    """
    parts = []
    for (model, year, who), texts in MODELS.items():
        said = "; ".join(f"{name}: {text}" for name, text in zip(COLUMNS, texts, strict=True))
        parts.append(f"{model} ({who} {year}): {said}")
    return f"Models that join text and pictures, by year. {'. '.join(parts)}."
