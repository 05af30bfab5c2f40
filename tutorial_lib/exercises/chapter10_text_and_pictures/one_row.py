"""Chapter 10: words and regions of a picture in one row."""

import functools

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def one_row(words, regions, n_words, n_regions, positions, segments):
    """Return what a VisualBERT reads, (B, T + R, D), and its mask (B, T + R), True = real.

    words (B, T, D) and regions (B, R, D), both padded at the end; n_words and n_regions (B,): how
    many are real; positions (P, D) for words alone; segments (2, D): of words, and of regions.
    """
    n_places = words.size(1)
    words = words + positions[:n_places] + segments[0]
    regions = regions + segments[1]
    real_words = torch.arange(n_places) < n_words[:, None]  # (B, T)
    real_regions = torch.arange(regions.size(1)) < n_regions[:, None]  # (B, R)
    x = torch.cat([words, regions], dim=1)  # (B, T + R, D)
    return x, torch.cat([real_words, real_regions], dim=1)


def one_row_filled(words, regions, n_words, n_regions, positions, segments):
    """Second style."""
    n_texts, n_places, width = words.shape
    x = torch.zeros(n_texts, n_places + regions.size(1), width)
    mask = torch.zeros(x.shape[:2], dtype=torch.bool)
    for b in range(n_texts):
        for t in range(n_words[b]):
            x[b, t], mask[b, t] = words[b, t] + positions[t] + segments[0], True
        for r in range(n_regions[b]):
            x[b, n_places + r] = regions[b, r] + segments[1]
            mask[b, n_places + r] = True
    return x, mask


def row(
    args,
    word_positions="0",
    region_positions="none",
    word_segment=0,
    region_segment=1,
    order="words first",
    mask="both",
    true="real",
):
    """The row and its mask with slips."""
    words, regions, n_words, n_regions, positions, segments = args
    n_places, n_boxes = words.size(1), regions.size(1)
    starts = {"0": 0, "1": 1, "on": n_places, "the same": 0}
    if word_positions != "none":
        start = starts[word_positions]
        words = words + positions[start : start + n_places]
    if region_positions == "first":
        regions = regions + positions[0]
    elif region_positions == "behind real words":
        places = n_words[:, None] + torch.arange(n_boxes)
        regions = regions + positions[places]
    elif region_positions != "none":
        start = starts[region_positions]
        regions = regions + positions[start : start + n_boxes]
    words = words if word_segment is None else words + segments[word_segment]
    regions = regions if region_segment is None else regions + segments[region_segment]
    real_words = torch.arange(n_places) < n_words[:, None]
    real_regions = torch.arange(n_boxes) < n_regions[:, None]
    if mask == "all regions":
        real_regions = torch.ones_like(real_regions)
    if mask == "all words":
        real_words = torch.ones_like(real_words)
    if mask == "no mask":
        real_words, real_regions = torch.ones_like(real_words), torch.ones_like(real_regions)
    if mask == "one more":
        real_words = torch.arange(n_places) <= n_words[:, None]
        real_regions = torch.arange(n_boxes) <= n_regions[:, None]
    if mask == "exchanged":
        real_words = torch.arange(n_places) < n_regions[:, None]
        real_regions = torch.arange(n_boxes) < n_words[:, None]
    both, real = [words, regions], [real_words, real_regions]
    if order == "regions first":
        both, real = both[::-1], real[::-1]
    x, real = torch.cat(both, dim=1), torch.cat(real, dim=1)
    if mask == "counted together":
        real = torch.arange(n_places + n_boxes) < (n_words + n_regions)[:, None]
    return x, real if true == "real" else ~real


def one_row_counted_together(words, regions, n_words, n_regions, positions, segments):
    """The mask has n_words + n_regions times True in front. But the padding of the words stands
    *between* words and regions: two stretches are real, each with a number of its own.
    """
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, mask="counted together")


def one_row_all_regions(words, regions, n_words, n_regions, positions, segments):
    """The mask knows about the padding of the words only: regions are padded, too."""
    return row((words, regions, n_words, n_regions, positions, segments), mask="all regions")


def one_row_all_words(words, regions, n_words, n_regions, positions, segments):
    """The mask knows about the padding of the regions only: words are padded, too."""
    return row((words, regions, n_words, n_regions, positions, segments), mask="all words")


def one_row_mask_inverted(words, regions, n_words, n_regions, positions, segments):
    """The mask is inverted: True marks what is real."""
    return row((words, regions, n_words, n_regions, positions, segments), true="padding")


def one_row_one_more(words, regions, n_words, n_regions, positions, segments):
    """The mask goes one too far: of n, the numbers 0 to n - 1 are real."""
    return row((words, regions, n_words, n_regions, positions, segments), mask="one more")


def one_row_positions_on(words, regions, n_words, n_regions, positions, segments):
    """This goes on counting positions in the regions: they have no order, so they get none."""
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, region_positions="on")


def one_row_positions_again(words, regions, n_words, n_regions, positions, segments):
    """This gives positions 0, 1, 2, ... to the regions, too: they have no order, so they get
    none.
    """
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, region_positions="the same")


def one_row_no_positions(words, regions, n_words, n_regions, positions, segments):
    """The words get no positions: word t gets positions[t]."""
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, word_positions="none")


def one_row_segments_exchanged(words, regions, n_words, n_regions, positions, segments):
    """This exchanges the segments: segments[0] is for words, segments[1] for regions."""
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, word_segment=1, region_segment=0)


def one_row_one_segment(words, regions, n_words, n_regions, positions, segments):
    """Words and regions get the same segment: regions get segments[1]."""
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, region_segment=0)


def one_row_no_segments(words, regions, n_words, n_regions, positions, segments):
    """This leaves out the segments: without them a model cannot know what is a word."""
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, word_segment=None, region_segment=None)


def one_row_regions_first(words, regions, n_words, n_regions, positions, segments):
    """The regions stand before the words: the words come first."""
    args = words, regions, n_words, n_regions, positions, segments
    return row(args, order="regions first")


def sizes(n_texts, n_words, n_regions, width, n_positions=9):
    """Random words, regions, positions and segments."""
    vectors = torch.randn(n_texts, n_words, width), torch.randn(n_texts, n_regions, width)
    return vectors, torch.randn(n_positions, width), torch.randn(2, width)


def one_row_cases():
    """Padding on both sides, on one, on none; one text without a padded word, one full picture."""
    some = [
        ("padding of both", (2, 4, 3, 5), [2, 4], [3, 1]),
        ("short texts", (3, 5, 2, 4), [1, 3, 2], [2, 2, 2]),
        ("few regions", (2, 2, 4, 3), [2, 2], [1, 3]),
        ("no padding", (1, 3, 3, 4), [3], [3]),
        ("a picture without regions", (2, 3, 2, 4), [3, 1], [0, 2]),
    ]
    found = []
    for label, shape, n_words, n_regions in some:
        (words, regions), positions, segments = sizes(*shape)
        numbers = torch.tensor(n_words), torch.tensor(n_regions)
        found.append(case(label, words, regions, *numbers, positions, segments))
    return found


def without_padding(answer, *args):
    """What an answer returns, with 0 where padding stands: that may hold anything."""
    found = answer(*args)
    if not isinstance(found, tuple | list) or len(found) != 2:
        return found
    x, mask = (torch.as_tensor(part) for part in found)
    real = row(args)[1]
    return (x * real[..., None] if x.shape[:2] == real.shape else x), mask


N_TEXTS, N_PLACES, N_BOXES, WIDTH = 2, 4, 3, 5


def example(n_words=(2, 3), n_regions=(1, 2)):
    """Two texts and pictures, both with padding."""
    generator = torch.Generator().manual_seed(12)
    shapes = (N_TEXTS, N_PLACES, WIDTH), (N_TEXTS, N_BOXES, WIDTH), (9, WIDTH), (2, WIDTH)
    words, regions, positions, segments = (
        torch.randn(*shape, generator=generator) for shape in shapes
    )
    return (
        words,
        regions,
        torch.tensor(n_words),
        torch.tensor(n_regions),
        positions,
        segments,
    )


FULL = (N_PLACES,) * 2, (N_BOXES,) * 2


def two_things(answer):
    """A row and its mask."""
    found = answer(*example())
    return isinstance(found, list | tuple) and len(found) == 2


def has_the_shape(answer):
    """(B, T + R, D)."""
    if not two_things(answer):
        return None
    shape = tuple(answer(*example())[0].shape)
    sentences = {
        (2, 4, 5): "Only the words are in the row: the regions stand behind them.",
        (2, 3, 5): "Only the regions are in the row: the words stand before them.",
        (4, 7, 5): "Texts and pictures are joined along the batch: join them along the row.",
        (7, 5): "The batch is gone: each text has a row of its own.",
        (2, 8, 5): "There is one position too many.",
    }
    return shape == (2, 7, 5) or sentences.get(
        shape, f"From 4 words and 3 regions a row it makes {shape}: (2, 7, 5) is right."
    )


def mask_is_true_or_false(answer):
    """Not numbers."""
    if not two_things(answer):
        return None
    mask = answer(*example())[1]
    if mask.dtype is not torch.bool:
        return False
    return tuple(mask.shape) == (2, 7) or (
        f"The mask is {tuple(mask.shape)}: it has one entry for each position, (B, T + R)."
    )


@functools.lru_cache(maxsize=1)
def vectors(answer):
    """The row where nothing is padded, (2, 7, 5)."""
    return answer(*example(*FULL))[0]


@functools.lru_cache(maxsize=1)
def mask_of(answer):
    """The masks of some batches, as numbers."""
    some = ((2, 3), (1, 2)), ((4, 1), (0, 3)), FULL, ((1, 1), (2, 2)), ((3, 1), (1, 3))
    return torch.cat([answer(*example(*numbers))[1].float() for numbers in some])


@functools.cache
def masks(mask, true):
    """Those of choices for the rules below."""
    return mask_of(lambda *args: row(args, mask=mask, true=true))


def words_are_kept(answer):
    """What stands for a word must be its vector, its position and its segment, added up."""
    found = vectors(answer)
    words, _, _, _, positions, segments = example(*FULL)
    return torch.allclose(found[:, :N_PLACES], words + positions[:4] + segments[0], atol=2e-3)


def regions_are_kept(answer):
    """What stands for a region must be its vector and its segment, added up."""
    found = vectors(answer)
    _, regions, _, _, _, segments = example(*FULL)
    return torch.allclose(found[:, N_PLACES:], regions + segments[1], atol=2e-3)


def mask_of_words(answer):
    """Of the words, the first n_words of each text are real."""
    if mask_is_true_or_false(answer) is not True:
        return None
    wanted = masks("both", "real")
    return bool((mask_of(answer)[:, :N_PLACES] == wanted[:, :N_PLACES]).all())


def mask_of_regions(answer):
    """Of the regions, the first n_regions of each picture are real."""
    if mask_is_true_or_false(answer) is not True:
        return None
    wanted = masks("both", "real")
    return bool((mask_of(answer)[:, N_PLACES:] == wanted[:, N_PLACES:]).all())


def padding_changes_nothing(answer):
    """Where a real word or region stands depends on the padding: T words first, then R regions."""
    if not two_things(answer):
        return None
    args = example()
    real = row(args)[1]
    return torch.allclose(answer(*args)[0][real], vectors(answer)[real], atol=2e-3)


@functools.cache
def with_slips(*choices):
    """The row with a choice for each of the rules below."""
    return row(example(*FULL), *choices)[0]


ONE_ROW = Write(
    id="10.9",
    title="Words and regions in one row",
    level="medium",
    text="""
Write `one_row(words, regions, n_words, n_regions, positions, segments)`: what a VisualBERT reads,
for a batch, and the mask that goes with it. `words` (B, T, D) and `regions` (B, R, D) are padded at
the end. `n_words` and `n_regions` (B,) say how many of each are real. `positions` (P, D) holds T
rows or more. `segments` (2, D) is one vector for words and one for regions. A region gets **no
position**: no region comes first, and where it lies is told by its own vector. Return the row (B, T
+ R, D), padding included, and the mask (B, T + R), True for what is real.

An example with D = 1: words 5, 6, 0 of which two are real, regions 7, 8 of which one is. The
positions are 10, 20, 30, the segments 100 and 200. The row is 115, 126, ·, 207, ·, and the mask
True, True, False, True, False. What the row holds at a dot does not matter.
""",
    hints=(
        "Which of the four things belongs to words, which to regions, which to both?",
        "`torch.cat([..., ...], dim=1)` puts rows one behind the other, and masks, too.",
        "Take a text with 2 real words of 4 and a picture with 1 real region of 3: write its mask "
        "down. Is it True, True, True and then False?",
    ),
    solution=one_row,
    second_style=one_row_filled,
    mistakes=(
        one_row_counted_together,
        one_row_all_regions,
        one_row_all_words,
        one_row_mask_inverted,
        one_row_one_more,
        one_row_positions_on,
        one_row_positions_again,
        one_row_no_positions,
        one_row_segments_exchanged,
        one_row_one_segment,
        one_row_no_segments,
        one_row_regions_first,
    ),
    cases=one_row_cases,
    run=without_padding,
    results=("row", "mask"),
    properties=(
        Property("Two things are asked for: the row and its mask.", two_things),
        Property("The row is (B, T + R, D).", has_the_shape),
        Property("The mask holds True and False, and no numbers.", mask_is_true_or_false),
        *composed(
            vectors,
            with_slips,
            {
                "Word t gets positions[t].": "0",
                "The words get no positions: word t gets positions[t].": "none",
                "The positions of the words begin at 1: word 0 gets positions[0].": "1",
            },
            {
                "Regions get no positions.": "none",
                "The regions get positions that go on behind the words: they have no order, so "
                "they get none.": "on",
                "The regions get positions that begin at 0 again: they have no order, so they get "
                "none.": "the same",
                "All regions get positions[0]: they get none.": "first",
            },
            {
                "Words get segments[0].": 0,
                "The words get no segment: segments[0].": None,
                "The words get segments[1]: that is for regions.": 1,
            },
            {
                "Regions get segments[1].": 1,
                "The regions get no segment: segments[1].": None,
                "The regions get segments[0]: that is for words.": 0,
            },
            {
                "The words come first.": "words first",
                "The regions stand before the words: the words come first.": "regions first",
            },
            otherwise=(words_are_kept, regions_are_kept),
        ),
        Property(
            "Where a real word or region stands depends on the padding: all T words come first, "
            "then the R regions.",
            padding_changes_nothing,
        ),
        *composed(
            mask_of,
            masks,
            {
                "Both have padding of their own.": "both",
                "The mask counts words and regions together, as if all real ones stood in front: "
                "the padding of the words stands between them.": "counted together",
                "The mask takes all regions for real: they are padded, too.": "all regions",
                "The mask takes all words for real: they are padded, too.": "all words",
                "The mask takes all for real: both are padded.": "no mask",
                "The mask goes one too far: of n, the numbers 0 to n - 1 are real.": "one more",
                "The mask exchanges n_words and n_regions.": "exchanged",
            },
            {
                "True marks what is real.": "real",
                "The mask is inverted: True marks what is real.": "padding",
            },
            otherwise=(mask_of_words, mask_of_regions),
        ),
    ),
)
