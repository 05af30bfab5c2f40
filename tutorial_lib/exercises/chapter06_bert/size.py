"""Chapter 06: how many parameters the large BERT has."""

from tutorial_lib.exercises.engine.tasks import Claim

VOCABULARY, CONTEXT, SEGMENTS, D_MODEL, N_LAYERS = 30_522, 512, 2, 1_024, 24


def large_size(vocabulary=VOCABULARY, context=CONTEXT, d_model=D_MODEL, n_layers=N_LAYERS, d_ff=4):
    """Million parameters of an encoder with pooler; d_ff in widths."""
    norm = 2 * d_model
    embeddings = (vocabulary + context + SEGMENTS) * d_model + norm
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = 2 * d_ff * d_model * d_model + d_ff * d_model + d_model
    pooler = d_model * d_model + d_model
    layer = attention + feed_forward + 2 * norm
    return (embeddings + n_layers * layer + pooler) / 1e6


def large_size_counted():
    """Second style."""
    from tutorial_lib.models import BERTConfig, count_parameters

    return count_parameters(BERTConfig.large()) / 1e6


def large_size_paper_vocabulary():
    """This takes the paper's 30,000 (the released model has 30,522 tokens), or it leaves out the
    positions: either makes half a million.
    """
    return large_size(vocabulary=30_000)


def large_size_published():
    """This is the published number, which is to be checked: count."""
    return 340


def large_size_whole():
    """This is rounded (one decimal is asked for), or it leaves out the two layer norms in each
    layer, which have 2 D numbers each.
    """
    return 335


def large_size_base():
    """This is BERT-base: large has 24 layers of width 1,024."""
    return large_size(d_model=768, n_layers=12)


def large_size_no_pooler():
    """This leaves out the pooler, one layer from D to D over [CLS]."""
    return large_size() - (D_MODEL**2 + D_MODEL) / 1e6


def large_size_paper_vocabulary_no_pooler():
    """Two things are missing. One is the pooler, a layer from D to D over [CLS]. The other makes
    half a million: the released model has 30,522 tokens, not 30,000, and 512 positions.
    """
    return large_size_paper_vocabulary() - (D_MODEL**2 + D_MODEL) / 1e6


def large_size_only_norms():
    """This leaves out the biases: each linear map of D to E has E of them."""
    return large_size() - (9 * N_LAYERS + 1) * D_MODEL / 1e6


def large_size_binary():
    """This divides by 2²⁰: a million is 10⁶."""
    return large_size() * 1e6 / 2**20


def large_size_heads():
    """This counts the heads of pre-training too: encoder and pooler alone are asked for."""
    masked = D_MODEL**2 + D_MODEL + 2 * D_MODEL + VOCABULARY
    return large_size() + (masked + 2 * D_MODEL + 2) / 1e6


def large_size_second_table():
    """This counts the table of tokens twice: the masked head uses the same one."""
    return large_size() + VOCABULARY * D_MODEL / 1e6


def large_size_only_layers():
    """These are the 24 layers alone: the embeddings and the pooler count too."""
    embeddings = (VOCABULARY + CONTEXT + SEGMENTS) * D_MODEL + 2 * D_MODEL
    return large_size_no_pooler() - embeddings / 1e6


def large_size_no_embeddings():
    """This leaves out the embeddings: the tables of tokens, positions and segments count too."""
    return large_size() - ((VOCABULARY + CONTEXT + SEGMENTS) * D_MODEL + 2 * D_MODEL) / 1e6


def large_size_no_biases():
    """This leaves out both biases and layer norms: they are trained too."""
    weights = 12 * N_LAYERS * D_MODEL**2 + D_MODEL**2
    return (weights + (VOCABULARY + CONTEXT + SEGMENTS) * D_MODEL) / 1e6


def large_size_no_output_map():
    """This counts three maps in the attention: the output map is the fourth."""
    return large_size() - N_LAYERS * (D_MODEL**2 + D_MODEL) / 1e6


def large_size_narrow():
    """This has a feed-forward layer of width D: its inner width is 4 D."""
    return large_size(d_ff=1)


def large_size_one_map():
    """This counts one map in the feed-forward layer: it goes to 4 D, and comes back."""
    return large_size() - N_LAYERS * (4 * D_MODEL**2 + D_MODEL) / 1e6


def large_size_twelve_layers():
    """This has 12 layers: large has 24."""
    return large_size(n_layers=12)


BERT_SIZE = Claim(
    id="6.8",
    title="340 million, 30,000 tokens",
    level="medium",
    text="""
You may read of BERT: a vocabulary of 30,000 tokens, width 1,024, 24 layers with 16 heads,
about 340 million parameters. The model that was released (BERT-large) has 30,522 tokens. Count it,
**in millions to one decimal**: the tables of tokens, of 512 positions and of 2 segments, the layer
norm after them, 24 layers with an inner width of 4 D and two layer norms each, and the pooler, one
linear map from D to D. All linear maps have biases.
""",
    hints=(
        "A layer: four maps D x D in the attention, two in the feed-forward layer, D to 4 D and "
        "back, two layer norms.",
        "The number of heads changes nothing: 16 heads of 64 are as many numbers as one of 1,024.",
        "`count_parameters(BERTConfig(...))` from `tutorial_lib.models` counts without building.",
    ),
    solution=large_size,
    second_style=large_size_counted,
    mistakes=(
        large_size_paper_vocabulary,
        large_size_published,
        large_size_whole,
        large_size_base,
        large_size_no_pooler,
        large_size_paper_vocabulary_no_pooler,
        large_size_only_norms,
        large_size_binary,
        large_size_heads,
        large_size_second_table,
        large_size_only_layers,
        large_size_no_embeddings,
        large_size_no_biases,
        large_size_no_output_map,
        large_size_narrow,
        large_size_one_map,
        large_size_twelve_layers,
    ),
    tolerance=0.051,
    unit="million parameters",
    verdict="340 is rounded up, 30,000 is rounded down: even with the heads of pre-training it is "
    "336.2. And it is BERT-large; BERT-base has 109.5.",
    see="6H How big",
)
