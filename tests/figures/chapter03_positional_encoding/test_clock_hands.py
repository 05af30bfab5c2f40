from tutorial_lib import figures


def test_a_wave_is_above_the_middle_where_its_digit_is_one():
    panels = figures.sinusoids_and_digits().axes
    assert len(panels) == 4
    for digit, axes in enumerate(panels):
        at, heights = axes.lines[2].get_data()
        assert [height > 0 for height in heights] == [bool(int(t) >> digit & 1) for t in at]
