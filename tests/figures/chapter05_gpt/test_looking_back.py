import torch

from tutorial_lib import figures
from tutorial_lib.figures.chapter05_gpt.looking_back import computed_numbers, reached_positions
from tutorial_lib.models import GPT, GPTConfig

IDS = torch.tensor([[1, 5, 2, 7, 3]])


def model():
    sizes = {"vocab_size": 11, "context": 9, "d_model": 8, "n_layers": 2, "n_heads": 2}
    return GPT(GPTConfig(**sizes)).eval()


def test_an_output_depends_on_what_came_before_it():
    reached = reached_positions(model(), IDS, 2)
    assert reached.tolist()[0] == [True, True, True, False, False]
    assert reached.tolist()[-1] == [False, False, True, False, False]
    figure = figures.causal_dependencies(model(), IDS, focus=2)
    assert "positions 0 to 2" in figure.axes[0].get_title(loc="left")


def test_a_cache_saves_what_the_layers_need_not_compute_again():
    without, with_cache = computed_numbers(model(), IDS, start=3)
    a_token = 2 * 3 * 8  # layers, queries keys and values, width
    assert (without, with_cache) == ([4 * a_token, 5 * a_token], [a_token, a_token])
    shown = [
        text.get_text() for text in figures.growing_cache(model(), IDS, n_steps=2).axes[0].texts
    ]
    assert {f"{5 * a_token:,}", f"{a_token:,}"} <= set(shown)
