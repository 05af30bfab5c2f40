"""Chapter 05: how many parameters a GPT has."""

from tutorial_lib.exercises.engine.tasks import Write, case


def gpt_parameters(vocab_size, context, d_model, n_layers):
    """Return the number of parameters of a GPT as GPT-2 has them: tied, with biases, d_ff = 4 D."""
    d_ff = 4 * d_model
    tables = (vocab_size + context) * d_model
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * d_model
    return tables + n_layers * (attention + feed_forward + 2 * norm) + norm


def gpt_parameters_collected(vocab_size, context, d_model, n_layers):
    """Second style."""
    per_layer = 12 * d_model**2 + 13 * d_model
    return d_model * (vocab_size + context + 2) + n_layers * per_layer


def gpt_parameters_with(vocab_size, context, d_model, n_layers, d_ff=None, **changes):
    """The sum, with parts that a mistake can change."""
    d_ff = d_ff or 4 * d_model
    parts = {
        "tokens": vocab_size * d_model,
        "places": context * d_model,
        "attention": 4 * (d_model**2 + d_model),
        "feed_forward": 2 * d_model * d_ff + d_ff + d_model,
        "norms": 4 * d_model,
        "final_norm": 2 * d_model,
    } | changes
    layer = parts["attention"] + parts["feed_forward"] + parts["norms"]
    return parts["tokens"] + parts["places"] + n_layers * layer + parts["final_norm"]


def gpt_parameters_untied(vocab_size, context, d_model, n_layers):
    """This counts a head of its own: the logits are read off with the token vectors themselves."""
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, tokens=2 * vocab_size * d_model)


def gpt_parameters_head_bias(vocab_size, context, d_model, n_layers):
    """This gives the head a bias: it is the table of tokens, and has none."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers) + vocab_size


def gpt_parameters_untied_bias(vocab_size, context, d_model, n_layers):
    """This counts a head with weights and bias: it is the table of tokens, counted already."""
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, tokens=2 * vocab_size * d_model) + vocab_size


def gpt_parameters_no_tokens(vocab_size, context, d_model, n_layers):
    """This leaves out the table of tokens, V x D."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, tokens=0)


def gpt_parameters_no_places(vocab_size, context, d_model, n_layers):
    """This leaves out the positions: they are learned, one vector for each place of the context."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, places=0)


def gpt_parameters_no_tables(vocab_size, context, d_model, n_layers):
    """This leaves out both tables: one vector for each token, one for each place."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, tokens=0, places=0)


def gpt_parameters_no_biases(vocab_size, context, d_model, n_layers):
    """This leaves out the biases of the linear maps: one for each output."""
    sizes = (vocab_size, context, d_model, n_layers)
    square = d_model**2
    return gpt_parameters_with(*sizes, attention=4 * square, feed_forward=8 * square)


def gpt_parameters_no_attention_biases(vocab_size, context, d_model, n_layers):
    """This is 4 D a layer short: the biases of the attention, or the two LayerNorms."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, attention=4 * d_model**2)


def gpt_parameters_no_qkv_biases(vocab_size, context, d_model, n_layers):
    """This is 3 D a layer short: the biases of queries, keys and values, or D biases inside the
    feed-forward network in place of 4 D.
    """
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, attention=4 * d_model**2 + d_model)


def gpt_parameters_no_feed_forward_biases(vocab_size, context, d_model, n_layers):
    """This leaves out the biases of the feed-forward network: 4 D inside and D at its end."""
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, feed_forward=8 * d_model**2)


def gpt_parameters_no_norms(vocab_size, context, d_model, n_layers):
    """This leaves out the LayerNorms, the last one too: each has a gain and a shift."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, norms=0, final_norm=0)


def gpt_parameters_no_biases_and_norms(vocab_size, context, d_model, n_layers):
    """This counts the weights of a layer alone: add the biases of its maps and two LayerNorms."""
    sizes = (vocab_size, context, d_model, n_layers)
    square = d_model**2
    return gpt_parameters_with(*sizes, attention=4 * square, feed_forward=8 * square, norms=0)


def gpt_parameters_no_final_norm(vocab_size, context, d_model, n_layers):
    """This leaves out the LayerNorm after the last layer."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, final_norm=0)


def gpt_parameters_one_norm(vocab_size, context, d_model, n_layers):
    """This counts one LayerNorm a layer: each of the two sub-layers has its own."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, norms=2 * d_model)


def gpt_parameters_gains_only(vocab_size, context, d_model, n_layers):
    """This counts the gains of the LayerNorms and not their shifts."""
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, norms=2 * d_model, final_norm=d_model)


def gpt_parameters_weights_only(vocab_size, context, d_model, n_layers):
    """This is the rule of thumb, 12 D² a layer and the tables: count biases and LayerNorms too."""
    return (vocab_size + context) * d_model + 12 * n_layers * d_model**2


def gpt_parameters_thumb(vocab_size, context, d_model, n_layers):
    """This is the rule of thumb, 12 D² a layer: tables, biases and LayerNorms are missing."""
    return 12 * n_layers * d_model**2


def gpt_parameters_half_feed_forward(vocab_size, context, d_model, n_layers):
    """This counts one map of the feed-forward network: a second one leads back, 4 D to D."""
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, feed_forward=4 * d_model**2 + 4 * d_model)


def gpt_parameters_narrow(vocab_size, context, d_model, n_layers):
    """This makes the feed-forward network D wide inside: it is 4 D wide."""
    return gpt_parameters_with(vocab_size, context, d_model, n_layers, d_ff=d_model)


def gpt_parameters_three_maps(vocab_size, context, d_model, n_layers):
    """This counts three maps an attention: after the heads comes a fourth, the output map."""
    sizes = (vocab_size, context, d_model, n_layers)
    return gpt_parameters_with(*sizes, attention=3 * (d_model**2 + d_model))


def gpt_parameters_one_layer(vocab_size, context, d_model, n_layers):
    """This counts one layer only."""
    return gpt_parameters_with(vocab_size, context, d_model, 1)


def gpt_parameters_tables_each_layer(vocab_size, context, d_model, n_layers):
    """This counts everything once a layer: the tables and the last LayerNorm are there once."""
    return n_layers * gpt_parameters_with(vocab_size, context, d_model, 1)


def gpt_parameters_cases():
    """GPT-2's smallest, and small sizes of which no two are alike."""
    return [
        case("GPT-2 small", 50_257, 1_024, 768, 12),
        case("3 layers of width 8", 50, 20, 8, 3),
        case("one layer of width 6", 11, 7, 6, 1),
    ]


GPT_PARAMETERS = Write(
    id="5.13",
    title="Counting a GPT",
    level="medium",
    text="""
Write `gpt_parameters(vocab_size, context, d_model, n_layers)`: how many parameters a GPT has, with
the parts of GPT-2. Learned vectors for tokens and for positions; in each layer two LayerNorms, an
attention with four maps D to D, a feed-forward network D to 4 D to D; a LayerNorm after the last
layer. All linear maps of the layers have **biases**, LayerNorms a gain and a shift. The head is
**tied**: it is the table of tokens. Why does the number of heads not matter?
""",
    hints=(
        "A linear map from n to m has n·m weights and m biases.",
        "One layer: 4 maps of attention, 2 of the feed-forward network, 2 LayerNorms of 2 D each.",
        "GPT-2 small has 124,439,808.",
    ),
    solution=gpt_parameters,
    second_style=gpt_parameters_collected,
    mistakes=(
        gpt_parameters_untied,
        gpt_parameters_head_bias,
        gpt_parameters_untied_bias,
        gpt_parameters_no_tokens,
        gpt_parameters_no_places,
        gpt_parameters_no_tables,
        gpt_parameters_no_biases,
        gpt_parameters_no_attention_biases,
        gpt_parameters_no_qkv_biases,
        gpt_parameters_no_feed_forward_biases,
        gpt_parameters_no_norms,
        gpt_parameters_no_biases_and_norms,
        gpt_parameters_no_final_norm,
        gpt_parameters_one_norm,
        gpt_parameters_gains_only,
        gpt_parameters_weights_only,
        gpt_parameters_thumb,
        gpt_parameters_half_feed_forward,
        gpt_parameters_narrow,
        gpt_parameters_three_maps,
        gpt_parameters_one_layer,
        gpt_parameters_tables_each_layer,
    ),
    cases=gpt_parameters_cases,
    see="5.9 The family",
)
