"""Chapter 06: a BERT pre-trained on Shakespeare, on masked tokens and next sentences at once.

As in BERT a "sentence" is any stretch of running text: here so many tokens of what is said in a
scene, without the speakers' names. Three plays are held out, the same as for the GPT, and only
they are measured.

Three things differ from BERT because the text is small and the time short. The vocabulary is
small, so that most of its tokens are seen often. Two of five tokens are chosen in training, not
15 %, so that one pass teaches more (Wettig et al. 2022); what is measured is BERT's 15 %. And the
heads of the first layer begin by looking at a token's neighbours, see `look_at_neighbours`.
"""

import math
from collections import Counter
from itertools import groupby

import torch
from torch import nn

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.objectives import (
    mask_tokens,
    pack_pairs,
    pretraining_loss,
    sentence_pairs,
)
from tutorial_lib.positions import rotate, sinusoidal
from tutorial_lib.recipes import share_of_true, train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import SETTINGS as GPT_SETTINGS
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import Muon, set_seed

SETTINGS = {
    "seed": 0,
    "held_out": GPT_SETTINGS["held_out"],
    "plays": None,  # how many of the others to train on, None for all
    # Tokens of a sentence. One length a batch, so that nothing is padded; the short ones are for
    # those who type a line and want a word of it. The last one is measured.
    "sentences": [8, 16, 30, 62],
    "measured": 800,  # pairs from the plays held out
    # WordPiece takes rare pairs first, so "the" would stay in pieces for long. These two numbers
    # belong together: no pair that occurs 400 times is left when there are 989 pieces.
    "min_count": 400,
    "sizes": {"vocab_size": 989, "context": 128, "d_model": 128, "n_layers": 3, "n_heads": 4},
    "offsets": [-1, 1, -2, 2],  # where the heads of the first layer look at first
    "share": 0.4,
    "tokens": 2_048,  # of a batch
    "steps": 1_500,
    "lr": 2.5e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "plays": 2,
    "sizes": {"vocab_size": 200, "context": 128, "d_model": 8, "n_layers": 1, "n_heads": 2},
    "tokens": 300,
    "steps": 2,
}
SHARE_MEASURED = 0.15

read_tokenizer = WordPieceTokenizer.from_vocab


def build(settings):
    """Return the untrained model, with weights that fit its width and heads that see neighbours.

    BERT's usual 0.02 suits a width of 768 and leaves a narrow one nearly silent at first.
    """
    model = BERT(BERTConfig(pooler=True, mlm=True, nsp=True, **settings["sizes"]))
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    look_at_neighbours(model, settings["offsets"])
    return model


@torch.no_grad()
def look_at_neighbours(model, offsets, sharpness=2.0):
    """Let the heads of a BERT's first layer begin by looking so many tokens further on.

    A masked token is told by its neighbours, but heads that start at random look at all tokens
    alike and take long to find them. So the first K numbers of each vector start as sinusoids,
    for the place alone, and a head's queries as its keys, turned by its offset: a shift of
    sinusoids is a rotation. All of it is free to change in training.
    """
    width = model.config.d_model // model.config.n_heads
    for table in (model.token_embedding, model.segment_embedding):
        if table is not None:  # a DistilBERT has no segments
            table.weight[:, :width] = 0
    place_sinusoids(model.position_embedding.weight, width)
    turn_heads(model.blocks[0].attention, offsets, sharpness)


def place_sinusoids(positions, width):
    """Let the first K numbers of position vectors (T, D) be sinusoids, and the others 0."""
    d_model = positions.size(1)
    positions.zero_()
    # Sinusoids have a root mean square of 1 / sqrt(2); this makes it that of the tokens.
    amplitude = (2 / d_model) ** 0.5
    positions[:, :width] = amplitude * sinusoidal(len(positions), d_model)[:, :width]


def turn_heads(attention, offsets, sharpness=2.0):
    """Let the queries of each head be its keys, turned by its offset, in the first K numbers."""
    queries, keys, _ = attention.qkv.weight.chunk(3)  # (D, D) each, views
    d_model = queries.size(1)
    width = d_model // attention.n_heads
    same = torch.eye(width)
    for head, offset in enumerate(offsets[: attention.n_heads]):
        rows = slice(head * width, (head + 1) * width)
        turned = rotate(same[:, None], start=-offset, base=10_000 ** (width / d_model))[:, 0]
        for weight, map_ in ((queries, turned.T), (keys, same)):
            weight[rows] = 0
            weight[rows, :width] = sharpness * map_


def train(settings, progress=True):
    """Train on all plays but those held out; the tokenizer, learnt first, is model.tokenizer."""
    plays = [p for p in load_shakespeare().plays if p.title not in settings["held_out"]]
    plays = plays[: settings["plays"]]
    text = "\n".join(speech.text for play in plays for speech in play.speeches)
    tokenizer = WordPieceTokenizer.train(
        text, settings["sizes"]["vocab_size"], min_count=settings["min_count"]
    )
    set_seed(settings["seed"])
    model = build(settings)
    batches = PairBatches(scenes(plays, tokenizer), tokenizer, settings)
    train_on_cpu(model, batches, pretraining_loss, settings, progress, optimizer=Muon)
    model.tokenizer = tokenizer
    return model


def scenes(plays, tokenizer):
    """Return what is said in each scene of plays, as one list of ids a scene."""
    return [
        [i for speech in speeches for i in tokenizer.encode(speech.text).ids[1:-1]]
        for play in plays
        for _, speeches in groupby(play.speeches, key=lambda speech: (speech.act, speech.scene))
    ]


def in_sentences(scenes, length):
    """Cut each scene into sentences of `length` ids, for `sentence_pairs`; the rest is left out.

    >>> in_sentences([[1, 2, 3, 4, 5]], length=2)
    [[[1, 2], [3, 4]]]
    """
    return [
        [ids[end - length : end] for end in range(length, len(ids) + 1, length)] for ids in scenes
    ]


class PairBatches:
    """Endless batches for `pretraining_loss`: pairs of sentences, masked anew every time.

    scenes are lists of ids. Each batch draws one of the lengths of sentences, and has as many
    pairs as its number of tokens allows. Every `iter` starts from the seed.
    """

    def __init__(self, scenes, tokenizer, settings):
        self.documents = [in_sentences(scenes, length) for length in settings["sentences"]]
        self.tokenizer, self.settings = tokenizer, settings

    def __iter__(self):
        settings = self.settings
        generator = torch.Generator().manual_seed(settings["seed"])
        while True:
            place, seed = torch.randint(2**31, (2,), generator=generator).tolist()
            place %= len(self.documents)
            n_pairs = max(2, settings["tokens"] // (2 * settings["sentences"][place]))
            pairs = sentence_pairs(self.documents[place], n_pairs, seed)
            yield masked_pairs(pairs, self.tokenizer, settings["share"], generator)


def masked_pairs(pairs, tokenizer, share, generator):
    """Return (MaskedTokens, is_next (B,) bool) of SentencePairs of equal length."""
    ids, segments, is_next = packed(pairs, tokenizer)
    tokens = mask_tokens(
        ids, *_masking(tokenizer), segments=segments, share=share, generator=generator
    )
    return tokens, is_next


def packed(pairs, tokenizer):
    """Return ids, segments (B, T) and is_next (B,) of SentencePairs, padded to the longest."""
    longest = max(len(pair.first) + len(pair.second) for pair in pairs)
    cls_id, sep_id, pad_id = tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id
    ids, segments, _ = pack_pairs(pairs, cls_id, sep_id, pad_id, longest + 3)
    return ids, segments, torch.tensor([pair.is_next for pair in pairs])


def _masking(tokenizer):
    special = [tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id, tokenizer.unk_id]
    return tokenizer.mask_id, tokenizer.vocab_size, special


@torch.no_grad()
def evaluate(model):
    """Return the share of masked tokens and of next sentences said right in the plays held out.

    Beside them what is reached without a model: `most_frequent_token` always guesses the one that
    is right most often; `shared_tokens` calls those pairs real, half of all, whose sentences share
    most.
    """
    tokenizer = model.tokenizer
    plays = [p for p in load_shakespeare().plays if p.title in SETTINGS["held_out"]]
    documents = in_sentences(scenes(plays, tokenizer), SETTINGS["sentences"][-1])
    pairs = sentence_pairs(documents, SETTINGS["measured"], seed=SETTINGS["seed"])
    generator = torch.Generator().manual_seed(SETTINGS["seed"])
    tokens, is_next = masked_pairs(pairs, tokenizer, SHARE_MEASURED, generator)
    guesses, follows = [], []
    for rows in torch.arange(len(pairs)).split(100):
        hidden = model(tokens.ids[rows], tokens.segments[rows])
        guesses.append(model.mlm_logits(hidden[tokens.chosen[rows]]).argmax(-1))
        follows.append(model.nsp_logits(hidden).argmax(-1) == 0)
    overlap = shared_rarity(pairs, documents)
    return {
        "mlm_accuracy": share_of_true(torch.cat(guesses) == tokens.targets),
        "most_frequent_token": share_of_true(tokens.targets == tokens.targets.mode().values),
        "nsp_accuracy": share_of_true(torch.cat(follows) == is_next),
        "shared_tokens": share_of_true((overlap > overlap.median()) == is_next),
    }


def shared_rarity(pairs, documents):
    """Return, for each pair, how much its two sentences share: rare tokens count more, (N,).

    A token counts -log of the share of sentences that it stands in.
    """
    sentences = [sentence for document in documents for sentence in document]
    counts = Counter(i for sentence in sentences for i in set(sentence))
    return torch.tensor(
        [
            sum(math.log(len(sentences) / counts[i]) for i in {*pair.first} & {*pair.second})
            for pair in pairs
        ]
    )


def data_bytes():
    """Return the plays as bytes, for their hash in the card."""
    return load_shakespeare().text.encode()
