import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert import tasks as bert_tasks

SPEECH = {
    "play": "Hamlet",
    "words": ["My", "lord", "Hamlet", ",", "good", "Horatio", "and", "Yorick"],
    "tags": ["O", "O", "B", "O", "O", "B", "O", "O"],
    "said": ["O", "O", "B", "O", "O", "O", "O", "B"],
}
LINES = [["ann", ":", "who", "?"], ["first", "lord", ":", "ay", "."]]
STARTS = [[0.1, 0, 0, 0], [0.7, 0.2, 0, 0, 0]]
ENDS = [[0.2, 0, 0, 0], [0.1, 0.7, 0, 0, 0]]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_names_found_missed_and_wrongly_said_look_different():
    fates = bert_tasks.name_fates(SPEECH["tags"], SPEECH["said"])
    assert fates[2] == "found"
    assert fates[5] == "missed"
    assert fates[7] == "no name, but said"
    assert fates.count("") == 5
    figure = figures.named_speeches([SPEECH], "title")
    assert texts(figure) == ["Hamlet", *SPEECH["words"], *bert_tasks.FATES]
    frames = figure.axes[0].patches
    assert len(frames) == 6  # three words, three in the key
    assert len({frame.get_linestyle() for frame in frames}) == 3
    at = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts[1:9]}
    assert [round(frame.get_x() + 0.03, 3) for frame in frames[:3]] == [
        round(at[word], 3) for word in ("Hamlet", "Horatio", "Yorick")
    ]


def test_a_long_speech_is_broken_into_lines_inside_the_page():
    speech = SPEECH | {key: list(SPEECH[key]) * 9 for key in ("words", "tags", "said")}
    figure = figures.named_speeches([speech, SPEECH])
    rows = {round(text.get_position()[1], 2) for text in figure.axes[0].texts}
    assert len(rows) > 6
    assert all(text.get_position()[0] < bert_tasks.WIDTH for text in figure.axes[0].texts)


def test_the_alt_text_names_the_names():
    alt = figures.describe_named_speeches([SPEECH])
    assert "found: Hamlet; missed: Horatio; no name, but said: Yorick" in alt


def test_an_answer_and_its_probabilities():
    figure = figures.answer_span("ay", LINES, STARTS, ENDS, (1, 0, 1), (0, 0, 0), "title")
    assert texts(figure)[0] == 'Who says "ay"?'
    assert texts(figure)[1:-2] == [*LINES[0], *LINES[1]]
    bars = [p for p in figure.axes[0].patches if not p.get_linewidth()]
    starts, ends = [*STARTS[0], *STARTS[1]], [*ENDS[0], *ENDS[1]]
    both = [share for pair in zip(starts, ends, strict=True) for share in pair]
    seen = [share for share in both if share >= 0.01]  # a lower bar would look like an underline
    assert len(seen) < len(both)
    assert [bar.get_height() / 0.22 for bar in bars] == pytest.approx(seen)
    frames = [p for p in figure.axes[0].patches if p.get_linewidth()]
    assert len(frames) == 3  # the two words of the true answer, and the scale
    assert frames[-1].get_height() == pytest.approx(0.22)
    (line,) = figure.axes[0].lines  # under the one word said
    assert line.get_xdata()[1] == pytest.approx(bert_tasks.LETTER * 3)
    alt = figures.describe_answer_span("ay", LINES, (1, 0, 1), (0, 0, 0))
    assert "marks 'ann', the answer is 'first lord'" in alt
    assert "which is right" in figures.describe_answer_span("ay", LINES, (1, 0, 1), (1, 0, 1))


def test_results_show_the_mean_and_every_seed():
    scores = {"pre-trained": [0.4, 0.6], "from scratch": [0.1, 0.2]}
    figure = figures.task_results(scores, "F1", "title", lit=["from scratch"])
    axes = figure.axes[0]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.5, 0.15])
    assert [list(line.get_xdata()) for line in axes.lines] == [*scores.values()]
    assert "0.50" in texts(figure)
    assert "seeds" in axes.get_xlabel()
    assert "from scratch 0.15 (0.10 to 0.20)" in figures.describe_task_results(scores, "F1")
    figure = figures.task_results(scores, "F1", runs="folds")
    assert "dots: folds" in figure.axes[0].get_xlabel()
    assert "range over folds" in figures.describe_task_results(scores, "F1", runs="folds")


def test_the_dots_of_one_run_are_joined():
    scores = {"guess": [0.3, 0.3], "from scratch": [0.1, 0.2], "pre-trained": [0.4, 0.6]}
    axes = figures.task_results(scores, "F1", joined=["from scratch", "pre-trained"]).axes[0]
    joined = [line for line in axes.lines if line.get_linestyle() == "-"]
    assert [list(line.get_xdata()) for line in joined] == [[0.1, 0.4], [0.2, 0.6]]
    assert all(list(line.get_ydata()) == [1, 2] for line in joined)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="at least one speech"):
        figures.named_speeches([])
    with pytest.raises(ShapeError, match="8 words, but 1 tags"):
        figures.named_speeches([SPEECH | {"tags": ["O"]}])
    with pytest.raises(ShapeError, match="2 true tags, but 1 said"):
        bert_tasks.name_fates("OO", "O")
    with pytest.raises(ShapeError, match="starts must have one probability a word"):
        figures.answer_span("ay", LINES, STARTS[:1], ENDS, (1, 0, 1), (0, 0, 0))
    with pytest.raises(ShapeError, match="at least one bar"):
        figures.task_results({}, "F1")


def test_a_figure_can_be_drawn_again():
    figure = figures.named_speeches([SPEECH], "one")
    again = figures.answer_span("ay", LINES, STARTS, ENDS, (1, 0, 1), (0, 0, 0), figure=figure)
    assert again is figure
    assert len(figure.axes) == 1
    assert style.png(figure)[:4] == b"\x89PNG"


def test_seen_and_new_are_two_bars_and_new_ones_are_orange():
    right = {"counts": (1.0, 0.7), "frozen": (0.8, 0.75)}
    axes = figures.seen_and_new(right, "title").axes[0]
    bars = axes.patches
    assert [label.get_text() for label in axes.get_yticklabels()] == ["counts", "frozen"]
    assert [text.get_text() for text in axes.get_legend().texts] == ["learned from", "new"]
    assert [bar.get_width() for bar in bars] == pytest.approx([1.0, 0.7, 0.8, 0.75])
    blue, orange = (
        {bar.get_facecolor() for bar in bars[::2]},
        {b.get_facecolor() for b in bars[1::2]},
    )
    assert len(blue) == len(orange) == 1
    assert blue != orange
    assert "frozen 0.80 of seen, 0.75 of new" in figures.describe_seen_and_new(right)
