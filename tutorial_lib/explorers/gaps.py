"""What a masked model would put into a gap of a text."""

from typing import NamedTuple

import torch

from tutorial_lib.explorers.reading import reading
from tutorial_lib.tokenizers.wordpiece import SEP

MOST_TOKENS = 200


class Fillings(NamedTuple):
    """The most probable tokens of one gap.

    tokens: T strings, special ones included, gaps as [MASK]; places: where the gaps are; place:
    the one that is answered, None without a gap; rows: (token, probability), most probable first;
    right: (token, probability, rank from 1) of the token that was hidden there, None where a
    [MASK] was typed; cut: how many tokens were too many for the model.
    """

    tokens: list
    places: list
    place: int | None
    rows: list
    right: tuple | None
    cut: int


def fillings(model, tokenizer, text, n=10, which=0, hidden=(), left_only=False):
    """Return the Fillings of a text's gaps: each [MASK] in it, and the tokens at `hidden`.

    model is a BERT with an MLM head, tokenizer the WordPieceTokenizer it was trained with; which:
    which gap is answered, from the left; hidden: places of tokens that become [MASK] too, special
    ones never; left_only cuts off the text behind the gap, [SEP] excepted.
    Raises MissingHeadError for a BERT without an MLM head.

    >>> from tutorial_lib.models import BERT, BERTConfig
    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "it", "is"]
    >>> sizes = {"context": 9, "d_model": 4, "n_layers": 1, "n_heads": 1}
    >>> model = BERT(BERTConfig(vocab_size=8, mlm=True, **sizes))
    >>> found = fillings(model, WordPieceTokenizer(words), "so [MASK] so", n=3)
    >>> found.tokens, found.place, len(found.rows)
    (['[CLS]', 'so', '[MASK]', 'so', '[SEP]'], 2, 3)
    """
    first, separator, second = text.partition(SEP)
    ids, segments, _ = tokenizer.encode(first, second if separator else None)
    longest = min(model.config.context, MOST_TOKENS)
    cut = max(0, len(ids) - longest)
    if cut:
        ids = [*ids[: longest - 1], tokenizer.sep_id]
    original = list(ids)
    kept = {tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id, tokenizer.mask_id}
    for place in hidden:
        if 0 <= place < len(ids) and ids[place] not in kept:
            ids[place] = tokenizer.mask_id
    tokens = [tokenizer.vocab[i] for i in ids]
    places = [place for place, i in enumerate(ids) if i == tokenizer.mask_id]
    if not places:
        return Fillings(tokens, [], None, [], None, cut)
    place = places[min(max(which, 0), len(places) - 1)]
    read = [*ids[: place + 1], tokenizer.sep_id] if left_only else ids
    device = next(model.parameters()).device
    inputs = [torch.tensor([read], device=device)]  # (1, T)
    if separator:
        inputs.append(torch.tensor([segments[: len(read)]], device=device))  # (1, T)
    with reading(model):
        probabilities = model.mlm_logits(model(*inputs)[0, place]).softmax(-1)  # (V,)
    best = probabilities.topk(min(n, len(probabilities)))
    found = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    rows = [(tokenizer.vocab[i], probability) for i, probability in found]
    right = None
    if original[place] != tokenizer.mask_id:
        own = probabilities[original[place]]
        rank = int((probabilities > own).sum()) + 1
        right = (tokenizer.vocab[original[place]], own.item(), rank)
    return Fillings(tokens, places, place, rows, right, cut)
