"""Chapter 04: how many parameters the base model has."""

from tutorial_lib.exercises.engine.tasks import Claim

N_TOKENS, D_MODEL, D_FF, N_LAYERS = 37_000, 512, 2_048, 6


def base_size():
    """Parameters of the base model with one shared table, in millions."""
    return total(encoder_layer(), decoder_layer())


def linear(inputs, outputs):
    """A linear map with its bias."""
    return inputs * outputs + outputs


def attention():
    """The maps of queries, keys, values and output; the number of heads does not matter."""
    return 4 * linear(D_MODEL, D_MODEL)


def feed_forward():
    """Two linear maps, D to d_ff and back."""
    return linear(D_MODEL, D_FF) + linear(D_FF, D_MODEL)


def norms(n):
    """Gain and shift of n LayerNorms."""
    return n * 2 * D_MODEL


def encoder_layer():
    """Two sub-layers with a LayerNorm each."""
    return attention() + feed_forward() + norms(2)


def decoder_layer():
    """Three sub-layers: the second attention looks at the encoder."""
    return 2 * attention() + feed_forward() + norms(3)


def total(encoder, decoder, tables=1):
    """Tables and layers together, in millions."""
    return (tables * N_TOKENS * D_MODEL + N_LAYERS * (encoder + decoder)) / 1e6


def base_size_collected():
    """Second style."""
    weights = 37_000 * 512 + 18 * 4 * 512**2 + 12 * 2 * 512 * 2_048
    biases = 18 * 4 * 512 + 12 * (2_048 + 512)
    return (weights + biases + 30 * 2 * 512) / 1e6  # 30 LayerNorms


def base_size_as_printed():
    """This is the number that the paper prints: count it from the sizes."""
    return 65


def base_size_three_tables():
    """This counts three tables: source, target and output share one."""
    return total(encoder_layer(), decoder_layer(), tables=3)


def base_size_two_tables():
    """This counts two tables: source, target and output share one."""
    return total(encoder_layer(), decoder_layer(), tables=2)


def base_size_no_table():
    """This leaves out the table, 37,000 vectors of 512 numbers, or the encoder, nearly as large."""
    return total(encoder_layer(), decoder_layer(), tables=0)


def base_size_one_map():
    """This takes the feed-forward network as a single D x D map: it has two, D to d_ff and back."""
    less = feed_forward() - linear(D_MODEL, D_MODEL)
    return total(encoder_layer() - less, decoder_layer() - less)


def base_size_half_feed_forward():
    """This counts only one of the two maps of the feed-forward network."""
    less = linear(D_FF, D_MODEL)
    return total(encoder_layer() - less, decoder_layer() - less)


def base_size_no_cross_attention():
    """This gives the decoder layer one attention: it has a second one, to the encoder."""
    return total(encoder_layer(), encoder_layer())


def base_size_no_table_no_cross_attention():
    """This leaves out the table, 37,000 vectors of 512 numbers, and gives the decoder layer one
    attention: it has a second one, to the encoder.
    """
    # Rounded, since the encoder with its table is only 0.03 larger.
    return round(total(encoder_layer(), encoder_layer(), tables=0), 1)


def base_size_three_maps():
    """This counts three maps an attention: after the heads comes a fourth, the output map."""
    less = linear(D_MODEL, D_MODEL)
    return total(encoder_layer() - less, decoder_layer() - 2 * less)


def base_size_wide_heads():
    """This gives each of the 8 heads maps of the full width: a head is 512 / 8 = 64 wide."""
    more = 7 * attention()
    return total(encoder_layer() + more, decoder_layer() + 2 * more)


def base_size_encoder_only():
    """This leaves out the decoder: six layers of its own, with three sub-layers each."""
    return total(encoder_layer(), 0)


def base_size_weights_only():
    """This leaves out biases and LayerNorms, or is rounded: they add 0.1, count them too."""
    return (37_000 * 512 + 18 * 4 * 512**2 + 12 * 2 * 512 * 2_048) / 1e6


BASE_SIZE = Claim(
    id="4.1",
    title="65 million parameters?",
    level="easy",
    text="""
The paper gives its base model 65 million parameters. Count them: D = 512, d_ff = 2,048, 8 heads,
six encoder and six decoder layers, biases in all maps of the layers, a LayerNorm for each
sub-layer. The positions are sinusoids. One table of 37,000 vectors serves source, target and
output. How many **million parameters** are there, to one decimal?
""",
    hints=(
        "An attention has four D x D maps, a feed-forward network one from D to d_ff, one back.",
        "An encoder layer has one attention, a decoder layer two. Both have one feed-forward "
        "network.",
        "Each map has one bias for each of its outputs; each LayerNorm has 2 D numbers.",
    ),
    solution=base_size,
    second_style=base_size_collected,
    mistakes=(
        base_size_as_printed,
        base_size_three_tables,
        base_size_two_tables,
        base_size_no_table,
        base_size_one_map,
        base_size_half_feed_forward,
        base_size_no_cross_attention,
        base_size_no_table_no_cross_attention,
        base_size_three_maps,
        base_size_wide_heads,
        base_size_encoder_only,
        base_size_weights_only,
    ),
    tolerance=0.04,
    unit="million parameters",
    verdict="The printed 65 is 3 % more. The paper says “about 37,000” tokens and not how it "
    "counted; with our parts it would take 40,700. The table is 30 % of the model.",
    see="4B The whole machine",
)
