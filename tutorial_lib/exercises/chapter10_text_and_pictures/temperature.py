"""Chapter 10: a temperature that is learned, and where it must stop."""

import functools
import math

import torch

from tutorial_lib.exercises.chapter10_text_and_pictures import both_ways
from tutorial_lib.exercises.chapter10_text_and_pictures.both_ways import contrastive_loss
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def scale_step(log_scale, cosines, rate):
    """Return log_scale after one step of gradient descent, and never above the logarithm of 100.

    The loss is contrastive_loss of exp(log_scale) times cosines (B, B); log_scale is a tensor of
    one number.
    """
    log_scale = log_scale.detach().requires_grad_()
    loss = contrastive_loss(log_scale.exp() * cosines)
    (gradient,) = torch.autograd.grad(loss, log_scale)
    stepped = log_scale.detach() - rate * gradient
    return stepped.clamp(max=math.log(100))


def scale_step_by_hand(log_scale, cosines, rate):
    """Second style."""
    scale = math.exp(log_scale)
    logits = scale * cosines
    expected = (logits.softmax(dim=1) + logits.softmax(dim=0)) / 2 - torch.eye(len(logits))
    gradient = scale * (expected * cosines).sum() / len(logits)  # of the logarithm: chain rule
    return min(log_scale - rate * gradient, torch.tensor(100.0).log())


CEILING = math.log(100)


def slope(log_scale, cosines, of="logarithm", scale=torch.exp, loss=contrastive_loss):
    """The gradient with respect to log_scale, or to the factor, or its sign alone."""
    log_scale = log_scale.detach().clone().requires_grad_()
    factor = scale(log_scale)
    if of in ("factor", "no chain rule"):
        factor = factor.detach().requires_grad_()
        return torch.autograd.grad(loss(factor * cosines), factor)[0]
    (gradient,) = torch.autograd.grad(loss(factor * cosines), log_scale)
    return gradient.sign() if of == "sign" else gradient


def bounded_at_100(log_scale):
    """As it should be."""
    return log_scale.clamp(max=CEILING)


def moved(log_scale, step, bound, of, scale, give):
    """Where a step leads: of log_scale, or of the factor."""
    if of == "factor":
        return give(bound((scale(log_scale) + step).clamp(min=1e-3).log()))
    return give(bound(log_scale + step))


def slipped(
    log_scale,
    cosines,
    rate,
    bound=bounded_at_100,
    sign=-1,
    of="logarithm",
    scale=torch.exp,
    give=lambda s: s,
    loss=contrastive_loss,
):
    """The step with slips."""
    step = sign * rate * slope(log_scale, cosines, of, scale, loss)
    return moved(log_scale, step, bound, of, scale, give)


def scale_step_unbounded(log_scale, cosines, rate):
    """This has no bound: nothing keeps the factor from growing for ever."""
    log_scale = log_scale.detach().requires_grad_()
    loss = contrastive_loss(log_scale.exp() * cosines)
    (gradient,) = torch.autograd.grad(loss, log_scale)
    return log_scale.detach() - rate * gradient


def scale_step_uphill(log_scale, cosines, rate):
    """This goes along the gradient, not against it: the loss grows."""
    return slipped(log_scale, cosines, rate, sign=1)


def scale_step_at_least(log_scale, cosines, rate):
    """This has the bound on the wrong side: the factor is never *below* 100."""
    return slipped(log_scale, cosines, rate, lambda s: s.clamp(min=CEILING))


def scale_step_of_temperature(log_scale, cosines, rate):
    """This *divides* the cosines by exp(log_scale): so what learns is the logarithm of the
    temperature.
    """
    return slipped(log_scale, cosines, rate, scale=lambda s: (-s).exp())


def scale_step_at_most_one(log_scale, cosines, rate):
    """This bounds the logarithm at 1: the factor should be bounded, at 100, so its logarithm at
    ln 100.
    """
    return slipped(log_scale, cosines, rate, lambda s: s.clamp(max=1))


def scale_step_logarithm_of_100(log_scale, cosines, rate):
    """This bounds the logarithm at 100: the factor is bounded at 100, so its logarithm at ln 100,
    which is 4.6.
    """
    return slipped(log_scale, cosines, rate, lambda s: s.clamp(max=100))


def scale_step_base_10(log_scale, cosines, rate):
    """This takes the logarithm of 100 to the base 10, which is 2: the factor is a power of e."""
    return slipped(log_scale, cosines, rate, lambda s: s.clamp(max=2))


def scale_step_bound_before(log_scale, cosines, rate):
    """This bounds log_scale before the step: the step may lead above it again."""
    return slipped(log_scale.clamp(max=CEILING), cosines, rate, lambda s: s)


def scale_step_of_the_factor(log_scale, cosines, rate):
    """This is a step of the factor itself: it is log_scale that learns, so that equal steps are
    equal *ratios*.
    """
    return slipped(log_scale, cosines, rate, of="factor")


def scale_step_without_exp(log_scale, cosines, rate):
    """This multiplies by log_scale itself: the factor is exp(log_scale)."""
    return slipped(log_scale, cosines, rate, scale=lambda s: s)


def scale_step_gives_the_factor(log_scale, cosines, rate):
    """This returns the factor: return its logarithm, the new log_scale."""
    return slipped(log_scale, cosines, rate, give=torch.exp)


def scale_step_of_images(log_scale, cosines, rate):
    """This lets the pictures choose and not the texts: `contrastive_loss` has both directions."""
    return slipped(
        log_scale, cosines, rate, loss=lambda x: both_ways.contrastive_loss_images_only(x)
    )


def scale_step_not_taken(log_scale, cosines, rate):
    """This bounds log_scale and takes no step."""
    return log_scale.clamp(max=CEILING)


def scale_step_jumps(log_scale, cosines, rate):
    """This throws the factor back when it has gone too far: it stays *at* 100."""
    return slipped(log_scale, cosines, rate, lambda s: torch.where(s > CEILING, 0.0, s))


def some_cosines(n, apart=0.3):
    """Cosines (n, n) in which right pairs are a little nearer."""
    return (torch.randn(n, n) * 0.2 + apart * torch.eye(n)).clamp(-1, 1)


def scale_step_cases():
    """Steps that end below the bound, at it, and one that comes back from above it."""
    start, wrong = torch.tensor(math.log(1 / 0.07)), some_cosines(5).roll(1, dims=0)
    return [
        case("an ordinary step", start, some_cosines(4), 0.5),
        case("from a factor of 1", torch.tensor(0.0), some_cosines(3), 2.0),
        case("a step that would pass 100", torch.tensor(4.5), 0.1 * some_cosines(4, 0.9), 40.0),
        case("down from 100", torch.tensor(CEILING), wrong, 0.01),
        case("a step far beyond", torch.tensor(4.0), 0.1 * some_cosines(4, 0.9), 1e5),
        case("already above 100", torch.tensor(5.0), 0.02 * some_cosines(4, 2.0), 0.1),
    ]


STEPS, RATE, PAIRS = 400, 0.05, 24


def frozen():
    """Return cosines (24, 24) of pairs learned from, and of pairs that were held out.

    All pairs of the first are right, if only just. Of the second a few are not.
    """
    generator = torch.Generator().manual_seed(0)
    learned, held_out = 0.08 * torch.randn(2, PAIRS, PAIRS, generator=generator)
    own = torch.eye(PAIRS).bool()
    best = torch.maximum(
        learned.masked_fill(own, -1).amax(dim=1), learned.masked_fill(own, -1).amax(dim=0)
    )
    learned[own] = best + 0.02
    held_out[own] += 0.25
    return learned, held_out


def course(scale_step, steps=STEPS):
    """Return factor, loss, and loss on held-out pairs, after 0, 1, ... steps: three lists."""
    learned, held_out = frozen()
    log_scale = torch.tensor(math.log(1 / 0.07))  # as CLIP begins
    rows = []
    for step in range(steps + 1):
        log_scale = log_scale if step == 0 else scale_step(log_scale, learned, RATE)
        factor = torch.as_tensor(log_scale).float().exp()
        losses = [contrastive_loss(factor * cosines) for cosines in (learned, held_out)]
        rows.append([factor.item(), *(loss.item() for loss in losses)])
    return [list(column) for column in zip(*rows, strict=True)]


def two_pictures(scale_step):
    """Return for two texts each of two pictures: what it is, its cosine, and its two chances.

    The first picture is one of those learned from, the second is not. Chances, at first and after
    all steps: the softmax over all 24 texts.
    """
    factor, *_ = course(scale_step)
    rows = []
    for of, cosines, own in zip(("learned from", "another"), frozen(), (2, 16), strict=True):
        row = cosines[own]
        best_other = int(row.masked_fill(torch.arange(PAIRS) == own, -1).argmax())
        first, last = ((scale * row).softmax(dim=0) for scale in (factor[0], factor[-1]))
        for text, at in (("its own text", own), ("the best other text", best_other)):
            rows.append((f"{of}, {text}", *(each[at].item() for each in (row, first, last))))
    return rows


def examples():
    """Steps that end below the bound, and steps that would end above it."""
    generator = torch.Generator().manual_seed(8)
    noise = torch.randn(2, 4, 4, generator=generator)
    cosines = 0.25 * noise + 0.4 * torch.eye(4)  # not all right
    close = 0.005 * noise + 0.03 * torch.eye(4)
    return {
        "below": [
            (torch.tensor(1.2), cosines[0], 0.7),
            (torch.tensor(-0.5), cosines[1], 1.5),
            (torch.tensor(3.0), cosines[0], 0.05),
        ],
        "above": [
            (torch.tensor(4.5), close[0], 60.0),
            (torch.tensor(4.6), cosines[1].roll(1, dims=0), 0.002),
        ],
    }


def results(answer, which=("below", "above")):
    """What an answer makes of the examples, one number each."""
    found = [answer(*args) for part in which for args in examples()[part]]
    return torch.stack([torch.as_tensor(one).float().reshape(()) for one in found])


@functools.cache
def slopes(*choices):
    """The gradients in the examples, with slips."""
    return [slope(*args[:2], *choices) for part in examples().values() for args in part]


@functools.cache
def made(bound, sign, of, scale, give, loss):
    """What choices for each of the rules below give."""
    every = [args for part in examples().values() for args in part]
    return torch.stack(
        [
            moved(log_scale, sign * rate * gradient, bound, of, scale, give)
            for (log_scale, _, rate), gradient in zip(every, slopes(of, scale, loss), strict=True)
        ]
    )


def one_number(answer):
    """One number."""
    found = answer(*examples()["below"][0])
    if isinstance(found, list):
        return "It returns several things: return the new log_scale alone."
    return torch.as_tensor(found).numel() == 1


def bounded(answer):
    """The new log_scale must not lie above the logarithm of 100."""
    high = results(answer, ["above"])[0].item()
    if high > CEILING + 1e-2:
        return f"A step leads to {high:.3g}: log_scale must not pass ln 100, which is 4.61."
    return high > CEILING - 1e-2 or (
        f"A long step from 4.5 up leads to {high:.3g}: it must stop at ln 100, which is 4.61."
    )


def down_the_slope(answer):
    """A step leads to a larger loss."""
    for log_scale, cosines, _ in examples()["below"]:
        new = torch.as_tensor(answer(log_scale, cosines, 0.01)).float()
        old, now = (contrastive_loss(s.exp() * cosines) for s in (log_scale, new))
        if now > old + 1e-4:
            return False
    return True


def in_proportion_to_the_rate(answer):
    """Below the bound, a step of twice the rate must be twice as long."""
    log_scale, cosines, _ = examples()["below"][0]
    steps = [float(answer(log_scale, cosines, rate)) - log_scale.item() for rate in (0.4, 0.8)]
    return abs(steps[0]) > 1e-3 and math.isclose(2 * steps[0], steps[1], rel_tol=2e-2)


SCALE_STEP = Symptom(
    id="10.7",
    title="One step of the factor",
    level="medium",
    text="""
Here the factor exp(`log_scale`) of 10.1 learns alone, for 400 steps, from 24 pairs whose cosines
are made up. It begins at 1 / 0.07, as in CLIP. The table above shows two of its pictures, one
that it learns from and one that it does not. The chances are the softmax of exp(log_scale) · cosine
over all 24 texts, and one mistake has led to those on the right. Choose the letter: the numbers of
the table decide. Then repair `scale_step(log_scale, cosines, rate)`: one step of gradient descent
**in `log_scale`**, a tensor of one number, with `contrastive_loss` of 10.2 for the logits
exp(log_scale) · `cosines` (B, B). It returns the new `log_scale`, as its docstring says.
""",
    hints=(
        "Which factor would each of the four end at? Divide two chances of one picture: their "
        "softmax has the same sum, which falls out. What is left of the factor and both cosines?",
        "The logarithm of that ratio is the factor times the difference of the cosines. What does "
        "the picture that it learns from say: 0.992 to 0.008, and 0.020 between the cosines?",
        "The bound is on the factor, the number that is kept is its logarithm. `clamp` is there.",
    ),
    solution=scale_step,
    second_style=scale_step_by_hand,
    mistakes=(
        scale_step_of_images,
        scale_step_unbounded,
        scale_step_at_most_one,
        scale_step_of_temperature,
        scale_step_at_least,
        scale_step_logarithm_of_100,
        scale_step_base_10,
        scale_step_bound_before,
        scale_step_of_the_factor,
        scale_step_without_exp,
        scale_step_gives_the_factor,
        scale_step_uphill,
        scale_step_not_taken,
        scale_step_jumps,
    ),
    shown=scale_step_unbounded,
    looks=(
        "One direction pulls the factor up as well, but it would stop at 100. There the ratio of "
        "the upper two chances is exp(100 · 0.020) = 7.4: they would be 0.881 and 0.119.",
        "The upper two chances have a ratio of about 120, and ln 120 / 0.020 is 240: the factor "
        "has passed 100. All pairs that it learns from are right, so growing always pays. The "
        "other picture was wrong, and is now surely wrong.",
        "The factor would fall at the first step, to 2.7, and stay there: the chances on the right "
        "would be nearly alike.",
        "The chances are those of the factor exp(log_scale). It would get smaller step by step, "
        "as a temperature does when a model gets surer: the chances would come closer together.",
    ),
    cases=scale_step_cases,
    properties=(
        Property("It returns one number.", one_number),
        *composed(
            results,
            made,
            {
                "The factor stops at 100.": bounded_at_100,
                "There is no bound: the factor may pass 100.": lambda s: s,
                "The bound is on the wrong side: it keeps the factor from falling *below* "
                "100.": lambda s: s.clamp(min=CEILING),
                "The logarithm is bounded at 1: the factor is bounded at 100.": lambda s: s.clamp(
                    max=1
                ),
                "The logarithm is bounded at 100: it is the factor that is.": lambda s: s.clamp(
                    max=100
                ),
                "The logarithm of 100 is taken to the base 10: exp goes with the natural "
                "one.": lambda s: s.clamp(max=2),
                "The logarithm of 100 is taken to the base 2: exp goes with the natural "
                "one.": lambda s: s.clamp(max=math.log2(100)),
                "The factor is bounded at 1 / 100: at 100.": lambda s: s.clamp(max=-CEILING),
                "The factor is also bounded below: only at 100.": lambda s: s.clamp(0, CEILING),
                "A factor that has passed 100 is thrown back: it stays at 100.": lambda s: (
                    torch.where(s > CEILING, 0.0, s)
                ),
            },
            {
                "It goes against the gradient.": -1,
                "It goes along the gradient, and the loss grows: go against it.": 1,
                "It takes no step.": 0,
            },
            {
                "It is log_scale that learns.": "logarithm",
                "The step is one of the factor: it is log_scale that learns.": "factor",
                "The gradient of the *factor* moves log_scale: by the chain rule, that of "
                "log_scale is exp(log_scale) times as large.": "no chain rule",
                "Only the sign of the gradient counts: its size does, too.": "sign",
            },
            {
                "The factor is exp(log_scale).": torch.exp,
                "The cosines are divided by exp(log_scale): multiply by it.": lambda s: (-s).exp(),
                "The cosines are multiplied by log_scale itself: by exp(log_scale).": lambda s: (
                    1 * s
                ),
            },
            {
                "It returns the new log_scale.": lambda s: s,
                "It returns the factor: return its logarithm.": torch.exp,
                "It returns the temperature: return the logarithm of the factor.": lambda s: (
                    -s
                ).exp(),
            },
            {
                "The loss has both directions.": contrastive_loss,
                "The loss has one direction, pictures that choose: "
                "`contrastive_loss` has both.": both_ways.contrastive_loss_images_only,
                "The loss has one direction, texts that choose: "
                "`contrastive_loss` has both.": both_ways.contrastive_loss_texts_only,
                "The step is B times as long: the loss is a mean over the "
                "pairs.": both_ways.contrastive_loss_summed,
                "The step is twice as long: is the loss the *mean* of both "
                "directions?": both_ways.contrastive_loss_added,
            },
            otherwise=(bounded, down_the_slope, in_proportion_to_the_rate),
        ),
    ),
)
