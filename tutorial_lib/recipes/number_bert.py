"""Chapter 06: a BERT of the page's size that reads a number in English, then in German words.

The page `bert` trains for a minute; this is the same machine on the same texts and both tasks,
trained for longer. Its gaps can be filled from the other language alone, so that a table of
neighbours cannot keep up with it. The last numbers of the file are held out, and measured.
"""

import random
import re

import torch
import torch.nn.functional as F

from tutorial_lib import pages
from tutorial_lib.attention import capture_attention
from tutorial_lib.models import GPT, GPTConfig
from tutorial_lib.objectives import MaskedTokens, mask_tokens, plan_masking, pretraining_loss
from tutorial_lib.recipes.gap_tests import found_by, found_by_counting
from tutorial_lib.recipes.measures import share_of_true
from tutorial_lib.recipes.running import train_on_cpu
from tutorial_lib.recipes.shakespeare_bert import build
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.tokenizers.wordpiece import SPECIAL_TOKENS
from tutorial_lib.training import Muon, set_seed
from tutorial_lib.training.schedules import set_learning_rate, warmup_cosine

SETTINGS = {
    "seed": 0,
    "held_out": 300,  # numbers, of 3,000
    "sizes": {"vocab_size": 67, "context": 32, "d_model": 64, "n_layers": 2, "n_heads": 4},
    "offsets": [],  # no head is told where to look
    "share": 0.15,
    "pairs": 32,  # of a batch
    "steps": 6_000,
    "lr": 5e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {"steps": 2}
# They are in most numbers, and do not tell one from another.
JOINTS = {"hundred", "thousand", "and", "-", "hundert", "tausend", "und"}


def read_tokenizer(path):
    """Read the vocabulary: whole words, with their umlauts."""
    return WordPieceTokenizer.from_vocab(path, lowercase=False)


def numbers():
    """Return (English, German) of each number, in words; long German words are cut in theirs.

    >>> numbers()[1]
    ('two hundred and forty-seven', 'zwei hundert sieben und vierzig')
    """
    rows = (line.split("\t") for line in data_bytes().decode().splitlines())
    return [(english, cut_compounds(german)) for english, german in rows]


def cut_compounds(german):
    """Return a number in German words with its compounds cut into theirs.

    >>> cut_compounds("zweihundertsiebenundvierzig")
    'zwei hundert sieben und vierzig'
    """
    return " ".join(re.sub("hundert|tausend|(?<!h)und", r" \g<0> ", german).split())


def data_bytes():
    """Return the numbers as bytes, for their hash in the card."""
    return (pages.FOLDER / "data/numbers_en_de.txt").read_bytes()


def split(settings):
    """Return the pairs to learn from and those held out."""
    pairs = numbers()
    return pairs[: -settings["held_out"]], pairs[-settings["held_out"] :]


def packed(rows, tokenizer):
    """Return ids, segments and mask (B, T) of pairs of texts, padded on the right."""
    codes = [tokenizer.encode(*row) for row in rows]
    longest = max(len(code.ids) for code in codes)
    ids = torch.full((len(codes), longest), tokenizer.pad_id)
    segments = torch.zeros_like(ids)
    for row, code in enumerate(codes):
        ids[row, : len(code.ids)] = torch.tensor(code.ids)
        segments[row, : len(code.ids)] = torch.tensor(code.segments)
    return ids, segments, ids != tokenizer.pad_id


def special_ids(tokenizer):
    """Return the ids that are never hidden."""
    return [tokenizer.pad_id, tokenizer.unk_id, tokenizer.cls_id, tokenizer.sep_id]


class NumberBatches:
    """Endless batches (MaskedTokens, same (B,)): in half of the pairs both say the same number."""

    def __init__(self, pairs, tokenizer, settings):
        self.pairs, self.tokenizer, self.settings = pairs, tokenizer, settings

    def __iter__(self):
        tokenizer = self.tokenizer
        for generator, (ids, segments, mask), same in self.drawn():
            tokens = mask_tokens(
                ids,
                tokenizer.mask_id,
                tokenizer.vocab_size,
                special_ids(tokenizer),
                segments=segments,
                mask=mask,
                share=self.settings["share"],
                generator=generator,
            )
            yield tokens, same

    def planned(self):
        """Yield (ids (B, T), MaskingPlan, same (B,)): a training that masks them itself."""
        for generator, (ids, _, mask), same in self.drawn():
            yield ids, self.plan(generator, ids, mask), same

    def plan(self, generator, ids, mask):
        """Return the MaskingPlan of a batch (B, T) that was just drawn."""
        sizes = self.tokenizer.mask_id, self.tokenizer.vocab_size, special_ids(self.tokenizer)
        return plan_masking(ids, *sizes, mask, self.settings["share"], generator)

    def drawn(self):
        """Yield (generator, (ids, segments, mask), same), endlessly: the batches as they are."""
        settings, pairs = self.settings, self.pairs
        generator = torch.Generator().manual_seed(settings["seed"])
        while True:
            first, other = torch.randint(len(pairs), (2, settings["pairs"]), generator=generator)
            real = torch.rand(settings["pairs"], generator=generator) < 0.5
            second = torch.where(real, first, other)
            rows = [(pairs[a][0], pairs[b][1]) for a, b in zip(first, second, strict=True)]
            yield generator, packed(rows, self.tokenizer), first == second


def train(settings, progress=True):
    """Train on all numbers but those held out; the tokenizer is model.tokenizer."""
    pairs, _ = split(settings)
    words = {word for pair in pairs for text in pair for word in text.replace("-", " - ").split()}
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, *sorted(words)], lowercase=False)
    set_seed(settings["seed"])
    model = build(settings)
    batches = NumberBatches(pairs, tokenizer, settings)
    train_on_cpu(model, batches, pretraining_loss, settings, progress, optimizer=Muon)
    model.tokenizer = tokenizer
    return model


def gaps(tokenizer, seed=0, share=SETTINGS["share"]):
    """Return MaskedTokens of the pairs held out, both of one number; all chosen are [MASK]."""
    ids, segments, mask = packed(split(SETTINGS)[1], tokenizer)
    generator = torch.Generator().manual_seed(seed)
    drawn = mask_tokens(
        ids,
        tokenizer.mask_id,
        tokenizer.vocab_size,
        special_ids(tokenizer),
        share=share,
        mask=mask,
        generator=generator,
    )
    changed = ids.masked_fill(drawn.chosen, tokenizer.mask_id)
    return MaskedTokens(changed, segments, mask, drawn.chosen, drawn.targets)


def share_filled(rival, tokenizer):
    """Return the share of the gaps of `gaps` that a function fills, whatever it goes by.

    rival(words, gap) is given the tokens of a pair and the index of one [MASK] among them, and
    returns a word.
    """
    asked = gaps(tokenizer)
    said = []
    for ids, real, chosen in zip(asked.ids, asked.mask, asked.chosen, strict=True):
        words = [tokenizer.vocab[i] for i in ids[real]]
        said += [rival(list(words), gap) for gap in chosen.nonzero().flatten().tolist()]
    true = [tokenizer.vocab[i] for i in asked.targets]
    return sum(a == b for a, b in zip(said, true, strict=True)) / len(true)


def evaluate(model):
    """Return how many gaps of the numbers held out are found, by tables and by the model.

    `same` is `judged_same`.
    """
    tokenizer = model.tokenizer
    asked = gaps(tokenizer)
    pairs, _ = split(SETTINGS)
    texts = [tokenizer.encode(*pair).ids for pair in pairs]
    commonest = int(asked.targets.mode().values)
    counted = found_by_counting(texts, asked, tokenizer.vocab_size, commonest)
    return {
        "most_frequent": counted["the most frequent token"],
        "neighbours": counted["from both neighbours"],
        "found": found_by(model, asked),
        "same": judged_same(model, tokenizer),
    }


@torch.no_grad()
def judged_same(model, tokenizer):
    """Return of how many pairs of held-out numbers it is said rightly whether both are one number.

    Each number stands once beside itself and once beside another.
    """
    _, held_out = split(SETTINGS)
    shifted = [german for _, german in held_out[1:] + held_out[:1]]
    rows = [*held_out, *zip([english for english, _ in held_out], shifted, strict=True)]
    ids, segments, mask = packed(rows, tokenizer)
    hidden = model(ids, segments, mask)  # (B, T, D)
    answers = model.nsp_logits(hidden).argmax(dim=-1) == 0
    truth = torch.tensor(
        [german == rows[i % len(held_out)][1] for i, (_, german) in enumerate(rows)]
    )
    return share_of_true(answers == truth)


def train_on(make_batch, tokenizer, steps, settings=SETTINGS):
    """Return a BERT of the same size, and its loss of the words at each step, in nats.

    make_batch(ids, chosen, mask_id) gives what it reads and its labels, (B, T) each, of texts
    (B, T) with some words chosen. A label of -100 does not count, and no padding does. The pairs
    are learned beside the words, as always.
    """
    set_seed(settings["seed"])
    model = build(settings)
    optimizer = Muon(model)
    batches = NumberBatches(split(settings)[0], tokenizer, settings)
    losses = []
    for step, (generator, (ids, segments, mask), same) in zip(
        range(1, steps + 1), batches.drawn(), strict=False
    ):
        chosen = batches.plan(generator, ids, mask).chosen
        inputs, labels = make_batch(ids, chosen, tokenizer.mask_id)
        set_learning_rate(optimizer, warmup_cosine(step, steps, settings["lr"], steps // 20))
        hidden = model(inputs, segments, mask)  # (B, T, D)
        of_words = F.cross_entropy(model.mlm_logits(hidden[mask]), labels[mask])
        of_pairs = F.cross_entropy(model.nsp_logits(hidden), (~same).long())
        optimizer.zero_grad()
        (of_words + of_pairs).backward()
        optimizer.step()
        losses.append(of_words.item())
    return model.eval(), losses


def three_tests(model, tokenizer):
    """Return {test: share right} at the words of `gaps`: hidden, visible, and exchanged.

    Hidden, they are to be found. Visible, with nothing hidden anywhere, they are to be named.
    Exchanged for random words, they are to be corrected.
    """
    asked = gaps(tokenizer)
    ids = asked.ids.masked_scatter(asked.chosen, asked.targets)  # (B, T): the texts as they were
    words = (len(SPECIAL_TOKENS), tokenizer.vocab_size)
    others = torch.randint(*words, ids.shape, generator=torch.Generator().manual_seed(0))
    wrong = asked.chosen & (others != ids)
    exchanged = {"ids": torch.where(wrong, others, ids), "chosen": wrong, "targets": ids[wrong]}
    return {
        "hidden, found": found_by(model, asked),
        "visible, named": found_by(model, asked._replace(ids=ids)),
        "wrong, corrected": found_by(model, asked._replace(**exchanged)),
    }


def train_gpt(tokenizer, steps, settings=SETTINGS):
    """Return a GPT of the same size: it reads the same batches, whole, and says each next token."""
    set_seed(settings["seed"])
    gpt = GPT(GPTConfig(**settings["sizes"]))
    optimizer = Muon(gpt)
    batches = NumberBatches(split(settings)[0], tokenizer, settings).drawn()
    for step, (_, (ids, _, _), _) in zip(range(1, steps + 1), batches, strict=False):
        set_learning_rate(optimizer, warmup_cosine(step, steps, peak=settings["lr"], warmup=50))
        real = ids[:, 1:] != tokenizer.pad_id
        optimizer.zero_grad()
        (-_log_p(gpt, ids, tokenizer)[real].mean()).backward()
        optimizer.step()
    return gpt.eval()


@torch.no_grad()
def words_told(read, tokenizer):
    """Return which words of a number a linear map tells from the vector of each, shares (7, 3).

    The English numbers are those that end like *nine hundred and sixty-four*: a row for [CLS] and
    each of these six tokens, a column for each of *nine*, *sixty* and *four*. read(ids, segments,
    mask) gives vectors (B, T, D) of pairs (B, T). The maps, least squares, are fitted on half of
    these numbers, the same random one each time, and judged on the others.
    """
    ids, segments, mask = packed([row for part in split(SETTINGS) for row in part], tokenizer)
    texts = [[tokenizer.vocab[i] for i in row] for row in ids.tolist()]
    places = [
        (number, text.index("-") - 4)
        for number, text in enumerate(texts)
        if "-" in text and "hundred" in text
    ]
    random.Random(0).shuffle(places)
    number, begin = torch.tensor(places).T  # (N,) each
    row = torch.cat([torch.zeros_like(begin)[:, None], begin[:, None] + torch.arange(6)], dim=1)
    at = number[:, None], row  # (N, 7)
    vectors = F.pad(read(ids, segments, mask)[at], (0, 1), value=1.0)  # (N, 7, D + 1), with a bias
    words = ids[at][:, [1, 4, 6]]  # (N, 3)
    half = len(places) // 2
    wanted = F.one_hot(words[:half], tokenizer.vocab_size).float().flatten(1)  # (N, 3 V)
    told = torch.stack(
        [
            (new @ (torch.linalg.pinv(old) @ wanted)).unflatten(1, (3, -1)).argmax(dim=-1)
            for old, new in zip(vectors[:half].unbind(1), vectors[half:].unbind(1), strict=True)
        ]
    )  # (7, N, 3)
    return (told == words[half:]).float().mean(dim=1)


@torch.no_grad()
def clue_looked_at(model, layer, head):
    """Return {digit: share}: how often a gap looks hardest at its clue, in one head.

    In each pair held out one English digit at a time is hidden, where the number has it: its
    thousands, its hundreds, the tens and the units of a compound such as sixty-four. The clue is
    the same digit in German. The model has a tokenizer.
    """
    tokenizer = model.tokenizer
    rows, segments, mask = packed(split(SETTINGS)[1], tokenizer)  # (B, T) each
    places = [_digits([tokenizer.vocab[i] for i in row]) for row in rows.tolist()]
    shares = {}
    for digit in ("thousands", "hundreds", "tens", "units"):
        having = [number for number, found in enumerate(places) if digit in found]
        at, clues = torch.tensor([places[number][digit] for number in having]).T
        holed = rows[having]
        holed[range(len(having)), at] = tokenizer.mask_id
        with capture_attention(model) as maps:
            model(holed, segments[having], mask[having])
        looks = maps[layer][range(len(having)), head, at]  # (N, T)
        shares[digit] = share_of_true(looks.argmax(dim=-1) == clues)
    return shares


def attention_across(model, asked):
    """Return how much of its attention a gap spends on the words of the other text, (L, H).

    asked are the gaps of `gaps`, and the mean is over all of them. The model has a tokenizer.
    """
    with torch.no_grad(), capture_attention(model) as maps:
        model(asked.ids, asked.segments, asked.mask)
    rows, at = asked.chosen.nonzero(as_tuple=True)  # (N,) each
    special = torch.isin(asked.ids, torch.tensor(special_ids(model.tokenizer)))  # (B, T)
    in_other = asked.segments[rows] != asked.segments[rows, at][:, None]  # (N, T)
    counted = (in_other & ~special[rows]).float()
    return torch.stack(
        [(one[rows, :, at] * counted[:, None]).sum(dim=-1).mean(dim=0) for one in maps]
    )  # (L, H)


def _digits(tokens):
    """Return {digit: (its place in English, its place in German)} of the tokens of a pair."""
    end = tokens.index("[SEP]", tokens.index("[SEP]") + 1)
    places = {}
    for english, german in (("thousand", "tausend"), ("hundred", "hundert")):
        if english in tokens:
            places[f"{english}s"] = tokens.index(english) - 1, tokens.index(german) - 1
    if "-" in tokens:  # sixty-four, vier und sechzig
        dash = tokens.index("-")
        places |= {"tens": (dash - 1, end - 1), "units": (dash + 1, end - 3)}
    return places


@torch.no_grad()
def one_gap_each(models, gpt, tokenizer, seed=0):
    """Return {way: (English, German)}: which share of the gaps it fills, one gap in each text.

    The texts are those held out, once with a gap in each language, at one of the words that tell
    the number. models: {name: BERT}. The GPT fills a gap from the left side, then by putting in
    each word and reading the whole text.
    """
    texts = packed(split(SETTINGS)[1], tokenizer)
    known = (texts[0] != tokenizer.unk_id).all(dim=1)
    rows, segments, mask = (part[known] for part in texts)  # (B, T)
    same_in_all = [i for i, word in enumerate(tokenizer.vocab) if word in JOINTS]
    left_out = torch.isin(rows, torch.tensor(special_ids(tokenizer) + same_in_all))
    words = torch.arange(len(SPECIAL_TOKENS), tokenizer.vocab_size)  # (V,)
    draw = torch.rand(rows.shape, generator=torch.Generator().manual_seed(seed))
    found = {name: [] for name in [*models, "GPT, up to the gap", "GPT, every word tried"]}
    for side in (0, 1):
        places = draw.masked_fill(left_out | (segments != side), -1).argmax(dim=1)  # (B,)
        at = torch.arange(len(rows)), places
        holed = rows.clone()
        holed[at] = tokenizer.mask_id
        said = {}
        for name, model in models.items():
            hidden = model(holed, segments, mask)  # (B, T, D)
            said[name] = model.mlm_logits(hidden[at]).argmax(dim=-1)
        said["GPT, up to the gap"] = words[gpt(rows)[at[0], places - 1][:, words].argmax(dim=-1)]
        scores = []
        for word in words:
            filled = rows.clone()
            filled[at] = word
            scores.append(_log_p(gpt, filled, tokenizer).sum(dim=1))
        said["GPT, every word tried"] = words[torch.stack(scores).argmax(dim=0)]
        for name, of_side in said.items():
            found[name].append(share_of_true(of_side == rows[at]))
    return {name: tuple(shares) for name, shares in found.items()}


def _log_p(gpt, ids, tokenizer):
    """Return log p of each token after the first, (B, T - 1); padding has 0."""
    logits = gpt(ids[:, :-1])  # (B, T - 1, V)
    return -F.cross_entropy(logits.mT, ids[:, 1:], ignore_index=tokenizer.pad_id, reduction="none")
