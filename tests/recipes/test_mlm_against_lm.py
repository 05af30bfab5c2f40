import pytest
import torch
from torch import nn

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.models.gpt import GPT, GPTConfig
from tutorial_lib.recipes import load_checkpoint, load_result
from tutorial_lib.recipes.mlm_against_lm import (
    SETTINGS,
    SMOKE,
    Batches,
    answer,
    blanks,
    build,
    candidates,
    likeliest,
    log_probability,
    loss_terms,
    neighbours,
    read,
    stretches,
    train_one,
)
from tutorial_lib.recipes.shakespeare_bert import scenes
from tutorial_lib.tokenizers import WordPieceTokenizer

LETTERS = "abcdefgh"
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS])
SIZES = {"vocab_size": 13, "context": 9, "d_model": 8, "n_layers": 1, "n_heads": 2}
SMALL = SMOKE | {"sizes": SIZES}


def draw(n=40):
    """n stretches of 8 random letters, each behind [CLS]."""
    ids = torch.randint(5, 13, (n, 9), generator=torch.Generator().manual_seed(0))
    ids[:, 0] = TOKENIZER.cls_id
    return ids


class Bigrams(GPT):
    """A GPT that knows which token follows which, and nothing else."""

    def __init__(self):
        super().__init__(GPTConfig(**SIZES))
        self.table = torch.randn(13, 13, generator=torch.Generator().manual_seed(1)) * 3

    def forward(self, ids, last_only=False):
        return self.table[ids[:, -1:] if last_only else ids]


def first(name, seed=0):
    return next(iter(Batches(name, draw(), TOKENIZER, seed, SMALL)))


def test_both_models_read_the_same_stretches_and_the_gpt_is_asked_more():
    inputs, targets = first("GPT")
    masked = first("BERT")
    ids = torch.cat([inputs, targets[:, -1:]], dim=1)
    assert torch.equal(masked.ids[~masked.chosen], ids[~masked.chosen])
    assert torch.equal(masked.targets, ids[masked.chosen])
    assert not masked.chosen[:, 0].any()
    assert (masked.ids == TOKENIZER.mask_id).any()
    assert loss_terms((inputs, targets)) == 4 * 8
    assert loss_terms(masked) == 4 * round(0.4 * 8)
    assert torch.equal(first("BERT").ids, masked.ids)
    assert not torch.equal(first("GPT", seed=1)[0], inputs)


def test_a_stretch_has_its_length_behind_cls_and_stays_within_a_scene():
    plays = [play for play in load_shakespeare().plays if play.title == "Macbeth"]
    tokenizer = WordPieceTokenizer.train(plays[0].text, 100)
    ids = stretches(plays, tokenizer, 12)
    assert ids.shape[1] == 13
    assert (ids[:, 0] == tokenizer.cls_id).all()
    assert not (ids[:, 1:] == tokenizer.cls_id).any()
    assert tokenizer.decode(ids[0, 1:].tolist()).startswith("when s")


def test_no_play_is_trained_on_that_is_measured():
    first, second = load_shakespeare().plays[:2]
    tokenizer, train, test = read(SMOKE | {"held_out": [first.title], "plays": 1, "measured": 3})
    assert torch.equal(train, stretches([second], tokenizer, SMOKE["length"]))
    held_out = stretches([first], tokenizer, SMOKE["length"])
    assert torch.equal(test, held_out[[0, (len(held_out) - 1) // 2, -1]])


def test_the_models_have_the_same_layers_and_nearly_the_same_size():
    gpt, bert = (build(name, SETTINGS) for name in ("GPT", "BERT"))
    assert [p.shape for p in gpt.blocks.parameters()] == [p.shape for p in bert.blocks.parameters()]
    assert gpt.token_embedding.weight.shape == bert.token_embedding.weight.shape
    sizes = [sum(p.numel() for p in model.parameters()) for model in (gpt, bert)]
    assert max(sizes) < 1.03 * min(sizes)
    assert bert.nsp_head is None
    assert bert.pooler is None


def test_the_gpt_sees_the_left_side_only_and_the_bert_both():
    torch.manual_seed(0)
    gpt, bert = (build(name, SMALL).eval() for name in ("GPT", "BERT"))
    for parameter in (*gpt.parameters(), *bert.parameters()):
        if parameter.dim() > 1:  # as large as makes the guesses differ
            nn.init.normal_(parameter)
    ids = draw()
    hidden, left, right = ids.clone(), ids.clone(), ids.clone()
    hidden[:, 4] = 5 + (ids[:, 4] - 4) % 8  # behind [CLS] and three tokens
    left[:, 3] = 5 + (ids[:, 3] - 4) % 8
    right[:, 5] = 5 + (ids[:, 5] - 4) % 8

    for model, sees_right in ((gpt, False), (bert, True)):
        asked, *others = (answer(model, i, 3, TOKENIZER) for i in (ids, hidden, left, right))
        assert [torch.equal(asked, other) for other in others] == [True, False, not sees_right]


def test_the_likeliest_stretch_is_found_by_the_bigrams_on_both_sides():
    gpt, ids, place = Bigrams(), draw(), 3
    log_p = gpt.table.log_softmax(-1)
    expected = sum(log_p[ids[:, i], ids[:, i + 1]] for i in range(8))
    torch.testing.assert_close(log_probability(gpt, ids), expected)
    listed = candidates(gpt, ids, place, 5)
    guesses = answer(gpt, ids, place, TOKENIZER)
    assert torch.equal(guesses, log_p[ids[:, place]].argmax(-1))
    assert torch.equal(listed, log_p[ids[:, place]].topk(5).indices)
    before, behind = ids[:, place, None], ids[:, place + 2, None]
    best = (log_p[before, listed] + log_p[listed, behind]).argmax(1, keepdim=True)
    found = likeliest(gpt, ids, place, listed)
    assert torch.equal(found, listed.gather(1, best)[:, 0])
    assert not torch.equal(found, guesses)
    # No right side: the whole stretch says what the left side says.
    listed = candidates(gpt, ids, 7, 5)
    assert torch.equal(likeliest(gpt, ids, 7, listed), listed[:, 0])


def test_rows_of_the_blanks():
    settings = SMALL | {"places": [0, 3, 7], "candidates": 13}
    bert = build("BERT", settings).eval()
    train = draw()
    train[:, 1:4] = 9
    rows = blanks(Bigrams(), bert, (TOKENIZER, train, draw()), settings)
    assert [row["place"] for row in rows if row["way"] == "most frequent"] == [0, 3, 7]
    for row in rows:
        assert row["on_the_right"] == 7 - row["place"]
    found = {(row["way"], row["place"]): row["accuracy"] for row in rows}
    nines = (draw()[:, 4] == 9).double().mean().item()
    assert found["most frequent", 3] == pytest.approx(nines)
    assert found["in the list", 3] == 1  # all 13 tokens are listed


def test_a_table_of_neighbours_knows_what_comes_between_them():
    scene = [5, 6, 7, 5, 8, 9, 5, 6, 7, 6, 6]
    settings = SETTINGS | {"length": 3, "measured": 1, "places": [0, 1, 2]}
    # 5 _ 7: a 6 came between them. 5 6 _: what follows 6 most often is 7. _ 6 7: no left side.
    assert neighbours([scene], [[5, 6, 7]], TOKENIZER, settings) == {0: 0, 1: 1, 2: 1}


def test_training_teaches_both_what_is_hidden():
    """Each stretch repeats one letter."""
    ids = torch.cat(
        [torch.full((8, 1), TOKENIZER.cls_id), torch.arange(5, 13)[:, None].expand(8, 8)], 1
    )
    settings = SMALL | {"steps": 150, "lr": 1e-2, "batch_size": 16, "looks": 3, "places": [4]}
    settings["sizes"] = SIZES | {"d_model": 16}
    for name, loss_terms_a_step in (("GPT", 16 * 8), ("BERT", 16 * 3)):
        model, curve, training = train_one(name, (TOKENIZER, ids, ids), 0, settings, progress=False)
        right = answer(model, ids, 4, TOKENIZER) == ids[:, 5]
        assert right.double().mean() > 0.8
        assert [row["step"] for row in curve] == [50, 100, 150]
        assert curve[-1]["accuracy"] == right.double().mean()
        assert training["loss_terms_a_step"] == loss_terms_a_step


def by_seed(rows, seeds=(0, 1, 2), **wanted):
    """The mean accuracy for each seed of the rows that are as wanted."""
    means = []
    for seed in seeds:
        matching = [
            row["accuracy"] for row in rows if (wanted | {"seed": seed}).items() <= row.items()
        ]
        means.append(sum(matching) / len(matching))
    return means


def test_what_the_table_shows():
    table = load_result("mlm-against-lm")
    rows, first, last = table["rows"], 0, SETTINGS["length"] - 1
    left = by_seed(rows, way="GPT, left side")
    both = by_seed(rows, way="BERT, both sides")
    whole = by_seed(rows, way="GPT, whole stretch")
    listed = by_seed(rows, way="in the list")
    assert min(left) > 0.12 + max(by_seed(rows, way="most frequent"))
    # Both sides are worth more than fewer loss terms cost. A GPT can use both too, but has to try
    # every candidate, and then it is better still.
    assert min(both) > max(left) + 0.02
    assert min(whole) > max(both) + 0.05
    assert min(listed) > max(whole) + 0.2
    # It depends on what stands on the right: everything, and nothing.
    for place, better, worse in (
        (first, "BERT, both sides", "GPT, left side"),
        (last, "GPT, left side", "BERT, both sides"),
    ):
        highest = max(by_seed(rows, way=worse, place=place))
        assert min(by_seed(rows, way=better, place=place)) > highest + 0.03
    assert by_seed(rows, way="GPT, whole stretch", place=last) == by_seed(
        rows, way="GPT, left side", place=last
    )


def test_the_gpt_learns_faster_at_first_and_the_two_cost_the_same():
    table = load_result("mlm-against-lm")
    early, late = (table["settings"]["steps"] * part // 5 for part in (1, 5))
    gpt, bert = (
        [by_seed(table["curve"], model=name, step=step) for step in (early, late)]
        for name in ("GPT", "BERT")
    )
    assert min(gpt[0]) > max(bert[0])
    assert min(bert[1]) > max(gpt[1])
    seconds = [row["cpu_seconds"] for row in table["trainings"]]
    assert max(seconds) < 1.15 * min(seconds)
    terms = {row["model"]: row["loss_terms_a_step"] for row in table["trainings"]}
    assert terms == {"GPT": 64 * 32, "BERT": 64 * 13}


def test_the_table_of_neighbours_is_ahead_of_the_bert_between_two_neighbours():
    tokenizer = load_checkpoint("shakespeare-bert").tokenizer
    held_out, plays = SETTINGS["held_out"], load_shakespeare().plays
    train, test = (
        scenes([play for play in plays if (play.title in held_out) is out], tokenizer)
        for out in (False, True)
    )
    found = neighbours(train, test, tokenizer, SETTINGS)
    rows = load_result("mlm-against-lm")["rows"]
    for place in (4, 8, 16, 24, 28):
        assert found[place] > max(by_seed(rows, way="BERT, both sides", place=place)) + 0.03
