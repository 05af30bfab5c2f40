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


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_names_found_missed_and_wrongly_said_look_different():
    fates = bert_tasks.name_fates(SPEECH["tags"], SPEECH["said"])
    assert fates[2] == "found"
    assert fates[5] == "missed"
    assert fates[7] == "marked, but labelled O"
    assert fates.count("") == 5
    figure = figures.named_speeches([SPEECH], "title")
    assert texts(figure) == ["Hamlet", *SPEECH["words"], *bert_tasks.FATES]
    frames = figure.axes[0].patches
    assert len(frames) == 6  # three words, three in the key
    assert len({frame.get_linestyle() for frame in frames}) == 3
    at = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts[1:9]}
    assert [round(frame.get_x() + 0.05, 3) for frame in frames[:3]] == [
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
    assert "found: Hamlet; missed: Horatio; marked, but labelled O: Yorick" in alt


def test_results_show_the_mean_and_every_seed():
    scores = {"pre-trained": [0.4, 0.6], "from scratch": [0.1, 0.2]}
    figure = figures.task_results(scores, "F1", "title", lit=["from scratch"])
    axes = figure.axes[0]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.5, 0.15])
    assert [list(line.get_xdata()) for line in axes.lines] == [*scores.values()]
    assert "0.50" in texts(figure)
    assert "seeds" in axes.get_xlabel()
    assert "from scratch 0.15 (0.10 to 0.20)" in figures.describe_task_results(scores, "F1")


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="at least one speech"):
        figures.named_speeches([])
    with pytest.raises(ShapeError, match="8 words, but 1 tags"):
        figures.named_speeches([SPEECH | {"tags": ["O"]}])
    with pytest.raises(ShapeError, match="2 true tags, but 1 said"):
        bert_tasks.name_fates("OO", "O")
    with pytest.raises(ShapeError, match="at least one bar"):
        figures.task_results({}, "F1")


def test_a_figure_can_be_drawn_again():
    figure = figures.named_speeches([SPEECH], "one")
    again = figures.task_results({"guess": [0.3]}, "F1", figure=figure)
    assert again is figure
    assert len(figure.axes) == 1
    assert style.png(figure)[:4] == b"\x89PNG"
