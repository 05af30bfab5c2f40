"""What happened inside: every tensor of one forward pass, by a readable name, in order."""

import inspect
import re
from contextlib import ExitStack
from dataclasses import replace

import torch
from torch import nn

from tutorial_lib.attention import (
    GroupedQueryAttention,
    MultiHeadAttention,
    RotaryAttention,
    Tap,
    tapped,
)
from tutorial_lib.interpret.interventions import Patch, Uniform, Zero, head_output, intervene
from tutorial_lib.interpret.records import Record, Trace
from tutorial_lib.models.blocks import Block, DecoderBlock, FeedForward
from tutorial_lib.models.dinov2 import LayerScale
from tutorial_lib.models.llama import SwiGLU
from tutorial_lib.models.patches import PatchEmbedding
from tutorial_lib.models.t5 import T5Attention
from tutorial_lib.positions import PositionVectors

__all__ = ["Patch", "Record", "Trace", "Uniform", "Zero", "head_output", "intervene", "trace"]

_INPUTS = {"ids": "token ids", "segments": "segment ids"}
_INPUTS |= {"source": "source ids", "target": "target ids"}
_ATTENTION = {
    "queries": ("B H T K", "{x} · W_q{b_q}, cut into H heads{turned}{longer}"),
    "keys": ("B H S K", "{context} · W_k{b_k}, cut into {shared} heads{turned}"),
    "values": ("B H S K", "{context} · W_v{b_v}, cut into {shared} heads"),
    "scores": ("B H T S", "queries · keysᵀ / √K{distances}, -∞ where hidden"),
    "weights": ("B H T S", "softmax of each row of scores"),
    "heads": ("B H T K", "weights · values"),
}
_INPUT_AXES = {"images": "B channel row column"}
_AXES = {0: "", 1: "B", 2: "B T", 3: "B T D", 4: "B H T K"}


def trace(model, *inputs, **options):
    """Run the model once and return the Trace of every tensor on the way.

    inputs and options are the model's own. Nothing about the result changes, to the bit, and
    the model carries no hook afterwards. Interventions of an `intervene` block are seen.

    >>> from tutorial_lib.models import BERT, BERTConfig
    >>> model = BERT(BERTConfig(vocab_size=9, context=8, d_model=4, n_layers=1, n_heads=2))
    >>> story = trace(model, torch.tensor([[1, 5, 2]]))
    >>> story["layer 0 weights"].axes, tuple(story["layer 0 weights"].tensor.shape)
    ('B H T S', (1, 2, 3, 3))
    """
    story = _Story()
    given = inspect.signature(model.forward).bind(*inputs, **options).arguments
    for name, tensor in given.items():
        if isinstance(tensor, torch.Tensor):
            axes = _INPUT_AXES.get(name, _AXES.get(tensor.dim(), ""))
            story.add(_INPUTS.get(name, name), tensor, axes, "input", "")
    taps, paths = [], {}
    for path, module in model.named_modules(remove_duplicate=False):
        paths.setdefault(module, []).append(path)
    with ExitStack() as stack:
        for path, module in model.named_modules():
            parent = model.get_submodule(path.rpartition(".")[0])
            hooks = _hooks(story, path, module, parent, paths[module])
            if isinstance(module, MultiHeadAttention):
                tap = _AttentionTap(story, path, module)
                taps.append((module, tap))
                hooks.append(module.register_forward_pre_hook(tap.read))
            for hook in hooks:
                stack.callback(hook.remove)
        stack.enter_context(tapped(taps))
        with torch.no_grad():
            output = model(*inputs, **options)
    axes, made = _AXES.get(output.dim(), ""), "what the model returns"
    axes = "B classes" if output.dim() == 2 else axes
    if output.size(-1) == getattr(getattr(model, "config", None), "vocab_size", None):
        axes = axes.replace("D", "V")
        if hasattr(model, "logits") and id(output) not in story.names:
            # A GPT reads them off with its table, not with a module.
            made = f"{story.records[-1].name} · token embedding tableᵀ"
    story.add("output", output, axes, made, "")
    return Trace(_narrow_before(story.records, "widen"))


def _narrow_before(records, name):
    """Write E for the width of what comes before the map of this name, if there is one."""
    names = [record.name for record in records]
    place = names.index(name) if name in names else 0
    narrow = [replace(record, axes=record.axes.replace("D", "E")) for record in records[:place]]
    return narrow + records[place:]


class _Story:
    """Collects records, and finds the sums on the residual path, which no module makes."""

    def __init__(self):
        self.records = []
        self.names = {}  # id of a tensor -> its name
        self.alive = []  # holds every named tensor, so that no id is used twice
        self.terms = []  # names of what the next sum consists of
        self.part = "embedding"  # what the next sum is called after

    def add(self, name, tensor, axes, formula, path):
        again = sum(r.name.partition(" #")[0] == name for r in self.records)
        name = f"{name} #{again + 1}" if again else name
        self.names[id(tensor)] = name
        self.alive.append(tensor)
        self.records.append(Record(name, tensor.detach(), axes, formula, path))

    def name_of(self, tensor, path):
        """Return a tensor's name; one without is a sum that has just been formed."""
        if id(tensor) not in self.names:
            formula = " + ".join(self.terms)
            self.add(f"{self.part} sum", tensor, _AXES.get(tensor.dim(), ""), formula, path)
            self.terms = [self.names[id(tensor)]]
        return self.names[id(tensor)]


class _AttentionTap(Tap):
    def __init__(self, story, path, module):
        self.story, self.path = story, path
        bias = "" if module.qkv.bias is None else " + b_"
        self.parts = {f"b_{part}": bias and bias + part for part in "qkv"}
        self.parts["turned"] = ", turned by position" * isinstance(module, RotaryAttention)
        t5 = isinstance(module, T5Attention)
        self.parts["longer"] = ", times √K" * t5  # so that the scores are divided by nothing
        self.parts["distances"] = " + distances" * (t5 and module.stack != "cross")
        self.parts["shared"] = "H"
        if isinstance(module, GroupedQueryAttention) and module.n_kv_heads < module.n_heads:
            n_shared, n_sharing = module.n_kv_heads, module.n_heads // module.n_kv_heads
            self.parts["shared"] = f"{n_shared} (each for {n_sharing} of H)"

    def read(self, module, inputs):
        """Note where queries, keys and values come from."""
        x = self.story.name_of(inputs[0], self.path)
        cross = len(inputs) > 1 and inputs[1] is not None
        context = self.story.name_of(inputs[1], self.path) if cross else x
        self.parts |= {"x": x, "context": context}

    def __call__(self, name, tensor):
        axes, formula = _ATTENTION[name]
        label = _label(self.path).removesuffix("attention") + name
        # A copy: keys and values of a cache are views that later tokens write into.
        self.story.add(label, tensor.clone(), axes, formula.format_map(self.parts), self.path)
        return tensor


def _label(path):
    """Return a module's path in words.

    >>> _label("blocks.3.feed_forward")
    'layer 3 feed forward'
    """
    path = re.sub(r"(^|_|\.)(blocks\.|^)(?=\d)", r"\1layer ", path)
    return path.replace(".", " ").replace("_", " ").strip()


def _hooks(story, path, module, parent, paths):
    """Register what to note down about one module; return the handles.

    paths: all its places in the model; a table that both stacks share has two, in order of use.
    """
    label = _label(path)
    places = iter(paths)

    def after(name, formula, axes=None, is_part=False, on_path=True):
        def note(module, inputs, output):
            # Only what is on the residual path can be a sum; a readout may read anything.
            x = story.name_of(inputs[0], path) if on_path else story.names.get(id(inputs[0]), "x")
            if is_part:
                story.part = name
                story.terms.append(name)
            story.add(name, output, axes or _AXES[output.dim()], formula.format(x=x), path)

        return note

    def embedding(module, inputs, output):
        label = _label(next(places, path))
        stack = label.partition(" ")[0]
        part = f"{stack} embedding" if stack in ("source", "target") else "embedding"
        if story.part != part:  # a second stack begins
            story.part, story.terms = part, []
        story.terms.append(label)
        axes = "T D" if isinstance(module, PositionVectors) else "B T D"
        cut = isinstance(module, PatchEmbedding)
        formula = "each patch · W + b" if cut else "a row of the table for each position"
        story.add(label, output, axes, formula, path)

    def normed(module, inputs, output):
        x, kind = story.name_of(inputs[0], path), type(module).__name__
        story.add(label, output, _AXES[output.dim()], f"{kind}({x})", path)
        if getattr(parent, "norm", "post") == "post":  # it is on the residual path
            story.terms = [label]

    def instead(name, x, output, formula):
        story.terms = [name if term == x else term for term in story.terms]
        story.add(name, output, _AXES[output.dim()], formula, path)

    def dropped(module, inputs, output):
        if output is not inputs[0]:
            x = story.name_of(inputs[0], path)
            instead(f"{x} dropout", x, output, f"dropout({x})")

    def scaled(module, inputs, output):
        x = story.name_of(inputs[0], path)
        instead(label, x, output, f"{x} times a factor for each number")

    if isinstance(module, nn.Embedding | PositionVectors | PatchEmbedding):
        return [module.register_forward_hook(embedding)]
    if isinstance(module, nn.LayerNorm | nn.RMSNorm):
        return [module.register_forward_hook(normed)]
    if isinstance(module, MultiHeadAttention):
        bias = "" if module.output.bias is None else " + b_o"
        note = after(label or "attention", f"heads side by side · W_o{bias}", "B T D", True)
        return [module.register_forward_hook(note)]
    if isinstance(module, FeedForward):
        name = label or "feed forward"
        activation = type(module.activation).__name__
        b_1, b_2 = ("", "") if module.hidden.bias is None else (" + b_1", " + b_2")
        notes = [
            (module.hidden, after(f"{name} pre-activation", f"{{x}} · W_1{b_1}", "B T d_ff")),
            (module.activation, after(f"{name} hidden", activation + "({x})", "B T d_ff")),
            (module, after(name, f"hidden · W_2{b_2}", "B T D", True)),
        ]
        return [part.register_forward_hook(note) for part, note in notes]
    if isinstance(module, SwiGLU):
        name, width = label or "feed forward", "B T d_ff"
        notes = [
            (module.gate, after(f"{name} gate pre-activation", "{x} · W_gate", width)),
            (
                module.activation,
                after(f"{name} gate", f"{type(module.activation).__name__}({{x}})", width),
            ),
            (module.hidden, after(f"{name} hidden", "{x} · W_1", width)),
            (module, after(name, "(gate * hidden) · W_2", "B T D", True)),
        ]
        return [part.register_forward_hook(note) for part, note in notes]
    if isinstance(module, Block | DecoderBlock):

        def enter(module, inputs):
            story.terms = [story.name_of(inputs[0], path)]

        def leave(module, inputs, output):
            story.name_of(output, path)

        return [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
    if isinstance(module, nn.Dropout):
        return [module.register_forward_hook(dropped)]
    if isinstance(module, LayerScale):
        return [module.register_forward_hook(scaled)]
    if isinstance(module, nn.Linear) and not isinstance(
        parent, MultiHeadAttention | FeedForward | SwiGLU
    ):
        bias = "" if module.bias is None else " + b"
        return [module.register_forward_hook(after(label, f"{{x}} · W{bias}", on_path=False))]
    return []
