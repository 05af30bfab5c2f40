"""Speeches that a frozen BERT has read once, whole, and the tags that a head gives them."""

from typing import NamedTuple

import torch

from tutorial_lib.datasets.play_names import LabelledSpeech
from tutorial_lib.embeddings import padded_batches
from tutorial_lib.objectives import IGNORED, TAGS
from tutorial_lib.recipes.name_tagger import token_row


class ReadSpeech(NamedTuple):
    """A LabelledSpeech, its vectors, and the labels of its tokens (T,).

    vectors (L + 1, T, D), before the first layer and after each; (T, D) once a layer is chosen.
    """

    speech: LabelledSpeech
    vectors: torch.Tensor
    labels: torch.Tensor


@torch.no_grad()
def read_speeches(model, speeches, label_pieces, batch_size=16, dtype=torch.float32):
    """Return a ReadSpeech for each LabelledSpeech, with the vectors of all layers.

    model is a BERT with a tokenizer; label_pieces(tags, pieces) makes the labels of all tokens,
    [CLS] and [SEP] included, from a tag and a list of pieces for each word. The vectors are kept as
    dtype; half precision takes half of the memory.
    Raises ContextError for a speech that is too long.
    """
    read = [token_row(speech, model.tokenizer, label_pieces) for speech in speeches]
    rows = [torch.tensor(row.ids) for row in read]
    found = [None] * len(rows)
    for places, ids, mask in padded_batches(rows, model.tokenizer.pad_id, batch_size):
        states = torch.stack(model.hidden_states(ids, mask=mask))  # (L + 1, B, T, D)
        for place, of_one in zip(places.tolist(), states.unbind(1), strict=True):
            found[place] = of_one[:, : len(rows[place])].to(dtype, copy=True)  # (L + 1, T, D)
    labels = [torch.tensor(row.labels) for row in read]
    return list(map(ReadSpeech, speeches, found, labels))


def at_layer(rows, layer):
    """Return ReadSpeeches with the vectors (T, D) of one layer; 0 is before the first.

    >>> row = ReadSpeech(None, torch.tensor([[[1.0]], [[2.0]]]), torch.tensor([0]))
    >>> at_layer([row], 1)[0].vectors
    tensor([[2.]])
    """
    return [row._replace(vectors=row.vectors[layer]) for row in rows]


def each_layer(rows):
    """Return the ReadSpeeches of each layer, from layer 0 on: L + 1 lists."""
    return [at_layer(rows, layer) for layer in range(len(rows[0].vectors))]


@torch.no_grad()
def tags_of(head, row):
    """Return the tags that a token head gives to the words of a ReadSpeech at one layer."""
    numbers = head(row.vectors.float())[row.labels != IGNORED].argmax(dim=-1)
    return [TAGS[number] for number in numbers.tolist()]
