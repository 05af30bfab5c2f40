"""Does the second sentence follow? How often a BERT of the plays knows, and what it goes by."""

import random

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.objectives import SentencePair, sentence_pairs
from tutorial_lib.recipes import share_of_true
from tutorial_lib.recipes.shakespeare_bert import (
    SETTINGS,
    SHARE_MEASURED,
    in_sentences,
    masked_pairs,
    packed,
    scenes,
    shared_rarity,
)


@torch.no_grad()
def nsp_by_length(model, lengths=SETTINGS["sentences"], n_pairs=SETTINGS["measured"], damaged=True):
    """Return one row a length: the share of pairs, from the plays held out, that are said right.

    "model" is the model's share, "shared_tokens" that of the rule without a model which calls the
    half real whose sentences share most. Half of the pairs are real. As in the card of the
    checkpoint, 15 % of the tokens are chosen and changed 80/10/10; with damaged=False the text is
    left as it is. "n" pairs have a standard error of up to half their inverse root, 0.018 for 800.
    """
    tokenizer = model.tokenizer
    of_scenes = _scenes_held_out(tokenizer)
    rows = []
    for length in lengths:
        documents = in_sentences(of_scenes, length)
        pairs = sentence_pairs(documents, n_pairs, seed=SETTINGS["seed"])
        generator = torch.Generator().manual_seed(SETTINGS["seed"])
        tokens, is_next = masked_pairs(pairs, tokenizer, SHARE_MEASURED, generator)
        if not damaged:
            tokens.ids[tokens.chosen] = tokens.targets
        parts = torch.arange(n_pairs).split(100)
        logits = [model.nsp_logits(model(tokens.ids[i], tokens.segments[i])) for i in parts]
        follows = torch.cat(logits).argmax(dim=1) == 0  # (B,)
        overlap = shared_rarity(pairs, documents)
        rows.append(
            {
                "length": length,
                "model": share_of_true(follows == is_next),
                "shared_tokens": share_of_true((overlap > overlap.median()) == is_next),
                "n": n_pairs,
            }
        )
    return rows


@torch.no_grad()
def said_to_follow(model, length=30, n_pairs=400, seed=SETTINGS["seed"], n_hidden=3):
    """Return {kind of pair: the share of its pairs that a BERT calls next sentences}.

    The kinds are those of `kinds_of_pairs`, from the plays held out, `length` tokens a sentence.
    Three more have n_hidden [MASK]s in each sentence: at the outer words of real pairs, and at the
    cut in real pairs and in those from another scene.
    """
    tokenizer = model.tokenizer
    documents = in_sentences(_scenes_held_out(tokenizer), length)
    pairs = kinds_of_pairs(documents, n_pairs, seed)
    read = {kind: packed(of_kind, tokenizer)[:2] for kind, of_kind in pairs.items()}
    start, cut, end = 1, length + 1, 2 * length + 2  # [CLS] first [SEP] second [SEP]
    ends = [*range(start, start + n_hidden), *range(end - n_hidden, end)]
    around_the_cut = [*range(cut - n_hidden, cut), *range(cut + 1, cut + 1 + n_hidden)]
    for name, kind, places in (
        ("real, outer words hidden", "a real pair", ends),
        ("real, cut hidden", "a real pair", around_the_cut),
        ("another scene, cut hidden", "from another scene", around_the_cut),
    ):
        ids, segments = read[kind]  # (B, T) each
        hidden = ids.clone()
        hidden[:, places] = tokenizer.mask_id
        read[name] = hidden, segments
    return {
        kind: share_of_true(model.nsp_logits(model(*of_kind)).argmax(dim=-1) == 0)
        for kind, of_kind in read.items()
    }


def kinds_of_pairs(documents, n, seed):
    """Return n SentencePairs of each kind: real ones, and three kinds of false ones.

    documents are lists of sentences; those of fewer than six are left out. All four pairs with the
    same number start from the same real one: as it is; the two sentences the wrong way round; the
    first with another sentence of its document, not next to it; the first with one of another.

    >>> documents = [[[i, j] for j in range(6)] for i in range(2)]
    >>> for kind, (pair,) in kinds_of_pairs(documents, 1, seed=0).items():
    ...     print(kind, pair.first, pair.second)
    a real pair [1, 0] [1, 1]
    the wrong way round [1, 1] [1, 0]
    from the same scene [1, 0] [1, 4]
    from another scene [1, 0] [0, 4]
    """
    draw = random.Random(seed)
    documents = [document for document in documents if len(document) >= 6]
    names = "a real pair", "the wrong way round", "from the same scene", "from another scene"
    kinds = {name: [] for name in names}
    for _ in range(n):
        number, elsewhere = draw.sample(range(len(documents)), 2)
        document = documents[number]
        at = draw.randrange(len(document) - 1)
        first, second = document[at : at + 2]
        apart = [sentence for i, sentence in enumerate(document) if abs(i - at) > 1]
        pairs = (
            (first, second),
            (second, first),
            (first, draw.choice(apart)),
            (first, draw.choice(documents[elsewhere])),
        )
        for (name, of_kind), pair in zip(kinds.items(), pairs, strict=True):
            of_kind.append(SentencePair(*pair, is_next=name == "a real pair"))
    return kinds


def _scenes_held_out(tokenizer):
    plays = [play for play in load_shakespeare().plays if play.title in SETTINGS["held_out"]]
    return scenes(plays, tokenizer)
