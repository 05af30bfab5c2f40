import pytest
import torch

from tutorial_lib.datasets import minilm_folder
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import fillings
from tutorial_lib.models import BERT, BERTConfig, GapHead
from tutorial_lib.recipes import CHECKPOINTS, load_card, load_checkpoint
from tutorial_lib.recipes.masked_head import (
    GapReader,
    fillings_of,
    hide_words,
    read,
)
from tutorial_lib.recipes.minilm_gaps import (
    SETTINGS,
    from_reader,
    learned_rows,
)
from tutorial_lib.tokenizers import WordPieceTokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.from_pretrained(minilm_folder())


@pytest.fixture(scope="module")
def minilm():
    return BERT.from_pretrained(minilm_folder())


@pytest.fixture(scope="module")
def filler(minilm, tokenizer):
    return load_checkpoint("minilm-gaps").onto(minilm, tokenizer)


def test_only_the_row_of_mask_is_not_minilms_own(filler, minilm, tokenizer):
    ours, theirs = filler.state_dict(), minilm.state_dict()
    for name, tensor in theirs.items():
        differs = (ours[name] != tensor).nonzero()[:, 0].unique().tolist()
        assert differs == ([tokenizer.mask_id] if name == "token_embedding.weight" else []), name
    assert {name.partition(".")[0] for name in ours.keys() - theirs.keys()} == {"mlm_head"}
    assert not filler.training
    assert minilm.mlm_head is None  # the one that was handed in stays as it is


def test_a_gap_is_filled_as_the_reader_in_training_would(minilm, tokenizer):
    rows = [tokenizer.encode("the train pulled into the old station .").ids]
    reader = GapReader(tokenizer, rows, n_layers=6, learns=["mask"], seed=0)
    with torch.no_grad():
        reader.body.token_embedding.vector.normal_()
    model = from_reader(reader, GapHead(SETTINGS["width"], SETTINGS["vocab_size"])).onto(
        minilm, tokenizer
    )
    texts = hide_words(["The train is old.", "The station!"], tokenizer, seed=0)
    assert fillings_of(model, texts) == reader.say(texts)


def test_a_word_that_no_text_holds_is_never_said(filler, tokenizer):
    said = {i for ids in learned_rows(SETTINGS, tokenizer) for i in ids[1:-1]}
    bias = filler.mlm_head.bias
    unsaid = torch.ones(tokenizer.vocab_size, dtype=torch.bool)
    unsaid[sorted(said)] = False
    assert (bias[unsaid] < -1e3).all()
    assert (bias[~unsaid] > -1e3).all()


def test_a_head_does_not_go_onto_another_model(minilm, tokenizer):
    with pytest.raises(ShapeError, match="a width of 8 and 30,522 tokens; the model has 384"):
        GapHead(8, 30_522).onto(minilm, tokenizer)
    with pytest.raises(ShapeError, match="its tokenizer 989"):
        GapHead(384, 30_522).onto(minilm, load_checkpoint("shakespeare-bert").tokenizer)
    small = BERT(BERTConfig(vocab_size=9, context=8, d_model=384, n_layers=1, n_heads=2))
    with pytest.raises(ShapeError, match="has 384 and 9"):
        GapHead(384, 30_522).onto(small, tokenizer)


def test_the_card_and_the_file():
    card = load_card("minilm-gaps")
    metric = card["metric"]
    assert card["bytes"] == (CHECKPOINTS / "minilm-gaps.safetensors").stat().st_size < 500_000
    assert card["parameters"] == 384 * 384 + 3 * 384 + 30_522 + 384
    assert metric["plays_top1"] > metric["plays_neighbours_top1"]
    for domain in ("reviews", "plays"):
        assert metric[f"{domain}_top5"] > metric[f"{domain}_neighbours_top5"]


def test_the_metric_on_the_card_on_a_part_of_the_texts(filler, tokenizer):
    card = load_card("minilm-gaps")
    for domain, texts in read(SETTINGS | {"n_texts": 1, "n_measured": 150})[1].items():
        asked = hide_words(texts, tokenizer, seed=0)
        said = fillings_of(filler, asked)
        hidden = [word for text in asked for word in text.hidden]
        right = sum(words[0] == word for words, word in zip(said, hidden, strict=True))
        # Some 500 words: two standard errors are 0.04.
        assert right / len(hidden) == pytest.approx(card["metric"][f"{domain}_top1"], abs=0.05)


def test_a_gap_of_everyday_english_gets_a_word_that_fits(filler, tokenizer):
    found = fillings(filler, tokenizer, "Not only is it funny, [MASK] it is sad.", n=3)
    assert found.rows[0][0] == "but"
    assert found.rows[0][1] > 0.2
