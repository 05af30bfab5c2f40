"""Teacher and student at one gap: the same answers have no distance, and heat brings all nearer."""

import pytest
import torch

from tutorial_lib.errors import VocabularyError
from tutorial_lib.explorers import StudentExplorer
from tutorial_lib.models import BERTConfig, DistilBERT
from tutorial_lib.recipes import load_checkpoint

GAP = "And then [MASK] art a villain."


@pytest.fixture(scope="module")
def teacher():
    return load_checkpoint("shakespeare-bert")


@pytest.fixture
def widget(teacher):
    students = {"copied": DistilBERT.from_teacher(teacher).eval(), "itself": teacher}
    return StudentExplorer(teacher, students, GAP)


def test_bars_are_the_probabilities_of_both_at_the_gap(widget, teacher):
    place = widget.reply["place"]
    ids = torch.tensor([teacher.tokenizer.encode(GAP).ids])
    assert ids[0, place] == teacher.tokenizer.mask_id
    for temperature in (1.0, 4.0):
        widget.ask(temperature=temperature)
        with torch.no_grad():
            both = [
                (model.mlm_logits(model(ids)[0, place]) / temperature).softmax(-1)
                for model in (teacher, widget.students["copied"])
            ]
        for token, ours, theirs in widget.reply["rows"]:
            at = teacher.tokenizer.vocab.index(token)
            assert (ours, theirs) == pytest.approx((both[0][at].item(), both[1][at].item()))
        kl = (both[0] * (both[0].log() - both[1].log())).sum().item()
        assert widget.divergence == pytest.approx(kl, abs=1e-5)


def test_a_student_that_is_its_teacher_has_no_distance(widget):
    apart = widget.divergence
    widget.ask(student="itself")
    assert widget.divergence == pytest.approx(0, abs=1e-6)
    widget.ask(student="copied", temperature=8)
    assert 0 < widget.divergence < apart / 4


def test_words_are_hidden_and_shown_again(widget):
    villain = widget.reply["tokens"].index("a")
    widget.ask(hidden=[villain], place=villain)
    assert widget.reply["place"] == villain
    widget.ask(text="no gap at all", hidden=[], place=-1)
    assert (widget.reply["rows"], widget.divergence) == ([], None)
    assert "there is no gap" in widget.describe()


@pytest.mark.parametrize(
    ("odd", "answered"),
    [
        ({"temperature": -1}, {"temperature": 0.5}),
        ({"temperature": 99}, {"temperature": 8.0}),
        ({"student": "nobody"}, {"student": "copied"}),
        ({"place": 99}, {"place": 3}),
        ({"hidden": [0, 400]}, {"hidden": [], "places": [3]}),  # [CLS] is never hidden
        ({"text": "so [MASK] " * 40}, {"cut": 0}),
    ],
)
def test_odd_requests_are_answered(widget, odd, answered):
    widget.ask(**odd)
    assert {name: widget.reply[name] for name in answered} == answered
    assert len(widget.reply["rows"]) == 8


def test_what_does_not_fit_into_the_models_is_left_out(widget):
    widget.ask(text="[MASK] " + "? " * 300)
    assert widget.reply["cut"] > 0
    assert len(widget.reply["tokens"]) == 128


def test_students_of_another_language_are_refused(teacher):
    other = BERTConfig(50, 8, d_model=4, n_layers=1, n_heads=1, mlm=True).build()
    with pytest.raises(VocabularyError, match="'other' reads 50 tokens, its teacher 989"):
        StudentExplorer(teacher, {"other": other}, GAP)
    with pytest.raises(ValueError, match="at least one student"):
        StudentExplorer(teacher, {}, GAP)
