"""A ViT behind the attention explorer: a numbered picture in, maps and class probabilities out."""

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.attention_model import Result, intervention
from tutorial_lib.explorers.packing import as_picture
from tutorial_lib.explorers.reading import reading
from tutorial_lib.interpret import head_output, intervene
from tutorial_lib.models.dinov2 import normalised


def patch_labels(n_rows, n_columns, class_token=True):
    """Name each token of a picture: [CLS] if there is one, then the patches row by row.

    >>> patch_labels(1, 2)
    ['[CLS]', 'row 0, column 0', 'row 0, column 1']
    """
    places = [f"row {r}, column {c}" for r in range(n_rows) for c in range(n_columns)]
    return ["[CLS]", *places] if class_token else places


class PictureBackend:
    """Runs pictures through a ViT, captures its attention and breaks one head.

    images (N, C, height, width) as the model reads them, from 0 to 1; names: one for each class;
    ink: draw 1 dark on a light ground, as for MNIST.
    Raises ShapeError without a picture or for another number of names.
    """

    title = "Probability"

    def __init__(self, model, images, names=None, ink=False):
        config = model.config
        self.names = list(names) if names is not None else [*map(str, range(config.n_classes))]
        if len(self.names) != config.n_classes:
            raise ShapeError(
                f"{config.n_classes} classes need as many names, got {len(self.names)}"
            )
        side = config.patches_a_side
        self._show(model, images, ink, (side, side), config.pooling == "cls")

    def _show(self, model, images, ink, grid, class_token):
        if not len(images):
            raise ShapeError("expected at least one picture, got none")
        self.model, self.images, self.ink, self.grid = model, images, ink, grid
        self.labels = patch_labels(*grid, class_token)
        last = len(images) - 1
        self.fields = (
            ("text", "Picture number", f"0 to {last}"),
            ("other", "Other picture, to patch from", f"0 to {last}"),
        )

    def run(self, text, pair="", other="", broken=None):
        """Read the picture whose number is `text`, with the head in `broken` broken.

        broken is empty or {"how": "zero", "uniform" or "patch", "layer", "head"}; patch takes the
        head's output on the picture numbered `other`. `pair` is of no use here.
        Raises ValueError for a number that no picture has.
        """
        notes = []
        image = self._image(text)

        def patched(layer, head):
            if not other.strip():
                notes.append("Nothing is patched: type the number of the picture to patch from.")
                return None
            return head_output(self.model, layer, head, self._image(other))

        with reading(self.model):
            change = intervention(broken or {}, patched)
            maps, before = self._read(image)
            outputs = []
            if change:
                with intervene(self.model, change):
                    maps, after = self._read(image)
                outputs = self._compared(before, after)
        drawn = 1 - image[0] if self.ink else image[0]
        picture = as_picture(drawn, *self.grid)
        maps = torch.cat(list(maps))  # (L, H, T, T)
        return Result(maps, self.labels, [0] * len(self.labels), outputs, notes, picture)

    def _read(self, image):
        with capture_attention(self.model) as maps:
            logits = self.model(image)
        return maps, logits[0].softmax(-1)

    def _compared(self, before, after):
        return list(zip(self.names, before.tolist(), after.tolist(), strict=True))

    def _image(self, number):
        last = len(self.images) - 1
        if not number.strip().isdecimal() or int(number) > last:
            raise ValueError(f"expected the number of a picture, 0 to {last}, got {number[:20]!r}")
        return self.images[int(number)][None]


class FeatureBackend(PictureBackend):
    """Runs pictures through a DINOv2, which knows no classes: the outputs are cosines.

    images (N, C, height, width) from 0 to 1, of sides that patches fill; a broken head moves the
    vector of [CLS] and those of the patches away from what they were.
    """

    title = "Cosine with its unbroken vector"

    def __init__(self, model, images):
        size = model.config.patch_size
        height, width = images.shape[-2:]
        self._show(model, images, False, (height // size, width // size), class_token=True)

    def _read(self, image):
        with capture_attention(self.model) as maps:
            hidden = self.model(normalised(image))  # (1, T, D)
        return maps, hidden[0]

    def _compared(self, before, after):
        cosines = torch.cosine_similarity(before, after, dim=-1)  # (T, D) -> (T,)
        patches = cosines[1:]
        moved = {
            "[CLS]": cosines[0],
            "patches, on average": patches.mean(),
            "the patch that moved most": patches.min(),
        }
        return [(name, 1.0, round(value.item(), 6)) for name, value in moved.items()]
