"""A model behind the attention explorer: text in, maps and outputs out, one head broken or not."""

import math
from dataclasses import dataclass

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.packing import Picture
from tutorial_lib.explorers.reading import reading
from tutorial_lib.figures.generation import token_name
from tutorial_lib.interpret import Patch, Uniform, Zero, head_output, intervene
from tutorial_lib.tokenizers import Encoding
from tutorial_lib.tokenizers.vocabulary import id_list

MAX_LENGTH = 200
MOST_LISTED = 6  # next tokens
MOST_WEIGHTS = 3_000_000  # in all maps of one run, which go to the page each time


@dataclass(frozen=True)
class Result:
    """What one run gives: maps (L, H, T, T), T labels, outputs as (label, before, after)."""

    maps: torch.Tensor
    labels: list
    segments: list
    outputs: list
    notes: list
    picture: Picture | None = None


# What a reader types: trait of the explorer, label, hint.
TEXT_FIELDS = (
    ("text", "Text", "type a sentence"),
    ("pair", "Second segment", "left empty: one segment"),
    ("other", "Other text, to patch from", "a sentence with as many tokens"),
)


class EncoderBackend:
    """Runs text through an encoder of the course, captures its attention and breaks one head.

    model(ids, segments) -> hidden (1, T, D); tokenizer.encode(text, pair) -> Encoding;
    readout(model, encoding) -> list of (label, number).
    """

    fields = TEXT_FIELDS

    def __init__(self, model, tokenizer, readout=None):
        self.model = model
        self.tokenizer = tokenizer
        self.readout = readout
        self.title = "Outputs" if readout else "Cosine with its unbroken vector"
        config = getattr(model, "config", None)
        heads = getattr(config, "n_layers", 1) * getattr(config, "n_heads", 1)
        context = getattr(config, "context", MAX_LENGTH)
        self.longest = min(context, MAX_LENGTH, math.isqrt(MOST_WEIGHTS // heads))

    def run(self, text, pair="", other="", broken=None):
        """Read `text` (and `pair` as second segment) with the head in `broken` broken.

        broken is empty or {"how": "zero", "uniform" or "patch", "layer", "head"}; patch takes
        the head's output on `other`. Raises what the tokenizer and the model raise.
        """
        notes = []
        encoding = self._encode(text, pair, notes)
        with reading(self.model):
            change = intervention(broken or {}, self._head_on(other, encoding, notes))
            maps, before = self._read(encoding)
            after = before
            if change:
                with intervene(self.model, change):
                    maps, after = self._read(encoding)
        return Result(
            torch.stack([layer[0] for layer in maps]),  # (L, H, T, T)
            list(encoding.tokens),
            list(encoding.segments),
            self._compared(encoding, before, after),
            notes,
        )

    def _encode(self, text, pair, notes):
        encoding = self._encoding(text, pair)
        length = len(encoding.ids)
        if length <= self.longest:
            return encoding
        notes.append(f"Only the first {self.longest} of {length} tokens go through the model.")
        kept = (list(part)[: self.longest] for part in (encoding.ids, encoding.segments))
        return type(encoding)(*kept, list(encoding.tokens)[: self.longest])

    def _encoding(self, text, pair):
        return self.tokenizer.encode(text, pair or None)

    def _inputs(self, encoding):
        device = next(self.model.parameters()).device
        ids, segments = list(encoding.ids), list(encoding.segments)
        return torch.tensor([ids], device=device), torch.tensor([segments], device=device)  # (1, T)

    def _read(self, encoding):
        with capture_attention(self.model) as maps:
            hidden = self.model(*self._inputs(encoding))
        return maps, list(self.readout(self.model, encoding)) if self.readout else hidden

    def _compared(self, encoding, before, after):
        if self.readout:
            names, later = ([str(label) for label, _ in side] for side in (before, after))
            if names != later:
                raise ShapeError(
                    "readout must return the same labels before and after a head is broken, got "
                    f"{names[:5]} and {later[:5]}"
                )
            numbers = ((float(b), float(a)) for (_, b), (_, a) in zip(before, after, strict=True))
            return [(name, *pair) for name, pair in zip(names, numbers, strict=True)]
        if after is before:
            return []  # nothing is broken, so there is nothing to compare
        cosines = torch.cosine_similarity(before[0], after[0], dim=-1)  # (T, D) -> (T,)
        cosines = [round(value, 6) for value in cosines.tolist()]  # equal vectors give 1, not 1+eps
        return [(token, 1.0, value) for token, value in zip(encoding.tokens, cosines, strict=True)]

    def _head_on(self, other, encoding, notes):
        """A function (layer, head) -> the head's output on the other text, None if that fails."""

        def output(layer, head):
            if not other.strip():
                notes.append("Nothing is patched: type the other text to patch from.")
                return None
            source = self._encode(other, "", notes)
            if len(source.ids) != len(encoding.ids):
                notes.append(
                    f"Nothing is patched: the other text has {len(source.ids)} tokens, this one "
                    f"{len(encoding.ids)}; a head's output fits only a text of equal length."
                )
                return None
            return head_output(self.model, layer, head, *self._inputs(source))

        return output


class DecoderBackend(EncoderBackend):
    """Runs text through a decoder-only model; the outputs are its likeliest next tokens.

    encode(text) -> ids; decode(ids) -> text. A broken head changes their probabilities.
    """

    fields = (TEXT_FIELDS[0], TEXT_FIELDS[2])

    def __init__(self, model, encode, decode):
        super().__init__(model, tokenizer=None)
        self.encode, self.decode = encode, decode
        self.title = "Likeliest next tokens"

    def _encoding(self, text, pair):
        ids = id_list(self.encode(text))
        if not ids:
            raise ShapeError("there is no token to look at: type a text")
        return Encoding(ids, [0] * len(ids), [token_name(self.decode([i])) for i in ids])

    def _inputs(self, encoding):
        return super()._inputs(encoding)[:1]  # a decoder has no segments

    def _read(self, encoding):
        maps, logits = super()._read(encoding)
        return maps, logits[0, -1].float().softmax(dim=-1)  # (1, T, V) -> (V,)

    def _compared(self, encoding, before, after):
        likeliest = before.topk(min(MOST_LISTED, len(before))).indices.tolist()
        new = int(after.argmax())
        shown = likeliest if new in likeliest else [*likeliest, new]
        names = [token_name(self.decode([token_id])) for token_id in shown]
        return list(zip(names, before[shown].tolist(), after[shown].tolist(), strict=True))


def intervention(broken, patched):
    """Return the intervention that breaks a head, None when nothing is broken.

    broken is empty or {"how": "zero", "uniform" or "patch", "layer", "head"}; patched(layer, head)
    gives the output of the head that is put in, or None to leave it alone.
    """
    how, layer, head = (broken.get(name) for name in ("how", "layer", "head"))
    if how == "zero":
        return Zero(layer, head)
    if how == "uniform":
        return Uniform(layer, head)
    output = patched(layer, head) if how == "patch" else None
    return None if output is None else Patch(layer, head, output)
