"""Pictures as the browser wants them: many on one sheet, or the pixels of one."""

import io
import math

import numpy as np
from PIL import Image

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.packing import as_array

CREDIT = "Emoji: OpenMoji, CC-BY-SA-4.0"


def as_pixels(images, name="pictures"):
    """Return bytes of colour (N, height, width, 3) of images (N, 1 or 3, height, width), 0 to 1.

    Raises ShapeError for another shape, no image, or a number that is not finite.

    >>> as_pixels(np.ones((2, 1, 4, 5))).shape
    (2, 4, 5, 3)
    """
    values = as_array(images)
    if values.ndim != 4 or values.shape[1] not in (1, 3) or 0 in values.shape:
        raise ShapeError(f"{name} must be (N, 1 or 3, height, width), got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ShapeError(f"{name} must be finite numbers from 0 to 1")
    values = np.broadcast_to(values, (len(values), 3, *values.shape[2:])).transpose(0, 2, 3, 1)
    return np.rint(values.clip(0, 1) * 255).astype(np.uint8)


def sprite_sheet(images, name="pictures"):
    """Return images (N, 1 or 3, height, width) as one PNG, row by row, as `sprites.js` reads it.

    Raises ShapeError as `as_pixels` does.

    >>> sheet = sprite_sheet(np.ones((7, 3, 4, 5)))
    >>> sheet["across"], Image.open(io.BytesIO(sheet["png"])).size
    (3, (15, 12))
    """
    pixels = as_pixels(images, name)
    n, height, width, _ = pixels.shape
    across = math.ceil(math.sqrt(n))
    down = math.ceil(n / across)
    sheet = np.full((down * across, height, width, 3), 255, np.uint8)
    sheet[:n] = pixels
    sheet = sheet.reshape(down, across, height, width, 3).swapaxes(1, 2)
    buffer = io.BytesIO()
    Image.fromarray(sheet.reshape(down * height, across * width, 3)).save(buffer, "PNG")
    return {
        "png": buffer.getvalue(),
        "count": n,
        "across": across,
        "height": height,
        "width": width,
    }
