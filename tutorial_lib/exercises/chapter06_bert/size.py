"""Chapter 06: how many parameters a BERT has, and whether the large one has 340 million."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case

# As in the released models; MiniLM is the one of the notebook.
LARGE = {"vocab_size": 30_522, "d_model": 1_024, "n_layers": 24, "n_heads": 16, "context": 512}
MINILM = {"vocab_size": 30_522, "d_model": 384, "n_layers": 6, "n_heads": 12, "context": 512}


def bert_size(vocab_size, d_model, n_layers, n_heads, context):
    """Return the number of parameters of a BERT without heads, but with its pooler."""
    norm = 2 * d_model
    embeddings = (vocab_size + context + 2) * d_model + norm  # 2 segments
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = 8 * d_model * d_model + 4 * d_model + d_model
    pooler = d_model * d_model + d_model
    return embeddings + n_layers * (attention + feed_forward + 2 * norm) + pooler


def bert_size_counted(vocab_size, d_model, n_layers, n_heads, context):
    """Second style."""
    from tutorial_lib.models import BERTConfig, count_parameters

    sizes = {"d_model": d_model, "n_layers": n_layers, "n_heads": n_heads, "context": context}
    return count_parameters(BERTConfig(vocab_size=vocab_size, pooler=True, **sizes))


def bert_size_in_millions(vocab_size, d_model, n_layers, n_heads, context):
    """This is in millions: return the number itself."""
    return bert_size(vocab_size, d_model, n_layers, n_heads, context) / 1e6


def bert_size_cases():
    """The two that the text names, and a small one with odd sizes."""
    return [
        case("MiniLM", *MINILM.values()),
        case("a small BERT", 31, 12, 2, 3, 9),
        case("BERT-large", *LARGE.values()),
    ]


def size(answer, vocab_size=31, d_model=12, n_layers=2, n_heads=3, context=9):
    """The answer for a small BERT, called by position, as a number."""
    return float(answer(vocab_size, d_model, n_layers, n_heads, context))


D = 12
LAYER = 12 * D * D + 13 * D
# What a layer lacks or has too much, and the sentence for it.
LAYERS = {
    -9 * D: "Your layer lacks the biases: a linear map from D to E has E of them, 9 D in all.",
    -4 * D: "Your layer lacks the two layer norms, of 2 D numbers each.",
    -2 * D: "A layer norm has 2 D numbers, a factor and a shift each, and a layer has two of them.",
    -13 * D: "Your layer lacks biases and layer norms: they are learned, too.",
    -(D * D + D): "The attention of a layer has four linear maps: queries, keys, values, output.",
    -D * D: "The attention of a layer has four linear maps: queries, keys, values, output.",
    -(6 * D * D + 3 * D): "Your feed-forward layer is D wide inside: it should be 4 D wide.",
    -(4 * D * D + D): "The feed-forward layer has two maps: from D to 4 D, and back.",
    -(4 * D * D + 4 * D): "The feed-forward layer has two maps: from D to 4 D, and back.",
}


def heads_change_nothing(answer):
    """More heads are as many narrower ones."""
    return size(answer, n_heads=3) == size(answer, n_heads=4)


def a_token_is_a_row(answer):
    """A token more costs D numbers."""
    more = size(answer, vocab_size=32) - size(answer)
    if more == 2 * D:
        return "It counts the table of tokens twice: the masked head uses the same one."
    return more == D


def a_position_is_a_row(answer):
    """A position more costs D numbers."""
    return size(answer, context=10) - size(answer) == D


def layer_of(answer):
    """How many numbers a layer more costs."""
    return size(answer, n_layers=3) - size(answer)


def a_layer_is_whole(answer):
    """A layer more costs 12 D² + 13 D."""
    if not heads_change_nothing(answer):
        return None
    off = layer_of(answer) - LAYER
    return off == 0 or LAYERS.get(off, f"With D = {D} a layer has {LAYER:,} numbers.")


def rest_of(answer):
    """What is left without rows of tokens and positions, and without layers, by the answer itself.

    Of segments, the layer norm after them and the pooler.
    """
    more = size(answer, vocab_size=32) - size(answer), size(answer, context=10) - size(answer)
    return size(answer) - 31 * more[0] - 9 * more[1] - 2 * layer_of(answer)


def the_rest_is_there(answer):
    """Segments, their layer norm, and the pooler."""
    if not heads_change_nothing(answer):
        return None
    wanted = {"the two segments": 2 * D, "the layer norm after the tables": 2 * D}
    wanted["the pooler"] = D * D + D
    off = rest_of(answer) - sum(wanted.values())
    if off == -2 * D:
        return "Segments or the layer norm after the tables are missing: both have 2 D numbers."
    if off == -4 * D:
        return "The two segments and the layer norm after the tables are missing."
    if off == -(D * D + D):
        return "The pooler is missing: one linear map from D to D, with its bias."
    if off == -D:
        return "D numbers are missing: the pooler's bias, or the shift of the first layer norm."
    if off == -(D * D + 3 * D):
        return "The pooler is missing, and so are the segments or the layer norm after the tables."
    return off == 0


BERT_SIZE = Write(
    id="6.4",
    title="340 million?",
    level="medium",
    text="""
You may read that BERT-large has 30,000 tokens, width 1,024, 24 layers with 16 heads, and “about 340
million parameters”. To check such numbers, write `bert_size(vocab_size, d_model, n_layers, n_heads,
context)`, the number of parameters of a BERT. Count the three tables (that of the segments has two
rows), their LayerNorm, all layers with two LayerNorms each, and the pooler, one linear map from D
to D, but nothing else of the two output heads. The feed-forward layer is 4 D wide inside, and all
linear maps have biases.

MiniLM is a good test: 30,522 tokens, width 384, 6 layers, 12 heads, context 512, and its file holds
22,713,216 numbers.
""",
    hints=(
        "A layer norm has 2 D numbers. A linear map from D to E has D x E weights and E biases.",
        "What do the heads change? 16 heads of 64 are as many numbers as one of 1,024.",
        "Off by a little? Set n_layers to 1, then to 2: the difference is one layer.",
    ),
    solution=bert_size,
    second_style=bert_size_counted,
    mistakes=(bert_size_in_millions,),
    cases=bert_size_cases,
    properties=(
        Property(
            "The number of heads changes its result: each head is d_model / n_heads wide, so that "
            "all of them together have as many numbers as one.",
            heads_change_nothing,
        ),
        Property("A token more should cost D numbers, its row of the table.", a_token_is_a_row),
        Property(
            "A position more should cost D numbers, its row of the table.", a_position_is_a_row
        ),
        Property("A layer has 12 D² + 13 D numbers.", a_layer_is_whole),
        Property(
            "Besides rows and layers there are two segments, a layer norm and the pooler.",
            the_rest_is_there,
        ),
    ),
    see="6C What goes in",
)
