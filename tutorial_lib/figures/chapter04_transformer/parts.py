"""What a drawing of the Transformer consists of, read off a trace in the order of computation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One part of a drawing: the tensor it makes, what it is, and where a plus's shortcut starts.

    name: the record's; kind: what it is drawn as; stage: the layer it is in, or "".
    """

    name: str
    kind: str
    title: str
    note: str
    shape: str
    stage: str = ""
    start: str = ""


def parts_of(model, records, stack=""):
    """Return the Parts of one stack ("encoder", "decoder", or "" for a layer alone), in order.

    The order is the order of computation, so a norm is where the model has it. Of several
    layers the first is returned. model is what records, a Trace, were recorded from.
    """
    side = {"encoder": "source", "decoder": "target"}.get(stack, "")
    layer = f"{stack} layer 0 " if stack else ""
    found = []
    for name, record in records.items():
        part = None
        if side and name.startswith(f"{side} "):
            part = _entrance(name, name.removeprefix(f"{side} "), model)
        elif layer and name.startswith(layer):
            part = _inside(name, name.removeprefix(layer), record, model, records)
        elif stack and name == f"{stack} norm":
            part = ("norm", "LayerNorm", "")
        elif not stack:
            part = _inside(name, name, record, model, records)
        if part:
            stage = layer.strip() if not stack or name.startswith(layer) else ""
            start = record.formula.partition(" + ")[0] if part[0] == "plus" else ""
            # Table and positions are added without a module of their own: shortcuts name the sum.
            name = f"{side} embedding sum" if part[1] == "+ positions" else name
            found.append(Part(name, *part, shape_in_words(record, stack), stage, start))
    return found


def _entrance(name, label, model):
    if label == "ids":
        return "ids", name, ""
    if label == "embedding":
        return "embedding", "embedding", f"table · √{model.config.d_model}"
    if label == "positions":
        return "embedding", "+ positions", "sinusoids"
    return None


def _inside(name, label, record, model, records):
    """Kind, title and note of a part of a layer; None for what is drawn inside another part."""
    if label.endswith("sum"):
        return "plus", "", ""
    if label.endswith("norm"):
        return "norm", "LayerNorm", ""
    if label == "feed forward":
        hidden = records[f"{name} hidden"].tensor.shape[-1]
        width = record.tensor.shape[-1]
        return "feed forward", "feed-forward", f"{width} → {hidden} → {width}"
    if label in ("attention", "cross attention"):
        queries = records[f"{name.removesuffix('attention')}queries"].tensor
        note = f"{queries.shape[1]} heads of {queries.shape[3]}"
        if label == "cross attention":
            return "cross", "cross-attention", note
        causal = model.get_submodule(record.module).causal
        return "attention", "causal self-attention" if causal else "self-attention", note
    return None


def shape_in_words(record, stack=""):
    """A record's axes and sizes; the encoder's tokens are the source's, S.

    >>> import torch
    >>> from tutorial_lib.interpret import Record
    >>> shape_in_words(Record("encoder norm", torch.zeros(1, 5, 8), "B T D", "", ""), "encoder")
    'B S D  1·5·8'
    """
    axes = record.axes.replace("T", "S") if stack == "encoder" else record.axes
    return f"{axes}  {'·'.join(map(str, record.tensor.shape))}"
