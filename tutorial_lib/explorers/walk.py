"""One sentence all the way: every tensor of one forward pass, a step at a time."""

import numpy as np
import torch
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.explorers.packing import as_array
from tutorial_lib.explorers.walk_steps import walk_steps

MAX_TOKENS = 64
MAX_COLUMNS = 64
MAX_PICKED = 12
_LETTERS = {
    "B": "batch",
    "T": "tokens",
    "S": "tokens looked at",
    "H": "heads",
    "D": "model width",
    "K": "width of one head",
    "V": "vocabulary",
    "d_ff": "width of the feed-forward part",
}
_PREDICTIONS = ("logits", "probabilities")  # tensors that say what comes next


def _packed(step, tokens, vocabulary):
    """One step for the browser: at most MAX_TOKENS x MAX_COLUMNS numbers a head, as bytes."""
    axes, values = step.axes.split(), as_array(step.values)
    if axes[:1] == ["B"]:
        axes, values = axes[1:], values[0]  # the first sequence of the batch
    heads = axes[:1] == ["H"]
    if not heads:
        values = values[None]  # (T, D) -> (1, T, D)
    axes = axes[heads:]
    if len(axes) == 1 and axes[0] not in ("T", "S"):
        axes, values = ["", *axes], values[:, None]  # no axis of tokens: (D,) -> one row (1, D)
    row_axis, column_axis = [*axes, "", ""][:2]
    values = values.reshape(values.shape[0], values.shape[1] if values.ndim > 1 else 1, -1)
    height, width = values.shape[1:]
    longest = MAX_TOKENS if column_axis in ("T", "S") else MAX_COLUMNS
    best = column_axis == "V" and not heads  # of a vocabulary, each row's largest numbers
    longest = MAX_PICKED if best else longest
    values, picked, comes, notes = values[:, :MAX_TOKENS], [], [], []
    if height > MAX_TOKENS:
        notes.append(f"Only the first {MAX_TOKENS} of {height} rows are shown.")
    if width > longest and best:
        order = np.argsort(-values, axis=-1, kind="stable")[..., :longest]
        values = np.take_along_axis(values, order, axis=-1)
        picked = [[_word(vocabulary, i) for i in row] for row in order[0].tolist()]
        notes.append(f"Each row shows its {longest} largest of {width:,} columns, largest first.")
        if vocabulary and step.name in _PREDICTIONS:
            comes = _places_of_next(order[0], tokens, vocabulary)
            notes.append("Framed in green: the token that really comes next.")
    elif width > longest:
        values = values[..., :longest]
        notes.append(f"Only the first {longest} of {width:,} columns are shown.")
    sizes = np.abs(values[np.isfinite(values)])
    shares = step.label.endswith(("weights", "probabilities"))
    scale = 1.0 if shares else float(np.quantile(sizes, 0.99)) if sizes.size else 1.0
    whole = step.name.endswith("ids")
    kind = np.float32 if whole else np.float16
    limit = np.finfo(kind).max
    clipped = np.where(np.isfinite(values), np.clip(values, -limit, limit), values)
    return {
        "name": step.name,
        "stage": step.stage,
        "label": step.label,
        "axes": [
            {"letter": letter, "size": size, "meaning": _LETTERS.get(letter, "")}
            for letter, size in zip(step.axes.split(), step.shape, strict=True)
        ],
        "formula": step.formula,
        "meaning": step.meaning,
        "shape": list(values.shape),
        "heads": heads,
        "rows": _labels(row_axis, tokens, values.shape[1]),
        "columns": _labels(column_axis, tokens, values.shape[2]),
        "picked": picked,
        "comes": comes,
        "kind": "ids" if whole else "shares" if shares else "signed",
        "scale": scale or 1.0,
        "dtype": "float32" if whole else "float16",
        "data": np.ascontiguousarray(clipped, dtype=kind).tobytes(),
        "notes": notes,
    }


def _labels(axis, tokens, count):
    if axis in ("T", "S") and len(tokens) >= count:
        return [str(token) for token in tokens[:count]]
    return []


def _places_of_next(order, tokens, vocabulary):
    """The column of each row in which the token after it stands, -1 where none does."""
    following = [*tokens[1:], None]
    words = [[vocabulary[i] for i in row] for row in order.tolist()]
    pairs = zip(words, following, strict=False)
    return [row.index(token) if token in row else -1 for row, token in pairs]


def _word(vocabulary, index):
    """What a column of the vocabulary's axis is called: its token, or its number."""
    return f"“{vocabulary[index]}”" if vocabulary else f"column {index:,}"


class WalkExplorer(BrowserExplorer):
    """Walks through one forward pass: name, shape, formula and numbers of every tensor.

    records: a Trace of `tutorial_lib.interpret.tracing.trace`, or a list of dicts with name, axes
    ("B H T S"), formula and values. tokens: T labels. vocabulary: V labels for an axis V, by id.
    Only the first sequence of a batch is shown; what is too large is cut, and a note says so: of an
    axis V each row keeps its largest numbers, and steps called logits or probabilities frame the
    token that follows, when vocabulary and tokens spell it alike.
    Raises ShapeError when there is nothing to walk through or labels and tensors disagree.

    >>> import numpy as np
    >>> ids = {"name": "token ids", "axes": "B T", "formula": "input", "values": np.ones((1, 2))}
    >>> WalkExplorer([ids], ["hello", "world"])
    Walk explorer: run this cell
    """

    title = "Walk explorer"
    _esm = javascript("walk_values.js", "walk.js")
    _css = stylesheet("walk.css")

    steps = traitlets.List().tag(sync=True, told=True)
    step = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    token = traitlets.Int(0).tag(sync=True)

    def __init__(self, records, tokens, vocabulary=(), **state):
        super().__init__()
        tokens = [str(token) for token in tokens]
        vocabulary = [str(token) for token in vocabulary]
        steps = walk_steps(records)
        for step in steps:
            sizes = dict(zip(step.axes.split(), step.shape, strict=True))
            if sizes.get("T", len(tokens)) != len(tokens):
                raise ShapeError(
                    f"{step.name!r} has T = {sizes['T']}, but tokens has {len(tokens)}"
                )
            if vocabulary and sizes.get("V", len(vocabulary)) != len(vocabulary):
                raise ShapeError(
                    f"{step.name!r} has V = {sizes['V']}, but vocabulary has {len(vocabulary)}"
                )
            if 0 in step.shape:
                raise ShapeError(f"{step.name!r} is empty: {step.axes} = {step.shape}")
        self.steps = [_packed(step, tokens, vocabulary) for step in steps]
        for name, value in state.items():
            self.set_trait(name, value)

    @classmethod
    def from_model(cls, model, tokenizer, text, stops=(), **state):
        """An explorer of one forward pass of a GPT or a Llama over a text, up to probabilities.

        tokenizer: with `encode(text)` -> ids, `decode(ids)` and `vocab_size`; stops: the names of
        the tensors to stop at, in any order (all of them when there are none).
        Raises ShapeError for a text without a token, ValueError for a stop that is not on the way.
        """
        from tutorial_lib.interpret import Record, trace

        device = next(model.parameters()).device
        ids = tokenizer.encode(text)
        *way, output = trace(model, torch.tensor([ids], device=device)).values()
        logits = Record("logits", output.tensor, "B T V", output.formula, "")
        shares = output.tensor.softmax(dim=-1)  # (B, T, V)
        way += [logits, Record("probabilities", shares, "B T V", "softmax of each row", "")]
        if unknown := set(stops) - {record.name for record in way}:
            raise ValueError(f"no tensor on the way is called {', '.join(sorted(unknown))}")
        words = [tokenizer.decode([token_id]) for token_id in range(tokenizer.vocab_size)]
        return cls(
            [record for record in way if record.name in stops or not stops],
            [words[token_id] for token_id in ids],
            words,
            **state,
        )

    def describe(self):
        """Say in words what the explorer shows now."""
        name, shape = self.steps[self.step]["name"], self.steps[self.step]["shape"]
        return (
            f"one pass through a model in {len(self.steps)} steps; step {self.step + 1} is "
            f"“{name}”, its formula and its numbers of shape {tuple(shape)}."
        )

    @traitlets.validate("step", "head", "token")
    def _inside(self, proposal):
        if not self.steps:
            return 0
        counts = {
            "step": len(self.steps),
            "head": max(step["shape"][0] for step in self.steps),
            "token": max(step["shape"][1] for step in self.steps),
        }
        return min(max(proposal.value, 0), counts[proposal.trait.name] - 1)


def short_walk(model, tokenizer, text, layer=0, head=0, word=""):
    """A walk of ten stops: the ids, layer 0, one head of a later layer, and the end.

    It opens at the weights of that layer and head (the last ones, where the model has fewer), at
    the row of the token `word`, or the first row where the text has no such token.
    model, tokenizer and errors as for `WalkExplorer.from_model`.
    """
    layer = min(layer, model.config.n_layers - 1)
    weights = f"layer {layer} weights"
    stops = ["token ids", "token embedding", "layer 0 weights", "layer 0 attention"]
    stops += ["layer 0 attention sum", "layer 0 feed forward sum"]
    stops += [weights] if layer else []
    stops += ["final norm", "logits", "probabilities"]
    words = [tokenizer.decode([token_id]) for token_id in tokenizer.encode(text)]
    row = words.index(word) if word in words else 0
    head = min(head, model.config.n_heads - 1)
    return WalkExplorer.from_model(
        model, tokenizer, text, stops, step=stops.index(weights), head=head, token=row
    )
