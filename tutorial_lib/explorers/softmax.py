"""One query, a few keys and values: attention with every number in the open."""

import numpy as np
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.figures.chapter02_attention.softmax import softmax_stages

MAX_KEYS, MAX_WIDTH = 6, 4
QUERY = (1.0, 0.5, -1.0)
KEYS = ((1.0, 0.0, -0.5), (0.0, 1.0, 0.0), (-1.0, 0.5, 1.0))
VALUES = ((1.0, 0.0), (0.0, 1.0), (-1.0, 2.0))


class SoftmaxExplorer(BrowserExplorer):
    """softmax(q k / sqrt(K)) v with editable vectors, one stage after the other.

    q (K,), k (S, K), v (S, W), at most 6 keys and widths of 4; names: what to call the S keys.
    The browser computes; `result` holds its numbers and `state` the inputs. Raises ShapeError for
    unfitting shapes or another number of names.

    >>> SoftmaxExplorer()
    Softmax explorer: run this cell
    """

    title = "Softmax explorer"
    _esm = javascript("softmax.js")
    _css = stylesheet("softmax.css")

    q = traitlets.List().tag(sync=True)
    k = traitlets.List().tag(sync=True)
    v = traitlets.List().tag(sync=True)
    scale = traitlets.Bool(True).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    stage = traitlets.Int(1).tag(sync=True)  # 1 dot products .. 5 mixed value
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, q=QUERY, k=KEYS, v=VALUES, scale=True, temperature=1.0, stage=1, names=None):
        softmax_stages(q, k, v, scale, temperature)  # says what does not fit
        q, k, v = (np.asarray(x, dtype=float).tolist() for x in (q, k, v))
        if len(k) > MAX_KEYS or max(len(q), len(v[0])) > MAX_WIDTH:
            raise ShapeError(
                f"SoftmaxExplorer shows at most {MAX_KEYS} keys and widths up to {MAX_WIDTH}, got "
                f"{len(k)} keys of width {len(q)} and values of width {len(v[0])}"
            )
        names = [f"key {s}" for s in range(1, len(k) + 1)] if names is None else list(names)
        if len(names) != len(k):
            raise ShapeError(f"{len(k)} keys need {len(k)} names, got {len(names)}")
        super().__init__(
            names=names,
            q=q,
            k=k,
            v=v,
            scale=scale,
            temperature=temperature,
            stage=min(max(stage, 1), 5),
        )

    def describe(self):
        """Say in words what the explorer shows now."""
        return (
            f"a query of width {len(self.q)}, {len(self.k)} keys and their values as tables of "
            f"numbers to edit, and stage {self.stage} of 5 on the way to the mixed value."
        )

    @property
    def state(self):
        """The inputs as keyword arguments of `tutorial_lib.figures.softmax_steps`."""
        return {
            "q": self.q,
            "k": self.k,
            "v": self.v,
            "scale": self.scale,
            "temperature": self.temperature,
        }

    @property
    def stages(self):
        """The same stages computed in Python, as a SoftmaxStages."""
        return softmax_stages(**self.state)
