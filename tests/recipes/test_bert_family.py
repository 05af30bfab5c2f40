import pytest
import torch

from tutorial_lib.models import count_parameters
from tutorial_lib.objectives import IGNORED, order_pairs
from tutorial_lib.recipes import bert_family, load_checkpoint, load_result, summarise
from tutorial_lib.recipes.bert_family import (
    MARKS,
    SMOKE,
    PairBatches,
    any_token,
    begin_head,
    build,
    drawn_by,
    likeliest_of,
    marked_lines,
    order_loss,
    swapped_lines,
)
from tutorial_lib.recipes.family_electra import as_detective
from tutorial_lib.recipes.masks_and_students import Text


@pytest.fixture(scope="module")
def text():
    return Text(SMOKE)


def test_half_of_the_lines_have_two_neighbours_swapped_and_nothing_else_changed(text):
    ids, swapped = swapped_lines(text, text.scenes, 400, 24, seed=0)
    assert 150 < swapped.sum() < 250
    whole = {tuple(row) for row in text.rows(text.scenes, 24).tolist()}
    for row, changed in zip(ids.tolist(), swapped.tolist(), strict=True):
        assert (tuple(row) in whole) == (not changed)
        assert (row[0], row[-1]) == (text.tokenizer.cls_id, text.tokenizer.sep_id)
    again, _ = swapped_lines(text, text.scenes, 400, 24, seed=0)
    assert again.equal(ids)


def test_marks_are_taken_out_and_told_at_the_token_before_them(text):
    encoded = text.tokenizer.encode("Who is there? I, sir; I.").ids[1:-1]
    ids, labels = marked_lines(text, [encoded], length=6)
    words = [text.tokenizer.vocab[i] for i in ids[0].tolist()]
    told = {
        word: MARKS[label - 1]
        for word, label in zip(words, labels[0].tolist(), strict=True)
        if label > 0
    }
    assert words[1:-1] == ["who", "is", "there", "i", "sir", "i"]
    assert told["there"] == "?"
    assert told["sir"] == ";"
    assert labels[0].tolist().count(0) == 2
    assert labels[0, [0, -1]].tolist() == [IGNORED, IGNORED]


def test_all_bodies_are_equally_wide_and_deep_and_albert_stores_one_layer(text):
    models = {name: build(name, text, SMOKE) for name in ("bert", "roberta", "albert", "electra")}
    assert {(m.config.d_model, m.config.n_layers) for m in models.values()} == {(24, 3)}
    assert count_parameters(models["albert"]) < 0.6 * count_parameters(models["roberta"])
    ids = text.rows(text.scenes, 6)[:2]
    for model in models.values():
        # The first head looks at the neighbour on the left before it has learned anything.
        assert model(ids).std() > 0.1


def test_pairs_in_order_have_the_loss_of_their_words_and_of_their_order(text):
    tokens, labels = next(iter(PairBatches(text, SMOKE, 0, order_pairs)))
    assert tokens.segments.max() == 1
    assert labels.shape == (len(tokens.ids),)
    model = build("albert", text, SMOKE)
    loss = order_loss(model, (tokens, labels))
    assert not torch.isclose(loss, order_loss(model, (tokens, ~labels)))


def test_forgers_draw_what_they_should(text):
    generator = build("electra", text, SMOKE).config.generator(1.0).build()
    batch = text.hide(text.rows(text.scenes, 30)[:4], 0.4, torch.Generator().manual_seed(0))
    drawn, likeliest = drawn_by(generator, batch), likeliest_of(generator, batch)
    assert likeliest.softmax(-1).max(-1).values.eq(1).all()
    assert likeliest.argmax(-1).equal(drawn.argmax(-1))
    p = any_token(text, batch).softmax(-1)[0]
    assert p[[*text.special, text.tokenizer.mask_id]].sum() == 0
    assert p.max() == pytest.approx(1 / (text.tokenizer.vocab_size - 5))


def test_a_detective_begins_as_the_body_it_was_and_its_head_speaks(text):
    bert = load_checkpoint("shakespeare-bert")
    detective = as_detective(bert).eval()
    ids = text.rows(text.held_out, 30)[:8]
    with torch.no_grad():
        torch.testing.assert_close(detective(ids), bert(ids))
        loud = detective.replaced_logits(detective(ids)).std()
        for layer in (detective.replaced_head.transform, detective.replaced_head.output):
            layer.weight.normal_(std=0.02)
        assert loud > 10 * detective.replaced_logits(detective(ids)).std()
        assert begin_head(detective) is detective


def test_a_row_of_each_part_can_be_made(text):
    settings = SMOKE | {"cpu_seconds": 0.01}
    body, row = bert_family.electra_row(text, settings, 0, 0.01)
    assert 0 <= row["auc"] <= 1
    forger = bert_family.forger_row("1/2", body, text, settings, 0)
    assert {"swapped_accuracy", "marks_f1", "auc", "forger_accuracy"} <= set(forger)


def test_what_the_table_shows():
    rows = load_result("bert-family")["rows"]
    family = [row for row in rows if row["part"] == "family"]
    swaps = summarise(family, ["model"], "swapped_accuracy")
    marks = summarise(family, ["model"], "marks_f1")
    for name in ("bert", "roberta", "electra"):
        assert swaps[(name,)]["lowest"] > swaps[("untrained",)]["highest"] + 0.15
        assert marks[(name,)]["lowest"] > marks[("untrained",)]["highest"]
    for name in ("albert", "electra, jointly"):
        assert swaps[(name,)]["highest"] < 0.55
    forgers = [row for row in rows if row["part"] == "forgers"]
    told = summarise(forgers, ["model"], "auc")
    useful = summarise(forgers, ["model"], "swapped_accuracy")
    electra = [row for row in family if row["model"] == "electra"]
    as_wide = summarise(electra, ["model"], "auc")[("electra",)]
    assert told[("1/4",)]["lowest"] > as_wide["highest"]
    assert told[("any token",)]["highest"] < as_wide["lowest"]
    assert told[("likeliest",)]["highest"] < 0.55
    assert useful[("1/4",)]["lowest"] > swaps[("electra",)]["highest"]
    assert useful[("any token",)]["lowest"] > swaps[("roberta",)]["highest"]
