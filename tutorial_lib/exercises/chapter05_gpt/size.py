"""Chapter 05: how many parameters a GPT has."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


def gpt_parameters_cases():
    """GPT-2's smallest, and small sizes of which no two are alike."""
    return [
        case("GPT-2 small", 50_257, 1_024, 768, 12),
        case("3 layers of width 8", 50, 20, 8, 3),
        case("one layer of width 6", 11, 7, 6, 1),
    ]


def grows(answer, d_model, n_layers=3, vocab_size=0, context=0, layers=0):
    """How much the number grows with so many more tokens, positions or layers."""
    more = answer(50 + vocab_size, 20 + context, d_model, n_layers + layers)
    return more - answer(50, 20, d_model, n_layers)


def line(values):
    """The slope and the height of a line through values at widths 8 and 16."""
    slope = (values[1] - values[0]) / 8
    return slope, values[0] - 8 * slope


def tables_are_there_once(answer):
    """Another token costs the same with more layers."""
    return grows(answer, 8, 3, vocab_size=1) == grows(answer, 8, 4, vocab_size=1)


def tokens_are_counted(answer):
    """Another token costs D."""
    if not tables_are_there_once(answer):
        return None
    slope, height = line([grows(answer, width, vocab_size=1) for width in (8, 16)])
    said = []
    if slope == 0:
        said = ["It leaves out the table of tokens, V x D."]
    elif slope == 2:
        said = ["It counts a head of its own: the logits are read off with the token vectors."]
    if height == 1:
        said.append("It gives the head a bias: it is the table of tokens, and has none.")
    return " ".join(said) or (slope, height) == (1, 0)


def positions_are_counted(answer):
    """Another position costs D."""
    if not tables_are_there_once(answer):
        return None
    slope, height = line([grows(answer, width, context=1) for width in (8, 16)])
    if slope == height == 0:
        return "It leaves out the positions: they are learned, a vector for each in the context."
    return (slope, height) == (1, 0)


def layer(answer):
    """How many D², D and 1 another layer costs. Raises ValueError where that depends on others."""
    costs = [grows(answer, width, layers=1) for width in (8, 16, 24)]
    square = (costs[2] - 2 * costs[1] + costs[0]) / 128
    slope, height = line([costs[0] - 64 * square, costs[1] - 256 * square])
    if not tables_are_there_once(answer) or not layers_are_counted(answer):
        raise ValueError("no layer by itself")
    return square, slope, height


def layers_are_counted(answer):
    """Each layer costs the same, and something."""
    first, second = (grows(answer, 8, n_layers, layers=1) for n_layers in (1, 2))
    return 0 != first == second


def layer_has_its_weights(answer):
    """A layer has 12 D² weights."""
    square = layer(answer)[0]
    others = {
        11: "It counts three maps an attention: after the heads comes a fourth, the output map.",
        6: "It makes the feed-forward network D wide inside: it is 4 D wide.",
    }
    return (
        others.get(square)
        or square == 12
        or (
            f"The weights of a layer come to {square:g} D²: 4 maps of the attention are 4 D², "
            "from D to 4 D and back is 8 D²."
        )
    )


def layer_has_its_biases_and_norms(answer):
    """Biases and LayerNorms of a layer are 13 D, or what belongs to its maps."""
    square, slope, height = layer(answer)
    if (slope, height) == ({11: 12, 8: 12, 6: 10, 4: 8}.get(square, 13), 0):
        return True
    return (
        f"Biases and LayerNorms of a layer come to {slope:g} D: the biases are 4 D in the "
        "attention and 5 D in the feed-forward network (4 D of them inside), and each of the two "
        "LayerNorms has a gain and a shift, 2 D."
    )


def ends_with_a_norm(answer):
    """What neither tokens nor positions nor layers cost is 2 D."""
    rest = [
        answer(50, 20, width, 3)
        - 50 * grows(answer, width, vocab_size=1)
        - 20 * grows(answer, width, context=1)
        - 3 * grows(answer, width, layers=1)
        for width in (8, 16)
    ]
    if not tables_are_there_once(answer) or not layers_are_counted(answer):
        return None
    if line(rest) == (1, 0):
        return "It counts the gain of the last LayerNorm and not its shift."
    return line(rest) == (2, 0)


GPT_PARAMETERS = Write(
    id="5.12",
    title="Counting a GPT",
    level="medium",
    text="""
Write `gpt_parameters(vocab_size, context, d_model, n_layers)`: how many parameters a GPT has, with
the parts of GPT-2. Learned vectors for tokens and for positions; in each layer two LayerNorms, an
attention with four maps D to D, a feed-forward network D to 4 D to D; a LayerNorm after the last
layer. All linear maps of the layers have **biases**, LayerNorms a gain and a shift. The head is
**tied**: it is the table of tokens.
""",
    hints=(
        "A linear map from n to m has n·m weights and m biases.",
        "One layer: 4 maps of attention, 2 of the feed-forward network, 2 LayerNorms of 2 D each.",
        "GPT-2 small has 124,439,808.",
    ),
    solution=gpt_parameters,
    second_style=gpt_parameters_collected,
    mistakes=(),
    cases=gpt_parameters_cases,
    properties=(
        Property("It counts the tables once a layer: they are there once.", tables_are_there_once),
        Property(
            "Each token more must cost D numbers, whatever else there is.", tokens_are_counted
        ),
        Property("Each position more must cost D numbers.", positions_are_counted),
        Property("Each layer more must cost the same: count all of them.", layers_are_counted),
        Property("A layer must have 12 D² weights.", layer_has_its_weights),
        Property(
            "Biases and LayerNorms of a layer must come to 13 D.", layer_has_its_biases_and_norms
        ),
        Property(
            "After the last layer comes one LayerNorm, with 2 D numbers, and nothing else.",
            ends_with_a_norm,
        ),
    ),
    see="5J How large is a real GPT?",
)
