import numpy as np
import pytest
import torch
from traitlets import TraitError

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import WalkExplorer, short_walk
from tutorial_lib.interpret import trace
from tutorial_lib.models import BERT, BERTConfig, ModernGPTConfig
from tutorial_lib.recipes.shakespeare_gpt import CharacterTokenizer

TOKENS = ["[CLS]", "a", "cat", "[SEP]"]


def story():
    config = BERTConfig(vocab_size=3000, context=8, d_model=16, n_layers=2, n_heads=4)
    return trace(BERT(config), torch.tensor([[2900, 5, 7, 3]]))


def record(name="output", axes="B T D", shape=(1, 4, 16), formula="x"):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return {"name": name, "axes": axes, "formula": formula, "values": values}


def unpack(step):
    return np.frombuffer(step["data"], step["dtype"]).reshape(step["shape"]).astype(np.float32)


def by_name(explorer):
    return {step["name"]: step for step in explorer.steps}


def test_it_prints_as_a_sentence():
    assert repr(WalkExplorer(story(), TOKENS)) == "Walk explorer: run this cell"


def test_every_recorded_tensor_is_a_step_with_its_numbers():
    records = story()
    steps = by_name(WalkExplorer(records, TOKENS))
    assert list(steps) == list(records)
    weights = steps["layer 1 weights"]
    assert np.allclose(unpack(weights), records["layer 1 weights"].tensor[0], atol=1e-3)
    assert (weights["heads"], weights["kind"], weights["stage"]) == (True, "shares", "layer 1")
    assert weights["rows"] == weights["columns"] == TOKENS
    assert [axis["letter"] for axis in weights["axes"]] == ["B", "H", "T", "S"]
    hidden = steps["output"]
    assert np.allclose(unpack(hidden)[0], records["output"].tensor[0], atol=1e-2)
    assert (hidden["heads"], hidden["columns"], hidden["kind"]) == (False, [], "signed")


def test_ids_arrive_exactly():
    ids = by_name(WalkExplorer(story(), TOKENS))["token ids"]
    assert unpack(ids).ravel().tolist() == [2900, 5, 7, 3]
    assert ids["shape"] == [1, 4, 1]


def test_every_step_of_a_real_model_says_what_it_means():
    assert [s["name"] for s in WalkExplorer(story(), TOKENS).steps if not s["meaning"]] == []


def test_a_hidden_score_stays_minus_infinity():
    scores = record("layer 0 scores", "B H T S", (1, 2, 4, 4))
    scores["values"][..., 3] = -np.inf
    step = WalkExplorer([scores], TOKENS).steps[0]
    assert np.isneginf(unpack(step)[..., 3]).all()
    assert np.isfinite(step["scale"])


def test_what_is_too_large_is_cut_with_a_note():
    steps = [record(shape=(1, 80, 100)), record("layer 0 weights", "B H T S", (1, 2, 80, 80))]
    steps[1]["values"] /= steps[1]["values"].max()
    wide, square = WalkExplorer(steps, ["t"] * 80).steps
    assert wide["shape"] == [1, 64, 64]
    assert wide["notes"] == [
        "Only the first 64 of 80 rows are shown.",
        "Only the first 64 of 100 columns are shown.",
    ]
    assert square["shape"] == [2, 64, 64]


def test_a_tensor_without_tokens_is_one_row():
    step = WalkExplorer([record("sentence vector", "B D", (1, 96))], TOKENS).steps[0]
    assert step["shape"] == [1, 1, 64]
    assert step["rows"] == []
    assert unpack(step).ravel().tolist() == list(range(64))
    assert step["notes"] == ["Only the first 64 of 96 columns are shown."]


def test_of_a_vocabulary_each_row_shows_its_largest_with_their_tokens():
    scores = record("word similarity", "B T V", (1, 4, 3000))
    scores["values"][0, 1] *= -1
    vocabulary = [f"w{i}" for i in range(3000)]
    named = WalkExplorer([scores], TOKENS, vocabulary).steps[0]
    assert named["shape"] == [1, 4, 12]
    assert [row[:2] for row in named["picked"][:2]] == [["“w2999”", "“w2998”"], ["“w0”", "“w1”"]]
    assert unpack(named)[0, :2, 0] == pytest.approx([2999, -3000], abs=1)  # half precision
    assert named["notes"] == ["Each row shows its 12 largest of 3,000 columns, largest first."]
    assert named["comes"] == []
    assert WalkExplorer([scores], TOKENS).steps[0]["picked"][1][0] == "column 0"
    with pytest.raises(ShapeError, match="'word similarity' has V = 3000, but vocabulary has 2"):
        WalkExplorer([scores], TOKENS, ["a", "b"])


def test_what_really_comes_next_is_marked():
    values = np.full((1, 3, 20), 0.01, dtype=np.float32)
    values[0, 0, 5] = values[0, 1, 19] = 0.7  # a: then f, no b comes first; b: then t; c: the end
    values[0, 1, 2] = 0.1
    vocabulary = [chr(ord("a") + i) for i in range(20)]
    record = {"name": "probabilities", "axes": "B T V", "formula": "x", "values": values}
    step = WalkExplorer([record], list("abc"), vocabulary).steps[0]
    assert step["picked"][0][:3] == ["“f”", "“a”", "“b”"]
    assert step["comes"] == [2, 1, -1]
    assert step["kind"] == "shares"
    assert step["notes"][1] == "Framed in green: the token that really comes next."
    assert step["meaning"].endswith("how likely each token is to come next.")
    assert WalkExplorer([record], list("abc")).steps[0]["comes"] == []
    far = WalkExplorer([record], list("asc"), vocabulary).steps[0]
    assert far["comes"][0] == -1  # s is not among the twelve


def test_numbers_beyond_half_precision_do_not_become_infinite():
    big = record()
    big["values"] *= 1e9
    assert np.isfinite(unpack(WalkExplorer([big], TOKENS).steps[0])).all()


@pytest.mark.parametrize(("name", "last"), [("step", 35), ("head", 3), ("token", 3)])
def test_every_choice_stays_inside(name, last):
    explorer = WalkExplorer(story(), TOKENS)
    last = len(explorer.steps) - 1 if name == "step" else last
    explorer.set_trait(name, 10**9)
    assert getattr(explorer, name) == last
    explorer.set_trait(name, -5)
    assert getattr(explorer, name) == 0
    with pytest.raises(TraitError):
        explorer.set_trait(name, "one")


@pytest.mark.parametrize(
    ("records", "tokens", "message"),
    [
        ([], TOKENS, "at least one recorded tensor"),
        ([record()], TOKENS[:2], "'output' has T = 4, but tokens has 2"),
        ([record(axes="B T")], TOKENS, r"'output' has axes 'B T' but shape \(1, 4, 16\)"),
        ([record(shape=(1, 4, 0))], TOKENS, "'output' is empty"),
    ],
)
def test_what_cannot_be_walked_is_named(records, tokens, message):
    with pytest.raises(ShapeError, match=message):
        WalkExplorer(records, tokens)


def test_a_model_and_a_text_give_a_walk_with_the_stops_that_are_asked_for():
    model = ModernGPTConfig(vocab_size=70, context=8, d_model=16, n_layers=2, n_heads=4).build()
    stops = ["probabilities", "token ids", "layer 1 weights"]
    walk = WalkExplorer.from_model(model, CharacterTokenizer(), "To be", stops)
    met = [step["name"] for step in walk.steps]
    assert met == ["token ids", "layer 1 weights", "probabilities"]
    every = WalkExplorer.from_model(model, CharacterTokenizer(), "To be")
    assert len(every.steps) == len(trace(model, torch.zeros(1, 5, dtype=torch.long))) + 1
    with pytest.raises(ValueError, match="no tensor on the way is called layer 9 weights"):
        WalkExplorer.from_model(model, CharacterTokenizer(), "To be", ["layer 9 weights"])


def test_a_short_walk_opens_at_its_head_and_word_and_stays_inside_a_smaller_model():
    model = ModernGPTConfig(vocab_size=70, context=8, d_model=16, n_layers=2, n_heads=4).build()
    walk = short_walk(model, CharacterTokenizer(), "To be", layer=1, head=2, word="b")
    assert (walk.steps[walk.step]["name"], walk.head, walk.token) == ("layer 1 weights", 2, 3)
    assert len(walk.steps) == 10
    other = short_walk(model, CharacterTokenizer(), "To be", layer=13, head=8, word="x")
    assert (other.steps[other.step]["name"], other.head, other.token) == ("layer 1 weights", 3, 0)
