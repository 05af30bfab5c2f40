import pytest
import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.explorers.attention_model import EncoderBackend
from tutorial_lib.interpret import Patch, Uniform, Zero, head_output, intervene
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.tokenizers import WordPieceTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "the", "cat", "dog", "sat", "ran", "on", "a", "mat"]
TEXT, OTHER = "the cat sat", "the dog ran"


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer(WORDS)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    made = BERT(BERTConfig(vocab_size=13, context=32, d_model=16, n_layers=3, n_heads=4))
    with torch.no_grad():
        for weight in made.parameters():  # the usual small start would hardly move an output
            weight += 0.5 * torch.randn_like(weight)
    return made.eval()


def tensors(encoding):
    return torch.tensor([encoding.ids]), torch.tensor([encoding.segments])


@pytest.mark.parametrize("how", ["zero", "uniform", "patch"])
def test_a_broken_head_gives_what_the_intervention_gives(model, tokenizer, how):
    inputs = tensors(tokenizer.encode(TEXT))
    output = head_output(model, 1, 2, *tensors(tokenizer.encode(OTHER)))
    change = {"zero": Zero(1, 2), "uniform": Uniform(1, 2), "patch": Patch(1, 2, output)}[how]
    with torch.no_grad():
        whole = model(*inputs)
        with intervene(model, change), capture_attention(model) as maps:
            broken = model(*inputs)
    cosines = torch.cosine_similarity(whole[0], broken[0], dim=-1)
    run = EncoderBackend(model, tokenizer).run(TEXT, "", OTHER, {"how": how, "layer": 1, "head": 2})
    assert torch.equal(run.maps, torch.cat(list(maps)))
    assert [after for *_, after in run.outputs] == pytest.approx(cosines.tolist(), abs=1e-5)
    assert {before for _, before, _ in run.outputs} == {1.0}
    assert min(after for *_, after in run.outputs) < 0.99999
    assert run.notes == []


def test_the_model_is_whole_again_after_a_run(model, tokenizer):
    inputs = tensors(tokenizer.encode(TEXT))
    with torch.no_grad():
        before = model(*inputs)
        EncoderBackend(model, tokenizer).run(TEXT, broken={"how": "zero", "layer": 0, "head": 0})
        assert torch.equal(model(*inputs), before)


def test_a_second_segment_is_labelled(model, tokenizer):
    run = EncoderBackend(model, tokenizer).run(TEXT, "a mat")
    assert run.labels == ["[CLS]", "the", "cat", "sat", "[SEP]", "a", "mat", "[SEP]"]
    assert run.segments == [0] * 5 + [1] * 3


def test_a_patch_that_does_not_fit_is_a_note(model, tokenizer):
    backend = EncoderBackend(model, tokenizer)
    patch = {"how": "patch", "layer": 0, "head": 0}
    (note,) = backend.run(TEXT, "", "the dog ran on a mat", patch).notes
    assert note.startswith("Nothing is patched: the other text has 8 tokens, this one 5")
    (note,) = backend.run(TEXT, "", "  ", patch).notes
    assert note == "Nothing is patched: type the other text to patch from."


def test_text_beyond_the_context_is_cut_with_a_note(model, tokenizer):
    run = EncoderBackend(model, tokenizer).run("cat " * 100)
    assert run.maps.shape == (3, 4, 32, 32)
    assert run.notes == ["Only the first 32 of 102 tokens go through the model."]


def test_a_readout_is_shown_before_and_after(model, tokenizer):
    def norms(model, encoding):
        hidden = model(*tensors(encoding))[0]
        return [(token, hidden[i].norm()) for i, token in enumerate(encoding.tokens)]

    explorer = AttentionExplorer.from_model(model, tokenizer, "the cat the cat", readout=norms)
    labels = ["[CLS]", "the", "cat", "the", "cat", "[SEP]"]
    assert [row["label"] for row in explorer.outputs] == labels
    assert all(row["before"] == row["after"] for row in explorer.outputs)
    explorer.broken = {"how": "zero", "layer": 2, "head": 1}
    assert any(row["before"] != row["after"] for row in explorer.outputs)
    assert explorer.outputs_title == "Outputs"


def test_whatever_a_readout_does_wrong_is_a_note(model, tokenizer):
    moody = {"fail": False}

    def readout(model, encoding):
        if moody["fail"]:
            raise KeyError("nothing here")
        return [("sum", model(*tensors(encoding)).sum())]

    explorer = AttentionExplorer.from_model(model, tokenizer, TEXT, readout=readout)
    moody["fail"] = True
    shown = explorer.panels
    explorer.text = "a mat"
    assert explorer.notes == ["Not run, so the maps are the last ones. KeyError: 'nothing here'"]
    assert explorer.panels is shown
    moody["fail"] = False
    explorer.text = "a dog"
    assert explorer.notes == []


def test_a_readout_with_other_labels_after_is_refused(model, tokenizer):
    labels = iter("abcdef")
    backend = EncoderBackend(model, tokenizer, lambda *_: [(next(labels), 1.0)])
    with pytest.raises(ShapeError, match="same labels before and after"):
        backend.run(TEXT, broken={"how": "zero", "layer": 0, "head": 0})


@pytest.mark.parametrize("text", ["", " ", "<script>", "👩‍👩‍👧", "שלום", "\x00\n", "x" * 9000])
def test_any_text_gives_maps_or_a_note(model, tokenizer, text):
    explorer = AttentionExplorer.from_model(model, tokenizer, TEXT)
    explorer.text = text
    assert explorer.panels[0]["shape"][2] == len(explorer.panels[0]["rows"]["labels"]) >= 2
    assert explorer.outputs == []
    assert len(explorer.text) <= 4000
    long = ["Only the first 4000 characters are read."]
    assert explorer.notes == (long if len(text) > 4000 else [])


def test_layer_and_head_stay_when_the_text_changes_the_chosen_token_does_not(model, tokenizer):
    explorer = AttentionExplorer.from_model(
        model, tokenizer, "the cat sat on a mat", layer=2, head=3, row=7, column=1
    )
    explorer.broken = {"how": "zero", "layer": 0, "head": 1}
    assert (explorer.row, explorer.column) == (7, 1)
    explorer.text = "cat"
    assert (explorer.layer, explorer.head) == (2, 3)
    assert (explorer.row, explorer.column) == (-1, -1)
