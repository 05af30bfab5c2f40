"""Build a mask by clicking, and see what it leaves of the attention weights."""

import numpy as np
import torch
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.figures.masks import mask_labels, masked_weights

PRESETS = ("causal", "padding", "both", "window", "custom")
MAX_SIDE = 24


def preset_mask(preset, n_queries, n_keys=None, padding=1, window=2):
    """A (T, S) mask by name; True = may look, and the last query stands at the last key.

    causal hides what comes later, padding the last `padding` keys, both does both, window shows
    the last `window` keys up to the query, custom shows all. Raises ValueError for other names.

    >>> preset_mask("causal", 2).tolist()
    [[True, False], [True, True]]
    """
    if preset not in PRESETS:
        raise ValueError(f"no preset is called {preset!r}; there are {', '.join(PRESETS)}")
    n_keys = n_queries if n_keys is None else n_keys
    back = torch.arange(n_queries)[:, None] + n_keys - n_queries - torch.arange(n_keys)  # (T, S)
    real = (torch.arange(n_keys) < n_keys - padding).expand(n_queries, n_keys)
    masks = {
        "causal": back >= 0,
        "padding": real,
        "both": (back >= 0) & real,
        "window": (back >= 0) & (back < window),
        "custom": torch.ones(n_queries, n_keys, dtype=torch.bool),
    }
    return masks[preset].clone()


class MaskBuilder(BrowserExplorer):
    """A grid of queries and keys to click on, with the attention weights that each row keeps.

    scores (T, S) are softmaxed over the visible keys, default all equal; labels is one list for
    both sides or a pair of lists; without scores and labels the grid is n_queries x n_keys. The
    mask is read from `.mask` (T, S) of bool, True = may look. Raises ShapeError for a side over
    24 or names that do not fit.

    >>> MaskBuilder(n_queries=2).mask.tolist()
    [[True, False], [True, True]]
    """

    title = "Mask builder"
    _esm = javascript("masks.js")
    _css = stylesheet("masks.css")

    cells = traitlets.List().tag(sync=True)  # T lists of S bools
    scores = traitlets.List().tag(sync=True, told=True)
    query_names = traitlets.List().tag(sync=True, told=True)
    key_names = traitlets.List().tag(sync=True, told=True)
    preset = traitlets.Enum(PRESETS, "causal").tag(sync=True)
    padding = traitlets.Int(1).tag(sync=True)
    window = traitlets.Int(2).tag(sync=True)
    given = traitlets.Bool(True).tag(sync=True)  # use the scores; else all scores are equal

    def __init__(
        self,
        scores=None,
        labels=None,
        n_queries=4,
        n_keys=None,
        preset="causal",
        padding=1,
        window=2,
    ):
        if scores is not None:
            scores = np.asarray(scores, dtype=float)
            if scores.ndim != 2 or not np.isfinite(scores).all():
                raise ShapeError(f"scores must be (T, S) and finite, got shape {scores.shape}")
            n_queries, n_keys = scores.shape
        elif labels is not None:
            one = all(isinstance(label, str) for label in labels)
            n_queries, n_keys = (len(labels),) * 2 if one else map(len, labels)
        n_keys = n_queries if n_keys is None else n_keys
        if not (1 <= n_queries <= MAX_SIDE and 1 <= n_keys <= MAX_SIDE):
            raise ShapeError(f"a grid has 1 to {MAX_SIDE} a side, got {n_queries} x {n_keys}")
        queries, keys = mask_labels(labels, n_queries, n_keys)
        padding, window = min(max(padding, 0), n_keys), min(max(window, 0), n_keys)
        super().__init__(
            cells=preset_mask(preset, n_queries, n_keys, padding, window).tolist(),
            scores=(np.zeros((n_queries, n_keys)) if scores is None else scores).tolist(),
            query_names=queries,
            key_names=keys,
            preset=preset,
            padding=padding,
            window=window,
            given=scores is not None,
        )

    def describe(self):
        """Say in words what the explorer shows now."""
        visible = sum(map(sum, self.cells))
        return (
            f"a grid of {len(self.cells)} queries and {len(self.cells[0])} keys to click on, "
            f"{visible} of its squares visible (preset: {self.preset}), beside the attention "
            "weights that are left."
        )

    @property
    def mask(self):
        """The mask as it stands: (T, S) of bool, True = may look."""
        return torch.tensor(self.cells, dtype=torch.bool)

    @mask.setter
    def mask(self, mask):
        mask = torch.as_tensor(mask, dtype=torch.bool)
        if mask.shape != self.mask.shape:
            raise ShapeError(
                f"the grid is {tuple(self.mask.shape)}, got a mask of {tuple(mask.shape)}"
            )
        self.preset = "custom"
        self.cells = mask.tolist()

    @property
    def weights(self):
        """What the softmax leaves: (T, S), a row that sees no key is all zero."""
        return torch.tensor(masked_weights(self.cells, self.scores if self.given else None))
