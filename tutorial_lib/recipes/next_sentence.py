"""Does the second sentence follow? How often `shakespeare-bert` knows, by sentence length."""

import torch

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.objectives import sentence_pairs
from tutorial_lib.recipes import share_of_true
from tutorial_lib.recipes.shakespeare_bert import (
    SETTINGS,
    SHARE_MEASURED,
    in_sentences,
    masked_pairs,
    scenes,
    shared_rarity,
)


@torch.no_grad()
def nsp_by_length(model, lengths=SETTINGS["sentences"], n_pairs=SETTINGS["measured"], damaged=True):
    """Return one row a length: the share of pairs, from the plays held out, that are said right.

    "model" is the model's share, "model_half" its share if the half of the pairs is called real of
    which it is surest, "shared_tokens" that of the rule without a model which calls the half real
    whose sentences share most. Measured as in the card of the checkpoint:
    half of the pairs are real, 15 % of the tokens are masked, unless damaged is False. "n" pairs
    have a standard error of up to half their inverse root, 0.018 for 800.
    """
    tokenizer = model.tokenizer
    plays = [play for play in load_shakespeare().plays if play.title in SETTINGS["held_out"]]
    of_scenes = scenes(plays, tokenizer)
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
        for_real = -torch.cat(logits).diff(dim=1)[:, 0]  # (B,)
        overlap = shared_rarity(pairs, documents)
        rows.append(
            {
                "length": length,
                "model": share_of_true((for_real > 0) == is_next),
                "model_half": share_of_true((for_real > for_real.median()) == is_next),
                "shared_tokens": share_of_true((overlap > overlap.median()) == is_next),
                "n": n_pairs,
            }
        )
    return rows
