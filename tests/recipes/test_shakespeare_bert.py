import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.datasets.shakespeare import Corpus, Play, Speech
from tutorial_lib.objectives import SentencePair
from tutorial_lib.recipes import shakespeare_bert
from tutorial_lib.recipes.shakespeare_bert import (
    SETTINGS,
    SMOKE,
    PairBatches,
    build,
    in_sentences,
    masked_pairs,
    scenes,
    shared_rarity,
    train,
)
from tutorial_lib.tokenizers import WordPieceTokenizer

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS])
SPECIAL = {0, 2, 3, 4}


def play(*lines, title="A Play"):
    speeches = [Speech(title, "comedies", "ACT I", scene, "ANN", text) for scene, text in lines]
    return Play(title, "comedies", "", tuple(speeches))


def letters(text):
    return [TOKENIZER.vocab.index(letter) for letter in text]


def test_a_scene_is_what_is_said_in_it_and_goes_on_over_speeches():
    plays = [play(("1", "a b"), ("1", "c"), ("2", "d e")), play(("1", "f"))]
    assert scenes(plays, TOKENIZER) == [letters(part) for part in ("abc", "de", "f")]


def test_the_names_of_speakers_are_not_read():
    assert "ann" not in str(scenes([play(("1", "a"))], TOKENIZER))
    hamlet = next(p for p in load_shakespeare().plays if p.title == "Hamlet")
    tokenizer = WordPieceTokenizer.train(hamlet.text, 100)
    first = tokenizer.decode(scenes([hamlet], tokenizer)[0][:40])
    assert first.startswith("who ' s there ? nay , answer me")


def test_sentences_leave_out_the_rest_of_a_scene():
    assert in_sentences([[1, 2, 3, 4, 5], [6]], 2) == [[[1, 2], [3, 4]], []]


@pytest.fixture
def batches():
    texts = [LETTERS[start : start + 20] for start in (0, 3, 6)]
    settings = SMOKE | {"sentences": [2, 4], "tokens": 32}
    return PairBatches([letters(text) for text in texts], TOKENIZER, settings)


def test_batches_have_no_padding_and_the_same_number_of_tokens(batches):
    shapes = set()
    for (tokens, is_next), _ in zip(batches, range(20), strict=False):
        shapes.add(tuple(tokens.ids.shape))
        assert not (tokens.ids == TOKENIZER.pad_id).any()
        assert is_next.sum() == len(is_next) / 2
        assert (tokens.ids[:, 0] == TOKENIZER.cls_id).all()
        second = (tokens.ids.size(1) - 3) // 2 + 2
        assert tokens.segments[0].tolist() == [0] * second + [1] * (second - 1)
    assert shapes == {(8, 7), (4, 11)}


def test_every_batch_is_masked_anew_and_starts_from_the_seed(batches):
    first, second = (batch for batch, _ in zip(batches, range(2), strict=False))
    again = next(iter(batches))
    assert torch.equal(first[0].ids, again[0].ids)
    assert not torch.equal(first[0].targets, second[0].targets)


def test_the_share_of_tokens_asked_about():
    pairs = [SentencePair(letters(LETTERS[:20]), letters(LETTERS[6:26]), True)] * 30
    for share in (0.15, 0.4):
        tokens, _ = masked_pairs(pairs, TOKENIZER, share, torch.Generator().manual_seed(0))
        assert len(tokens.targets) == 30 * 40 * share
        assert not set(tokens.targets.tolist()) & SPECIAL


def test_the_heads_of_the_first_layer_begin_by_looking_at_neighbours():
    torch.manual_seed(0)
    model = build(SETTINGS).eval()
    ids = torch.randint(5, SETTINGS["sizes"]["vocab_size"], (4, 63))
    with torch.no_grad(), capture_attention(model) as maps:
        model(ids)
    assert SETTINGS["offsets"] == [-1, 1, -2, 2]
    for head, offset in enumerate(SETTINGS["offsets"]):
        there = maps[0][:, head].diagonal(offset, -2, -1)
        assert there.mean() > 0.6
        for other in {-3, -2, -1, 0, 1, 2, 3} - {offset}:
            assert maps[0][:, head].diagonal(other, -2, -1).mean() < 0.25
    second = maps[1].diagonal(1, -2, -1)
    assert second.mean() < 0.1


def test_weights_fit_the_width():
    torch.manual_seed(0)
    model = build(SETTINGS)
    width = SETTINGS["sizes"]["d_model"]
    place = width // SETTINGS["sizes"]["n_heads"]  # these numbers are for the position alone
    assert not model.token_embedding.weight[:, :place].any()
    spread = model.token_embedding.weight[:, place:].std().item()
    assert spread == pytest.approx(width**-0.5, rel=0.05)
    positions = model.position_embedding.weight[:, :place]
    assert (positions**2).mean().item() == pytest.approx(1 / width, rel=0.05)
    layer = model.blocks[0].feed_forward.output
    assert layer.weight.std().item() == pytest.approx((4 * width) ** -0.5, rel=0.05)


def test_the_plays_held_out_are_not_trained_on(monkeypatch):
    titles = ["Hamlet", "Macbeth", "Twelfth Night", "Othello", "Henry V"]
    lines = [("1", f"{letter} " * 20) for letter in "hmtoe"]
    plays = [play(line, title=title) for line, title in zip(lines, titles, strict=True)]
    seen = {}

    def keep(model, batches, *rest, **options):
        seen["documents"] = batches.documents[0]
        seen["tokenizer"] = batches.tokenizer

    monkeypatch.setattr(shakespeare_bert, "load_shakespeare", lambda: Corpus(tuple(plays)))
    monkeypatch.setattr(shakespeare_bert, "train_on_cpu", keep)
    settings = SMOKE | {"sizes": SMOKE["sizes"] | {"vocab_size": 7}, "plays": None}
    model = train(settings, progress=False)
    assert seen["tokenizer"] is model.tokenizer
    assert model.tokenizer.vocab[5:] == ["m", "o"]  # not even the tokenizer has read the others
    assert seen["documents"] == [[[place] * 8] * 2 for place in (5, 6)]


def test_what_two_sentences_share_counts_by_its_rarity():
    documents = [[[1, 2], [1, 3]], [[1, 4], [1, 4]]]
    pairs = [SentencePair([1, 2], [1, 2], True), SentencePair([1, 4], [4, 4], True)]
    pairs.append(SentencePair([1, 2], [1, 3], True))
    expected = torch.tensor([4.0, 2.0, 1.0]).log()
    torch.testing.assert_close(shared_rarity(pairs, documents), expected)


def test_the_card_of_the_checkpoint():
    card = recipes.load_card("shakespeare-bert")
    metric = card["metric"]
    assert card["bytes"] < 8 * 2**20
    assert metric["mlm_accuracy"] > 0.3
    assert metric["most_frequent_token"] < 0.06


def test_the_checkpoint_fills_a_gap():
    model = recipes.load_checkpoint("shakespeare-bert")
    tokenizer = model.tokenizer
    assert tokenizer.vocab_size == model.config.vocab_size

    def best(text):
        ids = torch.tensor([tokenizer.encode(text).ids])
        with torch.no_grad():
            logits = model.mlm_logits(model(ids)[ids == tokenizer.mask_id])
        return tokenizer.vocab[logits.argmax().item()]

    assert best("i thank you , my good [MASK] .") == "lord"
    assert best("what [MASK] thou ?") in ("art", "hast")
