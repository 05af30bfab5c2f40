import pytest
import torch
from decoders import small_transformer

from tutorial_lib import figures
from tutorial_lib.decoding import BeamSearch, beam_search
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter04_transformer.beams import (
    greedy_path,
    token_label,
    tree_candidates,
)
from tutorial_lib.tokenizers import BPETokenizer

TOKENIZER = BPETokenizer.train("so it is so", 258, ["<start>", "<end>"])


def search(beams=3, stop=(4, 7), steps=6):
    source = torch.tensor([5, 3, 9, 11, 2])
    return beam_search(small_transformer(), [1], steps, beams=beams, stop=stop, source=source)


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_candidates_know_rank_score_and_winner():
    found = search()
    candidates = tree_candidates(found, TOKENIZER)
    assert len(candidates) == len(found.tree)
    for step in range(1, 7):
        of_step = [c for c in candidates if c.step == step]
        assert [c.rank for c in of_step] == list(range(len(of_step)))
    winners = [c for c in candidates if c.wins]
    assert [c.step for c in winners] == list(range(1, len(found.best)))
    assert winners[-1].score == found.beams[0].score
    assert winners[-1].text == TOKENIZER.decode(found.best[1:])
    assert {c.state for c in candidates} >= {"kept", "dropped"}


def test_greedy_s_path_is_a_search_with_one_beam():
    candidates = tree_candidates(search(stop=()), TOKENIZER)
    alone = search(beams=1, stop=()).best[1:]
    path = greedy_path(candidates)
    assert path
    assert [candidates[index].token for index in path] == [
        token_label(TOKENIZER, token) for token in alone[: len(path)]
    ]


def test_the_tree_writes_tokens_and_numbers():
    found = search(beams=2)
    shown = words(figures.beam_tree(found, TOKENIZER, title="Two beams"))
    assert {"<start>", "step 1", "step 6", "dropped", "leads to the winner"} <= set(shown)
    first = tree_candidates(found, TOKENIZER)[0]
    assert f"{first.log_probability:.2f}".replace("-", "−") in shown


def test_a_long_search_is_cut_and_any_part_can_be_shown():
    found = search(steps=12, stop=())
    assert "…" in words(figures.beam_tree(found, TOKENIZER))
    assert "step 10" not in words(figures.beam_tree(found, TOKENIZER))
    shown = words(figures.beam_tree(found, TOKENIZER, steps=(8, 99)))
    assert {"step 8", "step 12", "…"} <= set(shown)
    assert "step 7" not in shown


def test_nothing_is_cut_off_at_the_edges():
    figure = figures.beam_tree(search(), TOKENIZER, title="A beam")
    style.png(figure)
    width, height = figure.canvas.get_width_height()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height


def test_labels_show_spaces_and_bytes():
    assert token_label(TOKENIZER, TOKENIZER.encode("a b")[1]) == "·"
    assert token_label(TOKENIZER, 240) == "<F0>"


@pytest.mark.parametrize("steps", [(0, 3), (4, 2), (99, 100)])
def test_steps_outside_the_search_are_named(steps):
    with pytest.raises(ShapeError, match="steps must lie in 1 to 6, got"):
        figures.beam_tree(search(), TOKENIZER, steps=steps)


def test_an_empty_search_is_an_error():
    with pytest.raises(ShapeError, match="at least one candidate"):
        figures.beam_tree(BeamSearch(), TOKENIZER)
