import numpy as np
import pytest
import torch
from traitlets import TraitError

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.explorers.packing import as_array, make_panel

WORDS = ["[CLS]", "the", "cat", "sat", "[SEP]"]


def maps(layers=2, heads=3, rows=5, columns=5):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(layers, heads, rows, columns, generator=generator).softmax(-1)


def unpack(panel):
    kind = np.float16 if panel["dtype"] == "float16" else np.uint8
    values = np.frombuffer(panel["data"], kind).reshape(panel["shape"]).astype(np.float32)
    return values if kind is np.float16 else values / 255


def test_it_prints_as_a_sentence_and_speaks_its_name():
    explorer = AttentionExplorer(maps(), WORDS)
    assert repr(explorer) == "Attention explorer: run this cell"
    assert explorer.label == "Attention explorer"


def test_the_browser_gets_the_maps_as_half_precision_bytes():
    weights = maps()
    panel = AttentionExplorer(weights, WORDS).panels[0]
    assert panel["shape"] == [2, 3, 5, 5]
    assert panel["dtype"] == "float16"
    assert np.allclose(unpack(panel), weights, atol=5e-4)
    assert panel["rows"]["labels"] == WORDS
    assert panel["columns"]["special"] == [0, 4]


def test_a_big_set_of_maps_travels_as_one_byte_a_weight():
    weights = np.full((6, 13, 200, 200), 1 / 200, np.float32)
    panel = AttentionExplorer(weights, ["x"] * 200).panels[0]
    assert panel["dtype"] == "uint8"
    assert len(panel["data"]) == weights.size
    assert np.allclose(unpack(panel), weights, atol=1 / 255)


@pytest.mark.parametrize("kind", ["torch", "numpy", "lists", "layers with a batch axis"])
def test_maps_may_come_in_any_usual_form(kind):
    weights = maps()
    given = {
        "torch": weights,
        "numpy": weights.numpy(),
        "lists": weights.tolist(),
        "layers with a batch axis": [layer[None] for layer in weights],
    }[kind]
    panel = AttentionExplorer(given, WORDS).panels[0]
    assert np.allclose(unpack(panel), weights, atol=5e-4)


def test_cross_attention_has_two_lengths():
    explorer = AttentionExplorer(maps(rows=2), ["ein", "Haus"], WORDS)
    assert explorer.panels[0]["shape"] == [2, 3, 2, 5]
    assert explorer.panels[0]["columns"]["labels"] == WORDS


def test_an_encoder_decoder_has_three_panels_each_with_its_own_sides():
    three = {"encoder": maps(), "decoder": maps(rows=2, columns=2), "cross": maps(rows=2)}
    explorer = AttentionExplorer(three, ["ein", "Haus"], WORDS)
    assert [panel["name"] for panel in explorer.panels] == ["encoder", "decoder", "cross"]
    assert [panel["shape"][2:] for panel in explorer.panels] == [[5, 5], [2, 2], [2, 5]]
    explorer.row = 9
    assert explorer.row == 4
    explorer.part = 1
    assert explorer.row == 1  # the decoder has two rows only
    explorer.part = 9
    assert explorer.part == 2


def test_segments_are_kept_for_both_sides():
    panel = AttentionExplorer(maps(), WORDS, segments=[0, 0, 0, 1, 1]).panels[0]
    assert panel["rows"]["segments"] == panel["columns"]["segments"] == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("part", 0, 0), ("layer", 0, 1), ("head", 0, 2), ("row", -1, 4), ("column", -1, 4)],
)
def test_every_choice_stays_inside(name, low, high):
    explorer = AttentionExplorer(maps(), WORDS)
    explorer.set_trait(name, 10**9)
    assert getattr(explorer, name) == high
    explorer.set_trait(name, -(10**9))
    assert getattr(explorer, name) == low
    with pytest.raises(TraitError):
        explorer.set_trait(name, "one")


def test_the_threshold_stays_between_zero_and_one():
    explorer = AttentionExplorer(maps(), WORDS)
    for given, kept in ((-1.0, 0.0), (2.0, 1.0), (0.3, 0.3)):
        explorer.threshold = given
        assert explorer.threshold == kept


def test_the_words_name_the_grid_and_the_threshold_only_where_they_are():
    plain = AttentionExplorer(maps(), WORDS).describe()
    assert plain.endswith("and as a matrix, with all heads as thumbnails.")
    assert AttentionExplorer(maps(), WORDS, threshold=0.0).describe() == plain
    bare = AttentionExplorer(maps(), WORDS, threshold=0.25, grid=False).describe()
    assert bare.endswith("and as a matrix; weights below 0.25 are not drawn.")


def test_a_state_can_be_given_at_the_start():
    explorer = AttentionExplorer(maps(), WORDS, layer=1, head=2, row=3, hide_special=True)
    assert (explorer.layer, explorer.head, explorer.row) == (1, 2, 3)
    assert explorer.hide_special


def test_too_long_input_is_cut_and_a_note_says_so():
    explorer = AttentionExplorer(maps(rows=9, columns=9), list("abcdefghi"), max_tokens=4)
    assert explorer.panels[0]["shape"] == [2, 3, 4, 4]
    assert explorer.panels[0]["rows"]["labels"] == list("abcd")
    assert explorer.notes == ["Only the first 4 of 9 tokens are shown."]


@pytest.mark.parametrize(
    "tokens",
    [
        ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a", "b", "c"],
        ["👩‍👩‍👧", "שלום", "x" * 500, "", " "],
        ["\n", "\t", "\x00", "e\u0301", "$x$"],
    ],
)
def test_odd_tokens_are_passed_on_unchanged(tokens):
    explorer = AttentionExplorer(maps(), tokens)
    assert explorer.panels[0]["rows"]["labels"] == tokens


@pytest.mark.parametrize(
    ("weights", "rows", "message"),
    [
        (torch.rand(2, 3, 5), WORDS, r"must be \(L, H, T, S\), got shape \(2, 3, 5\)"),
        (torch.rand(2, 3, 0, 0), [], "nothing to look at"),
        (torch.rand(0, 3, 5, 5), WORDS, "nothing to look at"),
        (maps(), WORDS[:4], "T = 5 but rows has 4 labels"),
        (maps() * 3, WORDS, "between 0 and 1"),
        (maps() * float("nan"), WORDS, "between 0 and 1"),
    ],
)
def test_wrong_maps_are_refused_with_what_was_expected(weights, rows, message):
    with pytest.raises(ShapeError, match=message):
        AttentionExplorer(weights, rows)


def test_wrong_columns_segments_and_names_are_refused():
    with pytest.raises(ShapeError, match="S = 5 but columns has 1 labels"):
        AttentionExplorer(maps(), WORDS, ["x"])
    with pytest.raises(ShapeError, match="segments of the rows must be 5 numbers"):
        AttentionExplorer(maps(), WORDS, segments=[0, 1])
    with pytest.raises(ShapeError, match="segments of the rows must be 5 numbers, each 0 or 1"):
        AttentionExplorer(maps(), WORDS, segments=[0, 1, 2, 3, 4])
    with pytest.raises(ShapeError, match="named encoder, decoder or cross, got \\['self'\\]"):
        AttentionExplorer({"self": maps()}, WORDS)
    with pytest.raises(ShapeError, match=r"all layers must have one shape .*, got none"):
        AttentionExplorer([], WORDS)
    with pytest.raises(ShapeError, match="all layers must have one shape"):
        AttentionExplorer([maps(1)[0], maps(1, rows=4)[0]], WORDS)
    with pytest.raises(ShapeError, match="named encoder, decoder or cross, got \\[\\]"):
        AttentionExplorer({}, WORDS)


def test_only_known_ways_to_break_a_head_are_kept():
    explorer = AttentionExplorer(maps(), WORDS)
    explorer.broken = {"how": "zero", "layer": 99, "head": -4}
    assert explorer.broken == {"how": "zero", "layer": 1, "head": 0}
    for odd in ({"how": "melt"}, {"how": "zero", "layer": "x"}, {}):
        explorer.broken = odd
        assert explorer.broken == {}


def test_typing_without_a_model_changes_nothing():
    explorer = AttentionExplorer(maps(), WORDS)
    before = explorer.panels
    explorer.text = "x" * 10_000
    assert len(explorer.text) == 4000
    assert explorer.panels is before
    assert not explorer.has_model


def test_panels_clip_rounding_errors_and_accept_bfloat16():
    weights = torch.ones(1, 1, 1, 1, dtype=torch.bfloat16)
    assert as_array(weights).dtype == np.float32
    assert make_panel(np.full((1, 1, 1, 1), 1.0005), ["x"]).weights.max() == 1


def test_a_full_weight_survives_as_one_byte():
    weights = np.zeros((6, 13, 200, 200), np.float32)
    weights[..., 0] = 1
    panel = AttentionExplorer(weights, ["x"] * 200).panels[0]
    assert panel["dtype"] == "uint8"
    assert np.array_equal(unpack(panel)[0, 0, 0, :2], [1, 0])


def test_a_note_stands_only_where_something_is_cut():
    assert AttentionExplorer(maps(), WORDS, max_tokens=5).notes == []
    assert AttentionExplorer(maps(), WORDS, max_tokens=4).notes == [
        "Only the first 4 of 5 tokens are shown."
    ]
    tall = AttentionExplorer(maps(columns=2), WORDS, WORDS[:2], max_tokens=4)
    assert tall.notes == ["Only the first 4 of 5 tokens are shown."]


def test_each_side_has_its_own_segments():
    panel = AttentionExplorer(maps(), WORDS, WORDS, [0] * 5, [0, 0, 1, 1, 1]).panels[0]
    assert panel["rows"]["segments"] == [0] * 5
    assert panel["columns"]["segments"] == [0, 0, 1, 1, 1]
    shared = AttentionExplorer(maps(), WORDS, segments=[0, 0, 1, 1, 1]).panels[0]
    assert shared["columns"]["segments"] == [0, 0, 1, 1, 1]
    assert AttentionExplorer(maps(), WORDS).panels[0]["rows"]["segments"] == [0] * 5
