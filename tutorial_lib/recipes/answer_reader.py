"""A BERT that answers "who says ...?" with a span of the scene: from questions to answers.

Answers alone, two targets an example, do not teach our encoder to compare two texts in some hundred
steps. So it starts as a `line_reader`, and its second layer is also asked for the evidence: which
tokens of the excerpt are the quote. String search finds these labels for nothing.
"""

import random
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.datasets.who_says import places_of
from tutorial_lib.objectives import best_span
from tutorial_lib.recipes.line_reader import LINES, reader_of
from tutorial_lib.recipes.name_tagger import endless_groups
from tutorial_lib.recipes.translator import chunks, padded
from tutorial_lib.training import Muon, fit, set_seed

ASKING = ("who", "says", ":")
LONGEST = 16  # tokens of an answer
EVIDENCE_LAYER = 2  # one layer is left to carry what was found to the name


class Row(NamedTuple):
    """A Question as the model reads it.

    ids (T); word_of (T), for each token the place of its word in the excerpt, -1 for the others;
    line_of (T), for each token the line of the excerpt, from 1, and 0 in the question; evidence
    (T) bool, the tokens of the quote in the excerpt; second, where the excerpt begins; start and
    end, the first and last token of the answer.
    """

    ids: list
    word_of: list
    line_of: list
    evidence: list
    second: int
    start: int
    end: int


def rows_of(questions, tokenizer, context):
    """Return pairs (Question, Row), without the few questions that do not fit into the context.

    The tokenizer drops line breaks; so that a line can be told from the one before, a [SEP] stands
    between them.
    """
    pieces = {}

    def cut(words):
        for word in words:
            if word not in pieces:
                pieces[word] = tokenizer.encode(word).ids[1:-1]
        return [pieces[word] for word in words]

    rows = []
    for question in questions:
        asked = [i for word in cut((*ASKING, *question.quote)) for i in word]
        ids = [tokenizer.cls_id, *asked, tokenizer.sep_id]
        second, word_of, line_of = len(ids), [-1] * len(ids), [0] * len(ids)
        line = 1
        line_starts = {start for start, _ in question.names[1:]}
        for place, word in enumerate(cut(question.excerpt)):
            if place in line_starts:
                ids.append(tokenizer.sep_id)
                word_of.append(-1)
                line_of.append(line)
                line += 1
            ids += word
            word_of += [place] * len(word)
            line_of += [line] * len(word)
        ids.append(tokenizer.sep_id)
        word_of.append(-1)
        line_of.append(line)
        (quoted,) = places_of(question.quote, question.excerpt)
        evidence = [quoted <= place < quoted + len(question.quote) for place in word_of]
        first, behind = question.names[question.turn]
        ends = word_of.index(first), word_of.index(behind) - 1
        row = Row(ids, word_of, line_of, evidence, second, *ends)
        if len(ids) <= context:
            rows.append((question, row))
    return rows


class QuestionBatches:
    """Endless batches of rows of similar length; every `iter` starts from the seed.

    A batch is (ids (B, T), lines (B, T), mask (B, T), starts (B,), ends (B,), evidence (B, T));
    the number of its line is a token's segment.
    """

    def __init__(self, rows, pad_id, tokens, seed):
        self.rows, self.pad_id, self.tokens, self.seed = rows, pad_id, tokens, seed

    def __iter__(self):
        draw = random.Random(self.seed)
        for batch in endless_groups(self.rows, self.tokens, 500, draw):
            evidence = padded([row.evidence for row in batch], False)
            yield *stacked(batch, self.pad_id, lines=True), evidence


def stacked(rows, pad_id, lines=False):
    """Return (ids (B, T), segments (B, T), mask (B, T), starts (B,), ends (B,)) of some rows.

    segments are BERT's two, 0 for the question and 1 for the excerpt; with lines=True each line of
    the excerpt has its own, from 1.
    """
    ids = padded([row.ids for row in rows], pad_id)
    segments = padded([row.line_of for row in rows], 0).clamp(max=LINES if lines else 1)
    starts, ends = (torch.tensor([getattr(row, name) for row in rows]) for name in ("start", "end"))
    return ids, segments, ids != pad_id, starts, ends


def span_loss(model, batch):
    """Return the cross-entropy of where answers start plus that of where they end."""
    ids, segments, mask, starts, ends = batch
    return _of_spans(model, model(ids, segments, mask), segments, starts, ends)


def reading_loss(model, batch, evidence_weight):
    """Return the loss of the spans, plus so many times that of the evidence.

    batch is one of QuestionBatches; model has line vectors, and heads for spans and two labels.
    """
    ids, lines, mask, starts, ends, evidence = batch
    states = model.hidden_states(ids, lines, mask)
    inside = lines > 0
    logits = model.token_logits(states[EVIDENCE_LAYER][inside])  # (N, 2)
    of_evidence = F.cross_entropy(logits, evidence[inside].long())
    return _of_spans(model, states[-1], lines, starts, ends) + evidence_weight * of_evidence


def _of_spans(model, hidden, segments, starts, ends):
    start_logits, end_logits = model.span_logits(hidden, segments > 0)
    return F.cross_entropy(start_logits, starts) + F.cross_entropy(end_logits, ends)


def fine_tune_answers(
    model, rows, pad_id, *, steps, evidence_weight=3.0, tokens=2_048, lr=3e-3, seed=0, **options
):
    """Train the `reader_of` a BERT on Rows.

    evidence_weight: 0 to learn from answers alone; options go to `fit`. Returns the reader, in
    evaluation mode, and the History.
    """
    set_seed(seed)
    reader = reader_of(model)
    batches = QuestionBatches(rows, pad_id, tokens, seed)
    loss = partial(reading_loss, evidence_weight=evidence_weight)
    options = {"optimizer": Muon, "device": "cpu"} | options
    history = fit(reader, batches, loss, steps=steps, lr=lr, seed=seed, **options)
    return reader.eval(), history


class Answer(NamedTuple):
    """What a model answers: words; first and last, their places in the excerpt.

    starts and ends hold the probability of each word of the excerpt to be the first or the last;
    quoted, that it belongs to the quote, by the second layer, the mean of its tokens; evidence, the
    places of the words that this layer takes for the quote.
    """

    words: tuple
    first: int
    last: int
    starts: list
    ends: list
    evidence: tuple = ()
    quoted: list = ()


@torch.no_grad()
def answers(model, questions, pad_id):
    """Return the Answer of a reader to each of some pairs (Question, Row)."""
    found = []
    for group in chunks(questions, 50):
        ids, lines, mask, _, _ = stacked([row for _, row in group], pad_id, lines=True)
        states = model.hidden_states(ids, lines, mask)
        logits = model.span_logits(states[-1], lines > 0)
        quote_logits = model.token_logits(states[EVIDENCE_LAYER])  # (B, T, 2)
        for (question, row), *of_row in zip(group, *logits, quote_logits, strict=True):
            word_of = torch.tensor(row.word_of)
            # (T,) each, and (T, 2), without the padding
            start_logits, end_logits, of_quote = (part[: len(word_of)] for part in of_row)
            start, end = best_span(start_logits, end_logits, word_of >= 0, LONGEST)
            first, last = row.word_of[start], row.word_of[end]
            real = word_of >= 0
            starts, ends, quoted = (
                torch.zeros(len(question.excerpt)).index_add(0, word_of[real], share[real])
                for share in (
                    start_logits.softmax(-1),
                    end_logits.softmax(-1),
                    of_quote.softmax(-1)[:, 1],
                )
            )
            shares = [part.tolist() for part in (starts, ends)]
            n_pieces = word_of[real].bincount(minlength=len(question.excerpt))
            quoted = (quoted / n_pieces.clamp(min=1)).tolist()  # 0 for a word without a piece
            words = question.excerpt[first : last + 1]
            evidence = tuple(sorted({*word_of[(of_quote.argmax(-1) == 1) & real].tolist()}))
            found.append(Answer(words, first, last, *shares, evidence, quoted))
    return found
