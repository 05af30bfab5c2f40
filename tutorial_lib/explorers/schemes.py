"""Two schemes of positions side by side: what each adds to the score of every query and key."""

import numpy as np
import traitlets

from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.figures.chapter03_positional_encoding.scores import (
    ADDED,
    HEADED,
    LEARNED,
    N_HEADS,
    SCHEMES,
    example_tables,
    head_scores,
)
from tutorial_lib.positions import alibi_slopes

LONGEST, FARTHEST = 64, 32  # tokens, and how far both may move
ABOUT = {
    "none": "Nothing: all pairs with equal content score alike.",
    "sinusoidal": "PE(t) · PE(s) / √d: fixed vectors that are added to the content.",
    "learned": "p(t) · p(s) / √d: vectors from a learned table of {context} rows.",
    "relative": "A learned number for each offset; beyond ±{reach} they share the last one.",
    "t5": "A learned number for each bucket of offsets; far buckets are wide.",
    "rotary": "Query and key turn by their positions: what the turn takes from q · k.",
    "alibi": "Minus slope times distance, nothing learned.",
}


def _variants(scheme):
    """The settings in which a scheme gives other scores, in the order the browser counts them."""
    if scheme in ADDED:
        return [{"content": False}, {"content": True}]
    return [{"causal": False}, {"causal": True}] if scheme == "t5" else [{}]


def _heads(tables):
    return min(N_HEADS, len(tables["relative"]), len(tables["t5"]))


class SchemeComparer(BrowserExplorer):
    """What two schemes of positions add to the scores, for all pairs and over the offset.

    left and right are keys of SCHEMES: none, sinusoidal, learned, relative, t5, rotary, alibi.
    length is 2 to 64 tokens, shift moves all of them by up to 32 positions, head counts from 0,
    content lets added vectors meet the content, show is "scores" or "weights". tables replaces
    what training decides, as in `figures.scheme_scores`; what it leaves out is made up, and the
    explorer says so.
    `state` gives the keyword arguments of `tutorial_lib.figures.scheme_grid`.
    Raises ValueError for settings that the controls do not have.

    >>> SchemeComparer("learned", "rotary").state["schemes"]
    ('learned', 'rotary')
    """

    title = "Scheme comparer"
    _esm = javascript("scheme_views.js", "schemes.js")
    _css = stylesheet("schemes.css")

    schemes = traitlets.List().tag(sync=True, told=True)  # what `_packed` returns for each
    context = traitlets.Int().tag(sync=True, told=True)  # rows of the learned table
    heads = traitlets.Int().tag(sync=True, told=True)
    limits = traitlets.List([LONGEST, FARTHEST]).tag(sync=True, told=True)
    slopes = traitlets.List().tag(sync=True, told=True)
    left = traitlets.Enum(tuple(SCHEMES), "sinusoidal").tag(sync=True)
    right = traitlets.Enum(tuple(SCHEMES), "alibi").tag(sync=True)
    length = traitlets.Int(24, min=2, max=LONGEST).tag(sync=True)
    shift = traitlets.Int(0, min=0, max=FARTHEST).tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)
    content = traitlets.Bool(False).tag(sync=True)
    show = traitlets.Enum(("scores", "weights"), "scores").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        left="sinusoidal",
        right="alibi",
        length=24,
        shift=0,
        *,
        causal=False,
        head=0,
        content=False,
        show="scores",
        tables=None,
    ):
        self._tables = dict(tables or {})
        all_tables = example_tables() | self._tables
        heads = _heads(all_tables)
        for name, value, allowed in (
            ("left", left, tuple(SCHEMES)),
            ("right", right, tuple(SCHEMES)),
            ("show", show, ("scores", "weights")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
        for name, value, low, high in (
            ("length", length, 2, LONGEST),
            ("shift", shift, 0, FARTHEST),
            ("head", head, 0, heads - 1),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} must be {low} to {high}, got {value}")
        context = len(all_tables["learned"])
        words = {"context": context, "reach": np.shape(all_tables["relative"])[1] // 2}
        super().__init__(
            schemes=[self._packed(scheme, heads, words) for scheme in SCHEMES],
            context=context,
            heads=heads,
            slopes=alibi_slopes(N_HEADS).tolist(),
            left=left,
            right=right,
            length=length,
            shift=shift,
            causal=causal,
            head=head,
            content=content,
            show=show,
        )

    def describe(self):
        """Say in words what the explorer shows now."""
        return (
            f"what {self.left} (left) and {self.right} (right) add to the scores of {self.length} "
            "queries and keys, as two heat maps, and over the offset as two curves."
        )

    def _packed(self, scheme, heads, words):
        """One scheme for the browser: its scores at all positions, as bytes of float16."""
        whole = LONGEST + FARTHEST
        scores = np.concatenate(
            [
                head_scores(scheme, whole, tables=self._tables, **variant)[:heads]
                for variant in _variants(scheme)
            ]
        )  # (variants · H, T, S)
        return {
            "name": scheme,
            "label": SCHEMES[scheme],
            "about": ABOUT[scheme].format(**words),
            "headed": scheme in HEADED,
            "added": scheme in ADDED,
            "made_up": scheme in LEARNED and scheme not in self._tables,
            "data": scores.astype(np.float16).tobytes(),
        }

    @property
    def state(self):
        """What is shown, as keyword arguments of `tutorial_lib.figures.scheme_grid`."""
        return {
            "schemes": (self.left, self.right),
            "length": self.length,
            "shift": self.shift,
            "causal": self.causal,
            "head": min(self.head, self.heads - 1),
            "content": self.content,
            "show": self.show,
            "tables": self._tables or None,
        }
