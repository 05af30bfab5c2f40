"""Chapter 05: the layer of a GPT, from parts that are given."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def gpt_block(x, attend, feed_forward, norm_1, norm_2):
    """Return what leaves a pre-norm layer, (B, T, D), for x (B, T, D).

    attend, feed_forward, norm_1 and norm_2 are callables from (B, T, D) to (B, T, D).
    """
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_2(x))


def gpt_block_loop(x, attend, feed_forward, norm_1, norm_2):
    """Second style."""
    for sublayer, norm in ((attend, norm_1), (feed_forward, norm_2)):
        x = torch.add(sublayer(norm(x)), x)
    return x


def gpt_block_post_norm(x, attend, feed_forward, norm_1, norm_2):
    """This is post-norm, as in the first Transformer and GPT-1: here each norm stands before its
    sub-layer, and the sum is left alone.
    """
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


def gpt_block_norm_of_result(x, attend, feed_forward, norm_1, norm_2):
    """This normalises what the sub-layers return: normalise what they read."""
    x = x + norm_1(attend(x))
    return x + norm_2(feed_forward(x))


def gpt_block_half_post(x, attend, feed_forward, norm_1, norm_2):
    """This has the second norm after the sum: both stand before their sub-layers."""
    x = x + attend(norm_1(x))
    return norm_2(x + feed_forward(x))


def gpt_block_residual_of_norm(x, attend, feed_forward, norm_1, norm_2):
    """This adds to the normalised x: the shortcut carries x itself, past the norm."""
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed_forward(x)


def gpt_block_first_residual_of_norm(x, attend, feed_forward, norm_1, norm_2):
    """This adds the first sub-layer to the normalised x: its shortcut carries x itself."""
    x = norm_1(x)
    x = x + attend(x)
    return x + feed_forward(norm_2(x))


def gpt_block_second_residual_of_norm(x, attend, feed_forward, norm_1, norm_2):
    """This adds the second sub-layer to the normalised x: its shortcut carries x itself."""
    x = norm_2(x + attend(norm_1(x)))
    return x + feed_forward(x)


def gpt_block_no_residual(x, attend, feed_forward, norm_1, norm_2):
    """This has no shortcuts: each sub-layer's result is added to what was there."""
    return feed_forward(norm_2(attend(norm_1(x))))


def gpt_block_no_first_residual(x, attend, feed_forward, norm_1, norm_2):
    """This has no shortcut past the attention: add its result to x."""
    x = attend(norm_1(x))
    return x + feed_forward(norm_2(x))


def gpt_block_no_second_residual(x, attend, feed_forward, norm_1, norm_2):
    """This has no shortcut past the feed-forward network: add its result to what was there."""
    x = x + attend(norm_1(x))
    return feed_forward(norm_2(x))


def gpt_block_parallel(x, attend, feed_forward, norm_1, norm_2):
    """This lets both sub-layers read the same x, side by side: the second one reads what the
    first one has left.
    """
    return x + attend(norm_1(x)) + feed_forward(norm_2(x))


def gpt_block_old_shortcut(x, attend, feed_forward, norm_1, norm_2):
    """This adds the second sub-layer to the x from before the attention, and so loses what the
    attention has added.
    """
    return x + feed_forward(norm_2(x + attend(norm_1(x))))


def gpt_block_first_norm_twice(x, attend, feed_forward, norm_1, norm_2):
    """This uses norm_1 for both: each sub-layer has its own norm."""
    return gpt_block(x, attend, feed_forward, norm_1, norm_1)


def gpt_block_second_norm_twice(x, attend, feed_forward, norm_1, norm_2):
    """This uses norm_2 for both: each sub-layer has its own norm."""
    return gpt_block(x, attend, feed_forward, norm_2, norm_2)


def gpt_block_norms_swapped(x, attend, feed_forward, norm_1, norm_2):
    """This swaps the norms: norm_1 stands before the attention."""
    return gpt_block(x, attend, feed_forward, norm_2, norm_1)


def gpt_block_feed_forward_first(x, attend, feed_forward, norm_1, norm_2):
    """This has the feed-forward network first: words meet in the attention, then each is worked
    on.
    """
    return gpt_block(x, feed_forward, attend, norm_1, norm_2)


def gpt_block_swapped_all(x, attend, feed_forward, norm_1, norm_2):
    """This has the halves in the wrong order: attention with its norm comes first."""
    return gpt_block(x, feed_forward, attend, norm_2, norm_1)


def gpt_block_no_norms(x, attend, feed_forward, norm_1, norm_2):
    """This leaves out both norms."""
    x = x + attend(x)
    return x + feed_forward(x)


def gpt_block_no_first_norm(x, attend, feed_forward, norm_1, norm_2):
    """This leaves out the first norm: the attention reads norm_1(x)."""
    x = x + attend(x)
    return x + feed_forward(norm_2(x))


def gpt_block_no_second_norm(x, attend, feed_forward, norm_1, norm_2):
    """This leaves out the second norm: the feed-forward network reads norm_2(x)."""
    x = x + attend(norm_1(x))
    return x + feed_forward(x)


def gpt_block_attention_only(x, attend, feed_forward, norm_1, norm_2):
    """This stops after the attention: the feed-forward network is missing."""
    return x + attend(norm_1(x))


def gpt_block_third_norm(x, attend, feed_forward, norm_1, norm_2):
    """This normalises the end of the layer too: GPT does so once, after the last layer."""
    return norm_2(gpt_block(x, attend, feed_forward, norm_1, norm_2))


def gpt_block_parts(n_words, width):
    """Four callables that differ: words meet in the first one alone."""
    mix, inner, outer = torch.randn(width, width), torch.randn(width, 6), torch.randn(6, width)
    shares = torch.ones(n_words, n_words).tril()
    shares = shares / shares.sum(dim=1, keepdim=True)  # (T, T): each word the mean up to itself
    gains = torch.rand(2, width) + 0.5
    shifts = torch.randn(2, width)

    def attend(x):
        return shares @ x @ mix

    def feed_forward(x):
        return F.gelu(x @ inner) @ outer

    def norm_1(x):
        return F.layer_norm(x, (width,), gains[0], shifts[0])

    def norm_2(x):
        return F.layer_norm(x, (width,), gains[1], shifts[1])

    return attend, feed_forward, norm_1, norm_2


def gpt_block_cases():
    """An x far from normal, so that a norm in the wrong place shows."""
    return [
        case("2 texts of 3 words", 3 * torch.randn(2, 3, 4) + 1, *gpt_block_parts(3, 4)),
        case("one text of 5 words", torch.randn(1, 5, 3) / 2, *gpt_block_parts(5, 3)),
    ]


GPT_BLOCK = Write(
    id="5.4",
    title="The layer of a GPT",
    level="easy",
    text="""
Write `gpt_block(x, attend, feed_forward, norm_1, norm_2)`: one layer of a GPT, for x (B, T, D). Its
parts are given, and you call them: `norm_1(x)` returns x normalised, `attend` is the causal
attention with all its heads. GPT-2 and GPT-3 are **pre-norm**: each sub-layer reads a normalised
copy, and what it returns is added to x itself. Attention first, then the feed-forward network.
""",
    hints=(
        "Two lines, one for each sub-layer, of the form x = x + sub-layer(norm(x)).",
        "The second sub-layer reads, and adds to, what the first one has left.",
    ),
    solution=gpt_block,
    second_style=gpt_block_loop,
    mistakes=(
        gpt_block_post_norm,
        gpt_block_norm_of_result,
        gpt_block_half_post,
        gpt_block_residual_of_norm,
        gpt_block_first_residual_of_norm,
        gpt_block_second_residual_of_norm,
        gpt_block_no_residual,
        gpt_block_no_first_residual,
        gpt_block_no_second_residual,
        gpt_block_parallel,
        gpt_block_old_shortcut,
        gpt_block_first_norm_twice,
        gpt_block_second_norm_twice,
        gpt_block_norms_swapped,
        gpt_block_feed_forward_first,
        gpt_block_swapped_all,
        gpt_block_no_norms,
        gpt_block_no_first_norm,
        gpt_block_no_second_norm,
        gpt_block_attention_only,
        gpt_block_third_norm,
    ),
    cases=gpt_block_cases,
    see="5.4 Train it",
)
