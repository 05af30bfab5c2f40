"""Chapter 05: a cache whose text drifts away from the text without one."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    UNSCALED,
    rows_sum_to_one,
    scaled_by_root,
)
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def read_on(words, past, positions):
    """Return output (n, D) of n new words (n, D), and all words read so far (S + n, D).

    past (S, D) holds the words read before, with their positions; positions (N, D) is the table of
    their vectors. The words are queries, keys and values at once.
    """
    start = len(past)
    x = words + positions[start : start + len(words)]  # (n, D)
    kept = torch.cat([past, x])  # (S + n, D)
    scores = x @ kept.T / math.sqrt(x.size(1))  # (n, S + n)
    visible = torch.ones_like(scores).tril(len(past)).bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1) @ kept, kept


def read_on_one_by_one(words, past, positions):
    """Second style."""
    outputs, kept = [], list(past)
    for word in words:
        kept.append(word + positions[len(kept)])
        read = torch.stack(kept)
        outputs.append((read @ kept[-1] / len(word) ** 0.5).softmax(dim=0) @ read)
    return torch.stack(outputs), torch.stack(kept)


def read_on_restarted(words, past, positions):
    """This counts the positions from 0 in every call."""
    start = 0
    x = words + positions[start : start + len(words)]  # (n, D)
    kept = torch.cat([past, x])  # (S + n, D)
    scores = x @ kept.T / math.sqrt(x.size(1))  # (n, S + n)
    visible = torch.ones_like(scores).tril(len(past)).bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1) @ kept, kept


def read_on_late(words, past, positions):
    """This gives the first new word the position of the last one read: all are one too low."""
    start = max(len(past) - 1, 0)
    x = words + positions[start : start + len(words)]  # (n, D)
    kept = torch.cat([past, x])  # (S + n, D)
    scores = x @ kept.T / math.sqrt(x.size(1))  # (n, S + n)
    visible = torch.ones_like(scores).tril(len(past)).bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1) @ kept, kept


def read_on_not_kept(words, past, positions):
    """This does not keep the words that come after the prompt."""
    start = len(past)
    x = words + positions[start : start + len(words)]  # (n, D)
    kept = torch.cat([past, x])  # (S + n, D)
    scores = x @ kept.T / math.sqrt(x.size(1))  # (n, S + n)
    visible = torch.ones_like(scores).tril(len(past)).bool()
    output = scores.masked_fill(~visible, -math.inf).softmax(dim=-1) @ kept
    return output, past if len(past) else kept


def read_on_full(words, past, positions):
    """This keeps no more than the last 10 words."""
    start = len(past)
    x = words + positions[start : start + len(words)]  # (n, D)
    kept = torch.cat([past, x])  # (S + n, D)
    scores = x @ kept.T / math.sqrt(x.size(1))  # (n, S + n)
    visible = torch.ones_like(scores).tril(len(past)).bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1) @ kept, kept[-10:]


def read_on_cases():
    """A prompt, one word after it, several words after it, and more than 10 in all."""
    positions = torch.randn(20, 4)
    return [
        case("a prompt of 3 words", torch.randn(3, 4), torch.zeros(0, 4), positions),
        case("one word after 5", torch.randn(1, 4), torch.randn(5, 4), positions),
        case("2 words after 10", torch.randn(2, 4), torch.randn(10, 4), positions),
    ]


def drift(read_on, n_words=24, n_prompt=6, width=16):
    """Return how far the outputs with a cache are from those without, largest number by number.

    The prompt comes first and at once, then the other words one by one: 1 + n_words - n_prompt
    numbers. The words are random; the positions lie on a line, so that those far from each other
    differ more.
    """
    generator = torch.Generator().manual_seed(0)
    words = torch.randn(n_words, width, generator=generator)
    steps = torch.arange(n_words)[:, None]
    positions = 0.05 * steps * torch.randn(width, generator=generator)
    without, past = read_on_one_by_one(words, words[:0], positions)[0], words[:0]
    calls = [slice(0, n_prompt), *(slice(t, t + 1) for t in range(n_prompt, n_words))]
    differences = []
    for call in calls:
        output, past = read_on(words[call], past, positions)
        differences.append((output - without[call]).abs().max().item())
    return differences


N_NEW, N_PAST, WIDTH = 3, 4, 9


def example():
    """Three words after four, of more numbers than there are words."""
    generator = torch.Generator().manual_seed(5)
    shapes = ((N_NEW, WIDTH), (N_PAST, WIDTH), (20, WIDTH))
    return tuple(torch.randn(*shape, generator=generator) / 2 for shape in shapes)


def read(answer):
    """The first new word's position, all words with their positions, and the weights (n, S + n).

    Raises ValueError for an output that is no mix of the words with any positions.
    """
    words, past, positions = example()
    output = answer(words, past, positions)[0]
    for start in range(len(positions) - N_NEW):
        kept = torch.cat([past, words + positions[start : start + N_NEW]])
        weights = output @ torch.linalg.pinv(kept)
        if torch.allclose(weights @ kept, output, atol=1e-3):
            return start, kept, weights
    raise ValueError("no mix of the words")


def positions_go_on(answer):
    """The first new word has the position after the past."""
    sentences = {
        0: "It counts the positions from 0 in every call.",
        N_PAST - 1: "The first new word gets the position of the last one read: all are one too "
        "low.",
        N_PAST + 1: "The first new word leaves out a position: all get a position one too high.",
    }
    start = read(answer)[0]
    return start == N_PAST or sentences.get(start, False)


def all_words_are_kept(answer):
    """What is returned is the past and the new words with their positions."""
    words, past, positions = example()
    found, kept = answer(words, past, positions)[1], read(answer)[1]
    others = {
        "It does not keep the words that come after the past.": past,
        "It keeps the new words alone: the past belongs to what has been read.": kept[N_PAST:],
        "It keeps the new words without their positions.": torch.cat([past, words]),
        "It keeps the new words in front of the past: they come after it.": torch.cat(
            [kept[N_PAST:], past]
        ),
    }
    for text, other in others.items():
        if found.shape == other.shape and torch.allclose(found, other, atol=1e-4):
            return text
    return found.shape == kept.shape and torch.allclose(found, kept, atol=1e-4)


def nothing_is_forgotten(answer):
    """Of 15 words 15 are kept."""
    words, past, positions = example()
    before = torch.cat([past, past + 1, past + 2])
    kept = len(answer(words, before, positions)[1])
    return kept in (3, 12, 15) or f"Of 12 words and 3 new ones it keeps {kept}."


def sees_nothing_later(answer):
    """A new word gives no weight to those after it."""
    weights = read(answer)[2]
    return bool((weights[:, N_PAST:].triu(1).abs() < 1e-3).all())


def sees_itself_and_the_past(answer):
    """A new word gives weight to itself and to all before it."""
    weights = read(answer)[2]
    return bool((weights[torch.ones_like(weights).tril(N_PAST).bool()].abs() > 1e-5).all())


def drift_scaled(answer):
    """The scores were divided by the root of the width, seen on the words of the past."""
    _, kept, weights = read(answer)
    products = kept[N_PAST:] @ kept[:N_PAST].T
    others = {1: UNSCALED.replace("K", "D")}
    return scaled_by_root(weights[:, :N_PAST], products, WIDTH, others)


CACHE_DRIFT = Symptom(
    id="5.10",
    title="A text that drifts",
    level="medium",
    text="""
The picture above compares one layer **with** a cache and **without**. A prompt of 6 words is read
at once (step 0), then one word per step. With correct code both give the same, and all differences
are 0. Position vectors lie on a line: the further apart two positions, the more their vectors
differ. The picture was made by code with one of these mistakes. Choose the letter, then repair
`read_on`.
""",
    hints=(
        "Which is the first step that differs? What was still right in the steps before it?",
        "Does the difference grow from step to step, or stay? A wrong position grows only if it is "
        "more and more wrong.",
        "Write down `len(past)` and the positions in x, for the prompt and three steps after it.",
    ),
    solution=read_on,
    second_style=read_on_one_by_one,
    mistakes=(read_on_restarted, read_on_late, read_on_not_kept, read_on_full),
    shown=read_on_not_kept,
    looks=(
        "Already step 1 would be far off, and the difference would grow: each new word has "
        "position 0, and should have a later and later one.",
        "Already step 1 would be off, and the difference would stay about the same: each word is "
        "one position wrong, no more.",
        "Step 1 would still be exact, as the prompt was kept; from step 2 on the difference would "
        "grow, with each word that is missing.",
        "The first five steps would be exact, until 10 words are full; then the difference would "
        "grow.",
    ),
    cases=read_on_cases,
    properties=(
        Property("The positions of the new words do not go on after the past.", positions_go_on),
        Property("What is kept is not the past, then the new words.", all_words_are_kept),
        Property("It forgets words that were read before.", nothing_is_forgotten),
        Property("A new word looks at new words after it.", sees_nothing_later),
        Property(
            "A new word does not look at itself and at all words before it.",
            sees_itself_and_the_past,
        ),
        Property(
            "The weights of a new word must sum to 1, over the words that it sees.",
            lambda answer: rows_sum_to_one(read(answer)[2]),
        ),
        Property("The scores are not divided by the root of D, the width of x.", drift_scaled),
    ),
    results=("output", "words read so far"),
    see="5H The KV cache",
)
