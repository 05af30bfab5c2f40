"""Who looks at whom: lines between tokens, one matrix, and all heads at a glance."""

import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.explorers.packing import MAX_TOKENS, cut_note, make_panel

MAX_CHARACTERS = 4000
_TEXTS = ("text", "pair", "other")
WAYS = ("zero", "uniform", "patch")
FAINT = 0.05  # the threshold unless another is set: what it hides is too pale to be spoken of
_PARTS = (
    "attention_lines.js",
    "attention_picture.js",
    "attention_matrix.js",
    "attention_heads.js",
    "attention_model.js",
    "attention.js",
)


def _panels(maps, rows, columns, segments, column_segments, picture):
    if isinstance(getattr(maps, "cross", None), list) and maps.cross:  # AttentionMaps
        maps = {name: getattr(maps, name) for name in ("encoder", "decoder", "cross")}
    if not isinstance(maps, dict):
        return [make_panel(maps, rows, columns, segments, column_segments, picture=picture)]
    unknown = set(maps) - {"encoder", "decoder", "cross"}
    if unknown or not maps:
        raise ShapeError(f"maps must be named encoder, decoder or cross, got {sorted(maps)}")
    columns = rows if columns is None else columns
    # The encoder reads the source (columns), the decoder writes the target (rows).
    sides = {"encoder": (columns, columns), "decoder": (rows, rows), "cross": (rows, columns)}
    return [make_panel(maps[name], *sides[name], name=name) for name in sides if name in maps]


class AttentionExplorer(BrowserExplorer):
    """Attention weights to look at: choose a layer and a head, hover a token, read a number.

    maps: weights (L, H, T, S), rows summing to 1, as a tensor, an array, a list of layers or what
    `capture_attention` yields; for an encoder-decoder also a dict with any of "encoder"
    (L, H, S, S), "decoder" (L, H, T, T) and "cross" (L, H, T, S).
    rows: T labels, who looks; columns: S labels, who is looked at (the rows when left out).
    segments and column_segments: 0 or 1 for each label. Layers and heads count from 0.
    picture: what `as_picture` makes of an image whose patches are the last tokens; it takes the
    place of the lines, and `attention_picture.patch_labels` names the tokens. Or what `as_regions`
    (`explorers.packing`) makes of one whose regions are the last tokens, after those of a text:
    lines and picture stand side by side.
    More than `max_tokens` are cut, and a note says so. simple=True: a reader sets the layer, the
    head and a model's text, and nothing else. grid=False: without the small matrices of all heads.
    threshold: weights below it are not drawn; the caption says so when it is above 0.05.
    Raises ShapeError when shapes and labels disagree or nothing is left to show.

    >>> import numpy as np
    >>> AttentionExplorer(np.full((2, 4, 3, 3), 1 / 3), ["the", "cat", "sat"])
    Attention explorer: run this cell
    """

    title = "Attention explorer"
    _esm = javascript(*_PARTS)
    _css = stylesheet("attention.css")

    panels = traitlets.List().tag(sync=True, told=True)
    notes = traitlets.List(traitlets.Unicode()).tag(sync=True, told=True)
    part = traitlets.Int(0).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    threshold = traitlets.Float(FAINT).tag(sync=True)
    row = traitlets.Int(-1).tag(sync=True)
    column = traitlets.Int(-1).tag(sync=True)
    hide_special = traitlets.Bool(False).tag(sync=True)
    renormalise = traitlets.Bool(False).tag(sync=True)

    has_model = traitlets.Bool(False).tag(sync=True, told=True)
    simple = traitlets.Bool(False).tag(sync=True, told=True)  # text, layer and head, nothing else
    grid = traitlets.Bool(True).tag(sync=True, told=True)  # all heads as small matrices
    fields = traitlets.List().tag(sync=True, told=True)
    text = traitlets.Unicode("").tag(sync=True)
    pair = traitlets.Unicode("").tag(sync=True)
    other = traitlets.Unicode("").tag(sync=True)
    broken = traitlets.Dict().tag(sync=True)
    outputs = traitlets.List().tag(sync=True, told=True)
    outputs_title = traitlets.Unicode("").tag(sync=True, told=True)

    def __init__(
        self,
        maps,
        rows,
        columns=None,
        segments=None,
        column_segments=None,
        *,
        picture=None,
        max_tokens=MAX_TOKENS,
        **state,
    ):
        self._backend = None
        self._max_tokens = max(int(max_tokens), 1)
        super().__init__()
        self._show(_panels(maps, rows, columns, segments, column_segments, picture))
        for name, value in state.items():
            self.set_trait(name, value)

    def describe(self):
        """Say in words what the explorer shows now."""
        panel = self.panels[self.part]
        layers, heads, rows, columns = panel["shape"]
        way = "over the picture" if panel.get("picture") else "as lines between the tokens"
        if (panel.get("picture") or {}).get("boxes"):
            way = "as lines between words and regions, over the picture"
        grid = ", with all heads as thumbnails" if self.grid else ""
        above = self.threshold > FAINT
        hidden = f"; weights below {self.threshold:.2f} are not drawn" if above else ""
        return (
            f"who looks at whom in layer {self.layer} of {layers}, head {self.head} of {heads}, "
            f"{rows} x {columns} tokens: {way} and as a matrix{grid}{hidden}."
        )

    @classmethod
    def from_model(cls, model, tokenizer, text, other=None, pair=None, readout=None, **state):
        """An explorer with a live model: typed text runs through it, and heads can be broken.

        model(ids, segments) -> hidden (1, T, D); tokenizer.encode(text, pair) -> Encoding.
        pair is a second segment; other the text that a head is patched from.
        readout(model, encoding) -> list of (label, number), read before and after a head is
        broken; left out, the cosine of each token's final vector with its unbroken self.
        Raises the model's own error when the first text does not fit.
        """
        from tutorial_lib.explorers.attention_model import EncoderBackend

        return cls._with(EncoderBackend(model, tokenizer, readout), (text, pair, other), state)

    @classmethod
    def from_decoder(cls, model, encode, decode, text, other=None, **state):
        """An explorer of a GPT or a Llama: typed text runs through it, and heads can be broken.

        encode(text) -> ids; decode(ids) -> text; other: the text that a head is patched from.
        The outputs are the likeliest next tokens, before and after a head is broken.
        Raises ShapeError for a text without a token.
        """
        from tutorial_lib.explorers.attention_model import DecoderBackend

        return cls._with(DecoderBackend(model, encode, decode), (text, "", other), state)

    @classmethod
    def from_pictures(cls, model, images, number=0, other=None, names=None, ink=False, **state):
        """An explorer of a ViT: a numbered picture runs through it, and heads can be broken.

        images (N, C, height, width) from 0 to 1; number: the one to begin with; other: the one
        that a head is patched from; names: one for each class; ink: draw 1 dark on a light
        ground. The outputs are the probabilities of the classes; of a DINOv2, which has none, the
        cosines of its vectors with the unbroken ones.
        Raises ShapeError or ValueError when pictures or numbers do not fit.
        """
        from tutorial_lib.explorers.attention_picture import FeatureBackend, PictureBackend

        numbers = (str(number), "", "" if other is None else str(other))
        if hasattr(model.config, "n_classes"):
            backend = PictureBackend(model, images, names, ink)
        else:
            backend = FeatureBackend(model, images)
        return cls._with(backend, numbers, state)

    @classmethod
    def _with(cls, backend, texts, state):
        """An explorer before a backend, which runs `texts` (text, pair, other) first."""
        texts = [text or "" for text in texts]
        first = backend.run(*texts, {})
        explorer = cls(first.maps, first.labels, segments=first.segments, picture=first.picture)
        explorer.text, explorer.pair, explorer.other = texts
        explorer._backend = backend
        explorer.fields = [list(field) for field in backend.fields]
        explorer.outputs_title = backend.title
        explorer._take(first)
        explorer.has_model = True
        explorer.observe(explorer._rerun, names=[*_TEXTS, "broken"])
        for name, value in state.items():
            explorer.set_trait(name, value)
        return explorer

    def _show(self, panels, notes=()):
        """Hand new maps to the browser and pull layer, head and pinned token back inside."""
        cut = cut_note(panels, self._max_tokens)
        self.notes = [*notes, cut] if cut else list(notes)
        self.panels = [panel.packed(self._max_tokens) for panel in panels]
        self._pull_inside()

    def _take(self, result):
        self.outputs = [
            {"label": label, "before": before, "after": after}
            for label, before, after in result.outputs
        ]
        before = self.panels[0]["rows"]["labels"]
        panel = make_panel(
            result.maps, result.labels, segments=result.segments, picture=result.picture
        )
        self._show([panel], result.notes)
        if self.panels[0]["rows"]["labels"] != before:
            self.row = self.column = -1  # of another text: the token that was chosen is gone

    def _rerun(self, _change=None):
        try:
            result = self._backend.run(self.text, self.pair, self.other, self.broken)
        except Exception as error:  # whatever it is, a widget's log would hide it from the learner
            reason = f"{type(error).__name__}: {error}"
            self.notes = [f"Not run, so the maps are the last ones. {reason}"]
            return
        self._take(result)
        long = [name for name in _TEXTS if len(getattr(self, name)) == MAX_CHARACTERS]
        if long:
            self.notes = [*self.notes, f"Only the first {MAX_CHARACTERS} characters are read."]

    @traitlets.observe("part")
    def _pull_inside(self, _change=None):
        for name in ("part", "layer", "head", "row", "column"):
            self.set_trait(name, getattr(self, name))  # validated against the maps now shown

    @traitlets.validate("part", "layer", "head", "row", "column")
    def _inside(self, proposal):
        if not self.panels:
            return proposal.value
        part = min(max(self.part, 0), len(self.panels) - 1)
        layers, heads, rows, columns = self.panels[part]["shape"]
        lowest, count = {
            "part": (0, len(self.panels)),
            "layer": (0, layers),
            "head": (0, heads),
            "row": (-1, rows),
            "column": (-1, columns),
        }[proposal.trait.name]
        return min(max(proposal.value, lowest), count - 1)

    @traitlets.validate("threshold")
    def _fraction(self, proposal):
        return min(max(proposal.value, 0.0), 1.0) if proposal.value == proposal.value else 0.0

    @traitlets.validate(*_TEXTS)
    def _short(self, proposal):
        return proposal.value[:MAX_CHARACTERS]

    @traitlets.validate("broken")
    def _known(self, proposal):
        """Empty when nothing is broken, else how, layer and head; anything else repairs."""
        value, shape = proposal.value, self.panels[0]["shape"] if self.panels else (1, 1)
        if value.get("how") not in WAYS:
            return {}
        places = {name: value.get(name, 0) for name in ("layer", "head")}
        if not all(isinstance(place, int) for place in places.values()):
            return {}
        places = {n: min(max(p, 0), shape[i] - 1) for i, (n, p) in enumerate(places.items())}
        return {"how": value["how"], **places}
