"""Chapter 09: a few latents read many inputs."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import divisor, sums_to_one
from tutorial_lib.exercises.engine.properties import alike, factor
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def read(latents, inputs, w_q, w_k, w_v, mask=None):
    """Return the latents (N, D) and what they gathered from inputs (B, M, C): (B, N, D).

    w_q (D, K), w_k (C, K), w_v (C, D); mask (B, M), True = a real input.
    """
    q, k, v = latents @ w_q, inputs @ w_k, inputs @ w_v  # (N, K), (B, M, K), (B, M, D)
    scores = q @ k.mT / math.sqrt(q.size(-1))  # (B, N, M)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -math.inf)
    return latents + scores.softmax(dim=-1) @ v  # (B, N, D)


def read_one_by_one(latents, inputs, w_q, w_k, w_v, mask=None):
    """Second style."""
    pictures = []
    for number, picture in enumerate(inputs):
        real = picture if mask is None else picture[mask[number]]
        rows = []
        for latent in latents:
            shares = torch.exp((real @ w_k) @ (latent @ w_q) * w_q.shape[1] ** -0.5)
            rows.append(latent + shares @ real @ w_v / shares.sum())
        pictures.append(torch.stack(rows))
    return torch.stack(pictures)


def scores_of(latents, inputs, w_q, w_k, mask=None, number=None):
    """The scores (B, N, M), divided by √K or by another number."""
    scores = latents @ w_q @ (inputs @ w_k).mT / (number or math.sqrt(w_q.size(1)))
    return scores if mask is None else scores.masked_fill(~mask[:, None], -math.inf)


def read_divided_by(number, latents, inputs, w_q, w_k, w_v, mask):
    """The latents and what they gather by scores divided by some number."""
    weights = scores_of(latents, inputs, w_q, w_k, mask, number).softmax(dim=-1)
    return latents + weights @ inputs @ w_v


def read_gathered_alone(latents, inputs, w_q, w_k, w_v, mask=None):
    """This returns what was gathered, alone: a latent keeps what it held, and adds that to it."""
    return read(latents, inputs, w_q, w_k, w_v, mask) - latents


def read_adds_the_query(latents, inputs, w_q, w_k, w_v, mask=None):
    """This adds what was gathered to the queries, `latents @ w_q`: add it to the latents."""
    gathered = read_gathered_alone(latents, inputs, w_q, w_k, w_v, mask)
    return latents @ w_q + gathered


def read_unscaled(latents, inputs, w_q, w_k, w_v, mask=None):
    """This does not divide the scores: by √K, the root of the width in which they compare."""
    return read_divided_by(1, latents, inputs, w_q, w_k, w_v, mask)


def read_scaled_by_width(latents, inputs, w_q, w_k, w_v, mask=None):
    """This divides by √D, the width of the latents: they compare in the width K."""
    return read_divided_by(latents.size(1) ** 0.5, latents, inputs, w_q, w_k, w_v, mask)


def read_scaled_by_inputs(latents, inputs, w_q, w_k, w_v, mask=None):
    """This divides by √C, the width of the inputs: they compare in the width K."""
    return read_divided_by(inputs.size(2) ** 0.5, latents, inputs, w_q, w_k, w_v, mask)


def read_divided_by_k(latents, inputs, w_q, w_k, w_v, mask=None):
    """This divides by K: take its root."""
    return read_divided_by(w_q.size(1), latents, inputs, w_q, w_k, w_v, mask)


def read_over_latents(latents, inputs, w_q, w_k, w_v, mask=None):
    """The softmax runs over the latents, so that they compete for each input: the inputs must
    compete for each latent.
    """
    weights = scores_of(latents, inputs, w_q, w_k).softmax(dim=1)
    weights = weights if mask is None else weights * mask[:, None]
    return latents + weights @ (inputs @ w_v)


def read_maps_exchanged(latents, inputs, w_q, w_k, w_v, mask=None):
    """This exchanges `w_k` and `w_v`: keys are inputs @ w_k, values inputs @ w_v."""
    return read(latents, inputs, w_q, w_v, w_k, mask)


def read_keys_mixed(latents, inputs, w_q, w_k, w_v, mask=None):
    """This mixes the keys: they are for the scores, and what is mixed are the values,
    inputs @ w_v.
    """
    return read(latents, inputs, w_q, w_k, w_k, mask)


def read_inputs_mixed(latents, inputs, w_q, w_k, w_v, mask=None):
    """This mixes the inputs themselves: mix their values, inputs @ w_v."""
    return latents + scores_of(latents, inputs, w_q, w_k, mask).softmax(dim=-1) @ inputs


def read_multiplied(latents, inputs, w_q, w_k, w_v, mask=None):
    """This multiplies the latents by what they gathered: add it."""
    return latents * read_gathered_alone(latents, inputs, w_q, w_k, w_v, mask)


def read_mask_inverted(latents, inputs, w_q, w_k, w_v, mask=None):
    """This hides the real inputs and reads the others: True marks a real one."""
    return read(latents, inputs, w_q, w_k, w_v, None if mask is None else ~mask)


def read_mask_forgotten(latents, inputs, w_q, w_k, w_v, mask=None):
    """This does not use the mask: inputs that are not real are read, too."""
    return read(latents, inputs, w_q, w_k, w_v)


def read_mask_after_softmax(latents, inputs, w_q, w_k, w_v, mask=None):
    """The mask comes after the softmax, when the hidden inputs have taken their share already: set
    their scores to minus infinity before it.
    """
    weights = scores_of(latents, inputs, w_q, w_k).softmax(dim=-1)
    weights = weights if mask is None else weights * mask[:, None]
    return latents + weights @ (inputs @ w_v)


def read_mask_to_zero(latents, inputs, w_q, w_k, w_v, mask=None):
    """This sets hidden scores to 0, and after the softmax that is a weight like others: minus
    infinity makes it 0.
    """
    scores = scores_of(latents, inputs, w_q, w_k)
    scores = scores if mask is None else scores * mask[:, None]
    return latents + scores.softmax(dim=-1) @ (inputs @ w_v)


def read_inputs_emptied(latents, inputs, w_q, w_k, w_v, mask=None):
    """This makes hidden inputs zero before they are read. A score of 0 still gets weight: hide the
    *scores*, with minus infinity.
    """
    inputs = inputs if mask is None else inputs * mask[..., None]
    return read(latents, inputs, w_q, w_k, w_v)


def read_mask_as_rows(latents, inputs, w_q, w_k, w_v, mask=None):
    """Next to scores (B, N, M) a mask (B, M) counts as (1, B, M), with a row for each latent: make
    room for the latents, (B, 1, M).
    """
    scores = scores_of(latents, inputs, w_q, w_k)
    scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    return latents + scores.softmax(dim=-1) @ (inputs @ w_v)


def sizes(n_pictures, n_latents, n_inputs, d_latent, d_input, width):
    """Random latents, inputs and maps."""
    shapes = (n_latents, d_latent), (n_pictures, n_inputs, d_input)
    maps = (d_latent, width), (d_input, width), (d_input, d_latent)
    return [torch.randn(*shape) for shape in (*shapes, *maps)]


def read_cases():
    """All sizes differ; then a mask; then sizes for which slips about axes and maps still run."""
    shows = torch.tensor([[True, True, False, True, False], [False, True, True, False, False]])
    square = torch.tensor([[True, True, False], [True, False, False], [True, True, True]])
    return [
        case("2 pictures, 3 latents, 5 inputs", *sizes(2, 3, 5, 4, 6, 2)),
        case("inputs that are not real", *sizes(2, 3, 5, 6, 4, 3), mask=shows),
        case("all widths the same", *sizes(2, 3, 4, 5, 5, 5)),
        case("3 pictures, 3 latents, 3 inputs, a mask", *sizes(3, 3, 3, 4, 4, 4), mask=square),
        case("1 picture, 1 latent, 7 inputs", *sizes(1, 1, 7, 3, 2, 4)),
    ]


N_LATENTS, N_INPUTS, D_LATENT, D_INPUT, WIDTH = 3, 5, 6, 7, 4
OF_M = "The scores are divided by √M, the number of inputs."
LARGE = 100  # against the latents, so that short floats still hold small weights
ONE_HOT = torch.cat([torch.eye(N_INPUTS), torch.zeros(N_INPUTS, 1)], dim=1)  # (M, D)
REAL = torch.tensor([[True, False, True, True, False], [False, True, True, True, False]])


def example():
    """Inputs whose values, by w_v (C, D), are one-hot: what is gathered are the weights."""
    generator = torch.Generator().manual_seed(9)
    shapes = (N_LATENTS, D_LATENT), (D_LATENT, WIDTH), (D_INPUT, WIDTH)
    latents, w_q, w_k = (torch.randn(*shape, generator=generator) for shape in shapes)
    rest = torch.randn(2, N_INPUTS, D_INPUT - N_INPUTS, generator=generator)
    inputs = torch.cat([torch.eye(N_INPUTS).expand(2, -1, -1), rest], dim=-1)  # (B, M, C)
    w_v = torch.cat([LARGE * ONE_HOT, torch.zeros(D_INPUT - N_INPUTS, D_LATENT)])
    return latents, inputs, w_q / 2, w_k, w_v


def of_each(answer, masks=None):
    """What comes when each picture is read by itself, without its hidden inputs: (B, N, D)."""
    latents, inputs, *maps = example()
    masks = torch.ones_like(REAL) if masks is None else masks
    read_alone = [
        answer(latents, some[real][None], *maps) for some, real in zip(inputs, masks, strict=True)
    ]
    return torch.cat(read_alone)


def gathered(answer):
    """What the values add to the latents, (B, N, D). Raises ValueError when it is not added."""
    *others, w_v = example()
    if latents_are_kept(answer) is False:
        raise ValueError("values and latents cannot be told apart")
    return answer(*others, w_v) - answer(*others, 0 * w_v)


def weights_of(answer):
    """The weights of the inputs (B, N, M). Raises ValueError for another shape."""
    found = gathered(answer)
    if found.shape != (2, N_LATENTS, D_LATENT):
        raise ValueError("another shape")
    return found[..., :N_INPUTS] / LARGE


def does_without_a_mask(answer):
    """A mask need not be given."""
    try:
        return answer(*example()) is not None
    except ValueError:
        answer(*example(), torch.ones_like(REAL))  # nothing to say when that fails, too
        return False


def has_the_shape(answer):
    """(B, N, D)."""
    found = answer(*example())
    if isinstance(found, list):
        return "It returns several things: return what the latents are then, (B, N, D)."
    shape = tuple(found.shape)
    sentences = {
        (N_LATENTS, D_LATENT): "It mixes the pictures: each one gets latents of its own, "
        "(B, N, D).",
        (2, N_INPUTS, D_LATENT): "It returns a vector for each input: the latents ask, so return "
        "one for each latent, (B, N, D).",
    }
    return shape == (2, N_LATENTS, D_LATENT) or sentences.get(shape, False)


def latents_are_kept(answer):
    """Where all values are 0, latents stay what they were."""
    latents, *others, w_v = example()
    found = answer(latents, *others, 0 * w_v)
    kept = latents.expand_as(found)
    if alike(found, kept):
        return True
    times = factor(found, kept)
    if times == 0:
        return "A latent must keep what it held: add what it gathered to it."
    return False if times is None else f"The latents are added {times:.3g} times: once is right."


def pictures_stay_apart(answer):
    """A picture is read the same, whatever the others are."""
    if has_the_shape(answer) is not True or alike(of_each(answer), answer(*example())):
        return True
    if sums_to_one(weights_of(answer), 0):
        return "The softmax runs over the pictures: it runs over the inputs, the last axis."
    return False


def values_are_mixed(answer):
    """What is gathered is a mix of inputs @ w_v."""
    found = gathered(answer)
    if not found.abs().max() > 1e-4:
        return "It does not use `w_v`: what is mixed are the values, inputs @ w_v."
    return bool((found[..., N_INPUTS:].abs() < 0.01).all())


def weights_are_positive(answer):
    """Exponentials, and no raw scores."""
    return bool((weights_of(answer) > -1e-4).all())


def weights_sum_to_one(answer):
    """For each latent, over the inputs; None for another mistake."""
    if values_are_mixed(answer) is not True or pictures_stay_apart(answer) is not True:
        return None
    weights = weights_of(answer)
    if not weights_are_positive(answer) or sums_to_one(weights):
        return True if weights_are_positive(answer) else None
    if sums_to_one(weights, 1):
        return "The softmax runs over the latents: it runs over the inputs, the last axis."
    return (
        "For each latent the weights of the inputs must sum to 1: those of the first sum to "
        f"{weights[0, 0].sum().item():.3g}."
    )


def scale_of(answer):
    """By which number the products of queries and keys were divided; None when they were not."""
    latents, inputs, w_q, w_k, _ = example()
    weights = weights_of(answer).double()
    products = latents @ w_q @ (inputs @ w_k).mT  # (B, N, M)
    return divisor(weights, products.double()) if (weights > 0).all() else None


def scores_are_compared(answer):
    """The weights go with (latents @ w_q) · (inputs @ w_k)."""
    if not weights_are_positive(answer) or pictures_stay_apart(answer) is not True:
        return None
    if not (weights_of(answer) > 1e-4).all():
        return (
            "Some inputs get no weight, although no mask hides them: each latent sees all inputs, "
            "and a softmax gives to each."
        )
    latents, inputs, w_q, w_k, _ = example()
    if alike(weights_of(answer), scores_of(latents, inputs, w_q, w_k).softmax(-1).softmax(-1)):
        return "There are two softmaxes, one after the other: one is enough."
    return scale_of(answer) is not None


def scores_are_scaled(answer):
    """Divided by the root of K."""
    found = scale_of(answer)
    if found is None:
        return None
    others = {
        "The scores are not divided at all.": 1,
        "The scores are divided by K: take its root.": WIDTH,
        "The scores are divided by √D, the width of the latents.": D_LATENT**0.5,
        "The scores are divided by √C, the width of the inputs.": D_INPUT**0.5,
        OF_M: N_INPUTS**0.5,
        "The scores are divided by √N, the number of latents.": N_LATENTS**0.5,
    }
    for sentence, number in others.items():
        if math.isclose(found, number, rel_tol=1e-2):
            return sentence
    return math.isclose(found, WIDTH**0.5, rel_tol=1e-2)


def mask_has_room(answer):
    """It can work with a mask (B, M)."""
    if pictures_stay_apart(answer) is not True:
        return None
    try:
        return answer(*example(), REAL) is not None
    except ValueError:
        answer(*example())  # nothing to say when that fails, too
        return False


def hidden_ones_do_not_count(answer):
    """What a hidden input holds makes no difference."""
    if weights_sum_to_one(answer) is not True or scores_are_compared(answer) is not True:
        return None
    latents, inputs, *maps = example()
    masked = answer(latents, inputs, *maps, REAL)
    if alike(masked, answer(latents, inputs, *maps)):
        return "The mask makes no difference."
    scores = scores_of(*example()[:4]) + REAL[:, None]
    if alike(masked, latents + scores.softmax(dim=-1) @ inputs @ maps[-1]):
        return (
            "The mask is added to the scores as 0 and 1, so that hidden inputs only count less: "
            "make their scores minus infinity."
        )
    if alike(answer(latents, inputs, *maps, ~REAL), of_each(answer, REAL)):
        return "It reads the inputs that are to be hidden: True marks a real one."
    for row in (REAL[0], REAL[1], REAL.any(dim=0), REAL.all(dim=0)):
        if alike(masked, of_each(answer, row.expand_as(REAL))):
            return "It hides the same inputs in all pictures: each has a row of the mask."
    other = torch.where(REAL[..., None], inputs, inputs.flip(-1) + 1)
    return alike(masked, answer(latents, other, *maps, REAL))


def real_ones_share_all(answer):
    """With hidden inputs it is as if only the real ones were there."""
    if hidden_ones_do_not_count(answer) is not True or scores_are_scaled(answer) == OF_M:
        return None
    return alike(answer(*example(), REAL), of_each(answer, REAL))


READ = Write(
    id="9.8",
    title="What the latents read",
    level="medium",
    text="""
Write `read(latents, inputs, w_q, w_k, w_v, mask=None)`, how a Perceiver with one head reads. The
same `latents` (N, D) read each picture of a batch `inputs` (B, M, C), and M may be very large. The
latents ask, the inputs answer: `w_q` is (D, K), `w_k` is (C, K), `w_v` is (C, D). Scores are
divided by √K; then, for each latent, a softmax over the M inputs. Return the latents **plus** what
they gathered, (B, N, D). `mask` (B, M), if there is one, is True for real inputs; the others must
count for nothing. Each picture has a real one.
""",
    hints=(
        "Queries (N, K), keys (B, M, K): which shape must the scores have, if each latent of each "
        "picture compares itself with each input?",
        "`latents` have no axis for the pictures: (N, K) @ (B, K, M) makes one.",
        "The mask belongs to the last axis of the scores, and all latents share it. What must a "
        "score be so that exp makes 0 of it?",
    ),
    solution=read,
    second_style=read_one_by_one,
    mistakes=(
        read_gathered_alone,
        read_adds_the_query,
        read_unscaled,
        read_scaled_by_width,
        read_scaled_by_inputs,
        read_divided_by_k,
        read_over_latents,
        read_maps_exchanged,
        read_keys_mixed,
        read_inputs_mixed,
        read_multiplied,
        read_mask_inverted,
        read_mask_forgotten,
        read_mask_after_softmax,
        read_mask_to_zero,
        read_inputs_emptied,
        read_mask_as_rows,
    ),
    cases=read_cases,
    properties=(
        Property("It needs a mask: without one, all inputs are real.", does_without_a_mask),
        Property("The result must be (B, N, D): a vector for each latent.", has_the_shape),
        Property("To what they gathered, the latents themselves are added.", latents_are_kept),
        Property("What is read in one picture depends on the others.", pictures_stay_apart),
        Property("It mixes something else than the values, inputs @ w_v.", values_are_mixed),
        Property("There are negative weights: the softmax is missing.", weights_are_positive),
        Property("The weights must sum to 1 over the inputs.", weights_sum_to_one),
        Property(
            "The weights do not follow the products of `latents @ w_q` and `inputs @ w_k`.",
            scores_are_compared,
        ),
        Property("The scores are not divided by √K.", scores_are_scaled),
        Property(
            "It fails with a mask: that belongs to the last axis of the scores (B, N, M), so make "
            "it (B, 1, M).",
            mask_has_room,
        ),
        Property("Inputs that are not real still count.", hidden_ones_do_not_count),
        Property(
            "With a mask it is not as if the real inputs alone were there: after the softmax their "
            "weights must sum to 1.",
            real_ones_share_all,
        ),
    ),
)
