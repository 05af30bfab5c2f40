import pytest
import torch

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.errors import MissingHeadError
from tutorial_lib.models import BERT, BERTConfig, QuestionReader, QuestionReaderConfig
from tutorial_lib.objectives.spans import best_span
from tutorial_lib.recipes import load_card, load_checkpoint
from tutorial_lib.recipes.made_stories import (
    KINDS,
    NAMES,
    PARAPHRASES,
    PARTS,
    VERBS,
    make_stories,
    pairs_of,
    times_in,
    words_of,
)
from tutorial_lib.recipes.question_reader import (
    LONGEST,
    SMOKE,
    answer_batches,
    exchanged,
    minilm_tokenizer,
    question_reader,
    read,
    read_asked,
    rights,
    token_rows,
    train,
)

TEXT = (
    "Maria wrote a long letter and hid it under the stone bench. Malvolio found a golden ring in "
    "the garden. Toby gave his horse to the captain of the guard."
)


def answer(reader, tokenizer, question, text):
    """Return the words that a reader marks in a text, as a list."""
    seen = read(reader, tokenizer, question, text)
    start, end = best_span(seen.starts, seen.ends, seen.allowed, LONGEST)
    return seen.words[seen.word_of[start] : seen.word_of[end] + 1]


@pytest.fixture(scope="module")
def minilm():
    return BERT.from_pretrained(minilm_folder())


@pytest.fixture(scope="module")
def reader(minilm):
    return question_reader(minilm)


def all_words(part, n=3_000):
    return {word for one in make_stories(part, n, 5) for word in words_of(one.text + one.question)}


@pytest.mark.parametrize("part", PARTS)
def test_the_answer_stands_in_the_text_exactly_once(part):
    made = make_stories(part, 500, 3)
    assert len({(one.question, one.text) for one in made}) == 500
    assert {one.kind for one in made} == {*KINDS}
    for one in made:
        assert times_in(one.answer, one.text) == 1
        assert one.answer in one.text
        assert 1 <= one.text.count(".") <= 7
    assert make_stories(part, 5, 3) == made[:5]
    assert make_stories(part, 5, 4) != made[:5]


def test_words_of_the_test_never_occur_in_training():
    learned = all_words("train")
    women, men = NAMES["test"]
    unseen = {
        *words_of(f"{women} {men}"),
        *["necklace", "handkerchief", "castle", "island", "denmark"],
    }
    for of_part in VERBS.values():
        unseen |= {form for verb, _ in pairs_of(of_part["test"]) for form in verb}
    for listed in PARAPHRASES.values():
        unseen |= {form for _, asks in pairs_of(listed) for form in asks}
    assert not unseen & learned
    assert len(unseen & (all_words("test") | all_words("paraphrase"))) > 100


def test_a_paraphrase_asks_with_another_verb_than_the_text():
    asks = {
        form for listed in PARAPHRASES.values() for _, verb in pairs_of(listed) for form in verb
    }
    for one in make_stories("paraphrase", 300, 3):
        assert asks & {*words_of(one.question)}
        assert not asks & {*words_of(one.text)}


def test_rows_point_at_the_answer():
    tokenizer = minilm_tokenizer()
    made = make_stories("test", 100, 3)
    for one, (ids, segments, start, end) in zip(made, token_rows(made, tokenizer), strict=True):
        assert segments[start] == segments[end] == 1
        wanted = tokenizer.encode(one.answer).ids[1:-1]
        assert ids[start : end + 1] == wanted
    batches = answer_batches(made, {"seed": 0, "batch_size": 8})
    assert sum(len(batch[0]) for batch in batches) == 100
    for ids, _, mask, allowed, starts, ends in batches:
        assert (ids[mask] != tokenizer.pad_id).all()
        assert (ids[~mask] == tokenizer.pad_id).all()
        assert not (allowed & ((ids == tokenizer.sep_id) | ~mask)).any()
        rows = torch.arange(len(ids))
        assert allowed[rows, starts].all()
        assert allowed[rows, ends].all()


def test_vectors_of_stories_do_not_depend_on_what_they_are_read_with(reader):
    tokenizer, made = minilm_tokenizer(), make_stories("test", 60, 3)
    seen = read_asked(reader, tokenizer, made)
    for place in (0, 17, 59):
        alone = read_asked(reader, tokenizer, made[place : place + 1])
        n = alone.hidden.size(1)
        torch.testing.assert_close(seen.hidden[place, :n], alone.hidden[0], atol=1e-4, rtol=1e-4)
        assert not seen.hidden[place, n:].any()
        assert not seen.allowed[place, n:].any()
        assert alone.allowed[0].tolist() == seen.allowed[place, :n].tolist()
        ids, _, start, end = token_rows(made[place : place + 1], tokenizer)[0]
        wanted = tokenizer.encode(made[place].answer).ids[1:-1]
        assert ids[seen.starts[place] : seen.ends[place] + 1] == wanted
        assert (start, end) == (seen.starts[place], seen.ends[place])
    others = read_asked(reader, tokenizer, made, exchanged(made))
    assert others.allowed.sum(dim=1).equal(seen.allowed.sum(dim=1))  # the texts are the same
    assert rights(reader, made).mean() > rights(reader, made, exchanged(made)).mean() + 0.3


def test_questions_are_exchanged_within_their_kind():
    made = make_stories("test", 60, 3)
    by_question = {one.question: one.kind for one in made}
    others = exchanged(made)
    assert sorted(others) == sorted(one.question for one in made)
    assert [by_question[question] for question in others] == [one.kind for one in made]


def test_the_body_stays_as_it_is_and_lends_its_weights():
    torch.manual_seed(0)
    sizes = {"d_model": 8, "n_layers": 2, "d_ff": 16}
    body = BERT(BERTConfig(**sizes, vocab_size=9, context=5, n_heads=2)).eval()
    ids = torch.tensor([[1, 5, 2]])
    before = body(ids)
    reader = QuestionReader(QuestionReaderConfig(**sizes, rank=1))
    with pytest.raises(MissingHeadError, match="reading_with"):
        reader(ids)
    reader.reading_with(body)
    assert reader(ids).equal(before)  # changes begin at zero
    for change in (change for layer in reader.changes for change in layer):
        torch.nn.init.normal_(change.up)
    assert not torch.allclose(reader(ids), before, atol=1e-3)
    assert body(ids).equal(before)
    own = {tensor.data_ptr() for tensor in body.parameters()}
    assert {tensor.data_ptr() for tensor in reader.body[0].parameters()} == own
    assert not any(name.startswith("body") for name in reader.state_dict())


def test_the_changes_are_those_of_changed_weights(minilm):
    reader = load_checkpoint("question-reader").reading_with(minilm)
    ids = torch.tensor([minilm_tokenizer().encode("Who ran?", "Ann ran.").ids])
    merged = BERT.from_pretrained(minilm_folder())
    with torch.no_grad():
        for block, (qkv, output, hidden, narrow) in zip(merged.blocks, reader.changes, strict=True):
            block.attention.qkv.weight += qkv.up @ qkv.down
            block.attention.output.weight += output.up @ output.down
            block.feed_forward.hidden.weight += hidden.up @ hidden.down
            block.feed_forward.output.weight += narrow.up @ narrow.down
        torch.testing.assert_close(merged(ids), reader(ids), atol=1e-4, rtol=1e-4)


def test_a_reading_knows_the_word_of_each_token(reader):
    tokenizer = minilm_tokenizer()
    seen = read(reader, tokenizer, "Who?", "Malvolio's ring, found!")
    assert seen.words == ["Malvolio", "'", "s", "ring", ",", "found", "!"]
    assert len(seen.tokens) == len(seen.starts) == len(seen.ends) == len(seen.word_of)
    inside = [i for i, word in enumerate(seen.word_of) if word is not None]
    assert inside == seen.allowed.nonzero().flatten().tolist()
    pieces = [[] for _ in seen.words]
    for i in inside:
        pieces[seen.word_of[i]].append(seen.tokens[i].removeprefix("##"))
    assert ["".join(of_word) for of_word in pieces] == [word.lower() for word in seen.words]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who found a golden ring?", "Malvolio"),
        ("What did Toby give to the captain of the guard?", "his horse"),
        ("Where did Maria hide the letter?", "under the stone bench"),
        ("To whom did Toby give his horse?", "the captain of the guard"),
    ],
)
def test_the_question_decides(reader, question, said):
    assert " ".join(answer(reader, minilm_tokenizer(), question, TEXT)) == said


@pytest.mark.slow
def test_a_tiny_training_moves_the_changes():
    learned = train(SMOKE, progress=False)
    assert all(change.up.any() for layer in learned.changes for change in layer)
    assert not learned.training


def test_it_needs_the_question_and_beats_the_rule():
    metric = load_card("question-reader")["metric"]
    for part in ("test", "paraphrase"):
        assert metric[part] > metric[f"{part}, a rule"] + 0.3
        assert metric[f"{part}, another question"] < metric[part] - 0.3
    assert metric["test"] > 0.85


def test_what_nobody_expects_in_a_story_is_cut_as_the_tokenizer_cuts_it():
    body = BERT.from_pretrained(minilm_folder())
    tokenizer = minilm_tokenizer()
    story = "Ann lost her ring😀 for 5€ in the gar­den."
    seen = read(question_reader(body), tokenizer, "Where did Ann lose it?", story)
    assert len(seen.word_of) == len(seen.tokens) == len(seen.starts)
    assert [word for word in seen.word_of if word is not None][-1] == len(seen.words) - 1
