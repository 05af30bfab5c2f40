"""Chapter 10: frames become tokens, by k-means."""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def kmeans_round(frames, centres):
    """Return the token of each frame, (N,), and the centres after one round of k-means, (K, D).

    frames (N, D), centres (K, D). A token is the number of the nearest centre; a new centre is the
    mean of its frames. One without frames stays where it is.
    """
    distances = (frames[:, None] - centres).square().sum(dim=-1)  # (N, K)
    tokens = distances.argmin(dim=1)  # (N,)
    moved = centres.clone()
    for k in range(len(centres)):
        own = frames[tokens == k]
        if len(own):
            moved[k] = own.mean(dim=0)
    return tokens, moved


def kmeans_round_at_once(frames, centres):
    """Second style."""
    tokens = torch.cdist(frames, centres).argmin(dim=1)
    belongs = torch.nn.functional.one_hot(tokens, len(centres)).to(frames.dtype)  # (N, K)
    counts = belongs.sum(dim=0)[:, None]  # (K, 1)
    means = belongs.T @ frames / counts.clamp(min=1)
    return tokens, torch.where(counts > 0, means, centres)


def squared(frames, centres):
    """Squared distances."""
    return (frames[:, None] - centres).square().sum(dim=-1)


def product(frames, centres):
    """The largest product."""
    return -frames @ centres.T


def absolute(frames, centres):
    """Differences without signs."""
    return (frames[:, None] - centres).abs().sum(dim=-1)


def cosine(frames, centres):
    """The most similar direction."""
    return -frames @ (centres / centres.norm(dim=1, keepdim=True)).T


def differences(frames, centres):
    """Differences with signs."""
    return (frames[:, None] - centres).sum(dim=-1)


def mean(own, old, frames):
    """The mean of the frames."""
    return own.mean(dim=0)


def kept(old, frames):
    """Where it is."""
    return old


def round_of(frames, centres, distance=squared, take=torch.argmin, new=mean, empty=kept):
    """Tokens and centres with slips."""
    tokens = take(distance(frames, centres), dim=1)
    moved = []
    for k, old in enumerate(centres):
        own = frames[tokens == k]
        moved.append(new(own, old, frames) if len(own) else empty(old, frames))
    return tokens, torch.stack(moved)


def zeros(old, frames):
    """At 0."""
    return torch.zeros_like(old)


def nan(old, frames):
    """0 / 0."""
    return torch.full_like(old, torch.nan)


def kmeans_round_nan(frames, centres):
    """The mean of no frames is 0 / 0, nan: a centre without frames stays where it is."""
    return round_of(frames, centres, empty=nan)


def kmeans_round_zero(frames, centres):
    """A centre without frames jumps to 0: it stays where it is."""
    return round_of(frames, centres, empty=zeros)


def kmeans_round_summed(frames, centres):
    """This adds up the frames of a centre: take their mean."""
    return round_of(frames, centres, new=lambda own, old, frames: own.sum(dim=0))


def kmeans_round_by_all(frames, centres):
    """This divides by the number of *all* frames: by how many belong to the centre."""
    return round_of(frames, centres, new=lambda own, old, frames: own.sum(dim=0) / len(frames))


def kmeans_round_with_itself(frames, centres):
    """The old centre counts as one of its frames: the new one is the mean of the frames alone."""
    return round_of(
        frames, centres, new=lambda own, old, frames: torch.cat([own, old[None]]).mean(dim=0)
    )


def kmeans_round_halfway(frames, centres):
    """A centre goes only half of the way: it moves to the mean of its frames."""
    return round_of(frames, centres, new=lambda own, old, frames: (own.mean(dim=0) + old) / 2)


def kmeans_round_median(frames, centres):
    """This takes the median of the frames: take their mean."""
    return round_of(frames, centres, new=lambda own, old, frames: own.median(dim=0).values)


def kmeans_round_nearest_frame(frames, centres):
    """A centre moves to one of its frames: it moves to their mean."""
    return round_of(
        frames,
        centres,
        new=lambda own, old, frames: own[squared(own, own.mean(0, keepdim=True)).argmin()],
    )


def kmeans_round_product(frames, centres):
    """This takes the largest product, and that favours long centres: a distance is asked for."""
    return round_of(frames, centres, product)


def kmeans_round_farthest(frames, centres):
    """This takes the *farthest* centre: argmin, not argmax."""
    return round_of(frames, centres, take=torch.argmax)


def kmeans_round_absolute(frames, centres):
    """This adds the differences without their signs: a distance squares them."""
    return round_of(frames, centres, absolute)


def kmeans_round_new_tokens(frames, centres):
    """These are the tokens *after* the move: return those from which the new centres were made."""
    _, moved = round_of(frames, centres)
    return squared(frames, moved).argmin(dim=1), moved


def kmeans_round_not_moved(frames, centres):
    """The centres have not moved: each goes to the mean of its frames."""
    return round_of(frames, centres)[0], centres.clone()


def kmeans_round_exchanged(frames, centres):
    """This exchanges the two results: the tokens come first, then the centres."""
    tokens, moved = round_of(frames, centres)
    return moved, tokens


def kmeans_round_cases():
    """With and without a centre that nobody chooses; more centres than frames; one of each."""
    far = torch.tensor([[0.0, 0.0], [9.0, 9.0], [-1.0, 1.0]])
    return [
        case("8 frames, 3 centres", 2 * torch.randn(8, 2), torch.randn(3, 2)),
        case("a centre without frames", torch.randn(6, 2), far),
        case("12 frames, 4 centres", torch.randn(12, 3), 2 * torch.randn(4, 3)),
        case("2 frames, 5 centres", torch.randn(2, 3), torch.randn(5, 3)),
        case("1 frame, 1 centre", torch.randn(1, 4), torch.randn(1, 4)),
    ]


def example():
    """Fourteen frames and four centres of different lengths: the last one has no frames."""
    generator = torch.Generator().manual_seed(11)
    frames = torch.randn(14, 3, generator=generator) + 0.4
    centres = torch.tensor([[0.2, 0.1, 0.0], [1.5, 1.4, -0.6], [-0.9, 1.0, 1.2], [7.0, -6.0, 5.0]])
    return frames, centres


def two_things(answer):
    """Tokens and centres."""
    found = answer(*example())
    return isinstance(found, list) and len(found) == 2


def in_their_order(answer):
    """Tokens first."""
    if not two_things(answer):
        return None
    tokens, centres = answer(*example())
    if not isinstance(centres, torch.Tensor) or not isinstance(tokens, torch.Tensor):
        return "Tokens and centres must be two tensors."
    if tokens.dim() == 2 and centres.dim() == 1:
        return False
    if tuple(tokens.shape) != (14,):
        return f"The tokens of 14 frames are {tuple(tokens.shape)}: one for each frame, (N,)."
    if tuple(centres.shape) != (4, 3):
        return f"From 4 centres it makes {tuple(centres.shape)}: none gets lost, (K, D)."
    return not tokens.is_floating_point() or "Tokens are whole numbers."


def tokens_of(answer):
    """The tokens."""
    return answer(*example())[0].reshape(14).float()


def filled_of(answer):
    """The centres that have frames, from an answer whose tokens are right, (3, 3)."""
    tokens, centres = answer(*example())
    if not (tokens.reshape(14) == kmeans_round(*example())[0]).all():
        raise ValueError("other tokens")
    return centres.reshape(4, 3)[:3]


def empty_of(answer):
    """The centre that has no frames, (3,)."""
    if in_their_order(answer) is not True or not nobody_chose(answer):
        raise ValueError("it has frames")
    return answer(*example())[1].reshape(4, 3)[3]


def nobody_chose(answer):
    """Tell whether the last centre has no frames, as it should."""
    return bool((answer(*example())[0] != 3).all())


def nearest(answer):
    """Some frames do not get the nearest centre."""
    found, distances = tokens_of(answer).long(), squared(*example())
    if not ((found >= 0) & (found < 4)).all():
        return "Some tokens are none of a centre: they go from 0 to K - 1."
    wrong = (found != distances.argmin(dim=1)).nonzero().flatten().tolist()
    if not wrong:
        return True
    i = wrong[0]
    return (
        f"A frame gets a centre at a squared distance of {distances[i, found[i]].item():.3g}, "
        f"though one is at {distances[i].min().item():.3g}: the nearest of those that were given."
    )


def means_of_their_frames(answer):
    """A new centre must be the mean of the frames with its token."""
    if in_their_order(answer) is not True:
        return None
    tokens, centres = answer(*example())
    frames, _ = example()
    for k in range(4):
        own = frames[tokens.reshape(14) == k]
        if len(own) and not torch.allclose(centres[k], own.mean(dim=0), atol=5e-3):
            return False
    return True


def it_stays(answer):
    """A centre without frames must stay where it is."""
    found = empty_of(answer)
    return torch.allclose(found, example()[1][3], atol=5e-3)


KMEANS_ROUND = Write(
    id="10.11",
    title="Frames to tokens",
    level="medium",
    text="""
A frame’s **token** is the number of the *centre* that is nearest to it. Where are good centres?
K-means finds them round by round. Write `kmeans_round(frames, centres)`, one round for `frames`
(N, D) and `centres` (K, D). Return the tokens (N,), and the new centres (K, D): the means of their
frames. Of equally near centres the first one counts.

An example with D = 1: frames 0, 4, 5, 21 and centres 0, 5, 90. The tokens are 0, 1, 1, 1, and the
new centres 0, 10, 90. The frame at 4 keeps its token in this round, though centre 1 has moved
away from it. And the centre that no frame has chosen stays where it is.
""",
    hints=(
        "All distances at once: (N, 1, D) minus (K, D) is (N, K, D).",
        "`frames[tokens == k]` are the frames of centre k. How many may that be?",
        "What is the mean of an empty tensor? Try `torch.zeros(0, 3).mean(dim=0)`.",
    ),
    solution=kmeans_round,
    second_style=kmeans_round_at_once,
    mistakes=(
        kmeans_round_nan,
        kmeans_round_zero,
        kmeans_round_summed,
        kmeans_round_by_all,
        kmeans_round_with_itself,
        kmeans_round_halfway,
        kmeans_round_median,
        kmeans_round_nearest_frame,
        kmeans_round_product,
        kmeans_round_farthest,
        kmeans_round_absolute,
        kmeans_round_new_tokens,
        kmeans_round_not_moved,
        kmeans_round_exchanged,
    ),
    cases=kmeans_round_cases,
    results=("tokens", "centres"),
    keeps_input=True,
    properties=(
        Property("Two things are asked for: the tokens and the new centres.", two_things),
        Property("The tokens come first, then the centres.", in_their_order),
        *composed(
            tokens_of,
            lambda distance, take: take(distance(*example()), dim=1).float(),
            {
                "Each frame gets the nearest centre.": squared,
                "It takes the largest product, and that favours long centres: take the "
                "nearest.": product,
                "It takes the centre in the most similar direction: take the nearest.": cosine,
                "It adds the differences without their signs: a distance squares them.": absolute,
                "It adds the differences with their signs, so that they cancel: square "
                "them.": differences,
            },
            {
                "The smallest distance wins.": torch.argmin,
                "It takes the farthest: the smallest distance wins.": torch.argmax,
            },
            otherwise=(nearest,),
        ),
        *composed(
            filled_of,
            lambda new: round_of(*example(), new=new)[1][:3],
            {
                "A centre moves to the mean of its frames.": mean,
                "The frames of a centre are added up: take their mean.": lambda own, old, frames: (
                    own.sum(dim=0)
                ),
                "It divides by the number of all frames: by how many belong to the "
                "centre.": lambda own, old, frames: own.sum(dim=0) / len(frames),
                "It divides by the number of centres: by how many frames belong to the "
                "centre.": lambda own, old, frames: own.sum(dim=0) / 4,
                "The old centre counts as one of its frames.": lambda own, old, frames: torch.cat(
                    [own, old[None]]
                ).mean(dim=0),
                "It divides by one more than there are frames.": lambda own, old, frames: (
                    own.sum(dim=0) / (len(own) + 1)
                ),
                "A centre goes only half of the way.": lambda own, old, frames: (
                    (own.mean(dim=0) + old) / 2
                ),
                "The centres have not moved.": lambda own, old, frames: old,
                "A centre moves *by* the mean of its frames: it moves *to* "
                "it.": lambda own, old, frames: own.mean(dim=0) + old,
                "A centre takes the median of its frames: take their "
                "mean.": lambda own, old, frames: own.median(dim=0).values,
                "All centres move to the mean of all frames.": lambda own, old, frames: frames.mean(
                    dim=0
                ),
            },
            otherwise=(means_of_their_frames,),
        ),
        *composed(
            empty_of,
            lambda empty: empty(example()[1][3], example()[0]),
            {
                "A centre without frames stays.": kept,
                "A centre without frames becomes nan: it stays where it is.": nan,
                "A centre without frames jumps to 0: it stays where it is.": zeros,
                "A centre without frames moves to the mean of all frames: it stays where it "
                "is.": lambda old, frames: frames.mean(dim=0),
                "A centre without frames goes half of the way to 0: it stays where it "
                "is.": lambda old, frames: old / 2,
            },
            otherwise=(it_stays,),
        ),
    ),
)
