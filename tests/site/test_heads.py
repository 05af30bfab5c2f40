"""Who looks at whom in a reader's own text or picture, and what a broken head changes."""

import base64

import numpy as np
import pytest
from alike import close
from explorer_page import plain

from tutorial_lib.datasets import load_mnist, minilm_folder
from tutorial_lib.explorers import AttentionExplorer
from tutorial_lib.interpret import likeness
from tutorial_lib.models import BERT
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
from tutorial_lib.tokenizers import WordPieceTokenizer


def weights(panel):
    """The maps of a panel as numbers."""
    return np.frombuffer(base64.b64decode(panel["data"]["__bytes__"]), np.float16).astype(float)


def told_alike(both_tell, widget, messages, networks, tolerance=1e-3):
    """Compare what Python and the page send back; what stays as it was may be left out."""
    shown = plain({name: getattr(widget, name) for name in ("panels", "notes", "outputs")})
    shown |= plain({name: getattr(widget, name) for name in ("layer", "head", "row", "column")})
    page = dict(shown)
    for python, javascript in both_tell("attention", widget, messages, networks):
        shown |= python
        page |= javascript
        [one], [other] = ([dict(panel) for panel in side["panels"]] for side in (shown, page))
        assert np.abs(weights(one) - weights(other)).max() < tolerance
        assert {**one, "data": 0} == {**other, "data": 0}
        assert page["notes"] == shown["notes"]
        assert close(shown["outputs"], page["outputs"], tolerance)
        for name in ("layer", "head", "row", "column", "broken"):
            assert page.get(name) == shown.get(name)


def broken(how, layer=1, head=2):
    """The message of a page that breaks a head."""
    return {"broken": {"how": how, "layer": layer, "head": head}}


def test_a_text_of_ones_own_and_a_broken_head(both_tell, networks):
    model = load_checkpoint("shakespeare-gpt")
    widget = AttentionExplorer.from_decoder(model, encode, decode, "To be", other="To do", row=3)
    messages = [
        {"text": "HAMLET:\nThe rest is silence."},
        {"row": 4, "layer": 3},
        *[broken(how, layer) for how in ("zero", "uniform", "patch") for layer in (0, 3)],
        {"other": "HAMLET:\nThe sun is shining."},
        {"other": "HAMLET:\nThe sun is sinking."},
        {"other": "  "},
        {"text": ""},
        {"text": "a"},
        {"other": "b"},
        broken("zero", 99, -5),
        broken("nonsense"),
        {"broken": {}, "text": "word " * 1000},
        {"text": "é"},
    ]
    told_alike(both_tell, widget, messages, networks)


def test_a_picture_by_its_number_and_a_broken_head(both_tell, networks):
    images = load_mnist().validation.images[:20]
    model = load_checkpoint("mnist-vit")
    widget = AttentionExplorer.from_pictures(model, images, number=4, other=7, ink=True, layer=1)
    messages = [
        {"text": "11"},
        *[broken(how) for how in ("zero", "uniform", "patch")],
        {"other": "2"},
        {"other": ""},
        {"text": "20"},
        {"text": "x"},
        {"text": " 3 "},
        {"broken": {}},
    ]
    told_alike(both_tell, widget, messages, networks)


@pytest.mark.parametrize("readout", [None, likeness("it")])
def test_minilm_reads_a_text_of_ones_own(both_tell, large, readout):
    """The page has its weights in half precision."""
    folder = minilm_folder()
    model = BERT.from_pretrained(folder).eval()
    tokenizer = WordPieceTokenizer.from_pretrained(folder)
    text, other = (f"The animal was too {how}, so it slept." for how in ("tired", "wide"))
    widget = AttentionExplorer.from_model(model, tokenizer, text, other=other, readout=readout)
    messages = [
        {"text": "It rains, café \U0001f642!", "pair": "And [SEP] then?"},
        broken("zero", 5, 11),
        {"text": text, "pair": "", **broken("patch", 2, 3)},
        {"text": ""},
        broken("uniform", 0, 0),
    ]
    told_alike(both_tell, widget, messages, large, tolerance=2e-3)
