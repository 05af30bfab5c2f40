import pytest
import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.interpret import Zero, intervene
from tutorial_lib.models import GPTConfig, LlamaConfig

SIZES = {"vocab_size": 9, "context": 12, "d_model": 12, "n_layers": 2, "n_heads": 3}
CONFIGS = {"GPT": GPTConfig(**SIZES), "Llama": LlamaConfig(**SIZES, n_kv_heads=1, d_ff=16)}
LETTERS = "abcdefgh "


def encode(text):
    return [LETTERS.index(letter) for letter in text]


def decode(ids):
    return "".join(LETTERS[i] for i in ids)


@pytest.fixture(params=CONFIGS)
def model(request):
    torch.manual_seed(0)
    model = CONFIGS[request.param].build().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(5)  # so that a head makes a difference that can be seen
    return model


def test_the_maps_and_the_outputs_are_the_models(model):
    explorer = AttentionExplorer.from_decoder(model, encode, decode, "ab c")
    ids = torch.tensor([encode("ab c")])
    with torch.no_grad(), capture_attention(model) as maps:
        expected = model(ids)[0, -1].softmax(-1)
    panel = explorer.panels[0]
    assert panel["shape"] == [2, 3, 4, 4]
    assert panel["rows"]["labels"] == ["a", "b", "␣", "c"]
    shown = torch.frombuffer(bytearray(panel["data"]), dtype=torch.float16).view(2, 3, 4, 4)
    torch.testing.assert_close(shown.float(), torch.cat(list(maps)), atol=1e-3, rtol=0)
    best = expected.sort(descending=True)
    names = [" " if o["label"] == "␣" else o["label"] for o in explorer.outputs]
    assert names == [LETTERS[i] for i in best.indices[:6]]
    befores = torch.tensor([output["before"] for output in explorer.outputs])
    torch.testing.assert_close(befores, best.values[:6])


def test_a_broken_head_changes_what_comes_next(model):
    explorer = AttentionExplorer.from_decoder(model, encode, decode, "ab c", other="hg f")
    explorer.broken = {"how": "zero", "layer": 1, "head": 2}
    with torch.no_grad(), intervene(model, Zero(1, 2)):
        expected = model(torch.tensor([encode("ab c")]))[0, -1].softmax(-1)
    for output in explorer.outputs:
        letter = " " if output["label"] == "␣" else output["label"]
        assert output["after"] == pytest.approx(expected[LETTERS.index(letter)].item(), abs=1e-5)
    assert any(abs(o["after"] - o["before"]) > 1e-4 for o in explorer.outputs)
    explorer.broken = {"how": "patch", "layer": 0, "head": 0}
    assert explorer.notes == []
    explorer.other = "hg"
    assert "the other text has 2 tokens, this one 4" in explorer.notes[0]


def test_a_text_without_a_token_is_an_error_and_typed_a_note(model):
    with pytest.raises(ShapeError, match="no token"):
        AttentionExplorer.from_decoder(model, encode, decode, "")
    explorer = AttentionExplorer.from_decoder(model, encode, decode, "ab")
    explorer.text = ""
    assert "there is no token to look at" in explorer.notes[0]
    assert explorer.panels[0]["rows"]["labels"] == ["a", "b"]


def test_a_long_text_is_cut_where_the_context_ends(model):
    explorer = AttentionExplorer.from_decoder(model, encode, decode, "abc" * 9)
    assert len(explorer.panels[0]["rows"]["labels"]) == 12
    assert explorer.notes == ["Only the first 12 of 27 tokens go through the model."]
