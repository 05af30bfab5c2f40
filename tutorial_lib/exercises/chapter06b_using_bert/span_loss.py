"""Chapter 06b: a head that points at the two ends of an answer, and its loss."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.guard import seeded
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def span_loss(hidden, head, allowed, starts, ends):
    """Return the loss of a span head on a batch, one number that gradients flow through.

    hidden (B, T, D), the body's vector for each token; head, a linear layer from D to 2, the
    scores of start and of end; allowed (B, T), True = an answer may start or end here; starts,
    ends (B,), the positions of the first and last token of each answer.
    """
    start_logits, end_logits = head(hidden).unbind(dim=-1)  # (B, T) each
    start_logits = start_logits.masked_fill(~allowed, -torch.inf)
    end_logits = end_logits.masked_fill(~allowed, -torch.inf)
    return F.cross_entropy(start_logits, starts) + F.cross_entropy(end_logits, ends)


def span_loss_log_p(hidden, head, allowed, starts, ends):
    """Second style."""
    log_p = head(hidden).masked_fill(~allowed[..., None], -torch.inf).log_softmax(dim=1)
    rows = torch.arange(len(starts))
    return -(log_p[rows, starts, 0] + log_p[rows, ends, 1]).mean()


def two_losses(hidden, head, allowed, starts, ends, fill=-torch.inf):
    """The cross-entropies of start and end."""
    logits = head(hidden).masked_fill(~allowed[..., None], fill)  # (B, T, 2)
    return F.cross_entropy(logits[..., 0], starts), F.cross_entropy(logits[..., 1], ends)


def span_loss_starts(hidden, head, allowed, starts, ends):
    """This is the loss of the start alone: the end has a cross-entropy of its own. Add it."""
    return two_losses(hidden, head, allowed, starts, ends)[0]


def span_loss_ends(hidden, head, allowed, starts, ends):
    """This is the loss of the end alone: the start has a cross-entropy of its own. Add it."""
    return two_losses(hidden, head, allowed, starts, ends)[1]


def span_loss_half(hidden, head, allowed, starts, ends):
    """This takes the mean of the two cross-entropies: their sum is asked for."""
    start, end = two_losses(hidden, head, allowed, starts, ends)
    return (start + end) / 2


def span_loss_exchanged(hidden, head, allowed, starts, ends):
    """This exchanges the two scores: number 0 is for the start, number 1 for the end."""
    return sum(two_losses(hidden, head, allowed, ends, starts))


def span_loss_everywhere(hidden, head, allowed, starts, ends):
    """This lets an answer start and end anywhere, in the padding too: fill the scores that are not
    allowed with minus infinity before the cross-entropy.
    """
    return sum(two_losses(hidden, head, torch.ones_like(allowed), starts, ends))


def span_loss_zero(hidden, head, allowed, starts, ends):
    """This sets forbidden scores to 0, and e to the 0 is 1: they still get a share. Minus infinity
    is asked for.
    """
    return sum(two_losses(hidden, head, allowed, starts, ends, fill=0.0))


def span_loss_inverted(hidden, head, allowed, starts, ends):
    """This forbids the tokens that are allowed: True means that an answer may be there."""
    return sum(two_losses(hidden, head, ~allowed, starts, ends, fill=-1e9))


def span_loss_all_forbidden(hidden, head, allowed, starts, ends):
    """This forbids the tokens that are allowed, so that the loss is infinite: True means that an
    answer may be there.
    """
    return sum(two_losses(hidden, head, ~allowed, starts, ends))


def span_loss_reshaped(hidden, head, allowed, starts, ends):
    """This mixes the tokens up: `reshape` of (B, T, 2) takes the scores as they lie in memory.
    Take `scores[..., 0]` for the start, `scores[..., 1]` for the end.
    """
    start, end = head(hidden).reshape(len(starts), 2, -1).unbind(dim=1)
    start, end = (logits.masked_fill(~allowed, -torch.inf) for logits in (start, end))
    return F.cross_entropy(start, starts) + F.cross_entropy(end, ends)


def span_loss_softmax(hidden, head, allowed, starts, ends):
    """This takes the softmax twice: once by itself, and once more inside the cross-entropy."""
    p = head(hidden).masked_fill(~allowed[..., None], -torch.inf).softmax(dim=1)
    return F.cross_entropy(p[..., 0], starts) + F.cross_entropy(p[..., 1], ends)


def span_loss_each_token(hidden, head, allowed, starts, ends):
    """This lets start and end compete at each token: here the *tokens* compete, for the start and
    once more for the end.
    """
    log_p = head(hidden).log_softmax(dim=-1)
    rows = torch.arange(len(starts))
    return -(log_p[rows, starts, 0] + log_p[rows, ends, 1]).mean()


def span_loss_sum(hidden, head, allowed, starts, ends):
    """This adds up the losses of the texts: their mean is asked for, or a large batch would take
    larger steps.
    """
    return len(starts) * sum(two_losses(hidden, head, allowed, starts, ends))


def span_loss_a_number(hidden, head, allowed, starts, ends):
    """This is a plain number that no gradient flows through: return the tensor, without `item`."""
    return sum(two_losses(hidden, head, allowed, starts, ends)).item()


def batch(seed, lengths, spans, first=1):
    """Vectors, a head, where an answer may be, and the answers; padding has loud vectors.

    first: where the passage begins; before it nothing is allowed, nor at its last token, [SEP].
    """
    with seeded(seed):
        hidden = torch.randn(len(lengths), max(lengths), 4)
        head = torch.nn.Linear(4, 2)
    positions = torch.arange(max(lengths))
    length = torch.tensor(lengths)[:, None]
    allowed = (positions >= first) & (positions < length - 1)
    starts, ends = torch.tensor(spans).T
    return hidden, head, allowed, starts, ends


def with_gradient(answer, *args):
    """The loss, and what it would change in the head: (2, D)."""
    _, head, *_ = args
    head.zero_grad()
    loss = answer(*args)
    if isinstance(loss, torch.Tensor) and loss.requires_grad and loss.numel() == 1:
        loss.backward()
    moved = torch.zeros_like(head.weight) if head.weight.grad is None else head.weight.grad
    head.zero_grad(set_to_none=True)
    return (loss.detach() if isinstance(loss, torch.Tensor) else loss), moved.clone()


def span_loss_cases():
    """One text, a batch with padding, and a question before the passage."""
    return [
        case("one text of 6 tokens", *batch(0, [6], [(1, 3)])),
        case("3 texts, padded", *batch(1, [7, 4, 5], [(2, 5), (1, 1), (1, 2)])),
        case("a question first", *batch(2, [9, 8], [(5, 7), (4, 6)], first=4)),
    ]


def told(start, end, allowed=(0, 1, 1, 1, 1, 0), starts=2, ends=3):
    """A batch of one text of 6 tokens with these scores: the head hands its vectors on."""
    hidden = torch.tensor([start, end]).T[None].float()  # (1, 6, 2)
    head = torch.nn.Linear(2, 2, bias=False)
    head.weight.data = torch.eye(2)
    allowed = torch.tensor([allowed]).bool()
    return hidden, head, allowed, torch.tensor([starts]), torch.tensor([ends])


RIGHT, WRONG, FLAT = [0, 0, 9, 0, 0, 0], [0, 9, 0, 0, 0, 0], [0] * 6
RIGHT_END = [0, 0, 0, 9, 0, 0]


def value(answer, *args, **kwargs):
    """What an answer gives for told scores, as a number."""
    return torch.as_tensor(answer(*told(*args, **kwargs))[0]).item()


def is_one_number(answer):
    """A scalar."""
    found, _ = answer(*told(RIGHT, RIGHT_END))
    if isinstance(found, (tuple, list)) or torch.as_tensor(found).numel() == 2:
        return "Two numbers come back: add the cross-entropies of start and end."
    return torch.as_tensor(found).numel() == 1


def the_start_counts(answer):
    """A wrong start costs more than a right one."""
    return value(answer, WRONG, RIGHT_END) > value(answer, RIGHT, RIGHT_END) + 1


def the_end_counts(answer):
    """A wrong end costs more than a right one."""
    return value(answer, RIGHT, WRONG) > value(answer, RIGHT, RIGHT_END) + 1


def forbidden_tokens_get_nothing(answer):
    """A loud score where no answer may be changes nothing."""
    quiet, loud = FLAT, [9, 0, 0, 0, 0, 9]
    return abs(value(answer, loud, loud) - value(answer, quiet, quiet)) < 1e-3


def gradients_flow(answer):
    """The loss is a tensor that reaches the head."""
    _, moved = answer(*told(WRONG, WRONG))
    return bool(moved.any()) if is_one_number(answer) is True else None


def flat_scores_cost_two_logs(answer):
    """Four allowed tokens, all alike: ln 4 for the start, ln 4 for the end."""
    others = (the_start_counts, the_end_counts, forbidden_tokens_get_nothing)
    if not all(other(answer) for other in others):
        return None
    found = value(answer, FLAT, FLAT)
    sentences = {
        1.386: "It is half of what it should be: for four allowed tokens with the same score the "
        "loss is 2 ln 4 = 2.77, ln 4 for the start and ln 4 for the end.",
    }
    for other, sentence in sentences.items():
        if abs(found - other) < 2e-3:
            return sentence
    return abs(found - 2.7726) < 2e-3


def large_scores_cost_nothing(answer):
    """Sure and right: no loss is left."""
    sure_start, sure_end = [0, 0, 40, 0, 0, 0], [0, 0, 0, 40, 0, 0]
    return value(answer, sure_start, sure_end) < 1e-2


SPAN_LOSS = Write(
    id="6b.5",
    title="The loss of a span head",
    level="medium",
    text="""
Write `span_loss(hidden, head, allowed, starts, ends)`. The head, a linear layer, gives two scores
for each token's vector: number 0 for *the answer starts here*, number 1 for *it ends here*. A token
that is not allowed must get probability 0; the true starts and ends are always allowed. Take a
cross-entropy over the tokens for the start, and one for the end, each averaged over the texts.
Return their sum.
""",
    hints=(
        "`head(hidden)` is (B, T, 2). What are the classes of the first cross-entropy: the two "
        "scores, or the T tokens?",
        "`scores.masked_fill(~allowed, -torch.inf)`, and a softmax gives these tokens 0.",
        "`F.cross_entropy(logits, starts)` wants logits (B, T) and positions (B,): one call for "
        "the start, one for the end.",
    ),
    solution=span_loss,
    second_style=span_loss_log_p,
    mistakes=(
        span_loss_starts,
        span_loss_ends,
        span_loss_half,
        span_loss_exchanged,
        span_loss_everywhere,
        span_loss_zero,
        span_loss_inverted,
        span_loss_all_forbidden,
        span_loss_reshaped,
        span_loss_softmax,
        span_loss_each_token,
        span_loss_sum,
        span_loss_a_number,
    ),
    cases=span_loss_cases,
    run=with_gradient,
    properties=(
        Property("One number is asked for, the sum of two cross-entropies.", is_one_number),
        Property("No gradient flows: return the tensor that the losses make.", gradients_flow),
        Property("A wrong start costs nothing: it has a cross-entropy too.", the_start_counts),
        Property("A wrong end costs nothing: it has a cross-entropy too.", the_end_counts),
        Property(
            "A token where no answer may be changes the loss: fill its scores with minus infinity.",
            forbidden_tokens_get_nothing,
        ),
        Property(
            "With the same score for four allowed tokens the loss should be 2 ln 4 = 2.77.",
            flat_scores_cost_two_logs,
        ),
        Property(
            "Sure of the right tokens, it should lose nothing: give the cross-entropy the scores "
            "as they are.",
            large_scores_cost_nothing,
        ),
    ),
    results=("loss", "gradient of the head's weights"),
    see="6bD Where the answer is",
)
