"""Chapter 10: each picture of a batch compared with each text."""

import functools
import math

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.properties import composed, no_way_back, properties
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def all_pairs(images, texts, log_scale):
    """Return the logits (N, M) of N images and M texts: their cosines times exp(log_scale).

    images (N, D) and texts (M, D), one vector each; log_scale is a tensor of one number.
    """
    images = images / images.norm(dim=-1, keepdim=True)
    texts = texts / texts.norm(dim=-1, keepdim=True)
    return log_scale.exp() * images @ texts.T  # (N, M)


def all_pairs_one_by_one(images, texts, log_scale):
    """Second style."""
    rows = [F.cosine_similarity(image[None], texts, dim=1) for image in images]
    return torch.exp(log_scale) * torch.stack(rows)


def unit(x):
    """Each vector divided by its length."""
    return x / x.norm(dim=-1, keepdim=True)


def raw(x):
    """As they came."""
    return x


def by_square(x):
    """Divided by the square of the length."""
    return x / x.square().sum(dim=-1, keepdim=True)


def by_sum(x):
    """Divided by the sum of what the numbers are without their signs."""
    return x / x.abs().sum(dim=-1, keepdim=True)


def by_columns(x):
    """Each column divided by its length."""
    return x / x.norm(dim=0, keepdim=True)


def by_all(x):
    """Divided by the length of all numbers together."""
    return x / x.norm()


def centred(x):
    """The mean taken away from each, then divided by the length."""
    return unit(x - x.mean(dim=-1, keepdim=True))


def pairs(images, texts, log_scale, of_images=unit, of_texts=unit, scale=torch.exp, after=raw):
    """The logits with slips."""
    return after(of_images(images) @ of_texts(texts).T * scale(log_scale))


def all_pairs_raw(images, texts, log_scale):
    """This multiplies the vectors as they came: a longer one would win everywhere. Divide each by
    its length first.
    """
    return pairs(images, texts, log_scale, raw, raw)


def all_pairs_images_raw(images, texts, log_scale):
    """This leaves the images as long as they came: divide each by its length, too."""
    return pairs(images, texts, log_scale, raw)


def all_pairs_texts_raw(images, texts, log_scale):
    """This leaves the texts as long as they came: divide each by its length, too."""
    return pairs(images, texts, log_scale, unit, raw)


def all_pairs_by_columns(images, texts, log_scale):
    """This divides each column by its length: it is the vectors, the rows, that get length 1."""
    return pairs(images, texts, log_scale, by_columns, by_columns)


def all_pairs_by_all(images, texts, log_scale):
    """This divides by the length of all vectors together: each has one of its own, so keep its
    axis.
    """
    return pairs(images, texts, log_scale, by_all, by_all)


def all_pairs_by_square(images, texts, log_scale):
    """This divides by the square of a length: take its root."""
    return pairs(images, texts, log_scale, by_square, by_square)


def all_pairs_log_scale(images, texts, log_scale):
    """This multiplies by log_scale itself: the factor is exp(log_scale)."""
    return pairs(images, texts, log_scale, scale=raw)


def all_pairs_unscaled(images, texts, log_scale):
    """This does not use log_scale: the cosines are multiplied by exp(log_scale)."""
    return pairs(images, texts, log_scale, scale=torch.ones_like)


def all_pairs_divided(images, texts, log_scale):
    """This divides by exp(log_scale): multiply by it."""
    return pairs(images, texts, log_scale, scale=lambda s: (-s).exp())


def all_pairs_added(images, texts, log_scale):
    """This adds exp(log_scale): multiply by it. A softmax would never see what is added to all."""
    return unit(images) @ unit(texts).T + log_scale.exp()


def all_pairs_turned(images, texts, log_scale):
    """This has a row for each text: an image is a row, a text a column, (N, M)."""
    return pairs(images, texts, log_scale, after=torch.t)


def all_pairs_softmaxed(images, texts, log_scale):
    """This goes on to a softmax: the logits are asked for."""
    return pairs(images, texts, log_scale, after=lambda x: x.softmax(dim=1))


def all_pairs_distances(images, texts, log_scale):
    """These are distances: the larger, the *less* alike. The cosine is a product of unit
    vectors.
    """
    return torch.cdist(unit(images), unit(texts)) * log_scale.exp()


def all_pairs_number(images, texts, log_scale):
    """This takes a plain number, so no gradient gets back to log_scale: torch has an exp."""
    return pairs(images, texts, log_scale, scale=lambda s: math.exp(s.item()))


def with_gradient(answer, images, texts, log_scale):
    """The logits, and the gradient of their sum with respect to log_scale."""
    log_scale = log_scale.clone().requires_grad_()
    logits, gradient = answer(images, texts, log_scale), None
    if isinstance(logits, torch.Tensor) and logits.requires_grad:
        (gradient,) = torch.autograd.grad(logits.sum(), log_scale, allow_unused=True)
    return logits, torch.tensor(0.0) if gradient is None else gradient


def of_logits(check):
    """A check that asks an answer for its logits alone."""

    @functools.wraps(check)
    def asked(answer):
        return check(lambda *args: answer(*args)[0])

    return asked


def all_pairs_cases():
    """More texts than images, as many, one of each; vectors of very different lengths."""
    long = torch.randn(3, 4) * torch.tensor([[0.1], [1.0], [30.0]])
    return [
        case("3 images, 5 texts", torch.randn(3, 4), torch.randn(5, 4), torch.tensor(1.2)),
        case("4 images, 4 texts", torch.randn(4, 6), torch.randn(4, 6), torch.tensor(2.0)),
        case("long and short vectors", long, torch.randn(2, 4), torch.tensor(0.5)),
        case("1 image, 1 text", torch.randn(1, 3), torch.randn(1, 3), torch.tensor(0.0)),
    ]


N_IMAGES, N_TEXTS, WIDTH = 3, 4, 5


def example():
    """Three images, four texts, with lengths that differ, and a log_scale."""
    generator = torch.Generator().manual_seed(10)
    images = torch.randn(N_IMAGES, WIDTH, generator=generator)
    texts = torch.randn(N_TEXTS, WIDTH, generator=generator)
    images, texts = images * torch.tensor([[0.4], [1.0], [1.7]]), texts * 1.4
    return images, texts, torch.tensor(1.3)


def has_the_shape(answer):
    """(N, M)."""
    found = answer(*example())
    shape = tuple(found.shape)
    sentences = {
        (N_TEXTS, N_IMAGES): "It has a row for each text: an image is a row, a text a column, "
        "(N, M).",
        (N_IMAGES, N_TEXTS, WIDTH): "Products of single numbers are left: sum them over D.",
        (N_IMAGES,): "It compares each image with one text: with all of them, (N, M).",
        (N_IMAGES + N_TEXTS, N_IMAGES + N_TEXTS): "It compares images with images, too: only with "
        "texts, (N, M).",
    }
    return shape == (N_IMAGES, N_TEXTS) or sentences.get(
        shape, f"From 3 images and 4 texts it makes {shape}: (3, 4) is right."
    )


def a_pair_is_on_its_own(answer):
    """The logit of a pair depends on other images or texts: only its own two vectors count."""
    images, texts, log_scale = example()
    whole = answer(images, texts, log_scale)
    if whole.shape != (N_IMAGES, N_TEXTS):
        return None
    alone = answer(images[1:2], texts[2:3], log_scale)
    return torch.allclose(alone.reshape(()), whole[1, 2], rtol=1e-3, atol=1e-3)


def with_itself(answer):
    """A vector has the cosine 1 with itself, so the logit of such a pair must be exp(log_scale)."""
    images, _, log_scale = example()
    found = answer(images, images, log_scale)
    return torch.allclose(found.diagonal(), log_scale.exp().expand(3), rtol=5e-3)


def at_right_angles(answer):
    """Vectors at right angles have the cosine 0, so the logit of such a pair must be 0."""
    found = answer(2 * torch.eye(4)[:2], 3 * torch.eye(4)[2:], torch.tensor(1.0))
    return bool((found.abs() < 1e-3).all())


def by_length_alone(answer):
    """The logits change when a vector gets longer: only its direction counts."""
    images, texts, log_scale = example()
    one, other = answer(images, texts, log_scale), answer(3 * images, texts / 2, log_scale)
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def grows_with_the_scale(answer):
    """One more in log_scale does not make each logit e times as large."""
    images, texts, log_scale = example()
    one, other = answer(images, texts, log_scale), answer(images, texts, log_scale + 1)
    return torch.allclose(other, one * torch.e, rtol=5e-3, atol=1e-3)


def a_way_to_the_scale(answer):
    """The logits are right, but no gradient gets back to log_scale: torch has an exp."""
    logits, gradient = answer(*example())
    if not torch.allclose(logits, pairs(*example()), rtol=1e-3, atol=1e-3):
        return None
    return bool(gradient)


def way_back(answer):
    """Remark on a model that could not be trained."""
    images, texts, log_scale = example()
    return no_way_back(lambda x, y: answer(x, y, log_scale), images, texts)


def lengths(what):
    """The choices for the vectors of images, or of texts."""
    return {
        f"The {what} get length 1.": unit,
        f"The {what} are not divided by their lengths.": raw,
        f"The {what} are divided by the squares of their lengths: take the root.": by_square,
        f"The {what} are divided by the sum of their numbers without signs: the length is the root "
        "of the sum of squares.": by_sum,
        f"The columns of the {what} get length 1: each vector, a row, must.": by_columns,
        f"The {what} are divided by the length of all of them together: each by its own.": by_all,
        f"The {what} lose their mean first: only divide each by its length.": centred,
    }


@functools.cache
def with_slips(*choices):
    """The logits with a choice for each of the rules below."""
    return pairs(*example(), *choices)


ALL_PAIRS = Write(
    id="10.1",
    title="Each picture with each text",
    level="easy",
    text="""
Two encoders have done their work: `images` (N, D) holds a vector for each of N pictures, `texts`
(M, D) one for each of M texts. How well does each picture go with each text? Write
`all_pairs(images, texts, log_scale)`: the **cosine** of every picture with every text, times
**exp(`log_scale`)**, as a table (N, M) with a row for each picture. A cosine is the product of two
vectors that have been divided by their lengths, and none here has length 0. `log_scale` is a tensor
of one number. Training moves it, so use torch’s own functions: a gradient must get back to it.
""",
    hints=(
        "Two steps: all vectors to length 1; then all products at once.",
        "`x.norm(dim=-1)` gives (N,): which shape must it have to divide the rows of (N, D)?",
        "(N, D) and (M, D) are to become (N, M): which of the two must be turned?",
    ),
    solution=all_pairs,
    second_style=all_pairs_one_by_one,
    mistakes=(
        all_pairs_raw,
        all_pairs_images_raw,
        all_pairs_texts_raw,
        all_pairs_by_columns,
        all_pairs_by_all,
        all_pairs_by_square,
        all_pairs_log_scale,
        all_pairs_unscaled,
        all_pairs_divided,
        all_pairs_added,
        all_pairs_turned,
        all_pairs_softmaxed,
        all_pairs_distances,
        all_pairs_number,
    ),
    cases=all_pairs_cases,
    run=with_gradient,
    results=("the logits", "the gradient of log_scale"),
    properties=(
        Property("The logits are (N, M).", of_logits(has_the_shape)),
        *composed(
            lambda answer: answer(*example())[0],
            with_slips,
            lengths("images"),
            lengths("texts"),
            {
                "The cosines are multiplied by exp(log_scale).": torch.exp,
                "The factor is log_scale itself: it is exp(log_scale).": raw,
                "log_scale is not used: multiply by exp(log_scale).": torch.ones_like,
                "It divides by exp(log_scale): multiply by it.": lambda s: (-s).exp(),
                "It divides by log_scale: multiply by exp(log_scale).": torch.reciprocal,
                "The factor is a power of 10: exp takes powers of e.": lambda s: 10**s,
                "The factor is a power of 2: exp takes powers of e.": torch.exp2,
                "exp(log_scale) is squared: each logit gets it once.": lambda s: (2 * s).exp(),
                "The logarithm of log_scale is taken: the factor is exp(log_scale).": torch.log,
                "exp is taken twice: log_scale needs it once.": lambda s: s.exp().exp(),
            },
            {
                "The table holds logits.": raw,
                "It goes on to a softmax over the texts: the logits are asked for.": lambda x: (
                    x.softmax(dim=1)
                ),
                "It goes on to a softmax over the images: the logits are asked for.": lambda x: (
                    x.softmax(dim=0)
                ),
                "The sign is wrong: the more alike, the larger.": torch.neg,
                "The table has a row for each text: an image is a row.": torch.t,
                "exp is taken of the logits: it belongs to log_scale alone.": torch.exp,
            },
            otherwise=(
                of_logits(a_pair_is_on_its_own),
                of_logits(by_length_alone),
                of_logits(grows_with_the_scale),
                of_logits(with_itself),
                of_logits(at_right_angles),
            ),
        ),
        *properties(a_way_to_the_scale),
    ),
    remarks=(way_back,),
)
