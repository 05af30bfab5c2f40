"""Chapter 06: does MiniLM fill gaps? It comes without a masked-word head, so one is trained.

The head is BERT's: one more layer, then MiniLM's own token vectors. It learns on film reviews and
on speeches of plays, and is asked about films and plays that it has not read. MiniLM's body stays
frozen; or its [MASK] vector learns too, 384 numbers that its makers hardly used; or its first two
layers learn as well, with the other four cut off. What has learned something else is no longer
MiniLM. Beside them are tables of neighbouring tokens from the same texts, chapter 06's own BERT
on the words that both know in one piece, and a control: the same head on the same frozen body,
with nothing hidden.

Tried on validation films and plays, and left: reading an earlier layer of the frozen body (from
layer 5 it finds a tenth more), four passes in place of one (a tenth more), the last two layers
learning in place of the first two (hardly more than frozen), all six layers learning (in twice
the time a little less than the first two alone), 40 % of the tokens hidden, and Muon.
"""

import random
from collections import Counter, defaultdict
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets import load_reviews, load_shakespeare, minilm_folder
from tutorial_lib.models import BERT
from tutorial_lib.models.bert_heads import MLMHead
from tutorial_lib.objectives import mask_tokens
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.recipes.shakespeare_gpt import SETTINGS as GPT_SETTINGS
from tutorial_lib.recipes.stored import load_checkpoint
from tutorial_lib.recipes.translator import chunks, padded
from tutorial_lib.tokenizers import WordPieceTokenizer, bert_words
from tutorial_lib.training import set_seed

# steps None: each text once
FROZEN = {"n_layers": 6, "learns": [], "hide": True, "steps": None, "lr": 5e-3}
SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": GPT_SETTINGS["held_out"],
    "validation": ["As You Like It", "Macbeth"],  # what was tried was compared on these
    "words": [8, 50],  # of a text
    "n_texts": 2_500,  # to learn from, of each domain
    "n_measured": 1_000,  # of each domain
    "share": 0.2,  # of the tokens, in training
    "batch_size": 16,
    "ways": {
        "frozen": FROZEN,
        "frozen, new [MASK]": FROZEN | {"learns": ["mask"]},
        "two layers": FROZEN | {"n_layers": 2, "learns": ["mask", "layers"], "lr": 1.5e-3},
        "nothing hidden": FROZEN | {"hide": False, "steps": 100},
    },
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_texts": 20,
    "n_measured": 5,
    "batch_size": 20,
    "ways": {name: way | {"steps": 2} for name, way in SETTINGS["ways"].items()},
}
SHARE_MEASURED = 0.15  # of the words of a text, as in BERT
BEST = 5


def data_bytes():
    """Return the reviews and the plays as bytes, for their hash in the table."""
    reviews = [review.text for part in load_reviews(None) for review in part]
    return "\n".join([*reviews, load_shakespeare().text]).encode()


def run(settings, progress=True):
    """Ask all ways for hidden words of both domains, with every seed; return the rows.

    top1 and top5: the share of the hidden words that a way names first, or among its first five;
    shared_top1: the first of those words only that our own BERT knows in one piece too;
    parameters: how many numbers learned here. Each seed hides other words. All ways answer with
    whole words.
    """
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    ours = load_checkpoint("shakespeare-bert")
    train, test = read(settings)
    rows_of_ids = [tokenizer.encode(text).ids for texts in train.values() for text in texts]
    table = Neighbours(rows_of_ids, tokenizer)
    rows = []
    for seed in settings["seeds"]:
        asked = {domain: hide_words(texts, tokenizer, seed) for domain, texts in test.items()}
        parameters = {}
        ways = {name: (way, asked) for name, way in table.ways().items()}
        ways["our BERT"] = (partial(fillings_of, ours), asked)
        for name, way in settings["ways"].items():
            hide = way["hide"]
            reader = GapReader(tokenizer, rows_of_ids, way["n_layers"], way["learns"], seed)
            batches = Batches(rows_of_ids, tokenizer, settings, seed, hide)
            steps = len(batches) if way["steps"] is None else way["steps"]
            chosen = {"seed": seed, "steps": steps, "lr": way["lr"]}
            train_on_cpu(reader, batches, loss, chosen, progress)
            shown = {domain: [text.shown() for text in texts] for domain, texts in asked.items()}
            ways[name] = (reader.say, asked if hide else shown)
            learned = [part.numel() for part in reader.parameters() if part.requires_grad]
            parameters[name] = sum(learned)
        known = {*ours.tokenizer.vocab}
        rows += [
            {"way": name, "seed": seed, "domain": domain, "parameters": parameters.get(name, 0)}
            | score(way(texts), texts, known)
            for name, (way, given) in ways.items()
            for domain, texts in given.items()
        ]
    return {"rows": rows}


def read(settings):
    """Return the texts to learn from and those to measure, {domain: texts} each.

    No film and no play of one appears in the other, and none of validation in either.
    """
    elsewhere = {*settings["held_out"], *settings["validation"]}
    reviews, plays = load_reviews(None), load_shakespeare().plays
    train = {
        "reviews": [review.text for review in reviews.train],
        "plays": speeches(play for play in plays if play.title not in elsewhere),
    }
    test = {
        "reviews": [review.text for review in reviews.test],
        "plays": speeches(play for play in plays if play.title in settings["held_out"]),
    }
    n_train, n_test = settings["n_texts"], settings["n_measured"]
    return drawn(train, n_train, settings), drawn(test, n_test, settings)


def speeches(plays):
    """Return what is said in plays, each speech on one line."""
    return [" ".join(speech.text.split()) for play in plays for speech in play.speeches]


def drawn(texts, n, settings):
    """Return n texts of each domain, drawn from those with the right number of words."""
    least, most = settings["words"]
    fitting = {
        domain: [text for text in some if least <= len(text.split()) <= most]
        for domain, some in texts.items()
    }
    return {
        domain: random.Random(0).sample(some, min(n, len(some))) for domain, some in fitting.items()
    }


class GapText(NamedTuple):
    """A text with hidden words.

    words: all of it, hidden ones as [MASK]; hidden: the words that stood there, from the left;
    ids: what MiniLM reads; places: where in ids the hidden ones are; answers: their ids.
    """

    words: list
    hidden: list
    ids: list
    places: list
    answers: list

    def shown(self):
        """Return the same questions with nothing hidden in ids."""
        ids = list(self.ids)
        for place, answer in zip(self.places, self.answers, strict=True):
            ids[place] = answer
        return self._replace(ids=ids)


def hide_words(texts, tokenizer, seed):
    """Hide 15 % of the words of each text, at least one, and return GapTexts, shortest first.

    Only words of letters are hidden, and only those that are one piece; a text without one is
    left out.

    >>> tokenizer = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "."])
    >>> hide_words(["So."], tokenizer, seed=0)[0].words
    ['[MASK]', '.']
    """
    generator = random.Random(seed)
    ids_of = {piece: i for i, piece in enumerate(tokenizer.vocab)}
    found = []
    for text in texts:
        words = bert_words(text)
        askable = [i for i, word in enumerate(words) if word.isalpha() and word in ids_of]
        if not askable:
            continue
        wanted = min(len(askable), max(1, round(SHARE_MEASURED * len(words))))
        chosen = sorted(generator.sample(askable, wanted))
        hidden = [words[i] for i in chosen]
        for i in chosen:
            words[i] = "[MASK]"
        ids = tokenizer.encode(" ".join(words)).ids
        places = [place for place, i in enumerate(ids) if i == tokenizer.mask_id]
        found.append(GapText(words, hidden, ids, places, [ids_of[word] for word in hidden]))
    return sorted(found, key=lambda text: len(text.ids))


def score(said, texts, known):
    """Return which share of the hidden words was said, as `run` describes it.

    said: for each hidden word, in the order of the texts, the likeliest words, at most five.

    >>> texts = [GapText([], ["so", "it"], [], [], [])]
    >>> score([["so", "is"], ["is", "it"]], texts, known={"it"})
    {'top1': 0.5, 'top5': 1.0, 'shared_top1': 0.0, 'n': 2, 'n_shared': 1}
    """
    hidden = [word for text in texts for word in text.hidden]
    first = [guesses[0] == word for guesses, word in zip(said, hidden, strict=True)]
    among = [word in guesses for guesses, word in zip(said, hidden, strict=True)]
    shared = [right for right, word in zip(first, hidden, strict=True) if word in known]
    return {
        "top1": sum(first) / len(first),
        "top5": sum(among) / len(among),
        "shared_top1": sum(shared) / len(shared),
        "n": len(first),
        "n_shared": len(shared),
    }


class Neighbours:
    """Counts of which word stands between which two tokens, with three ways to fill a gap."""

    def __init__(self, rows, tokenizer):
        self.vocab = tokenizer.vocab
        self.alone = Counter()
        self.after, self.between = defaultdict(Counter), defaultdict(Counter)
        for ids in rows:
            for left, middle, right in zip(ids, ids[1:], ids[2:], strict=False):
                if self.vocab[middle].isalpha():
                    self.alone[middle] += 1
                    self.after[left][middle] += 1
                    self.between[left, right][middle] += 1

    def ways(self):
        """Return {name: way}; each falls back on the one before it where it has no count."""
        return {
            "most frequent": partial(self.fill, n_neighbours=0),
            "left neighbour": partial(self.fill, n_neighbours=1),
            "both neighbours": partial(self.fill, n_neighbours=2),
        }

    def fill(self, texts, n_neighbours):
        """Return, for each hidden word of GapTexts, the five most frequent words there."""
        frequent = self._words(self.alone)
        return [
            self._best(text.ids, place, n_neighbours) or frequent
            for text in texts
            for place in text.places
        ]

    def _best(self, ids, place, n_neighbours):
        left, right = ids[place - 1], ids[place + 1]
        between = self.between.get((left, right)) if n_neighbours > 1 else None
        after = self.after.get(left) if n_neighbours > 0 else None
        return self._words(between or after or {})

    def _words(self, counts):
        return [self.vocab[i] for i, _ in Counter(counts).most_common(BEST)]


def fillings_of(model, texts):
    """Return, for each hidden word of GapTexts, the five words that a BERT holds likeliest."""
    tokenizer = model.tokenizer
    no_word = torch.tensor([not piece.isalpha() for piece in tokenizer.vocab])
    rows = [tokenizer.encode(" ".join(text.words)).ids for text in texts]
    said = []
    with torch.no_grad():
        for batch in chunks(rows, 50):
            ids = padded(batch, tokenizer.pad_id)
            hidden = model(ids, mask=ids != tokenizer.pad_id)
            logits = model.mlm_logits(hidden[ids == tokenizer.mask_id])  # (N, V)
            said.append(logits.masked_fill(no_word, -torch.inf).topk(BEST).indices)
    return [[tokenizer.vocab[i] for i in row] for row in torch.cat(said).tolist()]


class LearnedMask(nn.Module):
    """The vectors of a table of tokens as they are, but for [MASK] one that learns."""

    def __init__(self, table, mask_id):
        super().__init__()
        self.table, self.mask_id = table, mask_id
        self.vector = nn.Parameter(table.weight[mask_id].detach().clone())  # (D,)

    def forward(self, ids):
        """Return the vectors (B, T, D) of ids (B, T)."""
        return torch.where((ids == self.mask_id)[..., None], self.vector, self.table(ids))


class GapReader(nn.Module):
    """MiniLM's first layers below a masked-word head that is new.

    rows: the ids of the texts to learn from; n_layers: how many of the six layers are kept;
    learns: what learns besides the head, "mask" (the vector of [MASK]) and "layers". The answers
    are the tokens that the texts hold, as in a table of neighbours.
    """

    def __init__(self, tokenizer, rows, n_layers, learns, seed):
        super().__init__()
        set_seed(seed)
        self.tokenizer = tokenizer
        # Dropout is for many passes over one text; here is one.
        body = BERT.from_pretrained(minilm_folder()).with_heads(dropout=0.0)
        body.requires_grad_(False)
        body.blocks = body.blocks[:n_layers]
        body.blocks.requires_grad_("layers" in learns)
        counts = Counter(i for ids in rows for i in ids[1:-1])
        self.answers = torch.tensor(sorted(counts))  # (W,) ids
        self.table = body.token_embedding.weight[self.answers]  # (W, D)
        if "mask" in learns:
            body.token_embedding = LearnedMask(body.token_embedding, tokenizer.mask_id)
        self.body = body
        self.head = MLMHead(body.config.d_model, len(self.answers))
        # It begins by saying what is frequent, with logits of a moderate size.
        nn.init.normal_(self.head.transform.weight, std=body.config.d_model**-0.5)
        nn.init.zeros_(self.head.transform.bias)
        nn.init.constant_(self.head.norm.weight, 0.3)
        frequency = torch.tensor([float(counts[i]) for i in self.answers.tolist()])
        self.head.bias.data = (frequency / frequency.sum()).log()

    def forward(self, ids, asked):
        """Return logits (N, W) of the answers at the positions asked about, both (B, T)."""
        hidden = self.body(ids, mask=ids != self.tokenizer.pad_id)  # (B, T, D)
        return self.head(hidden[asked], self.table)

    def say(self, texts):
        """Return, for each hidden word of GapTexts, the five likeliest words."""
        vocab, said = self.tokenizer.vocab, []
        no_word = torch.tensor([not vocab[i].isalpha() for i in self.answers.tolist()])
        with torch.no_grad():
            for batch in chunks(texts, 50):
                ids = padded([text.ids for text in batch], self.tokenizer.pad_id)
                asked = torch.zeros_like(ids, dtype=torch.bool)
                for row, text in zip(asked, batch, strict=True):
                    row[text.places] = True
                logits = self(ids, asked).masked_fill(no_word, -torch.inf)  # (N, W)
                said.append(self.answers[logits.topk(BEST).indices])
        return [[vocab[i] for i in row] for row in torch.cat(said).tolist()]


class Batches:
    """One pass over texts in batches (ids, asked, targets): which tokens stood where asked is True.

    rows are the ids of the texts; those of a batch are of like length. hide False leaves them in
    sight. Every `iter` starts from the seed.
    """

    def __init__(self, rows, tokenizer, settings, seed, hide=True):
        self.tokenizer, self.settings, self.seed, self.hide = tokenizer, settings, seed, hide
        shuffled = random.Random(seed).sample(rows, len(rows))
        self.chunks = chunks(sorted(shuffled, key=len), settings["batch_size"])

    def __len__(self):
        return len(self.chunks)

    def __iter__(self):
        tokenizer = self.tokenizer
        special = [tokenizer.cls_id, tokenizer.sep_id, tokenizer.pad_id, tokenizer.unk_id]
        generator = torch.Generator().manual_seed(self.seed)
        for index in torch.randperm(len(self.chunks), generator=generator).tolist():
            ids = padded(self.chunks[index], tokenizer.pad_id)
            _, _, _, asked, targets = mask_tokens(
                ids,
                tokenizer.mask_id,
                tokenizer.vocab_size,
                special,
                share=self.settings["share"],
                generator=generator,
            )
            # Always [MASK], never BERT's 10 % random and 10 % same: nothing else is asked about.
            yield (ids.masked_fill(asked, tokenizer.mask_id) if self.hide else ids, asked, targets)


def loss(reader, batch):
    """Return the mean of -log p(token that stood there), in nats, for a batch of `Batches`."""
    ids, asked, targets = batch
    return F.cross_entropy(reader(ids, asked), torch.searchsorted(reader.answers, targets))
