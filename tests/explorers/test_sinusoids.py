from itertools import product

import pytest
import traitlets

from tutorial_lib import figures
from tutorial_lib.explorers import SinusoidExplorer
from tutorial_lib.explorers.sinusoids import BASES, FEWEST, MOST, WIDTHS


def test_the_claim_of_the_sources_holds_near_a_width_of_128():
    assert SinusoidExplorer(d_model=128, n_positions=20).moving_columns == 26
    assert SinusoidExplorer(d_model=512, n_positions=20).moving_columns == 104


@pytest.mark.parametrize(
    ("d", "n", "base", "end"),
    [*product(WIDTHS[:: len(WIDTHS) - 1], (FEWEST, MOST), BASES[:: len(BASES) - 1], (0, 1))],
)
def test_every_control_at_both_ends_has_a_static_twin(d, n, base, end):
    place = {"position": end * (n - 1), "column": end * (d - 1)}
    widget = SinusoidExplorer(d, n, base, **place)
    assert widget.state == {"d_model": d, "n_positions": n, "base": base, **place}
    assert 0 <= widget.moving_columns <= d
    assert widget.wavelength > 6
    assert str(n) in figures.describe_sinusoids(**widget.state)
    figures.sinusoid_map(**widget.state)


def test_a_place_that_is_no_longer_shown_moves_to_the_edge():
    widget = SinusoidExplorer(64, 40, position=39, column=63)
    widget.n_positions, widget.d_model = 10, 8
    assert (widget.state["position"], widget.state["column"]) == (9, 7)
    assert SinusoidExplorer(position=10**9, column=-5).state["position"] == 31


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"d_model": 100}, "d_model must be one of 4, 8, .*512, got 100"),
        ({"base": 2}, "base must be one of 10, 100, 1,000, .* got 2"),
        ({"n_positions": 129}, "n_positions must be 2 to 128, got 129"),
        ({"n_positions": 0}, "n_positions must be 2 to 128, got 0"),
    ],
)
def test_what_the_sliders_cannot_show_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        SinusoidExplorer(**wrong)


@pytest.mark.parametrize(("name", "value"), [("d_model", 7), ("n_positions", 1), ("base", "ten")])
def test_odd_input_to_a_control_is_refused(name, value):
    with pytest.raises(traitlets.TraitError):
        setattr(SinusoidExplorer(), name, value)


def test_it_reads_as_text():
    assert repr(SinusoidExplorer()) == "Sinusoid explorer: run this cell"
