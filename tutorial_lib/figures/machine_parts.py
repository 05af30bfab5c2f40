"""What a drawing of a model consists of, read off a trace in the order of computation."""

from collections import Counter
from dataclasses import dataclass

from tutorial_lib.models.transformer import ScaledEmbedding
from tutorial_lib.positions import LearnedPositions


@dataclass(frozen=True)
class Part:
    """One part of a drawing: the tensor it makes, what it is, and where a plus's shortcut starts.

    name: the record's; kind: what it is drawn as; stage: the layer it is in, or ""; n_parameters:
    how many numbers it learns, None where nothing could be learned.
    """

    name: str
    kind: str
    title: str
    note: str
    shape: str
    stage: str = ""
    start: str = ""
    n_parameters: int | None = None

    @property
    def counted(self):
        """The number of parameters in words, or "" where there cannot be any."""
        if self.n_parameters == 0 and "table" in self.note:
            return "shared, 0 new"
        return "" if self.n_parameters is None else count_in_words(self.n_parameters)


def count_in_words(n_parameters):
    """A number of parameters as a box says it.

    >>> count_in_words(1536), count_in_words(0)
    ('1,536 parameters', 'nothing learned')
    """
    return f"{n_parameters:,} parameters" if n_parameters else "nothing learned"


def parameters_of(module):
    """How many numbers a module learns; tied weights inside it count once."""
    return sum(parameter.numel() for parameter in module.parameters())


def parameters_by_kind(model):
    """How many numbers each kind of part of a model learns; tied weights count once."""
    counts = Counter()
    for name, _ in model.named_parameters():
        counts[_kind_of(name)] += model.get_parameter(name).numel()
    order = ("embedding", "attention", "feed forward", "norm", "head")
    return {kind: counts[kind] for kind in order if counts[kind]}


def _kind_of(name):
    if "blocks." not in name:
        if name.partition(".")[0].endswith("_norm"):
            return "norm"
        tables = "embedding" in name or "position" in name
        tables = tables or name.startswith(("output_layer", "widen"))
        tables = tables or name.startswith("relative") or "distances" in name
        return "embedding" if tables else "head"
    if "_norm." in name or "_scale." in name:
        return "norm"
    return "attention" if "attention." in name else "feed forward"


def parts_of(model, records, stack=""):
    """Return the Parts of one stack, in order: "encoder" or "decoder", or "" for the only one.

    The order is the order of computation, so a norm is where the model has it. Of several
    layers the first is returned. model, which may be a layer alone, is what records, a Trace,
    were recorded from.
    """
    side = {"encoder": "source", "decoder": "target"}.get(stack, "")
    layer = f"{stack} layer 0 " if stack else ""
    if not stack and any(name.startswith("layer 0 ") for name in records):
        layer = "layer 0 "
    found = []
    for name, record in records.items():
        part = None
        if side and name.startswith(f"{side} "):
            part = _entrance(name, name.removeprefix(f"{side} "), model)
        elif name.startswith(layer) and (layer or not stack):
            part = _inside(name, name.removeprefix(layer), record, model, records)
        elif name in (f"{stack} norm", "final norm", "embedding norm"):
            part = ("norm", _norm_name(record), "")
        elif name == "widen":
            widths = records["embedding norm"].tensor.shape[-1], record.tensor.shape[-1]
            part = ("embedding", "linear map", "{} → {}".format(*widths))
        if part:
            stage = (layer.strip() or "layer") if name.startswith(layer) else ""
            start = record.formula.partition(" + ")[0] if part[0] == "plus" else ""
            learned = None
            if part[0] not in ("plus", "ids"):
                learned = parameters_of(model.get_submodule(record.module))
                learned = 0 if part[2].startswith("the source's table") else learned
            # Table and positions are added without a module of their own: shortcuts name the sum.
            name = f"{side} embedding sum" if part[1] == "+ positions" else name
            shape = shape_in_words(record, stack)
            found.append(Part(name, *part, shape, stage, start, learned))
    return found


def _entrance(name, label, model):
    if label == "ids":
        return "ids", name, ""
    if label == "embedding":
        source, target = model.source_embedding, model.target_embedding
        shared = name.startswith("target") and target.weight is source.weight
        table = "the source's table" if shared else "table"
        scaled = isinstance(source, ScaledEmbedding)
        factor = f" · √{model.config.d_model}" if scaled else ""
        return "embedding", "embedding", f"{table}{factor}"
    if label == "positions":
        learned = isinstance(model.source_positions, LearnedPositions)
        return "embedding", "+ positions", "learned" if learned else "sinusoids"
    if label == "norm":
        return "norm", "LayerNorm", ""
    return None


def _norm_name(record):
    return record.formula.partition("(")[0]


def _inside(name, label, record, model, records):
    """Kind, title and note of a part of a layer; None for what is drawn inside another part."""
    if label.endswith("sum"):
        return "plus", "", ""
    if label.endswith("norm"):
        return "norm", _norm_name(record), ""
    if label.endswith("scale"):
        return "norm", "LayerScale", "a factor a number"
    if label == "feed forward":
        hidden = records[f"{name} hidden"].tensor.shape[-1]
        width = record.tensor.shape[-1]
        note = f"{width} → {hidden} → {width}"
        gated = f"{name} gate" in records
        return "feed forward", "feed-forward", f"{note}, with a gate" if gated else note
    if label in ("attention", "cross attention"):
        queries = records[f"{name.removesuffix('attention')}queries"]
        note = f"{queries.tensor.shape[1]} heads of {queries.tensor.shape[3]}"
        layer = model.get_submodule(record.module)
        if getattr(layer, "n_kv_heads", layer.n_heads) < layer.n_heads:
            note += f" ({layer.n_kv_heads} for keys, values)"
        note += ", rotary" if "turned" in queries.formula else ""
        scores = records[f"{name.removesuffix('attention')}scores"]
        note += ", distances" if "distances" in scores.formula else ""
        if label == "cross attention":
            return "cross", "cross-attention", note
        return "attention", "causal self-attention" if layer.causal else "self-attention", note
    return None


def shape_in_words(record, stack=""):
    """A record's axes and sizes; the encoder's tokens are the source's, S.

    >>> import torch
    >>> from tutorial_lib.interpret import Record
    >>> shape_in_words(Record("encoder norm", torch.zeros(1, 5, 8), "B T D", "", ""), "encoder")
    '(B, S, D) = (1, 5, 8)'
    """
    axes = record.axes.replace("T", "S") if stack == "encoder" else record.axes
    return sizes_in_words(axes, record.tensor.shape)


def sizes_in_words(axes, shape):
    """Axes, letters with spaces between, and their sizes.

    >>> sizes_in_words("B T D", (1, 12, 128))
    '(B, T, D) = (1, 12, 128)'
    """
    return f"({axes.replace(' ', ', ')}) = ({', '.join(map(str, shape))})"
