"""Chapter 05: the layer of a GPT, from parts that are given."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


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
    """This is post-norm, as in the first Transformer and GPT-1: here each norm comes before its
    sub-layer, and the sum is left alone.
    """
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


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


def traced(answer):
    """What attention and feed-forward network read, and what the layer returns, as sums.

    Each is {part: how many times it is in there}. The parts are x, what the two return (attended,
    fed) and what the norms add: norm_1 turns y into 2 y + norm_1, norm_2 into 3 y + norm_2.
    """
    names = ("x", "attended", "fed", "norm_1", "norm_2")
    parts = dict(
        zip(names, torch.randn(5, 1, 2, 7, generator=torch.Generator().manual_seed(5)), strict=True)
    )
    read = {}

    def sublayer(name):
        return lambda y: (read.setdefault(name, y.detach().clone()), parts[name].clone())[1]

    read["returned"] = answer(
        parts["x"],
        sublayer("attended"),
        sublayer("fed"),
        lambda y: 2 * y + parts["norm_1"],
        lambda y: 3 * y + parts["norm_2"],
    )
    table = torch.stack(list(parts.values())).flatten(1).T

    def sums(y):
        shares = torch.linalg.lstsq(table, y.reshape(-1, 1)).solution.flatten().tolist()
        return {name: round(share, 2) for name, share in zip(names, shares, strict=True)}

    return {name: sums(y) for name, y in read.items()}


SUBLAYERS = {"attended": "attention", "fed": "feed-forward network"}


def both_are_called(answer):
    """The layer runs attention and feed-forward network."""
    lost = [what for name, what in SUBLAYERS.items() if name not in traced(answer)]
    return f"It never calls the {' and the '.join(lost)}." if lost else True


def attention_comes_first(answer):
    """What the feed-forward network returns is not there when the attention reads."""
    return traced(answer)["attended"]["fed"] == 0


def reads_its_norm(name, own, other):
    """Return the property of a sub-layer that reads a copy normalised by its own norm."""

    def holds(answer):
        found = traced(answer)
        if found[name][own]:
            return True
        if found[name][other] and not found["returned"][other]:
            return f"The {SUBLAYERS[name]} reads what {other} returns: it has its own, {own}."
        return False

    text = f"The {SUBLAYERS[name]} reads what is there as it is: it reads {own} of it."
    return Property(text, holds)


def second_reads_what_the_first_left(answer):
    """The second sub-layer reads what the first one has added, next to x."""
    first, second = ("attended", "fed") if attention_comes_first(answer) else ("fed", "attended")
    read = traced(answer)[second]
    return bool(read[first]) or (None if not read["x"] else False)


def sum_is_left_alone(answer):
    """No norm has gone over what leaves the layer."""
    found = traced(answer)["returned"]
    names = [name for name in ("norm_1", "norm_2") if found[name]]
    # A norm that goes over a sum multiplies what its sub-layer has added to it.
    after_the_first = 3 if found["norm_2"] else 1
    before_the_sum = {
        "norm_1": found["attended"] == after_the_first,
        "norm_2": found["fed"] == 1,
    }
    if names and all(before_the_sum[name] for name in names):
        return (
            f"What a sub-layer returns is added to what {' and '.join(names)} returned: it is "
            "added to x itself, not to norm(x)."
        )
    return not names or (
        f"What leaves the layer has gone through {' and '.join(names)}: each norm comes before "
        "its sub-layer; shortcuts and sum are left alone."
    )


def x_is_carried_past(answer):
    """What leaves the layer holds x once."""
    share = traced(answer)["returned"]["x"]
    if sum_is_left_alone(answer) is not True and share:
        return None
    return share == 1 or (
        "A shortcut is missing: x itself must be in what leaves the layer." if not share else False
    )


def results_are_added(answer):
    """What leaves the layer holds once what each sub-layer has returned."""
    found = traced(answer)["returned"]
    lost = [what for name, what in SUBLAYERS.items() if not found[name]]
    if lost:
        return f"What the {' and the '.join(lost)} has added is lost: add it to what was there."
    return None if sum_is_left_alone(answer) is not True else found["attended"] == found["fed"] == 1


GPT_BLOCK = Write(
    id="5.4",
    title="The layer of a GPT",
    level="easy",
    text="""
Step 4 of the staircase: write `gpt_block(x, attend, feed_forward, norm_1, norm_2)`, one layer of
GPT-2 and GPT-3, for x (B, T, D). Its parts are given, and you call them: `attend` is the causal
attention with all its heads. The layer is **pre-norm** (chapter 04, 4D): a norm and a shortcut for
each sub-layer, and a path from x upwards that meets no norm.
""",
    hints=(
        "Follow x from the bottom: what is added to what? Two lines are enough, of the form "
        "x = x + sub-layer(norm(x)).",
        "The second sub-layer reads, and adds to, what the first one has left.",
    ),
    solution=gpt_block,
    second_style=gpt_block_loop,
    mistakes=(gpt_block_post_norm,),
    cases=gpt_block_cases,
    properties=(
        Property("Both sub-layers must be called.", both_are_called),
        Property(
            "The feed-forward network comes first: words meet in the attention, then each is "
            "worked on.",
            attention_comes_first,
        ),
        reads_its_norm("attended", "norm_1", "norm_2"),
        reads_its_norm("fed", "norm_2", "norm_1"),
        Property(
            "Both sub-layers read the same x: the second one reads what the first has left.",
            second_reads_what_the_first_left,
        ),
        Property("The norms come before the sub-layers.", sum_is_left_alone),
        Property("What leaves the layer must hold x once.", x_is_carried_past),
        Property("What each sub-layer returns must be added once.", results_are_added),
    ),
    see="5E What does each part buy?",
)
