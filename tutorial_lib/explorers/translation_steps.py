"""One translation, token by token: what was read, what was written, and where each token looked."""

from dataclasses import dataclass

import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.decoding import beam_search, generate
from tutorial_lib.explorers.reading import reading
from tutorial_lib.figures.chapter04_transformer.beams import token_label

MOST_TOKENS = 40  # of a translation; the longest of the course's data has 28


@dataclass(frozen=True, eq=False)
class Translation:
    """A greedy translation and all that it was chosen from.

    read_as: the text as the encoder reads it; source S and written T labels; text: what was
    written; ids T + 1, with the start token; cross (L, H, T, S): row t holds the weights while
    written[t] was chosen, from probabilities (T, V).
    """

    read_as: str
    source: list[str]
    written: list[str]
    text: str
    ids: list[int]
    cross: torch.Tensor
    probabilities: torch.Tensor


def translate_steps(translator, text):
    """Translate a text greedily and return the Translation.

    translator: a `recipes.translator.Translator`. Raises what its `source` raises.

    >>> from tutorial_lib.recipes.translator import Translator
    >>> steps = translate_steps(Translator.load("de"), "742")
    >>> steps.written
    ['sieben', 'hundert', 'zwei', 'und', 'vierzig', '<end>']
    >>> steps.cross.shape
    torch.Size([2, 4, 6, 5])
    """
    model, tokenizer = translator.model, translator.tokenizer
    source, mask = translator.source([text])  # (1, S)
    ids = generate(
        model,
        [translator.start],
        MOST_TOKENS,
        source=source[0],
        source_mask=mask[0],
        stop=translator.end,
    )
    with reading(model), capture_attention(model) as maps:
        logits = model(source, torch.tensor([ids[:-1]], device=source.device), mask)
    marks = (translator.start, translator.end)
    return Translation(
        tokenizer.decode(source[0].tolist()).strip(),
        [token_label(tokenizer, i) for i in source[0].tolist()],
        [token_label(tokenizer, i) for i in ids[1:]],
        tokenizer.decode([i for i in ids if i not in marks]),
        ids,
        torch.cat(list(maps.cross)),  # (L, H, T, S)
        logits[0].softmax(dim=-1),  # (T, V)
    )


class DecoderOf(torch.nn.Module):
    """A translator's decoder beside one source, called as a GPT is: ids (1, T) -> logits (1, T, V).

    What draws a GPT's cache draws this one. Errors as for `translate_steps`.
    """

    def __init__(self, translator, text):
        super().__init__()
        self.model = translator.model
        self.config = self.model.config
        source, _ = translator.source([text])  # (1, S)
        with torch.no_grad():
            self.memory = self.model.encode(source)  # (1, S, D)

    def forward(self, ids, cache=None):
        """Return the logits of the token after each of ids, (1, T, V)."""
        return self.model.decode(ids, self.memory, cache=cache)

    def new_cache(self, context):
        """Return an empty cache for up to `context` tokens."""
        return self.model.new_cache(context=context)


def search_steps(translator, text, beams=4, alpha=0.6):
    """Translate a text with a beam and return its BeamSearch; errors as for `translate_steps`."""
    source, mask = translator.source([text])
    return beam_search(
        translator.model,
        [translator.start],
        MOST_TOKENS,
        beams=beams,
        alpha=alpha,
        stop=translator.end,
        source=source[0],
        source_mask=mask[0],
    )
