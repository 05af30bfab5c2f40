"""A pytest plugin for notebooks: no stored picture changes unseen.

nbval compares texts and leaves pictures out. Here each picture that a cell draws is made as small
as a thumbnail and compared with the stored one, loosely: other processors move a line by a pixel.
"""

import base64
import io

import numpy as np
from explorer_pictures import is_explorer
from nbval.plugin import IPyNbCell
from PIL import Image

SIDE = 32
# In grey levels of 255. Drawing anew on one machine changes nothing; another colour for a bar, a
# panel less or a title that reads otherwise change the worst field by 50 and more.
WORST_FIELD = 35
MEAN = 2.5


def thumbnail(png):
    """A picture as SIDE x SIDE fields of grey."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("L")
    return np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=float)


def difference(stored, drawn):
    """What sets two pictures apart, as a sentence; "" when they look the same."""
    apart = np.abs(thumbnail(stored) - thumbnail(drawn))
    if apart.max() <= WORST_FIELD and apart.mean() <= MEAN:
        return ""
    return (
        f"a picture has changed (by up to {apart.max():.0f} grey levels in a field, "
        f"{apart.mean():.1f} on average): look at it, then run `make notebooks`"
    )


def _pictures(outputs):
    """All pictures but those of explorers, which are live where they run: their state is tested in
    tests/explorers, and their picture is drawn when notebooks are stored."""
    drawn = [output for output in outputs if not is_explorer(output)]
    return [png for out in drawn if (png := out.get("data", {}).get("image/png"))]


_compare_texts = IPyNbCell.compare_outputs


def _compare(self, test, ref, skip_compare=None):
    if not _compare_texts(self, test, ref, skip_compare):
        return False
    stored, drawn = _pictures(ref), _pictures(test)
    found = [f"{len(stored)} pictures are stored, {len(drawn)} were drawn"]
    if len(stored) == len(drawn):
        found = list(filter(None, map(difference, stored, drawn)))
    self.comparison_traceback += found
    return not found


def pytest_configure(config):
    IPyNbCell.compare_outputs = _compare


def pytest_unconfigure(config):
    IPyNbCell.compare_outputs = _compare_texts
