"""Chapter 07: a map by covering one tile after the other, and reading again."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def occlusion(read, images, tile):
    """Return how much each tile of images (B, C, side, side) matters to a model: (B, R, R).

    read(images) gives logits (B, classes). The number of a tile of tile x tile pixels is what the
    probability of the class that the model names for the *whole* picture loses when the tile is 0.
    """
    whole = read(images).softmax(dim=-1)  # (B, classes)
    surest, named = whole.max(dim=-1)  # (B,)
    rows = images.size(-1) // tile
    falls = torch.zeros(len(images), rows, rows)
    for row in range(rows):
        for column in range(rows):
            covered = images.clone()
            top, left = row * tile, column * tile
            covered[:, :, top : top + tile, left : left + tile] = 0
            now = read(covered).softmax(dim=-1)
            falls[:, row, column] = surest - now.gather(1, named[:, None])[:, 0]
    return falls


def occlusion_mask(read, images, tile):
    """Second style."""
    rows = images.size(-1) // tile
    maps = []
    for image in images:
        before = read(image[None])[0].softmax(dim=0)
        named = int(before.argmax())
        kept = torch.ones(rows * rows, rows, rows)
        kept.view(rows * rows, -1).fill_diagonal_(0)
        kept = kept.repeat_interleave(tile, 1).repeat_interleave(tile, 2)  # (R · R, side, side)
        after = read(image * kept[:, None]).softmax(dim=-1)[:, named]
        maps.append((before[named] - after).view(rows, rows))
    return torch.stack(maps)


def covered_maps(
    read,
    images,
    tile,
    number=lambda before, after, named: before[named] - after[named],
    probabilities=lambda logits: logits.softmax(dim=-1),
    only=False,
    adds_up=False,
    turned=False,
):
    """A map found tile by tile, with a choice of slips: what the mistakes below are made of."""
    rows = images.size(-1) // tile
    maps = torch.zeros(len(images), rows, rows)
    for i, image in enumerate(images):
        before = probabilities(read(image[None])[0])
        named = int(before.argmax())
        covered = image.clone()
        for row in range(rows):
            for column in range(rows):
                spot = (
                    slice(row * tile, (row + 1) * tile),
                    slice(column * tile, column * tile + tile),
                )
                if not adds_up:
                    covered = image.clone()
                if only:
                    covered = torch.zeros_like(image)
                    covered[:, *spot] = image[:, *spot]
                else:
                    covered[:, *spot] = 0
                after = probabilities(read(covered[None])[0])
                maps[i, row, column] = number(before, after, named)
    return maps.mT if turned else maps


def occlusion_turned_round(read, images, tile):
    """It is after less before: a tile that matters makes the probability fall, so take before less
    after.
    """
    return covered_maps(read, images, tile, lambda before, after, k: after[k] - before[k])


def occlusion_what_is_left(read, images, tile):
    """It gives the probability that is left: give what is lost."""
    return covered_maps(read, images, tile, lambda before, after, k: after[k])


def occlusion_highest(read, images, tile):
    """It takes the highest probability of the covered picture, whichever class that is: follow the
    class named for the whole picture.
    """
    return covered_maps(read, images, tile, lambda before, after, k: before[k] - after.max())


def occlusion_logits(read, images, tile):
    """It compares logits: make probabilities of them first."""
    return covered_maps(read, images, tile, probabilities=lambda logits: logits)


def occlusion_absolute(read, images, tile):
    """It takes the absolute value: a tile whose absence helps has a number below 0."""
    return covered_maps(read, images, tile, lambda before, after, k: (before[k] - after[k]).abs())


def occlusion_clamped(read, images, tile):
    """It sets falls below 0 to 0: where the probability has risen, the number is below 0."""
    return covered_maps(read, images, tile, lambda before, after, k: (before[k] - after[k]).relu())


def occlusion_all_classes(read, images, tile):
    """It adds up the changes of all classes: follow the class named for the whole picture."""
    return covered_maps(read, images, tile, lambda before, after, k: (before - after).abs().sum())


def occlusion_adds_up(read, images, tile):
    """The tiles stay covered, so the picture grows emptier with each: begin with a fresh copy."""
    return covered_maps(read, images, tile, adds_up=True)


def occlusion_the_rest(read, images, tile):
    """It covers everything but the tile: cover the tile alone."""
    return covered_maps(read, images, tile, only=True)


def occlusion_by_columns(read, images, tile):
    """It exchanges rows and columns of the map."""
    return covered_maps(read, images, tile, turned=True)


def reader(side, channels=1, n_classes=3, seed=0):
    """A small model that reads pictures: each class has weights of its own for every pixel."""
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(channels * side * side, n_classes, generator=generator)
    return lambda images: torch.tanh(images.flatten(1) @ weight.to(images)) * 2


def pictures(n, channels, side, seed):
    """Pictures with pixels from 0 to 1."""
    return torch.rand(n, channels, side, side, generator=torch.Generator().manual_seed(seed))


def occlusion_cases():
    """Two pictures of nine tiles; one in three colours; four of tiles of one pixel."""
    return [
        case("2 pictures of 6 x 6, tiles of 2", reader(6), pictures(2, 1, 6, 1), 2),
        case("1 picture in 3 colours, tiles of 4", reader(8, 3, 4, 2), pictures(1, 3, 8, 3), 4),
        case("4 pictures of 3 x 3, tiles of 1", reader(3, 1, 5, 4), pictures(4, 1, 3, 5), 1),
    ]


def has_the_shape(answer):
    """(B, R, R)."""
    shape = tuple(answer(reader(6), pictures(2, 1, 6, 1), 2).shape)
    if shape == (2, 9):
        return "The map is flat, (B, R · R): give it rows and columns, (B, R, R)."
    return shape == (2, 3, 3) or (
        f"It makes {shape} of 2 pictures with 3 x 3 tiles: it must be (2, 3, 3)."
    )


def blank_tiles_are_zero(answer):
    """Covering what is 0 already changes nothing."""
    images = pictures(1, 1, 6, 6)
    images[:, :, :2, :2] = 0
    return abs(float(answer(reader(6), images, 2)[0, 0, 0])) < 1e-5


def pictures_stay_apart(answer):
    """The map of one picture is the same with and without another beside it."""
    images = pictures(4, 1, 6, 9) - 0.5  # two of them are read as 2, two as 1
    alone = torch.cat([answer(reader(6), image[None], 2) for image in images])
    return torch.allclose(answer(reader(6), images, 2), alone, atol=1e-5)


OCCLUSION = Write(
    id="7.11",
    title="Cover it and read again",
    level="hard",
    text="""
Which parts of a picture does a model need? Ask it: cover one tile and let it read again. Write
`occlusion(read, images, tile)`. `read(images)` gives the logits (B, classes) of images (B, C, side,
side). First find the class that the model names for each **whole** picture, and its probability.
Then set one tile of tile x tile pixels to 0, in all pictures, and read again. Note how much the
probability of **that same class** has fallen: below 0 where it has risen. Do so for every tile,
each time with the rest of the picture whole. Return the falls as maps (B, R, R), R = side / tile,
and leave `images` as they are.
""",
    hints=(
        "`read(images).softmax(dim=-1).max(dim=-1)` gives the probability and the number of the "
        "class that is named, (B,) each. Keep both: they are of the whole pictures.",
        "Two loops, over rows and columns. In each: `covered = images.clone()`, then set the rows "
        "and columns of pixels of this tile to 0.",
        "`now.gather(1, named[:, None])[:, 0]` takes from each row of `now` (B, classes) the entry "
        "of its own class.",
    ),
    solution=occlusion,
    second_style=occlusion_mask,
    mistakes=(
        occlusion_turned_round,
        occlusion_what_is_left,
        occlusion_highest,
        occlusion_logits,
        occlusion_absolute,
        occlusion_clamped,
        occlusion_all_classes,
        occlusion_adds_up,
        occlusion_the_rest,
        occlusion_by_columns,
    ),
    cases=occlusion_cases,
    properties=(
        Property("The maps are (B, R, R).", has_the_shape),
        Property("A tile that is blank already must get 0.", blank_tiles_are_zero),
        Property("A picture's map changes with the pictures beside it.", pictures_stay_apart),
    ),
    keeps_input=True,
    see="7G What it looks at",
)
