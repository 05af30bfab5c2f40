import itertools
import random
from dataclasses import replace

import pytest
import torch

from tutorial_lib.datasets.who_says import ask
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.recipes.answer_reader import (
    ASKING,
    QuestionBatches,
    answers,
    fine_tune_answers,
    reading_loss,
    rows_of,
    span_loss,
    stacked,
)
from tutorial_lib.recipes.line_reader import reader_of
from tutorial_lib.tokenizers import WordPieceTokenizer

SAID = list("abcdefgh")
NAMES = ["ann", "bob", "cy", "first lord"]
PIECES = ["ann", "bo", "##b", "cy", "first", "lord", *ASKING, *SAID]
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PIECES])
CONTEXT = 64


def questions(n, seed=0):
    draw = random.Random(seed)
    made = []
    while len(made) < n:
        speeches = [(name.split(), draw.choices(SAID, k=5)) for name in draw.sample(NAMES, 3)]
        made += ask(("Ado", "I", "1"), speeches, draw)
    return made[:n]


def model():
    torch.manual_seed(0)
    sizes = {"vocab_size": len(TOKENIZER.vocab), "context": CONTEXT, "d_model": 32, "n_layers": 3}
    return BERT(BERTConfig(**sizes, n_heads=4, mlm=True, span=True)).eval()


def reader(seed=0):
    encoder = model()
    torch.manual_seed(seed)
    return reader_of(encoder)


def test_a_row_is_question_and_excerpt_with_the_answer_at_start_and_end():
    for question, row in rows_of(questions(30), TOKENIZER, CONTEXT):
        lines = [start for start, _ in question.names] + [len(question.excerpt)]
        text = " [SEP] ".join(
            " ".join(question.excerpt[slice(*edges)]) for edges in itertools.pairwise(lines)
        )
        ours = TOKENIZER.encode(" ".join((*ASKING, *question.quote)), text)
        assert row.ids == ours.ids
        assert row.second == ours.segments.index(1)
        assert TOKENIZER.decode(row.ids[row.start : row.end + 1]) == " ".join(question.answer)
        quoted = [i for i, inside in zip(row.ids, row.evidence, strict=True) if inside]
        assert TOKENIZER.decode(quoted) == " ".join(question.quote)
        # The quote is of the answer's line, behind the colon.
        assert row.evidence.index(True) == row.end + 2
        of_line = row.line_of[row.start]
        assert of_line == question.turn + 1
        assert {n for n, inside in zip(row.line_of, row.evidence, strict=True) if inside} == {
            of_line
        }
        # A line ends with its [SEP].
        ends = [place for place, i in enumerate(row.ids) if i == TOKENIZER.sep_id]
        assert [row.line_of[end] for end in ends] == [*range(len(question.names) + 1)]
        assert row.line_of == sorted(row.line_of)
        places = [place for place in row.word_of if place >= 0]
        assert sorted({*places}) == list(range(len(question.excerpt)))
        assert row.word_of[row.start] == question.names[question.turn][0]
        specials = {TOKENIZER.cls_id, TOKENIZER.sep_id}
        outside = [i for i, place in zip(row.ids, row.word_of, strict=True) if place < 0]
        assert specials <= {*outside}
        assert not specials & {i for i, p in zip(row.ids, row.word_of, strict=True) if p >= 0}


def test_what_does_not_fit_is_left_out():
    part = questions(30)
    lengths = [len(row.ids) for _, row in rows_of(part, TOKENIZER, CONTEXT)]
    limit = sorted(lengths)[len(lengths) // 2]
    assert len(rows_of(part, TOKENIZER, limit)) == sum(length <= limit for length in lengths)


def test_batches_hold_every_row_once_a_pass():
    rows = [row for _, row in rows_of(questions(40), TOKENIZER, CONTEXT)]
    batches = QuestionBatches(rows, TOKENIZER.pad_id, tokens=200, seed=0)
    seen = 0
    for ids, lines, mask, starts, ends, evidence in batches:
        assert ids.numel() <= 200
        assert mask.equal(ids != TOKENIZER.pad_id)
        assert not lines[~mask].any()
        assert not evidence[lines == 0].any()
        assert (starts <= ends).all()
        assert (lines.gather(1, starts[:, None]) == lines.gather(1, ends[:, None])).all()
        assert (
            lines.gather(1, starts[:, None]) == lines.masked_fill(~evidence, 0).amax(1)[:, None]
        ).all()
        assert 1 < lines.max() <= 3
        seen += len(ids)
        if seen >= len(rows):
            break
    assert seen == len(rows)
    for ours, again in zip(next(iter(batches)), next(iter(batches)), strict=True):
        assert ours.equal(again)


def test_the_loss_of_a_uniform_model_and_of_padding():
    plain = model()
    torch.nn.init.zeros_(plain.span_head.weight)
    torch.nn.init.zeros_(plain.span_head.bias)
    (_, row), (_, other) = rows_of(questions(2), TOKENIZER, CONTEXT)
    n = len(row.ids) - row.second
    loss = span_loss(plain, stacked([row], TOKENIZER.pad_id))
    assert loss.item() == pytest.approx(2 * torch.tensor(float(n)).log().item())
    plain = model()
    batch = stacked([row, other], TOKENIZER.pad_id)
    assert {*batch[1].flatten().tolist()} == {0, 1}
    padded = [torch.nn.functional.pad(part, (0, 4)) for part in batch[:3]]
    torch.testing.assert_close(span_loss(plain, (*padded, *batch[3:])), span_loss(plain, batch))


def test_the_loss_of_a_reader_is_that_of_spans_and_of_the_evidence():
    rows = [row for _, row in rows_of(questions(40), TOKENIZER, CONTEXT)]
    batch = next(iter(QuestionBatches(rows, TOKENIZER.pad_id, tokens=200, seed=0)))
    lost = [reading_loss(reader(), batch, weight).item() for weight in (0, 1, 2)]
    assert lost[0] == pytest.approx(span_loss(reader(), batch[:5]).item())
    assert lost[2] - lost[1] == pytest.approx(lost[1] - lost[0], rel=1e-3)
    ids, lines, mask, _, _, evidence = batch
    logits = reader().token_logits(reader().hidden_states(ids, lines, mask)[2])  # not of the last
    of_evidence = -logits.log_softmax(-1).gather(-1, evidence.long()[..., None])[lines > 0].mean()
    assert lost[1] - lost[0] == pytest.approx(of_evidence.item(), rel=1e-3)


def test_answers_lie_in_the_excerpt_and_do_not_depend_on_other_questions():
    pairs = rows_of(questions(60), TOKENIZER, CONTEXT)
    untrained = reader()
    found = answers(untrained, pairs, TOKENIZER.pad_id)
    for (question, row), answer in zip(pairs[:10], found, strict=False):
        (alone,) = answers(untrained, [(question, row)], TOKENIZER.pad_id)
        assert alone.words == answer.words == question.excerpt[answer.first : answer.last + 1]
        assert len(answer.words) > 0
        assert alone.evidence == answer.evidence
        assert alone.starts == pytest.approx(answer.starts, abs=1e-5)
        assert alone.quoted == pytest.approx(answer.quoted, abs=1e-5)
        assert len(answer.quoted) == len(question.excerpt)
        for shares in (answer.starts, answer.ends):
            assert len(shares) == len(question.excerpt)
            assert 0.5 < sum(shares) < 1  # the rest is on [SEP]


def test_a_word_that_the_tokenizer_drops_is_no_part_of_the_quote():
    question, row = rows_of(questions(1), TOKENIZER, CONTEXT)[0]
    n_words = len(question.excerpt)
    longer = replace(question, excerpt=(*question.excerpt, ""))
    (answer,) = answers(reader(), [(longer, row)], TOKENIZER.pad_id)
    assert len(answer.quoted) == n_words + 1
    assert answer.quoted[-1] == 0


class Separator:
    """Says of every [SEP] that the answer starts and ends there, of "a" that it is the quote."""

    def hidden_states(self, ids, segments, mask):
        return [ids] * 4

    def token_logits(self, hidden):
        is_a = hidden == TOKENIZER.vocab.index("a")
        return torch.stack([~is_a, is_a], dim=-1).float()

    def span_logits(self, hidden, mask):
        logits = torch.where(hidden == TOKENIZER.sep_id, 9.0, torch.rand(hidden.shape))
        logits = logits.masked_fill(~mask, -torch.inf)
        return logits, logits


def test_no_answer_starts_or_ends_between_the_lines():
    torch.manual_seed(0)
    pairs = rows_of(questions(20), TOKENIZER, CONTEXT)
    for (question, _), answer in zip(pairs, answers(Separator(), pairs, 0), strict=True):
        assert answer.evidence == tuple(i for i, w in enumerate(question.excerpt) if w == "a")
        share = torch.tensor(1.0).sigmoid().item()
        wanted = [share if word == "a" else 1 - share for word in question.excerpt]
        assert answer.quoted == pytest.approx(wanted)
        assert 0 <= answer.first <= answer.last < len(question.excerpt)
        assert sum(answer.starts) < 0.1


def test_a_reader_learns_where_names_stand():
    rows = [row for _, row in rows_of(questions(300), TOKENIZER, CONTEXT)]
    encoder = model().with_heads(span=False)
    tuned, history = fine_tune_answers(
        encoder, rows, TOKENIZER.pad_id, steps=60, tokens=600, lr=5e-3, progress=False
    )
    pairs = rows_of(questions(50, seed=1), TOKENIZER, CONTEXT)
    found = answers(tuned, pairs, TOKENIZER.pad_id)
    assert sum(" ".join(answer.words) in NAMES for answer in found) > 0.7 * len(found)
    assert history.loss[-1] < 0.6 * history.loss[0]
    assert encoder.span_head is None
    assert encoder.config.n_segments == 2
